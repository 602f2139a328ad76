//! Counts the tokens of a text exactly, for the two OpenAI vocabularies in use.
//!
//! Other libraries build a hash map of 100,000 or 200,000 tokens and compile a regular expression before they count the
//! first word. Here the vocabulary is a precomputed table (`table.rs`) inside the program; counting touches only the
//! few pages that the text needs. Hand-written code (`split.rs`) splits texts in linear time.
//!
//! The vocabularies are those of `tiktoken`, under the MIT licence; see `tables/NOTICE.md`.

mod class;
mod merge;
mod split;
mod table;

use crate::merge::Merger;
use crate::split::Rules;
use crate::table::Table;

/// A vocabulary, and its rules for splitting texts.
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
    /// The number of tokens in a text. Special tokens are counted as plain text.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        self.count_up_to(text, usize::MAX).unwrap_or(usize::MAX)
    }

    /// The number of tokens in a text, or `None` if it exceeds `limit`. Stops reading as soon as it does.
    #[must_use]
    pub fn count_up_to(self, text: &str, limit: usize) -> Option<usize> {
        self.counted(text, limit, |_, _| false)
    }

    /// Whether a text has at most `limit` tokens. A token has at least one byte, so reading stops once the remaining
    /// bytes fit even with one token each.
    #[must_use]
    pub fn fits(self, text: &str, limit: usize) -> bool {
        let is_enough = |count: usize, left: usize| count.saturating_add(left) <= limit;
        self.counted(text, limit, is_enough).is_some()
    }

    /// Counts piece by piece. Stops at too many tokens, or when `is_enough` accepts the count and the remaining bytes.
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
        // No token is longer than this, so the quotient is a lower bound.
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
