//! The combined outline of a plan and its phase files: every task with its phase and file.

use std::collections::HashMap;

use super::line;
use super::scan::{Heading, ItemKind, NoteKind, Scan, Span, StrayReason, TooLong, scan};
use super::state::{decision, member, strings};
use crate::document::{Object, Value};
use crate::layout::phase_number;

/// How a phase says that it needs another one, whatever the case of the first letter.
const DEPENDS: &[u8] = b"epends on";

/// The phase of tasks above the first phase marker.
pub const UNNAMED_PHASE: &str = "main";

/// One Markdown file of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Source<'t> {
    /// Its name: `plan.md`, or `phase-01-setup.md`.
    pub name: &'t str,
    /// Its bytes.
    pub text: &'t [u8],
}

/// A task or criterion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// Its id.
    pub id: String,
    /// Its text.
    pub text: String,
    /// Whether it is ticked.
    pub done: bool,
    /// The position of its source.
    pub source: usize,
    /// The offset of its mark in that source.
    pub mark: usize,
    /// Its line in that source, from 1.
    pub line: u32,
    /// How far it is indented: the columns of white space before it.
    pub indent: usize,
}

/// A phase and its tasks and criteria.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Phase {
    /// Its id.
    pub id: String,
    /// The heading above its marker.
    pub title: Option<String>,
    /// Its lines that say what it depends on.
    pub dependencies: Vec<String>,
    /// The blockers in it.
    pub blockers: Vec<String>,
    /// Its tasks, in order.
    pub tasks: Vec<Entry>,
    /// Its acceptance criteria, in order.
    pub acceptance: Vec<Entry>,
}

impl Phase {
    fn new(id: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            title: None,
            dependencies: Vec::new(),
            blockers: Vec::new(),
            tasks: Vec::new(),
            acceptance: Vec::new(),
        }
    }
}

/// A checkbox that is not tracked: it has no id, or it does not begin its line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Untracked {
    /// Whether it has a marker, but does not begin its line.
    pub is_marked: bool,
    /// Its text.
    pub text: String,
    /// Whether it is ticked.
    pub done: bool,
    /// The position of its source.
    pub source: usize,
    /// Its line, from 1.
    pub line: u32,
}

/// A repeated id.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Clash {
    /// The id.
    pub id: String,
    /// The source and line that count.
    pub first: (usize, u32),
    /// The source and line that are ignored.
    pub again: (usize, u32),
    /// The text of the checkbox that is ignored, if it is not ticked.
    pub open: Option<String>,
}

/// A marker that marks nothing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StrayMarker {
    /// Why it marks nothing.
    pub why: StrayReason,
    /// Its id, or the text in place of one.
    pub id: String,
    /// The position of its source.
    pub source: usize,
    /// Its line, from 1.
    pub line: u32,
}

/// The outline of a plan over all its files.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Outline {
    /// The phases, in order.
    pub phases: Vec<Phase>,
    /// The decisions, in order.
    pub decisions: Vec<String>,
    /// The blockers, in order.
    pub blockers: Vec<String>,
    /// Checkboxes without an id.
    pub untracked: Vec<Untracked>,
    /// Repeated ids.
    pub clashes: Vec<Clash>,
    /// Markers that mark nothing.
    pub strays: Vec<StrayMarker>,
    /// Merge conflicts.
    pub conflicts: Vec<Conflict>,
    /// Whether a file ends in the middle of a line.
    pub ends_in_line: bool,
}

/// A merge conflict that git left in the text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Conflict {
    /// The position of its source.
    pub source: usize,
    /// Its first line, from 1.
    pub first: u32,
    /// Its last line.
    pub last: u32,
}

impl Outline {
    /// Reads a plan: `plan.md` first, then its phase files ordered by name.
    pub fn read(sources: &[Source<'_>]) -> Result<Self, TooLong> {
        // The scan has already dropped ids repeated within one file.
        let mut builder = Builder {
            several: sources.len() > 1,
            ..Builder::default()
        };
        for (position, source) in sources.iter().enumerate() {
            let scan = scan(source.text)?;
            let default = match phase_number(source.name) {
                Some(number) if position > 0 => builder.phase_by_number(number, source.name),
                _ => UNNAMED_PHASE.to_owned(),
            };
            builder.add(position, source.text, &scan, &default);
        }
        Ok(builder.outline)
    }

    /// The task with this id.
    #[must_use]
    pub fn task(&self, id: &str) -> Option<&Entry> {
        self.tasks()
            .find(|(_, task)| task.id == id)
            .map(|(_, task)| task)
    }

    /// The criterion with this id.
    #[must_use]
    pub fn criterion(&self, id: &str) -> Option<&Entry> {
        let mut all = self.phases.iter().flat_map(|phase| &phase.acceptance);
        all.find(|entry| entry.id == id)
    }

    /// Everything of a kind, with its phase's id.
    pub fn entries(&self, kind: ItemKind) -> impl Iterator<Item = (&str, &Entry)> {
        let entries = self.phases.iter().flat_map(move |phase| match kind {
            ItemKind::Task => phase.tasks.iter(),
            ItemKind::Acceptance => phase.acceptance.iter(),
        });
        entries.map(|entry| (entry.id.as_str(), entry))
    }

    /// All tasks, with their phases.
    pub fn tasks(&self) -> impl Iterator<Item = (&Phase, &Entry)> {
        let of = |phase| std::iter::repeat(phase);
        self.phases
            .iter()
            .flat_map(move |phase| of(phase).zip(&phase.tasks))
    }

    /// Whether there is no marker at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.phases.is_empty() && self.decisions.is_empty() && self.blockers.is_empty()
    }

