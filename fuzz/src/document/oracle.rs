//! What serde_json says about a text.
//!
//! It differs from a document on purpose in these points, and in no others:
//!
//! * A document may begin with a byte order mark, which callers take away here.
//! * A document has at most 128 levels. serde_json has at most 127, and any number of levels if the value is ignored;
//!   so texts are accepted or not by ignoring their value, and levels are counted here.
//! * A document keeps numbers of any size as they are written, and lone surrogates as U+FFFD. serde_json refuses both,
//!   unless the value is ignored or read as it is written.
//!
//! The limits on bytes and values are beyond what a fuzzer tries.

use std::fmt;

use ckpt::document::{Document, Kind, Node};
use serde::de::{self, DeserializeSeed, Deserializer as _, IgnoredAny, MapAccess, SeqAccess};
use serde_json::value::RawValue;

/// Whether a text is JSON, whatever its depth, its numbers and its surrogates.
pub(super) fn is_json(text: &str) -> bool {
    serde_json::from_str::<IgnoredAny>(text).is_ok()
}

/// How many containers are open at most. The text is JSON.
pub(super) fn depth(text: &str) -> usize {
    let (mut depth, mut deepest) = (0, 0);
    let mut bytes = text.bytes();
    while let Some(byte) = bytes.next() {
        match byte {
            b'[' | b'{' => depth += 1,
            b']' | b'}' => depth -= 1,
            b'"' => skip_string(&mut bytes),
            _ => {}
        }
        deepest = deepest.max(depth);
    }
    deepest
}

fn skip_string(bytes: &mut impl Iterator<Item = u8>) {
    while let Some(byte) = bytes.next() {
        match byte {
            b'"' => return,
            b'\\' => drop(bytes.next()),
            _ => {}
        }
    }
}

/// The content of a string, with U+FFFD for each lone surrogate.
struct Text;

impl<'de> DeserializeSeed<'de> for Text {
    type Value = String;

    fn deserialize<D: de::Deserializer<'de>>(self, from: D) -> Result<String, D::Error> {
        // As bytes, serde_json gives a lone surrogate the three bytes that it would have in UTF-8.
        from.deserialize_bytes(self)
    }
}

impl de::Visitor<'_> for Text {
    type Value = String;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a string")
    }

    fn visit_bytes<E>(self, bytes: &[u8]) -> Result<String, E> {
        let mut text = Vec::new();
        let mut rest = bytes;
        loop {
            rest = match rest {
                [0xed, 0xa0..=0xbf, _, rest @ ..] => {
                    text.extend("\u{fffd}".bytes());
                    rest
                }
                [byte, rest @ ..] => {
                    text.push(*byte);
                    rest
                }
                [] => break,
            };
        }
        Ok(String::from_utf8(text).expect("all else is UTF-8"))
    }
}

/// The members of an object or the items of an array, as they are written.
struct Parts;

impl<'de> de::Visitor<'de> for Parts {
    type Value = Vec<(Option<String>, &'de RawValue)>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a container")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut members: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(name) = members.next_key_seed(Text)? {
            parts.push((Some(name), members.next_value()?));
        }
        Ok(parts)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<Self::Value, A::Error> {
        let mut parts = Vec::new();
        while let Some(item) = items.next_element()? {
            parts.push((None, item));
        }
        Ok(parts)
    }
}

fn parts(raw: &RawValue) -> Vec<(Option<String>, &RawValue)> {
    let mut json = serde_json::Deserializer::from_str(raw.get());
    let parts = json.deserialize_any(Parts);
    parts.expect("a container that was accepted")
}

fn text(raw: &RawValue) -> String {
    let mut json = serde_json::Deserializer::from_str(raw.get());
    Text.deserialize(&mut json)
        .expect("a string that was accepted")
}

fn raw(json: &str) -> &RawValue {
    serde_json::from_str(json).expect("it was accepted")
}

/// Compares every value of a document with what serde_json reads, and looks each up by its pointer if asked.
pub(super) fn compare(document: &Document, json: &str, with_pointers: bool) {
    let looked_up = with_pointers.then_some(document);
    compare_value(document.root(), raw(json), looked_up);
}

fn compare_value(node: Node<'_>, raw: &RawValue, looked_up: Option<&Document>) {
    assert_eq!(node.raw(), raw.get());
    if let Some(document) = looked_up {
        let found = document.at(&node.pointer()).map(Node::span);
        assert_eq!(found, Some(node.span()), "{}", node.pointer());
        let before = &document.text()[..node.span().start];
        assert_eq!(node.line(), before.matches('\n').count() + 1);
    }
    match raw.get().as_bytes()[0] {
        b'{' => compare_members(node, raw, looked_up),
        b'[' => {
            assert_eq!(node.kind(), Kind::Array);
            let parts = parts(raw);
            assert_eq!(node.items().count(), parts.len());
            for (item, (_, raw)) in node.items().zip(parts) {
                compare_value(item, raw, looked_up);
            }
        }
        b'"' => {
            assert_eq!(node.kind(), Kind::String);
            assert_eq!(node.as_str().as_deref(), Some(text(raw).as_str()));
        }
        b't' => assert_eq!((node.kind(), node.as_bool()), (Kind::True, Some(true))),
        b'f' => assert_eq!((node.kind(), node.as_bool()), (Kind::False, Some(false))),
        b'n' => assert!(node.is_null()),
        _ => {
            assert_eq!(node.kind(), Kind::Number);
            let theirs = serde_json::from_str::<serde_json::Number>(raw.get()).ok();
            let theirs = theirs.and_then(|number| number.as_u64());
            assert_eq!(node.as_u64(), theirs);
        }
    }
}

