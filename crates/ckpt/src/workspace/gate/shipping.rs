//! Finding the gates that block shipping.

use std::collections::HashSet;

use super::super::{Workspace, WorkspaceError};
use super::noted::is_gated;
use crate::document::Node;
use crate::gate::{self, Verdict, uncounted};
use crate::key::Key;
use crate::repository::{CommitId, ContentDigest};
use crate::voice::first_names;

/// What is being shipped.
#[derive(Debug, Clone, Copy)]
pub enum Shipped<'s> {
    /// The work tree, by a commit about to be made.
    WorkTree,
    /// The commit that is checked out.
    Head,
    /// Another commit.
    Commit(&'s CommitId),
}

/// A gate that blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedGate {
    /// The checkpoint.
    pub name: String,
    /// Why it blocks.
    pub reasons: Vec<String>,
}

fn unreadable(name: String) -> BlockedGate {
    let reasons = vec!["it cannot be read".to_owned()];
    BlockedGate { name, reasons }
}

/// Why a gate noted here blocks although its file says the command is over.
const OTHERWISE: &str =
    "its gate was set here, and no one entitled to do so has completed or abandoned it here";

impl Workspace {
    /// The digest of the content being shipped; `None` outside git.
    fn shipped(&self, what: Shipped<'_>) -> Result<Option<ContentDigest>, WorkspaceError> {
        let commit = match what {
            Shipped::WorkTree => return Ok(self.content_state()?.digest),
            Shipped::Head => self.head().commit,
            Shipped::Commit(commit) => Some(commit.clone()),
        };
        match commit {
            Some(commit) => Ok(Some(self.repository.commit_digest(&commit, &uncounted())?)),
            None => Ok(None),
        }
    }

    /// Files that were approved while untracked and are missing from the commit being shipped.
    fn left_out(&self, gate: Node<'_>, what: Shipped<'_>) -> Option<String> {
        let commit = match what {
            Shipped::WorkTree => return None,
            Shipped::Head => self.head().commit?,
            Shipped::Commit(commit) => commit.clone(),
        };
        let names = gate::untracked(gate);
        let lacking = self.repository.lacking(&commit, &names);
        (!lacking.is_empty()).then(|| {
            let names = first_names(&lacking);
            format!("these approved files are not in the commit: {names}")
        })
    }

    /// The gates that block, judged as by `gate check`: those of commands in flight that have a gate or ship, and
    /// those noted here whose command was neither completed nor abandoned here.
    pub fn blocked_gates(&self, what: Shipped<'_>) -> Result<Vec<BlockedGate>, WorkspaceError> {
        let (mut keys, problems) = self.in_flight()?;
        // A checkpoint that cannot be read may block.
        let problems = problems.into_iter();
        let mut blocked: Vec<BlockedGate> =
            problems.map(|problem| unreadable(problem.stem)).collect();
        let noted: HashSet<Key> = self.gated().into_iter().map(Key::from).collect();
        let in_flight: HashSet<Key> = keys.iter().cloned().collect();
        keys.extend(noted.difference(&in_flight).cloned());
        let mut shipped = None;
        for key in keys {
            let Key::Command(command) = &key else {
                continue;
            };
            let Ok(loaded) = self.load(&key) else {
                // Reported even if it is also among the problems.
                blocked.push(unreadable(key.short()));
                continue;
            };
            let root = loaded.as_ref().map(|loaded| loaded.document.root());
            let is_gated = root.is_some_and(|root| is_gated(command, root));
            if !is_gated && !noted.contains(&key) {
                continue;
            }
            let mut reasons = self.blocking(&key, root, what, &mut shipped)?;
            if !reasons.is_empty() && !in_flight.contains(&key) {
                reasons.push(OTHERWISE.to_owned());
            }
            if !reasons.is_empty() {
                let name = key.short();
                blocked.push(BlockedGate { name, reasons });
            }
        }
        Ok(blocked)
    }

    /// Why a gate blocks; empty if it does not. The shipped content is read at most once, and only if needed.
    fn blocking(
        &self,
        key: &Key,
        root: Option<Node<'_>>,
        what: Shipped<'_>,
        shipped: &mut Option<Option<ContentDigest>>,
    ) -> Result<Vec<String>, WorkspaceError> {
        let gate = root.and_then(|root| root.get("gate"));
        let about = key.sealed_name();
        let trust = self.trust(&about);
        // If the gate itself says that it blocks, the content need not be read.
        let mut stated = gate.map_or_else(Vec::new, gate::stated_blockers);
        let failed = root
            .map(|root| gate::failures(root, trust))
            .unwrap_or_default();
        if gate.is_none() && !failed.is_empty() {
            return Ok(failed);
        }
        stated.extend(failed);
        let is_overridden =
            gate.is_some_and(|gate| gate::Override::read(gate, None, trust).is_some());
        let verdict = match (gate, stated.is_empty() || is_overridden) {
            (None, _) | (_, false) => gate::verdict(root, None, trust),
            (Some(_), true) => {
                let content = match shipped {
                    Some(content) => content,
                    none => none.insert(self.shipped(what)?),
                };
                gate::verdict(root, content.as_ref(), trust)
            }
        };
        let mut reasons = match verdict {
            Verdict::Allowed { .. } | Verdict::Overridden { .. } => return Ok(Vec::new()),
            Verdict::Blocked { reasons } => reasons,
            Verdict::NotChecked => vec!["the content could not be compared".to_owned()],
        };
        match (stated.is_empty(), gate) {
            (false, _) => reasons = stated,
            (true, Some(gate)) => reasons.extend(self.left_out(gate, what)),
            (true, None) => {}
        }
        Ok(reasons)
    }
}
