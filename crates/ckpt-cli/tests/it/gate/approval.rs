//! Only an approval of exactly this content lets anything ship.

use serde_json::{Value, json};

use crate::support::environment::{Environment, Run};
use crate::support::tree;

/// A repository with an approved `ship` checkpoint and uncommitted changes.
fn approved() -> Environment {
    let environment = with_ship();
    environment.write("src/login.rs", "fn login() {}\n");
    environment.write("README.md", "hello, world\n");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    environment
}

fn with_ship() -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
}

fn check(environment: &Environment) -> Run {
    environment.ckpt(&["gate", "check", "ship"])
}

#[track_caller]
fn assert_void(environment: &Environment) {
    let run = check(environment).exits(6);
    assert_eq!(
        run.stdout,
        "ship: blocked\n  the content has changed since it was approved\n"
    );
}

#[test]
fn an_approval_survives_a_commit_of_exactly_the_approved_content() {
    let environment = approved();
    environment.commit("exactly that");
    assert_eq!(check(&environment).exits(0).stdout, "ship: allowed\n");
}

#[test]
fn an_approval_survives_staging_and_committing_in_parts() {
    let environment = approved();
    environment.git(&["add", "README.md"]);
    check(&environment).exits(0);
    environment.git(&["commit", "--quiet", "--message", "half"]);
    check(&environment).exits(0);
    environment.commit("the other half");
    check(&environment).exits(0);
}

#[test]
fn an_approval_is_void_after_an_edit_and_holds_again_when_it_is_taken_back() {
    let environment = approved();
    environment.write("README.md", "hello, World\n");
    assert_void(&environment);
    environment.write("README.md", "hello, world\n");
    check(&environment).exits(0);
}

#[test]
fn an_approval_is_void_when_something_else_was_committed() {
    let environment = approved();
    environment.write("src/login.rs", "fn login() -> bool { false }\n");
    environment.commit("something else");
    assert_void(&environment);
}

#[test]
fn an_approval_is_void_after_a_new_file() {
    let environment = approved();
    environment.write("src/backdoor.rs", "");
    assert_void(&environment);
}

#[test]
fn an_approval_is_void_after_a_deletion() {
    let environment = approved();
    std::fs::remove_file(environment.path("README.md")).unwrap();
    assert_void(&environment);
}

#[test]
fn an_approval_is_void_after_a_change_of_mode() {
    let environment = approved();
    tree::set_mode(environment.path("README.md"), 0o755);
    assert_void(&environment);
}

#[test]
fn an_approval_is_void_after_a_rename() {
    let environment = approved();
    environment.git(&["mv", "README.md", "LIESMICH.md"]);
    assert_void(&environment);
}

#[test]
fn state_pipelines_and_plans_do_not_count_for_an_approval() {
    let environment = approved();
    environment
        .ckpt(&["phase", "ship", "pre-flight", "complete"])
        .exits(0);
    environment.write(".claude/state/loop-state.json", "{}");
    environment.write(
        ".claude/skills/build-pipeline/checkpoints/PRD-001.json",
        "{}",
    );
    environment.write("plans/260220-1149-feature/plan.md", "# Plan\n");
    check(&environment).exits(0);
}

#[test]
fn ignored_files_do_not_count_for_an_approval() {
    let environment = with_ship();
    environment.write(".gitignore", "target/\n");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.write("target/debug/x", "x");
    check(&environment).exits(0);
}

#[test]
fn judging_a_gate_leaves_the_index_and_the_objects_of_git_alone() {
    let environment = approved();
    let before = tree::listing(&environment.path(".git"));
    check(&environment).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment
        .ckpt(&["gate", "override", "ship", "--reason", "because"])
        .exits(0);
    let after = tree::listing(&environment.path(".git"));
    let content = |listing: &std::collections::BTreeMap<String, tree::Entry>| {
        let files = listing.iter();
        // Histories are copied there.
        let files = files.filter(|(name, _)| !name.starts_with("ckpt/mirror"));
        files
            .map(|(name, entry)| (name.clone(), entry.content.clone()))
            .collect::<Vec<_>>()
    };
    assert_eq!(content(&before), content(&after));
}

