//! What brings a plan back brings no claim back that somebody else may have taken over meanwhile.

use serde_json::{Value, json};

use super::worktrees::Two;
use crate::support::agent::Agent;
use crate::support::environment::{CKPT, Run};
use crate::support::planned::{ID, Planned, STATE, TEXT};

const CLAIM: [&str; 4] = ["claim", "schema", "--by", "team:1"];
const RELEASE: [&str; 4] = ["release", "schema", "--by", "team:1"];
const DONE: [&str; 4] = ["done", "schema", "--by", "team:1"];
const TAKEN: [&str; 4] = ["claim", "schema", "--by", "team:2"];

/// That nobody has `schema` in the first worktree, while `team:2` has it in the second.
#[track_caller]
fn is_theirs_alone(two: &Two, how: &str) {
    let free = two.here(&RELEASE).exits(4);
    assert!(
        free.stderr
            .contains("is not claimed by team:1 here, but by team:2 in ../tree"),
        "{how}: {free}"
    );
    let refused = two.here(&CLAIM).exits(5);
    assert!(
        refused.stderr.contains("claimed by team:2 in ../tree"),
        "{how}: {refused}"
    );
    two.there(&["release", "schema", "--by", "team:2"]).exits(0);
    two.there(&TAKEN).exits(0);
}

#[track_caller]
fn is_said(run: &Run, how: &str) {
    let said = "schema is claimed by team:2 in ../tree: the claim by team:1 does not come back";
    assert!(
        run.stderr.contains(said) || run.stdout.contains(said),
        "{how}: {run}"
    );
}

#[test]
fn no_claim_comes_back_that_another_worktree_may_have_taken_over() {
    let steps: [(&[&str], &[&str]); 4] = [
        // It was given up, and that is taken back.
        (&RELEASE, &["undo", ID]),
        // It ended with its task, and that is open again.
        (&DONE, &["undo", ID]),
        (&DONE, &["plan", "undo", "schema"]),
        (&DONE, &["restore", ID, "2"]),
    ];
    for (end, back) in steps {
        let how = format!("{end:?} {back:?}");
        let two = Two::new(TEXT);
        two.here(&["sync"]).exits(0);
        two.here(&CLAIM).exits(0);
        two.here(end).exits(0);
        two.there(&TAKEN).exits(0);
        let run = two.planned.ckpt(back).exits(0);
        is_said(&run, &how);
        is_theirs_alone(&two, &how);
        let released = two.planned.events("task_released");
        let last = released.last().unwrap();
        assert_eq!(
            (&last["by"], &last["reason"]),
            (&json!("team:1"), &json!("lapsed")),
            "{how}"
        );
    }
}

#[test]
fn an_undo_of_an_undo_says_that_the_claim_is_not_back_and_who_has_the_task() {
    for is_taken in [false, true] {
        let two = Two::new(TEXT);
        two.here(&CLAIM).exits(0);
        two.planned.ckpt(&["undo", ID]).exits(0);
        let task = match is_taken {
            true => {
                two.there(&TAKEN).exits(0);
                "claimed by team:2 in ../tree"
            }
            false => "free again",
        };
        let run = two.planned.ckpt(&["undo", ID]).exits(0);
        let note = format!("schema is {task}: the claim by team:1 does not come back");
        assert!(run.stderr.contains(&note), "{run}");
        assert!(
            run.stdout.contains(" did is back, but for claims\n"),
            "{run}"
        );
        let refused = two.here(&RELEASE).exits(4);
        let is_nobodys = refused.stderr.contains("Nobody has claimed it");
        assert_eq!(is_nobodys, !is_taken, "{refused}");
    }
}

#[test]
fn a_task_that_is_unticked_by_hand_is_free() {
    let two = Two::new(TEXT);
    two.here(&CLAIM).exits(0);
    two.here(&DONE).exits(0);
    two.there(&TAKEN).exits(0);
    let unticked = two.planned.markdown().replace("[x] Create", "[ ] Create");
    two.planned.put("plan.md", unticked);
    is_theirs_alone(&two, "before it is recorded");
    is_said(&two.here(&["sync"]).exits(0), "unticked by hand");
    is_theirs_alone(&two, "unticked by hand");
}

