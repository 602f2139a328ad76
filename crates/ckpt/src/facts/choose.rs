//! Chooses the next step: one that can be taken now.

use std::collections::{HashMap, HashSet};

use super::around::{Around, COMMITS, Commit};
use super::command::ships;
use super::tell::some;
use super::words::{
    forbids, holds_back, last_words, names, sets_condition, shared, waits_for, words,
};
use super::work::{Blocker, GateFact, HeldUp, Item, Remark, Report, STEADY, State, Unit, Work};
use crate::gate::Proof;
use crate::standing::Lifecycle;
use crate::voice::{name, names as listed, quote, suggested};

/// How many things that look next and are not are named.
const MOST_NOT_NOW: usize = 4;

/// With how many others an item is compared.
const MOST_COMPARED: usize = 200;

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

/// How strongly something speaks for an item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Call {
    /// Somebody was working on it.
    Begun,
    /// It comes next in the file.
    Order,
}

/// How much advice against an item counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// It is followed unless nothing else is left.
    Light,
    /// It is followed: the user said so, or something else has to be done first.
    Binding,
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

    /// The items that could be next, the best first.
    fn candidates(&self) -> Vec<(&'c Item, Call)> {
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

    fn is_meant_by(&self, item: &Item, said: &str) -> bool {
        names(said, &item.id) || item.task.as_deref().is_some_and(|task| names(said, task))
    }

    /// Why an item cannot be done now.
    fn obstacle(&self, item: &Item) -> Option<String> {
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
    fn advice_against(&self, item: &Item) -> Option<(String, Weight)> {
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
    fn condition_of(&self, item: &Item) -> Option<(String, Weight)> {
        let mut decided = self.work.decided.iter().rev();
        let last = decided.find(|decision| names(&decision.text, &item.id))?;
        let said = || format!("a decision says {}", quote(&last.text));
        sets_condition(&last.text, &item.id).then(|| (said(), Weight::Light))
    }

    /// The step for an item, or the gate that must run before it.
    fn step(&self, item: &Item, not_now: &mut Vec<(String, String)>) -> Choice {
        let is_shipping = ships(&item.id) && !self.around.ignored.is_empty();
        let verb = match item.state {
            State::InProgress => "Continue",
            State::Failed => "Fix and retry",
            _ if self.is_reported(item) => "Check and finish",
            _ if item.owner.is_some() => "Continue",
            _ if self
                .around
                .deaths
                .iter()
                .any(|death| death.ids.contains(&item.id)) =>
            {
                "Continue"
            }
            _ if self
                .around
                .lost
                .iter()
                .any(|lost| lost.ids.contains(&item.id)) =>
            {
                "Continue"
            }
            _ => "Start",
        };
        if matches!(item.state, State::Open)
            && let Some(gate) = self.unproven_gate_before(item)
        {
            let why = gate_in_words(gate);
            not_now.insert(
                0,
                (
                    item.id.clone(),
                    format!(
                        "it builds on {}, whose gate {} {why}",
                        gate.about.join(", "),
                        name(&gate.gate)
                    ),
                ),
            );
            return self.gate_step(gate);
        }
        if verb == "Start"
            && let Some(choice) = self.finished_elsewhere()
        {
            let why = "what is done elsewhere comes first".to_owned();
            not_now.insert(0, (item.id.clone(), why));
            return choice;
        }
        if verb == "Start"
            && let Some((commit, undone)) = taken_back(self.work, self.around)
        {
            let why = format!("it may build on {}, which was reverted", name(&undone.id));
            not_now.insert(0, (item.id.clone(), why));
            return self.look_at(commit, undone);
        }
        if verb == "Start"
            && let Some(report) = self.forgotten_before(item)
        {
            let why = format!(
                "it builds on {}, which has to be checked again",
                listed(&report.about)
            );
            not_now.insert(0, (item.id.clone(), why));
            return self.check_report(report);
        }
        let mut details = Vec::new();
        if let Some(error) = &item.error {
            details.push(format!("It failed with {}.", quote(error)));
        }
        if let Some(summary) = &item.summary {
            details.push(format!("So far: {}", quote(summary)));
        }
        if is_shipping {
            let ignored = some(&self.around.ignored);
            details.push(format!("Before that, get this into git: {ignored}."));
        }
        details.extend(self.reports_about(&item.id));
        details.extend(self.remarks_about(item));
        let start = item.start.as_ref().filter(|_| verb == "Start");
        if start.is_some() {
            details.push(format!("Once it is done: {}", item.record));
        }
        let record = start.unwrap_or(&item.record).clone();
        Choice {
            action: format!("{verb} {}.", self.described(item)),
            ids: vec![item.id.clone()],
            details,
            record: Some(record),
            not_now: Vec::new(),
        }
    }

    /// What sub-agents last reported about an item.
    fn reports_about(&self, id: &String) -> Vec<String> {
        let reports = self.work.reports.iter().rev();
        let own = reports.filter(|report| report.about.contains(id));
        own.take(2)
            .map(|report| format!("A sub-agent reported: {}", quote(&report.text)))
            .collect()
    }

    /// A forgotten report about something that an item builds on.
    fn forgotten_before(&self, item: &Item) -> Option<&'c Report> {
        let mut forgotten = self.around.forgotten.iter();
        forgotten.find(|report| match self.work.unit {
            // Phases come one after the other.
            Unit::Phases => true,
            _ => report.about.iter().any(|about| item.needs.contains(about)),
        })
    }

    fn check_report(&self, report: &Report) -> Choice {
        let mut reports = self.work.reports.iter();
        let later = reports.rfind(|other| other.about == report.about && other.at > report.at);
        let later = later.map(|later| format!("Another said later: {}", quote(&later.text)));
        let checked = report.about.iter().filter_map(|id| self.work.item(id));
        let checked: Vec<String> = checked.map(|item| self.described(item)).collect();
        Choice {
            action: format!(
                "Check {} again, because of what sub-agent {} reported (see above). Its session was compacted since, and went on without an answer.",
                checked.join(", "),
                name(&report.agent)
            ),
            ids: Vec::new(),
            details: later.into_iter().collect(),
            record: Some(format!("ckpt ack {}", suggested(&report.agent))),
            not_now: Vec::new(),
        }
    }

    fn look_at(&self, commit: &Commit, undone: &Item) -> Choice {
        let body = last_words(&commit.body);
        let body = (!body.is_empty()).then(|| format!("It says: {}", quote(&body)));
        Choice {
            action: format!(
                "Look at {} by {}: it reverts {}. Before going on, decide whether that work is done again, and how.",
                quote(&commit.subject),
                name(&commit.author),
                self.described(undone)
            ),
            ids: Vec::new(),
            details: body.into_iter().collect(),
            record: Some(match &self.work.key {
                crate::key::Key::Plan(_) => format!("ckpt plan undo {}", suggested(&undone.id)),
                _ => format!("ckpt ack {COMMITS}"),
            }),
            not_now: Vec::new(),
        }
    }

    /// Whether somebody reports an open item as done.
    fn is_reported(&self, item: &Item) -> bool {
        let mut troubles = self.work.troubles.iter();
        troubles.any(|trouble| {
            trouble.hazard == super::Hazard::Unticked && trouble.ids.contains(&item.id)
        })
    }

    /// An item with its title, task and place.
    fn described(&self, item: &Item) -> String {
        let mut text = format!("{} {}", item.what, name(&item.id));
        if let Some(title) = &item.title {
            text += &format!(" {}", quote(title));
        }
        let of = match (&item.group, &self.work.key) {
            (Some(group), crate::key::Key::Plan(id)) => {
                format!(" (plan {}, phase {})", name(id.as_str()), name(group))
            }
            (_, key) => format!(" of {}", name(&key.short())),
        };
        text += &of;
        if let Some(task) = &item.task {
            text += &format!(", task {}", name(task));
        }
        text
    }

    /// Every decision, note, blocker or summary that names an item.
    fn remarks_about(&self, item: &Item) -> Vec<String> {
        let mut lines = Vec::new();
        let said = |kind: &str, remark: &Remark| match &remark.reason {
            Some(reason) => format!("{kind}: {}, because {}", quote(&remark.text), quote(reason)),
            None => format!("{kind}: {}", quote(&remark.text)),
        };
        let is_meant = |remark: &&Remark| names(&remark.text, &item.id);
        let decided = self.work.decided.iter().rev().filter(is_meant);
        lines.extend(decided.map(|remark| said("Decided about it", remark)));
        let noted = self.work.noted.iter().rev().filter(is_meant);
        let kinds = std::iter::once("Noted about it").chain(std::iter::repeat("Noted before that"));
        lines.extend(kinds.zip(noted).map(|(kind, remark)| said(kind, remark)));
        for other in self.work.items.iter().filter(|other| other.id != item.id) {
            let summary = other.summary.as_ref();
            if let Some(summary) = summary.filter(|summary| names(summary, &item.id)) {
                lines.push(format!(
                    "In the summary of {}: {}",
                    name(&other.id),
                    quote(summary)
                ));
            }
        }
        lines
    }

    /// A gate of something that an item needs, which has not been shown to pass.
    fn unproven_gate_before(&self, item: &Item) -> Option<&'c GateFact> {
        let mut gates = self.work.gates.iter();
        gates.find(|gate| {
            let is_needed = gate.about.iter().any(|about| item.needs.contains(about));
            let is_due = is_unproven(gate.proof) || gate.failed_before > 0;
            is_needed && gate.run.is_some() && is_due
        })
    }

    fn gate_step(&self, gate: &GateFact) -> Choice {
        let about = match gate.about.as_slice() {
            [] => format!("of {}", name(&self.work.key.short())),
            about => format!("for {}", about.join(", ")),
        };
        let mut details = Vec::new();
        if let (Proof::Failed, Some(lines)) = (gate.proof, &gate.last_lines) {
            details.push(format!("Its output ended with {}.", quote(lines)));
        }
        let about_it = gate.about.iter().flat_map(|id| self.reports_about(id));
        details.extend(about_it);
        if is_unsteady(gate) {
            return Choice {
                action: format!(
                    "Find out why gate {} {about} failed before it passed on the same content. Fix the cause, then run the gate until it has passed {STEADY} times in a row. If the failures are explained: ckpt ack {}.",
                    name(&gate.gate),
                    suggested(&gate.gate)
                ),
                ids: vec![gate.gate.clone()],
                details,
                record: gate.run.clone(),
                not_now: Vec::new(),
            };
        }
        Choice {
            action: format!(
                "Run gate {} {about}: it {}.",
                name(&gate.gate),
                gate_in_words(gate)
            ),
            ids: vec![gate.gate.clone()],
            details,
            record: gate.run.clone(),
            not_now: Vec::new(),
        }
    }

    fn nothing_left(&self) -> Choice {
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
    fn all_done(&self) -> Choice {
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
            gate.run.is_some() && (is_unproven(gate.proof) || gate.proof == Proof::OlderContent)
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
    fn all_held_up(&self, not_now: &[(String, String)]) -> Choice {
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

    /// The same, for something in a worktree in which nobody is at work any more.
    fn finished_elsewhere(&self) -> Option<Choice> {
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

    /// The step that brings something here that is done in another worktree.
    fn bring_here(&self, item: &Item) -> Option<Choice> {
        let there = item.done_in.as_ref()?;
        let (merge, record) = match &there.branch {
            Some(branch) => (
                format!("merge {}", name(branch)),
                Some(format!("git merge {}", suggested(branch))),
            ),
            None => ("merge it".to_owned(), None),
        };
        Some(Choice {
            action: format!(
                "Bring {} here: it is done in worktree {}. Look there for work that is not committed, then {merge}.",
                self.described(item),
                name(&there.place)
            ),
            ids: vec![item.id.clone()],
            details: self.remarks_about(item),
            record,
            not_now: Vec::new(),
        })
    }

    /// What whoever approves has to know before, and what should be settled first.
    fn before_approval(&self) -> Option<Choice> {
        let mut troubles = self.work.troubles.iter();
        if !troubles.any(|trouble| trouble.hazard == super::Hazard::Paused) {
            return None;
        }
        let mut gates = self.work.gates.iter();
        let is_done = |id: &String| {
            let item = self.work.item(id);
            item.is_some_and(|item| item.state == State::Done)
        };
        let unsteady = gates.find(|gate| {
            let is_due = is_unproven(gate.proof) && gate.about.iter().any(is_done);
            gate.run.is_some() && (is_unsteady(gate) || is_due)
        });
        let forgotten = self.around.forgotten.first();
        unsteady
            .map(|gate| self.gate_step(gate))
            .or_else(|| forgotten.map(|report| self.check_report(report)))
    }

    fn deferred_in_the_way(&self) -> Option<&'c Item> {
        let needed = waited_for(self.work);
        let items = self.work.items.iter();
        let mut deferred = items.filter(|item| item.state == State::Deferred);
        deferred.find(|item| needed.contains(item.id.as_str()))
    }

    fn unblock(&self, blocker: &Blocker) -> Choice {
        let about = match blocker.about.as_slice() {
            [] => String::new(),
            about => format!(" ({})", about.join(", ")),
        };
        Choice {
            action: match &blocker.action {
                Some(action) => action.clone(),
                None => format!("Resolve what blocks{about}: {}.", quote(&blocker.text)),
            },
            ids: match blocker.hazard {
                super::Hazard::Stopped if self.work.unit != Unit::Phases => blocker.about.clone(),
                _ => Vec::new(),
            },
            record: blocker.record.clone(),
            ..Choice::default()
        }
    }

    /// Adds what waits for others, after what was already ruled out.
    fn add_waiting(&self, not_now: &mut Vec<(String, String)>, chosen: &[String]) {
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

/// A commit of somebody else that takes back something that is done.
pub(super) fn taken_back<'c>(
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

fn first_mention(item: &Item, said: &str) -> usize {
    let of = |word: &str| said.find(word).unwrap_or(usize::MAX);
    let task = item.task.as_deref().map_or(usize::MAX, of);
    of(&item.id).min(task)
}

fn held_up(held: &HeldUp) -> Choice {
    Choice {
        action: format!("{}.", held.action),
        details: held.details.clone(),
        record: held.record.clone(),
        ..Choice::default()
    }
}

/// The items that open ones wait for.
pub(super) fn waited_for(work: &Work) -> HashSet<&str> {
    let needs = work.open().flat_map(|item| &item.needs);
    needs.map(String::as_str).collect()
}

/// Whether a gate has not been shown to pass.
pub(super) fn is_unproven(proof: Proof) -> bool {
    matches!(
        proof,
        Proof::Claimed
            | Proof::ClaimedElsewhere
            | Proof::Missing
            | Proof::Failed
            | Proof::Interrupted
    )
}

/// Whether a gate passed on content on which it had failed.
fn is_unsteady(gate: &GateFact) -> bool {
    gate.failed_before > 0 && !is_unproven(gate.proof)
}

/// What is known about a gate, as the end of a sentence about it.
pub(super) fn gate_in_words(gate: &GateFact) -> &'static str {
    match gate.proof {
        Proof::Proven | Proof::NotChecked if gate.failed_before > 0 => {
            "passed, but failed before on the same content"
        }
        Proof::Proven => "ran on this content and passed",
        Proof::NotChecked => "passed, on content that was not compared",
        Proof::Claimed => "is only claimed to have passed",
        Proof::ClaimedElsewhere => "is only claimed, in a file that was not written here",
        Proof::OlderContent => "ran on older content (stale)",
        Proof::Missing => "was never run",
        Proof::Running => "is running",
        Proof::Interrupted => "was interrupted",
        Proof::Failed => "failed",
    }
}

#[cfg(test)]
mod tests;
