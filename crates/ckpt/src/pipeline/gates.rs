//! Recording that gates passed or failed.

use std::collections::{HashMap, HashSet};

use super::change::{Change, split_gate};
use super::lists::{add, replace, take};
use super::model::{Bucket, GATES_PASSED, GATES_PENDING, IN_PROGRESS, Pipeline, Status};
use super::operations::{Failure, failed};
use super::proof::required;
use super::refusal::{Action, Refusal};
use super::spec::Spec;
use crate::document::{Object, Tree, Value};
use crate::gate::{self, GateName};
use crate::history::{Event, EventName};
use crate::key::PipelineId;
use crate::operation::{Changed, Stamp};

fn check_gate(change: &Change<'_>, gate: &GateName) -> Result<(), Refusal> {
    if let Some(workstream) = &gate.workstream {
        change.place(workstream)?;
        let having = change
            .spec
            .map(|spec| all_with(spec, gate))
            .unwrap_or_default();
        if !having.is_empty() && !having.contains(workstream) {
            return Err(Refusal::GateOfOthers {
                gate: gate.name.clone(),
                workstream: workstream.clone(),
                having,
            });
        }
        check_started(change, gate, workstream)?;
    } else if let Some(spec) = change.spec {
        // Without a workstream it is for all that have it, so all of them have to be under way.
        let dormant = change.pipeline().buckets().dormant;
        let concerned = required(spec, &dormant).into_iter();
        let concerned = concerned.filter(|requirement| requirement.gate == gate.name);
        for Requirement { workstreams, .. } in concerned {
            let is_begun = |name: &String| check_started(change, gate, name).is_ok();
            if let Some(first) = workstreams.first()
                && !workstreams.iter().any(is_begun)
            {
                check_started(change, gate, first)?;
            }
        }
    }
    let known = |spec: &Spec| spec.gate(&gate.name).is_some();
    let pending = change.pipeline().gates_pending();
    let mut pending = pending.iter().map(|entry| split_gate(entry).0);
    let pending = pending.any(|name| name == gate.name);
    match change.spec {
        Some(spec) if !known(spec) && !pending => Err(Refusal::UnknownGate {
            id: change.id.to_string(),
            gate: gate.name.clone(),
        }),
        _ => Ok(()),
    }
}

/// Refuses a workstream that was not started. What a failure interrupted may be finished, and its gate with it.
fn check_started(change: &Change<'_>, gate: &GateName, workstream: &str) -> Result<(), Refusal> {
    let found = change.pipeline().bucket_of(workstream);
    let is_waiting = matches!(found, Some(Bucket::Pending | Bucket::Dormant));
    let interrupted = change.pipeline().interrupted();
    match is_waiting && !interrupted.iter().any(|name| name == workstream) {
        false => Ok(()),
        true => Err(Refusal::NotStarted {
            gate: gate.name.clone(),
            workstream: workstream.to_owned(),
        }),
    }
}

/// Set in the receipt of a gate that passed while workstreams were running: the pipeline pauses when they have ended.
const PAUSE_DUE: &str = "pause_due";

/// Set in the receipt of a gate that failed while other workstreams were running: the error that the pipeline fails with
/// when they have ended.
const FAILURE_DUE: &str = "failure_due";

/// Starts recording a gate. The result of a run is recorded whatever the status of the pipeline is by now: the run
/// was allowed when it began.
fn open<'s>(
    present: Value,
    id: &PipelineId,
    spec: Option<&'s Spec>,
    gate: &GateName,
    receipt: &Object,
    stamp: &'s Stamp,
) -> Result<Change<'s>, Refusal> {
    let change = Change::of(present, id, spec, stamp)?;
    if receipt.get("ending").is_some() {
        return Ok(change);
    }
    let change = change.allowing(Action::Gate)?;
    check_gate(&change, gate)?;
    Ok(change)
}

