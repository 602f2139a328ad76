//! `ckpt plan list`

use ckpt::key::Key;
use ckpt::workspace::{Depth, Summary};

use super::{CREATE, is_plan, none_of};
use crate::failure::{Exit, Failure, reason};
use crate::render::row::{Row, table};
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanList"))]
pub(crate) struct Report<'s> {
    /// The plan that is used when none is named.
    current: Option<&'s str>,
    plans: &'s [Summary],
    unreadable: Vec<String>,
}

/// Lists all plans, the newest first. The current one is marked.
pub(super) fn list(ui: &mut Ui, session: &Session, current: Option<&str>) -> Result<Exit, Failure> {
    let (summaries, problems) = session.workspace.list_plans_only(Depth::WithoutGit)?;
    let mut plans = summaries;
    plans.reverse();
    let unreadable: Vec<String> = problems.into_iter().map(reason).collect();
    if session.json {
        ui.json(&Report {
            current,
            plans: &plans,
            unreadable,
        })?;
        return Ok(Exit::Done);
    }
    let rows: Vec<Row> = plans
        .iter()
        .map(|summary| {
            let is_current = matches!(&summary.key, Key::Plan(id) if Some(id.as_str()) == current);
            Row::of(summary, session.now()).marked(is_current)
        })
        .collect();
    ui.text(&table(&rows))?;
    if plans.is_empty() {
        let (message, hint) = none_of(session, is_plan, "No plans yet", CREATE);
        ui.text(&format!("{message}. {hint}\n"))?;
    }
    for problem in unreadable {
        ui.note(&format!("warning: {problem}"));
    }
    Ok(Exit::Done)
}
