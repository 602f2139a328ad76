//! Which lines of a history may finish or restore a change.

use crate::support::agent::{HISTORY, PLAN};
use crate::support::environment::Environment;
use crate::support::shipping::{approved, unsealed, without_seals};

/// A plan whose last change, made here, was cut off between its two files.
fn cut_off() -> (Environment, String, String) {
    let environment = Environment::new();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let state = "plans/260220-1149-x/.checkpoint/state.json";
    let before = environment.read(state);
    environment.ckpt(&["plan", "done", "a"]).exits(0);
    let after = environment.read(state);
    environment.write(state, &before);
    (environment, before, after)
}

#[test]
fn a_change_that_was_cut_off_is_finished_by_its_own_line_and_by_no_other() {
    let state = "plans/260220-1149-x/.checkpoint/state.json";
    // Our own line, and the last one: it is finished.
    let (environment, _, after) = cut_off();
    environment.ckpt(&["plan", "note", "x"]).exits(0);
    assert!(environment.read(HISTORY).matches("task_completed").count() == 1);
    assert!(environment.read(state).contains("completedAt"));
    assert!(after.contains("completedAt"));
    // The same line without its seal, with that of another key, and after a later one: the plan is followed, and nothing is
    // taken from the line.
    for forgery in ["unsealed", "another key", "behind a later one"] {
        let (environment, ..) = cut_off();
        let text = environment.read(HISTORY);
        let text = match forgery {
            "unsealed" => without_seals(&text),
            "another key" => {
                environment.ckpt(&["doctor", "--new-key"]).exits(0);
                text
            }
            _ => {
                let last = text.lines().last().unwrap();
                let later = last.replace("\"rev\":2", "\"rev\":9");
                let mut lines: Vec<&str> = text.lines().collect();
                lines.insert(0, &later);
                lines.join("\n") + "\n"
            }
        };
        environment.write(HISTORY, &text);
        environment.ckpt(&["plan", "note", "x"]).exits(0);
        let shown = environment.ckpt(&["plan", "show"]).exits(0).stdout;
        assert!(shown.contains("1/2"), "{forgery}: {shown}");
        assert_eq!(
            environment.read(PLAN),
            "- [x] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n",
            "{forgery}"
        );
    }
}

#[test]
fn a_history_that_was_cut_gives_no_power() {
    let (environment, ..) = cut_off();
    environment.ckpt(&["plan", "note", "x"]).exits(0);
    let text = environment.read(HISTORY);
    let kept: Vec<&str> = text.lines().take(1).collect();
    environment.write(HISTORY, kept.join("\n") + "\n");
    let plan = environment.read(PLAN);
    environment.ckpt(&["plan", "note", "y"]).exits(0);
    assert_eq!(environment.read(PLAN), plan);
}

#[test]
fn a_restore_from_foreign_lines_is_reported_as_such() {
    for is_ours in [true, false] {
        let environment = Environment::new();
        let text = "- [ ] A <!-- TASK: a -->\n";
        environment.write(PLAN, text);
        environment.ckpt(&["plan", "sync"]).exits(0);
        if !is_ours {
            environment.write(HISTORY, without_seals(&environment.read(HISTORY)));
        }
        environment.write(PLAN, "");
        let run = environment.ckpt(&["plan", "recover"]).exits(0);
        assert_eq!(environment.read(PLAN), text);
        let says_so = run.stderr.contains("partly written elsewhere");
        assert_eq!(says_so, !is_ours, "{run}");
    }
}

#[test]
fn lines_out_of_order_are_named() {
    let environment = approved();
    let file = ".claude/state/history/command/ship-checkpoint.jsonl";
    let text = environment.read(file);
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.pop().unwrap();
    lines.insert(0, last);
    environment.write(file, lines.join("\n") + "\n");
    let found = unsealed(&environment);
    assert!(
        found.iter().any(|text| text.contains("out of order")),
        "{found:?}"
    );
}
