use super::*;

#[test]
fn ages_are_shown_in_the_largest_unit_that_fits() {
    let now = Timestamp::parse("2026-01-02T00:00:00Z").unwrap();
    for (then, shown) in [
        ("2026-01-01T23:59:30Z", "just now"),
        ("2026-01-01T23:55:00Z", "5m ago"),
        ("2026-01-01T20:00:00Z", "4h ago"),
        ("2025-12-30T00:00:00Z", "3d ago"),
        ("2026-01-03T00:00:00Z", "in the future"),
        ("soon", "?"),
    ] {
        assert_eq!(age(Some(then), now), shown);
    }
}
