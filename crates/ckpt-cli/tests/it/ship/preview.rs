//! Waiting for the preview of a commit, from real servers that play Vercel and GitHub.

use std::time::Duration;

use serde_json::{Value, json};

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::server::{Heard, Reply, Server};
use crate::support::shipping::{allow, integrated, set_for_user};
use crate::support::tool;

const TOKEN: &str = "env:TOKEN_OF_TEST";

fn settings(vercel: &Value) -> Value {
    let mut settings = json!({ "vercel": { "enabled": true, "token": TOKEN } });
    let members = vercel.as_object().unwrap().clone();
    settings["vercel"].as_object_mut().unwrap().extend(members);
    settings
}

/// A repository that may ask this server, which plays Vercel.
fn asking(vercel: &Value, provider: &Server) -> Environment {
    let environment = integrated(&settings(vercel));
    allow(&environment, "vercel");
    set_for_user(&environment, &json!({ "vercel_url": provider.url("") }));
    environment
}

fn required() -> Value {
    json!({ "require_preview_success": true })
}

fn deployments(commit: &str, state: &str) -> String {
    let deployment = json!({
        "uid": "dpl_1",
        "url": "login-abc.vercel.app",
        "readyState": state,
        "target": null,
        "created": 1_000,
        "inspectorUrl": "https://vercel.com/acme/login/1",
        "meta": { "githubCommitSha": commit },
    });
    json!({ "deployments": [deployment] }).to_string()
}

/// The commit in a request to Vercel.
fn asked_for(asked: &Heard) -> String {
    let after = asked.path.split("sha=").nth(1).unwrap_or_default();
    after.chars().take_while(char::is_ascii_hexdigit).collect()
}

fn preview(environment: &Environment, timeout: &str) -> Run {
    environment.ckpt(&["ship", "preview", "ship/login", "--timeout", timeout])
}

fn receipt(environment: &Environment) -> Value {
    environment.document("ship-login")["receipts"]["preview"].clone()
}

fn short(environment: &Environment) -> String {
    environment.head()[..7].to_owned()
}

#[test]
fn a_preview_that_is_built_is_waited_for_and_leaves_a_receipt() {
    let provider = Server::new(|asked, number| {
        let state = ["QUEUED", "BUILDING", "READY"][number.min(2)];
        match number {
            0 => Reply::ok(r#"{"deployments":[]}"#),
            _ => Reply::ok(deployments(&asked_for(asked), state)),
        }
    });
    let environment = asking(&required(), &provider);
    let run = preview(&environment, "20").exits(0);
    let expected = format!(
        "preview ready: {} is deployed, https://login-abc.vercel.app\n",
        short(&environment)
    );
    assert_eq!(
        (run.stdout.as_str(), run.stderr.as_str()),
        (expected.as_str(), "")
    );
    let heard = provider.heard();
    assert_eq!(heard.len(), 3, "{heard:?}");
    assert_eq!(heard[0].header("authorization"), "Bearer t0ken");
    drop(heard);
    let receipt = receipt(&environment);
    for (member, value) in [
        ("kind", json!("preview")),
        ("result", json!("passed")),
        ("state", json!("ready")),
        ("provider", json!("vercel")),
        ("commit", json!(environment.head())),
        ("url", json!("https://login-abc.vercel.app")),
        ("required", json!(true)),
    ] {
        assert_eq!(receipt[member], value, "{member}");
    }
    assert!(!receipt.to_string().contains("t0ken"));
    let events = environment.events("ship-login");
    assert!(
        events.last().unwrap().ends_with(" gate_passed"),
        "{events:?}"
    );
    let shown = environment.ckpt(&["gate", "show", "ship/login"]).exits(0);
    assert!(shown.stdout.contains("✓ preview: proven"), "{shown}");
    environment.ckpt(&["validate", "ship/login"]).exits(0);
    environment.write("README.md", "changed\n");
    let shown = environment.ckpt(&["gate", "show", "ship/login"]).exits(0);
    assert!(
        shown.stdout.contains("preview: ran on older content"),
        "{shown}"
    );
}

#[test]
fn a_preview_that_fails_blocks_if_it_is_required() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "ERROR")));
    let environment = asking(&required(), &provider);
    let run = preview(&environment, "20").exits(6);
    let expected = format!(
        "preview failed: {} could not be deployed, https://vercel.com/acme/login/1\n",
        short(&environment)
    );
    assert_eq!(run.stdout, expected);
    assert_eq!(
        run.reason(),
        "ship/login is blocked until a preview succeeds: ckpt ship preview ship/login"
    );
    environment
        .ckpt(&["gate", "set", "ship/login", "--allow"])
        .exits(0);
    let check = environment.ckpt(&["gate", "check", "ship/login"]).exits(6);
    assert!(check.stdout.contains("gate preview failed: "), "{check}");
    let brief = environment.ckpt(&["resume", "ship/login"]).exits(0);
    assert!(brief.stdout.contains("Gate preview failed"), "{brief}");
}

