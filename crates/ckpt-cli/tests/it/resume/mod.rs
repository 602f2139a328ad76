//! The brief that the next session gets.

mod lives;
