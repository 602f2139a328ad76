//! Why a follower is not told, and when to try again.

use std::error::Error;
use std::io;
use std::path::Path;

use crate::follower::NextTry;
use crate::store::StoreError;
use crate::voice::path_name;

/// What keeps a follower from being served here.
#[derive(Debug, thiserror::Error)]
#[error("{reason}")]
pub struct Barred {
    pub(super) reason: String,
    pub(super) next: NextTry,
}

/// Why lines were not taken.
#[derive(Debug)]
pub struct Undelivered {
    /// The reason.
    pub reason: String,
    /// When they are handed over again.
    pub next: NextTry,
}

impl From<io::Error> for Undelivered {
    fn from(error: io::Error) -> Self {
        Self {
            reason: error.to_string(),
            next: NextTry::AfterAPause,
        }
    }
}

impl Barred {
    /// For a reason that may be gone after a pause.
    #[must_use]
    pub fn because(reason: String) -> Self {
        let next = NextTry::AfterAPause;
        Self { reason, next }
    }

    /// When it is served again.
    #[must_use]
    pub fn next_try(&self) -> NextTry {
        self.next
    }

    pub(super) fn at(path: &Path, source: &io::Error) -> Self {
        Self::because(format!("{} cannot be written: {source}", path_name(path)))
    }
}

impl From<Undelivered> for Barred {
    fn from(undelivered: Undelivered) -> Self {
        let Undelivered { reason, next } = undelivered;
        Self { reason, next }
    }
}

impl From<StoreError> for Barred {
    fn from(error: StoreError) -> Self {
        Self::because(match error.source() {
            Some(source) => format!("{error}: {source}"),
            None => error.to_string(),
        })
    }
}
