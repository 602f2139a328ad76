//! Finds the smallest byte edit that makes a document equal to a tree.
//!
//! Values that stay keep their bytes. Additions take their layout from their neighbours: indentation, line endings, the
//! space after the colon, one line or several.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use super::align::{Step, align};
use super::print::{self, Layout};
use super::{Document, Edit, Kind, Node, Object, Splice, Value};

pub(super) fn rewrite(document: &Document, target: &Value) -> Edit {
    let text = document.text();
    let newline = match memchr::memchr(b'\n', text.as_bytes()) {
        Some(at) if text[..at].ends_with('\r') => "\r\n",
        Some(_) => "\n",
        None => "",
    };
    // A file without any space after a colon or comma stays that way.
    let spacious = text.contains("\": ") || text.contains(", ");
    let mut rewriter = Rewriter {
        document,
        text,
        newline,
        unit: indent_unit(document),
        one_line: if spacious {
            Layout::Inline
        } else {
            Layout::Compact
        },
        colon: if spacious || newline.is_empty() {
            ": "
        } else {
            first_colon(document)
        },
        splices: Vec::new(),
    };
    let spread = match newline {
        "" => Spread::OneLine,
        _ => Spread::ManyLines,
    };
    rewriter.value(document.root(), target, spread);
    Edit::new(rewriter.splices)
}

/// How a container is laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Spread {
    OneLine,
    ManyLines,
}

/// The text between the first name and its value.
fn first_colon(document: &Document) -> &str {
    match document.root().all_members().next() {
        Some((key, value)) => &document.text()[key.span().end..value.span().start],
        None => ": ",
    }
}

/// The indentation per level, taken from the outermost container.
fn indent_unit(document: &Document) -> &str {
    let root = document.root();
    let first = match root.kind() {
        Kind::Object => root.all_members().next().map(|(key, _)| key),
        _ => root.items().next(),
    };
    let lead = first.map_or("", |first| {
        space_before(document.text(), first.span().start)
    });
    match lead.rsplit_once('\n') {
        Some((_, indent)) if !indent.is_empty() => indent,
        _ => "  ",
    }
}

fn space_before(text: &str, end: usize) -> &str {
    let kept = text[..end].trim_end_matches([' ', '\t', '\r', '\n']).len();
    &text[kept..end]
}

/// A member or item to add.
struct Added<'v> {
    /// The present member or item that it follows; `None` for the front.
    after: Option<usize>,
    name: Option<&'v str>,
    value: &'v Value,
}

/// A present member or item: its range, including the name, and its value.
struct Slot<'t> {
    place: Range<usize>,
    value: Node<'t>,
}

/// The layout of additions to one container.
struct Style<'t> {
    /// The text between the comma and an item.
    lead: String,
    colon: &'t str,
    layout: Layout<'t>,
    /// The indentation of an item's line.
    indent: String,
}

struct Rewriter<'t> {
    document: &'t Document,
    text: &'t str,
    newline: &'t str,
    unit: &'t str,
    one_line: Layout<'t>,
    colon: &'t str,
    splices: Vec<Splice>,
}

impl<'t> Rewriter<'t> {
    fn splice(&mut self, place: Range<usize>, new: String) {
        self.splices.push(Splice {
            offset: place.start,
            old: self.text.as_bytes()[place].to_vec(),
            new: new.into_bytes(),
        });
    }

    /// `around` is the layout of the container around `node`.
    fn value(&mut self, node: Node<'t>, target: &Value, around: Spread) {
        match (node.kind(), target) {
            (Kind::Object, Value::Object(object)) => self.object(node, object, around),
            (Kind::Array, Value::Array(items)) => self.array(node, items, around),
            (Kind::String, Value::String(text)) if node.text() == text.as_str() => {}
            _ if node.value() == *target => {}
            _ => {
                let mut new = String::new();
                let indent = self.line_indent(node.span().start).to_owned();
                print::print(target, self.layout(around), &indent, &mut new);
                self.splice(node.span(), new);
            }
        }
    }

