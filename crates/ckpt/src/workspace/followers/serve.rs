//! Handing over what happened.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::path::PathBuf;

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::removed::Openings;
use super::sources::{Extent, Opened, Source, Territory};
use super::{Barred, Followers, Undelivered};
use crate::follower::{Cursor, Follower};
use crate::history::{Decided, Fate, Happened, Line};
use crate::key::Key;
use crate::layout::KeptAs;
use crate::seal::{Domain, Sealer};
use crate::store::{StoreError, WorktreeId};

/// How many lines are handed over at a time, at most. A service gets each by itself.
const MOST_LINES: usize = 256;

/// How many bytes are handed over at a time, unless one line has more.
const MOST_BYTES: usize = 1024 * 1024;

/// A lag is counted up to this many lines.
const MOST_COUNTED: usize = 10_000;

/// Lines of one document that are handed over together, oldest first.
#[derive(Debug)]
pub struct Batch<'b> {
    /// The document, if more is known than the name of its file.
    pub key: Option<&'b Key>,
    /// The document, such as `command:implement-auth`.
    pub about: &'b str,
    /// The worktree, by its id.
    pub worktree: &'b str,
    /// The lines.
    pub lines: &'b [Line],
}

/// What takes the lines. If it fails, they are handed over again.
pub type Receive<'r> = &'r mut dyn FnMut(&Batch<'_>) -> Result<(), Undelivered>;

/// What takes all that was received, at the end. If it fails, everything is handed over again.
pub type Finish<'r> = &'r mut dyn FnMut(&Delivered) -> Result<(), Undelivered>;

/// How lines are handed over.
struct Handover<'r> {
    receive: Receive<'r>,
    /// Set if nothing counts as told before the end.
    finish: Option<Finish<'r>>,
    /// The cursors that are kept at the end.
    cursors: BTreeMap<PathBuf, Vec<u8>>,
}

impl<'r> Handover<'r> {
    fn of(receive: Receive<'r>, finish: Option<Finish<'r>>) -> Self {
        Self {
            receive,
            finish,
            cursors: BTreeMap::new(),
        }
    }
}

/// What a follower has not been told yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Lag {
    /// How many lines.
    pub lines: usize,
    /// In how many checkpoints.
    pub checkpoints: usize,
    /// Whether there are more than were counted.
    pub is_more: bool,
}

/// What was handed over.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Delivered {
    /// How many lines.
    pub lines: usize,
    /// Why something could not be read, if so. Everything else was handed over.
    pub left_out: Option<String>,
}

/// How it went with a follower that nothing kept from being told.
enum Served {
    /// It was told.
    Yes,
    /// Another process is telling it.
    ByAnother,
    /// It is not what it was, or gone.
    Changed,
}

/// Why a document is not told to its end.
enum Stop {
    /// It cannot be read. Others may be.
    Unreadable(StoreError),
    /// Nothing can be told now.
    Barred(Barred),
}

impl From<StoreError> for Stop {
    fn from(error: StoreError) -> Self {
        Self::Unreadable(error)
    }
}

impl From<Barred> for Stop {
    fn from(barred: Barred) -> Self {
        Self::Barred(barred)
    }
}

impl Delivered {
    fn leave_out(&mut self, error: StoreError) {
        let reason = Barred::from(error).reason;
        self.left_out.get_or_insert(reason);
    }
}

/// How far the files with lines went when a follower was last told all that they had. What is the same is not read again.
#[derive(Debug, Default)]
pub struct Told {
    /// Whom this is about. Another one of that name, or the same with another filter, has been told nothing.
    follower: Option<Follower>,
    extents: HashMap<(WorktreeId, KeptAs), Vec<Extent>>,
}

impl Told {
    fn is_about(&mut self, follower: &Follower) {
        if self.follower.as_ref() != Some(follower) {
            *self = Self {
                follower: Some(follower.clone()),
                extents: HashMap::new(),
            };
        }
    }
}

/// One follower, being served from one worktree's documents.
struct Serving<'s, 'w> {
    followers: &'s Followers<'w>,
    follower: &'s Follower,
    territory: &'s Territory,
}

/// Lines of one document that are gathered to be handed over.
struct Parcel {
    key: Option<Key>,
    about: String,
    is_followed: bool,
    lines: Vec<Line>,
    size: usize,
    most: usize,
}

impl Parcel {
    fn add(&mut self, line: Line) {
        if self.is_followed {
            self.size += line.raw().len();
            self.lines.push(line);
        }
    }

    fn is_full(&self) -> bool {
        self.lines.len() >= self.most || self.size >= MOST_BYTES
    }

