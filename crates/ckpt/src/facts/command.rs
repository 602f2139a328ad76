//! What a command checkpoint says about its work.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use super::Hazard;
use super::agents::{reports_in, stops_in};
use super::tell::some;
use super::work::{
    Blocker, Evidence, GateFact, HeldUp, Item, MOST_LISTED, State, Trouble, Unit, Work,
};
use crate::command::{Checkpoint, Phase, PhaseStatus};
use crate::document::{Tree, Value};
use crate::gate::{Proof, Verdict};
use crate::key::Key;
use crate::sub_agents;
use crate::voice::{name, quote, suggested};

/// Phases that ship something, by the beginning of a word in their name.
const SHIPPING: [&str; 6] = ["push", "ship", "deploy", "release", "publish", "merge"];

/// Describes a command checkpoint. `verdict` is that of its gate, if it has one; `moved` are the files that changed
/// since the gate was approved.
#[must_use]
pub fn work_of_command<'t, T: Tree<'t>>(
    key: &Key,
    checkpoint: Checkpoint<T>,
    root: &Value,
    gates: Vec<GateFact>,
    verdict: Option<&Verdict>,
    moved: &[String],
    ended_override: Option<(String, String)>,
) -> Work {
    let (items, unlisted) = items(key, checkpoint);
    let stops = root.as_object().map(sub_agents::stops).unwrap_or_default();
    let mut blockers = stops_in(key, &stops, &items);
    let newer = checkpoint.newer();
    let mut troubles: Vec<Trouble> = newer.iter().map(Trouble::of_newer).collect();
    let failed = gates.iter().filter(|gate| gate.proof == Proof::Failed);
    let failed = failed.count();
    if let Some(verdict) = verdict {
        let shipping = items
            .iter()
            .filter(|item| item.state.is_open() && ships(&item.id));
        let shipping: Vec<String> = shipping.map(|item| item.id.clone()).collect();
        match verdict {
            Verdict::Blocked { .. } => {
                // Replies that say not to proceed are told by themselves.
                let is_told = |reason: &String| {
                    stops.iter().any(|stop| {
                        reason.starts_with(&format!("{} {}: ", stop.task, stop.decision))
                    })
                };
                let mut reasons = verdict.known_reasons();
                reasons.retain(|reason| !is_told(reason));
                if let Some(blocker) =
                    gate_blocker(key, checkpoint, &reasons, shipping, moved, failed)
                {
                    match blocker.about.is_empty() {
                        // A gate is about shipping; without a phase that ships, nothing waits for it.
                        true => troubles.push(Trouble {
                            hazard: blocker.hazard,
                            ids: Vec::new(),
                            text: format!("{}: {}", blocker.in_words(), quote(&blocker.text)),
                            command: blocker.record,
                        }),
                        false => blockers.push(blocker),
                    }
                }
            }
            Verdict::Overridden { reason, by, .. } => troubles.push(Trouble {
                hazard: Hazard::GateOverridden,
                ids: Vec::new(),
                text: format!("The gate was overridden by {}: {}", name(by), quote(reason)),
                command: None,
            }),
            Verdict::NotChecked => troubles.push(Trouble {
                hazard: Hazard::GateUnchecked,
                ids: Vec::new(),
                text: "The gate was approved; whether for this content was not checked.".to_owned(),
                command: Some(format!("ckpt gate check {}", suggested(&key.short()))),
            }),
            Verdict::Allowed { .. } => {}
        }
    }
    let is_overridden = matches!(verdict, Some(Verdict::Overridden { .. }));
    if let Some((by, reason)) = ended_override.filter(|_| !is_overridden) {
        troubles.push(Trouble {
            hazard: Hazard::GateOverridden,
            ids: Vec::new(),
            text: format!(
                "The gate was overridden by {}, {}; that no longer counts.",
                name(&by),
                quote(&reason)
            ),
            command: None,
        });
    }
    Work {
        key: key.clone(),
        title: checkpoint.issue().map(|issue| format!("issue {issue}")),
        unit: Unit::Phases,
        lifecycle: checkpoint.lifecycle(),
        progress: checkpoint.progress(),
        items,
        unlisted,
        decided: Vec::new(),
        noted: Vec::new(),
        blockers,
        reports: root.as_object().map(reports_in).unwrap_or_default(),
        gates,
        troubles,
        files: checkpoint.files(),
        abandoned: checkpoint.abandon_reason().map(Cow::into_owned),
        closing: Some(format!("ckpt complete {}", suggested(&key.short()))),
        held_up: newer.map(|_| HeldUp::until_upgrade(key)),
    }
}

/// Whether a phase ships something.
pub(super) fn ships(phase: &str) -> bool {
    let phase = phase.to_lowercase();
    let mut words = phase.split(|c: char| !c.is_alphanumeric());
    words.any(|word| SHIPPING.iter().any(|ships| word.starts_with(ships)))
}

