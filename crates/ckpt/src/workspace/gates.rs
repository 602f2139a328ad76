//! Running gates, and what is proven of them.

use std::collections::HashSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use super::change::Present;
use super::error::Purpose;
use super::gated::is_gated;
use super::{PipelineView, SpecState, Workspace, WorkspaceError};
use crate::command;
use crate::document::{Node, Object, Tree};
use crate::gate::{self, Ending, GateProof, Ground, Proof, RunRequest, RunResult, uncounted};
use crate::key::{Key, PipelineId};
use crate::pipeline::{self, Failure, GateStanding, Passing, Refusal, Spec};
use crate::repository::{CommitId, ContentDigest, Head};
use crate::seal::Domain;
use crate::voice::first_names;

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
    /// What allows its command to be run.
    pub consent: Consent,
}

/// What allows the command of a gate to be run that a specification names: a specification can come with a clone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Consent {
    /// The specification was taken over here, as it is now.
    TakenOver,
    /// Whoever asks for it has looked at it.
    Given,
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

/// A gate that blocks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BlockedGate {
    /// The checkpoint.
    pub name: String,
    /// Why.
    pub reasons: Vec<String>,
}

/// What running a gate came to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ran {
    /// How it ended.
    pub result: RunResult,
    /// Whether it left other content than it found. It proves nothing about that.
    pub changed_files: bool,
}

/// A gate that is run: of which document, under which name, with which commands.
#[derive(Clone, Copy)]
struct GateOf<'g> {
    key: &'g Key,
    entry: &'g str,
    commands: &'g [String],
}

/// What is shipped.
#[derive(Debug, Clone, Copy)]
pub enum Shipped<'s> {
    /// The work tree, by a commit that is about to be made.
    WorkTree,
    /// The commit that is checked out.
    Head,
    /// A commit.
    Commit(&'s CommitId),
}

fn unreadable(name: String) -> BlockedGate {
    let reasons = vec!["it cannot be read".to_owned()];
    BlockedGate { name, reasons }
}

/// Why a gate blocks whose command is not in flight any more, as its file has it.
const OTHERWISE: &str =
    "its gate was set here, and nobody who may has completed it or given it up here";

impl Workspace {
    /// Runs a gate of a pipeline and records what came of it.
    pub fn run_gate(
        &self,
        id: &PipelineId,
        request: &GateRun<'_>,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<Ran, WorkspaceError> {
        let view = self.pipeline(id)?;
        let commands = commands_of(&view, request.passing)?;
        if request.consent == Consent::TakenOver && !view.spec.is_taken_over() {
            let (id, moved) = (id.to_string(), view.spec.has_moved());
            return Err(Refusal::NotTakenOver { id, moved }.into());
        }
        let record = |receipt: &Object, ending: Option<&Ending>| {
            self.record_pipeline_gate(id, request.passing, receipt, ending)
        };
        let gate = GateOf {
            key: &id.into(),
            entry: &request.passing.entry(),
            commands: &commands,
        };
        self.run_recorded(gate, request.running, print, record)
    }

