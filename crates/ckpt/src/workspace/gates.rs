//! Running gates, and what is proven of them.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::change::Present;
use super::error::Purpose;
use super::{PipelineView, Workspace, WorkspaceError};
use crate::command;
use crate::document::{Document, Object};
use crate::gate::{self, Ending, GateProof, Ground, Proof, RunRequest, RunResult, shell_word};
use crate::key::{Key, PipelineId};
use crate::pipeline::{self, Failure, Passing, Refusal, Spec, requirements};
use crate::repository::ContentDigest;

/// How a gate is to be run.
#[derive(Debug, Clone, Copy)]
pub struct Running<'r> {
    /// How long it may take.
    pub time_limit: Option<Duration>,
    /// Set by whoever wants it to end.
    pub stop: &'r AtomicBool,
}

/// A gate of a pipeline that is to be run.
#[derive(Debug, Clone, Copy)]
pub struct GateRun<'r> {
    /// The gate, and for which workstream.
    pub passing: &'r Passing,
    /// How to run it.
    pub running: Running<'r>,
}

/// A gate of any checkpoint that is to be run.
#[derive(Debug, Clone, Copy)]
pub struct NamedGate<'r> {
    /// What it is called.
    pub name: &'r str,
    /// Its command, for the shell.
    pub command: &'r str,
    /// How to run it.
    pub running: Running<'r>,
}

/// What is known of a required gate.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct GateStanding {
    /// The gate.
    pub gate: String,
    /// The workstreams that it may pass for.
    pub workstreams: Vec<String>,
    /// What is known.
    pub proof: Proof,
}

/// How closely to look at the content.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Look {
    /// Only at HEAD and the index, which costs next to nothing.
    Outside,
    /// At all of it.
    Content,
}

impl Workspace {
    /// Runs a gate of a pipeline and records what came of it.
    pub fn run_gate(
        &self,
        id: &PipelineId,
        request: &GateRun<'_>,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<RunResult, WorkspaceError> {
        let commands = commands_of(&self.pipeline(id)?, request.passing)?;
        let record = |receipt: &Object, ending: Option<&Ending>| {
            self.record_pipeline_gate(id, request.passing, receipt, ending)
        };
        self.run_recorded(&id.into(), &commands, request.running, print, record)
    }

    /// Runs a command as a gate of any checkpoint and records what came of it.
    pub fn run_named_gate(
        &self,
        key: &Key,
        request: &NamedGate<'_>,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<RunResult, WorkspaceError> {
        let commands = [request.command.to_owned()];
        let name = request.name;
        self.run_recorded(key, &commands, request.running, print, |receipt, ending| {
            let receipt = receipt.clone();
            match key {
                Key::Command(command) => {
                    self.change(key, Purpose::Save, "gate run", |present| {
                        let Present { value, stamp, .. } = present;
                        let receipt = (name, receipt.clone());
                        Ok(Some(command::set_receipt(value, command, receipt, &stamp)?))
                    })?;
                }
                Key::Pipeline(id) => {
                    let passing = Passing {
                        gate: name.to_owned(),
                        workstream: None,
                    };
                    self.record_pipeline_gate(id, &passing, &receipt, ending)?;
                }
                Key::Plan(id) => {
                    self.record_plan_gate(id, name, &receipt)?;
                }
            }
            Ok(())
        })
    }

    /// Runs commands between two changes: that they run, and what came of it. No lock is held while
    /// they do.
    fn run_recorded(
        &self,
        key: &Key,
        commands: &[String],
        running: Running<'_>,
        print: &mut dyn FnMut(&[u8]),
        record: impl Fn(&Object, Option<&Ending>) -> Result<(), WorkspaceError>,
    ) -> Result<RunResult, WorkspaceError> {
        // What an earlier run left behind could change what this one sees.
        if let Ok(Some(loaded)) = self.load(key) {
            gate::end_leftovers(loaded.document.root());
        }
        let before = self.ground(Look::Content)?;
        let begun = gate::begun(commands, &before, self.now(), &self.options.by);
        record(&begun, None)?;
        let request = RunRequest {
            commands,
            name: gate::run_name(&begun),
            directory: self.repository.root(),
            time_limit: running.time_limit,
            stop: running.stop,
        };
        let result = gate::run(&request, print);
        // A tree that cannot be looked at afterwards must not cost what came of the run.
        let after = self.ground(Look::Content);
        let after = after.unwrap_or_else(|_| self.ground_from_outside());
        let ended = gate::ended(begun, &result, &after);
        record(&ended, Some(&result.ending))?;
        Ok(result)
    }

