//! Where the lines of a document are: in its archives, then in its history.

use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

use super::super::Workspace;
use super::super::command::key_of;
use super::{Followers, if_there};
use crate::command::Checkpoint;
use crate::disk::{DiskFile, FileStamp};
use crate::document::Document;
use crate::follower::Cursor;
use crate::hash::ContentHash;
use crate::history::FileChange;
use crate::key::Key;
use crate::layout::{ARCHIVE, KeptAs, Place, TRASH};
use crate::store::{Mirror, Packed, StoreError, Unpacked, WorktreeId};

/// A file with lines of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Source {
    /// An archive, by its path in the directory of archives.
    Archive(PathBuf),
    /// The history in its place.
    Present,
    /// The copy of a history that is gone, alone or with its worktree.
    Copy,
}

/// What a file with lines looks like from outside. As long as that is the same, it has nothing new.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Extent {
    /// A history of this length.
    History(u64),
    /// This version of an archive.
    Archive(PathBuf, FileStamp),
}

/// The documents of one worktree, with the files that have lines of each, oldest first.
pub(super) struct Territory {
    pub(super) id: WorktreeId,
    /// Whether it is the worktree of this workspace. Another one is gone.
    pub(super) is_here: bool,
    pub(super) documents: BTreeMap<KeptAs, Vec<Source>>,
}

/// A file with lines that is open for reading.
pub(super) struct Opened {
    pub(super) file: Box<dyn DiskFile>,
    /// The bytes of an archive, and its name.
    pub(super) archive: Option<(String, Vec<u8>)>,
    /// Whether it is the copy of a history that is gone.
    is_copy: bool,
    /// The files of an archive.
    files: Option<Vec<(String, Vec<u8>)>>,
}

impl Opened {
    /// The same, if all its lines are elsewhere.
    pub(super) fn without_lines(self) -> Self {
        let file = Box::new(Unpacked::new(Vec::new()));
        Self { file, ..self }
    }
}

impl<'w> Followers<'w> {
    /// The documents of this worktree, and those of worktrees that are gone.
    pub(super) fn territories(&self) -> Vec<Territory> {
        let Some((mirror, own)) = self.mirror().zip(self.own_territory()) else {
            return Vec::new();
        };
        let gone = self.workspace.gone_worktrees(mirror).into_iter();
        let gone = gone.map(|id| Territory {
            documents: in_order(self.documents_in(mirror, &id)),
            is_here: false,
            id,
        });
        std::iter::once(own).chain(gone).collect()
    }

    /// The documents of this worktree. Where `.claude` was removed, they are in the mirror.
    pub(super) fn own_territory(&self) -> Option<Territory> {
        let mirror = self.mirror()?;
        let workspace = self.workspace;
        let id = mirror.id(workspace.store.disk())?;
        // First of all: a history is in its place before it is copied, and in its archive before it leaves.
        let copied = self.documents_in(mirror, &id);
        let mut documents = workspace.documents_with_lines();
        for (kept_as, sources) in copied {
            if workspace.is_all_gone(&kept_as) {
                documents.entry(kept_as).or_insert(sources);
            }
        }
        Some(Territory {
            documents: in_order(documents),
            is_here: true,
            id,
        })
    }

    /// The documents of which the mirror has copies.
    fn documents_in(&self, mirror: &Mirror, id: &WorktreeId) -> BTreeMap<KeptAs, Vec<Source>> {
        let disk = self.workspace.store.disk();
        let mut documents: BTreeMap<KeptAs, Vec<Source>> = BTreeMap::new();
        for below in mirror.archive_names(disk, id) {
            if let Some((kept_as, _)) = KeptAs::of_archive_below(&below) {
                let sources = documents.entry(kept_as).or_default();
                sources.push(Source::Archive(below));
            }
        }
        for kept_as in mirror.copies(disk, id) {
            documents.entry(kept_as).or_default().push(Source::Copy);
        }
        documents
    }

    /// Opens a file with lines; `None` if it is gone by now, or an archive that a follower is done with.
    pub(super) fn open(
        &self,
        territory: &Territory,
        kept_as: &KeptAs,
        source: &Source,
        cursor: &Cursor,
    ) -> Result<Option<Opened>, StoreError> {
        let Source::Archive(below) = source else {
            let history = self.history(territory, kept_as, source)?;
            return Ok(history.map(|file| Opened {
                file,
                archive: None,
                is_copy: *source == Source::Copy,
                files: None,
            }));
        };
        let name = below.to_string_lossy().into_owned();
        let bytes = self.archive(territory, below)?;
        let Some(bytes) = bytes.filter(|bytes| !cursor.has_read(&name, bytes)) else {
            return Ok(None);
        };
        let path = match territory.is_here {
            true => self.archive_path(below),
            false => below.clone(),
        };
        let (store, place) = (&self.workspace.store, self.place_of(kept_as)?);
        let Packed { history, files, .. } = store.unpacked_or_copy(&place, &path, &bytes)?;
        Ok(Some(Opened {
            file: Box::new(Unpacked::new(history)),
            archive: Some((name, bytes)),
            is_copy: false,
            files: Some(files),
        }))
    }