#[test]
fn a_preview_that_fails_is_only_a_warning_if_it_is_not_required() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "ERROR")));
    let environment = asking(&json!({}), &provider);
    let run = preview(&environment, "20").exits(0);
    assert!(
        run.stdout.starts_with("preview failed, not required: "),
        "{run}"
    );
    assert_eq!(
        run.reason(),
        "warning: the preview failed, which does not stop shipping here"
    );
    assert_eq!(receipt(&environment)["result"], "tolerated");
    environment
        .ckpt(&["gate", "set", "ship/login", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship/login"]).exits(0);
    let shown = environment.ckpt(&["show", "ship/login"]).exits(0);
    assert!(
        shown
            .stdout
            .contains("! gate preview: failed, not required"),
        "{shown}"
    );
    let brief = environment.ckpt(&["resume", "ship/login"]).exits(0);
    assert!(
        brief
            .stdout
            .contains("Gate preview failed, but is not required"),
        "{brief}"
    );
}

#[test]
fn a_failed_preview_that_is_not_required_blocks_no_command_without_a_gate() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "ERROR")));
    let environment = asking(&json!({}), &provider);
    environment.ckpt(&["start", "implement", "login"]).exits(0);
    let wait = ["ship", "preview", "implement/login", "--timeout", "20"];
    environment.ckpt(&wait).exits(0);
    environment
        .ckpt(&["gate", "set", "ship/login", "--allow"])
        .exits(0);
    let push = format!(
        "refs/heads/main {0} refs/heads/main {0}\n",
        environment.head()
    );
    let judged = environment.ckpt_reading(push, &["gate", "pre-push"]);
    assert_eq!(judged.code, Some(0), "{judged}");
}

#[test]
fn nothing_else_stands_in_for_the_preview() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "READY")));
    let environment = asking(&required(), &provider);
    let gate = ["gate", "run", "ship/login", "preview", "--", "true"];
    let run = environment.ckpt(&gate).exits(2);
    assert!(
        run.stderr.contains("preview is the gate of the preview"),
        "{run}"
    );
    environment.write("more.txt", "more\n");
    environment.commit("More");
    let earlier = ["ship", "preview", "ship/login", "--commit", "HEAD~1"];
    let run = environment.ckpt(&earlier).exits(0);
    assert!(run.stderr.contains("is not checked out"), "{run}");
    assert_eq!(receipt(&environment), Value::Null);
}

#[test]
fn a_preview_that_is_there_at_last_is_no_luck() {
    let provider = Server::new(|asked, number| {
        let state = if number == 0 { "ERROR" } else { "READY" };
        Reply::ok(deployments(&asked_for(asked), state))
    });
    let environment = asking(&required(), &provider);
    preview(&environment, "20").exits(6);
    preview(&environment, "20").exits(0);
    let brief = environment.ckpt(&["resume", "ship/login"]).exits(0);
    assert!(
        brief
            .stdout
            .contains("Gate preview (proven: it ran on this content)"),
        "{brief}"
    );
    assert!(!brief.stdout.contains("luck"), "{brief}");
    assert!(!brief.stdout.contains("in a row"), "{brief}");
}

#[test]
fn a_receipt_from_elsewhere_lifts_nothing() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "ERROR")));
    let environment = asking(&required(), &provider);
    preview(&environment, "20").exits(6);
    environment
        .ckpt(&["gate", "set", "ship/login", "--allow"])
        .exits(0);
    let document = environment.read(".claude/state/ship-login.json");
    let forged = document.replace(r#""result": "failed""#, r#""result": "tolerated""#);
    assert_ne!(forged, document);
    environment.write(".claude/state/ship-login.json", forged);
    let check = environment.ckpt(&["gate", "check", "ship/login"]).exits(6);
    assert!(check.stdout.contains("gate preview failed"), "{check}");
}

