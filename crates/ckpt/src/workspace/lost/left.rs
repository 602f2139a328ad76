//! What worktrees have left in the mirror that are gone.

use std::io;
use std::path::PathBuf;

use super::super::Workspace;
use super::{Closeness, Lost};
use crate::disk::DiskFile;
use crate::history::{History, Revision, is_named};
use crate::key::Key;
use crate::layout::{KeptAs, Place, WORKTREE_ID};
use crate::store::{Group, Mirror, Packed, Unpacked, WorktreeId, read_id};

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
    /// The checkpoints of worktrees that are gone, unless there is one with the same name here, or they were brought back here.
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
            let lost = lost.filter(|lost| !self.is_known_here(&lost.kept_as, &lost.revision));
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

    /// Whether a history here tells of a revision. Then the checkpoint was brought back here, and what is left of it elsewhere is
    /// the beginning of what became of it here: also if that was deleted, has another name by now, or is missing.
    fn is_known_here(&self, kept_as: &KeptAs, revision: &Revision) -> bool {
        let Ok(place) = self.layout.place_of(kept_as, &[]) else {
            return false;
        };
        let tells = |history: Box<dyn DiskFile>| is_named(&*history, revision).unwrap_or(false);
        let there = self.store.any_history(&place).ok().flatten();
        there.is_some_and(tells)
            || self.deleted_under_name(&place).map(history_of).any(tells)
            || self.copied_histories(&place).any(tells)
    }

    /// What was deleted or renamed under the name of a document, if it is whole.
    fn deleted_under_name(&self, place: &Place) -> impl Iterator<Item = Packed> {
        let is_of_it = |kept_as: &KeptAs| *kept_as == place.kept_as;
        let archives = self.store.archives_of(Group::Deleted, &is_of_it);
        let read = move |path: PathBuf| self.store.read_packed(place, &path).ok()?;
        archives.into_iter().filter_map(read)
    }

    /// The histories of a document that the mirror has of this worktree, if they are of use. Those in archives too.
    fn copied_histories(&self, place: &Place) -> impl Iterator<Item = Box<dyn DiskFile>> {
        let disk = self.store.disk();
        self.own_mirror().into_iter().flat_map(move |(mirror, id)| {
            let live = mirror.open(disk, &id, &place.kept_as).ok().flatten();
            let live = live.filter(|copy| {
                let copied = self.copied(&place.kept_as, &**copy);
                matches!(copied, Ok(Some(_)))
            });
            let names = mirror.archive_names(disk, &id).into_iter();
            let archives = names.filter_map(move |below| {
                KeptAs::of_archive_below(&below).filter(|(of, _)| *of == place.kept_as)?;
                let bytes = mirror.read_archive(disk, &id, &below)?;
                self.store.unpacked(place, &bytes).ok().map(history_of)
            });
            live.into_iter().chain(archives)
        })
    }

    /// Drops what worktrees have left that are gone, of a checkpoint that was brought back here and deleted at this revision.
    /// Without its archive, the copy that it was brought back from would be offered again.
    pub(super) fn drop_beginnings(&self, key: &Key, revision: Option<&Revision>) {
        let place = self.layout.place(key);
        let name = key.to_string();
        for Gone { mirror, id, .. } in self.gone() {
            let disk = self.store.disk();
            let copy = mirror.open(disk, &id, &place.kept_as).ok().flatten();
            let copied = copy.and_then(|copy| self.copied(&place.kept_as, &*copy).ok()?);
            let Some(copied) = copied.filter(|copied| copied.key == *key) else {
                continue;
            };
            let mut deleted = self.deleted_under_name(&place);
            let is_beginning = deleted.any(|packed| {
                let is_it = packed.label.key == name && packed.label.revision.as_ref() == revision;
                is_it && is_named(&*history_of(packed), &copied.revision).unwrap_or(false)
            });
            if is_beginning {
                let _ = mirror.drop_copy(disk, &id, &place.kept_as);
            }
        }
    }
}

fn history_of(packed: Packed) -> Box<dyn DiskFile> {
    Box::new(Unpacked::new(packed.history))
}
