//! Reading a document in place.

use std::borrow::Cow;
use std::collections::HashMap;
use std::ops::Range;

use super::parse::Entry;
use super::places::Step;
use super::{Document, Number, Object, Pointer, TypeError, Value};

/// With more members than this a hash table finds repeated keys; with fewer a linear search is faster.
const FEW: usize = 24;

/// The type of a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// `null`
    Null,
    /// `true`
    True,
    /// `false`
    False,
    /// A number of any size and spelling.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
}

impl Kind {
    /// The kind as a noun with its article, for messages.
    #[must_use]
    pub fn noun(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::True | Self::False => "a boolean",
            Self::Number => "a number",
            Self::String => "a string",
            Self::Array => "an array",
            Self::Object => "an object",
        }
    }
}

/// One value of a document, read in place.
#[derive(Debug, Clone, Copy)]
pub struct Node<'d> {
    document: &'d Document,
    index: usize,
}

impl<'d> Node<'d> {
    pub(super) fn new(document: &'d Document, index: usize) -> Self {
        Self { document, index }
    }

    pub(super) fn index(self) -> usize {
        self.index
    }

    fn entry(self) -> &'d Entry {
        &self.document.entries[self.index]
    }

    fn after(self) -> usize {
        self.entry().after as usize
    }

    /// The type of the value.
    #[must_use]
    pub fn kind(self) -> Kind {
        self.entry().kind
    }

    /// Its byte range in the text.
    #[must_use]
    pub fn span(self) -> Range<usize> {
        let entry = self.entry();
        entry.start as usize..entry.end as usize
    }

    /// Its text.
    #[must_use]
    pub fn raw(self) -> &'d str {
        &self.document.text[self.span()]
    }

    /// The line it starts on, from 1.
    #[must_use]
    pub fn line(self) -> usize {
        self.document.places().line(self.span().start)
    }

    /// Every member in text order, including repeated keys.
    pub fn all_members(self) -> impl Iterator<Item = (Node<'d>, Node<'d>)> {
        let end = match self.kind() {
            Kind::Object => self.after(),
            _ => self.index + 1,
        };
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let key = Node::new(self.document, next);
            let value = Node::new(self.document, key.after());
            next = value.after();
            Some((key, value))
        })
    }

    /// The effective members: each key once, at its first position, with its last value.
    #[must_use]
    pub fn members(self) -> Vec<(Cow<'d, str>, Node<'d>)> {
        let mut members: Vec<(Cow<'d, str>, Node<'d>)> = Vec::new();
        let mut places: HashMap<Cow<'d, str>, usize> = HashMap::new();
        for (key, value) in self.all_members() {
            let name = key.text();
            let known = if members.len() <= FEW {
                members.iter().position(|(other, _)| *other == name)
            } else {
                if places.is_empty() {
                    places.extend(
                        (0..)
                            .zip(&members)
                            .map(|(at, (name, _))| (name.clone(), at)),
                    );
                }
                places.get(&name).copied()
            };
            if let Some(place) = known {
                members[place].1 = value;
            } else {
                if !places.is_empty() {
                    places.insert(name.clone(), members.len());
                }
                members.push((name, value));
            }
        }
        members
    }

    /// The items of an array; empty for any other kind.
    pub fn items(self) -> impl Iterator<Item = Node<'d>> {
        let end = match self.kind() {
            Kind::Array => self.after(),
            _ => self.index + 1,
        };
        let mut next = self.index + 1;
        std::iter::from_fn(move || {
            if next >= end {
                return None;
            }
            let item = Node::new(self.document, next);
            next = item.after();
            Some(item)
        })
    }

    /// The member of an object with this name; the last one if it is repeated.
    #[must_use]
    pub fn get(self, name: &str) -> Option<Node<'d>> {
        if self.kind() != Kind::Object {
            return None;
        }
        let entries = &self.document.entries[..self.after()];
        let mut found = None;
        let mut next = self.index + 1;
        // Like `all_members`, but without creating nodes: this is the most frequent operation.
        while let [key, value, ..] = &entries[next..] {
            // Most names already differ in length.
            let is_long = (key.end - key.start) as usize == name.len() + 2;
            if (is_long || key.escaped) && Node::new(self.document, next).is_text(name) {
                found = Some(Node::new(self.document, next + 1));
            }
            next = value.after as usize;
        }
        found
    }

    /// The object member or array item that a pointer segment names.
    #[must_use]
    pub fn child(self, segment: &str) -> Option<Node<'d>> {
        match self.kind() {
            Kind::Object => self.get(segment),
            Kind::Array => self.items().nth(Pointer::array_index(segment)?),
            _ => None,
        }
    }

    fn is_text(self, text: &str) -> bool {
        if self.entry().escaped {
            self.text() == text
        } else {
            let span = self.span();
            &self.document.text.as_bytes()[span.start + 1..span.end - 1] == text.as_bytes()
        }
    }

    /// The decoded content of a string node.
    pub(super) fn text(self) -> Cow<'d, str> {
        let raw = self.raw();
        let inner = &raw[1..raw.len() - 1];
        if self.entry().escaped {
            Cow::Owned(unescape(inner))
        } else {
            Cow::Borrowed(inner)
        }
    }

    /// The string, if it is one. An escaped lone surrogate reads as U+FFFD, but the text keeps it.
    #[must_use]
    pub fn as_str(self) -> Option<Cow<'d, str>> {
        (self.kind() == Kind::String).then(|| self.text())
    }

    /// The boolean, if it is one.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.kind() {
            Kind::True => Some(true),
            Kind::False => Some(false),
            _ => None,
        }
    }

    /// The number, if it is a whole number that fits.
    #[must_use]
    pub fn as_u64(self) -> Option<u64> {
        match self.kind() {
            Kind::Number => self.raw().parse().ok(),
            _ => None,
        }
    }

    /// The number, if it is one, as the nearest float.
    #[must_use]
    pub fn as_f64(self) -> Option<f64> {
        match self.kind() {
            Kind::Number => self.raw().parse().ok(),
            _ => None,
        }
    }

    /// Whether it is `null`.
    #[must_use]
    pub fn is_null(self) -> bool {
        self.kind() == Kind::Null
    }

    /// The pointer from the root to this value.
    #[must_use]
    pub fn pointer(self) -> Pointer {
        let places = self.document.places();
        let mut segments = Vec::new();
        let mut index = self.index;
        while index > 0 {
            let way = places.way(index);
            match way.step {
                Step::None => {}
                Step::Member => segments.push(Node::new(self.document, index - 1).text()),
                Step::Item(number) => segments.push(number.to_string().into()),
            }
            index = way.holder;
        }
        Pointer::of(segments.into_iter().rev())
    }

    fn wrong(self, expected: &'static str) -> TypeError {
        TypeError {
            pointer: self.pointer(),
            expected,
            found: Some(self.kind()),
        }
    }

    /// The string, or an error with the place and the actual type.
    pub fn string(self) -> Result<Cow<'d, str>, TypeError> {
        self.as_str().ok_or_else(|| self.wrong("a string"))
    }

    /// The boolean, or an error with the place and the actual type.
    pub fn boolean(self) -> Result<bool, TypeError> {
        self.as_bool().ok_or_else(|| self.wrong("true or false"))
    }

    /// The whole number, or an error with the place and the actual type.
    pub fn unsigned(self) -> Result<u64, TypeError> {
        self.as_u64().ok_or_else(|| self.wrong("a whole number"))
    }

    /// An array of strings, or an error with the first place that is not one.
    pub fn strings(self) -> Result<Vec<Cow<'d, str>>, TypeError> {
        if self.kind() != Kind::Array {
            return Err(self.wrong("an array of strings"));
        }
        self.items().map(Node::string).collect()
    }

    /// The member, or an error with the place where it is missing.
    pub fn member(self, name: &str) -> Result<Node<'d>, TypeError> {
        self.get(name).ok_or_else(|| {
            let mut pointer = self.pointer();
            pointer.push(name);
            TypeError {
                pointer,
                expected: "a member",
                found: None,
            }
        })
    }

    /// This value as a plain tree.
    #[must_use]
    pub fn value(self) -> Value {
        match self.kind() {
            Kind::Null => Value::Null,
            Kind::True => Value::Bool(true),
            Kind::False => Value::Bool(false),
            Kind::Number => Value::Number(Number::from_json(self.raw())),
            Kind::String => Value::String(self.text().into()),
            Kind::Array => Value::Array(self.items().map(Node::value).collect()),
            Kind::Object => Value::Object(Object::from_unique(
                self.members()
                    .into_iter()
                    .map(|(name, value)| (name, value.value())),
            )),
        }
    }
}

