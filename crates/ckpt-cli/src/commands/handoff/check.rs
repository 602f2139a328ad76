//! `ckpt handoff check`

use std::path::PathBuf;

use ckpt::document::Document;
use ckpt::handoff::{Kind, Terms, judge};
use ckpt::{Finding, Severity};
use clap::Args;

use super::{block_in, has_errors, text_of};
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Check a request or a response against the protocol.
///
/// Exits with 4 if it is invalid.
#[derive(Debug, Args)]
pub(crate) struct Check {
    /// The file to check; omit or use - for standard input
    file: Option<PathBuf>,
    /// The kind of handoff; omit to detect it
    #[arg(long, value_parser = ["request", "response"])]
    kind: Option<String>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
    /// Treat an overlong summary in a response as an error
    #[arg(long)]
    enforce: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "HandoffChecked")
)]
pub(crate) struct Report {
    kind: Kind,
    valid: bool,
    block: Place,
    findings: Vec<Finding>,
}

/// Where in the text the handoff was found.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "HandoffPlace"))]
pub(crate) struct Place {
    first_line: usize,
    last_line: usize,
    /// Whether the text contains nothing else.
    whole: bool,
}

/// The findings about a handoff, the same for one that is only checked and one that is recorded.
pub(super) fn judged(document: &Document, terms: &Terms, is_strict: bool) -> Vec<Finding> {
    let mut findings = judge(document, terms);
    if is_strict {
        for finding in &mut findings {
            finding.severity = Severity::Error;
        }
    }
    findings
}

pub(super) fn severity(is_error: bool) -> Severity {
    match is_error {
        true => Severity::Error,
        false => Severity::Warning,
    }
}

impl Check {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let text = text_of(ui, session, self.file.as_deref())?;
        let block = block_in(&text)?;
        let kind = self.kind.as_deref().and_then(Kind::read);
        let kind = kind.unwrap_or_else(|| Kind::of(block.document.root()));
        let terms = Terms {
            kind: Some(kind),
            limit: session.workspace.options().summary_limit,
            unknown: severity(self.strict),
            long_response: severity(self.enforce),
        };
        let findings = judged(&block.document, &terms, self.strict);
        let valid = !has_errors(&findings);
        let (first_line, last_line) = block.lines;
        if session.json {
            ui.json(&Report {
                kind,
                valid,
                block: Place {
                    first_line,
                    last_line,
                    whole: block.is_whole,
                },
                findings,
            })?;
        } else {
            let mut lines = String::new();
            if !block.is_whole {
                lines += &format!("{kind} on lines {first_line} to {last_line}\n");
            }
            for finding in &findings {
                lines += &format!("{finding}\n");
            }
            if valid {
                lines += &format!("{kind}: valid\n");
            }
            ui.text(&lines)?;
        }
        Ok(if valid { Exit::Done } else { Exit::Invalid })
    }
}
