use ckpt::document::Document;

use super::*;

fn judged(report: &str) -> Handed {
    let now = Timestamp::parse("2026-02-20T12:00:00Z").unwrap();
    handed_over(report, Limit::default(), "subagent:x", now)
}

fn response(summary: &str) -> String {
    format!(
        r#"Here it is: {{"task_id":"t1","phase":"write","status":"complete","decision":"PROCEED","findings":{{}},"context_summary":"{summary}"}}"#
    )
}

#[test]
fn a_response_is_taken_and_prose_is_none() {
    let Handed::Response(record) = judged(&response("All done.")) else {
        panic!("not taken");
    };
    assert_eq!(record.get("task_id").and_then(Value::as_str), Some("t1"));
    assert_eq!(
        record.get("context_summary").and_then(Value::as_str),
        Some("All done.")
    );
    for report in ["", "All done.", "{}", "{\"a\": 1}", "see task_id"] {
        assert_eq!(judged(report), Handed::Nothing, "{report}");
    }
}

#[test]
fn errors_in_a_response_are_reported_exactly() {
    let long = judged(&response(&"word ".repeat(612)));
    let Handed::Unusable(reason, Some(_)) = long else {
        panic!("taken");
    };
    assert!(
        reason.contains("exceeds 500 token limit (actual: 612 tokens)"),
        "{reason}"
    );
    let cut = response("All done.");
    let Handed::Unusable(reason, None) = judged(&cut[..cut.len() - 2]) else {
        panic!("taken");
    };
    assert!(reason.contains("broken"), "{reason}");
    assert!(matches!(
        judged(r#"{"task_id": "t", "status": "great", "decision": "GO"}"#),
        Handed::Unusable(_, None)
    ));
}

#[test]
fn what_a_dead_sub_agent_leaves_is_a_response_that_keeps_the_rules() {
    let helper = Helper {
        asked: None,
        id: "d".to_owned(),
        kind: "fullstack".to_owned(),
        tasks: vec!["t1".to_owned()],
        told_at: None,
    };
    let transcript = Transcript {
        last_words: Some("word ".repeat(900)),
        created: vec!["/p/a.rs".to_owned()],
        modified: vec!["/p/b.rs".to_owned()],
    };
    let response = partial(&helper, &transcript, Limit::default());
    let document = Document::from_value(&Value::Object(response)).unwrap();
    let terms = Terms {
        kind: Some(Kind::Response),
        unknown: Severity::Error,
        long_response: Severity::Error,
        ..Terms::default()
    };
    assert_eq!(handoff::judge(&document, &terms), []);
    let summary = document.root().get("context_summary").unwrap();
    let summary = summary.as_str().unwrap();
    assert!(
        summary.starts_with(
            "It ended without a report while working on t1. It wrote /p/a.rs, /p/b.rs."
        ),
        "{summary}"
    );
}
