//! The plugin in `plugin/` is up to date, and follows the rules of Claude Code.

#![allow(clippy::unwrap_used, reason = "tests fail by panicking")]

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

use ckpt::document::{Document, Value};
use ckpt_agents::Agent;
use ckpt_agents::install::plugin::{PluginFile, files, marketplace};
use ckpt_agents::install::{Program, Scope, added, found, registrations, settings_file};
use saphyr_parser::{Event, Parser};

/// The events that a plugin can have hooks for.
const EVENTS: &str = "SessionStart Setup InstructionsLoaded UserPromptSubmit UserPromptExpansion MessageDisplay PreToolUse \
    PermissionRequest PermissionDenied PostToolUse PostToolUseFailure PostToolBatch Notification SubagentStart SubagentStop \
    TaskCreated TaskCompleted Stop StopFailure TeammateIdle ConfigChange CwdChanged DirectoryAdded FileChanged \
    WorktreeCreate WorktreeRemove PreCompact PostCompact PreModelSwitch PostModelSwitch Elicitation ElicitationResult \
    SessionEnd";

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// All generated files, with paths relative to the repository.
fn generated() -> BTreeMap<String, String> {
    let in_folder = files().into_iter().map(|file| PluginFile {
        path: format!("plugin/{}", file.path),
        ..file
    });
    in_folder
        .chain([marketplace()])
        .map(|file| (file.path, file.content))
        .collect()
}

fn files_in(directory: &Path, found: &mut BTreeSet<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return;
    };
    for entry in entries {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files_in(&path, found);
        } else {
            found.insert(path);
        }
    }
}

fn content(path: &str) -> String {
    let file = files().into_iter().find(|file| file.path == path);
    file.unwrap_or_else(|| panic!("{path}")).content
}

fn json(text: &str) -> Value {
    Document::parse(text).unwrap().root().value()
}

fn text<'v>(value: &'v Value, name: &str) -> &'v str {
    let member = value.as_object().unwrap().get(name);
    member
        .and_then(Value::as_str)
        .unwrap_or_else(|| panic!("{name} in {value:?}"))
}

fn is_kebab_case(name: &str) -> bool {
    let parts = name.split('-');
    name.len() <= 64
        && parts.into_iter().all(|part| {
            !part.is_empty()
                && part
                    .chars()
                    .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit())
        })
}

#[test]
fn the_folder_of_the_plugin_is_up_to_date() {
    let mut expected = BTreeSet::new();
    for (path, content) in generated() {
        let path = repository().join(path);
        if std::env::var_os("UPDATE_PLUGIN").is_some() {
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(&path, &content).unwrap();
        }
        let written = std::fs::read_to_string(&path).unwrap_or_default();
        assert!(
            written == content,
            "{} is stale: run UPDATE_PLUGIN=1 cargo nextest run -p ckpt-agents plugin",
            path.display()
        );
        expected.insert(path);
    }
    let mut there = BTreeSet::new();
    files_in(&repository().join("plugin"), &mut there);
    files_in(&repository().join(".claude-plugin"), &mut there);
    assert_eq!(there, expected);
}

#[test]
fn paths_stay_inside_the_folder() {
    for path in generated().into_keys() {
        assert!(!path.starts_with('/') && !path.contains('\\'));
        assert!(
            path.split('/').all(|part| !matches!(part, "" | "." | "..")),
            "{path}"
        );
    }
}

#[test]
fn the_manifest_names_the_plugin_as_is_allowed() {
    let manifest = json(&content(".claude-plugin/plugin.json"));
    let name = text(&manifest, "name");
    assert!(is_kebab_case(name));
    for reserved in ["claude-", "anthropic-", "cc-plugin-"] {
        assert!(!name.starts_with(reserved));
    }
    assert_eq!(text(&manifest, "version"), env!("CARGO_PKG_VERSION"));
    assert_eq!(text(&manifest, "license"), "MIT OR Apache-2.0");
    assert!(!text(&manifest, "description").is_empty());
    let known = ["name", "version", "description", "license", "keywords"];
    let members = manifest.as_object().unwrap();
    assert_eq!(
        members.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        known
    );
}

