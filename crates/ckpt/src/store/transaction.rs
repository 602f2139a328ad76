//! One change of a document, from the lock to the last sync. Nothing else writes documents.

use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Duration;

use super::archive::Fate;
use super::error::{Action, StoreError};
use super::files::{Author, FileStore, read_if_there};
use super::packed::Label;
use super::replace::{replace, replace_through, sync_parent, temporary_path};
use super::settle::{Settled, aborted_event, rebased_event};
use super::shared::{Shared, Swap, finish, rescue};
use super::snapshot::Snapshot;
use crate::disk::Mode;
use crate::disk::lock::Lock;
use crate::document::Edit;
use crate::hash::ContentHash;
use crate::history::{
    Event, EventName, FileChange, MAX_RECORDED, Revision, Transition, whole_is_due,
};
use crate::layout::{Place, PlaceFile, Role};

/// How often a change is made again on top of what an editor saved in between. One that saves all the time must not
/// keep us busy forever.
const MAX_ATTEMPTS: u32 = 10;

/// The pauses between attempts grow up to this.
const LONGEST_PAUSE: Duration = Duration::from_millis(100);

/// A shared file that became shorter is believed once nobody has written it for this long: an editor may be writing it in
/// pieces.
const QUIET: Duration = Duration::from_millis(100);

/// How often we wait for that.
const MAX_WAITS: usize = 20;

/// A change in progress: the content of the document, and the right to change it.
#[derive(Debug)]
pub(crate) struct Transaction<'s>(Stage<'s>);

#[derive(Debug)]
enum Stage<'s> {
    /// Nothing was ever stored here, so nothing is locked yet: a change that is refused, or that has nothing to write,
    /// must not create directories.
    Unlocked {
        store: &'s FileStore,
        place: &'s Place,
        author: &'s Author,
        snapshot: Snapshot,
    },
    Locked(Box<Writer<'s>>),
}

/// What a change wants to write.
#[derive(Debug, Default)]
pub(crate) struct Proposal {
    /// What happened. Empty if the change only follows from an outside edit and leaves the edited files alone.
    pub events: Vec<Event>,
    /// The files to write.
    pub writes: Vec<Write>,
    /// Other files to write first, such as a copy of an unreadable file.
    pub beside: Vec<(PathBuf, Vec<u8>)>,
}

/// The next content of one file.
#[derive(Debug)]
pub(crate) struct Write {
    /// The position of the file in its place.
    pub file: usize,
    /// Its new content.
    pub content: Vec<u8>,
    /// The edit from the content in the snapshot; `None` to record the whole content.
    pub edit: Option<Edit>,
}

impl Write {
    /// Creates a file that does not exist yet.
    #[must_use]
    pub(crate) fn created(file: usize, content: Vec<u8>) -> Self {
        Self {
            file,
            edit: Some(Edit::create(&content)),
            content,
        }
    }
}

/// The result of a commit.
#[derive(Debug)]
pub(crate) enum Commit<'s> {
    /// There was nothing to write.
    Unchanged,
    /// The change is durable.
    Committed(Committed),
    /// Another program wrote first. Its content is now in the snapshot: propose again.
    Rebased(Transaction<'s>),
    /// It was created and archived meanwhile: begin again.
    Archived,
}

/// A change that now survives a crash and a power cut.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Committed {
    /// The revision that the document now has.
    pub revision: Revision,
    /// Whether other programs had edited the files since the last change.
    pub absorbed_foreign_edit: bool,
}

impl FileStore {
    /// Begins a change: takes the lock, and finishes a change that was interrupted.
    pub(crate) fn begin<'s>(
        &'s self,
        place: &'s Place,
        author: &'s Author,
    ) -> Result<Transaction<'s>, StoreError> {
        let stage = match self.directories().exists(self.disk(), place)? {
            true => Stage::Locked(Box::new(Writer::open(self, place, author)?)),
            false => Stage::Unlocked {
                store: self,
                place,
                author,
                snapshot: self.snapshot(place)?,
            },
        };
        Ok(Transaction(stage))
    }
}

impl<'s> Transaction<'s> {
    /// The document as this change finds it.
    #[must_use]
    pub(crate) fn snapshot(&self) -> &Snapshot {
        match &self.0 {
            Stage::Unlocked { snapshot, .. } => snapshot,
            Stage::Locked(writer) => &writer.snapshot,
        }
    }

