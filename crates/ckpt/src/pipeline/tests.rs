//! Behaviour of pipelines.

use proptest::prelude::*;

use super::*;
use crate::document::{Document, Object, Value};
use crate::finding::Severity;
use crate::gate::GateName;
use crate::key::PipelineId;
use crate::operation::{Changed, Stamp, Unfinished};
use crate::time::Timestamp;

/// The seed's pipeline: five workstreams in phases, the second and third in parallel.
const SPEC: &str = "\
---
prd: PRD-009
prd_title: Cashier Workflows
workstreams:
  WS1:
    name: Database Layer
    outputs:
      - supabase/migrations/xxx.sql
      - services/domain/dtos.ts (NEW)
      - services/domain/schemas.ts  # Modified
    gate: schema-validation
  WS2: { name: Service Layer, depends_on: [WS1], gate: type-check }
  WS3:
    name: Route Handlers
    dependencies: [WS1]
    gate: lint
  WS4:
    name: Hooks
    agent: react
    depends_on:
      - WS2
      - WS3
    gate: type-check
  WS5: { name: Tests, depends_on: WS4, gate: test-pass }
execution_phases:
  - name: Phase 1
    parallel: [WS1]
    gates: [schema-validation]
  - name: Phase 2
    parallel: [WS2, WS3]
    gates: [type-check, lint]
  - { name: Phase 3, parallel: [WS4], gate: type-check }
  - { name: Phase 4, parallel: [WS5], gate: test-pass }
  - { name: Phase 5, parallel: [] }
gates:
  schema-validation: { command: npm run db:types, success_criteria: no diff }
  type-check: { command: npm run type-check }
  lint:
    commands: [npm run lint, npm run format]
  test-pass: npm test
---

# What it is about
";

fn spec() -> Spec {
    Spec::read(SPEC).unwrap()
}

fn stamp() -> Stamp {
    Stamp {
        now: Timestamp::parse("2025-12-11T10:00:00Z").unwrap(),
        head: None,
    }
}

fn id() -> PipelineId {
    PipelineId::new("PRD-009").unwrap()
}

fn initialized() -> Value {
    init(&id(), &spec(), "spec.md", "abc", &stamp()).value
}

