//! Changes of a plan that die at each system call in turn.

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::support::environment::Run;
use crate::support::planned::{Planned, TEXT};
use crate::support::strace::{CALLS, MOST_CALLS, strace_works, tampered};
use crate::support::tree;

/// A change, and how to tell that it took place.
struct Change {
    arguments: &'static [&'static str],
    /// The event of the change, if it has one of its own.
    event: Option<&'static str>,
    /// Whether a state shows it, with the right author.
    is_in: fn(&Value) -> bool,
}

const DONE: Change = Change {
    arguments: &["plan", "done", "roles", "--by", "subagent:ui"],
    event: Some("task_completed"),
    is_in: |state| {
        let task = &state["phases"]["setup"]["tasks"]["roles"];
        task["done"] == true && task["completedBy"] == "subagent:ui"
    },
};

const DECIDE: Change = Change {
    arguments: &[
        "plan", "decide", "Async", "--reason", "threads", "--by", "team:7",
    ],
    event: Some("decision_recorded"),
    is_in: |state| {
        let decisions = state["decisions"].as_array().unwrap();
        let is_ours =
            |decision: &&Value| decision["decision"] == "Async" && decision["reason"] == "threads";
        decisions.iter().filter(is_ours).count() == 1
    },
};

const CLAIM: Change = Change {
    arguments: &["plan", "claim", "roles", "--by", "subagent:ui"],
    event: Some("task_claimed"),
    is_in: |state| state["agents"]["subagent:ui"]["assignedTasks"] == json!(["roles"]),
};

/// The same change in a phase file.
const DONE_IN_PHASE_FILE: Change = Change {
    arguments: &["plan", "done", "one", "--by", "subagent:ui"],
    event: Some("task_completed"),
    is_in: |state| {
        let task = &state["phases"]["more"]["tasks"]["one"];
        task["done"] == true && task["completedBy"] == "subagent:ui"
    },
};

/// Two files are edited by one change.
const MARK: Change = Change {
    arguments: &["plan", "mark"],
    event: None,
    is_in: |state| state["progress"]["totalTasks"] == 3,
};

/// Lines of an event, without those of changes that never took effect.
fn effective(planned: &Planned, event: &str) -> usize {
    if !planned.path(&planned.name(".checkpoint")).exists() {
        return 0;
    }
    let aborted = planned.events("aborted");
    let aborted: Vec<&Value> = aborted.iter().map(|line| &line["aborted"]).collect();
    let lines = planned.events(event);
    lines
        .iter()
        .filter(|line| !aborted.contains(&&line["rev"]))
        .count()
}

/// A value with every time replaced, because times differ from run to run.
fn timeless(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            let members = members.iter();
            members.map(|(k, v)| (k.clone(), timeless(v))).collect()
        }
        Value::Array(items) => items.iter().map(timeless).collect(),
        Value::String(text) if text.len() == 24 && text.ends_with('Z') => json!("[TIME]"),
        other => other.clone(),
    }
}

/// The parts of a plan that others can see.
#[derive(PartialEq, Debug)]
struct Visible {
    markdown: Vec<String>,
    work: Value,
}

/// The texts of the plan.
fn texts(planned: &Planned) -> Vec<String> {
    let mut names = planned.kept("plan.md");
    names.extend(planned.kept("phase-"));
    names.iter().map(|name| planned.text(name)).collect()
}

fn visible(planned: &Planned) -> Visible {
    Visible {
        markdown: texts(planned),
        work: timeless(&planned.work()),
    }
}

/// Puts everything back to where it was.
fn put_back(planned: &Planned) {
    planned.without_copies();
    for name in ["plans", ".claude"] {
        let _ = std::fs::remove_dir_all(planned.path(name));
        let saved = planned.base().join("saved").join(name);
        if saved.exists() {
            let mut copy = planned.command("cp");
            copy.arg("-a").arg(saved).arg(planned.root());
            Run::of(&mut copy).exits(0);
        }
    }
}

fn assert_survives_every_death(planned: &Planned, change: &Change) {
    if !strace_works() {
        return;
    }
    let mut copy = planned.command("cp");
    copy.arg("-a")
        .arg(planned.root())
        .arg(planned.base().join("saved"));
    Run::of(&mut copy).exits(0);
    let lines_before = change.event.map_or(0, |event| effective(planned, event));
    let old = texts(planned);
    planned.ckpt(change.arguments).exits(0);
    let new = visible(planned);
    let names: BTreeSet<String> = tree::names(&planned.path("plans")).into_iter().collect();
    let mut deaths = 0;
    for call in CALLS {
        for count in 1..=MOST_CALLS {
            put_back(planned);
            let how = format!("signal=KILL:when={count}");
            let run = tampered(planned, change.arguments, call, &how);
            if run.code == Some(0) {
                break;
            }
            let when = format!("killed at {call} {count}");
            assert_eq!(run.code, None, "{when}: {run}");
            deaths += 1;
            let found = texts(planned);
            for (number, text) in found.iter().enumerate() {
                let whole = *text == old[number] || *text == new.markdown[number];
                assert!(whole, "{when}: neither old nor new: {text}");
            }
            let run = planned.plan(&["sync"]);
            assert_eq!(run.code, Some(0), "{when}: {run}");
            if !(change.is_in)(&planned.stored()) {
                planned.ckpt(change.arguments).exits(0);
            }
            assert_settled(planned, change, lines_before, &when);
            assert_eq!(visible(planned), new, "{when}");
            for name in tree::names(&planned.path("plans")) {
                // A copy of the state may have been due by now.
                let known = names.contains(&name) || name.ends_with("/recovery.json");
                assert!(known, "{when}: {name} was left behind");
            }
        }
    }
    eprintln!("{:?}: died {deaths} times", change.arguments);
    assert!(deaths > 20, "died only {deaths} times");
}

