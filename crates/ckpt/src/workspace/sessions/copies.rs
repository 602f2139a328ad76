//! Deciding which process makes the backup that is due after a number of user prompts.

use serde::{Deserialize, Serialize};

use crate::process::ProcessMark;

/// The number of prompts after which a backup is made.
const PROMPTS_TO_A_COPY: u64 = 5;

/// The backups of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Copies {
    #[serde(default, rename = "copies")]
    made: u64,
    #[serde(rename = "copier", skip_serializing_if = "Option::is_none")]
    claim: Option<Claim>,
}

/// A process's claim to make the backup that is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    /// The prompt that made it due; empty if the prompt has no id.
    #[serde(default)]
    prompt: String,
    #[serde(flatten)]
    by: ProcessMark,
}

impl Copies {
    /// Claims the backup that is due, unless a living process has claimed it, and returns its number. The backup
    /// itself is made without holding the record's lock, so that others can go on.
    pub(super) fn claim(&mut self, prompts: u64, prompt: &str) -> Option<u64> {
        let due = prompts / PROMPTS_TO_A_COPY;
        let is_claimed = || {
            let claim = self.claim.as_ref();
            claim.is_some_and(|claim| claim.by.is_alive())
        };
        if due <= self.made || is_claimed() {
            return None;
        }
        self.claim = Some(Claim {
            prompt: prompt.to_owned(),
            by: ProcessMark::current(),
        });
        Some(due)
    }

    /// Releases the claim made for this prompt.
    pub(super) fn give_back(&mut self, prompt: &str) {
        self.claim.take_if(|claim| claim.prompt == prompt);
    }

    /// Records that the backup was made.
    pub(super) fn finish(&mut self, number: u64) {
        self.made = self.made.max(number);
        self.claim = None;
    }
}

#[cfg(test)]
mod tests;
