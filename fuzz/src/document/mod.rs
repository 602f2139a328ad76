//! Documents against serde_json: what is accepted, what is read, what is printed, and what an edit does.
//!
//! An input is a JSON text and choices, which decide the edits.

mod change;
mod oracle;

use ckpt::document::{Document, Edit, MAX_DEPTH, Pointer, Value, diff, to_inline, to_pretty};

use self::change::Change;
use crate::choices::Choices;

/// Values are looked up by their pointers only in documents with fewer values than this: each takes a walk from the root.
const FEW: usize = 256;

/// The longest chain of edits.
const MOST_EDITS: usize = 3;

/// Reads, prints and edits a document.
pub fn run(bytes: &[u8]) {
    let (text, mut choices) = Choices::after_text(bytes);
    let Some(mut document) = read(text) else {
        return;
    };
    limits(&document);
    printed(&document);
    for _ in 0..MOST_EDITS {
        match edited(&document, &mut choices) {
            Some(next) if !choices.is_over() => document = next,
            _ => break,
        }
    }
}

/// The document, if the bytes are one: exactly if serde_json accepts them, apart from the documented differences.
fn read(bytes: &[u8]) -> Option<Document> {
    let read = Document::from_bytes(bytes.to_vec());
    let text = std::str::from_utf8(bytes).ok();
    let is_json = text.is_some_and(|text| {
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        oracle::is_json(text) && oracle::depth(text) <= MAX_DEPTH
    });
    let document = match read {
        Ok(document) => document,
        Err(error) => {
            assert!(!is_json, "refused: {error}");
            assert!(error.offset <= bytes.len(), "{error:?}");
            let before = &bytes[..error.offset];
            let last = before.rsplit(|byte| *byte == b'\n').next();
            let lines = before.iter().filter(|byte| **byte == b'\n').count();
            assert_eq!(error.line, lines + 1);
            assert_eq!(error.column, last.map_or(0, <[u8]>::len) + 1);
            return None;
        }
    };
    assert!(is_json, "accepted: {:?}", document.text());
    assert_eq!(
        document.text().as_bytes(),
        bytes,
        "a document is its own text"
    );
    let text = document.text();
    let json = text.strip_prefix('\u{feff}').unwrap_or(text);
    oracle::compare(&document, json, document.values() < FEW);
    Some(document)
}

/// A document is read into the memory of another one as it is read alone. With room for fewer values it is refused.
fn limits(document: &Document) {
    let bytes = document.text().as_bytes();
    let count = document.values();
    let mut reused = Document::parse("[[1], 2]").expect("this is JSON");
    assert_eq!(reused.reparse(bytes, count), Ok(()));
    assert_eq!(
        (reused.text(), reused.values()),
        (document.text(), document.values())
    );
    // The value of a member is counted with its name, so one more than the limit may fit.
    if let Some(less) = count.checked_sub(2) {
        let refused = reused.reparse(bytes, less);
        assert!(refused.is_err_and(|error| error.is_too_much()));
        assert_eq!(reused.text(), Document::empty().text());
    }
}

/// Every way of printing says the same.
fn printed(document: &Document) {
    let value = document.value();
    assert!(document.rewrite(&value).is_empty());
    let texts = [value.to_compact(), to_inline(&value), to_pretty(&value)];
    for text in &texts {
        let again = Document::parse(text.as_str()).expect("what is printed is JSON");
        assert_eq!(again.value(), value);
        assert_eq!(again.value().to_compact(), texts[0]);
    }
    if let Some(theirs) = oracle::with_numbers_as_printed(&texts[0]) {
        assert_eq!(texts[0], theirs.to_string());
        let pretty = serde_json::to_string_pretty(&theirs).expect("a tree can be printed");
        assert_eq!(texts[2], pretty);
    }
    let new = Document::from_value(&value).expect("it is no deeper than it was");
    assert_eq!(new.text(), format!("{}\n", texts[2]));
}

/// The document after an edit, if it is within the limits.
fn edited(document: &Document, choices: &mut Choices<'_>) -> Option<Document> {
    let old = document.value();
    let mut target = old.clone();
    let change = Change::choose(&mut target, choices);
    patched(&old, &target);
    let edit = document.rewrite(&target);
    if target == old {
        assert!(edit.is_empty(), "{edit:?} changes nothing");
    }
    let depth = oracle::depth(&target.to_compact());
    let after = match document.apply(&edit) {
        Ok(after) => after,
        Err(error) => {
            assert!(depth > MAX_DEPTH, "{error}");
            return None;
        }
    };
    assert_eq!(after.value(), target);
    // The same without our parser and our equality.
    assert!(oracle::is_same(after.text(), &target.to_compact()));
    assert!(after.rewrite(&target).is_empty());
    undone(document, &after, &edit);
    kept(document, &after, &change);
    Some(after)
}

/// An edit has a way back, and so does the edit between its two texts.
fn undone(before: &Document, after: &Document, edit: &Edit) {
    let (old, new) = (before.text().as_bytes(), after.text().as_bytes());
    assert_eq!(edit.undo(new).as_deref(), Ok(old));
    assert_eq!(edit.inverse().inverse(), *edit);
    let mut end = 0;
    for (splice, written) in edit.splices().iter().zip(edit.written()) {
        assert!(end <= splice.offset, "splices do not overlap");
        end = splice.offset + splice.old.len();
        assert_eq!(old[splice.offset..end], splice.old);
        assert_eq!(new[written], splice.new);
    }
    let between = Edit::between(old, new);
    assert_eq!(between.apply(old).as_deref(), Ok(new));
    assert_eq!(between.undo(new).as_deref(), Ok(old));
    for splice in between.splices() {
        assert!(
            std::str::from_utf8(&splice.old).is_ok() && std::str::from_utf8(&splice.new).is_ok()
        );
    }
}

/// Everything outside the changed member or list keeps its bytes.
fn kept(before: &Document, after: &Document, change: &Change) {
    let [old, new] = [before, after].map(|document| {
        let place = document.at(&change.place);
        place.expect("the place of a change stays").span()
    });
    assert_eq!(before.text()[..old.start], after.text()[..new.start]);
    assert_eq!(before.text()[old.end..], after.text()[new.end..]);
    if let Some(changed) = &change.member {
        let [old, new] = [before, after].map(|document| others(document, &change.place, changed));
        assert_eq!(old, new);
    }
}

/// The members of an object with other names, as they are written.
fn others<'d>(document: &'d Document, place: &Pointer, changed: &str) -> Vec<&'d str> {
    let object = document.at(place).expect("the place of a change stays");
    let members = object.all_members();
    let others = members.filter(|(name, _)| name.as_str().is_some_and(|name| name != changed));
    others
        .map(|(name, value)| &document.text()[name.span().start..value.span().end])
        .collect()
}

/// A patch leads from one tree to the other, here and in another library.
fn patched(old: &Value, new: &Value) {
    let patch = diff(old, new);
    assert_eq!(patch.0.is_empty(), old == new);
    assert_eq!(patch.apply(old).as_ref(), Ok(new));
    assert_eq!(diff(new, old).apply(new).as_ref(), Ok(old));
    let written = patch.to_value();
    let read = ckpt::document::Patch::from_value(&written);
    assert_eq!(read.as_ref(), Ok(&patch));
    oracle::compare_patch(&old.to_compact(), &new.to_compact(), &written.to_compact());
}