    fn layout(&self, spread: Spread) -> Layout<'t> {
        match spread {
            Spread::OneLine => self.one_line,
            Spread::ManyLines => Layout::Lines {
                newline: self.newline,
                unit: self.unit,
                colon: self.colon,
            },
        }
    }

    fn line_indent(&self, at: usize) -> &'t str {
        let line = &self.text[self.document.places().line_start(at)..at];
        &line[..line.len() - line.trim_start_matches([' ', '\t']).len()]
    }

    fn object(&mut self, node: Node<'t>, target: &Object, around: Spread) {
        let present: Vec<_> = node.all_members().collect();
        // Usually the members are the same as before, and nothing has to be looked up.
        let is_same =
            |((key, _), (name, _)): (&(Node<'t>, Node<'t>), (&str, &Value))| key.text() == name;
        if present.len() == target.len() && present.iter().zip(target.iter()).all(is_same) {
            let spread = self.spread(node, present.first().map(|(key, _)| *key), around);
            let habit = Self::habit(present.iter().map(|(_, value)| *value), spread);
            for ((_, value), (_, target)) in present.iter().zip(target.iter()) {
                self.value(*value, target, habit);
            }
            return;
        }
        let names: Vec<_> = present
            .iter()
            .map(|(key, _)| key.as_str().unwrap_or_default())
            .collect();
        let spread = self.spread(node, present.first().map(|(key, _)| *key), around);
        let slots: Vec<_> = present
            .iter()
            .map(|(key, value)| Slot {
                place: key.span().start..value.span().end,
                value: *value,
            })
            .collect();
        let habit = Self::habit(slots.iter().map(|slot| slot.value), spread);
        // The last occurrence of a repeated key counts.
        let live: HashMap<&str, usize> =
            (0..).zip(&names).map(|(at, n)| (n.as_ref(), at)).collect();
        let wanted: HashSet<&str> = target.iter().map(|(name, _)| name).collect();
        let keep: Vec<bool> = names.iter().map(|n| wanted.contains(n.as_ref())).collect();
        let mut added = Vec::new();
        let mut after = None;
        for (name, value) in target.iter() {
            if let Some(&at) = live.get(name) {
                self.value(present[at].1, value, habit);
                after = Some(at);
            } else {
                let name = Some(name);
                added.push(Added { after, name, value });
            }
        }
        self.sequence(node, &slots, &keep, &added, spread);
    }

    fn array(&mut self, node: Node<'t>, target: &[Value], around: Spread) {
        let present: Vec<_> = node.items().collect();
        let spread = self.spread(node, present.first().copied(), around);
        let slots: Vec<_> = present
            .iter()
            .map(|item| Slot {
                place: item.span(),
                value: *item,
            })
            .collect();
        let habit = Self::habit(slots.iter().map(|slot| slot.value), spread);
        let values: Vec<_> = present.iter().map(|item| item.value()).collect();
        let mut keep = vec![true; present.len()];
        let mut added = Vec::new();
        let (mut old, mut new) = (0, 0);
        for step in align(&values, target) {
            match step {
                Step::Keep => (old, new) = (old + 1, new + 1),
                Step::Change => {
                    self.value(present[old], &target[new], habit);
                    (old, new) = (old + 1, new + 1);
                }
                Step::Drop => {
                    keep[old] = false;
                    old += 1;
                }
                Step::Insert => {
                    added.push(Added {
                        after: old.checked_sub(1),
                        name: None,
                        value: &target[new],
                    });
                    new += 1;
                }
            }
        }
        self.sequence(node, &slots, &keep, &added, spread);
    }

    fn spread(&self, node: Node<'_>, first: Option<Node<'_>>, around: Spread) -> Spread {
        match first {
            None => around,
            Some(first) if self.text[node.span().start..first.span().start].contains('\n') => {
                Spread::ManyLines
            }
            Some(_) => Spread::OneLine,
        }
    }

    /// The layout of a new container among these: that of the last one that is not empty.
    fn habit<'n>(values: impl DoubleEndedIterator<Item = Node<'n>>, spread: Spread) -> Spread {
        let is_container = |value: &Node<'n>| {
            matches!(value.kind(), Kind::Array | Kind::Object) && value.raw().len() > 2
        };
        match values.rev().find(is_container) {
            Some(value) if !value.raw().contains('\n') => Spread::OneLine,
            _ => spread,
        }
    }

    fn style(&self, node: Node<'t>, slots: &[Slot<'t>], spread: Spread) -> Style<'t> {
        let compact = self.one_line == Layout::Compact;
        let colon = match slots.first() {
            Some(slot) if node.kind() == Kind::Object => {
                let member = &self.text[slot.place.start..slot.value.span().start];
                &member[member.rfind('"').map_or(0, |quote| quote + 1)..]
            }
            _ if spread == Spread::OneLine && compact => ":",
            _ => self.colon,
        };
        if spread == Spread::OneLine {
            let lead = match slots.get(1) {
                Some(second) => space_before(self.text, second.place.start),
                None if compact => "",
                None => " ",
            };
            return Style {
                lead: lead.to_owned(),
                colon,
                layout: self.one_line,
                indent: self.line_indent(node.span().start).to_owned(),
            };
        }
        let lead = match slots.last() {
            Some(last) => space_before(self.text, last.place.start).to_owned(),
            None => {
                let indent = self.line_indent(node.span().start);
                format!("{}{indent}{}", self.newline, self.unit)
            }
        };
        let indent = lead.rsplit('\n').next().unwrap_or_default().to_owned();
        Style {
            lead,
            colon,
            layout: self.layout(Self::habit(slots.iter().map(|slot| slot.value), spread)),
            indent,
        }
    }

    fn render(added: &Added<'_>, style: &Style<'_>, out: &mut String) {
        if let Some(name) = added.name {
            print::escape_into(name, out);
            out.push_str(style.colon);
        }
        print::print(added.value, style.layout, &style.indent, out);
    }

    /// Removes and adds members or items, with their commas.
    fn sequence(
        &mut self,
        node: Node<'t>,
        slots: &[Slot<'t>],
        keep: &[bool],
        added: &[Added<'_>],
        spread: Spread,
    ) {
        if added.is_empty() && keep.iter().all(|keep| *keep) {
            return;
        }
        let style = self.style(node, slots, spread);
        let Some(first) = keep.iter().position(|keep| *keep) else {
            self.refill(node, slots, added, &style);
            return;
        };
        let mut front = String::new();
        let at_front = |added: &&Added<'_>| added.after.is_none_or(|at| at < first);
        for added in added.iter().take_while(at_front) {
            Self::render(added, &style, &mut front);
            front.push(',');
            front.push_str(&style.lead);
        }
        self.splice(slots[0].place.start..slots[first].place.start, front);
        let mut after: HashMap<usize, Vec<&Added<'_>>> = HashMap::new();
        for added in added {
            if let Some(at) = added.after {
                after.entry(at).or_default().push(added);
            }
        }
        let mut next = first;
        while next < slots.len() {
            // `next` is kept; everything dropped up to the next kept one goes with it.
            let until = (next + 1..slots.len())
                .find(|&at| keep[at])
                .unwrap_or(slots.len());
            let mut new = String::new();
            for added in (next..until).filter_map(|at| after.get(&at)).flatten() {
                new.push(',');
                new.push_str(&style.lead);
                Self::render(added, &style, &mut new);
            }
            self.splice(slots[next].place.end..slots[until - 1].place.end, new);
            next = until;
        }
    }

    /// Replaces the whole content, because nothing in it is kept.
    fn refill(
        &mut self,
        node: Node<'t>,
        slots: &[Slot<'t>],
        added: &[Added<'_>],
        style: &Style<'_>,
    ) {
        let inner = node.span().start + 1..node.span().end - 1;
        let mut new = String::new();
        for (position, added) in added.iter().enumerate() {
            if position > 0 {
                new.push(',');
            }
            if position > 0 || style.lead.contains('\n') {
                new.push_str(&style.lead);
            }
            Self::render(added, style, &mut new);
        }
        if !new.is_empty() && style.lead.contains('\n') {
            match slots.last() {
                Some(last) => new.push_str(&self.text[last.place.end..inner.end]),
                None => {
                    new.push_str(self.newline);
                    new.push_str(self.line_indent(node.span().start));
                }
            }
        }
        self.splice(inner, new);
    }
}