/// A `ship` checkpoint with a gate that somebody wrote by hand.
fn with_gate(gate: &Value) -> Environment {
    let environment = with_ship();
    let mut document = environment.document("ship-checkpoint");
    document["gate"] = gate.clone();
    environment.write(".claude/state/ship-checkpoint.json", document.to_string());
    environment
}

#[test]
fn a_gate_without_a_valid_approval_never_passes() {
    let head = "d36b6b4a1e2f3c4d5e6f7a8b9c0d1e2f3a4b5c6d";
    for gate in [
        json!({}),
        json!(null),
        json!("false"),
        json!("true"),
        json!(true),
        json!([]),
        json!({ "ship_allowed": true }),
        json!({ "ship_allowed": true, "blockers": [] }),
        json!({ "ship_allowed": true, "blockers": [], "head_commit": null }),
        json!({ "ship_allowed": true, "blockers": [], "head_commit": head }),
        json!({ "ship_allowed": true, "blockers": [], "head_commit": head, "content": null }),
        json!({ "ship_allowed": true, "blockers": [], "head_commit": head, "content": head }),
        json!({ "ship_allowed": "true", "blockers": [], "head_commit": head }),
        json!({ "ship_allowed": 1, "blockers": [], "head_commit": head }),
        json!({ "ship_allowed": true, "blockers": null, "head_commit": head }),
        json!({ "ship_allowed": true, "blockers": {}, "head_commit": head }),
        json!({ "ship_allowed": false, "blockers": [] }),
    ] {
        let run = check(&with_gate(&gate));
        assert_eq!(run.code, Some(6), "{gate}: {run}");
        assert!(run.stdout.starts_with("ship: blocked\n  "), "{gate}: {run}");
    }
}

/// The gate that `gate set --allow` writes for the current content, changed in one way.
fn tampered(change: impl Fn(&mut Value)) -> Run {
    let environment = with_ship();
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    let mut document = environment.document("ship-checkpoint");
    change(&mut document["gate"]);
    environment.write(".claude/state/ship-checkpoint.json", document.to_string());
    check(&environment)
}

#[test]
fn an_approval_that_loses_any_of_its_parts_does_not_pass() {
    tampered(|_| {}).exits(0);
    for part in ["ship_allowed", "blockers", "head_commit", "content"] {
        let run = tampered(|gate| drop(gate.as_object_mut().unwrap().remove(part)));
        assert_eq!(run.code, Some(6), "without {part}: {run}");
    }
    tampered(|gate| gate["blockers"] = json!(["two tests fail"])).exits(6);
    tampered(|gate| gate["ship_allowed"] = json!("true")).exits(6);
}

#[test]
fn without_a_gate_nothing_ships() {
    let run = check(&with_ship()).exits(6);
    assert_eq!(run.stdout, "ship: blocked\n  no gate has been set\n");
}

#[test]
fn blockers_are_shown_and_block() {
    let environment = with_ship();
    let set = [
        "gate",
        "set",
        "ship",
        "--block",
        "two tests fail",
        "--block",
        "no review",
    ];
    environment.ckpt(&set).exits(0);
    let run = check(&environment).exits(6);
    assert_eq!(run.stdout, "ship: blocked\n  two tests fail\n  no review\n");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    check(&environment).exits(0);
}

#[test]
fn an_override_needs_a_reason() {
    let environment = with_ship();
    environment.ckpt(&["gate", "override", "ship"]).exits(2);
    environment
        .ckpt(&["gate", "override", "ship", "--reason", "  "])
        .exits(2);
    check(&environment).exits(6);
}

