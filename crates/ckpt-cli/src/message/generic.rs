//! Messages for programs: our own JSON, described by the schema `webhook`.

use std::borrow::Cow;

use ckpt::document::Node;
use serde::Serialize;
use serde_json::{Map, Value};

use super::{LONGEST, Message, News, TEST};
use crate::render::style::shortened;

/// At most so many details are sent.
const MOST_DETAILS: usize = 32;

/// At most so many texts of a list are sent.
const MOST_ITEMS: usize = 32;

/// A message about something that happened, as it is sent to a webhook.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(crate) struct Webhook<'w> {
    /// The name of the event, as in the history; `ckpt.test` if nothing happened.
    r#type: Cow<'w, str>,
    /// When it happened.
    timestamp: Cow<'w, str>,
    data: Data<'w>,
}

/// What happened, and where.
#[derive(Debug, Default, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "WebhookData"))]
struct Data<'w> {
    /// The name of the repository's directory.
    repository: &'w str,
    /// The checkpoint, such as `command:implement/auth`.
    #[serde(skip_serializing_if = "Option::is_none")]
    checkpoint: Option<String>,
    /// The worktree, by its id.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<&'w str>,
    /// The revision of the checkpoint; several messages can share one.
    #[serde(skip_serializing_if = "Option::is_none")]
    revision: Option<String>,
    /// The author.
    #[serde(skip_serializing_if = "Option::is_none")]
    by: Option<Cow<'w, str>>,
    /// The agent's session.
    #[serde(skip_serializing_if = "Option::is_none")]
    session: Option<Cow<'w, str>>,
    /// The branch that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    branch: Option<Cow<'w, str>>,
    /// The commit that was checked out.
    #[serde(skip_serializing_if = "Option::is_none")]
    commit: Option<Cow<'w, str>>,
    /// What happened, in words.
    story: String,
    /// The command that begins to settle it, if somebody has to act.
    #[serde(skip_serializing_if = "Option::is_none")]
    needs_you: Option<String>,
    /// The details of the event, as in the history: texts, numbers, switches and lists of texts.
    details: Map<String, Value>,
}

/// The body of the message about a line.
pub(super) fn body(message: &Message<'_>) -> String {
    let line = message.line;
    let news = News::of(message);
    let facts = line.facts();
    let details = facts.iter().filter_map(|(name, value)| {
        let name = shortened(name, LONGEST);
        Some((name, detail(*value)?))
    });
    let about = match message.key {
        Some(key) => key.to_string(),
        None => message.about.to_owned(),
    };
    written(&Webhook {
        r#type: line.event().unwrap_or_default(),
        timestamp: line.time().unwrap_or_default(),
        data: Data {
            repository: message.repository,
            checkpoint: Some(about),
            worktree: Some(message.worktree),
            revision: line.revision().map(|revision| revision.to_string()),
            by: line.by().map(bounded),
            session: line.session().map(bounded),
            branch: line.branch().map(bounded),
            commit: line.head().map(bounded),
            needs_you: news.command().map(str::to_owned),
            story: shortened(&news.story, LONGEST),
            details: details.take(MOST_DETAILS).collect(),
        },
    })
}

/// The body of a message about nothing.
pub(super) fn test(repository: &str, now: &str) -> String {
    written(&Webhook {
        r#type: TEST.into(),
        timestamp: now.into(),
        data: Data {
            repository,
            story: "messages of ckpt arrive here".to_owned(),
            ..Data::default()
        },
    })
}

fn written(webhook: &Webhook<'_>) -> String {
    serde_json::to_string(webhook).expect("it has only texts as names")
}

fn bounded(text: Cow<'_, str>) -> Cow<'_, str> {
    match text.len() <= LONGEST {
        true => text,
        false => shortened(&text, LONGEST).into(),
    }
}

/// A detail that is sent. Objects are not: they hold output of programs, and whole documents.
fn detail(value: Node<'_>) -> Option<Value> {
    if let Some(text) = value.as_str() {
        return Some(shortened(&text, LONGEST).into());
    }
    if let Ok(texts) = value.strings() {
        let texts = texts.iter().take(MOST_ITEMS);
        return Some(texts.map(|text| shortened(text, LONGEST)).collect());
    }
    let is_plain = value.as_bool().is_some() || value.as_f64().is_some();
    let plain = is_plain.then(|| serde_json::from_str(value.raw()).ok());
    plain.flatten()
}
