//! Other worktrees of the same repository.

use std::path::Path;

use super::super::Workspace;
use crate::facts::{Elsewhere, Fact, FactKind, Owner, Source, Work, last_words};
use crate::key::Key;
use crate::repository::Environment;
use crate::voice::{name, names, quote};

/// How many other worktrees are looked at.
const MOST: usize = 8;

/// Another worktree.
pub(super) struct Neighbour {
    /// Its directory, relative to this worktree where possible.
    name: String,
    workspace: Workspace,
}

impl Workspace {
    /// The other worktrees in which `ckpt` is in use.
    pub(super) fn neighbours(&self) -> Vec<Neighbour> {
        let worktrees = self.repository.worktrees().unwrap_or_default();
        let others = worktrees.into_iter().filter(|worktree| !worktree.current);
        let mut found = Vec::new();
        for worktree in others.take(MOST) {
            let options = self.options.clone();
            let opened = Workspace::open(&worktree.root, &Environment::default(), options);
            if let Ok(workspace) = opened
                && workspace.is_in_use()
            {
                found.push(Neighbour {
                    name: beside(self.repository.root(), &worktree.root),
                    workspace,
                });
            }
        }
        found
    }
}

impl Neighbour {
    /// Marks what somebody alive has claimed there in the same plan, and what is done there.
    pub(super) fn mark(&self, work: &mut Work) {
        let Key::Plan(id) = &work.key else {
            return;
        };
        let Ok(view) = self.workspace.plan(id).view() else {
            return;
        };
        let claims = view.claims(self.workspace.now());
        let there = Elsewhere {
            place: self.name.clone(),
            branch: self.workspace.head().branch,
            is_busy: self.is_busy(),
        };
        for item in &mut work.items {
            let is_done = view.outline.task(&item.id).is_some_and(|task| task.done);
            if is_done && item.state.is_open() {
                item.done_in = Some(there.clone());
            }
            let claim = claims.get(&item.id).filter(|claim| claim.live);
            if let (Some(claim), true) = (claim, item.state.is_open()) {
                item.owner = Some(Owner {
                    by: claim.by.clone(),
                    session: claim.session.clone(),
                    is_live_other: true,
                    elsewhere: Some(self.name.clone()),
                });
            }
        }
    }

    /// Whether a session is running there.
    fn is_busy(&self) -> bool {
        let sessions = self.workspace.sessions();
        let all = sessions.all().unwrap_or_default();
        all.iter()
            .any(|(_, record)| sessions.is_live(record) && !record.is_over())
    }

    /// What is in flight there.
    pub(super) fn fact(&self) -> Option<Fact> {
        let sessions = self.workspace.sessions();
        let all = sessions.all().unwrap_or_default().into_iter();
        let all = all.map(|(_, record)| record);
        let (live, over): (Vec<_>, Vec<_>) =
            all.partition(|record| sessions.is_live(record) && !record.is_over());
        let live: Vec<String> = live.into_iter().map(|record| record.agent).collect();
        let crashed = over
            .into_iter()
            .filter(|record| record.goodbye_at.is_none());
        let crashed = crashed.max_by(|one, two| one.seen_at.cmp(&two.seen_at));
        let survey = self.workspace.survey().ok()?;
        let key = survey.in_flight().into_iter().next()?;
        let summary = survey.summary(&key)?;
        let branch = self.workspace.head().branch;
        let mut text = format!("worktree {}", name(&self.name));
        if let Some(branch) = &branch {
            text += &format!(" ({})", name(branch));
        }
        text += &format!(
            ": {} {} of {} done",
            name(&key.short()),
            summary.progress.done,
            summary.progress.total
        );
        if !live.is_empty() {
            text += &format!(", live session of {}", names(&live));
        } else if let Some(crashed) = crashed {
            text += ", a session died there";
            let left = (self.workspace.options.left_behind)(&crashed, None);
            if let Some(words) = left.words {
                text += &format!(": {}", quote(&last_words(&words)));
            }
        }
        Some(Fact {
            kind: FactKind::Elsewhere,
            key: Some(key),
            ids: Vec::new(),
            source: Source::Checkpoint,
            at: summary.updated_at.clone(),
            text,
            short: None,
            details: Vec::new(),
            command: None,
        })
    }
}

/// A directory as seen from another one, if they are neighbours.
fn beside(here: &Path, there: &Path) -> String {
    match (here.parent(), there.parent(), there.file_name()) {
        (Some(one), Some(two), Some(own)) if one == two => {
            format!("../{}", own.to_string_lossy())
        }
        _ => there.display().to_string(),
    }
}