    /// Opens a history in its place, or its copy; `None` if it is gone by now.
    pub(super) fn history(
        &self,
        territory: &Territory,
        kept_as: &KeptAs,
        source: &Source,
    ) -> Result<Option<Box<dyn DiskFile>>, StoreError> {
        let store = &self.workspace.store;
        match (source, self.mirror()) {
            (Source::Present, _) => store.history(&self.place_of(kept_as)?),
            (Source::Copy, Some(mirror)) => {
                let copy = mirror.open(store.disk(), &territory.id, kept_as);
                copy.map_err(|source| StoreError::history(&kept_as.history(), source))
            }
            _ => Ok(None),
        }
    }

    fn place_of(&self, kept_as: &KeptAs) -> Result<Place, StoreError> {
        let place = self.workspace.layout.place_of(kept_as, &[]);
        place.map_err(|error| StoreError::history(&kept_as.history(), io::Error::other(error)))
    }

    /// The bytes of an archive; `None` if it is gone by now.
    pub(super) fn archive(
        &self,
        territory: &Territory,
        below: &Path,
    ) -> Result<Option<Vec<u8>>, StoreError> {
        let store = &self.workspace.store;
        if territory.is_here
            && let Some(bytes) = store.read(&self.archive_path(below))?
        {
            return Ok(Some(bytes));
        }
        let Some(mirror) = self.mirror() else {
            return Ok(None);
        };
        let path = mirror.archive(&territory.id, below);
        if_there(store.disk().read(&path), &path)
    }

    /// What a file with lines looks like from outside; `None` if it cannot be told, or is gone.
    pub(super) fn extent(
        &self,
        territory: &Territory,
        kept_as: &KeptAs,
        source: &Source,
    ) -> Option<Extent> {
        let Source::Archive(below) = source else {
            let history = self.history(territory, kept_as, source).ok()??;
            return Some(Extent::History(history.length().ok()?));
        };
        let disk = self.workspace.store.disk();
        let stamp = |path: &Path| disk.stamp(path).ok()?;
        let here = territory.is_here.then(|| self.archive_path(below));
        let here = here.and_then(|path| stamp(&path));
        let stamp = match here {
            Some(stamp) => stamp,
            None => stamp(&self.mirror()?.archive(&territory.id, below))?,
        };
        Some(Extent::Archive(below.clone(), stamp))
    }

    /// The path of an archive of this worktree.
    fn archive_path(&self, below: &Path) -> PathBuf {
        self.workspace.state_directory().join(ARCHIVE).join(below)
    }

    /// Whether the files of a document are as a change left them, and stay so after a power cut.
    pub(super) fn stands(
        &self,
        territory: &Territory,
        kept_as: &KeptAs,
        opened: &Opened,
        changes: &[FileChange],
    ) -> io::Result<bool> {
        // Files are written in this order, so if the last one is done, all are.
        let Some(last) = changes.iter().rev().find(|change| change.is_change()) else {
            return Ok(true);
        };
        if let Some(files) = &opened.files {
            let content = files.iter().find(|(name, _)| *name == last.name);
            // The Markdown of a plan may have stayed where it was.
            return Ok(content.is_none_or(|(_, content)| last.to == Some(ContentHash::of(content))));
        }
        if !territory.is_here || opened.is_copy {
            // The files are gone too, and nobody else can tell. Who brings them back gets them as of the last line.
            return Ok(true);
        }
        let workspace = self.workspace;
        let names: Vec<String> = changes.iter().map(|change| change.name.clone()).collect();
        let place = workspace.layout.place_of(kept_as, &names);
        let place = place.map_err(io::Error::other)?;
        let path_of = |name: &str| place.files.iter().find(|file| file.name == name);
        let Some(file) = path_of(&last.name) else {
            return Ok(last.to.is_none());
        };
        let present = workspace.store.read(&file.path).map_err(io::Error::other)?;
        if present.as_deref().map(ContentHash::of) != last.to {
            return Ok(false);
        }
        let changed = changes.iter().filter(|change| change.is_change());
        let durable = changed
            .filter_map(|change| path_of(&change.name))
            .all(|file| self.is_durable(&file.path));
        Ok(durable)
    }

    /// Whether the history of a document, which is gone from its place, stays so after a power cut.
    pub(super) fn is_gone_durably(&self, kept_as: &KeptAs) -> bool {
        let place = self.place_of(kept_as);
        place.is_ok_and(|place| self.is_durable(&place.history))
    }

