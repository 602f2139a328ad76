//! Compares the files with the last change in the history: was it interrupted, and what have others changed since?
//!
//! The last history line holds the hash of every file before and after the last change. So each file is in one of three
//! states: as after the change, as before it, or edited by others.

use std::io;
use std::ops::Range;

use memchr::memmem;

use super::files::{Author, Edits};
use crate::disk::DiskFile;
use crate::document::Edit;
use crate::hash::ContentHash;
use crate::history::{
    Backward, Entry, Epoch, Event, EventName, FileChange, Line, MAX_RECORDED, MEMORY_REACH,
    REBASES, Revision, Tail, Transition, is_last, is_overtaken, last_content, mentions, write_line,
};
use crate::layout::{PlaceFile, Role};
use crate::seal::Sealer;
use crate::time::Timestamp;

/// How many bytes at the end of a history are replayed to find out what a foreign edit changed. If the file's whole
/// content is not recorded there, the edit is recorded as whole content, and later edits are replayed from it. So an
/// edit costs the same however long the history is.
const SHORTEST_REPLAY: usize = 32 * 1024;

/// For large files more is replayed, so that whole contents remain a small part of the history.
const REPLAYED_CONTENTS: usize = 3;

/// How many bytes at the end of a history are searched for higher numbers than that of the last change. After a foreign
/// edit, as much is searched as for earlier contents.
const SHORTEST_SEARCH: u64 = 64 * 1024;

/// Bytes that are not text are recorded up to this length, because they take twice the space in a line.
const MAX_BYTES_RECORDED: usize = 1024 * 1024;

/// The author of lines that record what a change found.
pub(crate) const FOUND_BY: &str = "ckpt";

/// What must be recorded and finished before the next change.
#[derive(Debug)]
pub(super) struct Settled {
    /// The last revision in the history.
    number: u64,
    epoch: Epoch,
    /// Revisions to record before the change, oldest first.
    found: Vec<(Event, Vec<FileChange>)>,
    /// Files that others have changed since.
    foreign: Vec<Foreign>,
    /// The last revision, if it never took effect.
    aborted: Option<Revision>,
    /// Files that the last change did not reach and that must be finished, with their intended content.
    unfinished: Vec<(usize, Vec<u8>)>,
    /// For each file that the last change did not reach, the content it intended.
    intended: Vec<Option<Vec<u8>>>,
    /// Whether the last line of the history is incomplete.
    cut_short: bool,
    /// The hash of each file, with unfinished files counted as finished.
    hashes: Vec<Option<ContentHash>>,
    /// Whether a new history begins here, whatever files exist already.
    is_adopted: bool,
    /// Shared files that others have made shorter since the last change.
    shortened: Vec<usize>,
    /// Whether the document was gone from its place since the last change.
    pub(super) is_brought_back: bool,
}

/// A file that others have changed since the last change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Foreign {
    /// The position of the file; `None` if the file is gone and no longer part of the document.
    pub position: Option<usize>,
}

/// Compares the files with the end of the history.
pub(super) fn settle(
    tail: Option<Tail>,
    history: Option<&dyn DiskFile>,
    files: &[PlaceFile],
    contents: &[Option<Vec<u8>>],
    fresh_epoch: impl Fn() -> Epoch,
) -> io::Result<Settled> {
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let Some(tail) = tail else {
        let mut first = Settled::first(&names, contents, fresh_epoch());
        first.cut_short = match history {
            Some(history) => !ends_a_line(history)?,
            None => false,
        };
        return Ok(first);
    };
    if tail.is_from_copy {
        // It may lack the last revisions, so the next numbers may have been used.
        return Ok(Settled {
            cut_short: tail.cut_short,
            is_brought_back: true,
            ..Settled::first(&names, contents, fresh_epoch())
        });
    }
    let mut survey = Survey::new(&tail, history, files, contents);
    survey.check_that_it_may_lead()?;
    let mut settled = Settled {
        number: tail.number,
        epoch: tail.epoch.clone(),
        found: Vec::new(),
        foreign: Vec::new(),
        aborted: None,
        unfinished: Vec::new(),
        intended: (0..files.len()).map(|at| survey.intended(at)).collect(),
        is_adopted: false,
        shortened: Vec::new(),
        is_brought_back: tail.is_brought_back,
        cut_short: tail.cut_short,
        hashes: survey.hashes.clone(),
    };
    let mut expected = survey.interrupted(&mut settled)?;
    if let Some(number) = tail.rebases {
        // The line that makes the change again is missing, so the change never took effect.
        let unchanged = survey
            .positions()
            .map(|at| unchanged(survey.name(at), expected[at]));
        settled
            .found
            .push((aborted_event(number), unchanged.collect()));
    }
    for (at, _) in &settled.unfinished {
        settled.hashes[*at] = survey.last[*at].to;
    }
    let foreign: Vec<usize> = survey.foreign(&expected, settled.aborted.is_some());
    let gone = survey.gone();
    if tail.damaged && !(foreign.is_empty() && gone.is_empty()) {
        // The unusable lines may have used the next revision numbers.
        return Ok(settled.begun_again(files, contents, fresh_epoch()));
    }
    for at in foreign {
        survey.record_foreign(at, &mut expected, &mut settled)?;
    }
    for file in gone {
        survey.record_gone(file, &expected, &mut settled)?;
    }
    Ok(settled)
}