/// The state has the change exactly when history has it, and both say what the Markdown says.
#[track_caller]
fn assert_settled(planned: &Planned, change: &Change, lines_before: usize, when: &str) {
    let state = planned.stored();
    if let Some(event) = change.event {
        let recorded = effective(planned, event) - lines_before;
        let expected = usize::from((change.is_in)(&state));
        assert_eq!(recorded, expected, "{when}: {state}");
    }
    for event in ["external_edit", "checksum_mismatch", "task_reopened"] {
        assert_eq!(planned.events(event), [Value::Null; 0], "{when}");
    }
    let shown = planned.does(&["show", "--json"]).json();
    assert_eq!(shown["state"]["phases"], state["phases"], "{when}");
    assert_eq!(shown["state"]["decisions"], state["decisions"], "{when}");
}

fn begun() -> Planned {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    planned.does(&["note", "begun"]);
    planned
}

#[test]
fn a_tick_that_dies_anywhere_is_settled_by_the_next_command() {
    assert_survives_every_death(&begun(), &DONE);
}

#[test]
fn the_first_tick_ever_that_dies_anywhere_is_settled_by_the_next_command() {
    assert_survives_every_death(&Planned::new(TEXT), &DONE);
}

#[test]
fn a_tick_in_a_phase_file_that_dies_anywhere_is_settled_by_the_next_command() {
    let planned = Planned::new(TEXT);
    planned.put(
        "phase-04-more.md",
        "<!-- CHECKPOINT: more -->\n- [ ] One <!-- TASK: one -->\n",
    );
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    assert_survives_every_death(&planned, &DONE_IN_PHASE_FILE);
}

/// Two files without any marker.
fn unmarked() -> Planned {
    let planned = Planned::new("## One\n- [ ] a\n- [ ] b\n");
    planned.put("phase-02-two.md", "## Two\n- [ ] c\n");
    planned
}

#[test]
fn marks_in_two_files_that_die_anywhere_are_settled_by_the_next_command() {
    let planned = unmarked();
    planned.does(&["sync"]);
    assert_survives_every_death(&planned, &MARK);
}

#[test]
fn marks_that_are_the_first_change_ever_and_die_anywhere_are_settled_by_the_next_command() {
    assert_survives_every_death(&unmarked(), &MARK);
}

#[test]
fn a_decision_that_dies_anywhere_is_settled_by_the_next_command() {
    assert_survives_every_death(&begun(), &DECIDE);
}

#[test]
fn a_claim_that_dies_anywhere_is_settled_by_the_next_command() {
    assert_survives_every_death(&begun(), &CLAIM);
}

/// Kills a change after its history is written, and before any file is.
fn dies_after_history(planned: &Planned, arguments: &[&str]) {
    let before = texts(planned);
    let history = planned.lines().len();
    let run = tampered(planned, arguments, "fdatasync", "signal=KILL:when=2");
    assert_eq!(run.code, None, "{run}");
    assert_eq!(texts(planned), before);
    assert!(planned.lines().len() > history, "it died too early");
}

#[test]
fn a_sync_settles_a_change_that_never_happened() {
    if !strace_works() {
        return;
    }
    let planned = begun();
    dies_after_history(&planned, DONE.arguments);
    planned.does(&["sync"]);
    assert_eq!(planned.task("setup", "roles")["done"], false);
    assert_eq!(effective(&planned, "task_completed"), 1, "only schema");
}

/// A change that is in the history but never took effect is not part of the state, however the state is rebuilt.
#[test]
fn what_never_happened_does_not_come_back_with_a_lost_state() {
    if !strace_works() {
        return;
    }
    let changes: [&[&str]; 4] = [
        &["plan", "done", "roles", "--by", "subagent:ui"],
        &["plan", "decide", "Async", "--reason", "threads"],
        &["plan", "note", "never noted"],
        &["plan", "claim", "roles", "--by", "subagent:ui"],
    ];
    for change in changes {
        let planned = begun();
        dies_after_history(&planned, change);
        // This settles it: from now on the history says that it was aborted.
        planned.does(&["block", "Something"]);
        assert_eq!(planned.events("aborted").len(), 1, "{change:?}");
        let work = planned.work();
        planned.put(".checkpoint/state.json", "{ torn");
        planned.does(&["sync"]);
        planned.assert_work(&work, &format!("{change:?}"));
        assert_eq!(planned.tasks_of("task_reopened"), [""; 0], "{change:?}");
    }
}

/// A plan whose last tick crashed looks finished, and must still be settled.
#[test]
fn the_last_tick_that_dies_before_the_state_is_written_is_settled_by_the_next_command() {
    if !strace_works() {
        return;
    }
    let planned = Planned::new("- [x] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n");
    planned.does(&["sync"]);
    let tick = ["plan", "done", "two", "--by", "subagent:ui"];
    let run = tampered(&planned, &tick, "rename", "signal=KILL:when=1");
    assert_eq!(run.code, None, "{run}");
    assert!(planned.markdown().contains("[x] Two"));
    planned.does(&["sync"]);
    assert_eq!(planned.task("main", "two")["completedBy"], "subagent:ui");
    assert_eq!(planned.kept(".state.json"), [""; 0]);
}
