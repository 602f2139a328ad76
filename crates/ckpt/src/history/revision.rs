//! Revision numbers.

use std::fmt;
use std::str::FromStr;

use crate::time::Timestamp;

/// One lifetime of a history. When a history is lost, its successor gets another epoch, so that a number remembered
/// from the lost one is not mistaken for one of the new.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize, serde::Deserialize)]
pub struct Epoch(String);

impl Epoch {
    /// A new random epoch. Falls back to the time if the system has no randomness.
    #[must_use]
    pub fn fresh(now: Timestamp) -> Self {
        let mut bytes = [0; 8];
        match getrandom::fill(&mut bytes) {
            Ok(()) => Self::named_by(u64::from_be_bytes(bytes) >> 12),
            Err(_) => Self::at(now),
        }
    }

    /// The epoch derived from a time.
    #[must_use]
    pub fn at(now: Timestamp) -> Self {
        Self::named_by(now.as_millisecond().unsigned_abs())
    }

    fn named_by(mut rest: u64) -> Self {
        const DIGITS: &[u8; 36] = b"0123456789abcdefghijklmnopqrstuvwxyz";
        let mut name = Vec::new();
        while rest > 0 || name.is_empty() {
            let digit = usize::try_from(rest % 36).unwrap_or_default();
            name.push(DIGITS[digit]);
            rest /= 36;
        }
        name.reverse();
        Self(String::from_utf8_lossy(&name).into_owned())
    }

    pub(super) fn read(text: &str) -> Option<Self> {
        let usable = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric());
        usable.then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Epoch {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// A state of a document: `7-mi0k3x5z` is the seventh of its epoch.
///
/// Numbers count up by one within an epoch. A number alone refers to the last epoch that has come so far.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Revision {
    /// The number.
    pub number: u64,
    /// The epoch, if known.
    pub epoch: Option<Epoch>,
}

impl Revision {
    /// Whether this names the revision `number` of `epoch`.
    #[must_use]
    pub fn names(&self, number: u64, epoch: &Epoch) -> bool {
        self.number == number && self.epoch.as_ref().is_none_or(|own| own == epoch)
    }
}

impl fmt::Display for Revision {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.epoch {
            Some(epoch) => write!(formatter, "{}-{epoch}", self.number),
            None => write!(formatter, "{}", self.number),
        }
    }
}

impl serde::Serialize for Revision {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The text is not a revision.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("a revision is a number, as in `7` or `7-mi0k3x5z`")]
pub struct RevisionError;

impl FromStr for Revision {
    type Err = RevisionError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (number, epoch) = match text.split_once('-') {
            Some((number, epoch)) => (number, Some(Epoch::read(epoch).ok_or(RevisionError)?)),
            None => (text, None),
        };
        let number = number.parse().map_err(|_| RevisionError)?;
        Ok(Self { number, epoch })
    }
}
