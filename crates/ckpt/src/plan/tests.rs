//! Behaviour of plans.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use proptest::prelude::*;

use super::*;
use crate::document::Object;
use crate::time::Timestamp;

fn text(span: Span, plan: &str) -> &str {
    std::str::from_utf8(span.of(plan.as_bytes())).unwrap()
}

fn scanned(plan: &str) -> Scan {
    scan(plan.as_bytes()).unwrap()
}

/// Each task as `id done phase`.
fn tasks(plan: &str) -> Vec<String> {
    let scan = scanned(plan);
    let phase = |item: &Item| match item.phase {
        Some(phase) => text(scan.phases[phase as usize].id, plan).to_owned(),
        None => "main".to_owned(),
    };
    scan.items
        .iter()
        .map(|item| format!("{} {} {}", text(item.id, plan), item.done, phase(item)))
        .collect()
}

const EXAMPLE: &str = "\
# Feature

## Phase 1: Setup
<!-- CHECKPOINT: phase-1-setup -->

- [ ] Create database schema <!-- TASK: db-schema -->
- [x] Setup auth middleware <!-- TASK: auth-middleware -->
- [ ] All migrations pass <!-- ACCEPT: migrations -->

<!-- DECISION: Using async SQLAlchemy 2.0 for better performance -->

## Phase 2
<!-- CHECKPOINT: phase-2 -->
- [x] Tests green <!-- ACCEPT: tests -->
<!-- BLOCKER: Waiting for API key from external team -->
- [ ] No id yet
";

#[test]
fn every_marker_is_found_with_its_place() {
    let scan = scanned(EXAMPLE);
    assert_eq!(
        tasks(EXAMPLE),
        [
            "db-schema false phase-1-setup",
            "auth-middleware true phase-1-setup",
            "migrations false phase-1-setup",
            "tests true phase-2",
        ]
    );
    let kinds: Vec<_> = scan.items.iter().map(|item| item.kind).collect();
    let (task, acceptance) = (ItemKind::Task, ItemKind::Acceptance);
    assert_eq!(kinds, [task, task, acceptance, acceptance]);
    assert_eq!(text(scan.items[0].text, EXAMPLE), "Create database schema");
    assert_eq!(scan.items[0].line, 6);
    assert_eq!(EXAMPLE.as_bytes()[scan.items[1].mark as usize], b'x');
    let notes: Vec<_> = scan
        .notes
        .iter()
        .map(|note| (note.kind, text(note.text, EXAMPLE), note.line, note.phase))
        .collect();
    assert_eq!(
        notes,
        [
            (
                NoteKind::Decision,
                "Using async SQLAlchemy 2.0 for better performance",
                10,
                Some(0)
            ),
            (
                NoteKind::Blocker,
                "Waiting for API key from external team",
                15,
                Some(1)
            ),
        ]
    );
    let comment = "<!-- BLOCKER: Waiting for API key from external team -->";
    assert_eq!(text(scan.notes[1].comment, EXAMPLE), comment);
    assert_eq!(text(scan.untracked[0].text, EXAMPLE), "No id yet");
    let headings: Vec<_> = scan
        .headings
        .iter()
        .map(|heading| (heading.level, text(heading.text, EXAMPLE)))
        .collect();
    assert_eq!(
        headings,
        [(1, "Feature"), (2, "Phase 1: Setup"), (2, "Phase 2")]
    );
}

#[test]
fn a_task_belongs_to_the_last_phase_above_it() {
    let mut plan = String::new();
    for phase in 1..=5 {
        plan += &format!("## Phase {phase}\n<!-- CHECKPOINT: phase-{phase} -->\n");
        for task in 1..=20 {
            let mark = if phase <= 2 { 'x' } else { ' ' };
            plan += &format!("- [{mark}] Task <!-- TASK: p{phase}-t{task} -->\n");
        }
    }
    let scan = scanned(&plan);
    assert_eq!(scan.items.iter().filter(|item| item.done).count(), 40);
    for phase in 0..5 {
        let inside = scan.items.iter().filter(|item| item.phase == Some(phase));
        assert_eq!(inside.count(), 20);
    }
}

