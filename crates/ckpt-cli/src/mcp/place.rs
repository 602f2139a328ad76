//! Where the client works.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::Mutex;
use tokio::time::timeout;

/// How long a client may take to list its roots.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where the client works: the directory that the user named, else the client's root, else where the server was started.
#[derive(Debug)]
pub(super) struct Place {
    named: Option<PathBuf>,
    /// The client's root, once it was asked; `Some(None)` if it has none.
    root: Mutex<Option<Option<PathBuf>>>,
}

impl Place {
    pub(super) fn new(named: Option<PathBuf>) -> Self {
        Self {
            named,
            root: Mutex::default(),
        }
    }

    /// The client's roots have changed.
    pub(super) async fn forget(&self) {
        *self.root.lock().await = None;
    }

    /// The directory, which the client is asked for at first.
    pub(super) async fn directory(&self, peer: &Peer<RoleServer>) -> PathBuf {
        let here = || std::env::current_dir().unwrap_or_else(|_| PathBuf::from("."));
        if let Some(named) = &self.named {
            return named.clone();
        }
        let mut root = self.root.lock().await;
        if root.is_none() {
            *root = Some(root_of(peer, &here()).await);
        }
        root.clone().flatten().unwrap_or_else(here)
    }
}

/// The client's root: the one in which the server was started, else the first that exists.
#[expect(
    deprecated,
    reason = "only clients of the latest version have no roots"
)]
async fn root_of(peer: &Peer<RoleServer>, here: &Path) -> Option<PathBuf> {
    let client = peer.peer_info()?;
    client.capabilities.roots.as_ref()?;
    let listed = timeout(PATIENCE, peer.list_roots()).await.ok()?.ok()?;
    let roots = listed.roots.iter().filter_map(|root| path_of(&root.uri));
    let roots: Vec<PathBuf> = roots.filter(|root| root.is_dir()).collect();
    let around = roots.iter().find(|root| here.starts_with(root));
    around.or(roots.first()).cloned()
}

/// The path in a `file:` URI.
fn path_of(uri: &str) -> Option<PathBuf> {
    let rest = uri.strip_prefix("file://")?;
    let path = &rest[rest.find('/')?..];
    Some(PathBuf::from(OsString::from_vec(decoded(path))))
}

/// A text with its percent-encoded bytes.
pub(super) fn decoded(text: &str) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    let mut rest = text.as_bytes();
    while let Some((&first, after)) = rest.split_first() {
        let hex = after.get(..2).and_then(|hex| std::str::from_utf8(hex).ok());
        let byte = hex.and_then(|hex| u8::from_str_radix(hex, 16).ok());
        match byte.filter(|_| first == b'%') {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(first);
                rest = after;
            }
        }
    }
    bytes
}

#[cfg(test)]
mod tests;
