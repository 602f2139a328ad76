use super::*;

#[test]
fn percentages_are_rounded_and_printed_as_in_javascript() {
    for (done, total, shown) in [
        (0, 0, "0"),
        (0, 7, "0"),
        (1, 16, "6.3"),
        (2, 5, "40"),
        (1, 3, "33.3"),
        (2, 3, "66.7"),
        (1, 1000, "0.1"),
        (999, 1000, "99.9"),
        (1999, 2000, "100"),
        (7, 7, "100"),
    ] {
        assert_eq!(percentage_text(done, total), shown, "{done}/{total}");
    }
}
