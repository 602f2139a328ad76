//! The state: whether it can be written, who holds it, what crashes have left, what its documents say.

use std::path::Path;

use ckpt::Severity;
use ckpt::key::Key;
use ckpt::seal::Unsealed;
use ckpt::voice::{first_names, name, shell_word, suggested};

use super::super::target::Target;
use super::{Examination, Fixes, Verdict};
use crate::failure::{Failure, reason};

/// So many things without a seal are named.
const MOST_UNSEALED: usize = 20;

/// An empty file would fit on a full disk.
const PROBE_SIZE: usize = 16 * 1024;

impl Examination<'_> {
    pub(super) fn store(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        if !workspace.is_in_use() {
            self.note(Verdict::Ok, "state", "nothing is kept here yet");
            return Ok(());
        }
        match workspace.probe(PROBE_SIZE) {
            Ok(()) => {
                let directory = workspace.state_directory();
                self.note(
                    Verdict::Ok,
                    "state",
                    format!("{} can be written", directory.display()),
                );
            }
            Err(error) => {
                let text = Failure::from(error).message().to_owned();
                self.note(Verdict::Broken, "state", text);
            }
        }
        self.seals()?;
        self.permissions();
        self.locks();
        self.leftovers()?;
        self.sessions()?;
        self.git();
        self.documents()
    }

    /// What is sealed, and what is not.
    fn seals(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let vault = workspace.vault();
        if let Some(trouble) = vault.status() {
            self.note(
                Verdict::Warning,
                "seals",
                format!("nothing is sealed: {trouble}"),
            );
            self.advise(match trouble {
                Unsealed::Missing => "The next change makes a key, where it can be written",
                Unsealed::Malformed { .. } => "Make a new one with: ckpt doctor --new-key",
                _ => "Work goes on unsealed: approvals and receipts do not count until there is a key",
            });
        }
        let unsealed = workspace.unsealed()?;
        if vault.status().is_none() {
            let text = match unsealed.len() {
                0 => "all that is kept here is sealed with the key of this repository".to_owned(),
                count => format!("{count} without the seal of this repository"),
            };
            self.note(Verdict::Ok, "seals", text);
        }
        for found in unsealed.into_iter().take(MOST_UNSEALED) {
            self.note(Verdict::Warning, "unsealed", found.to_string());
        }
        Ok(())
    }

    fn permissions(&mut self) {
        let workspace = &self.session.workspace;
        let open = workspace.open_to_others();
        let Some(first) = open.first() else {
            return;
        };
        let text = format!(
            "{} files can be read by others, such as {}",
            open.len(),
            first.display()
        );
        let closed = match self.fixes {
            Fixes::Wanted => workspace.close_to_others(&open).is_ok(),
            Fixes::NotWanted => false,
        };
        match closed {
            true => self.note(Verdict::Fixed, "permissions", text),
            false => {
                self.note(Verdict::Warning, "permissions", text);
                self.advise("Close them with: ckpt doctor --fix");
            }
        }
    }

    fn locks(&mut self) {
        for lock in self.session.workspace.held_locks() {
            let text = format!("{} is held by {}", lock.path.display(), lock.holder);
            match lock.is_stopped {
                true => {
                    self.note(Verdict::Broken, "lock", format!("{text}, which is stopped"));
                    self.advise(
                        "Let it go on with kill -CONT, or end it; nothing is lost either way",
                    );
                }
                false => {
                    self.note(Verdict::Warning, "lock", text);
                    self.advise("It is at work; if this stays so, end it: nothing is lost");
                }
            }
        }
    }

    fn leftovers(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let before = workspace.leftovers();
        let Some(first) = before.first() else {
            return Ok(());
        };
        let text = format!(
            "{} temporary files of crashed changes, such as {}",
            before.len(),
            first.display()
        );
        if self.fixes == Fixes::NotWanted {
            self.note(Verdict::Warning, "leftovers", text);
            self.advise("The next change takes them away, and so does: ckpt doctor --fix");
            return Ok(());
        }
        // Beside a plan there may be something in them that nobody recorded; its next change sees to that.
        for id in workspace.plans()? {
            let _ = workspace.plan(&id).heal();
        }
        let state = workspace.state_directory();
        let pipelines = workspace.pipelines_directory();
        let is_ours = |path: &Path| path.starts_with(&state) || path.starts_with(&pipelines);
        for path in workspace.leftovers().iter().filter(|path| is_ours(path)) {
            let _ = std::fs::remove_file(path);
        }
        let left = workspace.leftovers().len();
        match left {
            0 => self.note(Verdict::Fixed, "leftovers", text),
            left => self.note(
                Verdict::Warning,
                "leftovers",
                format!("{left} temporary files stay"),
            ),
        }
        Ok(())
    }

    fn sessions(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let mut sessions = workspace.sessions().all()?;
        sessions.retain(|(_, record)| record.ended_at.is_none());
        let dead = sessions
            .iter()
            .filter(|(_, record)| !workspace.sessions().is_live(record));
        let (dead, live) = (dead.count(), sessions.len());
        let text = match dead {
            0 => format!("{live} live"),
            dead => format!(
                "{} live, {dead} ended without a word: the next one tells of them",
                live - dead
            ),
        };
        if live > 0 {
            self.note(Verdict::Ok, "sessions", text);
        }
        Ok(())
    }

    /// What git could do to the state.
    fn git(&mut self) {
        let repository = self.session.workspace.repository();
        if let Some(broken) = repository.broken_git() {
            let text = format!("{} leads nowhere, so HEAD is unknown", broken.display());
            self.note(Verdict::Broken, "git", text);
        }
        if !repository.is_git() {
            return;
        }
        let tracked = repository.tracked(&[".claude/state", "plans/*/.checkpoint/*"]);
        if let Some(first) = tracked.first() {
            self.note(
                Verdict::Warning,
                "git",
                format!("{first} is in git: state is of this machine alone"),
            );
            let directory = Path::new(first).parent().unwrap_or(Path::new(first));
            let directory = shell_word(&directory.display().to_string());
            self.advise(format!("Take it out with: git rm -r --cached {directory}"));
        }
        let filters = repository.filters_left_out().unwrap_or_default();
        if !filters.is_empty() {
            let names = first_names(&filters);
            let text = format!(
                "these filters do not run, because only this repository names them: {names}"
            );
            self.note(Verdict::Warning, "git", text);
            self.advise(
                "Name them in your own settings of git, or let all run with: ckpt config set --user repository_filters true",
            );
        }
        if repository.git_dir() != repository.common_dir() {
            self.note(
                Verdict::Ok,
                "git",
                "this is a linked worktree: git worktree remove takes its state away with it",
            );
        }
    }

    /// The findings of every checkpoint.
    fn documents(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let (summaries, problems) = workspace.list()?;
        for problem in problems {
            let stem = name(&problem.stem).into_owned();
            let text = format!("{stem}: {}", reason(problem));
            self.note(Verdict::Broken, "checkpoint", text);
            self.advise("What it was before is in its history; the next change brings it back");
        }
        let all = summaries.len();
        let mut sound = 0;
        for summary in summaries {
            match self.findings(&summary.key)? {
                true => sound += 1,
                false => {
                    let word = suggested(&summary.key.short());
                    self.advise(format!("Details: ckpt validate {word}"));
                }
            }
        }
        self.note(
            Verdict::Ok,
            "checkpoints",
            format!("{sound} of {all} without findings"),
        );
        Ok(())
    }

    /// Whether a checkpoint has no findings.
    fn findings(&mut self, key: &Key) -> Result<bool, Failure> {
        let workspace = &self.session.workspace;
        let findings = Target::require(self.session, key)?.findings(self.session)?;
        let worst = findings.iter().max_by_key(|finding| finding.severity);
        if let Some(worst) = worst {
            let verdict = match worst.severity {
                Severity::Error => Verdict::Broken,
                _ => Verdict::Warning,
            };
            let text = format!(
                "{}: {} findings, such as {worst}",
                name(&key.short()),
                findings.len()
            );
            self.note(verdict, "checkpoint", text);
        }
        let is_torn = workspace.has_torn_history(key)?;
        if is_torn {
            let text = format!(
                "{}: the end of its history cannot be read",
                name(&key.short())
            );
            self.note(Verdict::Warning, "history", text);
        }
        Ok(worst.is_none() && !is_torn)
    }
}
