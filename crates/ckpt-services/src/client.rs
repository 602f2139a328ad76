//! One request, and its answer.

mod guard;

use std::io::{self, Read};
use std::sync::Arc;
use std::time::Duration;

use ureq::Agent;
use ureq::config::Config;
use ureq::http::{Request as HttpRequest, Response as HttpResponse};
use ureq::tls::{PemItem, RootCerts, TlsConfig, parse_pem};
use ureq::unversioned::resolver::DefaultResolver;
use ureq::unversioned::transport::DefaultConnector;

use crate::address::Reach;
use crate::endpoint::Endpoint;
use crate::secret::Secret;
use guard::{Guarded, RefusedAddress};

/// The headers of an answer that are read, in lower case.
const HEADERS_READ: [&str; 6] = [
    "retry-after",
    "x-ratelimit-remaining",
    "x-ratelimit-reset",
    "x-ratelimit-requests-reset",
    "etag",
    "location",
];

/// The method of a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Method {
    /// Asks.
    Get,
    /// Tells.
    Post,
}

/// How long a request may take, and how large its answer may be.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    /// From the look-up of the name to the connection.
    pub connecting: Duration,
    /// All of it.
    pub whole: Duration,
    /// The body of the answer, in bytes. What is longer is cut.
    pub body: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            connecting: Duration::from_secs(10),
            whole: Duration::from_secs(20),
            body: 2 * 1024 * 1024,
        }
    }
}

/// Whose certificates are trusted.
#[derive(Debug, Clone, Default)]
pub enum Roots {
    /// Those of the usual authorities.
    #[default]
    BuiltIn,
    /// These and no others.
    Only(Arc<Vec<ureq::tls::Certificate<'static>>>),
}

/// A file has no certificates that can be used.
#[derive(Debug, thiserror::Error)]
#[error("it has no certificate in the form of PEM")]
pub struct RootsError;

impl Roots {
    /// Reads certificates in the form of PEM.
    ///
    /// # Errors
    ///
    /// If there is none.
    pub fn read(pem: &[u8]) -> Result<Self, RootsError> {
        let mut found = Vec::new();
        for item in parse_pem(pem) {
            if let PemItem::Certificate(certificate) = item.map_err(|_| RootsError)? {
                found.push(certificate);
            }
        }
        match found.is_empty() {
            true => Err(RootsError),
            false => Ok(Self::Only(Arc::new(found))),
        }
    }
}

/// A request.
#[derive(Debug)]
pub struct Request<'r> {
    /// The method.
    pub method: Method,
    /// Where it goes.
    pub to: &'r Endpoint,
    /// Its headers, beside those that every request has.
    pub headers: &'r [(&'r str, String)],
    /// Its body, for a [`Method::Post`].
    pub body: &'r [u8],
}

/// The answer to a request, whatever its status.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Answer {
    /// The status.
    pub status: u16,
    /// The body, or its beginning.
    pub body: Vec<u8>,
    /// Whether there was more of it.
    pub is_cut: bool,
    headers: Vec<(&'static str, String)>,
}

impl Answer {
    #[cfg(test)]
    pub(crate) fn made(status: u16, headers: &[(&'static str, &str)], body: &str) -> Self {
        let headers = headers
            .iter()
            .map(|(name, value)| (*name, (*value).to_owned()));
        Self {
            status,
            body: body.into(),
            is_cut: false,
            headers: headers.collect(),
        }
    }

    /// Puts stars in place of a secret in the body.
    pub fn hide(&mut self, secret: &Secret) {
        let hidden = secret.reveal().as_bytes();
        if hidden.is_empty() {
            return;
        }
        let mut at = 0;
        while let Some(found) = find(&self.body[at..], hidden) {
            let begin = at + found;
            self.body[begin..begin + hidden.len()].fill(b'*');
            at = begin + hidden.len();
        }
    }

    /// A header that is read, by its name in lower case.
    #[must_use]
    pub fn header(&self, name: &str) -> Option<&str> {
        let found = self.headers.iter().find(|(known, _)| *known == name);
        found.map(|(_, value)| value.as_str())
    }
}

fn find(text: &[u8], part: &[u8]) -> Option<usize> {
    text.windows(part.len()).position(|window| window == part)
}

/// Why there is no answer. No path and no secret is repeated.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Trouble {
    /// The host has no address, or there is no network.
    #[error("{0} cannot be found")]
    NoAddress(String),
    /// The host is not on the public internet.
    #[error("{host} is {address}, which is not on the public internet")]
    Private {
        /// The host.
        host: String,
        /// Its address.
        address: std::net::IpAddr,
    },
    /// It took too long.
    #[error("{0} did not answer in time")]
    TooLate(String),
    /// The connection cannot be trusted.
    #[error("{host} cannot prove who it is: {reason}")]
    Untrusted {
        /// The host.
        host: String,
        /// The reason.
        reason: String,
    },
    /// The connection failed.
    #[error("the connection to {host} failed")]
    Broken {
        /// The host.
        host: String,
        /// The reason.
        #[source]
        source: io::Error,
    },
    /// The request cannot be sent as it is, or the answer is no HTTP.
    #[error("{host} cannot be talked to: {reason}")]
    Unspeakable {
        /// The host.
        host: String,
        /// The reason.
        reason: String,
    },
}

/// What sends requests of one reach.
#[derive(Debug, Clone)]
pub struct Client {
    agent: Agent,
    reach: Reach,
    limits: Limits,
    roots: Roots,
}

impl Client {
    /// A client that connects only to addresses within this reach.
    #[must_use]
    pub fn new(reach: Reach, limits: Limits, roots: &Roots) -> Self {
        let trusted = match roots {
            Roots::BuiltIn => RootCerts::WebPki,
            Roots::Only(certificates) => RootCerts::Specific(certificates.clone()),
        };
        let config = Config::builder()
            .http_status_as_error(false)
            .https_only(reach == Reach::Public)
            .max_redirects(0)
            .max_redirects_will_error(false)
            // A variable of the environment must not lead a request elsewhere.
            .proxy(None)
            .timeout_resolve(Some(limits.connecting))
            .timeout_connect(Some(limits.connecting))
            .timeout_global(Some(limits.whole))
            .max_response_header_size(64 * 1024)
            .user_agent(concat!("ckpt/", env!("CARGO_PKG_VERSION")))
            .tls_config(TlsConfig::builder().root_certs(trusted).build())
            .build();
        let resolver = Guarded::new(DefaultResolver::default(), reach);
        Self {
            agent: Agent::with_parts(config, DefaultConnector::default(), resolver),
            reach,
            limits,
            roots: roots.clone(),
        }
    }