#[test]
fn the_preview_of_another_commit_is_never_taken() {
    let provider = Server::new(|_, _| Reply::ok(deployments(&"2".repeat(40), "READY")));
    let environment = asking(&required(), &provider);
    let run = preview(&environment, "1").exits(6);
    let expected = format!(
        "preview failed: no deployment of {} has appeared; has it been pushed?\n",
        short(&environment)
    );
    assert_eq!(run.stdout, expected);
    assert_eq!(receipt(&environment)["state"], "not_found");
    assert!(provider.heard().len() > 5, "{}", provider.heard().len());
}

#[test]
fn a_build_that_does_not_end_is_given_up() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "BUILDING")));
    let environment = asking(&json!({ "preview_timeout_ms": 1_000 }), &provider);
    let run = environment
        .ckpt(&["ship", "preview", "ship/login"])
        .exits(0);
    assert!(
        run.stdout
            .contains("was not deployed in time: it is building"),
        "{run}"
    );
    assert_eq!(receipt(&environment)["state"], "timed_out");
}

#[test]
fn what_passes_is_waited_out() {
    let provider = Server::new(|asked, number| match number {
        0 => Reply::Answer(429, vec![("retry-after", "1".to_owned())], "{}".to_owned()),
        1 => Reply::Answer(500, Vec::new(), "oops".to_owned()),
        2 => Reply::Cut,
        3 => Reply::ok("<html>"),
        4 => Reply::Late(
            Duration::from_millis(300),
            deployments(&asked_for(asked), "BUILDING"),
        ),
        _ => Reply::ok(deployments(&asked_for(asked), "READY")),
    });
    let environment = asking(&required(), &provider);
    let begun = std::time::Instant::now();
    preview(&environment, "30").exits(0);
    assert_eq!(provider.heard().len(), 6);
    assert!(begun.elapsed() >= Duration::from_secs(1));
}

#[test]
fn a_server_that_never_answers_does_not_hold_for_longer_than_asked() {
    let provider = Server::new(|_, _| Reply::Late(Duration::from_secs(8), String::new()));
    let environment = asking(&required(), &provider);
    let begun = std::time::Instant::now();
    let run = preview(&environment, "1").exits(6);
    assert!(run.stdout.contains("did not answer in time"), "{run}");
    assert!(
        begun.elapsed() < Duration::from_secs(7),
        "{:?}",
        begun.elapsed()
    );
}

#[test]
fn a_token_that_is_refused_ends_the_wait_at_once() {
    for (status, why) in [
        (
            401,
            "it answered 401: the token is wrong, or may not do this",
        ),
        (
            403,
            "it answered 403: the token is wrong, or may not do this",
        ),
        (
            404,
            "it answered 404: it does not know this project, or the token may not see it",
        ),
    ] {
        let provider = Server::new(move |_, _| Reply::Answer(status, Vec::new(), "{}".to_owned()));
        let environment = asking(&json!({}), &provider);
        let run = preview(&environment, "20").exits(4);
        assert_eq!(
            run.stderr,
            format!(
                "error: vercel does not tell about previews: {why}. Check what \"vercel\" says in .claude/config/integrations.json, and its token\n"
            )
        );
        assert_eq!(provider.heard().len(), 1);
        assert_eq!(receipt(&environment), Value::Null);
    }
}

#[test]
fn a_server_that_cannot_prove_who_it_is_hears_nothing() {
    let provider = Server::encrypted(|asked, _| Reply::ok(deployments(&asked_for(asked), "READY")));
    let environment = asking(&required(), &provider);
    let run = preview(&environment, "20").exits(4);
    assert!(
        run.reason().contains("127.0.0.1 cannot prove who it is"),
        "{run}"
    );
    assert_eq!(provider.heard().len(), 0);
    let file = environment.base().join("authorities.pem");
    std::fs::write(&file, provider.certificate.as_ref().unwrap()).unwrap();
    let settings = json!({ "vercel_url": provider.url(""), "certificates": file });
    set_for_user(&environment, &settings);
    preview(&environment, "20").exits(0);
}

#[test]
fn a_canceled_build_of_a_commit_that_is_not_checked_out_is_superseded() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "CANCELED")));
    let environment = asking(&required(), &provider);
    let run = preview(&environment, "20").exits(6);
    assert!(run.stdout.contains("which was canceled"), "{run}");
    let first = environment.head();
    environment.commit("Went on");
    let wait = [
        "ship",
        "preview",
        "ship/login",
        "--commit",
        "HEAD~1",
        "--json",
    ];
    let report = environment.ckpt(&wait).exits(6).json();
    assert_eq!(report["preview"]["state"], "superseded");
    assert_eq!(report["preview"]["commit"], first.as_str());
}

