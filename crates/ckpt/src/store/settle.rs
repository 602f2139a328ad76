//! What the last change left behind, and what others did since.
//!
//! The last line of history names the content of every file before and after the last change. So
//! each file is in one of three states: as after it, as before it, or as nobody recorded it.

use std::collections::HashMap;
use std::io;

use memchr::memmem;

use super::files::Author;
use super::layout::{PlaceFile, Role};
use crate::disk::DiskFile;
use crate::document::Edit;
use crate::hash::ContentHash;
use crate::history::{
    Backward, Epoch, Event, FileChange, Line, Revision, Tail, Transition, replay, write_line,
};
use crate::time::{Clock, Timestamp};

/// Histories up to this length are replayed to find what a foreign edit changed.
const MAX_REPLAY: u64 = 1024 * 1024;

/// Bytes that are no text are recorded up to this length: in a line they take twice the room.
const MAX_BYTES_RECORDED: usize = 1024 * 1024;

/// The event of a change that was made again on top of what somebody else wrote.
pub(super) const REBASED: &str = "rebased";

/// Lines about what was found are not anybody's doing.
const FOUND_BY: &str = "ckpt";

/// What there is to record and to finish before the next change.
#[derive(Debug)]
pub(super) struct Settled {
    /// The last revision in the history.
    number: u64,
    epoch: Epoch,
    /// Revisions to record before the change, oldest first.
    found: Vec<(Event, Vec<FileChange>)>,
    /// What others did to the files since.
    foreign: Vec<Foreign>,
    /// The last revision, when it never took effect.
    aborted: Option<Revision>,
    /// Files that the last change did not get to, with the content it has for them.
    unfinished: Vec<(usize, Vec<u8>)>,
    /// What the interrupted change had for each file that it did not get to.
    intended: Vec<Option<Vec<u8>>>,
    /// Whether the last line of the history was cut short.
    cut_short: bool,
}

/// A file that somebody else has written since the last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Foreign {
    /// The position of the file; `None` for one that is gone and has none any more.
    pub position: Option<usize>,
    /// The last revision at which the file had this content, if it ever had.
    pub returned_to: Option<Revision>,
}

/// Compares the files with the end of the history.
pub(super) fn settle(
    tail: Option<Tail>,
    history: Option<&dyn DiskFile>,
    files: &[PlaceFile],
    contents: &[Option<Vec<u8>>],
    clock: Clock,
) -> io::Result<Settled> {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let Some(tail) = tail else {
        let mut first = Settled::first(&names, contents, clock);
        // Whatever stands there cannot be read; an empty line in front of ours does no harm.
        first.cut_short = history.map(DiskFile::length).transpose()?.unwrap_or(0) > 0;
        return Ok(first);
    };
    let mut settled = Settled {
        number: tail.number,
        epoch: tail.epoch,
        found: Vec::new(),
        foreign: Vec::new(),
        aborted: None,
        unfinished: Vec::new(),
        intended: Vec::new(),
        cut_short: tail.cut_short,
    };
    let hashes: Vec<_> = contents
        .iter()
        .map(|content| content.as_deref().map(ContentHash::of))
        .collect();
    let last: Vec<FileChange> = names
        .iter()
        .map(|name| {
            let known = tail.files.iter().find(|file| file.name == *name);
            known.cloned().unwrap_or_else(|| untouched(name))
        })
        .collect();
    let done =
        |position: usize| last[position].is_change() && hashes[position] == last[position].to;
    let positions = || 0..names.len();
    // The files are written in order: one that is behind while a later one is not was put back by
    // somebody.
    let waiting = |position: usize| {
        last[position].is_change()
            && hashes[position] == last[position].from
            && !(position + 1..names.len()).any(done)
    };

    let intended = |position: usize| {
        let content = contents[position].as_deref();
        waiting(position)
            .then(|| last[position].apply(content))
            .flatten()
            .flatten()
    };
    settled.intended = positions().map(intended).collect();
    let mut expected: Vec<_> = last.iter().map(|file| file.to).collect();
    if positions().any(waiting) {
        // A change that was made again on top of somebody's text has been in place once, and their
        // text is part of it: it is finished too.
        if positions().any(done) || tail.event == REBASED {
            for position in positions().filter(|position| waiting(*position)) {
                match settled.intended[position].clone() {
                    Some(content) => settled.unfinished.push((position, content)),
                    None => expected[position] = last[position].from,
                }
            }
        } else {
            let reversed = positions().map(|at| last[at].reversed(contents[at].as_deref()));
            let event = Event::new("aborted").with("aborted", tail.number);
            settled.found.push((event, reversed.collect()));
            settled.aborted = Some(Revision {
                number: tail.number,
                epoch: Some(settled.epoch.clone()),
            });
            expected = last.iter().map(|file| file.from).collect();
        }
    }
    let foreign: Vec<_> = positions()
        .filter(|&at| hashes[at] != expected[at] && !waiting(at))
        .collect();
    let gone: Vec<_> = tail
        .files
        .iter()
        .filter(|file| file.to.is_some() && !names.contains(&file.name.as_str()))
        .collect();
    if tail.damaged && !(foreign.is_empty() && gone.is_empty()) {
        // The lines that cannot be read may have given out the next numbers: begin anew.
        let mut first = Settled::first(&names, contents, clock);
        first.cut_short = tail.cut_short;
        return Ok(first);
    }
    if !foreign.is_empty() {
        let mut before = recorded_contents(history)?;
        for at in foreign {
            let content = contents[at].as_deref().unwrap_or_default();
            let known = before.remove(names[at]);
            let known = known.filter(|known| Some(ContentHash::of(known)) == expected[at]);
            let transition = match known {
                _ if !is_recordable(content) => Transition::Unrecorded,
                Some(known) => Transition::Edit(Edit::between(&known, content)),
                None => Transition::Content(content.to_vec()),
            };
            let change = FileChange {
                name: names[at].to_owned(),
                from: expected[at],
                to: hashes[at],
                transition,
            };
            let returned_to = earlier(history, &change)?;
            let event = foreign_event(&files[at], returned_to.as_ref());
            settled.foreign.push(Foreign {
                position: Some(at),
                returned_to,
            });
            expected[at] = hashes[at];
            let changes = positions().map(|other| match other == at {
                true => change.clone(),
                false => unchanged(names[other], expected[other]),
            });
            settled.found.push((event, changes.collect()));
        }
    }
    for file in gone {
        let change = FileChange {
            name: file.name.clone(),
            from: file.to,
            to: None,
            transition: Transition::Content(Vec::new()),
        };
        let returned_to = earlier(history, &change)?;
        let event = shared_event(&file.name, returned_to.as_ref());
        settled.foreign.push(Foreign {
            position: None,
            returned_to,
        });
        let others = positions().map(|other| unchanged(names[other], expected[other]));
        let changes = others.chain([change]).collect();
        settled.found.push((event, changes));
    }
    Ok(settled)
}

