//! Operations on pipelines.

mod display;
mod reading;
mod search;
mod spec;
mod view;

use std::cell::Cell;
use std::path::Path;

use super::change::{Present, no_new_errors};
use super::error::Purpose;
use super::travel::rewritten;
use super::{Loaded, Outcome, Workspace, WorkspaceError};
use crate::document::{Document, Object, Value};
use crate::finding::{Finding, Severity};
use crate::gate::{self, GateName};
use crate::key::{Key, PipelineId};
use crate::operation::{Changed, Refusal as Shared, Stamp, Unfinished};
use crate::pipeline::{
    self, Dependence, Failure, NoteEntry, Order, Pipeline, Refusal, Repair, ReviewRequest, Spec,
    StartTerms, Status, check,
};
use crate::seal::Domain;
use crate::voice::suggested;

pub use display::Wording;
pub(super) use reading::PipelineReading;
pub use view::{PipelineView, SpecState};

use self::spec::{Source, names_of};

/// The result of starting a pipeline.
#[derive(Debug, Clone)]
pub struct PipelineStarted {
    /// The change; nothing was written if the pipeline already existed.
    pub outcome: Outcome,
    /// Whether a new pipeline was created.
    pub created: bool,
    /// Problems found in the specification.
    pub findings: Vec<Finding>,
}

/// One pipeline of a workspace.
#[derive(Debug, Clone, Copy)]
pub struct PipelineCheckpoint<'w> {
    workspace: &'w Workspace,
    id: &'w PipelineId,
}

impl Workspace {
    /// A handle to a pipeline, whether or not it exists.
    #[must_use]
    pub fn pipeline<'w>(&'w self, id: &'w PipelineId) -> PipelineCheckpoint<'w> {
        PipelineCheckpoint {
            workspace: self,
            id,
        }
    }

