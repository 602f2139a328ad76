//! Files that belong to no store, such as settings: read and replaced without following links,
//! unless a function says otherwise.

pub use crate::disk::{
    is_no_link, lexical, make_private_directory, open_private, read_below, read_in, read_own,
    read_private,
};
pub use crate::store::{DirectoryLock, OutsideFile, Replaced, replace_below, replace_file};
