//! What a clone may bring with it, and how much of it is trusted.

mod approver;
mod clones;
mod filters;
mod history;
mod owner;
mod push;
mod seals;
mod variables;
mod voice;
