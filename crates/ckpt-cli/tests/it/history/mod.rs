//! What happened, what changed, and bringing it back.

mod archive;
mod diff;
mod log;
mod mirror;
mod session;
mod travel;
