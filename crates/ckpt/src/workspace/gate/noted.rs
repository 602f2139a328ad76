//! Notes of which commands have a gate in this work tree, kept where a clone cannot change them.
//!
//! Checkpoints are files in the work tree, so a pull can replace or remove one together with its gate. A gate noted
//! here still blocks, until its command is completed or abandoned here.

#![expect(
    clippy::disallowed_methods,
    reason = "these notes are not documents: each contains the name of its command, and is removed in one step"
)]

use std::fs;
use std::path::PathBuf;

use super::super::Workspace;
use crate::command::Checkpoint;
use crate::disk::{Mode, OsDisk, is_no_link, read_private};
use crate::document::Node;
use crate::gate::{Approvals, PERSON};
use crate::hash::ContentHash;
use crate::key::{CommandKey, Key};
use crate::layout::GATED;
use crate::standing::Lifecycle;
use crate::store::{make_directories, replace};

/// The command that ships, so it blocks even without a gate.
const SHIPPING: &str = "ship";

/// The maximum length of a command's name, in bytes.
const LONGEST: u64 = 4096;

/// Whether a command can block: it has a gate, a named gate of it failed, or it ships.
pub(super) fn is_gated(key: &CommandKey, root: Node<'_>) -> bool {
    let has_failed = || {
        let receipts = root.get("receipts").map(Node::members).unwrap_or_default();
        let mut results = receipts
            .iter()
            .filter_map(|(_, receipt)| receipt.get("result")?.as_str());
        results.any(|result| result == "failed")
    };
    Checkpoint::new(root).gate().is_some() || key.command() == SHIPPING || has_failed()
}

/// Whether a command is complete or abandoned.
pub(in crate::workspace) fn is_over(root: Node<'_>) -> bool {
    Checkpoint::new(root).lifecycle() != Lifecycle::InFlight
}

impl Workspace {
    /// Notes the gate of a command that was just changed here, or removes the note if the change ended the command. A
    /// command that was over before the change may have been ended elsewhere, so its note stays.
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

    /// Notes the gate of a command, if it has one. If the note cannot be written, the checkpoint file has to do.
    pub(in crate::workspace) fn keep_gate(&self, key: &Key, root: Node<'_>) {
        let Key::Command(command) = key else {
            return;
        };
        if !is_gated(command, root) {
            return;
        }
        let Some(path) = self.gated_file(command) else {
            return;
        };
        let name = command.short();
        if read_private(&path, LONGEST).is_ok_and(|note| note == name.as_bytes()) {
            return;
        }
        // A git directory may be named through a link, so this disk has no root.
        let disk = OsDisk::default();
        if make_directories(&disk, path.parent().unwrap_or(&path)).is_ok() {
            let _ = replace(&disk, &path, name.as_bytes(), Mode::Private);
        }
    }

    /// Whether a command is over, going by its file.
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
        let keys = files.filter_map(|file| {
            let name = read_private(&file.path(), LONGEST).ok()?;
            let key = CommandKey::parse(std::str::from_utf8(&name).ok()?).ok()?;
            // One that is torn names another command, or none.
            (file.file_name() == *file_name(&key)).then_some(key)
        });
        keys.collect()
    }

    /// Removes the note of a gate, and returns whether there was one. If a person has to approve, nobody else can
    /// remove a gate that blocks.
    #[must_use]
    pub fn forget_gate(&self, key: &CommandKey) -> bool {
        let is_noted = self.gated_file(key).is_some_and(|path| path.exists());
        is_noted && self.may_forget_gate(key) && self.drop_note(key)
    }

    /// Removes the note of a gate that may go. Returns whether there was one.
    pub(in crate::workspace) fn drop_note(&self, key: &CommandKey) -> bool {
        let path = self.gated_file(key);
        path.is_some_and(|path| fs::remove_file(path).is_ok())
    }

    /// Whether whoever makes changes here may remove the note of a gate.
    pub(in crate::workspace) fn may_forget_gate(&self, key: &CommandKey) -> bool {
        self.options.approvals == Approvals::Anybody
            || self.options.approved_by == PERSON
            || self
                .check_gate(&key.into())
                .is_ok_and(|report| report.verdict.passes())
    }

    fn gated_directory(&self) -> Option<PathBuf> {
        let user_state = self.options.user_state.as_deref();
        let directory = self.repository.private_directory(user_state)?;
        Some(directory.join(GATED)).filter(|directory| is_no_link(directory))
    }

    fn gated_file(&self, key: &CommandKey) -> Option<PathBuf> {
        Some(self.gated_directory()?.join(file_name(key)))
    }
}

/// The name of the note of a command's gate.
fn file_name(key: &CommandKey) -> String {
    let hash = ContentHash::of(key.short().as_bytes());
    hash.to_string().replace(':', "-")
}
