use proptest::prelude::*;

use super::*;

fn rebased(base: &str, mine: &str, theirs: &str) -> Result<String, String> {
    let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("it is text");
    let rebased = rebase(
        base.as_bytes(),
        mine.as_bytes(),
        theirs.as_bytes(),
        &|_, _, _| None,
    );
    rebased
        .map(text)
        .map_err(|overlap| text(overlap.line).trim().to_owned())
}

#[test]
fn a_change_is_made_again_where_nobody_changed_the_same_lines() {
    for (base, mine, theirs, expected) in [
        ("a\nb\n", "a\n", "new\na\nb\n", "new\na\n"),
        ("a\nb\nc\n", "a\nB\nc\n", "A\nb\nc\nd\n", "A\nB\nc\nd\n"),
        ("a\nb\n", "a\nx\nb\n", "a\nb\ny\n", "a\nx\nb\ny\n"),
        ("a\nb\n", "b\n", "b\n", "b\n"),
        ("a\n", "a\nx\n", "a\nx\n", "a\nx\n"),
    ] {
        assert_eq!(rebased(base, mine, theirs).as_deref(), Ok(expected));
    }
}

#[test]
fn a_line_that_both_changed_is_an_overlap() {
    for (base, mine, theirs, line) in [
        ("a\nb\n", "a\nB\n", "a\nbb\n", "b"),
        ("a\nb\n", "a\n", "a\nbb\n", "b"),
        ("a\nb\nc\nd\n", "a\nd\n", "a\nb\nx\nc\nd\n", "b"),
        ("- a\n- b\n", "- a\n", "- a\n- b\n  detail\n", "- b"),
    ] {
        assert_eq!(rebased(base, mine, theirs), Err(line.to_owned()));
    }
}

fn text() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec!["a\n", "b\n", "c\n", "\n", "d e\n", "é"]);
    prop::collection::vec(line, 0..12).prop_map(|lines| lines.concat())
}

proptest! {
    #[test]
    fn an_edit_by_lines_leads_to_the_other_text_and_back(old in text(), new in text()) {
        let edit = Edit::by_lines(old.as_bytes(), new.as_bytes());
        prop_assert_eq!(edit.apply(old.as_bytes()).unwrap(), new.as_bytes());
        prop_assert_eq!(edit.undo(new.as_bytes()).unwrap(), old.as_bytes());
    }

    #[test]
    fn a_change_made_again_on_what_it_came_from_is_the_change(base in text(), mine in text()) {
        prop_assert_eq!(rebased(&base, &mine, &base), Ok(mine.clone()));
        prop_assert_eq!(rebased(&base, &base, &mine), Ok(mine.clone()));
        prop_assert_eq!(rebased(&base, &mine, &mine), Ok(mine));
    }
}
