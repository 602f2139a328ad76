//! Setting up agents, undoing it, and `ckpt doctor`.

mod doctor;
mod doctor_hooks;
mod instructions;
mod merge_driver;
mod setup;
mod together;
mod undo;