#[test]
fn the_changes_of_a_session_are_taken_back_without_its_claims() {
    let two = Two::new(TEXT);
    two.here(&["sync"]).exits(0);
    let (agent, _) = Agent::begin(&two.planned, "A");
    let by_a = |arguments: &[&str]| {
        let mut command = two.planned.command(CKPT);
        command.args(arguments).env("CLAUDE_CODE_SESSION_ID", "A");
        Run::of(&mut command).exits(0)
    };
    two.here(&CLAIM).exits(0);
    by_a(&["plan", "note", "later"]);
    by_a(&["plan", "release", "schema", "--by", "team:1"]);
    two.there(&TAKEN).exits(0);
    let run = two.planned.ckpt(&["undo", "--session", "A"]).exits(0);
    is_said(&run, "undo --session");
    is_theirs_alone(&two, "undo --session");
    drop(agent);
}

#[test]
fn a_plan_comes_back_from_the_archive_without_its_claims() {
    for back in ["unarchive", "plan sync --plan", "delete"] {
        let two = Two::new(TEXT);
        two.here(&CLAIM).exits(0);
        let away = match back {
            "delete" => "delete",
            _ => "archive",
        };
        two.planned.ckpt(&[away, ID, "--force"]).exits(0);
        two.there(&TAKEN).exits(0);
        let back = match back {
            "delete" => "unarchive",
            back => back,
        };
        let line: Vec<&str> = back.split(' ').chain([ID]).collect();
        let run = two.planned.ckpt(&line).exits(0);
        is_said(&run, back);
        is_theirs_alone(&two, back);
        two.here(&["note", "later"]).exits(0);
        is_theirs_alone(&two, "a change later");
    }
}

#[test]
fn a_plan_comes_back_from_the_mirror_without_its_claims() {
    for back in ["recover", "resume --auto plan"] {
        let two = Two::new(TEXT);
        two.here(&CLAIM).exits(0);
        two.planned.git(&["clean", "-fdxq"]);
        two.there(&TAKEN).exits(0);
        let line: Vec<&str> = back.split(' ').collect();
        let run = two.planned.ckpt(&line).exits(0);
        is_said(&run, back);
        is_theirs_alone(&two, back);
        two.here(&["note", "later"]).exits(0);
        assert_eq!(agent(&two.planned, "team:1")["assignedTasks"], json!([]));
    }
}

#[test]
fn a_state_that_only_its_copy_remembers_holds_no_claims() {
    let two = Two::new(TEXT);
    two.here(&CLAIM).exits(0);
    // The copy is older than the release.
    two.here(&["claim", "roles", "--by", "subagent:db"])
        .exits(0);
    two.here(&RELEASE).exits(0);
    two.there(&TAKEN).exits(0);
    two.planned.remove(STATE);
    two.planned.remove(".checkpoint/history.jsonl");
    assert!(
        two.planned
            .text(".checkpoint/recovery.json")
            .contains("schema")
    );
    is_theirs_alone(&two, "as it is read");
    two.here(&["sync"]).exits(0);
    is_theirs_alone(&two, "as it is written");
}

#[test]
fn in_one_worktree_a_claim_that_was_given_up_comes_back_with_undo() {
    let planned = Planned::new(TEXT);
    planned.does(&CLAIM);
    planned.does(&RELEASE);
    planned.ckpt(&["undo", ID]).exits(0);
    let assigned = agent(&planned, "team:1")["assignedTasks"].clone();
    assert_eq!(assigned, json!(["schema"]));
}

fn agent(planned: &Planned, name: &str) -> Value {
    let stored: Value = serde_json::from_str(&planned.text(STATE)).unwrap();
    stored["agents"][name].clone()
}
