//! Who makes the copy that is due after so many things that the user said.

use serde::{Deserialize, Serialize};

use crate::process::ProcessMark;

/// After so many things that the user said a copy is made.
const PROMPTS_TO_A_COPY: u64 = 5;

/// The copies of a session.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Copies {
    #[serde(default, rename = "copies")]
    made: u64,
    #[serde(rename = "copier", skip_serializing_if = "Option::is_none")]
    claim: Option<Claim>,
}

/// That somebody makes the copy that is due.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Claim {
    /// What the user said for it to be due; empty where that has no id.
    #[serde(default)]
    prompt: String,
    #[serde(flatten)]
    by: ProcessMark,
}

impl Copies {
    /// Takes the copy on that is due, unless somebody who is alive is at it, and says which one it is. It is made while
    /// nobody holds the record, so that others can go on.
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

    /// Nobody makes it for this prompt any more.
    pub(super) fn give_back(&mut self, prompt: &str) {
        self.claim.take_if(|claim| claim.prompt == prompt);
    }

    /// It is made.
    pub(super) fn finish(&mut self, number: u64) {
        self.made = self.made.max(number);
        self.claim = None;
    }
}

#[cfg(test)]
mod tests;
