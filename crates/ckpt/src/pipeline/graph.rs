//! Dependencies between workstreams: checking a specification, and finding what can start now.

use std::collections::{HashMap, HashSet};

use super::model::Bucket;
use super::spec::{Position, Spec};
use crate::finding::{Finding, Severity};

/// Problems in the dependency graph of a specification.
#[must_use]
pub fn check(spec: &Spec, file: &str) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut report = |position: Position, severity, rule, message: String| {
        let line = u32::try_from(position.line).unwrap_or(u32::MAX);
        let finding = Finding::in_text((file, line), severity, rule, message);
        findings.push(finding.at_column(position.column));
    };
    let known: HashSet<&str> = spec.workstreams.iter().map(|ws| ws.id.as_str()).collect();
    for workstream in &spec.workstreams {
        for dependency in &workstream.depends_on {
            if !known.contains(dependency.name.as_str()) {
                let message = format!(
                    "{} depends on {}, which is not a workstream",
                    workstream.id, dependency.name
                );
                let rule = "pipeline.unknown-dependency";
                report(dependency.position, Severity::Error, rule, message);
            }
        }
    }
    for suspect in &spec.suspects {
        let (noun, name, meant) = (suspect.noun, &suspect.name.name, &suspect.meant);
        let message = match noun {
            "gate" => format!("gate {name} is not defined; did you mean {meant}?"),
            _ => format!("nothing reads the key {name}; did you mean {meant}?"),
        };
        let rule = "pipeline.suspect-name";
        report(suspect.name.position, Severity::Warning, rule, message);
    }
    let cycles = Cycles::of(spec);
    for cycle in &cycles.first {
        let workstream = &spec.workstreams[cycle[0]];
        let message = format!("dependency cycle: {}", path(spec, cycle));
        report(
            workstream.position,
            Severity::Error,
            "pipeline.cycle",
            message,
        );
    }
    if let (Some(last), more @ 1..) = (cycles.first.last(), cycles.more) {
        let message = format!("and {more} more dependency cycles");
        let position = spec.workstreams[last[0]].position;
        report(position, Severity::Error, "pipeline.cycle", message);
    }
    let mut placed: HashMap<&str, usize> = HashMap::new();
    for (number, phase) in spec.phases.iter().enumerate() {
        for reference in &phase.workstreams {
            let name = reference.name.as_str();
            if !known.contains(name) {
                let message = format!(
                    "phase \"{}\" names {name}, which is not a workstream",
                    phase.name
                );
                let rule = "pipeline.unknown-workstream";
                report(reference.position, Severity::Error, rule, message);
            } else if placed.insert(name, number).is_some() {
                let message = format!("{name} is in more than one phase; the first one counts");
                let rule = "pipeline.phase-twice";
                report(reference.position, Severity::Warning, rule, message);
            }
        }
    }
    for workstream in &spec.workstreams {
        if !spec.phases.is_empty() && !placed.contains_key(workstream.id.as_str()) {
            let message = format!("{} is in no phase", workstream.id);
            let rule = "pipeline.no-phase";
            report(workstream.position, Severity::Warning, rule, message);
        }
    }
    findings
}

/// The maximum number of a phase's workstreams to name when another workstream waits for the phase.
const MOST_HOLDING: usize = 20;

/// The maximum number of cycles to report, and of names in each.
const MOST_CYCLES: usize = 10;
const MOST_NAMES: usize = 20;

/// The names along a cycle, ending with the first one again.
fn path(spec: &Spec, cycle: &[usize]) -> String {
    let name = |position: &usize| spec.workstreams[*position].id.clone();
    let mut names: Vec<String> = cycle.iter().take(MOST_NAMES).map(name).collect();
    if let more @ 1.. = cycle.len() - names.len() {
        names.push(format!("{more} more"));
    }
    names.push(name(&cycle[0]));
    names.join(" -> ")
}

/// Dependency cycles.
#[derive(Default)]
struct Cycles {
    /// The first few, each as a path of workstream positions that leads back to its start.
    first: Vec<Vec<usize>>,
    /// How many more there are.
    more: usize,
}

impl Cycles {
    fn of(spec: &Spec) -> Self {
        let index: HashMap<&str, usize> = spec
            .workstreams
            .iter()
            .enumerate()
            .map(|(position, ws)| (ws.id.as_str(), position))
            .collect();
        let edges: Vec<Vec<usize>> = spec
            .workstreams
            .iter()
            .map(|ws| {
                let names = ws.depends_on.iter();
                names
                    .filter_map(|name| index.get(name.name.as_str()).copied())
                    .collect()
            })
            .collect();
        let mut walk = Walk {
            edges: &edges,
            states: vec![State::New; edges.len()],
            found: Self::default(),
        };
        for start in 0..edges.len() {
            walk.from(start);
        }
        walk.found
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    New,
    /// On the current path, at this depth.
    OnPath(usize),
    Finished,
}

/// A depth-first walk without recursion, because a chain of dependencies may be long.
struct Walk<'e> {
    edges: &'e [Vec<usize>],
    states: Vec<State>,
    found: Cycles,
}

