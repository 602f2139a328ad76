//! A settings file as text: its content, its layout, and edits that touch no more bytes than necessary.
//!
//! Appended items take the layout of their neighbours; removed ones leave no empty line or stray comma. So removing
//! what was just appended restores the text, in all but a few cases.
// The editable tree of `jsonc-parser` (its feature `cst`) would not: it breaks one-line objects into lines, drops
// comments next to what it removes, and needs quadratic time to remove many items.

use std::collections::HashSet;
use std::ops::Range;

use ckpt::document::{Value as Json, to_inline, to_pretty};
use ckpt::pipeline::Position;
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

/// Comments and trailing commas are common in settings; anything else that is not JSON is more likely a mistake.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

/// A parsed text and its layout.
pub(super) struct Source<'t> {
    /// The byte order marks that the file starts with; editors on Windows may write one.
    mark: &'t str,
    text: &'t str,
    /// Includes comments.
    tokens: Vec<TokenAndRange<'t>>,
    root: Option<Value<'t>>,
    newline: &'static str,
    /// One level of indentation.
    unit: &'t str,
    /// What follows a colon, or a comma within a line: a space or nothing.
    gap: &'static str,
}

/// A range of the text, and its replacement.
pub(super) type Change = (Range<usize>, String);

/// The members of an object or the elements of an array.
pub(super) struct List {
    inside: Range<usize>,
    items: Vec<Range<usize>>,
    /// The start of the member or element whose value is this list; none for the document.
    owner: Option<usize>,
}

impl List {
    pub(super) fn members(object: &Object<'_>, owner: Option<usize>) -> Self {
        Self::new(object, &object.properties, owner)
    }

    pub(super) fn elements(array: &Array<'_>, owner: usize) -> Self {
        Self::new(array, &array.elements, Some(owner))
    }

    fn new(brackets: &impl Ranged, items: &[impl Ranged], owner: Option<usize>) -> Self {
        Self {
            inside: brackets.start() + 1..brackets.end() - 1,
            items: items.iter().map(span).collect(),
            owner,
        }
    }

    /// Whether there are items, and all of them start at one of these offsets.
    pub(super) fn is_all_in(&self, starts: &HashSet<usize>) -> bool {
        !self.items.is_empty() && self.items.iter().all(|item| starts.contains(&item.start))
    }
}

pub(super) fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

/// The last member with that name, which is the one that counts.
pub(super) fn member<'o, 't>(object: &'o Object<'t>, name: &str) -> Option<&'o ObjectProp<'t>> {
    let mut members = object.properties.iter().rev();
    members.find(|member| member.name.as_str() == name)
}

/// Splits a text into its byte order marks and its content.
pub(super) fn split_mark(text: &str) -> (&str, &str) {
    let content = text.trim_start_matches('\u{feff}');
    text.split_at(text.len() - content.len())
}

fn is_comment(token: &TokenAndRange<'_>) -> bool {
    matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
}

