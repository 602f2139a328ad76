//! Which changes never took effect, told while a history is read from its end.

use super::{Line, Revision};
use crate::seal::{Domain, Sealer, Seals};

/// The revisions of a history that were aborted, as far as it was read.
#[derive(Debug)]
pub struct Aborted<'s> {
    seals: &'s Seals,
    /// The name of the document in seals.
    about: String,
    revisions: Vec<Revision>,
}

impl<'s> Aborted<'s> {
    /// `last` is the last revision if that was aborted, and no line says so yet.
    pub(crate) fn new(seals: &'s Seals, about: &str, last: Option<Revision>) -> Self {
        Self {
            seals,
            about: about.to_owned(),
            revisions: last.into_iter().collect(),
        }
    }

    /// Whether a line is that of a change which was aborted. To be asked for each line, from the end of the history on.
    pub fn has(&mut self, line: &Line) -> bool {
        let Some(revision) = line.revision() else {
            return false;
        };
        if line.counts(Sealer::new(self.seals, Domain::History, &self.about)) {
            self.revisions.extend(line.aborted());
            self.revisions.extend(self.made_way(line, &revision));
        }
        self.revisions.contains(&revision)
    }

    /// The change that made way for what another program wrote, which this line records, if it was made again and aborted then.
    fn made_way(&self, line: &Line, theirs: &Revision) -> Option<Revision> {
        let of_epoch = |number| Revision {
            number,
            epoch: theirs.epoch.clone(),
        };
        let again = of_epoch(theirs.number + 1);
        let first = line.rebases().map(of_epoch);
        first.filter(|_| self.revisions.contains(&again))
    }
}

#[cfg(test)]
mod tests;
