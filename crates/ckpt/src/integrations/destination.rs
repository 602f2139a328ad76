//! Where messages and requests go, as the user allows it.

use serde::{Deserialize, Serialize};

use super::{Integrations, MessageFormat, SecretReference};

/// A place that is contacted. The user allows it once, as a whole: if any of this changes, the permission is gone.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub struct Destination {
    /// The name of a webhook or of a service.
    pub name: String,
    /// The address of a webhook, or a reference to it; the name of a service.
    pub url: String,
    /// What messages are signed with, or the token of a service.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub secret: Option<SecretReference>,
    /// What messages were signed with before.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub previous_secret: Option<SecretReference>,
    /// Parts of the names of events; none means all for a webhook, and says nothing for a service.
    #[serde(default)]
    pub events: Vec<String>,
    /// How messages are written.
    #[serde(default)]
    pub format: MessageFormat,
    /// What a service is asked about: a repository, or a team and a project. Another one could be somebody else's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub subject: Option<String>,
}

/// The services that are destinations of their own. No webhook has one of these names.
pub(super) const SERVICES: [&str; 3] = ["vercel", "github", "linear"];

impl Integrations {
    /// The destination of this name: a webhook, or a service that is enabled and has a token.
    #[must_use]
    pub fn destination(&self, name: &str) -> Option<Destination> {
        let webhook = self.webhooks.iter().find(|one| one.name.as_str() == name);
        if let Some(webhook) = webhook {
            return Some(Destination {
                name: name.to_owned(),
                url: webhook.url.clone(),
                secret: webhook.secret.clone(),
                previous_secret: webhook.previous_secret.clone(),
                events: webhook.events.clone(),
                format: webhook.format,
                subject: None,
            });
        }
        let token = match name {
            "vercel" => self.vercel.token.as_ref().filter(|_| self.vercel.enabled),
            "linear" => self.linear.token.as_ref().filter(|_| self.linear.enabled),
            "github" => self.github.token.as_ref(),
            _ => None,
        };
        let secret = token?.clone();
        Some(Destination {
            name: name.to_owned(),
            url: name.to_owned(),
            secret: Some(secret),
            previous_secret: None,
            events: Vec::new(),
            format: match name {
                "linear" => MessageFormat::Linear,
                _ => MessageFormat::Generic,
            },
            subject: self.subject(name),
        })
    }

    fn subject(&self, service: &str) -> Option<String> {
        match service {
            "github" => self.github.repository.clone(),
            "vercel" => {
                let parts = [self.vercel.team.as_deref(), self.vercel.project.as_deref()];
                let parts = parts.map(Option::unwrap_or_default);
                parts
                    .iter()
                    .any(|part| !part.is_empty())
                    .then(|| parts.join("/"))
            }
            _ => None,
        }
    }

    /// All destinations, the webhooks first.
    #[must_use]
    pub fn destinations(&self) -> Vec<Destination> {
        let webhooks = self.webhooks.iter().map(|webhook| webhook.name.as_str());
        let names = webhooks.chain(SERVICES);
        names.filter_map(|name| self.destination(name)).collect()
    }
}
