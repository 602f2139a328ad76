//! Reading pipelines, one at a time or as a list.

use std::borrow::Cow;

use super::super::error::Purpose;
use super::super::facts::Ground;
use super::super::handoff::ReplyPlace;
use super::super::kind::Kind;
use super::super::listing::{Listing, Summary};
use super::super::{Workspace, WorkspaceError};
use super::PipelineView;
use crate::document::{Kind as Shape, Node, Object, Value};
use crate::facts::{LostAgent, PipelineInput, Work, lost_in, work_of_pipeline};
use crate::finding::Finding;
use crate::gate::{self, ContentState, GateName, RunningGate};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::{KeyError, PipelineId};
use crate::operation::Refusal;
use crate::pipeline::{self, Failure, GateStanding, Pipeline, Readiness, Status};
use crate::process::Ending;
use crate::sub_agents::{Helper, at_work};

/// A pipeline that was read.
pub(in crate::workspace) struct PipelineReading<'w> {
    workspace: &'w Workspace,
    view: PipelineView,
}

impl<'w> PipelineReading<'w> {
    pub(in crate::workspace) fn new(
        workspace: &'w Workspace,
        id: &PipelineId,
    ) -> Result<Self, WorkspaceError> {
        let view = workspace.pipeline(id).view()?;
        Ok(Self { workspace, view })
    }

    pub(in crate::workspace) fn view(&self) -> &PipelineView {
        &self.view
    }
}

impl PipelineReading<'_> {
    /// The whole tree if it has replies or sub-agents, else nothing.
    fn agents(&self) -> Value {
        let document = &self.view.loaded.document;
        let has = |name: &str| document.root().get(name).is_some();
        match has("agents") || has("handoffs") {
            true => document.value(),
            false => Value::Null,
        }
    }
}

impl Kind for PipelineReading<'_> {
    fn findings(&self) -> Result<Vec<Finding>, WorkspaceError> {
        let pipeline = self.workspace.pipeline(&self.view.id);
        Ok(pipeline.findings(&self.view))
    }

    fn work(&self, ground: &Ground<'_>) -> Result<Work, WorkspaceError> {
        let view = &self.view;
        let schedule = view.schedule();
        let running = schedule.iter();
        let running = running.filter(|(_, readiness)| *readiness == Readiness::Running);
        let renamed = running.filter_map(|(name, _)| {
            let started = ground.trace.started_as(name)?.to_owned();
            let known = view.spec.spec()?.workstream(name);
            let is_same = known.is_none_or(|known| known.name.as_ref() == Some(&started));
            (!is_same && !ground.trace.is_acknowledged(name)).then(|| (name.clone(), started))
        });
        Ok(work_of_pipeline(PipelineInput {
            renamed: renamed.collect(),
            key: &view.loaded.key,
            pipeline: view.pipeline(),
            spec: view.spec.spec(),
            spec_trouble: view.spec.trouble(),
            spec_moved: view.spec.has_moved(),
            schedule: &schedule,
            gates: self.workspace.pipeline_gates(view, ground.content),
            agents: &self.agents(),
            is_approved: !ground.trace.awaits_approval().unwrap_or(true),
        }))
    }

    fn spec_path(&self) -> Option<String> {
        self.view.pipeline().spec_path().map(Cow::into_owned)
    }

    fn depends_on_content(&self) -> bool {
        self.view.loaded.document.root().get("receipts").is_some()
    }

    fn lost_agents(&self) -> Vec<LostAgent> {
        self.agents().as_object().map(lost_in).unwrap_or_default()
    }

    fn helpers(&self, session: &str) -> Vec<Helper> {
        let agents = self.agents();
        let helpers = agents.as_object().map(|root| at_work(root, session));
        helpers.unwrap_or_default()
    }

    fn running_gates(&self) -> Vec<RunningGate> {
        let loaded = &self.view.loaded;
        let about = loaded.key.sealed_name();
        gate::running(loaded.document.root(), self.workspace.trust(&about))
    }

    fn record_gate(
        &self,
        gate: &GateName,
        receipt: &Object,
        ending: Option<&Ending>,
    ) -> Result<(), WorkspaceError> {
        let id = &self.view.id;
        let pipeline = self.workspace.pipeline(id);
        let spec = self.view.spec.spec();
        pipeline.change_by("gate run", spec, |value, spec, stamp| {
            let receipt = receipt.clone();
            match ending {
                None | Some(Ending::Interrupted) => {
                    pipeline::record_receipt(value, id, spec, gate, receipt, stamp)
                }
                Some(ending) if ending.passed() => {
                    pipeline::pass_gate(value, id, spec, gate, receipt, stamp)
                }
                Some(ending) => {
                    let message = format!("gate {} failed: {}", gate.entry(), ending.in_words());
                    let failure = Failure {
                        message,
                        ..Failure::default()
                    };
                    pipeline::fail_gate(value, id, spec, gate, &failure, receipt, stamp)
                }
            }
        })?;
        Ok(())
    }

    fn record_reply(
        &self,
        reply: &Reply,
        _: &ReplyPlace,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let id = &self.view.id;
        let by = &self.workspace.options.by;
        let pipeline = self.workspace.pipeline(id);
        let outcome = pipeline.change("handoff reply", |value, spec, stamp| {
            pipeline::record_reply(value, id, spec, reply, by, stamp)
        })?;
        Ok(outcome.revision)
    }
}

