//! Finding the workstreams and gates that a user means.

use ckpt::gate::GateName;
use ckpt::key::PipelineId;
use ckpt::pipeline::Refusal;
use ckpt::workspace::{Outcome, PipelineView, WorkspaceError};

use crate::commands::target::meant;
use crate::failure::Failure;
use crate::session::Session;

/// Makes a change that names workstreams. Only if the pipeline does not have one of them, it is read first, to find what
/// was meant.
pub(super) fn with_workstreams(
    session: &Session,
    id: &PipelineId,
    mut names: Vec<String>,
    change: impl Fn(&[String]) -> Result<Outcome, WorkspaceError>,
) -> Result<Outcome, Failure> {
    let refusal = match change(&names) {
        Err(WorkspaceError::Pipeline(refusal @ Refusal::UnknownWorkstream { .. })) => refusal,
        changed => return Ok(changed?),
    };
    let view = session.workspace.pipeline(id).view()?;
    for name in &mut names {
        match workstream(&view, name)? {
            Some(found) => *name = found,
            None => return Err(refusal.into()),
        }
    }
    Ok(change(&names)?)
}

/// The same for a change that names a gate.
pub(super) fn with_gate(
    session: &Session,
    id: &PipelineId,
    gate: GateName,
    change: impl Fn(&GateName) -> Result<Outcome, WorkspaceError>,
) -> Result<Outcome, Failure> {
    match change(&gate) {
        Err(WorkspaceError::Pipeline(
            Refusal::UnknownGate { .. } | Refusal::UnknownWorkstream { .. },
        )) => {
            let view = session.workspace.pipeline(id).view()?;
            Ok(change(&spelled_out(&view, gate)?)?)
        }
        changed => Ok(changed?),
    }
}

/// A gate with its whole name and that of its workstream, as far as the pipeline has them.
pub(super) fn spelled_out(view: &PipelineView, mut gate: GateName) -> Result<GateName, Failure> {
    let spec = view.spec.spec();
    let gates = spec.map(|spec| spec.gates.as_slice()).unwrap_or_default();
    let known: Vec<(&str, &str)> = gates
        .iter()
        .map(|known| (&*known.name, &*known.name))
        .collect();
    if let Some(found) = meant("gate", &gate.name, view.id.as_str(), &known)? {
        gate.name = found.to_owned();
    }
    if let Some(typed) = &gate.workstream
        && let Some(found) = workstream(view, typed)?
    {
        gate.workstream = Some(found);
    }
    Ok(gate)
}

/// The workstream that is meant.
fn workstream(view: &PipelineView, typed: &str) -> Result<Option<String>, Failure> {
    let schedule = view.schedule();
    let known: Vec<(&str, &str)> = schedule
        .iter()
        .map(|(name, _)| (&**name, &**name))
        .collect();
    let found = meant("workstream", typed, view.id.as_str(), &known)?;
    Ok(found.map(str::to_owned))
}
