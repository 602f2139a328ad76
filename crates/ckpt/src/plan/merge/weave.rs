//! The order of the lines: a three-way merge of their keys.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use similar::{Algorithm, DiffTag, capture_diff_slices};

use super::lines::{Line, Role, Text};
use super::things::{BASE, OURS, THEIRS};

/// A part of the result. The numbers are positions of lines in their versions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Piece {
    /// A line of both sides, and of the base if it was there before.
    Both {
        base: Option<usize>,
        ours: usize,
        theirs: usize,
    },
    /// A line that only our side has here.
    Ours(usize),
    /// A line that only their side has here.
    Theirs(usize),
    /// Lines that exclude each other.
    Conflict {
        ours: Vec<usize>,
        theirs: Vec<usize>,
    },
}

/// Lines that one side replaced.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Hunk {
    base: Range<usize>,
    side: Range<usize>,
}

/// The changes of one side.
struct Changes {
    hunks: Vec<Hunk>,
    /// For each line of the base, where the side has it.
    kept: Vec<Option<usize>>,
}

impl Changes {
    fn between(base: &[u32], side: &[u32]) -> Self {
        let mut hunks: Vec<Hunk> = Vec::new();
        let mut kept = vec![None; base.len()];
        for operation in capture_diff_slices(Algorithm::Patience, base, side) {
            let (old, new) = (operation.old_range(), operation.new_range());
            if operation.tag() == DiffTag::Equal {
                for (old, new) in old.zip(new) {
                    kept[old] = Some(new);
                }
                continue;
            }
            match hunks.last_mut() {
                Some(last) if last.base.end == old.start && last.side.end == new.start => {
                    last.base.end = old.end;
                    last.side.end = new.end;
                }
                _ => hunks.push(Hunk {
                    base: old,
                    side: new,
                }),
            }
        }
        Self { hunks, kept }
    }
}

/// A group of changes that touch each other.
struct Group {
    base: Range<usize>,
    ours: Vec<Hunk>,
    theirs: Vec<Hunk>,
}

/// A place in a group: between two lines of the base, or one of its lines.
enum Cell {
    Gap {
        ours: Range<usize>,
        theirs: Range<usize>,
        /// Whether our lines replace the lines that follow, and theirs are new.
        theirs_first: bool,
    },
    Line {
        base: usize,
        ours: Option<usize>,
        theirs: Option<usize>,
    },
}

/// Merges the order of the lines.
pub(super) fn weave(texts: &[Text<'_>; 3]) -> Vec<Piece> {
    let keys = |side: usize| -> Vec<u32> {
        let lines = texts[side].lines.iter();
        lines.map(|line| line.key).collect()
    };
    let base = keys(BASE);
    let weave = Weave {
        texts,
        ours: Changes::between(&base, &keys(OURS)),
        theirs: Changes::between(&base, &keys(THEIRS)),
    };
    weave.all()
}

struct Weave<'w, 't> {
    texts: &'w [Text<'t>; 3],
    ours: Changes,
    theirs: Changes,
}

impl<'w, 't> Weave<'w, 't> {
    fn all(&self) -> Vec<Piece> {
        let mut pieces = Vec::new();
        let mut at = 0;
        for group in self.groups() {
            self.unchanged(at..group.base.start, &mut pieces);
            at = group.base.end;
            self.resolve(&group, &mut pieces);
        }
        self.unchanged(at..self.texts[BASE].lines.len(), &mut pieces);
        pieces
    }

    /// The lines that both sides kept.
    fn unchanged(&self, range: Range<usize>, pieces: &mut Vec<Piece>) {
        let both = range.filter_map(|base| {
            Some(Piece::Both {
                base: Some(base),
                ours: self.ours.kept[base]?,
                theirs: self.theirs.kept[base]?,
            })
        });
        pieces.extend(both);
    }

