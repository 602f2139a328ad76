//! Deciding whether something may ship: only an approval of exactly this content counts.

mod preview;
mod receipt;

use std::borrow::Cow;

pub use preview::{KnownPreview, PREVIEW, Preview, PreviewState, Success, preview};
pub use receipt::{
    Begun, ContentState, GateName, GateProof, Proof, RunningGate, begun, ended, proofs,
};
pub(crate) use receipt::{RECEIPTS, Receipt, keep, receipts, running};

use crate::document::{Node, Tree};
use crate::layout::{
    PIPELINES_DIRECTORY, PLAN_FILE, PLAN_STATE_DIRECTORY, PLANS_DIRECTORY, STATE_DIRECTORY,
    phase_number,
};
use crate::process::ProcessMark;
use crate::repository::{ContentDigest, Exclusion};
use crate::seal::{Domain, Seals};
use crate::time::Timestamp;
use crate::voice::{quote, suggested};

/// Whose approvals count.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Approvals {
    /// Approvals by anyone who can run `ckpt` here.
    #[default]
    Anybody,
    /// Only approvals given by a person at a terminal.
    Person,
}

/// How far to trust the gates of one document.
///
/// Anything that came with a clone is only a claim; an entry with this repository's seal was made here.
#[derive(Debug, Clone, Copy)]
pub struct Trust<'t> {
    /// The repository's seals.
    pub seals: &'t Seals,
    /// The document's name in seals.
    pub about: &'t str,
    /// Whose approvals count.
    pub approvals: Approvals,
    /// Whether a process is alive: a gate counts as running only while its process is.
    pub is_alive: fn(&ProcessMark) -> bool,
}

impl Trust<'_> {
    /// The name of a gate's receipt in seals.
    pub(crate) fn receipt_name(self, gate: &str) -> String {
        receipt_name(self.about, gate)
    }
}

/// The name in seals of a gate's receipt in a document.
pub(crate) fn receipt_name(about: &str, gate: &str) -> String {
    format!("{about} {gate}")
}

/// The gate member that says who approved it.
pub(crate) const APPROVED_BY: &str = "approved_by";

/// The gate member that lists files that were untracked when it was approved.
pub(crate) const UNTRACKED: &str = "untracked";

/// The value that records a person as the approver.
pub const PERSON: &str = "person";

/// What an approval does not cover: state, which changes with every command, and the plans themselves. Everything
/// else under `plans/` is covered, even inside a directory named like a plan file.
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

/// A gate judged against the current content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(tag = "verdict", rename_all = "snake_case")]
pub enum Verdict {
    /// Approved, and nothing has changed since.
    Allowed {
        /// Who approved it: `person`, or the name of an agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        approved_by: Option<String>,
    },
    /// Blocked, but overridden for this content.
    Overridden {
        /// Why it was overridden.
        reason: String,
        /// Who overrode it.
        by: String,
        /// Who gave the override: `person`, or the name of an agent.
        #[serde(skip_serializing_if = "Option::is_none")]
        approved_by: Option<String>,
        /// The reasons for the block.
        reasons: Vec<String>,
    },
    /// Not approved.
    Blocked {
        /// The reasons; at least one.
        reasons: Vec<String>,
    },
    /// Approved or overridden for some content, but the current content was not compared with it.
    NotChecked,
}

impl Verdict {
    /// Whether it may ship.
    #[must_use]
    pub fn passes(&self) -> bool {
        matches!(self, Self::Allowed { .. } | Self::Overridden { .. })
    }

    /// The reasons that block, apart from content that was not compared.
    pub(crate) fn known_reasons(&self) -> Vec<String> {
        let reasons = match self {
            Self::Blocked { reasons } | Self::Overridden { reasons, .. } => reasons.as_slice(),
            Self::Allowed { .. } | Self::NotChecked => &[],
        };
        let known = reasons.iter().filter(|reason| *reason != UNKNOWN_CONTENT);
        known.cloned().collect()
    }

    /// Whether comparing the content could change it.
    #[must_use]
    pub fn depends_on_content(&self) -> bool {
        match self {
            Self::NotChecked => true,
            Self::Blocked { reasons } => reasons.iter().any(|reason| reason == UNKNOWN_CONTENT),
            Self::Allowed { .. } | Self::Overridden { .. } => false,
        }
    }
}

/// A decision to override a blocked gate for certain content.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Override {
    /// The reason.
    pub reason: String,
    /// Who made it.
    pub by: String,
    /// Who gave it: `person`, or the name of an agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub approved_by: Option<String>,
    /// When it was made, as written.
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
    /// It must be made by a person, and was not.
    NotByAPerson,
    /// It was made for other content, or the current content is unknown.
    OtherContent,
}

impl Override {
    /// Reads the override of a gate. An override without a reason is ignored.
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

/// Judges the gate of a document against the current content, if that is known. A named gate that ran and failed blocks
/// until it passes, and a failed phase until it is done.
#[must_use]
pub fn verdict(
    document: Option<Node<'_>>,
    content: Option<&ContentDigest>,
    trust: Trust<'_>,
) -> Verdict {
    let gate = document.and_then(|document| document.get("gate"));
    let mut reasons = blocking_reasons(document, content, trust);
    reasons.extend(
        document
            .map(|document| failures(document, trust))
            .unwrap_or_default(),
    );
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
            at,
            ..
        }) if !document.is_some_and(|document| failed_after(document, at.as_deref())) => {
            Verdict::Overridden {
                reason,
                by,
                approved_by,
                reasons,
            }
        }
        Some(Override {
            flaw: Some(Flaw::OtherContent),
            ..
        }) if content.is_none() => Verdict::NotChecked,
        _ if reasons == [UNKNOWN_CONTENT] => Verdict::NotChecked,
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

