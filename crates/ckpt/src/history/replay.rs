//! Going back to a revision.

use std::collections::HashMap;
use std::io;

use super::{Forward, Revision, Transition};
use crate::hash::ContentHash;
use crate::store::disk::DiskFile;

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
