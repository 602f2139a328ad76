//! Receipts: the record of how a gate passed or failed, by a run or by a claim.

use std::borrow::Cow;

use super::{PREVIEW, Trust};
use crate::document::{Object, Tree, Value};
use crate::history::{Event, EventName};
use crate::process::{Ending, ProcessMark, RunResult};
use crate::repository::ContentDigest;
use crate::seal::Domain;
use crate::shape::{Shape, optional, required};
use crate::time::Timestamp;

/// The shape of the receipts of a checkpoint.
pub(crate) const RECEIPTS: Shape = Shape::Map(&Shape::Object(&[
    required("kind", Shape::Word(&["run", "claim", "preview"])),
    required(
        "result",
        Shape::Word(&["running", "passed", "failed", "tolerated", "interrupted"]),
    ),
    optional("command", Shape::Text),
    optional("started_at", Shape::Text),
    optional("at", Shape::Text),
    optional("duration_ms", Shape::Whole),
    optional("exit_code", Shape::Whole),
    optional("ending", Shape::Text),
    optional("head_commit", Shape::Text),
    optional("content", Shape::Text),
    optional("content_after", Shape::Text),
    optional("index", Shape::Text),
    optional("output_bytes", Shape::Whole),
    optional("output_digest", Shape::Text),
    optional("output_tail", Shape::Text),
    optional("state", Shape::Text),
    optional("provider", Shape::Text),
    optional("commit", Shape::Text),
    optional("url", Shape::Text),
    optional("page", Shape::Text),
    optional("required", Shape::Flag),
    required("by", Shape::Text),
]));

/// What is known about a gate, from best to worst.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// It was run on exactly this content and passed.
    Proven,
    /// It was run and passed, but the content was not compared.
    NotChecked,
    /// Someone claims that it passed; or it was run outside git, so the content it covers is unknown.
    Claimed,
    /// A file that was not written here claims that it passed.
    ClaimedElsewhere,
    /// It was run and passed, but on other content or with another command.
    OlderContent,
    /// It failed on exactly this content, but need not pass.
    Tolerated,
    /// Nothing is known about it.
    Missing,
    /// It is running.
    Running,
    /// Its process ended during the run.
    Interrupted,
    /// It failed.
    Failed,
}

impl Proof {
    /// The text shown to users.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::NotChecked => "not checked",
            Self::OlderContent => "ran on older content",
            Self::Claimed => "claimed",
            Self::ClaimedElsewhere => "claimed elsewhere",
            Self::Failed => "failed",
            Self::Tolerated => "failed, not required",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Missing => "missing",
        }
    }
}

/// A gate and what is known about it.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct GateProof {
    /// The gate; in a pipeline with its workstream, as in `lint (WS1)`.
    pub gate: String,
    /// What is known about it.
    pub proof: Proof,
}

/// What the receipts in a document prove about the current content.
#[must_use]
pub fn proofs<'t>(
    document: impl Tree<'t>,
    present: &ContentState,
    trust: Trust<'_>,
) -> Vec<GateProof> {
    let receipts = receipts(document, trust).into_iter();
    receipts
        .map(|(gate, receipt)| GateProof {
            gate,
            proof: receipt.proof(present),
        })
        .collect()
}

/// The receipts in a document, by gate.
pub(crate) fn receipts<'t, T: Tree<'t>>(
    document: T,
    trust: Trust<'_>,
) -> Vec<(String, Receipt<T>)> {
    let receipts = document.get("receipts").map(T::members);
    let receipts = receipts.unwrap_or_default().into_iter();
    let receipt = |(gate, tree): (Cow<'t, str>, T)| {
        let name = trust.receipt_name(&gate);
        let is_ours = trust.seals.vouches(Domain::Receipt, &name, tree);
        let receipt = Receipt {
            tree,
            is_ours,
            is_alive: trust.is_alive,
        };
        (gate.into_owned(), receipt)
    };
    receipts.map(receipt).collect()
}

/// What is known about the content of the work tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ContentState {
    /// HEAD.
    pub head: Option<String>,
    /// The digest of the content; `None` if it was not read.
    pub digest: Option<ContentDigest>,
}

