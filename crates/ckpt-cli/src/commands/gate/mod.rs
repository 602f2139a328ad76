//! `ckpt gate`

mod approval;
pub(crate) mod push;

use ckpt::gate::{GateProof, Override, Verdict};
use ckpt::key::Key;
use ckpt::voice::{shell_word, suggested};
use ckpt::workspace::{GateReport, GateRequest};
use clap::{Args, Subcommand};

use super::running::{RunOptions, attended};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::proof;
use crate::render::style::one_line;
use crate::render::verdict;
use crate::session::Session;
use crate::ui::Ui;

/// Approve, block or check shipping.
///
/// An approval is bound to the content of the work tree. Committing exactly that content keeps it valid; any other
/// change invalidates it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt gate set ship --allow && git commit -am 'Login' && ckpt gate check ship"
)]
pub(crate) struct Gate {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Approve the current content, or block with reasons
    #[command(after_help = "Example:\n  ckpt gate set ship --block 'two tests fail'")]
    Set {
        /// The checkpoint, such as ship
        #[arg(add = Ids::CommandKeys)]
        key: String,
        /// Approve the current content
        #[arg(long, required_unless_present = "block", conflicts_with = "block")]
        allow: bool,
        /// Block for this reason (repeatable)
        #[arg(long, value_name = "REASON")]
        block: Vec<String>,
    },
    /// Exit with 0 if shipping is allowed, else with 6
    #[command(after_help = "Example:\n  ckpt gate check ship && git push")]
    Check {
        /// The checkpoint, such as ship; omit if only one is in flight
        #[arg(add = Ids::CommandKeys)]
        key: Option<String>,
    },
    /// Override a blocked gate, for exactly the current content
    #[command(
        after_help = "Example:\n  ckpt gate override ship --reason 'hotfix, agreed with Ana'"
    )]
    Override {
        /// The checkpoint, such as ship
        #[arg(add = Ids::CommandKeys)]
        key: String,
        /// Why; the reason stays visible in the gate
        #[arg(long, value_name = "TEXT")]
        reason: String,
    },
    /// Run a command as a gate of any checkpoint, and keep a receipt
    ///
    /// The receipt is bound to the content of the work tree: committing exactly that content keeps it valid, any other
    /// change invalidates it. Exits with 6 if the command fails.
    #[command(after_help = "Example:\n  ckpt gate run ship tests --timeout 600 -- npm test")]
    Run {
        /// The checkpoint, such as ship
        #[arg(add = Ids::Keys)]
        key: String,
        /// The gate's name
        #[arg(add = Ids::Gates)]
        name: String,
        #[command(flatten)]
        options: RunOptions,
        /// The command and its arguments
        #[arg(last = true, required = true)]
        command: Vec<String>,
    },
    /// Check the commits git is about to push; called by git's pre-push hook
    ///
    /// Reads the pushed refs from standard input, as git writes them, and checks the content of each pushed commit.
    /// Exits with 6 if a gate blocks any of them. Set it up with: ckpt init --pre-push
    #[command(after_help = "Example:\n  ckpt gate pre-push origin git@example.com:me/site.git")]
    PrePush {
        /// The name of the remote
        remote: Option<String>,
        /// The URL of the remote
        url: Option<String>,
    },
    /// Show the state of the gate
    #[command(after_help = "Example:\n  ckpt gate show ship")]
    Show {
        /// The checkpoint, such as ship; omit if only one is in flight
        #[arg(add = Ids::CommandKeys)]
        key: Option<String>,
    },
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "GateChecked"))]
pub(crate) struct Report<'r> {
    key: &'r Key,
    #[serde(flatten)]
    verdict: &'r Verdict,
    #[serde(rename = "override", skip_serializing_if = "Option::is_none")]
    pass: Option<&'r Override>,
    content: Option<&'r str>,
    gates: Vec<GateProof>,
}

impl Gate {
    /// Whether git calls this command, so that git's own repository applies.
    pub(crate) fn is_called_by_git(&self) -> bool {
        matches!(self.action, Action::PrePush { .. })
    }

    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        match self.action {
            Action::Set { key, block, .. } => {
                let key = workspace.find_command(&key)?;
                let request = match block.is_empty() {
                    true => GateRequest::Allow,
                    false => GateRequest::Block(block),
                };
                if request == GateRequest::Allow {
                    approval::ask(ui, session, "approve", &key.short())?;
                }
                let outcome = workspace.command(&key).set_gate(&request)?;
                session.report(ui, &outcome)?;
                approval::name_untracked(ui, &outcome);
                if request == GateRequest::Allow {
                    approval::warn_unsealed(ui, session);
                }
                Ok(Exit::Done)
            }
            Action::Override { key, reason } => {
                let key = workspace.find_command(&key)?;
                approval::ask(ui, session, "override", &key.short())?;
                let outcome = workspace.command(&key).override_gate(&reason)?;
                session.report(ui, &outcome)?;
                approval::warn_unsealed(ui, session);
                Ok(Exit::Done)
            }
            Action::Run {
                key,
                name,
                options,
                command,
            } => {
                let key = workspace.find_key(&key)?;
                let words: Vec<String> = command.iter().map(|word| shell_word(word)).collect();
                let gate = ckpt::workspace::Gate::Command {
                    key: &key,
                    name: &name,
                    command: &words.join(" "),
                };
                attended(ui, session, gate, &options)
            }
            Action::Check { key } => {
                let key = session.key_for_reading(key.as_deref())?;
                let report = workspace.check_gate(&key)?;
                show(ui, session, &key, &report)?;
                if report.verdict.passes() {
                    return Ok(Exit::Done);
                }
                if !session.json {
                    let name = suggested(&key.short());
                    ui.note(&format!(
                        "Settle what blocks it; then a person approves it with: ckpt gate set {name} --allow"
                    ));
                }
                Ok(Exit::Blocked)
            }
            Action::PrePush { .. } => push::judge(ui, session),
            Action::Show { key } => {
                let key = session.key_for_reading(key.as_deref())?;
                let report = workspace.check_gate(&key)?;
                show(ui, session, &key, &report)?;
                if !session.json {
                    for known in workspace.receipts(&key, report.content.as_ref())? {
                        ui.text(&format!(
                            "  {} {}\n",
                            proof::sign(known.proof),
                            proof::line(&known)
                        ))?;
                    }
                }
                Ok(Exit::Done)
            }
        }
    }
}

fn show(ui: &mut Ui, session: &Session, key: &Key, report: &GateReport) -> Result<(), Failure> {
    if session.json {
        return ui.json(&Report {
            key,
            verdict: &report.verdict,
            pass: report.pass.as_ref(),
            content: report.content.as_ref().map(AsRef::as_ref),
            gates: session.workspace.receipts(key, report.content.as_ref())?,
        });
    }
    let mut text = format!("{}: {}\n", key.short(), verdict::state(&report.verdict));
    for reason in verdict::reasons(&report.verdict) {
        text += &format!("  {}\n", one_line(reason));
    }
    if let Some((pass, flaw)) = report
        .pass
        .as_ref()
        .and_then(|pass| Some((pass, pass.flaw?)))
    {
        text += &format!("  {}\n", verdict::void(pass, flaw));
    }
    ui.text(&text)
}
