//! Whatever a receiver answers, each message arrives in the end, or is given up by a rule.

use std::time::{Duration, Instant};

use serde_json::json;

use super::{PATIENCE, SECRET, SETTINGS, events, run, told, wait_until, webhook, with_webhooks};
use crate::support::environment::Environment;
use crate::support::process::without_workers;
use crate::support::server::{Reply, Server};

fn not_now(status: u16) -> Reply {
    let headers = vec![("retry-after", "1".to_owned())];
    Reply::Answer(status, headers, String::new())
}

#[test]
fn a_message_is_sent_again_until_it_is_taken() {
    let server = Server::new(|_, number| match number {
        // After this, the first pause is five seconds.
        0 => Reply::Silence(Duration::ZERO),
        1 => not_now(429),
        2 => not_now(500),
        3 => not_now(302),
        _ => Reply::status(204),
    });
    let environment = told(&server);
    run(&environment, "start ship", 0);
    // Nothing else happens meanwhile: the worker stays.
    wait_until("it is taken", || server.heard().len() == 5);
    wait_until("that is noted", || {
        run(&environment, "notify", 0).contains("told everything")
    });
    let heard = server.heard();
    let ids: Vec<&str> = heard.iter().map(|one| one.header("webhook-id")).collect();
    assert!(
        ids.iter().all(|id| *id == ids[0] && id.starts_with("msg_")),
        "{ids:?}"
    );
    let first: i64 = heard[0].header("webhook-timestamp").parse().unwrap();
    let last: i64 = heard[4].header("webhook-timestamp").parse().unwrap();
    assert!(last > first, "each try has its own time");
    drop(heard);
    let log = run(&environment, "notify log", 0);
    for expected in ["status 429", "status 500", "status 302", "taken after"] {
        assert!(log.contains(expected), "{expected}: {log}");
    }
}

#[test]
fn no_redirect_is_followed() {
    let elsewhere = Server::that_says(200);
    let to = elsewhere.url("/");
    let server =
        Server::new(move |_, _| Reply::Answer(307, vec![("location", to.clone())], String::new()));
    let environment = told(&server);
    let refused = run(&environment, "notify test ops", 1);
    assert!(refused.contains("it answered with status 307"), "{refused}");
    assert_eq!((server.heard().len(), elsewhere.heard().len()), (1, 0));
}

#[test]
fn an_answer_that_is_cut_off_is_no_answer() {
    let server = Server::new(|_, _| Reply::Cut);
    let environment = told(&server);
    let refused = run(&environment, "notify test ops", 1);
    assert!(refused.contains("127.0.0.1"), "{refused}");
}

#[test]
fn a_receiver_that_wants_no_more_is_left_alone_until_the_user_asks() {
    let server = Server::new(|_, number| Reply::status(if number == 0 { 410 } else { 200 }));
    let environment = told(&server);
    run(&environment, "start ship", 0);
    wait_until("it is tried", || server.heard().len() == 1);
    run(&environment, "phase ship commit in_progress", 0);
    wait_until("that is noted", || {
        run(&environment, "notify", 0).contains("it wants no more messages")
    });
    assert_eq!(server.heard().len(), 1);
    let _alone = without_workers(&environment);
    let retried = run(&environment, "notify retry ops", 0);
    assert_eq!(retried, "ops took 2 messages\n");
    assert_eq!(events(&server), ["checkpoint_started", "phase_updated"]);
}

#[test]
fn what_is_too_old_is_given_up_and_kept_until_it_is_sent_again() {
    let server = Server::new(|_, number| Reply::status(if number == 0 { 503 } else { 200 }));
    let environment =
        crate::support::environment::Environment::new().with_variable("OPS_SECRET", SECRET);
    let mut webhook = webhook(&server);
    webhook["give_up_after_hours"] = 0.into();
    environment.write(SETTINGS, json!({"webhooks": [webhook]}).to_string());
    run(&environment, "notify allow ops --private --yes", 0);
    run(&environment, "start ship", 0);
    wait_until("it is given up", || {
        run(&environment, "notify", 0).contains("1 given up; send them with: ckpt notify retry ops")
    });
    // The next one is not held up by it.
    run(&environment, "phase ship commit in_progress", 0);
    wait_until("the next one arrives", || server.heard().len() == 2);
    let _alone = without_workers(&environment);
    assert_eq!(
        run(&environment, "notify retry ops", 0),
        "ops took 1 message\n"
    );
    assert!(!run(&environment, "notify", 0).contains("given up"));
    let heard = server.heard();
    assert_eq!(heard[0].header("webhook-id"), heard[2].header("webhook-id"));
    assert_eq!(heard[2].json()["type"], "checkpoint_started");
}