impl<'t> Source<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, ParseError> {
        let (mark, text) = split_mark(text);
        let collected = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collected, &DIALECT)?;
        let first_line = text.split_once('\n').map_or("", |(line, _)| line);
        let mut source = Self {
            mark,
            text,
            tokens: parsed.tokens.unwrap_or_default(),
            root: parsed.value,
            newline: if first_line.ends_with('\r') {
                "\r\n"
            } else {
                "\n"
            },
            unit: "  ",
            gap: " ",
        };
        let mut tokens = source.tokens.iter();
        if let Some(colon) = tokens.find(|token| token.token == Token::Colon)
            && !text[colon.end()..].starts_with(char::is_whitespace)
        {
            source.gap = "";
        }
        if let Some(root) = source.object()
            && let Some(first) = root.properties.first()
            && source.begins_line(first.start())
            && let Some(unit) = source
                .indent(first.start())
                .strip_prefix(source.indent(root.start()))
            && !unit.is_empty()
        {
            source.unit = unit;
        }
        Ok(source)
    }

    pub(super) fn root(&self) -> Option<&Value<'t>> {
        self.root.as_ref()
    }

    /// The root, if it is an object.
    pub(super) fn object(&self) -> Option<&Object<'t>> {
        self.root()?.as_object()
    }

    /// A value as it is written.
    pub(super) fn raw(&self, node: &impl Ranged) -> &'t str {
        &self.text[span(node)]
    }

    pub(super) fn position(&self, node: &impl Ranged) -> Position {
        let before = &self.text[..node.start()];
        let line_start = before.rfind('\n').map_or(0, |newline| newline + 1);
        Position {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
        }
    }

    /// The start of the last line.
    pub(super) fn last_line(&self) -> Position {
        Position {
            line: self.text.lines().count().max(1),
            column: 1,
        }
    }

    /// The text with all changes applied. Changes may touch, but not overlap; those at the same offset keep their
    /// order.
    pub(super) fn changed(&self, mut changes: Vec<Change>) -> String {
        changes.sort_by_key(|(range, _)| range.start);
        let mut out = String::with_capacity(self.text.len() + 1024);
        out.push_str(self.mark);
        let mut done = 0;
        for (range, text) in changes {
            debug_assert!(done <= range.start, "changes overlap");
            out.push_str(&self.text[done..range.start]);
            out.push_str(&text);
            done = range.end;
        }
        out.push_str(&self.text[done..]);
        out
    }

    /// Whether there are comments between the items.
    pub(super) fn has_comments(&self, list: &List) -> bool {
        let starts = list.items.iter().map(|item| item.start);
        let ends = list.items.iter().map(|item| item.end);
        let mut gaps = std::iter::once(list.inside.start)
            .chain(ends)
            .zip(starts.chain([list.inside.end]));
        gaps.any(|(start, end)| {
            let tokens = &self.tokens[self.first_from(start)..self.first_from(end)];
            tokens.iter().any(is_comment)
        })
    }

    /// Removes the items that start at these offsets. Comments beside them stay.
    pub(super) fn without(&self, list: &List, starts: &HashSet<usize>) -> Vec<Change> {
        let is_gone = |item: &Range<usize>| starts.contains(&item.start);
        let mut runs: Vec<Range<usize>> = Vec::new();
        for item in list.items.iter().filter(|item| is_gone(item)) {
            let end = self.comma_after(item).map_or(item.end, |comma| comma.end);
            match runs.last_mut() {
                Some(run) if self.after(run.end).start() == item.start => run.end = end,
                _ => runs.push(item.start..end),
            }
        }
        let mut gone: Vec<Range<usize>> = runs.iter().map(|run| self.with_space(run)).collect();
        let is_last_gone = |last: &Range<usize>| is_gone(last) && self.comma_after(last).is_none();
        if list.items.last().is_some_and(is_last_gone)
            && let Some(stays) = list.items.iter().rfind(|item| !is_gone(item))
        {
            gone.extend(self.comma_after(stays));
        }
        gone.into_iter()
            .map(|range| (range, String::new()))
            .collect()
    }

    /// A run of items with the space around it; the whole line if nothing else is on it.
    fn with_space(&self, run: &Range<usize>) -> Range<usize> {
        let before = self.before(run.start);
        let after = self.after(run.end);
        let opens = matches!(before.token, Token::OpenBrace | Token::OpenBracket);
        let closes = matches!(after.token, Token::CloseBrace | Token::CloseBracket);
        let ends_line = self.text[run.end..after.start()].contains(['\n', '\r']);
        let below_comment = matches!(before.token, Token::CommentLine(_));
        if opens && closes {
            before.end()..after.start()
        } else if ends_line || closes && !below_comment {
            before.end()..run.end
        } else if closes {
            run.clone()
        } else {
            run.start..after.start()
        }
    }

    /// Appends the members of an object or the elements of an array to a list.
    pub(super) fn with(&self, list: &List, added: &Json) -> Vec<Change> {
        let indent = self.indent_of_items(list);
        let mut body = self.body(added, indent.as_deref());
        if body.trim_start().is_empty() {
            return Vec::new();
        }
        let inside = list.inside.clone();
        let end = self.before(inside.end).end();
        match list.items.last() {
            Some(last) if self.comma_after(last).is_some() => vec![(end..end, body + ",")],
            Some(last) => vec![(last.end..last.end, ",".to_owned()), (end..end, body)],
            None if end > inside.start => vec![(end..end, body)],
            None if indent.is_none() => vec![(inside, body.split_off(self.gap.len()))],
            None => {
                let outer = list.owner.map_or("", |owner| self.indent(owner));
                vec![(inside, body + self.newline + outer)]
            }
        }
    }

    /// The indentation of items appended to a list, taken from its last item or else from its owner. `None` if they
    /// stay on the same line.
    fn indent_of_items(&self, list: &List) -> Option<String> {
        let end = self.before(list.inside.end);
        let below_comment = matches!(end.token, Token::CommentLine(_));
        let last = list.items.last();
        if let Some(last) = last.filter(|last| self.begins_line(last.start)) {
            return Some(self.indent(last.start).to_owned());
        }
        let Some(owner) = list.owner else {
            return (last.is_none() || below_comment).then(|| self.unit.to_owned());
        };
        let in_lines = below_comment || last.is_none() && self.begins_line(owner);
        in_lines.then(|| format!("{}{}", self.indent(owner), self.unit))
    }

    /// The text between the brackets of a value, with the space before it.
    fn body(&self, value: &Json, indent: Option<&str>) -> String {
        let Some(indent) = indent else {
            let line = match self.gap {
                "" => value.to_compact(),
                _ => to_inline(value),
            };
            return format!("{}{}", self.gap, &line[1..line.len() - 1]);
        };
        let mut body = String::new();
        for line in to_pretty(value).lines() {
            let content = line.trim_start();
            let Some(depth) = ((line.len() - content.len()) / 2).checked_sub(1) else {
                continue;
            };
            body.extend([self.newline, indent, &self.unit.repeat(depth)]);
            // No name that we write contains a quote, so the first colon after a quote ends the name.
            body.push_str(&content.replacen("\": ", &format!("\":{}", self.gap), 1));
        }
        body
    }

    /// The last token or comment that ends at or before this offset.
    fn before(&self, position: usize) -> &TokenAndRange<'t> {
        let after = self.tokens.partition_point(|token| token.end() <= position);
        &self.tokens[after - 1]
    }

    /// The first token or comment that starts at or after this offset.
    fn after(&self, position: usize) -> &TokenAndRange<'t> {
        &self.tokens[self.first_from(position)]
    }

    fn first_from(&self, position: usize) -> usize {
        self.tokens
            .partition_point(|token| token.start() < position)
    }

    /// The comma that follows an item, skipping comments.
    fn comma_after(&self, item: &Range<usize>) -> Option<Range<usize>> {
        let mut tokens = self.tokens[self.first_from(item.end)..].iter();
        let next = tokens.find(|token| !is_comment(token))?;
        (next.token == Token::Comma).then(|| span(next))
    }

    fn line_start(&self, position: usize) -> usize {
        self.text[..position]
            .rfind(['\n', '\r'])
            .map_or(0, |newline| newline + 1)
    }

    /// Whether an offset is the first on its line that is not space. False on the first line.
    fn begins_line(&self, position: usize) -> bool {
        let start = self.line_start(position);
        start > 0 && self.text[start..position].trim_start().is_empty()
    }

    /// The indentation of the line that an offset is on.
    fn indent(&self, position: usize) -> &'t str {
        let line = &self.text[self.line_start(position)..position];
        &line[..line.len() - line.trim_start().len()]
    }
}
