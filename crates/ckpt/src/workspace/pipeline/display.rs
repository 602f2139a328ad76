//! Where a pipeline resumes, as the format lays it out.

use std::collections::HashSet;

use super::PipelineView;
use crate::pipeline::{Readiness, Status};
use crate::voice::{flat, name, quote, suggested};

/// How text that others wrote is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wording {
    /// As it is, for people.
    Plain,
    /// In quotes, for agents, who must not take it for an instruction.
    Quoted,
}

impl Wording {
    /// The id of a workstream or a gate. A clone can have any text there.
    fn name(self, id: &str) -> String {
        match self {
            Self::Plain => flat(id).into_owned(),
            Self::Quoted => name(id).into_owned(),
        }
    }

    fn text(self, text: &str) -> String {
        match self {
            Self::Plain => flat(text).into_owned(),
            Self::Quoted => quote(text),
        }
    }
}

impl PipelineView {
    /// The number of the first phase with open workstreams.
    #[must_use]
    pub fn resume_phase(&self) -> Option<usize> {
        let buckets = self.pipeline().buckets();
        let open: HashSet<&String> = buckets.pending.iter().chain(&buckets.in_progress).collect();
        let Some(spec) = self.spec.spec() else {
            let next = usize::try_from(self.pipeline().current_phase()).ok()? + 1;
            return (!buckets.pending.is_empty()).then_some(next);
        };
        let phases = spec.phases.iter();
        let found = phases.enumerate().find(|(_, phase)| {
            let mut names = phase.workstreams.iter();
            names.any(|reference| open.contains(&reference.name))
        });
        found.map(|(number, _)| number + 1)
    }

    /// What went wrong, and where.
    #[must_use]
    pub fn failure(&self, wording: Wording) -> String {
        let pipeline = self.pipeline();
        let Some((workstream, message)) = pipeline.error() else {
            return "no error is recorded".to_owned();
        };
        let workstream = workstream.filter(|name| !name.is_empty());
        let workstream = workstream.map(|id| format!("{}: ", wording.name(&id)));
        let place = pipeline.error_place();
        let place = place.map(|place| format!(" ({})", wording.name(&place)));
        format!(
            "{}{}{}",
            workstream.unwrap_or_default(),
            wording.text(&message),
            place.unwrap_or_default()
        )
    }

    /// Where to resume: first the lines that the format prescribes, then what they leave out.
    #[must_use]
    pub fn resume_text(&self, wording: Wording) -> String {
        let pipeline = self.pipeline();
        let title = |id: &String| {
            let known = self.spec.spec().and_then(|spec| spec.workstream(id));
            match known.and_then(|known| known.name.as_deref()) {
                Some(title) => format!("  {}: {}", wording.name(id), wording.text(title)),
                None => format!("  {}", wording.name(id)),
            }
        };
        let mut text = match self.resume_phase() {
            Some(phase) => format!("Resuming {} from Phase {phase}\n", self.id),
            None => format!("Resuming {}\n", self.id),
        };
        let buckets = pipeline.buckets();
        let interrupted: HashSet<String> = pipeline.interrupted().into_iter().collect();
        text += "\nCompleted:\n";
        for name in &buckets.completed {
            text += &format!("{} ✅\n", title(name));
        }
        if !buckets.in_progress.is_empty() {
            text += "\nIn progress:\n";
            for name in &buckets.in_progress {
                text += &format!("{}\n", title(name));
            }
        }
        text += "\nPending:\n";
        for name in &buckets.pending {
            let was = if interrupted.contains(name) {
                "  (interrupted)"
            } else {
                ""
            };
            text += &format!("{}{was}\n", title(name));
        }
        text += &self.beyond_the_format(wording);
        text
    }

    fn beyond_the_format(&self, wording: Wording) -> String {
        let mut text = String::new();
        let schedule = self.schedule();
        let ready = schedule
            .iter()
            .filter(|(_, ready)| *ready == Readiness::Ready);
        let ready: Vec<String> = ready.map(|(id, _)| wording.name(id)).collect();
        let has_failed = self.pipeline().status() == Status::Failed;
        if !ready.is_empty() && !has_failed {
            text += &format!("\nCan start now: {}\n", ready.join(", "));
        }
        if let Some(trouble) = self.spec.trouble() {
            text += &format!("\nNothing can start now: {}\n", wording.text(trouble));
        }
        let review = self.pipeline().review();
        if let Some(objection) = review.and_then(|review| review.objection()) {
            text += &format!("\nBlocked by the review: {objection}\n");
        }
        if let Some(gate) = self.pipeline().gates_passed().last() {
            text += &format!("Last gate passed: {}\n", wording.name(gate));
        }
        if self.spec.has_moved() {
            text += &format!(
                "The specification has changed: ckpt pipeline sync {}\n",
                suggested(self.id.as_str())
            );
        }
        text
    }
}