#[test]
fn all_ways_of_writing_a_checkbox_count() {
    for line in [
        "- [X] a <!-- TASK: t -->",
        "* [x] a <!-- TASK: t -->",
        "+ [x] a <!-- TASK: t -->",
        "1. [x] a <!-- TASK: t -->",
        "12) [x] a <!-- TASK: t -->",
        "    \t- [x] a <!-- TASK: t -->",
        "-   [x] a <!-- TASK: t -->\r",
        "- [x] a <!--TASK:t-->",
        "- [x] a <!--   TASK:   t   --> and more",
        "- [x] <!-- TASK: t -->",
    ] {
        assert_eq!(tasks(line), ["t true main"], "{line:?}");
        assert_eq!(
            tasks(&line.replace(['x', 'X'], " ")),
            ["t false main"],
            "{line:?}"
        );
    }
    for mark in ["~", "-", ">", "/", "✓"] {
        assert_eq!(
            tasks(&format!("- [{mark}] a <!-- TASK: t -->")),
            ["t false main"]
        );
    }
    for line in [
        "-[x] a <!-- TASK: t -->",
        "- [x]a <!-- TASK: t -->",
        "- [] a <!-- TASK: t -->",
        "- [xx] a <!-- TASK: t -->",
        "a - [x] a <!-- TASK: t -->",
        "- [x] a <!-- TASK: two words -->",
        "- [x] a <!-- TASK: -->",
        "- [x] a <!-- task: t -->",
    ] {
        assert_eq!(tasks(line), [""; 0], "{line:?}");
    }
}

#[test]
fn markers_in_code_or_in_a_comment_are_plain_text() {
    let plan = "\
```md
- [x] a <!-- TASK: a -->
<!-- CHECKPOINT: p -->
~~~
```
~~~~
- [x] b <!-- TASK: b -->
```
~~~
- [x] c <!-- TASK: c -->
~~~~
<!-- a comment
- [x] d <!-- TASK: d -->
- [x] e <!-- TASK: e -->
  ```
  - [x] f <!-- TASK: f -->
  ```
`` ` `` - [x] g
- [ ] h <!-- TASK: h -->
";
    assert_eq!(tasks(plan), ["e true main", "h false main"]);
    assert_eq!(scanned(plan).phases.len(), 0);
    assert_eq!(scanned(plan).untracked.len(), 0);
}

#[test]
fn a_repeated_id_counts_once_and_is_reported_with_both_lines() {
    let plan = "\
<!-- CHECKPOINT: p -->
- [x] a <!-- TASK: t -->
- [ ] a <!-- ACCEPT: t -->
<!-- CHECKPOINT: q -->
- [ ] b <!-- TASK: t -->
<!-- CHECKPOINT: p -->
- [ ] c <!-- TASK: c -->
";
    assert_eq!(tasks(plan), ["t true p", "t false p", "c false p"]);
    let repeated: Vec<_> = scanned(plan)
        .repeated
        .iter()
        .map(|again| (text(again.id, plan).to_owned(), again.first, again.again))
        .collect();
    assert_eq!(repeated, [("t".to_owned(), 2, 5), ("p".to_owned(), 1, 6)]);
}

#[test]
fn bytes_that_are_not_text_are_skipped() {
    let plan = b"\xff\xfe\n- [x] caf\xe9 <!-- TASK: t -->\r\n- [\xff] b <!-- TASK: u -->";
    let scan = scan(plan).unwrap();
    assert_eq!(scan.items.len(), 1);
    assert_eq!(scan.items[0].text.of(plan), b"caf\xe9");
}

#[test]
fn a_hostile_plan_takes_linear_time() {
    // No time is measured: with quadratic work the test would never finish.
    let line = "- [ ] a ".repeat(4_000_000);
    assert_eq!(scanned(&line).untracked.len(), 1);
    let nested: String = (0..5_000)
        .map(|depth| format!("{}- [ ] x\n", " ".repeat(depth)))
        .collect();
    assert_eq!(scanned(&nested).untracked.len(), 5_000);
    let repeated = "- [ ] x <!-- TASK: same -->\n".repeat(500_000);
    assert_eq!(scanned(&repeated).repeated.len(), 499_999);
    let open = "<!-- ".repeat(2_000_000);
    assert_eq!(scanned(&open).items.len(), 0);
    let markers = "<!-- TASK: a --> ".repeat(1_000_000);
    assert_eq!(scanned(&format!("- [ ] {markers}")).items.len(), 1);
}

/// Lines of the kinds found in plans.
fn any_plan() -> impl Strategy<Value = String> {
    let line = prop_oneof![
        4 => ("(- |\\* |\\+ |1\\. )\\[[ xX]\\] [a-z]{1,5}", 0_u32..1000)
            .prop_map(|(line, id)| format!("{line} <!-- TASK: t{id} -->")),
        2 => "(- |\\* )\\[[ xX]\\] [a-z]{1,5}",
        1 => Just("```".to_owned()),
        1 => Just("~~~".to_owned()),
        1 => "#{1,4} [A-Z][a-z]{1,8}",
        1 => "[a-z]{1,8}",
        1 => Just(String::new()),
    ];
    prop::collection::vec(line, 0..30).prop_map(|lines| lines.join("\n"))
}

