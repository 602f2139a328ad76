use proptest::prelude::{prop, prop_assert, proptest};
use proptest::sample::select;

use super::*;
use crate::tokens::Counter;

fn words(most: usize) -> Limit {
    Limit {
        most,
        counter: Counter::Words,
    }
}

#[test]
fn whole_sentences_are_cut_and_the_cut_is_reported() {
    let text = "The parser is done. It keeps order, e.g. of members. Next: the writer.";
    let fitted = fit(text, words(10));
    assert_eq!(
        fitted.text,
        "The parser is done. It keeps order, e.g. of members."
    );
    assert_eq!(fitted.tokens, 10);
    let cut = fitted.cut.unwrap();
    assert_eq!((cut.text.as_str(), cut.units), ("Next: the writer.", 1));
    assert!(!cut.inside_sentence);
    assert_eq!(fit(text, words(9)).text, "The parser is done.");
    assert_eq!(fit(text, words(13)).cut, None);
}

#[test]
fn items_and_code_blocks_stay_whole_and_a_heading_does_not_end_a_text() {
    let text = "# Done\n\n- One. And more.\n- Two\n  with more\n\n## Left\n\n```\nlet a = b. c;\n```\n\nEnd.\n";
    let kept = |most| fit(text, words(most)).text;
    assert_eq!(kept(13), "# Done\n\n- One. And more.\n- Two\n  with more");
    assert_eq!(kept(8), "# Done\n\n- One. And more.");
    assert_eq!(
        kept(19),
        "# Done\n\n- One. And more.\n- Two\n  with more\n\n## Left\n\n```\nlet a = b. c;\n```"
    );
}

#[test]
fn a_sentence_that_alone_is_too_long_is_cut_after_a_word() {
    let fitted = fit("one two three four five. Six.", words(3));
    assert_eq!(fitted.text, "one two three");
    let cut = fitted.cut.unwrap();
    assert!(cut.inside_sentence);
    assert_eq!((cut.text.as_str(), cut.units), ("four five. Six.", 2));
    assert_eq!(fit("word", words(0)).text, "");
}

#[test]
fn long_texts_of_any_form_take_no_time() {
    for line in [
        "\n",
        "  x\n",
        "- item\n",
        "  - a. B c.\n",
        "word ",
        "One. Two. ",
        "# H\n",
    ] {
        let text = line.repeat(400_000 / line.len());
        for counter in [Counter::Words, Counter::O200k] {
            let most = 500;
            assert!(
                counter.count(&fit(&text, Limit { most, counter }).text) <= most,
                "{line:?}"
            );
        }
    }
}

proptest! {
    #[test]
    fn what_is_left_is_a_beginning_within_the_limit(
        parts in prop::collection::vec(select(vec![
            "One sentence. ", "Another one! ", "- item\n", "1. first\n", "\n", "# Head\n", "```\ncode. here\n```\n",
            "日本語。", "word ", "\u{feff}", "e.g. this ", "  indented\n",
        ]), 0..30),
        most in 0_usize..40,
        counter in select(Counter::ALL.to_vec()),
    ) {
        let text = parts.concat();
        let fitted = fit(&text, Limit { most, counter });
        prop_assert!(text.starts_with(&fitted.text));
        prop_assert!(counter.count(&fitted.text) <= most);
        prop_assert!(fitted.cut.is_some() || fitted.text == text);
    }
}
