//! `ckpt pipeline gate`

use ckpt::pipeline::{Failure as WentWrong, Passing};
use clap::{Args, Subcommand};

use super::{named, report};
use crate::failure::{Exit, Failure};
use crate::session::Session;

/// Say of a gate that it passed or failed.
#[derive(Debug, Args)]
pub(crate) struct Gate {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Say that a gate passed; recorded as a claim, because nothing was run
    #[command(after_help = "Example:\n  ckpt pipeline gate pass PRD-003 type-check --for WS2")]
    Pass(Which),
    /// Say that a gate failed, and with it the pipeline
    #[command(after_help = "Example:\n  ckpt pipeline gate fail PRD-003 lint --message '3 errors'")]
    Fail {
        #[command(flatten)]
        which: Which,
        /// What went wrong
        #[arg(long)]
        message: Option<String>,
    },
}

#[derive(Debug, Args)]
struct Which {
    /// The pipeline
    id: String,
    /// The gate
    gate: String,
    /// The workstream it is about
    #[arg(long = "for", value_name = "WORKSTREAM")]
    workstream: Option<String>,
}

impl Which {
    fn passing(&self) -> Passing {
        Passing {
            gate: self.gate.clone(),
            workstream: self.workstream.clone(),
        }
    }
}

impl Gate {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let outcome = match self.action {
            Action::Pass(which) => workspace.claim_gate(&named(&which.id)?, &which.passing())?,
            Action::Fail { which, message } => {
                let message = message.unwrap_or_else(|| format!("gate {} failed", which.gate));
                let failure = WentWrong {
                    message,
                    ..WentWrong::default()
                };
                workspace.claim_gate_failure(&named(&which.id)?, &which.passing(), &failure)?
            }
        };
        report(session, outcome)?;
        Ok(Exit::Done)
    }
}
