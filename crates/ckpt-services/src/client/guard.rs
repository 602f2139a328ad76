//! Looking up names, and refusing addresses that a request must not reach.
//!
//! The addresses that are checked here are those that are then connected to: the name is not looked up again.

use std::io;
use std::net::IpAddr;

use ureq::config::Config;
use ureq::http::Uri;
use ureq::unversioned::resolver::{ResolvedSocketAddrs, Resolver};
use ureq::unversioned::transport::NextTimeout;

use crate::address::Reach;

/// A host has an address that must not be reached.
#[derive(Debug, thiserror::Error)]
#[error("{0} must not be reached")]
pub(super) struct RefusedAddress(pub(super) IpAddr);

/// Looks names up like another resolver, and refuses hosts with an address out of reach.
#[derive(Debug)]
pub(super) struct Guarded<R> {
    inner: R,
    reach: Reach,
}

impl<R> Guarded<R> {
    pub(super) fn new(inner: R, reach: Reach) -> Self {
        Self { inner, reach }
    }
}

impl<R: Resolver> Resolver for Guarded<R> {
    fn resolve(
        &self,
        uri: &Uri,
        config: &Config,
        timeout: NextTimeout,
    ) -> Result<ResolvedSocketAddrs, ureq::Error> {
        let found = self.inner.resolve(uri, config, timeout);
        let found = found.map_err(|error| match error {
            ureq::Error::Io(_) => ureq::Error::HostNotFound,
            other => other,
        })?;
        // One such address is enough: which of them answers is not for us to say.
        let refused = found.iter().find(|one| !self.reach.admits(one.ip()));
        match refused {
            Some(one) => Err(io::Error::other(RefusedAddress(one.ip())).into()),
            None => Ok(found),
        }
    }
}
