//! Where a repository's key is stored: in its git directory, which no clone can bring, or, outside git, in the user's
//! state directory.

#![expect(
    clippy::disallowed_methods,
    reason = "the key is not a document: the first process writes it, and later ones never overwrite it"
)]

use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, OnceLock};

use super::Seals;
use super::key::{KEY_BYTES, SealKey};
use crate::disk::{create_private, make_private_directory, open_private};
use crate::voice::path_name;

/// The key's file.
const KEY_FILE: &str = "key";

/// The directory of the keys that were replaced, each under its id.
const FORMER: &str = "former-keys";

/// Stores the key of one repository, and anything else that must not come with a clone.
///
/// The key is read when first needed, and created on the first write.
#[derive(Debug, Clone)]
pub struct Vault {
    directory: Option<PathBuf>,
    known: Arc<Known>,
}

/// What is known of the keys so far.
#[derive(Debug, Default)]
struct Known {
    read: OnceLock<Result<Seals, Unsealed>>,
    made: OnceLock<Result<Seals, Unsealed>>,
    with_former: OnceLock<Seals>,
}

/// Why there is no usable key. Only a passing failure is an error ([`Vault::failure`]); otherwise work continues unsealed.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Unsealed {
    /// There is neither a git directory nor a user state directory.
    #[error("there is no git directory and no home directory to keep a key in")]
    NoPlace,
    /// No key has been created yet.
    #[error("there is no key yet")]
    Missing,
    /// The key file does not hold a key.
    #[error("{} is not a key of {KEY_BYTES} bytes", path_name(path))]
    Malformed {
        /// The key file.
        path: PathBuf,
    },
    /// The key file cannot be read.
    #[error("{} cannot be read: {reason}", path_name(path))]
    Unreadable {
        /// The key file.
        path: PathBuf,
        /// The reason.
        reason: String,
        /// Whether it may be readable the next time.
        is_passing: bool,
    },
    /// The key cannot be created.
    #[error("cannot create a key in {}: {reason}", path_name(path))]
    Unwritable {
        /// The directory.
        path: PathBuf,
        /// The reason.
        reason: String,
    },
}

const NO_SEALS: &Seals = &Seals::none();

impl Vault {
    /// The vault in this directory, which need not exist yet.
    #[must_use]
    pub fn at(directory: PathBuf) -> Self {
        Self {
            directory: Some(directory),
            known: Arc::default(),
        }
    }

    /// No vault: nothing can be sealed.
    #[must_use]
    pub fn nowhere() -> Self {
        Self {
            directory: None,
            known: Arc::default(),
        }
    }

    /// A vault in memory that holds this key.
    #[must_use]
    pub fn holding(key: SealKey) -> Self {
        let vault = Self::nowhere();
        let _ = vault.known.made.set(Ok(Seals::with(key)));
        vault
    }

    /// The directory, for other files that must not come with a clone.
    #[must_use]
    pub fn directory(&self) -> Option<&Path> {
        self.directory.as_deref()
    }

    /// The seals, for reading. Creates no key.
    #[must_use]
    pub fn seals(&self) -> &Seals {
        self.opened().as_ref().unwrap_or(NO_SEALS)
    }

    /// The seals, for reading what was put away here: in an archive, or in the copy of a history. Those of keys that were
    /// replaced since count too, because such a file gives no power to anybody.
    #[must_use]
    pub fn seals_of_any_time(&self) -> &Seals {
        let seals = self.seals();
        match (&self.directory, seals.has_key()) {
            (Some(directory), true) => self
                .known
                .with_former
                .get_or_init(|| seals.and(former_keys(&directory.join(FORMER)))),
            _ => seals,
        }
    }

    /// The seals, for writing. Creates a key if there is none.
    #[must_use]
    pub fn seals_for_writing(&self) -> &Seals {
        self.made_key().as_ref().unwrap_or(NO_SEALS)
    }

    /// Creates a key if there is none.
    ///
    /// # Errors
    ///
    /// The reason why nothing can be sealed.
    pub fn ensure_key(&self) -> Result<(), &Unsealed> {
        self.made_key().as_ref().map(drop)
    }

