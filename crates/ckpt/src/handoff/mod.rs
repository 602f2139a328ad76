//! What one agent hands to another: a request, and the response to it.
//!
//! Both are JSON, often in the midst of an agent's prose ([`find`]). Their rules ([`judge`]) hold the summaries in them
//! to their limit, so that a context does not grow from hand to hand.

mod block;
mod protocol;
mod reply;
mod request;
mod rules;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use block::{Block, BlockError, find};
pub use protocol::{Extended, NotRecognised, document, extend};
pub use reply::{Reply, ReplyError};
pub use request::{Draft, Fixed, fix};
pub use rules::{Terms, judge};
pub use vocabulary::{Decision, ExpectedOutput, Kind, Mode, Phase, Status};