fn compare_members(node: Node<'_>, raw: &RawValue, looked_up: Option<&Document>) {
    assert_eq!(node.kind(), Kind::Object);
    let parts = parts(raw);
    assert_eq!(node.all_members().count(), parts.len());
    // The last of repeated names counts, in the place of the first.
    let mut members: Vec<(&str, &RawValue)> = Vec::new();
    for (name, raw) in &parts {
        let name = name.as_deref().expect("members have names");
        match members.iter_mut().find(|(known, _)| *known == name) {
            Some(known) => known.1 = raw,
            None => members.push((name, raw)),
        }
    }
    let ours = node.members();
    let ours: Vec<(&str, &str)> = ours.iter().map(|(n, v)| (n.as_ref(), v.raw())).collect();
    let theirs: Vec<(&str, &str)> = members.iter().map(|(n, v)| (*n, v.get())).collect();
    assert_eq!(ours, theirs);
    for ((name, value), (own_name, raw)) in node.all_members().zip(&parts) {
        assert_eq!(name.as_str().as_deref(), own_name.as_deref());
        let name = own_name.as_deref().unwrap_or_default();
        let counts = members.iter().any(|(_, known)| std::ptr::eq(*known, *raw));
        compare_value(value, raw, looked_up.filter(|_| counts));
        let found = node.get(name).map(Node::raw);
        let expected = members.iter().find(|(known, _)| *known == name);
        assert_eq!(found, expected.map(|(_, raw)| raw.get()));
    }
}

/// Whether two texts have the same value. The order of members and the spelling of numbers that a float holds exactly
/// do not matter.
pub(super) fn is_same(one: &str, other: &str) -> bool {
    let without_mark = |text: &str| text.strip_prefix('\u{feff}').unwrap_or(text).to_owned();
    is_same_value(raw(&without_mark(one)), raw(&without_mark(other)))
}

fn is_same_value(one: &RawValue, other: &RawValue) -> bool {
    let kind = |raw: &RawValue| match raw.get().as_bytes()[0] {
        b'-' | b'0'..=b'9' => b'0',
        first => first,
    };
    if kind(one) != kind(other) {
        return false;
    }
    match kind(one) {
        b'0' => is_same_number(one.get(), other.get()),
        b'"' => text(one) == text(other),
        b'[' => {
            let (one, other) = (parts(one), parts(other));
            let mut both = one.iter().zip(&other);
            one.len() == other.len() && both.all(|((_, one), (_, other))| is_same_value(one, other))
        }
        b'{' => {
            let (one, other) = (last_members(one), last_members(other));
            let is_there = |(name, value): (&String, &&RawValue)| {
                other.get(name).is_some_and(|own| is_same_value(value, own))
            };
            one.len() == other.len() && one.iter().all(is_there)
        }
        _ => true,
    }
}

fn last_members(raw: &RawValue) -> std::collections::HashMap<String, &RawValue> {
    let parts = parts(raw).into_iter();
    parts
        .map(|(name, raw)| (name.unwrap_or_default(), raw))
        .collect()
}

fn is_same_number(one: &str, other: &str) -> bool {
    let float = |text: &str| text.parse::<f64>().ok();
    let is_exact = |number: &f64| number.abs() < 2_f64.powi(53);
    one == other
        || float(one)
            .filter(is_exact)
            .is_some_and(|one| Some(one) == float(other))
}

/// The tree of a text, if serde_json reads it and would write each of its numbers as it is written there.
pub(super) fn with_numbers_as_printed(text: &str) -> Option<serde_json::Value> {
    let value: serde_json::Value = serde_json::from_str(text).ok()?;
    has_plain_numbers(raw(text)).then_some(value)
}

fn has_plain_numbers(raw: &RawValue) -> bool {
    match raw.get().as_bytes()[0] {
        b'[' | b'{' => parts(raw).iter().all(|(_, raw)| has_plain_numbers(raw)),
        b'-' | b'0'..=b'9' => {
            let number = serde_json::from_str::<serde_json::Number>(raw.get());
            number.is_ok_and(|number| number.to_string() == raw.get())
        }
        _ => true,
    }
}

/// Applies a patch with another library. Trees that serde_json cannot hold are skipped.
pub(super) fn compare_patch(old: &str, new: &str, patch: &str) {
    let tree = |text: &str| serde_json::from_str::<serde_json::Value>(text).ok();
    let patch = serde_json::from_str::<json_patch::Patch>(patch).ok();
    let (Some(mut value), Some(_), Some(patch)) = (tree(old), tree(new), patch) else {
        return;
    };
    json_patch::patch(&mut value, &patch).expect("the patch fits");
    // Reading floats and printing them again may change their last digit, so both go through it.
    let expected = tree(new).map(|tree| tree.to_string());
    assert!(is_same(&value.to_string(), &expected.unwrap_or_default()));
}