/// One operation, for the property test and the seed's example.
#[derive(Debug, Clone)]
enum Operation {
    Start(Vec<&'static str>),
    Done(&'static str, Vec<&'static str>),
    Fail(&'static str),
    Fixed,
    Restart,
    Defer(&'static str),
    Pass(&'static str, Option<&'static str>),
    FailGate(&'static str),
    Approve,
    Complete,
    Force,
    Reopen,
    Abort,
    Sync,
    Review(Verdict, u64),
}

fn owned(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn receipt(result: &str) -> Object {
    let mut receipt = Object::new();
    receipt.set("result", result);
    receipt
}

fn terms(order: Order) -> StartTerms {
    StartTerms {
        order,
        review: Requires::Nothing,
    }
}

fn run(value: Value, operation: &Operation) -> Result<Changed, Refusal> {
    let (spec, stamp) = (spec(), stamp());
    let known = Some(&spec);
    let id = &id();
    let failure = Failure {
        message: "Property 'player_id' does not exist on type 'PlayerDTO'".into(),
        file: Some("services/player/index.ts".into()),
        line: Some(45),
    };
    match operation {
        Operation::Start(names) => start(
            value,
            id,
            known,
            &owned(names),
            terms(Order::AsSpecified),
            &stamp,
        ),
        Operation::Done(name, files) => done(value, id, known, name, &owned(files), &stamp),
        Operation::Fail(name) => fail(value, id, name, &failure, &stamp),
        Operation::Fixed => fixed(value, id, &stamp),
        Operation::Restart => restart(value, id, &stamp),
        Operation::Defer(name) => defer(value, id, known, name, "later", &stamp),
        Operation::Pass(gate, workstream) => {
            let gate = GateName {
                name: (*gate).into(),
                workstream: workstream.map(str::to_owned),
            };
            pass_gate(value, id, known, &gate, receipt("passed"), &stamp)
        }
        Operation::FailGate(gate) => {
            let gate = GateName {
                name: (*gate).into(),
                workstream: None,
            };
            fail_gate(value, id, known, &gate, &failure, receipt("failed"), &stamp)
        }
        Operation::Approve => approve(value, id, &stamp),
        Operation::Complete => complete(value, id, known, Unfinished::Refuse, &stamp),
        Operation::Force => complete(value, id, known, Unfinished::Ignore, &stamp),
        Operation::Reopen => reopen(value, id, &stamp),
        Operation::Abort => abort(value, id, "enough", &stamp),
        Operation::Sync => sync(value, id, &spec, "spec.md", "def", &stamp),
        Operation::Review(verdict, p0) => {
            let request = ReviewRequest {
                verdict: *verdict,
                p0: Some(*p0),
                p1: None,
                findings_path: None,
                reason: (*verdict == Verdict::Overridden).then(|| "seen".into()),
            };
            review(value, id, &request, &stamp)
        }
    }
}

/// Runs an operation that must be allowed, and compares the members it names with the seed's.
#[track_caller]
fn step(value: Value, operation: &Operation, expected: &str) -> Value {
    let after = run(value, operation).unwrap().value;
    let expected = Document::parse(expected).unwrap().value();
    for (name, wanted) in expected.as_object().unwrap().iter() {
        let found = after.as_object().unwrap().get(name);
        assert_eq!(found, Some(wanted), "{name} after {operation:?}");
    }
    after
}

/// The format's seven operations, in order, produce the format's examples.
#[test]
fn the_operations_of_the_format_give_its_examples() {
    let first = initialized();
    let text = Document::from_value(&first).unwrap().text().to_owned();
    let expected = "{
  \"prd\": \"PRD-009\",
  \"prd_title\": \"Cashier Workflows\",
  \"current_phase\": 0,
  \"status\": \"initialized\",
  \"completed_workstreams\": [],
  \"in_progress_workstreams\": [],
  \"pending_workstreams\": [
    \"WS1\",
    \"WS2\",
    \"WS3\",
    \"WS4\",
    \"WS5\"
  ],
  \"artifacts\": {},
  \"gates_passed\": [],
  \"gates_pending\": [
    \"schema-validation\",
    \"type-check\",
    \"lint\",
    \"test-pass\"
  ],
  \"timestamp\": \"2025-12-11T10:00:00.000Z\",
  \"execution_spec\": {
    \"path\": \"spec.md\",
    \"hash\": \"abc\"
  }
}
";
    assert_eq!(text, expected);
    let value = step(
        first,
        &Operation::Start(vec!["WS1"]),
        r#"{"status":"in_progress","in_progress_workstreams":["WS1"],"pending_workstreams":["WS2","WS3","WS4","WS5"]}"#,
    );
    let files = vec![
        "supabase/migrations/xxx.sql",
        "services/domain/dtos.ts",
        "services/domain/schemas.ts",
    ];
    let value = step(
        value,
        &Operation::Done("WS1", files),
        r#"{"status":"in_progress","completed_workstreams":["WS1"],"in_progress_workstreams":[],"current_phase":0,
        "artifacts":{"WS1":["supabase/migrations/xxx.sql","services/domain/dtos.ts","services/domain/schemas.ts"]}}"#,
    );
    let value = step(
        value,
        &Operation::Pass("schema-validation", Some("WS1")),
        r#"{"current_phase":1,"gates_passed":["schema-validation (WS1)"],"gates_pending":["type-check","lint","test-pass"],"status":"paused"}"#,
    );
    let value = step(
        value,
        &Operation::Start(vec!["WS2", "WS3"]),
        r#"{"status":"in_progress","in_progress_workstreams":["WS2","WS3"],"pending_workstreams":["WS4","WS5"]}"#,
    );
    let value = step(
        value,
        &Operation::Fail("WS3"),
        r#"{"status":"failed","in_progress_workstreams":[],"pending_workstreams":["WS2","WS3","WS4","WS5"],
        "error":{"workstream":"WS3","message":"Property 'player_id' does not exist on type 'PlayerDTO'","file":"services/player/index.ts","line":45}}"#,
    );
    let value = step(value, &Operation::Fixed, r#"{"status":"paused"}"#);
    assert!(value.as_object().unwrap().get("error").is_none());
    let rest = [
        Operation::Start(vec!["WS2", "WS3"]),
        Operation::Done("WS2", vec!["index.ts", "keys.ts"]),
        Operation::Done("WS3", vec!["route.ts"]),
        Operation::Pass("type-check", Some("WS2")),
        Operation::Pass("lint", Some("WS3")),
        Operation::Start(vec!["WS4"]),
        Operation::Done("WS4", vec!["hooks/index.ts"]),
        Operation::Pass("type-check", Some("WS4")),
        Operation::Start(vec!["WS5"]),
        Operation::Done("WS5", vec!["*.test.ts"]),
        Operation::Pass("test-pass", Some("WS5")),
    ];
    let value = rest.iter().fold(value, |value, operation| {
        run(value, operation).unwrap().value
    });
    step(
        value,
        &Operation::Complete,
        r#"{"prd":"PRD-009","prd_title":"Cashier Workflows","current_phase":5,"status":"complete",
        "completed_workstreams":["WS1","WS2","WS3","WS4","WS5"],"in_progress_workstreams":[],"pending_workstreams":[],
        "gates_passed":["schema-validation (WS1)","type-check (WS2)","lint (WS3)","type-check (WS4)","test-pass (WS5)"],"gates_pending":[]}"#,
    );
}

