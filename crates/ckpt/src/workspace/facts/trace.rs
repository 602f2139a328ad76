//! What the end of a history tells about the work: who did what last, where, and what came back or vanished.

use std::borrow::Cow;
use std::collections::HashSet;

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use crate::document::{Node, Tree, Value};
use crate::facts::STEADY;
use crate::gate::PREVIEW;
use crate::history::{Backward, Event, EventName, FileChange, Line};
use crate::key::Key;
use crate::layout::Place;
use crate::plan::{Outline, UNKNOWN};
use crate::store::FOUND_BY;

/// How many lines are looked at.
const MOST_LINES: usize = 1_000;

/// How much of a history is looked at, in bytes.
const REACH: u64 = 256 * 1024;

/// The end of a history, the newest line first.
#[derive(Debug, Clone, Default)]
pub(in crate::workspace) struct Trace {
    lines: Vec<Step>,
    /// The ids whose last line acknowledges their hazards.
    acknowledged: HashSet<String>,
}

/// One line.
#[derive(Debug, Clone, Default)]
pub(super) struct Step {
    pub(super) at: String,
    pub(super) event: Option<EventName>,
    pub(super) session: Option<String>,
    pub(super) branch: Option<String>,
    pub(super) head: Option<String>,
    number: Option<u64>,
    /// Whether it was found rather than done.
    is_found: bool,
    /// The tasks, phases and workstreams it is about.
    pub(super) ids: Vec<String>,
    /// The files that it changed.
    files: Vec<String>,
    /// The reason it gives.
    reason: Option<String>,
    by: Option<String>,
    /// The commit up to which somebody has seen the commits of others.
    seen: Option<String>,
    /// The gate it is about, as its receipt is named.
    gate: Option<String>,
    /// The content that the gate ran on, and the command.
    content: Option<(String, Option<String>)>,
    /// The title that a workstream had when it was started.
    title: Option<String>,
}

/// When somebody last worked on a checkpoint, and on which branch.
#[derive(Debug)]
pub(in crate::workspace) struct LastWork {
    pub(in crate::workspace) at: String,
    pub(in crate::workspace) branch: Option<String>,
    /// The commit that was checked out.
    pub(in crate::workspace) commit: Option<String>,
}

/// A task that is gone from a plan.
#[derive(Debug)]
pub(in crate::workspace) struct Removed {
    pub(in crate::workspace) id: String,
    /// Whether it was done.
    pub(in crate::workspace) was_done: bool,
    /// The revision in which it vanished.
    pub(in crate::workspace) revision: u64,
}

impl Step {
    fn of(line: &Line) -> Self {
        let text = |text: Option<Cow<'_, str>>| text.map(Cow::into_owned);
        let mut ids = Vec::new();
        let (mut reason, mut seen, mut title) = (None, None, None);
        let (mut gate, mut workstream, mut content) = (None, None, None);
        let mut is_found = matches!(line.by().as_deref(), Some(FOUND_BY | UNKNOWN));
        for (name, value) in line.facts() {
            let text = || value.as_str().map(Cow::into_owned);
            if name == "workstream" {
                workstream = text();
            }
            match name.as_ref() {
                "taskId" | "task" | "phase" | "phaseId" | "workstream" | "criteriaId" => {
                    ids.extend(value.as_str().map(Cow::into_owned));
                }
                "tasks" | "workstreams" | "acknowledged" => {
                    let names = value.items().filter_map(Node::as_str);
                    ids.extend(names.map(Cow::into_owned));
                }
                "reason" => reason = text(),
                "gate" => gate = text(),
                "title" => title = text(),
                "receipt" => {
                    let text = |name: &str| value.text(name).map(Cow::into_owned);
                    // A preview that failed may come later: nothing was run, so a pass is no luck.
                    let is_run = text("kind").as_deref() != Some(PREVIEW);
                    let ran_on = text("content").filter(|_| is_run);
                    content = ran_on.map(|content| (content, text("command")));
                }
                // That a sub-agent was lost is noticed, not done.
                "died" => is_found = true,
                "seen" => seen = text(),
                _ => {}
            }
        }
        let files = line.files().unwrap_or_default();
        Self {
            at: text(line.time()).unwrap_or_default(),
            event: line.event_name(),
            session: text(line.session()),
            branch: text(line.branch()),
            head: text(line.head()),
            number: line.number(),
            reason,
            seen,
            content,
            title,
            gate: gate.map(|gate| match &workstream {
                Some(workstream) => format!("{gate} ({workstream})"),
                None => gate,
            }),
            by: text(line.by()),
            is_found,
            ids,
            files: files
                .into_iter()
                .filter(FileChange::is_change)
                .map(|file| file.name)
                .collect(),
        }
    }

