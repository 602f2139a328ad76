//! Pseudo-random numbers, the same for the same seed.

use std::time::{SystemTime, UNIX_EPOCH};

/// The `splitmix64` generator.
pub(crate) struct Random(u64);

impl Random {
    /// A new seed for every run, printed so that the run can be repeated with `CKPT_TEST_SEED`.
    pub(crate) fn seeded() -> Self {
        let given = std::env::var("CKPT_TEST_SEED").ok();
        let seed = given.map_or_else(
            || {
                let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap();
                now.as_secs() ^ u64::from(now.subsec_nanos())
            },
            |text| text.parse().expect("CKPT_TEST_SEED is a number"),
        );
        eprintln!("seed: CKPT_TEST_SEED={seed}");
        Self(seed)
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// The index of one of `length` things.
    pub(crate) fn index(&mut self, length: usize) -> usize {
        self.below(length as u64) as usize
    }
}
