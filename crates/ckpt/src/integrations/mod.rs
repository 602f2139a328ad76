//! The settings of integrations: Linear, Vercel, GitHub and webhooks.
//!
//! [`Integrations::read`] reads `.claude/config/integrations.json`. The file belongs to the repository, so it may come
//! from a clone: it names secrets and never holds one ([`SecretReference`]), and a [`Destination`] that it names is used
//! only once the user has allowed it. A member of the wrong type is a finding. It then counts as the choice that does
//! less: an integration is off, and a preview must succeed.

mod destination;
mod read;
mod secret;

#[cfg(test)]
mod tests;

pub use destination::Destination;
pub use secret::{SecretReference, SecretReferenceError};

use crate::follower::FollowerName;

/// The file, relative to the root of the repository.
pub const FILE: &str = ".claude/config/integrations.json";

/// How long to wait for a preview unless the file says otherwise, in milliseconds.
pub const PREVIEW_TIMEOUT_MS: u64 = 300_000;

/// The first part of a branch unless the file says otherwise.
pub const BRANCH_PREFIX: &str = "feature";

/// All integrations. Without a file, none is enabled.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Integrations {
    /// Issues in Linear.
    pub linear: Linear,
    /// Preview deployments by Vercel.
    pub vercel: Vercel,
    /// The repository on GitHub.
    pub github: GitHub,
    /// Who is told of changes.
    pub webhooks: Vec<Webhook>,
}

/// Issues in Linear.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Linear {
    /// Whether it is used.
    pub enabled: bool,
    /// The name of the team.
    pub team: String,
    /// The first part of the branch of an issue; may be empty.
    pub branch_prefix: String,
    /// Whether Linear follows branches and pull requests on GitHub by itself.
    pub use_native_automation: bool,
    /// The key for its API.
    pub token: Option<SecretReference>,
}

impl Default for Linear {
    fn default() -> Self {
        Self {
            enabled: false,
            team: String::new(),
            branch_prefix: BRANCH_PREFIX.to_owned(),
            use_native_automation: true,
            token: None,
        }
    }
}

/// Preview deployments by Vercel.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Vercel {
    /// Whether it is used.
    pub enabled: bool,
    /// Whether shipping waits for the preview.
    pub wait_for_preview: bool,
    /// How long it waits, in milliseconds.
    pub preview_timeout_ms: u64,
    /// Whether a failed preview stops shipping.
    pub require_preview_success: bool,
    /// The token for its API.
    pub token: Option<SecretReference>,
    /// The project, by id or name.
    pub project: Option<String>,
    /// The team, by id or slug.
    pub team: Option<String>,
    /// Who is asked about previews.
    pub provider: Provider,
}

impl Default for Vercel {
    fn default() -> Self {
        Self {
            enabled: false,
            wait_for_preview: true,
            preview_timeout_ms: PREVIEW_TIMEOUT_MS,
            require_preview_success: false,
            token: None,
            project: None,
            team: None,
            provider: Provider::Auto,
        }
    }
}

/// Who is asked about previews.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Provider {
    /// Vercel if there is a token for it, GitHub otherwise.
    #[default]
    Auto,
    /// The API of Vercel.
    Vercel,
    /// The deployments that GitHub knows of.
    GitHub,
}

impl Provider {
    /// All of them, as they are written.
    pub(crate) const WORDS: &'static [&'static str] = &["auto", "vercel", "github"];

    fn named(word: &str) -> Option<Self> {
        match word {
            "auto" => Some(Self::Auto),
            "vercel" => Some(Self::Vercel),
            "github" => Some(Self::GitHub),
            _ => None,
        }
    }
}

/// The repository on GitHub.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct GitHub {
    /// Its owner and name, such as `acme/shop`.
    pub repository: Option<String>,
    /// The token for its API.
    pub token: Option<SecretReference>,
}

/// Somebody who is told of changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Webhook {
    /// Its name.
    pub name: FollowerName,
    /// Its address, or a reference to it if the address itself is a secret.
    pub url: String,
    /// What messages are signed with; for Linear, the key of its API. Slack knows its sender by the address alone.
    pub secret: Option<SecretReference>,
    /// What they were signed with before; both signatures are sent.
    pub previous_secret: Option<SecretReference>,
    /// Parts of the names of events. None means all, or for formats that people read, what concerns them.
    pub events: Vec<String>,
    /// How messages are written.
    pub format: MessageFormat,
    /// After how many hours a message that cannot be delivered is given up.
    pub give_up_after_hours: Option<u64>,
}

/// How messages are written.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MessageFormat {
    /// Our own JSON.
    #[default]
    Generic,
    /// A message for a channel in Slack.
    Slack,
    /// A comment on the issue in Linear.
    Linear,
}

impl MessageFormat {
    /// All of them, as they are written.
    pub(crate) const WORDS: &'static [&'static str] = &["generic", "slack", "linear"];

    fn named(word: &str) -> Option<Self> {
        match word {
            "generic" => Some(Self::Generic),
            "slack" => Some(Self::Slack),
            "linear" => Some(Self::Linear),
            _ => None,
        }
    }
}
