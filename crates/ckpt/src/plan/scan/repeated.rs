//! Ids that stand in a plan more than once: the first one counts, and the others are taken out.

use std::hash::{BuildHasher, Hash, RandomState};

use super::{ItemKind, Repeated, Scan};

/// A position whose id stood at an earlier position first.
struct Repeat {
    position: usize,
    first: usize,
}

impl Scan {
    /// Drops what repeats an id that was there before.
    pub(super) fn drop_repeated(&mut self, text: &[u8]) {
        self.drop_repeated_items(text);
        self.drop_repeated_phases(text);
    }

    fn drop_repeated_items(&mut self, text: &[u8]) {
        let items = &self.items;
        // The same word may name a task and a criterion.
        let repeats = repeats(items, |item| (item.kind, item.id.of(text)));
        for kind in [ItemKind::Task, ItemKind::Acceptance] {
            let of_kind = repeats
                .iter()
                .filter(|again| items[again.position].kind == kind);
            self.repeated.extend(of_kind.map(|again| Repeated {
                id: items[again.position].id,
                first: items[again.first].line,
                again: items[again.position].line,
            }));
        }
        remove(&mut self.items, &repeats);
    }

    /// What stands under a repeated marker belongs to the phase of that name.
    fn drop_repeated_phases(&mut self, text: &[u8]) {
        let phases = &self.phases;
        let repeats = repeats(phases, |phase| phase.id.of(text));
        if repeats.is_empty() {
            return;
        }
        self.repeated.extend(repeats.iter().map(|again| Repeated {
            id: phases[again.position].id,
            first: phases[again.first].line,
            again: phases[again.position].line,
        }));
        let places = places(phases.len(), &repeats);
        self.each_phase(|phase| *phase = phase.map(|old| places[old as usize]));
        remove(&mut self.phases, &repeats);
    }

    /// Changes to which phase things belong.
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

/// The positions that repeat an earlier id, in order. Sorted hashes bring equal ids together: a map of so many ids would
/// wait for memory at each of them. The hasher is keyed, so nobody can prepare ids that all have one hash.
fn repeats<T, I: Hash + Eq>(all: &[T], id: impl Fn(&T) -> I) -> Vec<Repeat> {
    let hasher = RandomState::new();
    let hashes = all.iter().map(|one| hasher.hash_one(id(one)));
    let mut hashes: Vec<(u64, usize)> = hashes.zip(0..).collect();
    hashes.sort_unstable();
    let mut repeats = Vec::new();
    for same_hash in hashes.chunk_by(|(one, _), (next, _)| one == next) {
        if same_hash.len() == 1 {
            continue;
        }
        let mut firsts: Vec<usize> = Vec::new();
        for (_, position) in same_hash {
            let known = firsts
                .iter()
                .find(|first| id(&all[**first]) == id(&all[*position]));
            match known {
                Some(first) => repeats.push(Repeat {
                    position: *position,
                    first: *first,
                }),
                None => firsts.push(*position),
            }
        }
    }
    repeats.sort_unstable_by_key(|again| again.position);
    repeats
}

/// Takes out what stands at the positions of `repeats`, which rise.
fn remove<T>(from: &mut Vec<T>, repeats: &[Repeat]) {
    let mut next = repeats.iter().map(|again| again.position).peekable();
    let mut position = 0;
    from.retain(|_| {
        let out = next.next_if_eq(&position).is_some();
        position += 1;
        !out
    });
}

/// Where each of `count` things is found once `repeats` are taken out: those at the place of the first.
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
