use std::fs;
use std::path::Path;

use super::{Scratch, quoted};

#[test]
fn the_first_directory_that_can_be_written_to_is_used_and_left_as_it_was() {
    let directory = tempfile::tempdir().unwrap();
    let missing = directory.path().join("missing");
    let entries = || fs::read_dir(directory.path()).unwrap().count();
    let scratch = Scratch::create(&[&missing, directory.path()]).unwrap();
    assert_eq!(entries(), 1);
    fs::write(scratch.index(), "x").unwrap();
    drop(scratch);
    assert_eq!(entries(), 0);
}

#[test]
fn where_none_can_be_written_to_the_first_is_named() {
    let error = Scratch::create(&[Path::new("/nowhere/a"), Path::new("/nowhere/b")]).unwrap_err();
    assert_eq!(error.to_string(), "cannot create a directory in /nowhere/a");
}

#[test]
fn only_paths_that_need_it_are_quoted() {
    assert_eq!(quoted(Path::new("/a \"b\":c")), b"/a \"b\":c");
    assert_eq!(quoted(Path::new("/a\n\"b\\")), b"\"/a\\n\\\"b\\\\\"");
}
