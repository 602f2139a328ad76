//! `ckpt resume`

mod auto;

use ckpt::Lifecycle;
use ckpt::facts::Facts;
use ckpt::key::Key;
use ckpt::resume::{DriftNote, Text, brief, drift_line, whole};
use ckpt::voice::{first_names, name};
use ckpt::workspace::{Depth, Summary, Workspace};
use clap::Args;

use super::recover::offer_of_copy;
use super::target::told_of_archive;
use crate::completion::Ids;
use crate::failure::{Exit, Failure, reason};
use crate::session::Session;
use crate::ui::Ui;

/// Show where the work stands and what comes next.
///
/// Covers one checkpoint, or everything in flight in this worktree, within a token budget. Hazards and the next step are
/// always shown.
///
/// With --auto, for a command that is run again: first heals what it left behind (brings back what is missing, restores
/// what is damaged, settles an interrupted change, records edits by other programs), then finds the checkpoint of the
/// command and shows its brief. Nothing is started. COMMAND is also `build` for pipelines, `plan` for plans, or the name
/// of a checkpoint.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  ckpt resume implement/auth --drift
  ckpt resume --auto implement auth

With --auto, the exit code is 0 if there is something to resume, 3 if there is nothing, 5 if several
are in flight, and 8 if it is complete already; of several complete ones, the newest counts. It is 7
if there is something and the ground has moved since: HEAD is another commit, others have committed,
or another branch is checked out. Commits that ckpt ack has acknowledged do not count.")]
pub(crate) struct Resume {
    /// The checkpoint; omit for everything in flight. With --auto, the command
    #[arg(add = Ids::Keys)]
    key: Option<String>,
    /// With --auto, the feature; omit if only one checkpoint of the command is in flight
    #[arg(requires = "auto")]
    feature: Option<String>,
    /// Heal what the command left behind, and find where it was
    #[arg(long, requires = "key", conflicts_with = "fail_if_stale")]
    auto: bool,
    /// Maximum number of tokens, by the claude counter, which errs on the high side
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Tell everything, however long it is
    #[arg(long, conflicts_with = "budget")]
    full: bool,
    /// Show what changed in git since the checkpoint was saved
    #[arg(long)]
    drift: bool,
    /// Exit with 7 if HEAD has moved since the checkpoint was saved
    #[arg(long)]
    fail_if_stale: bool,
}

/// What is said if there is nothing to resume.
const NOTHING: &str = "Nothing in flight. Start with: ckpt plan new TITLE --from FILE for a list of steps, or \
                       ckpt start COMMAND [FEATURE] for a command\n";

/// What is said if all that there was is missing.
pub(super) const MISSING: &str =
    "Nothing in flight, but something is missing. Bring everything back with: ckpt recover\n";

/// What is said if what is missing cannot be brought back.
const UNUSABLE: &str =
    "Nothing in flight, and what is missing cannot be brought back. See why with: ckpt recover\n";

/// What was in flight in worktrees that are gone, and how it comes back. Empty if nothing was.
pub(super) fn left_behind(workspace: &Workspace) -> String {
    let mut left = workspace.lost_with_worktrees();
    left.retain(|lost| lost.lifecycle == Lifecycle::InFlight);
    let mut names: Vec<String> = left.iter().map(|lost| lost.key.short()).collect();
    names.dedup();
    match left.as_slice() {
        [] => String::new(),
        [one] => offer_of_copy(one) + "\n",
        _ => format!(
            "{} of worktrees that are gone: bring each back here with: ckpt recover KEY\n",
            first_names(&names)
        ),
    }
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Resumed"))]
pub(crate) struct Report<'r> {
    #[serde(flatten)]
    facts: &'r Facts,
    in_flight: &'r [Summary],
    #[serde(skip_serializing_if = "Option::is_none")]
    drift: Option<DriftNote>,
    text: &'r str,
    tokens: usize,
    shortened: bool,
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    again: Option<auto::Again>,
}

