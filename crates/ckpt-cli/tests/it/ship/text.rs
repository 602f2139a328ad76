//! The text of a pull request.

use serde_json::{Value, json};

use crate::support::environment::Environment;

/// A repository with work on a feature by several commands, about an issue.
fn worked(settings: &Value) -> Environment {
    let environment = Environment::new();
    environment.write(".claude/config/integrations.json", settings.to_string());
    let phase = |key: &str, phase: &str, summary: &str| {
        let words = ["phase", key, phase, "complete", "--summary", summary];
        environment.ckpt(&words).exits(0);
    };
    environment.ckpt(&["start", "ship", "login"]).exits(0);
    environment
        .ckpt(&["start", "implement", "login", "--issue", "BAS-6"])
        .exits(0);
    phase("implement/login", "implementation", "Sessions are signed");
    environment.ckpt(&["start", "design", "login"]).exits(0);
    phase(
        "design/login",
        "research",
        "Fixes #12 and closes BAS-9 @team <b>",
    );
    environment.ckpt(&["start", "design", "other"]).exits(0);
    phase("design/other", "research", "Something else");
    environment
        .ckpt(&["gate", "run", "ship/login", "tests", "--", "true"])
        .exits(0);
    environment
}

fn linear() -> Value {
    json!({ "linear": { "enabled": true } })
}

#[test]
fn a_text_is_written_from_all_checkpoints_of_the_feature() {
    let environment = worked(&linear());
    environment.write(
        "plans/260220-1149-login/plan.md",
        "# Login\n\n- [ ] A <!-- TASK: a -->\n",
    );
    environment.ckpt(&["plan", "sync"]).exits(0);
    let decide = [
        "plan",
        "decide",
        "Cookies",
        "--reason",
        "no storage",
        "--plan",
        "260220-1149-login",
    ];
    environment.ckpt(&decide).exits(0);
    let run = environment.ckpt(&["ship", "text", "ship/login"]).exits(0);
    let expected = "\
# BAS-6: Login

Closes BAS-6

## design/login

- **research**: Fixes \u{ff03}12 and closes BAS\u{2011}9 \u{ff20}team \\<b\\>

## implement/login

- **implementation**: Sessions are signed

## Decisions

- Cookies, because no storage

## Proofs

- tests (ship/login): ";
    assert!(run.stdout.starts_with(expected), "{run}");
    assert_eq!(run.stderr, "");
    let title = environment.ckpt(&["ship", "text", "ship/login", "--only", "title"]);
    assert_eq!(title.exits(0).stdout, "BAS-6: Login\n");
    let body = environment.ckpt(&["ship", "text", "ship/login", "--only", "body"]);
    assert_eq!(
        format!("# BAS-6: Login\n\n{}", body.exits(0).stdout),
        run.stdout
    );
}

#[test]
fn an_issue_is_closed_only_if_linear_follows_pull_requests() {
    for settings in [
        json!({}),
        json!({ "linear": { "enabled": false } }),
        json!({ "linear": { "enabled": true, "use_native_automation": false } }),
    ] {
        let environment = worked(&settings);
        let report = environment
            .ckpt(&["ship", "text", "ship/login", "--json"])
            .exits(0)
            .json();
        assert_eq!(report["title"], "Login");
        assert!(
            !report["body"].as_str().unwrap().contains("BAS-6"),
            "{report}"
        );
        assert_eq!(report["issue"], "BAS-6");
        assert_eq!(report["branch"], "main");
        assert_eq!(report["key"], "command:ship/login");
    }
}

#[test]
fn issues_that_disagree_close_nothing_unless_the_checkpoint_has_its_own() {
    let environment = worked(&linear());
    environment
        .ckpt(&["start", "design", "login", "--issue", "BAS-7"])
        .exits(0);
    let title = || {
        environment
            .ckpt(&["ship", "text", "ship/login", "--only", "title"])
            .exits(0)
            .stdout
    };
    assert_eq!(title(), "Login\n");
    environment
        .ckpt(&["start", "ship", "login", "--issue", "BAS-8"])
        .exits(0);
    assert_eq!(title(), "BAS-8: Login\n");
}

#[test]
fn a_checkpoint_without_a_feature_has_a_text_too() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    let run = environment.ckpt(&["ship", "text"]).exits(0);
    assert_eq!(run.stdout, "# Ship\n\n");
}