    /// Why there is no key at the moment, if there may be one the next time. Whoever writes without it now would write
    /// lines that nobody believes later.
    #[must_use]
    pub fn failure(&self) -> Option<&Unsealed> {
        let failure = self.made_key().as_ref().err();
        failure.filter(|why| matches!(why, Unsealed::Unreadable { is_passing, .. } if *is_passing))
    }

    /// Why nothing is sealed at the moment, if so.
    #[must_use]
    pub fn status(&self) -> Option<&Unsealed> {
        self.opened().as_ref().err()
    }

    /// Replaces the key with a new one. Everything sealed before is then only a claim; archives and copies of histories can
    /// still be read.
    ///
    /// # Errors
    ///
    /// If there is no place for a key, or it cannot be written.
    pub fn replace_key(&self) -> io::Result<()> {
        let directory = self.directory.as_deref();
        let directory = directory.ok_or_else(|| io::Error::other(Unsealed::NoPlace.to_string()))?;
        make_private_directory(directory)?;
        keep_former(directory)?;
        // If this dies in between, there is no key, and the next change creates one: a new one all the same.
        match fs::remove_file(directory.join(KEY_FILE)) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
            _ => create(directory, KEY_FILE, &SealKey::random()?),
        }
    }

    fn opened(&self) -> &Result<Seals, Unsealed> {
        if let Some(made) = self.known.made.get() {
            return made;
        }
        self.known.read.get_or_init(|| self.load())
    }

    fn made_key(&self) -> &Result<Seals, Unsealed> {
        self.known.made.get_or_init(|| match self.load() {
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
                is_passing: is_passing(&error),
                reason: error.to_string(),
            }),
        }
    }

    /// Creates a key. If several processes do so, the first one's key stays, and all use it.
    fn make(&self) -> Result<Seals, Unsealed> {
        let directory = self.directory.as_deref().ok_or(Unsealed::NoPlace)?;
        let made = SealKey::random().and_then(|key| {
            make_private_directory(directory)?;
            create(directory, KEY_FILE, &key)
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

/// Whether the system failed, as opposed to saying no.
fn is_passing(error: &io::Error) -> bool {
    use rustix::io::Errno;
    const PASSING: [Errno; 7] = [
        Errno::IO,
        Errno::MFILE,
        Errno::NFILE,
        Errno::NOMEM,
        Errno::INTR,
        Errno::AGAIN,
        Errno::STALE,
    ];
    let code = error.raw_os_error();
    PASSING
        .iter()
        .any(|passing| code == Some(passing.raw_os_error()))
}

/// Reads a key file; `None` if it does not hold a key. Follows no links and reads only regular files.
fn read_key(path: &Path) -> io::Result<Option<SealKey>> {
    let file = open_private(path, OpenOptions::new().read(true))?;
    if file.metadata()?.len() != KEY_BYTES as u64 {
        return Ok(None);
    }
    let mut content = Vec::with_capacity(KEY_BYTES);
    file.take(KEY_BYTES as u64).read_to_end(&mut content)?;
    Ok(SealKey::from_bytes(&content))
}

/// Keeps the key that is there among the former ones.
fn keep_former(directory: &Path) -> io::Result<()> {
    match read_key(&directory.join(KEY_FILE)) {
        Ok(Some(key)) => {
            let former = directory.join(FORMER);
            make_private_directory(&former)?;
            sync(directory)?;
            create(&former, key.id(), &key)
        }
        Ok(None) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(error) => Err(error),
    }
}

/// The keys that were replaced. One that cannot be read vouches for nothing.
fn former_keys(directory: &Path) -> Vec<SealKey> {
    let entries = fs::read_dir(directory).into_iter().flatten().flatten();
    let keys = entries.filter_map(|entry| read_key(&entry.path()).ok().flatten());
    keys.collect()
}

/// Durably creates the file of a key, unless there is one.
fn create(directory: &Path, name: &str, key: &SealKey) -> io::Result<()> {
    match create_private(&directory.join(name), key.secret()) {
        Err(error) if error.kind() == io::ErrorKind::Unsupported => {
            let temporary = write_temporary(directory, key)?;
            let placed = place(&temporary, &directory.join(name));
            let _ = fs::remove_file(&temporary);
            placed?;
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
        created => created?,
    }
    sync(directory)
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

/// Links the key into place, unless a file is already there.
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
