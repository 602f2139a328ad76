//! Every exit code, from a real command.

use crate::support::environment::Environment;

#[test]
fn done_is_0_and_success_is_quiet() {
    let run =
        Environment::started().ckpt(&["phase", "implement/auth", "implementation", "complete"]);
    assert_eq!(
        (run.code, run.stdout.as_str(), run.stderr.as_str()),
        (Some(0), "", "")
    );
}

#[test]
fn failed_is_1() {
    let environment = Environment::new();
    environment.write(".claude", "in the way");
    environment.ckpt(&["start", "implement"]).exits(1);
}

#[test]
fn wrong_usage_is_2() {
    let environment = Environment::started();
    for arguments in [
        &["no-such-command"][..],
        &[],
        &["phase", "implement/auth"],
        &["phase", "implement/auth", "build", "sleeping"],
        &["phase", "implement/auth", "build", "--data", "[]"],
        &["phase", "implement/auth", "build", "--data", "{"],
        &["phase", "implement/auth", "", "complete"],
        &["abandon", "implement/auth"],
        &["abandon", "implement/auth", "--reason", " "],
        &["gate", "set", "implement/auth"],
        &["save", "implement/auth", "--base", "seven"],
        &["phase", "plan:x", "build", "complete"],
        &["show", "plan:../x"],
        &["start", "implement", "???"],
        &["-C", "README.md", "list"],
    ] {
        let run = environment.ckpt(arguments);
        assert_eq!(run.code, Some(2), "{arguments:?}: {run}");
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
}

#[test]
fn not_found_is_3() {
    let environment = Environment::started();
    for arguments in [
        &["resume", "implement/other"][..],
        &["show", "implement/other"],
        &["show", "missing.json"],
        &["show", "plan:x"],
        &["show", "pipeline:x"],
        &["validate", "implement/other"],
        &["log", "implement/other"],
        &["gate", "check", "implement/other"],
        &["gate", "show", "implement/other"],
        &["gate", "set", "implement/other", "--allow"],
        &["gate", "override", "implement/other", "--reason", "x"],
        &["complete", "implement/other"],
        &["abandon", "implement/other", "--reason", "x"],
        &["config", "get", "no_such_setting"],
        &["config", "set", "no_such_setting", "1"],
    ] {
        let run = environment.ckpt(arguments);
        assert_eq!(run.code, Some(3), "{arguments:?}: {run}");
        assert!(run.stderr.starts_with("error: "), "{arguments:?}: {run}");
        assert_eq!(run.stdout, "", "{arguments:?}");
    }
    assert!(!environment.state("implement-other.json").exists());
}

#[test]
fn an_unknown_base_is_3() {
    let environment = Environment::started();
    let document = environment.read(".claude/state/implement-auth.json");
    for base in ["99", "1-zzzzzzzz"] {
        let run = environment.ckpt_reading(&document, &["save", "implement/auth", "--base", base]);
        assert_eq!(run.code, Some(3), "{run}");
    }
}

#[test]
fn invalid_or_refused_is_4() {
    let environment = Environment::started();
    environment.write("not-json.json", "{");
    environment.write("bad.json", r#"{ "version": 2 }"#);
    for arguments in [
        &["validate", "bad.json"][..],
        &["validate", "not-json.json"],
        &["show", "not-json.json"],
        &["config", "set", "summary_limit", "many"],
        &["tokens", "README.md", "--limit", "0"],
    ] {
        let run = environment.ckpt(arguments);
        assert_eq!(run.code, Some(4), "{arguments:?}: {run}");
    }
    environment
        .ckpt_reading("{", &["save", "implement/auth"])
        .exits(4);
    environment
        .ckpt_reading("[]", &["save", "implement/auth"])
        .exits(4);
}

#[test]
fn conflict_is_5() {
    let environment = Environment::started();
    let run = environment.ckpt(&["phase", "implement-auth/x", "build", "complete"]);
    assert_eq!(run.exits(0).stdout, "");
    environment
        .ckpt(&["phase", "implement/auth-x", "build", "complete"])
        .exits(5);
}

#[test]
fn blocked_is_6() {
    Environment::started()
        .ckpt(&["gate", "check", "implement/auth"])
        .exits(6);
}

#[test]
fn stale_is_7_when_asked_for() {
    let environment = Environment::started();
    environment.ckpt(&["resume", "--fail-if-stale"]).exits(0);
    environment.commit("on and on");
    environment.ckpt(&["resume"]).exits(0);
    environment.ckpt(&["resume", "--fail-if-stale"]).exits(7);
    environment
        .ckpt(&["resume", "implement/auth", "--fail-if-stale", "--json"])
        .exits(7);
}

#[test]
fn already_complete_is_8() {
    let environment = Environment::started();
    environment
        .ckpt(&["complete", "implement/auth", "--force"])
        .exits(0);
    for arguments in [
        &["start", "implement", "auth"][..],
        &["resume", "implement/auth"],
    ] {
        let run = environment.ckpt(arguments);
        assert_eq!(run.code, Some(8), "{arguments:?}: {run}");
        let expected = "error: implement/auth already complete. \
                        Start over with: ckpt start implement auth --again\n";
        assert_eq!(run.stderr, expected);
    }
}
