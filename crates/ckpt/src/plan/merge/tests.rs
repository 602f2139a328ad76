//! No tick and no task is lost, and a conflict is left only where both sides changed the same text.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;
use proptest::sample::Index;

use super::*;
use crate::plan::{ItemKind, scan};

fn merged(base: &str, ours: &str, theirs: &str) -> (String, usize) {
    let versions = Versions {
        base: base.as_bytes(),
        ours: ours.as_bytes(),
        theirs: theirs.as_bytes(),
    };
    let merged = merge(&versions, &ConflictStyle::default()).unwrap();
    (String::from_utf8(merged.text).unwrap(), merged.conflicts)
}

/// The result of a merge without conflicts.
fn clean(base: &str, ours: &str, theirs: &str) -> String {
    let (text, conflicts) = merged(base, ours, theirs);
    assert_eq!(conflicts, 0, "{text}");
    text
}

/// A plan in short: `a` is an open task, `A` a done one, `=` a phase with its heading; anything longer is itself.
fn plan(lines: &[&str]) -> String {
    let lines = lines.iter().map(|line| match *line {
        "=" => "## Build\n<!-- CHECKPOINT: build -->\n".to_owned(),
        letter if letter.len() == 1 => {
            let mark = if letter == letter.to_uppercase() {
                'x'
            } else {
                ' '
            };
            let id = letter.to_lowercase();
            format!("- [{mark}] Do {id} <!-- TASK: {id} -->\n")
        }
        line => format!("{line}\n"),
    });
    lines.collect()
}

#[test]
fn ticks_of_both_sides_count() {
    let base = plan(&["a", "b", "c", "D"]);
    let ours = plan(&["A", "b", "c", "D"]);
    let theirs = plan(&["a", "B", "c", "d"]);
    assert_eq!(clean(&base, &ours, &theirs), plan(&["A", "B", "c", "d"]));
    // A mark that is not a tick does not win over one.
    let dropped = base.replace("[ ] Do a", "[-] Do a");
    assert_eq!(clean(&base, &dropped, &ours), ours);
    assert_eq!(clean(&base, &ours, &dropped), ours);
    let started = base.replace("[ ] Do a", "[~] Do a");
    assert_eq!(merged(&base, &dropped, &started).1, 1);
}

#[test]
fn tasks_that_both_sides_added_are_all_there_once() {
    let base = plan(&["a"]);
    let ours = plan(&["a", "b", "c"]);
    let theirs = plan(&["a", "C", "d"]);
    assert_eq!(clean(&base, &ours, &theirs), plan(&["a", "b", "C", "d"]));
    // In different places: ours counts.
    let base = plan(&["a", "=", "b"]);
    let ours = plan(&["c", "a", "=", "b"]);
    let theirs = plan(&["a", "=", "b", "C"]);
    assert_eq!(clean(&base, &ours, &theirs), plan(&["C", "a", "=", "b"]));
}

#[test]
fn a_removed_task_stays_if_the_other_side_changed_it() {
    let base = plan(&["a", "b", "c"]);
    let without = plan(&["a", "c"]);
    let ticked = plan(&["a", "B", "c"]);
    assert_eq!(clean(&base, &without, &ticked), ticked);
    assert_eq!(clean(&base, &ticked, &without), ticked);
    let edited = base.replace("Do b", "Do b well");
    assert_eq!(clean(&base, &without, &edited), edited);
    assert_eq!(
        clean(&base, &without, &plan(&["A", "b", "c"])),
        plan(&["A", "c"])
    );
}

