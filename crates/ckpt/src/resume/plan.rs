//! The brief of a plan.

use std::collections::{HashMap, HashSet};

use super::brief::{Brief, Unit};
use crate::command::ResumePoint;
use crate::document::{Object, Value};
use crate::key::PlanId;
use crate::plan::{self, Claim, Entry, Outline, Phase, Unparsable};
use crate::repository::Head;
use crate::standing::{Lifecycle, Progress};
use crate::voice::{name, quote, suggested};

/// The input for a plan's brief.
#[derive(Debug, Clone, Copy)]
pub struct PlanStanding<'p> {
    /// The plan.
    pub id: &'p PlanId,
    /// The outline of its Markdown.
    pub outline: &'p Outline,
    /// Its state.
    pub state: &'p Object,
    /// When the state was last written.
    pub last_checkpoint: Option<&'p str>,
    /// Why the Markdown cannot be parsed.
    pub unparsable: Option<Unparsable>,
    /// Whether the state had to be restored.
    pub state_lost: bool,
    /// Who is working on which task.
    pub claims: &'p HashMap<String, Claim>,
    /// The author the brief is for.
    pub by: &'p str,
    /// Their session, if known.
    pub session: Option<&'p str>,
}

impl PlanStanding<'_> {
    /// How many tasks are done.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let tasks = self.outline.tasks();
        let (mut done, mut total) = (0, 0);
        for (_, task) in tasks {
            total += 1;
            done += usize::from(task.done);
        }
        Progress { done, total }
    }

    /// Whether anything is left to do.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        let Progress { done, total } = self.progress();
        // If the plan itself is missing, it is not finished.
        let is_accepted = self
            .outline
            .phases
            .iter()
            .flat_map(|phase| &phase.acceptance)
            .all(|one| one.done);
        let is_all = self.outline.untracked.iter().all(|found| found.done) && is_accepted;
        match done == total && total > 0 && self.unparsable.is_none() && is_all {
            true => Lifecycle::Complete,
            false => Lifecycle::InFlight,
        }
    }

    /// The tasks that can be started, in order: not done, and not claimed by someone else.
    pub fn open_tasks(&self) -> impl Iterator<Item = (&Phase, &Entry)> {
        self.outline.tasks().filter(|(_, task)| {
            let held = self.claims.get(&task.id);
            !task.done && !held.is_some_and(|held| held.live && !held.is_of(self.by, self.session))
        })
    }

    /// The current state of the plan, in brief.
    #[must_use]
    pub fn brief(&self, head: &Head) -> Brief {
        let text = |name: &str| self.state.get(name).and_then(Value::as_str);
        let current = self.outline.tasks().find(|(_, task)| !task.done);
        let current_phase = current.map(|(phase, _)| phase.id.as_str());
        let mut decisions = self.outline.decisions.clone();
        decisions.extend(self.recorded_decisions());
        decisions.reverse();
        Brief {
            key: self.id.into(),
            unit: Unit::Tasks,
            lifecycle: self.lifecycle(),
            trouble: self.trouble(),
            progress: self.progress(),
            resume_point: ResumePoint {
                phase: current_phase.map(str::to_owned),
                summary: None,
            },
            task: current.map(|(_, task)| task.id.clone()),
            current_summary: None,
            next: self.next(),
            done: self.done(),
            pending: self.pending(current_phase),
            also_in_progress: Vec::new(),
            claimed: self.claimed(),
            unproven: self.unproven(),
            died: self.died(),
            failed: Vec::new(),
            blockers: self.outline.blockers.clone(),
            decisions,
            notes: text("sessionNotes").map(|notes| notes.replace('\n', "; ")),
            gate_override: None,
            gates: Vec::new(),
            updated_at: self.last_checkpoint.map(str::to_owned),
            stale: None,
            branch: head.branch.clone(),
            drift: None,
            files: Vec::new(),
        }
    }

    fn trouble(&self) -> Option<String> {
        match (self.unparsable, self.state_lost) {
            (Some(why), false) => Some(format!("{why}; showing the last known state")),
            (Some(why), true) => Some(format!("{why}, and state.json cannot be read either")),
            (None, true) => {
                Some("state.json cannot be read; the next change restores it".to_owned())
            }
            (None, false) => None,
        }
    }

    /// Decisions that are only in the state.
    fn recorded_decisions(&self) -> Vec<String> {
        let in_plan: HashSet<&str> = self.outline.decisions.iter().map(String::as_str).collect();
        let recorded = self.state.get("decisions").and_then(Value::as_array);
        let recorded = recorded.unwrap_or_default().iter();
        let recorded = recorded.filter_map(|entry| entry.as_object()?.get("decision")?.as_str());
        recorded
            .filter(|text| !in_plan.contains(text))
            .map(str::to_owned)
            .collect()
    }

    fn next(&self) -> String {
        if self.unparsable.is_some() {
            return format!(
                "restore the plan with: ckpt plan recover --plan {}",
                suggested(self.id.as_str())
            );
        }
        if let Some((_, task)) = self.open_tasks().next() {
            return match task.text.as_str() {
                "" => format!("task {}", name(&task.id)),
                text => format!("task {}: {}", name(&task.id), quote(text)),
            };
        }
        match (self.lifecycle(), self.progress().total) {
            (Lifecycle::Complete, _) => "nothing: all tasks are done".to_owned(),
            (_, 0) => format!(
                "add ids to its checkboxes with: ckpt plan mark --plan {}",
                suggested(self.id.as_str())
            ),
            _ => "wait: every open task is claimed".to_owned(),
        }
    }

    /// Finished phases by id, and the completed tasks of other phases.
    fn done(&self) -> Vec<String> {
        let mut done = Vec::new();
        for phase in &self.outline.phases {
            if !phase.tasks.is_empty() && phase.tasks.iter().all(|task| task.done) {
                done.push(phase.id.clone());
                continue;
            }
            let tasks = phase.tasks.iter().filter(|task| task.done);
            done.extend(tasks.map(|task| task.id.clone()));
        }
        done
    }

    /// The open tasks of the current phase, then the phases after it.
    fn pending(&self, current: Option<&str>) -> Vec<String> {
        let mut pending = Vec::new();
        for phase in &self.outline.phases {
            let open: Vec<&Entry> = phase.tasks.iter().filter(|task| !task.done).collect();
            if Some(phase.id.as_str()) == current {
                pending.extend(open.iter().map(|task| task.id.clone()));
            } else if !open.is_empty() {
                pending.push(phase.id.clone());
            }
        }
        pending
    }

    /// Tasks that sub-agents claim to have done but that are not ticked in the plan.
    fn unproven(&self) -> Vec<String> {
        let claims = plan::unproven(self.state).into_iter();
        let is_open = |task: &str| self.outline.task(task).is_some_and(|entry| !entry.done);
        claims
            .filter(|(task, _)| is_open(task))
            .map(|(task, by)| format!("{} by {}", name(&task), name(&by)))
            .collect()
    }

    /// What dead sub-agents left, as long as one of their tasks is open and not claimed by another agent.
    fn died(&self) -> Vec<String> {
        let is_open = |task: &&str| self.outline.task(task).is_some_and(|entry| !entry.done);
        plan::remains(self.state)
            .filter(|(_, tasks, _)| tasks.iter().any(is_open))
            .map(|(kind, _, summary)| format!("{}: {}", name(kind), quote(summary)))
            .collect()
    }

    fn claimed(&self) -> Vec<String> {
        let open = self.outline.tasks().filter(|(_, task)| !task.done);
        let held = open.filter_map(|(_, task)| Some((task, self.claims.get(&task.id)?)));
        held.map(|(task, claim)| {
            let lapsed = if claim.live { "" } else { " (lapsed)" };
            format!("{} by {}{lapsed}", name(&task.id), name(&claim.by))
        })
        .collect()
    }
}
