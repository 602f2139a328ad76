//! Records what `ckpt init` changed, so that it can be undone byte for byte.

#[cfg(test)]
mod tests;

use ckpt::document::{Edit, Splice};
use ckpt::history::ContentHash;
use ckpt_agents::Agent;
use serde::{Deserialize, Serialize};

/// All recorded changes.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) files: Vec<Change>,
}

/// The change to one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// Relative to the root of the repository, or absolute.
    pub(crate) path: String,
    /// Whether `init` created the file.
    pub(super) created: bool,
    /// The hash of its content before the first `init`, if known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<String>,
    /// Its previous permissions, if they were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<u32>,
    /// Directories that were created for it, innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) directories: Vec<String>,
    /// The edits: offset, old text, new text.
    pub(super) edit: Vec<(usize, String, String)>,
}

impl Receipt {
    pub(super) fn read(content: &[u8]) -> Self {
        serde_json::from_slice(content).unwrap_or_default()
    }

    pub(super) fn written(&self) -> Vec<u8> {
        let mut text = serde_json::to_vec_pretty(self).unwrap_or_default();
        text.push(b'\n');
        text
    }

    pub(super) fn find(&self, path: &str) -> Option<&Change> {
        self.files.iter().find(|change| change.path == path)
    }

    /// Records a change, replacing an earlier one to the same file.
    pub(super) fn put(&mut self, change: Change) {
        self.files.retain(|known| known.path != change.path);
        self.files.push(change);
    }
}

impl Change {
    pub(super) fn new(path: &str, before: Option<&str>, after: &str) -> Self {
        let edit = Edit::between(before.unwrap_or_default().as_bytes(), after.as_bytes());
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let splices = edit.splices().iter();
        Self {
            path: path.to_owned(),
            created: before.is_none(),
            was: before.map(hash),
            mode: None,
            directories: Vec::new(),
            edit: splices
                .map(|splice| (splice.offset, text(&splice.old), text(&splice.new)))
                .collect(),
        }
    }

    /// Whether this content, or a missing file, is the state before the first change.
    pub(super) fn is_as_before(&self, text: Option<&str>) -> bool {
        match text {
            None => self.created,
            Some(text) => self.was.as_ref() == Some(&hash(text)),
        }
    }

    /// Whether the change calls `ckpt` only by its name, as shared files do.
    pub(crate) fn calls_by_name(&self, agent: Agent) -> bool {
        let line = format!("\"ckpt hook {agent}\"");
        self.edit.iter().any(|(_, _, new)| new.contains(&line))
    }

    /// The text without our change, if our part is still where it was inserted.
    pub(super) fn undone(&self, text: &str) -> Option<String> {
        let splices = self.edit.iter().map(|(offset, old, new)| Splice {
            offset: *offset,
            old: old.clone().into_bytes(),
            new: new.clone().into_bytes(),
        });
        let before = Edit::new(splices.collect()).undo(text.as_bytes()).ok()?;
        String::from_utf8(before).ok()
    }
}

fn hash(text: &str) -> String {
    ContentHash::of(text.as_bytes()).to_string()
}
