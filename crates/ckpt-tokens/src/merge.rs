//! Counts the tokens of a piece by merging neighbours, lowest rank first, until no pair is a token.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::table::{Rank, Table};

/// Up to this length, rescanning all pairs after each merge is faster than a heap.
const SHORT: usize = 100;

/// The rank if there is no pair, or the pair is not a token.
const NO_RANK: Rank = Rank::MAX;

/// Counts the tokens of pieces, reusing its memory between them.
pub(crate) struct Merger {
    table: Table,
    parts: Vec<Part>,
}

/// A part of a short piece.
#[derive(Clone, Copy)]
struct Part {
    start: usize,
    /// The rank of this part merged with the next one.
    rank: Rank,
}

impl Merger {
    pub(crate) fn new(table: Table) -> Self {
        Self {
            table,
            parts: Vec::new(),
        }
    }

    /// The number of tokens in a piece.
    pub(crate) fn count(&mut self, piece: &[u8]) -> usize {
        match piece.len() {
            0 | 1 => piece.len(),
            _ if self.table.rank(piece).is_some() => 1,
            ..=SHORT => self.count_short(piece),
            _ => count_long(self.table, piece),
        }
    }

    fn count_short(&mut self, piece: &[u8]) -> usize {
        let Self { table, parts } = self;
        let rank = |range: std::ops::Range<usize>| match piece.get(range) {
            Some(pair) => table.rank(pair).unwrap_or(NO_RANK),
            None => NO_RANK,
        };
        parts.clear();
        parts.extend((0..piece.len()).map(|start| Part {
            start,
            rank: rank(start..start + 2),
        }));
        loop {
            let lowest = parts.iter().enumerate().min_by_key(|(_, part)| part.rank);
            let Some((at, _)) = lowest.filter(|(_, part)| part.rank != NO_RANK) else {
                return parts.len();
            };
            parts.remove(at + 1);
            // The start of a part, or the end of the piece after the last part. Beyond that there is no pair.
            let start_of = |place: usize| match place.cmp(&parts.len()) {
                std::cmp::Ordering::Less => parts[place].start,
                std::cmp::Ordering::Equal => piece.len(),
                std::cmp::Ordering::Greater => usize::MAX,
            };
            let merged = rank(parts[at].start..start_of(at + 2));
            let before = at
                .checked_sub(1)
                .map(|before| rank(parts[before].start..start_of(at + 1)));
            parts[at].rank = merged;
            if let Some(before) = before {
                parts[at - 1].rank = before;
            }
        }
    }
}

/// The same with the pairs in a heap and the parts in a linked list, because a piece may have a million bytes.
fn count_long(table: Table, piece: &[u8]) -> usize {
    let end = piece.len();
    // Indexed by the start of a part: the start of the next part, the start of the previous one, and the rank of its
    // pair in the heap. A part that was merged into the previous one has no rank.
    let mut next: Vec<u32> = (1..=end).map(position).collect();
    let mut before: Vec<u32> = (0..end)
        .map(|start| position(start.saturating_sub(1)))
        .collect();
    let mut ranks = vec![NO_RANK; end];
    let mut heap = BinaryHeap::with_capacity(end);
    let pair = |start: usize, next: &[u32]| {
        let second = next[start] as usize;
        let pair_end = *next.get(second)? as usize;
        table.rank(&piece[start..pair_end])
    };
    for (start, own) in ranks.iter_mut().enumerate() {
        if let Some(rank) = pair(start, &next) {
            *own = rank;
            heap.push(Reverse((rank, position(start))));
        }
    }
    let mut count = end;
    while let Some(Reverse((rank, start))) = heap.pop() {
        let start = start as usize;
        // Skip a pair that was pushed before its part changed.
        if ranks[start] != rank {
            continue;
        }
        let second = next[start] as usize;
        let after = next[second] as usize;
        next[start] = position(after);
        ranks[second] = NO_RANK;
        if after < end {
            before[after] = position(start);
        }
        count -= 1;
        let changed = [Some(start), (start > 0).then(|| before[start] as usize)];
        for start in changed.into_iter().flatten() {
            ranks[start] = pair(start, &next).unwrap_or(NO_RANK);
            if ranks[start] != NO_RANK {
                heap.push(Reverse((ranks[start], position(start))));
            }
        }
    }
    count
}

/// A position in a piece. Saturates instead of wrapping; a piece of 4 GiB would not fit into memory here anyway.
fn position(at: usize) -> u32 {
    u32::try_from(at).unwrap_or(u32::MAX)
}
