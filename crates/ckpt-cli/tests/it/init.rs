//! Setting agents up, and undoing it.

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};

/// Settings as people have them.
const SETTINGS: [(&str, &str); 10] = [
    ("empty", ""),
    ("blank", "\n\n"),
    ("an object", "{}"),
    ("an object on two lines", "{\n}\n"),
    (
        "minified",
        r#"{"model":"opus","hooks":{"Stop":[{"hooks":[{"type":"command","command":"echo"}]}]}}"#,
    ),
    (
        "comments",
        "// mine\n{\n  /* which */ \"model\": \"opus\", // this one\n  \"hooks\": {\n    // none yet\n  },\n}\n",
    ),
    (
        "tabs",
        "{\n\t\"permissions\": {\n\t\t\"allow\": [\"Bash(ls)\"]\n\t},\n\t\"hooks\": {\n\t\t\"PostToolUse\": [\n\t\t\t{\n\t\t\t\t\"matcher\": \"Edit\",\n\t\t\t\t\"hooks\": [{ \"type\": \"command\", \"command\": \"fmt\" }]\n\t\t\t}\n\t\t]\n\t}\n}\n",
    ),
    (
        "CRLF",
        "{\r\n  \"model\": \"opus\",\r\n  \"hooks\": {\r\n    \"SessionStart\": []\r\n  }\r\n}\r\n",
    ),
    ("a byte order mark", "\u{feff}{\n    \"model\": \"opus\"\n}"),
    (
        "hooks of others everywhere",
        r#"{ "version": 1,
   "hooks": { "SessionStart": [ { "hooks": [ { "type": "command", "command": "a" } ] }, { "command": "b" } ],
              "stop": [ { "command": "c", "loop_limit": 2 } ], "sessionStart": [ ] }, "other": [1, 2,
 3] }"#,
    ),
];

const AGENTS: [(&str, [&str; 2]); 5] = [
    (
        "claude",
        [".claude/settings.local.json", ".claude/settings.json"],
    ),
    ("codex", [".codex/hooks.json", ".codex/hooks.json"]),
    ("gemini", [".gemini/settings.json", ".gemini/settings.json"]),
    ("cursor", [".cursor/hooks.json", ".cursor/hooks.json"]),
    (
        "copilot",
        [
            ".github/copilot/settings.local.json",
            ".github/hooks/ckpt.json",
        ],
    ),
];

#[test]
fn what_is_set_up_is_undone_to_the_byte() {
    for (agent, [local, project]) in AGENTS {
        for (scope, file) in [("--local", local), ("--project", project)] {
            for (what, text) in SETTINGS {
                let environment = Environment::new();
                environment.write(file, text);
                let before = environment.files();
                let arguments = ["init", scope, "--agent", agent];
                environment.ckpt(&arguments).exits(0);
                let after = environment.read(file);
                assert!(after.contains("hook"), "{agent}, {what}: {after}");
                // Once more changes nothing, and is undone all the same.
                environment.ckpt(&arguments).exits(0);
                assert_eq!(environment.read(file), after, "{agent}, {what}");
                environment.ckpt(&["init", "--uninstall"]).exits(0);
                assert_eq!(environment.files(), before, "{agent}, {scope}, {what}");
            }
            let environment = Environment::new();
            let before = environment.files();
            environment
                .ckpt(&["init", scope, "--agent", agent])
                .exits(0);
            assert!(environment.path(file).exists());
            environment.ckpt(&["init", "--uninstall"]).exits(0);
            assert_eq!(
                environment.files(),
                before,
                "{agent}, {scope}, nothing at all"
            );
        }
    }
}

#[test]
fn settings_for_all_repositories_are_undone_to_the_byte() {
    for (agent, file) in [
        ("claude", ".claude/settings.json"),
        ("codex", ".codex/hooks.json"),
        ("gemini", ".gemini/settings.json"),
        ("cursor", ".cursor/hooks.json"),
        ("copilot", ".copilot/hooks/ckpt.json"),
    ] {
        let environment = Environment::new();
        let before = environment.files();
        let home = |name: &str| environment.path(&format!("../home/{name}"));
        let run = environment
            .ckpt(&["init", "--user", "--agent", agent])
            .exits(0);
        assert!(home(file).exists(), "{run}");
        assert_eq!(environment.files(), before, "nothing in the repository");
        environment
            .ckpt(&["init", "--user", "--uninstall"])
            .exits(0);
        assert!(!home(file).exists());
        environment.write(&format!("../home/{file}"), "{ \"a\": 1 } // b");
        environment
            .ckpt(&["init", "--user", "--agent", agent])
            .exits(0);
        environment
            .ckpt(&["init", "--user", "--uninstall"])
            .exits(0);
        assert_eq!(
            std::fs::read_to_string(home(file)).unwrap(),
            "{ \"a\": 1 } // b"
        );
    }
}

