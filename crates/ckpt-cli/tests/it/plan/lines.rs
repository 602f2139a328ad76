//! Decisions and blockers: lines that are added at the end of a phase, and nothing else changed.

use serde_json::json;

use crate::support::planned::{Planned, TEXT};
use crate::support::tree;

#[test]
fn a_line_goes_to_the_end_of_the_phase_under_way_unless_another_is_named() {
    let planned = Planned::new(TEXT);
    planned.does(&["decide", "First"]);
    planned.does(&["block", "Second", "--phase", "build"]);
    planned.does(&["decide", "Third", "--phase", "ship"]);
    let expected = TEXT
        .replace(
            "<!-- TASK: roles -->\n",
            "<!-- TASK: roles -->\n<!-- DECISION: First -->\n",
        )
        .replace(
            "<!-- ACCEPT: works -->\n",
            "<!-- ACCEPT: works -->\n<!-- BLOCKER: Second -->\n",
        )
        .replace(
            "<!-- TASK: release -->\n",
            "<!-- TASK: release -->\n<!-- DECISION: Third -->\n",
        );
    assert_eq!(planned.markdown(), expected);
    let state = planned.stored();
    assert_eq!(state["blockers"], json!(["Second"]));
    let decisions = state["decisions"].as_array().unwrap();
    assert_eq!(decisions[0]["decision"], "First");
    assert_eq!(decisions[1]["decision"], "Third");
}

#[test]
fn without_phases_it_goes_to_the_end_of_the_file() {
    let text = "# Plan\n- [ ] a <!-- TASK: a -->\n\nSome prose.\n";
    let planned = Planned::new(text);
    planned.does(&["decide", "X"]);
    let markdown = planned.markdown();
    assert!(markdown.starts_with(text.trim_end()), "{markdown}");
    assert!(markdown.trim_end().ends_with("<!-- DECISION: X -->"));
}

#[test]
fn line_endings_are_those_of_the_file() {
    let text = TEXT.replace('\n', "\r\n");
    for (phase, cut) in [("setup", 0), ("ship", 0), ("ship", 2)] {
        let text = &text[..text.len() - cut];
        let planned = Planned::new(text);
        planned.does(&["decide", "X", "--phase", phase]);
        let markdown = planned.markdown();
        let without = markdown.replace("<!-- DECISION: X -->", "");
        assert_eq!(
            markdown.matches('\n').count(),
            markdown.matches("\r\n").count(),
            "{phase}, {cut}: {markdown:?}"
        );
        assert_eq!(without.len(), text.len() + 2, "one line more: {markdown:?}");
    }
}

#[test]
fn a_file_without_a_final_newline_gets_a_line_of_its_own_for_it() {
    let text = TEXT.trim_end();
    let planned = Planned::new(text);
    planned.does(&["block", "X", "--phase", "ship"]);
    let markdown = planned.markdown();
    assert_eq!(markdown.trim_end(), format!("{text}\n<!-- BLOCKER: X -->"));
    planned.does(&["done", "release"]);
    planned.does(&["unblock", "X"]);
    let ticked = text.replace("- [ ] Release", "- [x] Release");
    assert_eq!(planned.markdown(), ticked, "taken away with its line");
}

#[test]
fn a_blocker_and_its_removal_give_the_same_bytes_back() {
    for text in [TEXT.to_owned(), TEXT.replace('\n', "\r\n")] {
        for phase in ["setup", "build", "ship"] {
            let planned = Planned::new(&text);
            planned.does(&["block", "Waiting for it", "--phase", phase]);
            assert_eq!(planned.stored()["blockers"], json!(["Waiting for it"]));
            planned.does(&["unblock", "Waiting"]);
            assert_eq!(planned.markdown(), text, "{phase}");
            assert_eq!(planned.stored()["blockers"], json!([]));
        }
    }
}

#[test]
fn a_phase_that_ends_in_an_open_code_fence_does_not_swallow_the_line() {
    let cases = [
        (
            "within the file",
            "<!-- CHECKPOINT: a -->\n- [ ] x <!-- TASK: x -->\n```sh\nmake\n",
        ),
        (
            "tildes",
            "<!-- CHECKPOINT: a -->\n- [ ] x <!-- TASK: x -->\n~~~\nmake",
        ),
        (
            "a longer fence",
            "<!-- CHECKPOINT: a -->\n- [ ] x <!-- TASK: x -->\n````\n```\nmake\n",
        ),
    ];
    for (case, text) in cases {
        let planned = Planned::new(text);
        let run = planned.plan(&["decide", "Seen", "--phase", "a"]);
        if run.code != Some(0) {
            // Refusing is fine as long as nothing is changed.
            assert_eq!(planned.markdown(), text, "{case}");
            continue;
        }
        // The state must not depend on what was stored: read the text alone.
        let other = Planned::new(planned.markdown());
        other.does(&["sync"]);
        let decisions = other.stored()["decisions"].clone();
        assert_eq!(
            decisions[0]["decision"],
            "Seen",
            "{case}: {}",
            other.markdown()
        );
    }
}