impl Walk<'_> {
    fn from(&mut self, start: usize) {
        if self.states[start] != State::New {
            return;
        }
        let mut path = vec![(start, 0)];
        self.states[start] = State::OnPath(0);
        while let Some((node, next)) = path.last_mut() {
            let Some(&target) = self.edges[*node].get(*next) else {
                self.states[*node] = State::Finished;
                path.pop();
                continue;
            };
            *next += 1;
            match self.states[target] {
                State::New => {
                    self.states[target] = State::OnPath(path.len());
                    path.push((target, 0));
                }
                State::OnPath(_) if self.found.first.len() == MOST_CYCLES => self.found.more += 1,
                State::OnPath(begin) => {
                    let cycle = path[begin..].iter().map(|(node, _)| *node);
                    self.found.first.push(cycle.collect());
                }
                State::Finished => {}
            }
        }
    }
}

/// The workstreams of a pipeline, by bucket.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Buckets {
    /// Complete.
    pub completed: Vec<String>,
    /// Running.
    pub in_progress: Vec<String>,
    /// Not started yet.
    pub pending: Vec<String>,
    /// Deferred; they do not hold others back.
    pub dormant: Vec<String>,
}

impl Buckets {
    pub(super) fn list_mut(&mut self, bucket: Bucket) -> &mut Vec<String> {
        match bucket {
            Bucket::Completed => &mut self.completed,
            Bucket::InProgress => &mut self.in_progress,
            Bucket::Pending => &mut self.pending,
            Bucket::Dormant => &mut self.dormant,
        }
    }

    /// Adds workstreams from a list of failed ones: those in no other list have to be done again.
    pub(super) fn add_failed(&mut self, failed: Vec<String>) {
        if failed.is_empty() {
            return;
        }
        let lists = [
            &self.completed,
            &self.in_progress,
            &self.pending,
            &self.dormant,
        ];
        let mut known: HashSet<String> = lists.into_iter().flatten().cloned().collect();
        for name in failed {
            if known.insert(name.clone()) {
                self.pending.push(name);
            }
        }
    }
}

/// What a workstream can do now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Readiness {
    /// It is complete.
    Done,
    /// It is running.
    Running,
    /// It is deferred.
    Dormant,
    /// It can start.
    Ready,
    /// It waits for these; if it waits for a phase, these are the phase's first few workstreams.
    WaitsFor(Vec<String>),
}

/// What each workstream of a specification can do now, in order. A workstream can start once its dependencies and all
/// earlier phases are complete.
#[must_use]
pub fn schedule(spec: &Spec, buckets: &Buckets) -> Vec<(String, Readiness)> {
    let set = |names: &[String]| -> HashSet<String> { names.iter().cloned().collect() };
    let (completed, running) = (set(&buckets.completed), set(&buckets.in_progress));
    let dormant = set(&buckets.dormant);
    let is_over = |id: &str| completed.contains(id) || dormant.contains(id);
    let known: HashSet<&str> = spec.workstreams.iter().map(|ws| ws.id.as_str()).collect();
    let mut phase_of: HashMap<&str, usize> = HashMap::new();
    for (number, phase) in spec.phases.iter().enumerate() {
        for reference in &phase.workstreams {
            phase_of.entry(&reference.name).or_insert(number);
        }
    }
    // The first unfinished phase holds back all later ones.
    let open = |number: usize| -> Vec<&str> {
        let names = spec.phases[number].workstreams.iter();
        let names = names.map(|reference| reference.name.as_str());
        names
            .filter(|name| known.contains(name) && !is_over(name))
            .collect()
    };
    let first = (0..spec.phases.len()).find(|number| !open(*number).is_empty());
    let mut holding = first.map(open).unwrap_or_default();
    holding.truncate(MOST_HOLDING);
    let is_held =
        |id: &str| first.is_some_and(|first| phase_of.get(id).is_some_and(|own| *own > first));
    let readiness = |id: &str, dependencies: Vec<&str>| {
        if completed.contains(id) {
            return Readiness::Done;
        }
        if running.contains(id) {
            return Readiness::Running;
        }
        if dormant.contains(id) {
            return Readiness::Dormant;
        }
        let mut waits = dependencies;
        waits.retain(|dependency| !completed.contains(*dependency));
        if waits.is_empty() && is_held(id) {
            waits.clone_from(&holding);
        }
        match waits.is_empty() {
            true => Readiness::Ready,
            false => Readiness::WaitsFor(waits.into_iter().map(str::to_owned).collect()),
        }
    };
    spec.workstreams
        .iter()
        .map(|ws| {
            let names = ws
                .depends_on
                .iter()
                .map(|reference| reference.name.as_str());
            (ws.id.clone(), readiness(&ws.id, names.collect()))
        })
        .collect()
}
