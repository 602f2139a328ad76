//! What happened, what changed, and bringing it back.

mod archive;
mod closing;
mod diff;
mod followers;
mod fork;
mod gc;
mod gone;
mod log;
mod mirror;
#[cfg(unix)]
mod pager;
mod plan;
mod races;
mod recover;
mod renaming;
mod restart;
mod session;
mod travel;
mod unreachable;
