//! Where a request goes.

use std::fmt;

use ureq::http::Uri;
use ureq::http::uri::PathAndQuery;

use crate::address::Reach;

/// The longest address, in bytes.
const LONGEST: usize = 2048;

/// A web address that a request may be sent to. Its path may be a secret, so only its [origin](Self::origin) is shown.
#[derive(Clone, PartialEq, Eq)]
pub struct Endpoint {
    uri: Uri,
    reach: Reach,
}

/// Why a text cannot be used as a web address. The text is not repeated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum EndpointError {
    /// It cannot be parsed.
    #[error("it is not a web address such as https://example.com/path")]
    Malformed,
    /// It is too long.
    #[error("it is longer than {LONGEST} bytes")]
    TooLong,
    /// It would be sent without encryption.
    #[error("it must begin with https://")]
    Unencrypted,
    /// It has a user name or a password in it.
    #[error("it must not contain a user name or a password")]
    Credentials,
}

impl Endpoint {
    /// Reads a web address. Without encryption only private addresses may be reached, because the user allows that.
    ///
    /// # Errors
    ///
    /// If it is none, or has parts that it must not have.
    pub fn parse(text: &str, reach: Reach) -> Result<Self, EndpointError> {
        if text.len() > LONGEST {
            return Err(EndpointError::TooLong);
        }
        let is_odd = |character: char| character.is_whitespace() || character.is_control();
        if text.contains(is_odd) || text.contains(['\\', '#']) {
            return Err(EndpointError::Malformed);
        }
        let uri: Uri = text.parse().map_err(|_| EndpointError::Malformed)?;
        let authority = uri.authority().ok_or(EndpointError::Malformed)?;
        if authority.as_str().contains('@') {
            return Err(EndpointError::Credentials);
        }
        if authority.host().is_empty() {
            return Err(EndpointError::Malformed);
        }
        match (uri.scheme_str(), reach) {
            (Some("https"), _) | (Some("http"), Reach::Private) => Ok(Self { uri, reach }),
            (Some("http"), Reach::Public) => Err(EndpointError::Unencrypted),
            _ => Err(EndpointError::Malformed),
        }
    }

    /// The same service, at another path with a query. Each segment and value is escaped.
    #[must_use]
    pub fn at(&self, segments: &[&str], query: &[(&str, &str)]) -> Self {
        let base = self.uri.path().trim_end_matches('/');
        let mut text = base.to_owned();
        for segment in segments {
            text.push('/');
            escape(segment, &mut text);
        }
        for (number, (name, value)) in query.iter().enumerate() {
            text.push(if number == 0 { '?' } else { '&' });
            escape(name, &mut text);
            text.push('=');
            escape(value, &mut text);
        }
        let path = PathAndQuery::try_from(text).expect("what is escaped can be parsed");
        let mut parts = self.uri.clone().into_parts();
        parts.path_and_query = Some(path);
        Self {
            uri: Uri::from_parts(parts).expect("only the path is another one"),
            reach: self.reach,
        }
    }

    /// Scheme, host and port.
    #[must_use]
    pub fn origin(&self) -> String {
        let scheme = self.uri.scheme_str().unwrap_or_default();
        let authority = self.uri.authority().map_or("", |it| it.as_str());
        format!("{scheme}://{authority}")
    }

    /// The host.
    #[must_use]
    pub fn host(&self) -> &str {
        self.uri.host().unwrap_or_default()
    }

    /// How far a request to it may reach.
    #[must_use]
    pub fn reach(&self) -> Reach {
        self.reach
    }

    pub(crate) fn uri(&self) -> &Uri {
        &self.uri
    }
}

impl fmt::Debug for Endpoint {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Endpoint({}/…)", self.origin())
    }
}

/// Appends a text with everything escaped that means something in an address.
fn escape(text: &str, to: &mut String) {
    for byte in text.bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' => {
                to.push(char::from(byte));
            }
            _ => *to += &format!("%{byte:02X}"),
        }
    }
}

#[cfg(test)]
mod tests;