    /// Runs a command as a gate of any checkpoint and records what came of it.
    pub fn run_named_gate(
        &self,
        key: &Key,
        request: &NamedGate<'_>,
        print: &mut dyn FnMut(&[u8]),
    ) -> Result<Ran, WorkspaceError> {
        let commands = [request.command.to_owned()];
        let name = request.name;
        let gate = GateOf {
            key,
            entry: name,
            commands: &commands,
        };
        self.run_recorded(gate, request.running, print, |receipt, ending| {
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
        gate: GateOf<'_>,
        running: Running<'_>,
        print: &mut dyn FnMut(&[u8]),
        record: impl Fn(&Object, Option<&Ending>) -> Result<(), WorkspaceError>,
    ) -> Result<Ran, WorkspaceError> {
        let GateOf {
            key,
            entry,
            commands,
        } = gate;
        let about = key.sealed_name();
        // What an earlier run left behind could change what this one sees.
        if let Ok(Some(loaded)) = self.load(key) {
            gate::end_leftovers(loaded.document.root(), self.trust(&about));
        }
        let seal = |mut receipt: Object| {
            let name = gate::receipt_name(&about, entry);
            let seals = self.store.vault().seals_for_writing();
            seals.seal(Domain::Receipt, &name, &mut receipt);
            receipt
        };
        let before = self.ground()?;
        let begun = seal(gate::begun(commands, &before, self.now(), &self.options.by));
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
        let after = self.ground();
        let after = after.unwrap_or_else(|_| self.ground_from_outside());
        let ended = seal(gate::ended(begun, &result, &after));
        record(&ended, Some(&result.ending))?;
        Ok(Ran {
            changed_files: after.content != before.content,
            result,
        })
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
        let about = key.sealed_name();
        Ok(gate::proofs(
            loaded.document.root(),
            &ground,
            self.trust(&about),
        ))
    }

    /// What the gates that are recorded in a document prove, seen from outside. Of a file that is no document of this
    /// repository nothing is believed.
    #[must_use]
    pub fn proofs_in<'t>(&self, document: impl Tree<'t>, key: Option<&Key>) -> Vec<GateProof> {
        if document.get("receipts").is_none() {
            return Vec::new();
        }
        let about = key.map(Key::sealed_name).unwrap_or_default();
        let trust = self.trust(&about);
        gate::proofs(document, &self.ground_from_outside(), trust)
    }

    /// The content that is shipped; outside git there is none.
    fn shipped(&self, what: Shipped<'_>) -> Result<Option<ContentDigest>, WorkspaceError> {
        let commit = match what {
            Shipped::WorkTree => return Ok(self.ground()?.content),
            Shipped::Head => self.head().commit,
            Shipped::Commit(commit) => Some(commit.clone()),
        };
        match commit {
            Some(commit) => Ok(Some(self.repository.commit_digest(&commit, &uncounted())?)),
            None => Ok(None),
        }
    }

    /// Which files were approved although git did not track them, and are not in the commit that is shipped.
    fn left_out(&self, gate: Node<'_>, what: Shipped<'_>) -> Option<String> {
        let commit = match what {
            Shipped::WorkTree => return None,
            Shipped::Head => self.head().commit?,
            Shipped::Commit(commit) => commit.clone(),
        };
        let names = gate::untracked(gate);
        let lacking = self.repository.lacking(&commit, &names);
        (!lacking.is_empty()).then(|| {
            let names = first_names(&lacking);
            format!("these files were approved and are not in the commit: {names}")
        })
    }

    /// The gates of commands in flight that block, as `gate check` judges them: of those that have one, of those whose
    /// business is to ship, and of those that had one here and were neither completed nor given up here.
    pub fn blocked_gates(&self, what: Shipped<'_>) -> Result<Vec<BlockedGate>, WorkspaceError> {
        let (mut keys, problems) = self.in_flight()?;
        // What cannot be read may block.
        let problems = problems.into_iter();
        let mut blocked: Vec<BlockedGate> =
            problems.map(|problem| unreadable(problem.stem)).collect();
        let noted: HashSet<Key> = self.gated().into_iter().map(Key::from).collect();
        let in_flight: HashSet<Key> = keys.iter().cloned().collect();
        keys.extend(noted.difference(&in_flight).cloned());
        let mut shipped = None;
        for key in keys {
            let Key::Command(command) = &key else {
                continue;
            };
            let Ok(loaded) = self.load(&key) else {
                // Whether or not it is among the problems.
                blocked.push(unreadable(key.short()));
                continue;
            };
            let root = loaded.as_ref().map(|loaded| loaded.document.root());
            let is_gated = root.is_some_and(|root| is_gated(command, root));
            if !is_gated && !noted.contains(&key) {
                continue;
            }
            let mut reasons = self.blocking(&key, root, what, &mut shipped)?;
            if !reasons.is_empty() && !in_flight.contains(&key) {
                reasons.push(OTHERWISE.to_owned());
            }
            if !reasons.is_empty() {
                let name = key.short();
                blocked.push(BlockedGate { name, reasons });
            }
        }
        Ok(blocked)
    }

    /// Why a gate blocks; no reason where it does not. What is shipped is looked at once, and only where it is needed.
    fn blocking(
        &self,
        key: &Key,
        root: Option<Node<'_>>,
        what: Shipped<'_>,
        shipped: &mut Option<Option<ContentDigest>>,
    ) -> Result<Vec<String>, WorkspaceError> {
        let gate = root.and_then(|root| root.get("gate"));
        let about = key.sealed_name();
        let trust = self.trust(&about);
        // What says itself that it blocks needs no look.
        let stated = gate.map_or_else(Vec::new, gate::stated_blockers);
        let is_overridden =
            gate.is_some_and(|gate| gate::Override::read(gate, None, trust).is_some());
        let verdict = match (gate, stated.is_empty() || is_overridden) {
            (None, _) | (_, false) => gate::verdict(gate, None, trust),
            (Some(_), true) => {
                let content = match shipped {
                    Some(content) => content,
                    none => none.insert(self.shipped(what)?),
                };
                gate::verdict(gate, content.as_ref(), trust)
            }
        };
        let gate::Verdict::Blocked { mut reasons } = verdict else {
            return Ok(Vec::new());
        };
        match (stated.is_empty(), gate) {
            (false, _) => reasons = stated,
            (true, Some(gate)) => reasons.extend(self.left_out(gate, what)),
            (true, None) => {}
        }
        Ok(reasons)
    }

    /// What can be told of the content without looking at it.
    pub(super) fn ground_from_outside(&self) -> Ground {
        self.ground_at(&self.head())
    }

    /// The same, where HEAD is known already.
    pub(super) fn ground_at(&self, head: &Head) -> Ground {
        let commit = head.commit.as_ref();
        Ground {
            head: commit.map(ToString::to_string),
            content: None,
            index: self.repository.index_stat(),
        }
    }

    /// The content that gates are judged against. Outside git there is none.
    fn ground(&self) -> Result<Ground, WorkspaceError> {
        let content = match self.repository.is_git() {
            true => Some(self.content_digest()?),
            false => None,
        };
        Ok(Ground {
            content,
            ..self.ground_from_outside()
        })
    }

    /// What is known of every gate, seen from outside: of those that the specification requires, or where there is
    /// none, of those that the checkpoint names.
    #[must_use]
    pub fn known_gates(&self, view: &PipelineView) -> Vec<GateStanding> {
        let ground = self.ground_from_outside();
        let about = view.loaded.key.sealed_name();
        let trust = self.trust(&about);
        let pipeline = view.pipeline();
        if let Some(spec) = view.spec.spec() {
            return pipeline::standings(pipeline, spec, &ground, trust);
        }
        let mut known = pipeline.proofs(&ground, trust);
        let mut named: HashSet<String> = known.iter().map(|known| known.gate.clone()).collect();
        for gate in pipeline.gates_pending() {
            if named.insert(gate.clone()) {
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
        standings.collect()
    }

    /// What is known of each gate that the specification requires, about the present content.
    pub fn check_gates(&self, view: &PipelineView) -> Result<Vec<GateStanding>, WorkspaceError> {
        let spec = spec_of(view)?;
        let about = view.loaded.key.sealed_name();
        let trust = self.trust(&about);
        let ground = self.ground()?;
        Ok(pipeline::standings(view.pipeline(), spec, &ground, trust))
    }
}

fn spec_of(view: &PipelineView) -> Result<&Spec, Refusal> {
    let id = view.id.to_string();
    match &view.spec {
        SpecState::Read { spec, .. } => Ok(spec),
        SpecState::Unusable { reason } => Err(Refusal::SpecUnusable {
            id,
            reason: reason.clone(),
        }),
        SpecState::Unknown => Err(Refusal::SpecUnknown(id)),
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