    /// A state that says only which boxes are ticked.
    #[must_use]
    pub fn to_state(&self) -> Object {
        let list = |entries: &[Entry], flag: &str| {
            let items = entries.iter().map(|entry| {
                let item = Object::from_iter([(flag, Value::from(entry.done))]);
                (entry.id.clone(), Value::Object(item))
            });
            Value::Object(items.collect())
        };
        let phases = self.phases.iter().map(|phase| {
            let lists = [
                ("tasks", list(&phase.tasks, "done")),
                ("acceptance", list(&phase.acceptance, "met")),
            ];
            (phase.id.clone(), Value::Object(lists.into_iter().collect()))
        });
        let phases: Object = phases.collect();
        Object::from_iter([("phases", Value::Object(phases))])
    }

    /// The outline of a state, used when the Markdown cannot be read. A state does not contain texts, so ids stand in
    /// for them.
    #[must_use]
    pub fn of_state(state: &Object) -> Self {
        let entry = |(id, record): (&str, &Value), flag: &str| Entry {
            id: id.to_owned(),
            text: id.to_owned(),
            done: record.as_object().and_then(|record| record.get(flag)) == Some(&true.into()),
            source: 0,
            mark: 0,
            line: 0,
            indent: 0,
        };
        let entries = |phase: &Value, list: &str, flag: &str| {
            let list = phase.as_object().and_then(|phase| member(phase, list));
            let list = list.into_iter().flat_map(Object::iter);
            list.map(|record| entry(record, flag)).collect()
        };
        let phases = member(state, "phases").into_iter().flat_map(Object::iter);
        let decisions = state.get("decisions").and_then(Value::as_array);
        let decisions = decisions.unwrap_or_default().iter().filter_map(decision);
        Self {
            phases: phases
                .map(|(id, phase)| Phase {
                    tasks: entries(phase, "tasks", "done"),
                    acceptance: entries(phase, "acceptance", "met"),
                    ..Phase::new(id)
                })
                .collect(),
            decisions: decisions.map(str::to_owned).collect(),
            blockers: strings(state, "blockers").map(str::to_owned).collect(),
            ..Self::default()
        }
    }
}

/// The title of a plan: its first heading.
#[must_use]
pub fn first_heading(text: &[u8]) -> Option<String> {
    let scan = scan(text).ok()?;
    let titles = scan.headings.iter().map(|heading| title_of(heading, text));
    titles.into_iter().find(|title| !title.is_empty())
}

/// The text of a heading, without a marker on the same line.
pub(super) fn title_of(heading: &Heading, text: &[u8]) -> String {
    let title = String::from_utf8_lossy(heading.text.of(text));
    let end = title.find("<!--").unwrap_or(title.len());
    title[..end].trim().to_owned()
}

/// The columns of white space at the beginning of the line of an offset.
fn indent(text: &[u8], at: usize) -> usize {
    let start = memchr::memrchr(b'\n', &text[..at]).map_or(0, |newline| newline + 1);
    line::indent(&text[start..at])
}

/// Combines the files.
#[derive(Default)]
struct Builder {
    outline: Outline,
    /// Whether there are several files.
    several: bool,
    places: HashMap<String, usize>,
    /// Where each id first occurred.
    seen: HashMap<(ItemKind, String), (usize, u32)>,
}

impl Builder {
    /// The phase of a numbered file: the phase with that number, or one of its own.
    fn phase_by_number(&self, number: usize, name: &str) -> String {
        let mut named = self
            .outline
            .phases
            .iter()
            .filter(|phase| phase.id != UNNAMED_PHASE);
        match number.checked_sub(1).and_then(|at| named.nth(at)) {
            Some(phase) => phase.id.clone(),
            None => phase_name(name).to_owned(),
        }
    }