/// The id of the pipeline in a file. It must lead to this file, so the document's own id counts only if it matches the
/// file name.
fn id_of_file(stem: &str, pipeline: Pipeline<Node<'_>>) -> Result<PipelineId, KeyError> {
    let id = pipeline.id().and_then(|id| PipelineId::new(&id).ok());
    let id = id.filter(|id| id.stem() == stem);
    id.map_or_else(|| PipelineId::new(stem), Ok)
}

impl Workspace {
    /// The names of all pipelines: those of their files, and every id that they declare.
    pub(in crate::workspace) fn pipeline_names(
        &self,
    ) -> Result<Vec<(String, PipelineId)>, WorkspaceError> {
        let mut names = Vec::new();
        let directory = self.layout.pipelines_directory();
        let visited = self.store.visit(&directory, |stem, document| {
            let Ok(document) = document else {
                names.extend(PipelineId::new(stem).ok().map(|id| (stem.to_owned(), id)));
                return;
            };
            let pipeline = Pipeline::new(document.root());
            if let Ok(id) = id_of_file(stem, pipeline) {
                let declared = pipeline.ids().map(|name| (name.into_owned(), id.clone()));
                names.extend(declared);
                names.push((stem.to_owned(), id));
            }
        });
        visited.map_err(|error| Purpose::Load.failed(error))?;
        Ok(names)
    }

    pub(in crate::workspace) fn list_pipelines(
        &self,
        content: &ContentState,
        listing: &mut Listing,
    ) -> Result<(), WorkspaceError> {
        let directory = self.layout.pipelines_directory();
        let visited = self.store.visit(&directory, |stem, document| {
            let mut problem = |error: WorkspaceError| listing.problem(stem, error);
            let document = match document {
                Ok(document) => document,
                Err(error) => return problem(Purpose::Load.failed(error)),
            };
            if document.root().kind() != Shape::Object {
                return problem(Refusal::NotAnObject.into());
            }
            match id_of_file(stem, Pipeline::new(document.root())) {
                Ok(id) => {
                    let view = self.pipeline(&id).view_of(document.clone());
                    listing
                        .summaries
                        .push(self.summarise_pipeline(&view, content));
                }
                Err(error) => problem(error.into()),
            }
        });
        visited.map_err(|error| Purpose::Load.failed(error))
    }

    pub(in crate::workspace) fn summarise_pipeline(
        &self,
        view: &PipelineView,
        content: &ContentState,
    ) -> Summary {
        let pipeline = view.pipeline();
        let is_failed = pipeline.status() == Status::Failed;
        let failed = pipeline.error().filter(|_| is_failed);
        let running = pipeline.buckets().in_progress;
        let gates = self.gates_of(view, content);
        Summary {
            key: (&view.id).into(),
            lifecycle: pipeline.lifecycle(),
            progress: pipeline.progress(),
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
            gates: gates.iter().map(GateStanding::named).collect(),
            ship: None,
            trouble: None,
            dormant_on: None,
        }
    }
}
