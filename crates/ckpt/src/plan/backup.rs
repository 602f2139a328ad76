//! The backup of a plan's state (`recovery.json`).

use std::str::FromStr;

use memchr::memmem;

use super::operations::Reason;
use super::state::VERSION;
use crate::document::{Document, Object, ParseError, Value};
use crate::history::Revision;
use crate::standing::Newer;
use crate::time::Timestamp;

/// A backup is made once the last one is this many checkpoints old.
const EVERY: u64 = 5;

/// A backup of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Backup {
    /// When it was made, as written.
    pub saved_at: Option<String>,
    /// The revision it holds; `None` if another tool wrote it.
    pub revision: Option<Revision>,
    /// The state.
    pub state: Object,
}

impl Backup {
    /// Reads a backup; `None` if the content is not a backup.
    #[must_use]
    pub fn read(content: &[u8]) -> Option<Self> {
        let document = Document::from_bytes(content.to_vec()).ok()?;
        let Value::Object(mut backup) = document.value() else {
            return None;
        };
        let Some(Value::Object(state)) = backup.remove("state") else {
            return None;
        };
        let text = |name: &str| backup.get(name).and_then(Value::as_str);
        (state.get("version") == Some(&VERSION.into())).then(|| Self {
            saved_at: text("savedAt").map(str::to_owned),
            revision: text("rev").and_then(|rev| Revision::from_str(rev).ok()),
            state,
        })
    }

    /// The version of the state in a backup that a newer `ckpt` wrote.
    #[must_use]
    pub(crate) fn newer(content: &[u8]) -> Option<Newer> {
        let document = Document::from_bytes(content.to_vec()).ok()?;
        let version = document.root().get("state")?.get("version")?;
        Newer::than(VERSION, version.raw())
    }

    /// The text of a backup of this state.
    pub fn write(
        state: &Object,
        revision: &Revision,
        reason: Reason,
        now: Timestamp,
    ) -> Result<String, ParseError> {
        let mut backup = Object::new();
        backup.set("savedAt", now);
        backup.set("reason", reason.as_str());
        // Before the state, so that it can be found without reading the whole file.
        backup.set("rev", revision.to_string());
        backup.set("state", state.clone());
        let document = Document::from_value(&Value::Object(backup))?;
        Ok(document.text().to_owned())
    }

    /// The revision of a backup, read from the beginning of its file.
    #[must_use]
    pub fn revision_in(beginning: &[u8]) -> Option<Revision> {
        const NAME: &[u8] = b"\"rev\": \"";
        let state = memmem::find(beginning, b"\"state\"").unwrap_or(beginning.len());
        let start = memmem::find(&beginning[..state], NAME)? + NAME.len();
        let length = memchr::memchr(b'"', &beginning[start..])?;
        let text = std::str::from_utf8(&beginning[start..start + length]).ok()?;
        Revision::from_str(text).ok()
    }

    /// Whether a new backup is due, if the last one holds `last` and the state is at `now`.
    #[must_use]
    pub fn is_due(last: Option<&Revision>, now: &Revision) -> bool {
        let since = last.filter(|last| last.epoch == now.epoch);
        let since = since.map_or(0, |last| last.number);
        now.number >= since + EVERY
    }
}
