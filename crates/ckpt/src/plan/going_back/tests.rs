use super::*;
use crate::history::EventName;
use crate::time::Timestamp;

const TEXT: &str = "- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n";

fn object(text: &str) -> Object {
    let document = crate::document::Document::parse(text.to_owned());
    let value = document.expect("it is JSON").value();
    value.into_object().expect("it is an object")
}

fn version(text: &str, state: &str) -> Version {
    Version {
        texts: HashMap::from([(0, text.as_bytes().to_vec())]),
        state: Some(object(state)),
    }
}

fn past(before: (&str, &str), after: (&str, &str)) -> PastChange {
    PastChange {
        before: version(before.0, before.1),
        after: version(after.0, after.1),
    }
}

/// The Markdown and the state after these changes are taken back.
fn taken_back(
    text: &str,
    state: &str,
    changes: &[PastChange],
) -> Result<(String, Object), Refusal> {
    let sources = [Source {
        name: "plan.md",
        text: text.as_bytes(),
    }];
    let outline = Outline::read(&sources).expect("it is short");
    let state = object(state);
    let present = Present {
        sources: &sources,
        outline: &outline,
        state: &state,
        now: Timestamp::parse("2026-01-29T10:30:00Z").expect("it is a time"),
        by: "main",
        agent: None,
        session: None,
        gone: &[],
    };
    let change = take_back(&present, changes, Event::new(EventName::Undone))?;
    let mut text = text.as_bytes().to_vec();
    for (_, edit) in &change.edits {
        text = edit.apply(&text).expect("it fits");
    }
    let text = String::from_utf8(text).expect("it is text");
    Ok((text, change.state.unwrap_or(state)))
}

#[test]
fn a_tick_is_taken_back_from_a_line_whose_text_was_edited_since() {
    let ticked = TEXT.replace("[ ] One", "[x] One");
    let edited = ticked.replace("One", "The first");
    let change = past((TEXT, "{}"), (&ticked, "{}"));
    let (text, _) = taken_back(&edited, "{}", &[change]).expect("it is taken back");
    assert_eq!(text, TEXT.replace("One", "The first"));
}

#[test]
fn an_edit_of_a_line_that_was_edited_again_is_refused() {
    let edited = TEXT.replace("One", "The first");
    let again = TEXT.replace("One", "The very first");
    let change = past((TEXT, "{}"), (&edited, "{}"));
    let refused = taken_back(&again, "{}", &[change]);
    let line = "- [ ] The first <!-- TASK: one -->".to_owned();
    let what = "plan.md".to_owned();
    assert_eq!(refused, Err(Refusal::ChangedSince { what, text: line }));
}

#[test]
fn notes_are_taken_back_line_by_line() {
    let noted = |notes: &str| format!("{{\"sessionNotes\":{notes}}}");
    let changes = [past((TEXT, &noted("null")), (TEXT, &noted("\"first\"")))];
    let (_, state) = taken_back(TEXT, &noted("\"first\\nsecond\""), &changes).expect("it is");
    assert_eq!(state.get("sessionNotes"), Some(&"second".into()));
    let (_, state) = taken_back(TEXT, &noted("\"first\""), &changes).expect("it is");
    assert_eq!(state.get("sessionNotes"), Some(&Value::Null));
}

#[test]
fn a_claim_is_given_back_unless_somebody_else_holds_it() {
    let agents = |all: &str| format!("{{\"agents\":{{{all}}}}}");
    let held = r#""main":{"type":"main","assignedTasks":["one"]}"#;
    let free = r#""main":{"type":"main","assignedTasks":[]}"#;
    let released = past((TEXT, &agents(held)), (TEXT, &agents(free)));
    let (_, state) =
        taken_back(TEXT, &agents(free), std::slice::from_ref(&released)).expect("it is");
    assert_eq!(state, object(&agents(held)));
    let taken = format!("{free},{}", r#""team:api":{"assignedTasks":["one"]}"#);
    let refused = taken_back(TEXT, &agents(&taken), &[released]);
    assert!(
        matches!(refused, Err(Refusal::ChangedSince { .. })),
        "{refused:?}"
    );
}

#[test]
fn a_claim_is_not_given_back_to_another_session_of_the_same_name() {
    let main = |session: &str, tasks: &str| {
        let agent = format!(r#"{{"type":"main","assignedTasks":{tasks},"session":"{session}"}}"#);
        format!("{{\"agents\":{{\"main\":{agent}}}}}")
    };
    let released = past((TEXT, &main("a", r#"["one"]"#)), (TEXT, &main("a", "[]")));
    let now = main("b", r#"["two"]"#);
    let (_, state) = taken_back(TEXT, &now, &[released]).expect("nothing to take back");
    assert_eq!(state, object(&now));
}

#[test]
fn receipts_stay_as_they_are() {
    let gates =
        |result: &str| format!("{{\"receipts\":{{\"tests\":{{\"result\":\"{result}\"}}}}}}");
    let change = past((TEXT, &gates("passed")), (TEXT, &gates("failed")));
    let (_, state) = taken_back(TEXT, &gates("failed"), &[change]).expect("nothing to take back");
    assert_eq!(state, object(&gates("failed")));
}
