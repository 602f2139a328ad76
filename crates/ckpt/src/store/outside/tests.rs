use std::fs;
use std::path::PathBuf;
use std::time::Duration;

use super::*;

const WAIT: Duration = Duration::from_millis(200);

struct Folder(tempfile::TempDir);

impl Folder {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().canonicalize().unwrap().join(name)
    }

    fn put(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).unwrap();
    }

    fn text(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap()
    }

    fn file(&self) -> OutsideFile<'static> {
        OutsideFile::own(&self.path("settings"), WAIT)
    }

    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
        let mut names: Vec<String> = names.collect();
        names.sort();
        names
    }
}

#[test]
fn a_file_is_replaced_only_if_it_holds_what_was_read() {
    let folder = Folder::new();
    folder.put("settings", "theirs");
    let file = folder.file();
    assert_eq!(
        file.replace(Some(b"old"), b"new").unwrap(),
        Replaced::Overtaken
    );
    assert_eq!(file.replace(None, b"new").unwrap(), Replaced::Overtaken);
    assert_eq!(file.remove(b"old").unwrap(), Replaced::Overtaken);
    assert_eq!(folder.text("settings"), "theirs");
    assert_eq!(
        file.replace(Some(b"theirs"), b"new").unwrap(),
        Replaced::Done
    );
    assert_eq!(folder.text("settings"), "new");
    assert_eq!(file.remove(b"new").unwrap(), Replaced::Done);
    assert_eq!(
        file.replace(Some(b"new"), b"newer").unwrap(),
        Replaced::Overtaken
    );
    assert_eq!(folder.names(), Vec::<String>::new());
    assert_eq!(file.replace(None, b"first").unwrap(), Replaced::Done);
    assert_eq!(folder.names(), ["settings"]);
}

#[test]
fn what_a_crash_left_is_removed_unless_it_is_somebodys_text() {
    let (temporary, old) = (".settings.ckpt-tmp", ".settings.ckpt-old");
    // Killed before the exchange.
    let folder = Folder::new();
    folder.put("settings", "before");
    fs::hard_link(folder.path("settings"), folder.path(old)).unwrap();
    folder.put(temporary, "after");
    assert_eq!(
        folder.file().replace(Some(b"before"), b"before").unwrap(),
        Replaced::Done
    );
    assert_eq!(folder.names(), ["settings"]);
    // Killed after it.
    folder.put(temporary, "after");
    fs::rename(folder.path("settings"), folder.path(old)).unwrap();
    fs::rename(folder.path(temporary), folder.path("settings")).unwrap();
    fs::hard_link(folder.path(old), folder.path(temporary)).unwrap();
    assert_eq!(
        folder.file().replace(Some(b"after"), b"after").unwrap(),
        Replaced::Done
    );
    assert_eq!(folder.names(), ["settings"]);
    // Killed after it, and an editor had saved just before it.
    folder.put(old, "before");
    folder.put(temporary, "the editor's text");
    assert_eq!(folder.file().remove(b"after").unwrap(), Replaced::Done);
    let names = folder.names();
    assert_eq!(names.len(), 1, "{names:?}");
    assert!(names[0].starts_with("settings.orphan-"), "{names:?}");
    assert_eq!(folder.text(&names[0]), "the editor's text");
}

#[test]
fn a_lock_of_git_is_waited_for() {
    let folder = Folder::new();
    folder.put("settings", "before");
    folder.put("settings.lock", "");
    let file = folder.file().that_git_locks();
    std::thread::scope(|scope| {
        let replacing = scope.spawn(|| file.replace(Some(b"before"), b"after").unwrap());
        std::thread::sleep(Duration::from_millis(100));
        // What git does: it writes to its lock and renames it.
        folder.put("settings.lock", "before, and git's");
        fs::rename(folder.path("settings.lock"), folder.path("settings")).unwrap();
        assert_eq!(replacing.join().unwrap(), Replaced::Overtaken);
    });
    assert_eq!(folder.text("settings"), "before, and git's");
}

#[test]
fn the_lock_of_a_directory_is_waited_for_unless_it_is_ours() {
    let folder = Folder::new();
    let lock = DirectoryLock::take(folder.0.path(), WAIT).unwrap();
    let error = folder.file().replace(None, b"new").unwrap_err();
    assert!(error.is_busy(), "{error}");
    let held = folder.file().while_holding(Some(&lock));
    assert_eq!(held.replace(None, b"new").unwrap(), Replaced::Done);
}

#[test]
fn a_lock_of_git_that_a_crash_of_ours_left_is_removed_and_no_other() {
    let folder = Folder::new();
    folder.put("settings", "before");
    folder.put(".settings.ckpt-tmp", "after");
    fs::hard_link(
        folder.path(".settings.ckpt-tmp"),
        folder.path("settings.lock"),
    )
    .unwrap();
    let file = folder.file().that_git_locks();
    assert_eq!(
        file.replace(Some(b"before"), b"after").unwrap(),
        Replaced::Done
    );
    assert_eq!(folder.names(), ["settings"]);
    folder.put("settings.lock", "after");
    let error = file.replace(Some(b"after"), b"more").unwrap_err();
    assert!(matches!(error, StoreError::LockedByGit { .. }), "{error}");
    assert_eq!(folder.names(), ["settings", "settings.lock"]);
    assert_eq!(folder.text("settings"), "after");
}
