//! Signatures of webhooks, by the specification of Standard Webhooks.

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::secret::Secret;

/// How a secret begins.
const PREFIX: &str = "whsec_";

/// How many bytes a key has.
const LENGTHS: std::ops::RangeInclusive<usize> = 24..=64;

/// A key that signs webhooks.
#[derive(Clone)]
pub struct SigningKey(Vec<u8>);

/// A secret cannot be used to sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret is not {PREFIX} and 24 to 64 bytes in base64")]
pub struct SigningKeyError;

impl SigningKey {
    /// Reads a secret such as `whsec_…`.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn read(secret: &Secret) -> Result<Self, SigningKeyError> {
        let encoded = secret.reveal().strip_prefix(PREFIX);
        let decoded = encoded.and_then(|encoded| STANDARD.decode(encoded).ok());
        let key = decoded.filter(|key| LENGTHS.contains(&key.len()));
        key.map(Self).ok_or(SigningKeyError)
    }

    fn signature(&self, id: &str, seconds: i64, body: &[u8]) -> String {
        let mut mac = Hmac::<Sha256>::new_from_slice(&self.0).expect("a key has any length");
        mac.update(format!("{id}.{seconds}.").as_bytes());
        mac.update(body);
        format!("v1,{}", STANDARD.encode(mac.finalize().into_bytes()))
    }
}

/// The digest of what a message is about, in hexadecimal. An id that begins with it is the same for each try.
#[must_use]
pub fn digest(content: &[u8]) -> String {
    let bytes = Sha256::digest(content);
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// The headers of a message. While a key is being replaced, both sign: the receiver may know either.
#[must_use]
pub fn signature_headers(
    id: &str,
    seconds: i64,
    body: &[u8],
    keys: &[SigningKey],
) -> [(&'static str, String); 3] {
    let signatures = keys.iter().map(|key| key.signature(id, seconds, body));
    let signatures: Vec<String> = signatures.collect();
    [
        ("webhook-id", id.to_owned()),
        ("webhook-timestamp", seconds.to_string()),
        ("webhook-signature", signatures.join(" ")),
    ]
}

#[cfg(test)]
mod tests;
