//! Tests of documents.

use proptest::prelude::*;

use super::*;

fn parse(text: &str) -> Document {
    Document::parse(text).unwrap()
}

/// The text after applying `change` to the tree of `text`.
fn changed(text: &str, change: impl FnOnce(&mut Object)) -> String {
    let document = parse(text);
    let mut value = document.value();
    change(value.as_object_mut().unwrap());
    let after = document.apply(&document.rewrite(&value)).unwrap();
    assert_eq!(after.value(), value);
    after.text().to_owned()
}

#[test]
fn a_document_prints_as_it_was_read() {
    for text in [
        "{}",
        " [ 1e3 , -0.0,1E+2 ] ",
        "\u{feff}{\"a\":1}\r\n",
        r#"{"a":1,"a":2,"\u0061":3}"#,
        "123456789012345678901234567890.5e-400",
        r#""\ud800 \u0000 \/""#,
    ] {
        assert_eq!(parse(text).text(), text);
        assert!(parse(text).rewrite(&parse(text).value()).is_empty());
    }
}

#[test]
fn the_last_of_repeated_keys_counts() {
    let document = parse(r#"{"status":"paused","x":1,"st\u0061tus":"complete"}"#);
    assert_eq!(
        document.root().get("status").unwrap().as_str().unwrap(),
        "complete"
    );
    assert_eq!(
        document.value().to_compact(),
        r#"{"status":"complete","x":1}"#
    );
}

#[test]
fn removing_a_repeated_key_removes_all_of_it() {
    let after = changed(r#"{"a": 1, "b": 2, "a": 3}"#, |root| drop(root.remove("a")));
    assert_eq!(after, r#"{"b": 2}"#);
}

#[test]
fn changing_a_repeated_key_changes_the_one_that_counts() {
    let after = changed(r#"{"a": 1, "b": 2, "a": 3}"#, |root| root.set("a", 9));
    assert_eq!(after, r#"{"a": 1, "b": 2, "a": 9}"#);
}

#[test]
fn bad_texts_are_refused_with_their_place() {
    for (text, line, column, reason) in [
        ("", 1, 1, "the document ends where a value is expected"),
        (
            "{\"a\":1,}",
            1,
            8,
            "expected a member name in double quotes",
        ),
        ("[1\n 2]", 2, 2, "expected ',' or ']' after an item"),
        (
            "\"a\u{0}\"",
            1,
            3,
            "a control character in a string must be escaped",
        ),
        ("\0", 1, 1, "expected a JSON value"),
        ("\"\\x\"", 1, 2, "unknown escape in a string"),
        (
            "\"\\u12g4\"",
            1,
            2,
            "\\u must be followed by four hexadecimal digits",
        ),
        ("01", 1, 2, "unexpected text after the end of the document"),
        ("\"abc", 1, 5, "the document ends inside a string"),
    ] {
        let error = Document::parse(text).unwrap_err();
        assert_eq!(
            (error.line, error.column, error.reason),
            (line, column, reason),
            "{text:?}"
        );
    }
    let error = Document::from_bytes(b"{\n\xff}".to_vec()).unwrap_err();
    assert_eq!(
        (error.line, error.reason),
        (2, "this byte is not valid UTF-8")
    );
}

#[test]
fn depth_and_size_have_limits() {
    let nested = |depth: usize| "[".repeat(depth) + &"]".repeat(depth);
    assert!(Document::parse(nested(MAX_DEPTH)).is_ok());
    let error = Document::parse(nested(MAX_DEPTH + 1)).unwrap_err();
    assert_eq!(error.reason, "nested deeper than 128 levels");
    assert!(Document::parse("[".repeat(10_000_000)).is_err());
    let error = Document::parse(" ".repeat(MAX_BYTES + 1)).unwrap_err();
    assert_eq!(
        error.reason,
        "the document is too large: the limit is 64 MiB"
    );
}

#[test]
fn an_object_of_ten_thousand_keys_is_read_and_edited() {
    let members: Object = (0..10_000)
        .map(|n| (format!("key{n}"), Value::from(n)))
        .collect();
    let document = Document::from_value(&members.clone().into()).unwrap();
    let mut target = members;
    target.set("key5000", "changed");
    let edit = document.rewrite(&target.into());
    assert_eq!(edit.splices().len(), 1);
    assert_eq!(edit.splices()[0].new, b"\"changed\"");
}

#[test]
fn typed_reads_say_where_the_wrong_type_is() {
    let document = parse(r#"{"state":{"completed_phases":["a",7],"a/b~":1}}"#);
    let state = document.root().get("state").unwrap();
    let error = state
        .get("completed_phases")
        .unwrap()
        .strings()
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "/state/completed_phases/1: expected a string, found a number"
    );
    let error = state.get("a/b~").unwrap().boolean().unwrap_err();
    assert_eq!(
        error.to_string(),
        "/state/a~1b~0: expected true or false, found a number"
    );
    let error = state.member("phases").unwrap_err();
    assert_eq!(
        error.to_string(),
        "/state/phases: expected a member, found nothing"
    );
}

#[test]
fn escapes_are_decoded_and_lone_surrogates_survive() {
    let document = parse(r#""\ud83d\ude00 \ud83d \ude00 \u00e9\n""#);
    assert_eq!(
        document.root().as_str().unwrap(),
        "😀 \u{fffd} \u{fffd} é\n"
    );
}

#[test]
fn a_changed_value_changes_only_its_own_bytes() {
    let text = "{\n\t\"a\" : [1,2,  3],\n\t\"b\" : { \"c\":null }\n}";
    let after = changed(text, |root| root.object_mut("b").set("c", true));
    assert_eq!(after, text.replace("null", "true"));
}

#[test]
fn an_added_member_takes_the_layout_of_its_neighbours() {
    for (before, after) in [
        (
            "{\n    \"a\": 1\n}\n",
            "{\n    \"a\": 1,\n    \"new\": 5\n}\n",
        ),
        (
            "{\r\n\t\"a\" :1\r\n}",
            "{\r\n\t\"a\" :1,\r\n\t\"new\" :5\r\n}",
        ),
        (r#"{"a":1}"#, r#"{"a":1,"new":5}"#),
        (r#"{"a": 1}"#, r#"{"a": 1, "new": 5}"#),
        (r#"{ "a": 1 }"#, r#"{ "a": 1, "new": 5 }"#),
        ("{}", r#"{"new":5}"#),
        ("{}\n", "{\n  \"new\": 5\n}\n"),
    ] {
        assert_eq!(changed(before, |root| root.set("new", 5)), after);
    }
}

#[test]
fn an_added_container_is_indented_where_it_stands() {
    let text = "{\n    \"phases\": {}\n}";
    let mut phase = Object::new();
    phase.set("files", vec!["a", "b"]);
    let after = changed(text, |root| root.object_mut("phases").set("x", phase));
    let expected = "{\n    \"phases\": {\n        \"x\": {\n            \"files\": [\n                \"a\",\n                \"b\"\n            ]\n        }\n    }\n}";
    assert_eq!(after, expected);
}

#[test]
fn an_added_container_beside_one_liners_is_a_one_liner() {
    let text = "{\n  \"a\": {\"s\": 1}\n}";
    let mut new = Object::new();
    new.set("s", 2);
    new.set("t", vec![3]);
    let after = changed(text, |root| root.set("b", new));
    assert_eq!(
        after,
        "{\n  \"a\": {\"s\": 1},\n  \"b\": {\"s\": 2, \"t\": [3]}\n}"
    );
}

#[test]
fn an_empty_list_beside_one_liners_fills_in_one_line() {
    let text = "{\n  \"a\": [1, 2],\n  \"b\": []\n}";
    let after = changed(text, |root| root.set("b", vec![3, 4]));
    assert_eq!(after, "{\n  \"a\": [1, 2],\n  \"b\": [3, 4]\n}");
}

#[test]
fn items_come_and_go_inline_and_in_lines() {
    for (before, items, after) in [
        (
            r#"{"l": ["a", "b", "c"]}"#,
            &["b", "c"][..],
            r#"{"l": ["b", "c"]}"#,
        ),
        (
            r#"{"l": ["a", "b", "c"]}"#,
            &["a", "c"],
            r#"{"l": ["a", "c"]}"#,
        ),
        (
            r#"{"l": ["a", "b", "c"]}"#,
            &["a", "b"],
            r#"{"l": ["a", "b"]}"#,
        ),
        (
            r#"{"l": ["a", "b"]}"#,
            &["x", "a", "b", "c"],
            r#"{"l": ["x", "a", "b", "c"]}"#,
        ),
        (r#"{"l": ["a"]}"#, &[], r#"{"l": []}"#),
        (r#"{"l": []}"#, &["a", "b"], r#"{"l": ["a", "b"]}"#),
        (
            "{\n  \"l\": [\n    \"a\"\n  ]\n}",
            &["a", "b"],
            "{\n  \"l\": [\n    \"a\",\n    \"b\"\n  ]\n}",
        ),
        ("{\n  \"l\": [\n    \"a\"\n  ]\n}", &[], "{\n  \"l\": []\n}"),
        (
            "{\n  \"l\": []\n}",
            &["a"],
            "{\n  \"l\": [\n    \"a\"\n  ]\n}",
        ),
        (
            "{\n  \"l\": [ \"a\" ]\n}",
            &["b"],
            "{\n  \"l\": [ \"b\" ]\n}",
        ),
    ] {
        assert_eq!(changed(before, |root| root.set("l", items.to_vec())), after);
    }
}

#[test]
fn numbers_keep_their_spelling_until_their_value_changes() {
    let text = r#"{"a": 1.0, "b": 12345678901234567890123, "c": 1e3}"#;
    let same = changed(text, |root| root.set("a", 1));
    assert_eq!(same, text);
    let after = changed(text, |root| root.set("c", 1001));
    assert_eq!(after, text.replace("1e3", "1001"));
}

#[test]
fn an_edit_refuses_a_text_it_was_not_made_for() {
    let edit = parse(r#"{"a":1}"#).rewrite(&parse(r#"{"a":2}"#).value());
    assert!(
        edit.apply(br#"{"b":1}"#).is_ok(),
        "only the replaced bytes are compared"
    );
    assert_eq!(edit.apply(br#"{"a":3}"#), Err(SpliceError { offset: 5 }));
    assert_eq!(edit.apply(b""), Err(SpliceError { offset: 5 }));
}

#[test]
fn an_edit_between_two_texts_does_not_split_a_character() {
    let edit = Edit::between("aé".as_bytes(), "aè".as_bytes());
    assert_eq!(edit.splices()[0].new, "è".as_bytes());
    assert_eq!(edit.apply("aé".as_bytes()).unwrap(), "aè".as_bytes());
}

#[test]
fn patches_are_read_and_refused_as_rfc_6902_says() {
    let value = parse(r#"{"a":[1,2],"b":{"c":3}}"#).value();
    let apply = |patch: &str| Patch::from_value(&parse(patch).value())?.apply(&value);
    let moved = apply(
        r#"[{"op":"move","from":"/b/c","path":"/a/-"},{"op":"test","path":"/a/2","value":3}]"#,
    );
    assert_eq!(moved.unwrap().to_compact(), r#"{"a":[1,2,3],"b":{}}"#);
    let error = apply(r#"[{"op":"remove","path":"/a/7"}]"#).unwrap_err();
    assert_eq!(error.to_string(), "nothing at \"/a/7\"");
    let error = apply(r#"[{"op":"rename","path":"/a"}]"#).unwrap_err();
    assert_eq!(
        error.to_string(),
        "operation 0: \"op\" is not a known operation"
    );
}

fn any_value() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (0_u64..5).prop_map(Value::from),
        "[a-c\"\\\\\n\u{e9}😀]{0,3}".prop_map(Value::from),
    ];
    scalar.prop_recursive(4, 40, 5, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..5).prop_map(Value::Array),
            prop::collection::vec(("[a-e]{1,2}", inner), 0..5)
                .prop_map(|members| Value::Object(members.into_iter().collect())),
        ]
    })
}

/// Prints a value with arbitrary whitespace, and sometimes a key twice.
fn messy(value: &Value, spaces: &mut impl Iterator<Item = u8>, out: &mut String) {
    const SPACE: [&str; 6] = ["", " ", "\n", "\n    ", "\t", "\r\n"];
    let space = |out: &mut String, spaces: &mut dyn Iterator<Item = u8>| {
        out.push_str(SPACE[usize::from(spaces.next().unwrap_or(0)) % SPACE.len()]);
    };
    space(out, spaces);
    match value {
        Value::Array(items) => {
            out.push('[');
            for (at, item) in items.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                messy(item, spaces, out);
            }
            space(out, spaces);
            out.push(']');
        }
        Value::Object(object) => {
            out.push('{');
            for (at, (name, value)) in object.iter().enumerate() {
                out.push_str(if at > 0 { "," } else { "" });
                if spaces.next().unwrap_or(0) % 7 == 6 {
                    out.push_str(&format!("{}: 0,", Value::from(name).to_compact()));
                }
                messy(&name.into(), spaces, out);
                space(out, spaces);
                out.push(':');
                messy(value, spaces, out);
            }
            space(out, spaces);
            out.push('}');
        }
        scalar => out.push_str(&scalar.to_compact()),
    }
    space(out, spaces);
}

fn messy_text(value: &Value, spaces: &[u8]) -> String {
    let mut out = String::new();
    messy(
        value,
        &mut spaces.iter().copied().cycle().take(10_000),
        &mut out,
    );
    out
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn any_rewrite_says_what_was_asked_and_can_be_undone(
        old in any_value(), new in any_value(), spaces in prop::collection::vec(any::<u8>(), 1..60),
    ) {
        let document = parse(&messy_text(&old, &spaces));
        prop_assert_eq!(&document.value(), &old);
        prop_assert!(document.rewrite(&old).is_empty());
        let edit = document.rewrite(&new);
        let after = document.apply(&edit).unwrap();
        prop_assert_eq!(&after.value(), &new);
        let back = edit.undo(after.text().as_bytes()).unwrap();
        prop_assert_eq!(back, document.text().as_bytes());
    }

    #[test]
    fn texts_are_accepted_as_serde_json_accepts_them(text in "[\\[\\]{}:,\" \\\\0-9eE.+\\-a-fnrtul\n]{0,12}") {
        let ours = Document::parse(text.as_str());
        let theirs = serde_json::from_str::<serde_json::Value>(&text);
        // Only lone surrogates and numbers beyond a float's range are accepted here and not there.
        match (&ours, &theirs) {
            (Ok(ours), Err(_)) => prop_assert!(text.contains("\\u") || ours.root().as_f64().is_none_or(f64::is_infinite) || text.to_lowercase().contains('e')),
            _ => prop_assert_eq!(ours.is_ok(), theirs.is_ok(), "{}", text),
        }
    }

    #[test]
    fn printing_agrees_with_serde_json(value in any_value()) {
        let theirs: serde_json::Value = serde_json::from_str(&value.to_compact()).unwrap();
        prop_assert_eq!(value.to_compact(), theirs.to_string());
        prop_assert_eq!(to_pretty(&value), serde_json::to_string_pretty(&theirs).unwrap());
    }

    #[test]
    fn a_diff_turns_one_value_into_the_other_here_and_in_json_patch(old in any_value(), new in any_value()) {
        let patch = diff(&old, &new);
        prop_assert_eq!(&patch.apply(&old).unwrap(), &new);
        prop_assert_eq!(&Patch::from_value(&patch.to_value()).unwrap(), &patch);
        let theirs: json_patch::Patch = serde_json::from_str(&patch.to_value().to_compact()).unwrap();
        let mut value: serde_json::Value = serde_json::from_str(&old.to_compact()).unwrap();
        json_patch::patch(&mut value, &theirs).unwrap();
        let expected: serde_json::Value = serde_json::from_str(&new.to_compact()).unwrap();
        prop_assert_eq!(value, expected);
    }

    #[test]
    fn no_bytes_make_the_parser_panic(bytes in prop::collection::vec(any::<u8>(), 0..64)) {
        let _ = Document::from_bytes(bytes);
    }

    #[test]
    fn between_any_two_texts_there_is_an_edit_and_a_way_back(old in ".{0,20}", new in ".{0,20}") {
        let edit = Edit::between(old.as_bytes(), new.as_bytes());
        prop_assert_eq!(edit.apply(old.as_bytes()).unwrap(), new.as_bytes());
        prop_assert_eq!(edit.undo(new.as_bytes()).unwrap(), old.as_bytes());
    }
}
