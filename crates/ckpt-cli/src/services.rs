//! Reaching services: what the repository names, what the user allows, and the secrets for it.
//!
//! Every request of the program goes through a [`Contact`], and only a [`Destination`] that the user has allowed becomes
//! one. Secrets are looked up at that moment, and leave it only inside a request.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ckpt::Finding;
use ckpt::document::Document;
use ckpt::files::{read_in, read_own};
use ckpt::integrations::{self, Destination, Integrations, MessageFormat, SecretReference};
use ckpt::voice::{name, path_name, suggested};
use ckpt::workspace::{Permission, PermissionStanding};
use ckpt_services::{
    Answer, Client, Endpoint, EndpointError, Limits, Method, Reach, Request, Roots, Secret, Trouble,
};

use crate::environment::Variables;
use crate::failure::{Exit, Failure};
use crate::render::style::{one_line, shortened};
use crate::session::Session;

/// The largest file of settings, certificates or a secret, in bytes.
const LONGEST: u64 = 1024 * 1024;

/// The longest name of a repository that is told, in characters.
const LONGEST_NAME: usize = 100;

/// The integrations of a repository, and the way to reach them.
pub(crate) struct Services<'s> {
    session: &'s Session,
    variables: &'s Variables,
    /// What the file says.
    pub(crate) integrations: Integrations,
    /// What is wrong with it.
    pub(crate) findings: Vec<Finding>,
    /// Whether there is such a file.
    pub(crate) is_configured: bool,
}

/// A destination that may be contacted.
pub(crate) struct Contact {
    client: Client,
    endpoint: Endpoint,
    /// The token, or what messages are signed with.
    pub(crate) secret: Option<Secret>,
    /// What messages were signed with before.
    pub(crate) previous_secret: Option<Secret>,
}

/// Why a destination is not contacted. No secret is repeated.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreachable {
    #[error("{0} is not allowed here: allow it with: ckpt notify allow {0}")]
    NotAllowed(String),
    #[error("{0} is not what you allowed: look at it and allow it with: ckpt notify allow {0}")]
    Changed(String),
    #[error("{0} is not set in the environment of this process")]
    NoVariable(SecretReference),
    #[error("{reference} cannot be read: {source}")]
    NoFile {
        reference: SecretReference,
        source: std::io::Error,
    },
    #[error("{0} is empty")]
    Empty(SecretReference),
    #[error("{0} has more than one line")]
    Lines(SecretReference),
    #[error(
        "what {name} is reached with is not what you allowed: look at it and allow it with: ckpt notify allow {name}"
    )]
    Replaced { name: String },
    #[error("the address of {name} cannot be used: {source}")]
    Address { name: String, source: EndpointError },
    #[error("the certificates in {file} cannot be used: {reason}")]
    Certificates { file: String, reason: String },
}

impl Unreachable {
    /// The exit code of a command that needs what is not contacted.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            Self::NotAllowed(_) | Self::Changed(_) | Self::Replaced { .. } => Exit::Blocked,
            _ => Exit::Failed,
        }
    }
}

impl From<Unreachable> for Failure {
    fn from(unreachable: Unreachable) -> Self {
        Self::new(unreachable.exit(), unreachable.to_string())
    }
}

impl<'s> Services<'s> {
    /// Reads the settings of integrations. Without a file, nothing is enabled.
    ///
    /// # Errors
    ///
    /// If the file cannot be read, or is not JSON. Then nothing may be sent.
    pub(crate) fn open(session: &'s Session, variables: &'s Variables) -> Result<Self, Failure> {
        let repository = session.workspace.repository();
        let path = repository.root().join(integrations::FILE);
        let content = read_in(repository.root(), repository.real_root(), &path, LONGEST);
        let unusable = |why: String| {
            let message = format!("{}: {why}", integrations::FILE);
            Failure::new(Exit::Invalid, message)
                .with_hint("Mend the file or remove it; nothing is sent until then")
        };
        let document = match content {
            Ok(content) => {
                Some(Document::from_bytes(content).map_err(|e| unusable(e.to_string()))?)
            }
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(unusable(error.to_string())),
        };
        let is_configured = document.is_some();
        let (integrations, findings) = document
            .map(|document| Integrations::read(&document))
            .unwrap_or_default();
        Ok(Self {
            session,
            variables,
            integrations,
            findings,
            is_configured,
        })
    }

    /// The name of the directory of this worktree, for people who are told of it.
    pub(crate) fn repository_name(&self) -> String {
        let root = self.session.workspace.repository().root();
        let last = root.file_name().unwrap_or_default();
        shortened(&one_line(&last.to_string_lossy()), LONGEST_NAME)
    }

    /// What the user said about a destination.
    pub(crate) fn standing(&self, destination: &Destination) -> PermissionStanding {
        self.session.workspace.permissions().standing(destination)
    }

    /// The way to a destination, if the user has allowed it and its secrets are at hand.
    pub(crate) fn contact(&self, destination: &Destination) -> Result<Contact, Unreachable> {
        let display = name(&destination.name).into_owned();
        match self.standing(destination) {
            PermissionStanding::Allowed(permission) => self.allowed(destination, &permission),
            PermissionStanding::Changed(_) => Err(Unreachable::Changed(display)),
            PermissionStanding::Unknown => Err(Unreachable::NotAllowed(display)),
        }
    }