#[test]
fn finished_work_is_accepted_after_a_sibling_failed() {
    let mut value = initialized();
    for operation in [
        Operation::Start(vec!["WS1"]),
        Operation::Done("WS1", vec![]),
        Operation::Pass("schema-validation", None),
        Operation::Start(vec!["WS2", "WS3"]),
        Operation::Fail("WS3"),
        Operation::Done("WS2", vec!["index.ts"]),
    ] {
        value = run(value, &operation).unwrap().value;
    }
    let root = value.as_object().unwrap();
    assert_eq!(root.get("status").unwrap().as_str(), Some("failed"));
    assert_eq!(
        root.get("pending_workstreams").unwrap().to_compact(),
        r#"["WS3","WS4","WS5"]"#
    );
    // WS4 was never started, so it cannot be done.
    assert!(matches!(
        run(value.clone(), &Operation::Done("WS4", vec![])),
        Err(Refusal::Elsewhere { .. })
    ));
    let value = run(value, &Operation::Fixed).unwrap().value;
    let value = run(value, &Operation::Done("WS3", vec![])).unwrap().value;
    let left = value.as_object().unwrap().get("execution_spec").unwrap();
    assert_eq!(left.to_compact(), r#"{"path":"spec.md","hash":"abc"}"#);
}

#[test]
fn a_gate_that_passes_while_a_sibling_runs_pauses_when_it_ends() {
    let mut value = initialized();
    let status = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .get("status")
            .unwrap()
            .as_str()
            .map(str::to_owned)
    };
    for operation in [
        Operation::Start(vec!["WS1"]),
        Operation::Done("WS1", vec![]),
        Operation::Pass("schema-validation", None),
        Operation::Start(vec!["WS2", "WS3"]),
        Operation::Done("WS2", vec![]),
        Operation::Pass("type-check", Some("WS2")),
    ] {
        value = run(value, &operation).unwrap().value;
    }
    assert_eq!(status(&value).as_deref(), Some("in_progress"));
    let value = run(value, &Operation::Done("WS3", vec![])).unwrap().value;
    assert_eq!(status(&value).as_deref(), Some("paused"));
    assert!(!value.to_compact().contains("pause_due"));
}

#[test]
fn workstreams_start_when_what_they_depend_on_is_complete() {
    let refused =
        |value: Value, names: Vec<&'static str>| run(value, &Operation::Start(names)).unwrap_err();
    let waits = refused(initialized(), vec!["WS2"]);
    assert_eq!(waits.to_string(), "WS2 waits for WS1");
    let anyway = start(
        initialized(),
        &id(),
        Some(&spec()),
        &owned(&["WS2"]),
        terms(Order::Anyway),
        &stamp(),
    );
    assert!(anyway.is_ok());
    assert_eq!(
        refused(initialized(), vec!["WS9"]).to_string(),
        "no workstream WS9 in PRD-009"
    );
}

