//! Operations on pipelines.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;

use super::change::Present;
use super::error::Purpose;
use super::{Loaded, Outcome, Problem, Summary, Workspace, WorkspaceError};
use crate::disk::lexical;
use crate::document::{Document, Kind, Node, Object, Value};
use crate::finding::{Finding, Severity};
use crate::gate::{self, ContentState, Proof, Trust};
use crate::hash::ContentHash;
use crate::key::{Key, PipelineId};
use crate::operation::{Changed, Stamp};
use crate::pipeline::{
    self, Failure, GateStanding, Mark, NoteEntry, Order, Passing, Pipeline, Readiness, Refusal,
    Review, ReviewRequest, Spec, check, schedule,
};
use crate::resume::{Brief, PipelineStanding};
use crate::seal::Domain;
use crate::store::StoreError;

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

/// What starting a pipeline came to.
#[derive(Debug, Clone)]
pub struct PipelineStarted {
    /// The change; nothing was written when the pipeline was there already.
    pub outcome: Outcome,
    /// Whether a new one begins.
    pub created: bool,
    /// What is odd about the specification.
    pub findings: Vec<Finding>,
}

/// A specification is not longer than this, in bytes.
const LONGEST_SPEC: usize = 2 * 1024 * 1024;

/// A specification that was read.
struct Source {
    /// Its path as it is stored: seen from the root where it lies below it.
    stored: String,
    spec: Spec,
    hash: String,
}

impl Workspace {
    /// Makes the checkpoint of a specification. One that is there stays as it is; a finished one is
    /// refused.
    pub fn init_pipeline(&self, file: &Path) -> Result<PipelineStarted, WorkspaceError> {
        let source = self.read_spec(file)?;
        let findings = check(&source.spec, &source.stored);
        if let Some(error) = findings
            .iter()
            .find(|found| found.severity == Severity::Error)
        {
            let column = error.column.unwrap_or(1);
            let path = format!("{}: line {}, column {column}", source.stored, error.line);
            let message = error.message.clone();
            return Err(Refusal::Graph { path, message }.into());
        }
        let stem = file.file_stem().and_then(|stem| stem.to_str());
        let id = source.spec.id.as_deref().or(stem).unwrap_or_default();
        let id = PipelineId::new(id).map_err(|_| Refusal::Nameless(source.stored.clone()))?;
        let outcome = self.change(
            &Key::from(&id),
            Purpose::Save,
            "pipeline init",
            |Present { value, stamp, .. }| match value {
                Some(value) => {
                    pipeline::check_ownership(&value, id.as_str())?;
                    match is_complete(&value) {
                        true => Err(Refusal::AlreadyComplete(id.to_string()).into()),
                        false => Ok(None),
                    }
                }
                None => {
                    let Source { stored, spec, hash } = &source;
                    let mut changed = pipeline::init(id.as_str(), spec, stored, hash, &stamp);
                    self.take_over(&id, &mut changed.value);
                    Ok(Some(changed))
                }
            },
        )?;
        Ok(PipelineStarted {
            created: outcome.revision.is_some() && !outcome.restored,
            outcome,
            findings,
        })
    }

    /// Reads a pipeline with its specification.
    pub fn pipeline(&self, id: &PipelineId) -> Result<PipelineView, WorkspaceError> {
        let loaded = self.require(&id.into())?;
        let root = loaded.document.root();
        let about = loaded.key.sealed_name();
        let seals = self.store.vault().seals();
        let taken_over = root
            .get("execution_spec")
            .is_some_and(|source| seals.vouches(Domain::Specification, &about, source));
        Ok(PipelineView {
            id: id.clone(),
            spec: self.spec_of(Pipeline::new(root), taken_over),
            loaded,
        })
    }

    fn spec_of(&self, pipeline: Pipeline<Node<'_>>, taken_over: bool) -> SpecState {
        let Some(path) = pipeline.spec_path() else {
            return SpecState::Unknown;
        };
        match self.read_named_spec(&path, taken_over) {
            Ok(source) => SpecState::Read {
                taken_over,
                moved: pipeline.spec_hash().is_some_and(|hash| hash != source.hash),
                path: source.stored,
                spec: Box::new(source.spec),
            },
            Err(error) => SpecState::Unusable {
                reason: error.to_string(),
            },
        }
    }

    /// Reads the specification that a checkpoint names. What came with a clone leads nowhere but below the root, and
    /// through no link; what the user has named before may lie anywhere.
    fn read_named_spec(&self, path: &str, taken_over: bool) -> Result<Source, WorkspaceError> {
        let file = self.repository.root().join(path);
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
        if !Path::new(path).components().all(is_plain) {
            return match taken_over {
                true => self.read_spec(&file),
                false => Err(Refusal::SpecOutside(path.to_owned()).into()),
            };
        }
        self.read_spec_below(&file)
    }

