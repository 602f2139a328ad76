//! Messages for people and programs elsewhere: one for each line of a history that a service is told.
//!
//! * What a line means for people is decided once ([`News`]); the formats only write it down.
//! * Everything is text of files and agents. Each format makes it harmless where it is read, and bounds it.
//! * The id of a message is that of its line, so whoever gets it twice can tell.

mod generic;
mod linear;
mod news;
mod slack;

#[cfg(test)]
mod tests;

use ckpt::history::Line;
use ckpt::key::Key;
use ckpt::workspace::Batch;

#[cfg(test)]
pub(crate) use generic::Webhook;
pub(crate) use linear::{Comment, Said, comment};
pub(crate) use news::News;

/// The type of the message that `ckpt notify test` sends.
pub(crate) const TEST: &str = "ckpt.test";

/// The longest text of a file or an agent in a message, in characters.
const LONGEST: usize = 2_000;

/// What a service is told about: a line, and where it is from.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Message<'m> {
    /// The name of the repository's directory.
    pub(crate) repository: &'m str,
    /// The checkpoint, if more is known than the name of its file.
    pub(crate) key: Option<&'m Key>,
    /// The checkpoint, such as `command:implement-auth`.
    pub(crate) about: &'m str,
    /// The worktree, by its id.
    pub(crate) worktree: &'m str,
    pub(crate) line: &'m Line,
}

impl<'m> Message<'m> {
    /// The message about the only line of a batch.
    pub(crate) fn of(repository: &'m str, batch: &'m Batch<'m>, line: &'m Line) -> Self {
        Self {
            repository,
            key: batch.key,
            about: batch.about,
            worktree: batch.worktree,
            line,
        }
    }

    /// The same for each try, and different for each line.
    pub(crate) fn id(&self) -> String {
        format!("msg_{}", &self.digest()[..32])
    }

    /// The digest of the line and where it is from.
    fn digest(&self) -> String {
        let parts = [self.worktree, self.about, self.line.raw().trim_end()];
        ckpt_services::digest(parts.join("\n").as_bytes())
    }

    /// The checkpoint, for people.
    pub(crate) fn name(&self) -> String {
        match self.key {
            Some(key) => key.short(),
            None => self.about.to_owned(),
        }
    }

    /// The body of a message for programs.
    pub(crate) fn for_programs(&self) -> String {
        generic::body(self)
    }

    /// The body of a message for a channel in Slack.
    pub(crate) fn for_slack(&self) -> String {
        slack::body(self)
    }
}

/// The message that only shows that messages arrive, for programs.
pub(crate) fn test_for_programs(repository: &str, now: &str) -> String {
    generic::test(repository, now)
}

/// The message that only shows that messages arrive, for a channel in Slack.
pub(crate) fn test_for_slack(repository: &str) -> String {
    slack::test(repository)
}
