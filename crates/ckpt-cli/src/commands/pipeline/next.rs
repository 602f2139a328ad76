//! `ckpt pipeline next`

use ckpt::gate::Proof;
use ckpt::pipeline::{GateStanding, Readiness, Status};
use ckpt::voice::suggested;
use ckpt::workspace::{Depth, PipelineView};

use super::{picture, which};
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PipelineNext"))]
pub(crate) struct Report<'v> {
    pipeline: &'v str,
    status: String,
    ready: Vec<&'v str>,
    running: Vec<&'v str>,
    waiting: Vec<Waiting<'v>>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "WaitingWorkstream")
)]
pub(crate) struct Waiting<'v> {
    workstream: &'v str,
    waits_for: &'v [String],
}

/// Why nothing can start whatever is ready: the pipeline has failed, was aborted or is complete.
pub(super) fn halted(view: &PipelineView) -> Option<String> {
    let id = one_line(view.id.as_str());
    let word = suggested(view.id.as_str());
    let pipeline = view.pipeline();
    if let Some(reason) = pipeline.aborted() {
        let reason = one_line(&reason);
        return Some(format!(
            "{id} was aborted: {reason}. Take it up again with: ckpt pipeline fixed {word}\n"
        ));
    }
    match pipeline.status() {
        Status::Complete => Some(format!("{id} is complete.\n")),
        Status::Failed => {
            let why = pipeline.error().map(|(_, why)| one_line(&why));
            Some(format!(
                "{id} has failed: {}. Fix it, then run: ckpt pipeline fixed {word}\n",
                why.unwrap_or_default()
            ))
        }
        _ => None,
    }
}

/// What is left when every workstream is done.
fn at_the_end(session: &Session, view: &PipelineView) -> String {
    let word = suggested(view.id.as_str());
    let gates = session.workspace.known_gates(view, Depth::WithoutGit);
    let missing =
        |proof: Proof| matches!(proof, Proof::Missing | Proof::Failed | Proof::Interrupted);
    let missing: Vec<String> = gates
        .iter()
        .map(GateStanding::named)
        .filter(|known| missing(known.proof))
        .map(|known| known.gate)
        .collect();
    match missing.is_empty() {
        true => {
            format!("Every workstream is done. Complete it with: ckpt pipeline complete {word}\n")
        }
        false => format!(
            "Every workstream is done. Gates left: {}. Run one with: ckpt pipeline gate run {word} GATE\n",
            one_line(&missing.join(", "))
        ),
    }
}

/// Lists the workstreams that can start now.
pub(super) fn next(ui: &mut Ui, session: &Session, typed: Option<&str>) -> Result<Exit, Failure> {
    let view = session.workspace.pipeline(&which(session, typed)?).view()?;
    let schedule = view.schedule();
    let all = |wanted: Readiness| -> Vec<&str> {
        let found = schedule
            .iter()
            .filter(|(_, readiness)| *readiness == wanted);
        found.map(|(name, _)| name.as_str()).collect()
    };
    let (ready, running) = (all(Readiness::Ready), all(Readiness::Running));
    if session.json {
        let waiting = schedule
            .iter()
            .filter_map(|(name, readiness)| match readiness {
                Readiness::WaitsFor(waits_for) => Some(Waiting {
                    workstream: name,
                    waits_for,
                }),
                _ => None,
            });
        ui.json(&Report {
            pipeline: view.id.as_str(),
            status: view.pipeline().status().to_string(),
            waiting: waiting.collect(),
            ready,
            running,
        })?;
        return Ok(Exit::Done);
    }
    if let Some(line) = halted(&view) {
        ui.text(&line)?;
        return Ok(Exit::Done);
    }
    let mut text = String::new();
    for name in &ready {
        text += &picture::line(&view, name);
    }
    let review = view.pipeline().review();
    if let Some(trouble) = view.spec.trouble() {
        text += &format!("Nothing can start now: {}.\n", one_line(trouble));
    } else if let Some(objection) = review.and_then(|review| review.objection()) {
        text += &format!("Blocked by the review: {objection}.\n");
    } else if ready.is_empty() {
        let is_waiting =
            |(_, readiness): &(String, Readiness)| matches!(readiness, Readiness::WaitsFor(_));
        text += &match (running.is_empty(), schedule.iter().any(is_waiting)) {
            (true, true) => "Nothing can start now.\n".to_owned(),
            (true, false) => at_the_end(session, &view),
            (false, _) => format!("Nothing can start now. Running: {}\n", running.join(", ")),
        };
    }
    ui.text(&text)?;
    Ok(Exit::Done)
}
