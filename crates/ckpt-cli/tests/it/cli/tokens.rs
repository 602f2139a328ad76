//! Counting and shortening on the command line.

use std::io::Write;
use std::process::{Command, Stdio};

use proptest::prelude::{Strategy, any, prop, prop_oneof};
use proptest::sample::select;
use proptest::strategy::ValueTree;
use proptest::test_runner::TestRunner;
use serde_json::json;

use crate::support::environment::Environment;
use crate::support::tool;

const TEXT: &str = "The parser is done. It keeps the order of members. Next: the writer.\n";

#[test]
fn each_counter_is_named_and_counts_in_its_own_way() {
    let environment = Environment::new();
    environment.write("a.txt", TEXT);
    for (counter, count) in [("words", 13), ("o200k", 17), ("cl100k", 17), ("claude", 30)] {
        let run = environment
            .ckpt(&["tokens", "a.txt", "--counter", counter])
            .exits(0);
        assert_eq!(run.stdout, format!("{count}\ta.txt\n"), "{counter}");
        let report = environment
            .ckpt(&["tokens", "a.txt", "--counter", counter, "--json"])
            .json();
        assert_eq!(report["counter"], counter);
        assert_eq!(
            report["counts"],
            json!([{"file": "a.txt", "tokens": count}])
        );
    }
    environment
        .ckpt(&["tokens", "a.txt", "--counter", "gpt"])
        .exits(2);
    let environment = environment.with_variable("CKPT_TOKEN_COUNTER", "o200k");
    let run = environment
        .ckpt(&["tokens", "a.txt", "--limit", "16"])
        .exits(4);
    assert_eq!(
        run.stderr,
        "error: a.txt: Context summary exceeds 16 token limit (actual: 17 tokens) (counter: o200k)\n"
    );
    environment
        .ckpt(&["tokens", "a.txt", "--limit", "17"])
        .exits(0);
}

#[test]
fn the_counter_of_the_settings_holds_for_summaries() {
    let environment = Environment::new().with_variable("CKPT_TOKEN_COUNTER", "cl100k");
    let environment = environment.with_variable("CKPT_SUMMARY_LIMIT", "3");
    environment.ckpt(&["start", "implement", "a"]).exits(0);
    let phase = ["phase", "implement/a", "build", "in_progress", "--summary"];
    environment
        .ckpt(&[&phase[..], &["one two three"]].concat())
        .exits(0);
    let run = environment
        .ckpt(&[&phase[..], &["antidisestablishmentarianism"]].concat())
        .exits(4);
    assert!(
        run.stderr
            .contains("exceeds 3 token limit (actual: 6 tokens) (counter: cl100k)"),
        "{run}"
    );
}

#[test]
fn a_text_is_cut_after_a_sentence_and_the_cut_is_reported() {
    let environment = Environment::new();
    let run = environment
        .ckpt_reading(TEXT, &["tokens", "--fit", "10"])
        .exits(0);
    assert_eq!(
        run.stdout,
        "The parser is done. It keeps the order of members.\n"
    );
    assert_eq!(
        run.stderr,
        "cut the last sentence or item: 10 of 13 tokens are left (counter: words, limit: 10)\n"
    );
    let run = environment
        .ckpt_reading(TEXT, &["tokens", "--fit", "13"])
        .exits(0);
    assert_eq!((run.stdout.as_str(), run.stderr.as_str()), (TEXT, ""));
    let report = environment
        .ckpt_reading(TEXT, &["tokens", "--fit", "2", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["text"], "The parser");
    assert_eq!(report["cut"]["inside_sentence"], true);
    let run = environment.ckpt_reading("a b", &["tokens", "-"]).exits(0);
    assert_eq!(run.stdout, "2\n");
    environment.write("a", "x");
    environment
        .ckpt(&["tokens", "--fit", "2", "a", "a"])
        .exits(2);
}

/// Compares with JavaScript on texts full of characters that it may treat as white space.
#[test]
fn words_are_counted_as_javascript_counts_them() {
    let script = "const texts = JSON.parse(require('fs').readFileSync(0, 'utf8'));\
                  console.log(JSON.stringify(texts.map(t => t.split(/\\s+/).filter(Boolean).length)))";
    if !tool::works("node", &["--version"]) {
        return;
    }
    let spaces = "\t\n\u{b}\u{c}\r \u{85}\u{a0}\u{1680}\u{180e}\u{2000}\u{200a}\u{200b}\u{2028}\u{2029}\u{202f}\u{205f}\u{2060}\u{3000}\u{feff}\0";
    let character = prop_oneof![
        3 => select(spaces.chars().collect::<Vec<_>>()),
        2 => select("aé中🚀\u{301}".chars().collect::<Vec<_>>()),
        1 => any::<char>(),
    ];
    let text = prop::collection::vec(character, 0..40);
    let text = text.prop_map(|text| text.into_iter().collect::<String>());
    let mut runner = TestRunner::deterministic();
    let mut texts: Vec<String> = (0..3000)
        .map(|_| text.new_tree(&mut runner).unwrap().current())
        .collect();
    // Every character of the first plane, between two words.
    texts.extend(
        (0..0x1_0000)
            .filter_map(char::from_u32)
            .map(|c| format!("a{c}b")),
    );
    let mut node = Command::new("node")
        .args(["-e", script])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let input = serde_json::to_vec(&texts).unwrap();
    let mut stdin = node.stdin.take().unwrap();
    let writer = std::thread::spawn(move || stdin.write_all(&input).unwrap());
    let output = node.wait_with_output().unwrap();
    writer.join().unwrap();
    let counts: Vec<usize> = serde_json::from_slice(&output.stdout).unwrap();
    for (text, count) in texts.iter().zip(counts) {
        assert_eq!(ckpt::tokens::count_words(text), count, "{text:?}");
    }
}

#[test]
fn tokens_are_separated_as_in_javascript() {
    let environment = Environment::new();
    let count = |text: &str| environment.ckpt_reading(text, &["tokens"]).exits(0).stdout;
    assert_eq!(count(""), "0\n");
    assert_eq!(count("  multiple   spaces  "), "2\n");
    assert_eq!(count("a\u{feff}b"), "2\n");
    assert_eq!(count("a\u{85}b"), "1\n");
    assert_eq!(count("a\u{a0}b\u{2028}c\u{3000}d\u{b}e"), "5\n");
}
