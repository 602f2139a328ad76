//! The brief that the next session gets.

mod agree;
mod branches;
mod lives;
mod processes;
mod scripts;
