//! Whether something may ship: only an approval of exactly this content counts.

mod receipt;

use std::borrow::Cow;

pub use receipt::{
    Begun, ContentState, GateProof, Proof, RunningGate, begun, ended, proofs, receipt_event,
};
pub(crate) use receipt::{Receipt, receipts, running};

use crate::document::Node;
use crate::layout::{
    PIPELINES_DIRECTORY, PLAN_FILE, PLAN_STATE_DIRECTORY, PLANS_DIRECTORY, STATE_DIRECTORY,
    phase_number,
};
use crate::process::ProcessMark;
use crate::repository::{ContentDigest, Exclusion};
use crate::seal::{Domain, Seals};

/// Whose approvals count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Whoever can run `ckpt` here.
    #[default]
    Anybody,
    /// Those that a person gave at a terminal.
    Person,
}

/// What is believed of the gates of one document.
///
/// What a clone brings is a claim. What carries the seal of this repository was done here.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'t> {
    /// The seals of the repository.
    pub seals: &'t Seals,
    /// What the document is called in seals.
    pub about: &'t str,
    /// Whose approvals count.
    pub approvals: Approvals,
    /// Whether a process is alive: a gate that says it is running is believed only then.
    pub is_alive: fn(&ProcessMark) -> bool,
}

impl Trust<'_> {
    /// What the receipt of a gate is called in seals.
    pub(crate) fn receipt_name(self, gate: &str) -> String {
        receipt_name(self.about, gate)
    }
}

/// What the receipt of a gate of a document is called in seals.
pub(crate) fn receipt_name(about: &str, gate: &str) -> String {
    format!("{about} {gate}")
}

/// The member of a gate that says who approved it.
pub(crate) const APPROVED_BY: &str = "approved_by";

/// The member of a gate that names the files which git did not track when it was approved.
pub(crate) const UNTRACKED: &str = "untracked";

/// How a person is recorded who approved something.
pub const PERSON: &str = "person";

/// What does not count for an approval: state, which changes with every command, and the plans themselves. All else under
/// `plans/` counts, also what lies in a directory with the name of a plan file.
#[must_use]
pub fn uncounted() -> [Exclusion; 5] {
    let plan = || Exclusion::of(PLANS_DIRECTORY).any();
    [
        Exclusion::of(STATE_DIRECTORY),
        Exclusion::of(PIPELINES_DIRECTORY),
        plan().named(PLAN_STATE_DIRECTORY),
        plan().named(PLAN_FILE).file(),
        plan().such(|name| phase_number(name).is_some()).file(),
    ]
}

/// What a gate says about the present content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Approved, and nothing has changed since.
    Allowed {
        /// Who approved it: `person`, or which agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        approved_by: Option<String>,
    },
    /// Blocked, but somebody let it pass for this content.
    Overridden {
        /// Why.
        reason: String,
        /// Who.
        by: String,
        /// Who let it pass: `person`, or which agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        approved_by: Option<String>,
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
    /// Who let it pass: `person`, or which agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When, as written.
    pub at: Option<String>,
    /// Whether it counts.
    pub applies: bool,
    /// Why it does not count.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flaw: Option<Flaw>,
}

/// Why an override does not count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Flaw {
    /// It was not made here: it came with a clone.
    ClaimedElsewhere,
    /// A person has to make it, and none did.
    NotByAPerson,
    /// It was made for other content than there is, as far as that is known.
    OtherContent,
}

impl Override {
    /// Reads the override of a gate. One without a reason is none.
    #[must_use]
    pub fn read(gate: Node<'_>, content: Option<&ContentDigest>, trust: Trust<'_>) -> Option<Self> {
        let pass = gate.get("override")?;
        let text = |name| pass.get(name).and_then(Node::as_str).map(Cow::into_owned);
        let flaw = match () {
            () if !trust.seals.vouches(Domain::Override, trust.about, pass) => {
                Some(Flaw::ClaimedElsewhere)
            }
            () if !is_entitled(pass, trust) => Some(Flaw::NotByAPerson),
            () if !is_for(pass, content) => Some(Flaw::OtherContent),
            () => None,
        };
        Some(Self {
            reason: text("reason").filter(|reason| !reason.trim().is_empty())?,
            by: text("by").unwrap_or_else(|| "unknown".to_owned()),
            approved_by: approved_by(pass),
            at: text("at"),
            applies: flaw.is_none(),
            flaw,
        })
    }

    /// Whether it was made in this repository, on this machine.
    #[must_use]
    pub fn is_made_here(&self) -> bool {
        self.flaw != Some(Flaw::ClaimedElsewhere)
    }
}

/// Judges a gate against the present content; `None` where that cannot be known.
#[must_use]
pub fn verdict(
    gate: Option<Node<'_>>,
    content: Option<&ContentDigest>,
    trust: Trust<'_>,
) -> Verdict {
    let reasons = blocking_reasons(gate, content, trust);
    if reasons.is_empty() {
        return Verdict::Allowed {
            approved_by: gate.and_then(approved_by),
        };
    }
    match gate.and_then(|gate| Override::read(gate, content, trust)) {
        Some(Override {
            reason,
            by,
            approved_by,
            applies: true,
            ..
        }) => Verdict::Overridden {
            reason,
            by,
            approved_by,
            reasons,
        },
        _ => Verdict::Blocked { reasons },
    }
}

/// Whether an approval was given in this repository, on this machine.
#[must_use]
pub fn is_given_here(gate: Node<'_>, trust: Trust<'_>) -> bool {
    trust.seals.vouches(Domain::Approval, trust.about, gate)
}

fn approved_by(holder: Node<'_>) -> Option<String> {
    Some(holder.get(APPROVED_BY)?.as_str()?.into_owned())
}

/// Whether whoever approved it may.
fn is_entitled(holder: Node<'_>, trust: Trust<'_>) -> bool {
    match trust.approvals {
        Approvals::Anybody => true,
        Approvals::Person => approved_by(holder).as_deref() == Some(PERSON),
    }
}

/// The files that were part of the approved content although git did not track them: a commit may lack them.
#[must_use]
pub fn untracked(gate: Node<'_>) -> Vec<String> {
    let names = gate.get(UNTRACKED).and_then(|names| names.strings().ok());
    let names = names.unwrap_or_default().into_iter();
    names.map(Cow::into_owned).collect()
}

/// What is said of an approval that does not carry our seal.
const CLAIMED_ELSEWHERE: &str = "the approval is claimed elsewhere: it was not given in this repository on this machine, so it has to be given again";

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

fn blocking_reasons(
    gate: Option<Node<'_>>,
    content: Option<&ContentDigest>,
    trust: Trust<'_>,
) -> Vec<String> {
    let Some(gate) = gate else {
        return vec!["no gate has been set".to_owned()];
    };
    let mut reasons = stated_blockers(gate);
    if !reasons.is_empty() {
        return reasons;
    }
    if !is_given_here(gate, trust) {
        reasons.push(CLAIMED_ELSEWHERE.to_owned());
    } else if !is_entitled(gate, trust) {
        let by = approved_by(gate).unwrap_or_else(|| "somebody".to_owned());
        reasons.push(format!("it was approved by {by}, and a person has to"));
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
