//! What is stored on disk, whatever happens to it.

mod corrupt;
mod disk_full;
mod foreign_edit;
mod kill;
mod location;
mod lock;
mod misplaced;
mod permissions;
mod privacy;
mod symlinks;
mod system_calls;
mod writers;
