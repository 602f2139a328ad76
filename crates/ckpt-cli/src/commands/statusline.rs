//! `ckpt statusline`
//!
//! Called after every message, and killed by the next call, so it is fast, writes nothing and never fails.

use std::path::PathBuf;
use std::time::Duration;

use ckpt::document::{Document, Node};
use ckpt::resume::Brief;
use ckpt::workspace::Workspace;
use clap::Args;

use super::hook;
use crate::environment;
use crate::failure::Exit;
use crate::output;
use crate::render::style::one_line;

/// Print one line for the status line of Claude Code.
///
/// Its JSON is read from standard input. The line says what the branch is about, else what was saved last:
/// how far it is, the phase, and marks for what is stale, blocked or in trouble. Nothing is printed where
/// nothing is in flight, and the exit code is always 0.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt statusline < status.json")]
pub(crate) struct Statusline {}

/// Whoever says nothing for so long has nothing to say.
const PATIENCE: Duration = Duration::from_millis(500);

/// The most that is read.
const LONGEST: u64 = 4 * 1024 * 1024;

/// A line on a screen has no room for more.
const LONGEST_NAME: usize = 40;

impl Statusline {
    pub(crate) fn run(self) -> Exit {
        run()
    }
}

/// Prints the line for what is on standard input.
pub(crate) fn run() -> Exit {
    let input = hook::input::within(PATIENCE, LONGEST).unwrap_or_default();
    let line = line(&input).unwrap_or_default();
    if !line.is_empty() {
        let _ = output::raw(format!("{line}\n").as_bytes());
    }
    Exit::Done
}

fn line(input: &[u8]) -> Option<String> {
    let status = Document::from_bytes(input.to_vec()).ok();
    let directory = status.as_ref().and_then(|status| directory(status.root()));
    let directory = directory.filter(|directory| directory.is_dir());
    let directory = directory.or_else(|| std::env::current_dir().ok())?;
    let workspace = Workspace::open(&directory, &environment::git(), hook::limited()).ok()?;
    if !workspace.is_in_use() {
        return None;
    }
    let (keys, _) = workspace.in_flight().ok()?;
    let brief = workspace.brief_of(keys.first()?).ok()?;
    Some(written(&brief, keys.len() - 1))
}

fn directory(status: Node<'_>) -> Option<PathBuf> {
    let workspace = status.get("workspace");
    let current = workspace.and_then(|workspace| workspace.get("current_dir"));
    let directory = current.or_else(|| status.get("cwd"))?.as_str()?;
    Some(PathBuf::from(directory.into_owned()))
}

fn written(brief: &Brief, others: usize) -> String {
    let short = |text: &str| {
        let text = one_line(text);
        match text.chars().count() > LONGEST_NAME {
            true => text.chars().take(LONGEST_NAME - 1).chain(['…']).collect(),
            false => text,
        }
    };
    let progress = brief.progress;
    let mut line = format!(
        "{} {}/{}",
        short(&brief.key.short()),
        progress.done,
        progress.total
    );
    if let Some(phase) = &brief.resume_point.phase {
        line += &format!(" {}", short(phase));
    }
    if let Some(task) = &brief.task {
        line += &format!(" › {}", short(task));
    }
    for (mark, applies) in [
        ("blocked", !brief.blockers.is_empty()),
        ("failed", !brief.failed.is_empty()),
        ("stale", brief.stale.is_some()),
        ("trouble", brief.trouble.is_some()),
    ] {
        if applies {
            line += &format!(" · {mark}");
        }
    }
    if others > 0 {
        line += &format!(" · +{others}");
    }
    line
}
