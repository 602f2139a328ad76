//! Hooks, as agents call them.

mod claims;
mod copies;
mod crash;
mod ends;
mod events;
mod fuzzed;
mod gates;
mod hand_edits;
mod held;
mod input;
mod late;
mod life;
mod log;
mod plan_edits;
mod reads;
mod session_start;
mod sessions;
mod settings;
mod sub_agents;