    /// Joins changes that overlap or touch, as git does.
    fn groups(&self) -> Vec<Group> {
        let mut groups: Vec<Group> = Vec::new();
        let mut ours = self.ours.hunks.iter().peekable();
        let mut theirs = self.theirs.hunks.iter().peekable();
        loop {
            let is_ours = match (ours.peek(), theirs.peek()) {
                (None, None) => return groups,
                (Some(_), None) => true,
                (None, Some(_)) => false,
                (Some(ours), Some(theirs)) => ours.base.start <= theirs.base.start,
            };
            let next = if is_ours { ours.next() } else { theirs.next() };
            let Some(hunk) = next.cloned() else {
                return groups;
            };
            let touches = |group: &Group| hunk.base.start <= group.base.end;
            if !groups.last().is_some_and(touches) {
                groups.push(Group {
                    base: hunk.base.clone(),
                    ours: Vec::new(),
                    theirs: Vec::new(),
                });
            }
            if let Some(group) = groups.last_mut() {
                group.base.end = group.base.end.max(hunk.base.end);
                let side = match is_ours {
                    true => &mut group.ours,
                    false => &mut group.theirs,
                };
                side.push(hunk);
            }
        }
    }

    fn line(&self, side: usize, at: usize) -> &'w Line<'t> {
        &self.texts[side].lines[at]
    }

    fn role(&self, side: usize, at: usize) -> Role {
        self.line(side, at).role
    }

    fn is_same(&self, ours: usize, theirs: usize) -> bool {
        self.line(OURS, ours).key == self.line(THEIRS, theirs).key
    }