#[test]
fn a_task_that_stays_has_the_lines_below_it() {
    let base = plan(&["a", "  See notes.", "b", "  See notes.", "  - first", "c"]);
    let without = plan(&["a", "  See notes.", "c"]);
    let ticked = base.replace("[ ] Do b", "[x] Do b");
    assert_eq!(clean(&base, &without, &ticked), ticked);
    assert_eq!(clean(&base, &ticked, &without), ticked);
    // A change of the lines alone keeps the task too, without a conflict that does not show it.
    let detailed = base.replace("  - first", "  - first\n\n  - second");
    assert_eq!(clean(&base, &without, &detailed), detailed);
    assert_eq!(clean(&base, &detailed, &without), detailed);
    let bare = base.replace("  See notes.\n  - first\n", "");
    assert_eq!(clean(&base, &without, &bare), bare);
}

#[test]
fn a_task_stays_with_the_heading_of_its_phase() {
    let base = plan(&["a", "", "=", "", "b", "c", "", "## More", "d"]);
    let without = plan(&["a", "", "## More", "d"]);
    let ticked = plan(&["a", "", "=", "", "B", "c", "", "## More", "d"]);
    let text = clean(&base, &without, &ticked);
    let scan = scan(text.as_bytes()).unwrap();
    let item = scan
        .items
        .iter()
        .find(|item| item.id.of(text.as_bytes()) == b"b");
    assert_eq!(
        item.map(|item| (item.done, item.phase)),
        Some((true, Some(0))),
        "{text}"
    );
    assert!(
        text.contains("## Build\n<!-- CHECKPOINT: build -->\n"),
        "{text}"
    );
    assert!(!text.contains("TASK: c"), "{text}");
}

#[test]
fn a_moved_task_keeps_the_changes_of_the_other_side() {
    let base = plan(&["a", "b", "c", "=", "d", "e"]);
    let moved = plan(&["b", "c", "=", "d", "a", "e"]);
    let ticked = plan(&["A", "b", "c", "=", "d", "e"]);
    let expected = plan(&["b", "c", "=", "d", "A", "e"]);
    assert_eq!(clean(&base, &moved, &ticked), expected);
    assert_eq!(clean(&base, &ticked, &moved), expected);
    let edited = base.replace("Do a", "Do a well");
    assert_eq!(
        clean(&base, &moved, &edited),
        moved.replace("Do a", "Do a well")
    );
    // Moved by both: where we moved it.
    let elsewhere = plan(&["b", "a", "c", "=", "d", "e"]);
    assert_eq!(clean(&base, &moved, &elsewhere), moved);
}

#[test]
fn an_id_that_one_side_gave_a_checkbox_goes_with_the_tick_of_the_other() {
    let base = "- [ ] One\n- [ ] Two\n";
    let marked = "- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n";
    let ticked = "- [ ] One\n- [x] Two\n- [ ] Three\n";
    let expected = "- [ ] One <!-- TASK: one -->\n- [x] Two <!-- TASK: two -->\n- [ ] Three\n";
    assert_eq!(clean(base, marked, ticked), expected);
    assert_eq!(clean(base, ticked, marked), expected);
    // Without any id, the text tells which is which.
    assert_eq!(
        clean(base, "- [x] One\n- [ ] Two\n", ticked),
        "- [x] One\n- [x] Two\n- [ ] Three\n"
    );
    let (text, conflicts) = merged(base, marked, &marked.replace("TASK: two", "TASK: 2"));
    assert_eq!(
        (conflicts, text.matches("<<<<<<<").count()),
        (1, 1),
        "{text}"
    );
}

#[test]
fn decisions_and_blockers_of_both_sides_are_there_once() {
    let base = plan(&["a", "=", "b"]);
    let ours = plan(&[
        "a",
        "<!-- DECISION: Use it -->",
        "=",
        "b",
        "<!-- BLOCKER: No key -->",
    ]);
    let theirs = plan(&[
        "a",
        "<!-- DECISION: Do not -->",
        "=",
        "b",
        "c",
        "<!-- DECISION: Use it -->",
    ]);
    let expected = plan(&[
        "a",
        "<!-- DECISION: Use it -->",
        "<!-- DECISION: Do not -->",
        "=",
        "b",
        "<!-- BLOCKER: No key -->",
        "c",
    ]);
    assert_eq!(clean(&base, &ours, &theirs), expected);
    // A blocker that one side removed is gone.
    assert_eq!(
        clean(&ours, &base, &(ours.clone() + "\nmore\n")),
        base + "\nmore\n"
    );
}

