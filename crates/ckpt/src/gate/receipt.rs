//! What is kept of how a gate came to pass or fail: a run, or somebody's word.

use std::borrow::Cow;

use super::run::{Ending, RunResult};
use crate::document::{Node, Object, Value};
use crate::process::ProcessMark;
use crate::repository::ContentDigest;
use crate::time::Timestamp;

/// What is known of a gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Proof {
    /// It was run on exactly this content, and passed.
    Proven,
    /// It was run and passed, and HEAD or the index moved since: whether on this content is to be
    /// looked at.
    Unchecked,
    /// It was run and passed, on other content.
    Stale,
    /// Somebody says that it passed.
    Claimed,
    /// It failed.
    Failed,
    /// It is running.
    Running,
    /// It was running when its process ended.
    Interrupted,
    /// Nothing is known of it.
    Missing,
}

impl Proof {
    /// How it is shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Proven => "proven",
            Self::Unchecked => "unchecked",
            Self::Stale => "stale",
            Self::Claimed => "claimed",
            Self::Failed => "failed",
            Self::Running => "running",
            Self::Interrupted => "interrupted",
            Self::Missing => "missing",
        }
    }
}

/// The content that a gate is run on.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Ground {
    /// HEAD.
    pub head: Option<String>,
    /// The digest of the content.
    pub content: Option<ContentDigest>,
    /// What the index looks like from outside.
    pub index: Option<String>,
}

/// A receipt that was read.
#[derive(Debug, Clone, Copy)]
pub struct Receipt<'d>(Node<'d>);

impl<'d> Receipt<'d> {
    /// Looks at a value as a receipt.
    #[must_use]
    pub fn new(node: Node<'d>) -> Self {
        Self(node)
    }

    fn text(self, name: &str) -> Option<Cow<'d, str>> {
        self.0.get(name)?.as_str()
    }

    /// What it proves about this ground. Without a digest of the content it goes by what is seen from
    /// outside.
    #[must_use]
    pub fn proof(self, ground: &Ground) -> Proof {
        let is_run = self.text("kind").as_deref() == Some("run");
        match self.text("result").as_deref() {
            Some("running") if self.has_runner() => Proof::Running,
            Some("running") => Proof::Interrupted,
            Some("interrupted") => Proof::Interrupted,
            Some("passed") if !is_run => Proof::Claimed,
            Some("passed") => self.freshness(ground),
            _ => Proof::Failed,
        }
    }

    fn freshness(self, ground: &Ground) -> Proof {
        let bound = self.text("content");
        if let (Some(bound), Some(content)) = (&bound, &ground.content) {
            return match bound == content.as_str() {
                true => Proof::Proven,
                false => Proof::Stale,
            };
        }
        let same = |name: &str, present: Option<&str>| {
            let recorded = self.text(name);
            recorded.is_some() && recorded.as_deref() == present
        };
        let still =
            same("head_commit", ground.head.as_deref()) && same("index", ground.index.as_deref());
        match still {
            true => Proof::Proven,
            false => Proof::Unchecked,
        }
    }

    /// Whether the process that runs it is still there.
    fn has_runner(self) -> bool {
        let runner = self.0.get("runner").and_then(ProcessMark::read);
        runner.is_some_and(|runner| runner.is_alive())
    }
}

/// The receipt of a run that begins.
#[must_use]
pub fn begun(commands: &[String], ground: &Ground, now: Timestamp, by: &str) -> Object {
    let mut receipt = Object::new();
    receipt.set("kind", "run");
    receipt.set("result", "running");
    receipt.set("command", commands.join(" && "));
    receipt.set("started_at", now);
    receipt.set("head_commit", ground.head.clone());
    receipt.set("content", ground.content.as_ref().map(ToString::to_string));
    receipt.set("index", ground.index.clone());
    receipt.set("by", by);
    receipt.set("runner", ProcessMark::current().written());
    receipt
}

/// The receipt of a run that ended. `after` is the ground it left.
#[must_use]
pub fn ended(mut receipt: Object, result: &RunResult, after: &Ground) -> Object {
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
    let content = after.content.as_ref().map(ToString::to_string);
    // What a gate left behind it did not look at, so it proves nothing about that.
    if receipt.get("content") != Some(&content.clone().into()) {
        receipt.set("content_after", content);
    }
    receipt.set("index", after.index.clone());
    receipt.set("output_bytes", result.output_bytes);
    receipt.set("output_digest", result.output_digest.as_str());
    receipt.set("output_tail", result.output_tail.as_str());
    receipt
}

/// What the history calls it.
#[must_use]
pub fn receipt_event(receipt: &Object) -> &'static str {
    match receipt.get("result").and_then(Value::as_str) {
        Some("running") => "gate_started",
        Some("interrupted") => "gate_interrupted",
        Some("passed") => "gate_passed",
        _ => "gate_failed",
    }
}
