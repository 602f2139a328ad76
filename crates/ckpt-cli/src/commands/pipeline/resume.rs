//! `ckpt pipeline resume`

use std::collections::HashSet;

use ckpt::gate::Proof;
use ckpt::pipeline::{Readiness, Review, Status};
use ckpt::voice::suggested;
use ckpt::workspace::{Depth, PipelineView};
use clap::Args;

use super::gate::standing_line;
use super::which;
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
            Status::Failed => {
                let error = failure_words(&view);
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
                let running = view.pipeline().buckets().in_progress.join(", ");
                if self.restart
                    || (!running.is_empty()
                        && asked(
                            ui,
                            session,
                            &format!(
                                "{id} was in progress, with {running} running.\nRestart them?"
                            ),
                        ))
                {
                    workspace.pipeline(&id).restart()?;
                    view = workspace.pipeline(&id).view()?;
                } else if !running.is_empty() && !ui.is_attended() {
                    return Err(Failure::new(
                        Exit::Invalid,
                        format!("{id} was in progress, with {running} running"),
                    )
                    .with_hint("Resume with --restart to start them again, or with --continue"));
                }
            }
            _ => {}
        }
        let mut text = display(&view);
        text += &gates(session, &view);
        if session.json {
            let buckets = view.pipeline().buckets();
            ui.json(&Report {
                pipeline: id.as_str(),
                status: view.pipeline().status().to_string(),
                phase: resume_phase(&view),
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

/// Asks the user, unless the output is JSON.
fn asked(ui: &Ui, session: &Session, question: &str) -> bool {
    !session.json && ui.is_agreed(question)
}

fn failure_words(view: &PipelineView) -> String {
    let pipeline = view.pipeline();
    let Some((workstream, message)) = pipeline.error() else {
        return "no error is recorded".to_owned();
    };
    let workstream = workstream.filter(|name| !name.is_empty());
    let place = pipeline.error_place().map(|place| format!(" ({place})"));
    let workstream = workstream.map(|name| format!("{name}: "));
    let words = format!(
        "{}{message}{}",
        workstream.unwrap_or_default(),
        place.unwrap_or_default()
    );
    one_line(&words)
}

/// The number of the first phase with open workstreams.
fn resume_phase(view: &PipelineView) -> Option<usize> {
    let buckets = view.pipeline().buckets();
    let open: HashSet<&String> = buckets.pending.iter().chain(&buckets.in_progress).collect();
    let Some(spec) = view.spec.spec() else {
        let next = usize::try_from(view.pipeline().current_phase()).ok()? + 1;
        return (!buckets.pending.is_empty()).then_some(next);
    };
    let phases = spec.phases.iter();
    let found = phases.enumerate().find(|(_, phase)| {
        let mut names = phase.workstreams.iter();
        names.any(|reference| open.contains(&reference.name))
    });
    found.map(|(number, _)| number + 1)
}

/// The resume display: first the lines that the format prescribes, then what they leave out.
pub(super) fn display(view: &PipelineView) -> String {
    let pipeline = view.pipeline();
    let title = |name: &String| {
        let known = view.spec.spec().and_then(|spec| spec.workstream(name));
        match known.and_then(|known| known.name.as_deref()) {
            Some(title) => format!("  {}: {}", one_line(name), one_line(title)),
            None => format!("  {}", one_line(name)),
        }
    };
    let mut text = match resume_phase(view) {
        Some(phase) => format!("Resuming {} from Phase {phase}\n", view.id),
        None => format!("Resuming {}\n", view.id),
    };
    let buckets = pipeline.buckets();
    let interrupted: HashSet<String> = pipeline.interrupted().into_iter().collect();
    text += "\nCompleted:\n";
    for name in &buckets.completed {
        text += &format!("{} ✅\n", title(name));
    }
    if !buckets.in_progress.is_empty() {
        text += "\nIn progress:\n";
        for name in &buckets.in_progress {
            text += &format!("{}\n", title(name));
        }
    }
    text += "\nPending:\n";
    for name in &buckets.pending {
        let was = if interrupted.contains(name) {
            "  (interrupted)"
        } else {
            ""
        };
        text += &format!("{}{was}\n", title(name));
    }
    let schedule = view.schedule();
    let ready = schedule
        .iter()
        .filter(|(_, ready)| *ready == Readiness::Ready);
    let ready: Vec<String> = ready.map(|(name, _)| one_line(name)).collect();
    if !ready.is_empty() {
        text += &format!("\nCan start now: {}\n", ready.join(", "));
    }
    if let Some(review) = pipeline.review().filter(Review::blocks) {
        text += &format!("\nBlocked by the review: {} P0 findings\n", review.p0);
    }
    if let Some(gate) = pipeline.gates_passed().last() {
        text += &format!("Last gate passed: {}\n", one_line(gate));
    }
    if view.spec.has_moved() {
        text += &format!(
            "The specification has changed: ckpt pipeline sync {}\n",
            suggested(view.id.as_str())
        );
    }
    text
}
