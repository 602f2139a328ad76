//! Documents that others wrote.

use std::path::{Path, PathBuf};

use ckpt::document::Document;

use crate::support::environment::Environment;

const DIRECTORY: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../fixtures/command");

/// A file in `fixtures/command`.
pub(crate) struct Fixture {
    /// Its name without the ending.
    pub(crate) name: String,
    pub(crate) path: PathBuf,
    pub(crate) text: String,
}

impl Fixture {
    /// Every one of them.
    pub(crate) fn all() -> Vec<Self> {
        let entries = std::fs::read_dir(DIRECTORY).unwrap();
        let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
        paths.sort();
        paths.into_iter().map(Self::read).collect()
    }

    /// One of them.
    pub(crate) fn named(name: &str) -> Self {
        Self::read(Path::new(DIRECTORY).join(format!("{name}.json")))
    }

    fn read(path: impl AsRef<Path>) -> Self {
        let path = path.as_ref().canonicalize().unwrap();
        Self {
            name: path.file_stem().unwrap().to_str().unwrap().to_owned(),
            text: std::fs::read_to_string(&path).unwrap(),
            path,
        }
    }

    /// The key that it belongs to.
    pub(crate) fn key(&self) -> String {
        let document = Document::parse(&self.text).unwrap();
        let feature = document.root().get("feature").unwrap();
        format!("implement/{}", feature.as_str().unwrap())
    }

    /// Writes it where its key says, and returns its path in the repository.
    pub(crate) fn place(&self, environment: &Environment) -> String {
        let name = format!(".claude/state/{}.json", self.key().replace('/', "-"));
        environment.write(&name, &self.text);
        name
    }
}
