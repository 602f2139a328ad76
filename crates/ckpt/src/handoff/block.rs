//! Finding the JSON in an agent's text.

use std::ops::Range;

use crate::document::{Document, Embedded, ParseError, Trouble, embedded};

/// JSON found in a text.
#[derive(Debug, Clone)]
pub struct Block {
    /// The JSON. The text before it is replaced by blanks, so that lines and offsets are those of the text.
    pub document: Document,
    /// Its range in the text.
    pub span: Range<usize>,
    /// Its first and last line, from 1.
    pub lines: (usize, usize),
    /// Whether the text contains nothing else.
    pub is_whole: bool,
}

/// The maximum number of blocks whose lines are listed.
const SHOWN: usize = 10;

/// The text does not contain exactly one JSON block.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BlockError {
    /// There is none.
    #[error("there is no JSON object in the text")]
    None,
    /// There are several.
    #[error("there is more than one JSON block, for example on lines {}", .0.iter().map(ToString::to_string).collect::<Vec<_>>().join(", "))]
    Several(Vec<usize>),
    /// It looks like JSON but is not valid.
    #[error("the JSON that begins on line {line} is broken: {error}")]
    Broken {
        /// The line where it begins.
        line: usize,
        /// Where it becomes invalid, and why.
        error: ParseError,
    },
}

/// Finds the handoff in a text: the whole text, or the only JSON object in it. If there are several, the one with a
/// `task_id`.
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
    // A truncated handoff takes precedence; any other broken object counts only if there is no complete handoff.
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
        // A text that begins with a brace is meant to be JSON.
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

/// Where a broken object begins, and where it becomes invalid.
type Broken = (usize, Trouble);

/// Every JSON object in a text, and everything that only begins like one.
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

/// The only one of several objects that is a handoff.
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

/// Whether a broken object was going to be a handoff, judging by its valid part.
fn is_begun(text: &str, start: usize, trouble: Trouble) -> bool {
    let end = text.floor_char_boundary(trouble.offset);
    text[start..end.max(start)].contains("\"task_id\"")
}

fn line_of(text: &str, offset: usize) -> usize {
    memchr::memchr_iter(b'\n', &text.as_bytes()[..offset]).count() + 1
}
