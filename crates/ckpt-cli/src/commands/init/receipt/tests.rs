use super::*;

#[test]
fn a_change_is_undone_byte_for_byte_even_if_more_was_added_after_it() {
    for (before, after) in [
        ("{}", "{ \"é\": 1 }"),
        ("", "x"),
        ("abc\r\n", "aXbc\r\nY"),
        ("é", "è"),
    ] {
        let change = Change::new("f", Some(before), after);
        assert_eq!(change.undone(after).as_deref(), Some(before));
        let longer = format!("{after}\nmore");
        assert_eq!(change.undone(&longer), Some(format!("{before}\nmore")));
    }
    let change = Change::new("f", None, "{}\n");
    assert!(change.created);
    assert_eq!(change.undone("{}\n").as_deref(), Some(""));
    assert_eq!(change.undone("[]\n"), None);
}

#[test]
fn only_the_very_bytes_are_what_was_there_before() {
    let change = Change::new("f", Some("a"), "b");
    let texts = [Some("a"), Some("a\n"), Some("b"), None];
    let same = texts.map(|text| change.is_as_before(text));
    assert_eq!(same, [true, false, false, false]);
    let created = Change::new("f", None, "b");
    let same = texts.map(|text| created.is_as_before(text));
    assert_eq!(same, [false, false, false, true]);
}

#[test]
fn a_receipt_is_read_as_it_was_written() {
    let mut receipt = Receipt::default();
    receipt.put(Change::new("a", None, "x"));
    receipt.put(Change::new("a", Some("y"), "z"));
    assert_eq!(receipt.files.len(), 1);
    assert_eq!(Receipt::read(&receipt.written()), receipt);
    assert_eq!(Receipt::read(b"{"), Receipt::default());
}
