//! The copy of the state that is kept beside it (`recovery.json`).

use std::str::FromStr;

use memchr::memmem;

use super::operations::Reason;
use super::state::VERSION;
use crate::document::{Document, Object, ParseError, Value};
use crate::history::Revision;
use crate::time::Timestamp;

/// A copy is made when the last one is this many checkpoints old.
const EVERY: u64 = 5;

/// A copy of a state.
#[derive(Debug, Clone, PartialEq)]
pub struct Backup {
    /// When it was made, as it is written.
    pub saved_at: Option<String>,
    /// The revision that it holds; copies of other writers have none.
    pub revision: Option<Revision>,
    /// The state.
    pub state: Object,
}

impl Backup {
    /// Reads a copy; `None` for what is none.
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

    /// The text of a copy of this state.
    pub fn write(
        state: &Object,
        revision: &Revision,
        reason: Reason,
        now: Timestamp,
    ) -> Result<String, ParseError> {
        let mut backup = Object::new();
        backup.set("savedAt", now);
        backup.set("reason", reason.as_str());
        // Before the state, so that it is found without reading all of it.
        backup.set("rev", revision.to_string());
        backup.set("state", state.clone());
        let document = Document::from_value(&Value::Object(backup))?;
        Ok(document.text().to_owned())
    }

    /// The revision of the copy that begins like this, as far as the beginning shows it.
    #[must_use]
    pub fn revision_in(beginning: &[u8]) -> Option<Revision> {
        const NAME: &[u8] = b"\"rev\": \"";
        let state = memmem::find(beginning, b"\"state\"").unwrap_or(beginning.len());
        let start = memmem::find(&beginning[..state], NAME)? + NAME.len();
        let length = memchr::memchr(b'"', &beginning[start..])?;
        let text = std::str::from_utf8(&beginning[start..start + length]).ok()?;
        Revision::from_str(text).ok()
    }

    /// Whether it is time for another copy, when the last one holds `last` and the state is at `now`.
    #[must_use]
    pub fn is_due(last: Option<&Revision>, now: &Revision) -> bool {
        let since = last.filter(|last| last.epoch == now.epoch);
        let since = since.map_or(0, |last| last.number);
        now.number >= since + EVERY
    }
}