    /// Records the proposal in the history and writes its files.
    ///
    /// After an error the files are unchanged, with two exceptions: if only the last sync fails, the new content may
    /// already be in place; if several files are written and a later one fails, the next change finishes the rest.
    pub(crate) fn commit(self, proposal: Option<Proposal>) -> Result<Commit<'s>, StoreError> {
        match (self.0, proposal) {
            (Stage::Locked(writer), proposal) => writer.commit(proposal),
            (Stage::Unlocked { .. }, None) => Ok(Commit::Unchanged),
            (
                Stage::Unlocked {
                    store,
                    place,
                    author,
                    snapshot,
                },
                Some(proposal),
            ) => {
                let writer = Box::new(Writer::open(store, place, author)?);
                match writer.snapshot.is_as(&snapshot) {
                    true if store.is_archived(place) => Ok(Commit::Archived),
                    true => writer.commit(Some(proposal)),
                    false => Ok(Commit::Rebased(Self(Stage::Locked(writer)))),
                }
            }
        }
    }

    /// Moves the document into the archive instead of changing it. `false` if there is no document.
    pub(crate) fn archive(
        self,
        label: Label,
        beside: &[PathBuf],
        fate: &Fate,
    ) -> Result<bool, StoreError> {
        let Stage::Locked(mut writer) = self.0 else {
            return Ok(false);
        };
        writer.record_found()?;
        let document = (&writer.place, writer.snapshot.contents.as_slice());
        let archived = writer
            .store
            .archive(document, writer.author, label, beside, fate);
        archived.map(|()| true)
    }

    /// Gives up the change. If it was already recorded when another program wrote, the history records that it never
    /// took effect.
    pub(crate) fn withdraw(self) -> Result<(), StoreError> {
        match self.0 {
            Stage::Unlocked { .. } => Ok(()),
            Stage::Locked(writer) => writer.withdraw(),
        }
    }
}

/// A change that holds the lock.
#[derive(Debug)]
struct Writer<'s> {
    store: &'s FileStore,
    author: &'s Author,
    place: Place,
    _lock: Arc<Lock>,
    settled: Settled,
    modes: Vec<Mode>,
    snapshot: Snapshot,
    /// The files that this change has written.
    written: Contents,
    /// After another program wrote first: the content of each file according to the history.
    recorded: Contents,
    /// The revisions recorded by this change so far: more than one if another program wrote first.
    revisions: Vec<Revision>,
    events: Vec<Event>,
    absorbed_foreign_edit: bool,
    /// The shared file that another program wrote last.
    contested: usize,
}

impl<'s> Writer<'s> {
    fn open(store: &'s FileStore, place: &Place, author: &'s Author) -> Result<Self, StoreError> {
        let lock = store.lock(place, author)?;
        let place = store.directories().prepare(store.disk(), place)?;
        let mut contested = 0;
        loop {
            let (contents, settled) = Self::look(store, &place)?;
            match Self::settle(store, &place, contents, &settled) {
                Ok((contents, modes)) => {
                    return Ok(Self {
                        store,
                        author,
                        _lock: lock,
                        snapshot: Snapshot::of(&settled, contents, store.now()),
                        written: vec![None; place.files.len()],
                        recorded: Vec::new(),
                        revisions: Vec::new(),
                        events: Vec::new(),
                        absorbed_foreign_edit: settled.found_foreign_edit(),
                        contested: 0,
                        place,
                        settled,
                        modes,
                    });
                }
                Err(StoreError::Contested { .. }) if contested < MAX_ATTEMPTS => {
                    contested += 1;
                    store.disk().pause(pause(contested));
                }
                Err(error) => return Err(error),
            }
        }
    }

    /// Reads the files, and compares them with the history. A shared file that became shorter is read again until nobody
    /// writes it any more.
    fn look(store: &FileStore, place: &Place) -> Result<(Contents, Settled), StoreError> {
        let disk = store.disk();
        let shared = Shared::new(disk, store.lock_wait());
        let mut waits = 0;
        loop {
            let mut contents = Vec::with_capacity(place.files.len());
            for file in &place.files {
                contents.push(match file.role {
                    Role::Shared => shared.read(&file.path)?,
                    Role::Own => read_if_there(disk, &file.path)?,
                });
            }
            let history = store.open_history(&place.history)?;
            if let Some(reason) = store.vault().failure() {
                return Err(StoreError::Unchecked(reason.clone()));
            }
            let seals = store.vault().seals_for_writing();
            let settled = store.settled(place, history.as_deref(), &contents, seals)?;
            let settled = store.unless_overtaken(settled, place, history.as_deref(), &contents)?;
            let youngest = settled.shortened().filter_map(|at| {
                let age = disk.age(&place.files[at].path).ok().flatten();
                QUIET.checked_sub(age?)
            });
            match youngest.max() {
                Some(left) if waits < MAX_WAITS => {
                    waits += 1;
                    disk.pause(left);
                }
                _ => return Ok((contents, settled)),
            }
        }
    }

