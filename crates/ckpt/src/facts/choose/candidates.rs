//! What could be next, and what speaks against it.

use std::collections::HashSet;

use super::super::words::{forbids, holds_back, names, sets_condition, waits_for};
use super::super::work::{Item, State};
use super::{Chooser, MOST_NOT_NOW, MOST_TRIED};
use crate::voice::{name, quote};

/// With how many others an item is compared.
const MOST_COMPARED: usize = 200;

/// How strongly something speaks for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Call {
    /// Somebody was working on it.
    Begun,
    /// It comes next in the file.
    Order,
}

/// How much advice against an item counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Weight {
    /// It is followed unless nothing else is left.
    Light,
    /// It is followed: the user said so, or something else has to be done first.
    Binding,
}

impl<'c> Chooser<'c> {
    /// The items that could be next, the best first.
    pub(super) fn candidates(&self) -> Vec<(&'c Item, Call)> {
        let mut found: Vec<(&Item, Call)> = Vec::new();
        let mut seen: HashSet<&str> = HashSet::new();
        let mut add = |item: &'c Item, call: Call| {
            if item.state.is_open() && seen.insert(&item.id) {
                found.push((item, call));
            }
        };
        for death in &self.around.deaths {
            let said = death.words.as_deref().unwrap_or_default();
            let mut named: Vec<&Item> = self.work.open().collect();
            named.retain(|item| self.is_meant_by(item, said));
            // What it had begun counts more than what it looked forward to.
            named.sort_by_key(|item| {
                let is_its = death.ids.contains(&item.id);
                (
                    !is_its,
                    item.state != State::InProgress,
                    first_mention(item, said),
                )
            });
            named.into_iter().for_each(|item| add(item, Call::Begun));
            for id in &death.ids {
                self.work
                    .item(id)
                    .into_iter()
                    .for_each(|item| add(item, Call::Begun));
            }
        }
        let is_begun = |item: &&Item| {
            let is_owned = item
                .owner
                .as_ref()
                .is_some_and(|owner| !owner.is_live_other);
            matches!(item.state, State::InProgress) || is_owned
        };
        self.work
            .items
            .iter()
            .filter(is_begun)
            .for_each(|item| add(item, Call::Begun));
        for lost in &self.around.lost {
            for id in &lost.ids {
                self.work
                    .item(id)
                    .into_iter()
                    .for_each(|item| add(item, Call::Begun));
            }
        }
        let is_failed = |item: &&Item| item.state == State::Failed;
        self.work
            .items
            .iter()
            .filter(is_failed)
            .for_each(|item| add(item, Call::Begun));
        self.work
            .items
            .iter()
            .for_each(|item| add(item, Call::Order));
        found
    }

    pub(super) fn is_meant_by(&self, item: &Item, said: &str) -> bool {
        names(said, &item.id) || item.task.as_deref().is_some_and(|task| names(said, task))
    }

    /// Why an item cannot be done now.
    pub(super) fn obstacle(&self, item: &Item) -> Option<String> {
        let is_running = item.state == State::InProgress;
        if let Some(held) = &self.held
            && !(is_running && held.lets_running_go_on)
        {
            return Some(held.reason.clone());
        }
        if let Some(blocker) = self.blocked.get(item.id.as_str()).or(self.general.as_ref()) {
            return Some(format!("blocked: {}", quote(&blocker.text)));
        }
        if let Some(owner) = item.owner.as_ref().filter(|owner| owner.is_live_other) {
            let session = owner
                .session
                .as_deref()
                .map(|session| format!(" in session {}", name(session)));
            let place = owner
                .elsewhere
                .as_deref()
                .map(|place| format!(" in worktree {}", name(place)));
            return Some(format!(
                "claimed by {}{}{}, who is at work",
                name(&owner.by),
                session.unwrap_or_default(),
                place.unwrap_or_default()
            ));
        }
        if let Some(there) = &item.done_in {
            return Some(format!(
                "done in worktree {}, and not merged here",
                name(&there.place)
            ));
        }
        match &item.state {
            State::Waiting(on) => Some(format!("waits for {}", on.join(", "))),
            _ => None,
        }
    }

    /// A remark that names an item and holds it back.
    pub(super) fn advice_against(&self, item: &Item) -> Option<(String, Weight)> {
        let asked = self.around.last_asked();
        let asked = asked.and_then(|session| session.asked.as_deref());
        if let Some(asked) = asked.filter(|asked| forbids(asked, &item.id)) {
            let said = format!("the user said {}", quote(asked));
            return Some((said, Weight::Binding));
        }
        let (kind, remark) = self.remarks.get(item.id.as_str())?;
        let is_named = names(&remark.text, &item.id);
        let said = || format!("{kind} says {}", quote(&remark.text));
        let mut others = self.work.open().filter(|other| other.id != item.id);
        let mut others = others.by_ref().take(MOST_COMPARED);
        if is_named && others.any(|other| waits_for(&remark.text, &other.id)) {
            return Some((said(), Weight::Binding));
        }
        let is_held = holds_back(&remark.text) || sets_condition(&remark.text, &item.id);
        (is_named && is_held).then(|| (said(), Weight::Light))
    }

    /// A decision that sets a condition for an item, and that no later decision about it has replaced.
    pub(super) fn condition_of(&self, item: &Item) -> Option<(String, Weight)> {
        let mut decided = self.work.decided.iter().rev();
        let last = decided.find(|decision| names(&decision.text, &item.id))?;
        let said = || format!("a decision says {}", quote(&last.text));
        sets_condition(&last.text, &item.id).then(|| (said(), Weight::Light))
    }

    /// Adds what waits for others, after what was already ruled out.
    pub(super) fn add_waiting(&self, not_now: &mut Vec<(String, String)>, chosen: &[String]) {
        for item in self.work.items.iter().take(MOST_TRIED) {
            if not_now.len() >= MOST_NOT_NOW {
                return;
            }
            let is_known =
                not_now.iter().any(|(id, _)| *id == item.id) || chosen.contains(&item.id);
            if is_known {
                continue;
            }
            let reason = match &item.state {
                State::Deferred => {
                    let reason = item.reason.as_deref().map(quote);
                    format!(
                        "deferred: {}",
                        reason.unwrap_or_else(|| "no reason given".to_owned())
                    )
                }
                state if state.is_open() => match self.obstacle(item) {
                    Some(reason) => reason,
                    None => continue,
                },
                _ => continue,
            };
            not_now.push((item.id.clone(), reason));
        }
    }
}

fn first_mention(item: &Item, said: &str) -> usize {
    let of = |word: &str| said.find(word).unwrap_or(usize::MAX);
    let task = item.task.as_deref().map_or(usize::MAX, of);
    of(&item.id).min(task)
}
