//! Writing the result.

use std::collections::{HashMap, HashSet};

use super::lines::{Line, Name, Text};
use super::things::{BASE, Content, OURS, THEIRS, Things};
use super::weave::Piece;
use super::{ConflictStyle, Merged};

/// The text so far.
pub(super) struct Page<'p, 't> {
    texts: &'p [Text<'t>; 3],
    things: &'p Things,
    style: &'p ConflictStyle<'p>,
    text: Vec<u8>,
    conflicts: usize,
    /// The line ending of lines that have none of their own.
    ending: &'t [u8],
}

impl<'p, 't> Page<'p, 't> {
    pub(super) fn new(
        texts: &'p [Text<'t>; 3],
        things: &'p Things,
        style: &'p ConflictStyle<'p>,
    ) -> Self {
        let lines = [OURS, BASE, THEIRS].map(|side| texts[side].lines.first());
        let mut endings = lines.iter().flatten().map(|line| line.ending);
        let ending = endings.find(|ending| !ending.is_empty());
        Self {
            texts,
            things,
            style,
            text: Vec::new(),
            conflicts: 0,
            ending: ending.unwrap_or(b"\n"),
        }
    }

    pub(super) fn written(mut self, pieces: &[Piece]) -> Merged {
        let twice = Twice::of(self.texts, pieces);
        for piece in pieces {
            match piece {
                Piece::Both { base, ours, theirs } => self.both(*base, *ours, *theirs),
                Piece::Ours(at) => self.one(OURS, *at, &twice),
                Piece::Theirs(at) if twice.is_dropped(self.texts, self.things, *at) => {}
                Piece::Theirs(at) => self.one(THEIRS, *at, &twice),
                Piece::Conflict { ours, theirs } => {
                    let part = |side: usize, lines: &[usize]| -> Vec<(Vec<u8>, &'t [u8])> {
                        let lines = lines.iter().map(|at| &self.texts[side].lines[*at]);
                        lines
                            .map(|line| (self.own(side, line), line.ending))
                            .collect()
                    };
                    let (ours, theirs) = (part(OURS, ours), part(THEIRS, theirs));
                    self.conflict(&ours, &theirs);
                }
            }
        }
        Merged {
            text: self.text,
            conflicts: self.conflicts,
            is_displaced: false,
        }
    }

    /// A line that both sides have here.
    fn both(&mut self, base: Option<usize>, ours: usize, theirs: usize) {
        let before = base.map(|at| self.texts[BASE].lines[at].ending);
        let (ours, theirs) = (
            &self.texts[OURS].lines[ours],
            &self.texts[THEIRS].lines[theirs],
        );
        let ending = match before {
            Some(before) if before == ours.ending => theirs.ending,
            _ => ours.ending,
        };
        match self.things.content(ours) {
            None => self.line(ours.content, ending),
            Some(content) => self.thing(content, ending),
        }
    }

    /// A line that one side has here.
    fn one(&mut self, side: usize, at: usize, twice: &Twice) {
        let line = &self.texts[side].lines[at];
        match self.things.content(line) {
            Some(_) if twice.holds(line) => {
                let own = self.own(side, line);
                self.line(&own, line.ending);
            }
            Some(content) => self.thing(content, line.ending),
            None => self.line(line.content, line.ending),
        }
    }

    fn thing(&mut self, content: &Content, ending: &'t [u8]) {
        match content {
            Content::Agreed(content) => self.line(content, ending),
            Content::Differs { ours, theirs } => {
                self.conflict(&[(ours.clone(), ending)], &[(theirs.clone(), ending)]);
            }
        }
    }

    /// A line as one side has it, with the ticks of both.
    fn own(&self, side: usize, line: &Line<'_>) -> Vec<u8> {
        match self.things.content(line) {
            None => line.content.to_vec(),
            Some(Content::Agreed(content)) => content.clone(),
            Some(Content::Differs { ours, .. }) if side == OURS => ours.clone(),
            Some(Content::Differs { theirs, .. }) => theirs.clone(),
        }
    }

    fn line(&mut self, content: &[u8], ending: &[u8]) {
        self.end_line();
        self.text.extend_from_slice(content);
        self.text.extend_from_slice(ending);
    }

    /// Ends a line that was the last one of its version, and is not the last one here.
    fn end_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(b"\n") {
            self.text.extend_from_slice(self.ending);
        }
    }

    fn conflict(&mut self, ours: &[(Vec<u8>, &'t [u8])], theirs: &[(Vec<u8>, &'t [u8])]) {
        self.conflicts += 1;
        let style = self.style;
        self.marker(b'<', style.ours);
        for (content, ending) in ours {
            self.line(content, ending);
        }
        self.marker(b'=', "");
        for (content, ending) in theirs {
            self.line(content, ending);
        }
        self.marker(b'>', style.theirs);
    }

    fn marker(&mut self, character: u8, label: &str) {
        let mut marker = vec![character; self.style.marker_size];
        if !label.is_empty() {
            marker.push(b' ');
            marker.extend_from_slice(label.as_bytes());
        }
        let ending = self.ending;
        self.line(&marker, ending);
    }
}

/// What both sides have, each in another place.
struct Twice {
    keys: HashSet<u32>,
}

impl Twice {
    fn of(texts: &[Text<'_>; 3], pieces: &[Piece]) -> Self {
        let mut seen: HashMap<u32, [bool; 2]> = HashMap::new();
        for piece in pieces {
            match piece {
                Piece::Ours(at) => seen.entry(texts[OURS].lines[*at].key).or_default()[0] = true,
                Piece::Theirs(at) => {
                    seen.entry(texts[THEIRS].lines[*at].key).or_default()[1] = true;
                }
                _ => {}
            }
        }
        let twice = seen.into_iter().filter(|(_, sides)| *sides == [true, true]);
        Self {
            keys: twice.map(|(key, _)| key).collect(),
        }
    }

    fn holds(&self, line: &Line<'_>) -> bool {
        self.keys.contains(&line.key)
    }

    /// Whether a line of their side is left out, because our side has it elsewhere. Prose and the markers of phases
    /// depend on what is around them, so they stay.
    fn is_dropped(&self, texts: &[Text<'_>; 3], things: &Things, at: usize) -> bool {
        let line = &texts[THEIRS].lines[at];
        let is_agreed = || matches!(things.content(line), Some(Content::Agreed(_)));
        self.holds(line)
            && match line.name {
                Name::Item(..) => is_agreed(),
                Name::Text(_) => line.is_note,
                Name::Phase(_) | Name::Heading(_) | Name::Checkbox(_) => false,
            }
    }
}