/// What somebody else's edit is called. In a file that they may write, it is no more than a checksum
/// that does not match, and the file is read again.
fn foreign_event(file: &PlaceFile, earlier: Option<&Revision>) -> Event {
    let event = match (file.role, earlier) {
        (Role::Shared, _) => return shared_event(&file.name, earlier),
        (Role::Own, Some(_)) => Event::new("rewound"),
        (Role::Own, None) => Event::new("external_edit"),
    };
    about(event, &file.name, earlier)
}

fn shared_event(name: &str, earlier: Option<&Revision>) -> Event {
    let event = Event::new("checksum_mismatch").with("action", "reparse");
    about(event, name, earlier)
}

fn about(event: Event, name: &str, earlier: Option<&Revision>) -> Event {
    let event = event.with("file", name);
    match earlier {
        Some(revision) => event.with("to_rev", revision.number),
        None => event,
    }
}

/// Whether content is written into the history: text always, other bytes as long as they are few.
/// What is not JSON is kept as a copy anyway.
fn is_recordable(content: &[u8]) -> bool {
    content.len() <= MAX_BYTES_RECORDED || std::str::from_utf8(content).is_ok()
}

/// What the files held after the last change, where it does not take long to find out. Without it
/// a foreign edit is recorded as the whole content instead of as an edit.
fn recorded_contents(history: Option<&dyn DiskFile>) -> io::Result<HashMap<String, Vec<u8>>> {
    match history {
        Some(history) if history.length()? <= MAX_REPLAY => {
            Ok(replay(history, None)?.unwrap_or_default())
        }
        _ => Ok(HashMap::new()),
    }
}

/// The last revision at which the file had this content, if one had.
fn earlier(history: Option<&dyn DiskFile>, change: &FileChange) -> io::Result<Option<Revision>> {
    let Some(history) = history else {
        return Ok(None);
    };
    // A file that is not there has no hash: then its name leads to the line that made it.
    let trace = change
        .to
        .map_or_else(|| change.name.clone(), |hash| hash.to_string());
    let mut lines = Backward::new(history)?;
    while let Some(bytes) = lines.previous()? {
        // Most lines are told by a look for the hash, without reading them as JSON.
        if memmem::find(&bytes, trace.as_bytes()).is_none() {
            continue;
        }
        let Ok(line) = Line::parse(&bytes) else {
            continue;
        };
        let files = line.files().unwrap_or_default();
        let file = files.iter().find(|file| file.name == change.name);
        let number = match file {
            Some(file) if file.to == change.to => line.number(),
            // It was left with this line.
            Some(file) if file.from == change.to => line.number().and_then(|n| n.checked_sub(1)),
            _ => None,
        };
        if let Some(number) = number.filter(|number| *number > 0) {
            let epoch = line.epoch();
            return Ok(Some(Revision { number, epoch }));
        }
    }
    Ok(None)
}

