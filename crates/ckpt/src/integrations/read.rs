//! Reads the settings of integrations, and finds what is wrong with them.

use super::destination::SERVICES;
use super::{
    BRANCH_PREFIX, GitHub, Integrations, Linear, MessageFormat, PREVIEW_TIMEOUT_MS, Provider,
    SecretReference, Vercel, Webhook,
};
use crate::document::{Document, Kind, Node};
use crate::finding::{Finding, Findings, Severity};
use crate::follower::FollowerName;
use crate::shape::{Member, Shape, not_null, optional, required};

/// The rule about types, and how severe it is to break it.
const TYPES: (&str, Severity) = ("integrations.type", Severity::Error);

/// Secrets are checked apart from all tables: a finding must not repeat a value that may be one.
const PARTS: &[Member] = &[
    not_null("linear", Shape::Object(LINEAR)),
    not_null("vercel", Shape::Object(VERCEL)),
    not_null("github", Shape::Object(GITHUB)),
    not_null("webhooks", Shape::List(&Shape::Object(WEBHOOK))),
];

const LINEAR: &[Member] = &[
    not_null("enabled", Shape::Flag),
    not_null("team", Shape::Text),
    not_null("branch_prefix", Shape::Text),
    not_null("use_native_automation", Shape::Flag),
];

const VERCEL: &[Member] = &[
    not_null("enabled", Shape::Flag),
    not_null("wait_for_preview", Shape::Flag),
    not_null("preview_timeout_ms", Shape::Number(0.0, f64::INFINITY)),
    not_null("require_preview_success", Shape::Flag),
    optional("project", Shape::Text),
    optional("team", Shape::Text),
    optional("provider", Shape::Word(Provider::WORDS)),
];

const GITHUB: &[Member] = &[optional("repository", Shape::Text)];

const WEBHOOK: &[Member] = &[
    required("name", Shape::Text),
    required("events", Shape::List(&Shape::Text)),
    optional("format", Shape::Word(MessageFormat::WORDS)),
    optional("give_up_after_hours", Shape::Number(0.0, f64::INFINITY)),
];

/// What a command checkpoint has, and no settings.
const OF_CHECKPOINTS: [&str; 3] = ["command", "phases", "state"];

impl Integrations {
    /// Whether a document has the shape of such settings.
    #[must_use]
    pub fn are_in(root: Node<'_>) -> bool {
        let parts = ["linear", "vercel", "github", "webhooks"];
        parts.iter().any(|name| root.get(name).is_some())
            && OF_CHECKPOINTS.iter().all(|name| root.get(name).is_none())
    }

    /// Reads the settings. What is wrong is a finding, and everything else counts.
    #[must_use]
    pub fn read(document: &Document) -> (Self, Vec<Finding>) {
        let root = document.root();
        let mut reader = Reader::default();
        if root.kind() != Kind::Object {
            let found = root.kind().noun();
            let message =
                format!("the settings of integrations must be a JSON object, not {found}");
            reader.findings.error(root, TYPES.0, message);
            return (Self::default(), reader.findings.0);
        }
        reader.findings.members(root, PARTS, TYPES);
        reader.repeated(root);
        let read = Self {
            linear: reader.linear(root.get("linear")),
            vercel: reader.vercel(root.get("vercel")),
            github: reader.github(root.get("github")),
            webhooks: reader.webhooks(root.get("webhooks")),
        };
        (read, reader.findings.0)
    }
}

/// What a switch counts as.
#[derive(Debug, Clone, Copy)]
struct Switch {
    missing: bool,
    /// The choice that does less, for a value that is no switch.
    wrong: bool,
}

impl Switch {
    const fn always(value: bool) -> Self {
        Self {
            missing: value,
            wrong: value,
        }
    }

    fn of(self, node: Node<'_>, name: &str) -> bool {
        match node.get(name) {
            Some(value) => value.as_bool().unwrap_or(self.wrong),
            None => self.missing,
        }
    }
}

#[derive(Default)]
struct Reader {
    findings: Findings,
}

impl Reader {
    fn error(&mut self, node: Node<'_>, rule: &'static str, message: impl Into<String>) {
        self.findings.error(node, rule, message);
    }

