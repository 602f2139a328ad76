//! Messages are written for those who read them.

use serde_json::json;

use super::{SECRET, SETTINGS, run, told, wait_until};
use crate::support::environment::Environment;
use crate::support::schema::{problems, schema};
use crate::support::server::{Reply, Server};
use crate::support::shipping::set_for_user;

#[test]
fn a_message_for_programs_is_as_its_schema_says() {
    let server = Server::that_says(200);
    let environment = told(&server);
    run(&environment, "notify test ops", 0);
    run(&environment, "start implement auth --phases a", 0);
    let blocked = [
        "gate",
        "set",
        "implement/auth",
        "--block",
        "two tests <fail> @team",
    ];
    environment.ckpt(&blocked).exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "a", "failed", "--error", "x"])
        .exits(0);
    wait_until("all are told", || server.heard().len() == 4);
    let schema = schema("webhook");
    for heard in server.heard().iter() {
        let message = heard.json();
        assert_eq!(
            problems(&schema, &message),
            Vec::<String>::new(),
            "{message:#}"
        );
        assert_eq!(heard.header("content-type"), "application/json");
    }
    let heard = server.heard();
    let blocked = heard[2].json();
    assert_eq!(blocked["type"], "gate_set");
    assert_eq!(
        blocked["data"]["story"],
        "shipping blocked: \"two tests <fail> @team\""
    );
    assert_eq!(
        blocked["data"]["needs_you"],
        "ckpt gate show implement/auth"
    );
    assert_eq!(
        blocked["data"]["details"]["blockers"],
        json!(["two tests <fail> @team"])
    );
    assert_eq!(
        heard[3].json()["data"]["needs_you"],
        "ckpt resume implement/auth"
    );
}

#[test]
fn a_channel_hears_what_concerns_people_and_the_command_to_type() {
    let server = Server::that_says(200);
    let environment = Environment::new().with_variable("CHAT_URL", server.url("/services/T/B/x"));
    let chat = json!({"name": "chat", "url": "env:CHAT_URL", "format": "slack", "events": []});
    environment.write(SETTINGS, json!({"webhooks": [chat]}).to_string());
    run(&environment, "notify allow chat --private --yes", 0);
    run(&environment, "start implement auth --phases a,b", 0);
    run(&environment, "phase implement/auth a in_progress", 0);
    run(&environment, "phase implement/auth a complete", 0);
    let reason = "<!channel> *two* tests & <https://evil.example|more> `fail`";
    environment
        .ckpt(&["gate", "set", "implement/auth", "--block", reason])
        .exits(0);
    wait_until("both are told", || server.heard().len() == 2);
    let heard = server.heard();
    assert_eq!(heard[0].path, "/services/T/B/x");
    assert_eq!(heard[0].header("webhook-signature"), "");
    let text = |number: usize| heard[number].json()["text"].as_str().unwrap().to_owned();
    assert_eq!(text(0), "implement/auth: phase a: in＿progress → complete");
    let blocked = heard[1].json().to_string();
    assert!(
        blocked.contains("This needs you: `ckpt gate show implement/auth`"),
        "{blocked}"
    );
    assert!(
        !blocked.contains("<!channel>") && !blocked.contains("<https"),
        "{blocked}"
    );
    assert!(
        blocked.contains("&lt;!channel&gt; ∗two∗ tests &amp;"),
        "{blocked}"
    );
}

/// A repository whose issues are in Linear, which a server plays.
fn with_linear(server: &Server, token: &str) -> Environment {
    let environment = Environment::new().with_variable("LINEAR_KEY", token);
    let linear = json!({"enabled": true, "team": "Basecamp", "token": "env:LINEAR_KEY"});
    environment.write(SETTINGS, json!({"linear": linear}).to_string());
    set_for_user(&environment, &json!({"linear_url": server.url("/graphql")}));
    run(&environment, "notify allow linear --yes", 0);
    environment
}

