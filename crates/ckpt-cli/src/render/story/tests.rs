use super::*;

fn told(event: &str, facts: &str) -> String {
    let text =
        format!(r#"{{"ts":"2026-01-29T10:45:00Z","event":"{event}"{facts},"rev":2,"by":"main"}}"#);
    story(&Line::parse(text.into_bytes()).expect("it is a line"))
}

#[test]
fn every_event_that_is_written_is_told_in_words() {
    for event in EventName::ALL {
        let told = told(event.as_str(), r#","detail":"raw""#);
        assert!(!told.contains("detail=raw"), "{told}");
        let is_raw = told.contains('_') || told.contains('=') || told.is_empty();
        assert!(!is_raw, "{event}: {told:?}");
    }
    assert_eq!(
        told("phase_dreamt", r#","detail":1"#),
        "phase_dreamt detail=1"
    );
}

#[test]
fn details_are_told_with_their_events() {
    for (event, facts, expected) in [
        (
            "pipeline_reviewed",
            r#","verdict":"do_not_ship","attempt":2"#,
            "review 2: do not ship",
        ),
        ("pipeline_aborted", r#","interrupted":[]"#, "aborted"),
        (
            "phase_updated",
            r#","phase":"build""#,
            "phase build: changed",
        ),
        (
            "pipeline_restarted",
            r#","interrupted":["WS1","WS2"]"#,
            "interrupted work is pending again: WS1, WS2",
        ),
        (
            "pipeline_noted",
            r#","cleanup_done":"old files""#,
            "noted: \"old files\"",
        ),
        (
            "gate_passed",
            r#","gate":"tests","workstream":"WS1","receipt":{}"#,
            "gate tests (WS1): passed",
        ),
        (
            "acceptance_met",
            r#","criteriaId":"fast""#,
            "criterion fast: met",
        ),
        (
            "decision_recorded",
            r#","decision":"Postgres","reason":"known""#,
            "decided: \"Postgres\", because \"known\"",
        ),
        (
            "hazard_acknowledged",
            r#","acknowledged":["commits"],"reason":"mine""#,
            "acknowledged commits: \"mine\"",
        ),
        (
            "subagent_started",
            r#","agentType":"explore","tasks":["one"],"agentId":"a1""#,
            "sub-agent explore: started on one",
        ),
        (
            "handoff_recorded",
            r#","task":"one","status":"x","decision":"STOP""#,
            "reply on one: STOP",
        ),
        (
            "workstream_deferred",
            r#","workstream":"WS2","reason":"later""#,
            "workstream WS2: deferred: \"later\"",
        ),
    ] {
        assert_eq!(told(event, facts), expected);
    }
}
