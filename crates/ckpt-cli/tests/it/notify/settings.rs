//! What integrations.json may say, and what is said about it.

use serde_json::{Value, json};

use super::{SETTINGS, run};
use crate::support::environment::Environment;

fn with(text: &str) -> Environment {
    let environment = Environment::new();
    environment.write(SETTINGS, text);
    environment
}

#[test]
fn without_the_file_nobody_is_told() {
    let environment = Environment::new();
    let said = run(&environment, "notify", 0);
    assert_eq!(
        said,
        "nobody is told: there is no .claude/config/integrations.json\n"
    );
    let said = run(&environment, "notify allow ops --yes", 3);
    assert_eq!(
        said,
        "error: .claude/config/integrations.json names no ops. Create the file with: ckpt init\n"
    );
    assert!(!run(&environment, "doctor", 0).contains("integrations"));
}

#[test]
fn the_file_of_init_names_nobody_and_is_fine() {
    let environment = Environment::new();
    run(&environment, "init --agent claude", 0);
    let said = run(&environment, "notify", 0);
    assert_eq!(
        said,
        "nobody is told: there are no webhooks, and no service has a token\n"
    );
    assert!(!run(&environment, "doctor", 0).contains("integrations.json:"));
}

#[test]
fn a_file_that_is_not_json_is_an_error_and_nothing_is_sent() {
    let environment = with("{\"webhooks\": [");
    for line in ["notify", "notify allow ops --yes", "notify test ops"] {
        let said = run(&environment, line, 4);
        assert!(
            said.starts_with("error: .claude/config/integrations.json: "),
            "{said}"
        );
        assert!(
            said.contains("Mend the file or remove it; nothing is sent until then"),
            "{said}"
        );
    }
    let doctor = run(&environment, "doctor", 1);
    assert!(doctor.contains("nothing is sent until then"), "{doctor}");
    // Everything else goes on.
    run(&environment, "start ship", 0);
}

#[test]
fn a_wrong_type_is_named_with_its_place_and_the_rest_counts() {
    let text = json!({
        "linear": {"enabled": "yes"},
        "webhooks": [
            {"name": "ops", "url": "https://example.com/", "secret": "env:S", "events": []},
            {"name": "bad", "url": "https://example.com/", "secret": "hunter2", "events": []},
        ],
        "of_our_own": {"kept": true},
    });
    let environment = with(&text.to_string());
    let said = run(&environment, "notify", 0);
    assert!(said.contains("/linear/enabled"), "{said}");
    assert!(said.contains("/webhooks/1/secret"), "{said}");
    assert!(
        said.contains("ops  https://example.com/: not allowed"),
        "{said}"
    );
    assert!(!said.contains("hunter2"), "{said}");
    let report: Value =
        serde_json::from_str(&environment.ckpt(&["notify", "--json"]).exits(0).stdout).unwrap();
    assert_eq!(report["destinations"].as_array().unwrap().len(), 1);
    assert_eq!(report["findings"].as_array().unwrap().len(), 2);
}

#[test]
fn a_service_that_is_off_is_not_told() {
    let off = json!({"linear": {"enabled": false, "token": "env:LINEAR_KEY"}});
    let environment = with(&off.to_string());
    let said = run(&environment, "notify allow linear --yes", 3);
    assert!(said.contains("names no linear"), "{said}");
}

#[test]
fn doctor_says_what_is_enabled() {
    let settings = |enabled: bool| {
        json!({
            "linear": {"enabled": enabled, "team": "Orbit", "branch_prefix": "topic"},
            "vercel": {"enabled": enabled, "preview_timeout_ms": 61_500, "require_preview_success": true},
        })
    };
    let said = run(&with(&settings(true).to_string()), "doctor", 0);
    assert!(
        said.contains("such as topic/BAS-6-login, team Orbit, and Linear follows them by itself"),
        "{said}"
    );
    assert!(
        said.contains("waits 62 s for the preview, which must succeed"),
        "{said}"
    );
    let said = run(&with(&settings(false).to_string()), "doctor", 0);
    assert!(
        !said.contains("Orbit") && !said.contains("preview"),
        "{said}"
    );
}

#[test]
fn the_file_can_be_validated() {
    let environment = with(r#"{"linear": {"enabled": "yes"}, "webhooks": []}"#);
    let said = run(&environment, &format!("validate {SETTINGS}"), 4);
    assert!(
        said.contains("integrations.type") && said.contains("/linear/enabled"),
        "{said}"
    );
    environment.write(SETTINGS, r#"{"linear": {"enabled": true}}"#);
    run(&environment, &format!("validate {SETTINGS}"), 0);
    let refused = run(&environment, &format!("show {SETTINGS}"), 4);
    assert!(
        refused.contains("is JSON, but not a checkpoint"),
        "{refused}"
    );
}
