//! Crash tests: for each kind of write, the process dies at every single disk operation, followed by a kill, a power
//! loss, or a power loss on a file system that persists names before data.

use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::command::{PhaseUpdate, Unfinished};
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::document::{Document, Object, Value};
use crate::history::{Forward, Line, replay};
use crate::issue::IssueId;
use crate::key::CommandKey;
use crate::repository::{ContentDigest, Environment, Repository};
use crate::seal::{SealKey, Vault};
use crate::store::FileStore;
use crate::time::Timestamp;
use crate::workspace::{
    Base, Finished, GateRequest, Options, StartRequest, Workspace, WorkspaceError,
};

const ROOT: &str = "/repository";

thread_local! {
    static TICKS: Cell<i64> = const { Cell::new(0) };
    /// The repository's key, if it has one.
    static KEY: Cell<Option<u8>> = const { Cell::new(Some(1)) };
}

/// The key while an operation is interrupted, and the key that the next command finds.
const KEYS: [(Option<u8>, Option<u8>); 5] = [
    (Some(1), Some(1)),
    (None, None),
    (Some(1), Some(2)),
    (Some(1), None),
    (None, Some(1)),
];

fn vault() -> Vault {
    match KEY.get() {
        Some(key) => Vault::holding(SealKey::new([key; 32])),
        None => Vault::nowhere(),
    }
}

/// The clock advances, so that names or numbers derived from it show; [`at_time`] repeats an operation at the same
/// time.
fn clock() -> Timestamp {
    let tick = TICKS.replace(TICKS.get() + 1);
    Timestamp::from_millisecond(1_769_682_600_000 + tick).unwrap()
}

fn at_time<T>(ticks: i64, operation: impl FnOnce() -> T) -> T {
    TICKS.set(ticks);
    operation()
}

/// The time of rehearsed and interrupted operations.
const NOON: i64 = 1_000;
/// The time of whatever follows a crash.
const EVENING: i64 = 2_000;

fn workspace(disk: &SimulatedDisk) -> Workspace {
    in_session(disk, None)
}

fn in_session(disk: &SimulatedDisk, session: Option<&str>) -> Workspace {
    let environment = Environment {
        git_root: Some(ROOT.into()),
        ..Environment::default()
    };
    let repository = Repository::discover(Path::new("/"), &environment).unwrap();
    let store = FileStore::on(Arc::new(disk.clone()), Path::new(ROOT), clock)
        .with_vault(vault())
        .with_epochs_by_time();
    let options = Options {
        clock,
        session: session.map(str::to_owned),
        ..Options::default()
    };
    Workspace::with_store(repository, store, options)
}

fn key() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn file() -> std::path::PathBuf {
    Path::new(ROOT).join(".claude/state/implement-auth.json")
}

fn phase(workspace: &Workspace, name: &str, status: &str) -> Result<(), WorkspaceError> {
    let update = PhaseUpdate {
        data: Object::from_iter([("status", Value::from(status))]),
        ..PhaseUpdate::default()
    };
    workspace
        .command(&key())
        .update_phase(name, &update)
        .map(drop)
}

fn start(workspace: &Workspace) {
    workspace
        .command(&key())
        .start(&StartRequest::default())
        .unwrap();
}

type Operation = fn(&Workspace) -> Result<(), WorkspaceError>;

/// One kind of write: its setup and its action.
struct WritePath {
    name: &'static str,
    prepare: fn(&SimulatedDisk),
    operation: Operation,
    /// Whether the file was edited by hand before.
    foreign: bool,
}

const FOREIGN: &str = r#"{"command":"implement","version":1,"state":{},"phases":{},"x":1}"#;

