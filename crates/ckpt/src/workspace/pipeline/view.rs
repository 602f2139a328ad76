//! A pipeline that was read, with its specification.

use std::path::Path;

use super::super::Loaded;
use crate::document::{Document, Node};
use crate::key::PipelineId;
use crate::pipeline::{Pipeline, Readiness, Spec, schedule};

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

/// The specification of a pipeline, as far as it is known.
#[derive(Debug, Clone)]
pub enum SpecState {
    /// It was read.
    Read {
        /// Its path, relative to the root.
        path: String,
        /// Its content.
        spec: Box<Spec>,
        /// Whether it changed since it was accepted.
        moved: bool,
        /// Whether it was accepted here. If it came with a clone, nobody here has reviewed the commands it names.
        accepted: bool,
    },
    /// It cannot be read.
    Unusable {
        /// Why it cannot be read.
        reason: String,
    },
    /// The checkpoint does not name a specification, and none was found.
    Unknown {
        /// Why none was found.
        reason: String,
    },
}

impl SpecState {
    /// The specification, if it can be read.
    #[must_use]
    pub fn spec(&self) -> Option<&Spec> {
        match self {
            Self::Read { spec, .. } => Some(spec),
            Self::Unusable { .. } | Self::Unknown { .. } => None,
        }
    }

    /// Why there is none.
    #[must_use]
    pub fn trouble(&self) -> Option<&str> {
        match self {
            Self::Read { .. } => None,
            Self::Unusable { reason } | Self::Unknown { reason } => Some(reason),
        }
    }

    /// Whether it was accepted here in its current form.
    #[must_use]
    pub fn is_accepted(&self) -> bool {
        matches!(
            self,
            Self::Read {
                moved: false,
                accepted: true,
                ..
            }
        )
    }

    /// Whether it changed since it was accepted.
    #[must_use]
    pub fn has_moved(&self) -> bool {
        matches!(self, Self::Read { moved: true, .. })
    }
}

impl PipelineView {
    /// A pipeline from any file, without its specification: the base of its relative paths is known only for stored
    /// pipelines.
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
            spec: SpecState::Unknown {
                reason: "the file is not a checkpoint of this repository".to_owned(),
            },
        }
    }

    /// The checkpoint.
    #[must_use]
    pub fn pipeline(&self) -> Pipeline<Node<'_>> {
        Pipeline::new(self.loaded.document.root())
    }

    /// What each workstream can do now. Without a specification nothing can start: nobody knows what depends on what.
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
        let unknown = Readiness::WaitsFor(vec!["its specification, which is not known".to_owned()]);
        let all = [
            all(buckets.completed, Readiness::Done),
            all(buckets.in_progress, Readiness::Running),
            all(buckets.pending, unknown),
            all(buckets.dormant, Readiness::Dormant),
        ];
        all.concat()
    }

    /// Keeps workstreams from starting while the review objects.
    fn held_back(&self, mut schedule: Vec<(String, Readiness)>) -> Vec<(String, Readiness)> {
        let review = self.pipeline().review();
        if let Some(objection) = review.and_then(|review| review.objection()) {
            let waits = format!("the review, which says {objection}");
            for (_, readiness) in &mut schedule {
                if *readiness == Readiness::Ready {
                    *readiness = Readiness::WaitsFor(vec![waits.clone()]);
                }
            }
        }
        schedule
    }
}
