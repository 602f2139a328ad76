use super::*;

#[test]
fn a_piece_shows_what_was_found_with_what_is_around_it() {
    let long = format!(
        "{}the Quick\nbrown fox {}",
        "so ".repeat(40),
        "on ".repeat(40)
    );
    let shown = piece(&long, "quick brown");
    assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
    assert!(shown.contains("the Quick brown fox"), "{shown}");
    assert!(shown.chars().count() <= PIECE + 1, "{shown}");
    assert_eq!(piece("Ärger\u{202e} mit İ", "mit"), "Ärger mit İ");
    // A letter that is longer in lower case.
    assert!(piece(&format!("{} needle", "İ".repeat(200)), "needle").contains("needle"));
}