#[test]
fn the_hooks_are_those_of_settings_and_of_known_events() {
    let hooks = content("hooks/hooks.json");
    let value = json(&hooks);
    let value = value.as_object().unwrap();
    assert_eq!(
        value.iter().map(|(name, _)| name).collect::<Vec<_>>(),
        ["description", "hooks"]
    );
    for (event, _) in value.get("hooks").unwrap().as_object().unwrap().iter() {
        assert!(
            EVENTS.split_whitespace().any(|known| known == event),
            "{event}"
        );
    }
    let found = found(&hooks, Agent::Claude);
    assert_eq!(found.len(), registrations(Agent::Claude).len());
    assert!(
        found
            .iter()
            .all(|hook| hook.is_current && hook.words[0] == "ckpt")
    );
    let place = settings_file(Agent::Claude, Scope::Project);
    assert_eq!(added(&hooks, &place, &Program::new("ckpt")).unwrap(), hooks);
}

#[test]
fn the_catalogue_points_to_the_plugin() {
    let catalogue = json(&marketplace().content);
    assert!(is_kebab_case(text(&catalogue, "name")));
    assert!(!text(catalogue.as_object().unwrap().get("owner").unwrap(), "name").is_empty());
    let plugins = catalogue
        .as_object()
        .unwrap()
        .get("plugins")
        .unwrap()
        .as_array()
        .unwrap();
    let [offer] = plugins else {
        panic!("{plugins:?}");
    };
    assert_eq!(
        text(offer, "name"),
        text(&json(&content(".claude-plugin/plugin.json")), "name")
    );
    let source = text(offer, "source").strip_prefix("./").unwrap();
    assert!(
        repository()
            .join(source)
            .join(".claude-plugin/plugin.json")
            .exists()
    );
}

/// The front matter and body of each skill, by the name of its folder.
fn skills() -> BTreeMap<String, (BTreeMap<String, String>, String)> {
    let mut skills = BTreeMap::new();
    for file in files() {
        let Some(folder) = file.path.strip_prefix("skills/") else {
            continue;
        };
        let folder = folder.strip_suffix("/SKILL.md").unwrap();
        let (top, body) = file
            .content
            .strip_prefix("---\n")
            .unwrap()
            .split_once("\n---\n")
            .unwrap();
        skills.insert(folder.to_owned(), (members(top), body.to_owned()));
    }
    skills
}

/// The members of a YAML mapping of strings.
fn members(yaml: &str) -> BTreeMap<String, String> {
    let mut texts = Vec::new();
    let mut mappings = 0;
    for event in Parser::new_from_str(yaml) {
        match event.unwrap().0 {
            Event::Scalar(text, ..) => texts.push(text.to_string()),
            Event::MappingStart(..) => mappings += 1,
            Event::SequenceStart(..) | Event::Alias(_) => panic!("{yaml}"),
            _ => {}
        }
    }
    assert_eq!(mappings, 1, "{yaml}");
    texts
        .chunks(2)
        .map(|pair| (pair[0].clone(), pair[1].clone()))
        .collect()
}

#[test]
fn every_skill_says_at_its_top_what_it_is_for() {
    for (folder, (top, body)) in skills() {
        assert_eq!(top["name"], folder);
        assert!(is_kebab_case(&folder), "{folder}");
        let description = &top["description"];
        assert!(
            (20..=1024).contains(&description.chars().count()),
            "{folder}"
        );
        assert!(top["allowed-tools"].starts_with("Bash(ckpt *)"), "{folder}");
        let known = [
            "name",
            "description",
            "argument-hint",
            "allowed-tools",
            "disable-model-invocation",
        ];
        assert!(
            top.keys().all(|name| known.contains(&name.as_str())),
            "{top:?}"
        );
        assert!(body.contains("$ARGUMENTS"), "{folder}");
        assert!(!body.contains(['{', '}']), "{folder}");
    }
}

