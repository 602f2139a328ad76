//! Tells a client how a long call goes on.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use rmcp::RoleServer;
use rmcp::model::{ProgressNotificationParam, ProgressToken};
use rmcp::service::{Peer, RequestContext};
use tokio::runtime::Handle;

use crate::ui::Listener;

/// Where the progress of a call goes.
pub(super) struct Progress {
    peer: Peer<RoleServer>,
    token: ProgressToken,
    runtime: Handle,
}

impl Progress {
    /// Where the progress of this request goes, if the client wants to know.
    pub(super) fn of(context: &RequestContext<RoleServer>) -> Option<Self> {
        Some(Self {
            peer: context.peer.clone(),
            token: context.meta.get_progress_token()?,
            runtime: Handle::current(),
        })
    }

    /// Tells the client the last line of each piece of output, and how many bytes there have been.
    pub(super) fn listener(&self) -> Arc<Listener> {
        let (peer, token) = (self.peer.clone(), self.token.clone());
        let (runtime, heard) = (self.runtime.clone(), AtomicU64::new(0));
        Arc::new(move |piece: &[u8]| {
            let length = u64::try_from(piece.len()).unwrap_or_default();
            let heard = heard.fetch_add(length, Ordering::Relaxed) + length;
            let text = String::from_utf8_lossy(piece);
            let line = text.lines().rfind(|line| !line.trim().is_empty());
            let progress = ProgressNotificationParam::new(token.clone(), heard as f64)
                .with_message(line.unwrap_or_default().to_owned());
            // In order: the next piece waits until this one is told.
            let _ = runtime.block_on(peer.notify_progress(progress));
        })
    }
}