    /// Makes durable whether there is a file of this name, as the change that wrote or removed it does last. Where nothing
    /// can be written, nothing can be lost.
    fn is_durable(&self, path: &Path) -> bool {
        let store = &self.workspace.store;
        let mut above = path.ancestors().skip(1);
        let Some(directory) = above.find_map(|above| store.resolved(above)) else {
            return true;
        };
        match store.disk().sync_directory(&directory) {
            Err(error) => error.kind() == io::ErrorKind::ReadOnlyFilesystem,
            Ok(()) => true,
        }
    }

    /// The key of a document; `None` if only its file name is known.
    pub(super) fn key_of(
        &self,
        territory: &Territory,
        kept_as: &KeptAs,
        opened: &Opened,
    ) -> Option<Key> {
        if let Some(key) = kept_as.key().ok()? {
            return Some(key);
        }
        let place = self.workspace.layout.place_of(kept_as, &[]).ok()?;
        let name = &place.document().name;
        let content = match &opened.files {
            Some(files) => files
                .iter()
                .find(|(known, _)| known == name)
                .map(|(_, content)| content.clone()),
            None if territory.is_here => self.document_of(&place),
            None => None,
        };
        let document = content.and_then(|content| Document::from_bytes(content).ok());
        let key = document.and_then(|document| {
            let checkpoint = Checkpoint::new(document.root());
            key_of(kept_as.stem(), checkpoint).map(Key::Command)
        });
        // Where the document is gone, its history has it.
        key.or_else(|| self.workspace.key_in_history(kept_as, &*opened.file))
    }

    fn document_of(&self, place: &Place) -> Option<Vec<u8>> {
        let store = &self.workspace.store;
        store.read(&place.document().path).ok().flatten()
    }
}

impl Workspace {
    /// The documents of this worktree that have lines.
    fn documents_with_lines(&self) -> BTreeMap<KeptAs, Vec<Source>> {
        let mut documents: BTreeMap<KeptAs, Vec<Source>> = BTreeMap::new();
        let archives = self.layout.archive_directory();
        for group in ["", TRASH] {
            for kind in KeptAs::KINDS {
                let below = Path::new(group).join(kind);
                for name in self.names_in(&archives.join(&below)) {
                    let below = below.join(name);
                    let Some((kept_as, is_deleted)) = KeptAs::of_archive_below(&below) else {
                        continue;
                    };
                    let place = self.layout.place_of(&kept_as, &[]);
                    let counts =
                        is_deleted || place.is_ok_and(|place| self.store.is_archived(&place));
                    if counts {
                        let sources = documents.entry(kept_as).or_default();
                        sources.push(Source::Archive(below));
                    }
                }
            }
        }
        for kept_as in self.histories() {
            documents.entry(kept_as).or_default().push(Source::Present);
        }
        documents
    }

    /// Whether neither a document nor its history is in its place, nor an archive of it.
    fn is_all_gone(&self, kept_as: &KeptAs) -> bool {
        let is_missing = |path: &Path| self.store.is_missing(path);
        let place = self.layout.place_of(kept_as, &[]);
        place.is_ok_and(|place| {
            let document = &place.document().path;
            [&place.history, document, &place.archive]
                .into_iter()
                .all(|path| is_missing(path))
        })
    }

    /// The documents of this worktree that have a history in its place.
    pub(in crate::workspace) fn histories(&self) -> Vec<KeptAs> {
        let histories = self.layout.histories_directory();
        let mut present: Vec<KeptAs> = Vec::new();
        for kind in KeptAs::KINDS {
            let names = self.names_in(&histories.join(kind)).into_iter();
            present.extend(names.filter_map(|name| KeptAs::of_history(kind, &name)));
        }
        for plan in self.plans().unwrap_or_default() {
            let place = self.layout.plan_place(&plan, &[]);
            if self.store.is_there(&place.history) {
                present.push(place.kept_as);
            }
        }
        present
    }

    fn names_in(&self, directory: &Path) -> Vec<String> {
        let Some(directory) = self.store.resolved(directory) else {
            return Vec::new();
        };
        let opened = self.store.disk().open_directory(&directory);
        let names = opened.and_then(|opened| opened.names()).unwrap_or_default();
        let names = names.into_iter().filter_map(|name| name.into_string().ok());
        names.collect()
    }
}

fn in_order(mut documents: BTreeMap<KeptAs, Vec<Source>>) -> BTreeMap<KeptAs, Vec<Source>> {
    for sources in documents.values_mut() {
        sources.sort_by_key(age);
    }
    documents
}

/// What was deleted comes first, in the order of its time, then the archive, then the present history.
fn age(source: &Source) -> (u8, String) {
    match source {
        Source::Archive(below) if below.starts_with(TRASH) => {
            (0, below.to_string_lossy().into_owned())
        }
        Source::Archive(_) => (1, String::new()),
        Source::Copy | Source::Present => (2, String::new()),
    }
}
