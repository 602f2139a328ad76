//! Reading a checkpoint that another process deletes and brings back meanwhile.
//!
//! Readers take no lock, so a checkpoint may be in its place when they look among what was deleted, and deleted when they look in
//! its place. Whatever finds nothing then looks again, as long as something moves.

use std::path::PathBuf;

use super::Workspace;
use crate::key::Key;

/// How often a checkpoint may move while it is read.
const MOST_MOVES: usize = 8;

/// Where a checkpoint stands. It differs after every move, also after there and back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Footing {
    is_there: bool,
    history: Option<u64>,
}

/// What a name leads to.
#[derive(PartialEq, Eq)]
struct Lead {
    here: Option<(Key, Footing)>,
    archive: Option<PathBuf>,
}

impl Workspace {
    /// Looks for what a user names, and again if nothing is found because it was moved meanwhile.
    pub fn while_it_moves<T, E>(
        &self,
        typed: &str,
        is_missing: impl Fn(&E) -> bool,
        look: impl Fn() -> Result<T, E>,
    ) -> Result<T, E> {
        let mut last = None;
        for _ in 0..MOST_MOVES {
            match look() {
                Err(error) if is_missing(&error) => {
                    let lead = Some(self.lead(typed));
                    if last == lead {
                        return Err(error);
                    }
                    last = lead;
                }
                found => return found,
            }
        }
        look()
    }

    fn lead(&self, typed: &str) -> Lead {
        let key = self.find_key(typed).ok();
        Lead {
            here: key.map(|key| (key.clone(), self.footing(&key))),
            archive: self.find_archived(typed).map(|archived| archived.path),
        }
    }

    /// Where a checkpoint stands now.
    #[must_use]
    pub fn footing(&self, key: &Key) -> Footing {
        let place = self.layout.place(key);
        let history = self.store.history(&place).ok().flatten();
        Footing {
            is_there: self.store.is_there(&place.document().path),
            history: history.and_then(|history| history.length().ok()),
        }
    }
}