#[test]
fn there_is_a_skill_for_every_command_and_it_knows_its_phases() {
    let skills = skills();
    let names: Vec<_> = skills.keys().map(String::as_str).collect();
    let mut expected = vec!["status", "resume", "handoff", "build"];
    expected.extend(ckpt::command::known_commands());
    expected.sort_unstable();
    assert_eq!(names, expected);
    for command in ckpt::command::known_commands() {
        let (top, body) = &skills[command];
        assert_eq!(
            top["argument-hint"],
            "[feature] [--resume] [--phase NAME] [--dry-run]"
        );
        for phase in ckpt::command::default_phases(command) {
            assert!(
                body.contains(&format!(". `{phase}`: ")),
                "{command} {phase}"
            );
        }
        assert!(!body.contains("Do what its name says"), "{command}");
        assert!(!top["description"].contains("Works on a feature, phase by phase"));
    }
}

/// The help of a command by its name, such as `handoff new`.
fn helps() -> BTreeMap<String, String> {
    let reference = std::fs::read_to_string(repository().join("docs/cli.md")).unwrap();
    let sections = reference.split("\n## `ckpt ").skip(1);
    let sections = sections.map(|section| section.split_once('`').unwrap());
    sections
        .map(|(name, help)| (name.to_owned(), help.to_owned()))
        .collect()
}

#[test]
fn every_command_line_in_a_skill_is_one_that_can_be_typed() {
    let helps = helps();
    let mut checked = 0;
    for (folder, (_, body)) in skills() {
        let body = body.replace("\n   ", " ");
        let lines = body.split('`').skip(1).step_by(2);
        for line in lines.filter_map(|code| code.strip_prefix("ckpt ")) {
            let words: Vec<&str> = line.split_whitespace().collect();
            check(&helps, &words).unwrap_or_else(|trouble| panic!("{folder}: {line}: {trouble}"));
            checked += 1;
        }
    }
    assert!(checked > 80, "{checked}");
    for wrong in [
        "nothing",
        "status --nothing",
        "phase KEY",
        "complete KEY more",
        "phase KEY a in_progress more",
    ] {
        let words: Vec<&str> = wrong.split_whitespace().collect();
        assert!(check(&helps, &words).is_err(), "{wrong}");
    }
}

fn check(helps: &BTreeMap<String, String>, words: &[&str]) -> Result<(), String> {
    let name = [3, 2, 1]
        .into_iter()
        .filter(|&length| length <= words.len());
    let mut known = name.filter_map(|length| {
        let help = helps.get(&words[..length].join(" "))?;
        Some((help, &words[length..]))
    });
    let (help, mut rest) = known.next().ok_or("no such command")?;
    let usage = help
        .lines()
        .find(|line| line.starts_with("Usage: "))
        .ok_or("no usage")?;
    let mut positional = 0;
    while let Some((word, more)) = rest.split_first() {
        rest = more;
        if *word == "--" {
            positional += 1;
            break;
        }
        if !word.starts_with('-') {
            positional += 1;
            continue;
        }
        if !help.contains(&format!("{word} ")) && !help.contains(&format!("{word}\n")) {
            return Err(format!("no option {word}"));
        }
        if help.contains(&format!("{word} <")) {
            rest = rest
                .get(1..)
                .ok_or_else(|| format!("{word} has no value"))?;
        }
    }
    // The usage lists required options too, each with the name of its value.
    let options = usage
        .split_whitespace()
        .filter(|word| word.starts_with("--") && *word != "--");
    let required = usage.matches('<').count() - options.count();
    let optional = usage.matches('[').count() - 1;
    let is_help = words.contains(&"--help");
    if !is_help && !(required..=required + optional).contains(&positional) {
        return Err(format!("{positional} words do not fit {usage:?}"));
    }
    Ok(())
}
