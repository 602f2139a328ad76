//! `ckpt validate`

use std::path::Path;

use ckpt::key::{Key, PlanId};
use ckpt::voice::path_name;
use ckpt::workspace::Depth;
use ckpt::{Finding, Severity};
use clap::Args;

use super::archive;
use super::pipeline::named;
use super::target::Target;
use crate::completion::Ids;
use crate::failure::{Exit, Failure, reason};
use crate::render::style::{BAD, GOOD, WARN, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;

/// Validate checkpoints against the rules of their format.
///
/// Exits with 4 if there are errors.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt validate --strict")]
pub(crate) struct Validate {
    /// Checkpoints or files; omit to validate all checkpoints
    #[arg(add = Ids::Targets)]
    targets: Vec<String>,
    /// Treat warnings as errors
    #[arg(long)]
    strict: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "JudgedDocument")
)]
pub(crate) struct Judged {
    target: String,
    path: Option<String>,
    valid: bool,
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Validated"))]
pub(crate) struct Report<'j> {
    valid: bool,
    documents: &'j [Judged],
}

impl Validate {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let mut judged = Vec::new();
        if self.targets.is_empty() {
            let (summaries, problems) = session.workspace.list(Depth::WithoutGit)?;
            for summary in summaries {
                let target = Target::require(session, &summary.key)?;
                judged.push(judge(ui, session, &target, self.strict)?);
            }
            judged.extend(problems.into_iter().map(|problem| Judged {
                target: problem.stem.clone(),
                path: None,
                valid: false,
                findings: Vec::new(),
                unreadable: Some(reason(problem)),
            }));
        }
        for typed in &self.targets {
            let (session, target) = Target::find(ui, session, typed)?;
            let session = match target.key() {
                Some(key) => archive::reading(ui, session, &key)?,
                None => session,
            };
            judged.push(judge(ui, &session, &target, self.strict)?);
        }
        report(ui, session, &judged)
    }
}

/// Validates one plan.
pub(crate) fn plan(
    ui: &mut Ui,
    session: &Session,
    id: &PlanId,
    strict: bool,
) -> Result<Exit, Failure> {
    let target = Target::require(session, &id.into())?;
    let judged = judge(ui, session, &target, strict)?;
    report(ui, session, &[judged])
}

/// Validates one pipeline, or all of them.
pub(crate) fn pipelines(
    ui: &mut Ui,
    session: &Session,
    typed: Option<&str>,
    strict: bool,
) -> Result<Exit, Failure> {
    let keys: Vec<Key> = match typed {
        Some(typed) => vec![Key::Pipeline(named(session, typed)?)],
        None => {
            let (summaries, _) = session.workspace.list(Depth::WithoutGit)?;
            let keys = summaries.into_iter().map(|summary| summary.key);
            keys.filter(|key| matches!(key, Key::Pipeline(_))).collect()
        }
    };
    let mut judged = Vec::new();
    for key in keys {
        let target = Target::require(session, &key)?;
        judged.push(judge(ui, session, &target, strict)?);
    }
    report(ui, session, &judged)
}

fn report(ui: &mut Ui, session: &Session, judged: &[Judged]) -> Result<Exit, Failure> {
    let valid = judged.iter().all(|judged| judged.valid);
    if session.json {
        ui.json(&Report {
            valid,
            documents: judged,
        })?;
    } else {
        ui.text(&judged.iter().map(draw).collect::<String>())?;
    }
    Ok(if valid { Exit::Done } else { Exit::Invalid })
}

fn judge(ui: &Ui, session: &Session, target: &Target, strict: bool) -> Result<Judged, Failure> {
    if let Some(elsewhere) = target.elsewhere() {
        ui.note(&format!("note: {elsewhere}"));
    }
    let mut findings = target.findings(session)?;
    if strict {
        for finding in &mut findings {
            finding.severity = Severity::Error;
        }
    }
    Ok(Judged {
        target: target.name(),
        path: Some(session.file(&target.path(session)).display().to_string()),
        valid: findings
            .iter()
            .all(|finding| finding.severity < Severity::Error),
        findings,
        unreadable: None,
    })
}

fn draw(judged: &Judged) -> String {
    let verdict = match (judged.valid, judged.findings.is_empty()) {
        (false, _) => paint(BAD, "invalid"),
        (true, true) => paint(GOOD, "valid"),
        (true, false) => paint(WARN, "valid, with warnings"),
    };
    let target = path_name(Path::new(&judged.target));
    let mut text = format!("{target}: {verdict}\n");
    for finding in &judged.findings {
        text += &format!("  {}\n", one_line(&finding.to_string()));
    }
    if let Some(reason) = &judged.unreadable {
        text += &format!("  {}\n", one_line(reason));
    }
    text
}
