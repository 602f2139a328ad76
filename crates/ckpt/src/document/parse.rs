//! The parser: one pass over the bytes that checks the grammar and records where each value is.
//!
//! We have our own because no published parser gives byte spans, keeps repeated keys and lone surrogate escapes, and
//! reads ten thousand small files without an allocation per value.

use super::error::TOO_MANY_VALUES;
use super::{Kind, MAX_DEPTH, MAX_VALUES, ParseError};

/// One value: its kind, its span, and the index of the first entry after its subtree. The children of an object are
/// key, value, key, value, …
#[derive(Debug, Clone, Copy)]
pub(super) struct Entry {
    pub(super) kind: Kind,
    /// For strings: whether it contains a backslash.
    pub(super) escaped: bool,
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) after: u32,
}

const BYTE_ORDER_MARK: &[u8] = "\u{feff}".as_bytes();

/// How many bytes at the start need no escape in a string: all but the quote, the backslash and control characters.
/// Sixteen at a time, because most of a document is inside strings.
fn plain_prefix(bytes: &[u8]) -> usize {
    let is_special = |byte: u8| (byte == b'"') | (byte == b'\\') | (byte < 0x20);
    let mut at = 0;
    // Without a branch per byte, one instruction compares them all.
    while let Some(chunk) = bytes[at..].first_chunk::<16>() {
        let marks = u128::from_le_bytes(chunk.map(|byte| u8::from(is_special(byte))));
        if marks != 0 {
            return at + marks.trailing_zeros() as usize / 8;
        }
        at += chunk.len();
    }
    let rest = &bytes[at..];
    let special = rest.iter().position(|byte| is_special(*byte));
    at + special.unwrap_or(rest.len())
}

pub(super) fn parse(
    text: &str,
    limit: usize,
    most_values: usize,
    entries: &mut Vec<Entry>,
) -> Result<(), ParseError> {
    let bytes = text.as_bytes();
    if bytes.len() > limit {
        return Err(ParseError::at(
            bytes,
            0,
            "the document is too large: the limit is 64 MiB",
        ));
    }
    let at = if bytes.starts_with(BYTE_ORDER_MARK) {
        BYTE_ORDER_MARK.len()
    } else {
        0
    };
    let mut parser = Parser {
        bytes,
        at,
        depth: 0,
        most_values,
        entries,
    };
    parser.document().map_err(|trouble| trouble.in_text(text))
}

/// Where a text stops being JSON. The line is computed only on request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Trouble {
    pub(crate) offset: usize,
    reason: &'static str,
}

impl Trouble {
    /// The error with its line and column in the text.
    pub(crate) fn in_text(self, text: &str) -> ParseError {
        ParseError::at(text.as_bytes(), self.offset, self.reason)
    }
}

/// What a brace in the middle of other text begins.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Embedded {
    /// A complete object, ending at `end`.
    Object { end: usize },
    /// Starts like an object, with at least one member, but is broken.
    Broken(Trouble),
    /// Not JSON.
    Other,
}

/// Examines what begins with the brace at `start`.
pub(crate) fn embedded(text: &str, start: usize) -> Embedded {
    let mut entries = Vec::new();
    let mut parser = Parser {
        bytes: text.as_bytes(),
        at: start,
        depth: 0,
        most_values: MAX_VALUES,
        entries: &mut entries,
    };
    match parser.value() {
        Ok(()) => Embedded::Object { end: parser.at },
        // The object, a name and a value.
        Err(trouble) if parser.entries.len() > 2 => Embedded::Broken(trouble),
        Err(_) => Embedded::Other,
    }
}

struct Parser<'t> {
    bytes: &'t [u8],
    at: usize,
    depth: usize,
    most_values: usize,
    entries: &'t mut Vec<Entry>,
}

