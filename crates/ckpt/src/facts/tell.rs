//! Turns what is known about a checkpoint and its surroundings into facts.

use std::collections::{HashMap, HashSet};

use super::around::Around;
use super::choose::{Choice, choose, taken_back};
use super::words::shared;
use super::work::{Evidence, GateFact, Item, Remark, Report, State, Unit, Work};
use super::{Fact, FactKind, Hazard, Source};
use crate::gate::Proof;
use crate::time::Timestamp;
use crate::voice::{name, names as listed, quote};

/// How many decisions are ranked; older ones follow by age.
const MOST_RANKED: usize = 500;

/// In a plan with this many tasks done, complete phases are told by name.
const LONG_PLAN: usize = 8;

/// How many reports of sub-agents are told as notes.
const MOST_REPORTS: usize = 2;

/// How many names a hazard lists.
pub(super) const MOST_LISTED: usize = 6;

/// The facts about a checkpoint, hazards first.
#[must_use]
pub fn facts_of(work: &Work, around: &Around<'_>) -> Vec<Fact> {
    let choice = choose(work, around);
    let items = work.items.iter();
    let done = items.filter(|item| item.state == State::Done);
    let mut gates: HashMap<&str, Vec<&GateFact>> = HashMap::new();
    for gate in &work.gates {
        for about in &gate.about {
            gates.entry(about).or_default().push(gate);
        }
    }
    let teller = Teller {
        work,
        around,
        choice: &choice,
        done: done.map(|item| item.id.as_str()).collect(),
        gates,
    };
    let mut facts = Vec::new();
    if work.lifecycle == crate::standing::Lifecycle::InFlight {
        facts.extend(teller.hazards());
    }
    facts.extend(teller.next());
    facts.extend(teller.done());
    facts.extend(teller.decided());
    facts.extend(teller.noted());
    facts.extend(teller.open());
    facts
}

pub(super) struct Teller<'t> {
    pub(super) work: &'t Work,
    pub(super) around: &'t Around<'t>,
    choice: &'t Choice,
    /// The ids of items that are done.
    pub(super) done: HashSet<&'t str>,
    /// The gates of each item.
    gates: HashMap<&'t str, Vec<&'t GateFact>>,
}

