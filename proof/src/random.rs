//! Pseudo-random numbers, the same for the same seed.

/// The `splitmix64` generator.
#[derive(Debug, Clone)]
pub(crate) struct Random(u64);

impl Random {
    /// Numbers for one subject, which do not depend on the other subjects.
    pub(crate) fn new(seed: u64, subject: &str) -> Self {
        let mut random = Self(seed);
        for byte in subject.bytes() {
            random.0 ^= u64::from(byte);
            random.next();
        }
        random
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// A number below `end`.
    pub(crate) fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or(0)
    }

    /// Keeps at most `most` things, in their order.
    pub(crate) fn sample<T>(&mut self, mut things: Vec<T>, most: usize) -> Vec<T> {
        while things.len() > most {
            things.remove(self.below(things.len()));
        }
        things
    }
}
