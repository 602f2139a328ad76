//! A file of lines that is only appended to.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use ckpt::files::open_private;
use ckpt::voice::escaped_json;
use ckpt::workspace::Batch;

use crate::commands::log::with_name;

/// A file to append lines to.
#[derive(Debug)]
pub(crate) struct Journal(PathBuf);

impl Journal {
    pub(crate) fn at(path: &Path) -> Self {
        Self(path.to_owned())
    }

    /// Whether it can be appended to. Creates it.
    pub(crate) fn try_out(&self) -> io::Result<()> {
        self.open().map(drop)
    }

    /// Appends whole lines durably. A line that a crash has cut off is ended first.
    pub(crate) fn append(&self, lines: &str) -> io::Result<()> {
        let mut file = self.open()?;
        let mut text = String::new();
        if !ends_a_line(&mut file)? {
            text.push('\n');
        }
        text.push_str(lines);
        file.write_all(text.as_bytes())?;
        file.sync_all()
    }

    fn open(&self) -> io::Result<File> {
        let is_new = !self.0.exists();
        let mut options = OpenOptions::new();
        options.read(true).append(true).create(true);
        let file = open_private(&self.0, &mut options)?;
        if is_new && let Some(parent) = self.0.parent() {
            File::open(parent)?.sync_all()?;
        }
        Ok(file)
    }
}

fn ends_a_line(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

/// The lines of a batch as JSON, each with the name of its checkpoint and the id of its worktree.
pub(crate) fn written(batch: &Batch<'_>) -> String {
    let lines = lines(batch).into_iter();
    escaped_json(lines.map(|line| line + "\n").collect())
}

/// The same, line by line, and as they are in the history.
pub(crate) fn lines(batch: &Batch<'_>) -> Vec<String> {
    let about = match batch.key {
        Some(key) => key.to_string(),
        None => batch.about.to_owned(),
    };
    let members = [("checkpoint", about.as_str()), ("worktree", batch.worktree)];
    let lines = batch.lines.iter();
    lines
        .filter_map(|line| with_name(&members, line.raw()))
        .collect()
}
