//! What is written into settings, and what stays as it was.

mod edits;
mod flaws;
mod places;
mod program;
mod property;
mod round_trip;

use super::{Place, Scope, settings_file};
use crate::agent::Agent;

/// The file of a project, which every agent has.
fn place(agent: Agent) -> Place {
    settings_file(agent, Scope::Project)
}
