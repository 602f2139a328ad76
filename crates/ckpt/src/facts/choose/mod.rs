//! Chooses the next step: one that can be taken now.

mod before;
mod candidates;
mod step;

use std::collections::HashMap;

use super::around::Around;
use super::words::words;
use super::work::{Blocker, HeldUp, Item, Remark, Work};
use crate::standing::Lifecycle;
pub(super) use before::taken_back;
use candidates::{Call, Weight};

/// How many things that look next and are not are named.
const MOST_NOT_NOW: usize = 4;

/// How many things are tried before giving up.
const MOST_TRIED: usize = 1_000;

/// The next step.
#[derive(Debug, Default)]
pub(super) struct Choice {
    /// What to do, in a sentence.
    pub(super) action: String,
    /// What it is about.
    pub(super) ids: Vec<String>,
    /// What to know for it, a line each.
    pub(super) details: Vec<String>,
    /// The command that records it.
    pub(super) record: Option<String>,
    /// What looks next and is not: the item, and why.
    pub(super) not_now: Vec<(String, String)>,
}

/// Chooses the next step of a checkpoint.
pub(super) fn choose(work: &Work, around: &Around<'_>) -> Choice {
    let noted = work.noted.iter().rev().map(|note| ("a note", note));
    let decided = work.decided.iter().rev().map(|one| ("a decision", one));
    let mut remarks = HashMap::new();
    for (kind, remark) in noted.chain(decided) {
        for word in words(&remark.text) {
            // The newest remark counts: it may revoke an older one.
            remarks.entry(word).or_insert((kind, remark));
        }
    }
    let mut blocked = HashMap::new();
    for blocker in &work.blockers {
        for id in &blocker.about {
            blocked.entry(id.as_str()).or_insert(blocker);
        }
    }
    Chooser {
        work,
        around,
        remarks,
        blocked,
        general: work.blockers.iter().find(|one| one.about.is_empty()),
        held: around.held_up(work).or_else(|| work.held_up.clone()),
    }
    .choose()
}

struct Chooser<'c> {
    work: &'c Work,
    around: &'c Around<'c>,
    /// The newest remark that has a word.
    remarks: HashMap<&'c str, (&'static str, &'c Remark)>,
    /// What blocks an item.
    blocked: HashMap<&'c str, &'c Blocker>,
    /// What blocks all of them.
    general: Option<&'c Blocker>,
    /// What must be done before anything else.
    held: Option<HeldUp>,
}

impl<'c> Chooser<'c> {
    fn choose(&self) -> Choice {
        match self.work.lifecycle {
            Lifecycle::InFlight => {}
            Lifecycle::Complete | Lifecycle::Abandoned => return self.nothing_left(),
        }
        let mut not_now: Vec<(String, String)> = Vec::new();
        let mut put_back: Option<&Item> = None;
        let mut chosen: Option<(&Item, Call)> = None;
        for (item, call) in self.candidates().into_iter().take(MOST_TRIED) {
            if let Some(reason) = self.obstacle(item) {
                not_now.push((item.id.clone(), reason));
                continue;
            }
            let advice = match call {
                Call::Order => self.advice_against(item),
                Call::Begun => self.condition_of(item),
            };
            match advice {
                Some((advice, Weight::Binding)) => not_now.push((item.id.clone(), advice)),
                Some((advice, Weight::Light)) => {
                    put_back = put_back.or(Some(item));
                    not_now.push((item.id.clone(), advice));
                }
                None => {
                    chosen = Some((item, call));
                    break;
                }
            }
        }
        let mut choice = match chosen.or(put_back.map(|item| (item, Call::Order))) {
            Some((item, _)) => {
                not_now.retain(|(id, _)| *id != item.id);
                self.step(item, &mut not_now)
            }
            None if self.work.open().next().is_none() => self.all_done(),
            None => self.all_held_up(&not_now),
        };
        not_now.retain(|(id, _)| !choice.ids.contains(id));
        self.add_waiting(&mut not_now, &choice.ids);
        not_now.truncate(MOST_NOT_NOW);
        choice.not_now = not_now;
        choice
    }
}

#[cfg(test)]
mod tests;
