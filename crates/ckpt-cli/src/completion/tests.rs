use std::collections::HashMap;

use super::{Asking, OsString, Request};
use crate::completion::line::Line;
use crate::environment::Variables;

fn words(line: &str) -> Vec<OsString> {
    line.split(' ').map(OsString::from).collect()
}

fn line(typed: &str) -> Line {
    Line::read(&words(typed), Variables::Given(HashMap::new()))
}

#[test]
fn arguments_before_the_cursor_are_read_from_unfinished_lines() {
    assert_eq!(
        line("ckpt phase ship").value("key").as_deref(),
        Some("ship")
    );
    let gate = line("ckpt -C sub pipeline gate run PRD-1 lint --for");
    assert_eq!(gate.value("id").as_deref(), Some("PRD-1"));
    assert_eq!(gate.value("directory").as_deref(), Some("sub"));
    let done = line("ckpt plan --plan=260220-1149-login done a b --json");
    assert_eq!(done.value("plan").as_deref(), Some("260220-1149-login"));
    assert_eq!(done.values("tasks"), ["a", "b"]);
    assert_eq!(line("ckpt nonsense --what").value("key"), None);
}

#[test]
fn an_assignment_that_bash_splits_is_one_option() {
    let request = Request::at(words("ckpt plan --plan = 26"), 4).unwrap();
    let request = request.with_assignments_joined();
    assert_eq!(request.words, words("ckpt plan --plan 26"));
    assert_eq!(request.index, 3);
    let request = Request::at(words("ckpt plan block = now"), 4).unwrap();
    assert_eq!(request.with_assignments_joined().index, 4);
}

#[test]
fn a_request_names_one_of_its_words() {
    assert_eq!(Request::at(words("ckpt plan"), 2).unwrap().words.len(), 3);
    assert!(Request::at(words("ckpt plan"), 3).is_none());
    assert!(Request::at(words("ckpt plan"), 0).is_none());
    assert!(Request::at_the_end(Vec::new()).is_none());
}

#[test]
fn bash_gets_plain_words_only_and_no_shell_gets_control_characters() {
    for (value, bash, others) in [
        ("implement/auth", true, true),
        ("größe", true, true),
        ("two words", false, true),
        ("$(touch x)", false, true),
        ("a;b", false, true),
        ("*", false, true),
        ("`x`", false, true),
        ("a\u{b}b", false, false),
        ("a\nb", false, false),
        ("a\u{1b}[2J", false, false),
        ("a\u{202e}b", false, false),
    ] {
        let value: OsString = value.into();
        assert_eq!(Asking::Bash.accepts(&value), bash, "{value:?}");
        assert_eq!(Asking::Zsh.accepts(&value), others, "{value:?}");
        assert_eq!(Asking::Fish.accepts(&value), others, "{value:?}");
    }
}