/// The files, compared with the last change in the history.
struct Survey<'s> {
    tail: &'s Tail,
    history: Option<&'s dyn DiskFile>,
    files: &'s [PlaceFile],
    contents: &'s [Option<Vec<u8>>],
    hashes: Vec<Option<ContentHash>>,
    /// What the last change did to each file.
    last: Vec<FileChange>,
    /// Whether the last change may be finished. If we cannot be sure that we wrote the line, and that it is the last
    /// one, it only tells us which revisions exist, never what to write.
    leads: bool,
}

impl<'s> Survey<'s> {
    fn new(
        tail: &'s Tail,
        history: Option<&'s dyn DiskFile>,
        files: &'s [PlaceFile],
        contents: &'s [Option<Vec<u8>>],
    ) -> Self {
        let hash = |content: &Option<Vec<u8>>| content.as_deref().map(ContentHash::of);
        let last = files.iter().map(|file| {
            let known = tail.files.iter().find(|known| known.name == file.name);
            known.cloned().unwrap_or_else(|| untouched(&file.name))
        });
        Self {
            tail,
            history,
            files,
            contents,
            hashes: contents.iter().map(hash).collect(),
            last: last.collect(),
            leads: tail.is_vouched,
        }
    }

    /// An interrupted change may be finished only if it is certainly the last one.
    fn check_that_it_may_lead(&mut self) -> io::Result<()> {
        if let Some(history) = self.history
            && self.leads
            && self.took_effect()?
            && self.positions().any(|at| self.is_waiting(at))
        {
            self.leads = is_last(history, self.tail.number, &self.tail.epoch)?;
        }
        Ok(())
    }

    fn positions(&self) -> Range<usize> {
        0..self.files.len()
    }

