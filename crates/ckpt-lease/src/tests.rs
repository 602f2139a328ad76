#![expect(clippy::unwrap_used, reason = "a test ends with a panic")]

use std::path::PathBuf;
use std::time::Duration;

use super::*;

fn file() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("file");
    std::fs::write(&path, "text").unwrap();
    (directory, path)
}

#[test]
fn a_writer_is_seen_until_it_closes_the_file() {
    let (_directory, path) = file();
    let writer = File::options().append(true).open(&path).unwrap();
    assert!(matches!(
        Writers::of(File::open(&path).unwrap()),
        Writers::Some
    ));
    drop(writer);
    assert!(matches!(
        Writers::of(File::open(&path).unwrap()),
        Writers::None(_)
    ));
    // Readers do not count.
    let _reader = File::open(&path).unwrap();
    assert!(matches!(
        Writers::of(File::open(&path).unwrap()),
        Writers::None(_)
    ));
}

#[test]
fn whoever_wants_to_write_waits_and_is_seen() {
    let (_directory, path) = file();
    let Writers::None(lease) = Writers::of(File::open(&path).unwrap()) else {
        panic!("nobody writes");
    };
    assert!(!lease.is_wanted());
    std::thread::scope(|scope| {
        let writer = scope.spawn(|| File::create(&path).unwrap());
        while !lease.is_wanted() {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert!(!writer.is_finished());
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "text");
        drop(lease);
        writer.join().unwrap();
    });
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "");
}
