use super::*;

#[test]
fn the_block_has_at_most_fifteen_lines() {
    assert!(BLOCK.lines().count() <= 15, "{}", BLOCK.lines().count());
    assert!(BLOCK.starts_with(BEGIN));
    assert!(BLOCK.ends_with(&format!("{END}\n")));
}

#[test]
fn adding_the_block_and_removing_it_restores_the_text() {
    for text in [
        "",
        "# Rules\n",
        "# Rules\n\nNo tabs.\n",
        "# Rules\r\n\r\nNo tabs.\r\n",
        "# Rules\n\n",
    ] {
        let with = with_block(text).unwrap();
        assert!(with.contains("ckpt resume"));
        let change = Change::new("AGENTS.md", Some(text), &with);
        assert_eq!(original(&change, &with).as_deref(), Some(text), "{text:?}");
        // A second time changes nothing.
        assert_eq!(with_block(&with), Some(with.clone()));
    }
    // Without a line end at the end, only the receipt knows that.
    let text = "# Rules";
    let with = with_block(text).unwrap();
    let change = Change::new("AGENTS.md", Some(text), &with);
    assert_eq!(original(&change, &with).as_deref(), Some(text));
}

#[test]
fn an_old_block_is_replaced_where_it_is() {
    let old = format!("# Rules\n\n{BEGIN} v0 -->\nold\n{END}\n\nMore.\n");
    let new = with_block(&old).unwrap();
    assert_eq!(new, format!("# Rules\n\n{BLOCK}\nMore.\n"));
    assert_eq!(without_block(&new).as_deref(), Some("# Rules\n\nMore.\n"));
}

#[test]
fn what_others_write_around_the_block_stays() {
    let with = with_block("# Rules\n").unwrap();
    let change = Change::new("AGENTS.md", Some("# Rules\n"), &with);
    let edited = format!("New first line.\n{with}\nLast.\n");
    assert_eq!(
        original(&change, &edited).as_deref(),
        Some("New first line.\n# Rules\n\nLast.\n")
    );
}

#[test]
fn a_block_that_was_taken_apart_is_left_alone() {
    for text in [
        format!("{BEGIN} -->\nno end\n"),
        format!("{END}\n"),
        format!("{BEGIN} -->\n{BEGIN} -->\n{END}\n"),
        format!("{BEGIN} -->\n{END}\n{END}\n"),
    ] {
        assert_eq!(with_block(&text), None, "{text}");
        assert_eq!(without_block(&text), None, "{text}");
    }
}
