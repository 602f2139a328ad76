//! What happened, what changed, and bringing it back.

mod archive;
mod closing;
mod diff;
mod fork;
mod log;
mod mirror;
mod travel;
