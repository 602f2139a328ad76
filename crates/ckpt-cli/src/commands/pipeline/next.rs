//! `ckpt pipeline next`

use ckpt::pipeline::{Readiness, Review};

use super::{picture, which};
use crate::failure::{Exit, Failure};
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
    if let Some(review) = view.pipeline().review().filter(Review::blocks) {
        text += &format!("Blocked by the review: {} P0 findings.\n", review.p0);
    } else if ready.is_empty() {
        text += &match running.is_empty() {
            true => "Nothing can start now.\n".to_owned(),
            false => format!("Nothing can start now. Running: {}\n", running.join(", ")),
        };
    }
    ui.text(&text)?;
    Ok(Exit::Done)
}
