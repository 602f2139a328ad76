//! Dropping repeated ids: the first one counts.

use std::hash::{BuildHasher, Hasher, RandomState};

use super::{Item, ItemKind, Repeated, Scan};

/// A position whose id occurred before, at an earlier position.
struct Repeat {
    position: usize,
    first: usize,
}

impl Scan {
    /// Drops everything that repeats an earlier id.
    pub(super) fn drop_repeated(&mut self, text: &[u8]) {
        self.drop_repeated_items(text);
        self.drop_repeated_phases(text);
    }

    fn drop_repeated_items(&mut self, text: &[u8]) {
        let items = &self.items;
        // A task and a criterion may have the same id.
        let is_same_kind = |one: &Item, other: &Item| one.kind == other.kind;
        let repeats = repeats(items, |item| item.id.of(text), is_same_kind);
        for kind in [ItemKind::Task, ItemKind::Acceptance] {
            let of_kind = repeats
                .iter()
                .filter(|again| items[again.position].kind == kind);
            self.repeated.extend(of_kind.map(|again| Repeated {
                id: items[again.position].id,
                first: items[again.first].line,
                again: items[again.position].line,
                open: (!items[again.position].done).then_some(items[again.position].text),
            }));
        }
        remove(&mut self.items, &repeats);
    }

    /// Items below a repeated phase marker belong to the first phase with that id.
    fn drop_repeated_phases(&mut self, text: &[u8]) {
        let phases = &self.phases;
        let repeats = repeats(phases, |phase| phase.id.of(text), |_, _| true);
        if repeats.is_empty() {
            return;
        }
        self.repeated.extend(repeats.iter().map(|again| Repeated {
            id: phases[again.position].id,
            first: phases[again.first].line,
            again: phases[again.position].line,
            open: None,
        }));
        let places = places(phases.len(), &repeats);
        self.each_phase(|phase| *phase = phase.map(|old| places[old as usize]));
        remove(&mut self.phases, &repeats);
    }

    /// Changes the phase of every item, note and checkbox.
    fn each_phase(&mut self, change: impl Fn(&mut Option<u32>)) {
        self.items
            .iter_mut()
            .for_each(|item| change(&mut item.phase));
        self.notes
            .iter_mut()
            .for_each(|note| change(&mut note.phase));
        self.untracked
            .iter_mut()
            .for_each(|found| change(&mut found.phase));
    }
}

/// The positions that repeat an earlier id of the same kind, in order. Sorting hashes brings equal ids together; a
/// map of this many ids would miss the cache at each of them. The hasher is keyed, so that no one can craft colliding
/// ids.
fn repeats<'t, T>(
    all: &[T],
    id: impl Fn(&T) -> &'t [u8],
    is_alike: impl Fn(&T, &T) -> bool,
) -> Vec<Repeat> {
    let key = RandomState::new();
    let hash = |one: &T| {
        let mut hasher = key.build_hasher();
        hasher.write(id(one));
        hasher.finish()
    };
    let mut hashes: Vec<(u64, usize)> = all.iter().map(hash).zip(0..).collect();
    hashes.sort_unstable();
    let is_same = |one: &T, other: &T| id(one) == id(other) && is_alike(one, other);
    let mut repeats = Vec::new();
    for same_hash in hashes.chunk_by(|(one, _), (next, _)| one == next) {
        if same_hash.len() == 1 {
            continue;
        }
        let mut firsts: Vec<usize> = Vec::new();
        for (_, position) in same_hash {
            let position = *position;
            match firsts
                .iter()
                .find(|first| is_same(&all[**first], &all[position]))
            {
                Some(first) => repeats.push(Repeat {
                    position,
                    first: *first,
                }),
                None => firsts.push(position),
            }
        }
    }
    repeats.sort_unstable_by_key(|again| again.position);
    repeats
}

/// Removes the elements at the positions of `repeats`, which are ascending.
fn remove<T>(from: &mut Vec<T>, repeats: &[Repeat]) {
    let mut next = repeats.iter().map(|again| again.position).peekable();
    let mut position = 0;
    from.retain(|_| {
        let out = next.next_if_eq(&position).is_some();
        position += 1;
        !out
    });
}

/// The new position of each of `count` elements once `repeats` are removed; a repeat gets that of the first.
fn places(count: usize, repeats: &[Repeat]) -> Vec<u32> {
    let mut next = repeats.iter().peekable();
    let mut places: Vec<u32> = Vec::with_capacity(count);
    let mut kept = 0;
    for position in 0..count {
        match next.next_if(|again| again.position == position) {
            Some(again) => places.push(places[again.first]),
            None => {
                places.push(kept);
                kept += 1;
            }
        }
    }
    places
}