    fn read_spec_below(&self, file: &Path) -> Result<Source, WorkspaceError> {
        match self.store.read(file) {
            Ok(Some(content)) => self.parse_spec(file, &content),
            Ok(None) => Err(Refusal::NoSpec(self.stored(file)).into()),
            Err(error) => Err(Purpose::Load.failed(error)),
        }
    }

    /// Whether the specification that a pipeline names was taken over here.
    fn is_taken_over(&self, key: &Key, source: &Object) -> bool {
        let seals = self.store.vault().seals();
        seals.vouches(Domain::Specification, &key.sealed_name(), source.view())
    }

    /// The path of a specification as it is stored.
    fn stored(&self, file: &Path) -> String {
        let root = self.repository.root();
        let below = |path: &Path| path.strip_prefix(root).ok().map(PathBuf::from);
        let stored = below(file).or_else(|| below(&self.store.disk().resolve(file).ok()?));
        let stored = stored.unwrap_or_else(|| file.to_owned());
        stored.display().to_string()
    }

    /// Reads a specification that the user names, wherever it lies.
    fn read_spec(&self, file: &Path) -> Result<Source, WorkspaceError> {
        let spelled = lexical(file);
        if spelled.starts_with(self.repository.root()) {
            return self.read_spec_below(&spelled);
        }
        let real = self.store.disk().resolve(file);
        let real = real.unwrap_or_else(|_| file.to_owned());
        match self.store.disk().read(&real) {
            Ok(content) => self.parse_spec(file, &content),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Refusal::NoSpec(self.stored(file)).into())
            }
            Err(source) => {
                let error = StoreError::io(crate::store::Action::Read, file, source);
                Err(Purpose::Load.failed(error))
            }
        }
    }

    fn parse_spec(&self, file: &Path, content: &[u8]) -> Result<Source, WorkspaceError> {
        let stored = self.stored(file);
        if content.len() > LONGEST_SPEC {
            return Err(Refusal::SpecTooLarge(stored).into());
        }
        let left = self.spec_values.load(Ordering::Relaxed);
        if left == 0 {
            return Err(Refusal::TooManySpecs(stored).into());
        }
        let spec = Spec::from_bytes(content);
        let values = spec.as_ref().map_or(Spec::MOST_VALUES, Spec::values);
        let left = left.saturating_sub(values);
        self.spec_values.store(left, Ordering::Relaxed);
        let spec = spec.map_err(|error| Refusal::Spec {
            path: stored.clone(),
            error,
        })?;
        Ok(Source {
            stored,
            spec,
            hash: ContentHash::of(content).to_string(),
        })
    }

    /// Runs an operation on a pipeline that must be there.
    pub(super) fn change_pipeline(
        &self,
        id: &PipelineId,
        doing: &str,
        operation: impl Fn(Value, Option<&Spec>, &Stamp) -> Result<Changed, Refusal>,
    ) -> Result<Outcome, WorkspaceError> {
        let key = Key::from(id);
        let doing = format!("pipeline {doing}");
        self.change(
            &key,
            Purpose::Save,
            &doing,
            |Present { value, stamp, .. }| {
                let value = value.ok_or_else(|| WorkspaceError::NotFound(key.clone()))?;
                let spec = self.spec_in(&key, &value);
                Ok(Some(operation(value, spec.as_ref(), &stamp)?))
            },
        )
    }

    /// The same, with a specification that was read already.
    pub(super) fn change_pipeline_by(
        &self,
        id: &PipelineId,
        doing: &str,
        spec: Option<&Spec>,
        operation: impl Fn(Value, Option<&Spec>, &Stamp) -> Result<Changed, Refusal>,
    ) -> Result<Outcome, WorkspaceError> {
        let key = Key::from(id);
        let doing = format!("pipeline {doing}");
        self.change(&key, Purpose::Save, &doing, |present| {
            let value = present.value;
            let value = value.ok_or_else(|| WorkspaceError::NotFound(key.clone()))?;
            Ok(Some(operation(value, spec, &present.stamp)?))
        })
    }

    /// The specification that a tree names, where it can be read.
    fn spec_in(&self, key: &Key, value: &Value) -> Option<Spec> {
        let source = value.as_object()?.get("execution_spec")?;
        let path = source
            .as_str()
            .or_else(|| source.as_object()?.get("path")?.as_str())?;
        let source = source.as_object();
        let taken_over = source.is_some_and(|source| self.is_taken_over(key, source));
        let read = self.read_named_spec(path, taken_over);
        read.ok().map(|source| source.spec)
    }

    /// Starts workstreams.
    pub fn start_workstreams(
        &self,
        id: &PipelineId,
        workstreams: &[String],
        order: Order,
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "start", |value, spec, stamp| {
            pipeline::start(value, id.as_str(), spec, workstreams, order, stamp)
        })
    }

    /// Completes a workstream.
    pub fn complete_workstream(
        &self,
        id: &PipelineId,
        workstream: &str,
        artifacts: &[String],
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "done", |value, spec, stamp| {
            pipeline::done(value, id.as_str(), spec, workstream, artifacts, stamp)
        })
    }

    /// Lets a workstream fail.
    pub fn fail_workstream(
        &self,
        id: &PipelineId,
        workstream: &str,
        failure: &Failure,
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "fail", |value, _, stamp| {
            pipeline::fail(value, id.as_str(), workstream, failure, stamp)
        })
    }

    /// Takes up after a failure.
    pub fn fix_pipeline(&self, id: &PipelineId) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "fixed", |value, _, stamp| {
            pipeline::fixed(value, id.as_str(), stamp)
        })
    }

    /// Takes what was running back, because whoever ran it is gone.
    pub fn restart_pipeline(&self, id: &PipelineId) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "resume", |value, _, stamp| {
            pipeline::restart(value, id.as_str(), stamp)
        })
    }

    /// Puts a workstream off.
    pub fn defer_workstream(
        &self,
        id: &PipelineId,
        workstream: &str,
        reason: &str,
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "defer", |value, spec, stamp| {
            pipeline::defer(value, id.as_str(), spec, workstream, reason, stamp)
        })
    }

    /// Records that somebody says a gate passed.
    pub fn claim_gate(
        &self,
        id: &PipelineId,
        passing: &Passing,
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "gate pass", |value, spec, stamp| {
            let mark = self.claim_of(id, passing, "passed", stamp);
            pipeline::pass_gate(value, id.as_str(), spec, passing, mark, stamp)
        })
    }

    /// Records that somebody says a gate failed.
    pub fn claim_gate_failure(
        &self,
        id: &PipelineId,
        passing: &Passing,
        failure: &Failure,
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "gate fail", |value, spec, stamp| {
            let mark = self.claim_of(id, passing, "failed", stamp);
            pipeline::fail_gate(value, id.as_str(), spec, passing, failure, mark, stamp)
        })
    }

    /// Somebody's word about a gate.
    fn claim_of(&self, id: &PipelineId, passing: &Passing, result: &str, stamp: &Stamp) -> Mark {
        let mut mark = Object::new();
        mark.set("kind", "claim");
        mark.set("result", result);
        mark.set("at", stamp.now);
        mark.set("by", self.options.by.as_str());
        let about = Key::from(id).sealed_name();
        let name = gate::receipt_name(&about, &passing.entry());
        let seals = self.store.vault().seals_for_writing();
        seals.seal(Domain::Receipt, &name, &mut mark);
        mark
    }

    /// Notes that somebody let a pipeline continue.
    pub fn approve_pipeline(&self, id: &PipelineId) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "approve", |value, _, stamp| {
            pipeline::approve(value, id.as_str(), stamp)
        })
    }

    /// Finishes a pipeline.
    pub fn complete_pipeline(&self, id: &PipelineId) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "complete", |value, spec, stamp| {
            pipeline::complete(value, id.as_str(), spec, stamp)
        })
    }

    /// Takes a finished pipeline up again.
    pub fn reopen_pipeline(&self, id: &PipelineId) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "reopen", |value, _, stamp| {
            pipeline::reopen(value, id.as_str(), stamp)
        })
    }

    /// Gives a pipeline up.
    pub fn abort_pipeline(&self, id: &PipelineId, reason: &str) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "abort", |value, _, stamp| {
            pipeline::abort(value, id.as_str(), reason, stamp)
        })
    }

    /// Adds notes about the run of a pipeline.
    pub fn note_pipeline(
        &self,
        id: &PipelineId,
        notes: &[NoteEntry],
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "note", |value, _, stamp| {
            pipeline::note(value, id.as_str(), notes, stamp)
        })
    }

    /// Records the adversarial review of a pipeline.
    pub fn review_pipeline(
        &self,
        id: &PipelineId,
        request: &ReviewRequest,
    ) -> Result<Outcome, WorkspaceError> {
        self.change_pipeline(id, "review", |value, _, stamp| {
            pipeline::review(value, id.as_str(), request, stamp)
        })
    }

    /// Takes over what changed in the specification of a pipeline.
    pub fn sync_pipeline(&self, id: &PipelineId) -> Result<Outcome, WorkspaceError> {
        let key = Key::from(id);
        let loaded = self.require(&key)?;
        let pipeline = Pipeline::new(loaded.document.root());
        let path = pipeline.spec_path();
        let path = path.ok_or_else(|| Refusal::SpecUnknown(id.to_string()))?;
        let known = loaded.document.root().get("execution_spec");
        let seals = self.store.vault().seals();
        let about = key.sealed_name();
        let taken_over =
            known.is_some_and(|known| seals.vouches(Domain::Specification, &about, known));
        let source = self.read_named_spec(&path, taken_over)?;
        self.change_pipeline(id, "sync", |value, _, stamp| {
            let Source { stored, spec, hash } = &source;
            let mut changed = pipeline::sync(value, id.as_str(), spec, stored, hash, stamp)?;
            self.take_over(id, &mut changed.value);
            Ok(changed)
        })
    }

    /// Seals what is known of the specification: whoever asked for this has looked at what its gates run.
    fn take_over(&self, id: &PipelineId, pipeline: &mut Value) {
        let Some(root) = pipeline.as_object_mut() else {
            return;
        };
        let about = Key::from(id).sealed_name();
        let seals = self.store.vault().seals_for_writing();
        let source = root.object_mut("execution_spec");
        seals.seal(Domain::Specification, &about, source);
    }

    /// Everything that is wrong or odd about a pipeline and its specification.
    #[must_use]
    pub fn judge_pipeline(&self, view: &PipelineView) -> Vec<Finding> {
        let spec = view.spec.spec();
        let mut findings = pipeline::judge(&view.loaded.document, spec);
        match &view.spec {
            SpecState::Read { path, spec, .. } => findings.extend(check(spec, path)),
            SpecState::Unusable { reason } => {
                let root = view.loaded.document.root();
                let node = root.get("execution_spec").unwrap_or(root);
                let rule = "pipeline.specification";
                findings.push(Finding::at(node, Severity::Warning, rule, reason.as_str()));
            }
            SpecState::Unknown => {}
        }
        findings
    }

    /// Where a pipeline stands.
    #[must_use]
    pub fn pipeline_brief(&self, view: &PipelineView) -> Brief {
        let standing = PipelineStanding {
            key: view.loaded.key.clone(),
            pipeline: view.pipeline(),
            schedule: &view.schedule(),
            spec_moved: view.spec.has_moved(),
        };
        let gates = self.known_gates(view);
        let gates = gates.iter().filter(|known| known.proof != Proof::Missing);
        let gates = gates.map(GateStanding::named).collect();
        standing.brief(&self.head()).with_gates(gates)
    }

    pub(super) fn list_pipelines(
        &self,
        content: &ContentState,
        summaries: &mut Vec<Summary>,
        problems: &mut Vec<Problem>,
    ) -> Result<(), WorkspaceError> {
        let directory = self.layout.pipelines_directory();
        let visited = self.store.visit(&directory, |stem, document| {
            let mut problem = |error: WorkspaceError| {
                problems.push(Problem {
                    stem: stem.to_owned(),
                    error,
                });
            };
            let document = match document {
                Ok(document) => document,
                Err(error) => return problem(Purpose::Load.failed(error)),
            };
            if document.root().kind() != Kind::Object {
                return problem(Refusal::NotAnObject.into());
            }
            let pipeline = Pipeline::new(document.root());
            let id = pipeline.id().map(Cow::into_owned);
            // The key must lead to the file, whatever the document calls itself.
            let id = id.and_then(|id| PipelineId::new(&id).ok());
            let id = id.filter(|id| id.stem() == stem);
            match id.map_or_else(|| PipelineId::new(stem), Ok) {
                Ok(id) => {
                    let about = Key::from(&id).sealed_name();
                    let trust = self.trust(&about);
                    summaries.push(summarise(&id, pipeline, content, trust));
                }
                Err(error) => problem(error.into()),
            }
        });
        visited.map_err(|error| Purpose::Load.failed(error))
    }
}

fn summarise(
    id: &PipelineId,
    pipeline: Pipeline<Node<'_>>,
    content: &ContentState,
    trust: Trust<'_>,
) -> Summary {
    let standing = PipelineStanding {
        key: id.into(),
        pipeline,
        schedule: &[],
        spec_moved: false,
    };
    let failed = pipeline.error().filter(|_| standing.is_failed());
    let running = pipeline.buckets().in_progress;
    Summary {
        key: id.into(),
        lifecycle: standing.lifecycle(),
        progress: standing.progress(),
        current_phase: Some(pipeline.status().to_string()),
        current_task: (!running.is_empty()).then(|| running.join(", ")),
        failed_phases: failed
            .map(|(workstream, message)| match workstream {
                Some(workstream) if !workstream.is_empty() => workstream.into_owned(),
                _ => message.into_owned(),
            })
            .into_iter()
            .collect(),
        updated_at: pipeline.time().map(Cow::into_owned),
        stale: None,
        gates: pipeline.proofs(content, trust),
        trouble: None,
    }
}

fn is_complete(value: &Value) -> bool {
    Pipeline::new(value.view()).status() == pipeline::Status::Complete
}
