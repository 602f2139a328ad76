use std::path::{Path, PathBuf};

use super::{Scope, settings_file, traces};
use crate::agent::Agent;
use crate::install::registrations;

fn resolved(agent: Agent, scope: Scope, variables: &[(&str, &str)]) -> PathBuf {
    let value = |name: &str| {
        let found = variables.iter().find(|(known, _)| *known == name)?;
        Some(PathBuf::from(found.1))
    };
    settings_file(agent, scope).resolved(Path::new("/repo"), Path::new("/home/me"), value)
}

#[test]
fn every_agent_has_a_file_for_every_scope() {
    let mut lines = Vec::new();
    for agent in Agent::ALL {
        for scope in [Scope::Local, Scope::Project, Scope::User] {
            let readers = settings_file(agent, scope).readers;
            let path = resolved(agent, scope, &[]);
            lines.push(format!("{agent} {scope:?} {readers:?} {}", path.display()));
        }
    }
    let expected = "\
claude Local Oneself /repo/.claude/settings.local.json
claude Project Everybody /repo/.claude/settings.json
claude User Oneself /home/me/.claude/settings.json
codex Local Everybody /repo/.codex/hooks.json
codex Project Everybody /repo/.codex/hooks.json
codex User Oneself /home/me/.codex/hooks.json
gemini Local Everybody /repo/.gemini/settings.json
gemini Project Everybody /repo/.gemini/settings.json
gemini User Oneself /home/me/.gemini/settings.json
cursor Local Everybody /repo/.cursor/hooks.json
cursor Project Everybody /repo/.cursor/hooks.json
cursor User Oneself /home/me/.cursor/hooks.json
copilot Local Oneself /repo/.github/copilot/settings.local.json
copilot Project Everybody /repo/.github/hooks/ckpt.json
copilot User Oneself /home/me/.copilot/hooks/ckpt.json";
    assert_eq!(lines.join("\n"), expected);
}

#[test]
fn a_variable_moves_the_directory_of_settings_unless_it_is_empty() {
    let moved = |agent, variable, value| resolved(agent, Scope::User, &[(variable, value)]);
    assert_eq!(
        moved(Agent::Claude, "CLAUDE_CONFIG_DIR", "/c"),
        Path::new("/c/settings.json")
    );
    assert_eq!(
        moved(Agent::Codex, "CODEX_HOME", "/x"),
        Path::new("/x/hooks.json")
    );
    assert_eq!(
        moved(Agent::Copilot, "COPILOT_HOME", "/p"),
        Path::new("/p/hooks/ckpt.json")
    );
    assert_eq!(
        moved(Agent::Claude, "CLAUDE_CONFIG_DIR", ""),
        Path::new("/home/me/.claude/settings.json")
    );
}

#[test]
fn a_project_that_was_set_up_shows_that_the_agent_is_in_use() {
    for agent in Agent::ALL {
        let traces = traces(agent);
        let path = settings_file(agent, Scope::Project).path;
        assert!(
            traces
                .repository
                .iter()
                .any(|trace| path.starts_with(trace))
        );
        assert!(!traces.repository.contains(&"AGENTS.md"));
        assert!(!traces.programs.is_empty());
    }
}

#[test]
fn an_event_is_registered_once_and_is_one_that_is_understood() {
    for agent in Agent::ALL {
        let mut seen = Vec::new();
        for registration in registrations(agent) {
            assert!(
                !seen.contains(&registration.event),
                "{agent} {registration:?}"
            );
            seen.push(registration.event);
            let payload = format!(
                r#"{{"hook_event_name":"{}","tool_name":"Bash","tool_input":{{}}}}"#,
                registration.event
            );
            let event = crate::Event::read(payload.as_bytes()).unwrap();
            assert_ne!(event.happening, crate::Happening::Other, "{registration:?}");
        }
    }
}
