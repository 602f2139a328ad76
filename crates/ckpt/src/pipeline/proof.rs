//! Judging the gates that a specification requires.

use std::collections::{HashMap, HashSet};

use super::change::split_gate;
use super::gates::{Requirement, entry_of, requirements};
use super::model::Pipeline;
use super::spec::Spec;
use crate::document::Tree;
use crate::gate::{ContentState, GateName, GateProof, Proof, Receipt, Trust};
use crate::time::Timestamp;
use crate::voice::shell_word;

/// What is known about a required gate.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateStanding {
    /// The gate.
    pub gate: String,
    /// The workstreams it concerns; empty for the pipeline as a whole.
    pub workstreams: Vec<String>,
    /// What is known about it.
    pub proof: Proof,
}

impl GateStanding {
    /// Its name as `name (WS1, WS2)`, or the name alone.
    #[must_use]
    pub fn named(&self) -> GateProof {
        GateProof {
            gate: entry_of(&self.gate, &self.workstreams),
            proof: self.proof,
        }
    }
}

/// What is known about each required gate.
#[must_use]
pub fn standings<'t, T: Tree<'t>>(
    pipeline: Pipeline<T>,
    spec: &Spec,
    content: &ContentState,
    trust: Trust<'_>,
) -> Vec<GateStanding> {
    let (receipts, passed) = (pipeline.receipts(trust), pipeline.gates_passed());
    let known = Known {
        spec,
        content,
        words: words(&receipts, &passed),
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

/// The gates required while these workstreams are deferred: all but those that concern only them.
pub(super) fn required(spec: &Spec, dormant: &[String]) -> Vec<Requirement> {
    let dormant: HashSet<&String> = dormant.iter().collect();
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

/// A statement about a gate, for one workstream or the pipeline as a whole.
#[derive(Clone, Copy)]
struct Word<'k, T> {
    entry: &'k str,
    /// Its position among all statements.
    number: usize,
    /// `None` for a pass without a receipt, which is a claim.
    receipt: Option<Receipt<T>>,
}

impl<'t, T: Tree<'t>> Word<'_, T> {
    fn is_run(&self) -> bool {
        self.receipt.is_some_and(Receipt::is_run)
    }
}

/// The statements about one gate, by workstream.
type Words<'k, T> = HashMap<Option<&'k str>, Word<'k, T>>;

/// All statements, by gate. If there is a receipt, a pass without one adds nothing.
fn words<'k, T: Copy>(
    receipts: &'k [(String, Receipt<T>)],
    passed: &'k [String],
) -> HashMap<&'k str, Words<'k, T>> {
    let receipts = receipts.iter();
    let receipts = receipts.map(|(entry, receipt)| (entry.as_str(), Some(*receipt)));
    let claims = passed.iter().map(|entry| (entry.as_str(), None));
    let mut all: HashMap<&str, Words<'_, T>> = HashMap::new();
    for (number, (entry, receipt)) in receipts.chain(claims).enumerate() {
        let (gate, workstream) = split_gate(entry);
        let of_gate = all.entry(gate).or_default();
        of_gate.entry(workstream).or_insert(Word {
            entry,
            number,
            receipt,
        });
    }
    all
}

struct Known<'k, T> {
    spec: &'k Spec,
    content: &'k ContentState,
    words: HashMap<&'k str, Words<'k, T>>,
}

impl<'t, T: Tree<'t>> Known<'_, T> {
    /// The worst proof among the workstreams.
    fn proof(&self, requirement: &Requirement) -> Proof {
        let Some(words) = self.words.get(requirement.gate.as_str()) else {
            return Proof::Missing;
        };
        let definition = self.spec.gate(&requirement.gate);
        let mut commands = definition.iter().flat_map(|gate| &gate.commands);
        let looks_at_paths = commands.any(|command| command.contains(PATHS));
        let names = requirement.workstreams.iter();
        let said: Vec<&Word<'_, T>> = match requirement.workstreams.is_empty() {
            true => words.values().collect(),
            false => {
                let named = names.clone().map(|name| Some(name.as_str()));
                let about = [None].into_iter().chain(named);
                about.filter_map(|about| words.get(&about)).collect()
            }
        };
        // A run for another workstream is the same run, unless its command uses that workstream's files.
        let is_shared = |word: &Word<'_, T>| {
            !(looks_at_paths && word.is_run()) || split_gate(word.entry).1.is_none()
        };
        let shared = said.into_iter().filter(|word| is_shared(word));
        let shared = shared.max_by_key(|word| age(word));
        let of_all = self.of(shared);
        let each = names.map(|name| {
            let own = words.get(&Some(name.as_str()));
            let own = own.filter(|own| !is_shared(own));
            match own.filter(|own| shared.is_none_or(|shared| age(own) > age(shared))) {
                Some(own) => self.of(Some(own)),
                None => of_all,
            }
        });
        each.max().unwrap_or(of_all)
    }

    /// What the latest statement about a gate proves.
    fn of(&self, word: Option<&Word<'_, T>>) -> Proof {
        let Some(word) = word else {
            return Proof::Missing;
        };
        let Some(receipt) = word.receipt else {
            return Proof::Claimed;
        };
        match receipt.proof(self.content) {
            Proof::Proven | Proof::NotChecked if !self.is_command_of(word.entry, receipt) => {
                Proof::OlderContent
            }
            proof => proof,
        }
    }

    /// Whether the command that was run is still the one in the specification.
    fn is_command_of(&self, entry: &str, receipt: Receipt<T>) -> bool {
        let (name, workstream) = split_gate(entry);
        let gate = GateName {
            name: name.to_owned(),
            workstream: workstream.map(str::to_owned),
        };
        let commands = commands(self.spec, &gate);
        commands.is_empty() || receipt.command().as_deref() == Some(&commands.join(" && "))
    }
}

/// Orders statements by age. A receipt takes precedence over a claim.
fn age<'t, T: Tree<'t>>(word: &Word<'_, T>) -> (bool, Option<Timestamp>, usize) {
    let time = word.receipt.and_then(Receipt::time);
    (word.receipt.is_some(), time, word.number)
}

/// The placeholder for a workstream's files in a command.
const PATHS: &str = "{paths}";

/// The commands of a gate, with `{paths}` replaced by the workstream's outputs. Empty if the specification does not
/// define the gate or gives it no command.
#[must_use]
pub fn commands(spec: &Spec, gate: &GateName) -> Vec<String> {
    let Some(specified) = spec.gate(&gate.name) else {
        return Vec::new();
    };
    let paths = paths_of(spec, gate);
    let commands = specified.commands.iter().map(|command| {
        // Paths are quoted where necessary; quotes around the placeholder would turn all of them into one word.
        let command = command.replace(&format!("\"{PATHS}\""), PATHS);
        let command = command.replace(&format!("'{PATHS}'"), PATHS);
        command.replace(PATHS, &paths)
    });
    commands.collect()
}

/// The outputs of the workstream, or of all workstreams, as shell words.
fn paths_of(spec: &Spec, gate: &GateName) -> String {
    let wanted = |id: &str| gate.workstream.as_deref().is_none_or(|only| only == id);
    let workstreams = spec.workstreams.iter().filter(|known| wanted(&known.id));
    let outputs = workstreams.flat_map(|known| &known.outputs);
    let words: Vec<String> = outputs.map(|output| pattern(output)).collect();
    words.join(" ")
}

/// A path as a shell word in which `*` still expands.
fn pattern(path: &str) -> String {
    let parts = path.split('*').map(|part| match part {
        "" => String::new(),
        part => shell_word(part),
    });
    parts.collect::<Vec<_>>().join("*")
}
