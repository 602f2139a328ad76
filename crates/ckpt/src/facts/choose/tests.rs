//! Tests of the choice of the next step.

use super::super::around::{Around, LostAgent, PastSession};
use super::super::work::{
    Blocker, Evidence, GateFact, HeldUp, Item, Owner, Remark, State, Unit, Work,
};
use super::super::{Hazard, Trouble};
use super::{Choice, choose};
use crate::gate::Proof;
use crate::key::{Key, PlanId};
use crate::standing::{Lifecycle, Progress};

fn item(id: &str, state: State) -> Item {
    Item {
        id: id.to_owned(),
        what: "task",
        title: None,
        group: Some("main".to_owned()),
        state,
        task: None,
        summary: None,
        error: None,
        reason: None,
        evidence: Evidence::Ticked,
        owner: None,
        done_in: None,
        needs: Vec::new(),
        start: Some(format!("start {id}")),
        record: format!("done {id}"),
        files: Vec::new(),
    }
}

fn open(ids: &[&str]) -> Work {
    work(ids.iter().map(|id| item(id, State::Open)).collect())
}

fn work(items: Vec<Item>) -> Work {
    Work {
        key: Key::Plan(PlanId::new("260101-0000-x").unwrap()),
        title: None,
        unit: Unit::Tasks,
        lifecycle: Lifecycle::InFlight,
        progress: Progress { done: 0, total: 1 },
        items,
        unlisted: 0,
        decided: Vec::new(),
        noted: Vec::new(),
        blockers: Vec::new(),
        reports: Vec::new(),
        gates: Vec::new(),
        troubles: Vec::new(),
        files: Vec::new(),
        closing: Some("close it".to_owned()),
        abandoned: None,
        held_up: None,
    }
}

fn chosen(work: &Work) -> Choice {
    choose(work, &Around::default())
}

fn note(text: &str) -> Remark {
    Remark {
        text: text.to_owned(),
        ..Remark::default()
    }
}

fn blocker(about: &[&str]) -> Blocker {
    Blocker {
        hazard: Hazard::Blocked,
        text: "no key".to_owned(),
        about: about.iter().map(|id| (*id).to_owned()).collect(),
        action: None,
        record: Some("unblock".to_owned()),
    }
}

#[test]
fn the_first_open_thing_comes_next_and_its_command_with_it() {
    let choice = chosen(&open(&["t-1", "t-2"]));
    assert_eq!(
        choice.action,
        "Start task t-1 (plan 260101-0000-x, phase main)."
    );
    assert_eq!(choice.record.as_deref(), Some("start t-1"));
    assert_eq!(choice.details, ["Once it is done: done t-1"]);
}

#[test]
fn what_is_in_progress_comes_before_what_is_open_and_failures_in_between() {
    let mut work = work(vec![
        item("t-1", State::Open),
        item("t-2", State::Failed),
        item("t-3", State::InProgress),
    ]);
    assert_eq!(chosen(&work).ids, ["t-3"]);
    work.items[2].state = State::Done;
    let choice = chosen(&work);
    assert!(
        choice.action.starts_with("Fix and retry task t-2"),
        "{choice:?}"
    );
}

#[test]
fn a_dead_session_decides_by_its_words_then_by_its_claims() {
    let work = open(&["t-1", "t-2", "t-3"]);
    let mut around = Around {
        deaths: vec![PastSession {
            ids: vec!["t-2".to_owned()],
            ..PastSession::default()
        }],
        ..Around::default()
    };
    let choice = choose(&work, &around);
    assert!(choice.action.starts_with("Continue task t-2"), "{choice:?}");
    around.deaths[0].words = Some("t-1 is done, now t-3.".to_owned());
    around.deaths[0].ids.clear();
    assert_eq!(choose(&work, &around).ids, ["t-1"]);
    let mut work = work;
    work.items[0].state = State::Done;
    assert_eq!(choose(&work, &around).ids, ["t-3"]);
}

#[test]
fn what_a_lost_sub_agent_left_comes_before_what_is_open() {
    let around = Around {
        lost: vec![LostAgent {
            ids: vec!["t-2".to_owned()],
            ..LostAgent::default()
        }],
        ..Around::default()
    };
    let choice = choose(&open(&["t-1", "t-2"]), &around);
    assert!(choice.action.starts_with("Continue task t-2"), "{choice:?}");
}

#[test]
fn what_cannot_be_done_is_left_out_with_the_reason() {
    let mut work = open(&["t-1", "t-2", "t-3", "t-4"]);
    work.blockers.push(blocker(&["t-1"]));
    work.items[1].owner = Some(Owner {
        by: "main".to_owned(),
        session: Some("s2".to_owned()),
        is_live_other: true,
        elsewhere: None,
    });
    work.items[2].state = State::Waiting(vec!["t-1".to_owned()]);
    let choice = chosen(&work);
    assert_eq!(choice.ids, ["t-4"]);
    let reasons: Vec<&str> = choice.not_now.iter().map(|(_, why)| why.as_str()).collect();
    assert_eq!(
        reasons,
        [
            "blocked: \"no key\"",
            "claimed by main in session s2, who is at work",
            "waits for t-1"
        ]
    );
}