    fn allowed(
        &self,
        destination: &Destination,
        permission: &Permission,
    ) -> Result<Contact, Unreachable> {
        if permission.values != self.values(destination)? {
            let name = name(&destination.name).into_owned();
            return Err(Unreachable::Replaced { name });
        }
        // The address of a service comes from the user's own settings, so it may be anywhere.
        let (address, reach) = match self.session.settings.service(&destination.url) {
            Some((address, false)) => (Secret::new(address), Reach::Public),
            Some((address, true)) => (Secret::new(address), Reach::Private),
            None => {
                let address = match SecretReference::parse(&destination.url) {
                    Ok(reference) => self.secret(&reference)?,
                    Err(_) => Secret::new(&destination.url),
                };
                let reach = match permission.is_private {
                    true => Reach::Private,
                    false => Reach::Public,
                };
                (address, reach)
            }
        };
        let endpoint =
            Endpoint::parse(address.reveal(), reach).map_err(|source| Unreachable::Address {
                name: name(&destination.name).into_owned(),
                source,
            })?;
        let look_up = |reference: &Option<SecretReference>| {
            let found = reference.as_ref().map(|reference| self.secret(reference));
            found.transpose()
        };
        Ok(Contact {
            client: Client::new(reach, Limits::default(), &self.roots()?),
            endpoint,
            secret: look_up(&destination.secret)?,
            previous_secret: look_up(&destination.previous_secret)?,
        })
    }

    /// The digest of the values behind references that decide who is reached, and as whom: an address, or a token that is
    /// sent. A clone can set variables through the settings of an agent, so the name of a variable alone says little.
    pub(crate) fn values(&self, destination: &Destination) -> Result<Option<String>, Unreachable> {
        let is_service = destination.url == destination.name;
        let is_token_sent = is_service || destination.format == MessageFormat::Linear;
        let url = SecretReference::parse(&destination.url).ok();
        let token = destination.secret.as_ref().filter(|_| is_token_sent);
        let mut values = Vec::new();
        for reference in url.iter().chain(token) {
            values.push(self.secret(reference)?.reveal().to_owned());
        }
        let text = format!("{}\n{}", destination.name, values.join("\n"));
        Ok((!values.is_empty()).then(|| ckpt_services::digest(text.as_bytes())))
    }

    fn secret(&self, reference: &SecretReference) -> Result<Secret, Unreachable> {
        let text = match reference {
            SecretReference::Variable(variable) => self
                .variables
                .text(variable)
                .ok_or_else(|| Unreachable::NoVariable(reference.clone()))?,
            SecretReference::File(path) => {
                let content = read_own(&self.expanded(path), LONGEST);
                let text = content
                    .and_then(|content| String::from_utf8(content).map_err(std::io::Error::other));
                text.map_err(|source| Unreachable::NoFile {
                    reference: reference.clone(),
                    source,
                })?
            }
        };
        let secret = Secret::new(&text);
        match secret.reveal() {
            "" => Err(Unreachable::Empty(reference.clone())),
            value if value.contains(char::is_control) => Err(Unreachable::Lines(reference.clone())),
            _ => Ok(secret),
        }
    }

    fn expanded(&self, path: &str) -> PathBuf {
        match (path.strip_prefix("~/"), self.variables.home()) {
            (Some(below), Some(home)) => home.join(below),
            _ => Path::new(path).to_owned(),
        }
    }

    fn roots(&self) -> Result<Roots, Unreachable> {
        let Some(file) = self.session.settings.certificates() else {
            return Ok(Roots::BuiltIn);
        };
        let unusable = |reason: String| Unreachable::Certificates {
            file: path_name(&file),
            reason,
        };
        let pem = read_own(&file, LONGEST).map_err(|error| unusable(error.to_string()))?;
        Roots::read(&pem).map_err(|error| unusable(error.to_string()))
    }
}

impl Contact {
    /// Sends a request to the address itself, or to one below it.
    pub(crate) fn send(
        &self,
        method: Method,
        below: Option<Below<'_>>,
        headers: &[(&str, String)],
        body: &[u8],
    ) -> Result<Answer, Trouble> {
        let to = below.map(|below| self.endpoint.at(below.segments, below.query));
        let mut answer = self.client.send(&Request {
            method,
            to: to.as_ref().unwrap_or(&self.endpoint),
            headers,
            body,
        })?;
        // What a service says is shown and kept, and it may repeat what it was sent.
        for secret in [&self.secret, &self.previous_secret].into_iter().flatten() {
            answer.hide(secret);
        }
        Ok(answer)
    }

    /// The same way, with requests that take at most this long.
    pub(crate) fn within(self, whole: Duration) -> Self {
        Self {
            client: self.client.within(whole),
            ..self
        }
    }
}

/// A path and a query below an address.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Below<'b> {
    pub(crate) segments: &'b [&'b str],
    pub(crate) query: &'b [(&'b str, &'b str)],
}

/// How to allow a destination.
pub(crate) fn how_to_allow(destination: &Destination) -> String {
    format!("ckpt notify allow {}", suggested(&destination.name))
}
