//! Checks the copies of histories and archives in the git directory, and what is missing or damaged while they have it.

use ckpt::key::Key;
use ckpt::voice::{first_names, name, path_name, suggested};
use ckpt::workspace::{Depth, Lost, LostPart, MirrorHealth};

use super::super::recover::{APART, STILL_READ, beyond_use, lost_for_good, what_is_wrong};
use super::{Examination, Fixes, Verdict};
use crate::failure::Failure;

impl Examination<'_> {
    pub(super) fn mirror(&mut self) -> Result<(), Failure> {
        self.missing()?;
        self.copies()?;
        self.archives()?;
        self.missing_archives();
        self.kept();
        Ok(())
    }

    /// Checks that each history has a copy, and that it is whole.
    fn copies(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let (summaries, _) = workspace.list(Depth::WithoutGit)?;
        let keys: Vec<Key> = summaries.into_iter().map(|summary| summary.key).collect();
        let mended = match self.fixes {
            Fixes::Wanted => workspace.catch_up(&keys),
            Fixes::NotWanted => Vec::new(),
        };
        if !mended.is_empty() {
            let text = format!(
                "damaged copies in the git directory, now restored: {}",
                names(&mended)
            );
            self.note(Verdict::Fixed, "mirror", text);
        }
        match workspace.mirror_health(&keys) {
            None => self.note(
                Verdict::Warning,
                "mirror",
                "histories are not copied: there is no place outside this directory for copies",
            ),
            Some(health) => self.health(&health),
        }
        Ok(())
    }

    fn health(&mut self, health: &MirrorHealth) {
        let flaws = [
            (
                &health.behind,
                "incomplete copies in the git directory:",
                "The next change of each adds up to 64 MiB; for more, run: ckpt doctor --fix",
            ),
            (
                &health.damaged,
                "damaged copies in the git directory:",
                "Restore them from the histories with: ckpt doctor --fix",
            ),
            (&health.apart, APART, STILL_READ),
        ];
        let found = flaws.iter().filter(|(keys, ..)| !keys.is_empty());
        for (keys, text, advice) in found {
            self.note(
                Verdict::Warning,
                "mirror",
                format!("{text} {}", names(keys)),
            );
            self.advise(*advice);
        }
        for path in &health.obstacles {
            let path = path_name(path);
            let text =
                format!("{path} is a symbolic link or no directory, so nothing is copied there");
            self.note(Verdict::Warning, "mirror", text);
            self.advise(format!(
                "Remove it, and copy everything again: rm {} && ckpt doctor --fix",
                suggested(&path)
            ));
        }
        if health.obstacles.is_empty() && flaws.iter().all(|(keys, ..)| keys.is_empty()) {
            let text = format!("{} histories are copied to the git directory", health.whole);
            self.note(Verdict::Ok, "mirror", text);
        }
    }

    /// Checks that each archive is whole, and its copy.
    fn archives(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let damaged = workspace.damaged_archives();
        let copies = workspace.damaged_copies_of_archives();
        if self.fixes == Fixes::Wanted {
            workspace.recover_archives()?;
            workspace.mend_copies_of_archives()?;
        }
        for one in damaged {
            let (message, hint) = what_is_wrong(self.session, &one);
            let verdict = match one.is_deleted {
                true => Verdict::Warning,
                false => Verdict::Broken,
            };
            self.fixable(one.has_copy(), (verdict, "archive", message), hint);
        }
        for path in copies {
            let message = format!(
                "the copy of {} in the git directory is damaged",
                path_name(&path)
            );
            let hint = "Restore it with: ckpt doctor --fix".to_owned();
            self.fixable(true, (Verdict::Warning, "archive", message), hint);
        }
        Ok(())
    }

    /// Notes a flaw with what to do about it, or that it has been fixed.
    fn fixable(
        &mut self,
        can_be_fixed: bool,
        (verdict, topic, text): (Verdict, &'static str, String),
        advice: String,
    ) {
        match can_be_fixed && self.fixes == Fixes::Wanted {
            true => self.note(Verdict::Fixed, topic, text),
            false => {
                self.note(verdict, topic, text);
                self.advise(advice);
            }
        }
    }

    /// Checks what is missing, and restores histories that have lost lines.
    fn missing(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        for lost in workspace.lost_or_damaged() {
            let is_mended = self.fixes == Fixes::Wanted
                && lost.part == LostPart::Lines
                && workspace.bring_back_lost(&lost)?.is_some();
            let text = loss(&lost);
            match is_mended {
                true => self.note(Verdict::Fixed, "missing", text),
                false => {
                    self.note(Verdict::Warning, "missing", text);
                    self.advise(bring_back_with("Bring it back with", &lost.key));
                }
            }
        }
        for copy in workspace.unusable_copies() {
            let (text, advice) = beyond_use(&copy);
            self.note(Verdict::Warning, "missing", text);
            self.advise(advice);
        }
        Ok(())
    }

    fn missing_archives(&mut self) {
        let workspace = &self.session.workspace;
        for lost in workspace.lost_archives() {
            let key = &lost.archived.key;
            let (text, advice) = match workspace.is_lost_for_good(&lost) {
                true => lost_for_good(&lost),
                false => (
                    format!("the archive of {} is missing", name(&key.short())),
                    bring_back_with("Bring it back with", key),
                ),
            };
            self.note(Verdict::Warning, "missing", text);
            self.advise(advice);
        }
    }

    /// Says what is kept of worktrees that are gone.
    fn kept(&mut self) {
        let workspace = &self.session.workspace;
        let archives = workspace.archives_of_gone_worktrees().into_iter();
        let archives = archives.map(|lost| ("the archive of ", lost.archived.key, lost.worktree));
        let lost = workspace.lost_with_worktrees().into_iter();
        let lost = lost.map(|lost| ("", lost.key, lost.worktree));
        for (part, key, worktree) in archives.chain(lost) {
            let root = worktree.as_deref().map(path_name).unwrap_or_default();
            let text = format!(
                "{part}{} of the worktree {root}, which is gone, is kept",
                name(&key.short())
            );
            self.note(Verdict::Ok, "kept", text);
            self.advise(bring_back_with("Bring it back here with", &key));
        }
    }
}

fn names(keys: &[Key]) -> String {
    let names: Vec<String> = keys.iter().map(Key::short).collect();
    first_names(&names)
}

/// What is missing of a checkpoint, and how far along its copy is.
fn loss(lost: &Lost) -> String {
    let (part, loss) = match lost.part {
        LostPart::Whole => ("", "missing"),
        LostPart::State => ("the state of ", "missing"),
        LostPart::History => ("the history of ", "missing"),
        LostPart::Lines => ("part of the history of ", "missing or damaged"),
    };
    format!(
        "{part}{} is {loss}; its copy has {} of {} done",
        name(&lost.key.short()),
        lost.progress.done,
        lost.progress.total
    )
}

fn bring_back_with(words: &str, key: &Key) -> String {
    format!("{words}: ckpt recover {}", suggested(&key.short()))
}