#[test]
fn two_new_phases_are_not_mixed() {
    let phase = |name: &str| {
        format!(
            "\n## {name}\n\n<!-- CHECKPOINT: {name} -->\n\nDepends on build.\n\n- [ ] Do {name} <!-- TASK: {name}-1 -->\n"
        )
    };
    let base = plan(&["=", "a"]);
    let (ours, theirs) = (base.clone() + &phase("test"), base.clone() + &phase("ship"));
    let expected = base.clone() + &phase("test") + &phase("ship");
    assert_eq!(clean(&base, &ours, &theirs), expected);
    // The same phase, added by both, is there once with all its tasks.
    let more = ours.clone() + &plan(&["b"]);
    let other = ours.clone() + &plan(&["c"]);
    assert_eq!(clean(&base, &more, &other), ours + &plan(&["b", "c"]));
}

#[test]
fn a_conflict_is_the_one_line_that_both_changed() {
    let base = plan(&["Intro.", "a", "b", "c", "Outro."]);
    let ours = base
        .replace("Do b", "Do b now")
        .replace("[ ] Do a", "[x] Do a");
    let theirs = base
        .replace("Do b", "Do b later")
        .replace("[ ] Do b", "[x] Do b");
    let theirs = theirs.replace("[ ] Do c", "[x] Do c");
    let (text, conflicts) = merged(&base, &ours, &theirs);
    assert_eq!(conflicts, 1);
    assert_eq!(
        text,
        plan(&[
            "Intro.",
            "A",
            "<<<<<<< ours",
            "- [x] Do b now <!-- TASK: b -->",
            "=======",
            "- [x] Do b later <!-- TASK: b -->",
            ">>>>>>> theirs",
            "C",
            "Outro."
        ])
    );
    let style = ConflictStyle {
        marker_size: 9,
        ours: "HEAD",
        theirs: "topic",
    };
    let ours = base.replace("Intro.", "Ours.");
    let theirs = base.replace("Intro.\n", "Theirs.\n- [ ] New <!-- TASK: new -->\n");
    let versions = Versions {
        base: base.as_bytes(),
        ours: ours.as_bytes(),
        theirs: theirs.as_bytes(),
    };
    let merged = merge(&versions, &style).unwrap();
    let text = String::from_utf8(merged.text).unwrap();
    let expected = "<<<<<<<<< HEAD\nOurs.\n=========\nTheirs.\n>>>>>>>>> topic\n- [ ] New <!-- TASK: new -->\n- [ ] Do a";
    assert!(text.starts_with(expected), "{text}");
}

#[test]
fn line_endings_and_the_last_line_are_kept() {
    let crlf = |text: &str| text.replace('\n', "\r\n");
    let base = plan(&["a", "b"]);
    let (ours, theirs) = (plan(&["A", "b"]), plan(&["a", "B", "c"]));
    assert_eq!(
        clean(&crlf(&base), &crlf(&ours), &crlf(&theirs)),
        crlf(&plan(&["A", "B", "c"]))
    );
    // One side changed all line endings.
    assert_eq!(
        clean(&base, &crlf(&ours), &plan(&["a", "B"])),
        crlf(&plan(&["A", "B"]))
    );
    let cut = |lines: &[&str]| plan(lines).trim_end().to_owned();
    assert_eq!(
        clean(&cut(&["a"]), &cut(&["a", "b"]), &cut(&["a", "c"])),
        cut(&["a", "b", "c"])
    );
    assert_eq!(
        clean(&cut(&["a", "b"]), &cut(&["A", "b"]), &cut(&["a", "B"])),
        cut(&["A", "B"])
    );
    let mark = "\u{feff}";
    assert_eq!(
        clean(
            &format!("{mark}{base}"),
            &format!("{mark}{ours}"),
            &format!("{mark}{theirs}")
        ),
        format!("{mark}{}", plan(&["A", "B", "c"]))
    );
}