/// A receipt that was read.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Receipt<T> {
    tree: T,
    /// Whether it carries this repository's seal.
    is_ours: bool,
    is_alive: fn(&ProcessMark) -> bool,
}

impl<'t, T: Tree<'t>> Receipt<T> {
    /// Whether a command was run.
    pub(crate) fn is_run(self) -> bool {
        self.text("kind").as_deref() == Some("run")
    }

    /// Whether it says that the gate passed.
    pub(crate) fn says_passed(self) -> bool {
        self.text("result").as_deref() == Some("passed")
    }

    /// Whether a preview was waited for.
    pub(crate) fn is_preview(self) -> bool {
        self.text("kind").as_deref() == Some(PREVIEW)
    }

    /// Where the preview is.
    pub(crate) fn url(self) -> Option<Cow<'t, str>> {
        self.text("url")
    }

    /// The commit that it is of.
    pub(crate) fn commit(self) -> Option<Cow<'t, str>> {
        self.text("commit")
    }

    /// How it ended, in words.
    pub(crate) fn ending(self) -> Option<Cow<'t, str>> {
        self.text("ending")
    }

    /// The command that was run.
    pub(crate) fn command(self) -> Option<Cow<'t, str>> {
        self.text("command")
    }

    /// When it was run or claimed, as written.
    pub(crate) fn at(self) -> Option<Cow<'t, str>> {
        self.text("started_at").or_else(|| self.text("at"))
    }

    /// Who ran or claimed it.
    pub(crate) fn by(self) -> Option<Cow<'t, str>> {
        self.text("by")
    }

    /// Whether it carries this repository's seal.
    pub(crate) fn is_ours(self) -> bool {
        self.is_ours
    }

    /// The last lines of its output that say anything, joined by slashes.
    pub(crate) fn last_lines(self) -> Option<String> {
        const MOST: usize = 4;
        let tail = match self.is_preview() {
            true => self.ending()?,
            false => self.text("output_tail")?,
        };
        let lines = tail.lines().map(str::trim).rev();
        let mut lines: Vec<&str> = lines.filter(|line| !line.is_empty()).take(MOST).collect();
        lines.reverse();
        (!lines.is_empty()).then(|| lines.join(" / "))
    }

    /// When it was run or claimed.
    pub(crate) fn time(self) -> Option<Timestamp> {
        Timestamp::parse(&self.at()?)
    }

    fn text(self, name: &str) -> Option<Cow<'t, str>> {
        self.tree.text(name)
    }

    /// What it proves about the current content.
    pub(crate) fn proof(self, present: &ContentState) -> Proof {
        let result = self.text("result");
        if !self.is_ours {
            // An unsealed receipt can hold something back, but it proves nothing.
            return match result.as_deref() {
                Some("passed") => Proof::ClaimedElsewhere,
                Some("running" | "interrupted") | None => Proof::Missing,
                Some(_) => Proof::Failed,
            };
        }
        match result.as_deref() {
            Some("running") if self.has_runner() => Proof::Running,
            Some("running") => Proof::Interrupted,
            Some("interrupted") => Proof::Interrupted,
            Some("passed") if !self.is_run() && !self.is_preview() => Proof::Claimed,
            Some("passed") => self.freshness(present),
            Some("tolerated") => match self.freshness(present) {
                Proof::Proven | Proof::NotChecked => Proof::Tolerated,
                older => older,
            },
            _ => Proof::Failed,
        }
    }

    fn freshness(self, present: &ContentState) -> Proof {
        // The content it was run on is unknown.
        let Some(bound) = self.text("content") else {
            return Proof::Claimed;
        };
        if let Some(content) = &present.digest {
            return match bound == content.as_str() {
                true => Proof::Proven,
                false => Proof::OlderContent,
            };
        }
        Proof::NotChecked
    }

    /// Whether the process that runs it is alive.
    fn has_runner(self) -> bool {
        let runner = self.tree.get("runner").and_then(ProcessMark::read);
        runner.is_some_and(|runner| (self.is_alive)(&runner))
    }
}

/// A gate that is running, or was when its process ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunningGate {
    /// The id that marks every process started by the run.
    pub run: String,
    /// The process that runs it.
    pub process: ProcessMark,
}