    fn add(&mut self, source: usize, text: &[u8], scan: &Scan, default: &str) {
        let words = |span: Span| match std::str::from_utf8(span.of(text)) {
            Ok(words) => words.to_owned(),
            Err(_) => String::from_utf8_lossy(span.of(text)).into_owned(),
        };
        // A phase with a marker exists even if it is empty; one without a marker exists only if something belongs to
        // it.
        let orphan = scan.items.first().is_some_and(|item| item.phase.is_none());
        let unnamed = orphan.then(|| self.phase(default));
        let phases = scan.phases.iter().map(|phase| words(phase.id));
        let places: Vec<usize> = phases.map(|id| self.phase(&id)).collect();
        for item in &scan.items {
            let phase = match item.phase {
                Some(phase) => places[phase as usize],
                None => unnamed.unwrap_or_default(),
            };
            let entry = Entry {
                id: words(item.id),
                text: words(item.text),
                done: item.done,
                source,
                mark: item.mark as usize,
                line: item.line,
                indent: indent(text, item.mark as usize),
            };
            self.place(phase, item.kind, entry);
        }
        for note in &scan.notes {
            match note.kind {
                NoteKind::Decision => self.outline.decisions.push(words(note.text)),
                NoteKind::Blocker => {
                    let text = words(note.text);
                    if let Some(phase) = note.phase {
                        let phase = &mut self.outline.phases[places[phase as usize]];
                        phase.blockers.push(text.clone());
                    }
                    self.outline.blockers.push(text);
                }
            }
        }
        self.outline.ends_in_line |= text.last().is_some_and(|last| *last != b'\n');
        self.add_conflicts(source, text);
        self.add_titles(text, scan, &places);
        self.add_dependencies(text, scan, &places);
        self.outline
            .untracked
            .extend(scan.untracked.iter().map(|found| Untracked {
                is_marked: found.is_marked,
                text: words(found.text),
                done: found.done,
                source,
                line: found.line,
            }));
        let strays = scan.strays.iter().map(|stray| StrayMarker {
            why: stray.why,
            id: words(stray.id),
            source,
            line: stray.line,
        });
        self.outline.strays.extend(strays);
        self.outline
            .clashes
            .extend(scan.repeated.iter().map(|again| Clash {
                id: words(again.id),
                first: (source, again.first),
                again: (source, again.again),
                open: again.open.map(words),
            }));
    }

    fn add_conflicts(&mut self, source: usize, text: &[u8]) {
        if memchr::memmem::find(text, b"<<<<<<< ").is_none() {
            return;
        }
        let mut first = None;
        for (line, number) in text.split(|byte| *byte == b'\n').zip(1..) {
            if line.starts_with(b"<<<<<<< ") {
                first = Some(number);
            } else if line.starts_with(b">>>>>>> ")
                && let Some(first) = first.take()
            {
                let last = number;
                self.outline.conflicts.push(Conflict {
                    source,
                    first,
                    last,
                });
            }
        }
    }

    /// Adds the heading above each marker.
    fn add_titles(&mut self, text: &[u8], scan: &Scan, places: &[usize]) {
        let mut headings = scan.headings.iter().peekable();
        let mut above = None;
        for (marker, place) in scan.phases.iter().zip(places) {
            while let Some(heading) = headings.next_if(|heading| heading.line <= marker.line) {
                above = Some(heading);
            }
            let phase = &mut self.outline.phases[*place];
            if let Some(heading) = above.take().filter(|_| phase.title.is_none()) {
                phase.title = Some(title_of(heading, text));
            }
        }
    }

    /// Adds the lines in which a phase says what it depends on.
    fn add_dependencies(&mut self, text: &[u8], scan: &Scan, places: &[usize]) {
        for found in memchr::memmem::find_iter(text, DEPENDS) {
            let above = scan
                .phases
                .partition_point(|marker| marker.id.range().start < found);
            let Some(place) = above.checked_sub(1).map(|at| places[at]) else {
                continue;
            };
            let start = memchr::memrchr(b'\n', &text[..found]).map_or(0, |at| at + 1);
            let end = memchr::memchr(b'\n', &text[found..]).map_or(text.len(), |at| found + at);
            let line = String::from_utf8_lossy(&text[start..end]);
            let phase = &mut self.outline.phases[place];
            phase.dependencies.push(line.trim().to_owned());
        }
    }

    fn phase(&mut self, id: &str) -> usize {
        if let Some(&place) = self.places.get(id) {
            return place;
        }
        let place = self.outline.phases.len();
        self.outline.phases.push(Phase::new(id));
        self.places.insert(id.to_owned(), place);
        place
    }

    fn place(&mut self, phase: usize, kind: ItemKind, entry: Entry) {
        if self.several {
            let here = (entry.source, entry.line);
            let first = *self.seen.entry((kind, entry.id.clone())).or_insert(here);
            if first != here {
                self.outline.clashes.push(Clash {
                    id: entry.id,
                    first,
                    again: here,
                    open: (!entry.done).then_some(entry.text),
                });
                return;
            }
        }
        let phase = &mut self.outline.phases[phase];
        match kind {
            ItemKind::Task => phase.tasks.push(entry),
            ItemKind::Acceptance => phase.acceptance.push(entry),
        }
    }
}

/// The phase of a phase file if the plan has none with its number.
pub(super) fn phase_name(file: &str) -> &str {
    file.strip_suffix(".md").unwrap_or(file)
}
