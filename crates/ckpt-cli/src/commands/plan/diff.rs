//! What marking a plan would change.

use ckpt::key::PlanId;
use ckpt::workspace::Preview;
use similar::TextDiff;

use crate::failure::{Exit, Failure};
use crate::output;
use crate::session::Session;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 2;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanDiff"))]
pub(crate) struct Report<'p> {
    plan: &'p str,
    diff: &'p str,
}

/// Prints a diff that git and patch can apply.
pub(super) fn preview(session: &Session, id: &PlanId) -> Result<Exit, Failure> {
    let previews = session.workspace.preview_marks(id)?;
    let directory = format!("plans/{id}");
    let diff: String = previews
        .iter()
        .map(|preview| unified(&directory, preview))
        .collect();
    if session.json {
        output::json(&Report {
            plan: id.as_str(),
            diff: &diff,
        })?;
    } else {
        output::raw(diff.as_bytes())?;
    }
    Ok(Exit::Done)
}

fn unified(directory: &str, preview: &Preview) -> String {
    let Preview { file, .. } = preview;
    let (before, after) = (
        String::from_utf8_lossy(&preview.before),
        String::from_utf8_lossy(&preview.after),
    );
    TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(
            &format!("a/{directory}/{file}"),
            &format!("b/{directory}/{file}"),
        )
        .to_string()
}