    /// Whether somebody worked, rather than that something was noticed or kept in order.
    pub(super) fn is_work(&self) -> bool {
        use EventName as E;
        !self.is_found
            && !matches!(
                self.event,
                None | Some(
                    E::Adopted
                        | E::Aborted
                        | E::Rebased
                        | E::ExternalEdit
                        | E::Rewound
                        | E::ChecksumMismatch
                        | E::PlanEdited
                        | E::CorruptMovedAside
                        | E::StateSynced
                        | E::BackupCreated
                        | E::NotesReplaced
                        | E::ParseError
                        | E::StateCorrupted
                        | E::FullRecovery
                        | E::ClaimsLapsed
                        | E::SessionCrash
                        | E::SessionRecovered
                        | E::SubagentSeen
                        | E::DecisionNoticed
                        | E::TaskRemoved
                        | E::TaskVanished
                        | E::HazardAcknowledged
                )
            )
    }
}

impl Trace {
    fn new(lines: Vec<Step>) -> Self {
        let mut acknowledged = HashSet::new();
        let is_acknowledgement = |step: &&Step| step.event == Some(EventName::HazardAcknowledged);
        if lines.iter().any(|step| is_acknowledgement(&step)) {
            let mut named: HashSet<&str> = HashSet::new();
            for step in &lines {
                // A gate that runs does not change what it is about.
                if step.gate.is_some() {
                    continue;
                }
                for id in &step.ids {
                    if named.insert(id) && is_acknowledgement(&step) {
                        acknowledged.insert(id.clone());
                    }
                }
            }
        }
        Self {
            lines,
            acknowledged,
        }
    }

    /// The same with edits that were found and that the next change will record.
    pub(in crate::workspace) fn followed_by(&self, events: &[Event]) -> Self {
        let last = self.steps().find_map(|step| step.number).unwrap_or(0);
        let found = events.iter().rev().map(|event| Step {
            event: Some(event.name),
            is_found: true,
            ids: event
                .fields
                .get("taskId")
                .and_then(Value::as_str)
                .into_iter()
                .map(str::to_owned)
                .collect(),
            // One revision for the edit, and one for what follows from it.
            number: Some(last + 2),
            ..Step::default()
        });
        Self::new(found.chain(self.lines.iter().cloned()).collect())
    }

    /// Whether somebody has acknowledged the hazards about an id, and nothing has happened to it since.
    pub(in crate::workspace) fn is_acknowledged(&self, id: &str) -> bool {
        self.acknowledged.contains(id)
    }

    /// Whether the last thing that happened to a task is that somebody took its tick back.
    pub(super) fn is_undone(&self, task: &str) -> bool {
        let mut about = self
            .steps()
            .filter(|step| step.ids.iter().any(|id| id == task));
        about
            .next()
            .is_some_and(|step| step.event == Some(EventName::TaskReopened) && !step.is_found)
    }

    pub(super) fn steps(&self) -> impl Iterator<Item = &Step> {
        self.lines.iter()
    }

    /// The last thing that somebody did.
    pub(super) fn last_work(&self) -> Option<&Step> {
        self.steps().find(|step| step.is_work())
    }

    /// The last commits that were checked out, each once.
    pub(in crate::workspace) fn heads(&self) -> impl Iterator<Item = &str> {
        const MOST: usize = 5;
        let mut seen = HashSet::new();
        let heads = self.steps().filter_map(|step| step.head.as_deref());
        heads.filter(move |head| seen.insert(*head)).take(MOST)
    }