/// Whether the approver is entitled to approve.
fn is_entitled(holder: Node<'_>, trust: Trust<'_>) -> bool {
    match trust.approvals {
        Approvals::Anybody => true,
        Approvals::Person => approved_by(holder).as_deref() == Some(PERSON),
    }
}

/// The approved files that git did not track at the time: a commit may lack them.
#[must_use]
pub fn untracked(gate: Node<'_>) -> Vec<String> {
    let names = gate.get(UNTRACKED).and_then(|names| names.strings().ok());
    let names = names.unwrap_or_default().into_iter();
    names.map(Cow::into_owned).collect()
}

/// The reason given for an approval without our seal.
const CLAIMED_ELSEWHERE: &str = "the approval is claimed elsewhere: it was not given in this repository on this machine, so it must be given again";

/// The command that approves a checkpoint.
fn approval_of(document: Node<'_>) -> String {
    let text = |name| document.get(name).and_then(Node::as_str);
    let key = match (text("command"), text("feature")) {
        (Some(command), Some(feature)) => suggested(&format!("{command}/{feature}")),
        (Some(command), None) => suggested(&command),
        (None, _) => "KEY".to_owned(),
    };
    format!("ckpt gate set {key} --allow")
}

/// The reason given where the current content is not known.
const UNKNOWN_CONTENT: &str = "the content was not compared";

fn is_for(holder: Node<'_>, content: Option<&ContentDigest>) -> bool {
    let bound = holder.get("content").and_then(Node::as_str);
    matches!((bound, content), (Some(bound), Some(content)) if bound == content.as_str())
}

/// The blockers recorded in the gate itself, without reading the content.
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

/// The phases of a document that failed.
fn failed_phases<'t, T: Tree<'t>>(document: T) -> impl Iterator<Item = (Cow<'t, str>, T)> {
    let phases = document.get("phases").map(T::members).unwrap_or_default();
    let is_failed = |phase: T| phase.text("status").as_deref() == Some("failed");
    phases
        .into_iter()
        .filter(move |(_, phase)| is_failed(*phase))
}

/// Whether a phase failed after this time. An override covers only what was known when it was made.
fn failed_after(document: Node<'_>, time: Option<&str>) -> bool {
    let time = time.and_then(Timestamp::parse);
    failed_phases(document).any(|(_, phase)| {
        let failed = phase.text("updated_at");
        let failed = failed.as_deref().and_then(Timestamp::parse);
        failed.is_none() || failed > time
    })
}

/// The phases of a document that failed, and the named gates that ran and failed, in words.
pub(crate) fn failures<'t>(document: impl Tree<'t>, trust: Trust<'_>) -> Vec<String> {
    let phases = failed_phases(document).map(|(name, phase)| match phase.text("error") {
        Some(error) => format!("phase {name} failed: {error}"),
        None => format!("phase {name} failed"),
    });
    let mut all: Vec<String> = phases.collect();
    all.extend(odd_phases(document));
    all.extend(failed_gates(document, trust));
    all
}

/// The phases of a document whose status means nothing: they may have failed.
fn odd_phases<'t, T: Tree<'t>>(document: T) -> impl Iterator<Item = String> {
    let known = ["pending", "in_progress", "complete", "failed", "skipped"];
    let phases = document.get("phases").map(T::members).unwrap_or_default();
    phases.into_iter().filter_map(move |(name, phase)| {
        let status = phase.text("status")?;
        let is_odd = !known.contains(&status.as_ref());
        is_odd.then(|| {
            format!(
                "phase {name} has the status {}, which is none",
                quote(&status)
            )
        })
    })
}

/// The named gates of a document that ran and failed, in words.
fn failed_gates<'t>(document: impl Tree<'t>, trust: Trust<'_>) -> Vec<String> {
    if document.get("receipts").is_none() {
        return Vec::new();
    }
    let receipts = receipts(document, trust).into_iter();
    let failed =
        receipts.filter(|(_, receipt)| receipt.proof(&ContentState::default()) == Proof::Failed);
    failed
        .map(|(gate, receipt)| match receipt.last_lines() {
            Some(lines) => format!("gate {gate} failed: {lines}"),
            None => format!("gate {gate} failed"),
        })
        .collect()
}

fn blocking_reasons(
    document: Option<Node<'_>>,
    content: Option<&ContentDigest>,
    trust: Trust<'_>,
) -> Vec<String> {
    let found = document.and_then(|document| Some((document, document.get("gate")?)));
    let Some((document, gate)) = found else {
        return vec!["no gate has been set".to_owned()];
    };
    let mut reasons = stated_blockers(gate);
    if !reasons.is_empty() {
        return reasons;
    }
    if !is_given_here(gate, trust) {
        reasons.push(format!(
            "{CLAIMED_ELSEWHERE}, with: {}",
            approval_of(document)
        ));
    } else if !is_entitled(gate, trust) {
        let by = approved_by(gate).unwrap_or_else(|| "someone".to_owned());
        reasons.push(format!(
            "it was approved by {by}, but a person has to approve it"
        ));
    }
    if gate.get("head_commit").and_then(Node::as_str).is_none() {
        reasons.push("the approval names no commit".to_owned());
    }
    if gate.get("content").and_then(Node::as_str).is_none() {
        reasons.push("the approval is not bound to any content".to_owned());
    } else if content.is_none() {
        reasons.push(UNKNOWN_CONTENT.to_owned());
    } else if !is_for(gate, content) {
        reasons.push("the content has changed since it was approved".to_owned());
    }
    reasons
}
