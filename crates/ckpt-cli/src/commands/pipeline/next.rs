//! `ckpt pipeline next`

use ckpt::pipeline::Readiness;

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
        text += &match running.is_empty() {
            true => "Nothing can start now.\n".to_owned(),
            false => format!("Nothing can start now. Running: {}\n", running.join(", ")),
        };
    }
    ui.text(&text)?;
    Ok(Exit::Done)
}
