//! `ckpt handoff reply`

use std::path::PathBuf;

use ckpt::handoff::{Decision, Kind, Reply, Status, Terms};
use ckpt::key::Key;
use ckpt::workspace::{PhaseEnding, ReplyPlace};
use clap::Args;

use super::check::{judged, severity};
use super::{block_in, has_errors, text_of};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Record a response on a checkpoint.
///
/// For a command, the phase gets the summary and the files; STOP and CLARIFY become blockers of its gate, until the
/// same task says PROCEED. For a plan, the summary becomes a note and the issues become blockers. For a pipeline, the
/// task names a workstream, which is done or fails with the issues. A response that breaks the rules is refused.
/// It is judged as `ckpt handoff check` judges it: a summary that is too long gives a warning. The phase then gets the
/// beginning of it, and the record of the response keeps all of it.
#[derive(Debug, Args)]
pub(crate) struct ReplyTo {
    /// The checkpoint to update
    #[arg(add = Ids::Keys)]
    key: String,
    /// The file with the response; omit or use - for standard input
    file: Option<PathBuf>,
    /// The phase to update; omit for the current phase, or else the one in the response
    #[arg(long, value_name = "PHASE", add = Ids::Phases)]
    phase: Option<String>,
    /// Also mark the phase as complete
    #[arg(long)]
    complete: bool,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Refuse an overlong summary, instead of cutting it at the end of a sentence
    #[arg(long)]
    enforce: bool,
    /// Answer the sub-agent that said STOP, CLARIFY or BLOCKED about this task, instead of recording a response
    #[arg(long, value_name = "TASK", requires = "text", conflicts_with_all = ["file", "phase", "complete"])]
    answer: Option<String>,
    /// The answer
    #[arg(long, value_name = "TEXT", requires = "answer")]
    text: Option<String>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "HandoffRecorded")
)]
pub(crate) struct Report<'r> {
    key: &'r Key,
    task: &'r str,
    decision: Decision,
    revision: Option<String>,
    blockers: &'r [String],
}

impl ReplyTo {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_key(&self.key)?;
        if let (Some(task), Some(text)) = (&self.answer, &self.text) {
            workspace.answer(&key, task, text)?;
            if session.json {
                ui.json(&Report {
                    key: &key,
                    task,
                    decision: Decision::Proceed,
                    revision: None,
                    blockers: &[],
                })?;
            }
            return Ok(Exit::Done);
        }
        let text = text_of(ui, session, self.file.as_deref())?;
        let block = block_in(&text)?;
        let terms = Terms {
            kind: Some(Kind::Response),
            limit: session.workspace.options().summary_limit,
            unknown: severity(self.strict),
            long_response: severity(self.enforce),
        };
        let findings = judged(&block.document, &terms, self.strict);
        for finding in &findings {
            ui.note(&finding.to_string());
        }
        if has_errors(&findings) {
            return Err(Failure::new(Exit::Invalid, "the response breaks the rules")
                .with_hint("Nothing was recorded; ask the sub-agent to correct it"));
        }
        let reply = Reply::read(&block.document)
            .map_err(|error| Failure::new(Exit::Invalid, error.to_string()))?;
        if self.complete && (reply.decision, reply.status) != (Decision::Proceed, Status::Complete)
        {
            let message = format!(
                "a response with status {} and decision {} cannot complete a phase",
                reply.status, reply.decision
            );
            return Err(Failure::new(Exit::Invalid, message).with_hint("Omit --complete"));
        }
        if !matches!(key, Key::Command(_)) && (self.complete || self.phase.is_some()) {
            return Err(Failure::new(
                Exit::Usage,
                "--phase and --complete only apply to command checkpoints",
            ));
        }
        let place = ReplyPlace {
            phase: self.phase,
            ending: match self.complete {
                true => PhaseEnding::Completes,
                false => PhaseEnding::GoesOn,
            },
        };
        let recorded = workspace.record_reply(&key, &reply, &place)?;
        if session.json {
            ui.json(&Report {
                key: &key,
                task: &reply.task,
                decision: reply.decision,
                revision: recorded.revision.as_ref().map(ToString::to_string),
                blockers: &recorded.blockers,
            })?;
        }
        for blocker in &recorded.blockers {
            ui.note(&format!("blocked: {blocker}"));
        }
        Ok(Exit::Done)
    }
}
