//! Running a gate, and recording what came of it.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::super::change::Present;
use super::super::error::Purpose;
use super::super::{Loaded, PipelineView, Workspace, WorkspaceError};
use super::check::spec_of;
use crate::command;
use crate::document::Object;
use crate::gate::{self, Begun};
use crate::key::{Key, PipelineId};
use crate::pipeline::{self, Failure, Passing, Refusal, Spec};
use crate::process::{self, Ending, ProcessMark, RunRequest, RunResult};
use crate::seal::Domain;

/// A gate that is to be run.
#[derive(Debug, Clone, Copy)]
pub struct GateRun<'r> {
    /// Which.
    pub gate: Gate<'r>,
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// Set by whoever wants it to end.
    pub stop: &'r AtomicBool,
}

/// Which gate is run.
#[derive(Debug, Clone, Copy)]
pub enum Gate<'r> {
    /// A command, as a gate of any checkpoint.
    Command {
        /// The checkpoint.
        key: &'r Key,
        /// What the gate is called.
        name: &'r str,
        /// The command, for the shell.
        command: &'r str,
    },
    /// A gate that the specification of a pipeline has a command for.
    Specified {
        /// The pipeline.
        id: &'r PipelineId,
        /// The gate, and for which workstream.
        passing: &'r Passing,
        /// What allows its command to be run.
        consent: Consent,
    },
}

impl Gate<'_> {
    /// What the checkpoint calls it: `name (WS1)`, or the name alone.
    #[must_use]
    pub fn entry(&self) -> String {
        match self {
            Self::Command { name, .. } => (*name).to_owned(),
            Self::Specified { passing, .. } => passing.entry(),
        }
    }
}

/// What allows the command of a gate to be run that a specification names: a specification can come with a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The specification was taken over here, as it is now.
    TakenOver,
    /// Whoever asks for it has looked at it.
    Given,
}

/// What running a gate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateResult {
    /// How it ended.
    pub run: RunResult,
    /// Whether it left other content than it found. It proves nothing about that.
    pub changed_files: bool,
}

/// A gate with all that it takes to run and record it, read once.
struct Prepared {
    key: Key,
    entry: String,
    commands: Vec<String>,
    source: Source,
}

/// The checkpoint that a gate belongs to.
enum Source {
    Pipeline {
        view: PipelineView,
        passing: Passing,
    },
    Other(Option<Loaded>),
}

impl Source {
    fn loaded(&self) -> Option<&Loaded> {
        match self {
            Self::Pipeline { view, .. } => Some(&view.loaded),
            Self::Other(loaded) => loaded.as_ref(),
        }
    }
}

impl Workspace {
    /// Runs a gate between two changes: that it runs, and what came of it. No lock is held while it does.
    pub fn run_gate(
        &self,
        request: &GateRun<'_>,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<GateResult, WorkspaceError> {
        let gate = self.prepare(request.gate)?;
        self.end_leftovers(&gate);
        let before = self.content_state()?;
        let run = process::fresh_run_name();
        let begun = self.sealed(
            &gate,
            gate::begun(Begun {
                commands: &gate.commands,
                content: &before,
                now: self.now(),
                by: &self.options.by,
                process: &ProcessMark::current(),
                run: &run,
            }),
        );
        self.record_gate(&gate, &begun, None)?;
        let request = RunRequest {
            commands: &gate.commands,
            name: &run,
            directory: self.repository.root(),
            time_limit: request.time_limit,
            stop: request.stop,
        };
        let run = process::run(&request, print);
        // A tree that cannot be looked at afterwards must not cost what came of the run.
        let after = self.content_state();
        let after = after.unwrap_or_else(|_| self.content_at_a_glance());
        let ended = self.sealed(&gate, gate::ended(begun, &run, &after));
        self.record_gate(&gate, &ended, Some(&run.ending))?;
        Ok(GateResult {
            changed_files: after.digest != before.digest,
            run,
        })
    }

