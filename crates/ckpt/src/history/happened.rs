//! Reading on in a history, and telling what happened from what was only recorded.
//!
//! A change is recorded before its files are written, so a line alone proves nothing. A revision happened once a later one
//! exists that does not abort it; the last one, once its files are as it left them. Everything is told in the order of the
//! file.

use std::io;

use super::{Epoch, EventName, FileChange, Forward, Line};
use crate::disk::DiskFile;
use crate::seal::Sealer;

/// Whether something happened that a history records.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fate {
    /// It did.
    Happened,
    /// It never took effect. Or it only takes back something that nobody was told of.
    Undone,
}

/// A line that we have sealed, once it is decided.
#[derive(Debug, Clone)]
pub(crate) struct Decided {
    pub(crate) line: Line,
    pub(crate) epoch: Epoch,
    pub(crate) number: u64,
    /// Where it ends in the file.
    pub(crate) end: u64,
    pub(crate) fate: Fate,
}

/// Tells whether the files are as a change left them, and will stay so after a power cut.
pub(crate) type Stands<'s> = &'s mut dyn FnMut(&[FileChange]) -> io::Result<bool>;

/// Reads the lines that we have sealed, from an offset on.
pub(crate) struct Happened<'f> {
    lines: Forward<'f>,
    sealer: Sealer<'f>,
    /// The last revision of each epoch. Lines that go back behind it were copied there by somebody.
    numbers: Vec<(Epoch, u64)>,
    /// A revision that may still be aborted, with those that make it again.
    chain: Vec<Recorded>,
    is_at_end: bool,
}

/// The lines of one revision.
struct Recorded {
    number: u64,
    epoch: Epoch,
    event: Option<EventName>,
    files: Vec<FileChange>,
    rebases: Option<u64>,
    aborts: Vec<u64>,
    lines: Vec<(Line, u64)>,
}

impl Recorded {
    fn of(line: Line, number: u64, epoch: Epoch, end: u64) -> Self {
        let mut recorded = Self {
            number,
            epoch,
            event: line.event_name(),
            files: line.files().unwrap_or_default(),
            rebases: line.rebases(),
            aborts: Vec::new(),
            lines: Vec::new(),
        };
        recorded.add(line, end);
        recorded
    }

    fn add(&mut self, line: Line, end: u64) {
        if self
            .lines
            .iter()
            .any(|(known, _)| known.raw() == line.raw())
        {
            return;
        }
        self.aborts
            .extend(line.aborted().map(|aborted| aborted.number));
        self.lines.push((line, end));
    }

    /// Whether it is what another program wrote in the middle of a change.
    fn is_theirs(&self) -> bool {
        self.rebases.is_some()
    }

    /// Whether it goes on with a change that made way for what another program wrote.
    fn continues(&self, chain: &[Self]) -> bool {
        let Some(last) = chain.last() else {
            return false;
        };
        let is_known = |number| chain.iter().any(|known| known.number == number);
        self.epoch == last.epoch
            && (self.rebases.is_some_and(is_known)
                || self.event == Some(EventName::Rebased) && last.is_theirs())
    }

    fn decided(self, fate: Fate) -> impl Iterator<Item = Decided> {
        let (epoch, number) = (self.epoch, self.number);
        self.lines.into_iter().map(move |(line, end)| Decided {
            line,
            epoch: epoch.clone(),
            number,
            end,
            fate,
        })
    }
}

impl<'f> Happened<'f> {
    /// Starts after a line that ends at this offset, or at the beginning. These are the last revisions before it.
    pub(crate) fn after(
        file: &'f dyn DiskFile,
        sealer: Sealer<'f>,
        offset: u64,
        numbers: Vec<(Epoch, u64)>,
    ) -> io::Result<Self> {
        let lines = match offset.checked_sub(1) {
            // What begins after the line ending itself.
            Some(before) => Forward::after(file, before)?,
            None => Forward::new(file)?,
        };
        Ok(Self {
            lines,
            sealer,
            numbers,
            chain: Vec::new(),
            is_at_end: false,
        })
    }

