//! `ckpt start`

use ckpt::command::{Checkpoint, ResumePoint};
use ckpt::key::CommandKey;
use ckpt::voice::suggested;
use ckpt::workspace::{Creation, Finished, StartRequest};
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::{ChangeReport, Session};
use crate::ui::Ui;

/// Start a checkpoint for a command.
///
/// A checkpoint that is already in flight is left unchanged and its resume point is shown. The seven known commands
/// (start, design, reconcile, research, implement, ship, review) come with default phases.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt start implement auth --phases research,build,test")]
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
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Started"))]
pub(crate) struct Report<'o> {
    #[serde(flatten)]
    change: ChangeReport<'o>,
    resume: &'o ResumePoint,
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
        let request = StartRequest {
            phases,
            finished: match self.again {
                true => Finished::StartOver,
                false => Finished::Refuse,
            },
        };
        let mut started = session.workspace.command(&key).start(&request)?;
        started.outcome.created = started.created;
        if session.json {
            ui.json(&Report {
                change: ChangeReport::new(&started.outcome),
                resume: &started.resume_point,
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
        ui.text(&line)?;
        Ok(Exit::Done)
    }
}
