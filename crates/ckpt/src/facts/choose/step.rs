//! The step for one thing: an item, a gate, a report, a blocker.

use super::super::Hazard;
use super::super::around::{COMMITS, Commit};
use super::super::command::ships;
use super::super::tell::some;
use super::super::words::{last_words, names};
use super::super::work::{Blocker, GateFact, Item, Remark, Report, STEADY, State, Unit};
use super::{Choice, Chooser, taken_back};
use crate::gate::Proof;
use crate::key::Key;
use crate::voice::{name, names as listed, quote, suggested};

impl<'c> Chooser<'c> {
    /// The step for an item, or the gate that must run before it.
    pub(super) fn step(&self, item: &Item, not_now: &mut Vec<(String, String)>) -> Choice {
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
            _ if item.what == "criterion" => "Check",
            _ => "Start",
        };
        if matches!(item.state, State::Open)
            && let Some(gate) = self.unproven_gate_before(item)
        {
            let why = gate.in_words();
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

    /// An item with its title, task and place.
    pub(super) fn described(&self, item: &Item) -> String {
        let mut text = format!("{} {}", item.what, name(&item.id));
        if let Some(title) = &item.title {
            text += &format!(" {}", quote(title));
        }
        let of = match (&item.group, &self.work.key) {
            (Some(group), Key::Plan(id)) => {
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

    /// Whether somebody reports an open item as done.
    pub(super) fn is_reported(&self, item: &Item) -> bool {
        let mut troubles = self.work.troubles.iter();
        troubles.any(|trouble| trouble.hazard == Hazard::Unticked && trouble.ids.contains(&item.id))
    }

    /// What sub-agents last reported about an item.
    pub(super) fn reports_about(&self, id: &String) -> Vec<String> {
        let reports = self.work.reports.iter().rev();
        let own = reports.filter(|report| report.about.contains(id));
        own.take(2)
            .map(|report| format!("A sub-agent reported: {}", quote(&report.text)))
            .collect()
    }

    /// Every decision, note, blocker or summary that names an item.
    pub(super) fn remarks_about(&self, item: &Item) -> Vec<String> {
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

    pub(super) fn gate_step(&self, gate: &GateFact) -> Choice {
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
        if gate.is_unsteady() {
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
                gate.in_words()
            ),
            ids: vec![gate.gate.clone()],
            details,
            record: gate.run.clone(),
            not_now: Vec::new(),
        }
    }

    pub(super) fn check_report(&self, report: &Report) -> Choice {
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

    pub(super) fn look_at(&self, commit: &Commit, undone: &Item) -> Choice {
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
                Key::Plan(_) => format!("ckpt plan undo {}", suggested(&undone.id)),
                key => format!("ckpt ack {COMMITS} {}", suggested(&key.short())),
            }),
            not_now: Vec::new(),
        }
    }

    /// The step that brings something here that is done in another worktree.
    pub(super) fn bring_here(&self, item: &Item) -> Option<Choice> {
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

    pub(super) fn unblock(&self, blocker: &Blocker) -> Choice {
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
                Hazard::Stopped if self.work.unit != Unit::Phases => blocker.about.clone(),
                _ => Vec::new(),
            },
            record: blocker.record.clone(),
            ..Choice::default()
        }
    }
}
