//! Every example in the documents is run, and the generated ones are up to date.

use std::path::{Path, PathBuf};
use std::process::Command;

const CKPT: &str = env!("CARGO_BIN_EXE_ckpt");

fn repository() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// One typed line and what the document says it shows.
struct Step {
    command: String,
    shown: String,
}

/// The steps of all `console` blocks, in order: one session from the first to the last.
fn steps(document: &str) -> Vec<Step> {
    let mut steps: Vec<Step> = Vec::new();
    let mut inside = false;
    for line in document.lines() {
        match (inside, line) {
            (false, "```console") => inside = true,
            (true, "```") => inside = false,
            (true, line) => match (line.strip_prefix("$ "), steps.last_mut()) {
                (Some(command), _) => steps.push(Step {
                    command: command.to_owned(),
                    shown: String::new(),
                }),
                (None, Some(step)) => {
                    step.shown += line;
                    step.shown.push('\n');
                }
                (None, None) => panic!("a console block starts with a command: {line}"),
            },
            (false, _) => {}
        }
    }
    steps
}

/// Whether a text is what the document shows; `[..]` stands for anything on a line.
fn matches(shown: &str, found: &str) -> bool {
    let line_matches = |shown: &str, found: &str| {
        let mut rest = found;
        let mut parts = shown.split("[..]");
        let first = parts.next().unwrap_or_default();
        let Some(after) = rest.strip_prefix(first) else {
            return false;
        };
        rest = after;
        let parts: Vec<&str> = parts.collect();
        for (position, part) in parts.iter().enumerate() {
            if position + 1 == parts.len() {
                return rest.ends_with(part);
            }
            match rest.find(part) {
                Some(at) => rest = &rest[at + part.len()..],
                None => return false,
            }
        }
        rest.is_empty()
    };
    shown.lines().count() == found.lines().count()
        && shown
            .lines()
            .zip(found.lines())
            .all(|(shown, found)| line_matches(shown, found))
}

/// A shell in a fresh repository, with this `ckpt` first on the path.
fn shell(directory: &Path, command: &str) -> String {
    let bin = Path::new(CKPT).parent().unwrap();
    let path = std::env::join_paths(
        std::iter::once(bin.to_owned())
            .chain(std::env::split_paths(&std::env::var_os("PATH").unwrap())),
    )
    .unwrap();
    let output = Command::new("bash")
        .arg("-c")
        .arg(format!("exec 2>&1; {command}"))
        .current_dir(directory)
        .env_clear()
        .env("PATH", path)
        .env("HOME", directory.parent().unwrap())
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .env("GIT_CONFIG_SYSTEM", "/dev/null")
        .env("CKPT_HOOK_DEADLINE_MS", "60000")
        .envs([
            ("GIT_AUTHOR_NAME", "Ana"),
            ("GIT_AUTHOR_EMAIL", "ana@example.com"),
            ("GIT_COMMITTER_NAME", "Ana"),
            ("GIT_COMMITTER_EMAIL", "ana@example.com"),
        ])
        .output()
        .unwrap();
    String::from_utf8(output.stdout).unwrap()
}

fn play(document: &Path) -> usize {
    let text = std::fs::read_to_string(document).unwrap();
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("repository");
    std::fs::create_dir(&directory).unwrap();
    shell(
        &directory,
        "git init -q -b main . && git commit -q --allow-empty -m 'Start'",
    );
    let steps = steps(&text);
    for Step { command, shown } in &steps {
        let found = shell(&directory, command);
        assert!(
            matches(shown, &found),
            "{}: `{command}` shows\n{found}\nand not\n{shown}",
            document.display()
        );
    }
    steps.len()
}

#[test]
fn every_example_in_the_readme_shows_what_it_says() {
    assert!(play(&repository().join("README.md")) > 15);
}

#[test]
fn every_example_in_the_agents_guide_shows_what_it_says() {
    assert!(play(&repository().join("docs/agents.md")) > 5);
}

#[test]
fn every_example_in_the_shipping_guide_shows_what_it_says() {
    assert!(play(&repository().join("docs/shipping.md")) > 8);
}

#[test]
fn every_example_in_the_installation_guide_shows_what_it_says() {
    assert!(play(&repository().join("docs/install.md")) > 3);
}

