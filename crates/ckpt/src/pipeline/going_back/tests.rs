//! What comes back of an earlier state of a pipeline, and what stays.

use proptest::prelude::*;

use super::*;
use crate::document::Document;
use crate::finding::Severity;
use crate::gate::GateName;
use crate::operation::Unfinished;
use crate::pipeline::{
    Failure, Order, Requires, ReviewRequest, StartTerms, Verdict, abort, complete, defer, done,
    fail, fail_gate, fixed, init, judge, pass_gate, reopen, review, start,
};
use crate::time::Timestamp;

const SPEC: &str = "\
---
prd: PRD-009
workstreams:
  WS1: { gate: tests }
  WS2: { depends_on: [WS1], gate: tests }
  WS3: { depends_on: [WS1] }
gates:
  tests: { command: 'true' }
  all: { command: 'true' }
---
";

#[derive(Debug, Clone, Copy)]
enum Act {
    Start(usize),
    Done(usize),
    Fail(usize),
    Fixed,
    Defer(usize),
    Pass(Option<usize>),
    FailGate(usize),
    Complete,
    Reopen,
    Abort,
    Review(u64),
}

fn spec() -> Spec {
    Spec::read(SPEC).expect("it can be read")
}

fn id() -> PipelineId {
    PipelineId::new("PRD-009").expect("it is an id")
}

fn stamp() -> Stamp {
    Stamp {
        now: Timestamp::parse("2026-01-29T10:30:00Z").expect("it is a time"),
        head: None,
    }
}

fn begun() -> Value {
    init(&id(), &spec(), "spec.md", "abc", &stamp()).value
}

fn ws(number: usize) -> String {
    format!("WS{}", number % 3 + 1)
}

fn act(value: Value, act: Act) -> Result<Value, Refusal> {
    let (spec, stamp, id) = (spec(), stamp(), id());
    let known = Some(&spec);
    let failure = Failure {
        message: "boom".into(),
        ..Failure::default()
    };
    let receipt = |result: &str| Object::from_iter([("result", Value::from(result))]);
    let gate = |number: Option<usize>| GateName {
        name: number.map_or("all", |_| "tests").into(),
        workstream: number.map(|number| ws(number % 2)),
    };
    let terms = StartTerms {
        order: Order::AsSpecified,
        review: Requires::Nothing,
    };
    let changed = match act {
        Act::Start(one) => start(value, &id, known, &[ws(one)], terms, &stamp),
        Act::Done(one) => done(value, &id, known, &ws(one), &["a.rs".into()], &stamp),
        Act::Fail(one) => fail(value, &id, &ws(one), &failure, &stamp),
        Act::Fixed => fixed(value, &id, &stamp),
        Act::Defer(one) => defer(value, &id, known, &ws(one), "later", &stamp),
        Act::Pass(one) => pass_gate(value, &id, known, &gate(one), receipt("passed"), &stamp),
        Act::FailGate(one) => {
            let gate = gate(Some(one));
            fail_gate(
                value,
                &id,
                known,
                &gate,
                &failure,
                receipt("failed"),
                &stamp,
            )
        }
        Act::Complete => complete(value, &id, known, Unfinished::Refuse, &stamp),
        Act::Reopen => reopen(value, &id, &stamp),
        Act::Abort => abort(value, &id, "enough", &stamp),
        Act::Review(p0) => {
            let request = ReviewRequest {
                verdict: Verdict::DoNotShip,
                p0: Some(p0),
                p1: None,
                findings_path: None,
                reason: None,
            };
            review(value, &id, &request, &stamp)
        }
    };
    changed.map(|changed| changed.value)
}

/// The state after these operations, which must all be allowed.
#[track_caller]
fn after(acts: &[Act]) -> Value {
    acts.iter().fold(begun(), |value, one| {
        act(value, *one).unwrap_or_else(|refusal| panic!("{one:?}: {refusal}"))
    })
}

fn back(then: &Value, present: &Value) -> Result<Value, Refusal> {
    brought_back(
        then,
        present,
        &id(),
        Some(&spec()),
        &stamp(),
        Repair::Missing,
    )
}

fn member<'v>(value: &'v Value, name: &str) -> Option<&'v Value> {
    value.as_object().and_then(|root| root.get(name))
}

fn passed(value: &Value) -> Vec<String> {
    Pipeline::new(value.view()).gates_passed()
}

