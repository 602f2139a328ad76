//! What `ckpt doctor` knows about the clients: versions, trust, plugins and shells.

use serde_json::Value;

use crate::support::doctor::{checks, examined};
use crate::support::environment::{CKPT, Environment};
use crate::support::tree;

fn set_up(agent: &str) -> Environment {
    let environment = Environment::new();
    let bin = environment.base().join("bin");
    std::fs::create_dir(&bin).unwrap();
    std::os::unix::fs::symlink(CKPT, bin.join("ckpt")).unwrap();
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let environment = environment.with_variable("PATH", &path);
    environment.ckpt(&["init", "--agent", agent]).exits(0);
    environment
}

/// The texts about a topic with a verdict.
fn said(report: &Value, verdict: &str, topic: &str) -> Vec<String> {
    let checks = checks(report, verdict).into_iter();
    let about = checks.filter(|(about, _)| about == topic);
    about.map(|(_, text)| text).collect()
}

fn advice(report: &Value, topic: &str) -> String {
    let mut checks = report["checks"].as_array().unwrap().iter();
    let check = checks.find(|check| check["topic"] == topic && check["verdict"] == "warning");
    let check = check.unwrap_or_else(|| panic!("{topic}: {report}"));
    check["advice"].as_str().unwrap().to_owned()
}

#[test]
fn an_old_client_is_named_with_the_version_that_it_needs() {
    for (agent, package, version, is_old) in [
        ("claude", "@anthropic-ai/claude-code", "2.1.68", true),
        ("claude", "@anthropic-ai/claude-code", "2.1.197", false),
        ("codex", "@openai/codex", "0.144.9", true),
        ("gemini", "@google/gemini-cli", "0.61.0-preview.1", false),
        ("copilot", "@github/copilot", "1.0.9", true),
    ] {
        let environment = set_up(agent);
        let module = format!("../modules/{package}");
        environment.write(
            &format!("{module}/package.json"),
            format!("{{\"version\": \"{version}\"}}"),
        );
        let program = format!("{module}/bin/{agent}.js");
        environment.write(&program, "#!/bin/sh\nexit 1\n");
        let link = environment.base().join("bin").join(agent);
        std::os::unix::fs::symlink(environment.path(&program), link).unwrap();
        let report = examined(&environment, 0);
        let (old, new) = (
            said(&report, "warning", "client"),
            said(&report, "ok", "client"),
        );
        let told = if is_old { &old } else { &new };
        let expected = format!("{agent} {version}");
        assert!(
            told.len() == 1 && told[0].starts_with(&expected),
            "{report}"
        );
        assert_eq!(old.len() + new.len(), 1, "{report}");
    }
}

#[test]
fn a_client_without_a_package_is_told_by_its_directory_and_never_run() {
    let environment = set_up("codex");
    let program = environment.write(
        "../cellar/0.1.2/bin/codex",
        "#!/bin/sh\ntouch was-run; echo codex-cli 9.9.9\n",
    );
    tree::set_mode(&program, 0o755);
    std::os::unix::fs::symlink(program, environment.base().join("bin/codex")).unwrap();
    let report = examined(&environment, 0);
    let told = said(&report, "warning", "client");
    assert!(
        told[0].starts_with("codex 0.1.2 is older than "),
        "{report}"
    );
    assert!(!environment.path("was-run").exists());
}

#[test]
fn a_folder_that_a_client_does_not_trust_is_named_until_it_is_trusted() {
    for (agent, file, trusted) in [
        (
            "gemini",
            ".gemini/trustedFolders.json",
            "{\"ROOT\": \"TRUST_FOLDER\"}",
        ),
        (
            "copilot",
            ".copilot/config.json",
            "{\"trustedFolders\": [\"ROOT\"]}",
        ),
    ] {
        let environment = set_up(agent);
        let report = examined(&environment, 0);
        let told = said(&report, "warning", "trust");
        let expected = format!("{agent} does not trust this folder");
        assert!(told[0].starts_with(&expected), "{report}");
        assert!(advice(&report, "trust").contains("trust the folder"));
        let root = environment.root().to_str().unwrap();
        environment.write(&format!("../home/{file}"), trusted.replace("ROOT", root));
        let report = examined(&environment, 0);
        assert_eq!(said(&report, "warning", "trust"), [""; 0], "{report}");
        assert_eq!(said(&report, "ok", "trust").len(), 1, "{report}");
    }
}

