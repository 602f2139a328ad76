//! What coding agents say to `ckpt`, and how it answers each of them.
//!
//! Agents call their hooks with a JSON object that tells of an event. It is read leniently ([`Event::read`]): every member
//! may be missing, and unknown ones are passed over. Answers are written strictly ([`Answer::written`]): an agent gets
//! only what it documents for that event, because some reject all of an answer for one member too many. Between the two,
//! [`decide()`] says what an event asks for without looking at anything, and [`respond()`] does it.

mod agent;
mod answer;
mod decide;
mod event;
pub mod install;
mod patch;
mod reports;
mod respond;
mod shipping;
mod transcript;

pub use agent::Agent;
pub use answer::{Answer, LONGEST_TEXT};
pub use decide::{Action, Enforcement, Policy, Unfinished, decide};
pub use event::{Event, Happening, Subagent, Tool};
pub use respond::{Host, Response, respond};
pub use shipping::Shipment;
pub use transcript::Transcript;
