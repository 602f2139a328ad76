//! Reading command checkpoints, one at a time or as a list.

use std::borrow::Cow;

use super::super::change::Present;
use super::super::error::Purpose;
use super::super::facts::{Ground, of_receipts};
use super::super::handoff::{Carried, PhaseEnding, ReplyPlace};
use super::super::kind::Kind;
use super::super::listing::{Listing, Summary};
use super::super::{Loaded, Workspace, WorkspaceError};
use crate::command::{self, Checkpoint, Naming, PhaseStatus};
use crate::document::{Document, Node, Object, Value};
use crate::facts::{LostAgent, Work, lost_in, work_of_command};
use crate::finding::Finding;
use crate::gate::{self, ContentState, GateName, RunningGate};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::{CommandKey, Key};
use crate::operation::Refusal;
use crate::process::Ending;
use crate::repository::{Drift, Head};
use crate::store::StoreError;
use crate::sub_agents::{Helper, at_work};
use crate::tokens::Limit;

/// A command checkpoint that was read.
pub(in crate::workspace) struct CommandReading<'w> {
    workspace: &'w Workspace,
    key: CommandKey,
    loaded: Loaded,
}

impl<'w> CommandReading<'w> {
    pub(in crate::workspace) fn new(
        workspace: &'w Workspace,
        key: &CommandKey,
    ) -> Result<Self, WorkspaceError> {
        Ok(Self {
            workspace,
            key: key.clone(),
            loaded: workspace.require(&key.into())?,
        })
    }

    fn root(&self) -> Node<'_> {
        self.loaded.document.root()
    }

    /// The whole tree if it has replies or sub-agents, which few do; else nothing.
    fn agents(&self) -> Value {
        let root = self.root();
        let phases = root.get("phases").map(Node::members).unwrap_or_default();
        let has_replies = phases
            .iter()
            .any(|(_, phase)| phase.get("handoffs").is_some());
        match has_replies || root.get("agents").is_some() {
            true => self.loaded.document.value(),
            false => Value::Null,
        }
    }
}

impl Kind for CommandReading<'_> {
    fn findings(&self) -> Result<Vec<Finding>, WorkspaceError> {
        Ok(self.workspace.judge(&self.loaded.document))
    }

    fn work(&self, ground: &Ground<'_>) -> Result<Work, WorkspaceError> {
        let checkpoint = Checkpoint::new(self.root());
        let about = self.loaded.key.sealed_name();
        let trust = self.workspace.trust(&about);
        let gates = of_receipts(&self.loaded.key, self.root(), ground.content, trust);
        let verdict = checkpoint
            .gate()
            .map(|_| gate::verdict(Some(self.root()), ground.content.digest.as_ref(), trust));
        let approved = checkpoint
            .gate()
            .and_then(|gate| gate.get("content")?.as_str());
        let moved = approved
            .zip(ground.listing)
            .and_then(|(approved, listing)| self.workspace.moved_since(&approved, listing));
        Ok(work_of_command(
            &self.loaded.key,
            checkpoint,
            &self.agents(),
            gates,
            verdict.as_ref(),
            &moved.unwrap_or_default(),
            ground.trace.last_override(),
        ))
    }

    fn depends_on_content(&self) -> bool {
        self.root().get("receipts").is_some() || self.root().get("gate").is_some()
    }

    fn saved_at(&self) -> Option<String> {
        let checkpoint = Checkpoint::new(self.root());
        checkpoint.head_commit().map(Cow::into_owned)
    }

    fn lost_agents(&self) -> Vec<LostAgent> {
        self.agents().as_object().map(lost_in).unwrap_or_default()
    }

    fn helpers(&self, session: &str) -> Vec<Helper> {
        let agents = self.agents();
        let helpers = agents.as_object().map(|root| at_work(root, session));
        helpers.unwrap_or_default()
    }

    fn drift(&self) -> Result<Option<Drift>, WorkspaceError> {
        let checkpoint = Checkpoint::new(self.root());
        let saved = checkpoint.head_commit();
        let Some(saved) = saved.and_then(|saved| saved.parse().ok()) else {
            return Ok(None);
        };
        let repository = self.workspace.repository();
        if !repository.is_git() {
            return Ok(None);
        }
        Ok(Some(repository.drift(&saved, &checkpoint.files())?))
    }

    fn carried(&self, _: Limit) -> Result<Carried, WorkspaceError> {
        let checkpoint = Checkpoint::new(self.root());
        let completed = checkpoint.completed_phases();
        let phase = completed.last().and_then(|name| checkpoint.phase(name));
        let Some(phase) = phase else {
            return Ok(Carried::default());
        };
        let files = phase.files_created().into_iter();
        let files = files.chain(phase.files_modified());
        Ok(Carried {
            summary: phase.summary().map(Cow::into_owned),
            files: files.map(Cow::into_owned).collect(),
        })
    }

    fn running_gates(&self) -> Vec<RunningGate> {
        let about = self.loaded.key.sealed_name();
        gate::running(self.root(), self.workspace.trust(&about))
    }

    fn record_gate(
        &self,
        gate: &GateName,
        receipt: &Object,
        _: Option<&Ending>,
    ) -> Result<(), WorkspaceError> {
        let change = self.workspace.command(&self.key);
        change.change(Purpose::Save, "gate run", |present| {
            let Present { value, stamp, .. } = present;
            let receipt = (gate, receipt.clone());
            let changed = command::set_receipt(value, &self.key, receipt, &stamp)?;
            Ok(Some(changed))
        })?;
        Ok(())
    }

    fn record_reply(
        &self,
        reply: &Reply,
        place: &ReplyPlace,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let options = self.workspace.options();
        let target = command::ReplyTarget {
            phase: place.phase.as_deref(),
            completes: place.ending == PhaseEnding::Completes,
            by: &options.by,
            naming: match &place.phase {
                Some(_) => Naming::Careful,
                None => Naming::Free,
            },
        };
        let limit = options.summary_limit;
        let change = self.workspace.command(&self.key);
        let outcome = change.change(Purpose::UpdatePhase, "handoff reply", |present| {
            let Present { value, stamp, .. } = present;
            let key = &self.key;
            let value = value.ok_or_else(|| Refusal::Missing(key.into()))?;
            let changed = command::record_reply(value, key, reply, &target, &stamp, limit)?;
            Ok(Some(changed))
        })?;
        Ok(outcome.revision)
    }
}

