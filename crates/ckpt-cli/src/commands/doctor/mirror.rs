//! Checks the copies of histories in the git directory, and what is missing while they have it.

use ckpt::key::Key;
use ckpt::voice::{first_names, name, path_name, suggested};
use ckpt::workspace::{Depth, LostPart};

use super::{Examination, Fixes, Verdict};
use crate::failure::Failure;

impl Examination<'_> {
    pub(super) fn mirror(&mut self) -> Result<(), Failure> {
        let workspace = &self.session.workspace;
        let (summaries, _) = workspace.list(Depth::WithoutGit)?;
        let keys: Vec<Key> = summaries.into_iter().map(|summary| summary.key).collect();
        if self.fixes == Fixes::Wanted {
            workspace.catch_up(&keys);
        }
        match workspace.mirror_health(&keys) {
            None => self.note(
                Verdict::Warning,
                "mirror",
                "histories are not copied: there is no place outside this directory for copies",
            ),
            Some(health) if health.behind.is_empty() => {
                let text = format!("{} histories are copied to the git directory", health.whole);
                self.note(Verdict::Ok, "mirror", text);
            }
            Some(health) => {
                let names: Vec<String> = health.behind.iter().map(Key::short).collect();
                let text = format!(
                    "the copies in the git directory lack something of {}",
                    first_names(&names)
                );
                self.note(Verdict::Warning, "mirror", text);
                self.advise("The next change of each adds it, or run: ckpt doctor --fix");
            }
        }
        for path in workspace.damaged_archives() {
            let text = format!("{} is damaged", path_name(&path));
            self.note(Verdict::Broken, "archive", text);
            self.advise("Restore it from its copy in the git directory with: ckpt recover");
        }
        for lost in workspace.lost() {
            let shown = lost.key.short();
            let part = match lost.part {
                LostPart::Whole => "",
                LostPart::State => "the state of ",
                LostPart::History => "the history of ",
            };
            let text = format!(
                "{part}{} is missing; its copy has {} of {} done",
                name(&shown),
                lost.progress.done,
                lost.progress.total
            );
            self.note(Verdict::Warning, "missing", text);
            self.advise(format!(
                "Bring it back with: ckpt recover {}",
                suggested(&shown)
            ));
        }
        for lost in workspace.lost_archives() {
            let shown = lost.archived.key.short();
            let text = format!("the archive of {} is missing", name(&shown));
            self.note(Verdict::Warning, "missing", text);
            self.advise(format!(
                "Bring it back with: ckpt recover {}",
                suggested(&shown)
            ));
        }
        for lost in workspace.archives_of_gone_worktrees() {
            let shown = lost.archived.key.short();
            let root = lost.worktree.as_deref().map(path_name).unwrap_or_default();
            let text = format!(
                "the archive of {} of the worktree {root}, which is gone, is kept",
                name(&shown)
            );
            self.note(Verdict::Ok, "kept", text);
            self.advise(format!(
                "Bring it back here with: ckpt recover {}",
                suggested(&shown)
            ));
        }
        for lost in workspace.lost_with_worktrees() {
            let shown = lost.key.short();
            let root = lost.worktree.as_deref().map(path_name).unwrap_or_default();
            let text = format!(
                "{} of the worktree {root}, which is gone, is kept",
                name(&shown)
            );
            self.note(Verdict::Ok, "kept", text);
            self.advise(format!(
                "Bring it back here with: ckpt recover {}",
                suggested(&shown)
            ));
        }
        Ok(())
    }
}
