//! The text of a pull request, from a checkpoint and those of the same feature.

use super::super::{Depth, Workspace, WorkspaceError};
use crate::command::{Checkpoint, known_commands};
use crate::facts::Work;
use crate::issue::IssueId;
use crate::key::{CommandKey, Key};
use crate::shipping::{IssueLink, PullRequest, pull_request};

/// How many checkpoints a text is about.
const MOST_PARTS: usize = 12;

/// Whether a tracker follows what pull requests say about its issues.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tracking {
    /// It does.
    Followed,
    /// It does not.
    Ignored,
}

/// The text of a pull request, and the issue it is about.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShippingText {
    /// The text.
    pub text: PullRequest,
    /// The issue: that of the checkpoint, or the only one among those of the same feature.
    pub issue: Option<IssueId>,
}

impl Workspace {
    /// Writes the text of a pull request. If a tracker follows pull requests, it closes the issue.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, or one of the same feature cannot be read.
    pub fn shipping_text(
        &self,
        key: &CommandKey,
        tracking: Tracking,
    ) -> Result<ShippingText, WorkspaceError> {
        let content = self.content_within(Depth::Full);
        let main = Key::from(key);
        let preview = self.known_preview(&main, &content)?;
        let keys = self.of_the_same_feature(key)?;
        let issue = self.issue_of(&keys)?;
        let works = keys.iter().map(|key| self.work_on(key, &content));
        let works: Vec<Work> = works.collect::<Result<_, _>>()?;
        let linked = match &issue {
            Some(issue) if tracking == Tracking::Followed => IssueLink::Closes(issue),
            _ => IssueLink::None,
        };
        Ok(ShippingText {
            text: pull_request(&works, linked, preview.as_ref()),
            issue,
        })
    }

    /// The checkpoint, then those of other commands for the same feature in the order in which they are used, then plans
    /// named after it.
    fn of_the_same_feature(&self, key: &CommandKey) -> Result<Vec<Key>, WorkspaceError> {
        let mut keys = vec![Key::from(key)];
        let Some(feature) = key.feature() else {
            return Ok(keys);
        };
        let (summaries, _) = self.list(Depth::WithoutGit)?;
        let order: Vec<&str> = known_commands().collect();
        let mut others: Vec<(usize, Key)> = Vec::new();
        for other in summaries.into_iter().map(|summary| summary.key) {
            match &other {
                Key::Command(command) if command.feature() == Some(feature) && command != key => {
                    let place = order.iter().position(|name| *name == command.command());
                    others.push((place.unwrap_or(order.len()), other));
                }
                Key::Plan(id) if id.as_str().ends_with(&format!("-{feature}")) => {
                    others.push((order.len() + 1, other));
                }
                _ => {}
            }
        }
        others.sort_by(|(one, key), (two, other)| (one, key.short()).cmp(&(two, other.short())));
        keys.extend(others.into_iter().map(|(_, key)| key));
        keys.truncate(MOST_PARTS);
        Ok(keys)
    }

    /// The issue of the first checkpoint, or the only one that the others name.
    fn issue_of(&self, keys: &[Key]) -> Result<Option<IssueId>, WorkspaceError> {
        let mut found: Vec<IssueId> = Vec::new();
        for (number, key) in keys.iter().enumerate() {
            let Key::Command(_) = key else { continue };
            let loaded = self.require(key)?;
            let Some(issue) = Checkpoint::new(loaded.document.root()).issue() else {
                continue;
            };
            if number == 0 {
                return Ok(Some(issue));
            }
            if !found.contains(&issue) {
                found.push(issue);
            }
        }
        Ok(match found.len() {
            1 => found.pop(),
            _ => None,
        })
    }
}
