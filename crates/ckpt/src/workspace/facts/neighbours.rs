//! What is in flight in other worktrees of the same repository.

use super::super::Workspace;
use super::super::neighbours::Neighbour;
use crate::facts::{Elsewhere, Fact, FactKind, Owner, Source, Work, last_words};
use crate::key::Key;
use crate::voice::{name, names, quote};

/// How many other worktrees are looked at.
const MOST: usize = 8;

impl Workspace {
    /// The other worktrees in which `ckpt` is in use.
    pub(super) fn neighbours_in_use(&self) -> Vec<Neighbour> {
        let worktrees = self.other_worktrees().unwrap_or_default();
        let worktrees = worktrees.into_iter().take(MOST);
        let opened = worktrees.filter_map(|worktree| self.neighbour(&worktree).ok());
        opened
            .filter(|neighbour| neighbour.workspace.is_in_use())
            .collect()
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
