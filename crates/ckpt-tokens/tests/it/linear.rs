//! Inputs for which other libraries need quadratic time.

use std::time::{Duration, Instant};

use ckpt_tokens::{CL100K, Encoding, O200K};

fn time(encoding: Encoding, text: &str) -> Duration {
    let start = Instant::now();
    std::hint::black_box(encoding.count(text));
    start.elapsed()
}

/// A busy machine spoils some measurements, but not all.
const ATTEMPTS: u32 = 8;

const UNITS: [&str; 9] = ["a", " ", "🦀", "\n", "A\u{301}", "'s", "中", "ab", "/"];

/// Sixteen times the text should take about 16 times as long. Quadratic time would be 256 times as long; 64 is halfway
/// between the two.
#[test]
fn long_runs_of_one_character_take_linear_time() {
    for unit in UNITS {
        let text = |length: usize| unit.repeat(length / unit.len());
        let (short, long) = (text(1 << 15), text(1 << 19));
        for encoding in [O200K, CL100K] {
            let is_linear = |_: u32| time(encoding, &long) < time(encoding, &short) * 64;
            assert!((0..ATTEMPTS).any(is_linear), "{unit:?}");
        }
    }
}

#[test]
fn a_megabyte_of_one_character_is_counted() {
    let counts = UNITS.map(|unit| O200K.count(&unit.repeat((1 << 20) / unit.len())));
    assert_eq!(
        counts,
        [
            131_072, 8192, 786_432, 65_536, 699_050, 524_288, 349_525, 262_144, 16_384
        ]
    );
}

#[test]
fn a_text_over_its_limit_is_not_read_to_its_end() {
    let text = "word ".repeat(2_000_000);
    let is_early = |_: u32| {
        let start = Instant::now();
        assert_eq!(O200K.count_up_to(&text, 500), None);
        let early = start.elapsed();
        let start = Instant::now();
        assert!(O200K.count(&text) > 1_000_000);
        early * 20 < start.elapsed()
    };
    assert!((0..ATTEMPTS).any(is_early));
    assert_eq!(O200K.count_up_to(&"a".repeat(10_000_000), 500), None);
}

#[test]
fn a_text_of_no_more_bytes_than_the_limit_fits_whatever_it_is() {
    assert!(O200K.fits(&"\u{10ffff}".repeat(125), 500));
    assert!(!O200K.fits(&"\u{10ffff}".repeat(126), 500) || O200K.count("\u{10ffff}") < 4);
}
