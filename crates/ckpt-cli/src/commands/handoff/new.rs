//! `ckpt handoff new`

use ckpt::document::Document;
use ckpt::handoff::{Draft, ExpectedOutput, Kind, Mode, Phase, Terms, judge};
use clap::Args;
use serde_json::value::RawValue;

use super::text_of;
use crate::commands::plan::report::raw;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Print a new request.
///
/// With --from, it includes the summary and the files of the checkpoint's last completed phase.
#[derive(Debug, Args)]
pub(crate) struct New {
    /// The task's id
    #[arg(long)]
    task: String,
    /// The kind of step
    #[arg(long, value_parser = ["research", "write", "validate", "parallel"])]
    phase: String,
    /// The sub-agent's specialty
    #[arg(long, value_parser = ["plan", "code", "ui", "docs", "eval", "reconcile", "research"])]
    mode: String,
    /// The feature; with --from, omit to use the checkpoint's
    #[arg(long, required_unless_present = "from")]
    feature: Option<String>,
    /// What the sub-agent should do
    #[arg(long)]
    instructions: String,
    /// Path of the specification
    #[arg(long, value_name = "PATH")]
    spec: Option<String>,
    /// A relevant file (repeatable)
    #[arg(long, value_name = "PATH")]
    file: Vec<String>,
    /// A constraint to respect (repeatable)
    #[arg(long, value_name = "TEXT")]
    constraint: Vec<String>,
    /// Summary of the previous step; - reads standard input
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// The expected output; omit for the phase's default
    #[arg(
        long,
        value_parser = ["structured_findings", "files_changed", "validation_result", "aggregated_results"]
    )]
    expect: Option<String>,
    /// The checkpoint to hand off from
    #[arg(long, value_name = "KEY", add = Ids::Keys)]
    from: Option<String>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "RequestMade"))]
pub(crate) struct Made<'m> {
    request: &'m RawValue,
}

impl New {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let mut draft = Draft {
            task: self.task,
            phase: known(Phase::read(&self.phase), "phase")?,
            mode: known(Mode::read(&self.mode), "mode")?,
            feature: self.feature.unwrap_or_default(),
            instructions: self.instructions,
            spec_path: self.spec,
            files: self.file,
            constraints: self.constraint,
            previous_summary: match self.summary.as_deref() {
                Some("-") => Some(text_of(ui, session, None)?.trim_end().to_owned()),
                _ => self.summary,
            },
            expected_output: self.expect.as_deref().and_then(ExpectedOutput::read),
        };
        if let Some(from) = &self.from {
            let key = session.workspace.find_key(from)?;
            let carried = session.workspace.carried(&key)?;
            draft.previous_summary = draft.previous_summary.or(carried.summary);
            for file in carried.files {
                if !draft.files.contains(&file) {
                    draft.files.push(file);
                }
            }
            if draft.feature.is_empty() {
                let short = key.short();
                draft.feature = short
                    .split_once('/')
                    .map_or(short.clone(), |(_, feature)| feature.to_owned());
            }
        }
        let document = Document::from_value(&draft.written())
            .map_err(|error| Failure::new(Exit::Invalid, error.to_string()))?;
        let terms = Terms {
            kind: Some(Kind::Request),
            limit: session.workspace.options().summary_limit,
            ..Terms::default()
        };
        // A request that breaks the rules is not printed.
        if let Some(finding) = judge(&document, &terms).into_iter().next() {
            let failure = Failure::new(Exit::Invalid, finding.message);
            return Err(match finding.rule {
                "handoff.previous-summary-limit" => failure
                    .with_hint("No request was created; shorten it with: ckpt tokens --fit COUNT"),
                _ => failure.with_hint("No request was created"),
            });
        }
        match session.json {
            true => ui.json(&Made {
                request: &raw(&draft.written())?,
            })?,
            false => ui.raw(document.text().as_bytes())?,
        }
        Ok(Exit::Done)
    }
}

fn known<W>(word: Option<W>, name: &str) -> Result<W, Failure> {
    word.ok_or_else(|| Failure::new(Exit::Usage, format!("unknown {name}")))
}
