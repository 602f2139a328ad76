//! `ckpt ship text`

use ckpt::issue::IssueId;
use ckpt::key::{CommandKey, Key};
use ckpt::workspace::{ShippingText, Tracking};

use super::preview::note_findings;
use crate::failure::{Exit, Failure};
use crate::services::Services;
use crate::session::Session;
use crate::ui::Ui;

/// A part of the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq, clap::ValueEnum)]
pub(super) enum Part {
    Title,
    Body,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ShipText"))]
pub(crate) struct Report<'r> {
    key: &'r Key,
    title: &'r str,
    /// In Markdown.
    body: &'r str,
    /// The branch that is checked out.
    branch: Option<String>,
    /// The issue that is recorded.
    issue: Option<&'r IssueId>,
}

pub(super) fn run(
    ui: &mut Ui,
    session: &Session,
    key: &CommandKey,
    only: Option<Part>,
) -> Result<Exit, Failure> {
    let services = Services::open(session, ui.variables())?;
    note_findings(ui, &services.findings);
    let linear = &services.integrations.linear;
    let tracking = match linear.enabled && linear.use_native_automation {
        true => Tracking::Followed,
        false => Tracking::Ignored,
    };
    let ShippingText { text, issue } = session.workspace.shipping_text(key, tracking)?;
    if session.json {
        ui.json(&Report {
            key: &Key::from(key),
            title: &text.title,
            body: &text.body,
            branch: session.workspace.head().branch,
            issue: issue.as_ref(),
        })?;
        return Ok(Exit::Done);
    }
    let page = match only {
        Some(Part::Title) => format!("{}\n", text.title),
        Some(Part::Body) => text.body,
        None => format!("# {}\n\n{}", text.title, text.body),
    };
    ui.text(&page)?;
    Ok(Exit::Done)
}