    fn name(&self, at: usize) -> &'s str {
        &self.files[at].name
    }

    /// Whether the last change has reached this file.
    fn is_done(&self, at: usize) -> bool {
        self.last[at].is_change() && self.hashes[at] == self.last[at].to
    }

    /// Whether the last change has yet to reach this file. Files are written in order, so an old file before a finished
    /// one was put back by someone else.
    fn is_waiting(&self, at: usize) -> bool {
        self.last[at].is_change()
            && self.hashes[at] == self.last[at].from
            && !(at + 1..self.files.len()).any(|later| self.is_done(later))
    }

    /// The content that the last change intended for a file it has not reached.
    fn intended(&self, at: usize) -> Option<Vec<u8>> {
        let content = self.contents[at].as_deref();
        let intended = self.is_waiting(at).then(|| self.last[at].apply(content));
        intended.flatten().flatten()
    }

    /// Finishes the last change if it was interrupted, or rolls it back. Returns the hash that each file should then
    /// have.
    fn interrupted(&self, settled: &mut Settled) -> io::Result<Vec<Option<ContentHash>>> {
        let mut expected: Vec<_> = self.last.iter().map(|file| file.to).collect();
        if !self.positions().any(|at| self.is_waiting(at)) {
            return Ok(expected);
        }
        let took_effect = self.took_effect()?;
        if took_effect && !self.leads {
            // The rest of it must not be written, so what the files hold now counts as a foreign edit.
            return Ok(expected);
        }
        if took_effect {
            for at in self.positions().filter(|at| self.is_waiting(*at)) {
                match settled.intended[at].clone() {
                    Some(content) => settled.unfinished.push((at, content)),
                    None => expected[at] = self.last[at].from,
                }
            }
            return Ok(expected);
        }
        let undone: Vec<FileChange> = self.positions().map(|at| self.undone(at)).collect();
        let expected = undone.iter().map(|file| file.to).collect();
        settled
            .found
            .push((aborted_event(self.tail.number), undone));
        settled.aborted = Some(Revision {
            number: self.tail.number,
            epoch: Some(self.tail.epoch.clone()),
        });
        Ok(expected)
    }

    /// What the abort of the last change does to a file. What was there before can be told from the edit, or from the
    /// file itself; if others have replaced that, all that is left is theirs.
    fn undone(&self, at: usize) -> FileChange {
        let last = &self.last[at];
        let present = self.contents[at].as_deref();
        match self.can_undo(at) {
            true => last.reversed(present.filter(|_| last.from.is_some())),
            false => FileChange {
                whole: None,
                name: last.name.clone(),
                from: last.to,
                to: self.hashes[at],
                transition: Transition::Content(present.unwrap_or_default().to_vec()),
            },
        }
    }

    fn can_undo(&self, at: usize) -> bool {
        let last = &self.last[at];
        matches!(last.transition, Transition::Edit(_))
            || last.from.is_none()
            || self.hashes[at] == last.from
    }

    /// Whether the last change has reached any file.
    fn took_effect(&self) -> io::Result<bool> {
        let is_gone = |file: &FileChange| {
            file.is_change() && file.to.is_none() && self.position(&file.name).is_none()
        };
        // A rebased change was in place once, and it contains the other program's text, so it is finished too.
        if self.positions().any(|at| self.is_done(at))
            || self.tail.event == Some(EventName::Rebased)
            || self.tail.files.iter().any(is_gone)
        {
            return Ok(true);
        }
        let edited = self.positions().find(|at| {
            let last = &self.last[*at];
            self.files[*at].role == Role::Shared
                && last.is_change()
                && self.hashes[*at] != last.from
                && self.hashes[*at] != last.to
        });
        match edited {
            Some(at) => self.is_edited_after(at),
            None => Ok(false),
        }
    }

    /// Whether a file was edited after the last change had reached it: everything the change wrote is still there,
    /// outside the edited ranges.
    fn is_edited_after(&self, at: usize) -> io::Result<bool> {
        let present = self.contents[at].as_deref().unwrap_or_default();
        let after = self.recorded_content(at)?;
        let Some((after, _)) = after.filter(|(_, hash)| Some(*hash) == self.last[at].to) else {
            return Ok(false);
        };
        let Transition::Edit(edit) = &self.last[at].transition else {
            return Ok(false);
        };
        let theirs = Edit::between(&after, present);
        let untouched = |ours: &Range<usize>| {
            theirs.splices().iter().all(|splice| {
                let end = splice.offset + splice.old.len();
                ours.end <= splice.offset || end <= ours.start
            })
        };
        Ok(edit.written().iter().all(untouched))
    }

    /// A file's content after the last change, unless it would take long to replay.
    fn recorded_content(&self, at: usize) -> io::Result<Option<(Vec<u8>, ContentHash)>> {
        let Some(history) = self.history else {
            return Ok(None);
        };
        let length = self.contents[at].as_ref().map_or(0, Vec::len);
        let most = SHORTEST_REPLAY.max(length.saturating_mul(REPLAYED_CONTENTS));
        last_content(history, self.name(at), most)
    }

    fn position(&self, name: &str) -> Option<usize> {
        self.files.iter().position(|file| file.name == name)
    }

    /// The files that differ from what they should hold.
    fn foreign(&self, expected: &[Option<ContentHash>], is_aborted: bool) -> Vec<usize> {
        let is_foreign = |at: &usize| match self.hashes[*at] == expected[*at] {
            true => is_aborted && !self.can_undo(*at),
            false => !(self.leads && self.is_waiting(*at)),
        };
        self.positions().filter(is_foreign).collect()
    }

    /// Files that existed after the last change but are no longer part of the document.
    fn gone(&self) -> Vec<&'s FileChange> {
        let files = self.tail.files.iter();
        files
            .filter(|file| file.to.is_some() && self.position(&file.name).is_none())
            .collect()
    }

    fn record_foreign(
        &self,
        at: usize,
        expected: &mut [Option<ContentHash>],
        settled: &mut Settled,
    ) -> io::Result<()> {
        let content = self.contents[at].as_deref().unwrap_or_default();
        let known = self.recorded_content(at)?;
        let known = known.filter(|(_, hash)| Some(*hash) == expected[at]);
        let is_shorter = |(known, _): &(Vec<u8>, ContentHash)| content.len() < known.len();
        if self.files[at].role == Role::Shared && known.as_ref().is_some_and(is_shorter) {
            settled.shortened.push(at);
        }
        let transition = match known {
            _ if !is_recordable(content) => Transition::Unrecorded,
            Some((known, _)) => Transition::Edit(Edit::between(&known, content)),
            None => Transition::Content(content.to_vec()),
        };
        let change = FileChange {
            whole: None,
            name: self.name(at).to_owned(),
            from: expected[at],
            to: self.hashes[at],
            transition,
        };
        let returned_to = earlier(self.history, &change, settled.aborted.as_ref())?;
        let event = foreign_event(&self.files[at], returned_to.as_ref());
        settled.foreign.push(Foreign { position: Some(at) });
        expected[at] = self.hashes[at];
        let changes = self.positions().map(|other| match other == at {
            true => change.clone(),
            false => unchanged(self.name(other), expected[other]),
        });
        settled.found.push((event, changes.collect()));
        Ok(())
    }

    fn record_gone(
        &self,
        file: &FileChange,
        expected: &[Option<ContentHash>],
        settled: &mut Settled,
    ) -> io::Result<()> {
        let change = FileChange {
            whole: None,
            name: file.name.clone(),
            from: file.to,
            to: None,
            transition: Transition::Content(Vec::new()),
        };
        let returned_to = earlier(self.history, &change, settled.aborted.as_ref())?;
        let event = shared_event(&file.name, returned_to.as_ref());
        settled.foreign.push(Foreign { position: None });
        let others = self
            .positions()
            .map(|other| unchanged(self.name(other), expected[other]));
        settled
            .found
            .push((event, others.chain([change]).collect()));
        Ok(())
    }
}

