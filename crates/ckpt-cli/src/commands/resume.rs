//! `ckpt resume`

use ckpt::Lifecycle;
use ckpt::facts::Facts;
use ckpt::key::Key;
use ckpt::resume::{Brief, brief};
use ckpt::voice::name;
use ckpt::workspace::Depth;
use clap::Args;

use crate::failure::{Exit, Failure, reason};
use crate::session::Session;
use crate::ui::Ui;

/// At most this many checkpoints are shown, the most important first.
const MOST_BRIEFS: usize = 200;

/// Show where the work stands and what comes next.
///
/// Covers one checkpoint, or everything in flight in this worktree, within a token budget.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt resume implement/auth --drift")]
pub(crate) struct Resume {
    /// The checkpoint; omit for everything in flight
    key: Option<String>,
    /// Maximum number of tokens, by the claude counter, which errs on the high side
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Show what changed in git since the checkpoint was saved
    #[arg(long)]
    drift: bool,
    /// Exit with 7 if HEAD has moved since the checkpoint was saved
    #[arg(long)]
    fail_if_stale: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Resumed"))]
pub(crate) struct Report<'r> {
    #[serde(flatten)]
    facts: &'r Facts,
    in_flight: &'r [Brief],
    text: &'r str,
    tokens: usize,
    shortened: bool,
}

impl Resume {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let briefs: Vec<Brief> = match &self.key {
            Some(key) => vec![self.brief(ui, session, &workspace.find_key(key)?)?],
            None => self.in_flight(ui, session)?,
        };
        if let (Some(_), [brief]) = (&self.key, briefs.as_slice())
            && brief.lifecycle == Lifecycle::Complete
        {
            return Err(ckpt::Refusal::AlreadyComplete(brief.key.clone()).into());
        }
        let budget = self
            .budget
            .unwrap_or_else(|| session.settings.resume_budget());
        let facts = match briefs.first() {
            Some(focus) if self.key.is_some() => workspace.facts_about(&focus.key, Depth::Full)?,
            Some(_) => workspace.facts(Depth::Full)?,
            None => Facts::default(),
        };
        let page = brief(&facts, budget);
        if session.json {
            ui.json(&Report {
                facts: &facts,
                in_flight: &briefs,
                text: &page.text,
                tokens: page.tokens(),
                shortened: page.shortened,
            })?;
        } else if briefs.is_empty() {
            ui.text("Nothing in flight. Start with: ckpt start COMMAND [FEATURE]\n")?;
        } else {
            ui.text(&page.text)?;
        }
        let stale = briefs.iter().any(|brief| brief.stale.is_some());
        Ok(match stale && self.fail_if_stale {
            true => Exit::Stale,
            false => Exit::Done,
        })
    }
}

impl Resume {
    /// The brief of one checkpoint, with a note for each finding.
    fn brief(&self, ui: &Ui, session: &Session, key: &Key) -> Result<Brief, Failure> {
        let checkpoint = session.workspace.read(key)?;
        for finding in checkpoint.findings()? {
            ui.note(&format!("{}: {finding}", name(&key.short())));
        }
        let brief = checkpoint.brief();
        Ok(match self.drift {
            true => brief.with_drift(checkpoint.drift()?),
            false => brief,
        })
    }

    /// The briefs of everything in flight, the current branch first. A checkpoint that cannot be read, or has vanished
    /// since it was listed, does not hide the others.
    fn in_flight(&self, ui: &Ui, session: &Session) -> Result<Vec<Brief>, Failure> {
        let (keys, problems) = session.workspace.in_flight()?;
        for problem in problems {
            ui.note(&format!("warning: {}", reason(problem)));
        }
        let mut briefs = Vec::new();
        if keys.len() > MOST_BRIEFS {
            let (count, most) = (keys.len(), MOST_BRIEFS);
            ui.note(&format!(
                "warning: {count} checkpoints are in flight; showing {most} of them"
            ));
        }
        for key in keys.into_iter().take(MOST_BRIEFS) {
            match self.brief(ui, session, &key) {
                Ok(brief) => briefs.push(brief),
                Err(failure) => ui.note(&format!("warning: {}", failure.message())),
            }
        }
        Ok(briefs)
    }
}
