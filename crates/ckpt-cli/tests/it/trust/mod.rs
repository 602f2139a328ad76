//! What a clone may bring with it, and what is believed of it.

mod approver;
mod clones;
mod filters;
mod history;
mod owner;
mod push;
mod seals;
mod variables;
mod voice;
