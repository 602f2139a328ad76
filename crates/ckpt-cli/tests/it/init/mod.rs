//! Setting up agents, undoing it, and `ckpt doctor`.

mod doctor;
mod doctor_hooks;
mod setup;
mod undo;
