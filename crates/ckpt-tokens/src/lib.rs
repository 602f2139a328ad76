//! How many tokens a text has, exactly, for the two vocabularies of OpenAI that are in use.
//!
//! Other libraries build a hash map of 100,000 or 200,000 tokens and compile a regular expression before they count the
//! first word. Here the vocabulary is a table that was laid out beforehand (`table.rs`) and lies in the program; counting
//! touches the few pages of it that the text needs. Texts are split by hand (`split.rs`), in linear time.
//!
//! The vocabularies are those of `tiktoken`, under the MIT licence; see `tables/NOTICE.md`.

mod class;
mod merge;
mod split;
mod table;

use crate::merge::Merger;
use crate::split::Rules;
use crate::table::Table;

/// A vocabulary, and the rules by which texts are split for it.
#[derive(Debug, Clone, Copy)]
pub struct Encoding {
    rules: Rules,
    table: Table,
}

/// The vocabulary of GPT-4o and later models.
pub const O200K: Encoding = Encoding {
    rules: Rules::O200k,
    table: Table::of(include_bytes!("../tables/o200k.bin")),
};

/// The vocabulary of GPT-4 and GPT-3.5.
pub const CL100K: Encoding = Encoding {
    rules: Rules::Cl100k,
    table: Table::of(include_bytes!("../tables/cl100k.bin")),
};

impl Encoding {
    /// How many tokens a text has. Special tokens are counted as the text that they are.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// How many tokens a text has, where it has at most `limit`. Of a text that has more, no more than needed is read.
    #[must_use]
    pub fn count_up_to(self, text: &str, limit: usize) -> Option<usize> {
        self.counted(text, limit, |_, _| false)
    }

    /// Whether a text has at most `limit` tokens. A token has at least one byte, so the end of it need not be looked at once
    /// there is room for all its bytes.
    #[must_use]
    pub fn fits(self, text: &str, limit: usize) -> bool {
        let is_enough = |count: usize, left: usize| count.saturating_add(left) <= limit;
        self.counted(text, limit, is_enough).is_some()
    }

    /// Counts piece by piece, until there are too many, or what was counted and the bytes that are left are enough to know.
    fn counted(
        self,
        text: &str,
        limit: usize,
        is_enough: impl Fn(usize, usize) -> bool,
    ) -> Option<usize> {
        let (mut count, mut left) = (0, text.len());
        if is_enough(count, left) {
            return Some(count);
        }
        // No token is longer than this, so there are at least so many.
        if text.len() / self.table.longest_token() > limit {
            return None;
        }
        let mut merger = Merger::new(self.table);
        for piece in split::pieces(self.rules, text) {
            count += merger.count(piece.as_bytes());
            left -= piece.len();
            if count > limit {
                return None;
            }
            if is_enough(count, left) {
                break;
            }
        }
        Some(count)
    }
}

#[cfg(test)]
mod tests;
