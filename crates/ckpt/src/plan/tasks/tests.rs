use super::super::{Outline, Present, Refusal, Source};
use super::*;
use crate::document::Object;
use crate::time::Timestamp;

const PLAN: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [x] Create schema <!-- TASK: schema -->
  - [x] Roles <!-- TASK: roles -->

    With a remark.
- [ ] Seed <!-- TASK: seed -->

### Acceptance
- [ ] It works <!-- ACCEPT: works -->

## Build
<!-- CHECKPOINT: build -->
1. [ ] Form <!-- TASK: form -->

Closing words.
";

fn run<T>(plan: &str, operation: impl Fn(&Present<'_>) -> T) -> T {
    let sources = [Source {
        name: "plan.md",
        text: plan.as_bytes(),
    }];
    operation(&Present {
        sources: &sources,
        outline: &Outline::read(&sources).unwrap(),
        state: &Object::new(),
        now: Timestamp::parse("2026-02-20T11:49:00Z").unwrap(),
        by: "main",
        agent: None,
        session: None,
        gone: &[],
    })
}

fn after(plan: &str, change: &Change) -> String {
    let mut text = plan.as_bytes().to_vec();
    for (_, edit) in &change.edits {
        text = edit.apply(&text).unwrap();
    }
    String::from_utf8(text).unwrap()
}

fn added(plan: &str, text: &str, place: TaskPlace) -> Result<String, Refusal> {
    let new = NewTask {
        text: text.to_owned(),
        place,
    };
    let change = run(plan, |present| add_task(present, &new))?;
    Ok(after(plan, &change))
}

/// The lines that differ between two texts with the same lines otherwise.
fn new_lines<'t>(before: &str, after: &'t str) -> Vec<(usize, &'t str)> {
    let mut old = before.lines().peekable();
    let numbered = after.lines().enumerate();
    let new = numbered.filter(|(_, line)| old.next_if_eq(line).is_none());
    let new: Vec<(usize, &str)> = new.map(|(at, line)| (at + 1, line)).collect();
    assert_eq!(old.next(), None, "{after}");
    new
}

#[test]
fn a_new_task_goes_to_the_end_of_the_current_phase() {
    let text = added(PLAN, "Write docs", TaskPlace::Current).unwrap();
    let line = "- [ ] Write docs <!-- TASK: write-docs -->";
    assert_eq!(new_lines(PLAN, &text), [(10, line)]);
}

#[test]
fn a_new_task_goes_to_the_end_of_a_named_phase_in_the_style_of_its_list() {
    let text = added(PLAN, "Page", TaskPlace::Phase("build".to_owned())).unwrap();
    assert_eq!(
        new_lines(PLAN, &text),
        [(17, "2. [ ] Page <!-- TASK: page -->")]
    );
    let crlf = PLAN.replace('\n', "\r\n");
    let text = added(&crlf, "Page", TaskPlace::Phase("build".to_owned())).unwrap();
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
}

#[test]
fn a_new_task_goes_below_another_and_what_belongs_to_that() {
    let text = added(PLAN, "Index", TaskPlace::After("schema".to_owned())).unwrap();
    let line = "- [ ] Index <!-- TASK: index -->";
    assert_eq!(new_lines(PLAN, &text), [(7, line)]);
    let text = added(PLAN, "Rights", TaskPlace::After("roles".to_owned())).unwrap();
    let line = "  - [ ] Rights <!-- TASK: rights -->";
    assert_eq!(new_lines(PLAN, &text), [(7, line)]);
}

#[test]
fn a_plan_without_tasks_gets_its_first_one() {
    for (plan, line) in [
        ("# Login\n", 2),
        ("# Login", 2),
        ("", 1),
        ("## Setup\n<!-- CHECKPOINT: setup -->\n\n## Later\n", 3),
    ] {
        let text = added(plan, "First", TaskPlace::Current).unwrap();
        let first = "- [ ] First <!-- TASK: first -->";
        let found = text.lines().position(|found| found == first);
        assert!(found.is_some(), "{plan:?}: {text:?}");
        assert!(found.unwrap() < text.lines().count() && line > 0);
    }
}

#[test]
fn an_id_is_made_that_nothing_has_yet() {
    let text = added(PLAN, "Works!", TaskPlace::Current).unwrap();
    assert!(text.contains("TASK: works-2 -->"), "{text}");
}

#[test]
fn a_text_that_would_be_more_than_one_task_is_refused() {
    for text in ["", "two\nlines", "a --> b"] {
        let refused = added(PLAN, text, TaskPlace::Current);
        assert_eq!(refused, Err(Refusal::NotOneLine("a task")), "{text:?}");
    }
    let place = TaskPlace::After("nope".to_owned());
    let unknown = added(PLAN, "A", place).unwrap_err();
    assert!(matches!(unknown, Refusal::Unknown { .. }), "{unknown}");
    let place = TaskPlace::Phase("nope".to_owned());
    let unknown = added(PLAN, "A", place).unwrap_err();
    assert_eq!(unknown, Refusal::UnknownPhase("nope".to_owned()));
    let open = "- [ ] A <!-- TASK: a -->\n```\ncode\n";
    let refused = added(open, "B", TaskPlace::Phase("main".to_owned()));
    assert!(refused.is_ok(), "below the task, before the code");
    let conflict = "<<<<<<< a\n- [ ] A <!-- TASK: a -->\n=======\n>>>>>>> b\n";
    let refused = added(conflict, "B", TaskPlace::Current).unwrap_err();
    assert!(matches!(refused, Refusal::Conflict { .. }), "{refused}");
}

#[test]
fn an_edit_changes_the_text_and_keeps_the_tick_and_the_id() {
    for (id, old, new) in [
        ("roles", "Roles", "Roles and rights"),
        ("works", "It works", "It works on phones"),
    ] {
        let change = run(PLAN, |present| edit_task(present, id, new)).unwrap();
        assert_eq!(after(PLAN, &change), PLAN.replacen(old, new, 1));
        assert_eq!(change.events.len(), 1);
    }
    let same = run(PLAN, |present| edit_task(present, "seed", "Seed")).unwrap();
    assert_eq!(same, Change::default());
    let unknown = run(PLAN, |present| edit_task(present, "nope", "A"));
    assert!(matches!(unknown, Err(Refusal::Unknown { .. })));
    let hidden = run(PLAN, |present| edit_task(present, "seed", "A <!-- TASK: b"));
    assert!(hidden.is_err(), "a second marker");
}
