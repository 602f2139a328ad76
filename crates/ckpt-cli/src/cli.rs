//! The command line: global options and subcommands.

#[cfg(test)]
mod tests;

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{Args, Parser, Subcommand};

#[cfg(feature = "mcp")]
use crate::commands::mcp;
use crate::commands::{
    abandon, ack, archive, complete, completions, config, demo, diff, doctor, followers, fork,
    gate, gc, handoff, hook, init, list, log, man, notify, phase, pipeline, plan, recover, rename,
    restore, resume, save, schema, ship, show, start, status, statusline, tokens, undo, validate,
};

/// Durable, resumable workflow state for AI coding agents.
///
/// Name a checkpoint as COMMAND or COMMAND/FEATURE, such as `ship` or `implement/auth`, and a pipeline or a plan by
/// its id, such as `PRD-003` or `260220-1149-login`.
#[derive(Debug, Parser)]
#[command(name = "ckpt", version, long_version = env!("CKPT_LONG_VERSION"))]
#[command(propagate_version = true, max_term_width = 100)]
#[command(after_help = EXIT_CODES)]
pub(crate) struct Cli {
    #[command(flatten)]
    pub(crate) global: Global,
    #[command(subcommand)]
    pub(crate) command: Command,
}

impl Cli {
    /// A parser that knows only the command that these words begin with; `None` if there is no such command. The whole
    /// parser copies the global options into every command, which is a tenth of the work of `ckpt show`.
    pub(crate) fn parser_of(words: &[OsString]) -> Option<clap::Command> {
        let [verb, rest @ ..] = words else {
            return None;
        };
        let one = match Command::with_actions(verb) {
            Some((name, whole)) => {
                let action = whole.find_subcommand(rest.first()?)?.clone();
                let arguments = whole.get_arguments().cloned();
                let command = clap::Command::new(name).args(arguments);
                command.subcommand(action)
            }
            None => {
                let all = Command::augment_subcommands(clap::Command::new("ckpt"));
                all.find_subcommand(verb)?.clone()
            }
        };
        Some(Global::augment_args(clap::Command::new("ckpt")).subcommand(one))
    }
}

impl Command {
    /// The parser of a command with many subcommands of its own.
    fn with_actions(verb: &OsStr) -> Option<(&'static str, clap::Command)> {
        let (name, augment): (_, fn(clap::Command) -> clap::Command) = match verb.to_str()? {
            "plan" => ("plan", plan::Plan::augment_args),
            "pipeline" => ("pipeline", pipeline::Pipeline::augment_args),
            _ => return None,
        };
        Some((name, augment(clap::Command::new(name))))
    }
}

const EXIT_CODES: &str = "\
Exit codes:
  0  done                     5  busy, or conflicts with another change
  1  failed (I/O or other)    6  blocked by a gate
  2  usage error              7  stale (--fail-if-stale, --auto)
  3  not found                8  already complete
  4  invalid or refused";

/// The id of the option that names the author.
pub(crate) const AUTHOR: &str = "by";

/// Options that every command accepts.
#[derive(Debug, Clone, Args)]
pub(crate) struct Global {
    /// Run as if started in DIR
    #[arg(short = 'C', value_name = "DIR", global = true)]
    pub(crate) directory: Option<PathBuf>,
    /// Print one JSON object instead of text
    #[arg(long, global = true)]
    pub(crate) json: bool,
    /// Author to record in the history: main, subagent:TYPE or team:ID
    #[arg(long, id = AUTHOR, value_name = "WHO", global = true)]
    pub(crate) by: Option<String>,
}

impl Global {
    /// The same, for a command that takes the author for something else.
    pub(crate) fn without_author(&self) -> Self {
        Self {
            by: None,
            ..self.clone()
        }
    }

    /// Resolves a path from the command line against `-C`.
    pub(crate) fn resolve(&self, path: &Path) -> PathBuf {
        match &self.directory {
            Some(directory) => directory.join(path),
            None => path.to_owned(),
        }
    }
}

// Only the subcommand in use is built, to keep start-up fast.
#[derive(Debug, Subcommand)]
#[command(defer = true)]
pub(crate) enum Command {
    /// Set up coding agents to call ckpt
    Init(init::Init),
    /// Check that hooks and state are healthy
    Doctor(doctor::Doctor),
    /// Start a checkpoint for a command
    Start(start::Start),
    /// Record the progress of a phase
    Phase(phase::Phase),
    /// Mark a checkpoint as complete
    Complete(complete::Complete),
    /// Abandon a checkpoint, with a reason
    Abandon(abandon::Abandon),
    /// Save a whole checkpoint from standard input
    Save(save::Save),
    /// Bring back a checkpoint that is missing or damaged
    Recover(recover::Recover),
    /// Move finished checkpoints into the archive
    Archive(archive::Archive),
    /// Bring a checkpoint back from the archive
    Unarchive(archive::Unarchive),
    /// Delete a checkpoint
    Delete(archive::Delete),
    /// Show who is told of changes, and whether messages arrive
    Notify(notify::Notify),
    /// Show who follows what happens here
    Followers(followers::Followers),
    /// Start a new checkpoint with the content of another one
    Fork(fork::Fork),
    /// Give a checkpoint another name
    Rename(rename::Rename),
    /// Archive what was finished long ago, and remove what nobody needs
    Gc(gc::Gc),
    /// Track a Markdown plan
    Plan(plan::Plan),
    /// Track a build pipeline
    Pipeline(pipeline::Pipeline),
    /// Check, create and record handoffs between agents
    Handoff(handoff::Handoff),
    /// Approve, block or check shipping
    Gate(gate::Gate),
    /// Check what shipping needs, wait for the preview, write the text
    Ship(ship::Ship),
    /// Show where the work stands and what comes next
    Resume(resume::Resume),
    /// Say that a hazard has been dealt with
    Ack(ack::Ack),
    /// Show what is in flight, here and in linked worktrees
    Status(status::Status),
    /// List all checkpoints
    List(list::List),
    /// Show one checkpoint, or any checkpoint file
    Show(show::Show),
    /// Validate checkpoints against the rules of their format
    Validate(validate::Validate),
    /// Show what happened, newest first
    Log(log::Log),
    /// Show what changed in a checkpoint
    Diff(diff::Diff),
    /// Bring a checkpoint back to an earlier revision
    Restore(restore::Restore),
    /// Take the last change of a checkpoint back
    Undo(undo::Undo),
    /// Count tokens
    Tokens(tokens::Tokens),
    /// Handle an agent's hook event
    Hook(hook::Hook),
    /// Serve MCP clients on standard input and output
    #[cfg(feature = "mcp")]
    Mcp(mcp::Mcp),
    /// Print a status line for Claude Code
    Statusline(statusline::Statusline),
    /// Print the schema of a file format, or of --json output
    Schema(schema::Schema),
    /// Show and change settings
    Config(config::Config),
    /// Watch a checkpoint survive a kill, in a throwaway repository
    Demo(demo::Demo),
    /// Print a completion script for a shell
    Completions(completions::Completions),
    /// Print the manual page, or write all manual pages to a directory
    Man(man::Man),
}