/// The checkboxes found by a full Markdown parser, in order.
fn by_pulldown_cmark(plan: &str) -> Vec<bool> {
    use pulldown_cmark::{Event, Options, Parser};
    let parser = Parser::new_ext(plan, Options::ENABLE_TASKLISTS);
    parser
        .filter_map(|event| match event {
            Event::TaskListMarker(done) => Some(done),
            _ => None,
        })
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn checkboxes_are_those_that_a_markdown_parser_finds(plan in any_plan()) {
        let scan = scanned(&plan);
        let mut found: Vec<(u32, bool)> = Vec::new();
        found.extend(scan.items.iter().map(|item| (item.line, item.done)));
        found.extend(scan.untracked.iter().map(|item| (item.line, item.done)));
        let lines: Vec<&str> = plan.lines().collect();
        // The scan drops repeated ids; the parser knows nothing of ids.
        let again = scan.repeated.iter().map(|again| {
            let line = lines[again.again as usize - 1];
            (again.again, line.contains("[x]") || line.contains("[X]"))
        });
        found.extend(again);
        found.sort_unstable();
        let done: Vec<bool> = found.into_iter().map(|(_, done)| done).collect();
        prop_assert_eq!(done, by_pulldown_cmark(&plan));
    }

    #[test]
    fn no_bytes_make_the_scan_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        let _ = scan(&bytes);
    }

    #[test]
    fn every_mark_stands_between_brackets(plan in any_plan()) {
        for item in scanned(&plan).items {
            let mark = item.mark as usize;
            prop_assert_eq!(plan.as_bytes()[mark - 1], b'[');
            prop_assert_eq!(plan.as_bytes()[mark + 1], b']');
        }
    }
}

fn marked(plan: &str) -> String {
    let edit = mark(plan.as_bytes(), &mut std::collections::HashSet::new()).unwrap();
    String::from_utf8(edit.apply(plan.as_bytes()).unwrap()).unwrap()
}

#[test]
fn ids_are_readable_in_any_script_and_end_with_a_word() {
    for (text, id) in [
        ("Größe 日本", "grosse-ri-ben"),
        ("Создать схему", "sozdat-skhemu"),
        ("Écrire l'index", "ecrire-l-index"),
        ("🚀", "rocket"),
        ("…", "task"),
        (
            "Check that all of the old accounts have been migrated",
            "check-that-all-of-the-old-accounts-have",
        ),
        (
            "Donaudampfschifffahrtsgesellschaftskapitaensmuetze",
            "donaudampfschifffahrtsgesellschaftskapit",
        ),
        (
            "exactly forty characters, not one morexx",
            "exactly-forty-characters-not-one-morexx",
        ),
    ] {
        assert_eq!(slug(text, "task"), id);
        assert!(slug(text, "task").len() <= 40);
    }
}

#[test]
fn marking_never_moves_a_task_to_another_phase() {
    let plan = "\
## A
<!-- CHECKPOINT: a -->
- [ ] One <!-- TASK: one -->

## B
- [ ] Two <!-- TASK: two -->
- [ ] Three

## C
- [ ] Four
";
    let marked = marked(plan);
    assert!(
        marked.contains("- [ ] Three <!-- TASK: three -->"),
        "{marked}"
    );
    assert!(
        !marked.contains("CHECKPOINT: b"),
        "two would move: {marked}"
    );
    assert!(marked.contains("## C\n<!-- CHECKPOINT: c -->"), "{marked}");
    let before = Outline::read(&[Source {
        name: "plan.md",
        text: plan.as_bytes(),
    }])
    .unwrap();
    let after = Outline::read(&[Source {
        name: "plan.md",
        text: marked.as_bytes(),
    }])
    .unwrap();
    for (phase, task) in before.tasks() {
        let mut found = after.tasks().filter(|(_, found)| found.id == task.id);
        assert_eq!(found.next().unwrap().0.id, phase.id, "{}", task.id);
    }
}

#[test]
fn boxes_below_a_heading_about_acceptance_become_criteria_of_the_phase_above() {
    let plan = "\
## Setup
- [ ] Schema
### Acceptance criteria
- [ ] It is fast
## Definition of done
- [x] Reviewed
## Acceptable risks
- [ ] Ask Ana
";
    let marked = marked(plan);
    assert!(
        marked.contains("- [ ] It is fast <!-- ACCEPT: it-is-fast -->"),
        "{marked}"
    );
    assert!(
        marked.contains("- [x] Reviewed <!-- ACCEPT: reviewed -->"),
        "{marked}"
    );
    assert!(
        marked.contains("- [ ] Ask Ana <!-- TASK: ask-ana -->"),
        "{marked}"
    );
    assert!(!marked.contains("CHECKPOINT: definition"), "{marked}");
    assert!(marked.contains("CHECKPOINT: acceptable-risks"), "{marked}");
}

