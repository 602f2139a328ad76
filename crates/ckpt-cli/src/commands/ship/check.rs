//! `ckpt ship check`

use ckpt::Severity;
use ckpt::gate::Success;
use ckpt::integrations;
use ckpt::key::{CommandKey, Key};
use ckpt::shipping::{Need, NeedStanding};
use ckpt::workspace::Wanted;

use super::preview::not_waited;
use crate::failure::{Exit, Failure};
use crate::render::style::{BAD, GOOD, WARN, one_line, paint};
use crate::services::Services;
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "ShipChecked"))]
pub(crate) struct Report<'r> {
    key: &'r Key,
    /// Whether nothing is unmet.
    ready: bool,
    needs: &'r [Need],
}

pub(super) fn run(ui: &mut Ui, session: &Session, key: &CommandKey) -> Result<Exit, Failure> {
    let (preview, flaws) = wanted(ui, session);
    let wanted = Wanted {
        preview,
        flaws: &flaws,
    };
    let needs = session.workspace.readiness(key, wanted)?;
    let mut standings = needs.iter().map(|need| need.standing);
    let ready = standings.all(|standing| standing != NeedStanding::Unmet);
    let exit = match ready {
        true => Exit::Done,
        false => Exit::Blocked,
    };
    if session.json {
        ui.json(&Report {
            key: &Key::from(key),
            ready,
            needs: &needs,
        })?;
        return Ok(exit);
    }
    let lines: String = needs.iter().map(line).collect();
    ui.text(&lines)?;
    Ok(exit)
}

/// What the settings of integrations want, and what is wrong with them.
fn wanted(ui: &Ui, session: &Session) -> (Option<Success>, Vec<String>) {
    let services = match Services::open(session, ui.variables()) {
        Ok(services) => services,
        Err(failure) => return (None, vec![failure.message().to_owned()]),
    };
    let flaws = services.findings.iter();
    let flaws = flaws.filter(|finding| finding.severity == Severity::Error);
    let flaws = flaws.map(|finding| format!("{}: {finding}", integrations::FILE));
    let success = match services.integrations.vercel.require_preview_success {
        true => Success::Required,
        false => Success::Welcome,
    };
    let wanted = not_waited(&services).is_none().then_some(success);
    (wanted, flaws.collect())
}

fn line(need: &Need) -> String {
    let (style, mark) = match need.standing {
        NeedStanding::Met => (GOOD, "✓"),
        NeedStanding::Advised => (WARN, "!"),
        NeedStanding::Unmet => (BAD, "✗"),
    };
    let mut line = format!(
        "{} {}: {}",
        paint(style, mark),
        one_line(&need.about),
        one_line(&need.text)
    );
    if let Some(command) = &need.command {
        line += &format!("; next: {}", one_line(command));
    }
    line + "\n"
}
