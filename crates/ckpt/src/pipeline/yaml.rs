//! YAML as a tree in which every value knows its position.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Span};

use super::spec::{Position, SpecError};

/// Specifications are never nested more deeply.
const MAX_DEPTH: usize = 100;

/// Limits on the number of values and bytes of text, because aliases can repeat what they name.
pub(super) const MAX_NODES: usize = 200_000;
const MAX_TEXT: usize = 8 * 1024 * 1024;

/// A value and its position.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Yaml {
    pub(super) position: Position,
    pub(super) content: Content,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    Null,
    Scalar(String),
    List(Vec<Yaml>),
    Map(Vec<(Yaml, Yaml)>),
}

impl Yaml {
    /// Reads the first document of a text that starts on this line of its file.
    pub(super) fn parse(text: &str, first_line: usize) -> Result<Self, SpecError> {
        let mut builder = Builder {
            first_line,
            stack: Vec::new(),
            anchors: HashMap::new(),
            size: Size::default(),
            root: None,
        };
        for event in Parser::new_from_str(text) {
            let (event, span) = event.map_err(|error| builder.invalid(&error))?;
            if builder.take(event, span)? {
                break;
            }
        }
        Ok(builder.root.unwrap_or(Self {
            position: Position {
                line: first_line,
                column: 1,
            },
            content: Content::Null,
        }))
    }

    /// The value of a member; the last one if the name is repeated.
    pub(super) fn get(&self, name: &str) -> Option<&Yaml> {
        let mut members = self.members().iter().rev();
        let found = members.find(|(key, _)| key.as_str() == Some(name));
        found.map(|(_, value)| value)
    }

    /// The first of these members that exists and is not null.
    pub(super) fn first(&self, names: &[&str]) -> Option<&Yaml> {
        let found = names.iter().filter_map(|name| self.get(name));
        found
            .into_iter()
            .find(|value| value.content != Content::Null)
    }

    /// The members of a map, in order; empty for anything else.
    pub(super) fn members(&self) -> &[(Yaml, Yaml)] {
        match &self.content {
            Content::Map(members) => members,
            _ => &[],
        }
    }

    /// The items of a list. A single scalar counts as a list of one item, null as an empty list.
    pub(super) fn items(&self) -> Vec<&Yaml> {
        match &self.content {
            Content::List(items) => items.iter().collect(),
            Content::Null => Vec::new(),
            Content::Scalar(_) | Content::Map(_) => vec![self],
        }
    }

    pub(super) fn as_str(&self) -> Option<&str> {
        match &self.content {
            Content::Scalar(text) => Some(text),
            _ => None,
        }
    }

    /// Its type, as a noun with an article.
    pub(super) fn noun(&self) -> &'static str {
        match self.content {
            Content::Null => "nothing",
            Content::Scalar(_) => "a value",
            Content::List(_) => "a list",
            Content::Map(_) => "a map",
        }
    }

    /// How many values it contains, including itself.
    pub(super) fn values(&self) -> usize {
        self.size().nodes
    }

    /// How many values it contains, including itself, and how many bytes of text.
    fn size(&self) -> Size {
        let mut size = Size { nodes: 1, text: 0 };
        match &self.content {
            Content::Null => {}
            Content::Scalar(text) => size.text = text.len(),
            Content::List(items) => items.iter().for_each(|item| size.add(item.size())),
            Content::Map(members) => {
                for (key, value) in members {
                    size.add(key.size());
                    size.add(value.size());
                }
            }
        }
        size
    }
}

/// The size of a value.
#[derive(Debug, Clone, Copy, Default)]
struct Size {
    nodes: usize,
    text: usize,
}

impl Size {
    fn add(&mut self, other: Self) {
        self.nodes = self.nodes.saturating_add(other.nodes);
        self.text = self.text.saturating_add(other.text);
    }
}

/// A list or map being read.
struct Open {
    yaml: Yaml,
    anchor: usize,
    /// The key of the next value.
    key: Option<Yaml>,
}