#[test]
fn a_workstream_may_depend_on_another_of_its_own_phase() {
    let text = "workstreams: {A: {}, B: {depends_on: [A]}, C: {}, D: {}}\nexecution_phases: [{parallel: [A, B, C]}, {parallel: [D]}]\n";
    let spec = Spec::read(text).unwrap();
    let at = |completed: &[&str], running: &[&str]| {
        let buckets = Buckets {
            completed: owned(completed),
            in_progress: owned(running),
            ..Buckets::default()
        };
        schedule(&spec, &buckets)
            .into_iter()
            .map(|(_, ready)| ready)
            .collect::<Vec<_>>()
    };
    let waits = |names: &[&str]| Readiness::WaitsFor(owned(names));
    use Readiness::{Done, Ready, Running};
    assert_eq!(
        at(&[], &[]),
        [Ready, waits(&["A"]), Ready, waits(&["A", "B", "C"])]
    );
    assert_eq!(
        at(&["A"], &["C"]),
        [Done, Ready, Running, waits(&["B", "C"])]
    );
    assert_eq!(at(&["A", "B", "C"], &[]), [Done, Done, Done, Ready]);
}

#[test]
fn of_a_phase_that_holds_another_back_only_the_first_workstreams_are_named() {
    let names: Vec<String> = (0..30).map(|number| format!("w{number}")).collect();
    let text = format!(
        "workstreams: {{{}: {{}}, last: {{}}}}\nexecution_phases: [{{parallel: [{}]}}, {{parallel: [last]}}]\n",
        names.join(": {}, "),
        names.join(",")
    );
    let spec = Spec::read(&text).unwrap();
    let (_, last) = schedule(&spec, &Buckets::default()).pop().unwrap();
    assert_eq!(last, Readiness::WaitsFor(names[..20].to_vec()));
}

#[test]
fn of_many_circles_and_of_long_ones_only_the_beginning_is_shown() {
    let pair =
        |n: usize| format!("  a{n}: {{ depends_on: [b{n}] }}\n  b{n}: {{ depends_on: [a{n}] }}\n");
    let pairs: String = (0..12).map(pair).collect();
    let spec = Spec::read(&format!("workstreams:\n{pairs}")).unwrap();
    let found = check(&spec, "spec.md");
    assert_eq!(found.len(), 11);
    assert_eq!(found[10].message, "and 2 more dependency cycles");
    let one = |n: usize| format!("  a{n}: {{ depends_on: [a{}] }}\n", (n + 1) % 30);
    let circle: String = (0..30).map(one).collect();
    let spec = Spec::read(&format!("workstreams:\n{circle}")).unwrap();
    let found = check(&spec, "spec.md");
    assert!(
        found[0].message.ends_with("a19 -> 10 more -> a0"),
        "{}",
        found[0]
    );
}

#[test]
fn a_specification_is_read_in_all_its_forms() {
    let spec = spec();
    assert_eq!(spec.id.as_deref(), Some("PRD-009"));
    assert_eq!(
        spec.workstreams[0].outputs[1..],
        ["services/domain/dtos.ts", "services/domain/schemas.ts"]
    );
    assert_eq!(spec.workstreams[3].executor.as_deref(), Some("react"));
    assert_eq!(
        spec.gate("lint").unwrap().commands,
        ["npm run lint", "npm run format"]
    );
    assert_eq!(spec.gate("test-pass").unwrap().commands, ["npm test"]);
    assert_eq!(check(&spec, "spec.md"), []);
    let others = "\
workstreams:
  - id: WS-X
    title: One
  - { id: WS4a, dependencies: WS-X, outputs: [] }
execution_phases:
  first: { parallel: [WS-X] }
  second: [WS4a]
gates:
  - { name: GATE_0, command: true }
";
    let spec = Spec::read(others).unwrap();
    assert_eq!(spec.id, None);
    let phases: Vec<_> = spec
        .phases
        .iter()
        .map(|phase| phase.name.as_str())
        .collect();
    assert_eq!(phases, ["first", "second"]);
    assert_eq!(spec.phases[1].workstreams[0].name, "WS4a");
    assert_eq!(spec.workstreams[1].depends_on[0].name, "WS-X");
    assert_eq!(spec.gates[0].commands, ["true"]);
}

