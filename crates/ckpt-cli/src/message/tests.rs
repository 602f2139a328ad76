use serde_json::Value;

use super::*;
use ckpt::key::CommandKey;

fn line(members: &str) -> Line {
    let text = format!(
        r#"{{"ts":"2026-02-20T11:49:00.000Z",{members},"rev":7,"epoch":"mi0k3x5z","by":"main","branch":"main"}}"#
    );
    Line::parse(text.into_bytes()).unwrap()
}

fn key() -> Key {
    Key::Command(CommandKey::parse("implement/auth").unwrap())
}

fn message<'m>(line: &'m Line, key: &'m Key) -> Message<'m> {
    Message {
        repository: "shop",
        key: Some(key),
        about: "command:implement-auth",
        worktree: "w1",
        line,
    }
}

#[test]
fn an_id_is_the_same_for_each_try_and_no_other_message_has_it() {
    let (key, other) = (key(), line(r#""event":"gate_failed","gate":"lint""#));
    let line = line(r#""event":"gate_failed","gate":"tests""#);
    let one = message(&line, &key);
    assert_eq!(one.id(), message(&line.clone(), &key).id());
    // What is known of the name of the checkpoint changes nothing.
    assert_eq!(one.id(), Message { key: None, ..one }.id());
    let ids = [
        message(&other, &key).id(),
        Message {
            worktree: "w2",
            ..one
        }
        .id(),
        Message {
            about: "command:ship-checkpoint",
            ..one
        }
        .id(),
    ];
    assert!(ids.iter().all(|id| *id != one.id()));
    // The specification allows no dot in an id.
    assert!(one.id().starts_with("msg_") && !one.id().contains('.'));
}

#[test]
fn people_hear_of_steps_and_of_what_needs_them() {
    let key = key();
    let heard = |members: &str| {
        let line = line(members);
        let news = News::of(&message(&line, &key));
        (news.concerns_people(), news.command().map(str::to_owned))
    };
    let needs = |command: &str| (true, Some(command.to_owned()));
    let step = (true, None);
    let routine = (false, None);
    assert_eq!(
        heard(r#""event":"phase_updated","phase":"a","status":"in_progress""#),
        routine
    );
    assert_eq!(
        heard(r#""event":"phase_updated","phase":"a","status":"complete""#),
        step
    );
    assert_eq!(
        heard(r#""event":"phase_updated","phase":"a","status":"failed""#),
        needs("ckpt resume implement/auth")
    );
    assert_eq!(heard(r#""event":"gate_set","ship_allowed":true"#), step);
    assert_eq!(
        heard(r#""event":"gate_set","ship_allowed":false"#),
        needs("ckpt gate show implement/auth")
    );
    assert_eq!(
        heard(r#""event":"handoff_recorded","decision":"PROCEED""#),
        routine
    );
    assert_eq!(
        heard(r#""event":"handoff_recorded","decision":"STOP""#),
        needs("ckpt resume implement/auth")
    );
    assert_eq!(
        heard(r#""event":"gate_failed","gate":"tests""#),
        needs("ckpt gate show implement/auth")
    );
    assert_eq!(
        heard(r#""event":"session_crash""#),
        needs("ckpt resume implement/auth")
    );
    assert_eq!(heard(r#""event":"an_event_of_a_newer_version""#), routine);
}

#[test]
fn whatever_a_line_holds_the_message_is_bounded_and_whole() {
    let key = key();
    let long = "<&>*@channel` ".repeat(20_000);
    let many: Vec<String> = (0..5_000)
        .map(|number| format!("\"reason {number} {long:.20}\""))
        .collect();
    let members = format!(
        r#""event":"gate_set","ship_allowed":false,"reason":"{long}","blockers":[{}],"receipt":{{"output_tail":"secret"}}"#,
        many.join(",")
    );
    let line = line(&members);
    let message = message(&line, &key);
    let generic: Value = serde_json::from_str(&message.for_programs()).unwrap();
    assert!(message.for_programs().len() < 64 * 1024);
    assert!(!message.for_programs().contains("output_tail"));
    assert_eq!(
        generic["data"]["needs_you"],
        "ckpt gate show implement/auth"
    );
    let slack: Value = serde_json::from_str(&message.for_slack()).unwrap();
    for block in slack["blocks"].as_array().unwrap() {
        let text = block["text"]["text"].as_str();
        let text = text
            .or_else(|| block["elements"][0]["text"].as_str())
            .unwrap();
        assert!(text.chars().count() <= 3_000, "{}", text.chars().count());
    }
    let slack = message.for_slack();
    assert!(
        !slack.contains("<&") && !slack.contains("*@"),
        "{slack:.200}"
    );
    let comment: Value =
        serde_json::from_str(&comment(&message, "BAS-6", Some(&long)).body).unwrap();
    let body = comment["variables"]["input"]["body"].as_str().unwrap();
    assert!(
        body.len() < 64 * 1024 && !body.contains("@channel"),
        "{body:.200}"
    );
}

#[test]
fn a_comment_has_an_id_in_the_form_of_a_random_uuid() {
    let key = key();
    for number in 0..50 {
        let line = line(&format!(r#""event":"phase_updated","n":{number}"#));
        let body: Value =
            serde_json::from_str(&comment(&message(&line, &key), "A-1", None).body).unwrap();
        let id = body["variables"]["input"]["id"].as_str().unwrap();
        let parts: Vec<usize> = id.split('-').map(str::len).collect();
        assert_eq!(parts, [8, 4, 4, 4, 12], "{id}");
        assert!(
            id[14..].starts_with('4') && "89ab".contains(&id[19..20]),
            "{id}"
        );
    }
}

#[test]
fn only_a_comment_that_linear_made_is_done() {
    let said = |status: u16, body: &str| Comment::said(status, body.as_bytes());
    let made = r#"{"data":{"commentCreate":{"success":true}}}"#;
    assert_eq!(said(200, made), Said::Done);
    let exists = r#"{"errors":[{"message":"Comment id already exists"}]}"#;
    assert_eq!(said(200, exists), Said::Done);
    let limited = r#"{"errors":[{"message":"x","extensions":{"code":"RATELIMITED"}}]}"#;
    assert_eq!(said(400, limited), Said::TooMany);
    let refused = r#"{"errors":[{"message":"no\nissue"}]}"#;
    assert_eq!(said(200, refused), Said::Refused("no issue".to_owned()));
    assert_eq!(said(401, refused), Said::NoEntry("no issue".to_owned()));
    let unknown = r#"{"errors":[{"message":"who","extensions":{"code":"AUTHENTICATION_ERROR"}}]}"#;
    assert_eq!(said(400, unknown), Said::NoEntry("who".to_owned()));
    for (status, body) in [
        (500, made),
        (302, made),
        (500, refused),
        (200, r#"{"data":{"commentCreate":{"success":false}}}"#),
        (200, r#"{"data":{"commentCreate":null}}"#),
        (200, r#"{"data":{}}"#),
        (200, r#"{"data":null}"#),
        (200, ""),
        (200, "<html>"),
        (200, "[]"),
    ] {
        assert_eq!(said(status, body), Said::Unclear, "{status} {body}");
    }
}
