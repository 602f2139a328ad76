//! Detects which agents are in use, and how they should call this program.

use std::env;
use std::path::{Path, PathBuf};

use ckpt_agents::Agent;
use ckpt_agents::install::{Program, Scope, traces};

use crate::environment::{PATH, Variables};
use crate::failure::{Exit, Failure};

/// An agent that is in use, and the evidence for it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Detected {
    pub(crate) agent: Agent,
    pub(crate) trace: String,
}

/// All agents in use here.
pub(crate) fn agents(variables: &Variables, root: &Path) -> Vec<Detected> {
    let found = Agent::ALL.into_iter().filter_map(|agent| {
        let trace = trace(variables, agent, root)?;
        Some(Detected { agent, trace })
    });
    found.collect()
}

fn trace(variables: &Variables, agent: Agent, root: &Path) -> Option<String> {
    let traces = traces(agent);
    let here = traces
        .repository
        .iter()
        .find(|name| root.join(name).exists());
    if let Some(name) = here {
        return Some((*name).to_owned());
    }
    let home = variables.home();
    let home = home.map(|home| traces.home.resolved(&home, |name| variables.path(name)));
    if let Some(home) = home.filter(|home| home.is_dir()) {
        return Some(home.display().to_string());
    }
    let program = traces
        .programs
        .iter()
        .find_map(|name| on_path(variables, name));
    program.map(|program| program.display().to_string())
}

/// The path of a program on the `PATH`.
pub(crate) fn on_path(variables: &Variables, name: &str) -> Option<PathBuf> {
    let path = variables.get(PATH)?;
    let name = format!("{name}{}", env::consts::EXE_SUFFIX);
    env::split_paths(&path)
        .map(|directory| directory.join(&name))
        .find(|program| program.is_file())
}

/// How agents should call this program. Shared files get only its name; the user's own files get the path it was
/// installed under, which stays the same when a newer version is installed.
pub(crate) fn program(variables: &Variables, scope: Scope) -> Result<Program, Failure> {
    if scope == Scope::Project {
        return Ok(Program::new("ckpt"));
    }
    let here = env::current_exe()
        .map_err(|error| Failure::io("cannot find the path of this program", &error))?;
    let real = |path: &Path| path.canonicalize().ok();
    let named = on_path(variables, "ckpt").filter(|named| real(named) == real(&here));
    let path = named.filter(|named| named.is_absolute()).unwrap_or(here);
    let text = path.to_str().ok_or_else(|| {
        let message = format!("the path {} is not valid UTF-8", path.display());
        Failure::new(Exit::Failed, message).with_hint("Install ckpt in another directory")
    })?;
    Ok(Program::new(text))
}
