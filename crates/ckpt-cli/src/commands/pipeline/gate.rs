//! `ckpt pipeline gate`

use ckpt::gate::GateName;
use ckpt::gate::Proof;
use ckpt::pipeline::{Failure as WentWrong, GateStanding};
use ckpt::workspace::Consent;
use clap::{Args, Subcommand};

use super::parts::{spelled_out, with_gate};
use super::{named, report, which};
use crate::commands::running::{RunOptions, attended};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::proof;
use crate::session::Session;
use crate::ui::Ui;

/// Run gates, mark them as passed or failed, or check them all.
#[derive(Debug, Args)]
pub(crate) struct Gate {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Run a gate's command from the specification and keep a receipt
    ///
    /// The receipt is bound to the content of the work tree: committing exactly that content keeps it valid, any other
    /// change invalidates it. Exits with 6 if the gate does not pass.
    ///
    /// A specification can come with a clone, so its commands run only after you accepted its current content with
    /// `ckpt pipeline init` or `ckpt pipeline sync`.
    #[command(
        after_help = "Example:\n  ckpt pipeline gate run PRD-003 type-check --for WS2 --timeout 600"
    )]
    Run {
        #[command(flatten)]
        which: Which,
        #[command(flatten)]
        options: RunOptions,
        /// Run it even if the specification was not accepted here, or has changed since
        #[arg(long)]
        trust: bool,
    },
    /// Exit with 0 if every required gate has passed on the current content, else with 6
    #[command(after_help = "Example:\n  ckpt pipeline gate check PRD-003 && git push")]
    Check {
        /// The pipeline's id; omit if only one is in flight
        #[arg(add = Ids::Pipelines)]
        id: Option<String>,
        /// Accept gates that were marked as passed without being run
        #[arg(long)]
        allow_claims: bool,
    },
    /// Mark a gate as passed; recorded as a claim, because nothing was run
    #[command(after_help = "Example:\n  ckpt pipeline gate pass PRD-003 type-check --for WS2")]
    Pass(Which),
    /// Mark a gate as failed, and the pipeline with it
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
    /// The pipeline's id
    #[arg(add = Ids::Pipelines)]
    id: String,
    /// The gate's name
    #[arg(add = Ids::PipelineGates)]
    gate: String,
    /// The workstream the gate applies to
    #[arg(long = "for", value_name = "WORKSTREAM", add = Ids::Workstreams)]
    workstream: Option<String>,
}

impl Which {
    fn name(&self) -> GateName {
        GateName {
            name: self.gate.clone(),
            workstream: self.workstream.clone(),
        }
    }
}

impl Gate {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let outcome = match self.action {
            Action::Run {
                which,
                options,
                trust,
            } => {
                let consent = match trust {
                    true => Consent::Given,
                    false => Consent::Accepted,
                };
                return run(ui, session, &which, &options, consent);
            }
            Action::Check { id, allow_claims } => {
                return check(ui, session, id.as_deref(), allow_claims);
            }
            Action::Pass(which) => {
                let id = named(session, &which.id)?;
                let pipeline = workspace.pipeline(&id);
                with_gate(session, &id, which.name(), |gate| pipeline.pass_gate(gate))?
            }
            Action::Fail { which, message } => {
                let message = message.unwrap_or_else(|| format!("gate {} failed", which.gate));
                let failure = WentWrong {
                    message,
                    ..WentWrong::default()
                };
                let id = named(session, &which.id)?;
                let pipeline = workspace.pipeline(&id);
                with_gate(session, &id, which.name(), |gate| {
                    pipeline.fail_gate(gate, &failure)
                })?
            }
        };
        report(ui, session, outcome)?;
        Ok(Exit::Done)
    }
}

fn run(
    ui: &mut Ui,
    session: &Session,
    which: &Which,
    options: &RunOptions,
    consent: Consent,
) -> Result<Exit, Failure> {
    let id = named(session, &which.id)?;
    let view = session.workspace.pipeline(&id).view()?;
    let name = spelled_out(&view, which.name())?;
    let gate = ckpt::workspace::Gate::Specified {
        id: &id,
        gate: &name,
        consent,
    };
    attended(ui, session, gate, options)
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GatesChecked"))]
pub(crate) struct CheckReport<'c> {
    pipeline: &'c str,
    passes: bool,
    gates: &'c [GateStanding],
}

fn check(
    ui: &mut Ui,
    session: &Session,
    typed: Option<&str>,
    allow_claims: bool,
) -> Result<Exit, Failure> {
    let view = session.workspace.pipeline(&which(session, typed)?).view()?;
    let gates = session.workspace.check_gates(&view)?;
    let good = |standing: &GateStanding| {
        standing.proof == Proof::Proven || (allow_claims && standing.proof == Proof::Claimed)
    };
    let passes = gates.iter().all(good);
    if session.json {
        ui.json(&CheckReport {
            pipeline: view.id.as_str(),
            passes,
            gates: &gates,
        })?;
    } else {
        ui.text(&gates.iter().map(standing_line).collect::<String>())?;
    }
    Ok(if passes { Exit::Done } else { Exit::Blocked })
}

/// One gate and its status.
pub(super) fn standing_line(standing: &GateStanding) -> String {
    format!("{}\n", proof::line(&standing.named()))
}
