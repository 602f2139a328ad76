//! Small changes of a JSON text with comments.
//!
//! A change touches the bytes it must and no others: what is appended takes over the layout of its neighbours, and what
//! is taken away leaves no empty line and no stray comma. Taking away what was just appended therefore gives the text
//! from before, in all but a few cases.

use std::ops::Range;

use ckpt::document::{Value as Json, escape_into};
use jsonc_parser::ast::{Array, Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::errors::ParseError;
use jsonc_parser::tokens::{Token, TokenAndRange};
use jsonc_parser::{CollectOptions, CommentCollectionStrategy, ParseOptions, parse_to_ast};

/// Comments and trailing commas are common in settings; what else a lenient reader takes is a mistake more often.
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

/// A text, what it says, and how it is laid out.
pub(super) struct Source<'t> {
    text: &'t str,
    /// Comments are among them.
    tokens: Vec<TokenAndRange<'t>>,
    root: Option<Value<'t>>,
    newline: &'static str,
    unit: String,
    /// What stands after a colon, and after a comma in a line: a space or nothing.
    gap: &'static str,
}

/// The members of an object or the items of an array.
pub(super) struct List {
    brackets: Range<usize>,
    items: Vec<Range<usize>>,
    /// Where that begins which this is the value of.
    owner: Owner,
}

#[derive(Clone, Copy)]
enum Owner {
    Document,
    At(usize),
}

/// What can be put into a [`List`].
pub(super) enum Item<'n> {
    Member(&'n str, Json),
    Element(Json),
}

/// What a stretch of the text is replaced with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Change {
    range: Range<usize>,
    text: String,
}

/// How something is laid out.
enum Layout {
    Line,
    Lines { indent: String },
}

impl Change {
    fn insertion(at: usize, text: impl Into<String>) -> Self {
        Self {
            range: at..at,
            text: text.into(),
        }
    }

    fn deletion(range: Range<usize>) -> Self {
        Self {
            range,
            text: String::new(),
        }
    }
}

/// The text with all changes made. They may touch, but not overlap; those at one place are made in their order.
pub(super) fn changed(text: &str, mut changes: Vec<Change>) -> String {
    changes.sort_by_key(|change| change.range.start);
    let mut out = String::with_capacity(text.len() + 1024);
    let mut done = 0;
    for change in changes {
        debug_assert!(done <= change.range.start, "changes overlap");
        out.push_str(&text[done..change.range.start]);
        out.push_str(&change.text);
        done = change.range.end;
    }
    out.push_str(&text[done..]);
    out
}

/// The last member of that name, which is the one that counts.
pub(super) fn member<'o, 't>(object: &'o Object<'t>, name: &str) -> Option<&'o ObjectProp<'t>> {
    let mut members = object.properties.iter().rev();
    members.find(|member| member.name.as_str() == name)
}

impl List {
    /// The members of the object that the document is.
    pub(super) fn of_root(object: &Object<'_>) -> Self {
        Self::of_members(object, Owner::Document)
    }

    /// The members of an object that is an item of an array.
    pub(super) fn of_object(object: &Object<'_>) -> Self {
        Self::of_members(object, Owner::At(object.start()))
    }

    /// The members of an object that is the value of a member.
    pub(super) fn of_object_in(owner: &ObjectProp<'_>, object: &Object<'_>) -> Self {
        Self::of_members(object, Owner::At(owner.start()))
    }

    /// The items of an array that is the value of a member.
    pub(super) fn of_array_in(owner: &ObjectProp<'_>, array: &Array<'_>) -> Self {
        Self {
            brackets: span(array),
            items: array.elements.iter().map(span).collect(),
            owner: Owner::At(owner.start()),
        }
    }

    fn of_members(object: &Object<'_>, owner: Owner) -> Self {
        Self {
            brackets: span(object),
            items: object.properties.iter().map(span).collect(),
            owner,
        }
    }

    fn inside(&self) -> Range<usize> {
        self.brackets.start + 1..self.brackets.end - 1
    }
}

fn span(node: &impl Ranged) -> Range<usize> {
    node.start()..node.end()
}

impl<'t> Source<'t> {
    pub(super) fn parse(text: &'t str) -> Result<Self, ParseError> {
        let collected = CollectOptions {
            comments: CommentCollectionStrategy::AsTokens,
            tokens: true,
        };
        let parsed = parse_to_ast(text, &collected, &DIALECT)?;
        let mut source = Self {
            text,
            tokens: parsed.tokens.unwrap_or_default(),
            root: parsed.value,
            newline: "\n",
            unit: "  ".to_owned(),
            gap: " ",
        };
        source.look_around();
        Ok(source)
    }

