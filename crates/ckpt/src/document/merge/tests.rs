use super::*;
use crate::document::Document;

fn value(text: &str) -> Value {
    Document::parse(text.to_owned())
        .expect("it is JSON")
        .value()
}

fn merged(base: &str, mine: &str, theirs: &str) -> Result<String, Vec<String>> {
    let merging = Merging {
        clash: &|_| Clash::Conflict,
        lists: Lists::Items,
    };
    let merged = merging.merge(&value(base), value(mine), &value(theirs));
    merged
        .map(|merged| merged.to_compact())
        .map_err(|conflicts| {
            let pointers = conflicts.iter();
            pointers.map(|one| one.pointer.to_string()).collect()
        })
}

#[test]
fn the_items_of_a_list_are_merged_one_by_one() {
    for (base, mine, theirs, expected) in [
        ("[1]", "[]", "[1,2]", "[2]"),
        ("[2]", "[1,2]", "[2,3]", "[1,2,3]"),
        ("[1]", "[1,2]", "[1,3]", "[1,2,3]"),
        ("[1,2]", "[2,1]", "[1,2,3]", "[1,2,3]"),
        ("[1]", "[1,2]", "[0,1,2]", "[0,1,2]"),
        (
            r#"{"a":[1],"b":[]}"#,
            r#"{"a":[],"b":[1]}"#,
            r#"{"a":[1,2],"b":[3]}"#,
            r#"{"a":[2],"b":[1,3]}"#,
        ),
    ] {
        assert_eq!(merged(base, mine, theirs).as_deref(), Ok(expected));
    }
}

#[test]
fn an_item_that_somebody_else_took_away_is_a_conflict() {
    let conflict = merged(r#"{"a":[1,2]}"#, r#"{"a":[2]}"#, r#"{"a":[2,3]}"#);
    assert_eq!(conflict, Err(vec!["/a".to_owned()]));
    let repeated = merged("[1,1]", "[1]", "[1,1,2]");
    assert_eq!(repeated, Err(vec![String::new()]));
}
