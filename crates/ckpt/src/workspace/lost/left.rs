//! What worktrees have left in the mirror that are gone.

use std::io;
use std::path::PathBuf;

use super::super::Workspace;
use super::{Closeness, Lost};
use crate::history::{self, Epoch, History, Revision};
use crate::key::Key;
use crate::layout::{KeptAs, WORKTREE_ID};
use crate::store::{Mirror, WorktreeId, read_id};

/// The copy of a history of a worktree that is gone.
#[derive(Debug)]
pub struct LeftHistory {
    /// The key of its checkpoint.
    pub key: Key,
    /// The worktree.
    pub worktree: PathBuf,
    /// The copy.
    pub path: PathBuf,
    /// Its lines.
    pub history: History,
}

/// A worktree that is gone.
struct Gone<'m> {
    mirror: &'m Mirror,
    id: WorktreeId,
    root: PathBuf,
}

impl Workspace {
    /// The checkpoints of worktrees that are gone, unless there is one with the same name here.
    #[must_use]
    pub fn lost_with_worktrees(&self) -> Vec<Lost> {
        let mut lost = self.left_by_gone_worktrees();
        lost.retain(|lost| !self.is_of_other_branch(lost));
        lost
    }

    /// The same, with the plans that another branch has.
    pub(super) fn left_by_gone_worktrees(&self) -> Vec<Lost> {
        let of_one = |Gone { mirror, id, root }: Gone<'_>| {
            let copies = mirror.copies(self.store.disk(), &id).into_iter();
            let lost = copies.filter_map(|kept_as| {
                let found = self.lost_as((mirror, &id), kept_as, Closeness::Ends, Some(&root));
                found.ok()?
            });
            // What is here goes on from its own history only.
            let lost = lost.filter(|lost| !lost.part.is_history());
            self.without_deleted(lost.collect(), &id)
        };
        self.gone().flat_map(of_one).collect()
    }

    /// The checkpoints of this key that worktrees had which are gone, the newest first, whatever is here. One that was brought
    /// back here is not counted.
    #[must_use]
    pub fn namesakes_of_gone_worktrees(&self, key: &Key) -> Vec<Lost> {
        let of_one = |Gone { mirror, id, root }: Gone<'_>| {
            let found = self.described((mirror, &id), KeptAs::of(key), Some(&root));
            let found = found.ok().flatten().into_iter();
            let news = found.filter(|lost| !self.is_known_here(&lost.kept_as, &lost.revision));
            self.without_deleted(news.collect(), &id)
        };
        let mut found: Vec<Lost> = self.gone().flat_map(of_one).collect();
        found.sort_by(|one, two| two.at.cmp(&one.at));
        found
    }

    /// The copies of histories that worktrees have left which are gone, but for those that were brought back here.
    #[must_use]
    pub fn left_histories(&self) -> Vec<LeftHistory> {
        let disk = self.store.disk();
        let of_one = |Gone { mirror, id, root }: Gone<'_>| {
            let copies = mirror.copies(disk, &id).into_iter();
            let left = copies.filter_map(|kept_as| {
                let copy = mirror.open(disk, &id, &kept_as).ok()??;
                let copied = self.copied(&kept_as, &*copy).ok()??;
                (!self.is_known_here(&kept_as, &copied.revision)).then(|| LeftHistory {
                    key: copied.key,
                    path: mirror.copy(&id, &kept_as),
                    history: History::new(copy),
                    worktree: root.clone(),
                })
            });
            left.collect::<Vec<_>>()
        };
        self.gone().flat_map(of_one).collect()
    }

    fn gone(&self) -> impl Iterator<Item = Gone<'_>> {
        let mirrors = self.store.mirror().into_iter();
        mirrors.flat_map(move |mirror| {
            let ids = self.gone_worktrees(mirror).into_iter();
            ids.map(move |id| Gone {
                root: mirror.root_of(self.store.disk(), &id).unwrap_or_default(),
                mirror,
                id,
            })
        })
    }

    /// The worktrees of which the mirror has copies, and which are gone.
    pub(in crate::workspace) fn gone_worktrees(&self, mirror: &Mirror) -> Vec<WorktreeId> {
        // First of all: a worktree has its id before it has copies.
        let mut gone = mirror.worktrees(self.store.disk());
        // If one that is alive cannot be read, any of them may be its own.
        let alive = self.ids_of_worktrees(mirror);
        gone.retain(|id| alive.as_ref().is_ok_and(|alive| !alive.contains(id)));
        gone
    }

    /// The ids of the worktrees that there are.
    fn ids_of_worktrees(&self, mirror: &Mirror) -> io::Result<Vec<WorktreeId>> {
        let disk = self.store.disk();
        let mut ids: Vec<WorktreeId> = mirror.known_id(disk)?.into_iter().collect();
        for directory in self.repository.private_directories_in_use()? {
            ids.extend(read_id(disk, &directory.join(WORKTREE_ID))?);
        }
        Ok(ids)
    }

    /// Whether a history here tells of the epoch of a revision: then the checkpoint was brought back here.
    fn is_known_here(&self, kept_as: &KeptAs, revision: &Revision) -> bool {
        let place = self.layout.place_of(kept_as, &[]).ok();
        let history = place.and_then(|place| self.store.any_history(&place).ok()?);
        let epoch = revision.epoch.as_ref().map(Epoch::to_string);
        history.zip(epoch).is_some_and(|(history, epoch)| {
            history::mentions(&*history, epoch.as_bytes()).unwrap_or(false)
        })
    }
}
