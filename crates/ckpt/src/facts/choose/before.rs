//! What comes before the work itself, and what is left after it.

use super::super::Hazard;
use super::super::around::{Around, Commit};
use super::super::words::{names, shared};
use super::super::work::{GateFact, HeldUp, Item, Report, State, Unit, Work};
use super::{Choice, Chooser, MOST_TRIED};
use crate::gate::Proof;
use crate::standing::Lifecycle;
use crate::voice::{name, quote};

impl<'c> Chooser<'c> {
    /// A gate of something that an item needs, which has not been shown to pass.
    pub(super) fn unproven_gate_before(&self, item: &Item) -> Option<&'c GateFact> {
        let mut gates = self.work.gates.iter();
        gates.find(|gate| {
            let is_needed = gate.about.iter().any(|about| item.needs.contains(about));
            let is_due = gate.is_unproven() || gate.failed_before > 0;
            is_needed && gate.run.is_some() && is_due
        })
    }

    /// A forgotten report about something that an item builds on.
    pub(super) fn forgotten_before(&self, item: &Item) -> Option<&'c Report> {
        let mut forgotten = self.around.forgotten.iter();
        forgotten.find(|report| match self.work.unit {
            // Phases come one after the other.
            Unit::Phases => true,
            _ => report.about.iter().any(|about| item.needs.contains(about)),
        })
    }

    /// Something that is done in a worktree where nobody is at work any more: it is brought here first.
    pub(super) fn finished_elsewhere(&self) -> Option<Choice> {
        let is_decided = |item: &Item| {
            let mut decided = self.work.decided.iter();
            decided.any(|decision| names(&decision.text, &item.id))
        };
        let is_quiet = |item: &&Item| {
            let is_quiet = item.done_in.as_ref().is_some_and(|there| !there.is_busy);
            is_quiet && item.owner.is_none() && !is_decided(item)
        };
        let mut quiet = self.work.open().filter(is_quiet);
        quiet.find_map(|item| self.bring_here(item))
    }

    /// What whoever approves has to know before, and what should be settled first.
    pub(super) fn before_approval(&self) -> Option<Choice> {
        let mut troubles = self.work.troubles.iter();
        if !troubles.any(|trouble| trouble.hazard == Hazard::Paused) {
            return None;
        }
        let mut gates = self.work.gates.iter();
        let is_done = |id: &String| {
            let item = self.work.item(id);
            item.is_some_and(|item| item.state == State::Done)
        };
        let unsteady = gates.find(|gate| {
            let is_due = gate.is_unproven() && gate.about.iter().any(is_done);
            gate.run.is_some() && (gate.is_unsteady() || is_due)
        });
        let forgotten = self.around.forgotten.first();
        unsteady
            .map(|gate| self.gate_step(gate))
            .or_else(|| forgotten.map(|report| self.check_report(report)))
    }

    pub(super) fn nothing_left(&self) -> Choice {
        let key = name(&self.work.key.short()).into_owned();
        let state = match (self.work.lifecycle, &self.work.abandoned) {
            (Lifecycle::Abandoned, Some(reason)) => format!("was abandoned: {}", quote(reason)),
            (Lifecycle::Abandoned, None) => "was abandoned".to_owned(),
            _ => "is complete".to_owned(),
        };
        Choice {
            action: format!("Nothing: {key} {state}."),
            ..Choice::default()
        }
    }

    /// Everything is done: what is left is to prove it, or to close it.
    pub(super) fn all_done(&self) -> Choice {
        let held = self.held.as_ref();
        if let Some(held) = held.filter(|held| !held.lets_running_go_on) {
            return held_up(held);
        }
        let running = self
            .work
            .gates
            .iter()
            .find(|gate| gate.proof == Proof::Running);
        if let Some(gate) = running {
            return Choice {
                action: format!("Wait for gate {}, which is running.", name(&gate.name())),
                ids: vec![gate.gate.clone()],
                ..Choice::default()
            };
        }
        let mut gates = self.work.gates.iter();
        let is_due = |gate: &&GateFact| {
            gate.run.is_some() && (gate.is_unproven() || gate.proof == Proof::OlderContent)
        };
        if let Some(gate) = gates.find(is_due) {
            return self.gate_step(gate);
        }
        if let Some(held) = held {
            return held_up(held);
        }
        if let Some(blocker) = self.work.blockers.first() {
            return self.unblock(blocker);
        }
        let key = name(&self.work.key.short()).into_owned();
        let unit = self.work.unit;
        match &self.work.closing {
            Some(closing) => Choice {
                action: format!("Close {key}: every {} is done.", unit.one()),
                record: Some(closing.clone()),
                ..Choice::default()
            },
            None => Choice {
                action: format!("Nothing is left in {key}: every {} is done.", unit.one()),
                ..Choice::default()
            },
        }
    }

    /// Nothing can be done before something else is.
    pub(super) fn all_held_up(&self, not_now: &[(String, String)]) -> Choice {
        if let Some(held) = &self.held {
            return self.before_approval().unwrap_or_else(|| held_up(held));
        }
        let mut held = not_now.iter();
        let blocker = held.find_map(|(id, _)| self.blocked.get(id.as_str()).copied());
        if let Some(blocker) = self.general.or(blocker) {
            return self.unblock(blocker);
        }
        let mut elsewhere = self.work.open();
        if let Some(choice) = elsewhere.find_map(|item| self.bring_here(item)) {
            return choice;
        }
        if let Some(deferred) = self.deferred_in_the_way() {
            let reason = deferred.reason.as_deref().map(quote);
            let reason = reason.unwrap_or_else(|| "no reason given".to_owned());
            return Choice {
                action: format!(
                    "Settle {}: everything left waits for it, and it was deferred: {reason}. If that no longer holds, start it.",
                    self.described(deferred)
                ),
                ids: vec![deferred.id.clone()],
                details: self.remarks_about(deferred),
                record: deferred.start.clone(),
                not_now: Vec::new(),
            };
        }
        let key = name(&self.work.key.short()).into_owned();
        let mut held = not_now.iter();
        if let Some((id, said)) = held.find(|(_, reason)| reason.starts_with("the user said")) {
            return Choice {
                action: format!("Ask the user before going on with {}: {said}.", name(id)),
                ..Choice::default()
            };
        }
        Choice {
            action: format!("Wait, or ask: nothing in {key} can be started now."),
            ..Choice::default()
        }
    }

    pub(super) fn deferred_in_the_way(&self) -> Option<&'c Item> {
        let needed = self.work.waited_for();
        let items = self.work.items.iter();
        let mut deferred = items.filter(|item| item.state == State::Deferred);
        deferred.find(|item| needed.contains(item.id.as_str()))
    }
}

/// A commit of somebody else that takes back something that is done.
pub(in crate::facts) fn taken_back<'c>(
    work: &'c Work,
    around: &'c Around<'_>,
) -> Option<(&'c Commit, &'c Item)> {
    let commits = around.commits.iter();
    let mut taken = commits.filter_map(|commit| Some((commit, commit.takes_back.as_ref()?)));
    taken.find_map(|(commit, subject)| {
        let done = work.items.iter().take(MOST_TRIED);
        let mut done = done.filter(|item| item.state == State::Done);
        let undone = done.find(|item| {
            let title = item.title.as_deref().unwrap_or(&item.id);
            is_same_matter(title, subject)
        });
        Some((commit, undone?))
    })
}

/// Whether a title and the subject of a commit are about the same thing.
fn is_same_matter(title: &str, subject: &str) -> bool {
    let long = |text: &str| {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.filter(|word| word.chars().count() >= 4).count()
    };
    let same = shared(title, subject);
    same >= 2 && same * 2 >= long(title).min(long(subject))
}

fn held_up(held: &HeldUp) -> Choice {
    Choice {
        action: format!("{}.", held.action),
        details: held.details.clone(),
        record: held.record.clone(),
        ..Choice::default()
    }
}
