//! Going back to a revision.

use std::collections::HashMap;
use std::io;

use super::{Backward, Forward, Revision, Transition};
use crate::disk::DiskFile;
use crate::hash::ContentHash;

/// The content of every file of the document at a revision, or at the last one when none is
/// asked for. `None` when the revision is not there or the lines that lead to it are damaged.
pub fn replay(
    history: &dyn DiskFile,
    until: Option<&Revision>,
) -> io::Result<Option<HashMap<String, Vec<u8>>>> {
    let mut contents: HashMap<String, Vec<u8>> = HashMap::new();
    // A damaged line breaks the chain until a line brings the whole content again.
    let mut broken = false;
    let mut reached = None;
    for line in Forward::new(history)? {
        let line = line?;
        let (Some(number), Some(epoch), Some(files)) = (line.number(), line.epoch(), line.files())
        else {
            continue;
        };
        for file in files {
            let before = contents.remove(&file.name);
            let fits = before.as_deref().map(ContentHash::of) == file.from;
            let whole = matches!(file.transition, Transition::Content(_));
            match file.apply(before.as_deref()) {
                Some(after) if whole || fits => {
                    broken &= !whole;
                    if let Some(after) = after {
                        contents.insert(file.name, after);
                    }
                }
                _ => broken = true,
            }
        }
        if until.is_some_and(|until| until.names(number, &epoch)) {
            reached = (!broken).then(|| contents.clone());
        }
    }
    Ok(match until {
        Some(_) => reached,
        None => (!broken).then_some(contents),
    })
}

/// The content of one file at a revision, going back from its present content. `None` when the
/// revision is not there, or lies before something that cannot be taken back.
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
            let Transition::Edit(edit) = &change.transition else {
                return Ok(None);
            };
            content = match edit.undo(content.as_deref().unwrap_or_default()) {
                Ok(before) => change.from.map(|_| before),
                Err(_) => return Ok(None),
            };
        } else if hash != change.from || until.names(number, &epoch) {
            // Only the last change may not have reached the file.
            return Ok(None);
        }
    }
    Ok(None)
}
