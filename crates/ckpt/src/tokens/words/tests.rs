use super::count_words;

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
