use super::*;
use crate::command::Checkpoint;
use crate::document::Document;
use crate::facts::{GateFact, work_of_command};
use crate::key::CommandKey;

fn work(name: &str, phases: &str, gates: Vec<GateFact>) -> Work {
    let key = CommandKey::parse(name).unwrap();
    let text = format!(
        r#"{{"command": "{}", "version": 1, "state": {{}}, "phases": {phases}}}"#,
        key.command()
    );
    let root = Document::parse(text).unwrap().value();
    let checkpoint = Checkpoint::new(root.view());
    work_of_command(&Key::from(&key), checkpoint, &root, gates, None, &[], None)
}

fn gate(name: &str) -> GateFact {
    GateFact {
        gate: name.to_owned(),
        about: Vec::new(),
        proof: Proof::Proven,
        at: None,
        by: None,
        last_lines: None,
        run: None,
        failed_before: 0,
    }
}

fn issue() -> IssueId {
    IssueId::parse("BAS-6").unwrap()
}

#[test]
fn a_text_says_what_was_done_decided_and_proven() {
    let ship = work("ship/login-form", "{}", vec![gate("tests"), gate(PREVIEW)]);
    let phases = r#"{"build": {"status": "complete", "context_summary": "Login works"},
        "check": {"status": "failed", "error": "two tests"}, "later": {"status": "pending"}}"#;
    let mut implement = work("implement/login-form", phases, vec![gate(PREVIEW)]);
    implement.decided = vec![Remark {
        text: "Cookies".to_owned(),
        reason: Some("no storage".to_owned()),
        at: None,
    }];
    let preview = KnownPreview {
        proof: Proof::Proven,
        ending: String::new(),
        url: Some("https://shop.vercel.app".to_owned()),
        commit: None,
    };
    let id = issue();
    let works = [ship, implement];
    let text = pull_request(&works, IssueLink::Closes(&id), Some(&preview));
    assert_eq!(text.title, "BAS-6: Login form");
    let expected = "\
Closes BAS-6

## implement/login-form

- **build**: Login works
- **check** failed: two tests

## Decisions

- Cookies, because no storage

## Proofs

- tests (ship/login-form): proven
- preview (ship/login-form): proven, <https://shop.vercel.app>
- preview (implement/login-form): proven
";
    assert_eq!(text.body, expected);
    let text = pull_request(&works, IssueLink::None, None);
    assert_eq!(text.title, "Login form");
    assert!(!text.body.contains("BAS"), "{}", text.body);
}

#[test]
fn nothing_that_others_wrote_closes_mentions_or_marks_up_anything() {
    let phases = r#"{"a": {"status": "complete", "context_summary":
        "Fixes #12, closes BAS-9.\n\nCloses https://linear.app/x/issue/BAS-9\n<img src=x> @team [x](y)"}}"#;
    let works = [work("ship/Closes BAS-9 @team", phases, Vec::new())];
    let id = issue();
    let text = pull_request(&works, IssueLink::Closes(&id), None);
    assert_eq!(text.title, "BAS-6: Closes BAS 9 team");
    let body = text.body.strip_prefix("Closes BAS-6\n").unwrap();
    for odd in [
        "BAS-9",
        "#12",
        "@",
        "://",
        "\n<",
        " <",
        " [x]",
        "\n\nCloses",
    ] {
        assert!(!body.contains(odd), "{odd:?} is in {body}");
    }
}

#[test]
fn a_text_stays_short() {
    let long = "word ".repeat(2_000);
    let phases: Vec<String> = (0..200)
        .map(|n| format!(r#""p{n}": {{"status": "complete", "context_summary": "{long}"}}"#))
        .collect();
    let works = [work(
        "ship/x",
        &format!("{{{}}}", phases.join(",")),
        Vec::new(),
    )];
    let text = pull_request(&works, IssueLink::None, None);
    assert!(text.body.len() < 22_000, "{}", text.body.len());
    assert!(
        text.body.ends_with(" more lines are left out.\n"),
        "{}",
        text.body
    );
}
