//! The skills that agents read from a directory of the repository or of the user.

use std::path::PathBuf;

use ckpt_agents::Agent;
use ckpt_agents::install::{Scope, skill_files, skills_directory};

use super::files::{Grounds, Wanted, kept_as_it_is};
use super::receipt::Receipt;
use crate::failure::Failure;

/// The skills for these agents. Unless they are asked for, only those that are there are kept up to date.
pub(super) fn wanted(
    grounds: &Grounds<'_>,
    (agents, scope): (&[Agent], Scope),
    is_asked: bool,
    receipt: &Receipt,
    notes: &mut Vec<String>,
) -> Result<Vec<Wanted>, Failure> {
    let mut wanted: Vec<Wanted> = Vec::new();
    for agent in agents {
        for Skill {
            name,
            path,
            content,
        } in files(grounds, *agent, scope)?
        {
            let is_known = is_asked || receipt.find(&name).is_some();
            // Most agents share a directory.
            if !is_known || wanted.iter().any(|file| file.path == path) {
                continue;
            }
            let file = grounds.own_file((name, path), "skill", content, receipt)?;
            if file.is_theirs {
                notes.push(kept_as_it_is(&file.wanted.name));
            }
            wanted.push(file.wanted);
        }
    }
    Ok(wanted)
}

/// Whether a recorded file is one of the skills that `init --user` can have written.
pub(super) fn is_users(grounds: &Grounds<'_>, name: &str) -> bool {
    let mut agents = Agent::ALL.into_iter();
    agents.any(|agent| {
        let files = files(grounds, agent, Scope::User).unwrap_or_default();
        files.iter().any(|skill| skill.name == name)
    })
}

/// Skills that no receipt records, and that nobody has changed.
pub(super) fn forgotten(
    grounds: &Grounds<'_>,
    scope: Scope,
    is_recorded: impl Fn(&str) -> bool,
) -> Vec<Wanted> {
    let all = Agent::ALL.into_iter();
    let all = all.flat_map(|agent| files(grounds, agent, scope).unwrap_or_default());
    let unknown = all.filter(|skill| !is_recorded(&skill.name));
    let files = unknown.filter_map(|skill| {
        let before = grounds.text(&skill.name, &skill.path).ok()??;
        // What the team has committed is the team's.
        let is_ours = before == skill.content && !grounds.repository.is_tracked(&skill.name);
        is_ours.then(|| Wanted {
            name: skill.name,
            path: skill.path,
            about: "no longer needed".to_owned(),
            before: Some(before),
            bare: None,
            is_program: false,
            after: None,
        })
    });
    files.collect()
}

/// A skill, and where it goes.
struct Skill {
    name: String,
    path: PathBuf,
    content: String,
}

fn files(grounds: &Grounds<'_>, agent: Agent, scope: Scope) -> Result<Vec<Skill>, Failure> {
    let (name, directory) = grounds.place(&skills_directory(agent, scope))?;
    let files = skill_files(agent).map(|skill| Skill {
        name: format!("{name}/{}", skill.path),
        path: directory.join(&skill.path),
        content: skill.content,
    });
    Ok(files.collect())
}
