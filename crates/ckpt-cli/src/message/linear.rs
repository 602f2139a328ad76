//! Comments on an issue in Linear.

use ckpt::voice::in_markdown;
use serde_json::{Value, json};

use super::{LONGEST, Message, News};
use crate::render::style::{one_line, shortened};

const CREATE: &str = "mutation Comment($input: CommentCreateInput!) { commentCreate(input: $input) { success comment { id url } } }";

/// What asks who the key belongs to, to see whether it is good.
const WHO: &str = "query { viewer { id } }";

/// A comment to be made.
#[derive(Debug)]
pub(crate) struct Comment {
    /// The request.
    pub(crate) body: String,
}

/// The comment about a line, on an issue such as `BAS-6`. It has an id of its own, so Linear refuses it the second time.
pub(crate) fn comment(message: &Message<'_>, issue: &str, summary: Option<&str>) -> Comment {
    let news = News::of(message);
    let name = in_markdown(&message.name(), LONGEST);
    let mut text = format!("**{name}**: {}", in_markdown(&news.story, LONGEST));
    if let Some(summary) = summary {
        text += &format!("\n\n> {}", in_markdown(summary, LONGEST));
    }
    if let Some(command) = news.command() {
        text += &format!(
            "\n\nThis needs you: `{}`",
            one_line(command).replace('`', "'")
        );
    }
    let input = json!({"issueId": issue, "id": uuid(&message.digest()), "body": text});
    Comment {
        body: json!({"query": CREATE, "variables": {"input": input}}).to_string(),
    }
}

/// What Linear says about a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Said {
    /// It is done, or was done before.
    Done,
    /// Too many requests.
    TooMany,
    /// It refuses this request, in its own words, and will do so again.
    Refused(String),
    /// It does not let us in, in its own words.
    NoEntry(String),
    /// Nothing that can be understood.
    Unclear,
}

impl Comment {
    /// A request that makes none, and shows whether the key is good.
    pub(crate) fn test() -> Self {
        Self {
            body: json!({"query": WHO}).to_string(),
        }
    }

    /// Reads an answer. Linear reports most errors with the status of success.
    pub(crate) fn said(status: u16, body: &[u8]) -> Said {
        let answer: Value = serde_json::from_slice(body).unwrap_or_default();
        let errors = answer["errors"].as_array().map_or(&[][..], Vec::as_slice);
        let Some(first) = errors.first() else {
            let data = &answer["data"];
            let is_done =
                data["commentCreate"]["success"] == true || data["viewer"]["id"].is_string();
            return match (200..300).contains(&status) && is_done {
                true => Said::Done,
                false => Said::Unclear,
            };
        };
        let has_code = |code: &str| errors.iter().any(|one| one["extensions"]["code"] == code);
        let words = first["message"].as_str().unwrap_or_default();
        let shown = shortened(&one_line(words), 200);
        match status {
            _ if has_code("RATELIMITED") => Said::TooMany,
            401 | 403 => Said::NoEntry(shown),
            _ if has_code("AUTHENTICATION_ERROR") || has_code("FORBIDDEN") => Said::NoEntry(shown),
            // The id is ours, so a comment that has it is this one.
            200 | 400 if words.to_ascii_lowercase().contains("already exists") => Said::Done,
            200 | 400 => Said::Refused(shown),
            _ => Said::Unclear,
        }
    }
}

/// A digest in the form of a random UUID.
fn uuid(digest: &str) -> String {
    let variant = match digest.as_bytes()[16] {
        b'0'..=b'3' => '8',
        b'4'..=b'7' => '9',
        b'8'..=b'9' | b'a'..=b'b' => 'a',
        _ => 'b',
    };
    format!(
        "{}-{}-4{}-{variant}{}-{}",
        &digest[..8],
        &digest[8..12],
        &digest[13..16],
        &digest[17..20],
        &digest[20..32]
    )
}
