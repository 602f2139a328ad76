//! The key of a repository.

use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

/// The length of a key.
pub(super) const KEY_BYTES: usize = 32;

/// How many bytes of the HMAC a seal holds.
const SEAL_BYTES: usize = 16;

/// How many bytes of the key's hash form its id.
const ID_BYTES: usize = 4;

/// Starts every HMAC, so that a later format cannot be mistaken for this one.
const FORM: &[u8] = b"ckpt seal 1\0";

pub(super) type Authenticator = Hmac<Sha256>;

/// The secret of a repository. It is never printed.
#[derive(Clone, PartialEq, Eq)]
pub struct SealKey {
    secret: [u8; KEY_BYTES],
    id: String,
}

impl SealKey {
    /// The key with this secret.
    #[must_use]
    pub fn new(secret: [u8; KEY_BYTES]) -> Self {
        let mut hash = Sha256::new();
        hash.update(b"ckpt key id\0");
        hash.update(secret);
        let digest = hash.finalize();
        Self {
            secret,
            id: hexadecimal(&digest[..ID_BYTES]),
        }
    }

    /// A new random key.
    ///
    /// # Errors
    ///
    /// If the system has no randomness.
    pub fn random() -> std::io::Result<Self> {
        let mut secret = [0; KEY_BYTES];
        getrandom::fill(&mut secret).map_err(|error| std::io::Error::other(error.to_string()))?;
        Ok(Self::new(secret))
    }

    /// Reads the content of a key file.
    pub(super) fn from_bytes(content: &[u8]) -> Option<Self> {
        content.try_into().ok().map(Self::new)
    }

    pub(super) fn secret(&self) -> &[u8] {
        &self.secret
    }

    /// The key's id in seals. It reveals nothing about the secret.
    #[must_use]
    pub fn id(&self) -> &str {
        &self.id
    }

    /// Starts an HMAC.
    pub(super) fn mac(&self, domain: &str, about: &str) -> Authenticator {
        let mut mac =
            Authenticator::new_from_slice(&self.secret).expect("an HMAC takes a key of any length");
        mac.update(FORM);
        for text in [domain, about] {
            mac.update(&(text.len() as u64).to_be_bytes());
            mac.update(text.as_bytes());
        }
        mac
    }

    /// The seal as written in files: `1f3a9c02-` and 32 hexadecimal digits.
    pub(super) fn written(&self, mac: Authenticator) -> String {
        let code = mac.finalize().into_bytes();
        format!("{}-{}", self.id, hexadecimal(&code[..SEAL_BYTES]))
    }

    /// The bytes of a seal, if it was made with this key.
    pub(super) fn read(&self, seal: &str) -> Option<[u8; SEAL_BYTES]> {
        let digits = seal.strip_prefix(&self.id)?.strip_prefix('-')?;
        let is_hex = digits.len() == 2 * SEAL_BYTES
            && digits
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let code = is_hex.then(|| u128::from_str_radix(digits, 16).ok())??;
        Some(code.to_be_bytes())
    }

    /// Whether the seal matches the HMAC's input. Takes constant time.
    pub(super) fn verifies(&self, mac: Authenticator, seal: &[u8; SEAL_BYTES]) -> bool {
        mac.verify_truncated_left(seal).is_ok()
    }
}

impl fmt::Debug for SealKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "SealKey({})", self.id)
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    let digit = |value: u8| char::from_digit(value.into(), 16).unwrap_or_default();
    let digits = |byte: &u8| [digit(byte >> 4), digit(byte & 15)];
    bytes.iter().flat_map(digits).collect()
}
