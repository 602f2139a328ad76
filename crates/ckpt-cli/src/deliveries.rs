//! What was sent to a service, and what was given up.

use std::collections::HashSet;
use std::io;
use std::path::PathBuf;

use ckpt::Timestamp;
use ckpt::files::{read_private, replace_file};
use ckpt::follower::FollowerName;
use ckpt::history::Line;
use ckpt::key::Key;
use ckpt::workspace::{Followers, Records, Undelivered};
use serde::{Deserialize, Serialize};

use crate::failure::Failure;
use crate::journal::Journal;
use crate::message::Message;

/// The record of what was sent is cut to its second half when it is longer than this, in bytes.
const LONGEST_RECORD: usize = 512 * 1024;

/// No more than this is read of what was given up, in bytes.
const LONGEST: u64 = 64 * 1024 * 1024;

/// One try to deliver a message.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "DeliveryAttempt")
)]
pub(crate) struct Attempt {
    /// When it was.
    pub(crate) at: String,
    /// The id of the message.
    pub(crate) id: String,
    /// What the message is about.
    pub(crate) checkpoint: String,
    /// The event.
    pub(crate) event: String,
    /// How it ended.
    pub(crate) outcome: Outcome,
    /// The status of the answer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) status: Option<u16>,
    /// Why it failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) reason: Option<String>,
    /// How long it took.
    pub(crate) milliseconds: u64,
}

/// How a try ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// The message was taken.
    Delivered,
    /// It was not.
    Failed,
}

/// A message that was given up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct GivenUp {
    /// The id of the message.
    pub(crate) id: String,
    /// When it was given up.
    pub(crate) at: String,
    /// Why.
    pub(crate) reason: String,
    /// The checkpoint, if its name is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    checkpoint: Option<String>,
    /// The checkpoint, by the name of its file.
    pub(crate) about: String,
    /// The worktree, by its id.
    pub(crate) worktree: String,
    /// The line of the history.
    line: String,
}

impl GivenUp {
    pub(crate) fn new(message: &Message<'_>, reason: &str, now: Timestamp) -> Self {
        Self {
            id: message.id(),
            at: now.to_string(),
            reason: reason.to_owned(),
            checkpoint: message.key.map(ToString::to_string),
            about: message.about.to_owned(),
            worktree: message.worktree.to_owned(),
            line: message.line.raw().trim_end().to_owned(),
        }
    }

    /// The checkpoint, if its name is known.
    pub(crate) fn key(&self) -> Option<Key> {
        Key::parse(self.checkpoint.as_deref()?).ok()
    }

    /// The line that the message is about.
    pub(crate) fn line(&self) -> Option<Line> {
        Line::parse(self.line.clone().into_bytes()).ok()
    }
}

/// The records of one service in one worktree.
#[derive(Debug)]
pub(crate) struct Deliveries {
    record: Option<PathBuf>,
    given_up: Option<PathBuf>,
}

impl Deliveries {
    /// The records of this worktree.
    pub(crate) fn of(followers: &Followers<'_>, name: &FollowerName) -> Self {
        Self::at(followers.own_records(name).as_ref())
    }

    /// The records of one worktree.
    pub(crate) fn at(records: Option<&Records>) -> Self {
        Self {
            record: records.map(|records| records.deliveries.clone()),
            given_up: records.map(|records| records.undelivered.clone()),
        }
    }

    /// The records of all worktrees.
    pub(crate) fn all(followers: &Followers<'_>, name: &FollowerName) -> Vec<Self> {
        let records = followers.records(name);
        records.iter().map(|one| Self::at(Some(one))).collect()
    }

    /// Records a try. If that fails, nothing else is lost.
    pub(crate) fn record(&self, attempt: &Attempt) {
        let (Some(file), Ok(line)) = (&self.record, serde_json::to_string(attempt)) else {
            return;
        };
        if Journal::at(file).append(&(line + "\n")).is_ok() {
            self.shorten();
        }
    }

    fn shorten(&self) {
        let Some(file) = &self.record else { return };
        let is_long = |length: u64| length > LONGEST_RECORD as u64;
        if !std::fs::symlink_metadata(file).is_ok_and(|metadata| is_long(metadata.len())) {
            return;
        }
        let Ok(bytes) = read_private(file, LONGEST) else {
            return;
        };
        let rest = &bytes[bytes.len() / 2..];
        let begin = rest.iter().position(|byte| *byte == b'\n');
        let rest = begin.map_or(&[][..], |end| &rest[end + 1..]);
        let _ = replace_file(file, rest);
    }

    /// The tries that are on record, oldest first.
    pub(crate) fn attempts(&self) -> Vec<Attempt> {
        lines(self.record.as_ref())
    }

    /// Keeps a message that is given up.
    pub(crate) fn keep(&self, given_up: &GivenUp) -> Result<(), Undelivered> {
        let file = self.given_up.as_ref().ok_or(io::ErrorKind::NotFound);
        let line = serde_json::to_string(given_up).map_err(io::Error::other)?;
        Ok(Journal::at(file.map_err(io::Error::from)?).append(&(line + "\n"))?)
    }

    /// What was given up, oldest first, each once.
    pub(crate) fn given_up(&self) -> Vec<GivenUp> {
        let mut known = HashSet::new();
        let mut found: Vec<GivenUp> = lines(self.given_up.as_ref());
        found.retain(|one| known.insert(one.id.clone()));
        found
    }

    /// Keeps only these of what was given up.
    pub(crate) fn keep_only(&self, left: &[GivenUp]) -> Result<(), Failure> {
        let Some(file) = &self.given_up else {
            return Ok(());
        };
        let lines = left
            .iter()
            .filter_map(|one| serde_json::to_string(one).ok());
        let text: String = lines.map(|line| line + "\n").collect();
        Ok(replace_file(file, text.as_bytes())?)
    }
}

/// The lines of a file that can be read.
fn lines<T: for<'de> Deserialize<'de>>(file: Option<&PathBuf>) -> Vec<T> {
    let bytes = file.and_then(|file| read_private(file, LONGEST).ok());
    let bytes = bytes.unwrap_or_default();
    let lines = bytes.split(|byte| *byte == b'\n');
    lines
        .filter_map(|line| serde_json::from_slice(line).ok())
        .collect()
}

#[cfg(test)]
mod tests;
