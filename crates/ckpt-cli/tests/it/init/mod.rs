//! Setting up agents, undoing it, and `ckpt doctor`.

mod clients;
mod doctor;
mod doctor_hooks;
mod instructions;
mod merge_driver;
mod parts;
mod setup;
mod together;
mod undo;
