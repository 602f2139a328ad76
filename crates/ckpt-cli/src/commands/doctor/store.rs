//! Checks the state: permissions, locks, leftovers of crashes, seals, sessions, and every checkpoint.

use std::path::Path;

use ckpt::Severity;
use ckpt::key::Key;
use ckpt::seal::Unsealed;
use ckpt::voice::{first_names, name, path_name, shell_word, suggested};
use ckpt::workspace::{Depth, UnsealedThing};

use super::super::recover::{KEY_BACK, STILL_READ, altered, unreadable};
use super::super::target::Target;
use super::{Examination, Fixes, Verdict};
use crate::failure::{Failure, reason};

/// At most this many unsealed records are listed.
const MOST_UNSEALED: usize = 20;

/// Large enough to fail on a full disk, where an empty file would still fit.
const PROBE_SIZE: usize = 16 * 1024;

impl Examination<'_> {
    pub(super) fn store(&mut self) {
        let workspace = &self.session.workspace;
        if !workspace.is_in_use() {
            self.note(Verdict::Ok, "state", "no state here yet");
            return;
        }
        match workspace.probe(PROBE_SIZE) {
            Ok(()) => {
                let directory = workspace.state_directory();
                self.note(
                    Verdict::Ok,
                    "state",
                    format!("{} is writable", directory.display()),
                );
            }
            Err(error) => {
                let failure = Failure::from(error);
                self.note(Verdict::Broken, "state", failure.message());
                if let Some(hint) = failure.hint() {
                    self.advise(hint);
                }
            }
        }
        self.checked("seals", Self::seals);
        self.permissions();
        self.locks();
        self.checked("leftovers", Self::leftovers);
        self.checked("sessions", Self::sessions);
        self.git();
        self.checked("checkpoints", Self::documents);
        self.checked("mirror", Self::mirror);
        self.checked("followers", Self::followers);
    }

    /// Makes one check. If it cannot be made, that is its result, and the others are made all the same.
    fn checked(&mut self, topic: &'static str, check: fn(&mut Self) -> Result<(), Failure>) {
        if let Err(failure) = check(self) {
            self.note(Verdict::Broken, topic, failure.message());
        }
    }

    /// Reports records without a valid seal.
    fn seals(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let vault = workspace.vault();
        if let Some(trouble) = vault.status() {
            self.note(
                Verdict::Warning,
                "seals",
                format!("nothing can be sealed: {trouble}"),
            );
            self.advise(match trouble {
                Unsealed::Missing if !workspace.lost().is_empty() => KEY_BACK,
                Unsealed::Missing => "The next change creates a key, if the directory is writable",
                Unsealed::Malformed { .. } => "Create a new one with: ckpt doctor --new-key",
                _ => "Work continues unsealed: approvals and receipts do not count until there is a key",
            });
        }
        let unsealed = workspace.unsealed()?;
        if vault.status().is_none() {
            let text = match unsealed.len() {
                0 => "everything is sealed with this repository's key".to_owned(),
                count => format!("{count} records without this repository's seal"),
            };
            self.note(Verdict::Ok, "seals", text);
        }
        for found in unsealed.into_iter().take(MOST_UNSEALED) {
            self.note(Verdict::Warning, "unsealed", found.to_string());
            if let UnsealedThing::Archive(path) = found {
                let path = path_name(&path);
                self.advise(format!("Look into it with: zstd -dc {}", suggested(&path)));
            }
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
            "{} files are readable by others, such as {}",
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
                self.advise("Fix their permissions with: ckpt doctor --fix");
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
                        "Resume it with kill -CONT, or kill it; nothing is lost either way",
                    );
                }
                false => {
                    self.note(Verdict::Warning, "lock", text);
                    self.advise("It is working; if it never finishes, kill it: nothing is lost");
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
            "{} temporary files left by crashes, such as {}",
            before.len(),
            first.display()
        );
        if self.fixes == Fixes::NotWanted {
            self.note(Verdict::Warning, "leftovers", text);
            self.advise("The next change removes them, and so does: ckpt doctor --fix");
            return Ok(());
        }
        workspace.sweep()?;
        let left = workspace.leftovers().len();
        match left {
            0 => self.note(Verdict::Fixed, "leftovers", text),
            left => self.note(
                Verdict::Warning,
                "leftovers",
                format!("{left} temporary files remain"),
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
                "{} live, {dead} ended unexpectedly: the next session will be told",
                live - dead
            ),
        };
        if live > 0 {
            self.note(Verdict::Ok, "sessions", text);
        }
        Ok(())
    }

    /// Checks how git could affect the state.
    fn git(&mut self) {
        let repository = self.session.workspace.repository();
        if let Some(broken) = repository.broken_git() {
            let text = format!("{} points nowhere, so HEAD is unknown", broken.display());
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
                format!("{first} is tracked by git, but state belongs to this machine"),
            );
            let directory = Path::new(first).parent().unwrap_or(Path::new(first));
            let directory = shell_word(&directory.display().to_string());
            self.advise(format!("Untrack it with: git rm -r --cached {directory}"));
        }
        let filters = repository.filters_left_out().unwrap_or_default();
        if !filters.is_empty() {
            let names = first_names(&filters);
            let text = format!(
                "these filters do not run, because only this repository configures them: {names}"
            );
            self.note(Verdict::Warning, "git", text);
            self.advise(
                "Configure them in your own git config, or allow all with: ckpt config set --user repository_filters true",
            );
        }
        if repository.git_dir() != repository.common_dir() {
            self.note(
                Verdict::Ok,
                "git",
                "this is a linked worktree: git worktree remove also removes its state",
            );
        }
    }

    /// Validates every checkpoint.
    fn documents(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let (summaries, problems) = workspace.list(Depth::WithoutGit)?;
        for problem in problems {
            let stem = name(&problem.stem).into_owned();
            let text = format!("{stem}: {}", reason(problem));
            self.note(Verdict::Broken, "checkpoint", text);
            self.advise("Its history has the previous content; the next change restores it");
        }
        self.hidden();
        let all = summaries.len();
        let mut sound = 0;
        for summary in summaries {
            sound += usize::from(self.findings(&summary.key)?);
        }
        self.note(
            Verdict::Ok,
            "checkpoints",
            format!("{sound} of {all} without findings"),
        );
        Ok(())
    }

    /// Names the checkpoints that no command finds.
    fn hidden(&mut self) {
        for path in self.session.workspace.hidden() {
            let shown = path_name(&path);
            let text = format!("{shown} is never listed: its name begins with a dot");
            self.note(Verdict::Warning, "checkpoint", text);
            self.advise("Remove the dot from the file's name and from the name in it");
        }
    }

    /// Validates one checkpoint. Returns whether it has no findings.
    fn findings(&mut self, key: &Key) -> Result<bool, Failure> {
        let workspace = &self.session.workspace;
        let target = Target::require(self.session, key)?;
        if let Some(elsewhere) = target.elsewhere() {
            self.note(Verdict::Ok, "checkpoint", elsewhere);
        }
        let findings = target.findings(self.session)?;
        let worst = findings.iter().max_by_key(|finding| finding.severity);
        if let Some(worst) = worst {
            let verdict = match worst.severity {
                Severity::Error => Verdict::Broken,
                _ => Verdict::Warning,
            };
            let short = key.short();
            let name = name(&short);
            let text = match findings.len() {
                1 => format!("{name}: {worst}"),
                many => format!("{name}: {many} findings, such as {worst}"),
            };
            self.note(verdict, "checkpoint", text);
        }
        if worst.is_some() {
            let word = suggested(&key.short());
            self.advise(format!("Details: ckpt validate {word}"));
        }
        let damage = workspace.damage(key)?.filter(|damage| !damage.is_none());
        if let Some(damage) = &damage {
            let text = unreadable(workspace, key, damage);
            self.note(Verdict::Warning, "history", text);
            self.advise(STILL_READ);
        }
        let changed = workspace.altered(key)?.filter(|damage| !damage.is_none());
        if let Some(damage) = &changed {
            let text = altered(workspace, key, damage);
            self.note(Verdict::Warning, "history", text);
            self.advise(STILL_READ);
        }
        Ok(worst.is_none() && damage.is_none() && changed.is_none())
    }
}
