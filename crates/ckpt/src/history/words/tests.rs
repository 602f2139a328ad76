use super::*;
use crate::document::Document;

fn piece(text: &str) -> Vec<String> {
    let mut said = Vec::new();
    in_json(text, &mut said);
    said
}

#[test]
fn the_names_of_members_are_not_said_wherever_the_piece_is_cut() {
    let whole =
        r#"{"context_summary": "Rows \"in\" a table", "at": "2026-01-29T10:45:00.000Z", "n": 1}"#;
    assert_eq!(piece(whole), [r#"Rows "in" a table"#]);
    assert_eq!(
        piece(r#"ummary": "Rows", "blockers": ["Law"]"#),
        ["Rows", "Law"]
    );
    assert_eq!(piece("in a table"), ["in a table"]);
    assert_eq!(piece(r#"a table", "status": "done"#), ["a table", "done"]);
    assert_eq!(
        piece(r#"", "met": null, "checksum": "sha256:abcdef"#),
        [""; 0]
    );
}

#[test]
fn a_tree_says_its_texts() {
    let text =
        r#"{"receipt":{"result":"passed","at":"2026-01-29T10:45:00Z","tail":["one",2,true]}}"#;
    let document = Document::parse(text).expect("it is JSON");
    let mut said = Vec::new();
    in_tree(document.root(), &mut said);
    assert_eq!(said, ["passed", "one"]);
}
