//! Plans that nobody means well with: no crash, no waiting, nothing that a terminal obeys.

use std::fmt::Write;
use std::time::Duration;

use crate::support::environment::{CKPT, Run};
use crate::support::planned::{ID, Planned, TEXT};

/// Runs a command with a limit to the seconds it may compute, and prints how it ended and what
/// time it took: that of the shell itself, then that of the command.
const MEASURED: &str =
    r#"ulimit -t "$0"; "$@" >answer 2>&1; echo "$?"; grep -c panicked answer; times"#;

/// The time that a command computes on a plan nobody has worked on yet, [`Duration::MAX`] for more
/// than is allowed.
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

/// Asserts that sixteen times the input takes about sixteen times the time. What is quadratic takes
/// 256 times as long, and is stopped before it does; halfway between the two is 64.
///
/// Both times are taken one right after the other, and again if they look wrong: a busy machine makes
/// some of the pairs look wrong, but not all.
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

/// A plan of so many open tasks.
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

#[test]
fn bytes_that_are_no_text_are_ticked_decided_on_and_brought_back() {
    let mut bytes = b"# P\xff\xfe\x00\n- [ ] \xc3\x28 a\x00b <!-- TASK: a -->\n".to_vec();
    bytes.extend_from_slice(b"- [ ] b <!-- TASK: b -->\n\xf0\x9f\n");
    let planned = Planned::new(&bytes);
    let path = planned.path(&planned.name("plan.md"));
    planned.does(&["done", "a"]);
    let mut ticked = bytes.clone();
    let at = bytes.windows(3).position(|mark| mark == b"[ ]").unwrap();
    ticked[at + 1] = b'x';
    assert_eq!(std::fs::read(&path).unwrap(), ticked);
    planned.does(&["block", "x"]);
    planned.does(&["unblock", "x"]);
    assert_eq!(std::fs::read(&path).unwrap(), ticked);
    for (name, run) in planned.readers() {
        run.assert_no_panic(&name);
    }
    planned.remove("plan.md");
    planned.does(&["recover"]);
    assert_eq!(std::fs::read(&path).unwrap(), ticked, "byte for byte");
    assert_eq!(planned.tasks_of("task_completed"), ["a"]);
}

/// What a terminal would obey: controls other than the line's end and the tab, and marks that turn
/// the direction of writing.
fn obeyed(text: &str) -> Vec<char> {
    let is_control = |c: char| c.is_control() && !matches!(c, '\n' | '\t');
    let turns = |c: char| matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}');
    text.chars()
        .filter(|c| is_control(*c) || turns(*c))
        .collect()
}

const EVIL: &str = "a\u{1b}[31m\u{7}\u{8}\u{9b}2J\u{202e}\u{2066}\u{0}\u{7f}b";

#[test]
fn nothing_in_a_plan_makes_a_terminal_do_anything() {
    let planned = Planned::new(format!(
        "# {EVIL}\n## {EVIL}\n<!-- CHECKPOINT: p -->\n- [ ] {EVIL} <!-- TASK: a -->\n\
         - [ ] x <!-- TASK: {EVIL} -->\n- [ ] {EVIL}\n- [ ] {EVIL} <!-- ACCEPT: c -->\n\
         <!-- DECISION: {EVIL} -->\n<!-- BLOCKER: {EVIL} -->\n<!-- CHECKPOINT: {EVIL} -->\n\
         - [ ] {EVIL} <!-- TASK: a -->\n"
    ));
    // An argument cannot have a null character.
    let argument = EVIL.replace('\0', "");
    planned.does(&["note", &argument]);
    planned.does(&["claim", "a", "--by", "subagent:x"]);
    let decided = planned.plan(&["decide", &argument, "--reason", &argument]);
    decided.assert_no_panic("decide");
    let mut runs = planned.readers();
    let more: [&[&str]; 14] = [
        &["log", ID],
        &["log", ID, "--json"],
        &["show", ID, "--json"],
        &["resume", "--json"],
        &["list", "--json"],
        &["status", "--json"],
        &["plan", "show", "--json"],
        &["plan", "next", "-n", "9"],
        &["plan", "validate", "--json"],
        &["plan", "unblock", "nothing like it"],
        &["plan", "done", &argument],
        &["plan", "use", &argument],
        &["plan", "decide", "x", "--phase", &argument],
        &["plan", "sync", "--json"],
    ];
    runs.extend(more.map(|command| (command.join(" "), planned.ckpt(command))));
    for (name, run) in runs {
        run.assert_no_panic(&name);
        assert_eq!(obeyed(&run.stderr), [' '; 0], "{name:?}: {run:?}");
        if name.contains("--json") {
            // For programs: there the text is whole, with what JSON escapes escaped.
            assert!(!run.stdout.contains('\u{1b}'), "{name:?}: {run:?}");
        } else {
            assert_eq!(obeyed(&run.stdout), [' '; 0], "{name:?}: {run:?}");
        }
    }
}

