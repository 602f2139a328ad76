//! A document to look at: a checkpoint of the store, or any file.

use std::path::{Path, PathBuf};

use ckpt::document::Document;
use ckpt::key::Key;
use ckpt::workspace::Loaded;

use crate::failure::{Exit, Failure};
use crate::session::Session;

/// A document that was found.
pub(crate) struct Target {
    pub(crate) key: Option<Key>,
    pub(crate) path: PathBuf,
    pub(crate) document: Document,
}

impl From<Loaded> for Target {
    fn from(loaded: Loaded) -> Self {
        Self {
            key: Some(loaded.key),
            path: loaded.path,
            document: loaded.document,
        }
    }
}

impl Target {
    /// Finds what was typed: a key of the store, else a file.
    pub(crate) fn find(session: &Session, typed: &str) -> Result<Self, Failure> {
        let looks_like_a_file = typed.ends_with(".json") || typed.starts_with(['.', '/']);
        if !looks_like_a_file {
            let key = Key::parse(typed)?;
            if let Some(loaded) = session.workspace.load(&key)? {
                return Ok(loaded.into());
            }
        }
        let path = session.directory.join(typed);
        if looks_like_a_file || path.is_file() {
            return Self::read(&path);
        }
        Err(
            Failure::new(Exit::NotFound, format!("no checkpoint and no file {typed}"))
                .with_hint("See what there is with: ckpt list"),
        )
    }

    fn read(path: &Path) -> Result<Self, Failure> {
        let bytes = std::fs::read(path).map_err(|error| {
            let exit = match error.kind() {
                std::io::ErrorKind::NotFound => Exit::NotFound,
                _ => Exit::Failed,
            };
            Failure::new(exit, format!("cannot read {}: {error}", path.display()))
        })?;
        let document = Document::from_bytes(bytes).map_err(|error| {
            Failure::new(
                Exit::Invalid,
                format!("{} is not JSON: {error}", path.display()),
            )
        })?;
        Ok(Self {
            key: None,
            path: path.to_owned(),
            document,
        })
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        match &self.key {
            Some(key) => key.short(),
            None => self.path.display().to_string(),
        }
    }
}
