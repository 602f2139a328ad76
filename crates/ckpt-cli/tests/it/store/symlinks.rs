//! Links are not followed out of the repository.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};

use crate::support::agent::Held;
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::refusal::UPDATE;
use crate::support::tree;

/// Moves something of the repository to another place and leaves a link to it.
fn move_and_link(environment: &Environment, name: &str, target: &Path) -> PathBuf {
    let place = environment.path(name);
    fs::rename(&place, target).unwrap();
    symlink(target, &place).unwrap();
    target.to_owned()
}

#[track_caller]
fn assert_not_followed(run: Run, link: &Path, target: &Path) {
    let run = run.exits(1);
    let expected = format!(
        "{} is a symbolic link, and links are not followed.",
        link.display()
    );
    assert!(run.reason().contains(&expected), "{run}");
    assert!(!run.reason().contains(target.to_str().unwrap()), "{run}");
}

#[test]
fn the_state_directory_elsewhere_is_left_alone() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("elsewhere");
    move_and_link(&environment, ".claude/state", &target);
    let before = tree::listing(&target);
    let link = environment.path(".claude/state");
    for arguments in [
        &UPDATE[..],
        &["show", "implement/auth"],
        &["list"],
        &["start", "ship"],
    ] {
        assert_not_followed(environment.ckpt(arguments), &link, &target);
    }
    tree::assert_unchanged(&target, &before, "");
}

#[test]
fn the_directory_around_it_elsewhere_is_left_alone() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("elsewhere");
    move_and_link(&environment, ".claude", &target);
    let before = tree::listing(&target);
    let run = environment.ckpt(&UPDATE).exits(1);
    assert!(
        run.reason()
            .contains("there is a symbolic link in the path"),
        "{run}"
    );
    tree::assert_unchanged(&target, &before, "");
}

#[test]
fn a_document_elsewhere_is_left_alone() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("elsewhere.json");
    move_and_link(&environment, ".claude/state/implement-auth.json", &target);
    let before = tree::listing(&target);
    let link = environment.state("implement-auth.json");
    assert_not_followed(environment.ckpt(&UPDATE), &link, &target);
    assert_not_followed(
        environment.ckpt(&["show", "implement/auth"]),
        &link,
        &target,
    );
    let listed = environment.ckpt(&["list"]).exits(0);
    assert_eq!(listed.stdout, "");
    assert!(listed.stderr.contains("links are not followed"), "{listed}");
    tree::assert_unchanged(&target, &before, "");
    assert!(fs::symlink_metadata(link).unwrap().is_symlink());
}

#[test]
fn a_history_elsewhere_is_left_alone() {
    for name in [
        "history",
        "history/command",
        "history/command/implement-auth.jsonl",
    ] {
        let environment = Environment::started_with("build");
        let target = environment.base().join("elsewhere");
        move_and_link(&environment, &format!(".claude/state/{name}"), &target);
        let before = tree::listing(&target);
        let document = environment.read(".claude/state/implement-auth.json");
        let run = environment.ckpt(&UPDATE).exits(1);
        let link = environment.state(name);
        assert!(run.reason().contains(link.to_str().unwrap()), "{run}");
        tree::assert_unchanged(&target, &before, "");
        assert_eq!(
            environment.read(".claude/state/implement-auth.json"),
            document
        );
        environment.ckpt(&["log", "implement/auth"]).exits(1);
    }
}

#[test]
fn a_lock_elsewhere_is_left_alone() {
    for name in ["locks", "locks/command.lock"] {
        let environment = Environment::started_with("build");
        let target = environment.base().join("elsewhere");
        move_and_link(&environment, &format!(".claude/state/{name}"), &target);
        let before = tree::listing(&target);
        environment.ckpt(&UPDATE).exits(1);
        tree::assert_unchanged(&target, &before, "");
    }
}

#[test]
fn a_temporary_file_elsewhere_is_left_alone() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("elsewhere");
    fs::write(&target, "precious").unwrap();
    symlink(&target, environment.state(".implement-auth.json.ckpt-tmp")).unwrap();
    environment.ckpt(&UPDATE);
    assert_eq!(fs::read_to_string(&target).unwrap(), "precious");
}

