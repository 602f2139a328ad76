//! Tests on real repositories made by git itself.

mod changes;
mod digest;
mod digest_layouts;
mod discover;
mod drift;
mod head;
mod index;
mod sandbox;
mod worktrees;
