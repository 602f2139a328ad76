//! Content hashes, by which the store tells its own writes from others'.

use std::fmt;

use sha2::{Digest, Sha256};

/// The first 128 bits of the SHA-256 of a file's bytes, written as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct ContentHash(u128);

impl ContentHash {
    /// The hash of these bytes.
    #[must_use]
    pub fn of(bytes: &[u8]) -> Self {
        let digest = Sha256::digest(bytes);
        let (first, _) = digest.split_at(16);
        Self(u128::from_be_bytes(
            first.try_into().expect("a SHA-256 digest has 32 bytes"),
        ))
    }

    /// Parses the written form.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let digits = text.len() == 32 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        digits
            .then(|| u128::from_str_radix(text, 16).ok().map(Self))
            .flatten()
    }
}

impl fmt::Display for ContentHash {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:032x}", self.0)
    }
}