#[test]
fn an_override_applies_to_exactly_its_content_and_stays_visible() {
    let environment = with_ship();
    environment
        .ckpt(&["gate", "set", "ship", "--block", "two tests fail"])
        .exits(0);
    let give = [
        "gate", "override", "ship", "--reason", "hotfix", "--by", "team:ana",
    ];
    environment.ckpt(&give).exits(0);
    let overridden = "ship: overridden by team:ana: hotfix\n  two tests fail\n";
    assert_eq!(check(&environment).exits(0).stdout, overridden);
    environment.commit("the same content");
    let shown = environment.ckpt(&["gate", "show", "ship"]).exits(0);
    assert_eq!(shown.stdout, overridden);

    environment.write("README.md", "more\n");
    let run = check(&environment).exits(6);
    assert!(
        run.stdout.starts_with("ship: blocked\n  two tests fail\n"),
        "{run}"
    );
    assert!(run.stdout.contains("by team:ana: hotfix"), "{run}");
    let kept = &environment.document("ship-checkpoint")["gate"]["override"]["reason"];
    assert_eq!(kept, "hotfix");
}

#[test]
fn the_verdict_is_an_object_in_json() {
    let environment = with_ship();
    environment
        .ckpt(&["gate", "set", "ship", "--block", "no review"])
        .exits(0);
    let mut verdict = environment
        .ckpt(&["gate", "check", "ship", "--json"])
        .exits(6)
        .json();
    assert!(
        verdict["content"]
            .take()
            .as_str()
            .is_some_and(|id| id.len() == 40)
    );
    let expected = json!({
        "format": 1,
        "key": "command:ship",
        "verdict": "blocked",
        "reasons": ["no review"],
        "content": null,
        "gates": [],
    });
    assert_eq!(verdict, expected);
}

#[test]
fn outside_git_nothing_can_be_approved() {
    let environment = Environment::without_git();
    environment.ckpt(&["start", "ship"]).exits(0);
    let run = environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(1);
    assert!(run.reason().contains("is not in a git work tree"), "{run}");
    check(&environment).exits(6);
}

#[test]
fn a_gate_in_a_linked_worktree_judges_that_worktree() {
    let environment = Environment::new();
    let tree = environment.linked_worktree();
    environment.ckpt_in(&tree, &["start", "ship"]).exits(0);
    environment
        .ckpt_in(&tree, &["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.write("README.md", "another worktree\n");
    environment
        .ckpt_in(&tree, &["gate", "check", "ship"])
        .exits(0);
    std::fs::write(tree.join("README.md"), "this worktree\n").unwrap();
    environment
        .ckpt_in(&tree, &["gate", "check", "ship"])
        .exits(6);
}

#[test]
fn an_approval_that_was_taken_away_does_not_come_back_with_an_earlier_document() {
    let environment = approved();
    let before = environment.ckpt(&["show", "ship", "--raw"]).exits(0).stdout;
    let block = ["gate", "set", "ship", "--block", "found a leak"];
    environment.ckpt(&block).exits(0);
    environment
        .ckpt_reading(&before, &["save", "ship"])
        .exits(0);
    let blocked = check(&environment).exits(6);
    assert!(blocked.stdout.contains("found a leak"), "{blocked}");
    // With a base, too.
    let base = ["save", "ship", "--base", "2"];
    environment.ckpt_reading(&before, &base).exits(0);
    check(&environment).exits(6);
}

#[test]
fn a_gate_that_failed_is_not_saved_away() {
    let environment = with_ship();
    let before = environment.ckpt(&["show", "ship", "--raw"]).exits(0).stdout;
    let failing = ["gate", "run", "ship", "tests", "--", "false"];
    environment.ckpt(&failing).exits(6);
    environment
        .ckpt_reading(&before, &["save", "ship"])
        .exits(0);
    let document = environment.document("ship-checkpoint");
    assert_eq!(document["receipts"]["tests"]["result"], "failed");
}
