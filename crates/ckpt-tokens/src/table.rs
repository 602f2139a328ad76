//! A vocabulary as bytes that can be used without preparation.
//!
//! A perfect hash maps the bytes of a token to its slot: the hash selects a bucket, and the bucket's pilot (found when
//! the table was generated) sends each of its tokens to a different slot. The slot holds the token's rank and a few
//! bits of its hash, which rule out most strings that are not tokens; comparing bytes decides the rest.
//!
//! All numbers are little-endian. In order:
//!
//! | part | size |
//! |---|---|
//! | the number of tokens, buckets and slots, and the length of the longest token | 4 × 4 |
//! | the pilot of each bucket | 2 × buckets |
//! | the slots: [`RANK_BITS`] bits of rank, the rest of hash; empty ones have all bits set | 4 × slots |
//! | for every [`BLOCK`] ranks, the offset of the bytes of the first | 4 × (tokens ÷ `BLOCK`, rounded up) |
//! | the length of each token, by rank | tokens |
//! | the bytes of all tokens, by rank | |

/// The bits of a slot that hold the rank, enough for all vocabularies.
pub(crate) const RANK_BITS: u32 = 18;

/// Finding a token's bytes adds up fewer lengths than this.
pub(crate) const BLOCK: usize = 16;

const HEADER: usize = 16;

/// A token's place in the order in which tokens are merged.
pub(crate) type Rank = u32;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Table {
    bytes: &'static [u8],
    tokens: usize,
    buckets: usize,
    slots: usize,
    longest: usize,
}

impl Table {
    pub(crate) const fn of(bytes: &'static [u8]) -> Self {
        Self {
            bytes,
            tokens: word(bytes, 0) as usize,
            buckets: word(bytes, 4) as usize,
            slots: word(bytes, 8) as usize,
            longest: word(bytes, 12) as usize,
        }
    }

    pub(crate) const fn longest_token(self) -> usize {
        self.longest
    }

    /// The rank of these bytes, if they are a token.
    pub(crate) fn rank(self, token: &[u8]) -> Option<Rank> {
        if token.len() > self.longest {
            return None;
        }
        let hash = Hash::of(token);
        let pilot_at = HEADER + 2 * hash.bucket(self.buckets);
        let pilot = u16::from_le_bytes([self.bytes[pilot_at], self.bytes[pilot_at + 1]]);
        let slots_at = HEADER + 2 * self.buckets;
        let slot = word(self.bytes, slots_at + 4 * hash.slot(pilot, self.slots));
        if slot >> RANK_BITS != hash.mark() {
            return None;
        }
        let rank = slot & ((1 << RANK_BITS) - 1);
        (self.token(rank)? == token).then_some(rank)
    }

    /// The bytes of a token.
    fn token(self, rank: Rank) -> Option<&'static [u8]> {
        let rank = rank as usize;
        if rank >= self.tokens {
            return None;
        }
        let starts_at = HEADER + 2 * self.buckets + 4 * self.slots;
        let lengths_at = starts_at + 4 * self.tokens.div_ceil(BLOCK);
        let texts_at = lengths_at + self.tokens;
        let block = rank / BLOCK;
        let first = lengths_at + block * BLOCK;
        let before = &self.bytes[first..lengths_at + rank];
        let skipped: usize = before.iter().map(|length| usize::from(*length)).sum();
        let start = texts_at + word(self.bytes, starts_at + 4 * block) as usize + skipped;
        let length = usize::from(self.bytes[lengths_at + rank]);
        self.bytes.get(start..start + length)
    }
}

const fn word(bytes: &[u8], at: usize) -> u32 {
    u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]])
}

/// The hash of a token. It determines the bucket, the slot, and the bits kept in the slot.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Hash(u64);

impl Hash {
    pub(crate) fn of(token: &[u8]) -> Self {
        const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
        let mut hash = (token.len() as u64).wrapping_mul(FACTOR);
        let mut chunks = token.chunks_exact(8);
        for chunk in &mut chunks {
            let mut eight = [0; 8];
            eight.copy_from_slice(chunk);
            hash = mixed(hash ^ u64::from_le_bytes(eight));
        }
        let rest = chunks.remainder();
        if !rest.is_empty() {
            let mut value = 0;
            for (place, byte) in rest.iter().enumerate() {
                value |= u64::from(*byte) << (8 * place);
            }
            hash = mixed(hash ^ value);
        }
        Self(mixed(hash))
    }

    pub(crate) fn bucket(self, buckets: usize) -> usize {
        scaled(self.0 >> 32, buckets)
    }

    pub(crate) fn slot(self, pilot: u16, slots: usize) -> usize {
        let moved = mixed(self.0 ^ (u64::from(pilot) << 40 | u64::from(pilot)));
        scaled(moved >> 32, slots)
    }

    pub(crate) fn mark(self) -> u32 {
        let bits = u64::BITS - (u32::BITS - RANK_BITS);
        // The high bits selected the bucket, so these are low ones. All ones would look like an empty slot.
        let mark = (self.0 << 32 >> bits) as u32;
        mark.min((1 << (u32::BITS - RANK_BITS)) - 2)
    }
}

/// Scales a number below 2³² to one below `end`, without a division.
fn scaled(number: u64, end: usize) -> usize {
    (((number & 0xffff_ffff) * end as u64) >> 32) as usize
}

fn mixed(value: u64) -> u64 {
    let value = (value ^ (value >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let value = (value ^ (value >> 29)).wrapping_mul(0xff51_afd7_ed55_8ccd);
    value ^ (value >> 32)
}