    /// The next lines that are decided; `None` at the end, or where the rest is not decided yet.
    pub(crate) fn following(&mut self, stands: Stands<'_>) -> io::Result<Option<Vec<Decided>>> {
        while !self.is_at_end {
            let Some(bytes) = self.lines.following()? else {
                self.is_at_end = true;
                break;
            };
            let end = self.lines.position();
            let Ok(line) = Line::parse(bytes) else {
                continue;
            };
            let (Some(number), Some(epoch)) = (line.number(), line.epoch()) else {
                continue;
            };
            if !line.is_vouched(self.sealer) {
                continue;
            }
            let begins = line.files().is_some();
            if !self.advances(number, &epoch, begins) {
                continue;
            }
            if let Some(last) = self.chain.last_mut()
                && !begins
                && (last.number, &last.epoch) == (number, &epoch)
            {
                last.add(line, end);
                continue;
            }
            let next = Recorded::of(line, number, epoch, end);
            if next.continues(&self.chain) {
                self.chain.push(next);
                continue;
            }
            let decided = self.decide_before(next);
            if !decided.is_empty() {
                return Ok(Some(decided));
            }
        }
        self.decide_last(stands)
    }

    /// Whether a line may come next: one that begins a revision has a new number, and any other belongs to the last one.
    fn advances(&mut self, number: u64, epoch: &Epoch, begins: bool) -> bool {
        let known = self.numbers.iter_mut().find(|(known, _)| known == epoch);
        match known {
            Some((_, last)) if number < *last || number == *last && begins => false,
            Some((_, last)) => {
                *last = number;
                true
            }
            None => {
                self.numbers.push((epoch.clone(), number));
                true
            }
        }
    }

    /// Whether something is left at the end that is not decided yet.
    pub(crate) fn is_waiting(&self) -> bool {
        !self.chain.is_empty()
    }

    /// Decides the chain, now that a revision follows which is not part of it.
    fn decide_before(&mut self, next: Recorded) -> Vec<Decided> {
        let chain = std::mem::take(&mut self.chain);
        let is_same = chain.last().is_some_and(|last| last.epoch == next.epoch);
        let is_aborted = |recorded: &Recorded| is_same && next.aborts.contains(&recorded.number);
        // The revisions of a chain that are ours are one change, made again and again.
        let was_aborted = chain.iter().any(|one| !one.is_theirs() && is_aborted(one));
        let is_unheard = |number: &u64| chain.iter().all(|one| one.number != *number);
        let is_plain = chain.len() == 1 && reverses(&next.files, &chain[0].files);
        let is_news = next.aborts.iter().any(is_unheard) || !is_plain;
        let mut decided = Vec::new();
        for one in chain {
            let fate = match was_aborted && !one.is_theirs() {
                true => Fate::Undone,
                false => Fate::Happened,
            };
            decided.extend(one.decided(fate));
        }
        match was_aborted && !is_news {
            true => decided.extend(next.decided(Fate::Undone)),
            false => self.chain.push(next),
        }
        decided
    }

    /// Decides the last revision of the file by what its files hold.
    fn decide_last(&mut self, stands: Stands<'_>) -> io::Result<Option<Vec<Decided>>> {
        let Some(last) = self.chain.last() else {
            return Ok(None);
        };
        if last.is_theirs() || !stands(&last.files)? {
            return Ok(None);
        }
        let chain = std::mem::take(&mut self.chain);
        let decided = chain
            .into_iter()
            .flat_map(|one| one.decided(Fate::Happened));
        Ok(Some(decided.collect()))
    }
}

/// Whether a change puts back exactly what another one had changed.
fn reverses(undoing: &[FileChange], done: &[FileChange]) -> bool {
    undoing.iter().all(|file| {
        let before = done.iter().find(|known| known.name == file.name);
        before.map_or(!file.is_change(), |before| before.from == file.to)
    })
}
