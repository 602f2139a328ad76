//! Only its owner can read what is stored, and git ignores it.

use std::fs;

use crate::support::agent::{HISTORY, PLAN};
use crate::support::environment::Environment;
use crate::support::tree::{self, Content};

fn worked_on() -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "implementation", "complete"])
        .exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
    environment
}

#[test]
fn everything_in_the_state_directory_is_for_its_owner_only() {
    let environment = worked_on();
    for (name, entry) in tree::listing(&environment.state("")) {
        let expected = match entry.content {
            Content::Directory => 0o700,
            _ => 0o600,
        };
        assert_eq!(
            format!("{:o}", entry.mode),
            format!("{expected:o}"),
            "{name:?}"
        );
    }
}

#[test]
fn a_copy_of_a_corrupt_file_is_for_its_owner_only() {
    let environment = worked_on();
    environment.write(".claude/state/implement-auth.json", "{");
    environment
        .ckpt(&["phase", "implement/auth", "fix", "complete"])
        .exits(0);
    let names = tree::names(&environment.state(""));
    let copy = names
        .iter()
        .find(|name| name.contains(".corrupt-"))
        .unwrap();
    assert_eq!(tree::mode(environment.state(copy)), 0o600);
}

#[test]
fn the_mode_that_a_document_has_stays() {
    let environment = worked_on();
    let document = environment.state("implement-auth.json");
    for mode in [0o644, 0o640, 0o400, 0o666] {
        tree::set_mode(&document, mode);
        environment
            .ckpt(&["phase", "implement/auth", "fix", "complete"])
            .exits(0);
        assert_eq!(tree::mode(&document), mode);
    }
}

#[test]
fn git_passes_the_state_over() {
    let environment = worked_on();
    assert_eq!(environment.read(".claude/state/.gitignore"), "*\n");
    assert_eq!(
        environment.git(&["status", "--porcelain", "--untracked-files=all"]),
        ""
    );
}

#[test]
fn a_gitignore_stays_as_it_is_unless_it_makes_an_exception() {
    let after = |rules: &str| {
        let environment = Environment::new();
        environment.write(".claude/state/.gitignore", rules);
        environment.ckpt(&["start", "ship"]).exits(0);
        environment.read(".claude/state/.gitignore")
    };
    assert_eq!(after("# Nothing of this.\n*\n"), "# Nothing of this.\n*\n");
    // An exception may have come with a clone, and what is kept here is private.
    assert_eq!(after("*\n!ship-checkpoint.json\n"), "*\n");
}

#[test]
fn a_state_directory_of_others_gets_a_gitignore_too() {
    let environment = Environment::new();
    fs::create_dir_all(environment.state("")).unwrap();
    environment.ckpt(&["start", "ship"]).exits(0);
    assert_eq!(
        environment.git(&["status", "--porcelain", "--untracked-files=all"]),
        ""
    );
}

#[test]
fn rules_that_only_look_like_rules_are_replaced() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    let rules = ".claude/state/.gitignore";
    for written in [
        " *\n",
        "*\t\n",
        "\u{c}*\n",
        "*\n!*\n",
        "*\n!hooks.jsonl\n",
        "!*\n",
        "",
    ] {
        environment.write(rules, written);
        environment
            .ckpt(&["phase", "ship", "a", "in_progress"])
            .exits(0);
        assert_eq!(environment.read(rules), "*\n", "{written:?}");
    }
    fs::remove_file(environment.path(rules)).unwrap();
    fs::create_dir(environment.path(rules)).unwrap();
    let run = environment
        .ckpt(&["phase", "ship", "a", "complete"])
        .exits(1);
    assert!(run.stderr.contains(".gitignore"), "{run}");
}

#[test]
fn git_is_told_to_pass_over_what_comes_with_a_history_too() {
    let other = Environment::new();
    other.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    other.ckpt(&["plan", "sync"]).exits(0);
    let environment = Environment::new();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.write(HISTORY, other.read(HISTORY));
    environment.write("plans/260220-1149-x/.checkpoint/.gitignore", "");
    environment.write(".claude/state/.gitignore", "!*\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    let status = environment.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(status, format!("?? {PLAN}\n"));
    for name in ["history.jsonl", "state.json"] {
        let path = environment
            .path("plans/260220-1149-x/.checkpoint")
            .join(name);
        assert_eq!(tree::mode(path), 0o600, "{name}");
    }
}
