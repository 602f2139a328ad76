//! What each task, criterion, phase and checkbox becomes, wherever it is.

use std::collections::{HashMap, HashSet};

use super::super::line;
use super::lines::{Line, Name, Role, Text, mark_at, without_mark};

/// The positions in the array of versions.
pub(super) const BASE: usize = 0;
pub(super) const OURS: usize = 1;
pub(super) const THEIRS: usize = 2;

/// The merged content of a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Content {
    /// Both sides agree, or only one changed it.
    Agreed(Vec<u8>),
    /// Each side has its own text. The ticks are merged.
    Differs { ours: Vec<u8>, theirs: Vec<u8> },
}

/// The merged contents, by key.
pub(super) struct Things {
    contents: HashMap<u32, Content>,
}

impl Things {
    /// Merges all things, and gives every line its key.
    pub(super) fn of(texts: &mut [Text<'_>; 3]) -> Self {
        recognise_marked(texts);
        forget_ambiguous(texts);
        let mut keys = Keys::default();
        for text in texts.iter_mut() {
            for line in &mut text.lines {
                line.key = keys.of(&line.name);
            }
        }
        let places = places(texts);
        let contents = places
            .iter()
            .filter_map(|at| {
                let lines =
                    [BASE, OURS, THEIRS].map(|side| at[side].map(|at| &texts[side].lines[at]));
                let key = lines.iter().flatten().next()?.key;
                Some((key, merged(lines)?))
            })
            .collect();
        keep_what_changed(texts, &places, &mut keys);
        Self { contents }
    }

    /// The merged content of a line that both sides have.
    pub(super) fn content(&self, line: &Line<'_>) -> Option<&Content> {
        self.contents.get(&line.key)
    }
}

/// A number for each name.
#[derive(Default)]
struct Keys<'t> {
    known: HashMap<Name<'t>, u32>,
    next: u32,
}

impl<'t> Keys<'t> {
    fn of(&mut self, name: &Name<'t>) -> u32 {
        match self.known.get(name) {
            Some(key) => *key,
            None => {
                let key = self.fresh();
                self.known.insert(name.clone(), key);
                key
            }
        }
    }

    fn fresh(&mut self) -> u32 {
        self.next += 1;
        self.next
    }
}

/// Where a thing is in each version.
type Places = [Option<usize>; 3];

fn places(texts: &[Text<'_>; 3]) -> Vec<Places> {
    let mut places: HashMap<&Name<'_>, Places> = HashMap::new();
    for (side, text) in texts.iter().enumerate() {
        for (name, at) in text.things() {
            places.entry(name).or_default()[side] = Some(at);
        }
    }
    places.into_values().collect()
}

/// Gives a checkbox without an id the name that another version gave it: `ckpt plan mark` adds only the id. If both
/// sides gave it different ids, it is still the same task.
fn recognise_marked(texts: &mut [Text<'_>; 3]) {
    let mut marked: HashMap<Vec<u8>, Name<'_>> = HashMap::new();
    for side in [OURS, THEIRS, BASE] {
        for line in &texts[side].lines {
            if let (Name::Item(..), Some(bare)) = (&line.name, &line.bare) {
                marked
                    .entry(bare.clone())
                    .or_insert_with(|| line.name.clone());
            }
        }
    }
    let unmarked = texts[BASE]
        .lines
        .iter()
        .filter_map(|line| match &line.name {
            Name::Checkbox(bare) => Some(bare.clone()),
            _ => None,
        });
    let unmarked: HashSet<Vec<u8>> = unmarked.collect();
    let known = [BASE, OURS, THEIRS].map(|side| {
        let names = texts[side].things();
        names.into_keys().cloned().collect::<HashSet<_>>()
    });
    for side in [BASE, OURS, THEIRS] {
        for line in &mut texts[side].lines {
            let Some(bare) = &line.bare else { continue };
            let Some(name) = marked.get(bare).filter(|name| !known[side].contains(*name)) else {
                continue;
            };
            let is_marked_otherwise =
                side == THEIRS && unmarked.contains(bare) && !known[OURS].contains(&line.name);
            if matches!(line.name, Name::Checkbox(_)) || is_marked_otherwise {
                line.name = name.clone();
            }
        }
    }
}

/// A checkbox whose text is repeated in one version is an ordinary line in all of them.
fn forget_ambiguous(texts: &mut [Text<'_>; 3]) {
    let mut plain = HashSet::new();
    for line in texts.iter().flat_map(|text| &text.lines) {
        if let (Name::Text(content), Some(brackets)) = (&line.name, line::checkbox(line.content)) {
            let mark = mark_at(content, brackets.mark);
            plain.insert(without_mark(content, Some(&mark)));
        }
    }
    for line in texts.iter_mut().flat_map(|text| &mut text.lines) {
        if matches!(&line.name, Name::Checkbox(bare) if plain.contains(bare)) {
            line.forget_name();
        }
    }
}

/// The content of a thing that both sides have.
fn merged([base, ours, theirs]: [Option<&Line<'_>>; 3]) -> Option<Content> {
    let (ours, theirs) = (ours?, theirs?);
    let mark = merged_mark(base.map(|line| line.mark()), ours.mark(), theirs.mark());
    let around = match (ours.around_mark(), theirs.around_mark()) {
        (ours, theirs) if ours == theirs => Some(ours),
        (ours, theirs) => match base.map(Line::around_mark) {
            Some(base) if base == ours => Some(theirs),
            Some(base) if base == theirs => Some(ours),
            _ => None,
        },
    };
    let with = |(before, after): (&[u8], &[u8]), mark: Option<&[u8]>| {
        [before, mark.unwrap_or_default(), after].concat()
    };
    Some(match (around, mark) {
        (Some(around), Some(mark)) => Content::Agreed(with(around, mark)),
        (_, mark) => Content::Differs {
            ours: with(ours.around_mark(), mark.unwrap_or_else(|| ours.mark())),
            theirs: with(theirs.around_mark(), mark.unwrap_or_else(|| theirs.mark())),
        },
    })
}

/// The mark of a checkbox; `None` if both sides changed it to different marks that say the same about being done.
#[expect(
    clippy::option_option,
    reason = "the inner one is a line without a checkbox"
)]
fn merged_mark<'t>(
    base: Option<Option<&'t [u8]>>,
    ours: Option<&'t [u8]>,
    theirs: Option<&'t [u8]>,
) -> Option<Option<&'t [u8]>> {
    let is_done = |mark: Option<&[u8]>| matches!(mark, Some(b"x" | b"X"));
    let before = base.unwrap_or(Some(b" "));
    if ours == theirs || theirs == before {
        return Some(ours);
    }
    if ours == before {
        return Some(theirs);
    }
    match (is_done(before), is_done(ours), is_done(theirs)) {
        (was, ours_done, _) if ours_done != was => Some(ours),
        (was, _, theirs_done) if theirs_done != was => Some(theirs),
        (true, ..) => Some(ours),
        _ => None,
    }
}

