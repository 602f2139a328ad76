use super::*;
use crate::document::Document;

fn told(before: &str, after: &str) -> Vec<String> {
    let value = |text: &str| {
        Document::parse(text.to_owned())
            .expect("it is JSON")
            .value()
    };
    let differences = compare(&value(before), &value(after));
    let text = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_compact);
    let told = differences.iter().map(|difference| {
        let (before, after) = (text(&difference.before), text(&difference.after));
        format!("{}: {before} > {after}", difference.what)
    });
    told.collect()
}

#[test]
fn differences_are_told_in_the_words_of_the_kind() {
    assert_eq!(
        told(
            r#"{"updated_at":"1","state":{"current_phase":"a","completed_phases":[]},"phases":{"a":{"status":"in_progress"}}}"#,
            r#"{"updated_at":"2","state":{"current_phase":null,"completed_phases":["a"]},"phases":{"a":{"status":"complete","context_summary":"x"}}}"#,
        ),
        [
            "current phase: \"a\" > null",
            "phase a: \"in_progress\" > \"complete\"",
            "phase a, context summary: - > \"x\"",
        ]
    );
    assert_eq!(
        told(
            r#"{"checksum":"1","phases":{"setup":{"tasks":{"t1":{"done":false}}}}}"#,
            r#"{"checksum":"2","phases":{"setup":{"tasks":{"t1":{"done":true},"t2":{"done":false}}}}}"#,
        ),
        ["task t1: false > true", "task t2: - > {\"done\":false}"]
    );
}

#[test]
fn bookkeeping_alone_is_no_difference() {
    assert_eq!(
        told(r#"{"updated_at":"1","a":1}"#, r#"{"a":1,"updated_at":"2"}"#),
        [""; 0]
    );
}

#[test]
fn the_lists_of_a_pipeline_say_where_its_workstreams_and_gates_are() {
    assert_eq!(
        told(
            r#"{"status":"in_progress","completed_workstreams":[],"in_progress_workstreams":["WS1",{"id":"WS2"}],
                "pending_workstreams":["WS3","WS4"],"artifacts":{},"gates_passed":[],"gates_pending":["tests (WS1)"],
                "timestamp":"1","adversarial_review":{"verdict":"ship"}}"#,
            r#"{"status":"paused","completed_workstreams":["WS1"],"in_progress_workstreams":[],
                "pending_workstreams":["WS2","WS3"],"dormant_workstreams":[{"id":"WS4","reason":"later"}],
                "artifacts":{"WS1":["a.rs"]},"gates_passed":["tests (WS1)"],"gates_pending":[],
                "timestamp":"2","adversarial_review":{"verdict":"do_not_ship"}}"#,
        ),
        [
            "workstream WS1: \"in progress\" > \"done\"",
            "workstream WS4: \"pending\" > \"deferred\"",
            "workstream WS4, reason: - > \"later\"",
            "workstream WS2: \"in progress\" > \"pending\"",
            "gate tests (WS1): \"pending\" > \"passed\"",
            "status: \"in_progress\" > \"paused\"",
            "artifacts of WS1: - > [\"a.rs\"]",
            "review verdict: \"ship\" > \"do_not_ship\"",
        ]
    );
}

#[test]
fn a_list_in_another_order_is_no_difference() {
    assert_eq!(
        told(
            r#"{"pending_workstreams":["WS1","WS2"]}"#,
            r#"{"pending_workstreams":[{"id":"WS2"},"WS1"]}"#
        ),
        [""; 0]
    );
}
