//! Recording a sub-agent's response in a pipeline.

use super::change::Change;
use super::model::Status;
use super::operations::{Failure, done, fail};
use super::refusal::Refusal;
use super::spec::Spec;
use crate::document::{Object, Value};
use crate::handoff::{Decision, Reply, Status as Answer};
use crate::key::PipelineId;
use crate::operation::{Changed, Stamp};

/// Records a response whose task is a workstream under `handoffs`. Depending on its status, the workstream is
/// completed with the response's files as artifacts, fails with its blockers, or stays running.
pub fn record_reply(
    present: Value,
    id: &PipelineId,
    spec: Option<&Spec>,
    reply: &Reply,
    by: &str,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, spec, stamp)?;
    change.place(&reply.task)?;
    if !matches!(change.root.get("handoffs"), None | Some(Value::Object(_))) {
        return Err(Refusal::InTheWay("handoffs"));
    }
    let handoffs: &mut Object = change.root.object_mut("handoffs");
    handoffs.set(&reply.task, reply.record(by, stamp.now));
    let has_failed = change.status == Status::Failed;
    let value = Value::Object(change.root);
    let mut changed = match (reply.decision, reply.status) {
        (Decision::Proceed, Answer::Complete) => {
            let files = [reply.created.as_slice(), &reply.modified].concat();
            done(value, id, spec, &reply.task, &files, stamp)?
        }
        (Decision::Stop | Decision::Clarify, _) if !has_failed => {
            let failure = Failure {
                message: reply.blockers().join("; "),
                ..Failure::default()
            };
            fail(value, id, &reply.task, &failure, stamp)?
        }
        // The workstream is still running, or the pipeline has already failed and says why.
        _ => Change::of(value, id, spec, stamp)?.finish(Vec::new()),
    };
    changed.events.push(reply.event());
    Ok(changed)
}