    /// The commit at which somebody last did something.
    pub(super) fn saved_at(&self) -> Option<&str> {
        let last = self.last_work()?;
        let same = self.steps().filter(|step| step.number == last.number);
        let mut heads = same.filter_map(|step| step.head.as_deref());
        heads.next()
    }

    /// The commit up to which the commits of others are known: that of the last work, or of a later acknowledgement.
    pub(super) fn seen_at(&self) -> Option<&str> {
        self.acknowledged_commit().or_else(|| self.saved_at())
    }

    /// The commit up to which commits were acknowledged since the last work.
    fn acknowledged_commit(&self) -> Option<&str> {
        let work = self.lines.iter().position(Step::is_work);
        let later = &self.lines[..work.unwrap_or(self.lines.len())];
        later.iter().find_map(|step| step.seen.as_deref())
    }

    /// Whether somebody else has changed one of these since, or anything if there are none, or has acknowledged one of
    /// them or `own`.
    pub(super) fn is_touched(&self, ids: &[String], own: &str, after: &str, session: &str) -> bool {
        let mut later = self.steps().take_while(|step| step.at.as_str() > after);
        later.any(|step| {
            let names_one = step.ids.iter().any(|id| ids.contains(id));
            match step.event {
                Some(EventName::HazardAcknowledged) => {
                    names_one || step.ids.iter().any(|id| id == own)
                }
                _ => {
                    let is_other = step.session.as_deref() != Some(session);
                    step.is_work() && is_other && (ids.is_empty() || names_one)
                }
            }
        })
    }

    /// How often a gate failed on the very content on which it has passed since, by the name of its receipt. Zero if it
    /// has passed often enough in a row, or if somebody has acknowledged the failures, by the name of the gate.
    pub(super) fn failed_before(&self, receipt: &str, gate: &str) -> usize {
        let runs = self.steps().filter(|step| {
            let is_result = matches!(
                step.event,
                Some(EventName::GatePassed | EventName::GateFailed)
            );
            is_result && step.gate.as_deref() == Some(receipt)
        });
        let mut runs = runs.filter(|step| step.content.is_some()).peekable();
        let content = runs.peek().and_then(|step| step.content.clone());
        let same: Vec<&Step> = runs.take_while(|step| step.content == content).collect();
        let is_pass = |step: &&&Step| step.event == Some(EventName::GatePassed);
        let passes = same.iter().take_while(is_pass).count();
        let failures = same[passes..].iter().filter(|step| !is_pass(step));
        let failures: Vec<&&Step> = failures.collect();
        let acknowledged = self.acknowledged_at(gate);
        let is_open = failures
            .first()
            .is_some_and(|last| acknowledged.is_none_or(|at| at < last.at.as_str()));
        match (1..STEADY).contains(&passes) && is_open {
            true => failures.len(),
            false => 0,
        }
    }

    /// Whether a session worked on one of these in a span of time.
    pub(super) fn has_worked(&self, session: &str, ids: &[String], from: &str, to: &str) -> bool {
        let mut own = self.steps().filter(|step| {
            let is_then = step.at.as_str() > from && step.at.as_str() < to;
            is_then && step.is_work() && step.session.as_deref() == Some(session)
        });
        own.any(|step| step.ids.iter().any(|id| ids.contains(id)))
    }

    /// The title that a workstream had when it was last started.
    pub(in crate::workspace) fn started_as(&self, workstream: &str) -> Option<&str> {
        let mut started = self.steps().filter(|step| {
            step.event == Some(EventName::WorkstreamStarted)
                && step.ids.iter().any(|id| id == workstream)
        });
        started.next()?.title.as_deref()
    }

    /// When the oldest line that was read was written.
    pub(super) fn begun_at(&self) -> Option<&str> {
        self.lines.last().map(|step| step.at.as_str())
    }

