//! A limit on how much is read.
//!
//! A clone can bring files of any size: a megabyte in a pack can be a gigabyte on disk. So all readers share one
//! budget, and take from it before they read.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// How many bytes all readers together may read.
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    left: AtomicU64,
}

impl Budget {
    /// A budget of `most` bytes.
    #[must_use]
    pub(crate) fn new(most: u64) -> Self {
        Self {
            most,
            left: AtomicU64::new(most),
        }
    }

    /// Takes the bytes that are about to be read.
    ///
    /// # Errors
    ///
    /// If fewer bytes are left. A smaller read may still succeed.
    pub(crate) fn take(&self, bytes: u64) -> io::Result<()> {
        let taken = self
            .left
            .try_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                left.checked_sub(bytes)
            });
        match taken {
            Ok(_) => Ok(()),
            Err(_) => Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!("the read limit of {} is exceeded", in_words(self.most)),
            )),
        }
    }
}

fn in_words(bytes: u64) -> String {
    match bytes {
        0..1_048_576 => format!("{} KiB", bytes / 1024),
        _ => format!("{} MiB", bytes / (1024 * 1024)),
    }
}
