//! What an answer means for a message, and when to try again.

use std::time::Duration;

/// The pauses after the first, the second and each further failure, in seconds. The last one repeats.
const PAUSES: [u64; 7] = [5, 30, 120, 300, 1_800, 7_200, 18_000];

/// A receiver may ask for a pause of this length at most.
const LONGEST_PAUSE: Duration = Duration::from_secs(24 * 60 * 60);

/// What the answer of a receiver means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Response {
    /// It took the message.
    Taken,
    /// Not now. Perhaps it said when.
    NotNow(Option<Duration>),
    /// It wants no more messages.
    Gone,
}

/// Reads the status of an answer, and its header `Retry-After` at a time in milliseconds. A redirect is not followed: the
/// user has allowed this receiver, and no other.
#[must_use]
pub fn response_to(status: u16, retry_after: Option<&str>, now: i64) -> Response {
    match status {
        200..=299 => Response::Taken,
        410 => Response::Gone,
        _ => Response::NotNow(retry_after.and_then(|text| wait(text, now))),
    }
}

/// How long to wait after so many failures in a row. `chance`, from 0 to 1, spreads those that failed together.
#[must_use]
pub fn pause_after(failures: u32, chance: f64) -> Duration {
    let last = PAUSES.len() - 1;
    let at = usize::try_from(failures.saturating_sub(1)).map_or(last, |at| at.min(last));
    Duration::from_secs(PAUSES[at]).mul_f64(0.75 + 0.5 * chance.clamp(0.0, 1.0))
}

/// How long to wait if a receiver says when to come back. It may shorten the pause, but not to nothing: one that always says
/// "at once" would be asked without end.
#[must_use]
pub fn pause_asked_for(asked: Duration, failures: u32) -> Duration {
    let least = Duration::from_secs(u64::from(failures.clamp(1, 60)));
    asked.clamp(least, LONGEST_PAUSE)
}

/// How long it is until a time in milliseconds, as in `X-RateLimit-Reset`.
#[must_use]
pub fn pause_until(reset: &str, now: i64) -> Option<Duration> {
    let reset: i64 = reset.trim().parse().ok()?;
    let left = u64::try_from(reset.saturating_sub(now)).unwrap_or(0);
    Some(Duration::from_millis(left).min(LONGEST_PAUSE))
}

/// Reads a header `Retry-After` at a time in milliseconds: seconds, or the time of a day as in mails.
pub(crate) fn wait(text: &str, now: i64) -> Option<Duration> {
    let text = text.trim();
    let asked = match text.parse::<u64>() {
        Ok(seconds) => Duration::from_secs(seconds),
        Err(_) => {
            let at = jiff::fmt::rfc2822::parse(text).ok()?;
            let left = at.timestamp().as_millisecond().saturating_sub(now);
            Duration::from_millis(u64::try_from(left).unwrap_or(0))
        }
    };
    Some(asked.min(LONGEST_PAUSE))
}

#[cfg(test)]
mod tests;