    pub(super) fn root(&self) -> Option<&Value<'t>> {
        self.root.as_ref()
    }

    fn look_around(&mut self) {
        if self
            .text
            .split_once('\n')
            .is_some_and(|(line, _)| line.ends_with('\r'))
        {
            self.newline = "\r\n";
        }
        let mut colons = self
            .tokens
            .iter()
            .filter(|token| token.token == Token::Colon);
        if let Some(colon) = colons.next()
            && !self.text[colon.end()..].starts_with(char::is_whitespace)
        {
            self.gap = "";
        }
        if let Some(Value::Object(root)) = &self.root
            && let Some(first) = root.properties.first()
            && self.begins_line(first.start())
            && let Some(unit) = self
                .indent(first.start())
                .strip_prefix(self.indent(root.start()))
            && !unit.is_empty()
        {
            self.unit = unit.to_owned();
        }
    }

    /// Whether there are comments between the items.
    pub(super) fn has_comments(&self, list: &List) -> bool {
        let inside = list.inside();
        let first = self.first_from(inside.start);
        let tokens = self.tokens[first..].iter();
        let mut tokens = tokens.take_while(|token| token.start() < inside.end);
        tokens.any(|token| {
            let at = token.start();
            let next = list.items.partition_point(|item| item.end <= at);
            matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_))
                && !list.items.get(next).is_some_and(|item| item.contains(&at))
        })
    }

    /// Takes these items away. Comments beside them stay.
    pub(super) fn without(&self, list: &List, is_gone: impl Fn(usize) -> bool) -> Vec<Change> {
        let gone: Vec<usize> = (0..list.items.len())
            .filter(|&item| is_gone(item))
            .collect();
        let (Some(&first), Some(&last)) = (gone.first(), gone.last()) else {
            return Vec::new();
        };
        let inside = list.inside();
        let stays = (0..list.items.len())
            .rev()
            .find(|item| gone.binary_search(item).is_err());
        if stays.is_none()
            && self.before(list.items[first].start).end() == inside.start
            && self.after(self.end_with_comma(list, last)).start() == inside.end
            && gone
                .iter()
                .all(|&item| item == last || !self.is_commented(list, item))
        {
            return vec![Change::deletion(inside)];
        }
        let mut changes = Vec::new();
        let mut rest = gone.as_slice();
        while let Some(&start) = rest.first() {
            // Items with nothing but a comma between them go together.
            let follows =
                |pair: &[usize]| pair[1] == pair[0] + 1 && !self.is_commented(list, pair[0]);
            let length = 1 + rest.windows(2).take_while(|pair| follows(pair)).count();
            let end = rest[length - 1];
            changes.push(self.without_run(list.items[start].start, self.end_with_comma(list, end)));
            rest = &rest[length..];
        }
        let ends_with_comma = self
            .comma_after(list.items[list.items.len() - 1].end)
            .is_some();
        if let Some(stays) = stays
            && stays < last
            && last == list.items.len() - 1
            && !ends_with_comma
            && let Some(comma) = self.comma_after(list.items[stays].end)
        {
            changes.push(Change::deletion(comma));
        }
        changes
    }

    /// Takes a stretch away with the line it is on, unless something else is on that line.
    fn without_run(&self, start: usize, end: usize) -> Change {
        let before = self.before(start);
        let after = self.after(end);
        let ends_line = has_newline(&self.text[end..after.start()]);
        let closes = matches!(after.token, Token::CloseBrace | Token::CloseBracket);
        let below_comment = matches!(before.token, Token::CommentLine(_));
        if ends_line || closes && !below_comment {
            Change::deletion(before.end()..end)
        } else if closes {
            Change::deletion(start..end)
        } else {
            Change::deletion(start..after.start())
        }
    }

    /// Whether a comment stands between an item and the next one.
    fn is_commented(&self, list: &List, item: usize) -> bool {
        let Some(next) = list.items.get(item + 1) else {
            return false;
        };
        let end = self.end_with_comma(list, item);
        self.after(end).start() != next.start
    }

    fn end_with_comma(&self, list: &List, item: usize) -> usize {
        let end = list.items[item].end;
        self.comma_after(end).map_or(end, |comma| comma.end)
    }

    /// Puts items at the end of a list.
    pub(super) fn with(&self, list: &List, items: &[Item<'_>]) -> Vec<Change> {
        if items.is_empty() {
            return Vec::new();
        }
        let layout = self.layout(list);
        let mut body = String::new();
        for (number, item) in items.iter().enumerate() {
            if number > 0 {
                body.push(',');
            }
            match &layout {
                Layout::Lines { indent } => body.extend([self.newline, indent.as_str()]),
                Layout::Line => body.push_str(self.gap),
            }
            self.write_item(item, &layout, &mut body);
        }
        let inside = list.inside();
        let before = self.before(inside.end);
        let Some(last) = list.items.last() else {
            return vec![self.first_inside(list, &layout, body)];
        };
        let comma = self.comma_after(last.end);
        let mut changes = Vec::new();
        if comma.is_some() {
            body.push(',');
        } else {
            changes.push(Change::insertion(last.end, ","));
        }
        changes.push(Change::insertion(before.end(), body));
        changes
    }

    /// Puts a body into brackets that are empty but for comments.
    fn first_inside(&self, list: &List, layout: &Layout, mut body: String) -> Change {
        let inside = list.inside();
        let before = self.before(inside.end);
        if before.end() > inside.start {
            return Change::insertion(before.end(), body);
        }
        match (layout, list.owner) {
            (Layout::Line, _) => drop(body.drain(..self.gap.len())),
            (Layout::Lines { .. }, Owner::Document) => body.push_str(self.newline),
            (Layout::Lines { .. }, Owner::At(start)) => {
                body.extend([self.newline, self.indent(start)]);
            }
        }
        Change {
            range: inside,
            text: body,
        }
    }

    /// How items at the end of a list are laid out: as the last one is.
    fn layout(&self, list: &List) -> Layout {
        let below_comment = matches!(self.before(list.inside().end).token, Token::CommentLine(_));
        if let Some(last) = list.items.last() {
            if self.begins_line(last.start) {
                return Layout::Lines {
                    indent: self.indent(last.start).to_owned(),
                };
            }
            if !below_comment {
                return Layout::Line;
            }
        }
        match list.owner {
            Owner::At(start) if !below_comment && !self.begins_line(start) => Layout::Line,
            Owner::At(start) => Layout::Lines {
                indent: format!("{}{}", self.indent(start), self.unit),
            },
            Owner::Document => Layout::Lines {
                indent: self.unit.clone(),
            },
        }
    }

    /// Says something else where a value is.
    pub(super) fn instead(&self, value: &Value<'_>, wanted: &Json) -> Change {
        let mut text = String::new();
        self.write(wanted, &Layout::Line, &mut text);
        Change {
            range: span(value),
            text,
        }
    }

    fn write_item(&self, item: &Item<'_>, layout: &Layout, out: &mut String) {
        match item {
            Item::Element(value) => self.write(value, layout, out),
            Item::Member(name, value) => self.write_member(name, value, layout, out),
        }
    }

    fn write_member(&self, name: &str, value: &Json, layout: &Layout, out: &mut String) {
        escape_into(name, out);
        out.push(':');
        out.push_str(self.gap);
        self.write(value, layout, out);
    }

    /// Lists of words stay on one line.
    fn write(&self, value: &Json, layout: &Layout, out: &mut String) {
        match value {
            Json::Object(object) => {
                out.push('{');
                self.write_all(object.iter(), layout, out, |(name, value), layout, out| {
                    self.write_member(name, value, layout, out);
                });
                out.push('}');
            }
            Json::Array(items) => {
                let is_nested = items.iter().any(|item| matches!(item, Json::Object(_)));
                let layout = if is_nested { layout } else { &Layout::Line };
                out.push('[');
                self.write_all(items.iter(), layout, out, |item, layout, out| {
                    self.write(item, layout, out);
                });
                out.push(']');
            }
            _ => out.push_str(&value.to_compact()),
        }
    }

    fn write_all<T>(
        &self,
        items: impl Iterator<Item = T>,
        layout: &Layout,
        out: &mut String,
        write: impl Fn(T, &Layout, &mut String),
    ) {
        let inner = match layout {
            Layout::Line => Layout::Line,
            Layout::Lines { indent } => Layout::Lines {
                indent: format!("{indent}{}", self.unit),
            },
        };
        for (number, item) in items.enumerate() {
            if number > 0 {
                out.push(',');
            }
            match &inner {
                Layout::Lines { indent } => out.extend([self.newline, indent.as_str()]),
                Layout::Line if number > 0 => out.push_str(self.gap),
                Layout::Line => {}
            }
            write(item, &inner, out);
        }
        if let Layout::Lines { indent } = layout {
            out.extend([self.newline, indent.as_str()]);
        }
    }

    /// The token or comment that ends there or before.
    fn before(&self, position: usize) -> &TokenAndRange<'t> {
        let after = self.tokens.partition_point(|token| token.end() <= position);
        &self.tokens[after - 1]
    }

    /// The token or comment that begins there or behind.
    fn after(&self, position: usize) -> &TokenAndRange<'t> {
        &self.tokens[self.first_from(position)]
    }

    /// The number of the first token or comment that begins there or behind.
    fn first_from(&self, position: usize) -> usize {
        self.tokens
            .partition_point(|token| token.start() < position)
    }

    /// The comma that follows, with comments before it or not.
    fn comma_after(&self, position: usize) -> Option<Range<usize>> {
        let mut tokens = self.tokens[self.first_from(position)..].iter();
        let next = tokens
            .find(|token| !matches!(token.token, Token::CommentLine(_) | Token::CommentBlock(_)))?;
        (next.token == Token::Comma).then(|| span(next))
    }

    fn line_start(&self, position: usize) -> usize {
        self.text[..position]
            .rfind(['\n', '\r'])
            .map_or(0, |newline| newline + 1)
    }

    /// Whether nothing but space is before it on its line.
    fn begins_line(&self, position: usize) -> bool {
        let start = self.line_start(position);
        start > 0 && self.text[start..position].chars().all(char::is_whitespace)
    }

    /// The space that its line begins with.
    fn indent(&self, position: usize) -> &'t str {
        let line = &self.text[self.line_start(position)..position];
        &line[..line.len() - line.trim_start().len()]
    }
}

fn has_newline(text: &str) -> bool {
    text.contains(['\n', '\r'])
}
