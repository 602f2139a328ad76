//! Behaviour of a plan's state.

use proptest::prelude::*;

use super::super::*;
use super::*;
use crate::document::{Document, Object, Value};
use crate::time::Timestamp;

const MORNING: &str = "2026-02-20T09:00:00.000Z";
const NOON: &str = "2026-02-20T12:00:00.000Z";

fn outline(plan: &str) -> Outline {
    let source = Source {
        name: "plan.md",
        text: plan.as_bytes(),
    };
    Outline::read(&[source]).unwrap()
}

fn synced(old: Option<&Value>, plan: &str, now: &str, by: &str) -> Reconciled {
    let context = Context {
        plan_id: "260220-1149-feature",
        plan_path: "/repository/plans/260220-1149-feature/plan.md",
        checksum: "sha256:0123456789abcdef",
        phase_files: &[],
        now: Timestamp::parse(now).unwrap(),
        by: Some(by),
    };
    reconcile(old.and_then(Value::as_object), &outline(plan), &context)
}

fn events(reconciled: &Reconciled) -> Vec<String> {
    let event = |event: &crate::history::Event| {
        let facts: Vec<String> = event
            .fields
            .iter()
            .map(|(_, value)| value.to_compact())
            .collect();
        format!("{} {}", event.name, facts.join(" "))
    };
    reconciled.events.iter().map(event).collect()
}

fn at<'v>(value: &'v Value, pointer: &str) -> Option<&'v Value> {
    value.at(&crate::document::Pointer::parse(pointer).unwrap())
}

const PLAN: &str = "\
## Phase 1
<!-- CHECKPOINT: phase-1 -->
- [x] Schema <!-- TASK: db-schema -->
- [ ] Auth <!-- TASK: auth -->
- [ ] Migrations pass <!-- ACCEPT: migrations -->
<!-- DECISION: Use SQLite -->
## Phase 2
<!-- CHECKPOINT: phase-2 -->
- [ ] Docs <!-- TASK: docs -->
<!-- BLOCKER: No API key -->
";

#[test]
fn a_new_state_has_the_members_of_the_format_in_their_order() {
    let new = synced(None, PLAN, MORNING, "main");
    assert_eq!(events(&new), ["checkpoint_created \"260220-1149-feature\""]);
    let expected = format!(
        r#"{{"version":2,"planId":"260220-1149-feature","planPath":"/repository/plans/260220-1149-feature/plan.md","lastCheckpoint":"{MORNING}","checksum":"sha256:0123456789abcdef","progress":{{"totalTasks":3,"completedTasks":1,"percentage":33.3}},"phases":{{"phase-1":{{"status":"in_progress","startedAt":"{MORNING}","tasks":{{"db-schema":{{"done":true,"completedAt":"{MORNING}","completedBy":"main"}},"auth":{{"done":false}}}},"acceptance":{{"migrations":{{"met":false}}}}}},"phase-2":{{"status":"pending","tasks":{{"docs":{{"done":false}}}},"acceptance":{{}}}}}},"currentPhase":"phase-1","currentTask":"auth","blockers":["No API key"],"decisions":[{{"time":"{MORNING}","decision":"Use SQLite"}}],"sessionNotes":null,"agents":{{}},"phaseFiles":{{}}}}"#
    );
    assert_eq!(new.state.to_compact(), expected);
}