#[test]
fn a_link_to_nowhere_makes_no_file_there() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("not-yet");
    let link = environment.state("implement-auth.json");
    fs::remove_file(&link).unwrap();
    symlink(&target, &link).unwrap();
    let run = environment.ckpt(&UPDATE).exits(1);
    assert!(run.reason().contains(link.to_str().unwrap()), "{run}");
    assert!(!target.exists());
}

#[test]
fn links_inside_the_repository_are_followed_only_where_the_user_says_so() {
    let environment = Environment::started_with("build");
    let inside = environment.path("somewhere");
    move_and_link(&environment, ".claude/state", &inside);
    let document = inside.join("other.json");
    move_and_link(&environment, ".claude/state/implement-auth.json", &document);
    environment.ckpt(&UPDATE).exits(1);
    environment
        .ckpt(&["config", "set", "--user", "follow_symlinks", "true"])
        .exits(0);
    environment.ckpt(&UPDATE).exits(0);
    assert!(
        fs::symlink_metadata(inside.join("implement-auth.json"))
            .unwrap()
            .is_symlink()
    );
    let text = fs::read_to_string(document).unwrap();
    assert!(text.contains("\"complete\""), "{text}");
    let shown = environment
        .ckpt(&["show", "implement/auth"])
        .exits(0)
        .stdout;
    assert!(shown.contains("✓ build"), "{shown}");
    let listed = environment.ckpt(&["list"]).exits(0).stdout;
    assert!(listed.contains("implement/auth\t"), "{listed}");
}

#[test]
fn links_that_the_user_allows_are_followed() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("elsewhere");
    move_and_link(&environment, ".claude/state", &target);
    environment
        .ckpt(&["config", "set", "--user", "follow_symlinks", "true"])
        .exits(0);
    environment.ckpt(&UPDATE).exits(0);
    let text = fs::read_to_string(target.join("implement-auth.json")).unwrap();
    assert!(text.contains("\"complete\""), "{text}");
}

#[test]
fn no_link_leads_into_a_git_directory_whatever_the_user_says() {
    for (name, target) in [
        ("plans/260220-1149-x/phase-01-x.md", ".git/config"),
        ("plans/260220-1149-x/plan.md", ".git/config"),
        ("plans/260220-1149-x", ".git"),
        (".claude/state/implement-auth.json", ".git/config"),
        (".claude/state/history", ".git/hooks"),
    ] {
        let environment = Environment::new();
        environment
            .ckpt(&["config", "set", "--user", "follow_symlinks", "true"])
            .exits(0);
        let link = environment.path(name);
        fs::create_dir_all(link.parent().unwrap()).unwrap();
        let is_phase = name.contains("phase-");
        if is_phase {
            environment.write("plans/260220-1149-x/plan.md", "- [ ] A <!-- TASK: a -->\n");
        }
        symlink(environment.path(target), &link).unwrap();
        let before = tree::listing(&environment.path(".git"));
        for arguments in [
            &["plan", "sync", "--plan", "260220-1149-x"][..],
            &UPDATE,
            &["list"],
        ] {
            environment.ckpt(arguments);
        }
        let mut changed = tree::changes(&before, &tree::listing(&environment.path(".git")));
        changed.retain(|name| !name.is_empty() && !name.starts_with("ckpt"));
        assert_eq!(changed, [""; 0], "{name} -> {target}");
    }
}

#[test]
fn a_link_that_comes_while_a_writer_waits_is_not_followed() {
    let environment = Environment::started_with("build");
    let target = environment.base().join("elsewhere");
    let lock = Held::lock(&environment, ".claude/state/locks/command.lock");
    let mut command = environment.command(CKPT);
    let mut writer = command.args(UPDATE).spawn().unwrap();
    std::thread::sleep(std::time::Duration::from_millis(300));
    move_and_link(&environment, ".claude/state", &target);
    let before = tree::listing(&target);
    drop(lock);
    assert_ne!(writer.wait().unwrap().code(), Some(0));
    let mut changed = tree::changes(&before, &tree::listing(&target));
    changed.retain(|name| !name.contains("locks"));
    assert_eq!(changed, [""; 0]);
}
