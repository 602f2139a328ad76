//! Looks for the specification of a pipeline that names none, in the folders where specifications usually are.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use super::super::{Workspace, WorkspaceError};
use super::spec::Source;
use crate::key::PipelineId;
use crate::pipeline::Refusal;

/// Where to look, with everything below.
const FOLDERS: [&str; 2] = ["docs", ".claude"];

/// The maximum number of directories to look into, and of files in all of them.
const MOST_DIRECTORIES: usize = 500;
const MOST_FILES: usize = 5_000;

/// The maximum number of files that are opened because of their content alone, and how much of each is read.
const MOST_OPENED: usize = 500;
const BEGINNING: usize = 4 * 1024;

impl Workspace {
    /// The specification of a pipeline: the only one that has its id, or another of its names. A file that has one of
    /// them in its own name is preferred.
    pub(super) fn find_spec(
        &self,
        id: &PipelineId,
        names: &[String],
    ) -> Result<Source, WorkspaceError> {
        let files = self.markdown.get_or_init(|| self.all_markdown());
        let (named, others): (Vec<&PathBuf>, Vec<&PathBuf>) =
            files.iter().partition(|file| is_named_after(file, names));
        let mut found = self.specs_of(names, named.into_iter());
        if found.is_empty() {
            let opened = others.into_iter().take(MOST_OPENED);
            found = self.specs_of(names, opened.filter(|file| self.declares(file, names)));
        }
        match found.len() {
            1 => Ok(found.remove(0)),
            0 => Err(self.why_none(id, names, files)),
            _ => Err(Refusal::SeveralSpecs {
                id: id.to_string(),
                paths: found.into_iter().map(|source| source.stored).collect(),
            }
            .into()),
        }
    }

    /// Why there is no specification: one that says it is about the pipeline cannot be read, or there is none.
    fn why_none(&self, id: &PipelineId, names: &[String], files: &[PathBuf]) -> WorkspaceError {
        let mut declared = files.iter().take(MOST_OPENED);
        let broken = declared.find_map(|file| match self.declares(file, names) {
            true => self.read_spec_below(file).err(),
            false => None,
        });
        broken.unwrap_or_else(|| Refusal::SpecUnknown(id.to_string()).into())
    }

    /// Those of these files that are specifications of the pipeline.
    fn specs_of<'f>(
        &self,
        names: &[String],
        files: impl Iterator<Item = &'f PathBuf>,
    ) -> Vec<Source> {
        let read = files.filter_map(|file| self.read_spec_below(file).ok());
        let is_own = |source: &Source| {
            let declared = source.spec.id.as_ref();
            declared.is_none_or(|declared| names.contains(declared))
        };
        read.filter(is_own).collect()
    }

    /// Whether the beginning of a file says that it is about a pipeline.
    fn declares(&self, file: &Path, names: &[String]) -> bool {
        let beginning = self.store.read_beginning(file, BEGINNING);
        let Ok(Some(beginning)) = beginning else {
            return false;
        };
        let text = String::from_utf8_lossy(&beginning);
        text.lines().any(|line| {
            let value = line.strip_prefix("prd:").map(str::trim);
            let value = value.map(|value| value.trim_matches(['"', '\'']));
            value.is_some_and(|value| names.iter().any(|name| name == value))
        })
    }

    /// The Markdown files in the usual folders, those of a directory before those below it.
    fn all_markdown(&self) -> Vec<PathBuf> {
        let root = self.repository.root();
        let mut directories: Vec<PathBuf> = FOLDERS.iter().map(|name| root.join(name)).collect();
        let mut files = Vec::new();
        let mut at = 0;
        while let Some(directory) = directories.get(at).filter(|_| files.len() < MOST_FILES) {
            let inside = self.store.beside(&directory.join("*"), OsStr::new(""));
            let is_markdown = |file: &PathBuf| {
                let ending = file.extension().and_then(OsStr::to_str);
                ending.is_some_and(|ending| ["md", "yaml", "yml"].contains(&ending))
            };
            files.extend(inside.into_iter().filter(is_markdown));
            if directories.len() < MOST_DIRECTORIES {
                let mut below = self.store.directories_in(directory).unwrap_or_default();
                below.sort_unstable();
                let below = below.iter().map(|name| directory.join(name));
                // What another work tree or repository has is not ours.
                let own = below.filter(|path| !self.store.is_there(&path.join(".git")));
                let own: Vec<PathBuf> = own.collect();
                directories.extend(own);
            }
            at += 1;
        }
        files.truncate(MOST_FILES);
        files
    }
}

/// Whether a file has a name of a pipeline in its own, as a word.
fn is_named_after(file: &Path, names: &[String]) -> bool {
    let stem = file.file_stem().and_then(OsStr::to_str);
    let stem = stem.unwrap_or_default();
    let is_end = |next: Option<char>| !next.is_some_and(char::is_alphanumeric);
    names.iter().any(|name| {
        stem.match_indices(name).any(|(at, _)| {
            let (before, after) = (&stem[..at], &stem[at + name.len()..]);
            is_end(before.chars().next_back()) && is_end(after.chars().next())
        })
    })
}
