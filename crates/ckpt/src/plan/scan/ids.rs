//! Which ids stand in a plan more than once.
//!
//! An id is hashed when its line is read and its bytes are at hand; looking at all of them again at
//! the end would take longer than reading the plan. A set of bits then tells most hashes to be single.
//! Only the few that it does not tell are looked up in a table.

use std::hash::{BuildHasher, Hasher as _, RandomState};

/// What an id names: the same word may be a task, a criterion and a phase.
#[derive(Debug, Clone, Copy)]
pub(super) enum Naming {
    Task,
    Acceptance,
    Phase,
}

/// Turns ids into numbers. It differs from run to run, so that nobody can prepare ids that all meet
/// in one place.
#[derive(Debug, Clone, Copy)]
pub(super) struct Hasher {
    seed: u64,
    factor: u64,
}

impl Hasher {
    pub(super) fn random() -> Self {
        const ODD: u64 = 0x9e37_79b9_7f4a_7c15;
        let seed = RandomState::new().build_hasher().finish();
        Self {
            seed,
            factor: ODD ^ seed.rotate_left(32) | 1,
        }
    }

    /// A few instructions for eight bytes.
    #[inline]
    fn hash(self, naming: Naming, id: &[u8]) -> u64 {
        // Multiplied, because what is only added could be balanced by the first letters of the id.
        let kind = (id.len() as u64) << 2 | naming as u64;
        let start = self.seed.wrapping_add(kind.wrapping_mul(self.factor));
        // The last words may overlap: with the length they still tell all ids apart.
        let Some(last) = id.last_chunk::<8>() else {
            return self.mix(start, short_word(id));
        };
        let whole = id[..id.len() - 1].as_chunks::<8>().0;
        let hash = whole.iter().fold(start, |hash, word| {
            self.mix(hash, u64::from_le_bytes(*word))
        });
        self.mix(hash, u64::from_le_bytes(*last))
    }

    #[inline]
    fn mix(self, hash: u64, word: u64) -> u64 {
        let product = u128::from(hash ^ word) * u128::from(self.factor);
        #[expect(clippy::cast_possible_truncation, reason = "both halves are used")]
        let folded = (product as u64) ^ ((product >> 64) as u64);
        folded
    }
}

/// Fewer than eight bytes as one number.
#[inline]
fn short_word(id: &[u8]) -> u64 {
    match (id.first_chunk::<4>(), id.last_chunk::<4>()) {
        (Some(first), Some(last)) => {
            u64::from(u32::from_le_bytes(*first)) | u64::from(u32::from_le_bytes(*last)) << 32
        }
        _ => id.iter().fold(0, |word, byte| word << 8 | u64::from(*byte)),
    }
}

/// The ids of a plan as they are read.
pub(super) struct Ids {
    hasher: Hasher,
    /// The hashes of the items, in order.
    items: Vec<u64>,
    /// The hashes of the phases, in order.
    phases: Vec<u64>,
}

impl Ids {
    pub(super) fn new(hasher: Hasher) -> Self {
        Self {
            hasher,
            items: Vec::new(),
            phases: Vec::new(),
        }
    }

    /// Makes room for so many items, where there is such room.
    pub(super) fn expect(&mut self, items: usize) {
        let _ = self.items.try_reserve(items);
    }

    #[inline]
    pub(super) fn item(&mut self, naming: Naming, id: &[u8]) {
        self.items.push(self.hasher.hash(naming, id));
    }

    pub(super) fn phase(&mut self, id: &[u8]) {
        self.phases.push(self.hasher.hash(Naming::Phase, id));
    }

    /// Adds the ids of what follows.
    pub(super) fn append(&mut self, more: &Self) {
        self.items.extend_from_slice(&more.items);
        self.phases.extend_from_slice(&more.phases);
    }

    /// Those that may be there twice.
    pub(super) fn suspects(&self) -> Suspects {
        Suspects {
            items: suspects(&self.items),
            phases: suspects(&self.phases),
        }
    }
}

/// An id by the position of what it names.
#[derive(Debug, Clone, Copy)]
struct Hashed {
    position: usize,
    hash: u64,
}

/// The ids that may be there twice: some of those that are single, and all others.
pub(super) struct Suspects {
    items: Vec<Hashed>,
    phases: Vec<Hashed>,
}

impl Suspects {
    /// The items that repeat an earlier one, in order.
    pub(super) fn repeated_items(&self, same: impl Fn(usize, usize) -> bool) -> Vec<Repeat> {
        repeats(&self.items, same)
    }

    /// The phases that repeat an earlier one, in order.
    pub(super) fn repeated_phases(&self, same: impl Fn(usize, usize) -> bool) -> Vec<Repeat> {
        repeats(&self.phases, same)
    }
}