    fn batch<'b>(&'b self, worktree: &'b str) -> Batch<'b> {
        Batch {
            key: self.key.as_ref(),
            about: &self.about,
            worktree,
            lines: &self.lines,
        }
    }
}

impl Followers<'_> {
    /// Tells a follower everything that happened and that it has not been told yet, in the order of each document. What
    /// cannot be read is left out. `None` if another process is telling it.
    ///
    /// # Errors
    ///
    /// Why it cannot be told. That is noted, for [`standing`](Self::standing).
    pub fn serve(
        &self,
        follower: &Follower,
        told: &mut Told,
        receive: Receive<'_>,
    ) -> Result<Option<Delivered>, Barred> {
        self.hand_over(follower, told, Handover::of(receive, None))
    }

    /// Tells a follower the same, but nothing counts as told before `finish` has taken all that was received.
    ///
    /// # Errors
    ///
    /// Why it cannot be told. That is noted, for [`standing`](Self::standing).
    pub fn serve_at_once(
        &self,
        follower: &Follower,
        receive: Receive<'_>,
        finish: Finish<'_>,
    ) -> Result<Option<Delivered>, Barred> {
        let handover = Handover::of(receive, Some(finish));
        self.hand_over(follower, &mut Told::default(), handover)
    }

    fn hand_over(
        &self,
        follower: &Follower,
        told: &mut Told,
        mut handover: Handover<'_>,
    ) -> Result<Option<Delivered>, Barred> {
        let mut delivered = Delivered::default();
        let served = self.try_to_serve(follower, told, &mut handover, &mut delivered);
        if handover.finish.is_some() && !matches!(served, Ok(Served::Yes)) {
            delivered.lines = 0;
        }
        let name = &follower.name;
        let is_served = matches!(served, Ok(Served::Yes)) || delivered.lines > 0;
        if is_served {
            let (now, left_out) = (self.workspace.now(), delivered.left_out.as_deref());
            self.change_report(name, |report| report.served(now, delivered.lines, left_out));
        }
        match served {
            Ok(Served::Yes) => Ok(Some(delivered)),
            Ok(Served::ByAnother) => Ok(None),
            Ok(Served::Changed) => Err(Barred::because("it was removed or changed".to_owned())),
            Err(barred) => {
                self.note_failure(name, &barred);
                Err(barred)
            }
        }
    }

    fn try_to_serve(
        &self,
        follower: &Follower,
        told: &mut Told,
        handover: &mut Handover<'_>,
        delivered: &mut Delivered,
    ) -> Result<Served, Barred> {
        let (_, own) = self.own_place()?;
        told.is_about(follower);
        // Nothing was ever sealed without a key, so there is nothing to tell.
        let territories = match self.workspace.vault().seals().has_key() {
            true => self.territories(),
            false => Vec::new(),
        };
        let mut locks = Vec::new();
        for territory in territories {
            let Some(lock) = self.lock_of(&follower.name, &territory.id)? else {
                match territory.id == own {
                    true => return Ok(Served::ByAnother),
                    false => continue,
                }
            };
            if self.get(&follower.name)?.as_ref() != Some(follower) {
                return Ok(Served::Changed);
            }
            let serving = Serving {
                followers: self,
                follower,
                territory: &territory,
            };
            for (kept_as, sources) in &territory.documents {
                let extents = serving.extents(kept_as, sources);
                let name = (territory.id.clone(), kept_as.clone());
                if extents.is_some() && told.extents.get(&name) == extents.as_ref() {
                    continue;
                }
                let is_done = match serving.document(kept_as, sources, handover, delivered) {
                    Ok(is_done) => is_done,
                    Err(Stop::Unreadable(error)) => {
                        delivered.leave_out(error);
                        false
                    }
                    Err(Stop::Barred(barred)) => return Err(barred),
                };
                match extents.filter(|_| is_done) {
                    Some(extents) => told.extents.insert(name, extents),
                    None => told.extents.remove(&name),
                };
            }
            locks.extend(handover.finish.is_some().then_some(lock));
        }
        if let Some(finish) = &mut handover.finish {
            finish(delivered)?;
        }
        for (file, content) in &handover.cursors {
            self.write(file, content)?;
        }
        Ok(Served::Yes)
    }

    /// What a follower has not been told yet of what happened here, and in worktrees that are gone.
    pub(super) fn lag(&self, follower: &Follower) -> Result<Lag, WorkspaceError> {
        self.lag_in(&self.territories(), follower)
    }

    /// What it has not been told yet of what happened in this worktree alone.
    pub(super) fn own_lag(&self, follower: &Follower) -> Result<Lag, WorkspaceError> {
        let own: Vec<Territory> = self.own_territory().into_iter().collect();
        self.lag_in(&own, follower)
    }

    fn lag_in(
        &self,
        territories: &[Territory],
        follower: &Follower,
    ) -> Result<Lag, WorkspaceError> {
        let mut lag = Lag::default();
        for territory in territories {
            let serving = Serving {
                followers: self,
                follower,
                territory,
            };
            for (kept_as, sources) in &territory.documents {
                let left = MOST_COUNTED.saturating_sub(lag.lines);
                let counted = serving.count(kept_as, sources, left);
                let lines = counted.map_err(|stop| {
                    Purpose::Load.failed(match stop {
                        Stop::Unreadable(error) => error,
                        Stop::Barred(barred) => {
                            StoreError::history(&kept_as.history(), io::Error::other(barred))
                        }
                    })
                })?;
                lag.add(lines);
            }
        }
        Ok(lag)
    }
}