/// Whether a file is empty or ends with a line ending.
fn ends_a_line(file: &dyn DiskFile) -> io::Result<bool> {
    let Some(last) = file.length()?.checked_sub(1) else {
        return Ok(true);
    };
    let mut byte = [0];
    file.read_exact_at(&mut byte, last)?;
    Ok(byte == *b"\n")
}

/// The event for a revision that never took effect.
pub(super) fn aborted_event(number: u64) -> Event {
    Event::new(EventName::Aborted).with(EventName::Aborted.as_str(), number)
}

/// The event for what another program wrote in the middle of a change, which is made again.
pub(super) fn rebased_event(file: &str, number: u64) -> Event {
    shared_event(file, None).with(REBASES, number)
}

/// The event for a foreign edit. In a shared file, which others may write, it is just a checksum mismatch, and the file
/// is re-read.
fn foreign_event(file: &PlaceFile, earlier: Option<&Revision>) -> Event {
    let event = match (file.role, earlier) {
        (Role::Shared, _) => return shared_event(&file.name, earlier),
        (Role::Own, Some(_)) => Event::new(EventName::Rewound),
        (Role::Own, None) => Event::new(EventName::ExternalEdit),
    };
    about(event, &file.name, earlier)
}

fn shared_event(name: &str, earlier: Option<&Revision>) -> Event {
    let event = Event::new(EventName::ChecksumMismatch).with("action", "reparse");
    about(event, name, earlier)
}

/// The event for an edit that its author was seen making.
fn own_edit(found: &Event) -> Option<Event> {
    let is_edit = found.name == EventName::ChecksumMismatch && found.fields.get(REBASES).is_none();
    let file = found.fields.get("file").filter(|_| is_edit)?;
    Some(Event::new(EventName::PlanEdited).with("file", file.clone()))
}

fn about(event: Event, name: &str, earlier: Option<&Revision>) -> Event {
    let event = event.with("file", name);
    match earlier {
        Some(revision) => event.with("to_rev", revision.number),
        None => event,
    }
}