#[test]
fn an_unreadable_specification_is_reported_with_its_position() {
    let read = |text: &str| Spec::read(text).unwrap_err().to_string();
    let open = read("---\nprd: X\n");
    assert!(
        open.starts_with("line 1, column 1: the front matter is not closed"),
        "{open}"
    );
    let yaml = read("---\nprd: X\nworkstreams:\n  WS1: [\n---\n");
    assert!(yaml.starts_with("line "), "{yaml}");
    let missing = read("---\nprd: X\n---\n");
    assert!(missing.contains("\"workstreams\" is missing"), "{missing}");
    let twice = read("workstreams: {A: {}, A: {}}");
    assert_eq!(twice, "line 1, column 22: workstream A is defined twice");
    let deep = format!("workstreams: {}", "[".repeat(500));
    assert!(
        read(&deep).starts_with("line 1, column "),
        "{}",
        read(&deep)
    );
    let mut bomb = String::from("a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (name, of) in ["b", "c", "d", "e", "f", "g"]
        .iter()
        .zip(["a", "b", "c", "d", "e", "f"])
    {
        let list = vec![format!("*{of}"); 9].join(", ");
        bomb += &format!("{name}: &{name} [{list}]\n");
    }
    assert!(read(&bomb).contains("values"), "{}", read(&bomb));
}

#[test]
fn errors_in_a_graph_are_reported_with_their_line() {
    let text = "\
workstreams:
  A: { depends_on: [C] }
  B: { depends_on: [A, Z] }
  C: { depends_on: [B] }
  D: {}
execution_phases:
  - parallel: [A, B, C, Q]
";
    let spec = Spec::read(text).unwrap();
    let found: Vec<String> = check(&spec, "spec.md")
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(
        found,
        [
            "error[pipeline.unknown-dependency] spec.md line 3, column 24: B depends on Z, which is not a workstream",
            "error[pipeline.cycle] spec.md line 2, column 3: dependency cycle: A -> C -> B -> A",
            "error[pipeline.unknown-workstream] spec.md line 7, column 25: phase \"Phase 1\" names Q, which is not a workstream",
            "warning[pipeline.no-phase] spec.md line 5, column 3: D is in no phase",
        ]
    );
}

#[test]
fn a_review_blocks_is_repeated_once_and_can_be_overridden() {
    let bad = Operation::Review(Verdict::DoNotShip, 2);
    let value = run(initialized(), &bad).unwrap().value;
    let start = Operation::Start(vec!["WS1"]);
    assert!(matches!(
        run(value.clone(), &start),
        Err(Refusal::ReviewBlocks {
            objection: Objection::Findings(2),
            ..
        })
    ));
    let value = run(value, &bad).unwrap().value;
    assert!(matches!(
        run(value.clone(), &bad),
        Err(Refusal::NoMoreReviews(_))
    ));
    let value = run(value, &Operation::Review(Verdict::Overridden, 2))
        .unwrap()
        .value;
    run(value, &start).unwrap();
}

/// Variants found in practice can be read, checked and resumed.
#[test]
fn oddities_are_read_and_judged() {
    let read = |text: &str| {
        let document = Document::parse(text).unwrap();
        let pipeline = Pipeline::new(document.root());
        let facts = (
            pipeline.status(),
            pipeline.buckets(),
            pipeline.gates_passed(),
        );
        let rules: Vec<&str> = judge(&document, None)
            .iter()
            .map(|finding| finding.rule)
            .collect();
        (
            facts,
            rules.into_iter().map(str::to_owned).collect::<Vec<_>>(),
        )
    };
    let ((status, buckets, gates), _) = read(
        r#"{"prd_id":"PRD-003","status":"in_progress","status":"COMPLETED","completed_workstreams":[{"id":"WS1","note":"x"}],
        "in_progress_workstreams":[],"pending_workstreams":[],"dormant_workstreams":[{"id":"WS9","reason":"later"}],
        "gates_passed":{"lint (WS1)":true},"artifacts":["a.ts"],"updated_at":"2025-12-11T10:00:00Z"}"#,
    );
    assert_eq!(status, Status::Complete);
    assert_eq!(buckets.completed, ["WS1"]);
    assert_eq!(buckets.dormant, ["WS9"]);
    assert_eq!(gates, ["lint (WS1)"]);
    let (_, rules) = read(
        r#"{"prd":"PRD-003","status":"failed","timestamp":"x","completed_workstreams":["A","A"],"in_progress_workstreams":["B"],"pending_workstreams":["B"]}"#,
    );
    for rule in [
        "pipeline.repeated",
        "pipeline.overlap",
        "pipeline.in-progress",
        "pipeline.error-required",
        "pipeline.time",
    ] {
        assert!(rules.iter().any(|found| found == rule), "{rule}: {rules:?}");
    }
}