    fn repeated(&mut self, node: Node<'_>) {
        self.findings
            .repeated_members(node, "integrations.repeated-member");
    }

    fn linear(&mut self, node: Option<Node<'_>>) -> Linear {
        let Some(node) = node.filter(|node| node.kind() == Kind::Object) else {
            return Linear::default();
        };
        self.repeated(node);
        Linear {
            enabled: Switch::always(false).of(node, "enabled"),
            team: text(node, "team").unwrap_or_default(),
            branch_prefix: self.branch_prefix(node),
            use_native_automation: Switch::always(true).of(node, "use_native_automation"),
            token: self.secret(node, "token"),
        }
    }

    fn branch_prefix(&mut self, node: Node<'_>) -> String {
        let prefix = text(node, "branch_prefix").unwrap_or_else(|| BRANCH_PREFIX.to_owned());
        if is_branch_prefix(&prefix) {
            return prefix;
        }
        if let Some(node) = node.get("branch_prefix") {
            let message = "\"branch_prefix\" must be the start of a branch without a slash at its end, such as feature";
            self.error(node, "integrations.branch-prefix", message);
        }
        BRANCH_PREFIX.to_owned()
    }

    fn vercel(&mut self, node: Option<Node<'_>>) -> Vercel {
        let Some(node) = node.filter(|node| node.kind() == Kind::Object) else {
            return Vercel::default();
        };
        self.repeated(node);
        let succeeds = Switch {
            missing: false,
            wrong: true,
        };
        let provider = text(node, "provider");
        let provider = provider.and_then(|word| Provider::named(&word));
        Vercel {
            enabled: Switch::always(false).of(node, "enabled"),
            wait_for_preview: Switch::always(true).of(node, "wait_for_preview"),
            preview_timeout_ms: number(node, "preview_timeout_ms").unwrap_or(PREVIEW_TIMEOUT_MS),
            require_preview_success: succeeds.of(node, "require_preview_success"),
            token: self.secret(node, "token"),
            project: text(node, "project"),
            team: text(node, "team"),
            provider: provider.unwrap_or_default(),
        }
    }

    fn github(&mut self, node: Option<Node<'_>>) -> GitHub {
        let Some(node) = node.filter(|node| node.kind() == Kind::Object) else {
            return GitHub::default();
        };
        self.repeated(node);
        let repository = text(node, "repository").filter(|name| {
            let is_usable = is_repository(name);
            if let (false, Some(node)) = (is_usable, node.get("repository")) {
                let message = "\"repository\" must be an owner and a name, such as acme/shop";
                self.error(node, "integrations.repository", message);
            }
            is_usable
        });
        GitHub {
            repository,
            token: self.secret(node, "token"),
        }
    }

    fn webhooks(&mut self, node: Option<Node<'_>>) -> Vec<Webhook> {
        let mut webhooks: Vec<Webhook> = Vec::new();
        for node in node.into_iter().flat_map(Node::items) {
            if node.kind() != Kind::Object {
                continue;
            }
            self.repeated(node);
            let Some(webhook) = self.webhook(node) else {
                continue;
            };
            let name = &webhook.name;
            if webhooks.iter().any(|other| other.name == *name) {
                let message = format!("another webhook is already named {name}");
                self.error(node, "integrations.webhook-repeated", message);
            } else {
                webhooks.push(webhook);
            }
        }
        webhooks
    }

    /// A webhook counts only as a whole: half of it would tell the wrong things to the wrong place.
    fn webhook(&mut self, node: Node<'_>) -> Option<Webhook> {
        let name = self.webhook_name(node);
        let url = self.url(node);
        let format = match node.get("format").filter(|format| !format.is_null()) {
            Some(format) => format.as_str().and_then(|word| MessageFormat::named(&word)),
            None => Some(MessageFormat::default()),
        };
        let is_given = |name: &str| node.get(name).is_some_and(|node| !node.is_null());
        let needs_secret = format != Some(MessageFormat::Slack) || is_given("secret");
        let secret = self.secret(node, "secret");
        if needs_secret && !is_given("secret") {
            let message = "\"secret\" is missing: name one as env:NAME or file:PATH";
            self.error(node, TYPES.0, message);
        }
        let previous_secret = self.secret(node, "previous_secret");
        if needs_secret && secret.is_none() {
            return None;
        }
        Some(Webhook {
            name: name?,
            url: url?,
            secret,
            previous_secret,
            events: node.get("events")?.strings().ok().map(owned)?,
            format: format?,
            give_up_after_hours: number(node, "give_up_after_hours"),
        })
    }