/// The gates that a document records as running.
pub(crate) fn running<'t, T: Tree<'t>>(document: T, trust: Trust<'_>) -> Vec<RunningGate> {
    let running = |(_, receipt): (String, Receipt<T>)| {
        let is_running = receipt.is_ours && receipt.text("result").as_deref() == Some("running");
        let runner = receipt.tree.get("runner").filter(|_| is_running)?;
        Some(RunningGate {
            run: runner.text("run")?.into_owned(),
            process: ProcessMark::read(runner)?,
        })
    };
    receipts(document, trust)
        .into_iter()
        .filter_map(running)
        .collect()
}

/// A run that is starting.
#[derive(Debug, Clone, Copy)]
pub struct Begun<'b> {
    /// The commands.
    pub commands: &'b [String],
    /// The content they run on.
    pub content: &'b ContentState,
    /// When it starts.
    pub now: Timestamp,
    /// Who runs it.
    pub by: &'b str,
    /// The process that runs it.
    pub process: &'b ProcessMark,
    /// The id that marks every process it starts.
    pub run: &'b str,
}

/// The receipt of a run that is starting.
#[must_use]
pub fn begun(begun: Begun<'_>) -> Object {
    let Begun {
        commands,
        content,
        now,
        by,
        process,
        run,
    } = begun;
    let mut receipt = Object::new();
    receipt.set("kind", "run");
    receipt.set("result", "running");
    receipt.set("command", commands.join(" && "));
    receipt.set("started_at", now);
    receipt.set("head_commit", content.head.clone());
    receipt.set("content", content.digest.as_ref().map(ToString::to_string));
    receipt.set("by", by);
    let mut runner = process.written();
    runner.set("run", run);
    receipt.set("runner", runner);
    receipt
}

/// The receipt of a run that ended. `after` is the content afterwards.
#[must_use]
pub fn ended(mut receipt: Object, result: &RunResult, after: &ContentState) -> Object {
    receipt.remove("runner");
    let word = match result.ending {
        Ending::Exited(0) => "passed",
        Ending::Interrupted => "interrupted",
        _ => "failed",
    };
    receipt.set("result", word);
    receipt.set("ending", result.ending.in_words());
    if let Ending::Exited(code) = result.ending {
        receipt.set("exit_code", u64::from(code.unsigned_abs()));
    }
    let milliseconds = u64::try_from(result.duration.as_millis()).unwrap_or(u64::MAX);
    receipt.set("duration_ms", milliseconds);
    let content = after.digest.as_ref().map(ToString::to_string);
    // If the run changed files, its result does not cover them.
    if receipt.get("content") != Some(&content.clone().into()) {
        receipt.set("content_after", content);
    }
    receipt.set("output_bytes", result.output_bytes);
    receipt.set("output_digest", result.output_digest.as_str());
    receipt.set("output_tail", result.output_tail.as_str());
    receipt
}

/// The name of a gate, for one workstream or for the checkpoint as a whole.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct GateName {
    /// The gate.
    pub name: String,
    /// The workstream, in a pipeline.
    pub workstream: Option<String>,
}

impl GateName {
    /// The name its receipt is stored under: `name (WS1)`, or the name alone.
    #[must_use]
    pub fn entry(&self) -> String {
        match &self.workstream {
            Some(workstream) => format!("{} ({workstream})", self.name),
            None => self.name.clone(),
        }
    }
}

/// Stores the receipt of a gate among the receipts of a document, and returns the event for the history.
pub(crate) fn keep(receipts: &mut Object, gate: &GateName, receipt: Object) -> Event {
    let name = match receipt.get("result").and_then(Value::as_str) {
        Some("running") => EventName::GateStarted,
        Some("interrupted") => EventName::GateInterrupted,
        Some("passed") => EventName::GatePassed,
        _ => EventName::GateFailed,
    };
    let mut event = Event::new(name).with("gate", gate.name.as_str());
    if let Some(workstream) = &gate.workstream {
        event = event.with("workstream", workstream.as_str());
    }
    let event = event.with("receipt", receipt.clone());
    receipts.set(&gate.entry(), receipt);
    event
}
