//! How much may be read.
//!
//! What a clone brings can be of any size: a megabyte in a pack is a gigabyte on the disk. So every reader counts what it
//! reads against one budget, which begins before the first byte.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

/// So many bytes may be read, by all readers together.
#[derive(Debug)]
pub(crate) struct Budget {
    most: u64,
    left: AtomicU64,
}

impl Budget {
    /// A budget of so many bytes.
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
    /// When there are not so many left. What is smaller may still be read.
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
                format!("more than {} would be read", in_words(self.most)),
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