fn suspects(hashes: &[u64]) -> Vec<Hashed> {
    let all = hashes.iter().enumerate();
    let some = met_twice(all.map(|(position, hash)| Hashed {
        position,
        hash: *hash,
    }));
    if some.len() > hashes.len() / 2 {
        // So many that most of them are there twice indeed.
        return some;
    }
    // What the upper bits did not tell apart the lower ones do.
    let turned = |id: &Hashed| Hashed {
        hash: id.hash.rotate_left(32),
        ..*id
    };
    met_twice(some.iter().map(turned))
}

/// Those that share the upper bits of their hash with another one. For almost all ids that is enough to
/// tell that they are single, and the bits of all of them are few enough to stay in the cache.
fn met_twice(all: impl ExactSizeIterator<Item = Hashed> + Clone) -> Vec<Hashed> {
    let mut seen = Bits::new(all.len() * 4);
    let met = all.clone().filter(|id| seen.insert(id.hash));
    let met: Vec<u64> = met.map(|id| id.hash).collect();
    let mut twice = Bits::new(met.len() * 16);
    for hash in met {
        twice.insert(hash);
    }
    all.filter(|id| twice.contains(id.hash)).collect()
}

/// A position whose id stood at an earlier position first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Repeat {
    pub(super) position: usize,
    pub(super) first: usize,
}

/// The positions whose id was there before.
fn repeats(suspects: &[Hashed], same: impl Fn(usize, usize) -> bool) -> Vec<Repeat> {
    let mut seen = FirstSeen::new(suspects.len(), same);
    let again = suspects.iter().filter_map(|id| {
        let first = seen.place(id.hash, id.position)?;
        Some(Repeat {
            position: id.position,
            first,
        })
    });
    again.collect()
}

/// A set of the upper bits of hashes.
struct Bits {
    words: Vec<u64>,
    shift: u32,
}

impl Bits {
    fn new(size: usize) -> Self {
        let size = size.next_power_of_two().max(64);
        Self {
            words: vec![0; size / 64],
            shift: u64::BITS - size.ilog2(),
        }
    }

    #[inline]
    fn place(&self, hash: u64) -> (usize, u64) {
        #[expect(clippy::cast_possible_truncation, reason = "few bits are left")]
        let at = (hash >> self.shift) as usize;
        (at / 64, 1 << (at % 64))
    }

    /// Whether it was there already.
    #[inline]
    fn insert(&mut self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        let known = self.words[word] & bit != 0;
        self.words[word] |= bit;
        known
    }

    #[inline]
    fn contains(&self, hash: u64) -> bool {
        let (word, bit) = self.place(hash);
        self.words[word] & bit != 0
    }
}

/// Which ids were seen, and at which position first.
struct FirstSeen<F> {
    /// Positions plus one, below the upper half of the hash; zero is free. At most half full.
    table: Vec<u64>,
    same: F,
}

impl<F: Fn(usize, usize) -> bool> FirstSeen<F> {
    fn new(count: usize, same: F) -> Self {
        Self {
            table: vec![0; (count * 2).next_power_of_two()],
            same,
        }
    }

    /// The position that the id was first seen at; `None`, and remembered, when it is new.
    fn place(&mut self, hash: u64, position: usize) -> Option<usize> {
        const TAG: u64 = !(u32::MAX as u64);
        let mask = self.table.len() - 1;
        let mut slot = usize::try_from(hash & !TAG).unwrap_or(0) & mask;
        while self.table[slot] != 0 {
            let taken = self.table[slot];
            if taken & TAG == hash & TAG {
                let first = usize::try_from(taken & !TAG).unwrap_or(0) - 1;
                if (self.same)(first, position) {
                    return Some(first);
                }
            }
            slot = (slot + 1) & mask;
        }
        self.table[slot] = hash & TAG | (position as u64 + 1);
        None
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::{Hasher, Naming};

    #[test]
    fn ids_have_their_own_hashes_whatever_they_name_and_however_long_they_are() {
        let letters = || (b'0'..=b'9').chain(b'a'..=b'z').chain(*b"_-.");
        let ones = letters().map(|one| vec![one]);
        let twos = letters().flat_map(|one| letters().map(move |two| vec![one, two]));
        let long = (1..200).map(|length| vec![b'a'; length + 1]);
        let ids: HashSet<Vec<u8>> = ones.chain(twos).chain(long).collect();
        let namings = [Naming::Task, Naming::Acceptance, Naming::Phase];
        let hasher = Hasher::random();
        let hashes = namings
            .iter()
            .flat_map(|naming| ids.iter().map(|id| hasher.hash(*naming, id)));
        assert_eq!(hashes.collect::<HashSet<u64>>().len(), 3 * ids.len());
    }
}