impl Lag {
    /// Counts what one checkpoint has.
    fn add(&mut self, lines: usize) {
        self.lines += lines;
        self.checkpoints += usize::from(lines > 0);
        self.is_more = self.lines >= MOST_COUNTED;
    }

    /// Both together.
    #[must_use]
    pub fn and(self, other: Self) -> Self {
        Self {
            lines: self.lines + other.lines,
            checkpoints: self.checkpoints + other.checkpoints,
            is_more: self.is_more || other.is_more,
        }
    }
}

impl Serving<'_, '_> {
    /// What the files with lines look like from outside, unless that cannot be told.
    fn extents(&self, kept_as: &KeptAs, sources: &[Source]) -> Option<Vec<Extent>> {
        let extent = |source| self.followers.extent(self.territory, kept_as, source);
        sources.iter().map(extent).collect()
    }

    /// Tells everything about one document. Returns whether nothing is left that is not decided yet.
    fn document(
        &self,
        kept_as: &KeptAs,
        sources: &[Source],
        handover: &mut Handover<'_>,
        delivered: &mut Delivered,
    ) -> Result<bool, Stop> {
        let name = &self.follower.name;
        let mut cursor = self.followers.cursor(name, &self.territory.id, kept_as)?;
        let mut kept = cursor.clone();
        cursor.keep_archives(|known| {
            let is_known = |source: &Source| {
                matches!(source, Source::Archive(below) if below.to_string_lossy() == known)
            };
            sources.iter().any(is_known)
        });
        let mut is_done = true;
        let mut openings = Openings::of(self.followers, self.territory, (kept_as, sources));
        while let Some(found) = openings.following(&cursor) {
            let opened = match found {
                Ok(Some(opened)) => opened,
                Ok(None) => continue,
                Err(error @ StoreError::Archive { .. }) => {
                    // A clone can bring one. It stands in the way of nothing.
                    delivered.leave_out(error);
                    is_done = false;
                    continue;
                }
                Err(error) => return Err(error.into()),
            };
            let is_told = self.source(kept_as, &opened, &mut cursor, handover, delivered)?;
            if let Some((name, bytes)) = opened.archive.as_ref().filter(|_| is_told) {
                cursor.note_read(name, bytes);
            }
            is_done &= is_told;
            if cursor != kept {
                self.keep(kept_as, &cursor, handover)?;
                kept.clone_from(&cursor);
            }
        }
        Ok(is_done)
    }