#[test]
fn what_is_ticked_later_gets_its_time_and_author_and_what_was_ticked_keeps_its_own() {
    let old = synced(None, PLAN, MORNING, "main").state;
    let ticked = PLAN.replace("[ ] Auth", "[x] Auth");
    let new = synced(Some(&old), &ticked, NOON, "subagent:fullstack");
    assert_eq!(
        events(&new),
        ["task_completed \"auth\" \"subagent:fullstack\""]
    );
    // Its criterion is not met yet.
    let status = at(&new.state, "/phases/phase-1/status");
    assert_eq!(status, Some(&"in_progress".into()));
    let plan = ticked.replace("[ ] Migrations", "[x] Migrations");
    assert_ne!(plan, ticked);
    let new = synced(Some(&new.state), &plan, NOON, "main");
    assert_eq!(
        events(&new),
        [
            "acceptance_met \"migrations\"",
            "phase_completed \"phase-1\""
        ]
    );
    let schema = at(&new.state, "/phases/phase-1/tasks/db-schema").unwrap();
    assert_eq!(
        schema.to_compact(),
        format!(r#"{{"done":true,"completedAt":"{MORNING}","completedBy":"main"}}"#)
    );
    let auth = at(&new.state, "/phases/phase-1/tasks/auth").unwrap();
    assert_eq!(
        auth.to_compact(),
        format!(r#"{{"done":true,"completedAt":"{NOON}","completedBy":"subagent:fullstack"}}"#)
    );
    let phase = at(&new.state, "/phases/phase-1")
        .unwrap()
        .as_object()
        .unwrap();
    assert_eq!(phase.get("completedAt"), Some(&NOON.into()));
    assert_eq!(phase.get("startedAt"), Some(&MORNING.into()));
    assert_eq!(at(&new.state, "/currentTask"), Some(&"docs".into()));
    let phase = at(&new.state, "/phases/phase-2/status");
    assert_eq!(phase, Some(&"in_progress".into()));
}

#[test]
fn what_is_unticked_or_gone_is_reported() {
    let plan = PLAN.replace("[ ]", "[x]");
    let old = synced(None, &plan, MORNING, "main").state;
    let plan = plan
        .replace("[x] Auth", "[ ] Auth")
        .replace("- [x] Docs <!-- TASK: docs -->\n", "");
    let new = synced(Some(&old), &plan, NOON, "main");
    assert_eq!(
        events(&new),
        ["task_reopened \"auth\"", "task_removed \"docs\""]
    );
    assert_eq!(at(&new.state, "/phases/phase-1/completedAt"), None);
}

#[test]
fn notes_agents_recorded_decisions_and_strange_members_survive() {
    let mut old = synced(None, PLAN, MORNING, "main").state;
    let root = old.as_object_mut().unwrap();
    root.set("sessionNotes", "half way");
    root.set("mine", vec![1, 2]);
    root.object_mut("agents").set("a1", Object::new());
    let recorded = Document::parse(
        r#"[{"time":"t","decision":"Use SQLite"},{"time":"t","decision":"By hand"},{"time":"t","decision":"By tool","by":"main"}]"#,
    );
    root.set("decisions", recorded.unwrap().value());
    let new = synced(Some(&old), PLAN, NOON, "main").state;
    assert_eq!(at(&new, "/sessionNotes"), Some(&"half way".into()));
    assert_eq!(at(&new, "/mine/1"), Some(&2.into()));
    assert!(at(&new, "/agents/a1").is_some());
    let decisions = at(&new, "/decisions").unwrap().to_compact();
    assert_eq!(
        decisions,
        r#"[{"time":"t","decision":"Use SQLite"},{"time":"t","decision":"By tool","by":"main"}]"#
    );
}

#[test]
fn five_phases_of_twenty_tasks_with_two_ticked_stand_at_the_third() {
    let mut plan = String::new();
    for phase in 1..=5 {
        plan += &format!("<!-- CHECKPOINT: phase-{phase} -->\n");
        for task in 1..=20 {
            let mark = if phase <= 2 { 'x' } else { ' ' };
            plan += &format!("- [{mark}] T <!-- TASK: p{phase}-t{task} -->\n");
        }
    }
    let state = synced(None, &plan, MORNING, "main").state;
    assert_eq!(
        at(&state, "/progress").unwrap().to_compact(),
        r#"{"totalTasks":100,"completedTasks":40,"percentage":40}"#
    );
    assert_eq!(at(&state, "/currentPhase"), Some(&"phase-3".into()));
    for phase in 1..=5 {
        let tasks = at(&state, &format!("/phases/phase-{phase}/tasks")).unwrap();
        assert_eq!(tasks.as_object().unwrap().len(), 20);
    }
}

#[test]
fn phase_files_belong_to_the_phase_they_name_or_to_the_one_with_their_number() {
    let sources = [
        (
            "plan.md",
            "- [ ] m <!-- TASK: m -->\n<!-- CHECKPOINT: one -->\n<!-- CHECKPOINT: two -->\n",
        ),
        (
            "phase-01-a.md",
            "- [x] a <!-- TASK: a -->\n- [ ] m <!-- TASK: m -->\n",
        ),
        (
            "phase-02-b.md",
            "<!-- CHECKPOINT: one -->\n- [ ] b <!-- TASK: b -->\n",
        ),
        ("phase-07-c.md", "- [ ] c <!-- TASK: c -->\n"),
    ];
    let sources = sources.map(|(name, text)| Source {
        name,
        text: text.as_bytes(),
    });
    let outline = Outline::read(&sources).unwrap();
    let phases: Vec<(String, Vec<(String, usize)>)> = outline
        .phases
        .iter()
        .map(|phase| {
            let tasks = phase
                .tasks
                .iter()
                .map(|task| (task.id.clone(), task.source));
            (phase.id.clone(), tasks.collect())
        })
        .collect();
    let task = |id: &str, source: usize| (id.to_owned(), source);
    assert_eq!(
        phases,
        [
            ("main".to_owned(), vec![task("m", 0)]),
            ("one".to_owned(), vec![task("a", 1), task("b", 2)]),
            ("two".to_owned(), vec![]),
            ("phase-07-c".to_owned(), vec![task("c", 3)]),
        ]
    );
    assert_eq!(outline.clashes[0].again, (1, 2));
    for (name, number) in [
        ("phase-01-a.md", Some(1)),
        ("phase-12.md", Some(12)),
        ("phase-x.md", None),
        ("phase-1x.md", None),
        ("notes.md", None),
    ] {
        assert_eq!(crate::layout::phase_number(name), number, "{name}");
    }
}

fn any_plan() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        3 => ("[ xX]", 0_u32..12).prop_map(|(mark, id)| format!("- [{mark}] t <!-- TASK: t{id} -->")),
        1 => ("[ x]", 0_u32..4).prop_map(|(mark, id)| format!("- [{mark}] t <!-- ACCEPT: a{id} -->")),
        1 => (0_u32..4).prop_map(|id| format!("<!-- CHECKPOINT: p{id} -->")),
        1 => "[a-c]".prop_map(|text| format!("<!-- DECISION: {text} -->")),
        1 => "[a-c]".prop_map(|text| format!("<!-- BLOCKER: {text} -->")),
    ];
    prop::collection::vec(line, 0..20).prop_map(|lines| lines.join("\n"))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn reconciling_twice_changes_nothing(first in any_plan(), second in any_plan()) {
        let old = synced(None, &first, MORNING, "main").state;
        let once = synced(Some(&old), &second, NOON, "main");
        let twice = synced(Some(&once.state), &second, "2026-02-20T18:00:00Z", "team:x");
        let states = (once.state.as_object().unwrap(), twice.state.as_object().unwrap());
        prop_assert!(is_same_but_for_time(states.0, states.1));
        prop_assert_eq!(twice.events, Vec::new());
    }

    #[test]
    fn the_numbers_of_a_state_are_those_of_its_plan(plan in any_plan()) {
        let state = synced(None, &plan, MORNING, "main").state;
        let outline = outline(&plan);
        let total = outline.tasks().count() as u64;
        let done = outline.tasks().filter(|(_, task)| task.done).count() as u64;
        prop_assert_eq!(at(&state, "/progress/totalTasks"), Some(&total.into()));
        prop_assert_eq!(at(&state, "/progress/completedTasks"), Some(&done.into()));
        let open = at(&state, "/currentTask") != Some(&Value::Null);
        prop_assert_eq!(open, done < total);
    }
}