    fn record_pipeline_gate(
        &self,
        id: &PipelineId,
        passing: &Passing,
        receipt: &Object,
        ending: Option<&Ending>,
    ) -> Result<(), WorkspaceError> {
        self.change_pipeline(id, "gate run", |value, spec, stamp| {
            let (id, mark) = (id.as_str(), receipt.clone());
            match ending {
                None | Some(Ending::Interrupted) => {
                    pipeline::record_receipt(value, id, spec, passing, mark, stamp)
                }
                Some(ending) if ending.passed() => {
                    pipeline::pass_gate(value, id, spec, passing, mark, stamp)
                }
                Some(ending) => {
                    let message = format!("gate {} failed: {}", passing.entry(), ending.in_words());
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

    /// What the gates that were run on a checkpoint prove about this content.
    pub fn receipts(
        &self,
        key: &Key,
        content: Option<&ContentDigest>,
    ) -> Result<Vec<GateProof>, WorkspaceError> {
        let loaded = self.require(key)?;
        let ground = Ground {
            content: content.cloned(),
            ..self.ground_from_outside()
        };
        Ok(gate::proofs(loaded.document.root(), &ground))
    }

    /// What the gates that are recorded in a document prove, seen from outside.
    #[must_use]
    pub fn proofs_in(&self, document: &Document) -> Vec<GateProof> {
        gate::proofs(document.root(), &self.ground_from_outside())
    }

    /// What can be told of the content without looking at it.
    pub(super) fn ground_from_outside(&self) -> Ground {
        Ground {
            head: self.head().commit.map(|commit| commit.to_string()),
            content: None,
            index: self.repository.index_stat(),
        }
    }

    /// The content that gates are judged against. Outside git there is none.
    fn ground(&self, look: Look) -> Result<Ground, WorkspaceError> {
        let content = match look {
            Look::Content if self.repository.is_git() => Some(self.content_digest()?),
            _ => None,
        };
        Ok(Ground {
            content,
            ..self.ground_from_outside()
        })
    }

    /// What is known of every gate, seen from outside: of those that the specification requires, or where there is
    /// none, of those that the checkpoint names.
    pub fn known_gates(&self, view: &PipelineView) -> Result<Vec<GateStanding>, WorkspaceError> {
        if view.spec.spec().is_some() {
            return self.gate_standings(view, Look::Outside);
        }
        let pipeline = view.pipeline();
        let mut known = pipeline.proofs(&self.ground_from_outside());
        for gate in pipeline.gates_pending() {
            if !known.iter().any(|known| known.gate == gate) {
                let proof = Proof::Missing;
                known.push(GateProof { gate, proof });
            }
        }
        let standings = known
            .into_iter()
            .map(|GateProof { gate, proof }| GateStanding {
                gate,
                workstreams: Vec::new(),
                proof,
            });
        Ok(standings.collect())
    }

    /// What is known of each required gate.
    pub fn gate_standings(
        &self,
        view: &PipelineView,
        look: Look,
    ) -> Result<Vec<GateStanding>, WorkspaceError> {
        let Some(spec) = view.spec.spec() else {
            return Ok(Vec::new());
        };
        let proofs = view.pipeline().proofs(&self.ground(look)?);
        let standings = requirements(spec).into_iter().map(|requirement| {
            let fits = |entry: &str| {
                let rest = entry.strip_prefix(requirement.gate.as_str());
                rest.is_some_and(|rest| {
                    let mut names = requirement.workstreams.iter();
                    rest.is_empty() || names.any(|name| rest == format!(" ({name})"))
                })
            };
            let proofs = proofs.iter().filter(|known| fits(&known.gate));
            let proof = proofs.map(|known| known.proof).min();
            GateStanding {
                gate: requirement.gate.clone(),
                workstreams: requirement.workstreams.clone(),
                proof: proof.unwrap_or(Proof::Missing),
            }
        });
        Ok(standings.collect())
    }
}

/// The commands of a gate, with the outputs of the workstream in place of `{paths}`.
fn commands_of(view: &PipelineView, passing: &Passing) -> Result<Vec<String>, WorkspaceError> {
    let id = view.id.to_string();
    let Some(spec) = view.spec.spec() else {
        return Err(Refusal::SpecUnknown(id).into());
    };
    let Some(gate) = spec.gate(&passing.gate) else {
        let gate = passing.gate.clone();
        return Err(Refusal::UnknownGate { id, gate }.into());
    };
    if gate.commands.is_empty() {
        return Err(Refusal::NothingToRun(passing.gate.clone()).into());
    }
    let paths = paths_of(spec, passing);
    let commands = gate.commands.iter();
    Ok(commands
        .map(|command| command.replace("{paths}", &paths))
        .collect())
}

/// The outputs of the workstream, or of all, as words for the shell.
fn paths_of(spec: &Spec, passing: &Passing) -> String {
    let wanted = |id: &str| passing.workstream.as_deref().is_none_or(|only| only == id);
    let workstreams = spec.workstreams.iter().filter(|known| wanted(&known.id));
    let outputs = workstreams.flat_map(|known| &known.outputs);
    let words: Vec<String> = outputs.map(|output| pattern(output)).collect();
    words.join(" ")
}

/// A path as a word for the shell, in which `*` stands for what is there.
fn pattern(path: &str) -> String {
    let parts = path.split('*').map(|part| match part {
        "" => String::new(),
        part => shell_word(part),
    });
    parts.collect::<Vec<_>>().join("*")
}
