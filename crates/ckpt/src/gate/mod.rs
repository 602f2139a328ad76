//! Whether something may ship: only an approval of exactly this content counts.

mod family;
mod receipt;
mod run;

use std::borrow::Cow;

pub use family::RUN_VARIABLE;
pub use receipt::{GateProof, Ground, Proof, begun, end_leftovers, ended, proofs, receipt_event};
pub(crate) use receipt::{Receipt, receipts, run_name};
pub use run::{Ending, RunRequest, RunResult, TAIL_BYTES, run, shell_word};

use crate::document::Node;
use crate::repository::ContentDigest;

/// Paths whose content does not count for an approval: state changes with every command.
pub const UNCOUNTED_PATHS: [&str; 3] = [
    ".claude/state",
    ".claude/skills/build-pipeline/checkpoints",
    "plans",
];

/// What a gate says about the present content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Approved, and nothing has changed since.
    Allowed,
    /// Blocked, but somebody let it pass for this content.
    Overridden {
        /// Why.
        reason: String,
        /// Who.
        by: String,
        /// What is overridden.
        reasons: Vec<String>,
    },
    /// Not approved.
    Blocked {
        /// Why not; at least one.
        reasons: Vec<String>,
    },
}

impl Verdict {
    /// Whether it may ship.
    #[must_use]
    pub fn passes(&self) -> bool {
        !matches!(self, Self::Blocked { .. })
    }
}

/// Somebody's decision to let a blocked gate pass for certain content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Override {
    /// Why.
    pub reason: String,
    /// Who.
    pub by: String,
    /// When, as written.
    pub at: Option<String>,
    /// Whether the present content is the one it was made for.
    pub applies: bool,
}

impl Override {
    /// Reads the override of a gate. One without a reason is none.
    #[must_use]
    pub fn read(gate: Node<'_>, content: Option<&ContentDigest>) -> Option<Self> {
        let pass = gate.get("override")?;
        let text = |name| pass.get(name).and_then(Node::as_str).map(Cow::into_owned);
        Some(Self {
            reason: text("reason").filter(|reason| !reason.trim().is_empty())?,
            by: text("by").unwrap_or_else(|| "unknown".to_owned()),
            at: text("at"),
            applies: is_for(pass, content),
        })
    }
}

/// Judges a gate against the present content; `None` where that cannot be known.
#[must_use]
pub fn verdict(gate: Option<Node<'_>>, content: Option<&ContentDigest>) -> Verdict {
    let reasons = blocking_reasons(gate, content);
    if reasons.is_empty() {
        return Verdict::Allowed;
    }
    match gate.and_then(|gate| Override::read(gate, content)) {
        Some(Override {
            reason,
            by,
            applies: true,
            ..
        }) => Verdict::Overridden {
            reason,
            by,
            reasons,
        },
        _ => Verdict::Blocked { reasons },
    }
}

fn is_for(holder: Node<'_>, content: Option<&ContentDigest>) -> bool {
    let bound = holder.get("content").and_then(Node::as_str);
    matches!((bound, content), (Some(bound), Some(content)) if bound == content.as_str())
}

/// What the gate itself says against shipping, without a look at the content.
#[must_use]
pub fn stated_blockers(gate: Node<'_>) -> Vec<String> {
    let mut reasons = Vec::new();
    match gate.get("blockers").map(Node::strings) {
        Some(Ok(blockers)) => reasons.extend(blockers.into_iter().map(Cow::into_owned)),
        _ => reasons
            .push("the gate is malformed: \"blockers\" is not an array of strings".to_owned()),
    }
    match gate.get("ship_allowed").and_then(Node::as_bool) {
        Some(true) => {}
        Some(false) if reasons.is_empty() => reasons.push("shipping is not allowed".to_owned()),
        Some(false) => {}
        None => {
            reasons.push("the gate is malformed: \"ship_allowed\" is not true or false".to_owned());
        }
    }
    reasons
}

fn blocking_reasons(gate: Option<Node<'_>>, content: Option<&ContentDigest>) -> Vec<String> {
    let Some(gate) = gate else {
        return vec!["no gate has been set".to_owned()];
    };
    let mut reasons = stated_blockers(gate);
    if !reasons.is_empty() {
        return reasons;
    }
    if gate.get("head_commit").and_then(Node::as_str).is_none() {
        reasons.push("the approval names no commit".to_owned());
    }
    if gate.get("content").and_then(Node::as_str).is_none() {
        reasons.push("the approval is not bound to any content".to_owned());
    } else if content.is_none() {
        reasons.push("the present content cannot be determined".to_owned());
    } else if !is_for(gate, content) {
        reasons.push("the content has changed since it was approved".to_owned());
    }
    reasons
}