#[test]
fn workstreams_artifacts_and_status_come_back() {
    let then = after(&[Act::Start(0)]);
    let present = after(&[Act::Start(0), Act::Done(0), Act::Start(1), Act::Defer(2)]);
    assert_eq!(back(&then, &present).as_ref(), Ok(&then));
    assert_eq!(back(&present, &then).as_ref(), Ok(&present));
}

#[test]
fn a_gate_goes_back_to_pending_with_its_workstream_and_never_passes_again() {
    let then = after(&[Act::Start(0)]);
    let acts = [Act::Start(0), Act::Done(0), Act::Pass(Some(0))];
    let present = after(&acts);
    let next = back(&then, &present).expect("it comes back");
    assert_eq!(passed(&next), [""; 0]);
    let pending = Pipeline::new(next.view()).gates_pending();
    assert!(pending.iter().any(|gate| gate == "tests"), "{pending:?}");
    assert_eq!(member(&next, "receipts"), member(&present, "receipts"));
    // There again, the workstream is done and its gate has to pass again.
    let again = back(&present, &next).expect("it comes back");
    assert_eq!(passed(&again), [""; 0]);
    assert!(Pipeline::new(again.view()).has("completed_workstreams", "WS1"));
}

#[test]
fn a_gate_that_passed_for_another_workstream_stays_passed() {
    let acts = [Act::Start(0), Act::Done(0), Act::Start(1)];
    let then = after(&acts);
    let more = [Act::Done(1), Act::Pass(Some(0)), Act::Pass(Some(1))];
    let present = after(&[&acts[..], &more[..]].concat());
    assert_eq!(passed(&present), ["tests (WS1)", "tests (WS2)"]);
    let next = back(&then, &present).expect("it comes back");
    assert_eq!(passed(&next), ["tests (WS1)"]);
    let pending = Pipeline::new(next.view()).gates_pending();
    assert!(
        pending.iter().any(|gate| gate == "tests (WS2)"),
        "{pending:?}"
    );
}

#[test]
fn a_gate_that_failed_since_stays_failed() {
    let then = after(&[Act::Start(0), Act::Done(0), Act::Pass(Some(0))]);
    let acts = [
        Act::Start(0),
        Act::Done(0),
        Act::Pass(Some(0)),
        Act::FailGate(0),
        Act::Fixed,
    ];
    let present = after(&acts);
    let next = back(&then, &present).expect("it comes back");
    assert_eq!(passed(&next), [""; 0]);
    assert_eq!(member(&next, "receipts"), member(&present, "receipts"));
}

#[test]
fn a_pause_after_a_gate_stays() {
    let then = after(&[Act::Start(0), Act::Done(0)]);
    let present = after(&[Act::Start(0), Act::Done(0), Act::Pass(Some(0))]);
    assert_eq!(back(&then, &present).as_ref(), Ok(&present));
}

#[test]
fn a_failed_pipeline_is_repaired_and_not_brought_back() {
    let then = after(&[Act::Start(0)]);
    for (end, refusal) in [
        (Act::Fail(0), Refusal::StillFailed("PRD-009".into())),
        (Act::Abort, Refusal::Aborted("PRD-009".into())),
    ] {
        let present = after(&[Act::Start(0), end]);
        assert_eq!(back(&then, &present), Err(refusal));
        // Back into a failure is allowed: that takes nothing but power.
        let next = back(&present, &then).expect("it comes back");
        assert_eq!(next, present);
    }
}

#[test]
fn a_repair_on_record_comes_back_as_it_was() {
    let (fail, repair) = ([Act::Start(0), Act::Fail(0)], [Act::Fixed]);
    let present = after(&fail);
    let then = after(&[&fail[..], &repair[..]].concat());
    let (id, spec) = (id(), spec());
    let next = brought_back(
        &then,
        &present,
        &id,
        Some(&spec),
        &stamp(),
        Repair::Recorded,
    );
    assert_eq!(next.as_ref(), Ok(&then));
    assert_eq!(
        back(&then, &present),
        Err(Refusal::StillFailed("PRD-009".into()))
    );
}

#[test]
fn a_review_stays_and_still_blocks() {
    let then = after(&[Act::Review(0), Act::Start(0)]);
    let present = after(&[Act::Review(0), Act::Review(3)]);
    let refused = back(&then, &present);
    assert!(matches!(refused, Err(Refusal::ReviewBlocks { .. })));
    let earlier = after(&[Act::Review(0)]);
    let next = back(&earlier, &present).expect("nothing starts");
    let review = "adversarial_review";
    assert_eq!(member(&next, review), member(&present, review));
}