fn with_issue(environment: &Environment) {
    run(environment, "start implement auth --phases a,b", 0);
    let mut document = environment.document("implement-auth");
    document["issue"] = "BAS-6".into();
    environment
        .ckpt_reading(document.to_string(), &["save", "implement/auth"])
        .exits(0);
}

#[test]
fn a_finished_phase_is_a_comment_on_its_issue() {
    let server = Server::new(|_, number| match number {
        0 => Reply::Answer(
            400,
            vec![("retry-after", "1".to_owned())],
            json!({"errors": [{"message": "slow down", "extensions": {"code": "RATELIMITED"}}]})
                .to_string(),
        ),
        1 => Reply::json(&json!({"errors": [{"message": "Entity already exists"}]})),
        _ => Reply::json(&json!({"data": {"commentCreate": {"success": true}}})),
    });
    let environment = with_linear(&server, "lin_api_abc");
    with_issue(&environment);
    let done = [
        "phase",
        "implement/auth",
        "a",
        "complete",
        "--summary",
        "Sessions *live* in [x](http://evil).",
    ];
    environment.ckpt(&done).exits(0);
    run(&environment, "phase implement/auth b in_progress", 0);
    run(&environment, "start review ui --phases a", 0);
    run(&environment, "phase review/ui a complete", 0);
    wait_until("the second try is taken", || server.heard().len() == 2);
    run(&environment, "phase implement/auth b complete", 0);
    wait_until("the second phase is a comment", || {
        server.heard().len() == 3
    });
    let heard = server.heard();
    assert!(
        heard
            .iter()
            .all(|one| one.header("authorization") == "lin_api_abc")
    );
    let input = heard[0].json()["variables"]["input"].clone();
    assert_eq!(
        input,
        heard[1].json()["variables"]["input"],
        "the same comment"
    );
    assert_eq!(input["issueId"], "BAS-6");
    let body = input["body"].as_str().unwrap();
    assert!(body.starts_with("**implement/auth**: phase a: "), "{body}");
    assert!(
        body.contains("> Sessions \\*live\\* in \\[x\\](evil)."),
        "{body}"
    );
    let id = input["id"].as_str().unwrap();
    assert_eq!(id.len(), 36);
    assert_eq!(&id[14..15], "4");
    assert_ne!(heard[2].json()["variables"]["input"]["id"], input["id"]);
}

#[test]
fn a_token_that_linear_refuses_is_named() {
    let server = Server::new(|_, _| {
        Reply::Answer(
            401,
            Vec::new(),
            json!({"errors": [{"message": "no"}]}).to_string(),
        )
    });
    let environment = with_linear(&server, SECRET);
    let refused = run(&environment, "notify test linear", 1);
    assert!(refused.contains("it answered \"no\""), "{refused}");
    let heard = server.heard();
    assert_eq!(heard[0].header("authorization"), format!("Bearer {SECRET}"));
}

#[test]
fn a_comment_that_linear_refuses_is_put_aside_and_the_next_one_is_made() {
    let server = Server::new(|_, number| match number {
        0 => {
            let said = "Entity not found for lin_api_abc";
            Reply::json(&json!({"errors": [{"message": said}]}))
        }
        _ => Reply::json(&json!({"data": {"commentCreate": {"success": true}}})),
    });
    let environment = with_linear(&server, "lin_api_abc");
    with_issue(&environment);
    // What needs people is not what the user was asked about.
    environment
        .ckpt(&["gate", "set", "implement/auth", "--block", "secret reason"])
        .exits(0);
    run(&environment, "phase implement/auth a complete", 0);
    wait_until("it is put aside", || {
        run(&environment, "notify", 0).contains("1 given up")
    });
    run(&environment, "phase implement/auth b complete", 0);
    wait_until("the next one is made", || server.heard().len() == 2);
    assert!(!format!("{:?}", server.heard()).contains("secret reason"));
    let log = run(&environment, "notify log", 0);
    assert!(log.contains("Entity not found for ***********"), "{log}");
}
