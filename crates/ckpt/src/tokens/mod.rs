//! Counting tokens, and the limit on summaries that are handed from one context to the next.

use std::fmt;

/// A context summary may have this many tokens unless the settings say otherwise.
pub const SUMMARY_LIMIT: usize = 500;

/// Counts words the way `text.split(/\s+/).filter(Boolean).length` does in JavaScript.
///
/// ```
/// assert_eq!(ckpt::tokens::count_words("  multiple   spaces  "), 2);
/// ```
#[must_use]
pub fn count_words(text: &str) -> usize {
    text.split(is_javascript_space)
        .filter(|word| !word.is_empty())
        .count()
}

/// What `\s` matches in JavaScript. It is not what Unicode calls white space: U+FEFF separates
/// words and U+0085 does not.
fn is_javascript_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

/// A guess at what a language model counts that errs high: one token for every three bytes.
/// It needs no tables, so it can size the text that is injected at the start of a session.
#[must_use]
pub fn estimate(text: &str) -> usize {
    text.len().div_ceil(3)
}

/// A summary has more tokens than it may.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TooLong {
    /// How many it has.
    pub count: usize,
    /// How many it may have.
    pub limit: usize,
}

impl fmt::Display for TooLong {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { count, limit } = self;
        write!(
            formatter,
            "Context summary exceeds {limit} token limit (actual: {count} tokens)"
        )
    }
}

impl std::error::Error for TooLong {}

/// What [`validate`] says of a summary.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Whether it is within the limit.
    pub valid: bool,
    /// How many tokens it has.
    pub token_count: usize,
    /// How many it may have.
    pub limit: usize,
    /// What is wrong, when it is not valid.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
}

/// Judges a summary.
#[must_use]
pub fn validate(summary: &str, limit: usize) -> Verdict {
    let checked = check(summary, limit);
    Verdict {
        valid: checked.is_ok(),
        token_count: count_words(summary),
        limit,
        error: checked.err().map(|too_long| too_long.to_string()),
    }
}

/// Refuses a summary over the limit.
pub fn check(summary: &str, limit: usize) -> Result<(), TooLong> {
    // A word takes at least one byte, so a short text needs no counting.
    if summary.len() <= limit {
        return Ok(());
    }
    match count_words(summary) {
        count if count > limit => Err(TooLong { count, limit }),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_what_javascript_splits_at_white_space() {
        for (text, words) in [
            ("", 0),
            ("hello world", 2),
            ("  multiple   spaces  ", 2),
            ("a\u{feff}b\u{a0}c\u{3000}d\u{2028}e\u{b}f", 6),
            ("a\u{85}b", 1),
            ("a\u{200b}b\u{180e}c", 1),
        ] {
            assert_eq!(count_words(text), words, "{text:?}");
        }
    }

    #[test]
    fn a_summary_at_the_limit_is_valid_and_one_word_more_is_not() {
        let verdict = validate(&"word ".repeat(500), 500);
        assert_eq!(
            (verdict.valid, verdict.token_count, verdict.error),
            (true, 500, None)
        );
        let verdict = validate(&"word ".repeat(501), 500);
        assert_eq!(
            serde_json::to_string(&verdict).unwrap(),
            r#"{"valid":false,"tokenCount":501,"limit":500,"error":"Context summary exceeds 500 token limit (actual: 501 tokens)"}"#
        );
    }
}