    /// Finishes a change that was interrupted. Returns the contents then, and the permissions of each file.
    fn settle(
        store: &FileStore,
        place: &Place,
        mut contents: Contents,
        settled: &Settled,
    ) -> Result<(Contents, Vec<Mode>), StoreError> {
        let disk = store.disk();
        let mut modes = Vec::with_capacity(place.files.len());
        for file in &place.files {
            modes.push(store.mode(place, file, settled.is_adopted())?);
        }
        let history = store.open_history(&place.history)?;
        let shared = Shared::new(disk, store.lock_wait());
        for (at, file) in place.files.iter().enumerate() {
            if file.role == Role::Shared {
                let intended = settled.intended(at).unwrap_or_default();
                rescue(
                    shared,
                    &file.path,
                    history.as_deref(),
                    intended,
                    store.now(),
                )?;
            }
        }
        for (at, content) in settled.unfinished() {
            let present = contents[*at].as_deref();
            finish(shared, &place.files[*at], content, present, modes[*at])?;
            contents[*at] = Some(content.clone());
        }
        Ok((contents, modes))
    }

    fn commit(mut self: Box<Self>, proposal: Option<Proposal>) -> Result<Commit<'s>, StoreError> {
        let targets = match (proposal, self.revisions.is_empty()) {
            (None, true) => return self.close(),
            (Some(proposal), true) => self.record_first(proposal)?,
            // Without a proposal, their version already contains the change.
            (proposal, false) => self.record_again(proposal.unwrap_or_default())?,
        };
        let Some((at, swap)) = self.write(&targets)? else {
            let revision = self.revisions.pop().expect("the change is recorded");
            return Ok(Commit::Committed(Committed {
                revision,
                absorbed_foreign_edit: self.absorbed_foreign_edit,
            }));
        };
        let targets = targets.into_iter().zip(&self.snapshot.contents);
        let recorded = targets.map(|(target, before)| target.or_else(|| before.clone()));
        self.recorded = recorded.collect();
        self.contested = at;
        self.written[at] = None;
        let path = self.place.files[at].path.clone();
        let attempts = u32::try_from(self.revisions.len()).unwrap_or(u32::MAX);
        let (theirs, why) = match swap {
            Swap::Theirs(theirs) if attempts < MAX_ATTEMPTS => {
                self.snapshot.put(at, Some(theirs));
                return match self.wait(at, attempts) {
                    Ok(()) => Ok(Commit::Rebased(Transaction(Stage::Locked(self)))),
                    Err(error) => {
                        self.withdraw()?;
                        Err(error)
                    }
                };
            }
            Swap::Theirs(theirs) => (Some(theirs), StoreError::Contested { path }),
            Swap::Gone | Swap::Done => (None, StoreError::Vanished { path }),
        };
        self.snapshot.put(at, theirs);
        self.withdraw()?;
        Err(why)
    }

    /// Waits before another attempt. Who saves often saves again, and what it saved last is the better ground.
    fn wait(&mut self, at: usize, attempts: u32) -> Result<(), StoreError> {
        if attempts > 1 {
            let disk = self.store.disk();
            disk.pause(pause(attempts));
            let shared = Shared::new(disk, self.store.lock_wait());
            let present = shared.read(&self.place.files[at].path)?;
            if let Some(present) = present {
                self.snapshot.put(at, Some(present));
            }
        }
        Ok(())
    }

    /// Ends a change that has nothing to write.
    fn close(mut self) -> Result<Commit<'s>, StoreError> {
        if self.settled.only_aborted() {
            self.record_found()?;
        }
        Ok(Commit::Unchanged)
    }

    /// Records what was found, where no change follows that would.
    fn record_found(&mut self) -> Result<(), StoreError> {
        if !self.settled.has_found() {
            return Ok(());
        }
        self.make_private_if_adopted()?;
        self.sync_others(&vec![None; self.place.files.len()])?;
        self.record(&[], &[])
    }

    fn make_private_if_adopted(&self) -> Result<(), StoreError> {
        match self.settled.is_adopted() {
            true => {
                let directories = self.store.directories();
                directories.make_private(self.store.disk(), &self.place)
            }
            false => Ok(()),
        }
    }

    /// Records the proposal. Returns what to write to each file.
    fn record_first(&mut self, proposal: Proposal) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let disk = self.store.disk();
        self.make_private_if_adopted()?;
        for (path, content) in &proposal.beside {
            // Through the document's temporary file, which the next change would reuse after a crash.
            let temporary = temporary_path(&self.place.document().path);
            replace_through(disk, &temporary, path, content, self.place.mode)?;
        }
        let mut changes = self.unchanged();
        let mut targets = vec![None; self.place.files.len()];
        for Write {
            file,
            content,
            edit,
        } in proposal.writes
        {
            let change = &mut changes[file];
            if self.snapshot.contents[file].as_ref() != Some(&content) {
                change.to = Some(ContentHash::of(&content));
            }
            change.transition = match edit {
                Some(edit) => Transition::Edit(edit),
                None => Transition::Content(content.clone()),
            };
            targets[file] = Some(content);
        }
        self.sync_others(&targets)?;
        self.add_whole_contents(&mut changes, &targets, &proposal.events);
        self.record(&proposal.events, &changes)?;
        self.events = proposal.events;
        Ok(targets)
    }

    /// Records the whole contents beside the edits from time to time, so that every revision can be restored quickly.
    fn add_whole_contents(
        &self,
        changes: &mut [FileChange],
        targets: &[Option<Vec<u8>>],
        events: &[Event],
    ) {
        let after = |at: usize| {
            let target = targets[at].as_ref();
            target.or(self.snapshot.contents[at].as_ref())
        };
        let length = (0..changes.len()).filter_map(|at| after(at).map(Vec::len));
        let length = length.sum();
        let number = self.settled.next_number(events);
        if length > MAX_RECORDED || !whole_is_due(number, length) {
            return;
        }
        for (at, change) in changes.iter_mut().enumerate() {
            if matches!(change.transition, Transition::Edit(_)) {
                change.whole = after(at).cloned();
            }
        }
    }

    /// Makes durable what other programs wrote and did not sync: the history is about to say that it is there.
    fn sync_others(&self, targets: &[Option<Vec<u8>>]) -> Result<(), StoreError> {
        let disk = self.store.disk();
        let is_theirs = |at: usize| {
            let mut foreign = self.snapshot.foreign.iter();
            self.settled.is_adopted() || foreign.any(|foreign| foreign.position == Some(at))
        };
        for (at, file) in self.place.files.iter().enumerate() {
            let is_there = self.snapshot.contents[at].is_some();
            if is_there && targets[at].is_none() && is_theirs(at) {
                let synced = disk
                    .sync_file(&file.path)
                    .or_else(|error| match error.kind() {
                        // It was replaced just now. The next change sees to that.
                        io::ErrorKind::NotFound => Ok(()),
                        _ => Err(StoreError::io(Action::Sync, &file.path, error)),
                    });
                synced?;
                sync_parent(disk, &file.path)?;
            }
        }
        Ok(())
    }

    /// For every file, a change that leaves it as it is in the snapshot.
    fn unchanged(&self) -> Vec<FileChange> {
        let unchanged = |(at, file): (usize, &PlaceFile)| {
            let content = self.snapshot.contents[at].as_deref();
            let hash = content.map(|content| self.snapshot.hash(at, content));
            FileChange {
                whole: None,
                name: file.name.clone(),
                from: hash,
                to: hash,
                transition: Transition::Edit(Edit::default()),
            }
        };
        self.place.files.iter().enumerate().map(unchanged).collect()
    }

    /// Records the change again, on top of what another program wrote. Returns what to write to each file.
    fn record_again(&mut self, proposal: Proposal) -> Result<Vec<Option<Vec<u8>>>, StoreError> {
        let name = self.place.files[self.contested].name.as_str();
        let mut news = vec![Event::new(EventName::Rebased).with("file", name)];
        let is_new = |event: &Event| !self.events.contains(event);
        news.extend(proposal.events.into_iter().filter(is_new));
        let last = self.revisions.last().map_or(0, |revision| revision.number);
        let found = rebased_event(name, last);
        self.settled.add_found(found, self.since_recorded());
        // A file that was already written but is no longer part of the proposal gets its old content back.
        let snapshot = &self.snapshot.contents;
        let written = self.written.iter().zip(snapshot);
        let mut targets: Vec<_> = written
            .map(|(written, before)| written.as_ref().and(before.clone()))
            .collect();
        for write in proposal.writes {
            targets[write.file] = Some(write.content);
        }
        let changes = self.changes_to(&targets);
        self.record(&news, &changes)?;
        self.events.extend(news);
        Ok(targets)
    }

    fn record(&mut self, events: &[Event], changes: &[FileChange]) -> Result<(), StoreError> {
        let sealer = self.place.sealer(self.store.vault().seals_for_writing());
        let now = self.snapshot.now;
        let (revision, lines) = self
            .settled
            .lines(now, self.author, events, changes, sealer);
        self.store.append(&self.place, &lines)?;
        self.settled.advance(&revision);
        self.revisions.push(revision);
        Ok(())
    }

    /// The content of a file on disk.
    fn on_disk(&self, at: usize) -> Option<&[u8]> {
        let written = self.written[at].as_deref();
        written.or(self.snapshot.contents[at].as_deref())
    }

    /// Writes the files. If another program wrote a shared file in the meantime, stops and returns the file's position
    /// and what happened to it.
    fn write(&mut self, targets: &[Option<Vec<u8>>]) -> Result<Option<(usize, Swap)>, StoreError> {
        let disk = self.store.disk();
        let shared = Shared::new(disk, self.store.lock_wait());
        for (at, target) in targets.iter().enumerate() {
            let Some(content) = target else { continue };
            let expected = self.on_disk(at);
            if expected == Some(content.as_slice()) {
                continue;
            }
            let PlaceFile { path, role, .. } = &self.place.files[at];
            let mode = self.modes[at];
            let swap = match (role, expected) {
                (Role::Shared, Some(expected)) => shared.swap_in(path, content, expected, mode)?,
                (Role::Shared, None) => shared.create(path, content, mode)?,
                (Role::Own, _) => {
                    replace(disk, path, content, mode)?;
                    Swap::Done
                }
            };
            if !matches!(swap, Swap::Done) {
                return Ok(Some((at, swap)));
            }
            self.written[at] = Some(content.clone());
        }
        Ok(None)
    }

    /// The changes from the current content of the files to the targets.
    fn changes_to(&self, targets: &[Option<Vec<u8>>]) -> Vec<FileChange> {
        let change = |(at, file): (usize, &PlaceFile)| {
            let before = self.on_disk(at);
            file_change(file, before, targets[at].as_deref().or(before))
        };
        self.place.files.iter().enumerate().map(change).collect()
    }

    /// The changes from what the history recorded to the current content of the files.
    fn since_recorded(&self) -> Vec<FileChange> {
        let change = |(at, file): (usize, &PlaceFile)| {
            file_change(file, self.recorded[at].as_deref(), self.on_disk(at))
        };
        self.place.files.iter().enumerate().map(change).collect()
    }

    /// Records that the change never took effect. What another program wrote stays in place.
    fn withdraw(mut self: Box<Self>) -> Result<(), StoreError> {
        if self.revisions.is_empty() {
            return Ok(());
        }
        let changes = self.since_recorded();
        let aborted = self.revisions.iter();
        let aborted: Vec<Event> = aborted
            .map(|revision| aborted_event(revision.number))
            .collect();
        self.record(&aborted, &changes)
    }
}

/// The contents of the files of a document.
type Contents = Vec<Option<Vec<u8>>>;

/// The pause before the next attempt.
fn pause(attempts: u32) -> Duration {
    Duration::from_millis(1 << attempts.min(10)).min(LONGEST_PAUSE)
}

fn file_change(file: &PlaceFile, before: Option<&[u8]>, after: Option<&[u8]>) -> FileChange {
    let edit = Edit::between(before.unwrap_or_default(), after.unwrap_or_default());
    FileChange {
        whole: None,
        name: file.name.clone(),
        from: before.map(ContentHash::of),
        to: after.map(ContentHash::of),
        transition: Transition::Edit(edit),
    }
}