#[test]
fn without_a_specification_a_gate_that_is_about_all_goes_back_with_any_workstream() {
    let present = after(&[Act::Start(0), Act::Done(0), Act::Pass(None)]);
    let then = after(&[Act::Start(0)]);
    let next = brought_back(&then, &present, &id(), None, &stamp(), Repair::Missing);
    let next = next.expect("it comes back");
    assert_eq!(passed(&next), [""; 0]);
    assert!(Pipeline::new(next.view()).has("gates_pending", "all"));
}

/// The gates that are pending, whatever workstreams are named.
fn pending(value: &Value) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    for entry in Pipeline::new(value.view()).gates_pending() {
        let name = split_gate(&entry).0.to_owned();
        if !names.contains(&name) {
            names.push(name);
        }
    }
    names
}

/// A state that going back from another one leads to: it is still paused if nothing but the pause differs, because only an
/// approval ends that.
fn with_pause(from: &Value, to: &Value) -> Value {
    let (one, other) = (Pipeline::new(from.view()), Pipeline::new(to.view()));
    let mut expected = to.clone();
    if one.status() == Status::Paused
        && other.status() == Status::InProgress
        && one.buckets() == other.buckets()
        && let Some(root) = expected.as_object_mut()
    {
        root.set("status", Status::Paused.as_str());
    }
    expected
}

/// Everything but which gates have passed.
fn but_gates(value: &Value) -> Value {
    let mut root = value.clone().into_object().unwrap_or_default();
    for name in [GATES_PASSED, GATES_PENDING, "current_phase"] {
        root.remove(name);
    }
    Value::Object(root)
}

fn any_act() -> impl Strategy<Value = Act> {
    let one = 0..3_usize;
    prop_oneof![
        4 => one.clone().prop_map(Act::Start),
        4 => one.clone().prop_map(Act::Done),
        1 => one.clone().prop_map(Act::Fail),
        2 => Just(Act::Fixed),
        1 => one.clone().prop_map(Act::Defer),
        3 => prop::option::of(one.clone()).prop_map(Act::Pass),
        1 => one.prop_map(Act::FailGate),
        1 => Just(Act::Complete),
        1 => Just(Act::Reopen),
        1 => Just(Act::Abort),
        1 => (0..2_u64).prop_map(Act::Review),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn going_back_between_any_two_states_keeps_the_rules_and_gives_no_power(
        acts in prop::collection::vec(any_act(), 1..25),
        from in any::<prop::sample::Index>(),
    ) {
        let mut states = vec![begun()];
        for one in acts {
            let last = states.last().cloned().expect("there is one");
            states.extend(act(last, one));
        }
        let then = &states[from.index(states.len())];
        let present = states.last().expect("there is one");
        let Ok(next) = back(then, present) else {
            return Ok(());
        };
        let document = Document::from_value(&next).expect("it is a document");
        let findings = judge(&document, Some(&spec()));
        let error = findings.iter().find(|finding| finding.severity == Severity::Error);
        prop_assert_eq!(error, None);
        let (was, is) = (passed(present), passed(&next));
        prop_assert!(is.iter().all(|gate| was.contains(gate)), "{:?} {:?}", was, is);
        for name in ["receipts", "adversarial_review"] {
            prop_assert_eq!(member(&next, name), member(present, name));
        }
        let both = (Pipeline::new(present.view()).status(), Pipeline::new(next.view()).status());
        prop_assert!(both.0 != Status::Failed || both.1 == Status::Failed);
        // A second time changes nothing more.
        prop_assert_eq!(back(then, &next), Ok(next.clone()));
        // The way back leads to the same state, except that a gate that went back to pending stays so.
        if let Ok(again) = back(present, &next) {
            let kept: Vec<String> = was.iter().filter(|gate| is.contains(gate)).cloned().collect();
            prop_assert_eq!(passed(&again), kept);
            let expected = with_pause(&next, present);
            if is.len() == was.len() {
                prop_assert_eq!(&again, &expected);
            }
            prop_assert_eq!(but_gates(&again), but_gates(&expected));
            let (before, after) = (pending(present), pending(&again));
            prop_assert!(after.starts_with(&before), "{:?} {:?}", before, after);
            // From there, no more is lost.
            if let Ok(twice) = back(then, &again).and_then(|there| back(&again, &there)) {
                prop_assert_eq!(&twice, &again);
            }
        }
    }
}