impl Parser<'_> {
    fn error(&self, reason: &'static str) -> Trouble {
        Trouble {
            offset: self.at,
            reason,
        }
    }

    fn document(&mut self) -> Result<(), Trouble> {
        self.skip_space();
        self.value()?;
        self.skip_space();
        if self.at < self.bytes.len() {
            return Err(self.error("unexpected text after the end of the document"));
        }
        Ok(())
    }

    fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    fn skip_space(&mut self) {
        while let Some(space @ (b' ' | b'\n' | b'\r' | b'\t')) = self.peek() {
            self.at += 1;
            if space == b'\n' {
                self.skip_indentation();
            }
        }
    }

    /// Skips a line's indentation, eight spaces at a time.
    fn skip_indentation(&mut self) {
        const BLANKS: u64 = u64::from_le_bytes([b' '; 8]);
        while let Some(chunk) = self.bytes[self.at..].first_chunk() {
            let others = u64::from_le_bytes(*chunk) ^ BLANKS;
            self.at += others.trailing_zeros() as usize / 8;
            if others != 0 {
                break;
            }
        }
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "texts are at most 1 GiB, so every offset and index fits"
    )]
    fn open(&mut self, kind: Kind) -> usize {
        let index = self.entries.len();
        self.entries.push(Entry {
            kind,
            escaped: false,
            start: self.at as u32,
            end: 0,
            after: 0,
        });
        index
    }

    #[expect(
        clippy::cast_possible_truncation,
        reason = "texts are at most 1 GiB, so every offset and index fits"
    )]
    fn close(&mut self, index: usize) {
        let after = self.entries.len() as u32;
        let entry = &mut self.entries[index];
        entry.end = self.at as u32;
        entry.after = after;
    }

    fn value(&mut self) -> Result<(), Trouble> {
        match self.peek() {
            Some(b'"') => self.string(),
            Some(b'{') => self.object(),
            Some(b'[') => self.array(),
            Some(b'-' | b'0'..=b'9') => self.number(),
            Some(b't') => self.word(b"true", Kind::True),
            Some(b'f') => self.word(b"false", Kind::False),
            Some(b'n') => self.word(b"null", Kind::Null),
            Some(_) => Err(self.error("expected a JSON value")),
            None => Err(self.error("the document ends where a value is expected")),
        }
    }

    fn word(&mut self, word: &[u8], kind: Kind) -> Result<(), Trouble> {
        if !self.bytes[self.at..].starts_with(word) {
            return Err(self.error("expected a JSON value"));
        }
        let index = self.open(kind);
        self.at += word.len();
        self.close(index);
        Ok(())
    }

    fn deeper(&mut self) -> Result<(), Trouble> {
        self.depth += 1;
        if self.depth > MAX_DEPTH {
            return Err(self.error("nested deeper than 128 levels"));
        }
        Ok(())
    }

    /// Fails if the limit on values is reached.
    fn room(&self) -> Result<(), Trouble> {
        match self.entries.len() < self.most_values {
            true => Ok(()),
            false => Err(self.error(TOO_MANY_VALUES)),
        }
    }

    fn object(&mut self) -> Result<(), Trouble> {
        self.deeper()?;
        let index = self.open(Kind::Object);
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b'}') {
            self.at += 1;
        } else {
            loop {
                if self.peek() != Some(b'"') {
                    return Err(self.error("expected a member name in double quotes"));
                }
                self.room()?;
                self.string()?;
                self.skip_space();
                if self.peek() != Some(b':') {
                    return Err(self.error("expected ':' after a member name"));
                }
                self.at += 1;
                self.skip_space();
                self.value()?;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b'}') => break self.at += 1,
                    _ => return Err(self.error("expected ',' or '}' after a member")),
                }
                self.skip_space();
            }
        }
        self.depth -= 1;
        self.close(index);
        Ok(())
    }

    fn array(&mut self) -> Result<(), Trouble> {
        self.deeper()?;
        let index = self.open(Kind::Array);
        self.at += 1;
        self.skip_space();
        if self.peek() == Some(b']') {
            self.at += 1;
        } else {
            loop {
                self.room()?;
                self.value()?;
                self.skip_space();
                match self.peek() {
                    Some(b',') => self.at += 1,
                    Some(b']') => break self.at += 1,
                    _ => return Err(self.error("expected ',' or ']' after an item")),
                }
                self.skip_space();
            }
        }
        self.depth -= 1;
        self.close(index);
        Ok(())
    }

    fn string(&mut self) -> Result<(), Trouble> {
        let index = self.open(Kind::String);
        self.at += 1;
        loop {
            self.at += plain_prefix(&self.bytes[self.at..]);
            match self.peek() {
                Some(b'"') => break self.at += 1,
                Some(b'\\') => {
                    self.entries[index].escaped = true;
                    self.escape()?;
                }
                Some(_) => {
                    return Err(self.error("a control character in a string must be escaped"));
                }
                None => return Err(self.error("the document ends inside a string")),
            }
        }
        self.close(index);
        Ok(())
    }

    fn escape(&mut self) -> Result<(), Trouble> {
        match self.bytes.get(self.at + 1) {
            Some(b'"' | b'\\' | b'/' | b'b' | b'f' | b'n' | b'r' | b't') => self.at += 2,
            Some(b'u') => {
                let digits = self.bytes.get(self.at + 2..self.at + 6);
                if !digits.is_some_and(|digits| digits.iter().all(u8::is_ascii_hexdigit)) {
                    return Err(self.error("\\u must be followed by four hexadecimal digits"));
                }
                self.at += 6;
            }
            _ => return Err(self.error("unknown escape in a string")),
        }
        Ok(())
    }

    fn number(&mut self) -> Result<(), Trouble> {
        let index = self.open(Kind::Number);
        if self.peek() == Some(b'-') {
            self.at += 1;
        }
        match self.peek() {
            Some(b'0') => self.at += 1,
            Some(b'1'..=b'9') => self.digits()?,
            _ => return Err(self.error("expected a digit")),
        }
        if self.peek() == Some(b'.') {
            self.at += 1;
            self.digits()?;
        }
        if let Some(b'e' | b'E') = self.peek() {
            self.at += 1;
            if let Some(b'+' | b'-') = self.peek() {
                self.at += 1;
            }
            self.digits()?;
        }
        self.close(index);
        Ok(())
    }

    fn digits(&mut self) -> Result<(), Trouble> {
        if !self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            return Err(self.error("expected a digit"));
        }
        while self.peek().is_some_and(|byte| byte.is_ascii_digit()) {
            self.at += 1;
        }
        Ok(())
    }
}