impl Resume {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        if self.auto {
            return self.again(ui, session);
        }
        let workspace = &session.workspace;
        let key = match self.key.as_deref() {
            Some(typed) => {
                let told = found(ui, session, typed);
                Some(told.map_err(|failure| told_of_archive(session, typed, failure))?)
            }
            None => None,
        };
        let facts = match &key {
            Some(key) => workspace.facts_about(key, Depth::Full)?,
            None => {
                let survey = workspace.survey()?;
                let facts = workspace.facts_in(&survey, Depth::Full)?;
                // A checkpoint that cannot be read does not hide the others.
                for problem in survey.problems {
                    ui.note(&format!("warning: {}", reason(problem)));
                }
                facts
            }
        };
        if let (Some(key), Some(focus)) = (&key, &facts.focus)
            && focus.lifecycle == Lifecycle::Complete
        {
            return Err(ckpt::Refusal::AlreadyComplete(key.clone()).into());
        }
        let in_flight = match session.json || self.fail_if_stale {
            true => in_flight(session, key.as_ref())?,
            false => Vec::new(),
        };
        let focus = facts.focus.as_ref().map(|focus| &focus.key);
        let drift = match (self.drift, focus) {
            (true, Some(focus)) => workspace.read(focus)?.drift()?.map(DriftNote::from),
            _ => None,
        };
        let page = self.page(session, &facts);
        let left = match focus {
            Some(_) => String::new(),
            None => left_behind(workspace),
        };
        if session.json {
            ui.json(&Report {
                facts: &facts,
                in_flight: &in_flight,
                drift,
                text: &format!("{}{left}", page.text),
                tokens: page.tokens(),
                shortened: page.shortened,
                again: None,
            })?;
        } else if facts.focus.is_none() {
            match facts.missing().next() {
                Some(_) => ui.text(MISSING)?,
                None if !session.workspace.unusable_copies().is_empty() => ui.text(UNUSABLE)?,
                None => ui.text(NOTHING)?,
            }
            ui.text(&left)?;
            if facts.is_worth_telling() {
                ui.text(&page.text)?;
            }
        } else {
            if let Some(drift) = &drift {
                ui.text(&format!("{}\n", drift_line(drift)))?;
            }
            ui.text(&page.text)?;
        }
        let is_stale = in_flight.iter().any(|summary| summary.stale.is_some());
        Ok(match is_stale && self.fail_if_stale {
            true => Exit::Stale,
            false => Exit::Done,
        })
    }
}

impl Resume {
    fn page(&self, session: &Session, facts: &Facts) -> Text {
        let budget = self.budget;
        match self.full {
            true => whole(facts),
            false => brief(
                facts,
                budget.unwrap_or_else(|| session.settings.resume_budget()),
            ),
        }
    }
}

/// Finds a checkpoint, and notes each finding of it.
fn found(ui: &Ui, session: &Session, typed: &str) -> Result<Key, Failure> {
    let key = session.workspace.find_key(typed)?;
    tell_findings(ui, session, &key)?;
    Ok(key)
}

/// Notes each finding of a checkpoint.
fn tell_findings(ui: &Ui, session: &Session, key: &Key) -> Result<(), Failure> {
    for finding in session.workspace.read(key)?.findings()? {
        ui.note(&format!("{}: {finding}", name(&key.short())));
    }
    Ok(())
}

/// The checkpoints in flight, or the one that was named.
fn in_flight(session: &Session, named: Option<&Key>) -> Result<Vec<Summary>, Failure> {
    let (summaries, _) = session.workspace.list(Depth::Full)?;
    let is_meant = |summary: &Summary| match named {
        Some(key) => summary.key == *key,
        None => summary.lifecycle == Lifecycle::InFlight && summary.dormant_on.is_none(),
    };
    Ok(summaries.into_iter().filter(is_meant).collect())
}