    /// When somebody last acknowledged something.
    pub(super) fn acknowledged_at(&self, id: &str) -> Option<&str> {
        let mut acknowledged = self.steps().filter(|step| {
            step.event == Some(EventName::HazardAcknowledged)
                && step.ids.iter().any(|known| known == id)
        });
        acknowledged.next().map(|step| step.at.as_str())
    }

    /// Whether somebody has acknowledged something since the last work.
    pub(super) fn is_acknowledged_since_work(&self, id: &str) -> bool {
        let later = self.steps().take_while(|step| !step.is_work());
        let mut acknowledged =
            later.filter(|step| step.event == Some(EventName::HazardAcknowledged));
        acknowledged.any(|step| step.ids.iter().any(|known| known == id))
    }

    /// What a session changed last and what is still open, according to `is_open`.
    pub(super) fn work_of(&self, session: &str, is_open: impl Fn(&str) -> bool) -> Vec<String> {
        let own = self
            .steps()
            .filter(|step| step.session.as_deref() == Some(session) && step.is_work());
        let open = own.map(|step| {
            let ids = step.ids.iter().filter(|id| is_open(id));
            ids.cloned().collect::<Vec<_>>()
        });
        open.into_iter()
            .find(|ids| !ids.is_empty())
            .unwrap_or_default()
    }

    /// When a session last did something here.
    pub(super) fn last_of(&self, session: &str) -> Option<&str> {
        let mut own = self
            .steps()
            .filter(|step| step.session.as_deref() == Some(session));
        own.next().map(|step| step.at.as_str())
    }

    /// Whether a pipeline waits for an approval; `None` if its history does not say.
    pub(in crate::workspace) fn awaits_approval(&self) -> Option<bool> {
        self.steps().find_map(|step| match step.event? {
            EventName::PipelinePaused => Some(true),
            EventName::PipelineApproved
            | EventName::PipelineFixed
            | EventName::PipelineRestarted
            | EventName::WorkstreamStarted => Some(false),
            _ => None,
        })
    }

    /// An override that somebody gave and that nobody has replaced by an approval since: who, and why.
    pub(in crate::workspace) fn last_override(&self) -> Option<(String, String)> {
        let step = self.steps().find(|step| {
            matches!(
                step.event,
                Some(EventName::GateOverridden | EventName::GateSet)
            )
        })?;
        let reason = step.reason.clone()?;
        let by = step.by.clone().unwrap_or_else(|| "somebody".to_owned());
        (step.event == Some(EventName::GateOverridden)).then_some((by, reason))
    }

    /// Tasks that were done and are open again, although nobody undid them and nobody has touched them since, with the
    /// revision that opened them, or that last had them done.
    ///
    /// If the Markdown is back at earlier content, no line says so. That is as it should be on another branch.
    pub(in crate::workspace) fn reopened(
        &self,
        outline: &Outline,
        branch: Option<&str>,
    ) -> Vec<(String, u64)> {
        let mut settled: HashSet<&str> = HashSet::new();
        let mut reopened = Vec::new();
        let open = outline.tasks().filter(|(_, task)| !task.done);
        let open: HashSet<&str> = open.map(|(_, task)| task.id.as_str()).collect();
        for step in self.steps() {
            for id in &step.ids {
                if !open.contains(id.as_str()) || !settled.insert(id) {
                    continue;
                }
                let is_reopened = match step.event {
                    Some(EventName::TaskReopened) => !self.is_own_edit(step),
                    Some(EventName::TaskCompleted) => step.branch.as_deref() == branch,
                    _ => false,
                };
                if is_reopened {
                    reopened.push((id.clone(), step.number.unwrap_or(0)));
                }
            }
        }
        reopened.reverse();
        reopened
    }

