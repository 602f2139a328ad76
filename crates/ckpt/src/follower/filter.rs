//! What a follower wants to hear of.

use serde::{Deserialize, Serialize};

use crate::history::Line;
use crate::key::Key;
use crate::time::Timestamp;

/// Which lines are handed over. The others count as handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Filter {
    /// Parts of the names of events; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub events: Vec<String>,
    /// Checkpoints, with their kinds, such as `command:implement/auth`; none means all.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub checkpoints: Vec<String>,
    /// Nothing that happened before this, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub since: Option<String>,
}

impl Filter {
    /// Whether a checkpoint is followed at all.
    #[must_use]
    pub fn admits_key(&self, key: &Key) -> bool {
        self.checkpoints.is_empty() || self.checkpoints.contains(&key.to_string())
    }

    /// Whether a line is handed over.
    #[must_use]
    pub fn admits(&self, line: &Line) -> bool {
        let event = line.event().unwrap_or_default();
        let is_named =
            self.events.is_empty() || self.events.iter().any(|name| event.contains(name.as_str()));
        is_named && !self.is_before(line)
    }

    fn is_before(&self, line: &Line) -> bool {
        let since = self.since.as_deref().and_then(Timestamp::parse);
        let at = line.time().and_then(|time| Timestamp::parse(&time));
        since.zip(at).is_some_and(|(since, at)| at < since)
    }
}