/// Decodes the content of a string that the parser has accepted.
fn unescape(inner: &str) -> String {
    let mut out = String::with_capacity(inner.len());
    let mut rest = inner;
    while let Some(at) = memchr::memchr(b'\\', rest.as_bytes()) {
        out.push_str(&rest[..at]);
        let escape = rest.as_bytes()[at + 1];
        rest = &rest[at + 2..];
        match escape {
            b'n' => out.push('\n'),
            b't' => out.push('\t'),
            b'r' => out.push('\r'),
            b'b' => out.push('\u{8}'),
            b'f' => out.push('\u{c}'),
            b'u' => {
                let unit = hex(rest);
                rest = &rest[4..];
                let low = rest.strip_prefix("\\u").map(hex);
                match (unit, low) {
                    (0xd800..0xdc00, Some(low @ 0xdc00..0xe000)) => {
                        rest = &rest[6..];
                        let scalar = 0x1_0000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
                        out.push(char::from_u32(scalar).unwrap_or(char::REPLACEMENT_CHARACTER));
                    }
                    _ => out.push(char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER)),
                }
            }
            other => out.push(char::from(other)),
        }
    }
    out.push_str(rest);
    out
}

fn hex(digits: &str) -> u32 {
    u32::from_str_radix(&digits[..4], 16).expect("the parser has checked the four digits")
}
