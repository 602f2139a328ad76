use super::{Outcome, Row, json};
use crate::bound::Bound;

#[test]
fn a_skipped_case_is_written_with_its_reason_and_fails_nothing() {
    let row = Row {
        name: "append",
        against: "10 lines",
        bound: Bound::both(1.3),
        outcome: Outcome::Skipped("left out"),
    };
    let expected = r#"{"ok":true,"cases":[
{"case":"append","against":"10 lines","reason":"left out","bound":{"wall":1.300,"cpu":1.300,"cpu_ms":null,"rss_kib":null},"verdict":"skipped"}
]}
"#;
    assert_eq!(json(&[row]), expected);
}
