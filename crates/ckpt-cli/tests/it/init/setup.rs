//! Setting up agents.

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};

#[test]
fn personal_settings_name_the_program_by_path_and_shared_ones_by_name() {
    let environment = Environment::new();
    environment
        .ckpt(&["init", "--local", "--agent", "claude", "--agent", "gemini"])
        .exits(0);
    let settings: Value =
        serde_json::from_str(&environment.read(".claude/settings.local.json")).unwrap();
    let handler = &settings["hooks"]["SessionStart"][0]["hooks"][0];
    assert_eq!(handler["command"], json!(format!("{CKPT} hook claude")));
    assert_eq!(handler["args"], json!(null));
    let settings: Value = serde_json::from_str(&environment.read(".gemini/settings.json")).unwrap();
    let command = &settings["hooks"]["SessionStart"][0]["hooks"][0]["command"];
    assert_eq!(command, &json!(format!("{CKPT} hook gemini")));
    // A file that contains a path on this machine is kept out of git.
    let status = environment.git(&["status", "--short", "--untracked-files=all"]);
    assert!(!status.contains("settings"), "{status}");
    environment
        .ckpt(&["init", "--project", "--agent", "claude"])
        .exits(0);
    let settings: Value = serde_json::from_str(&environment.read(".claude/settings.json")).unwrap();
    assert_eq!(
        settings["hooks"]["SessionStart"][0]["hooks"][0]["command"],
        "ckpt hook claude"
    );
    let path = environment.git(&["status", "--short", "--untracked-files=all"]);
    assert!(path.contains(".claude/settings.json"), "{path}");
}

#[test]
fn a_shared_file_that_is_in_git_is_not_changed_for_oneself() {
    let environment = Environment::new();
    environment.write(".codex/hooks.json", "{}\n");
    environment.git(&["add", "-A"]);
    let run = environment.ckpt(&["init", "--agent", "codex"]).exits(4);
    assert_eq!(
        run.stderr.lines().next().unwrap(),
        "error: .codex/hooks.json is tracked by git, and codex has no settings file for you alone. Use --project to set it up for everyone, or --user for all your repositories"
    );
    assert_eq!(environment.read(".codex/hooks.json"), "{}\n");
    // An agent that was only detected does not stop the others.
    environment.write("CLAUDE.md", "x");
    let run = environment.ckpt(&["init"]).exits(0);
    assert!(run.stdout.contains("codex was not set up"), "{run}");
    assert!(environment.path(".claude/settings.local.json").exists());
}

#[test]
fn agents_are_found_by_what_they_leave() {
    let environment = Environment::new();
    let agents = |environment: &Environment| {
        let report = environment
            .ckpt(&["init", "--dry-run", "--json"])
            .exits(0)
            .json();
        report["agents"].clone()
    };
    assert_eq!(
        agents(&environment),
        json!(["claude"]),
        "where none is found"
    );
    environment.write(".cursor/rules/a.md", "x");
    environment.write("GEMINI.md", "x");
    std::fs::create_dir_all(environment.path("../home/.copilot")).unwrap();
    assert_eq!(agents(&environment), json!(["gemini", "cursor", "copilot"]));
}

#[test]
fn a_dry_run_prints_a_diff_that_git_applies_and_writes_nothing() {
    let environment = Environment::new();
    environment.write(
        ".claude/settings.local.json",
        "{\n  \"model\": \"opus\"\n}\n",
    );
    environment.write(".gitignore", "target/\n");
    let before = environment.files();
    let diff = environment.ckpt(&["init", "--dry-run"]).exits(0).stdout;
    assert_eq!(environment.files(), before);
    assert!(!environment.path(".claude/state").exists());
    let diff: String = diff
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("note: ") && !line.starts_with("unchanged"))
        .collect();
    // Git applies nothing to its own directory.
    let (ours, of_git) = diff.split_once("--- a/.git/config\n").unwrap();
    assert!(of_git.contains("+[merge \"ckpt-plan\"]"), "{of_git}");
    environment.write("../init.diff", ours);
    // To apply the diff of a new file, git needs an empty one.
    for name in [
        ".claude/config/integrations.json",
        ".claude/protocols/checkpoint-schema.md",
        ".claude/sub-agents/protocols/handoff.md",
        ".gitattributes",
    ] {
        environment.write(name, "");
    }
    environment.git(&["apply", "../init.diff"]);
    let applied = environment.read(".claude/settings.local.json");
    environment.ckpt(&["init"]).exits(0);
    assert_eq!(environment.read(".claude/settings.local.json"), applied);
}

