//! An MCP server on standard input and output, for clients without hooks.
//!
//! Each tool makes one call of the same commands that a user types ([`line`], [`call`]), so a rule lives in one place. The
//! only state here is where the client works ([`place`]) and what it has subscribed to ([`watch`]).

mod call;
mod line;
mod place;
mod progress;
mod prompts;
mod resources;
mod server;
mod tools;
mod watch;

use std::path::PathBuf;

use rmcp::ServiceExt;
use rmcp::transport::stdio_pipes;

use self::server::Server;
use crate::failure::{Exit, Failure};

/// Serves until the client closes standard input. With a directory, whatever the client says about where it works does not
/// matter.
pub(crate) fn serve(directory: Option<PathBuf>) -> Result<Exit, Failure> {
    let failed = |what: &str| Failure::new(Exit::Failed, what.to_owned());
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Failure::io("cannot start the server", &error))?;
    runtime.block_on(async {
        let server = match Server::new(directory).serve(stdio_pipes()).await {
            Ok(server) => server,
            // The client went away, or spoke something else.
            Err(error) => return Err(failed(&format!("no MCP client: {error}"))),
        };
        let ended = server.waiting().await;
        ended.map_err(|error| failed(&format!("the server ended: {error}")))?;
        Ok(Exit::Done)
    })
}
