use super::count_words;
use crate::tokens::Counter;

#[test]
fn words_are_what_javascript_splits_at_white_space() {
    for (text, words) in [
        ("", 0),
        ("hello world", 2),
        ("  multiple   spaces  ", 2),
        ("a\u{feff}b\u{a0}c\u{3000}d\u{2028}e\u{b}f", 6),
        ("a\u{85}b", 1),
        ("a\u{200b}b\u{180e}c", 1),
    ] {
        assert_eq!(count_words(text), words, "{text:?}");
    }
}

#[test]
fn a_long_word_or_one_in_a_script_without_spaces_counts_by_its_bytes() {
    let counter = Counter::WeighedWords;
    for (text, count) in [
        ("one two three", 3),
        (&"a".repeat(64), 1),
        (&"a".repeat(65), 17),
        (&"é".repeat(64), 1),
        ("Größe überall", 2),
        ("한국어 단어", 2),
        ("日本語", 3),
        (&"字".repeat(14_000), 10_500),
        ("สวัสดี", 5),
        (&format!("see {}", "x/".repeat(100)), 51),
    ] {
        assert_eq!(counter.count(text), count, "{text:.20}");
        assert!(
            counter.fits(text, count) && !counter.fits(text, count - 1),
            "{text:.20}"
        );
        assert!(
            Counter::Words.count(text) <= 3,
            "the rule of the functions stays"
        );
    }
    assert_eq!(Counter::Words.weighed(), counter);
    assert_eq!(Counter::O200k.weighed(), Counter::O200k);
    assert_eq!(counter.as_str(), "words");
}
