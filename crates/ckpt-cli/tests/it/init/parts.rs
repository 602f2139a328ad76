//! `ckpt init --mcp`, `--skills` and `--statusline`.

use std::io::Write;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment};

const EVERYTHING: [&str; 14] = [
    "init",
    "--agent",
    "claude",
    "--agent",
    "codex",
    "--agent",
    "gemini",
    "--agent",
    "cursor",
    "--agent",
    "copilot",
    "--mcp",
    "--skills",
    "--statusline",
];

/// Files that others have written, in a style of their own.
fn with_settings() -> Environment {
    let environment = Environment::new();
    environment.write(
        ".gemini/settings.json",
        "{\n\t// mine\n\t\"theme\": \"dark\",\n\t\"mcpServers\": {\n\t\t\"docs\": { \"command\": \"docs\" }\n\t}\n}\n",
    );
    environment.write(
        ".codex/config.toml",
        "# mine\nmodel = \"x\"\n[features]\nhooks = true",
    );
    environment.write(".mcp.json", "{\"mcpServers\":{}}");
    environment
}

#[test]
fn all_parts_go_in_and_out_again_to_the_byte() {
    let environment = with_settings();
    let before = environment.files();
    environment.ckpt(&EVERYTHING).exits(0);
    let after = environment.files();
    environment.ckpt(&EVERYTHING).exits(0);
    assert_eq!(environment.files(), after);
    // What is there is kept up to date, also if nobody asks for it again.
    environment.ckpt(&EVERYTHING[..11]).exits(0);
    assert_eq!(environment.files(), after);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(environment.files(), before);
}

#[test]
fn what_others_add_meanwhile_stays() {
    let environment = with_settings();
    environment.ckpt(&EVERYTHING).exits(0);
    let edited = environment
        .read(".gemini/settings.json")
        .replace("\"dark\"", "\"light\"");
    environment.write(".gemini/settings.json", &edited);
    let config = environment.read(".codex/config.toml") + "\n[mcp_servers.docs]\ncommand = \"d\"\n";
    environment.write(".codex/config.toml", &config);
    environment.write(".agents/skills/ckpt-ship/SKILL.md", "Mine.\n");
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    let settings = environment.read(".gemini/settings.json");
    assert!(
        settings.contains("light") && !settings.contains("ckpt"),
        "{settings}"
    );
    let config = environment.read(".codex/config.toml");
    assert!(
        config.contains("docs") && !config.contains("ckpt"),
        "{config}"
    );
    assert_eq!(
        environment.read(".agents/skills/ckpt-ship/SKILL.md"),
        "Mine.\n"
    );
}