#[test]
fn the_names_of_plan_directories_and_phase_files_are_no_commands_to_a_terminal() {
    let planned = Planned::new(TEXT);
    let name = "plans/260301-0900-\u{1b}[31mred/plan.md";
    planned.write(name, TEXT);
    planned.put("phase-02-\u{1b}[31m.md", "- [ ] x <!-- TASK: schema -->\n");
    for (name, run) in planned.readers() {
        run.assert_no_panic(&name);
        assert_eq!(obeyed(&run.stdout), [' '; 0], "{name:?}: {run:?}");
        assert_eq!(obeyed(&run.stderr), [' '; 0], "{name:?}: {run:?}");
    }
}

#[test]
fn a_state_with_members_of_the_wrong_type_stops_no_command() {
    let wrong = [
        r#"{ "version": 2, "phases": [], "agents": 5, "decisions": {}, "blockers": null }"#,
        r#"{ "version": 2, "phases": { "setup": 1 }, "agents": { "x": [] }, "decisions": [1, "x"] }"#,
        r#"{ "version": 2, "phases": { "setup": { "tasks": [], "acceptance": 1 } }, "sessionNotes": {} }"#,
        r#"{ "version": 2, "phases": { "setup": { "tasks": { "schema": { "done": "yes" } } } }, "lastCheckpoint": 7 }"#,
        r#"{ "version": 2, "agents": { "x": { "assignedTasks": "schema", "lastActive": "never" } } }"#,
    ];
    for document in wrong {
        let planned = Planned::new(TEXT);
        planned.put(".checkpoint/state.json", document);
        for (name, run) in planned.readers() {
            run.assert_no_panic(&name);
            assert_ne!(run.code, Some(1), "{document}, {name}: {run}");
        }
        planned.does(&["done", "schema"]);
        assert_eq!(planned.task("setup", "schema")["done"], true, "{document}");
    }
}

#[test]
fn a_state_of_a_newer_version_is_never_written_over() {
    let planned = Planned::worked();
    let newer =
        planned
            .text(".checkpoint/state.json")
            .replacen("\"version\": 2", "\"version\": 3", 1);
    planned.put(".checkpoint/state.json", &newer);
    let markdown = planned.markdown();
    let run = planned.plan(&["done", "roles", "--plan", ID]).exits(4);
    assert!(run.reason().contains("version 3"), "{run}");
    assert_eq!(planned.text(".checkpoint/state.json"), newer);
    assert_eq!(planned.markdown(), markdown);
}

/// Whoever names no plan must learn why the only one is not taken.
#[test]
fn a_plan_whose_state_is_of_a_newer_version_is_not_passed_over_in_silence() {
    let planned = Planned::worked();
    let newer =
        planned
            .text(".checkpoint/state.json")
            .replacen("\"version\": 2", "\"version\": 3", 1);
    planned.put(".checkpoint/state.json", &newer);
    let run = planned.plan(&["done", "roles"]);
    assert_ne!(run.code, Some(0), "{run}");
    assert!(run.stderr.contains("version 3"), "{run}");
}

#[test]
fn a_plan_that_leads_out_of_the_repository_is_not_written_there() {
    let planned = Planned::new(TEXT);
    let outside = planned.base().join("outside.md");
    std::fs::write(&outside, TEXT).unwrap();
    planned.remove("plan.md");
    let link = planned.path(&planned.name("plan.md"));
    std::os::unix::fs::symlink(&outside, &link).unwrap();
    let run = planned.plan(&["done", "schema"]);
    assert_ne!(run.code, Some(0), "{run}");
    assert_eq!(std::fs::read_to_string(&outside).unwrap(), TEXT);
    assert!(link.is_symlink());
}

#[test]
fn what_is_no_file_in_the_place_of_a_plan_is_an_error_and_no_wait() {
    let planned = Planned::worked();
    let state = planned.text(".checkpoint/state.json");
    let path = planned.path(&planned.name("plan.md"));
    for kind in ["mkdir", "mkfifo"] {
        let _ = std::fs::remove_file(&path).or_else(|_| std::fs::remove_dir(&path));
        Run::of(planned.command(kind).arg(&path)).exits(0);
        for (name, run) in planned.readers() {
            run.assert_no_panic(&format!("{kind}, {name}"));
        }
        for command in [&["done", "roles"][..], &["sync"], &["recover"], &["mark"]] {
            let run = planned.plan(&[command, &["--plan", ID]].concat());
            run.assert_no_panic(kind);
            assert_ne!(run.code, Some(0), "{kind}, {command:?}: {run}");
            assert!(
                run.reason().contains("plan.md"),
                "{kind}, {command:?}: {run}"
            );
        }
        assert_eq!(planned.text(".checkpoint/state.json"), state, "{kind}");
    }
}