    /// Tells what one file has. Returns whether nothing is left that is not decided yet.
    fn source(
        &self,
        kept_as: &KeptAs,
        opened: &Opened,
        cursor: &mut Cursor,
        handover: &mut Handover<'_>,
        delivered: &mut Delivered,
    ) -> Result<bool, Stop> {
        let key = self.followers.key_of(self.territory, kept_as, opened);
        let mut parcel = Parcel {
            is_followed: self.is_followed(key.as_ref()),
            key,
            about: kept_as.sealed_name(),
            lines: Vec::new(),
            size: 0,
            most: match self.follower.is_service {
                true => 1,
                false => MOST_LINES,
            },
        };
        let mut hand_over =
            |parcel: &mut Parcel, handover: &mut Handover<'_>| -> Result<(), Barred> {
                if parcel.lines.is_empty() {
                    return Ok(());
                }
                self.make_lines_durable(kept_as)?;
                let worktree = self.territory.id.as_str();
                (handover.receive)(&parcel.batch(worktree))?;
                delivered.lines += parcel.lines.len();
                parcel.lines.clear();
                parcel.size = 0;
                Ok(())
            };
        let is_done = self.read(kept_as, opened, cursor, &mut |cursor, decided| {
            if self.is_told(&decided) {
                parcel.add(decided.line);
            }
            if parcel.is_full() {
                hand_over(&mut parcel, handover)?;
                self.keep(kept_as, cursor, handover)?;
            }
            Ok(true)
        })?;
        hand_over(&mut parcel, handover)?;
        Ok(is_done)
    }

    /// Whether a follower wants to hear of a document at all. One whose name is not known may be the one.
    fn is_followed(&self, key: Option<&Key>) -> bool {
        key.is_none_or(|key| self.follower.filter.admits_key(key))
    }

    /// Whether a line happened, and the follower wants to hear of it.
    fn is_told(&self, decided: &Decided) -> bool {
        decided.fate == Fate::Happened && self.follower.filter.admits(&decided.line)
    }

    /// Reads what is decided and new. Stops if `take` says so. Returns whether nothing is left that is not decided yet.
    fn read(
        &self,
        kept_as: &KeptAs,
        opened: &Opened,
        cursor: &mut Cursor,
        take: &mut dyn FnMut(&Cursor, Decided) -> Result<bool, Barred>,
    ) -> Result<bool, Stop> {
        let about = kept_as.sealed_name();
        let seals = self.followers.workspace.vault().seals();
        let sealer = Sealer::new(seals, Domain::History, &about);
        let unreadable = |source| StoreError::history(&kept_as.history(), source);
        let mut start = cursor.start_in(&*opened.file).map_err(unreadable)?;
        let numbers = start.numbers.clone();
        let happened = Happened::after(&*opened.file, sealer, start.offset, numbers);
        let mut happened = happened.map_err(unreadable)?;
        let mut stands = |changes: &[_]| {
            self.followers
                .stands(self.territory, kept_as, opened, changes)
        };
        while let Some(decided) = happened.following(&mut stands).map_err(unreadable)? {
            for line in decided {
                if cursor.meet(&mut start, &line) && !take(cursor, line)? {
                    return Ok(false);
                }
            }
        }
        Ok(!happened.is_waiting())
    }

    /// How many lines are left to tell, at most `most`.
    fn count(&self, kept_as: &KeptAs, sources: &[Source], most: usize) -> Result<usize, Stop> {
        let id = &self.territory.id;
        let mut cursor = self.followers.cursor(&self.follower.name, id, kept_as)?;
        let mut count = 0;
        let mut openings = Openings::of(self.followers, self.territory, (kept_as, sources));
        while let Some(found) = openings.following(&cursor) {
            let Ok(Some(opened)) = found else { continue };
            let key = self.followers.key_of(self.territory, kept_as, &opened);
            let is_followed = self.is_followed(key.as_ref());
            let is_decided = self.read(kept_as, &opened, &mut cursor, &mut |_, decided| {
                count += usize::from(is_followed && self.is_told(&decided));
                Ok(count < most)
            })?;
            if !is_decided && count < most && is_followed {
                // The change that is not decided yet.
                count += 1;
            }
        }
        Ok(count)
    }

    /// A line that another process has written but not synced yet could be lost after it was handed over.
    fn make_lines_durable(&self, kept_as: &KeptAs) -> Result<(), Barred> {
        if !self.territory.is_here {
            return Ok(());
        }
        let workspace = self.followers.workspace;
        let Ok(place) = workspace.layout.place_of(kept_as, &[]) else {
            return Ok(());
        };
        let Some(path) = workspace.store.resolved(&place.history) else {
            return Ok(());
        };
        match workspace.store.disk().sync_file(&path) {
            Err(error)
                if !matches!(
                    error.kind(),
                    io::ErrorKind::NotFound | io::ErrorKind::ReadOnlyFilesystem
                ) =>
            {
                Err(Barred::at(&path, &error))
            }
            _ => Ok(()),
        }
    }

    fn keep(
        &self,
        kept_as: &KeptAs,
        cursor: &Cursor,
        handover: &mut Handover<'_>,
    ) -> Result<(), Barred> {
        let name = &self.follower.name;
        let file = self
            .followers
            .cursor_file(name, &self.territory.id, kept_as);
        let file = file.ok_or_else(super::no_place)?;
        let content = serde_json::to_vec(cursor).unwrap_or_default();
        if handover.finish.is_some() {
            handover.cursors.insert(file, content);
            return Ok(());
        }
        Ok(self.followers.write(&file, &content)?)
    }
}
