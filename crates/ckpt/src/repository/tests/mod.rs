//! What holds for repositories, shown on real ones that git itself made.

mod digest;
mod digest_layouts;
mod discover;
mod drift;
mod head;
mod index;
mod sandbox;
mod worktrees;