#[test]
fn the_guide_to_notifications_is_true() {
    assert!(play(&repository().join("docs/notifications.md")) > 5);
}

#[test]
fn the_two_commands_of_the_readme_are_the_ones_that_exist() {
    let readme = std::fs::read_to_string(repository().join("README.md")).unwrap();
    assert!(readme.contains("\ncargo run --release -- demo\n"));
    assert!(readme.contains("\nscripts/test\n"));
    assert!(readme.contains("\ncargo install --path crates/ckpt-cli\n"));
    let ci = std::fs::read_to_string(repository().join(".ci/run")).unwrap();
    let commands: Vec<_> = ci.lines().filter(|line| !line.starts_with('#')).collect();
    assert_eq!(commands, [r#"exec "$(dirname "$0")/../scripts/test""#]);
}

#[test]
fn the_demonstration_kills_a_writer_and_resumes() {
    let home = tempfile::tempdir().unwrap();
    let found = shell(home.path(), "ckpt demo demo");
    for line in [
        "$ kill -9 %1",
        "$ ckpt resume --drift",
        "Continue phase build of implement/login, task T002.",
        "Drift: 1 commit since; changed since: src/login.rs.",
        "implement/login: valid",
    ] {
        assert!(
            found.lines().any(|shown| shown == line),
            "{line:?} is not in\n{found}"
        );
    }
    assert!(
        home.path()
            .join("demo/.claude/state/implement-login.json")
            .exists()
    );
}

/// `ckpt --help` and the help of all commands below it.
fn reference() -> String {
    let mut text = String::from(
        "# Command line\n\nGenerated from `ckpt --help`; `UPDATE_DOCS=1 cargo nextest run -p ckpt-cli documents` rewrites it.\n",
    );
    let mut waiting = vec![Vec::new()];
    while let Some(path) = waiting.pop() {
        let help = help(&path);
        let title = std::iter::once("ckpt").chain(path.iter().map(String::as_str));
        let title = title.collect::<Vec<_>>().join(" ");
        text += &format!("\n## `{title}`\n\n```text\n{}\n```\n", help.trim_end());
        for name in subcommands(&help).into_iter().rev() {
            waiting.push(path.iter().cloned().chain([name]).collect());
        }
    }
    text
}

fn help(path: &[String]) -> String {
    let output = Command::new(CKPT)
        .args(path)
        .arg("--help")
        .env("COLUMNS", "100")
        .output()
        .unwrap();
    assert!(output.status.success(), "{path:?}");
    String::from_utf8(output.stdout).unwrap()
}

fn subcommands(help: &str) -> Vec<String> {
    let list = help.split("\nCommands:\n").nth(1).unwrap_or_default();
    list.lines()
        .take_while(|line| !line.is_empty())
        .filter_map(|line| line.strip_prefix("  ")?.split_whitespace().next())
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_reference_of_the_command_line_is_up_to_date() {
    let path = repository().join("docs/cli.md");
    let current = reference();
    if std::env::var_os("UPDATE_DOCS").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        written == current,
        "docs/cli.md is stale: run UPDATE_DOCS=1 cargo nextest run -p ckpt-cli documents"
    );
}

#[test]
fn every_rule_and_setting_is_described() {
    let formats = std::fs::read_to_string(repository().join("docs/formats.md")).unwrap();
    for (file, prefix, least) in [
        ("command/rules.rs", "command.", 10),
        ("integrations/read.rs", "integrations.", 8),
    ] {
        let path = repository().join("crates/ckpt/src").join(file);
        let rules = std::fs::read_to_string(path).unwrap();
        let mut named = 0;
        for rule in rules.split('"').filter(|text| text.starts_with(prefix)) {
            assert!(
                formats.contains(&format!("`{rule}`")),
                "{rule} is not in docs/formats.md"
            );
            named += 1;
        }
        assert!(named > least, "{file}: {named}");
    }
    let home = tempfile::tempdir().unwrap();
    for line in shell(home.path(), "ckpt config list").lines() {
        let setting = line.split_whitespace().next().unwrap();
        assert!(
            formats.contains(&format!("| `{setting}` |")),
            "{setting} is not described"
        );
    }
}