/// What a blocked gate keeps from being done. A gate that nobody has set is not in the way yet.
fn gate_blocker<'t, T: Tree<'t>>(
    key: &Key,
    checkpoint: Checkpoint<T>,
    reasons: &[String],
    shipping: Vec<String>,
    moved: &[String],
    failed: usize,
) -> Option<Blocker> {
    let gate = checkpoint.gate().filter(|_| !reasons.is_empty())?;
    let key = suggested(&key.short());
    let is_approved = gate.get("ship_allowed").and_then(T::as_bool) == Some(true);
    // A gate that failed does not make an approval void.
    let is_void = is_approved && reasons.len() > failed;
    let mut text = reasons.join("; ");
    if !moved.is_empty() {
        text += &format!(": {}", some(moved));
    }
    Some(match is_void {
        true => Blocker {
            hazard: Hazard::GateVoid,
            action: Some(format!(
                "Ask whoever approves to look at {key} again, because {text}. They approve it with: ckpt gate set {key} --allow."
            )),
            text,
            about: shipping,
            record: Some(format!("ckpt gate check {key}")),
        },
        false => Blocker {
            hazard: Hazard::GateBlocked,
            action: None,
            text,
            about: shipping,
            record: Some(format!("ckpt gate check {key}")),
        },
    })
}

/// The phases, and how many more there are.
fn items<'t, T: Tree<'t>>(key: &Key, checkpoint: Checkpoint<T>) -> (Vec<Item>, usize) {
    let mut seen: HashSet<String> = HashSet::new();
    let mut items = Vec::new();
    let completed = checkpoint.completed_phases();
    let recorded = checkpoint.phases();
    let records: HashMap<&str, Phase<T>> = recorded
        .iter()
        .map(|(phase, record)| (phase.as_ref(), *record))
        .collect();
    let done: HashSet<&str> = completed.iter().map(Cow::as_ref).collect();
    let current = checkpoint.current_phase();
    let pending = checkpoint.pending_phases();
    let older = completed.len().saturating_sub(MOST_LISTED);
    let later = pending.len().saturating_sub(MOST_LISTED);
    let names = completed[older..]
        .iter()
        .cloned()
        .chain(recorded.iter().map(|(phase, _)| phase.clone()))
        .chain(current.clone())
        .chain(pending.into_iter().take(MOST_LISTED));
    for phase in names {
        if seen.insert(phase.to_string()) {
            let known = Known {
                record: records.get(phase.as_ref()).copied(),
                is_completed: done.contains(phase.as_ref()),
                is_current: current.as_ref() == Some(&phase),
            };
            items.push(item(key, checkpoint, &phase, known));
        }
    }
    // Phases come one after the other.
    let mut before: Option<String> = None;
    for item in &mut items {
        match (&before, &item.state) {
            (Some(before), State::Open) => {
                item.state = State::Waiting(vec![format!("phase {}", name(before))]);
            }
            (None, state) if state.is_open() => before = Some(item.id.clone()),
            _ => {}
        }
    }
    (items, older + later)
}

/// What a checkpoint says about a phase.
#[derive(Clone, Copy)]
struct Known<T> {
    record: Option<Phase<T>>,
    is_completed: bool,
    is_current: bool,
}

fn item<'t, T: Tree<'t>>(
    key: &Key,
    checkpoint: Checkpoint<T>,
    phase: &str,
    known: Known<T>,
) -> Item {
    let Known {
        record,
        is_completed,
        is_current,
    } = known;
    let text = |of: fn(Phase<T>) -> Option<Cow<'t, str>>| record.and_then(of).map(Cow::into_owned);
    let state = match record.and_then(Phase::status) {
        Some(PhaseStatus::Complete) => State::Done,
        Some(PhaseStatus::Skipped) => State::Skipped,
        Some(PhaseStatus::Failed) => State::Failed,
        Some(PhaseStatus::InProgress) => State::InProgress,
        _ if is_completed => State::Done,
        _ if is_current => State::InProgress,
        Some(PhaseStatus::Pending) | None => State::Open,
    };
    let files = record.map(|record| {
        let files = record.files_created().into_iter();
        let files = files.chain(record.files_modified());
        files.map(Cow::into_owned).collect()
    });
    let task = checkpoint.current_task().filter(|_| is_current);
    let summary = text(Phase::summary);
    Item {
        id: phase.to_owned(),
        what: "phase",
        title: None,
        group: None,
        task: task.map(Cow::into_owned).filter(|_| state.is_open()),
        error: text(Phase::error).filter(|_| state == State::Failed),
        reason: match state {
            State::Skipped => text(Phase::error).or_else(|| summary.clone()),
            _ => None,
        },
        summary: summary.filter(|_| state != State::Skipped),
        evidence: Evidence::Reported,
        owner: None,
        done_in: None,
        needs: Vec::new(),
        start: None,
        record: format!(
            "ckpt phase {} {} complete --summary SUMMARY",
            suggested(&key.short()),
            suggested(phase)
        ),
        files: files.unwrap_or_default(),
        state,
    }
}