/// Records that a gate passed. The pipeline pauses at once if nothing is running, else when the running workstreams
/// end.
pub fn pass_gate(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    gate: &GateName,
    receipt: Object,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = open(present, id, spec, gate, &receipt, stamp)?;
    let entry = gate.entry();
    let is_new = !change.pipeline().has_passed(&entry);
    if is_new {
        add(&mut change.root, GATES_PASSED, entry.as_str().into());
    }
    follow_gate(&mut change, gate);
    let receipts = change.root.object_mut("receipts");
    let mut events = vec![gate::keep(receipts, gate, receipt)];
    if change.pipeline().names(IN_PROGRESS).is_empty() {
        // Running a gate again does not take an approval back.
        let is_due = is_new || change.status != Status::Paused;
        if is_due && Action::Gate.is_allowed(&change.status) {
            change.set_status(Status::Paused);
            events.push(Event::new(EventName::PipelinePaused));
        }
    } else {
        let receipts = change.root.object_mut("receipts");
        receipts.object_mut(&entry).set(PAUSE_DUE, true);
    }
    Ok(change.finish(events))
}

/// Records a receipt without a verdict: the gate is running, or was interrupted.
pub fn record_receipt(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    gate: &GateName,
    receipt: Object,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = open(present, id, spec, gate, &receipt, stamp)?;
    let event = gate::keep(change.root.object_mut("receipts"), gate, receipt);
    Ok(change.finish(vec![event]))
}

/// A gate that must pass, for the pipeline as a whole or for one of these workstreams.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Requirement {
    /// The gate.
    pub gate: String,
    /// The workstreams it may pass for; a pass without a workstream always counts.
    pub workstreams: Vec<String>,
}

impl Requirement {
    /// Its name as `name (WS1, WS2)`, or the name alone.
    #[must_use]
    pub fn entry(&self) -> String {
        entry_of(&self.gate, &self.workstreams)
    }
}

/// A gate and the workstreams it concerns, as `name (WS1, WS2)`, or the name alone.
pub(super) fn entry_of(gate: &str, workstreams: &[String]) -> String {
    match workstreams.is_empty() {
        true => gate.to_owned(),
        false => format!("{gate} ({})", workstreams.join(", ")),
    }
}

/// The gates that a specification requires: those of its phases, those of its workstreams, and those named by
/// neither.
#[must_use]
pub fn requirements(spec: &Spec) -> Vec<Requirement> {
    let mut all = of_workstreams(spec);
    all.extend(of_phases(spec));
    let named: HashSet<&str> = all.iter().map(|known| known.gate.as_str()).collect();
    let gates = spec.gates.iter();
    let others = gates.filter(|gate| !named.contains(gate.name.as_str()));
    let others: Vec<Requirement> = others
        .map(|gate| Requirement {
            gate: gate.name.clone(),
            workstreams: Vec::new(),
        })
        .collect();
    all.extend(others);
    all
}

/// The gates that workstreams require, one requirement for each workstream.
fn of_workstreams(spec: &Spec) -> Vec<Requirement> {
    let mut all = Vec::new();
    for workstream in &spec.workstreams {
        let mut seen = HashSet::new();
        let gates = workstream.gates.iter().map(|gate| gate.name.as_str());
        all.extend(
            gates
                .filter(|gate| seen.insert(*gate))
                .map(|gate| Requirement {
                    gate: gate.to_owned(),
                    workstreams: vec![workstream.id.clone()],
                }),
        );
    }
    all
}

