//! What repeats an id is taken out: the first one counts.

use super::ids::{Repeat, Suspects};
use super::{ItemKind, Repeated, Scan};

impl Scan {
    /// Drops what repeats an id that was there before.
    pub(super) fn drop_repeated(&mut self, text: &[u8], suspects: &Suspects) {
        self.drop_repeated_items(text, suspects);
        self.drop_repeated_phases(text, suspects);
    }

    fn drop_repeated_items(&mut self, text: &[u8], suspects: &Suspects) {
        let items = &self.items;
        let repeats = suspects.repeated_items(|one, other| {
            let (one, other) = (&items[one], &items[other]);
            one.kind == other.kind && one.id.of(text) == other.id.of(text)
        });
        if repeats.is_empty() {
            return;
        }
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
    fn drop_repeated_phases(&mut self, text: &[u8], suspects: &Suspects) {
        let phases = &self.phases;
        let repeats = suspects
            .repeated_phases(|one, other| phases[one].id.of(text) == phases[other].id.of(text));
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
