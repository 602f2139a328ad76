//! How far a follower has come in the history of one document.

use std::collections::BTreeMap;
use std::io;

use serde::{Deserialize, Serialize};

use crate::disk::DiskFile;
use crate::hash::ContentHash;
use crate::history::{Backward, Decided, Epoch};

/// For each epoch, how many of its lines are done with.
///
/// Counts survive everything that happens to a file: a history that goes into the archive, comes back, or is taken from
/// its copy. Where the last of them ended is kept only to find it sooner, and is checked.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Cursor {
    /// The epochs, in the order in which they were met.
    #[serde(default)]
    epochs: Vec<Reached>,
    /// The archives that are done with: their names, and the hashes of their bytes.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    archives: BTreeMap<String, String>,
}

/// How far it has come in one epoch.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Reached {
    epoch: Epoch,
    lines: u64,
    /// The revision of the last line.
    number: u64,
    end: u64,
    /// The hash of the last line.
    last: String,
}

/// Where to go on in a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Start {
    /// The offset where the last line ends that is done with; 0 if the file is to be read from the beginning.
    pub(crate) offset: u64,
    /// How many lines of each epoch come before.
    met: Vec<(Epoch, u64)>,
    /// The last revision of each epoch that comes before.
    pub(crate) numbers: Vec<(Epoch, u64)>,
}

impl Cursor {
    /// Where to go on in a file. A line that is not where it was is looked for by counting.
    pub(crate) fn start_in(&self, file: &dyn DiskFile) -> io::Result<Start> {
        let length = file.length()?;
        for reached in self.epochs.iter().rev().filter(|one| one.end <= length) {
            let mut lines = Backward::before(file, reached.end);
            let mut last = lines.previous()?;
            if last.as_ref().is_some_and(Vec::is_empty) {
                // What comes after the line ending.
                last = lines.previous()?;
            }
            if last.is_some_and(|line| hash(&line) == reached.last) {
                return Ok(Start {
                    offset: reached.end,
                    met: self.each(|reached| reached.lines),
                    numbers: self.each(|reached| reached.number),
                });
            }
        }
        Ok(Start {
            offset: 0,
            met: Vec::new(),
            numbers: Vec::new(),
        })
    }

    fn each(&self, figure: impl Fn(&Reached) -> u64) -> Vec<(Epoch, u64)> {
        let epochs = self.epochs.iter();
        epochs
            .map(|reached| (reached.epoch.clone(), figure(reached)))
            .collect()
    }

    /// Notes that a line was met in a file. Returns whether it is new.
    pub(crate) fn meet(&mut self, start: &mut Start, line: &Decided) -> bool {
        let count = start.count(&line.epoch);
        let epoch = line.epoch.clone();
        let known = self.epochs.iter_mut().find(|one| one.epoch == epoch);
        if known.as_ref().is_some_and(|known| count <= known.lines) {
            return false;
        }
        let next = Reached {
            epoch,
            lines: count,
            number: line.number,
            end: line.end,
            last: hash(line.line.raw().as_bytes()),
        };
        match known {
            Some(known) => *known = next,
            None => self.epochs.push(next),
        }
        true
    }

    /// Whether an archive is done with.
    pub(crate) fn has_read(&self, name: &str, bytes: &[u8]) -> bool {
        self.archives
            .get(name)
            .is_some_and(|known| *known == hash(bytes))
    }

    /// Notes that an archive is done with.
    pub(crate) fn note_read(&mut self, name: &str, bytes: &[u8]) {
        self.archives.insert(name.to_owned(), hash(bytes));
    }

    /// Forgets archives that are gone.
    pub(crate) fn keep_archives(&mut self, is_there: impl Fn(&str) -> bool) {
        self.archives.retain(|name, _| is_there(name));
    }
}

impl Start {
    /// The number of the next line of an epoch.
    fn count(&mut self, epoch: &Epoch) -> u64 {
        let met = match self.met.iter().position(|(known, _)| known == epoch) {
            Some(at) => &mut self.met[at].1,
            None => {
                self.met.push((epoch.clone(), 0));
                let last = self.met.len() - 1;
                &mut self.met[last].1
            }
        };
        *met += 1;
        *met
    }
}

fn hash(bytes: &[u8]) -> String {
    ContentHash::of(bytes).to_string()
}

#[cfg(test)]
mod tests;
