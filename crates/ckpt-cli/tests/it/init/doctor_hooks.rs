//! Finding what keeps installed hooks from working.

use serde_json::Value;

use crate::support::doctor::{checks, examined, set_up};
use crate::support::environment::{CKPT, Environment};

/// The advice for the check whose text contains this.
fn advice(report: &Value, text: &str) -> String {
    let mut checks = report["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["text"].as_str().unwrap().contains(text));
    let check = check.unwrap_or_else(|| panic!("{text}: {report}"));
    check["advice"].as_str().unwrap_or_default().to_owned()
}

#[test]
fn a_hook_that_is_there_and_cannot_do_its_work_is_broken_and_init_sets_it_right() {
    let file = ".claude/settings.local.json";
    for (before, after, expected) in [
        (
            "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|SubagentHandback",
            "Nothing",
            "PostToolUse: matcher \"Nothing\" leaves out Edit, Write,",
        ),
        (
            "\"type\": \"command\",",
            "\"if\": \"Bash(git *)\", \"type\": \"command\",",
            "SessionStart: if \"Bash(git *)\" keeps it from ever running",
        ),
        (
            "\"type\": \"command\",",
            "\"type\": \"command\", \"async\": true,",
            "SessionStart: async true lets the agent continue without the answer",
        ),
        (
            "\"timeout\": 10",
            "\"timeout\": 0.1",
            "SessionStart: timeout 0.1 may end it before it answers, which can take",
        ),
    ] {
        let environment = set_up();
        let settings = environment.read(file);
        let flawed = settings.replacen(before, after, 1);
        assert_ne!(flawed, settings);
        environment.write(file, &flawed);
        let report = examined(&environment, 1);
        let broken = checks(&report, "broken");
        assert_eq!(broken.len(), 1, "{report}");
        let expected = format!("claude: {file}: {expected}");
        assert!(broken[0].1.starts_with(&expected), "{report}");
        let mended = "Fix it with: ckpt init --agent claude";
        assert_eq!(advice(&report, &expected), mended);
        environment.ckpt(&["init", "--agent", "claude"]).exits(0);
        examined(&environment, 0);
        assert_eq!(environment.read(file), settings);
        environment.write(file, &flawed);
        environment.ckpt(&["doctor", "--fix"]).exits(0);
        assert_eq!(environment.read(file), settings);
    }
}

#[test]
fn advice_on_hooks_names_whom_they_were_set_up_for() {
    for (agent, scope, file) in [
        ("claude", "", ".claude/settings.local.json"),
        ("claude", " --project", ".claude/settings.json"),
        ("claude", " --user", "../home/.claude/settings.json"),
        ("codex", "", ".codex/hooks.json"),
        ("codex", " --project", ".codex/hooks.json"),
        ("codex", " --user", "../home/.codex/hooks.json"),
    ] {
        let environment = Environment::new();
        let command = format!("init --agent {agent}{scope}");
        let arguments: Vec<&str> = command.split(' ').collect();
        environment.ckpt(&arguments).exits(0);
        let settings = environment.read(file);
        let flawed = settings.replacen("\"timeout\": 10", "\"timeout\": 0", 1);
        environment.write(file, &flawed);
        let report = examined(&environment, 1);
        assert_eq!(
            advice(&report, "timeout 0"),
            format!("Fix it with: ckpt {command}")
        );
        let broken = settings
            .replace(" hook ", " hok ")
            .replace("\"hook\"", "\"hok\"");
        environment.write(file, broken);
        let report = examined(&environment, 1);
        let undo = match scope {
            " --user" => "ckpt init --user --uninstall",
            _ => "ckpt init --uninstall",
        };
        assert_eq!(
            advice(&report, "are gone"),
            format!("Reinstall them with: ckpt {command}, or clean up with: {undo}")
        );
        environment.ckpt(&arguments).exits(0);
    }
    // Hooks that do not answer.
    let environment = Environment::new();
    environment
        .ckpt(&["init", "--user", "--agent", "claude"])
        .exits(0);
    let file = "../home/.claude/settings.json";
    let settings = environment.read(file);
    environment.write(file, settings.replace(CKPT, "/nowhere/ckpt"));
    let report = examined(&environment, 1);
    assert_eq!(
        advice(&report, "/nowhere/ckpt hook claude: "),
        "Reinstall it with: ckpt init --agent claude --user"
    );
}

#[test]
fn hooks_that_no_agent_can_call_are_broken() {
    let file = ".claude/settings.local.json";
    for (text, expected) in [
        (
            Some("{ broken"),
            "claude: .claude/settings.local.json: line 1",
        ),
        (
            Some("{}"),
            "claude: the hooks in .claude/settings.local.json are gone",
        ),
        (
            None,
            "claude: the hooks in .claude/settings.local.json are gone",
        ),
    ] {
        let environment = set_up();
        match text {
            Some(text) => {
                environment.write(file, text);
            }
            None => std::fs::remove_file(environment.path(file)).unwrap(),
        }
        let report = examined(&environment, 1);
        assert!(
            checks(&report, "broken")
                .iter()
                .any(|(_, text)| text.starts_with(expected)),
            "{report}"
        );
    }
}

#[test]
fn of_several_settings_that_switch_hooks_on_or_off_the_nearest_counts() {
    let local = ".claude/settings.local.json";
    let project = ".claude/settings.json";
    let user = "../home/.claude/settings.json";
    let [off, on] = ["\"disableAllHooks\": true", "\"disableAllHooks\": false"];
    for (switches, guilty) in [
        (vec![(local, off)], Some(local)),
        (vec![(project, off)], Some(project)),
        (vec![(user, off)], Some(user)),
        (vec![(project, on), (user, off)], None),
        (vec![(local, on), (project, off)], None),
        (vec![(local, off), (project, on), (user, on)], Some(local)),
        (vec![(project, off), (user, on)], Some(project)),
    ] {
        let environment = set_up();
        for (file, switch) in &switches {
            let text = match *file == local {
                true => environment.read(local),
                false => "{\n}\n".to_owned(),
            };
            let comma = if *file == local { "," } else { "" };
            let text = text.replacen('{', &format!("{{ // switched\n  {switch}{comma}"), 1);
            environment.write(file, text);
        }
        let code = i32::from(guilty.is_some());
        let report = examined(&environment, code);
        let Some(guilty) = guilty else {
            continue;
        };
        let broken = checks(&report, "broken");
        assert_eq!(broken.len(), 1, "{report}");
        let name = guilty.trim_start_matches("..");
        let expected = format!("{name} disables all hooks with disableAllHooks");
        assert!(broken[0].1.ends_with(&expected), "{report}");
        let expected = match guilty == local {
            true => "Remove disableAllHooks from it".to_owned(),
            false => format!("Remove disableAllHooks from it, or set it to false in {local}"),
        };
        assert_eq!(advice(&report, "disables all hooks"), expected);
    }
    let environment = Environment::new();
    environment.ckpt(&["init", "--agent", "copilot"]).exits(0);
    let copilot = ".github/copilot/settings.local.json";
    let text = environment.read(copilot);
    environment.write(copilot, text.replacen('{', &format!("{{ {off},"), 1));
    let report = examined(&environment, 1);
    assert_eq!(
        advice(&report, "disables all hooks"),
        "Remove disableAllHooks from it"
    );
    // Without installed hooks, none are missing.
    let environment = Environment::new();
    environment.write(project, "{ \"disableAllHooks\": true }");
    examined(&environment, 0);
}