#[test]
fn a_missing_secret_is_named_and_nothing_is_lost() {
    let server = Server::that_says(200);
    let environment = with_webhooks(&json!([webhook(&server)])).with_variable("OPS_SECRET", "");
    run(&environment, "notify allow ops --private --yes", 0);
    run(&environment, "start ship", 0);
    wait_until("the worker says why", || {
        run(&environment, "followers", 0)
            .contains("env:OPS_SECRET is not set in the environment of this process")
    });
    let environment = environment.with_variable("OPS_SECRET", "hunter2");
    let refused = run(&environment, "notify test ops", 1);
    assert!(
        refused.contains("the secret is not whsec_ and 24 to 64 bytes"),
        "{refused}"
    );
    assert!(!refused.contains("hunter2"));
    let environment = environment.with_variable("OPS_SECRET", SECRET);
    let _alone = without_workers(&environment);
    assert_eq!(
        run(&environment, "notify retry ops", 0),
        "ops took 1 message\n"
    );
}

#[test]
fn both_keys_sign_while_one_replaces_the_other() {
    let server = Server::that_says(200);
    let environment = Environment::new()
        .with_variable("OPS_SECRET", SECRET)
        .with_variable("OLD", "whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA");
    let mut webhook = webhook(&server);
    webhook["previous_secret"] = "env:OLD".into();
    environment.write(SETTINGS, json!({"webhooks": [webhook]}).to_string());
    run(&environment, "notify allow ops --private --yes", 0);
    run(&environment, "notify test ops", 0);
    let heard = server.heard();
    let signatures: Vec<&str> = heard[0].header("webhook-signature").split(' ').collect();
    assert_eq!(signatures.len(), 2, "{signatures:?}");
    assert_ne!(signatures[0], signatures[1]);
}

#[test]
fn a_worker_without_network_or_secret_ends_and_says_why() {
    let webhooks = json!([
        {"name": "far", "url": "https://webhook.invalid/", "secret": "env:OPS_SECRET", "events": []},
        {"name": "mute", "url": "https://webhook.invalid/", "secret": "env:NOT_SET", "events": []},
    ]);
    let environment = with_webhooks(&webhooks);
    for name in ["far", "mute"] {
        run(&environment, &format!("notify allow {name} --yes"), 0);
    }
    run(&environment, "start ship", 0);
    wait_until("both reasons are told", || {
        let said = run(&environment, "followers", 0);
        said.contains("webhook.invalid cannot be found") && said.contains("env:NOT_SET is not set")
    });
    // Nobody can take the lock of a worker that stays.
    let begin = Instant::now();
    drop(without_workers(&environment));
    assert!(begin.elapsed() < PATIENCE, "the worker ends");
}

#[test]
fn a_receiver_that_always_says_at_once_is_asked_less_and_less() {
    let server = Server::new(|_, _| {
        Reply::Answer(503, vec![("retry-after", "0".to_owned())], String::new())
    });
    let environment = told(&server);
    run(&environment, "start ship", 0);
    wait_until("it was asked four times", || server.heard().len() == 4);
    let heard = server.heard();
    let at = |number: usize| {
        heard[number]
            .header("webhook-timestamp")
            .parse::<i64>()
            .unwrap()
    };
    assert!(at(3) - at(0) >= 5, "after one, two and three seconds");
}

#[test]
fn what_was_given_up_in_another_worktree_is_sent_too() {
    let server = Server::new(|_, number| Reply::status(if number == 0 { 500 } else { 200 }));
    let mut webhook = webhook(&server);
    webhook["give_up_after_hours"] = 0.into();
    let environment = with_webhooks(&json!([webhook]));
    run(&environment, "notify allow ops --private --yes", 0);
    environment.commit("settings");
    let tree = environment.linked_worktree();
    environment.ckpt_in(&tree, &["start", "ship"]).exits(0);
    wait_until("it is given up", || {
        run(&environment, "notify", 0).contains("1 given up")
    });
    let doctor = run(&environment, "doctor", 0);
    assert!(
        doctor.contains("did not get 1 messages, which were given up"),
        "{doctor}"
    );
    let _alone = without_workers(&environment);
    let tree = tree.to_str().unwrap().to_owned();
    environment.git(&["worktree", "remove", "--force", &tree]);
    assert_eq!(
        run(&environment, "notify retry ops", 0),
        "ops took 1 message\n"
    );
    assert!(run(&environment, "notify log ops", 0).contains("checkpoint_started: taken"));
}
