//! The setup is undone byte for byte, and others lose nothing.

use crate::support::environment::{Environment, Run};

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

/// Whether a line was printed, however wide its columns are.
fn says(run: &Run, line: &str) -> bool {
    let words = |text: &str| {
        text.split_whitespace()
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    run.stdout.lines().any(|known| words(known) == words(line))
}

#[test]
fn the_setup_is_undone_byte_for_byte() {
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
                // Setting up again changes nothing, and can still be undone.
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
fn settings_for_all_repositories_are_undone_byte_for_byte() {
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
fn changes_that_others_make_in_the_meantime_are_kept() {
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
            .contains("checkpoint-schema.md has been changed since, so it stays"),
        "{run}"
    );
    // Only a file that is byte for byte as it was is reported as restored.
    for line in [
        "changed    .claude/settings.local.json  (without the parts added by ckpt)",
        "changed    .gitignore  (without the parts added by ckpt)",
        "unchanged  .claude/protocols/checkpoint-schema.md  (kept, because others changed it)",
        "removed    .claude/config/integrations.json  (back to its original state)",
    ] {
        assert!(says(&run, line), "{run}");
    }
    let again = environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(again.stdout.contains("nothing to undo"), "{again}");
}

#[test]
fn what_others_added_behind_the_hooks_or_before_a_second_time_is_not_as_it_was() {
    let file = ".claude/settings.local.json";
    let line = |about: &str| format!("changed    {file}  ({about})");
    let text = "{ \"model\": \"opus\" }";
    for (edits, expected) in [
        (vec![], "back to its original state"),
        (vec!["\n"], "without the parts added by ckpt"),
        (vec!["\n", ""], "without the parts added by ckpt"),
        (vec![""], "back to its original state"),
    ] {
        let environment = Environment::new();
        environment.write(file, text);
        environment.ckpt(&["init", "--agent", "claude"]).exits(0);
        for edit in &edits {
            environment.write(file, environment.read(file) + edit);
            // After an update it is still not as it was.
            let old = environment
                .read(file)
                .replacen("\"timeout\": 10", "\"timeout\": 99", 1);
            environment.write(file, old);
            environment.ckpt(&["init", "--agent", "claude"]).exits(0);
        }
        let run = environment.ckpt(&["init", "--uninstall"]).exits(0);
        assert_eq!(environment.read(file), format!("{text}{}", edits.concat()));
        assert!(says(&run, &line(expected)), "{run}");
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
