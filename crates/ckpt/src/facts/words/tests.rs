//! Tests of reading texts.

use super::*;

#[test]
fn ids_are_found_as_whole_words() {
    assert!(names("WS1 is done", "WS1"));
    assert!(!names("WS12 is done", "WS1"));
    assert!(names("finish export-job first", "export-job"));
    assert!(!names("finish export-jobs first", "export-job"));
}

#[test]
fn an_ordinary_word_is_an_id_only_if_it_is_marked() {
    assert!(!names("the build is slow", "build"));
    for text in [
        "in phase build",
        "build: half done",
        "see `build`",
        "Task build",
    ] {
        assert!(names(text, "build"), "{text}");
    }
}

#[test]
fn identifiers_are_names_in_code_and_no_paths() {
    let text = "All tokens come from `split_words` in src/tokens.py; useTimer and user_id, but not README.md or `a b`.";
    assert_eq!(identifiers(text), ["split_words", "useTimer", "user_id"]);
}

#[test]
fn the_last_words_begin_with_a_sentence_and_are_few() {
    assert_eq!(last_words("All done."), "All done.");
    let long = format!("{} Start. {}", "x ".repeat(60), "y ".repeat(30));
    let words = last_words(&long);
    assert!(words.starts_with('y'), "{words}");
    assert!(words.split_whitespace().count() <= LAST_WORDS);
    let unbroken = last_words(&"z ".repeat(100));
    assert!(unbroken.starts_with("… z"), "{unbroken}");
}

#[test]
fn a_sentence_ends_before_white_space_only() {
    assert_eq!(sentence("Uses v1.2 of it. Then more."), "Uses v1.2 of it.");
    assert_eq!(sentence("no end"), "no end");
}

#[test]
fn what_waits_for_what_is_read_from_a_note() {
    for text in [
        "it needs rounding merged before it starts",
        "only after task rounding",
        "wait for rounding",
    ] {
        assert!(waits_for(text, "rounding"), "{text}");
    }
    for text in ["rounding is easy", "needs no-rounding", "before rounding"] {
        assert!(!waits_for(text, "rounding"), "{text}");
    }
}

#[test]
fn what_the_user_forbids_is_read_from_a_prompt() {
    for text in [
        "Do not revoke key-2025 before I say so.",
        "Go on. Hold revoke until I am back.",
    ] {
        assert!(forbids(text, "revoke"), "{text}");
    }
    for text in [
        "Revoke the key now.",
        "Revoke it. Do not test.",
        "do not revoked",
    ] {
        assert!(!forbids(text, "revoke"), "{text}");
    }
}

#[test]
fn a_long_report_keeps_its_beginning_and_its_end() {
    assert_eq!(gist("It  works.\nAll of it."), "It works. All of it.");
    let long = format!("first {} last", "x ".repeat(200));
    let gist = gist(&long);
    assert!(gist.starts_with("first x"), "{gist}");
    assert!(gist.ends_with("x last"), "{gist}");
    assert!(gist.contains(" … "), "{gist}");
}

#[test]
fn a_report_warns_by_its_words() {
    for text in [
        "The join is wrong.",
        "Nothing should read it before that",
        "holds has to turn it round",
    ] {
        assert!(warns(text), "{text}");
    }
    for text in [
        "All 12 tests pass.",
        "I fixed the bug, added the missing test, and used a map instead of a list. Nothing is broken.",
    ] {
        assert!(!warns(text), "{text}");
    }
}

#[test]
fn a_text_that_forbids_shipping_names_it_after_the_word_that_forbids() {
    for text in [
        "Names are not escaped. This must not ship.",
        "Do not deploy this",
        "It should not be released yet",
    ] {
        assert!(forbids_shipping(text), "{text}");
    }
    for text in [
        "Ready to ship. Do not forget the notes.",
        "It must not be slow, then ship it",
        "Nothing was pushed",
        "Guests cannot publish posts; the worker must not push stale items.",
    ] {
        assert!(!forbids_shipping(text), "{text}");
    }
}

#[test]
fn the_name_of_a_variable_holds_nothing_back() {
    assert!(!holds_back("room-left: LIMIT - used(user), rounded down"));
    assert!(holds_back("room-left is done by the user"));
}

#[test]
fn a_condition_stands_right_after_the_id() {
    assert!(sets_condition(
        "drop-v1 only when v5.3.0 is released",
        "drop-v1"
    ));
    assert!(sets_condition("drop-v1: not before the audit", "drop-v1"));
    assert!(!sets_condition(
        "t-2: retry only if the status is 503",
        "t-2"
    ));
}

#[test]
fn a_report_without_spaces_is_cut_too() {
    let long = "あ".repeat(10_000);
    assert!(gist(&long).len() < 1_100);
    assert!(last_words(&long).len() < 1_100);
}

#[test]
fn sessions_that_begin_in_the_same_minute_have_different_short_ids() {
    let first = short_id("01a1ef11-2e0b-7c31-9d6e-0d1f5f3a9b21");
    let second = short_id("01a1ef11-9c44-7f02-8a10-77aa0c12de90");
    assert_ne!(first, second);
    assert_eq!(short_id("7f3a1c22-aaaa-4bbb-8ccc-123456789012"), "7f3a1c22");
    assert_eq!(short_id("s1"), "s1");
}
