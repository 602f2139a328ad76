use super::{Invocation, RUN, Sample, TICK, parse};
use std::ffi::OsString;
use std::path::Path;

#[test]
fn a_launcher_line_becomes_a_sample_and_an_exit_code() {
    let sample = Sample {
        wall: 1234.567,
        cpu: 890.0,
        rss: 2048,
    };
    assert_eq!(parse("1234567 890 2048 3\n"), Some((sample, 3)));
}

#[test]
fn a_truncated_launcher_line_is_not_a_measurement() {
    assert_eq!(parse("1234567 890 2048"), None);
}

#[test]
fn every_run_has_its_own_number_in_its_arguments() {
    let invocation = Invocation::new(Path::new("ckpt")).arg(format!("step {RUN}"));
    let seventh: Vec<OsString> = invocation.arguments_of(7).collect();
    assert_eq!(seventh, ["step 7"]);
}

#[test]
fn what_one_run_ticks_the_next_one_unticks() {
    let invocation = Invocation::new(Path::new("ckpt")).arg(TICK);
    let ticks = (0..4).flat_map(|run| invocation.arguments_of(run));
    let ticks: Vec<OsString> = ticks.collect();
    assert_eq!(ticks, ["done", "undo", "done", "undo"]);
}

#[test]
fn what_a_program_prints_after_its_cost_is_not_part_of_it() {
    assert!(matches!(parse("1000 2 3 0 tasks 4"), Some((_, 0))));
}
