//! Finding the JSON in what an agent wrote.

use std::ops::Range;

use crate::document::{Document, Embedded, ParseError, Trouble, embedded};

/// JSON that was found in a text.
#[derive(Debug, Clone)]
pub struct Block {
    /// The JSON. What stands before it in the text is blank here, so that lines and offsets are those of the text.
    pub document: Document,
    /// Where it stands in the text.
    pub span: Range<usize>,
    /// The lines that it stands on, from 1.
    pub lines: (usize, usize),
    /// Whether there is nothing else in the text.
    pub is_whole: bool,
}

/// Of more blocks than this the lines are not said.
const SHOWN: usize = 10;

/// There is not the one JSON block that is looked for.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// There is none.
    #[error("there is no JSON object in the text")]
    None,
    /// There are several.
    #[error("there is more than one JSON block, such as on lines {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Several(Vec<usize>),
    /// What looks like one is none.
    #[error("the JSON that begins on line {line} is broken: {error}")]
    Broken {
        /// Where it begins.
        line: usize,
        /// Where it stops being JSON, and why.
        error: ParseError,
    },
}

/// Finds the handoff in a text: the whole of it, or the one JSON object in it. Where there are several, the one that
/// has a `task_id`.
pub fn find(text: &str) -> Result<Block, BlockError> {
    let whole = match Document::parse(text) {
        Ok(document) => {
            let span = document.root().span();
            return Ok(block(text, document, span));
        }
        Err(error) => error,
    };
    let start = text.len() - text.trim_start().len();
    let (objects, broken) = objects(text);
    // One that was cut off is the one that was meant, unless it is none and another is.
    let begun = broken
        .iter()
        .find(|(at, trouble)| is_begun(text, *at, *trouble));
    let has_other = || objects.iter().any(|span| is_handoff(text, span));
    let other = broken.first().filter(|_| begun.is_none() && !has_other());
    if let Some((at, trouble)) = begun.or(other) {
        return Err(BlockError::Broken {
            line: line_of(text, *at),
            error: trouble.in_text(text),
        });
    }
    let chosen = match objects.as_slice() {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(only_handoff(text, several)?),
    };
    match chosen {
        // A text that begins with a brace is JSON, or was meant to be.
        _ if text[start..].starts_with('{')
            && objects.first().is_none_or(|first| first.start != start) =>
        {
            Err(BlockError::Broken {
                line: line_of(text, start),
                error: whole,
            })
        }
        Some(span) => {
            let before = text[..span.start].chars();
            let before: String = before.flat_map(blank).collect();
            let document = Document::parse(before + &text[span.clone()]);
            let document = document.map_err(|error| BlockError::Broken {
                line: line_of(text, span.start),
                error,
            })?;
            Ok(block(text, document, span))
        }
        None => Err(BlockError::None),
    }
}

fn block(text: &str, document: Document, span: Range<usize>) -> Block {
    let lines = (
        line_of(text, span.start),
        line_of(text, span.end.saturating_sub(1)),
    );
    let is_whole = text[..span.start].trim().is_empty() && text[span.end..].trim().is_empty();
    Block {
        document,
        span,
        lines,
        is_whole,
    }
}

/// White space of the same length.
fn blank(character: char) -> impl Iterator<Item = char> {
    let blank = if character == '\n' { '\n' } else { ' ' };
    std::iter::repeat_n(blank, character.len_utf8())
}

/// Where something that began like an object began, and where it stopped being one.
type Broken = (usize, Trouble);

/// Every JSON object in a text, and all that only begins like one.
fn objects(text: &str) -> (Vec<Range<usize>>, Vec<Broken>) {
    let mut found = Vec::new();
    let mut broken = Vec::new();
    let mut at = 0;
    while let Some(brace) = memchr::memchr(b'{', &text.as_bytes()[at..]) {
        let start = at + brace;
        at = match embedded(text, start) {
            Embedded::Object { end } => {
                found.push(start..end);
                end
            }
            Embedded::Broken(trouble) => {
                broken.push((start, trouble));
                trouble.offset.max(start + 1)
            }
            Embedded::Other => start + 1,
        };
    }
    (found, broken)
}

/// The one of several objects that is a handoff.
fn only_handoff(text: &str, objects: &[Range<usize>]) -> Result<Range<usize>, BlockError> {
    let handoffs = objects.iter().filter(|span| is_handoff(text, span));
    let handoffs: Vec<&Range<usize>> = handoffs.collect();
    match handoffs.as_slice() {
        [one] => Ok((*one).clone()),
        _ => {
            let lines = objects
                .iter()
                .take(SHOWN)
                .map(|span| line_of(text, span.start));
            Err(BlockError::Several(lines.collect()))
        }
    }
}

fn is_handoff(text: &str, span: &Range<usize>) -> bool {
    let document = Document::parse(&text[span.clone()]);
    document.is_ok_and(|document| document.root().get("task_id").is_some())
}

/// Whether what is broken was to be a handoff, as far as it goes.
fn is_begun(text: &str, start: usize, trouble: Trouble) -> bool {
    let end = text.floor_char_boundary(trouble.offset);
    text[start..end.max(start)].contains("\"task_id\"")
}

fn line_of(text: &str, offset: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..offset]).count() + 1
}
