//! Plans: the scan finds what a slow reading finds, marking adds ids and nothing else, and a merge can be repeated.
//!
//! Each input is used twice: as a plan, and as choices from a grammar of fragments.

mod grammar;
mod plainly;
mod versions;

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use ckpt::plan::{
    ConflictStyle, Item, ItemKind, Merged, Outline, Scan, Source, Span, Versions, mark, merge, scan,
};

use crate::choices::Choices;

/// How many boxes of a plan are ticked: each takes another scan.
const TICKED: usize = 4;

/// Scans, marks and merges.
pub fn run(bytes: &[u8]) {
    read(bytes);
    let parts: Vec<&[u8]> = bytes.splitn(3, |byte| *byte == 0).collect();
    if let [base, ours, theirs] = parts[..] {
        merged(base, ours, theirs);
    }
    read(&grammar::plan(&mut Choices::new(bytes)));
    let (first, second) = bytes.split_at(bytes.len() / 2);
    let base = Choices::new(first);
    let changes = Choices::new(second);
    for (base, new_line) in [
        (
            grammar::plan(&mut base.clone()),
            grammar::line as fn(&mut Choices<'_>) -> String,
        ),
        (grammar::tidy_plan(&mut base.clone()), grammar::tidy_line),
    ] {
        let mut choices = changes.clone();
        let mut side = || versions::changed(&base, &mut choices, new_line);
        let (ours, theirs) = (side(), side());
        merged(&base, &ours, &theirs);
    }
}

fn scanned(text: &[u8]) -> Scan {
    scan(text).expect("it is not that long")
}

fn read(text: &[u8]) {
    let scan = scanned(text);
    assert_eq!(plainly::found(&scan), plainly::read(text));
    ticked(text, &scan);
    outlined(text, &scan);
    marked(text, &scan);
}

/// A mark stands between brackets. Ticking a box changes that box, and nothing else.
fn ticked(text: &[u8], scan: &Scan) {
    for (at, item) in scan.items.iter().enumerate() {
        let mark = item.mark as usize;
        assert_eq!(text[mark - 1], b'[');
        let is_plain = text[mark + 1] == b']';
        if at < TICKED && is_plain {
            let mut other = text.to_vec();
            other[mark] = if item.done { b' ' } else { b'x' };
            let mut expected = plainly::found(scan);
            expected.items[at].done = !item.done;
            assert_eq!(plainly::found(&scanned(&other)), expected);
        }
    }
}

/// The outline has the tasks and criteria of the scan, and of several files none twice.
fn outlined(text: &[u8], scan: &Scan) {
    let file = |name| Source { name, text };
    let outline = Outline::read(&[file("plan.md")]).expect("it is not that long");
    for kind in [ItemKind::Task, ItemKind::Acceptance] {
        let items = scan.items.iter().filter(|item| item.kind == kind);
        assert_eq!(outline.entries(kind).count(), items.count());
    }
    assert_eq!(outline.untracked.len(), scan.untracked.len());
    let both = Outline::read(&[file("plan.md"), file("phase-01-same.md")]);
    let both = both.expect("it is not that long");
    for kind in [ItemKind::Task, ItemKind::Acceptance] {
        assert_eq!(both.entries(kind).count(), outline.entries(kind).count());
    }
}

/// Whether a comment begins where a marker is to be added, and is not taken for one: on the line of a heading, or with
/// what looks like another comment inside it. The marker would end it.
fn has_hidden_comment(text: &[u8], scan: &Scan) -> bool {
    let is_hidden = |(line, rest): &(u32, Range<usize>)| {
        let inside = &text[rest.start + 2..rest.end];
        let looks_closed = ["<!--", "-->"].iter().any(|word| {
            let mut words = inside.windows(word.len());
            words.any(|found| found == word.as_bytes())
        });
        looks_closed || scan.headings.iter().any(|heading| heading.line == *line)
    };
    plainly::open_comments(text).iter().any(is_hidden)
}

/// Marking adds an id to every box, keeps what is there, and has nothing to do the second time.
fn marked(text: &[u8], scan: &Scan) {
    if has_hidden_comment(text, scan) {
        return;
    }
    let edit = mark(text, &mut HashSet::new()).expect("it is not that long");
    assert!(
        edit.splices().iter().all(|splice| splice.old.is_empty()),
        "only added"
    );
    let marked = edit.apply(text).expect("the edit was made for this text");
    let shown = || String::from_utf8_lossy(&marked);
    let after = scanned(&marked);
    let left = after.untracked.iter().filter(|found| !found.is_marked);
    assert_eq!(left.count(), 0, "still without an id:\n{}", shown());
    let boxes = scan.untracked.iter().filter(|found| !found.is_marked);
    assert_eq!(
        after.items.len(),
        scan.items.len() + boxes.count(),
        "{}",
        shown()
    );
    let new = tasks(&marked);
    for (id, task) in tasks(text) {
        assert_eq!(new.get(&id), Some(&task), "{}", shown());
    }
    let texts = |text: &[u8], scan: &Scan| {
        let notes = scan.notes.iter().map(|note| note.text.of(text).to_vec());
        let headings = scan
            .headings
            .iter()
            .map(|heading| heading.text.of(text).to_vec());
        (
            notes.collect::<Vec<_>>(),
            headings.collect::<Vec<_>>(),
            scan.repeated.len(),
        )
    };
    assert_eq!(texts(text, scan), texts(&marked, &after), "{}", shown());
    let again = mark(&marked, &mut HashSet::new()).expect("it is not that long");
    assert!(again.is_empty(), "{again:?}\n{}", shown());
}

type Id = (ItemKind, String);

/// A task or criterion.
#[derive(Debug, PartialEq, Eq)]
struct Task {
    text: String,
    done: bool,
    /// The phase that it belongs to.
    phase: Option<String>,
}

fn tasks(text: &[u8]) -> HashMap<Id, Task> {
    let scan = scanned(text);
    let words = |span: Span| String::from_utf8_lossy(span.of(text)).into_owned();
    let phase = |item: &Item| item.phase.map(|phase| scan.phases[phase as usize].id);
    let items = scan.items.iter().map(|item| {
        let task = Task {
            text: words(item.text),
            done: item.done,
            phase: phase(item).map(words),
        };
        ((item.kind, words(item.id)), task)
    });
    items.collect()
}

fn merge_of(base: &[u8], ours: &[u8], theirs: &[u8]) -> Merged {
    let versions = Versions { base, ours, theirs };
    merge(&versions, &ConflictStyle::default()).expect("there are not that many lines")
}

/// A merge that is made again changes nothing.
fn merged(base: &[u8], ours: &[u8], theirs: &[u8]) {
    let merged = merge_of(base, ours, theirs);
    assert_eq!(
        merged,
        merge_of(base, ours, theirs),
        "it is always the same"
    );
    for (one, other, expected) in [
        (ours, base, ours),
        (base, theirs, theirs),
        (&merged.text, &merged.text, &merged.text),
    ] {
        let side = merge_of(base, one, other);
        assert_eq!((&side.text[..], side.conflicts), (expected, 0));
    }
    if merged.conflicts > 0 {
        return;
    }
    let text = &merged.text;
    let versions = [base, ours, theirs, text];
    // Which of two equal lines or ids is which, nobody can tell.
    if versions
        .into_iter()
        .all(|text| has_only_tasks(text) && has_nothing_twice(text))
    {
        nothing_lost(versions);
        merged_again(versions);
    }
}

/// Merging the same side again keeps the tasks and their ticks. Where a task was removed, it may look moved the second
/// time; and prose that one side moved may be a conflict when both sides have changed around it.
fn merged_again([base, ours, theirs, merged]: [&[u8]; 4]) {
    let again = merge_of(base, merged, theirs);
    let ([ours, theirs], base) = ([ours, theirs].map(tasks), tasks(base));
    let is_removed = |id: &Id| !(ours.contains_key(id) && theirs.contains_key(id));
    if again.conflicts > 0 || base.keys().any(is_removed) {
        return;
    }
    let shown = [merged, &again.text].map(String::from_utf8_lossy);
    let (merged, again) = (tasks(merged), tasks(&again.text));
    assert_eq!(merged.len(), again.len(), "{shown:#?}");
    for (id, task) in &merged {
        let same = again.get(id).map(|task| (&task.text, task.done));
        assert_eq!(same, Some((&task.text, task.done)), "{id:?} {shown:#?}");
    }
}

/// A task that both sides have, or that one of them added, is there; and no other comes back.
fn nothing_lost(versions: [&[u8]; 4]) {
    let shown = || versions.map(String::from_utf8_lossy);
    let [base, ours, theirs, merged] = versions.map(tasks);
    for id in ours.keys().chain(theirs.keys()) {
        let is_wanted =
            !base.contains_key(id) || (ours.contains_key(id) && theirs.contains_key(id));
        assert!(
            !is_wanted || merged.contains_key(id),
            "{id:?} {:#?}",
            shown()
        );
    }
    for id in merged.keys() {
        let is_known = ours.contains_key(id) || theirs.contains_key(id);
        assert!(is_known, "{id:?} {:#?}", shown());
    }
}

/// Whether every line stands for itself, and every box has an id: a box without one is known by its text, which may
/// change.
fn has_only_tasks(text: &[u8]) -> bool {
    plainly::is_flat(text) && scanned(text).untracked.is_empty()
}

fn has_nothing_twice(text: &[u8]) -> bool {
    let mut seen = HashSet::new();
    let mut lines = text.split(|byte| *byte == b'\n').map(<[u8]>::trim_ascii);
    lines.all(|line| seen.insert(line)) && scanned(text).repeated.is_empty()
}
