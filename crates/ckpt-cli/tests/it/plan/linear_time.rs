//! Whatever a plan looks like, it takes linear time.

use std::fmt::Write;
use std::time::Duration;

use crate::support::environment::{CKPT, Run};
use crate::support::planned::Planned;

/// Runs a command with a limit on its processor time, and prints its exit code and the times of the
/// shell itself, then of the command.
const MEASURED: &str =
    r#"ulimit -t "$0"; "$@" >answer 2>&1; echo "$?"; grep -c panicked answer; times"#;

/// The processor time of a command on a plan without a state, [`Duration::MAX`] if it is more than
/// allowed.
#[track_caller]
fn computed(planned: &Planned, text: &str, arguments: &[&str], allowed: Duration) -> Duration {
    let _ = std::fs::remove_dir_all(planned.path(&planned.name(".checkpoint")));
    planned.put("plan.md", text);
    let mut command = planned.command("sh");
    let seconds = (allowed.as_secs() + 1).to_string();
    command.args(["-c", MEASURED, &seconds, CKPT, "plan"]);
    let run = Run::of(command.args(arguments)).exits(0);
    let lines: Vec<&str> = run.stdout.lines().collect();
    let name = &arguments[..1];
    let code: i32 = lines[0].parse().unwrap();
    if code > 128 {
        return Duration::MAX;
    }
    assert!(code <= 8, "{name:?} ended with {code}");
    assert_eq!(lines[1], "0", "{name:?} panicked");
    let seconds = |time: &str| -> f64 {
        let (minutes, seconds) = time.split_once('m').unwrap();
        let seconds: f64 = seconds.trim_end_matches('s').parse().unwrap();
        seconds + 60.0 * minutes.parse::<f64>().unwrap()
    };
    Duration::from_secs_f64(lines[3].split(' ').map(seconds).sum())
}

/// Asserts that sixteen times the input takes about sixteen times the time. Quadratic time would be 256 times as long,
/// and is stopped before that; 64 is halfway between the two.
///
/// Both times are measured one right after the other, and again if they look wrong: a busy machine
/// makes some of the pairs look wrong, but not all.
#[track_caller]
fn assert_linear(name: &str, size: usize, text: impl Fn(usize) -> String, commands: &[&[&str]]) {
    let planned = Planned::new("");
    let (short, long) = (text(size / 16), text(size));
    for command in commands {
        let is_linear = |_: u32| {
            let first = computed(&planned, &short, command, Duration::from_secs(60));
            let allowed = first.max(TICK) * 64;
            let second = computed(&planned, &long, command, allowed);
            eprintln!("{name:?}, {command:?}: {first:?}, then {second:?}");
            second <= allowed
        };
        assert!((0..ATTEMPTS).any(is_linear), "{name:?}, {command:?}");
    }
}

/// The clock of some shells ticks a hundred times a second.
const TICK: Duration = Duration::from_millis(10);

const ATTEMPTS: u32 = 6;

const READ_AND_WRITE: [&[&str]; 4] = [&["show", "--json"], &["sync"], &["mark"], &["validate"]];

#[test]
fn a_megabyte_of_boxes_on_one_line_takes_linear_time() {
    let text = |size: usize| "- [ ] a ".repeat(size / 8);
    assert_linear("boxes on a line", 1 << 20, text, &READ_AND_WRITE);
    let text = |size: usize| format!("{}<!-- TASK: a -->\n", "- [ ] a ".repeat(size / 8));
    assert_linear("with a marker at the end", 1 << 20, text, &READ_AND_WRITE);
}

#[test]
fn a_hundred_thousand_nested_lists_take_linear_time() {
    let text = |depth: usize| format!("{}[ ] a <!-- TASK: a -->\n", "- ".repeat(depth));
    assert_linear("lists in lists", 100_000, text, &READ_AND_WRITE);
    let text = |depth: usize| "> ".repeat(depth) + "- [ ] a\n";
    assert_linear("quotes in quotes", 100_000, text, &READ_AND_WRITE);
}

#[test]
fn ten_thousand_equal_ids_take_linear_time() {
    let text = |count: usize| "- [ ] a <!-- TASK: same -->\n".repeat(count);
    assert_linear("equal ids", 10_000, text, &READ_AND_WRITE);
    let text = |count: usize| "<!-- CHECKPOINT: same -->\n- [ ] a\n".repeat(count);
    let commands: [&[&str]; 3] = [&["show", "--json"], &["sync"], &["validate"]];
    assert_linear("equal phases", 10_000, text, &commands);
    let text = |count: usize| "<!-- DECISION: same -->\n<!-- BLOCKER: same -->\n".repeat(count);
    assert_linear("equal decisions", 10_000, text, &READ_AND_WRITE);
}

#[test]
fn a_hundred_thousand_equal_boxes_are_marked_in_linear_time() {
    let text = |count: usize| "- [ ] Do it\n".repeat(count);
    assert_linear("equal boxes", 100_000, text, &[&["mark", "--json"]]);
}

#[test]
fn twenty_thousand_equal_headings_are_marked_in_linear_time() {
    let text = |count: usize| "## Step\n- [ ] Do it\n".repeat(count);
    assert_linear("equal headings", 20_000, text, &[&["mark"]]);
}

#[test]
fn a_diff_of_twenty_thousand_marks_takes_linear_time() {
    let text = |count: usize| {
        let line = |number: usize| format!("## Step {number}\n- [ ] Do number {number}\n");
        (0..count).map(line).collect()
    };
    assert_linear("a diff", 20_000, text, &[&["mark", "--dry-run"]]);
}

#[test]
fn comments_and_fences_that_never_end_take_linear_time() {
    for opening in [
        "<!-- ",
        "<!-- TASK: ",
        "- [ ] a <!-- TASK: a\n",
        "```\n",
        "- [",
        "-->",
        "<!-- DECISION: x\n",
    ] {
        let text = |size: usize| opening.repeat(size / opening.len());
        let commands: [&[&str]; 2] = [&["show", "--json"], &["mark"]];
        assert_linear(opening, 1 << 20, text, &commands);
    }
}

/// A plan of this many open tasks.
fn of_tasks(count: usize) -> String {
    let mut text = String::from("# Plan\n");
    for number in 0..count {
        let _ = writeln!(text, "- [ ] a <!-- TASK: t{number} -->");
    }
    text
}

#[test]
fn a_large_plan_is_worked_on_in_linear_time() {
    let commands: [&[&str]; 6] = [
        &["done", "t0"],
        &["next", "-n", "100000"],
        &["show"],
        &["claim", "t1"],
        &["decide", "x"],
        &["accept", "nope"],
    ];
    assert_linear("tasks", 20_000, of_tasks, &commands);
}

#[test]
fn thousands_of_tasks_in_one_command_take_linear_time() {
    let planned = Planned::new("");
    let time = |count: usize, allowed: Duration| {
        let text = of_tasks(count);
        let ids: Vec<String> = (0..count).map(|number| format!("t{number}")).collect();
        let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
        computed(&planned, &text, &[&["done"], &ids[..]].concat(), allowed)
    };
    let is_linear = |_: u32| {
        let short = time(750, Duration::from_secs(60));
        let allowed = short.max(TICK) * 64;
        let long = time(12_000, allowed);
        eprintln!("tasks in one command: {short:?}, then {long:?}");
        long <= allowed
    };
    assert!((0..ATTEMPTS).any(is_linear));
}