    /// Creates a pipeline from a specification. An existing pipeline is left unchanged; a finished one is refused.
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
        let asked = id;
        let id = self.declared_elsewhere(&asked)?;
        let id = id.unwrap_or_else(|| asked.clone());
        let outcome = self.change(
            &Key::from(&id),
            Purpose::Save,
            "pipeline init",
            &|Present { value, stamp, .. }| match value {
                Some(value) => {
                    pipeline::check_ownership(&value, &asked)?;
                    match is_complete(&value) {
                        true => Err(Shared::AlreadyComplete((&id).into()).into()),
                        false => Ok(None),
                    }
                }
                None => {
                    let Source { stored, spec, hash } = &source;
                    let mut changed = pipeline::init(&id, spec, stored, hash, &stamp);
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
}

impl PipelineCheckpoint<'_> {
    /// Reads a pipeline and its specification.
    pub fn view(&self) -> Result<PipelineView, WorkspaceError> {
        let loaded = self.workspace.require(&self.id.into())?;
        Ok(self.view_of(loaded.document))
    }

    /// Reads the specification of a pipeline whose document is known, such as an earlier one.
    #[must_use]
    pub fn view_of(&self, document: Document) -> PipelineView {
        let key = Key::from(self.id);
        let about = key.sealed_name();
        let seals = self.workspace.store.vault().seals();
        let root = document.root();
        let accepted = root
            .get("execution_spec")
            .is_some_and(|source| seals.vouches(Domain::Specification, &about, source));
        PipelineView {
            id: self.id.clone(),
            spec: self
                .workspace
                .spec_of(self.id, Pipeline::new(root), accepted),
            loaded: Loaded {
                path: self.workspace.path(&key),
                key,
                document,
            },
        }
    }

    /// Runs an operation on an existing pipeline.
    pub(in crate::workspace) fn change(
        &self,
        doing: &str,
        operation: impl Fn(Value, Option<&Spec>, &Stamp) -> Result<Changed, Refusal>,
    ) -> Result<Outcome, WorkspaceError> {
        let key = Key::from(self.id);
        let doing = format!("pipeline {doing}");
        self.workspace.change(
            &key,
            Purpose::Save,
            &doing,
            &|Present { value, stamp, .. }| {
                let value = value.ok_or_else(|| Shared::Missing(key.clone()))?;
                let source = self.workspace.spec_in(self.id, &value);
                let spec = source.as_ref().map(|source| &source.spec);
                let mut changed = operation(value, spec, &stamp)?;
                if let Some(source) = &source {
                    pipeline::bind(&mut changed.value, &source.stored, &source.hash);
                }
                Ok(Some(changed))
            },
        )
    }

    /// The same, with a specification that was already read.
    pub(in crate::workspace) fn change_by(
        &self,
        doing: &str,
        spec: Option<&Spec>,
        operation: impl Fn(Value, Option<&Spec>, &Stamp) -> Result<Changed, Refusal>,
    ) -> Result<Outcome, WorkspaceError> {
        let key = Key::from(self.id);
        let doing = format!("pipeline {doing}");
        self.workspace
            .change(&key, Purpose::Save, &doing, &|present| {
                let value = present.value;
                let value = value.ok_or_else(|| Shared::Missing(key.clone()))?;
                Ok(Some(operation(value, spec, &present.stamp)?))
            })
    }

    /// Starts workstreams. The first start without an adversarial review is noted in the findings.
    pub fn start(&self, workstreams: &[String], order: Order) -> Result<Outcome, WorkspaceError> {
        let terms = StartTerms {
            order,
            review: self.workspace.options.review,
        };
        let is_first = Cell::new(false);
        let outcome = self.change("start", |value, spec, stamp| {
            let before = Pipeline::new(value.view()).status();
            is_first.set(before == Status::Initialized);
            pipeline::start(value, self.id, spec, workstreams, terms, stamp)
        });
        let mut outcome = match outcome {
            // Say why the specification is not known.
            Err(error @ WorkspaceError::Pipeline(Refusal::SpecUnknown(_))) => {
                return Err(self.known_spec().err().unwrap_or(error));
            }
            outcome => outcome?,
        };
        let root = outcome.document.root();
        if is_first.get() && Pipeline::new(root).review().is_none() {
            let message = format!(
                "{} starts without an adversarial review; record one with: ckpt pipeline review {} VERDICT",
                self.id,
                suggested(self.id.as_str())
            );
            let rule = "pipeline.no-review";
            let finding = Finding::at(root, Severity::Warning, rule, message);
            outcome.findings.push(finding);
        }
        Ok(outcome)
    }

    /// Completes a workstream.
    pub fn done(&self, workstream: &str, artifacts: &[String]) -> Result<Outcome, WorkspaceError> {
        self.change("done", |value, spec, stamp| {
            pipeline::done(value, self.id, spec, workstream, artifacts, stamp)
        })
    }

    /// Marks a workstream as failed.
    pub fn fail(&self, workstream: &str, failure: &Failure) -> Result<Outcome, WorkspaceError> {
        self.change("fail", |value, _, stamp| {
            pipeline::fail(value, self.id, workstream, failure, stamp)
        })
    }

    /// Resumes after a failure.
    pub fn fixed(&self) -> Result<Outcome, WorkspaceError> {
        self.change("fixed", |value, _, stamp| {
            pipeline::fixed(value, self.id, stamp)
        })
    }

    /// Resets running workstreams whose owner is gone.
    pub fn restart(&self) -> Result<Outcome, WorkspaceError> {
        self.change("resume", |value, _, stamp| {
            pipeline::restart(value, self.id, stamp)
        })
    }

    /// Defers a workstream.
    pub fn defer(&self, workstream: &str, reason: &str) -> Result<Outcome, WorkspaceError> {
        self.change("defer", |value, spec, stamp| {
            pipeline::defer(value, self.id, spec, workstream, reason, stamp)
        })
    }

    /// Records a claim that a gate passed.
    pub fn pass_gate(&self, gate: &GateName) -> Result<Outcome, WorkspaceError> {
        self.change("gate pass", |value, spec, stamp| {
            let receipt = self.claim_of(gate, "passed", stamp);
            pipeline::pass_gate(value, self.id, spec, gate, receipt, stamp)
        })
    }

    /// Records a claim that a gate failed.
    pub fn fail_gate(&self, gate: &GateName, failure: &Failure) -> Result<Outcome, WorkspaceError> {
        self.change("gate fail", |value, spec, stamp| {
            let receipt = self.claim_of(gate, "failed", stamp);
            pipeline::fail_gate(value, self.id, spec, gate, failure, receipt, stamp)
        })
    }

    /// The receipt of a claim about a gate.
    fn claim_of(&self, gate: &GateName, result: &str, stamp: &Stamp) -> Object {
        let mut receipt = Object::new();
        receipt.set("kind", "claim");
        receipt.set("result", result);
        receipt.set("at", stamp.now);
        receipt.set("by", self.workspace.options.by.as_str());
        let about = Key::from(self.id).sealed_name();
        let name = gate::receipt_name(&about, &gate.entry());
        let seals = self.workspace.store.vault().seals_for_writing();
        seals.seal(Domain::Receipt, &name, &mut receipt);
        receipt
    }

    /// Records an approval to continue.
    pub fn approve(&self) -> Result<Outcome, WorkspaceError> {
        self.change("approve", |value, _, stamp| {
            pipeline::approve(value, self.id, stamp)
        })
    }

    /// Completes a pipeline.
    pub fn complete(&self, unfinished: Unfinished) -> Result<Outcome, WorkspaceError> {
        self.change("complete", |value, spec, stamp| {
            pipeline::complete(value, self.id, spec, unfinished, stamp)
        })
    }

    /// Reopens a finished pipeline.
    pub fn reopen(&self) -> Result<Outcome, WorkspaceError> {
        self.change("reopen", |value, _, stamp| {
            pipeline::reopen(value, self.id, stamp)
        })
    }

    /// Aborts a pipeline.
    pub fn abort(&self, reason: &str) -> Result<Outcome, WorkspaceError> {
        self.change("abort", |value, _, stamp| {
            pipeline::abort(value, self.id, reason, stamp)
        })
    }

    /// Adds notes about a run of the pipeline.
    pub fn note(&self, notes: &[NoteEntry]) -> Result<Outcome, WorkspaceError> {
        self.change("note", |value, _, stamp| {
            pipeline::note(value, self.id, notes, stamp)
        })
    }

    /// Records the adversarial review of a pipeline.
    pub fn review(&self, request: &ReviewRequest) -> Result<Outcome, WorkspaceError> {
        self.change("review", |value, _, stamp| {
            pipeline::review(value, self.id, request, stamp)
        })
    }

    /// An earlier document, with everything that must not be brought back as it is now, and the findings about it. Refused
    /// where the two do not fit.
    pub(in crate::workspace) fn brought_back(
        &self,
        then: &Document,
        present: &Document,
        stamp: &Stamp,
        repair: Repair,
    ) -> Result<(Document, Vec<Finding>), WorkspaceError> {
        let now = present.value();
        let source = self.workspace.spec_in(self.id, &now);
        let spec = source.as_ref().map(|source| &source.spec);
        let then_value = then.value();
        let next = pipeline::brought_back(&then_value, &now, self.id, spec, stamp, repair)?;
        let next = rewritten(then, &next)?;
        let judge = |document: &Document| pipeline::judge(document, spec);
        let findings = no_new_errors(&judge, Some(present), &next)?;
        Ok((next, findings))
    }

    /// A document from which changes were taken out, with what follows from its workstreams.
    pub(in crate::workspace) fn fitted(
        &self,
        (then, present): (&Document, &Document),
        stamp: &Stamp,
    ) -> Result<Document, WorkspaceError> {
        let value = then.value();
        let source = self.workspace.spec_in(self.id, &value);
        let spec = source.as_ref().map(|source| &source.spec);
        let fitted = pipeline::fitted(value, &present.value(), self.id, spec, stamp)?;
        rewritten(then, &fitted)
    }

    /// The first workstream that would go on although one that it depends on would no longer be done.
    pub(in crate::workspace) fn stranded(
        &self,
        (then, present): (&Document, &Document),
    ) -> Option<Dependence> {
        let value = then.value();
        let source = self.workspace.spec_in(self.id, &value)?;
        pipeline::stranded(&value, &present.value(), &source.spec)
    }

    /// Syncs a pipeline with its changed specification, or with the one that is named here.
    pub fn sync(&self, named: Option<&Path>) -> Result<Outcome, WorkspaceError> {
        let source = match named {
            Some(file) => self.workspace.read_spec(file)?,
            None => self.known_spec()?,
        };
        let loaded = self.workspace.require(&self.id.into())?;
        let names = names_of(self.id, Pipeline::new(loaded.document.root()));
        let other = source.spec.id.as_ref();
        // A fork goes on with the specification of the one that it came from.
        let path = Pipeline::new(loaded.document.root()).spec_path();
        let is_bound = path.as_deref() == Some(source.stored.as_str());
        let is_fork = is_bound && self.workspace.origin(&self.id.into())?.is_some();
        if let Some(other) = other.filter(|other| !names.contains(other) && !is_fork) {
            return Err(Refusal::OtherSpec {
                path: source.stored,
                other: other.clone(),
                id: self.id.to_string(),
            }
            .into());
        }
        self.change("sync", |value, _, stamp| {
            let Source { stored, spec, hash } = &source;
            let mut changed = pipeline::sync(value, self.id, spec, stored, hash, stamp)?;
            self.workspace.take_over(self.id, &mut changed.value);
            Ok(changed)
        })
    }

    /// The specification that the checkpoint names or, if it names none, the one that is found.
    fn known_spec(&self) -> Result<Source, WorkspaceError> {
        let key = Key::from(self.id);
        let loaded = self.workspace.require(&key)?;
        let pipeline = Pipeline::new(loaded.document.root());
        let Some(path) = pipeline.spec_path() else {
            let names = names_of(self.id, pipeline);
            return self.workspace.find_spec(self.id, &names);
        };
        let known = loaded.document.root().get("execution_spec");
        let seals = self.workspace.store.vault().seals();
        let about = key.sealed_name();
        let accepted =
            known.is_some_and(|known| seals.vouches(Domain::Specification, &about, known));
        self.workspace.read_named_spec(&path, accepted)
    }

    /// Problems found in a pipeline and its specification.
    #[must_use]
    pub fn findings(&self, view: &PipelineView) -> Vec<Finding> {
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
            SpecState::Unknown { reason } => {
                let root = view.loaded.document.root();
                let rule = "pipeline.specification";
                findings.push(Finding::at(root, Severity::Warning, rule, reason.as_str()));
            }
        }
        findings
    }
}

fn is_complete(value: &Value) -> bool {
    Pipeline::new(value.view()).status() == pipeline::Status::Complete
}
