//! What is known of the gates that a specification requires.

use std::collections::HashSet;

use super::change::split_gate;
use super::gates::{Passing, Requirement, requirements};
use super::model::Pipeline;
use super::spec::Spec;
use crate::gate::{GateProof, Ground, Proof, Receipt, Trust};
use crate::voice::shell_word;

/// What is known of a required gate.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateStanding {
    /// The gate.
    pub gate: String,
    /// The workstreams that it is about; none for the pipeline as a whole.
    pub workstreams: Vec<String>,
    /// What is known.
    pub proof: Proof,
}

impl GateStanding {
    /// As `name (WS1, WS2)`, or the name alone.
    #[must_use]
    pub fn named(&self) -> GateProof {
        GateProof {
            gate: match self.workstreams.is_empty() {
                true => self.gate.clone(),
                false => format!("{} ({})", self.gate, self.workstreams.join(", ")),
            },
            proof: self.proof,
        }
    }
}

/// What is known of each gate that is required.
#[must_use]
pub fn standings(
    pipeline: Pipeline<'_>,
    spec: &Spec,
    ground: &Ground,
    trust: Trust<'_>,
) -> Vec<GateStanding> {
    let known = Known {
        spec,
        ground,
        receipts: pipeline.receipts(trust),
        passed: pipeline.gates_passed(),
    };
    let dormant = pipeline.buckets().dormant;
    let required = required(spec, &dormant).into_iter();
    required
        .map(|requirement| GateStanding {
            proof: known.proof(&requirement),
            gate: requirement.gate,
            workstreams: requirement.workstreams,
        })
        .collect()
}

/// The gates that are required while these workstreams are put off: not those that are only about them.
pub(super) fn required(spec: &Spec, dormant: &[String]) -> Vec<Requirement> {
    let mut all = requirements(spec);
    all.retain_mut(|requirement| {
        let was_about_all = requirement.workstreams.is_empty();
        requirement
            .workstreams
            .retain(|name| !dormant.contains(name));
        was_about_all || !requirement.workstreams.is_empty()
    });
    all
}

struct Known<'k> {
    spec: &'k Spec,
    ground: &'k Ground,
    receipts: Vec<(String, Receipt<'k>)>,
    passed: Vec<String>,
}

impl Known<'_> {
    /// The least that is known of any of the workstreams.
    fn proof(&self, requirement: &Requirement) -> Proof {
        let workstreams = requirement.workstreams.iter();
        let each = workstreams.map(|workstream| self.of(requirement, Some(workstream)));
        each.max().unwrap_or_else(|| self.of(requirement, None))
    }

    /// What the last word on a gate is, for one workstream or for the pipeline as a whole.
    fn of(&self, requirement: &Requirement, workstream: Option<&str>) -> Proof {
        let gate = self.spec.gate(&requirement.gate);
        let commands = gate
            .map(|gate| gate.commands.as_slice())
            .unwrap_or_default();
        let looks_at_paths = commands.iter().any(|command| command.contains(PATHS));
        // What was run for another workstream was the same, unless it looked at that one's files.
        let counts = |entry: &str, is_run: bool| {
            let (name, about) = split_gate(entry);
            let is_own = about.is_none() || about == workstream;
            let is_same = !(is_run && looks_at_paths)
                && about.is_some_and(|about| {
                    let mut names = requirement.workstreams.iter();
                    requirement.workstreams.is_empty() || names.any(|name| name == about)
                });
            name == requirement.gate && (is_own || is_same)
        };
        let receipts = self.receipts.iter();
        let receipts = receipts.filter(|(entry, receipt)| counts(entry, receipt.is_run()));
        let newest = receipts.max_by_key(|(_, receipt)| receipt.time());
        match newest {
            Some((entry, receipt)) => match receipt.proof(self.ground) {
                Proof::Proven | Proof::Unchecked if !self.is_command_of(entry, *receipt) => {
                    Proof::Stale
                }
                proof => proof,
            },
            // A pass that came without a receipt was somebody's word.
            None if self.claims().any(|entry| counts(entry, false)) => Proof::Claimed,
            None => Proof::Missing,
        }
    }

    /// Passes without a receipt.
    fn claims(&self) -> impl Iterator<Item = &String> {
        let with_receipt: HashSet<&str> = self
            .receipts
            .iter()
            .map(|(known, _)| known.as_str())
            .collect();
        let passed = self.passed.iter();
        passed.filter(move |entry| !with_receipt.contains(entry.as_str()))
    }

    /// Whether the specification still has the command that was run.
    fn is_command_of(&self, entry: &str, receipt: Receipt<'_>) -> bool {
        let (gate, workstream) = split_gate(entry);
        let passing = Passing {
            gate: gate.to_owned(),
            workstream: workstream.map(str::to_owned),
        };
        let commands = commands(self.spec, &passing);
        commands.is_empty() || receipt.command().as_deref() == Some(&commands.join(" && "))
    }
}

/// What stands in a command for the files of a workstream.
const PATHS: &str = "{paths}";

/// The commands of a gate, with the outputs of the workstream in place of `{paths}`; none where the specification has
/// no such gate, or nothing to run for it.
#[must_use]
pub fn commands(spec: &Spec, passing: &Passing) -> Vec<String> {
    let Some(gate) = spec.gate(&passing.gate) else {
        return Vec::new();
    };
    let paths = paths_of(spec, passing);
    let commands = gate.commands.iter().map(|command| {
        // They are quoted where they need it, and quotes around all of them would make them one word.
        let command = command.replace(&format!("\"{PATHS}\""), PATHS);
        let command = command.replace(&format!("'{PATHS}'"), PATHS);
        command.replace(PATHS, &paths)
    });
    commands.collect()
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