/// Whether content is recorded in the history: text up to the general limit, other bytes only if short. A copy of
/// anything that is not JSON is kept anyway.
fn is_recordable(content: &[u8]) -> bool {
    content.len() <= MAX_BYTES_RECORDED
        || content.len() <= MAX_RECORDED && std::str::from_utf8(content).is_ok()
}

/// The last revision at which the file had this content, if any. Aborted revisions do not count.
fn earlier(
    history: Option<&dyn DiskFile>,
    change: &FileChange,
    aborted: Option<&Revision>,
) -> io::Result<Option<Revision>> {
    let Some(history) = history else {
        return Ok(None);
    };
    // A missing file has no hash, so we look for the line that created it by name.
    let trace = change
        .to
        .map_or_else(|| change.name.clone(), |hash| hash.to_string());
    if !mentions(history, trace.as_bytes())? {
        return Ok(None);
    }
    let mut aborted: Vec<Revision> = aborted.into_iter().cloned().collect();
    let mut lines = Backward::within(history, MEMORY_REACH)?;
    while let Some(bytes) = lines.previous()? {
        // Searching for the hash rules out most lines without parsing them.
        let is_abort = memmem::find(&bytes, EventName::Aborted.as_str().as_bytes()).is_some();
        if !is_abort && memmem::find(&bytes, trace.as_bytes()).is_none() {
            continue;
        }
        let Ok(line) = Line::parse(bytes) else {
            continue;
        };
        aborted.extend(line.aborted());
        let number = line.number().unwrap_or_default();
        let epoch = line.epoch();
        let took_effect = |number: u64| {
            let same = |known: &Revision| known.number == number && known.epoch == epoch;
            !aborted.iter().any(same)
        };
        let files = line.files().unwrap_or_default();
        let file = files.iter().find(|file| file.name == change.name);
        let number = match file {
            Some(file) if file.to == change.to => Some(number),
            // This line replaced it.
            Some(file) if file.from == change.to => number.checked_sub(1),
            _ => None,
        };
        let number = number.filter(|number| *number > 0 && took_effect(*number));
        if let Some(number) = number {
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
        whole: None,
        name: name.to_owned(),
        from: hash,
        to: hash,
        transition: Transition::Edit(Edit::default()),
    }
}

/// Merges a foreign edit with a change of other files that follows from it.
fn joined(found: &[FileChange], change: &[FileChange]) -> Vec<FileChange> {
    let with = |found: &FileChange| {
        let same = |change: &&FileChange| change.name == found.name && change.is_change();
        change.iter().find(same).unwrap_or(found).clone()
    };
    found.iter().map(with).collect()
}

impl Settled {
    /// Begins a history, for a new document or for files that have none yet.
    fn first(names: &[&str], contents: &[Option<Vec<u8>>], epoch: Epoch) -> Self {
        let mut found = Vec::new();
        let hash = |content: &Option<Vec<u8>>| content.as_deref().map(ContentHash::of);
        let hashes: Vec<_> = contents.iter().map(hash).collect();
        if contents.iter().any(Option::is_some) {
            let files = names.iter().zip(contents).zip(&hashes);
            let files = files.map(|((name, content), hash)| {
                let content = content.as_deref();
                FileChange {
                    whole: None,
                    name: (*name).to_owned(),
                    from: None,
                    to: *hash,
                    transition: match content {
                        Some(content) if !is_recordable(content) => Transition::Unrecorded,
                        content => Transition::Content(content.unwrap_or_default().to_vec()),
                    },
                }
            });
            found.push((Event::new(EventName::Adopted), files.collect()));
        }
        Self {
            number: 0,
            epoch,
            is_adopted: true,
            found,
            foreign: Vec::new(),
            aborted: None,
            unfinished: Vec::new(),
            intended: Vec::new(),
            cut_short: false,
            hashes,
            shortened: Vec::new(),
            is_brought_back: false,
        }
    }

    /// Whether the history has higher numbers than that of the last change.
    pub(super) fn is_overtaken(
        &self,
        history: &dyn DiskFile,
        sealer: Sealer<'_>,
    ) -> io::Result<bool> {
        let reach = match self.foreign.is_empty() {
            true => SHORTEST_SEARCH,
            false => MEMORY_REACH,
        };
        Ok(!self.is_adopted && is_overtaken(history, reach, (self.number, &self.epoch), sealer)?)
    }

    /// Whether a revision is of the same epoch and later than the last one.
    pub(super) fn is_before(&self, number: u64, epoch: &Epoch) -> bool {
        self.number < number && self.epoch == *epoch
    }

    /// A new history for the same files.
    pub(super) fn begun_again(
        self,
        files: &[PlaceFile],
        contents: &[Option<Vec<u8>>],
        epoch: Epoch,
    ) -> Self {
        let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
        Self {
            cut_short: self.cut_short,
            is_brought_back: self.is_brought_back,
            foreign: self.foreign,
            ..Self::first(&names, contents, epoch)
        }
    }

    /// Shared files that others have made shorter since the last change.
    pub(super) fn shortened(&self) -> impl Iterator<Item = usize> {
        self.shortened.iter().copied()
    }

    /// Adds something to record before the next change.
    pub(super) fn add_found(&mut self, event: Event, changes: Vec<FileChange>) {
        self.found.push((event, changes));
    }

    /// The hash of each file.
    pub(super) fn hashes(&self) -> &[Option<ContentHash>] {
        &self.hashes
    }

    /// Whether a new history begins here, whatever files exist already.
    pub(super) fn is_adopted(&self) -> bool {
        self.is_adopted
    }

    pub(super) fn unfinished(&self) -> &[(usize, Vec<u8>)] {
        &self.unfinished
    }

    /// The last revision, if it never took effect.
    pub(super) fn aborted(&self) -> Option<&Revision> {
        self.aborted.as_ref()
    }

    /// Whether there is something to record before the next change.
    pub(super) fn has_found(&self) -> bool {
        !self.found.is_empty()
    }

    /// Whether the only thing to record is that the last revision never took effect.
    pub(super) fn only_aborted(&self) -> bool {
        self.aborted.is_some() && self.found.len() == 1
    }

    /// Files that others have changed since the last change.
    pub(super) fn foreign(&self) -> &[Foreign] {
        &self.foreign
    }

    pub(super) fn found_foreign_edit(&self) -> bool {
        self.found
            .iter()
            .any(|(event, _)| event.name == EventName::ExternalEdit)
    }

    /// Continues after this revision.
    pub(super) fn advance(&mut self, revision: &Revision) {
        self.number = revision.number;
        self.found.clear();
        self.cut_short = false;
    }

    /// The content that the interrupted change intended for a file it did not reach.
    pub(super) fn intended(&self, position: usize) -> Option<&[u8]> {
        self.intended.get(position)?.as_deref()
    }

    /// The revision of the files once everything found is recorded.
    pub(super) fn revision(&self) -> Option<Revision> {
        let number = self.number + self.found.len() as u64;
        (number > 0).then(|| Revision {
            number,
            epoch: Some(self.epoch.clone()),
        })
    }

    /// The number of the revision that these events get.
    pub(super) fn next_number(&self, events: &[Event]) -> u64 {
        self.number + self.found.len() as u64 + u64::from(!events.is_empty())
    }

    /// The history lines for what was found and for the change itself, and the change's revision. A change without
    /// events of its own becomes part of the last thing found.
    pub(super) fn lines(
        &self,
        now: Timestamp,
        author: &Author,
        events: &[Event],
        files: &[FileChange],
        sealer: Sealer<'_>,
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
            let own = own_edit(event).filter(|_| author.edits == Edits::Own);
            let entry = Entry {
                time: now,
                number,
                epoch: &self.epoch,
                by: own.as_ref().map_or(FOUND_BY, |_| &author.by),
                at: &author.at,
                files,
            };
            write_line(&mut out, own.as_ref().unwrap_or(event), entry, sealer);
        }
        number += u64::from(!events.is_empty());
        for (position, event) in events.iter().enumerate() {
            let files = if position == 0 { files } else { &[] };
            let entry = Entry {
                time: now,
                number,
                epoch: &self.epoch,
                by: &author.by,
                at: &author.at,
                files,
            };
            write_line(&mut out, event, entry, sealer);
        }
        let revision = Revision {
            number,
            epoch: Some(self.epoch.clone()),
        };
        (revision, out)
    }
}
