//! Waiting for the preview of a commit.
//!
//! An [`Asker`] asks a provider once and says what it saw. [`Wait::next`] decides what follows from that: a pure function
//! of what was seen and of the time that has passed. Only a deployment of exactly the commit counts.

mod asker;
mod github;
mod vercel;

#[cfg(test)]
mod tests;

use std::time::Duration;

pub use asker::{Asker, Question};
pub use github::GitHub;
pub use vercel::Vercel;

/// The first pause, and the longest one.
const PAUSES: (Duration, Duration) = (Duration::from_secs(3), Duration::from_secs(15));

/// A short wait has short pauses: these parts of it.
const PARTS: (u32, u32) = (100, 20);

/// How much longer each pause is than the one before.
const GROWTH: f64 = 1.5;

/// How long a deployment may take to appear.
const APPEARS: Duration = Duration::from_secs(300);

/// What an asker saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Sighting {
    /// There is no deployment of the commit.
    Absent,
    /// It is on its way, in this state.
    Pending(String),
    /// It waits for a person.
    Blocked(Option<String>),
    /// It is there.
    Ready(Option<String>),
    /// It failed.
    Failed(Failed),
    /// The provider did not say.
    Unknown {
        /// Why not.
        reason: String,
        /// How long it asks to be left alone.
        pause: Option<Duration>,
    },
    /// It will not say, however often it is asked.
    Refused(String),
}

/// A deployment that failed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Failed {
    /// In which way.
    pub how: Failure,
    /// What the provider says about it.
    pub reason: Option<String>,
    /// The page that tells more.
    pub page: Option<String>,
}

/// In which way a deployment failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// It could not be built, or was removed.
    Error,
    /// It was stopped, or another one took its place.
    Canceled,
    /// It was never made.
    Rejected,
}

/// What follows from what was seen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Decision {
    /// Ask again after this long.
    Ask(Duration),
    /// The wait is over.
    End(Ending),
}

/// How a wait ends.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Ending {
    /// The preview is there.
    Ready(Option<String>),
    /// It failed.
    Failed(Failed),
    /// No deployment of the commit has appeared. Perhaps the provider could not be asked at the end.
    NotFound(Option<String>),
    /// It was not ready in time. This is what was seen last.
    TimedOut(String),
    /// The provider refuses to say.
    Refused(String),
}

/// A wait that has begun.
#[derive(Debug, Clone)]
pub struct Wait {
    timeout: Duration,
    pause: Duration,
    longest: Duration,
    has_appeared: bool,
}

impl Wait {
    /// A wait of at most this long.
    #[must_use]
    pub fn of(timeout: Duration) -> Self {
        Self {
            timeout,
            pause: PAUSES.0.min(timeout / PARTS.0),
            longest: PAUSES.1.min(timeout / PARTS.1),
            has_appeared: false,
        }
    }

    /// Decides what follows from what was seen after this much time. `chance`, from 0 to 1, spreads those that ask at
    /// the same time.
    pub fn next(&mut self, sighting: Sighting, passed: Duration, chance: f64) -> Decision {
        let (last, asked) = match sighting {
            Sighting::Ready(url) => return Decision::End(Ending::Ready(url)),
            Sighting::Failed(failed) => return Decision::End(Ending::Failed(failed)),
            Sighting::Refused(reason) => return Decision::End(Ending::Refused(reason)),
            Sighting::Absent => (None, None),
            Sighting::Pending(state) => {
                self.has_appeared = true;
                (Some(format!("it is {state}")), None)
            }
            Sighting::Blocked(page) => {
                self.has_appeared = true;
                (Some(blocked(page.as_deref())), None)
            }
            Sighting::Unknown { reason, pause } => (Some(reason), pause),
        };
        let end = match self.has_appeared {
            true => self.timeout,
            false => self.timeout.min(APPEARS),
        };
        // Whoever is asked to wait until the time is up need not wait for that.
        let is_over = passed >= end || asked.is_some_and(|asked| passed + asked >= end);
        if is_over {
            return Decision::End(match self.has_appeared {
                true => Ending::TimedOut(last.unwrap_or_else(|| "it has gone".to_owned())),
                false => Ending::NotFound(last),
            });
        }
        let pause = self.pause.mul_f64(0.75 + 0.5 * chance.clamp(0.0, 1.0));
        self.pause = self.pause.mul_f64(GROWTH).min(self.longest);
        // The last question is asked when the time is up.
        let left = end.saturating_sub(passed);
        Decision::Ask(pause.max(asked.unwrap_or_default()).min(left))
    }
}

/// A deployment that waits for a person, in words.
#[must_use]
pub fn blocked(page: Option<&str>) -> String {
    let waits = "it is blocked until a person lets it go on";
    match page {
        Some(page) => format!("{waits}, at {page}"),
        None => waits.to_owned(),
    }
}
