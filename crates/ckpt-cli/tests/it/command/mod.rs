//! Checkpoints of commands.

mod formatting;
mod head;
mod ids;
mod listing;
mod malformed;
mod messages;
mod phase;
mod reading;
mod resume;
mod save;
mod start;
