//! `ckpt pipeline resume`

use ckpt::gate::Proof;
use ckpt::key::PipelineId;
use ckpt::pipeline::Status;
use ckpt::voice::suggested;
use ckpt::workspace::{Depth, PipelineView, Wording};
use clap::Args;

use super::gate::standing_line;
use super::which;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

/// Show where to resume a pipeline.
///
/// A failed pipeline needs --fixed. One that was in progress needs --restart, which makes the running workstreams
/// pending again, or --continue. On a terminal, ckpt asks.
#[derive(Debug, Args)]
pub(crate) struct Resume {
    /// The pipeline's id; omit if only one is in flight
    #[arg(add = Ids::Pipelines)]
    id: Option<String>,
    /// The failure has been fixed
    #[arg(long)]
    fixed: bool,
    /// Restart the workstreams that were in progress
    #[arg(long, conflicts_with = "continue")]
    restart: bool,
    /// Continue the workstreams that were in progress
    #[arg(long)]
    r#continue: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "PipelineResumed")
)]
pub(crate) struct Report<'r> {
    pipeline: &'r str,
    status: String,
    phase: Option<usize>,
    completed: Vec<String>,
    pending: Vec<String>,
    interrupted: Vec<String>,
    spec_moved: bool,
    text: &'r str,
}

impl Resume {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let id = which(session, self.id.as_deref())?;
        let mut view = workspace.pipeline(&id).view()?;
        match view.pipeline().status() {
            Status::Complete => {
                return Err(ckpt::Refusal::AlreadyComplete((&id).into()).into());
            }
            Status::Failed
                if !self.fixed
                    && let Some(reason) = view.pipeline().aborted() =>
            {
                let message = format!("{id} was aborted: {}", one_line(&reason));
                let hint = format!(
                    "Take it up again with: ckpt pipeline fixed {}",
                    suggested(id.as_str())
                );
                return Err(Failure::new(Exit::Invalid, message).with_hint(hint));
            }
            Status::Failed => {
                let error = view.failure(Wording::Plain);
                if !self.fixed && !asked(ui, session, &format!("{error}\nIs it fixed?")) {
                    return Err(
                        Failure::new(Exit::Invalid, format!("{id} has failed: {error}"))
                            .with_hint("Fix the problem, then resume with --fixed"),
                    );
                }
                workspace.pipeline(&id).fixed()?;
                view = workspace.pipeline(&id).view()?;
            }
            Status::InProgress if !self.r#continue => {
                let running = view.pipeline().buckets().in_progress;
                let is_restart = self.restart
                    || (!running.is_empty()
                        && chosen(ui, session, &id, &running)? == Choice::Restart);
                if is_restart {
                    workspace.pipeline(&id).restart()?;
                    view = workspace.pipeline(&id).view()?;
                }
            }
            _ => {}
        }
        let mut text = view.resume_text(Wording::Plain);
        text += &gates(session, &view);
        if session.json {
            let buckets = view.pipeline().buckets();
            ui.json(&Report {
                pipeline: id.as_str(),
                status: view.pipeline().status().to_string(),
                phase: view.resume_phase(),
                completed: buckets.completed,
                pending: buckets.pending,
                interrupted: view.pipeline().interrupted(),
                spec_moved: view.spec.has_moved(),
                text: &text,
            })?;
        } else {
            ui.text(&text)?;
        }
        Ok(Exit::Done)
    }
}

/// Gates that were run or claimed, but need to be run again.
fn gates(session: &Session, view: &PipelineView) -> String {
    let standings = session.workspace.known_gates(view, Depth::Full);
    let doubtful = standings
        .iter()
        .filter(|standing| !matches!(standing.proof, Proof::Proven | Proof::Missing));
    let lines: String = doubtful
        .map(|standing| format!("  {}", standing_line(standing)))
        .collect();
    match lines.is_empty() {
        true => lines,
        false => format!("\nGates without a fresh proof:\n{lines}"),
    }
}

/// What to do with workstreams that were running.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Choice {
    Restart,
    Continue,
}

/// How often the question is asked.
const MOST_QUESTIONS: usize = 3;

/// Asks the user whether to restart or continue. Takes no other answer for either.
fn chosen(
    ui: &Ui,
    session: &Session,
    id: &PipelineId,
    running: &[String],
) -> Result<Choice, Failure> {
    let state = format!("{id} was in progress, with {} running", running.join(", "));
    let question = format!("{state}.\nrestart or continue? ");
    let is_attended = !session.json && ui.is_attended();
    for _ in 0..MOST_QUESTIONS {
        let answer = is_attended.then(|| ui.ask(&question)).flatten();
        match answer.map(|answer| answer.trim().to_lowercase()).as_deref() {
            Some("restart" | "r") => return Ok(Choice::Restart),
            Some("continue" | "c") => return Ok(Choice::Continue),
            Some(_) => ui.note("Answer restart (r) or continue (c)."),
            None => break,
        }
    }
    Err(Failure::new(Exit::Invalid, state)
        .with_hint("Resume with --restart to start them again, or with --continue"))
}

/// Asks the user, unless the output is JSON.
fn asked(ui: &Ui, session: &Session, question: &str) -> bool {
    !session.json && ui.is_agreed(question)
}
