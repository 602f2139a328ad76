//! Recording a sub-agent's response in a checkpoint.

use super::{Checkpoint, Naming, PhaseStatus, PhaseUpdate, Refusal, update_phase};
use crate::document::{Object, Value};
use crate::handoff::{Decision, Reply};
use crate::key::CommandKey;
use crate::operation::{Changed, Stamp};
use crate::tokens::{Limit, fit};

/// Where to record a response.
#[derive(Debug, Clone, Copy)]
pub struct ReplyTarget<'t> {
    /// The phase; if `None`, the current phase, else the one named in the response.
    pub phase: Option<&'t str>,
    /// Whether the response completes the phase.
    pub completes: bool,
    /// Who records it.
    pub by: &'t str,
    /// Whether the phase may be a new one.
    pub naming: Naming,
}

/// Records a response: its summary and files in the phase, alongside those of others; its result under its task; and
/// its blockers in the gate, until a response to the same task says to proceed.
pub fn record_reply(
    present: Value,
    key: &CommandKey,
    reply: &Reply,
    target: &ReplyTarget<'_>,
    stamp: &Stamp,
    limit: Limit,
) -> Result<Changed, Refusal> {
    let checkpoint = Checkpoint::new(present.view());
    let current = checkpoint.current_phase();
    let phase = target.phase.or(current.as_deref());
    let phase = phase.unwrap_or(&reply.phase).to_owned();
    let has_status = checkpoint
        .phase(&phase)
        .is_some_and(super::Phase::has_status);
    let status = match (target.completes, has_status) {
        (true, _) => Some(PhaseStatus::Complete),
        (false, false) => Some(PhaseStatus::InProgress),
        (false, true) => None,
    };
    let mut data = Object::new();
    // The record of the reply keeps all of a summary that is too long.
    data.set("context_summary", shortened(&reply.summary, limit));
    data.object_mut("handoffs")
        .set(&reply.task, reply.record(target.by, stamp.now));
    let update = PhaseUpdate {
        status,
        data,
        created: reply.created.clone(),
        modified: reply.modified.clone(),
        naming: target.naming,
        ..PhaseUpdate::default()
    };
    let mut changed = update_phase(Some(present), key, &phase, &update, stamp, limit)?;
    if let Value::Object(root) = &mut changed.value {
        set_blockers(root, reply);
    }
    changed.events.push(reply.event());
    Ok(changed)
}

/// A summary within the limit: whole sentences, else whole words, else as many characters as fit.
fn shortened(summary: &str, limit: Limit) -> String {
    let fitted = fit(summary, limit);
    if !fitted.text.is_empty() || summary.is_empty() {
        return fitted.text;
    }
    let ends: Vec<usize> = summary.char_indices().map(|(at, _)| at).collect();
    let count = ends.partition_point(|end| limit.counter.fits(&summary[..*end], limit.most));
    summary[..ends[count.saturating_sub(1)]].to_owned()
}

/// Replaces the blockers of earlier responses to the same task.
fn set_blockers(root: &mut Object, reply: &Reply) {
    let gate = root.get("gate").and_then(Value::as_object);
    let present = gate.and_then(|gate| gate.get("blockers")?.as_array());
    let present = present.unwrap_or_default();
    let is_own = |blocker: &Value| {
        blocker
            .as_str()
            .is_some_and(|text| reply.is_own_blocker(text))
    };
    if reply.decision == Decision::Proceed && !present.iter().any(is_own) {
        return;
    }
    let kept = present.iter().filter(|blocker| !is_own(blocker)).cloned();
    let added = reply.blockers().into_iter().map(Value::from);
    let blockers: Vec<Value> = kept.chain(added).collect();
    let gate = root.object_mut("gate");
    gate.set("ship_allowed", false);
    gate.set("blockers", Value::Array(blockers));
    if reply.decision != Decision::Proceed {
        // The override was given without knowing of these blockers.
        gate.remove("override");
    }
}
