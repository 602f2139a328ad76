use proptest::prelude::{any, prop_assert_eq, proptest};

use super::Counter;

#[test]
fn each_counter_counts_in_its_own_way() {
    let text = "Don't re-do: naïve café, 日本語 🚀!";
    let counts = Counter::ALL.map(|counter| counter.count(text));
    assert_eq!(counts, [6, 13, 17, 23]);
    for counter in Counter::ALL {
        assert_eq!(Counter::read(counter.as_str()), Some(counter));
        assert_eq!(counter.count(""), 0);
    }
    assert_eq!(Counter::read("gpt"), None);
}

proptest! {
    #[test]
    fn a_text_fits_exactly_where_its_count_does(text in any::<String>(), limit in 0_usize..60) {
        for counter in Counter::ALL {
            prop_assert_eq!(counter.fits(&text, limit), counter.count(&text) <= limit);
        }
    }
}
