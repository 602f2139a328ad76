//! Restoring the content at a revision.
//!
//! Changes record edits, and from time to time the whole content. So a revision is found by going back from it to the last
//! whole content, and forward again.

use std::collections::HashMap;
use std::io;

use super::seek::{Counts, everywhere, seek};
use super::{Backward, FileChange, Forward, Line, Revision, Trail, Transition};
use crate::disk::DiskFile;
use crate::hash::ContentHash;

/// The content of every file of the document at a revision (the last one by default), using only the lines that
/// `counts` accepts. `None` if the revision is not in the history.
pub fn replay(
    history: &dyn DiskFile,
    until: Option<&Revision>,
    counts: impl Fn(&Line) -> bool,
) -> io::Result<Option<HashMap<String, Vec<u8>>>> {
    let mut trails: HashMap<String, Trail> = HashMap::new();
    let mut reached = None;
    for line in Forward::new(history)? {
        let line = line?;
        let (Some(number), Some(epoch), Some(files)) = (line.number(), line.epoch(), line.files())
        else {
            continue;
        };
        if !counts(&line) {
            continue;
        }
        for file in files {
            trails.entry(file.name.clone()).or_default().follow(&file);
        }
        if until.is_some_and(|until| until.names(number, &epoch)) {
            reached = Some(contents(&trails));
        }
    }
    Ok(match until {
        Some(_) => reached,
        None => Some(contents(&trails)),
    })
}

/// The content of one file after the last change, if the last `most` bytes of the history contain its whole content
/// once. The changes of other files are not even parsed.
pub(crate) fn last_content(
    history: &dyn DiskFile,
    name: &str,
    most: usize,
) -> io::Result<Option<(Vec<u8>, ContentHash)>> {
    content_before(Backward::new(history)?, name, most, &|_| true)
}

/// The content of one file at a revision, from the last whole content before it. `None` if the revision cannot be found, or
/// the lines that lead to it are damaged.
pub(crate) fn content_at(
    history: &dyn DiskFile,
    name: &str,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<Vec<u8>>> {
    let before = |end| -> io::Result<Option<Vec<u8>>> {
        let content = content_before(Backward::before(history, end), name, usize::MAX, counts)?;
        Ok(content.map(|(content, _)| content))
    };
    let Some(end) = seek(history, revision, counts)? else {
        return Ok(None);
    };
    if let Some(content) = before(end)? {
        return Ok(Some(content));
    }
    // In a damaged history a revision may be there several times.
    for other in everywhere(history, revision, counts)? {
        if other != end
            && let Some(content) = before(other)?
        {
            return Ok(Some(content));
        }
    }
    Ok(None)
}

/// The contents of files at one revision.
pub(crate) struct Rebuilt {
    /// The revision.
    pub(crate) revision: Revision,
    /// The contents, by name. A file that did not exist then is not among them.
    pub(crate) contents: HashMap<String, Vec<u8>>,
}

/// The contents of these files at a revision. If lines that lead to it are damaged, those at the last revision before
/// the damage of which all of them can be rebuilt. `None` if there is none.
pub(crate) fn rebuild(
    history: &dyn DiskFile,
    names: &[&str],
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<Rebuilt>> {
    let mut contents = HashMap::new();
    for name in names {
        if let Some(content) = content_at(history, name, revision, counts)? {
            contents.insert((*name).to_owned(), content);
        }
    }
    if contents.len() == names.len() {
        let revision = revision.clone();
        return Ok(Some(Rebuilt { revision, contents }));
    }
    let Some(revision) = last_complete(history, names, counts)? else {
        return Ok(None);
    };
    let contents = replay(history, Some(&revision), counts)?;
    Ok(contents.map(|contents| Rebuilt { revision, contents }))
}

/// The last revision at which the lines that count lead to the content of each of these files.
fn last_complete(
    history: &dyn DiskFile,
    names: &[&str],
    counts: Counts<'_>,
) -> io::Result<Option<Revision>> {
    let mut trails = vec![Trail::default(); names.len()];
    let mut found = None;
    for line in Forward::new(history)? {
        let line = line?;
        let (Some(revision), Some(files)) = (line.revision(), line.files()) else {
            continue;
        };
        if !counts(&line) {
            continue;
        }
        for (name, trail) in names.iter().zip(&mut trails) {
            let change = files.iter().find(|file| file.name == *name);
            change.into_iter().for_each(|change| trail.follow(change));
        }
        if !trails.iter().any(Trail::is_lost) {
            found = Some(revision);
        }
    }
    Ok(found)
}

/// The names of the files that there were at a revision. `None` if it cannot be found.
pub(crate) fn names_at(
    history: &dyn DiskFile,
    revision: &Revision,
    counts: Counts<'_>,
) -> io::Result<Option<Vec<String>>> {
    let Some(end) = seek(history, revision, counts)? else {
        return Ok(None);
    };
    let line = Backward::before(history, end).next().transpose()?;
    let files = line.and_then(|line| line.files());
    let there = |files: Vec<FileChange>| {
        let there = files.into_iter().filter(|file| file.to.is_some());
        there.map(|file| file.name).collect()
    };
    Ok(files.map(there))
}

/// The content of one file after the first of these lines.
fn content_before(
    mut lines: Backward<'_>,
    name: &str,
    most: usize,
    counts: Counts<'_>,
) -> io::Result<Option<(Vec<u8>, ContentHash)>> {
    let mut changes: Vec<FileChange> = Vec::new();
    let mut left = most;
    while let Some(bytes) = lines.previous()? {
        let Some(rest) = left.checked_sub(bytes.len()) else {
            return Ok(None);
        };
        left = rest;
        let Ok(line) = Line::parse(bytes) else {
            continue;
        };
        if line.number().is_none() || line.epoch().is_none() {
            continue;
        }
        if let Some(change) = line.file(name).filter(|_| counts(&line)) {
            let is_whole = change.content_after().is_some();
            let is_first = change.from.is_none() && change.is_change();
            changes.push(change);
            if is_whole || is_first {
                break;
            }
        }
    }
    let mut trail = Trail::default();
    for change in changes.iter().rev() {
        trail.follow(change);
    }
    Ok(trail.into_content())
}

fn contents(trails: &HashMap<String, Trail>) -> HashMap<String, Vec<u8>> {
    let known = trails.iter().filter_map(|(name, trail)| {
        let content = trail.content().flatten()?;
        Some((name.clone(), content.to_vec()))
    });
    known.collect()
}

/// The content of one file at a revision, going back from its present content. `None` if the revision is not in the
/// history, or lies before a change that cannot be undone.
pub fn rewind(
    history: &dyn DiskFile,
    name: &str,
    present: &[u8],
    until: &Revision,
) -> io::Result<Option<Vec<u8>>> {
    let mut content = Some(present.to_vec());
    for line in Backward::new(history)? {
        let line = line?;
        let (Some(number), Some(epoch), Some(files)) = (line.number(), line.epoch(), line.files())
        else {
            continue;
        };
        let Some(change) = files.into_iter().find(|file| file.name == name) else {
            continue;
        };
        let hash = content.as_deref().map(ContentHash::of);
        if hash == change.to {
            if until.names(number, &epoch) {
                return Ok(content);
            }
            if !change.is_change() {
                continue;
            }
            let Transition::Edit(edit) = &change.transition else {
                return Ok(None);
            };
            content = match edit.undo(content.as_deref().unwrap_or_default()) {
                Ok(before) => change.from.map(|_| before),
                Err(_) => return Ok(None),
            };
        }
        // Otherwise the change never reached the file, or its line was moved here.
    }
    Ok(None)
}
