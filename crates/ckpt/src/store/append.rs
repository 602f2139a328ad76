//! Appending lines to a history.

use std::io;

use super::error::{Action, StoreError};
use super::files::{Author, FileStore};
use super::mirror::Followed;
use super::replace::sync_parent;
use crate::disk::Mode;
use crate::history::{self, Entry, Event, Tail};
use crate::layout::Place;
use crate::seal::Sealer;

/// What happens to a remark whose event the last line already has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Repeated {
    /// It is not written again.
    Once,
    /// It is written each time.
    EachTime,
}

impl FileStore {
    /// Appends lines to the history and syncs them.
    pub(super) fn append(&self, place: &Place, lines: &str) -> Result<(), StoreError> {
        let failed = |source| StoreError::io(Action::Write, &place.history, source);
        let (mut file, is_new) = match self.disk().open_append(&place.history) {
            Ok(file) => (file, false),
            Err(error) if error.kind() == io::ErrorKind::NotFound => (
                self.disk()
                    .create(&place.history, Mode::Private)
                    .map_err(failed)?,
                true,
            ),
            Err(error) => return Err(failed(error)),
        };
        file.write(lines.as_bytes()).map_err(failed)?;
        file.sync().map_err(failed)?;
        if is_new {
            sync_parent(self.disk(), &place.history)?;
        }
        if let Some(mirror) = self.mirror() {
            // The history is what counts. What its copy lacks, the next process adds that can.
            let (disk, now) = (self.disk(), self.now());
            let sealer = place.sealer(self.vault().seals());
            let appended = (&*file, lines.as_bytes());
            let followed = mirror.follow(disk, &place.kept_as, appended, sealer, now);
            match followed {
                Ok(Followed::Yes) => self.owe_nothing(&place.kept_as),
                Ok(Followed::NoPlace | Followed::TooFarBehind) | Err(_) => self.owe(&place.kept_as),
            }
        }
        Ok(())
    }

    /// Records an event that changes no file, as part of the last revision, and returns whether it is on record. It is
    /// not if there is no history to append to.
    pub(crate) fn remark(
        &self,
        place: &Place,
        author: &Author,
        event: &Event,
        repeated: Repeated,
    ) -> Result<bool, StoreError> {
        let disk = self.disk();
        if self.history(place)?.is_none() {
            return Ok(false);
        }
        let _lock = self.lock(place, author)?;
        let place = self.directories().prepare(disk, place)?;
        let failed = |source| StoreError::io(Action::Read, &place.history, source);
        let Some(history) = self.open_history(&place.history)? else {
            return Ok(false);
        };
        let seals = self.vault().seals_for_writing();
        let sealer = place.sealer(seals);
        let Some(tail) = history::tail(&*history, sealer).map_err(failed)? else {
            return Ok(false);
        };
        let mut lines = history::Backward::new(&*history).map_err(failed)?;
        let last = lines.next().transpose().map_err(failed)?;
        let is_repeated = last.is_some_and(|last| last.event_name() == Some(event.name));
        if is_repeated && repeated == Repeated::Once {
            return Ok(true);
        }
        let line = self.remark_after(&tail, author, event, sealer);
        self.append(&place, &line)?;
        Ok(true)
    }

    /// The line for an event that changes no file, as part of the last revision.
    pub(super) fn remark_after(
        &self,
        tail: &Tail,
        author: &Author,
        event: &Event,
        sealer: Sealer<'_>,
    ) -> String {
        let mut line = String::new();
        if tail.cut_short {
            line.push('\n');
        }
        let entry = Entry {
            time: self.now(),
            number: tail.number,
            epoch: &tail.epoch,
            by: &author.by,
            at: &author.at,
            files: &[],
        };
        history::write_line(&mut line, event, entry, sealer);
        line
    }
}