#[test]
fn a_build_that_waits_for_a_person_says_so() {
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "BLOCKED")));
    let environment = asking(&required(), &provider);
    let run = preview(&environment, "1").exits(6);
    let why = "it is blocked until a person lets it go on, at https://vercel.com/acme/login/1";
    assert!(run.stdout.contains(why), "{run}");
}

/// A repository that may ask this server, which plays GitHub.
fn asking_github(provider: &Server) -> Environment {
    let settings = json!({
        "vercel": { "enabled": true, "provider": "github", "require_preview_success": true },
        "github": { "repository": "acme/shop", "token": TOKEN },
    });
    let environment = integrated(&settings);
    allow(&environment, "github");
    set_for_user(&environment, &json!({ "github_url": provider.url("") }));
    environment
}

#[test]
fn github_is_asked_about_the_deployments_of_vercel() {
    let provider = Server::new(|asked, _| {
        if asked
            .path
            .starts_with("/repos/acme/shop/deployments/7/statuses?")
        {
            let statuses = json!([
                { "state": "inactive", "created_at": "2026-11-19T10:02:00Z" },
                { "state": "success", "environment_url": "https://shop.vercel.app", "created_at": "2026-11-19T10:01:00Z" },
            ]);
            return Reply::ok(statuses.to_string());
        }
        let deployment = |id: u64, login: &str| {
            json!({ "id": id, "sha": asked_for(asked), "environment": "Preview – shop",
                "creator": { "login": login }, "created_at": "2026-11-19T10:00:00Z" })
        };
        let both = json!([deployment(9, "mallory"), deployment(7, "vercel[bot]")]);
        Reply::ok(both.to_string())
    });
    let environment = asking_github(&provider);
    let run = preview(&environment, "20").exits(0);
    assert!(
        run.stdout
            .ends_with("is deployed, https://shop.vercel.app\n"),
        "{run}"
    );
    assert_eq!(receipt(&environment)["provider"], "github");
}

#[test]
fn another_repository_or_project_has_to_be_allowed_again() {
    let provider = Server::new(|_, _| Reply::ok("[]"));
    let environment = asking_github(&provider);
    let elsewhere = json!({
        "vercel": { "enabled": true, "provider": "github", "require_preview_success": true },
        "github": { "repository": "mallory/shop", "token": TOKEN },
    });
    environment.write(".claude/config/integrations.json", elsewhere.to_string());
    let run = preview(&environment, "20").exits(6);
    assert!(
        run.stderr.contains("github is not what you allowed"),
        "{run}"
    );
    assert_eq!(provider.connections(), 0);
}

#[test]
fn a_build_that_github_knows_was_rejected_fails_at_once() {
    let provider = Server::new(|asked, _| match asked.path.contains("/status?") {
        false => Reply::ok("[]"),
        true => {
            let status = json!({ "context": "Vercel", "state": "failure", "description": "Too many builds" });
            Reply::ok(json!({ "state": "failure", "statuses": [status] }).to_string())
        }
    });
    let environment = asking_github(&provider);
    let run = preview(&environment, "20").exits(6);
    assert!(
        run.stdout.contains("was not deployed: \"Too many builds\""),
        "{run}"
    );
    assert_eq!(receipt(&environment)["state"], "rejected");
}

#[test]
fn each_reason_not_to_wait_is_named_with_the_next_step() {
    let file = ".claude/config/integrations.json";
    for (settings, why) in [
        (
            json!({}),
            format!("\"vercel.enabled\" is not true in {file}; set it to wait for previews"),
        ),
        (
            json!({ "vercel": { "enabled": false } }),
            format!("\"vercel.enabled\" is not true in {file}; set it to wait for previews"),
        ),
        (
            json!({ "vercel": { "enabled": true, "wait_for_preview": false } }),
            format!(
                "\"vercel.wait_for_preview\" is false in {file}; set it to true to wait for previews"
            ),
        ),
        (
            json!({ "vercel": { "enabled": true } }),
            format!(
                "there is no token for vercel; add to {file}: \"vercel\": {{\"token\": \"env:VERCEL_TOKEN\"}}"
            ),
        ),
        (
            json!({ "vercel": { "enabled": true, "provider": "github" } }),
            format!(
                "there is no token for github; add to {file}: \"github\": {{\"token\": \"env:GITHUB_TOKEN\"}}"
            ),
        ),
        (
            json!({ "vercel": { "enabled": true }, "github": { "token": TOKEN } }),
            format!(
                "the repository on github is not known; add to {file}: \"github\": {{\"repository\": \"OWNER/NAME\"}}"
            ),
        ),
    ] {
        let run = preview(&integrated(&settings), "20").exits(0);
        assert_eq!(run.stdout, format!("no preview is waited for: {why}\n"));
        assert_eq!(run.stderr, "");
    }
    let environment = Environment::new();
    preview(&environment, "20").exits(3);
    environment.ckpt(&["start", "ship", "login"]).exits(0);
    let run = preview(&environment, "20").exits(0);
    let why = format!("there is no {file}; make it with: ckpt init");
    assert_eq!(run.stdout, format!("no preview is waited for: {why}\n"));
    let report = environment.ckpt(&["ship", "preview", "ship/login", "--json"]);
    assert_eq!(report.exits(0).json()["not_waited"], why.as_str());
}