#[test]
fn code_is_text() {
    let base = "```\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n```\n";
    let ours = base.replace("[ ] One", "[x] One");
    let theirs = base.replace("[ ] Two", "[x] Two");
    assert_eq!(merged(base, &ours, &theirs).1, 1);
}

#[test]
fn more_lines_than_the_limit_are_refused() {
    let long = "line\n".repeat(MOST_LINES + 1);
    let versions = Versions {
        base: b"",
        ours: long.as_bytes(),
        theirs: b"x",
    };
    assert_eq!(
        merge(&versions, &ConflictStyle::default()),
        Err(TooManyLines)
    );
}

/// A line of a generated plan.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Part {
    Phase(u8),
    Item {
        kind: ItemKind,
        id: u8,
        edits: String,
        is_done: bool,
        has_id: bool,
    },
    Note(u8),
    Prose(String),
    Blank,
}

impl Part {
    fn written(&self) -> String {
        match self {
            Self::Phase(id) => format!("## Phase {id}\n<!-- CHECKPOINT: phase-{id} -->\n"),
            Self::Item {
                kind,
                id,
                edits,
                is_done,
                has_id,
            } => {
                let mark = if *is_done { 'x' } else { ' ' };
                let marker = kind.marker();
                let marker = match has_id {
                    true => format!(" <!-- {marker}: id-{id} -->"),
                    false => String::new(),
                };
                format!("- [{mark}] {kind:?} {id}{edits}{marker}\n")
            }
            Self::Note(number) => format!("<!-- DECISION: Number {number} -->\n"),
            Self::Prose(text) => format!("{text}\n"),
            Self::Blank => "\n".to_owned(),
        }
    }

    fn is_same_thing(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Phase(id), Self::Phase(other)) => id == other,
            (
                Self::Item { kind, id, .. },
                Self::Item {
                    kind: other_kind,
                    id: other_id,
                    ..
                },
            ) => (kind, id) == (other_kind, other_id),
            _ => false,
        }
    }
}

/// A change that one side makes.
#[derive(Debug, Clone)]
enum Edit {
    Tick(Index),
    Add(Index, Part),
    Remove(Index),
    Move(Index, Index),
    /// Changes the text of an item, or of prose.
    Reword(Index),
    Mark(Index),
}

fn any_part() -> impl Strategy<Value = Part> {
    let kind = prop_oneof![4 => Just(ItemKind::Task), 1 => Just(ItemKind::Acceptance)];
    let item = (kind, 0..40u8, any::<bool>(), prop::bool::weighted(0.9)).prop_map(
        |(kind, id, is_done, has_id)| Part::Item {
            kind,
            id,
            edits: String::new(),
            is_done,
            has_id,
        },
    );
    prop_oneof![
        8 => item,
        1 => (0..4u8).prop_map(Part::Phase),
        1 => (0..4u8).prop_map(Part::Note),
        1 => (0..6u8).prop_map(|number| Part::Prose(format!("Prose {number}."))),
        1 => Just(Part::Blank),
    ]
}

fn any_edit() -> impl Strategy<Value = Edit> {
    let index = any::<Index>;
    prop_oneof![
        4 => index().prop_map(Edit::Tick),
        3 => (index(), any_part()).prop_map(|(at, part)| Edit::Add(at, part)),
        2 => index().prop_map(Edit::Remove),
        2 => (index(), index()).prop_map(|(from, to)| Edit::Move(from, to)),
        2 => index().prop_map(Edit::Reword),
        1 => index().prop_map(Edit::Mark),
    ]
}

