//! Running a gate and recording its result.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::super::kind::Kind;
use super::super::pipeline::PipelineReading;
use super::super::{PipelineView, Workspace, WorkspaceError};
use super::check::spec_of;
use crate::document::Object;
use crate::gate::{self, Begun, GateName, RunningGate};
use crate::key::{Key, PipelineId};
use crate::operation::Refusal as Shared;
use crate::pipeline::{self, Refusal};
use crate::process::{self, ProcessMark, RunRequest, RunResult};
use crate::seal::Domain;

/// A gate to run.
#[derive(Debug, Clone, Copy)]
pub struct GateRun<'r> {
    /// The gate.
    pub gate: Gate<'r>,
    /// The time limit.
    pub time_limit: Option<Duration>,
    /// Set this to stop the run.
    pub stop: &'r AtomicBool,
}

/// The gate to run.
#[derive(Debug, Clone, Copy)]
pub enum Gate<'r> {
    /// A shell command as a gate of any checkpoint.
    Command {
        /// The checkpoint.
        key: &'r Key,
        /// The name of the gate.
        name: &'r str,
        /// The shell command.
        command: &'r str,
    },
    /// A gate whose command is in the specification of a pipeline.
    Specified {
        /// The pipeline.
        id: &'r PipelineId,
        /// The gate and its workstream.
        gate: &'r GateName,
        /// What allows its command to run.
        consent: Consent,
    },
}

impl Gate<'_> {
    /// Its name in the checkpoint: `name (WS1)`, or the name alone.
    #[must_use]
    pub fn entry(&self) -> String {
        match self {
            Self::Command { name, .. } => (*name).to_owned(),
            Self::Specified { gate, .. } => gate.entry(),
        }
    }
}

/// What allows a gate's command from a specification to run: a specification can come with a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The specification was accepted here in its current form.
    Accepted,
    /// The caller has reviewed the command.
    Given,
}

/// The result of running a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateResult {
    /// How the run ended.
    pub run: RunResult,
    /// Whether the run changed files. If so, its result does not cover them.
    pub changed_files: bool,
}

/// A gate with everything needed to run and record it, read once.
struct Prepared<'w> {
    key: Key,
    gate: GateName,
    commands: Vec<String>,
    checkpoint: Box<dyn Kind + 'w>,
}

impl Workspace {
    /// Runs a gate between two changes: one records that it is running, the other its result. No lock is held during
    /// the run.
    pub fn run_gate(
        &self,
        request: &GateRun<'_>,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<GateResult, WorkspaceError> {
        let prepared = self.prepare(request.gate)?;
        let Prepared {
            gate,
            commands,
            checkpoint,
            ..
        } = &prepared;
        end_leftovers(&**checkpoint);
        let before = self.content_state()?;
        let run = process::fresh_run_name();
        let begun = gate::begun(Begun {
            commands,
            content: &before,
            now: self.now(),
            by: &self.options.by,
            process: &ProcessMark::current(),
            run: &run,
        });
        let begun = self.sealed_receipt(&prepared.key, gate, begun);
        checkpoint.record_gate(gate, &begun, None)?;
        let request = RunRequest {
            commands,
            name: &run,
            directory: self.repository.root(),
            time_limit: request.time_limit,
            stop: request.stop,
        };
        let run = process::run(&request, print);
        // If the tree cannot be read afterwards, the result of the run must still be recorded.
        let after = self.content_state();
        let after = after.unwrap_or_else(|_| self.content_at_a_glance());
        let ended = gate::ended(begun, &run, &after);
        let ended = self.sealed_receipt(&prepared.key, gate, ended);
        checkpoint.record_gate(gate, &ended, Some(&run.ending))?;
        Ok(GateResult {
            changed_files: after.digest != before.digest,
            run,
        })
    }

    /// Reads the checkpoint of a gate and finds the commands to run.
    fn prepare(&self, gate: Gate<'_>) -> Result<Prepared<'_>, WorkspaceError> {
        Ok(match gate {
            Gate::Specified { id, gate, consent } => {
                let pipeline = PipelineReading::new(self, id)?;
                let commands = commands_of(pipeline.view(), gate)?;
                let spec = &pipeline.view().spec;
                if consent == Consent::Accepted && !spec.is_accepted() {
                    let (id, moved) = (id.to_string(), spec.has_moved());
                    return Err(Refusal::SpecNotAccepted { id, moved }.into());
                }
                Prepared {
                    key: id.into(),
                    gate: gate.clone(),
                    commands,
                    checkpoint: Box::new(pipeline),
                }
            }
            Gate::Command { key, name, command } => {
                if name == gate::PREVIEW {
                    return Err(Shared::GateReserved(name.to_owned()).into());
                }
                Prepared {
                    key: key.clone(),
                    gate: GateName {
                        name: name.to_owned(),
                        workstream: None,
                    },
                    commands: vec![command.to_owned()],
                    checkpoint: self.read(key)?,
                }
            }
        })
    }

    pub(super) fn sealed_receipt(&self, key: &Key, gate: &GateName, mut receipt: Object) -> Object {
        let name = gate::receipt_name(&key.sealed_name(), &gate.entry());
        let seals = self.store.vault().seals_for_writing();
        seals.seal(Domain::Receipt, &name, &mut receipt);
        receipt
    }
}

/// Ends processes left by earlier runs: they could change files during this run.
fn end_leftovers(checkpoint: &dyn Kind) {
    for RunningGate { run, process } in checkpoint.running_gates() {
        if process.is_of_this_boot() && !process.is_alive() {
            process::end_run(&run);
        }
    }
}

/// The commands to run for a gate.
fn commands_of(view: &PipelineView, gate: &GateName) -> Result<Vec<String>, WorkspaceError> {
    let spec = spec_of(view)?;
    if spec.gate(&gate.name).is_none() {
        let (id, gate) = (view.id.to_string(), gate.name.clone());
        return Err(Refusal::UnknownGate { id, gate }.into());
    }
    match pipeline::commands(spec, gate) {
        commands if commands.is_empty() => Err(Refusal::NothingToRun(gate.name.clone()).into()),
        commands => Ok(commands),
    }
}
