//! `ckpt plan mark --dry-run`

use ckpt::key::PlanId;

use crate::failure::{Exit, Failure};
use crate::render::diff::unified;
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanDiff"))]
pub(crate) struct Report<'p> {
    plan: &'p str,
    diff: &'p str,
}

/// Prints a diff that git and patch can apply.
pub(super) fn preview(ui: &mut Ui, session: &Session, id: &PlanId) -> Result<Exit, Failure> {
    let previews = session.workspace.plan(id).preview_marks()?;
    let diffs = previews.iter().map(|preview| {
        let name = format!("plans/{id}/{}", preview.file);
        unified(&name, &preview.before, &preview.after)
    });
    let diff: String = diffs.collect();
    if session.json {
        ui.json(&Report {
            plan: id.as_str(),
            diff: &diff,
        })?;
    } else {
        ui.raw(diff.as_bytes())?;
    }
    Ok(Exit::Done)
}
