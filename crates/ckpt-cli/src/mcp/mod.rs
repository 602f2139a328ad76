//! An MCP server on standard input and output, for clients without hooks.
//!
//! Each tool makes one call of the same commands that a user types ([`mod@line`], [`mod@call`]), so a rule lives in one place. The
//! only state here is where the client works ([`mod@place`]) and what it has subscribed to ([`mod@watch`]).

mod call;
mod line;
mod place;
mod progress;
mod prompts;
mod resources;
mod server;
mod tools;
mod transport;
mod watch;

use std::path::PathBuf;
use std::time::Duration;

use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use self::server::Server;
use self::transport::Streams;
use crate::failure::{Exit, Failure};

/// Serves until the client closes standard input, or the process is told to end. With a directory, whatever the client says
/// about where it works does not matter.
pub(crate) fn serve(directory: Option<PathBuf>) -> Result<Exit, Failure> {
    let failed = |what: &str| Failure::new(Exit::Failed, what.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::io("cannot start the server", &error))?;
    let ended = runtime.block_on(async {
        let (closing, closed) = tokio::sync::watch::channel(false);
        end_with_signals(&closing);
        let (input, output) = stdio_pipes();
        let client = Streams::new(input, output, closing);
        let server = Server::new(directory, closed.clone());
        let running = server.running();
        let server = match server.serve(client).await {
            Ok(server) => server,
            // It went away without a word.
            Err(_) if *closed.borrow() => return Ok(Exit::Done),
            Err(error) => return Err(failed(&format!("no MCP client: {error}"))),
        };
        let stop = server.cancellation_token();
        let waiting = server.waiting();
        tokio::pin!(waiting);
        let ended = tokio::select! {
            ended = &mut waiting => ended,
            () = server::is_over(closed) => {
                // What runs is ended first.
                let _ = timeout(PATIENCE, running.write()).await;
                stop.cancel();
                waiting.await
            }
        };
        ended.map_err(|error| failed(&format!("the server ended: {error}")))?;
        Ok(Exit::Done)
    });
    // A thread may still wait for standard input.
    runtime.shutdown_background();
    ended
}

/// How long it may take to end what runs.
const PATIENCE: Duration = Duration::from_secs(10);

/// Ends the server with what it has started when the process is told to end.
fn end_with_signals(closing: &tokio::sync::watch::Sender<bool>) {
    for kind in [
        SignalKind::terminate(),
        SignalKind::hangup(),
        SignalKind::interrupt(),
    ] {
        let closing = closing.clone();
        if let Ok(mut told) = signal(kind) {
            tokio::spawn(async move {
                told.recv().await;
                let _ = closing.send(true);
            });
        }
    }
}
