//! Input that makes others take quadratic time.

use std::time::{Duration, Instant};

use ckpt_tokens::{CL100K, Encoding, O200K};

fn fastest(encoding: Encoding, text: &str) -> Duration {
    let runs = (0..3).map(|_| {
        let start = Instant::now();
        std::hint::black_box(encoding.count(text));
        start.elapsed()
    });
    runs.min().unwrap_or_default()
}

const UNITS: [&str; 9] = ["a", " ", "🦀", "\n", "A\u{301}", "'s", "中", "ab", "/"];

/// Eight times the text takes about eight times the time; were it quadratic, it would take 64 times.
#[test]
fn long_runs_of_one_character_take_linear_time() {
    for unit in UNITS {
        let text = |length: usize| unit.repeat(length / unit.len());
        for encoding in [O200K, CL100K] {
            let (short, long) = (text(1 << 16), text(1 << 19));
            let ratio =
                fastest(encoding, &long).as_secs_f64() / fastest(encoding, &short).as_secs_f64();
            assert!(ratio < 24.0, "{unit:?}: {ratio:.1} times");
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
    let start = Instant::now();
    assert_eq!(O200K.count_up_to(&text, 500), None);
    let early = start.elapsed();
    let start = Instant::now();
    assert!(O200K.count(&text) > 1_000_000);
    let whole = start.elapsed();
    assert!(early * 20 < whole, "{early:?} of {whole:?}");
    assert_eq!(O200K.count_up_to(&"a".repeat(10_000_000), 500), None);
}

#[test]
fn a_text_of_no_more_bytes_than_the_limit_fits_whatever_it_is() {
    assert!(O200K.fits(&"\u{10ffff}".repeat(125), 500));
    assert!(!O200K.fits(&"\u{10ffff}".repeat(126), 500) || O200K.count("\u{10ffff}") < 4);
}