    fn cells(&self, group: &Group) -> Vec<Cell> {
        let by_start = |hunks: &'_ [Hunk]| -> HashMap<usize, Hunk> {
            let hunks = hunks.iter().map(|hunk| (hunk.base.start, hunk.clone()));
            hunks.collect()
        };
        let (mut ours_at, mut theirs_at) = (by_start(&group.ours), by_start(&group.theirs));
        let mut cells = Vec::new();
        for at in group.base.start..=group.base.end {
            let ours = ours_at.remove(&at);
            let theirs = theirs_at.remove(&at);
            let replaces =
                |hunk: &Option<Hunk>| hunk.as_ref().is_some_and(|hunk| !hunk.base.is_empty());
            let theirs_first = replaces(&ours) && !replaces(&theirs);
            let lines = |hunk: Option<Hunk>| hunk.map_or(0..0, |hunk| hunk.side);
            cells.push(Cell::Gap {
                ours: lines(ours),
                theirs: lines(theirs),
                theirs_first,
            });
            if at < group.base.end {
                cells.push(Cell::Line {
                    base: at,
                    ours: self.ours.kept[at],
                    theirs: self.theirs.kept[at],
                });
            }
        }
        cells
    }

    fn resolve(&self, group: &Group, pieces: &mut Vec<Piece>) {
        let cells = self.cells(group);
        let region = self.disputed(&cells).unwrap_or(0..0);
        for cell in &cells[..region.start] {
            self.settle(cell, pieces);
        }
        if !region.is_empty() {
            self.dispute(&cells[region.clone()], pieces);
        }
        for cell in &cells[region.end..] {
            self.settle(cell, pieces);
        }
    }

    /// The cells between which the sides changed prose in different ways, so that nobody but a person can merge it.
    /// Prose that both sides only added, or only removed, is no conflict.
    fn disputed(&self, cells: &[Cell]) -> Option<Range<usize>> {
        let mut changes = [Prose::default(), Prose::default()];
        let mut touched: Option<Range<usize>> = None;
        for (at, cell) in cells.iter().enumerate() {
            let before = changes.each_ref().map(Prose::size);
            match cell {
                Cell::Gap { ours, theirs, .. } => {
                    for (prose, side, range) in [(0, OURS, ours), (1, THEIRS, theirs)] {
                        let added = range
                            .clone()
                            .filter(|at| self.role(side, *at) == Role::Prose);
                        let added = added.map(|at| self.line(side, at).key);
                        changes[prose].added.extend(added);
                    }
                }
                Cell::Line { base, ours, theirs } if self.role(BASE, *base) == Role::Prose => {
                    for (prose, kept) in [(0, ours), (1, theirs)] {
                        changes[prose]
                            .removed
                            .extend(kept.is_none().then_some(*base));
                    }
                }
                Cell::Line { .. } => {}
            }
            if changes.each_ref().map(Prose::size) != before {
                let start = touched.map_or(at, |touched| touched.start);
                touched = Some(start..at + 1);
            }
        }
        let [ours, theirs] = &changes;
        let has_added = !(ours.added.is_empty() && theirs.added.is_empty());
        let has_removed = !(ours.removed.is_empty() && theirs.removed.is_empty());
        let is_disputed = ours.size() > 0 && theirs.size() > 0 && has_added && has_removed;
        touched.filter(|_| is_disputed && ours != theirs)
    }

    /// Takes the changes of both sides.
    fn settle(&self, cell: &Cell, pieces: &mut Vec<Piece>) {
        match cell {
            Cell::Line { base, .. } => self.unchanged(*base..base + 1, pieces),
            Cell::Gap {
                ours,
                theirs,
                theirs_first,
            } => {
                let (ours, theirs): (Vec<_>, Vec<_>) =
                    (ours.clone().collect(), theirs.clone().collect());
                self.unite(&ours, &theirs, *theirs_first, pieces);
            }
        }
    }

    /// Lines that both sides added in the same place: those of both, once each, and the others of each side together.
    fn unite(&self, ours: &[usize], theirs: &[usize], theirs_first: bool, pieces: &mut Vec<Piece>) {
        let (mut at_ours, mut at_theirs) = (0, 0);
        for (begin_ours, begin_theirs, length) in self.shared(ours, theirs) {
            self.each(
                &ours[at_ours..begin_ours],
                &theirs[at_theirs..begin_theirs],
                theirs_first,
                pieces,
            );
            pieces.extend((0..length).map(|at| Piece::Both {
                base: None,
                ours: ours[begin_ours + at],
                theirs: theirs[begin_theirs + at],
            }));
            at_ours = begin_ours + length;
            at_theirs = begin_theirs + length;
        }
        self.each(&ours[at_ours..], &theirs[at_theirs..], theirs_first, pieces);
    }

    /// The lines of each side, together. Our side comes first, unless its lines replace what follows.
    fn each(&self, ours: &[usize], theirs: &[usize], theirs_first: bool, pieces: &mut Vec<Piece>) {
        let ours = ours.iter().map(|at| Piece::Ours(*at));
        let theirs = theirs.iter().map(|at| Piece::Theirs(*at));
        match theirs_first {
            true => pieces.extend(theirs.chain(ours)),
            false => pieces.extend(ours.chain(theirs)),
        }
    }

    /// The runs of lines that two additions have in common: where, and how many. Only things that have a name can
    /// begin one, because two new phases can have the same prose; and what both begin with.
    fn shared(&self, ours: &[usize], theirs: &[usize]) -> Vec<(usize, usize, usize)> {
        let is_same =
            |at_ours: usize, at_theirs: usize| self.is_same(ours[at_ours], theirs[at_theirs]);
        let named = |side: usize, lines: &[usize]| -> Vec<(usize, u32)> {
            let lines = lines.iter().enumerate();
            let named = lines.filter(|(_, at)| self.line(side, **at).name.is_thing());
            named
                .map(|(place, at)| (place, self.line(side, *at).key))
                .collect()
        };
        let (named_ours, named_theirs) = (named(OURS, ours), named(THEIRS, theirs));
        let keys =
            |named: &[(usize, u32)]| -> Vec<u32> { named.iter().map(|(_, key)| *key).collect() };
        let shortest = ours.len().min(theirs.len());
        let prefix = (0..shortest).take_while(|at| is_same(*at, *at)).count();
        // A blank line at its end belongs to what follows.
        let is_blank = |at: &usize| self.role(OURS, ours[*at]) == Role::Blank;
        let prefix = match prefix == shortest {
            true => prefix,
            false => prefix - (0..prefix).rev().take_while(is_blank).count(),
        };
        let mut runs: Vec<(usize, usize, usize)> = Vec::new();
        runs.extend((prefix > 0).then_some((0, 0, prefix)));
        let common = capture_diff_slices(
            Algorithm::Patience,
            &keys(&named_ours),
            &keys(&named_theirs),
        );
        let common = common
            .iter()
            .filter(|operation| operation.tag() == DiffTag::Equal);
        for (one, other) in
            common.flat_map(|operation| operation.old_range().zip(operation.new_range()))
        {
            let (mut at_ours, mut at_theirs) = (named_ours[one].0, named_theirs[other].0);
            let (from_ours, from_theirs) = runs.last().map_or((0, 0), |(ours, theirs, length)| {
                (ours + length, theirs + length)
            });
            if at_ours < from_ours || at_theirs < from_theirs {
                continue;
            }
            let mut length = 1;
            while at_ours > from_ours
                && at_theirs > from_theirs
                && is_same(at_ours - 1, at_theirs - 1)
            {
                (at_ours, at_theirs, length) = (at_ours - 1, at_theirs - 1, length + 1);
            }
            while at_ours + length < ours.len()
                && at_theirs + length < theirs.len()
                && is_same(at_ours + length, at_theirs + length)
            {
                length += 1;
            }
            runs.push((at_ours, at_theirs, length));
        }
        // One addition may be the other one with more before it.
        let (from_ours, from_theirs) = runs.last().map_or((0, 0), |(ours, theirs, length)| {
            (ours + length, theirs + length)
        });
        let left = (ours.len() - from_ours).min(theirs.len() - from_theirs);
        let tail = (1..=left)
            .take_while(|back| is_same(ours.len() - back, theirs.len() - back))
            .count();
        if tail > 0 && tail == left {
            runs.push((ours.len() - tail, theirs.len() - tail, tail));
        }
        runs
    }

    /// A conflict, as small as possible.
    fn dispute(&self, cells: &[Cell], pieces: &mut Vec<Piece>) {
        let (mut ours, mut theirs) = (Vec::new(), Vec::new());
        let mut new: HashSet<(usize, usize)> = HashSet::new();
        for cell in cells {
            match cell {
                Cell::Gap {
                    ours: our_lines,
                    theirs: their_lines,
                    ..
                } => {
                    new.extend(our_lines.clone().map(|at| (OURS, at)));
                    new.extend(their_lines.clone().map(|at| (THEIRS, at)));
                    ours.extend(our_lines.clone());
                    theirs.extend(their_lines.clone());
                }
                Cell::Line {
                    ours: our_line,
                    theirs: their_line,
                    ..
                } => {
                    ours.extend(our_line);
                    theirs.extend(their_line);
                }
            }
        }
        let both = |ours: usize, theirs: usize| Piece::Both {
            base: None,
            ours,
            theirs,
        };
        let shortest = ours.len().min(theirs.len());
        let prefix = (0..shortest)
            .take_while(|at| self.is_same(ours[*at], theirs[*at]))
            .count();
        pieces.extend((0..prefix).map(|at| both(ours[at], theirs[at])));
        ours.drain(..prefix);
        theirs.drain(..prefix);
        let mut suffix = Vec::new();
        while let (Some(our_line), Some(their_line)) = (ours.last(), theirs.last()) {
            if !self.is_same(*our_line, *their_line) {
                break;
            }
            suffix.push(both(*our_line, *their_line));
            ours.pop();
            theirs.pop();
        }
        suffix.reverse();
        let is_new = |side: usize, at: &usize| {
            new.contains(&(side, *at)) && self.role(side, *at) == Role::Structure
        };
        let first = |side: usize, lines: &mut Vec<usize>| -> Vec<usize> {
            let count = lines.iter().take_while(|at| is_new(side, at)).count();
            lines.drain(..count).collect()
        };
        let last = |side: usize, lines: &mut Vec<usize>| -> Vec<usize> {
            let count = lines.iter().rev().take_while(|at| is_new(side, at)).count();
            lines.drain(lines.len() - count..).collect()
        };
        let above = (first(OURS, &mut ours), first(THEIRS, &mut theirs));
        let below = (last(OURS, &mut ours), last(THEIRS, &mut theirs));
        self.unite(&above.0, &above.1, false, pieces);
        if !(ours.is_empty() && theirs.is_empty()) {
            pieces.push(Piece::Conflict { ours, theirs });
        }
        self.unite(&below.0, &below.1, false, pieces);
        pieces.extend(suffix);
    }
}

/// The prose that one side added and removed in a group.
#[derive(Debug, Default, PartialEq, Eq)]
struct Prose {
    added: Vec<u32>,
    removed: Vec<usize>,
}

impl Prose {
    fn size(&self) -> usize {
        self.added.len() + self.removed.len()
    }
}