fn operations() -> impl Strategy<Value = Operation> {
    let name = || prop::sample::select(vec!["WS1", "WS2", "WS3", "WS4", "WS5"]);
    let gate =
        || prop::sample::select(vec!["schema-validation", "type-check", "lint", "test-pass"]);
    let verdict = prop::sample::select(Verdict::ALL.to_vec());
    prop_oneof![
        4 => prop::collection::vec(name(), 1..3).prop_map(Operation::Start),
        4 => name().prop_map(|name| Operation::Done(name, vec!["file.ts"])),
        2 => name().prop_map(Operation::Fail),
        2 => Just(Operation::Fixed),
        1 => Just(Operation::Restart),
        1 => name().prop_map(Operation::Defer),
        4 => (gate(), prop::option::of(name())).prop_map(|(gate, name)| Operation::Pass(gate, name)),
        1 => gate().prop_map(Operation::FailGate),
        1 => Just(Operation::Approve),
        2 => Just(Operation::Complete),
        1 => Just(Operation::Force),
        1 => Just(Operation::Reopen),
        1 => Just(Operation::Abort),
        1 => Just(Operation::Sync),
        1 => (verdict, 0..2_u64).prop_map(|(verdict, p0)| Operation::Review(verdict, p0)),
    ]
}

proptest! {
    /// After any sequence of operations, no rule of severity error is broken and no workstream is lost.
    #[test]
    fn every_walk_keeps_the_rules(walk in prop::collection::vec(operations(), 1..60)) {
        let spec = spec();
        let mut value = initialized();
        for operation in walk {
            let Ok(changed) = run(value.clone(), &operation) else {
                continue;
            };
            value = changed.value;
            let document = Document::from_value(&value).unwrap();
            let errors: Vec<_> = judge(&document, Some(&spec))
                .into_iter()
                .filter(|finding| finding.severity == Severity::Error)
                .collect();
            prop_assert!(errors.is_empty(), "{:?} after {:?}: {}", errors, operation, document.text());
        }
    }
}

#[test]
fn force_leaves_workstreams_out_and_never_a_gate() {
    let mut value = initialized();
    for operation in [
        Operation::Start(vec!["WS1"]),
        Operation::Done("WS1", vec![]),
        Operation::Pass("schema-validation", None),
        Operation::Start(vec!["WS2"]),
    ] {
        value = run(value, &operation).unwrap().value;
    }
    let refused = run(value.clone(), &Operation::Force);
    let Err(Refusal::GatesPending { gates, .. }) = refused else {
        panic!("{refused:?}");
    };
    assert!(
        gates.iter().any(|gate| gate.starts_with("type-check")),
        "{gates:?}"
    );
    let spec = Spec::read("---\nworkstreams: {A: {}, B: {}, C: {}}\n---\n").unwrap();
    let (id, stamp) = (id(), stamp());
    let value = init(&id, &spec, "spec.md", "abc", &stamp).value;
    let started = owned(&["A", "B"]);
    let value = start(
        value,
        &id,
        Some(&spec),
        &started,
        terms(Order::AsSpecified),
        &stamp,
    );
    let value = done(value.unwrap().value, &id, Some(&spec), "A", &[], &stamp);
    let value = value.unwrap().value;
    let refused = complete(value.clone(), &id, Some(&spec), Unfinished::Refuse, &stamp);
    assert!(matches!(refused, Err(Refusal::Unfinished { .. })));
    let forced = complete(value, &id, Some(&spec), Unfinished::Ignore, &stamp).unwrap();
    let root = forced.value.as_object().unwrap();
    assert_eq!(root.get("status").unwrap().as_str(), Some("complete"));
    let dormant = root.get("dormant_workstreams").unwrap().to_compact();
    assert_eq!(
        dormant.matches("not done when the pipeline").count(),
        2,
        "{dormant}"
    );
    let judged = judge(&Document::from_value(&forced.value).unwrap(), Some(&spec));
    assert!(
        judged.iter().all(|found| found.severity != Severity::Error),
        "{judged:?}"
    );
}
