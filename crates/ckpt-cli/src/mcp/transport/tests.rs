use super::*;

#[test]
fn the_id_is_found_whatever_is_around_it() {
    let id = |text: &str| id_in(text.as_bytes());
    assert_eq!(id(r#"{"id":7,"method":"x","#), json!(7));
    assert_eq!(id(r#"{"params":{"id":1},"id" : "a b","#), json!("a b"));
    assert_eq!(id(r#"{"a":"\"id\":3","id":4"#), json!(4));
    assert_eq!(
        id(&format!("{{\"id\":5,\"a\":{}", "[".repeat(5_000))),
        json!(5)
    );
    assert_eq!(id(r#"{"id":{"a":1}}"#), Value::Null);
    assert_eq!(id(r#"[{"id":1}]"#), Value::Null);
    assert_eq!(id(""), Value::Null);
}

#[test]
fn half_a_pair_is_replaced_and_nothing_else() {
    let whole = |text: &str| String::from_utf8(with_whole_characters(text.as_bytes())).unwrap();
    assert_eq!(whole(r#""cut \ud83d""#), r#""cut \ufffd""#);
    assert_eq!(
        whole(r#""\ud83d\ude00 \udc00x""#),
        r#""\ud83d\ude00 \ufffdx""#
    );
    assert_eq!(whole(r#""\\ud83d""#), r#""\\ud83d""#);
    assert_eq!(whole(r#""\ud83d\n\u00e9""#), r#""\ufffd\n\u00e9""#);
}