#[test]
fn what_others_change_meanwhile_is_kept() {
    let environment = Environment::new();
    let file = ".claude/settings.local.json";
    environment.write(file, "{\n  \"model\": \"opus\"\n}\n");
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    let changed = environment.read(file).replace("opus", "sonnet-and-more");
    environment.write(file, &changed);
    environment.write(".gitignore", environment.read(".gitignore") + "target/\n");
    environment.write(".claude/protocols/checkpoint-schema.md", "ours\n");
    let run = environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        environment.read(file),
        "{\n  \"model\": \"sonnet-and-more\"\n}\n"
    );
    assert_eq!(environment.read(".gitignore"), "target/\n");
    assert_eq!(
        environment.read(".claude/protocols/checkpoint-schema.md"),
        "ours\n"
    );
    assert!(
        run.stdout
            .contains("checkpoint-schema.md was changed since, and stays"),
        "{run}"
    );
    // Only what is to the byte what it was is said to be.
    for line in [
        "changed    .claude/settings.local.json  (without the hooks of claude)",
        "changed    .gitignore  (without what ckpt put there)",
        "unchanged  .claude/protocols/checkpoint-schema.md  (with what others changed)",
        "removed    .claude/config/integrations.json  (as it was)",
    ] {
        assert!(run.stdout.lines().any(|known| known == line), "{run}");
    }
    let again = environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(again.stdout.contains("there is nothing to undo"), "{again}");
}

#[test]
fn what_others_added_behind_the_hooks_or_before_a_second_time_is_not_as_it_was() {
    let file = ".claude/settings.local.json";
    let line = |about: &str| format!("changed    {file}  ({about})");
    let text = "{ \"model\": \"opus\" }";
    for (edits, expected) in [
        (vec![], "as it was"),
        (vec!["\n"], "without the hooks of claude"),
        (vec!["\n", ""], "without the hooks of claude"),
        (vec![""], "as it was"),
    ] {
        let environment = Environment::new();
        environment.write(file, text);
        environment.ckpt(&["init", "--agent", "claude"]).exits(0);
        for edit in &edits {
            environment.write(file, environment.read(file) + edit);
            // Brought up to date, it still is not what it was.
            let old = environment
                .read(file)
                .replacen("\"timeout\": 10", "\"timeout\": 99", 1);
            environment.write(file, old);
            environment.ckpt(&["init", "--agent", "claude"]).exits(0);
        }
        let run = environment.ckpt(&["init", "--uninstall"]).exits(0);
        assert_eq!(environment.read(file), format!("{text}{}", edits.concat()));
        assert!(
            run.stdout.lines().any(|known| known == line(expected)),
            "{run}"
        );
    }
}

#[test]
fn a_clone_without_the_receipt_is_freed_of_hooks_too() {
    let environment = Environment::new();
    environment.write(".claude/settings.json", "{\n  \"model\": \"opus\"\n}\n");
    environment
        .ckpt(&["init", "--project", "--agent", "claude"])
        .exits(0);
    std::fs::remove_dir_all(environment.path(".git/ckpt")).unwrap();
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        environment.read(".claude/settings.json"),
        "{\n  \"model\": \"opus\"\n}\n"
    );
}

#[test]
fn the_program_stands_with_its_path_for_oneself_and_with_its_name_for_all() {
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
    // What has a path of this machine in it is kept out of git.
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
        "error: .codex/hooks.json is in git, and codex has no file for you alone. Use --project to set it up for everybody, or --user for all repositories"
    );
    assert_eq!(environment.read(".codex/hooks.json"), "{}\n");
    // One that was only found does not stand in the way of the others.
    environment.write("CLAUDE.md", "x");
    let run = environment.ckpt(&["init"]).exits(0);
    assert!(run.stdout.contains("codex is not set up"), "{run}");
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
    environment.write("../init.diff", &diff);
    // New files have no old ones to be applied to; git wants them empty first.
    for name in [
        ".claude/config/integrations.json",
        ".claude/protocols/checkpoint-schema.md",
        ".claude/sub-agents/protocols/handoff.md",
    ] {
        environment.write(name, "");
    }
    environment.git(&["apply", "../init.diff"]);
    let applied = environment.read(".claude/settings.local.json");
    environment.ckpt(&["init"]).exits(0);
    assert_eq!(environment.read(".claude/settings.local.json"), applied);
}

#[test]
fn settings_that_cannot_be_edited_are_left_and_what_to_do_is_said() {
    for (text, message, remedy) in [
        (
            "{ \"hooks\": [] }",
            "line 1, column 12: `hooks` must be an object, and this is an array",
            "Make it an object, such as {}, or take `hooks` out",
        ),
        (
            "{ \"hooks\": { \"Stop\": \"ckpt\" } }",
            "line 1, column 22: `Stop` must be an array of hooks, and this is a text",
            "Make it an array, such as [], or take the event out",
        ),
        (
            "[]",
            "line 1, column 1: settings must be an object, and this is an array",
            "Make it an object, such as {}",
        ),
        ("{ broken", "line 1", "Correct what is there"),
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
    assert!(run.stderr.contains("a symbolic link leads there"), "{run}");
    assert_eq!(environment.read("../outside/settings.json"), "{}");
    // Where the user lets links be followed, one to a file stays a link.
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
fn the_documents_of_the_seeds_are_made_and_kept_when_somebody_has_them() {
    let environment = Environment::new();
    let run = environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    assert!(
        run.stdout
            .contains("integrations.json is read by no part of this version"),
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
    assert!(run.stdout.contains("handoff.md is left as it is"), "{run}");
}

#[test]
fn it_can_be_interrupted_anywhere_and_undone() {
    // The receipt is durable before the first file changes, so whatever was written is known.
    let environment = Environment::new();
    environment.write(".claude/settings.local.json", "{ \"a\": 1 }\n");
    let before = environment.files();
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    for name in [".gitignore", ".claude/config/integrations.json"] {
        std::fs::remove_file(environment.path(name)).unwrap();
    }
    environment.write(".claude/settings.local.json", "{ \"a\": 1 }\n");
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    let mut after = environment.files();
    after.remove(".claude/config/");
    assert_eq!(after, before);
}