impl Teller<'_> {
    fn fact(&self, kind: FactKind, source: Source, text: String) -> Fact {
        Fact {
            kind,
            key: Some(self.work.key.clone()),
            ids: Vec::new(),
            source,
            at: None,
            text,
            short: None,
            details: Vec::new(),
            command: None,
        }
    }

    pub(super) fn hazard(&self, hazard: Hazard, source: Source, text: String) -> Fact {
        let ends = hazard.ends();
        self.fact(FactKind::Hazard { hazard, ends }, source, text)
    }

    pub(super) fn time(&self, at: &str) -> String {
        let (Some(time), Some(now)) = (Timestamp::parse(at), self.around.now) else {
            return name(at).into_owned();
        };
        let (time, now) = (time.to_string(), now.to_string());
        match (time.get(..10) == now.get(..10), time.get(11..16)) {
            (true, Some(clock)) => format!("{clock}Z"),
            _ => time
                .get(..16)
                .map_or(time.clone(), |time| format!("{time}Z")),
        }
    }

    /// An item in a few words.
    pub(super) fn titled(&self, id: &str) -> String {
        let item = self.work.item(id);
        let what = item.map_or(self.work.unit.one(), |item| item.what);
        let task = item.and_then(|item| item.task.as_deref());
        let task = task.map(|task| format!(" (task {})", name(task)));
        format!("{what} {}{}", name(id), task.unwrap_or_default())
    }

    pub(super) fn with_title(&self, item: &Item) -> String {
        match &item.title {
            Some(title) => format!("{} {}", name(&item.id), quote(title)),
            None => name(&item.id).into_owned(),
        }
    }

    fn next(&self) -> Vec<Fact> {
        let choice = self.choice;
        let next = Fact {
            ids: choice.ids.clone(),
            details: choice.details.clone(),
            command: choice.record.clone(),
            ..self.fact(FactKind::Next, Source::Checkpoint, choice.action.clone())
        };
        let not_now = choice.not_now.iter().map(|(id, why)| {
            let item = self.work.item(id);
            let title = item.map_or_else(|| name(id).into_owned(), |item| self.with_title(item));
            Fact {
                ids: vec![id.clone()],
                ..self.fact(
                    FactKind::NotNow,
                    Source::Checkpoint,
                    format!("{title}: {why}"),
                )
            }
        });
        std::iter::once(next).chain(not_now).collect()
    }

    fn done(&self) -> Vec<Fact> {
        let mut facts = self.proofs();
        let complete = self.complete_groups();
        for (group, items) in &complete {
            let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
            let text = format!(
                "phase {}: all {} tasks (ticked): {}",
                name(group),
                ids.len(),
                listed(&ids)
            );
            facts.push(Fact {
                ids: ids.into_iter().map(str::to_owned).collect(),
                ..self.fact(FactKind::Done, Source::Checkpoint, text)
            });
        }
        for id in self.coming_back() {
            let title = self.work.item(id).map(|item| self.with_title(item));
            let text = format!(
                "{} (done; it comes back once git has finished)",
                title.unwrap_or_else(|| name(id).into_owned())
            );
            facts.push(Fact {
                ids: vec![id.to_owned()],
                ..self.fact(FactKind::Done, Source::History, text)
            });
        }
        let is_told = |item: &Item| {
            let group = item.group.as_deref();
            group.is_some_and(|group| complete.iter().any(|(known, _)| *known == group))
        };
        let taken_back = taken_back(self.work, self.around).map(|(_, item)| item.id.as_str());
        let items = self.work.items.iter();
        let over = items.filter(|item| matches!(item.state, State::Done | State::Skipped));
        let over = over.filter(|item| !is_told(item));
        facts.extend(over.map(|item| {
            let mut text = self.with_title(item);
            match (&item.state, &item.reason) {
                (State::Skipped, Some(reason)) => text += &format!(" (skipped: {})", quote(reason)),
                (State::Skipped, None) => text += " (skipped)",
                _ if taken_back == Some(&item.id) => {
                    text += &format!(" ({}, but reverted since)", self.evidence(item));
                }
                _ => text += &format!(" ({})", self.evidence(item)),
            }
            Fact {
                ids: vec![item.id.clone()],
                details: item.summary.iter().cloned().collect(),
                ..self.fact(FactKind::Done, Source::Checkpoint, text)
            }
        }));
        facts
    }

    /// The complete phases of a long plan, which are told by name.
    fn complete_groups(&self) -> Vec<(&str, Vec<&Item>)> {
        if self.work.unit != Unit::Tasks || self.done.len() < LONG_PLAN {
            return Vec::new();
        }
        let mut groups: Vec<(&str, Vec<&Item>)> = Vec::new();
        for item in &self.work.items {
            let Some(group) = item.group.as_deref() else {
                continue;
            };
            match groups.last_mut() {
                Some((known, items)) if *known == group => items.push(item),
                _ => groups.push((group, vec![item])),
            }
        }
        let is_plain = |item: &&Item| item.state == State::Done && item.summary.is_none();
        groups.retain(|(_, items)| items.len() > 1 && items.iter().all(is_plain));
        groups
    }

    /// The gates of the whole checkpoint that ran on this content, and are no hazard.
    fn proofs(&self) -> Vec<Fact> {
        let gates = self.work.gates.iter().filter(|gate| gate.about.is_empty());
        let proofs = gates.filter_map(|gate| {
            let gate_name = name(&gate.gate);
            let (kind, text) = match gate.proof {
                Proof::Proven => {
                    let text = format!("Gate {gate_name} (proven: it ran on this content)");
                    (FactKind::Done, text)
                }
                Proof::Tolerated => {
                    let text = format!("Gate {gate_name} {}", gate.in_words());
                    (FactKind::Noted, text)
                }
                _ => return None,
            };
            Some(Fact {
                ids: vec![gate.gate.clone()],
                at: gate.at.clone(),
                ..self.fact(kind, Source::Checkpoint, text)
            })
        });
        proofs.collect()
    }

    /// What shows that an item is done.
    fn evidence(&self, item: &Item) -> String {
        let own = self.gates.get(item.id.as_str());
        let own = own.map(Vec::as_slice).unwrap_or_default();
        let is_proven = |gate: &&GateFact| gate.proof == Proof::Proven;
        if !own.is_empty() && own.iter().all(is_proven) {
            let names: Vec<&str> = own.iter().map(|gate| gate.gate.as_str()).collect();
            return format!("proven: gate {} ran on this content", listed(&names));
        }
        let evidence = match item.evidence {
            Evidence::Ticked => "ticked",
            Evidence::Reported => "reported",
        };
        let mut gates = self.work.gates.iter();
        match gates.find(|gate| gate.gate == item.id && gate.about.is_empty()) {
            Some(gate) if gate.proof == Proof::Proven => {
                format!("proven: gate {} ran on this content", name(&gate.gate))
            }
            Some(gate) => format!("{evidence}, but its gate {}", gate.in_words()),
            None => evidence.to_owned(),
        }
    }

    fn remark(&self, kind: FactKind, remark: &Remark) -> Fact {
        let text = match &remark.reason {
            Some(reason) => format!("{}, because {}", quote(&remark.text), quote(reason)),
            None => quote(&remark.text),
        };
        Fact {
            at: remark.at.clone(),
            ..self.fact(kind, Source::Checkpoint, text)
        }
    }

    /// Decisions: those that share words with the next thing first, then those with a reason; of both the newest first.
    fn decided(&self) -> Vec<Fact> {
        let next = self.next_text();
        let newest = self.work.decided.iter().enumerate().rev();
        let mut all: Vec<(usize, &Remark)> = newest.clone().take(MOST_RANKED).collect();
        all.sort_by_cached_key(|(number, remark)| {
            let is_near = shared(&remark.text, &next) > 0;
            // A newer one may revoke an older one.
            std::cmp::Reverse((is_near, is_near || remark.reason.is_some(), *number))
        });
        let facts = all.into_iter().chain(newest.skip(MOST_RANKED));
        facts
            .map(|(_, remark)| self.remark(FactKind::Decided, remark))
            .collect()
    }

    /// Notes, the newest first, repeated ones once.
    fn noted(&self) -> Vec<Fact> {
        let mut seen = HashSet::new();
        let notes = self.work.noted.iter().rev();
        let notes = notes.filter(|note| seen.insert(note.text.as_str()));
        // That a session ended is worth telling only with what it said.
        let says_nothing = |text: &str| text.starts_with("Last session: ") && !text.contains("Z: ");
        let notes = notes.filter(|note| !says_nothing(&note.text));
        let notes = notes.map(|note| self.remark(FactKind::Noted, note));
        let last = self.last_session().into_iter();
        last.chain(self.reports()).chain(notes).collect()
    }

    /// What the sub-agents of the last session reported about other things than the next one.
    fn reports(&self) -> Vec<Fact> {
        let last = self.work.reports.last();
        let session = last.and_then(|report| report.session.as_ref());
        let is_told = |report: &Report| {
            let quoted = quote(&report.text);
            self.around.forgotten.contains(report)
                || self
                    .choice
                    .details
                    .iter()
                    .any(|told| told.contains(&quoted))
                || report.about.iter().any(|id| self.choice.ids.contains(id))
                || self
                    .work
                    .items
                    .iter()
                    .any(|item| item.summary.as_ref() == Some(&report.text))
        };
        let reports = self.work.reports.iter().rev();
        let reports = reports.filter(|report| report.session.as_ref() == session);
        let reports = reports.filter(|report| !is_told(report)).take(MOST_REPORTS);
        reports
            .map(|report| {
                let about = match report.about.as_slice() {
                    [] => String::new(),
                    about => format!(" about {}", listed(about)),
                };
                let text = format!("A sub-agent reported{about}: {}", quote(&report.text));
                Fact {
                    ids: report.about.clone(),
                    at: Some(report.at.clone()),
                    ..self.fact(FactKind::Noted, Source::Checkpoint, text)
                }
            })
            .collect()
    }

    /// What the user asked the session that worked on it last, and what it said at its end.
    fn last_session(&self) -> Option<Fact> {
        let last = self.around.last.as_ref()?;
        let mut notes = self.work.noted.iter();
        // A plan has a note about it.
        let words = last.words.as_ref();
        let words = words.filter(|words| !notes.any(|note| note.text.contains(words.as_str())));
        if last.asked.is_none() && words.is_none() {
            return None;
        }
        let mut text = format!("The last session ({})", name(&last.agent));
        if let Some(asked) = &last.asked {
            text += &format!(" was asked: {}", quote(asked));
        }
        if let Some(words) = words {
            let and = if last.asked.is_some() { ". It" } else { "" };
            text += &format!("{and} ended with: {}", quote(words));
        }
        Some(Fact {
            ids: vec![last.session.clone()],
            at: last.seen_at.clone(),
            ..self.fact(FactKind::Noted, Source::Session, text)
        })
    }

    fn next_text(&self) -> String {
        let items = self.choice.ids.iter().filter_map(|id| self.work.item(id));
        let texts = items.map(|item| {
            let title = item.title.as_deref().unwrap_or_default();
            let summary = item.summary.as_deref().unwrap_or_default();
            format!("{} {title} {summary}", item.id)
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    fn open(&self) -> Vec<Fact> {
        let items = self.work.items.iter();
        let coming_back = self.coming_back();
        let left = items.filter(|item| item.state.is_open() || item.state == State::Deferred);
        let left = left.filter(|item| !coming_back.contains(&item.id.as_str()));
        let later = left.filter(|item| !self.choice.ids.contains(&item.id));
        let unlisted = (self.work.unlisted > 0).then(|| {
            let text = format!("{} more {}s", self.work.unlisted, self.work.unit.one());
            self.fact(FactKind::Open, Source::Checkpoint, text)
        });
        later
            .map(|item| {
                let mut text = self.with_title(item);
                match (&item.state, &item.reason) {
                    (State::Deferred, Some(reason)) => {
                        text += &format!(" (deferred: {})", quote(reason));
                    }
                    (State::Deferred, None) => text += " (deferred)",
                    _ => {}
                }
                Fact {
                    ids: vec![item.id.clone()],
                    ..self.fact(FactKind::Open, Source::Checkpoint, text)
                }
            })
            .chain(unlisted)
            .collect()
    }
}

/// The first of these names, and how many more there are.
pub(super) fn some(all: &[String]) -> String {
    let shown = listed(&all[..all.len().min(MOST_LISTED)]);
    match all.len().saturating_sub(MOST_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}