#[test]
fn hooks_that_codex_does_not_call_are_counted() {
    let environment = set_up("codex");
    let report = examined(&environment, 0);
    assert!(
        said(&report, "warning", "trust")[0].contains("does not trust this folder"),
        "{report}"
    );
    let config = format!(
        "[projects.\"{}\"]\ntrust_level = \"trusted\"\n",
        environment.root().display()
    );
    environment.write("../home/.codex/config.toml", &config);
    let report = examined(&environment, 0);
    assert!(
        said(&report, "warning", "trust")[0].ends_with("9 not trusted yet"),
        "{report}"
    );
    assert!(advice(&report, "trust").contains("/hooks"));
}

#[test]
fn the_plugin_beside_hooks_is_named_with_both_ways_out() {
    let environment = set_up("claude");
    environment.write(
        "../home/.claude/settings.json",
        "{\"enabledPlugins\": {\"ckpt@ckpt\": true}}",
    );
    let report = examined(&environment, 0);
    let told = said(&report, "warning", "hooks");
    assert!(told[0].contains("the plugin is enabled beside"), "{report}");
    let advice = advice(&report, "hooks");
    assert!(
        advice.contains("claude plugin uninstall") && advice.contains("init --uninstall"),
        "{advice}"
    );
    let local = environment.read(".claude/settings.local.json");
    let off = local.replacen('{', "{\"enabledPlugins\": {\"ckpt@ckpt\": false},", 1);
    environment.write(".claude/settings.local.json", off);
    let report = examined(&environment, 0);
    assert_eq!(said(&report, "warning", "hooks"), [""; 0], "{report}");
}

#[test]
fn a_shell_that_does_not_find_ckpt_is_named() {
    let environment = set_up("codex").with_variable("SHELL", "/bin/bash");
    let profile = "../home/.bash_profile";
    let bin = environment.base().join("bin");
    environment.write(profile, format!("PATH={}:$PATH\n", bin.display()));
    let report = examined(&environment, 0);
    assert_eq!(said(&report, "warning", "shell"), [""; 0], "{report}");
    environment.write(profile, "PATH=/usr/bin:/bin\n");
    let report = examined(&environment, 0);
    let told = said(&report, "warning", "shell");
    assert!(told[0].contains("-lc` does not find ckpt"), "{report}");

    // A shell that the system does not know is not run.
    let shell = environment.write("shell/bash", "#!/bin/sh\ntouch was-run\n");
    tree::set_mode(&shell, 0o755);
    let environment = environment.with_variable("SHELL", &shell);
    assert_eq!(
        said(&examined(&environment, 0), "warning", "shell"),
        [""; 0]
    );
    assert!(!environment.path("was-run").exists());

    let environment = Environment::new();
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    let report = examined(&environment, 0);
    let told = said(&report, "warning", "shell");
    assert!(told[0].starts_with("ckpt is not on your PATH"), "{report}");
}

#[test]
fn a_server_that_calls_another_program_is_named() {
    let environment = set_up("claude");
    let init = ["init", "--agent", "claude", "--mcp"];
    environment.ckpt(&init).exits(0);
    let report = examined(&environment, 0);
    assert_eq!(said(&report, "ok", "mcp").len(), 1, "{report}");
    let registered = environment.read(".mcp.json");
    let program = environment.base().join("bin/ckpt");
    let program = program.to_str().unwrap();
    assert!(registered.contains(program), "{registered}");
    environment.write(".mcp.json", registered.replace(program, "/gone/ckpt"));
    let report = examined(&environment, 0);
    assert!(said(&report, "warning", "mcp")[0].contains("/gone/ckpt"));
    environment.ckpt(&init).exits(0);
    assert_eq!(environment.read(".mcp.json"), registered);
}