struct Builder {
    first_line: usize,
    stack: Vec<Open>,
    anchors: HashMap<usize, (Yaml, Size)>,
    size: Size,
    root: Option<Yaml>,
}

impl Builder {
    fn position(&self, line: usize, column: usize) -> Position {
        Position {
            line: self.first_line + line - 1,
            column: column + 1,
        }
    }

    fn invalid(&self, error: &ScanError) -> SpecError {
        let marker = error.marker();
        SpecError {
            position: self.position(marker.line(), marker.col()),
            message: error.info().to_owned(),
        }
    }

    /// Processes an event. Returns whether the document has ended.
    fn take(&mut self, event: Event<'_>, span: Span) -> Result<bool, SpecError> {
        let position = self.position(span.start.line(), span.start.col());
        let node = |content| Yaml { position, content };
        match event {
            Event::Scalar(text, style, anchor, _) => {
                let plain = style == ScalarStyle::Plain;
                let content = match text.as_ref() {
                    "" | "~" | "null" | "Null" | "NULL" if plain => Content::Null,
                    text => Content::Scalar(text.to_owned()),
                };
                self.add(node(content), anchor)?;
            }
            Event::SequenceStart(anchor, _) => {
                self.open(node(Content::List(Vec::new())), anchor)?;
            }
            Event::MappingStart(anchor, _) => self.open(node(Content::Map(Vec::new())), anchor)?,
            Event::SequenceEnd | Event::MappingEnd => {
                if let Some(open) = self.stack.pop() {
                    self.add(open.yaml, open.anchor)?;
                }
            }
            Event::Alias(anchor) => {
                let (_, size) = self.anchors.get(&anchor).ok_or_else(|| SpecError {
                    position,
                    message: "this alias has no anchor before it".to_owned(),
                })?;
                // Count it before copying it.
                self.count(*size, position)?;
                let named = self.anchors[&anchor].0.clone();
                self.add(named, 0)?;
            }
            Event::DocumentEnd => return Ok(true),
            Event::Nothing | Event::StreamStart | Event::StreamEnd | Event::DocumentStart(_) => {}
        }
        Ok(false)
    }

    /// Counts what is about to be stored.
    fn count(&mut self, size: Size, position: Position) -> Result<(), SpecError> {
        self.size.add(size);
        let message = match self.size {
            Size { nodes, .. } if nodes > MAX_NODES => format!("more than {MAX_NODES} values"),
            Size { text, .. } if text > MAX_TEXT => {
                format!("more than {} MiB of text", MAX_TEXT / (1024 * 1024))
            }
            _ => return Ok(()),
        };
        Err(SpecError { position, message })
    }

    fn open(&mut self, yaml: Yaml, anchor: usize) -> Result<(), SpecError> {
        if self.stack.len() >= MAX_DEPTH {
            return Err(SpecError {
                position: yaml.position,
                message: format!("more than {MAX_DEPTH} levels deep"),
            });
        }
        self.stack.push(Open {
            yaml,
            anchor,
            key: None,
        });
        Ok(())
    }

    /// Adds a finished value to the open list or map.
    fn add(&mut self, yaml: Yaml, anchor: usize) -> Result<(), SpecError> {
        self.count(Size { nodes: 1, text: 0 }, yaml.position)?;
        if anchor > 0 {
            let size = yaml.size();
            self.count(size, yaml.position)?;
            self.anchors.insert(anchor, (yaml.clone(), size));
        }
        let Some(open) = self.stack.last_mut() else {
            self.root = Some(yaml);
            return Ok(());
        };
        match (&mut open.yaml.content, open.key.take()) {
            (Content::List(items), _) => items.push(yaml),
            (Content::Map(members), Some(key)) => members.push((key, yaml)),
            (Content::Map(_), None) => open.key = Some(yaml),
            (Content::Null | Content::Scalar(_), _) => {}
        }
        Ok(())
    }
}