#[test]
fn a_registered_server_answers() {
    let environment = Environment::new();
    environment
        .ckpt(&["init", "--agent", "claude", "--mcp"])
        .exits(0);
    let registered: Value = serde_json::from_str(&environment.read(".mcp.json")).unwrap();
    let server = &registered["mcpServers"]["ckpt"];
    let mut command = environment.command(server["command"].as_str().unwrap());
    let arguments = server["args"].as_array().unwrap().iter();
    let mut child = command
        .args(arguments.map(|word| word.as_str().unwrap()))
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let hello = json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {
        "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}}});
    writeln!(child.stdin.take().unwrap(), "{hello}").unwrap();
    let output = child.wait_with_output().unwrap();
    let answer = String::from_utf8(output.stdout).unwrap();
    assert!(answer.contains("\"name\":\"ckpt\""), "{answer}");
}

#[test]
fn for_the_user_parts_go_into_the_home_directory() {
    let environment = Environment::new();
    let before = environment.files();
    let mut arguments = EVERYTHING.to_vec();
    arguments.push("--user");
    let printed = environment.ckpt(&arguments).exits(0).stdout;
    assert!(
        printed.contains("claude mcp add --scope user ckpt -- "),
        "{printed}"
    );
    for name in [
        ".codex/config.toml",
        ".cursor/mcp.json",
        ".copilot/mcp-config.json",
        ".agents/skills/ckpt-resume/SKILL.md",
        ".claude/skills/ckpt-resume/SKILL.md",
    ] {
        let path = format!("../home/{name}");
        assert!(environment.read(&path).contains("ckpt"), "{name}");
    }
    assert!(
        environment
            .read("../home/.claude/settings.json")
            .contains("statusline")
    );
    assert_eq!(environment.files(), before);
    environment
        .ckpt(&["init", "--user", "--uninstall"])
        .exits(0);
    for name in [".codex", ".cursor", ".copilot", ".agents", ".claude"] {
        let path = environment.base().join("home").join(name);
        assert!(!path.exists(), "{name}");
    }
}

#[test]
fn what_is_shared_or_taken_is_left_alone() {
    let environment = Environment::new();
    environment.write(".mcp.json", "{}\n");
    environment.commit("servers");
    let init = ["init", "--agent", "claude", "--mcp"];
    let refused = environment.ckpt(&init).exits(4).stderr;
    assert!(
        refused.contains(".mcp.json is tracked by git") && refused.contains("--project"),
        "{refused}"
    );
    let shared = ["init", "--agent", "claude", "--mcp", "--project"];
    environment.ckpt(&shared).exits(0);
    let registered: Value = serde_json::from_str(&environment.read(".mcp.json")).unwrap();
    assert_eq!(registered["mcpServers"]["ckpt"]["command"], "ckpt");

    let environment = Environment::new();
    let theirs = "{\"statusLine\": {\"type\": \"command\", \"command\": \"mine.sh\"}}\n";
    environment.write(".claude/settings.local.json", theirs);
    let init = ["init", "--agent", "claude", "--statusline"];
    let printed = environment.ckpt(&init).exits(0).stdout;
    assert!(
        printed.contains("has a status line of its own"),
        "{printed}"
    );
    let settings = environment.read(".claude/settings.local.json");
    assert!(settings.contains("mine.sh") && !settings.contains(" statusline"));
}

#[test]
fn the_status_line_of_claude_code_is_run_as_it_is_written() {
    let environment = Environment::started();
    let init = ["init", "--agent", "claude", "--statusline"];
    environment.ckpt(&init).exits(0);
    let settings: Value =
        serde_json::from_str(&environment.read(".claude/settings.local.json")).unwrap();
    let line = settings["statusLine"]["command"].as_str().unwrap();
    assert!(line.starts_with(CKPT), "{line}");
    let output = environment
        .command("sh")
        .args(["-c", &format!("echo '{{}}' | {line}")])
        .output()
        .unwrap();
    let shown = String::from_utf8(output.stdout).unwrap();
    assert!(shown.starts_with("implement/auth"), "{shown}");
}

#[test]
fn a_file_for_instructions_that_cannot_be_read_stops_nothing() {
    let environment = Environment::new();
    std::fs::create_dir(environment.path("AGENTS.md")).unwrap();
    let printed = environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    let printed = printed.stdout;
    assert!(printed.contains("AGENTS.md was not changed: "), "{printed}");
    assert!(
        environment
            .read(".claude/settings.local.json")
            .contains("hook claude")
    );
}

/// In a clone there is no record of what the team has set up.
#[test]
fn skills_that_a_team_has_committed_stay() {
    let skill = ".agents/skills/ckpt-resume/SKILL.md";
    for (is_committed, stays) in [(true, true), (false, false)] {
        let environment = Environment::new();
        let init = ["init", "--agent", "codex", "--project", "--skills"];
        environment.ckpt(&init).exits(0);
        if is_committed {
            environment.commit("Set up ckpt");
        }
        std::fs::remove_file(environment.path(".git/ckpt/init.json")).unwrap();
        environment.ckpt(&["init", "--uninstall"]).exits(0);
        assert_eq!(environment.path(skill).exists(), stays);
    }
}
