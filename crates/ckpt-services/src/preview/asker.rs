//! Asking a provider, and what its answers have in common.

use std::time::Duration;

use serde::de::DeserializeOwned;

use super::{GitHub, Sighting, Vercel};
use crate::client::{Answer, Trouble};
use crate::retry::wait;
use crate::secret::Secret;

/// The longest address and the longest text of a provider that are shown.
const LONGEST: (usize, usize) = (2048, 200);

/// A provider asks to be left alone for this long at most.
const LONGEST_PAUSE: i64 = 24 * 60 * 60;

/// Something to ask a provider: a path and a query below its address.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    /// The segments of the path.
    pub path: Vec<String>,
    /// The names and values of the query.
    pub query: Vec<(&'static str, String)>,
    /// Its headers.
    pub headers: Vec<(&'static str, String)>,
}

impl Question {
    pub(super) fn new(path: &[&str], token: &Secret) -> Self {
        let bearer = format!("Bearer {}", token.reveal());
        Self {
            path: path.iter().map(|part| (*part).to_owned()).collect(),
            query: Vec::new(),
            headers: vec![("authorization", bearer)],
        }
    }

    pub(super) fn with(mut self, name: &'static str, value: &str) -> Self {
        self.query.push((name, value.to_owned()));
        self
    }
}

/// Whom to ask, about which commit.
#[derive(Debug, Clone)]
pub enum Asker {
    /// The API of Vercel.
    Vercel(Vercel),
    /// The deployments that GitHub knows of.
    GitHub(GitHub),
}

impl Asker {
    /// Asks once. `send` sends a question; `now` is the time in milliseconds.
    pub fn ask(
        &self,
        send: &mut dyn FnMut(&Question) -> Result<Answer, Trouble>,
        now: i64,
    ) -> Sighting {
        let line = &mut Line { send, now };
        let seen = match self {
            Self::Vercel(vercel) => vercel.ask(line),
            Self::GitHub(github) => github.ask(line),
        };
        seen.unwrap_or_else(|trouble| trouble)
    }

    /// The provider, as it is written.
    #[must_use]
    pub fn provider(&self) -> &'static str {
        match self {
            Self::Vercel(_) => "vercel",
            Self::GitHub(_) => "github",
        }
    }
}

/// The way to a provider.
pub(super) struct Line<'l> {
    send: &'l mut dyn FnMut(&Question) -> Result<Answer, Trouble>,
    now: i64,
}

impl Line<'_> {
    /// The answer to a question. An answer that says nothing is a sighting.
    pub(super) fn ask<T: DeserializeOwned>(&mut self, question: &Question) -> Result<T, Sighting> {
        let answer = (self.send)(question).map_err(|trouble| unreached(&trouble))?;
        let unknown = |reason: String| Sighting::Unknown {
            reason,
            pause: pause_asked(&answer, self.now),
        };
        match answer.status {
            200..=299 => {}
            408 | 425 | 429 | 500.. => {
                return Err(unknown(format!("it answered {}", answer.status)));
            }
            403 if is_exhausted(&answer) => {
                return Err(unknown("it limits how often it is asked".to_owned()));
            }
            401 | 403 => {
                let status = answer.status;
                let reason =
                    format!("it answered {status}: the token is wrong, or may not do this");
                return Err(Sighting::Refused(reason));
            }
            404 => {
                let reason =
                    "it answered 404: it does not know this project, or the token may not see it";
                return Err(Sighting::Refused(reason.to_owned()));
            }
            status => return Err(Sighting::Refused(format!("it answered {status}"))),
        }
        if answer.is_cut {
            return Err(unknown("its answer is too long".to_owned()));
        }
        serde_json::from_slice(&answer.body)
            .map_err(|_| unknown("its answer cannot be read".to_owned()))
    }
}

/// What is wrong with the settings stays wrong; what is wrong with the network passes.
fn unreached(trouble: &Trouble) -> Sighting {
    let reason = trouble.to_string();
    match trouble {
        Trouble::Untrusted { .. } | Trouble::Private { .. } => Sighting::Refused(reason),
        _ => Sighting::Unknown {
            reason,
            pause: None,
        },
    }
}

fn is_exhausted(answer: &Answer) -> bool {
    answer.header("x-ratelimit-remaining") == Some("0") || answer.header("retry-after").is_some()
}

/// How long a provider asks to be left alone.
fn pause_asked(answer: &Answer, now: i64) -> Option<Duration> {
    if let Some(asked) = answer.header("retry-after") {
        return wait(asked, now);
    }
    let reset: i64 = match answer.header("x-ratelimit-remaining") {
        Some("0") => answer.header("x-ratelimit-reset")?.parse().ok()?,
        _ => return None,
    };
    let left = reset.saturating_sub(now / 1000).clamp(0, LONGEST_PAUSE);
    u64::try_from(left).ok().map(Duration::from_secs)
}

/// A web address that a provider names; `None` if it is none.
pub(super) fn page(text: Option<String>) -> Option<String> {
    let text = text?;
    let is_page = text.starts_with("https://") || text.starts_with("http://");
    let is_plain = |byte: u8| byte.is_ascii_graphic() && !b"<>\"'`\\()[]{}|^".contains(&byte);
    (is_page && text.len() <= LONGEST.0 && text.bytes().all(is_plain)).then_some(text)
}

/// What a provider says, as one short line.
pub(super) fn said(text: Option<String>) -> Option<String> {
    let text = text?;
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let line: String = line.chars().filter(|c| !c.is_control()).collect();
    (!line.is_empty()).then(|| line.chars().take(LONGEST.1).collect())
}
