//! The brief that the next session gets.

mod branches;
mod lives;