fn untouched(name: &str) -> FileChange {
    unchanged(name, None)
}

fn unchanged(name: &str, hash: Option<ContentHash>) -> FileChange {
    FileChange {
        name: name.to_owned(),
        from: hash,
        to: hash,
        transition: Transition::Edit(Edit::default()),
    }
}

/// What was found, and a change of other files that follows from it, as one.
fn joined(found: &[FileChange], change: &[FileChange]) -> Vec<FileChange> {
    let with = |found: &FileChange| {
        let same = |change: &&FileChange| change.name == found.name && change.is_change();
        change.iter().find(same).unwrap_or(found).clone()
    };
    found.iter().map(with).collect()
}

impl Settled {
    /// A history begins: for a new document, or for files that are there without one.
    fn first(names: &[&str], contents: &[Option<Vec<u8>>], clock: Clock) -> Self {
        let mut found = Vec::new();
        if contents.iter().any(Option::is_some) {
            let files = names.iter().zip(contents).map(|(name, content)| {
                let content = content.as_deref();
                FileChange {
                    name: (*name).to_owned(),
                    from: None,
                    to: content.map(ContentHash::of),
                    transition: match content {
                        Some(content) if !is_recordable(content) => Transition::Unrecorded,
                        content => Transition::Content(content.unwrap_or_default().to_vec()),
                    },
                }
            });
            found.push((Event::new("adopted"), files.collect()));
        }
        Self {
            number: 0,
            epoch: Epoch::starting(clock()),
            found,
            foreign: Vec::new(),
            aborted: None,
            unfinished: Vec::new(),
            intended: Vec::new(),
            cut_short: false,
        }
    }

    pub(super) fn unfinished(&self) -> &[(usize, Vec<u8>)] {
        &self.unfinished
    }

    /// The last revision, when it never took effect.
    pub(super) fn aborted(&self) -> Option<&Revision> {
        self.aborted.as_ref()
    }

    /// Whether all there is to record is that the last revision never took effect.
    pub(super) fn only_aborted(&self) -> bool {
        self.aborted.is_some() && self.found.len() == 1
    }

    /// What others did to the files since the last change.
    pub(super) fn foreign(&self) -> &[Foreign] {
        &self.foreign
    }

    pub(super) fn found_foreign_edit(&self) -> bool {
        self.found
            .iter()
            .any(|(event, _)| event.name == "external_edit")
    }

    /// What comes next follows this revision.
    pub(super) fn advance(&mut self, revision: &Revision) {
        self.number = revision.number;
        self.found.clear();
        self.cut_short = false;
    }

    /// What the interrupted change had for a file that it did not get to.
    pub(super) fn intended(&self, position: usize) -> Option<&[u8]> {
        self.intended.get(position)?.as_deref()
    }

    /// The revision that the files have now, once what was found is recorded.
    pub(super) fn revision(&self) -> Option<Revision> {
        let number = self.number + self.found.len() as u64;
        (number > 0).then(|| Revision {
            number,
            epoch: Some(self.epoch.clone()),
        })
    }

    /// The lines for what was found and for the change itself, and the change's revision. A change
    /// without events of its own is part of what was found last.
    pub(super) fn lines(
        &self,
        now: Timestamp,
        author: &Author,
        events: &[Event],
        files: &[FileChange],
    ) -> (Revision, String) {
        let mut out = String::new();
        if self.cut_short {
            out.push('\n');
        }
        let mut number = self.number;
        for (position, (event, found)) in self.found.iter().enumerate() {
            number += 1;
            let is_last = position + 1 == self.found.len();
            let follows = is_last && events.is_empty() && !files.is_empty();
            let joined = follows.then(|| joined(found, files));
            let files = joined.as_ref().unwrap_or(found);
            write_line(&mut out, now, event, (number, &self.epoch), FOUND_BY, files);
        }
        number += u64::from(!events.is_empty());
        for (position, event) in events.iter().enumerate() {
            let files = if position == 0 { files } else { &[] };
            write_line(
                &mut out,
                now,
                event,
                (number, &self.epoch),
                &author.by,
                files,
            );
        }
        let revision = Revision {
            number,
            epoch: Some(self.epoch.clone()),
        };
        (revision, out)
    }
}