#[test]
fn settings_that_cannot_be_edited_are_left_alone_and_the_user_is_told_what_to_do() {
    for (text, message, remedy) in [
        (
            "{ \"hooks\": [] }",
            "line 1, column 12: `hooks` must be an object, but this is an array",
            "Make it an object, such as {}, or remove `hooks`",
        ),
        (
            "{ \"hooks\": { \"Stop\": \"ckpt\" } }",
            "line 1, column 22: `Stop` must be an array of hooks, but this is a string",
            "Make it an array, such as [], or remove the event",
        ),
        (
            "[]",
            "line 1, column 1: settings must be an object, but this is an array",
            "Make it an object, such as {}",
        ),
        ("{ broken", "line 1", "Fix the JSON"),
    ] {
        let environment = Environment::new();
        let file = ".claude/settings.json";
        environment.write(file, text);
        let arguments = ["init", "--project", "--agent", "claude"];
        let run = environment.ckpt(&arguments).exits(4);
        let expected = format!("error: {file}: {message}");
        assert!(run.stderr.starts_with(&expected), "{run}");
        let hint = format!("{remedy}, and run: ckpt init --agent claude --project");
        assert!(run.stderr.contains(&hint), "{run}");
        assert_eq!(environment.read(file), text);
        assert!(!environment.path(".claude/state").exists());
        // The doctor says the same.
        let report = environment.ckpt(&["doctor", "--json"]).exits(1).json();
        let checks = report["checks"].as_array().unwrap();
        let check = checks.iter().find(|check| check["topic"] == "settings");
        let check = check.unwrap_or_else(|| panic!("{report}"));
        let expected = format!("claude: {file}: {message}");
        let said = check["text"].as_str().unwrap();
        assert!(said.starts_with(&expected), "{report}");
        assert_eq!(check["advice"], hint);
    }
    let environment = Environment::new();
    let run = environment.ckpt(&["init", "--agent", "nobody"]).exits(2);
    assert!(
        run.stderr
            .contains("claude, codex, gemini, cursor, copilot"),
        "{run}"
    );
}

#[test]
fn a_link_is_not_followed_unless_the_user_says_so() {
    let environment = Environment::new();
    environment.write("../outside/settings.json", "{}");
    std::fs::create_dir(environment.path(".claude")).unwrap();
    let file = environment.path(".claude/settings.local.json");
    std::os::unix::fs::symlink(environment.path("../outside/settings.json"), file).unwrap();
    let run = environment.ckpt(&["init", "--agent", "claude"]).exits(4);
    assert!(
        run.stderr.contains("there is a symbolic link in the path"),
        "{run}"
    );
    assert_eq!(environment.read("../outside/settings.json"), "{}");
    // If the user allows links, a link to a file stays a link.
    let environment = Environment::new();
    environment.write("shared/settings.json", "{}");
    std::fs::create_dir(environment.path(".claude")).unwrap();
    let file = environment.path(".claude/settings.local.json");
    std::os::unix::fs::symlink("../shared/settings.json", &file).unwrap();
    environment.ckpt(&["init", "--agent", "claude"]).exits(4);
    environment
        .ckpt(&["config", "set", "--user", "follow_symlinks", "true"])
        .exits(0);
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    assert!(file.is_symlink());
    assert!(
        environment
            .read("shared/settings.json")
            .contains("SessionStart")
    );
}

#[test]
fn the_documents_of_the_seeds_are_created_but_existing_ones_are_kept() {
    let environment = Environment::new();
    let run = environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    assert!(
        run.stdout
            .contains("integrations.json names is contacted before you allow it"),
        "{run}"
    );
    let integrations = environment.read(".claude/config/integrations.json");
    let value: Value = serde_json::from_str(&integrations).unwrap();
    assert_eq!(
        value,
        json!({
            "linear": {"enabled": true, "team": "Basecamp", "branch_prefix": "feature", "use_native_automation": true},
            "vercel": {"enabled": true, "wait_for_preview": true, "preview_timeout_ms": 300_000, "require_preview_success": false},
        })
    );
    assert!(integrations.starts_with("{\n  \"linear\": {\n    \"enabled\""));
    let schema = environment
        .ckpt(&["schema", "command", "--format", "markdown"])
        .exits(0)
        .stdout;
    assert_eq!(
        environment.read(".claude/protocols/checkpoint-schema.md"),
        schema
    );
    let handoff = environment.ckpt(&["handoff", "doc"]).exits(0).stdout;
    assert_eq!(
        environment.read(".claude/sub-agents/protocols/handoff.md"),
        handoff
    );
    assert_eq!(
        environment.read(".gitignore"),
        ".claude/state/\nplans/*/.checkpoint/\n"
    );
    let ignored = environment.git(&["check-ignore", ".claude/state/x.json"]);
    assert_eq!(ignored.trim(), ".claude/state/x.json");

    let environment = Environment::new();
    environment.write(
        ".claude/config/integrations.json",
        "{\"linear\": {\"enabled\": false}}",
    );
    environment.write(".gitignore", "/.claude/state\r\n.checkpoint/");
    environment.write(
        ".claude/sub-agents/protocols/handoff.md",
        "# Something else\n",
    );
    let run = environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    assert_eq!(
        environment.read(".claude/config/integrations.json"),
        "{\"linear\": {\"enabled\": false}}"
    );
    assert_eq!(
        environment.read(".gitignore"),
        "/.claude/state\r\n.checkpoint/"
    );
    assert_eq!(
        environment.read(".claude/sub-agents/protocols/handoff.md"),
        "# Something else\n"
    );
    assert!(run.stdout.contains("handoff.md was not changed"), "{run}");
}