/// The gates that phases require of their workstreams, except those that a workstream already requires itself.
fn of_phases(spec: &Spec) -> Vec<Requirement> {
    let of_phases = spec.phases.iter().flat_map(|phase| &phase.gates);
    let of_phases: HashSet<&str> = of_phases.map(|gate| gate.name.as_str()).collect();
    let mut covered: HashSet<(&str, &str)> = HashSet::new();
    for workstream in &spec.workstreams {
        let gates = workstream.gates.iter().map(|gate| gate.name.as_str());
        let gates = gates.filter(|gate| of_phases.contains(gate));
        covered.extend(gates.map(|gate| (gate, workstream.id.as_str())));
    }
    let mut all = Vec::new();
    let mut seen = HashSet::new();
    for phase in &spec.phases {
        let names = phase.workstreams.iter().map(|known| known.name.as_str());
        for gate in phase.gates.iter().map(|gate| gate.name.as_str()) {
            let is_covered = names.clone().any(|name| covered.contains(&(gate, name)));
            if !is_covered && seen.insert((gate, names.clone().collect::<Vec<&str>>())) {
                all.push(Requirement {
                    gate: gate.to_owned(),
                    workstreams: names.clone().map(str::to_owned).collect(),
                });
            }
        }
    }
    all
}

/// Records that a gate failed, which fails the pipeline. Only the workstreams
/// that have the gate are interrupted.
pub fn fail_gate(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    gate: &GateName,
    failure: &Failure,
    receipt: Object,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = open(present, id, spec, gate, &receipt, stamp)?;
    let entry = gate.entry();
    take(&mut change.root, GATES_PASSED, &entry);
    follow_gate(&mut change, gate);
    let event = gate::keep(change.root.object_mut("receipts"), gate, receipt);
    if !Action::Gate.is_allowed(&change.status) {
        // The pipeline has already failed or finished; leave its status unchanged.
        return Ok(change.finish(vec![event]));
    }
    let concerned: Vec<String> = match &gate.workstream {
        Some(workstream) => vec![workstream.clone()],
        None => spec.map(|spec| all_with(spec, gate)).unwrap_or_default(),
    };
    // It says which workstream failed only if there is no doubt.
    let workstream = match concerned.as_slice() {
        [only] => Some(only.as_str()),
        _ => None,
    };
    let is_concerned = |name: &str| concerned.iter().any(|known| known == name);
    let running = change.pipeline().names(IN_PROGRESS);
    if concerned.is_empty() || running.iter().all(|name| is_concerned(name)) {
        return Ok(failed(change, workstream, failure, event));
    }
    // The others go on, and the pipeline fails when they have ended.
    let interrupted = change.interrupt(is_concerned);
    let interrupted: Vec<&str> = interrupted.iter().map(String::as_str).collect();
    let event = event
        .with("message", failure.message.as_str())
        .with("interrupted", interrupted);
    let receipt = change.root.object_mut("receipts").object_mut(&entry);
    receipt.set(FAILURE_DUE, failure.written(workstream));
    Ok(change.finish(vec![event]))
}

/// The workstreams that have a gate, which it is run for if nobody says for which.
fn all_with(spec: &Spec, gate: &GateName) -> Vec<String> {
    let all = requirements(spec).into_iter();
    let concerned = all.filter(|requirement| requirement.gate == gate.name);
    let mut seen = HashSet::new();
    let names = concerned.flat_map(|requirement| requirement.workstreams);
    names.filter(|name| seen.insert(name.clone())).collect()
}

/// Updates the list of pending gates after a gate passed or failed.
fn follow_gate(change: &mut Change<'_>, gate: &GateName) {
    let entries = match change.spec.filter(|spec| spec.gate(&gate.name).is_some()) {
        Some(spec) => Unmet::of(spec, change.pipeline()).entries(&gate.name),
        None => {
            // Nobody knows who else has it: those that are named stay.
            let listed = change.pipeline().gates_pending().into_iter();
            let mut others: Vec<String> = listed
                .filter(|entry| split_gate(entry).0 == gate.name && *entry != gate.entry())
                .filter(|entry| gate.workstream.is_some() && *entry != gate.name)
                .collect();
            if !change.pipeline().has_passed(&gate.entry()) {
                others.insert(0, gate.name.clone());
            }
            others
        }
    };
    let entries = entries.iter().map(|entry| Value::from(entry.as_str()));
    let is_own = |entry: &str| split_gate(entry).0 == gate.name;
    replace(&mut change.root, GATES_PENDING, is_own, entries.collect());
}