    /// Tasks that are gone from the outline, in the order in which they vanished. Those that somebody has acknowledged
    /// are left out.
    pub(in crate::workspace) fn removed(&self, outline: &Outline) -> Vec<Removed> {
        let mut seen: HashSet<&str> = HashSet::new();
        let removed = self.steps().filter(|step| {
            matches!(
                step.event,
                Some(EventName::TaskRemoved | EventName::TaskVanished)
            )
        });
        let removed = removed.filter(|step| !self.is_own_edit(step));
        let ids = removed.flat_map(|step| step.ids.iter().map(move |id| (id, step)));
        let present: HashSet<&str> = outline.tasks().map(|(_, task)| task.id.as_str()).collect();
        let gone = ids.filter(|(id, _)| {
            !present.contains(id.as_str()) && seen.insert(id.as_str()) && !self.is_acknowledged(id)
        });
        let mut gone: Vec<Removed> = gone
            .map(|(id, step)| Removed {
                id: id.clone(),
                was_done: step.event == Some(EventName::TaskRemoved),
                revision: step.number.unwrap_or(0),
            })
            .collect();
        gone.reverse();
        gone
    }

    /// Whether a change edited the Markdown itself, rather than following an edit.
    fn is_own_edit(&self, step: &Step) -> bool {
        if step.is_found {
            return false;
        }
        let same = self.steps().filter(|other| other.number == step.number);
        let mut files = same.flat_map(|other| other.files.iter());
        files.any(|file| file.ends_with(".md"))
    }
}

impl Workspace {
    /// The end of a history. Only lines that carry our seal count.
    pub(in crate::workspace) fn trace(&self, place: &Place) -> Result<Trace, WorkspaceError> {
        self.trace_within(place, MOST_LINES, REACH)
    }

    /// When somebody last worked on a checkpoint, and on which branch.
    pub(in crate::workspace) fn last_work(&self, key: &Key) -> Option<LastWork> {
        const LINES: usize = 20;
        const BYTES: u64 = 16 * 1024;
        let trace = self
            .trace_within(&self.layout.place(key), LINES, BYTES)
            .ok()?;
        let last = trace.last_work()?;
        Some(LastWork {
            at: last.at.clone(),
            branch: last.branch.clone(),
            commit: trace.saved_at().map(str::to_owned),
        })
    }

    /// The commit up to which commits were acknowledged since the last work on a checkpoint.
    pub(in crate::workspace) fn acknowledged_commit(&self, key: &Key) -> Option<String> {
        let trace = self.trace(&self.layout.place(key)).ok()?;
        trace.acknowledged_commit().map(str::to_owned)
    }

    /// Whether somebody has changed a checkpoint here, by the end of its history.
    pub(in crate::workspace) fn is_known(&self, key: &Key) -> bool {
        const LINES: usize = 20;
        const BYTES: u64 = 64 * 1024;
        let trace = self.trace_within(&self.layout.place(key), LINES, BYTES);
        trace.is_ok_and(|trace| trace.steps().next().is_some())
    }

    /// The commit and branch that were checked out at the last change.
    pub(in crate::workspace) fn last_checkout(
        &self,
        place: &Place,
    ) -> Option<(Option<String>, Option<String>)> {
        let last = self.steps_within(place, MOST_LINES, REACH, |mut steps| {
            steps.find(|step| step.head.is_some())
        });
        let last = last.ok()???;
        Some((last.head, last.branch))
    }

    fn trace_within(
        &self,
        place: &Place,
        most: usize,
        reach: u64,
    ) -> Result<Trace, WorkspaceError> {
        let steps = self.steps_within(place, most, reach, |steps| Trace::new(steps.collect()))?;
        Ok(steps.unwrap_or_default())
    }

    /// What `read` makes of the last steps, the newest first; `None` without a history.
    fn steps_within<T>(
        &self,
        place: &Place,
        most: usize,
        reach: u64,
        read: impl FnOnce(Box<dyn Iterator<Item = Step> + '_>) -> T,
    ) -> Result<Option<T>, WorkspaceError> {
        let load = |error| Purpose::Load.failed(error);
        let Some(history) = self.store.history(place).map_err(load)? else {
            return Ok(None);
        };
        let sealer = place.sealer(self.store.vault().seals());
        let Ok(lines) = Backward::within(&*history, reach) else {
            return Ok(None);
        };
        let lines = lines.map_while(Result::ok).take(most);
        let ours = lines.filter(|line| line.is_vouched(sealer));
        Ok(Some(read(Box::new(ours.map(|line| Step::of(&line))))))
    }
}