#[test]
fn marking_gives_ids_to_boxes_and_phase_headings_and_changes_nothing_else() {
    let plan = "# Plan\r\n\r\n## Set up!\r\n- [ ] Add the *schema*\r\n- [x] Add the schema  \r\n### Detail\r\n* [ ] 日本\r\n## Notes\r\nprose\r\n## Ship\r\n<!-- CHECKPOINT: ship -->\r\n1. [ ] Tag <!-- TASK: tag -->\r\n";
    let expected = "# Plan\r\n\r\n## Set up!\r\n<!-- CHECKPOINT: set-up -->\r\n- [ ] Add the *schema* <!-- TASK: add-the-schema -->\r\n- [x] Add the schema <!-- TASK: add-the-schema-2 -->  \r\n### Detail\r\n* [ ] 日本 <!-- TASK: ri-ben -->\r\n## Notes\r\nprose\r\n## Ship\r\n<!-- CHECKPOINT: ship -->\r\n1. [ ] Tag <!-- TASK: tag -->\r\n";
    assert_eq!(marked(plan), expected);
    assert_eq!(marked(expected), expected);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(500))]

    #[test]
    fn marking_then_ticking_then_unticking_gives_back_the_text_outside_the_marks(
        plan in any_plan(), order in any::<u64>(),
    ) {
        let marks = mark(plan.as_bytes(), &mut HashSet::new()).unwrap();
        prop_assert!(marks.splices().iter().all(|splice| splice.old.is_empty()), "only added");
        let marked = marked(&plan);
        prop_assert_eq!(scanned(&marked).untracked.len(), 0);
        let mut text = marked.clone().into_bytes();
        let mut ids: Vec<String> = scanned(&marked)
            .items
            .iter()
            .map(|item| self::text(item.id, &marked).to_owned())
            .collect();
        let opened: Vec<u8> = {
            let mut all = marked.clone().into_bytes();
            for item in scanned(&marked).items {
                all[item.mark as usize] = b' ';
            }
            all
        };
        ids.sort_by_cached_key(|id| RandomState::new().hash_one((id, order)));
        for to in [Tick::Done, Tick::Open] {
            for id in &ids {
                let source = [Source { name: "plan.md", text: &text }];
                let outline = Outline::read(&source).unwrap();
                let present = Present {
                    sources: &source,
                    outline: &outline,
                    state: &Object::new(),
                    now: Timestamp::parse("2026-02-20T11:49:00Z").unwrap(),
                    by: "main",
                    agent: None,
                    session: None,
                    gone: &[],
                };
                let change = tick(&present, ItemKind::Task, std::slice::from_ref(id), to, Claimed::Ignore).unwrap();
                for (_, edit) in change.edits {
                    text = edit.apply(&text).unwrap();
                }
            }
        }
        prop_assert_eq!(text, opened);
    }
}

#[test]
fn a_mark_at_the_start_of_the_file_hides_nothing_of_the_first_line() {
    for first in [
        "- [x] A <!-- TASK: a -->\n",
        "# One\n<!-- CHECKPOINT: one -->\n- [x] A <!-- TASK: a -->",
    ] {
        let plan = format!("\u{feff}{first}");
        let scan = scanned(&plan);
        assert_eq!(text(scan.items[0].id, &plan), "a");
        assert_eq!(&plan[scan.items[0].mark as usize..][..1], "x");
    }
}

#[test]
fn markers_that_mark_nothing_are_reported_with_their_lines() {
    let plan = "\
- [ ] A <!-- TASK: a --> <!-- TASK: b -->
No box <!-- ACCEPT: c -->
- [ ] D <!-- TASK: two words -->
<!-- CHECKPOINT: no/id -->
<!-- TASK: -->
";
    let scan = scanned(plan);
    let strays: Vec<_> = scan
        .strays
        .iter()
        .map(|stray| (stray.line, text(stray.id, plan), stray.why))
        .collect();
    use StrayReason::{BadId, NoCheckbox};
    let task = ItemKind::Task;
    assert_eq!(
        strays,
        [
            (1, "b", NoCheckbox(task)),
            (2, "c", NoCheckbox(ItemKind::Acceptance)),
            (3, "two words", BadId),
            (4, "no/id", BadId),
        ]
    );
    assert_eq!(
        scan.untracked.len(),
        1,
        "its marker is none, so it has no id"
    );
}
