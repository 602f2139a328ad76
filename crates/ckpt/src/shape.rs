//! The shapes that the members of a document must have, as far as a schema can tell.
//!
//! The schemas of the file formats say the same; a test compares both over generated documents.

use crate::document::{Kind, Node};
use crate::finding::{Findings, MOST_ALIKE, Severity};

/// What a value must be.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Shape {
    /// Anything.
    Any,
    /// A string.
    Text,
    /// A string that is not empty.
    SomeText,
    /// True or false.
    Flag,
    /// A whole number from 0.
    Whole,
    /// A whole number in a range.
    Between(u64, u64),
    /// A number in a range.
    Number(f64, f64),
    /// One of these words.
    Word(&'static [&'static str]),
    /// A list of values that are alike.
    List(&'static Shape),
    /// An object whose values are alike.
    Map(&'static Shape),
    /// An object with members.
    Object(&'static [Member]),
    /// One of several, told apart by the kind of value.
    Either(&'static [Shape]),
}

/// A member of an object.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Member {
    name: &'static str,
    shape: Shape,
    need: Need,
}

/// Whether a member must be there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Need {
    /// It may be missing or null.
    Optional,
    /// It may be missing, but not null.
    NotNull,
    /// It must be there.
    Required,
}

/// A member that may be missing or null.
pub(crate) const fn optional(name: &'static str, shape: Shape) -> Member {
    let need = Need::Optional;
    Member { name, shape, need }
}

/// A member that may be missing, but not null.
pub(crate) const fn not_null(name: &'static str, shape: Shape) -> Member {
    let need = Need::NotNull;
    Member { name, shape, need }
}

/// A member that must be there.
pub(crate) const fn required(name: &'static str, shape: Shape) -> Member {
    let need = Need::Required;
    Member { name, shape, need }
}

impl Shape {
    /// What a value must be, in words.
    fn in_words(self) -> String {
        match self {
            Self::Any => "anything".to_owned(),
            Self::Text => "a string".to_owned(),
            Self::SomeText => "a string that is not empty".to_owned(),
            Self::Flag => "true or false".to_owned(),
            Self::Whole => "a whole number from 0".to_owned(),
            Self::Between(least, most) => format!("a whole number from {least} to {most}"),
            Self::Number(least, f64::INFINITY) => format!("a number from {least}"),
            Self::Number(least, most) => format!("a number from {least} to {most}"),
            Self::Word(words) => match words.split_last() {
                Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                _ => words.join(""),
            },
            Self::List(Shape::Text) => "an array of strings".to_owned(),
            Self::List(_) => "an array".to_owned(),
            Self::Map(_) | Self::Object(_) => "an object".to_owned(),
            Self::Either(shapes) => {
                let words: Vec<String> = shapes.iter().map(|shape| shape.in_words()).collect();
                words.join(" or ")
            }
        }
    }

    /// Whether a value is of the right kind, whatever it contains.
    fn takes(self, node: Node<'_>) -> bool {
        match self {
            Self::Any => true,
            Self::Text => node.kind() == Kind::String,
            Self::SomeText => node.as_str().is_some_and(|text| !text.is_empty()),
            Self::Flag => matches!(node.kind(), Kind::True | Kind::False),
            Self::Whole => whole(node).is_some(),
            Self::Between(least, most) => {
                whole(node).is_some_and(|number| (least as f64..=most as f64).contains(&number))
            }
            Self::Number(least, most) => {
                let number = node.as_f64();
                number.is_some_and(|number| (least..=most).contains(&number))
            }
            Self::Word(words) => node.as_str().is_some_and(|text| words.contains(&&*text)),
            Self::List(_) => node.kind() == Kind::Array,
            Self::Map(_) | Self::Object(_) => node.kind() == Kind::Object,
            Self::Either(shapes) => shapes.iter().any(|shape| shape.takes(node)),
        }
    }
}

/// A whole number from 0. JSON does not distinguish `1` from `1.0`.
pub(crate) fn whole(node: Node<'_>) -> Option<f64> {
    let number = node.as_f64()?;
    (number >= 0.0 && number.fract() == 0.0).then_some(number)
}

/// The rule that a wrong shape breaks, and how severe that is.
type Rule = (&'static str, Severity);

impl Findings {
    /// Reports the members of an object that do not have the right shape.
    pub(crate) fn members(&mut self, node: Node<'_>, members: &[Member], rule: Rule) {
        for Member { name, shape, need } in members {
            match node.get(name) {
                Some(value) if value.is_null() && *need == Need::Optional => {}
                Some(value) => self.named(value, Some(name), *shape, rule),
                None if *need == Need::Required => {
                    let message = format!("\"{name}\" is missing: it must be {}", shape.in_words());
                    self.add(node, rule.1, rule.0, message);
                }
                None => {}
            }
        }
    }

    fn named(&mut self, node: Node<'_>, name: Option<&str>, shape: Shape, rule: Rule) {
        if !shape.takes(node) {
            let of = name.map_or("this".to_owned(), |name| format!("\"{name}\""));
            let found = match node.kind() {
                Kind::Array | Kind::Object => node.kind().noun(),
                _ => node.raw(),
            };
            let message = format!("{of} must be {}, not {found}", shape.in_words());
            return self.add(node, rule.1, rule.0, message);
        }
        let before = self.0.len();
        let is_enough = |findings: &Self| findings.0.len() - before >= MOST_ALIKE;
        match shape {
            Shape::List(of) => {
                for item in node.items() {
                    if is_enough(self) {
                        return;
                    }
                    self.named(item, None, *of, rule);
                }
            }
            Shape::Map(of) => {
                for (name, value) in node.members() {
                    if is_enough(self) {
                        return;
                    }
                    self.named(value, Some(&name), *of, rule);
                }
            }
            Shape::Object(members) => self.members(node, members, rule),
            Shape::Either(shapes) => {
                let of = shapes.iter().find(|shape| shape.takes(node));
                of.into_iter()
                    .for_each(|of| self.named(node, name, *of, rule));
            }
            _ => {}
        }
    }
}
