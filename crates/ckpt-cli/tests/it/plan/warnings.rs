//! Commands that read plans with damaged files: they answer, warn, and write nothing.

use crate::support::environment::Run;
use crate::support::planned::{HISTORY, ID, Planned, RECOVERY, STATE};

/// Everything that a program printed.
fn said(run: &Run) -> String {
    format!("{}{}", run.stdout, run.stderr)
}

/// Asserts that every reader answers, and returns those that do not mention a file.
#[track_caller]
fn silent_about(planned: &Planned, file: &str) -> Vec<String> {
    let mut silent = Vec::new();
    for (name, run) in planned.readers() {
        // `validate` exits with 4 when it finds something; all others exit with 0.
        let judges = name.ends_with("validate");
        let answers = run.code == Some(0) || (judges && run.code == Some(4));
        assert!(answers, "{name}: {run}");
        assert!(!run.stdout.is_empty(), "{name}: {run}");
        if !said(&run).contains(file) {
            silent.push(name);
        }
    }
    silent
}

#[test]
fn every_reader_warns_of_an_unreadable_state() {
    for garbage in ["", "{ torn", "[]", "{}"] {
        let planned = Planned::worked();
        planned.put(STATE, garbage);
        assert_eq!(silent_about(&planned, "state.json"), [""; 0], "{garbage:?}");
    }
}

#[test]
fn every_reader_warns_when_neither_state_nor_copy_can_be_read() {
    let planned = Planned::worked();
    planned.put(STATE, "{ torn");
    planned.put(RECOVERY, "{ torn");
    assert_eq!(silent_about(&planned, "state.json"), [""; 0]);
}

#[test]
fn every_reader_warns_of_a_plan_that_is_gone() {
    for content in [None, Some(""), Some("# No markers\n")] {
        let planned = Planned::worked();
        match content {
            Some(content) => planned.put("plan.md", content),
            None => planned.remove("plan.md"),
        }
        assert_eq!(silent_about(&planned, "plan.md"), [""; 0], "{content:?}");
    }
}

#[test]
fn readers_show_the_right_progress_whatever_is_damaged() {
    let damages: [&[(&str, &str)]; 4] = [
        &[(STATE, "{ torn")],
        &[(RECOVERY, "{ torn")],
        &[(STATE, "{ torn"), (RECOVERY, "{ torn")],
        &[("plan.md", "")],
    ];
    for damage in damages {
        let planned = Planned::worked();
        for (file, content) in damage {
            planned.put(file, content);
        }
        for (name, run) in planned.readers() {
            let expected = match name.as_str() {
                "plan show" | "status" | "list" => "2/5",
                "resume" => "2 of 5 tasks done",
                _ => continue,
            };
            assert!(run.stdout.contains(expected), "{damage:?}, {name}: {run}");
        }
    }
}

#[test]
fn show_as_json_answers_whatever_is_damaged_as_the_text_does() {
    for file in [STATE, RECOVERY, "plan.md"] {
        let planned = Planned::worked();
        planned.put(file, "");
        for command in [&["show", ID][..], &["plan", "show"]] {
            planned.ckpt(command).exits(0);
            let run = planned.ckpt(&[command, &["--json"]].concat());
            let shown = run.exits(0).json();
            let state = shown.get("document").or(shown.get("state")).unwrap();
            assert_eq!(state["sessionNotes"], "early note\nlate note", "{file}");
        }
    }
}

/// A reader writes nothing, so it cannot have kept anything either.
#[test]
fn no_reader_claims_to_have_kept_a_file_that_is_not_there() {
    let planned = Planned::worked();
    planned.put(STATE, "{ torn");
    for (name, run) in planned.readers() {
        let text = said(&run);
        let mentioned = text
            .split_whitespace()
            .filter(|word| word.contains(".corrupt-"));
        for file in mentioned {
            assert!(
                planned
                    .path(&planned.name(".checkpoint"))
                    .join(file)
                    .exists(),
                "{name} speaks of a file that is not there: {run}"
            );
        }
    }
}

#[test]
fn a_torn_history_is_reported_by_log_and_stops_no_reader() {
    let planned = Planned::worked();
    let history = planned.text(HISTORY);
    planned.put(HISTORY, &history[..history.len() - 30]);
    for (name, run) in planned.readers() {
        assert!(run.code == Some(0) || name.ends_with("validate"), "{run}");
    }
    let run = planned.ckpt(&["log", ID]).exits(0);
    assert!(run.stdout.contains("task form: done"), "{run}");
    assert!(run.stderr.starts_with("warning: "), "{run}");
}

/// The time of the last save must not be the time of reading.
#[test]
fn the_time_of_the_last_save_does_not_depend_on_who_reads_it_or_when() {
    let planned = Planned::worked();
    let stored = planned.stored()["lastCheckpoint"].clone();
    let shown = planned.ckpt(&["show", ID, "--json"]).exits(0).json();
    assert_eq!(shown["document"]["lastCheckpoint"], stored, "show");
    let shown = planned.does(&["show", "--json"]).json();
    assert_eq!(shown["state"]["lastCheckpoint"], stored, "plan show");
    let listed = planned.ckpt(&["list", "--json"]).exits(0).json();
    assert_eq!(listed["checkpoints"][0]["updated_at"], stored, "list");
    let resumed = planned.ckpt(&["resume", ID, "--json"]).exits(0);
    assert!(
        resumed.stdout.contains(stored.as_str().unwrap()),
        "resume: {resumed}"
    );
}
