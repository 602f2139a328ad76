//! The files of one document.

use std::path::PathBuf;

use crate::disk::Mode;
use crate::seal::{Domain, Sealer, Seals};

/// Where the files of one document lie.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Place {
    /// The file whose lock serialises changes.
    pub lock: PathBuf,
    /// The history.
    pub history: PathBuf,
    /// The document's files, in the order in which they are written.
    pub files: Vec<PlaceFile>,
    /// Directories that git is told to pass over.
    pub ignored: Vec<PathBuf>,
    /// Who may read new ones. Files that people write too are theirs, so the umask holds for them.
    pub mode: Mode,
    /// What the document is called in seals.
    pub about: String,
}

impl Place {
    /// Seals the lines of its history.
    pub(crate) fn sealer<'s>(&'s self, seals: &'s Seals) -> Sealer<'s> {
        Sealer::new(seals, Domain::History, &self.about)
    }

    /// The file that holds the document: the first that is ours alone.
    #[must_use]
    pub fn document(&self) -> &PlaceFile {
        let own = self.files.iter().find(|file| file.role == Role::Own);
        own.expect("every document has a file that is ours alone")
    }
}

/// One file of a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PlaceFile {
    /// Where it lies.
    pub path: PathBuf,
    /// Its name in the history, which stays the same wherever links lead.
    pub name: String,
    /// Who writes it.
    pub role: Role,
}

/// Who writes a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// We do. Somebody else's edit is an exception.
    Own,
    /// People and their editors do too, at any moment and without our lock.
    Shared,
}