#[test]
fn a_remark_holds_back_only_what_nothing_else_speaks_for() {
    let mut work = open(&["t-1", "t-2"]);
    work.noted.push(note("t-1: wait until the user says so"));
    let choice = chosen(&work);
    assert_eq!(choice.ids, ["t-2"]);
    assert_eq!(choice.not_now[0].0, "t-1");
    // A newer remark revokes an older one.
    work.noted.push(note("t-1: go ahead"));
    assert_eq!(chosen(&work).ids, ["t-1"]);
    work.noted.pop();
    work.items[0].state = State::InProgress;
    let choice = chosen(&work);
    assert_eq!(choice.ids, ["t-1"]);
    assert!(
        choice.details[0].contains("wait until the user"),
        "{choice:?}"
    );
    // If it is all there is, it is next all the same.
    work.items = vec![item("t-1", State::Open)];
    assert_eq!(chosen(&work).ids, ["t-1"]);
}

#[test]
fn a_gate_that_was_only_claimed_is_run_before_anything_builds_on_it() {
    let mut work = open(&["t-1", "t-2"]);
    work.items[0].state = State::Done;
    work.items[1].needs = vec!["t-1".to_owned()];
    let gate = |proof| GateFact {
        gate: "lint".to_owned(),
        about: vec!["t-1".to_owned()],
        proof,
        at: None,
        by: None,
        last_lines: None,
        run: Some("run lint".to_owned()),
        failed_before: 0,
    };
    for proof in [Proof::Claimed, Proof::Missing, Proof::Failed] {
        work.gates = vec![gate(proof)];
        let choice = chosen(&work);
        assert_eq!(choice.record.as_deref(), Some("run lint"), "{proof:?}");
        assert_eq!(choice.not_now[0].0, "t-2");
    }
    for proof in [Proof::Proven, Proof::NotChecked, Proof::OlderContent] {
        work.gates = vec![gate(proof)];
        assert_eq!(chosen(&work).ids, ["t-2"], "{proof:?}");
    }
}

#[test]
fn when_everything_is_blocked_the_blocker_comes_next() {
    let mut work = open(&["t-1", "t-2"]);
    work.blockers.push(blocker(&[]));
    let choice = chosen(&work);
    assert_eq!(choice.action, "Resolve what blocks: \"no key\".");
    assert_eq!(choice.record.as_deref(), Some("unblock"));
    assert_eq!(choice.not_now.len(), 2);
    work.blockers.clear();
    work.held_up = Some(HeldUp {
        action: "Ask whoever approves".to_owned(),
        details: Vec::new(),
        record: None,
        reason: "paused".to_owned(),
        lets_running_go_on: true,
    });
    assert_eq!(chosen(&work).action, "Ask whoever approves.");
    work.items[1].state = State::InProgress;
    assert_eq!(chosen(&work).ids, ["t-2"]);
}

#[test]
fn when_everything_waits_for_something_deferred_that_comes_next() {
    let mut work = work(vec![
        item("t-1", State::Deferred),
        item("t-2", State::Waiting(vec!["t-1".to_owned()])),
    ]);
    work.items[0].reason = Some("after the audit".to_owned());
    work.items[1].needs = vec!["t-1".to_owned()];
    let choice = chosen(&work);
    assert!(
        choice.action.contains("deferred: \"after the audit\""),
        "{choice:?}"
    );
    assert_eq!(choice.record.as_deref(), Some("start t-1"));
}

#[test]
fn when_all_is_done_gates_come_first_and_then_the_command_that_closes_it() {
    let mut work = work(vec![item("t-1", State::Done)]);
    work.gates.push(GateFact {
        gate: "lint".to_owned(),
        about: Vec::new(),
        proof: Proof::OlderContent,
        at: None,
        by: None,
        last_lines: None,
        run: Some("run lint".to_owned()),
        failed_before: 0,
    });
    assert_eq!(chosen(&work).record.as_deref(), Some("run lint"));
    work.gates[0].proof = Proof::Running;
    assert_eq!(
        chosen(&work).action,
        "Wait for gate lint, which is running."
    );
    work.gates[0].proof = Proof::Proven;
    assert_eq!(chosen(&work).record.as_deref(), Some("close it"));
}

#[test]
fn nothing_comes_next_once_it_is_over() {
    let mut work = open(&["t-1"]);
    work.lifecycle = Lifecycle::Complete;
    assert_eq!(chosen(&work).action, "Nothing: 260101-0000-x is complete.");
    work.lifecycle = Lifecycle::Abandoned;
    work.abandoned = Some("too slow".to_owned());
    assert_eq!(
        chosen(&work).action,
        "Nothing: 260101-0000-x was abandoned: \"too slow\"."
    );
}

#[test]
fn what_somebody_reports_as_done_is_checked() {
    let mut work = open(&["t-1"]);
    work.troubles.push(Trouble {
        hazard: Hazard::Unticked,
        ids: vec!["t-1".to_owned()],
        text: String::new(),
        command: None,
    });
    let choice = chosen(&work);
    assert!(
        choice.action.starts_with("Check and finish task t-1"),
        "{choice:?}"
    );
}