#[test]
fn a_phase_in_a_phase_file_gets_its_lines_there() {
    let planned = Planned::new(TEXT);
    let phase = "# More\n<!-- CHECKPOINT: more -->\n- [ ] One <!-- TASK: one -->\n";
    planned.put("phase-04-more.md", phase);
    planned.does(&["decide", "X", "--phase", "more", "--reason", "why"]);
    assert_eq!(planned.markdown(), TEXT);
    let expected = format!("{phase}<!-- DECISION: X -->\n");
    assert_eq!(planned.text("phase-04-more.md"), expected);
    let decision = &planned.stored()["decisions"][0];
    assert_eq!(decision["reason"], "why");
    planned.does(&["block", "Y", "--phase", "more"]);
    planned.does(&["unblock", "Y"]);
    assert_eq!(planned.text("phase-04-more.md"), expected);
}

#[test]
fn text_that_would_break_the_line_is_refused_and_changes_nothing() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    let before = tree::listing(&planned.path("plans"));
    for text in ["", "  ", "a --> b", "-->", "two\nlines", "two\rlines", "\n"] {
        for command in ["decide", "block"] {
            planned.plan(&[command, "--", text]).exits(4);
            let when = format!("{command} {text:?}");
            tree::assert_unchanged(&planned.path("plans"), &before, &when);
        }
    }
    planned.plan(&["decide", "x", "--phase", "nope"]).exits(3);
    planned.plan(&["unblock", "nope"]).exits(3);
    tree::assert_unchanged(&planned.path("plans"), &before, "unknown names");
}

/// What is written must be what is read back, whatever the text.
#[test]
fn odd_text_is_read_back_as_it_was_written() {
    let texts = [
        "a -- b",
        "--",
        "a <!-- b",
        "ends in a dash -",
        "ends in dashes --",
        "```",
        "<b>&amp;</b>",
        "- [ ] box",
        "TASK: x",
        "ünïcode ✓",
        "--!> x",
    ];
    for text in texts {
        for (command, member) in [("decide", "decisions"), ("block", "blockers")] {
            let planned = Planned::new(TEXT);
            let run = planned.plan(&[command, "--", text]);
            if run.code == Some(4) {
                assert_eq!(planned.markdown(), TEXT, "{text:?}");
                continue;
            }
            assert_eq!(run.code, Some(0), "{text:?}: {run}");
            let other = Planned::new(planned.markdown());
            other.does(&["sync"]);
            let state = other.stored();
            let found = match command {
                "decide" => &state[member][0]["decision"],
                _ => &state[member][0],
            };
            assert_eq!(found, text, "{command}");
            assert_eq!(state["progress"]["totalTasks"], 5, "{text:?}");
        }
    }
}

#[test]
fn the_same_decision_or_blocker_is_added_only_once() {
    let planned = Planned::new(TEXT);
    for _ in 0..2 {
        planned.does(&["decide", "X", "--reason", "why"]);
        planned.does(&["block", "Y"]);
    }
    let markdown = planned.markdown();
    assert_eq!(markdown.matches("DECISION: X").count(), 1, "{markdown}");
    assert_eq!(markdown.matches("BLOCKER: Y").count(), 1, "{markdown}");
    let state = planned.stored();
    assert_eq!(state["decisions"].as_array().unwrap().len(), 1);
    assert_eq!(state["decisions"][0]["reason"], "why");
    assert_eq!(state["blockers"], json!(["Y"]));
}

#[test]
fn part_of_a_blockers_text_will_do_where_only_one_has_it() {
    let planned = Planned::new(TEXT);
    planned.does(&["block", "key of the API"]);
    planned.does(&["block", "key of the door"]);
    let before = planned.markdown();
    let run = planned.plan(&["unblock", "key"]);
    assert_ne!(run.code, Some(0), "{run}");
    assert!(
        run.stderr.contains("door") && run.stderr.contains("API"),
        "{run}"
    );
    assert_eq!(planned.markdown(), before);
    planned.does(&["unblock", "door"]);
    assert_eq!(planned.stored()["blockers"], json!(["key of the API"]));
}

/// The whole text identifies its blocker, even if it is also part of another blocker's text.
#[test]
fn the_whole_text_of_a_blocker_identifies_it() {
    let planned = Planned::new(TEXT);
    planned.does(&["block", "API key"]);
    planned.does(&["block", "API key for staging"]);
    planned.does(&["unblock", "API key"]);
    assert_eq!(planned.stored()["blockers"], json!(["API key for staging"]));
}

#[test]
fn a_decision_in_the_markdown_keeps_the_time_it_was_first_seen() {
    let planned = Planned::new(format!("{TEXT}<!-- DECISION: By hand -->\n"));
    planned.does(&["sync"]);
    let first = planned.stored()["decisions"].clone();
    assert_eq!(first[0]["decision"], "By hand");
    planned.put("plan.md", planned.markdown().replace("# Login", "# Log in"));
    planned.does(&["done", "schema"]);
    assert_eq!(planned.stored()["decisions"], first);
    let without = planned
        .markdown()
        .replace("<!-- DECISION: By hand -->\n", "");
    planned.put("plan.md", without);
    planned.does(&["decide", "By tool", "--reason", "why"]);
    let decisions = planned.stored()["decisions"].clone();
    assert_eq!(decisions[0]["decision"], "By tool", "{decisions}");
    let without = planned
        .markdown()
        .replace("<!-- DECISION: By tool -->\n", "");
    planned.put("plan.md", without);
    planned.does(&["sync"]);
    assert_eq!(
        planned.stored()["decisions"],
        decisions,
        "recorded through the tool, it stays"
    );
}
