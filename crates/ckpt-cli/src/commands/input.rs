//! Reads what the user names: a file, or standard input.

use std::fs::File;
use std::io::{self, ErrorKind, Read};
use std::path::{Path, PathBuf};

use ckpt::document::MAX_BYTES;
use ckpt::files::{lexical, read_below, replace_below, replace_file};
use ckpt::voice::path_name;

use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// A file named on the command line.
pub(super) struct Named<'n> {
    name: &'n Path,
    path: PathBuf,
    /// No links are followed below this directory: files in a repository may have come with a clone.
    guard: Option<PathBuf>,
}

impl<'n> Named<'n> {
    pub(super) fn new(session: &Session, name: &'n Path) -> Self {
        let from = &session.directory;
        let from = from.canonicalize().unwrap_or_else(|_| from.clone());
        let path = lexical(&from.join(name));
        let guard = match session.settings.follow_symlinks() {
            true => None,
            false => guard(session, &path),
        };
        match guard {
            Some((root, path)) => Self {
                name,
                path,
                guard: Some(root),
            },
            None => Self {
                name,
                path,
                guard: None,
            },
        }
    }

    /// Reads the file; `None` if it does not exist.
    pub(super) fn read(&self) -> Result<Option<Vec<u8>>, Failure> {
        const MOST: u64 = MAX_BYTES as u64;
        let content = match &self.guard {
            Some(root) => read_below(root, &self.path, MOST),
            // It may be a pipe from the shell.
            None => File::open(&self.path).and_then(|file| read_up_to(file, MOST)),
        };
        match content {
            Ok(content) => Ok(Some(content)),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) => {
                let message = format!("cannot read {}", path_name(self.name));
                let failure = Failure::io(message, &error);
                Err(match self.guard {
                    Some(_) => failure.with_hint(
                        "Name a regular file, or allow links with: ckpt config set --user follow_symlinks true",
                    ),
                    None => failure,
                })
            }
        }
    }

    /// Reads the file, which must exist.
    pub(super) fn require(&self) -> Result<Vec<u8>, Failure> {
        self.read()?.ok_or_else(|| {
            let message = format!("cannot read {}: no such file", path_name(self.name));
            Failure::new(Exit::NotFound, message).with_hint("Check the path")
        })
    }

    /// Durably replaces the content, and creates missing directories.
    pub(super) fn replace(&self, bytes: &[u8]) -> Result<(), Failure> {
        if let Some(root) = &self.guard {
            return Ok(replace_below(root, &self.path, bytes)?);
        }
        if let Some(parent) = self.path.parent() {
            std::fs::create_dir_all(parent).map_err(|error| {
                Failure::io(format!("cannot create {}", path_name(parent)), &error)
            })?;
        }
        // If the file is a link, write to its target, so that it stays a link.
        let real = self.path.canonicalize();
        let real = real.unwrap_or_else(|_| self.path.clone());
        Ok(replace_file(&real, bytes)?)
    }
}

/// The repository that contains a path, and the path inside it. Links above the repository are the user's own.
fn guard(session: &Session, path: &Path) -> Option<(PathBuf, PathBuf)> {
    let own_root = session.workspace.repository().real_root();
    let mut above: Vec<&Path> = path.ancestors().collect();
    above.reverse();
    above.into_iter().find_map(|above| {
        let root = above.canonicalize().ok()?;
        let is_root = root == own_root || std::fs::symlink_metadata(root.join(".git")).is_ok();
        let below = path.strip_prefix(above).ok()?;
        (is_root && root.is_dir()).then(|| (root.clone(), root.join(below)))
    })
}

fn read_up_to(file: File, most: u64) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    if file.take(most + 1).read_to_end(&mut content)? as u64 > most {
        return Err(io::Error::new(
            ErrorKind::FileTooLarge,
            format!("larger than {} MiB", most >> 20),
        ));
    }
    Ok(content)
}

/// Reads all of standard input.
pub(super) fn standard(ui: &mut Ui) -> Result<Vec<u8>, Failure> {
    ui.input()
        .map_err(|error| Failure::io("cannot read standard input", &error))
}
