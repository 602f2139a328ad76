//! The hooks of coding agents: reads their events, acts on them, and answers each agent in its own format.
//!
//! An agent calls a hook with a JSON object that describes an event. Reading is lenient ([`Event::read`]): any member
//! may be missing, and unknown ones are ignored. Writing is strict ([`Answer::written`]): an agent gets only what it
//! documents for that event, because some reject a whole answer for one unknown member. In between, [`decide()`] maps
//! an event to actions without any I/O, and [`respond()`] carries them out.

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
pub use transcript::{Transcript, left_behind};
