//! Notes about a run, and its adversarial review.

use super::change::Change;
use super::lists::add;
use super::model::Status;
use super::refusal::Refusal;
use crate::document::{Object, Tree, Value, View};
use crate::history::{Event, EventName};
use crate::key::{Key, PipelineId};
use crate::operation::{Changed, Refusal as Shared, Stamp};

/// The maximum number of reviews.
pub const MAX_REVIEWS: u64 = 2;

/// A note about the run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteEntry {
    /// A fix for a linter finding: the file and the change.
    EslintFix(String, String),
    /// An important fix: the file and the change.
    KeyFix(String, String),
    /// Something that was cleaned up.
    Cleanup(String),
}

/// Adds notes about the run.
pub fn note(
    present: Value,
    id: &PipelineId,
    notes: &[NoteEntry],
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, None, stamp)?;
    let mut events = Vec::new();
    for entry in notes {
        let (list, value) = match entry {
            NoteEntry::EslintFix(file, what) => ("eslint_fixes", fix(file, what)),
            NoteEntry::KeyFix(file, what) => ("key_fixes", fix(file, what)),
            NoteEntry::Cleanup(what) => ("cleanup_done", Value::from(what.as_str())),
        };
        events.push(Event::new(EventName::PipelineNoted).with(list, value.clone()));
        add(&mut change.root, list, value);
    }
    Ok(change.finish(events))
}

fn fix(file: &str, what: &str) -> Value {
    let mut entry = Object::new();
    entry.set("file", file);
    entry.set("change", what);
    Value::Object(entry)
}

/// The verdict of a review.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// Ship.
    Ship,
    /// Ship if the gates pass.
    ShipWithGates,
    /// Do not ship.
    DoNotShip,
    /// The review said not to ship, and someone overrode it.
    Overridden,
}

impl Verdict {
    /// All verdicts.
    pub const ALL: [Self; 4] = [
        Self::Ship,
        Self::ShipWithGates,
        Self::DoNotShip,
        Self::Overridden,
    ];

    /// Parses the written form.
    #[must_use]
    pub fn read(text: &str) -> Option<Self> {
        let mut all = Self::ALL.into_iter();
        all.find(|verdict| verdict.as_str() == text)
    }

    /// How it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ship => "ship",
            Self::ShipWithGates => "ship_with_gates",
            Self::DoNotShip => "do_not_ship",
            Self::Overridden => "overridden",
        }
    }
}

/// A review to record.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ReviewRequest {
    /// The verdict.
    pub verdict: Verdict,
    /// The number of P0 findings.
    pub p0: Option<u64>,
    /// The number of P1 findings.
    pub p1: Option<u64>,
    /// The path of the findings.
    pub findings_path: Option<String>,
    /// Why it is overridden.
    pub reason: Option<String>,
}

/// Records an adversarial review. There are at most two; after that, the review is overridden or the pipeline
/// aborted.
pub fn review(
    present: Value,
    id: &PipelineId,
    request: &ReviewRequest,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut change = Change::of(present, id, None, stamp)?;
    if change.status == Status::Complete {
        return Err(Shared::AlreadyComplete(Key::Pipeline(change.id)).into());
    }
    let before = change
        .root
        .get("adversarial_review")
        .and_then(Value::as_object);
    let attempts = before.map_or(0, |before| {
        let attempt = before.view().get("attempt");
        attempt.and_then(View::as_u64).unwrap_or(1)
    });
    let overridden = request.verdict == Verdict::Overridden;
    let attempt = if overridden {
        attempts.max(1)
    } else {
        attempts + 1
    };
    let reason = request.reason.as_deref().map(str::trim);
    let reason = reason.filter(|reason| !reason.is_empty());
    if overridden && reason.is_none() {
        return Err(Shared::ReasonNeeded.into());
    }
    if attempt > MAX_REVIEWS {
        return Err(Refusal::NoMoreReviews(change.id.to_string()));
    }
    // Overriding a review does not remove its findings.
    let kept = before.filter(|_| overridden);
    let mut review = Object::new();
    review.set("verdict", request.verdict.as_str());
    for (name, count) in [("p0_count", request.p0), ("p1_count", request.p1)] {
        let before = kept.and_then(|kept| kept.get(name).cloned());
        let count = count.map(Value::from).or(before);
        review.set(name, count.unwrap_or_else(|| 0_u64.into()));
    }
    review.set("attempt", attempt);
    let path = request.findings_path.as_deref().map(Value::from);
    let path = path.or_else(|| kept.and_then(|kept| kept.get("findings_path").cloned()));
    if let Some(path) = path {
        review.set("findings_path", path);
    }
    if let Some(reason) = reason {
        review.set("override_reason", reason);
    }
    let event = Event::new(EventName::PipelineReviewed)
        .with("verdict", request.verdict.as_str())
        .with("attempt", attempt);
    change.root.set("adversarial_review", review);
    Ok(change.finish(vec![event]))
}