    fn webhook_name(&mut self, node: Node<'_>) -> Option<FollowerName> {
        let node = node.get("name")?;
        let text = node.as_str()?;
        let Ok(name) = FollowerName::new(&text) else {
            let message =
                "the name of a webhook has up to 40 lower-case letters, digits and dashes";
            self.error(node, "integrations.webhook-name", message);
            return None;
        };
        if SERVICES.contains(&name.as_str()) {
            let message = format!("{name} is the name of a service; give the webhook another");
            self.error(node, "integrations.webhook-service", message);
            return None;
        }
        Some(name)
    }

    fn url(&mut self, node: Node<'_>) -> Option<String> {
        let Some(node) = node.get("url") else {
            let message = "\"url\" is missing: it must be an address or env:NAME or file:PATH";
            self.error(node, TYPES.0, message);
            return None;
        };
        let Some(text) = node.as_str() else {
            let message = format!("\"url\" must be a string, not {}", node.kind().noun());
            self.error(node, TYPES.0, message);
            return None;
        };
        match is_address(&text) || SecretReference::parse(&text).is_ok() {
            true => Some(text.into_owned()),
            false => {
                let message = "\"url\" must start with https:// or http:// and have no password in it, or be env:NAME or file:PATH";
                self.error(node, "integrations.webhook-url", message);
                None
            }
        }
    }

    /// A reference to a secret. What is not one may be the secret itself, so no finding shows it.
    fn secret(&mut self, node: Node<'_>, name: &str) -> Option<SecretReference> {
        let node = node.get(name)?;
        if node.is_null() {
            return None;
        }
        let Some(text) = node.as_str() else {
            let message = format!("\"{name}\" must be a string, not {}", node.kind().noun());
            self.error(node, TYPES.0, message);
            return None;
        };
        match SecretReference::parse(&text) {
            Ok(reference) => Some(reference),
            Err(error) => {
                let message = format!("\"{name}\": {error}; keep the secret out of this file");
                self.error(node, "integrations.secret", message);
                None
            }
        }
    }
}

fn text(node: Node<'_>, name: &str) -> Option<String> {
    Some(node.get(name)?.as_str()?.into_owned())
}

/// A number from 0, rounded up.
fn number(node: Node<'_>, name: &str) -> Option<u64> {
    let number = node.get(name)?.as_f64().filter(|number| *number >= 0.0)?;
    Some(number.ceil() as u64)
}

fn owned(texts: Vec<std::borrow::Cow<'_, str>>) -> Vec<String> {
    texts.into_iter().map(Into::into).collect()
}

/// Whether git takes branches that start like this, and no program takes them for an option.
fn is_branch_prefix(prefix: &str) -> bool {
    let is_part = |part: &str| {
        let is_usable = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty()
            && !part.starts_with(['-', '.'])
            && !part.ends_with('.')
            && !part.ends_with(".lock")
            && !part.contains("..")
            && part.bytes().all(is_usable)
    };
    prefix.is_empty() || prefix.split('/').all(is_part)
}

fn is_repository(name: &str) -> bool {
    let is_part = |part: &str| {
        let is_usable = |byte: u8| byte.is_ascii_alphanumeric() || b"._-".contains(&byte);
        !part.is_empty() && part != "." && part != ".." && part.bytes().all(is_usable)
    };
    let parts = name.split_once('/');
    parts.is_some_and(|(owner, name)| is_part(owner) && is_part(name))
}

/// Whether it is an address on the web without a password.
fn is_address(text: &str) -> bool {
    let rest = text
        .strip_prefix("https://")
        .or_else(|| text.strip_prefix("http://"));
    let host = rest.and_then(|rest| rest.split(['/', '?', '#']).next());
    host.is_some_and(|host| !host.is_empty() && !host.contains('@'))
        && text.bytes().all(|byte| byte.is_ascii_graphic())
}
