//! Where the key of a repository is kept: in its git directory, which no clone can bring, or, outside git, in the user's
//! own state directory.

#![expect(
    clippy::disallowed_methods,
    reason = "the key is no document: it is written once, by whoever comes first, and never replaced"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::Seals;
use super::key::{KEY_BYTES, SealKey};
use crate::disk::{make_private_directory, open_private};
use crate::voice::path_name;

/// The key's file.
const KEY_FILE: &str = "key";

/// Keeps the key of one repository, and whatever else must not come with a clone.
///
/// The key is read when it is first needed, and made when something is first written.
#[derive(Debug, Clone)]
pub struct Vault {
    directory: Option<PathBuf>,
    read: Arc<OnceLock<Result<Seals, Unsealed>>>,
    made: Arc<OnceLock<Result<Seals, Unsealed>>>,
}

/// Why there is no key to work with. None of these is an error: work goes on unsealed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsealed {
    /// There is neither a git directory nor a state directory of the user.
    #[error("there is no git directory and no home directory to keep a key in")]
    NoPlace,
    /// Nobody has made one yet.
    #[error("there is no key yet")]
    Missing,
    /// What lies there is no key.
    #[error("{} is not a key of {KEY_BYTES} bytes", path_name(path))]
    Malformed {
        /// The key file.
        path: PathBuf,
    },
    /// It cannot be read.
    #[error("{} cannot be read: {reason}", path_name(path))]
    Unreadable {
        /// The key file.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
    /// It cannot be made.
    #[error("no key can be made in {}: {reason}", path_name(path))]
    Unwritable {
        /// The directory.
        path: PathBuf,
        /// Why not.
        reason: String,
    },
}

const NO_SEALS: &Seals = &Seals(None);

impl Vault {
    /// The vault in this directory, which need not exist yet.
    #[must_use]
    pub fn at(directory: PathBuf) -> Self {
        Self {
            directory: Some(directory),
            read: Arc::default(),
            made: Arc::default(),
        }
    }

    /// No vault: nothing can be sealed.
    #[must_use]
    pub fn nowhere() -> Self {
        Self {
            directory: None,
            read: Arc::default(),
            made: Arc::default(),
        }
    }

    /// A vault in memory that holds this key.
    #[must_use]
    pub fn holding(key: SealKey) -> Self {
        let vault = Self::nowhere();
        let _ = vault.made.set(Ok(Seals::with(key)));
        vault
    }

    /// The directory, for other files that must not come with a clone.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The seals, for reading.
    #[must_use]
    pub fn seals(&self) -> &Seals {
        self.opened().as_ref().unwrap_or(NO_SEALS)
    }

    /// The seals, for writing: makes a key where there is none.
    #[must_use]
    pub fn seals_for_writing(&self) -> &Seals {
        self.made_key().as_ref().unwrap_or(NO_SEALS)
    }

    /// Makes a key where there is none.
    ///
    /// # Errors
    ///
    /// Why nothing can be sealed.
    pub fn ensure_key(&self) -> Result<(), &Unsealed> {
        self.made_key().as_ref().map(drop)
    }

    /// Why nothing is sealed at the moment, where that is so.
    #[must_use]
    pub fn status(&self) -> Option<&Unsealed> {
        self.opened().as_ref().err()
    }

    /// Puts a new key in the place of the old one. What was sealed before is a claim from then on.
    ///
    /// # Errors
    ///
    /// When there is no place for a key, or it cannot be written.
    pub fn replace_key(&self) -> io::Result<()> {
        let directory = self.directory.as_deref();
        let directory = directory.ok_or_else(|| io::Error::other(Unsealed::NoPlace.to_string()))?;
        make_private_directory(directory)?;
        let temporary = write_temporary(directory, &SealKey::random()?)?;
        fs::rename(&temporary, directory.join(KEY_FILE))?;
        sync(directory)
    }

    fn opened(&self) -> &Result<Seals, Unsealed> {
        if let Some(made) = self.made.get() {
            return made;
        }
        self.read.get_or_init(|| self.load())
    }

    fn made_key(&self) -> &Result<Seals, Unsealed> {
        self.made.get_or_init(|| match self.load() {
            Err(Unsealed::Missing) => self.make(),
            other => other,
        })
    }

    fn load(&self) -> Result<Seals, Unsealed> {
        let directory = self.directory.as_deref().ok_or(Unsealed::NoPlace)?;
        let path = directory.join(KEY_FILE);
        match read_key(&path) {
            Ok(Some(key)) => Ok(Seals::with(key)),
            Ok(None) => Err(Unsealed::Malformed { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Err(Unsealed::Missing),
            Err(error) => Err(Unsealed::Unreadable {
                path,
                reason: error.to_string(),
            }),
        }
    }

    /// Makes a key. Of several processes that do, the first one's stays, and all use it.
    fn make(&self) -> Result<Seals, Unsealed> {
        let directory = self.directory.as_deref().ok_or(Unsealed::NoPlace)?;
        let made = SealKey::random().and_then(|key| {
            make_private_directory(directory)?;
            let temporary = write_temporary(directory, &key)?;
            let placed = place(&temporary, &directory.join(KEY_FILE));
            let _ = fs::remove_file(&temporary);
            placed?;
            sync(directory)
        });
        match made {
            Ok(()) => self.load(),
            Err(error) => Err(Unsealed::Unwritable {
                path: directory.to_owned(),
                reason: error.to_string(),
            }),
        }
    }
}

/// Reads a key file; `None` for what is none. Links are not followed, and nothing but a regular file is read.
fn read_key(path: &Path) -> io::Result<Option<SealKey>> {
    let file = open_private(path, OpenOptions::new().read(true))?;
    if file.metadata()?.len() != KEY_BYTES as u64 {
        return Ok(None);
    }
    let mut content = Vec::with_capacity(KEY_BYTES);
    file.take(KEY_BYTES as u64).read_to_end(&mut content)?;
    Ok(SealKey::from_bytes(&content))
}

fn write_temporary(directory: &Path, key: &SealKey) -> io::Result<PathBuf> {
    let path = directory.join(format!(".{KEY_FILE}-{}-{}", std::process::id(), key.id()));
    let mut file = open_private(&path, OpenOptions::new().write(true).create_new(true))?;
    let written = file.write_all(key.secret()).and_then(|()| file.sync_all());
    if let Err(error) = written {
        let _ = fs::remove_file(&path);
        return Err(error);
    }
    Ok(path)
}

/// Gives the key its name, unless something has it.
fn place(temporary: &Path, target: &Path) -> io::Result<()> {
    match fs::hard_link(temporary, target) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        done => done,
    }
}

#[cfg(unix)]
fn sync(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(not(unix))]
fn sync(_: &Path) -> io::Result<()> {
    Ok(())
}
