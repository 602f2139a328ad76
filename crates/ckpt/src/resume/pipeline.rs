//! The brief of a pipeline.

use std::borrow::Cow;

use super::brief::{Brief, PhaseNote, Unit};
use crate::command::ResumePoint;
use crate::document::Node;
use crate::key::Key;
use crate::pipeline::{Pipeline, Readiness, Review, Status};
use crate::repository::Head;
use crate::standing::{Lifecycle, Progress};
use crate::voice::{names, suggested};

/// The input for a pipeline's brief.
#[derive(Debug, Clone)]
pub struct PipelineStanding<'p> {
    /// Its key.
    pub key: Key,
    /// Its checkpoint.
    pub pipeline: Pipeline<Node<'p>>,
    /// What its workstreams can do now.
    pub schedule: &'p [(String, Readiness)],
    /// Whether its specification changed since it was accepted.
    pub spec_moved: bool,
}

impl PipelineStanding<'_> {
    /// How many workstreams are complete.
    #[must_use]
    pub fn progress(&self) -> Progress {
        let buckets = self.pipeline.buckets();
        let done = buckets.completed.len();
        Progress {
            done,
            total: done + buckets.in_progress.len() + buckets.pending.len(),
        }
    }

    /// Whether anything is left to do.
    #[must_use]
    pub fn lifecycle(&self) -> Lifecycle {
        match self.pipeline.status() {
            Status::Complete => Lifecycle::Complete,
            _ => Lifecycle::InFlight,
        }
    }

    /// Whether it has failed.
    #[must_use]
    pub fn is_failed(&self) -> bool {
        self.pipeline.status() == Status::Failed
    }

    fn ready(&self) -> Vec<&str> {
        let ready = self.schedule.iter();
        let ready = ready.filter(|(_, readiness)| *readiness == Readiness::Ready);
        ready.map(|(name, _)| name.as_str()).collect()
    }

    fn next(&self) -> String {
        let id = suggested(&self.key.short());
        let buckets = self.pipeline.buckets();
        let ready = names(&self.ready());
        match self.pipeline.status() {
            Status::Complete => "nothing: it is complete".to_owned(),
            Status::Failed => format!("fix the failure, then: ckpt pipeline fixed {id}"),
            _ if self.pipeline.review().is_some_and(|review| review.blocks()) => {
                format!("fix what the review found, then: ckpt pipeline review {id} VERDICT")
            }
            _ if !buckets.in_progress.is_empty() => {
                let running = names(&buckets.in_progress);
                match ready.is_empty() {
                    true => format!("finish {running}"),
                    false => format!("finish {running}; can start: {ready}"),
                }
            }
            _ if !ready.is_empty() => format!("start {ready}"),
            _ if buckets.pending.is_empty() => match self.pipeline.gates_pending().as_slice() {
                [] => format!("all workstreams are done; finish with: ckpt pipeline complete {id}"),
                gates => format!("run the remaining gates: {}", names(gates)),
            },
            _ => format!("see what the workstreams wait for: ckpt pipeline show {id}"),
        }
    }

    /// The current state of the pipeline, in brief.
    #[must_use]
    pub fn brief(&self, head: &Head) -> Brief {
        let pipeline = self.pipeline;
        let buckets = pipeline.buckets();
        let failed = pipeline.error().filter(|_| self.is_failed());
        let failed = failed.map(|(workstream, message)| PhaseNote {
            phase: workstream
                .filter(|name| !name.is_empty())
                .map_or_else(|| "pipeline".to_owned(), Cow::into_owned),
            note: Some(match pipeline.error_place() {
                Some(place) => format!("{message} ({place})"),
                None => message.into_owned(),
            }),
        });
        let review = pipeline.review().filter(Review::blocks);
        let blockers = review.map(|review| {
            format!(
                "the review says do_not_ship, with {} P0 findings",
                review.p0
            )
        });
        let mut pending = buckets.pending;
        pending.extend(
            pipeline
                .gates_pending()
                .iter()
                .map(|gate| format!("gate {gate}")),
        );
        Brief {
            unit: Unit::Workstreams,
            lifecycle: self.lifecycle(),
            trouble: self.spec_moved.then(|| {
                format!(
                    "the specification has changed; update the pipeline with: ckpt pipeline sync {}",
                    suggested(&self.key.short())
                )
            }),
            progress: self.progress(),
            resume_point: ResumePoint {
                phase: Some(pipeline.status().to_string()),
                summary: None,
            },
            task: None,
            current_summary: None,
            next: self.next(),
            done: buckets.completed,
            pending,
            also_in_progress: buckets.in_progress,
            claimed: Vec::new(),
            unproven: Vec::new(),
            died: Vec::new(),
            failed: failed.into_iter().collect(),
            blockers: blockers.into_iter().collect(),
            decisions: Vec::new(),
            notes: None,
            gate_override: None,
            gates: Vec::new(),
            updated_at: pipeline.time().map(Cow::into_owned),
            stale: None,
            branch: head.branch.clone(),
            drift: None,
            files: Vec::new(),
            key: self.key.clone(),
        }
    }
}