/// Lets a thing that one side changed and the other removed look new, so that it stays. The heading and the marker of
/// its phase stay with it: without them it would belong to another phase. So do the lines below it that belong to it,
/// and a change of those counts as a change of the thing.
fn keep_what_changed<'t>(texts: &mut [Text<'t>; 3], places: &[Places], keys: &mut Keys<'t>) {
    let counts = [BASE, OURS, THEIRS].map(|side| {
        let mut counts: HashMap<u32, usize> = HashMap::new();
        for line in &texts[side].lines {
            *counts.entry(line.key).or_default() += 1;
        }
        counts
    });
    let in_base: HashMap<u32, usize> = {
        let lines = texts[BASE].lines.iter().enumerate();
        lines.map(|(at, line)| (line.key, at)).collect()
    };
    let phases = [&texts[BASE], &texts[OURS], &texts[THEIRS]].map(phases_above);
    let mut kept: Vec<(usize, usize)> = Vec::new();
    let mut details_kept: Vec<Details> = Vec::new();
    for at in places {
        let (side, here) = match (at[OURS], at[THEIRS]) {
            (Some(here), None) => (OURS, here),
            (None, Some(here)) => (THEIRS, here),
            _ => continue,
        };
        let Some(before) = at[BASE] else { continue };
        let line = &texts[side].lines[here];
        let (details, old_details) = (texts[side].details(here), texts[BASE].details(before));
        let contents = |side: usize, lines: &[usize]| -> Vec<&[u8]> {
            let lines = lines.iter().map(|at| texts[side].lines[*at].content);
            lines.collect()
        };
        if line.content == texts[BASE].lines[before].content
            && contents(side, &details) == contents(BASE, &old_details)
        {
            continue;
        }
        kept.push((side, here));
        details_kept.push(Details {
            side,
            lines: details,
            base: old_details,
        });
        if matches!(line.name, Name::Item(..)) {
            kept.extend(phases[side][here].iter().flatten().map(|at| (side, *at)));
        }
    }
    kept.sort_unstable();
    kept.dedup();
    for (side, here) in kept {
        let key = texts[side].lines[here].key;
        let other = if side == OURS { THEIRS } else { OURS };
        let is_removed = counts[side].get(&key) == Some(&1)
            && counts[BASE].get(&key) == Some(&1)
            && !counts[other].contains_key(&key);
        let Some(before) = in_base.get(&key).filter(|_| is_removed) else {
            continue;
        };
        texts[side].lines[here].key = keys.fresh();
        if !matches!(texts[side].lines[here].name, Name::Checkbox(_)) {
            texts[side].lines[here].role = Role::Structure;
            texts[BASE].lines[*before].role = Role::Structure;
        }
    }
    for Details { side, lines, base } in details_kept {
        let other = &counts[if side == OURS { THEIRS } else { OURS }];
        for at in base {
            texts[BASE].lines[at].role = Role::Structure;
        }
        for at in lines {
            let line = &mut texts[side].lines[at];
            line.role = Role::Structure;
            // The same words may be below other tasks too, which the other side kept.
            if other.get(&line.key).unwrap_or(&0) < counts[BASE].get(&line.key).unwrap_or(&0) {
                line.key = keys.fresh();
            }
        }
    }
}

/// The lines below a thing that one side changed and the other removed.
struct Details {
    side: usize,
    lines: Vec<usize>,
    /// Those below the same thing in the base.
    base: Vec<usize>,
}

/// For each line, the heading and the marker of the phase that it belongs to.
fn phases_above(text: &Text<'_>) -> Vec<[Option<usize>; 2]> {
    let (mut heading, mut phase) = (None, [None, None]);
    let lines = text.lines.iter().enumerate();
    let phases = lines.map(|(at, line)| {
        match line.name {
            Name::Heading(_) => heading = Some(at),
            Name::Phase(_) => phase = [heading.take(), Some(at)],
            _ => {}
        }
        phase
    });
    phases.collect()
}
