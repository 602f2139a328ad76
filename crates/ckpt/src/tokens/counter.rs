//! Ways to count tokens.

use std::fmt;

use ckpt_tokens::{CL100K, O200K};

use super::words::{count_words, weight, words};

/// What counts as a token.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Counter {
    /// Words separated by white space, the default.
    #[default]
    Words,
    /// The same, but a word of more than 64 characters, or of a script that has no spaces, counts one token for every
    /// four bytes: a summary of 14,000 Chinese characters is not one token.
    #[serde(rename = "words")]
    #[cfg_attr(feature = "schema", schemars(skip))]
    WeighedWords,
    /// The exact vocabulary of GPT-4o and later models.
    O200k,
    /// The exact vocabulary of GPT-4 and GPT-3.5.
    Cl100k,
    /// An estimate for Claude, whose vocabulary is not public: seven quarters of [`Self::O200k`], and at least one
    /// token for every three bytes. It is meant to be too high.
    Claude,
}

impl Counter {
    /// All counters that can be named.
    pub const ALL: [Self; 4] = [Self::Words, Self::O200k, Self::Cl100k, Self::Claude];

    /// Its name.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Words | Self::WeighedWords => "words",
            Self::O200k => "o200k",
            Self::Cl100k => "cl100k",
            Self::Claude => "claude",
        }
    }

    /// The counter with this name.
    #[must_use]
    pub fn read(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }

    /// The counter for texts that people and agents hand over, rather than the functions of the specification: long
    /// words are weighed.
    #[must_use]
    pub fn weighed(self) -> Self {
        match self {
            Self::Words => Self::WeighedWords,
            other => other,
        }
    }

    /// The counter of the specification's functions, which do not weigh words.
    #[must_use]
    pub fn unweighed(self) -> Self {
        match self {
            Self::WeighedWords => Self::Words,
            other => other,
        }
    }

    /// The number of tokens in a text.
    #[must_use]
    pub fn count(self, text: &str) -> usize {
        match self {
            Self::Words => count_words(text),
            Self::WeighedWords => words(text).map(weight).sum(),
            Self::O200k => O200K.count(text),
            Self::Cl100k => CL100K.count(text),
            Self::Claude => {
                let most = O200K.count(text).saturating_mul(7).div_ceil(4);
                most.max(estimate(text))
            }
        }
    }

    /// Whether a text has at most `limit` tokens. Reads no more of it than needed, and nothing if it has at most
    /// `limit` bytes.
    #[must_use]
    pub fn fits(self, text: &str, limit: usize) -> bool {
        match self {
            Self::Words => text.len() <= limit || words(text).nth(limit).is_none(),
            Self::WeighedWords => {
                let mut left = limit;
                text.len() <= limit
                    || words(text).all(|word| {
                        let rest = left.checked_sub(weight(word));
                        left = rest.unwrap_or(0);
                        rest.is_some()
                    })
            }
            Self::O200k => O200K.fits(text, limit),
            Self::Cl100k => CL100K.fits(text, limit),
            // The inverse, rounded to the safe side: 7n ÷ 4 ≤ limit.
            Self::Claude => {
                estimate(text) <= limit && O200K.fits(text, limit.saturating_mul(4) / 7)
            }
        }
    }
}

impl fmt::Display for Counter {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

/// An estimate of what a language model counts that errs on the high side: one token for every three bytes. It needs no
/// tables, so it can size the text injected at the start of a session.
#[must_use]
pub fn estimate(text: &str) -> usize {
    text.len().div_ceil(3)
}

#[cfg(test)]
mod tests;