/// The required gates that have not passed.
pub(super) struct Unmet {
    required: Vec<(Requirement, bool)>,
}

impl Unmet {
    pub(super) fn of<'t, T: Tree<'t>>(spec: &Spec, pipeline: Pipeline<T>) -> Self {
        let passed = pipeline.gates_passed();
        let passed: HashSet<_> = passed.iter().map(|entry| split_gate(entry)).collect();
        let gates: HashSet<&str> = passed.iter().map(|(gate, _)| *gate).collect();
        let is_met = |requirement: &Requirement| {
            let gate = requirement.gate.as_str();
            let mut own = requirement.workstreams.iter();
            match requirement.workstreams.is_empty() {
                true => gates.contains(gate),
                false => {
                    passed.contains(&(gate, None))
                        || own.any(|name| passed.contains(&(gate, Some(name.as_str()))))
                }
            }
        };
        let required = required(spec, &pipeline.buckets().dormant).into_iter();
        let required = required.map(|requirement| {
            let is_met = is_met(&requirement);
            (requirement, is_met)
        });
        Self {
            required: required.collect(),
        }
    }

    /// The entries of a gate in the list of pending ones. Its bare name means every workstream that has it; once it has
    /// passed for one of them, the others are named.
    pub(super) fn entries(&self, gate: &str) -> Vec<String> {
        let own = self.required.iter();
        let own = own.filter(|(requirement, _)| requirement.gate == gate);
        let (met, unmet): (Vec<_>, Vec<_>) = own.partition(|(_, is_met)| *is_met);
        match (met.is_empty(), unmet.is_empty()) {
            (_, true) => Vec::new(),
            (true, false) => vec![gate.to_owned()],
            (false, false) => unmet.iter().map(|(unmet, _)| unmet.entry()).collect(),
        }
    }

    /// What has not passed, each as `name (WS1)`, or the name alone if nothing else has that gate.
    pub(super) fn named(&self) -> impl Iterator<Item = String> {
        let mut count: HashMap<&str, usize> = HashMap::new();
        for (requirement, _) in &self.required {
            *count.entry(&requirement.gate).or_default() += 1;
        }
        self.all()
            .map(move |unmet| match count[unmet.gate.as_str()] {
                1 => unmet.gate.clone(),
                _ => unmet.entry(),
            })
    }

    /// What has not passed.
    pub(super) fn all(&self) -> impl Iterator<Item = &Requirement> {
        let unmet = self.required.iter().filter(|(_, is_met)| !is_met);
        unmet.map(|(requirement, _)| requirement)
    }

    /// Whether a gate is required at all.
    pub(super) fn requires(&self, gate: &str) -> bool {
        let mut required = self.required.iter();
        required.any(|(requirement, _)| requirement.gate == gate)
    }
}

/// What is due because of a gate, once nothing is running any more.
pub(super) enum Due {
    Nothing,
    /// A gate passed, so the pipeline pauses.
    Pause,
    /// A gate failed, with this error.
    Failure(Object),
}

/// What the results of gates made due while workstreams were running. A failure comes before a pause.
pub(super) fn take_due(change: &mut Change<'_>) -> Due {
    if !change.pipeline().names(IN_PROGRESS).is_empty() {
        return Due::Nothing;
    }
    let Some(Value::Object(receipts)) = change.root.get_mut("receipts") else {
        return Due::Nothing;
    };
    let mut due = Due::Nothing;
    for (_, receipt) in receipts.iter_mut() {
        let Value::Object(receipt) = receipt else {
            continue;
        };
        let pauses = receipt.remove(PAUSE_DUE).is_some();
        match (receipt.remove(FAILURE_DUE), &due) {
            (Some(Value::Object(error)), Due::Nothing | Due::Pause) => due = Due::Failure(error),
            (_, Due::Nothing) if pauses => due = Due::Pause,
            _ => {}
        }
    }
    due
}
