//! Behaviour of plans that are closed.

use super::super::*;
use super::*;
use crate::history::Line;

const PLAN: &str = "\
<!-- CHECKPOINT: one -->
- [x] First <!-- TASK: first -->
- [ ] Second <!-- TASK: second -->
- [ ] It works <!-- ACCEPT: works -->
";

fn now() -> Timestamp {
    Timestamp::parse("2026-02-20T12:00:00.000Z").unwrap()
}

fn id() -> PlanId {
    PlanId::new("260220-1149-login").unwrap()
}

fn outline(text: &str) -> Outline {
    let source = Source {
        name: "plan.md",
        text: text.as_bytes(),
    };
    Outline::read(&[source]).unwrap()
}

/// The state after its Markdown was read again.
fn synced(state: Option<&Object>, text: &str) -> (Object, Vec<EventName>) {
    let context = Context {
        plan_id: "260220-1149-login",
        plan_path: "/repository/plans/260220-1149-login/plan.md",
        checksum: &checksum(text.as_bytes()),
        phase_files: &[],
        now: now(),
        by: Some("main"),
    };
    let Reconciled { state, events } = reconcile(state, &outline(text), &context);
    let names = events.iter().map(|event| event.name).collect();
    (state.into_object().unwrap(), names)
}

/// A state, synced, with what an operation made of it.
fn changed(
    text: &str,
    operation: impl Fn(&Present<'_>) -> Result<Change, Refusal>,
) -> Result<(Object, Change), Refusal> {
    let (state, _) = synced(None, text);
    let source = Source {
        name: "plan.md",
        text: text.as_bytes(),
    };
    let present = Present {
        sources: &[source],
        outline: &outline(text),
        state: &state,
        now: now(),
        by: "main",
        agent: None,
        session: None,
        gone: &[],
    };
    let change = operation(&present)?;
    let (state, _) = synced(change.state.as_ref().or(Some(&state)), text);
    Ok((state, change))
}

fn abandoned() -> Object {
    let abandoned = changed(PLAN, |present| abandon(present, &id(), "too slow"));
    abandoned.unwrap().0
}

#[test]
fn a_plan_with_open_tasks_and_criteria_is_completed_only_by_force() {
    let refused = changed(PLAN, |present| complete(present, &id(), Unfinished::Refuse));
    assert_eq!(
        refused.unwrap_err().to_string(),
        "plan 260220-1149-login is not done: task second, criterion works are open"
    );
    let (state, change) =
        changed(PLAN, |present| complete(present, &id(), Unfinished::Ignore)).unwrap();
    assert!(change.edits.is_empty());
    assert_eq!(lifecycle(&outline(PLAN), &state), Lifecycle::Complete);
}

#[test]
fn a_refusal_names_the_first_open_things_and_counts_the_rest() {
    let tasks = (1..=9).map(|number| format!("- [ ] Do <!-- TASK: t{number} -->\n"));
    let refused = changed(&tasks.collect::<String>(), |present| {
        complete(present, &id(), Unfinished::Refuse)
    });
    let message = refused.unwrap_err().to_string();
    assert!(
        message.ends_with("task t5 and 4 more are open"),
        "{message}"
    );
}

#[test]
fn a_finished_plan_is_complete_already() {
    let text = PLAN.replace("[ ]", "[x]");
    let (state, change) = changed(&text, |present| {
        complete(present, &id(), Unfinished::Refuse)
    })
    .unwrap();
    assert_eq!(change, Change::default());
    assert_eq!(Closing::of(&state), None);
    let refused = changed(&text, |present| abandon(present, &id(), "late"));
    assert!(refused.is_err());
}

#[test]
fn an_abandoned_plan_keeps_its_reason_until_somebody_goes_on_with_it() {
    let state = abandoned();
    assert_eq!(
        Closing::of(&state),
        Some(Closing::Abandoned("too slow".into()))
    );
    assert_eq!(lifecycle(&outline(PLAN), &state), Lifecycle::Abandoned);
    // Words are edited, and a task is removed: nobody goes on with it.
    for text in [
        format!("{PLAN}Words.\n"),
        PLAN.replace("- [ ] Second <!-- TASK: second -->\n", ""),
    ] {
        let (state, events) = synced(Some(&state), &text);
        assert!(Closing::of(&state).is_some(), "{text}");
        assert!(!events.contains(&EventName::CheckpointReopened));
    }
    let added = format!("{PLAN}- [ ] Third <!-- TASK: third -->\n");
    for text in [
        PLAN.replace("[ ] Second", "[x] Second"),
        PLAN.replace("[x] First", "[ ] First"),
        PLAN.replace("[ ] It works", "[x] It works"),
        added,
    ] {
        let (state, events) = synced(Some(&state), &text);
        assert_eq!(Closing::of(&state), None, "{text}");
        assert!(events.contains(&EventName::CheckpointReopened), "{text}");
    }
}

#[test]
fn a_closed_plan_is_reopened_on_request_and_an_open_one_stays_as_it_is() {
    let closed = abandoned();
    let source = Source {
        name: "plan.md",
        text: PLAN.as_bytes(),
    };
    let present = Present {
        sources: &[source],
        outline: &outline(PLAN),
        state: &closed,
        now: now(),
        by: "main",
        agent: None,
        session: None,
        gone: &[],
    };
    let change = reopen(&present);
    let opened = change.state.unwrap();
    assert_eq!(Closing::of(&opened), None);
    let present = Present {
        state: &opened,
        ..present
    };
    assert_eq!(reopen(&present), Change::default());
}

fn told(lines: &[&str]) -> Object {
    let mut state = Object::new();
    for line in lines {
        let line = Line::parse(line.as_bytes().to_vec()).unwrap();
        retell(&mut state, &line);
    }
    state
}

#[test]
fn the_history_tells_that_a_plan_was_closed() {
    let abandoned = r#"{"ts":"2026-02-20T12:00:00Z","event":"checkpoint_abandoned","reason":"no time","by":"main"}"#;
    let completed = r#"{"ts":"2026-02-20T12:00:00Z","event":"checkpoint_completed","by":"main"}"#;
    let reopened = r#"{"ts":"2026-02-20T12:30:00Z","event":"checkpoint_reopened","by":"main"}"#;
    let closing = |lines: &[&str]| Closing::of(&told(lines));
    assert_eq!(
        closing(&[abandoned]),
        Some(Closing::Abandoned("no time".into()))
    );
    assert_eq!(closing(&[abandoned, completed]), Some(Closing::Complete));
    assert_eq!(closing(&[abandoned, reopened]), None);
    // What was pieced together does not know the open boxes, so they are not new.
    let (state, events) = synced(Some(&told(&[abandoned])), PLAN);
    assert!(Closing::of(&state).is_some(), "{events:?}");
}
