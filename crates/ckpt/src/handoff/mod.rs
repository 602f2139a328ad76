//! Handoffs between agents: a request, and the response to it.
//!
//! Both are JSON, often embedded in an agent's prose ([`find`]). The rules ([`judge`]) limit the length of their
//! summaries, so that the context does not grow with each handoff.

mod block;
mod protocol;
mod reply;
mod request;
mod rules;
mod vocabulary;

#[cfg(test)]
mod tests;

pub use block::{Block, BlockError, find};
pub use protocol::{Extended, Library, NotRecognised, document, extend};
pub(crate) use reply::RECORDS;
pub use reply::{Reply, ReplyError};
pub use request::{Draft, Fixed, fix};
pub use rules::{Terms, judge};
pub use vocabulary::{Decision, ExpectedOutput, Kind, Mode, Phase, Status};