/// Adds a part, unless the plan has it.
fn add(parts: &mut Vec<Part>, at: usize, part: Part) {
    if !parts.iter().any(|known| known.is_same_thing(&part)) {
        parts.insert(at, part);
    }
}

fn edited(parts: &[Part], edits: &[Edit], side: &str) -> Vec<Part> {
    let mut parts = parts.to_vec();
    for edit in edits {
        if let Edit::Add(at, part) = edit {
            let at = at.index(parts.len() + 1);
            add(&mut parts, at, part.clone());
            continue;
        }
        if parts.is_empty() {
            continue;
        }
        match edit {
            Edit::Add(..) => {}
            Edit::Remove(at) => drop(parts.remove(at.index(parts.len()))),
            Edit::Move(from, to) => {
                let part = parts.remove(from.index(parts.len()));
                parts.insert(to.index(parts.len() + 1), part);
            }
            Edit::Tick(at) | Edit::Mark(at) | Edit::Reword(at) => {
                let at = at.index(parts.len());
                match (edit, &mut parts[at]) {
                    (Edit::Tick(_), Part::Item { is_done, .. }) => *is_done = !*is_done,
                    (Edit::Mark(_), Part::Item { has_id, .. }) => *has_id = true,
                    (Edit::Reword(_), Part::Item { edits, .. }) => *edits += side,
                    (Edit::Reword(_), Part::Prose(text)) => *text += side,
                    _ => {}
                }
            }
        }
    }
    parts
}

fn written(parts: &[Part]) -> String {
    parts.iter().map(Part::written).collect()
}

/// Two sides of a plan.
#[derive(Debug, Clone)]
struct History {
    base: String,
    ours: String,
    theirs: String,
}

fn any_history() -> impl Strategy<Value = History> {
    let edits = || prop::collection::vec(any_edit(), 0..12);
    let parts = prop::collection::vec(any_part(), 0..25);
    (parts, edits(), edits()).prop_map(|(parts, ours, theirs)| {
        let mut base = Vec::new();
        for part in parts {
            let end = base.len();
            add(&mut base, end, part);
        }
        History {
            base: written(&base),
            ours: written(&edited(&base, &ours, " (ours)")),
            theirs: written(&edited(&base, &theirs, " (theirs)")),
        }
    })
}

/// Each item with its text, and whether it is done. One without an id is known by its text.
fn items(text: &str) -> BTreeMap<(String, String), (String, bool)> {
    let scan = scan(text.as_bytes()).unwrap();
    let words =
        |span: crate::plan::Span| String::from_utf8_lossy(span.of(text.as_bytes())).into_owned();
    let mut items = BTreeMap::new();
    for item in &scan.items {
        let key = (format!("{:?}", item.kind), words(item.id));
        items.insert(key, (words(item.text), item.done));
    }
    for found in &scan.untracked {
        let text = words(found.text);
        let (kind, number) = text.split_once(' ').unwrap();
        let key = (kind.to_owned(), format!("id-{number}"));
        items.entry(key).or_insert((text.clone(), found.done));
    }
    items
}

