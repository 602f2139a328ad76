//! Copies of histories that nothing can be rebuilt from.

use std::path::PathBuf;

use super::super::Workspace;
use super::Closeness;
use crate::history;
use crate::key::Key;
use crate::layout::KeptAs;
use crate::seal::{Domain, Sealer, Seals, Unsealed};
use crate::store::{Mirror, WorktreeId};

/// A copy that nothing can be rebuilt from, of a checkpoint that is missing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnusableCopy {
    /// The path of the copy.
    pub path: PathBuf,
    /// Whether it would be usable with the key that it was sealed with.
    pub is_of_other_key: bool,
    kept_as: KeptAs,
}

impl UnusableCopy {
    /// The name of its checkpoint, as its files have it.
    #[must_use]
    pub fn name(&self) -> &str {
        self.kept_as.stem()
    }

    /// Whether it is that of a checkpoint.
    #[must_use]
    pub fn is_of(&self, key: &Key) -> bool {
        KeptAs::of(key) == self.kept_as
    }
}

impl Workspace {
    /// The copies that nothing can be rebuilt from, of checkpoints that are missing in this worktree. Those of what was
    /// deleted are in nobody's way.
    #[must_use]
    pub fn unusable_copies(&self) -> Vec<UnusableCopy> {
        let Some((mirror, id)) = self.own_mirror() else {
            return Vec::new();
        };
        // Without the key nothing can be told.
        if matches!(self.vault().status(), Some(Unsealed::Unreadable { .. })) {
            return Vec::new();
        }
        let mut found = mirror.copies(self.store.disk(), &id);
        found.retain(|kept_as| {
            let lost = || self.lost_as((mirror, &id), kept_as.clone(), Closeness::Ends, None);
            self.is_wanted(kept_as) && !matches!(lost(), Ok(Some(_)))
        });
        if !found.is_empty() {
            let tombstones = self.store.tombstones(Some(&id)).into_iter();
            let deleted = tombstones.filter_map(|label| Key::parse(&label.key).ok());
            let deleted: Vec<KeptAs> = deleted.map(|key| KeptAs::of(&key)).collect();
            found.retain(|kept_as| !deleted.contains(kept_as));
        }
        let unusable = found.into_iter().map(|kept_as| UnusableCopy {
            path: mirror.copy(&id, &kept_as),
            is_of_other_key: self.is_of_other_key((mirror, &id), &kept_as),
            kept_as,
        });
        unusable.collect()
    }

    /// Whether a copy has lines, and none of them carries our seal.
    fn is_of_other_key(&self, (mirror, id): (&Mirror, &WorktreeId), kept_as: &KeptAs) -> bool {
        let about = kept_as.sealed_name();
        let copy = mirror.open(self.store.disk(), id, kept_as).ok().flatten();
        let has_lines = |seals: &Seals| {
            let sealer = Sealer::new(seals, Domain::History, &about);
            let tail = copy.as_ref().map(|copy| history::tail(&**copy, sealer));
            matches!(tail, Some(Ok(Some(_))))
        };
        has_lines(&Seals::none()) && !has_lines(self.vault().seals_of_any_time())
    }

    /// Whether a document is missing, and not because another branch is checked out.
    fn is_wanted(&self, kept_as: &KeptAs) -> bool {
        let is_elsewhere = match kept_as.key() {
            Ok(Some(Key::Plan(plan))) => self.plan(&plan).other_branch().is_some(),
            _ => false,
        };
        let place = self.layout.place_of(kept_as, &[]);
        let is_gone = place.is_ok_and(|place| self.store.is_missing(&place.document().path));
        !is_elsewhere && is_gone && matches!(self.is_missing(kept_as, Closeness::Ends), Ok(true))
    }
}
