//! The files of one document.

use std::path::PathBuf;

use super::KeptAs;
use crate::disk::Mode;
use crate::seal::{Domain, Sealer, Seals};

/// The paths of one document's files.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file whose lock serializes changes.
    pub lock: PathBuf,
    /// The history.
    pub history: PathBuf,
    /// The file that holds it once it is archived.
    pub archive: PathBuf,
    /// The document's files, in the order they are written.
    pub files: Vec<PlaceFile>,
    /// Directories that git must ignore.
    pub ignored: Vec<PathBuf>,
    /// The permissions of new files. Shared files belong to their editors, so the umask applies to them.
    pub mode: Mode,
    /// The document's name in seals.
    pub about: String,
    /// Its name among copies.
    pub kept_as: KeptAs,
}

impl Place {
    /// Seals the lines of its history.
    pub(crate) fn sealer<'s>(&'s self, seals: &'s Seals) -> Sealer<'s> {
        Sealer::new(seals, Domain::History, &self.about)
    }

    /// The file that holds the document: the first that only we write.
    #[must_use]
    pub fn document(&self) -> &PlaceFile {
        let own = self.files.iter().find(|file| file.role == Role::Own);
        own.expect("every document has a file that only we write")
    }
}

/// One file of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceFile {
    /// Its path.
    pub path: PathBuf,
    /// Its name in the history, which does not depend on links.
    pub name: String,
    /// Who writes it.
    pub role: Role,
}

/// Who writes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Only we do. Anyone else's edit is an exception.
    Own,
    /// People and their editors do too, at any time and without our lock.
    Shared,
}
