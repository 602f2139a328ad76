//! Which commands have a gate in this work tree, noted where no clone can change it.
//!
//! Checkpoints are files of the work tree, so a pull can replace one, or take it away, and its gate with it. What was noted
//! here blocks all the same, until the command is completed or given up here.

#![expect(
    clippy::disallowed_methods,
    reason = "these notes are no documents: each is made and removed at once, and says its own name"
)]

use std::fs::{self, OpenOptions};
use std::io::Write;
use std::path::PathBuf;

use super::super::Workspace;
use crate::command::Checkpoint;
use crate::disk::{is_no_link, make_private_directory, open_private, read_private};
use crate::document::Node;
use crate::gate::{Approvals, PERSON};
use crate::hash::ContentHash;
use crate::key::{CommandKey, Key};
use crate::layout::GATED;
use crate::standing::Lifecycle;

/// A command whose business is to ship, gate or no gate.
const SHIPPING: &str = "ship";

/// The name of a command is not longer than this, in bytes.
const LONGEST: u64 = 4096;

/// Whether a command can block: it has a gate, or ships.
pub(super) fn is_gated(key: &CommandKey, root: Node<'_>) -> bool {
    Checkpoint::new(root).gate().is_some() || key.command() == SHIPPING
}

/// Whether a command is complete or given up.
pub(in crate::workspace) fn is_over(root: Node<'_>) -> bool {
    Checkpoint::new(root).lifecycle() != Lifecycle::InFlight
}

impl Workspace {
    /// Notes that a command which was just changed here has a gate; of one that was ended here, nothing any more. What was over
    /// before this change may have been ended elsewhere.
    pub(in crate::workspace) fn note_gate(&self, key: &Key, was_over: bool, after: Node<'_>) {
        let Key::Command(command) = key else {
            return;
        };
        match (was_over, is_over(after)) {
            (_, false) => self.keep_gate(key, after),
            (false, true) => drop(self.forget_gate(command)),
            (true, true) => {}
        }
    }

    /// Notes that a command has a gate, if it has. Where that cannot be noted, its own file has to do.
    pub(in crate::workspace) fn keep_gate(&self, key: &Key, root: Node<'_>) {
        let Key::Command(command) = key else {
            return;
        };
        let Some(path) = self.gated_file(command).filter(|_| is_gated(command, root)) else {
            return;
        };
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        let opened = open_private(&path, &mut options).or_else(|error| {
            // There is no directory yet, or the note is there already.
            let directory = path.parent().filter(|directory| !directory.exists());
            make_private_directory(directory.ok_or(error)?)?;
            open_private(&path, &mut options)
        });
        let _ = opened.and_then(|mut file| file.write_all(command.short().as_bytes()));
    }

    /// Whether a command is not in flight, as far as its file says.
    #[must_use]
    pub fn is_over(&self, key: &CommandKey) -> bool {
        match self.load(&key.into()) {
            Ok(Some(loaded)) => is_over(loaded.document.root()),
            Ok(None) => true,
            Err(_) => false,
        }
    }

    /// The commands that have a gate here, whatever their files say now.
    pub(in crate::workspace) fn gated(&self) -> Vec<CommandKey> {
        let files = self
            .gated_directory()
            .and_then(|path| fs::read_dir(path).ok());
        let files = files.into_iter().flatten().flatten();
        let names = files.filter_map(|file| read_private(&file.path(), LONGEST).ok());
        let keys =
            names.filter_map(|name| CommandKey::parse(std::str::from_utf8(&name).ok()?).ok());
        keys.collect()
    }

    /// Takes away what was noted of a gate. Whether anything was: where a person has to approve, nobody else gets rid of a
    /// gate that blocks.
    #[must_use]
    pub fn forget_gate(&self, key: &CommandKey) -> bool {
        let Some(path) = self.gated_file(key).filter(|path| path.exists()) else {
            return false;
        };
        let may = self.options.approvals == Approvals::Anybody
            || self.options.approved_by == PERSON
            || self
                .check_gate(&key.into())
                .is_ok_and(|report| report.verdict.passes());
        may && fs::remove_file(path).is_ok()
    }

    fn gated_directory(&self) -> Option<PathBuf> {
        let user_state = self.options.user_state.as_deref();
        let directory = self.repository.private_directory(user_state)?;
        Some(directory.join(GATED)).filter(|directory| is_no_link(directory))
    }

    fn gated_file(&self, key: &CommandKey) -> Option<PathBuf> {
        let name = ContentHash::of(key.short().as_bytes()).to_string();
        Some(self.gated_directory()?.join(name.replace(':', "-")))
    }
}
