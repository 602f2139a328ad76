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