    /// The same client, with requests that take at most this long.
    #[must_use]
    pub fn within(&self, whole: Duration) -> Self {
        let limits = Limits {
            connecting: self.limits.connecting.min(whole),
            whole: self.limits.whole.min(whole),
            ..self.limits
        };
        Self::new(self.reach, limits, &self.roots)
    }

    /// Sends a request and reads the answer.
    ///
    /// # Errors
    ///
    /// If there is no answer.
    pub fn send(&self, request: &Request<'_>) -> Result<Answer, Trouble> {
        let host = request.to.host();
        if request.to.reach() != self.reach {
            return Err(Trouble::Unspeakable {
                host: host.to_owned(),
                reason: "it needs a client of another reach".to_owned(),
            });
        }
        let mut answer = self.run(request).map_err(|error| trouble(host, error))?;
        let status = answer.status().as_u16();
        let headers = HEADERS_READ.iter().filter_map(|name| {
            let value = answer.headers().get(*name)?.to_str().ok()?;
            Some((*name, value.to_owned()))
        });
        let headers = headers.collect();
        let most = self.limits.body;
        let mut body = Vec::new();
        let reader = answer.body_mut().as_reader();
        reader
            .take(most as u64 + 1)
            .read_to_end(&mut body)
            .map_err(|source| trouble(host, ureq::Error::from(source)))?;
        let is_cut = body.len() > most;
        body.truncate(most);
        Ok(Answer {
            status,
            body,
            is_cut,
            headers,
        })
    }

    fn run(&self, request: &Request<'_>) -> Result<HttpResponse<ureq::Body>, ureq::Error> {
        let mut built = HttpRequest::builder().uri(request.to.uri());
        for (name, value) in request.headers {
            built = built.header(*name, value);
        }
        match request.method {
            Method::Get => self.agent.run(built.method("GET").body(())?),
            Method::Post => self.agent.run(built.method("POST").body(request.body)?),
        }
    }
}

fn trouble(host: &str, error: ureq::Error) -> Trouble {
    let host = host.to_owned();
    match error {
        ureq::Error::HostNotFound => Trouble::NoAddress(host),
        ureq::Error::Timeout(_) => Trouble::TooLate(host),
        ureq::Error::Rustls(error) => {
            let reason = error.to_string();
            Trouble::Untrusted { host, reason }
        }
        ureq::Error::Tls(reason) => {
            let reason = reason.to_owned();
            Trouble::Untrusted { host, reason }
        }
        ureq::Error::Io(source) => of_connection(host, source),
        other => {
            let reason = other.to_string();
            Trouble::Unspeakable { host, reason }
        }
    }
}

fn of_connection(host: String, source: io::Error) -> Trouble {
    let inner = source.get_ref();
    if let Some(refused) = inner.and_then(|inner| inner.downcast_ref::<RefusedAddress>()) {
        let address = refused.0;
        return Trouble::Private { host, address };
    }
    match source.kind() {
        io::ErrorKind::TimedOut => Trouble::TooLate(host),
        // What the verification of a certificate fails with.
        io::ErrorKind::InvalidData => {
            let reason = source.to_string();
            Trouble::Untrusted { host, reason }
        }
        _ => Trouble::Broken { host, source },
    }
}

#[cfg(test)]
mod tests;
