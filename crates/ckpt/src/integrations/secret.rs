//! Secrets by reference. Nothing here looks one up.

use std::fmt;

use serde::{Deserialize, Serialize};

/// Where a secret is: in a variable of the environment, or in a file.
///
/// ```
/// use ckpt::integrations::SecretReference;
///
/// let reference = SecretReference::parse("env:LINEAR_API_KEY")?;
/// assert_eq!(reference, SecretReference::Variable("LINEAR_API_KEY".to_owned()));
/// assert_eq!(reference.to_string(), "env:LINEAR_API_KEY");
/// assert!(SecretReference::parse("lin_api_0123456789").is_err());
/// # Ok::<(), ckpt::integrations::SecretReferenceError>(())
/// ```
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(try_from = "String", into = "String")]
pub enum SecretReference {
    /// The name of a variable, written as `env:NAME`.
    Variable(String),
    /// The path of a file, absolute or below the home directory, written as `file:PATH`.
    File(String),
}

/// The text is not a reference to a secret. It may be the secret itself, so it is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a secret must be named as env:NAME or file:PATH, with a path that starts with / or ~/")]
pub struct SecretReferenceError;

impl SecretReference {
    /// Reads a reference.
    ///
    /// # Errors
    ///
    /// If the text is anything else, such as the secret itself.
    pub fn parse(text: &str) -> Result<Self, SecretReferenceError> {
        if let Some(name) = text.strip_prefix("env:")
            && is_variable(name)
        {
            return Ok(Self::Variable(name.to_owned()));
        }
        if let Some(path) = text.strip_prefix("file:")
            && is_path(path)
        {
            return Ok(Self::File(path.to_owned()));
        }
        Err(SecretReferenceError)
    }
}

fn is_variable(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    name.bytes().next().is_some_and(is_letter)
        && name
            .bytes()
            .all(|byte| is_letter(byte) || byte.is_ascii_digit())
}

fn is_path(path: &str) -> bool {
    let below = path.strip_prefix("~/").or_else(|| path.strip_prefix('/'));
    below.is_some_and(|below| !below.is_empty()) && !path.chars().any(char::is_control)
}

impl fmt::Display for SecretReference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Variable(name) => write!(formatter, "env:{name}"),
            Self::File(path) => write!(formatter, "file:{path}"),
        }
    }
}

impl TryFrom<String> for SecretReference {
    type Error = SecretReferenceError;

    fn try_from(text: String) -> Result<Self, Self::Error> {
        Self::parse(&text)
    }
}

impl From<SecretReference> for String {
    fn from(reference: SecretReference) -> Self {
        reference.to_string()
    }
}
