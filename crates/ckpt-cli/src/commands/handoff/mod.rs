//! `ckpt handoff`

pub(crate) mod check;
pub(crate) mod doc;
pub(crate) mod new;
pub(crate) mod reply;

use std::path::{Path, PathBuf};

use ckpt::handoff::{Block, BlockError, Fixed, fix};
use ckpt::{Finding, Severity};
use clap::{Args, Subcommand};

use super::input::{self, Named};
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Check, create and record handoffs between agents.
///
/// A handoff is a JSON object: a request to a sub-agent, or its response. It is read from a file or from standard
/// input, and may be embedded in other text.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt handoff check request.json")]
pub(crate) struct Handoff {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    #[command(after_help = "Example:\n  ckpt handoff check request.json --strict")]
    Check(check::Check),
    #[command(
        after_help = "Example:\n  ckpt handoff new --task T002 --phase write --mode code --feature auth --instructions 'Write it' --from implement/auth"
    )]
    New(new::New),
    /// Rename `previous_findings` to `previous_summary`, and change nothing else
    #[command(after_help = "Example:\n  ckpt handoff fix request.json --write")]
    Fix {
        /// The file to fix; omit or use - for standard input
        file: Option<PathBuf>,
        /// Write the result to the file instead of printing it
        #[arg(long, requires = "file")]
        write: bool,
    },
    #[command(after_help = "Example:\n  ckpt handoff reply implement/auth response.json")]
    Reply(reply::ReplyTo),
    #[command(
        after_help = "Example:\n  ckpt handoff doc --write .claude/sub-agents/protocols/handoff.md"
    )]
    Doc(doc::Doc),
}

impl Handoff {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        match self.action {
            Action::Check(check) => check.run(ui, session),
            Action::New(new) => new.run(ui, session),
            Action::Fix { file, write } => mend(ui, session, file.as_deref(), write),
            Action::Reply(reply) => reply.run(ui, session),
            Action::Doc(doc) => doc.run(ui, session),
        }
    }
}

/// The text of a file, or of standard input.
fn text_of(ui: &mut Ui, session: &Session, file: Option<&Path>) -> Result<String, Failure> {
    let bytes = match file.filter(|file| *file != Path::new("-")) {
        Some(file) => Named::new(session, file).require()?,
        None => input::standard(ui)?,
    };
    String::from_utf8(bytes).map_err(|error| {
        let at = error.utf8_error().valid_up_to();
        let line = error.as_bytes()[..at]
            .iter()
            .filter(|byte| **byte == b'\n')
            .count()
            + 1;
        Failure::new(Exit::Invalid, format!("line {line} is not valid UTF-8"))
    })
}

/// Finds the handoff in a text.
fn block_in(text: &str) -> Result<Block, Failure> {
    ckpt::handoff::find(text).map_err(|error| {
        let failure = Failure::new(Exit::Invalid, error.to_string());
        match error {
            BlockError::None => {
                failure.with_hint("A handoff is one JSON object, alone or embedded in text")
            }
            BlockError::Several(_) => failure.with_hint("Pass only one of them"),
            BlockError::Broken { .. } => {
                failure.with_hint("Fix it, or ask for the complete handoff again")
            }
        }
    })
}

fn has_errors(findings: &[Finding]) -> bool {
    let mut severities = findings.iter().map(|finding| finding.severity);
    severities.any(|severity| severity == Severity::Error)
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "HandoffFixed"))]
pub(crate) struct FixReport<'f> {
    changed: bool,
    text: &'f str,
}

fn mend(ui: &mut Ui, session: &Session, file: Option<&Path>, write: bool) -> Result<Exit, Failure> {
    let text = text_of(ui, session, file)?;
    let fixed = match fix(&text, &block_in(&text)?) {
        Fixed::Text(fixed) => Some(fixed),
        Fixed::Nothing => None,
        Fixed::Both => {
            let message = "the request has both \"previous_findings\" and \"previous_summary\"";
            return Err(Failure::new(Exit::Conflict, message).with_hint("Remove the outdated one"));
        }
    };
    if let (true, Some(file), Some(fixed)) = (write, file, &fixed) {
        Named::new(session, file).replace(fixed.as_bytes())?;
    }
    let result = fixed.as_deref().unwrap_or(&text);
    if session.json {
        ui.json(&FixReport {
            changed: fixed.is_some(),
            text: result,
        })?;
    } else if !write {
        ui.content(result)?;
    }
    Ok(Exit::Done)
}