impl Workspace {
    /// The keys of all command checkpoints. Those of damaged ones are told by the names of their files.
    pub(in crate::workspace) fn command_keys(&self) -> Result<Vec<CommandKey>, WorkspaceError> {
        let mut keys = Vec::new();
        let directory = self.layout.state_directory();
        let visited = self.store.visit(&directory, |stem, document| {
            keys.extend(match document.map(Document::root) {
                Ok(root) if Checkpoint::is_one(root) => key_of(stem, Checkpoint::new(root)),
                Ok(_) => None,
                Err(_) => CommandKey::of_file(stem, None, None),
            });
        });
        visited.map_err(|error| Purpose::Load.failed(error))?;
        Ok(keys)
    }

    /// Lists command checkpoints. JSON files of other tools are recognised by their shape and skipped.
    pub(in crate::workspace) fn list_commands(
        &self,
        head: &Head,
        content: &ContentState,
        listing: &mut Listing,
    ) -> Result<(), WorkspaceError> {
        let directory = self.layout.state_directory();
        let visited = self.store.visit(&directory, |stem, document| {
            let unreadable = match document {
                Ok(document) if Checkpoint::is_one(document.root()) => {
                    let root = document.root();
                    match key_of(stem, Checkpoint::new(root)) {
                        Some(key) => {
                            let key = Key::Command(key);
                            let summary = self.summarise_command(key, root, head, content);
                            return listing.summaries.push(summary);
                        }
                        None => StoreError::Unnameable {
                            path: directory.join(stem),
                        },
                    }
                }
                Ok(_) => return,
                Err(error) => error,
            };
            listing.problem(stem, Purpose::Load.failed(unreadable));
        });
        visited.map_err(|error| Purpose::Load.failed(error))
    }

    pub(in crate::workspace) fn summarise_command(
        &self,
        key: Key,
        document: Node<'_>,
        head: &Head,
        content: &ContentState,
    ) -> Summary {
        let checkpoint = Checkpoint::new(document);
        let (gates, ship) = self.judged_against(document, Some(&key), content);
        let statuses = checkpoint.statuses();
        Summary {
            key,
            lifecycle: checkpoint.lifecycle(),
            progress: checkpoint.progress_of(&statuses),
            current_phase: checkpoint.current_phase().map(Cow::into_owned),
            current_task: checkpoint.current_task().map(Cow::into_owned),
            failed_phases: statuses.with(PhaseStatus::Failed),
            updated_at: checkpoint.updated_at().map(Cow::into_owned),
            stale: checkpoint.staleness(head),
            gates,
            ship,
            trouble: checkpoint.newer().map(|newer| newer.to_string()),
            dormant_on: None,
        }
    }
}

/// The key of the checkpoint in a file.
pub(in crate::workspace) fn key_of(
    stem: &str,
    checkpoint: Checkpoint<Node<'_>>,
) -> Option<CommandKey> {
    let (command, feature) = (checkpoint.command(), checkpoint.feature());
    CommandKey::of_file(stem, command.as_deref(), feature.as_deref())
}
