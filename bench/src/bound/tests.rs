use super::{Bound, Verdict};
use crate::comparison::Comparison;
use crate::measure::Sample;

fn comparison(wall: f64, cpu: f64, rss: u64) -> Comparison {
    let floor = Sample {
        wall: 100.0,
        cpu: 100.0,
        rss: 1,
    };
    Comparison::new(&[Sample { wall, cpu, rss }], &[floor])
}

#[test]
fn exactly_at_its_bound_a_case_still_passes() {
    let bound = Bound::both(2.0).mebibytes(8);
    assert_eq!(bound.judge(&comparison(200.0, 200.0, 8192)), Verdict::Ok);
}

#[test]
fn one_value_over_its_bound_is_enough_to_fail() {
    let bound = Bound::both(2.0).mebibytes(8);
    for (wall, cpu, rss) in [(201.0, 1.0, 1), (1.0, 201.0, 1), (1.0, 1.0, 8193)] {
        assert_eq!(bound.judge(&comparison(wall, cpu, rss)), Verdict::Over);
    }
}

#[test]
fn a_limit_of_time_counts_what_goes_beyond_the_floor() {
    let bound = Bound::cpu_milliseconds(20.0);
    let judge = |cpu| bound.judge(&comparison(1.0, cpu, 1));
    assert_eq!(judge(20_100.0), Verdict::Ok);
    assert_eq!(judge(20_101.0), Verdict::Over);
    assert_eq!(bound.to_string(), "cpu 20 ms");
}

#[test]
fn a_value_without_a_bound_is_not_judged() {
    assert_eq!(
        Bound::cpu(2.0).judge(&comparison(900.0, 200.0, 1 << 30)),
        Verdict::Ok
    );
    assert_eq!(
        Bound::NONE.judge(&comparison(900.0, 900.0, 1 << 30)),
        Verdict::Info
    );
}

#[test]
fn a_bound_reads_as_the_list_of_what_it_limits() {
    assert_eq!(
        Bound::both(1.5).mebibytes(8).to_string(),
        "wall 1.5x, cpu 1.5x, rss 8 MiB"
    );
    assert_eq!(Bound::NONE.to_string(), "none");
}
