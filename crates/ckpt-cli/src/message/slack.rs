//! Messages for people in a channel of Slack.

use serde_json::{Value, json};

use super::{Message, News};
use crate::render::style::{one_line, shortened};

/// The longest part of a message, in characters: Slack refuses more than 3,000 after escaping, which lengthens a
/// character by four at most.
const LONGEST: usize = 500;

/// The body of the message about a line.
pub(super) fn body(message: &Message<'_>) -> String {
    let news = News::of(message);
    let name = shortened(&one_line(&message.name()), LONGEST);
    let story = shortened(&one_line(&news.story), LONGEST);
    let mut blocks = vec![section(&format!("*{}*: {}", plain(&name), plain(&story)))];
    if let Some(command) = news.command() {
        let command = shortened(&one_line(command), LONGEST);
        blocks.push(section(&format!("This needs you: `{}`", code(&command))));
    }
    let line = message.line;
    let facts = [
        Some(message.repository.into()),
        line.branch(),
        line.by().map(|by| format!("by {by}").into()),
    ];
    let facts: Vec<String> = facts
        .into_iter()
        .flatten()
        .map(|fact| plain(&fact))
        .collect();
    let facts = shortened(&one_line(&facts.join(" · ")), LONGEST);
    blocks.push(json!({
        "type": "context",
        "elements": [{"type": "mrkdwn", "text": facts, "verbatim": true}],
    }));
    json!({"text": plain(&format!("{name}: {story}")), "blocks": blocks}).to_string()
}

/// The body of a message about nothing.
pub(super) fn test(repository: &str) -> String {
    let text = format!(
        "Messages of ckpt about {} arrive here.",
        plain(&shortened(&one_line(repository), LONGEST))
    );
    json!({"text": text, "blocks": [section(&text)]}).to_string()
}

/// A part of a message. `verbatim` keeps Slack from making links and mentions of names.
fn section(text: &str) -> Value {
    json!({"type": "section", "text": {"type": "mrkdwn", "text": text, "verbatim": true}})
}

/// Text that means nothing to Slack: no link, no mention, no style.
fn plain(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => plain += "&amp;",
            '<' => plain += "&lt;",
            '>' => plain += "&gt;",
            // Slack has no escape for these, so they become their looks.
            '*' => plain.push('∗'),
            '_' => plain.push('＿'),
            '~' => plain.push('∼'),
            '`' => plain.push('ˋ'),
            other => plain.push(other),
        }
    }
    plain
}

/// Text between backticks.
fn code(text: &str) -> String {
    let escaped = text.replace('&', "&amp;").replace('<', "&lt;");
    escaped.replace('>', "&gt;").replace('`', "'")
}