    /// Reads what a gate belongs to, and finds its commands.
    fn prepare(&self, gate: Gate<'_>) -> Result<Prepared, WorkspaceError> {
        let (key, name, command) = match gate {
            Gate::Specified {
                id,
                passing,
                consent,
            } => {
                let view = self.pipeline(id).view()?;
                let commands = commands_of(&view, passing)?;
                if consent == Consent::TakenOver && !view.spec.is_taken_over() {
                    let (id, moved) = (id.to_string(), view.spec.has_moved());
                    return Err(Refusal::NotTakenOver { id, moved }.into());
                }
                return Ok(Prepared {
                    key: id.into(),
                    entry: passing.entry(),
                    commands,
                    source: Source::Pipeline {
                        view,
                        passing: passing.clone(),
                    },
                });
            }
            Gate::Command { key, name, command } => (key, name, command),
        };
        let source = match key {
            Key::Pipeline(id) => Source::Pipeline {
                view: self.pipeline(id).view()?,
                passing: Passing {
                    gate: name.to_owned(),
                    workstream: None,
                },
            },
            Key::Command(_) | Key::Plan(_) => Source::Other(self.load(key).ok().flatten()),
        };
        Ok(Prepared {
            key: key.clone(),
            entry: name.to_owned(),
            commands: vec![command.to_owned()],
            source,
        })
    }

    /// Ends what earlier runs of the checkpoint left behind: it could change what this run sees.
    fn end_leftovers(&self, gate: &Prepared) {
        let Some(loaded) = gate.source.loaded() else {
            return;
        };
        let about = gate.key.sealed_name();
        for (run, process) in gate::running(loaded.document.root(), self.trust(&about)) {
            if process.is_of_this_boot() && !process.is_alive() {
                process::end_run(&run);
            }
        }
    }

    fn sealed(&self, gate: &Prepared, mut receipt: Object) -> Object {
        let name = gate::receipt_name(&gate.key.sealed_name(), &gate.entry);
        let seals = self.store.vault().seals_for_writing();
        seals.seal(Domain::Receipt, &name, &mut receipt);
        receipt
    }

    fn record_gate(
        &self,
        gate: &Prepared,
        receipt: &Object,
        ending: Option<&Ending>,
    ) -> Result<(), WorkspaceError> {
        match (&gate.key, &gate.source) {
            (Key::Pipeline(id), Source::Pipeline { view, passing }) => {
                self.record_pipeline_gate(id, view.spec.spec(), passing, receipt, ending)
            }
            (Key::Command(command), _) => {
                self.change(&gate.key, Purpose::Save, "gate run", |present| {
                    let Present { value, stamp, .. } = present;
                    let receipt = (gate.entry.as_str(), receipt.clone());
                    Ok(Some(command::set_receipt(value, command, receipt, &stamp)?))
                })?;
                Ok(())
            }
            (Key::Plan(id), _) => {
                self.plan(id).record_gate(&gate.entry, receipt)?;
                Ok(())
            }
            (Key::Pipeline(_), Source::Other(_)) => Ok(()),
        }
    }

    fn record_pipeline_gate(
        &self,
        id: &PipelineId,
        spec: Option<&Spec>,
        passing: &Passing,
        receipt: &Object,
        ending: Option<&Ending>,
    ) -> Result<(), WorkspaceError> {
        self.pipeline(id)
            .change_by("gate run", spec, |value, spec, stamp| {
                let (id, mark) = (id.as_str(), receipt.clone());
                match ending {
                    None | Some(Ending::Interrupted) => {
                        pipeline::record_receipt(value, id, spec, passing, mark, stamp)
                    }
                    Some(ending) if ending.passed() => {
                        pipeline::pass_gate(value, id, spec, passing, mark, stamp)
                    }
                    Some(ending) => {
                        let message =
                            format!("gate {} failed: {}", passing.entry(), ending.in_words());
                        let failure = Failure {
                            message,
                            ..Failure::default()
                        };
                        pipeline::fail_gate(value, id, spec, passing, &failure, mark, stamp)
                    }
                }
            })?;
        Ok(())
    }
}

/// The commands to run for a gate.
fn commands_of(view: &PipelineView, passing: &Passing) -> Result<Vec<String>, WorkspaceError> {
    let spec = spec_of(view)?;
    if spec.gate(&passing.gate).is_none() {
        let (id, gate) = (view.id.to_string(), passing.gate.clone());
        return Err(Refusal::UnknownGate { id, gate }.into());
    }
    match pipeline::commands(spec, passing) {
        commands if commands.is_empty() => Err(Refusal::NothingToRun(passing.gate.clone()).into()),
        commands => Ok(commands),
    }
}
