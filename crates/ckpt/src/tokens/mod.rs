//! Counting tokens, and the limit on summaries passed from one context to the next.

mod counter;
mod fit;
mod words;

use std::fmt;

pub use counter::{Counter, estimate};
pub use fit::{Cut, Fitted, fit};
pub use words::count_words;

/// The default limit of a context summary, in tokens.
pub const SUMMARY_LIMIT: usize = 500;

/// How long a text may be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limit {
    /// The largest number of tokens.
    pub most: usize,
    /// How tokens are counted.
    pub counter: Counter,
}

impl Default for Limit {
    fn default() -> Self {
        Self {
            most: SUMMARY_LIMIT,
            counter: Counter::Words,
        }
    }
}

impl Limit {
    /// The same limit, with long words weighed.
    #[must_use]
    pub fn weighed(self) -> Self {
        Self {
            counter: self.counter.weighed(),
            ..self
        }
    }

    /// Refuses a text over the limit.
    pub fn check(self, text: &str) -> Result<(), TooLong> {
        match self.counter.fits(text, self.most) {
            true => Ok(()),
            false => Err(TooLong {
                count: self.counter.count(text),
                limit: self,
            }),
        }
    }
}

/// A summary has too many tokens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLong {
    /// How many it has.
    pub count: usize,
    /// The limit.
    pub limit: Limit,
}

impl fmt::Display for TooLong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, limit } = self;
        let Limit { most, counter } = limit;
        write!(
            formatter,
            "Context summary exceeds {most} token limit (actual: {count} tokens)"
        )?;
        match counter {
            Counter::Words | Counter::WeighedWords => Ok(()),
            _ => write!(formatter, " (counter: {counter})"),
        }
    }
}

impl std::error::Error for TooLong {}

/// The result of [`validate`].
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether it is within the limit.
    pub valid: bool,
    /// How many tokens it has.
    pub token_count: usize,
    /// The limit.
    pub limit: usize,
    /// What is wrong, if it is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Checks a summary against a limit.
#[must_use]
pub fn validate(summary: &str, limit: Limit) -> Verdict {
    let token_count = limit.counter.count(summary);
    let error = (token_count > limit.most).then_some(TooLong {
        count: token_count,
        limit,
    });
    Verdict {
        valid: error.is_none(),
        token_count,
        limit: limit.most,
        error: error.map(|too_long| too_long.to_string()),
    }
}

#[cfg(test)]
mod tests;
