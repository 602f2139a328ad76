//! Recoveries of a plan that die at each system call in turn: the next one finishes the work.

use crate::support::environment::Run;
use crate::support::planned::Planned;
use crate::support::strace::{CALLS, MOST_CALLS, strace_works, tampered};

/// Damages a plan, lets a command die on it at each system call in turn, and looks at what is
/// found after the same command has run to its end.
fn after_every_death(damage: impl Fn(&Planned), arguments: &[&str], look: impl Fn(&Planned, &str)) {
    if !strace_works() {
        return;
    }
    let planned = Planned::worked();
    damage(&planned);
    let saved = planned.base().join("saved");
    Run::of(
        planned
            .command("cp")
            .arg("-a")
            .arg(planned.root())
            .arg(&saved),
    )
    .exits(0);
    let mut deaths = 0;
    for call in CALLS {
        for count in 1..=MOST_CALLS {
            for name in ["plans", ".claude", ".git/ckpt"] {
                let path = planned.path(name);
                std::fs::remove_dir_all(&path).unwrap();
                let mut copy = planned.command("cp");
                copy.arg("-a")
                    .arg(saved.join(name))
                    .arg(path.parent().unwrap());
                Run::of(&mut copy).exits(0);
            }
            let how = format!("signal=KILL:when={count}");
            let run = tampered(&planned, arguments, call, &how);
            if run.code == Some(0) {
                break;
            }
            let when = format!("killed at {call} {count}");
            assert_eq!(run.code, None, "{when}: {run}");
            deaths += 1;
            let run = planned.ckpt(arguments);
            assert_eq!(run.code, Some(0), "{when}: {run}");
            look(&planned, &when);
            let litter = planned.kept(".plan.md").len() + planned.kept(".state.json").len();
            assert_eq!(litter + planned.kept(".recovery").len(), 0, "{when}");
            assert_eq!(planned.kept("plan.md.orphan"), [""; 0], "{when}");
        }
    }
    eprintln!("{arguments:?}: died {deaths} times");
    assert!(deaths > 20, "died only {deaths} times");
}

/// What must hold in the end, however often it was interrupted.
#[track_caller]
fn assert_all_is_there(planned: &Planned, completed: &[&str], when: &str) {
    let state = planned.stored();
    assert_eq!(state["sessionNotes"], "early note\nlate note", "{when}");
    let decisions = state["decisions"].as_array().unwrap();
    let reasons: Vec<_> = decisions
        .iter()
        .map(|decision| &decision["reason"])
        .collect();
    assert_eq!(reasons, ["early reason", "late reason"], "{when}");
    let schema = planned.task("setup", "schema");
    assert_eq!(schema["completedBy"], "subagent:db", "{when}");
    let form = planned.task("build", "form");
    assert_eq!(form["completedBy"], "subagent:ui", "{when}");
    let session = &state["agents"]["main"]["assignedTasks"];
    assert_eq!(*session, serde_json::json!(["session"]), "{when}");
    let aborted = planned.events("aborted");
    let happened =
        |line: &&serde_json::Value| !aborted.iter().any(|abort| abort["aborted"] == line["rev"]);
    let lines = planned.events("task_completed");
    let tasks: Vec<_> = lines
        .iter()
        .filter(happened)
        .map(|line| &line["taskId"])
        .collect();
    assert_eq!(tasks, completed, "{when}");
    assert_eq!(planned.tasks_of("task_reopened"), [""; 0], "{when}");
}

#[test]
fn a_tick_that_dies_while_it_restores_the_state_is_finished_by_the_next_one() {
    let damage = |planned: &Planned| planned.put(".checkpoint/state.json", "{ torn");
    let tick = ["plan", "done", "roles", "--by", "team:7"];
    after_every_death(damage, &tick, |planned, when| {
        assert_all_is_there(planned, &["schema", "form", "roles"], when);
        let roles = planned.task("setup", "roles");
        assert_eq!(roles["completedBy"], "team:7", "{when}");
        let kept = planned.kept("state.json.corrupt-");
        assert!(!kept.is_empty(), "{when}: what was unreadable is gone");
        for name in kept {
            assert_eq!(planned.text(&name), "{ torn", "{when}");
        }
    });
}

#[test]
fn a_recovery_of_the_plan_that_dies_is_finished_by_the_next_one() {
    let expected = Planned::worked().markdown();
    let damage = |planned: &Planned| planned.remove("plan.md");
    after_every_death(damage, &["plan", "recover"], |planned, when| {
        assert_eq!(planned.markdown(), expected, "{when}");
        assert_all_is_there(planned, &["schema", "form"], when);
    });
}
