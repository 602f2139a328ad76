//! Where the client works.

use std::ffi::OsString;
use std::os::unix::ffi::OsStringExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use rmcp::RoleServer;
use rmcp::service::Peer;
use tokio::sync::{Mutex, watch};
use tokio::time::timeout;

use super::call::Refused;

/// How long a client may take to list its roots.
const PATIENCE: Duration = Duration::from_secs(2);

/// Where the client works: the directory that the user named, else the client's root, else where the server was started.
#[derive(Debug)]
pub(super) struct Place {
    named: Option<PathBuf>,
    started: PathBuf,
    /// The client's root, once it was asked; `Some(None)` if it has none.
    root: Mutex<Option<Option<PathBuf>>>,
    /// Counts how often the client has changed its roots.
    moves: watch::Sender<u64>,
}

impl Place {
    pub(super) fn new(named: Option<PathBuf>) -> Self {
        Self {
            named,
            started: std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
            root: Mutex::default(),
            moves: watch::channel(0).0,
        }
    }

    /// The client's roots have changed.
    pub(super) async fn forget(&self) {
        *self.root.lock().await = None;
        self.moves.send_modify(|moves| *moves += 1);
    }

    /// Tells each time when the client's roots have changed.
    pub(super) fn moves(&self) -> watch::Receiver<u64> {
        self.moves.subscribe()
    }

    /// The directory, which the client is asked for at first.
    pub(super) async fn directory(&self, peer: &Peer<RoleServer>) -> Result<PathBuf, Refused> {
        if let Some(named) = &self.named {
            return Ok(named.clone());
        }
        let mut root = self.root.lock().await;
        if root.is_none() {
            *root = Some(root_of(peer, &self.started).await?);
        }
        Ok(root
            .clone()
            .flatten()
            .unwrap_or_else(|| self.started.clone()))
    }
}

/// The client's root: the one in which the server was started, else the first that exists; `None` if it has none. If none of
/// them exists, the client means something else than where the server was started.
#[expect(
    deprecated,
    reason = "only clients of the latest version have no roots"
)]
async fn root_of(peer: &Peer<RoleServer>, here: &Path) -> Result<Option<PathBuf>, Refused> {
    let client = peer.peer_info();
    if client.is_none_or(|client| client.capabilities.roots.is_none()) {
        return Ok(None);
    }
    let Ok(Ok(listed)) = timeout(PATIENCE, peer.list_roots()).await else {
        return Ok(None);
    };
    let uris = listed.roots.iter().map(|root| root.uri.as_str());
    let roots = uris.clone().filter_map(path_of);
    let roots: Vec<PathBuf> = roots.filter(|root| root.is_dir()).collect();
    let around = roots.iter().find(|root| here.starts_with(root));
    match around.or(roots.first()) {
        Some(root) => Ok(Some(root.clone())),
        None if listed.roots.is_empty() => Ok(None),
        None => {
            let uris: Vec<&str> = uris.collect();
            Err(Refused(format!(
                "no root of the client is a directory here: {}. Nothing was done; open another one, or name the directory \
                 with: ckpt -C DIR mcp",
                uris.join(", ")
            )))
        }
    }
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