#[test]
fn settings_that_cannot_work_are_named_with_the_next_step() {
    let environment = integrated(&settings(&required()));
    let run = preview(&environment, "20").exits(6);
    assert_eq!(
        run.stderr,
        "error: vercel is not allowed here: allow it with: ckpt notify allow vercel\n"
    );
    let mut other = settings(&required());
    other["vercel"]["token"] = "env:AWS_SECRET_ACCESS_KEY".into();
    allow(&environment, "vercel");
    environment.write(".claude/config/integrations.json", other.to_string());
    let run = preview(&environment, "20").exits(6);
    assert!(
        run.reason()
            .starts_with("error: vercel is not what you allowed"),
        "{run}"
    );
    let mut tokenless = settings(&required());
    tokenless["vercel"].as_object_mut().unwrap().remove("token");
    environment.write(".claude/config/integrations.json", tokenless.to_string());
    let run = preview(&environment, "20").exits(4);
    assert_eq!(
        run.stderr,
        "error: a preview is required, and there is no token for vercel. Add to .claude/config/integrations.json: \"vercel\": {\"token\": \"env:VERCEL_TOKEN\"}\n"
    );
    environment.write(".claude/config/integrations.json", "{");
    let run = preview(&environment, "20").exits(4);
    assert!(
        run.reason()
            .starts_with("error: .claude/config/integrations.json: "),
        "{run}"
    );
    assert!(
        run.stderr
            .ends_with(". Mend the file or remove it; nothing is sent until then\n"),
        "{run}"
    );
    environment.write(
        ".claude/config/integrations.json",
        r#"{"vercel": {"enabled": "yes"}}"#,
    );
    let run = preview(&environment, "20").exits(0);
    assert!(run.reason().contains("integrations.json: "), "{run}");
    assert!(run.reason().contains("/vercel/enabled"), "{run}");
}

#[test]
fn a_preview_needs_a_checkpoint_and_a_commit() {
    let provider = Server::new(|_, _| Reply::ok("{}"));
    let environment = asking(&required(), &provider);
    environment
        .ckpt(&["ship", "preview", "ship/other"])
        .exits(3);
    let odd = ["ship", "preview", "ship/login", "--commit", "--output=x"];
    assert_ne!(environment.ckpt(&odd).code, Some(0));
    let unknown = ["ship", "preview", "ship/login", "--commit", "nowhere"];
    let run = environment.ckpt(&unknown).exits(3);
    assert_eq!(
        run.reason(),
        "error: git knows no commit \"nowhere\". List the commits with: git log --oneline"
    );
    assert_eq!(provider.heard().len(), 0);
}

/// `script` gives it a terminal.
#[test]
fn on_a_terminal_the_time_is_shown_and_with_json_it_is_not() {
    if !tool::works("script", &["--version"]) {
        return;
    }
    let provider = Server::new(|asked, _| Reply::ok(deployments(&asked_for(asked), "BUILDING")));
    let environment = asking(&json!({}), &provider);
    let shown = |more: &str| {
        let line = format!("{CKPT} ship preview ship/login --timeout 2{more}");
        let mut command = environment.command("script");
        command.args(["-q", "-e", "-c", &line, "/dev/null"]);
        Run::of(command.env("TERM", "xterm")).exits(0).stdout
    };
    let clock = "gate preview has been running for 0:01";
    let plain = shown("");
    assert!(plain.contains(clock), "{plain}");
    let json = shown(" --json");
    assert!(!json.contains(clock), "{json}");
}