fn notes(text: &str) -> BTreeSet<String> {
    let scan = scan(text.as_bytes()).unwrap();
    let notes = scan.notes.iter();
    notes
        .map(|note| String::from_utf8_lossy(note.text.of(text.as_bytes())).into_owned())
        .collect()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]

    #[test]
    fn no_task_and_no_tick_of_either_side_is_lost(history in any_history()) {
        let History { base, ours, theirs } = &history;
        let (text, _) = merged(base, ours, theirs);
        let [before, ours, theirs, after] = [base, ours, theirs, &text].map(|text| items(text));
        for id in ours.keys().chain(theirs.keys()) {
            // Nothing tells that a checkbox without an id is still the same when its text has changed.
            let begin = format!("- [ ] {} {}", id.0, &id.1[3..]);
            let all = [&history.base, &history.ours, &history.theirs];
            let lines = all.iter().flat_map(|text| text.lines());
            let lines = lines.map(|line| line.replace("[x]", "[ ]"));
            let lines: Vec<String> = lines
                .filter(|line| line.strip_prefix(&begin).is_some_and(|rest| !rest.starts_with(|c: char| c.is_ascii_digit())))
                .collect();
            let has_lost_its_name = lines.iter().any(|line| !line.contains("<!--"))
                && lines.iter().any(|line| line.contains('('));
            if has_lost_its_name || id.1.contains(' ') {
                continue;
            }
            let had = before.get(id);
            let expected = match (ours.get(id), theirs.get(id)) {
                (Some((_, ours)), Some((_, theirs))) => Some(match had {
                    Some((_, was)) if ours == was => *theirs,
                    Some(_) => *ours,
                    None => *ours || *theirs,
                }),
                // Removed by one side: it stays if the other side changed it.
                (one, other) => one.or(other).filter(|item| Some(*item) != had).map(|(_, done)| *done),
            };
            if let Some(done) = expected {
                prop_assert_eq!(after.get(id).map(|(_, done)| *done), Some(done), "{:?}\n{}", id, &text);
            }
        }
        for id in after.keys() {
            prop_assert!(ours.contains_key(id) || theirs.contains_key(id), "{:?} came back", id);
        }
    }

    #[test]
    fn decisions_of_both_sides_are_there(history in any_history()) {
        let History { base, ours, theirs } = &history;
        let (text, _) = merged(base, ours, theirs);
        let [before, ours, theirs, after] = [base, ours, theirs, &text].map(|text| notes(text));
        for note in ours.union(&theirs) {
            // Each side may have removed another copy.
            let is_repeated = base.matches(&format!("DECISION: {note} -->")).count() > 1;
            let both = ours.contains(note) && theirs.contains(note) && !is_repeated;
            prop_assert!(after.contains(note) || before.contains(note) && !both, "{}\n{}", note, &text);
        }
    }

    #[test]
    fn merging_again_changes_nothing(history in any_history()) {
        let History { base, ours, theirs } = &history;
        let result = merged(base, ours, theirs);
        let text = &result.0;
        prop_assert_eq!(&merged(base, text, text).0, text);
        prop_assert_eq!(&merged(base, base, theirs).0, theirs);
        prop_assert_eq!(&merged(base, ours, base).0, ours);
        if result.1 == 0 {
            // Their commits are merged already.
            prop_assert_eq!(&merged(theirs, text, theirs).0, text);
        }
    }

    #[test]
    fn ticks_and_tasks_do_not_depend_on_which_side_is_ours(history in any_history()) {
        let History { base, ours, theirs } = &history;
        let (one, conflicts) = merged(base, ours, theirs);
        let (other, same) = merged(base, theirs, ours);
        prop_assert_eq!(conflicts, same);
        let ticks = |text: &str| -> BTreeMap<_, bool> {
            items(text).into_iter().map(|(id, (_, done))| (id, done)).collect()
        };
        prop_assert_eq!(ticks(&one), ticks(&other));
    }

    #[test]
    fn there_is_no_conflict_unless_both_sides_changed_a_text(history in any_history()) {
        let History { base, ours, theirs } = &history;
        let things = |text: &str| -> String {
            let lines = text.split_inclusive('\n');
            let things = lines.filter(|line| line.contains("<!--") || line.starts_with("##"));
            things.collect()
        };
        let (base, ours, theirs) = (things(base), things(ours), things(theirs).replace(" (theirs)", ""));
        let [before, mine, yours] = [&base, &ours, &theirs].map(|text| items(text));
        let is_added_twice = |id| !before.contains_key(id) && yours.contains_key(id);
        prop_assume!(!mine.iter().any(|(id, (text, _))| is_added_twice(id) && text.ends_with(')')));
        let (text, conflicts) = merged(&base, &ours, &theirs);
        prop_assert_eq!(conflicts, 0, "{}", text);
    }
}
