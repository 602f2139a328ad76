//! `ckpt validate`

use ckpt::finding::{Finding, Severity};
use clap::Args;

use super::target::Target;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::render::style::{BAD, GOOD, WARN, one_line, paint};
use crate::session::Session;

/// Judge checkpoints by the rules of their format.
///
/// Exits with 4 when a rule of severity error is broken.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt validate --strict")]
pub(crate) struct Validate {
    /// Checkpoints or files; all checkpoints when left off
    targets: Vec<String>,
    /// Take warnings for errors
    #[arg(long)]
    strict: bool,
}

#[derive(serde::Serialize)]
struct Judged {
    target: String,
    path: Option<String>,
    valid: bool,
    findings: Vec<Finding>,
    #[serde(skip_serializing_if = "Option::is_none")]
    unreadable: Option<String>,
}

#[derive(serde::Serialize)]
struct Report<'j> {
    valid: bool,
    documents: &'j [Judged],
}

impl Validate {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mut judged = Vec::new();
        if self.targets.is_empty() {
            let (summaries, problems) = session.workspace.list()?;
            for summary in summaries {
                if let Some(loaded) = session.workspace.load(&summary.key)? {
                    judged.push(self.judge(session, &loaded.into()));
                }
            }
            judged.extend(problems.into_iter().map(|problem| Judged {
                target: problem.stem,
                path: None,
                valid: false,
                findings: Vec::new(),
                unreadable: Some(problem.error.to_string()),
            }));
        }
        for typed in &self.targets {
            judged.push(self.judge(session, &Target::find(session, typed)?));
        }
        let valid = judged.iter().all(|judged| judged.valid);
        if session.json {
            output::json(&Report {
                valid,
                documents: &judged,
            })?;
        } else {
            output::text(&judged.iter().map(draw).collect::<String>())?;
        }
        Ok(if valid { Exit::Done } else { Exit::Invalid })
    }

    fn judge(&self, session: &Session, target: &Target) -> Judged {
        let mut findings = session.workspace.judge(&target.document);
        if self.strict {
            for finding in &mut findings {
                finding.severity = Severity::Error;
            }
        }
        Judged {
            target: target.name(),
            path: Some(target.path.display().to_string()),
            valid: findings
                .iter()
                .all(|finding| finding.severity < Severity::Error),
            findings,
            unreadable: None,
        }
    }
}

fn draw(judged: &Judged) -> String {
    let verdict = match (judged.valid, judged.findings.is_empty()) {
        (false, _) => paint(BAD, "invalid"),
        (true, true) => paint(GOOD, "valid"),
        (true, false) => paint(WARN, "valid, with warnings"),
    };
    let mut text = format!("{}: {verdict}\n", one_line(&judged.target));
    for finding in &judged.findings {
        text += &format!("  {}\n", one_line(&finding.to_string()));
    }
    if let Some(reason) = &judged.unreadable {
        text += &format!("  {}\n", one_line(reason));
    }
    text
}
