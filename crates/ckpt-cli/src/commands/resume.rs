//! `ckpt resume`

use ckpt::command::{Checkpoint, Lifecycle};
use ckpt::key::Key;
use ckpt::resume::{Brief, render};
use ckpt::workspace::Loaded;
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::output;
use crate::session::Session;

/// Say where the work stands and what is next.
///
/// For one checkpoint, or for everything in flight in this worktree, within a budget of tokens.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt resume implement/auth --drift")]
pub(crate) struct Resume {
    /// The checkpoint; all that are in flight when left off
    key: Option<String>,
    /// Use at most so many tokens, counted high (one for every three bytes)
    #[arg(long, value_name = "TOKENS")]
    budget: Option<usize>,
    /// Ask git what changed since the checkpoint was saved
    #[arg(long)]
    drift: bool,
    /// Exit with 7 when HEAD has moved since
    #[arg(long)]
    fail_if_stale: bool,
}

#[derive(serde::Serialize)]
struct Report<'r> {
    in_flight: &'r [Brief],
    text: &'r str,
    tokens: usize,
    shortened: bool,
}

impl Resume {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let mut briefs = Vec::new();
        let loaded = match &self.key {
            Some(key) => vec![workspace.require(&Key::parse(key)?)?],
            None => in_flight(session)?,
        };
        for loaded in loaded {
            for finding in workspace.judge(&loaded.document) {
                output::note(&format!("{}: {finding}", loaded.key.short()));
            }
            let mut brief = workspace.brief(&loaded);
            if self.drift {
                let checkpoint = Checkpoint::new(loaded.document.root());
                brief = brief.with_drift(workspace.drift(checkpoint)?);
            }
            briefs.push(brief);
        }
        if let (Some(_), [brief]) = (&self.key, briefs.as_slice())
            && brief.lifecycle == Lifecycle::Complete
        {
            return Err(ckpt::command::Refusal::AlreadyComplete {
                key: brief.key.clone(),
            }
            .into());
        }
        let budget = self
            .budget
            .unwrap_or_else(|| session.settings.resume_budget());
        let page = render(&briefs, budget);
        if session.json {
            output::json(&Report {
                in_flight: &briefs,
                text: &page.text,
                tokens: page.tokens,
                shortened: page.shortened,
            })?;
        } else if briefs.is_empty() {
            output::text("Nothing in flight. Start with: ckpt start COMMAND [FEATURE]\n")?;
        } else {
            output::text(&page.text)?;
        }
        let stale = briefs.iter().any(|brief| brief.stale.is_some());
        Ok(match stale && self.fail_if_stale {
            true => Exit::Stale,
            false => Exit::Done,
        })
    }
}

/// What is in flight, the one saved last first. What vanished since it was listed, or cannot be
/// read, does not hide the rest.
fn in_flight(session: &Session) -> Result<Vec<Loaded>, Failure> {
    let (mut summaries, problems) = session.workspace.list()?;
    for problem in problems {
        output::note(&format!("warning: {}", problem.error));
    }
    summaries.retain(|summary| summary.lifecycle == Lifecycle::InFlight);
    summaries.sort_by(|one, two| two.updated_at.cmp(&one.updated_at));
    let mut loaded = Vec::new();
    for summary in summaries {
        match session.workspace.load(&summary.key) {
            Ok(found) => loaded.extend(found),
            Err(error) => output::note(&format!("warning: {error}")),
        }
    }
    Ok(loaded)
}