fn write_paths() -> Vec<WritePath> {
    let path = |name, prepare: fn(&SimulatedDisk), operation: Operation| WritePath {
        name,
        prepare,
        operation,
        foreign: false,
    };
    let started: fn(&SimulatedDisk) = |disk| start(&workspace(disk));
    let finished: fn(&SimulatedDisk) = |disk| {
        start(&workspace(disk));
        workspace(disk)
            .command(&key())
            .complete(Unfinished::Ignore)
            .unwrap();
    };
    vec![
        path(
            "first start",
            |_| {},
            |w| w.command(&key()).start(&StartRequest::default()).map(drop),
        ),
        path(
            "phase that starts",
            |_| {},
            |w| phase(w, "build", "in_progress"),
        ),
        path("phase", started, |w| phase(w, "build", "in_progress")),
        path("complete", started, |w| {
            w.command(&key()).complete(Unfinished::Ignore).map(drop)
        }),
        path("abandon", started, |w| {
            w.command(&key()).abandon("no time").map(drop)
        }),
        path("start again", finished, |w| {
            let request = StartRequest {
                finished: Finished::StartOver,
                ..StartRequest::default()
            };
            w.command(&key()).start(&request).map(drop)
        }),
        path("issue", started, |w| {
            let issue = IssueId::parse("BAS-6").unwrap();
            w.command(&key()).record_issue(&issue).map(drop)
        }),
        path("gate", started, |w| {
            let request = GateRequest::Block(vec!["tests fail".into()]);
            w.command(&key()).set_gate(&request).map(drop)
        }),
        path("override", started, |w| {
            w.command(&key())
                .override_gate_for("agreed", &ContentDigest::of_test("abc"))
                .map(drop)
        }),
        path("reopening phase", finished, |w| {
            phase(w, "build", "in_progress")
        }),
        path(
            "save with a base",
            |disk| {
                start(&workspace(disk));
                phase(&workspace(disk), "build", "in_progress").unwrap();
            },
            |w| {
                let base = "1".parse().unwrap();
                let mut mine = w.at_revision(&key().into(), &base)?.value();
                mine.as_object_mut().unwrap().set("note", "mine");
                w.command(&key())
                    .save(&mine, Base::Revision(&base))
                    .map(drop)
            },
        ),
        path("save", started, |w| {
            let document = Document::parse(FOREIGN).unwrap();
            w.command(&key())
                .save(&document.value(), Base::Unknown)
                .map(drop)
        }),
        path(
            "phase on a file without history",
            |disk| {
                start(&workspace(disk));
                disk.put(&file(), FOREIGN.as_bytes());
                let history =
                    Path::new(ROOT).join(".claude/state/history/command/implement-auth.jsonl");
                disk.put(&history, b"");
            },
            |w| phase(w, "build", "complete"),
        ),
        WritePath {
            foreign: true,
            ..path(
                "phase on a foreign edit",
                |disk| {
                    start(&workspace(disk));
                    disk.put(&file(), FOREIGN.as_bytes());
                },
                |w| phase(w, "build", "complete"),
            )
        },
        WritePath {
            foreign: true,
            ..path(
                "phase on a corrupt file",
                |disk| {
                    start(&workspace(disk));
                    disk.put(&file(), b"{\"command\": \xff");
                },
                |w| phase(w, "build", "complete"),
            )
        },
        path(
            "restore",
            |disk| {
                start(&workspace(disk));
                phase(&workspace(disk), "build", "in_progress").unwrap();
            },
            |w| w.restore(&key().into(), &"1".parse().unwrap()).map(drop),
        ),
        path(
            "undo",
            |disk| {
                start(&workspace(disk));
                phase(&workspace(disk), "build", "in_progress").unwrap();
            },
            |w| w.undo(&key().into()).map(drop),
        ),
        path(
            "undo of a session",
            |disk| {
                start(&workspace(disk));
                phase(&in_session(disk, Some("s1")), "plan", "complete").unwrap();
                phase(&workspace(disk), "build", "in_progress").unwrap();
            },
            |w| w.undo_session(&key().into(), "s1").map(drop),
        ),
        path(
            "phase after a torn history line",
            |disk| {
                start(&workspace(disk));
                let history =
                    Path::new(ROOT).join(".claude/state/history/command/implement-auth.jsonl");
                let mut lines = content(disk, &history).unwrap();
                lines.extend_from_slice(br#"{"ts":"2026-01-29T10:3"#);
                disk.put(&history, &lines);
            },
            |w| phase(w, "build", "complete"),
        ),
    ]
}

fn content(disk: &SimulatedDisk, path: &Path) -> Option<Vec<u8>> {
    use crate::disk::Disk;
    disk.read(path).ok()
}

/// The lines of the history, after checking that they lead to the content of the file.
fn history(disk: &SimulatedDisk) -> Vec<Line> {
    let workspace = workspace(disk);
    let Some(history) = workspace.history(&key().into()).unwrap() else {
        return Vec::new();
    };
    let contents = replay(history.file(), None, |_| true)
        .unwrap()
        .expect("the history is whole");
    assert_eq!(
        contents.get("implement-auth.json").cloned(),
        content(disk, &file())
    );
    Forward::new(history.file())
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

/// Revisions are consecutive and unique: each begins with the one line that carries the files, and its lines are
/// contiguous.
fn check_revisions(lines: &[Line], scene: &str) {
    let epoch = |line: &Line| line.epoch().map(|epoch| epoch.to_string());
    for lines in lines.chunk_by(|one, two| epoch(one) == epoch(two)) {
        check_epoch(lines, scene);
    }
}

fn check_epoch(lines: &[Line], scene: &str) {
    let mut begun: BTreeMap<u64, usize> = BTreeMap::new();
    let mut last = 0;
    for line in lines {
        let number = line.number().unwrap();
        assert!(number >= last, "{scene}: {number} after {last}");
        let begins = line.files().is_some();
        assert!(
            begins || number == last,
            "{scene}: a line of {number} before its first"
        );
        *begun.entry(number).or_default() += usize::from(begins);
        last = number;
    }
    let expected: BTreeMap<u64, usize> = (1..=last).map(|number| (number, 1)).collect();
    assert_eq!(begun, expected, "{scene}");
}

/// What must hold on any disk left by a crash, once the next command has run.
fn check_next_command(image: &SimulatedDisk, foreign: bool, scene: &str) {
    let next = workspace(image);
    at_time(EVENING, || phase(&next, "after", "complete"))
        .unwrap_or_else(|error| panic!("{scene}: {error}"));
    let lines = history(image);
    check_revisions(&lines, scene);
    let external = lines
        .iter()
        .filter(|line| line.event().unwrap() == "external_edit")
        .count();
    assert!(
        external <= usize::from(foreign),
        "{scene}: {external} external edits"
    );
    let names: Vec<String> = image
        .file_names()
        .iter()
        .map(|path| path.file_name().unwrap().to_string_lossy().into_owned())
        .collect();
    let litter: Vec<_> = names.iter().filter(|name| name.contains("tmp")).collect();
    assert!(litter.is_empty(), "{scene}: {litter:?}");
    let copies = names
        .iter()
        .filter(|name| name.contains(".corrupt-"))
        .count();
    assert!(copies <= 1, "{scene}: {names:?}");
    assert!(
        names.iter().any(|name| name == ".gitignore"),
        "{scene}: {names:?}"
    );
    let document = next.require(&key().into()).unwrap().document;
    let after = document
        .root()
        .get("phases")
        .and_then(|phases| phases.get("after"));
    assert!(after.is_some(), "{scene}");
}

/// A write that ran once without interruption.
struct Rehearsed {
    path: WritePath,
    /// The disk before it.
    before: SimulatedDisk,
    /// The disk after it.
    whole: SimulatedDisk,
    /// The document before and after it.
    old: Option<Vec<u8>>,
    new: Option<Vec<u8>>,
    /// How many disk operations it takes.
    total: usize,
}

fn rehearsed() -> impl Iterator<Item = Rehearsed> {
    write_paths().into_iter().map(|path| {
        let before = SimulatedDisk::with_root(Path::new(ROOT));
        (path.prepare)(&before);
        let whole = before.copy(Trouble::None);
        at_time(NOON, || (path.operation)(&workspace(&whole))).unwrap();
        let (old, new) = (content(&before, &file()), content(&whole, &file()));
        assert_ne!(old, new, "{}", path.name);
        Rehearsed {
            total: whole.operations(),
            path,
            before,
            whole,
            old,
            new,
        }
    })
}

#[test]
fn every_crash_leaves_the_old_state_or_the_new_one_whole() {
    let images: usize = KEYS
        .map(|(during, after)| crashes(during, after))
        .iter()
        .sum();
    assert!(images > 1500, "only {images} crash images were checked");
}

/// Crashes every kind of write at every disk operation. Returns the number of images checked.
fn crashes(during: Option<u8>, after: Option<u8>) -> usize {
    let mut images = 0;
    KEY.set(during);
    for Rehearsed {
        path,
        before,
        whole,
        old,
        new,
        total,
    } in rehearsed()
    {
        for at in 0..=total {
            for crash in Crash::ALL {
                KEY.set(during);
                let disk = before.copy(Trouble::DieAt(at));
                let acknowledged = at_time(NOON, || (path.operation)(&workspace(&disk))).is_ok();
                assert_eq!(acknowledged, at == total, "{}", path.name);
                let image = disk.after(crash);
                let last = disk.log().pop();
                let keys = format!("{during:?} then {after:?}");
                let scene = format!(
                    "{}, {keys}, {crash:?} at {at} of {total}: {last:?}",
                    path.name
                );
                let found = content(&image, &file());
                assert!(found == old || found == new, "{scene}: {found:?}");
                if acknowledged {
                    assert!(found == new, "{scene}: an acknowledged change is lost");
                    assert_eq!(history_events(&image), history_events(&whole), "{scene}");
                }
                let recorded = history_events(&image).len();
                KEY.set(after);
                check_next_command(&image, path.foreign, &scene);
                assert!(history_events(&image).len() > recorded, "{scene}");
                images += 1;
            }
        }
        KEY.set(during);
    }
    images
}

fn history_events(disk: &SimulatedDisk) -> Vec<String> {
    let Some(history) = workspace(disk).history(&key().into()).unwrap() else {
        return Vec::new();
    };
    let lines = Forward::new(history.file()).unwrap().map(Result::unwrap);
    lines
        .map(|line| line.event().unwrap().into_owned())
        .collect()
}

#[test]
fn a_crash_while_settling_an_earlier_crash_loses_nothing_either() {
    let before = SimulatedDisk::with_root(Path::new(ROOT));
    start(&workspace(&before));
    let whole = before.copy(Trouble::None);
    at_time(NOON, || phase(&workspace(&whole), "build", "in_progress")).unwrap();
    for first in 0..whole.operations() {
        for crash in Crash::ALL {
            let disk = before.copy(Trouble::DieAt(first));
            at_time(NOON, || phase(&workspace(&disk), "build", "in_progress")).unwrap_err();
            let image = disk.after(crash);
            let whole = image.copy(Trouble::None);
            at_time(NOON, || phase(&workspace(&whole), "test", "complete")).unwrap();
            let known = [content(&image, &file()), content(&whole, &file())];
            for second in 0..whole.operations() {
                for crash in Crash::ALL {
                    let disk = image.copy(Trouble::DieAt(second));
                    at_time(NOON, || phase(&workspace(&disk), "test", "complete")).unwrap_err();
                    let image = disk.after(crash);
                    let scene = format!("first at {first}, then {crash:?} at {second}");
                    assert!(known.contains(&content(&image, &file())), "{scene}");
                    check_next_command(&image, false, &scene);
                }
            }
        }
    }
}

#[test]
fn a_failing_disk_is_reported_and_the_old_state_stays() {
    for Rehearsed {
        path,
        before,
        old,
        new,
        total,
        ..
    } in rehearsed()
    {
        for at in 0..total {
            let disk = before.copy(Trouble::FailAt(at, std::io::ErrorKind::StorageFull));
            at_time(NOON, || (path.operation)(&workspace(&disk))).unwrap_err();
            let failed = disk.log()[at].clone();
            let scene = format!("{}, failure at {at} of {total}: {failed}", path.name);
            // Only the final sync comes after the new content is in place.
            let expected = if at + 1 == total { &new } else { &old };
            assert_eq!(content(&disk, &file()), *expected, "{scene}");
            check_next_command(&disk, path.foreign, &scene);
        }
    }
}
