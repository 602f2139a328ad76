//! A pipeline with its specification, as it was read.

use std::path::Path;

use super::super::Loaded;
use crate::document::{Document, Node};
use crate::key::PipelineId;
use crate::pipeline::{Pipeline, Readiness, Review, Spec, schedule};

/// A pipeline with its specification.
#[derive(Debug, Clone)]
pub struct PipelineView {
    /// Its id.
    pub id: PipelineId,
    /// Its checkpoint.
    pub loaded: Loaded,
    /// Its specification.
    pub spec: SpecState,
}

/// What is known of the specification of a pipeline.
#[derive(Debug, Clone)]
pub enum SpecState {
    /// It is there.
    Read {
        /// Where, seen from the root.
        path: String,
        /// What it says.
        spec: Box<Spec>,
        /// Whether it changed since it was taken over.
        moved: bool,
        /// Whether it was taken over here. One that came with a clone names commands that nobody here has looked at.
        taken_over: bool,
    },
    /// It cannot be read.
    Unusable {
        /// Why not.
        reason: String,
    },
    /// The checkpoint does not say where it is.
    Unknown,
}

impl SpecState {
    /// The specification, where it can be read.
    #[must_use]
    pub fn spec(&self) -> Option<&Spec> {
        match self {
            Self::Read { spec, .. } => Some(spec),
            Self::Unusable { .. } | Self::Unknown => None,
        }
    }

    /// Whether it was taken over here, as it is now.
    #[must_use]
    pub fn is_taken_over(&self) -> bool {
        matches!(
            self,
            Self::Read {
                moved: false,
                taken_over: true,
                ..
            }
        )
    }

    /// Whether it changed since it was taken over.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        matches!(self, Self::Read { moved: true, .. })
    }
}

impl PipelineView {
    /// Any file, without its specification: only the store knows what its paths are seen from.
    #[must_use]
    pub fn of_file(path: &Path, document: &Document) -> Self {
        let stem = path.file_stem().unwrap_or_default().to_string_lossy();
        let named = Pipeline::new(document.root()).id();
        let id = PipelineId::new(&named.unwrap_or(stem));
        let id = id.unwrap_or_else(|_| PipelineId::new("pipeline").expect("this is a usable id"));
        Self {
            loaded: Loaded {
                key: (&id).into(),
                path: path.to_owned(),
                document: document.clone(),
            },
            id,
            spec: SpecState::Unknown,
        }
    }

    /// The checkpoint, read in place.
    #[must_use]
    pub fn pipeline(&self) -> Pipeline<Node<'_>> {
        Pipeline::new(self.loaded.document.root())
    }

    /// What each workstream can do now. Without a specification all that is pending can start.
    #[must_use]
    pub fn schedule(&self) -> Vec<(String, Readiness)> {
        let buckets = self.pipeline().buckets();
        if let Some(spec) = self.spec.spec() {
            return self.held_back(schedule(spec, &buckets));
        }
        let all = |names: Vec<String>, readiness: Readiness| {
            names
                .into_iter()
                .map(move |name| (name, readiness.clone()))
                .collect::<Vec<_>>()
        };
        let all = [
            all(buckets.completed, Readiness::Done),
            all(buckets.in_progress, Readiness::Running),
            all(buckets.pending, Readiness::Ready),
            all(buckets.dormant, Readiness::Dormant),
        ];
        self.held_back(all.concat())
    }

    /// A schedule in which nothing can start while the review forbids it.
    fn held_back(&self, mut schedule: Vec<(String, Readiness)>) -> Vec<(String, Readiness)> {
        if let Some(review) = self.pipeline().review().filter(Review::blocks) {
            let waits = format!("the review, which has {} P0 findings", review.p0);
            for (_, readiness) in &mut schedule {
                if *readiness == Readiness::Ready {
                    *readiness = Readiness::WaitsFor(vec![waits.clone()]);
                }
            }
        }
        schedule
    }
}
