//! What can be typed.

#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

use crate::commands::{
    abandon, complete, completions, config, demo, doctor, gate, handoff, hook, init, list, log,
    man, phase, pipeline, plan, resume, save, schema, show, start, status, statusline, tokens,
    validate,
};

/// Durable, resumable workflow state for AI coding agents.
///
/// A checkpoint is written as COMMAND or COMMAND/FEATURE, such as `ship` or `implement/auth`; a pipeline
/// or a plan as its id, such as `PRD-003` or `260220-1149-login`.
#[derive(Debug, Parser)]
#[command(name = "ckpt", version, propagate_version = true, max_term_width = 100)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done                     5  busy, or in conflict with another change
  1  failed (input, output)   6  blocked by a gate
  2  wrong usage              7  stale (with --fail-if-stale)
  3  not found                8  already complete
  4  invalid or refused";

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Who makes the change, for the history: main, subagent:TYPE or team:ID
    #[arg(long, value_name = "WHO", global = true)]
    pub(crate) by: Option<String>,
}

impl Global {
    /// A typed path, relative to the directory to work in.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        match &self.directory {
            Some(directory) => directory.join(path),
            None => path.to_owned(),
        }
    }
}

// Only the subcommand that was typed is built: users feel the start-up time.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Let coding agents call ckpt by themselves
    Init(init::Init),
    /// Prove that hooks and state are healthy
    Doctor(doctor::Doctor),
    /// Start the checkpoint of a command
    Start(start::Start),
    /// Record what a phase is doing
    Phase(phase::Phase),
    /// Mark a checkpoint as complete
    Complete(complete::Complete),
    /// Give a checkpoint up, with a reason
    Abandon(abandon::Abandon),
    /// Save a whole document from standard input
    Save(save::Save),
    /// Follow a plan in Markdown
    Plan(plan::Plan),
    /// Follow a build pipeline
    Pipeline(pipeline::Pipeline),
    /// Check, make and record what agents hand to each other
    Handoff(handoff::Handoff),
    /// Approve, block or check shipping
    Gate(gate::Gate),
    /// Say where the work stands and what is next
    Resume(resume::Resume),
    /// Show what is in flight, here and in linked worktrees
    Status(status::Status),
    /// List all checkpoints
    List(list::List),
    /// Show one checkpoint, or any checkpoint file
    Show(show::Show),
    /// Judge checkpoints by the rules of their format
    Validate(validate::Validate),
    /// Show the history of a checkpoint
    Log(log::Log),
    /// Count tokens
    Tokens(tokens::Tokens),
    /// Act on an event of an agent
    Hook(hook::Hook),
    /// Print one line for the status line of Claude Code
    Statusline(statusline::Statusline),
    /// Print the schema of a format, or of what --json prints
    Schema(schema::Schema),
    /// Show and change settings
    Config(config::Config),
    /// Watch a checkpoint survive a kill, in a throw-away repository
    Demo(demo::Demo),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print the manual page, or write all of them to a directory
    Man(man::Man),
}
