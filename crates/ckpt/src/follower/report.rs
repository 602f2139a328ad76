//! How it went with a follower in one worktree.

use serde::{Deserialize, Serialize};

use crate::time::Timestamp;

/// After a failure the next try waits for this long, in milliseconds; twice as long after each further one.
const FIRST_PAUSE: i64 = 1_000;

/// A try waits for this long at most, in milliseconds.
const LONGEST_PAUSE: i64 = 10 * 60 * 1_000;

/// A follower that was not served for this long no longer keeps anything, in milliseconds.
const SILENCE: i64 = 30 * 24 * 60 * 60 * 1_000;

/// How often a follower to whom nothing happens is noted as served, in milliseconds.
const ROUTINE: i64 = 60 * 60 * 1_000;

/// When to try again after a failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum NextTry {
    /// After a pause that grows with each failure.
    AfterAPause,
    /// At this time.
    At(Timestamp),
    /// Not before the user asks for it.
    WhenAsked,
}

/// When a follower was served last, and what went wrong since.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Report {
    /// When it was served without an error, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub served_at: Option<String>,
    /// When lines were handed over last, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub handed_at: Option<String>,
    /// When serving it failed last, as written.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failed_at: Option<String>,
    /// What it could not be told then, or why nothing, if it has not been served without an error since.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// How often in a row nothing could be told. Without that, there is no pause.
    #[serde(default)]
    pub failures: u32,
    /// When to try again, as written; after a growing pause if it does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub next_at: Option<String>,
    /// Whether nothing is tried until the user asks for it.
    #[serde(default)]
    pub is_stopped: bool,
}

impl Report {
    /// The report after it was served, but for what had to be left out; `None` if there is nothing worth writing.
    pub(crate) fn served(
        &self,
        now: Timestamp,
        handed_over: usize,
        left_out: Option<&str>,
    ) -> Option<Self> {
        let is_routine = self.failures == 0
            && self.error.as_deref() == left_out
            && handed_over == 0
            && time(self.served_at.as_deref()).is_some_and(|at| age(at, now) < ROUTINE);
        let handed_at = match handed_over {
            0 => self.handed_at.clone(),
            _ => Some(now.to_string()),
        };
        (!is_routine).then(|| Self {
            served_at: Some(now.to_string()),
            handed_at,
            failed_at: left_out.map(|_| now.to_string()),
            error: left_out.map(str::to_owned),
            ..Self::default()
        })
    }

    /// The report after serving it failed.
    pub(crate) fn failed(&self, now: Timestamp, reason: &str, next: NextTry) -> Self {
        Self {
            failed_at: Some(now.to_string()),
            error: Some(reason.to_owned()),
            failures: self.failures.saturating_add(1),
            next_at: match next {
                NextTry::At(at) => Some(at.to_string()),
                NextTry::AfterAPause | NextTry::WhenAsked => None,
            },
            is_stopped: next == NextTry::WhenAsked,
            ..self.clone()
        }
    }

    /// The report once the user has asked for another try.
    pub(crate) fn without_pause(&self, now: Timestamp) -> Self {
        Self {
            next_at: Some(now.to_string()),
            // Otherwise an older one of two reports would count.
            failed_at: self.failed_at.as_ref().map(|_| now.to_string()),
            is_stopped: false,
            ..self.clone()
        }
    }

    /// When the next try is, after a failure; `None` at once, or if nothing is tried.
    #[must_use]
    pub fn next_try(&self) -> Option<Timestamp> {
        let is_failing = self.failures > 0 && self.error.is_some();
        let failed = time(self.failed_at.as_deref()).filter(|_| is_failing)?;
        if let Some(next) = time(self.next_at.as_deref()) {
            return Some(next);
        }
        let doublings = self.failures.saturating_sub(1).min(20);
        let pause = (FIRST_PAUSE << doublings).min(LONGEST_PAUSE);
        Timestamp::from_millisecond(failed.as_millisecond().saturating_add(pause))
    }

    /// Whether to wait before the next try. A clock that was set back does not make it wait.
    #[must_use]
    pub fn is_waiting(&self, now: Timestamp) -> bool {
        let failed = time(self.failed_at.as_deref());
        let is_ahead = self.next_try().is_some_and(|next| now < next);
        // A clock that was set back does not make it wait.
        let is_after = failed.is_none_or(|failed| failed <= now);
        self.is_stopped || (is_ahead && is_after)
    }

    /// Whether it has not been served for so long that nothing is kept for it.
    #[must_use]
    pub fn is_silent(&self, added_at: &str, now: Timestamp) -> bool {
        let last = time(self.served_at.as_deref()).or_else(|| time(Some(added_at)));
        last.is_none_or(|last| age(last, now) > SILENCE)
    }

    /// Of two reports, the one that was written last.
    pub(crate) fn newer(self, other: Self) -> Self {
        let at = |report: &Self| {
            let times = [&report.served_at, &report.failed_at];
            times
                .into_iter()
                .filter_map(|written| time(written.as_deref()))
                .max()
        };
        match at(&other) > at(&self) {
            true => other,
            false => self,
        }
    }
}

fn time(written: Option<&str>) -> Option<Timestamp> {
    Timestamp::parse(written?)
}

fn age(at: Timestamp, now: Timestamp) -> i64 {
    now.as_millisecond().saturating_sub(at.as_millisecond())
}
