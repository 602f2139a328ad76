//! Classifies characters, as far as splitting depends on it.
//!
//! The table has two stages: a page number for every 256 characters, then the pages, with two characters per byte.

static TABLE: &[u8] = include_bytes!("../tables/classes.bin");

/// One page number for every 256 characters.
const PAGES: usize = 0x11_0000 / 256;

/// Two characters per byte.
const PAGE_BYTES: usize = 128;

/// The class of a character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub(crate) enum Class {
    /// Punctuation, symbols, control and unassigned characters.
    Other = 0,
    /// Upper and title case letters.
    Upper = 1,
    /// Lower case letters.
    Lower = 2,
    /// Letters without case.
    Caseless = 3,
    /// Combining marks.
    Mark = 4,
    /// Digits and other numbers.
    Number = 5,
    /// White space except newlines.
    Space = 6,
    /// CR and LF.
    Newline = 7,
}

impl Class {
    pub(crate) fn of(character: char) -> Self {
        let code = character as usize;
        let page = usize::from(TABLE[code / 256]);
        let byte = TABLE[PAGES + page * PAGE_BYTES + code % 256 / 2];
        Self::read(if code.is_multiple_of(2) {
            byte & 15
        } else {
            byte >> 4
        })
    }

    fn read(number: u8) -> Self {
        match number {
            1 => Self::Upper,
            2 => Self::Lower,
            3 => Self::Caseless,
            4 => Self::Mark,
            5 => Self::Number,
            6 => Self::Space,
            7 => Self::Newline,
            _ => Self::Other,
        }
    }

    pub(crate) fn is_letter(self) -> bool {
        matches!(self, Self::Upper | Self::Lower | Self::Caseless)
    }

    pub(crate) fn is_space(self) -> bool {
        matches!(self, Self::Space | Self::Newline)
    }

    /// Neither white space nor letter nor number.
    pub(crate) fn is_symbol(self) -> bool {
        matches!(self, Self::Other | Self::Mark)
    }

    /// Whether it may precede a word and be part of its piece.
    pub(crate) fn is_prefix(self) -> bool {
        matches!(self, Self::Other | Self::Mark | Self::Space)
    }
}
