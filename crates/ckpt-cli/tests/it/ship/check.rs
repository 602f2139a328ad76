//! What shipping needs, as one line each.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::server::{Reply, Server};
use crate::support::shipping::{allow, integrated, set_for_user};

/// A repository whose branch is pushed, with an approved `ship/login` and a gate that ran.
fn shippable(settings: &Value) -> Environment {
    let environment = integrated(settings);
    let remote = environment.base().join("remote.git");
    let remote = remote.to_str().unwrap();
    environment.git(&["init", "--quiet", "--bare", remote]);
    environment.git(&["remote", "add", "origin", remote]);
    environment.git(&["push", "--quiet", "--set-upstream", "origin", "main"]);
    let run = ["gate", "run", "ship/login", "tests", "--", "true"];
    environment.ckpt(&run).exits(0);
    environment
        .ckpt(&["gate", "set", "ship/login", "--allow"])
        .exits(0);
    environment
}

fn check(environment: &Environment, code: i32) -> String {
    environment
        .ckpt(&["ship", "check", "ship/login"])
        .exits(code)
        .stdout
}

#[test]
fn what_may_ship_has_nothing_unmet() {
    let environment = shippable(&json!({}));
    let expected = "\
✓ gate: shipping is approved
✓ gate tests: proven
✓ work tree: everything is committed
✓ push: everything is pushed
";
    assert_eq!(check(&environment, 0), expected);
    let report = environment
        .ckpt(&["ship", "check", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["ready"], true);
    assert_eq!(report["key"], "command:ship/login");
    assert_eq!(
        report["needs"][0],
        json!({ "about": "gate", "standing": "met", "text": "shipping is approved" })
    );
}

#[test]
fn what_is_not_met_is_named_with_what_settles_it() {
    let environment = shippable(&json!({}));
    environment.write("README.md", "changed\n");
    let expected = "\
✗ gate: \"the content has changed since it was approved\"; next: ckpt gate set ship/login --allow
✗ gate tests: ran on older content; next: ckpt gate run ship/login tests -- true
✗ work tree: not committed: README.md; next: git status
✓ push: everything is pushed
";
    assert_eq!(check(&environment, 6), expected);
    environment.commit("Changed");
    let shown = check(&environment, 6);
    assert!(shown.contains("✓ work tree: "), "{shown}");
    assert!(
        shown.contains("✗ push: there are commits to push; next: git push\n"),
        "{shown}"
    );
    environment.git(&["switch", "--quiet", "-c", "side"]);
    let shown = check(&environment, 6);
    assert!(
        shown.contains(
            "✗ push: the branch is not on the remote; next: git push --set-upstream origin side\n"
        ),
        "{shown}"
    );
    environment.git(&["branch", "--quiet", "--set-upstream-to", "main"]);
    let shown = check(&environment, 6);
    assert!(
        shown.contains("✗ push: the branch is not on the remote; "),
        "{shown}"
    );
    environment.git(&["checkout", "--quiet", "--detach"]);
    assert!(check(&environment, 6).contains("! push: no branch is checked out; next: "));
}

#[test]
fn a_sub_agent_that_stopped_and_a_gate_elsewhere_are_named() {
    let environment = shippable(&json!({}));
    let stop = r#"{"task_id":"T","phase":"write","status":"complete","decision":"STOP","findings":{},"context_summary":"The key leaks"}"#;
    environment
        .ckpt_reading(stop, &["handoff", "reply", "ship/login", "-"])
        .exits(0);
    environment.ckpt(&["start", "ship", "other"]).exits(0);
    let shown = check(&environment, 6);
    assert!(shown.contains("✗ blocker: \"T STOP: The key leaks\"; next: ckpt handoff reply ship/login --answer T --text ANSWER\n"), "{shown}");
    assert!(shown.contains("✗ other gate: ship/other blocks: \"no gate has been set\"; next: ckpt gate check ship/other\n"), "{shown}");
}

#[test]
fn a_preview_is_told_from_its_receipt_and_nobody_is_contacted() {
    let provider = Server::new(|asked, number| {
        let commit = asked.path.split("sha=").nth(1).unwrap_or_default();
        let commit: String = commit.chars().take_while(char::is_ascii_hexdigit).collect();
        let state = if number == 0 { "ERROR" } else { "READY" };
        let deployment = json!({ "url": "login.vercel.app", "readyState": state, "target": null, "created": 1,
            "meta": { "githubCommitSha": commit } });
        Reply::ok(json!({ "deployments": [deployment] }).to_string())
    });
    let settings = |required: bool| json!({ "vercel": { "enabled": true, "token": "env:TOKEN_OF_TEST", "require_preview_success": required } });
    let environment = shippable(&settings(true));
    allow(&environment, "vercel");
    set_for_user(&environment, &json!({ "vercel_url": provider.url("") }));
    let next = "; next: ckpt ship preview ship/login\n";
    let shown = check(&environment, 6);
    assert!(
        shown.contains(&format!("✗ preview: nobody has waited for it{next}")),
        "{shown}"
    );
    environment
        .ckpt(&["ship", "preview", "ship/login"])
        .exits(6);
    let shown = check(&environment, 6);
    assert!(
        shown.contains("could not be deployed; next: ckpt ship preview ship/login\n"),
        "{shown}"
    );
    assert!(shown.contains("✗ gate: \"gate preview failed: "), "{shown}");
    environment
        .ckpt(&["ship", "preview", "ship/login"])
        .exits(0);
    let shown = check(&environment, 0);
    assert!(
        shown.contains("✓ preview: ready, https://login.vercel.app\n"),
        "{shown}"
    );
    assert_eq!(provider.heard().len(), 2);
}

#[test]
fn a_preview_that_is_not_required_is_only_advised() {
    let environment = shippable(&json!({ "vercel": { "enabled": true } }));
    let shown = check(&environment, 0);
    assert!(
        shown.contains("! preview: nobody has waited for it; next: ckpt ship preview ship/login\n"),
        "{shown}"
    );
}

#[test]
fn settings_that_are_wrong_are_named() {
    let environment = shippable(&json!({}));
    let file = ".claude/config/integrations.json";
    for wrong in ["{", r#"{"vercel": {"enabled": "yes"}}"#] {
        environment.write(file, wrong);
        let shown = check(&environment, 6);
        let lines = shown
            .lines()
            .filter(|line| line.starts_with("✗ settings: "));
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.len(), 1, "{shown}");
        assert!(
            lines[0].contains(file) && lines[0].ends_with(&format!("; next: ckpt validate {file}")),
            "{shown}"
        );
    }
}

#[test]
fn what_does_not_exist_or_does_not_ship_is_refused() {
    let environment = shippable(&json!({}));
    environment
        .ckpt(&["ship", "check", "ship/nothing"])
        .exits(3);
    environment.write("plans/260220-1149-x/plan.md", "- [ ] A <!-- TASK: a -->\n");
    environment
        .ckpt(&["ship", "check", "260220-1149-x"])
        .exits(2);
    let outside = Environment::without_git();
    outside.ckpt(&["start", "ship", "login"]).exits(0);
    let run = outside.ckpt(&["ship", "check", "ship/login"]).exits(6);
    assert!(
        run.stdout
            .contains("✗ work tree: this is not a git repository; next: git init\n"),
        "{run}"
    );
}
