use super::*;
use crate::document::Document;

const STATE: &str = r#"{"phases":{"setup":{"tasks":{"one":{"done":false},"two":{"done":false}}}}}"#;
const TEXT: &str = "# Plan\n\n## Setup\n<!-- CHECKPOINT: setup -->\n- [ ] One <!-- TASK: one -->\n\
    - [ ] Two <!-- TASK: two -->\n<!-- DECISION: Files -->\n\nSome words.\n";

fn told(before: (&str, &str), after: (&str, &str)) -> Vec<String> {
    let state = |text: &str| {
        let document = Document::parse(text.to_owned()).expect("it is JSON");
        document.value().into_object().expect("it is an object")
    };
    let (old, new) = (state(before.0), state(after.0));
    let source = |text| Source {
        name: "plan.md",
        text,
    };
    let all = differences(
        Written {
            sources: &[source(str::as_bytes(before.1))],
            state: Some(&old),
        },
        Written {
            sources: &[source(str::as_bytes(after.1))],
            state: Some(&new),
        },
    );
    let text = |value: &Option<Value>| value.as_ref().map_or("-".to_owned(), Value::to_compact);
    let told = all.expect("they are short").into_iter().map(|one| {
        let (before, after) = (text(&one.before), text(&one.after));
        format!("{}: {before} > {after}", one.what)
    });
    told.collect()
}

/// What another version of the Markdown differs in, with the same state.
fn reworded(edits: &[(&str, &str)]) -> Vec<String> {
    let after = edits.iter().fold(TEXT.to_owned(), |text, (old, new)| {
        assert!(text.contains(old), "{old}");
        text.replacen(old, new, 1)
    });
    told((STATE, TEXT), (STATE, &after))
}

#[test]
fn texts_titles_ticks_and_other_lines_are_told_once() {
    assert_eq!(
        reworded(&[("] One", "] Uno")]),
        [r#"task one, text: "One" > "Uno""#]
    );
    assert_eq!(
        reworded(&[("[ ] One", "[x] One")]),
        ["task one: false > true"]
    );
    assert_eq!(
        reworded(&[("## Setup", "## Start")]),
        [r#"phase setup, title: "Setup" > "Start""#]
    );
    assert_eq!(
        reworded(&[("Some words.", "Other words.")]),
        [r#"plan.md, line 9: "Some words." > "Other words.""#]
    );
    assert_eq!(
        reworded(&[("# Plan\n", "# Plan\n\n- [ ] Loose\n")]),
        [r#"plan.md, line 3: - > "- [ ] Loose""#]
    );
    assert_eq!(
        reworded(&[
            ("Files", "Rows"),
            ("\nSome", "<!-- BLOCKER: Law -->\n\nSome")
        ]),
        [
            r#"blockers: [] > ["Law"]"#,
            r#"decisions: ["Files"] > ["Rows"]"#
        ]
    );
}

#[test]
fn what_is_new_or_gone_is_told_with_its_text() {
    let phase = "## Tests\n<!-- CHECKPOINT: tests -->\n- [x] Try <!-- TASK: try -->\n<!-- DECISION";
    assert_eq!(
        reworded(&[("<!-- DECISION", phase)]),
        [
            r#"phase tests, title: - > "Tests""#,
            r#"task try: - > {"done":true,"text":"Try"}"#,
        ]
    );
    let gone = TEXT.replace("- [ ] Two <!-- TASK: two -->\n", "");
    let state = STATE.replace(r#","two":{"done":false}"#, "");
    assert_eq!(
        told((STATE, TEXT), (&state, &gone)),
        [r#"task two: {"done":false,"text":"Two"} > -"#]
    );
}

#[test]
fn an_item_in_another_phase_is_told_as_moved_with_what_else_differs() {
    let two = "- [ ] Two <!-- TASK: two -->\n";
    let moved = TEXT.replace(two, "") + "## Tests\n<!-- CHECKPOINT: tests -->\n" + two;
    let state = r#"{"phases":{"setup":{"tasks":{"one":{"done":false}}},"tests":{"tasks":{"two":{"done":false}}}}}"#;
    for state in [state, STATE] {
        assert_eq!(
            told((STATE, TEXT), (state, &moved)),
            [
                r#"task two moved: "phase setup" > "phase tests""#,
                r#"phase tests, title: - > "Tests""#,
            ]
        );
    }
    let done = moved.replace("[ ] Two", "[x] Two, too");
    assert_eq!(
        told((state, &done), (STATE, TEXT))[..3],
        [
            r#"task two moved: "phase tests" > "phase setup""#,
            "task two: true > false",
            r#"task two, text: "Two, too" > "Two""#,
        ]
    );
}

#[test]
fn another_order_is_told_and_white_space_is_not() {
    let (one, two) = (
        "- [ ] One <!-- TASK: one -->\n",
        "- [ ] Two <!-- TASK: two -->\n",
    );
    let (both, swapped) = (format!("{one}{two}"), format!("{two}{one}"));
    assert_eq!(
        reworded(&[(&both, &swapped)]),
        [r#"phase setup, tasks: ["one","two"] > ["two","one"]"#]
    );
    assert_eq!(
        reworded(&[("\n\nSome words.", "\n\n\n  Some words.")]),
        [""; 0]
    );
}
