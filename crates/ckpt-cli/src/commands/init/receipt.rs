//! What `ckpt init` changed, so that it can be undone to the byte.

#[cfg(test)]
mod tests;

use ckpt::document::{Edit, Splice};
use ckpt::history::ContentHash;
use ckpt_agents::Agent;
use serde::{Deserialize, Serialize};

/// What was changed.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Receipt {
    pub(super) files: Vec<Change>,
}

/// What was changed in one file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Change {
    /// From the top of the repository, else absolute.
    pub(crate) path: String,
    /// Whether there was no such file.
    pub(super) created: bool,
    /// The hash of what was in it before the first time, where that is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) was: Option<String>,
    /// Its permissions before, where they were changed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) mode: Option<u32>,
    /// Directories that were made for it, the innermost first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) directories: Vec<String>,
    /// Where, what was there before, and what is there now.
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

    /// Records a change, in place of an earlier one of the same file.
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

    /// Whether this text, or no file, is what was there before the first change.
    pub(super) fn is_as_before(&self, text: Option<&str>) -> bool {
        match text {
            None => self.created,
            Some(text) => self.was.as_ref() == Some(&hash(text)),
        }
    }

    /// Whether the change calls `ckpt` by its name alone, as in files that everybody reads.
    pub(crate) fn calls_by_name(&self, agent: Agent) -> bool {
        let line = format!("\"ckpt hook {agent}\"");
        self.edit.iter().any(|(_, _, new)| new.contains(&line))
    }

    /// The text as it was before, if our part is still where it was put.
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
