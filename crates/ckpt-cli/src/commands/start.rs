//! `ckpt start`

use ckpt::command::{Checkpoint, ResumePoint};
use ckpt::key::CommandKey;
use ckpt::voice::suggested;
use ckpt::workspace::{Creation, Finished, StartRequest};
use clap::Args;

use super::issue::IssueBranch;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::{ChangeReport, Session};
use crate::ui::Ui;

/// Start a checkpoint for a command.
///
/// A checkpoint that is already in flight is left unchanged and its resume point is shown. The seven known commands
/// (start, design, reconcile, research, implement, ship, review) come with default phases.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt start implement auth --phases research,build,test\n  ckpt start implement auth --issue BAS-6 --branch"
)]
pub(crate) struct Start {
    /// The command, such as implement
    command: String,
    /// The feature it works on
    feature: Option<String>,
    /// The phases, in order
    #[arg(long, value_name = "A,B,C", value_delimiter = ',')]
    phases: Option<Vec<String>>,
    /// Start over if it is already complete; the history keeps the old one
    #[arg(long)]
    again: bool,
    /// Start it even if its name is much like that of another
    #[arg(long)]
    new: bool,
    /// The issue that it is about, such as BAS-6
    #[arg(long, value_name = "ISSUE")]
    issue: Option<String>,
    /// Create the branch of the issue and switch to it
    #[arg(long, requires = "issue")]
    branch: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Started"))]
pub(crate) struct Report<'o> {
    #[serde(flatten)]
    change: ChangeReport<'o>,
    resume: &'o ResumePoint,
    #[serde(skip_serializing_if = "Option::is_none")]
    issue: Option<&'o IssueBranch>,
}

impl Start {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let key = match (&self.feature, self.command.contains(['/', ':'])) {
            (Some(feature), true) => {
                let (command, _) = self.command.split_once(['/', ':']).unwrap_or_default();
                let message = format!(
                    "{:?} already names a feature, so {feature:?} cannot be another",
                    self.command
                );
                return Err(Failure::new(Exit::Usage, message).with_hint(format!(
                    "Write: ckpt start {} {}",
                    suggested(command),
                    suggested(feature)
                )));
            }
            (None, _) => CommandKey::parse(&self.command)?,
            (feature, false) => CommandKey::new(&self.command, feature.as_deref())?,
        };
        if !self.new {
            session.workspace.check_new(&key, Creation::Asked)?;
        }
        let phases = self.phases.map(|phases| {
            let named = phases.into_iter().map(|phase| phase.trim().to_owned());
            named.filter(|phase| !phase.is_empty()).collect::<Vec<_>>()
        });
        let issue = match &self.issue {
            Some(issue) => Some(IssueBranch::of(ui, session, &key, issue, self.branch)?),
            None => None,
        };
        let request = StartRequest {
            issue: issue.as_ref().map(|issue| issue.id.clone()),
            phases,
            finished: match self.again {
                true => Finished::StartOver,
                false => Finished::Refuse,
            },
        };
        let mut started = session.workspace.command(&key).start(&request)?;
        started.outcome.created = started.created;
        if let Some(issue) = issue.as_ref().filter(|issue| issue.is_created) {
            issue.switch(session, &key)?;
        }
        if session.json {
            ui.json(&Report {
                change: ChangeReport::new(&started.outcome),
                resume: &started.resume_point,
                issue: issue.as_ref(),
            })?;
            return Ok(Exit::Done);
        }
        session.report(ui, &started.outcome)?;
        let checkpoint = Checkpoint::new(started.outcome.document.root());
        let line = if started.created {
            let pending = checkpoint.pending_phases();
            let phases = match pending.is_empty() {
                true => "no phases yet".to_owned(),
                false => format!("phases: {}", one_line(&pending.join(", "))),
            };
            session.note_outside_git(ui);
            format!("started {}, {phases}\n", one_line(&key.short()))
        } else {
            let phase = started.resume_point.phase.as_deref();
            let next = phase.map(str::to_owned);
            let next = next.or_else(|| Some(checkpoint.pending_phases().first()?.to_string()));
            let progress = checkpoint.progress();
            format!(
                "{} is in flight: {} of {} phases done, next: {}\n",
                one_line(&key.short()),
                progress.done,
                progress.total,
                one_line(next.as_deref().unwrap_or("complete it")),
            )
        };
        let about = issue.map(|issue| issue.in_words());
        ui.text(&(line + &about.unwrap_or_default()))?;
        Ok(Exit::Done)
    }
}
