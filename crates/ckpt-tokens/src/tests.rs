use super::{Encoding, Rules, Table};

/// An empty vocabulary: any lookup panics.
const EMPTY: Encoding = Encoding {
    rules: Rules::O200k,
    table: Table::of(&[0; 16]),
};

#[test]
fn a_text_of_no_more_bytes_than_the_limit_needs_no_table() {
    assert!(EMPTY.fits("any text", 8));
    assert!(std::panic::catch_unwind(|| EMPTY.fits("any text", 7)).is_err());
}
