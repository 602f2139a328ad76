//! Comparison with other libraries for the same vocabularies.

use std::sync::OnceLock;

use ckpt_tokens::{CL100K, Encoding, O200K};
use proptest::prelude::*;
use proptest::sample::select;
use tiktoken_rs::CoreBPE;

fn assert_same(text: &str) {
    static O200K_ORACLE: OnceLock<CoreBPE> = OnceLock::new();
    static CL100K_ORACLE: OnceLock<CoreBPE> = OnceLock::new();
    let oracle = O200K_ORACLE.get_or_init(|| tiktoken_rs::o200k_base().unwrap());
    let expected = oracle.encode_ordinary(text).len();
    assert_count("o200k", O200K, text, expected);
    let second = tiktoken::get_encoding("o200k_base")
        .unwrap()
        .encode(text)
        .len();
    assert_eq!(second, expected, "the libraries disagree on {text:?}");

    let oracle = CL100K_ORACLE.get_or_init(|| tiktoken_rs::cl100k_base().unwrap());
    let expected = oracle.encode_ordinary(text).len();
    assert_count("cl100k", CL100K, text, expected);
    // The second library still splits trailing white space the way the first one used to.
    let trimmed = text.trim_end();
    let expected = oracle.encode_ordinary(trimmed).len();
    let second = tiktoken::get_encoding("cl100k_base")
        .unwrap()
        .encode(trimmed)
        .len();
    assert_eq!(second, expected, "the libraries disagree on {trimmed:?}");
}

fn assert_count(name: &str, encoding: Encoding, text: &str, expected: usize) {
    assert_eq!(encoding.count(text), expected, "{name} of {text:?}");
    assert_eq!(
        encoding.count_up_to(text, expected),
        Some(expected),
        "{name} of {text:?}"
    );
    assert!(encoding.fits(text, expected), "{name} of {text:?}");
    if let Some(less) = expected.checked_sub(1) {
        assert_eq!(encoding.count_up_to(text, less), None, "{name} of {text:?}");
        assert!(!encoding.fits(text, less), "{name} of {text:?}");
    }
}

#[test]
fn odd_texts_have_the_same_counts() {
    for text in [
        "",
        " ",
        "\n",
        "a \n  ",
        " \n \t\r\n x",
        "  two  spaces ",
        "it's IT'S we'RE I'Ve you'll he'd I'm can't 'tis o'clock 'Start ''s",
        "long ſ: it'ſ, 'ſ",
        "HTMLParser parseHTML ABCdef ABC",
        "e\u{301}e\u{301}A\u{301}B \u{301}\u{301}ABC \u{301}abc",
        "日本語のテキスト。中文字符，한국어",
        "ǅungla ʰa ªb",
        "1234567890 ٣٤٥٦ ⅷⅸ ½",
        "// comment ///\n/// more\r\n/",
        "a/b/c //\n//\n",
        "👩‍👩‍👧‍👦 🏳️‍🌈 \u{1f468}\u{1f3fd}",
        "<|endoftext|> <|im_start|>",
        "\u{85}\u{a0}\u{2028} \u{feff}x\u{3000}y",
        "\0\u{1}\u{7f}",
        "𝔘𝔫𝔦𝔠𝔬𝔡𝔢 𐍈 \u{10ffff} \u{e000}",
    ] {
        assert_same(text);
    }
}

/// Characters of all planes, with a preference for those that affect splitting.
fn character() -> impl Strategy<Value = char> {
    prop_oneof![
        4 => any::<char>(),
        6 => proptest::char::range(' ', '~'),
        3 => select(" \t\r\n\u{b}\u{c}\u{85}\u{a0}\u{2028}\u{3000}\u{feff}".chars().collect::<Vec<_>>()),
        3 => select("'sStTmMdDrReEvVlLſ".chars().collect::<Vec<_>>()),
        2 => proptest::char::range('\u{300}', '\u{36f}'),
        2 => proptest::char::range('\u{4e00}', '\u{9fff}'),
        2 => proptest::char::range('\u{1f300}', '\u{1faff}'),
        2 => select("ǅǈʰªºⅷⅨ½٣߀ᾈАяΩß\u{200d}\u{fe0f}/".chars().collect::<Vec<_>>()),
        1 => proptest::char::range('\0', '\u{1f}'),
    ]
}

/// Runs of one character among others, long enough for pieces that are counted with a heap.
fn runs() -> impl Strategy<Value = String> {
    prop::collection::vec(
        (character(), prop_oneof![9 => 1_usize..4, 1 => 1_usize..600]),
        0..40,
    )
    .prop_map(|runs| {
        runs.into_iter()
            .flat_map(|(c, n)| std::iter::repeat_n(c, n))
            .collect()
    })
}

fn code() -> impl Strategy<Value = String> {
    let line = select(vec![
        "fn main() {",
        "    let x = foo(&bar, 0x1F, \"a b\\n\");",
        "\tif (a !== b) { return [1, 2, 3.14e-10]; }",
        "}",
        "",
        "/// See https://example.org/a?b=c&d=%20e#f",
        "SELECT * FROM users WHERE id='x' -- comment",
        "class HTTPServer2(BaseHTTPServer): # TODO(me): don't",
        "# Heading",
        "- [x] **Bold** item with `code` <!-- TASK: auth-1 -->",
        "| a | b |\n|---|---:|",
        "```rust\nimpl<'a> Foo<'a> for Bar {}\n```",
        "résumé naïve Straße İstanbul",
        "{\"key\": [null, true, -1.5e+3], \"\\u00e9\": \"🚀\"}",
    ]);
    prop::collection::vec((line, select(vec!["\n", "\r\n", "\n\n  ", " "])), 0..30).prop_map(
        |lines| {
            lines
                .into_iter()
                .map(|(line, end)| format!("{line}{end}"))
                .collect()
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn random_unicode_has_the_same_counts(text in prop::collection::vec(character(), 0..60)) {
        assert_same(&text.into_iter().collect::<String>());
    }

    #[test]
    fn code_and_markdown_have_the_same_counts(text in code()) {
        assert_same(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn long_runs_have_the_same_counts(text in runs()) {
        assert_same(&text);
    }

    #[test]
    fn random_letters_have_the_same_counts(text in "[a-f]{0,400}") {
        assert_same(&text);
    }
}

/// Each character, alone and between others: the classes are right for all of Unicode.
#[test]
fn every_character_is_split_as_in_the_libraries() {
    let oracle = tiktoken_rs::o200k_base().unwrap();
    let other = tiktoken_rs::cl100k_base().unwrap();
    for start in (0..0x11_0000_u32).step_by(64) {
        let characters = (start..start + 64).filter_map(char::from_u32);
        let text: String = characters
            .flat_map(|c| ['a', c, 'B', ' ', c, '1', c, c, '\n'])
            .collect();
        assert_eq!(
            O200K.count(&text),
            oracle.encode_ordinary(&text).len(),
            "{start:x}"
        );
        assert_eq!(
            CL100K.count(&text),
            other.encode_ordinary(&text).len(),
            "{start:x}"
        );
    }
}
