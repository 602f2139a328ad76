//! Whatever happens to a history or an archive, the state stands, and what can be read is read.

use std::collections::{BTreeMap, HashSet};

use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use super::*;
use crate::command::PhaseUpdate;
use crate::disk::Disk;
use crate::disk::simulated::{SimulatedDisk, Trouble};
use crate::document::{Object, Value};
use crate::history::{Epoch, Revision};
use crate::key::{CommandKey, PipelineId};
use crate::pipeline::NoteEntry;
use crate::plan::{ItemKind, Tick};
use crate::workspace::tests::worktree::{ROOT, plan, planned, workspace};
use crate::workspace::{InFlight, StartRequest};

/// How many changes each document has.
const CHANGES: usize = 24;

const SPEC: &str = "workstreams: {A: {}, B: {depends_on: [A]}}\n";

/// One thing that happens to the bytes of a file. Places are fractions of its length.
#[derive(Debug, Clone)]
enum Blow {
    /// The file ends here.
    Truncate(f64),
    /// One bit is another.
    Flip(f64, u8),
    /// Some lines are gone.
    Cut(f64, f64),
    /// Some lines are there again, at the end or in the middle.
    Repeat(f64, f64, f64),
    /// Some lines of another document are there too.
    Splice(f64, f64, f64),
}

fn blow() -> impl Strategy<Value = Blow> {
    let place = || 0.0..1.0_f64;
    let target = || prop_oneof![Just(1.0), 0.0..1.0_f64];
    prop_oneof![
        (0.5..1.0_f64).prop_map(Blow::Truncate),
        (place(), 0..8_u8).prop_map(|(at, bit)| Blow::Flip(at, bit)),
        (0.9..1.0_f64, 0..8_u8).prop_map(|(at, bit)| Blow::Flip(at, bit)),
        (place(), place()).prop_map(|(from, to)| Blow::Cut(from, to)),
        (place(), place(), target()).prop_map(|(from, to, at)| Blow::Repeat(from, to, at)),
        (place(), place(), target()).prop_map(|(from, to, at)| Blow::Splice(from, to, at)),
    ]
}

impl Blow {
    fn strike(&self, bytes: &mut Vec<u8>, other: &[u8]) {
        let at = |place: f64, length: usize| ((length as f64 * place) as usize).min(length);
        let piece = |of: &[u8], from: f64, to: f64| {
            let lines: Vec<&[u8]> = of.split_inclusive(|byte| *byte == b'\n').collect();
            let (from, to) = (at(from, lines.len()), at(to, lines.len()));
            let (before, rest) = lines.split_at(from.min(to));
            let (piece, after) = rest.split_at(to.max(from) - from.min(to));
            (before.concat(), piece.concat(), after.concat())
        };
        let insert = |bytes: &mut Vec<u8>, added: &[u8], place: f64| {
            let (before, _, after) = piece(bytes, place, place);
            *bytes = [before.as_slice(), added, after.as_slice()].concat();
        };
        match *self {
            Self::Truncate(place) => bytes.truncate(at(place, bytes.len())),
            Self::Flip(place, bit) => {
                let at = at(place, bytes.len());
                if let Some(byte) = bytes.get_mut(at) {
                    *byte ^= 1 << bit;
                }
            }
            Self::Cut(from, to) => {
                let (before, _, after) = piece(bytes, from, to);
                *bytes = [before, after].concat();
            }
            Self::Repeat(from, to, place) => {
                let (_, again, _) = piece(bytes, from, to);
                insert(bytes, &again, place);
            }
            Self::Splice(from, to, place) => {
                let (_, foreign, _) = piece(other, from, to);
                insert(bytes, &foreign, place);
            }
        }
    }
}

fn command() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn keys() -> [Key; 3] {
    let pipeline = PipelineId::new("SPEC").unwrap();
    [
        Key::from(&command()),
        Key::Pipeline(pipeline),
        Key::from(&plan()),
    ]
}

/// Changes a document; the contents come back from time to time.
fn change(workspace: &Workspace, key: &Key, number: usize) -> Result<(), WorkspaceError> {
    match key {
        Key::Command(key) => {
            let data = [
                ("status", "in_progress"),
                (
                    "context_summary",
                    ["one", "two", "three", "two"][number % 4],
                ),
            ];
            let update = PhaseUpdate {
                data: data
                    .into_iter()
                    .map(|(name, text)| (name, Value::from(text)))
                    .collect::<Object>(),
                ..PhaseUpdate::default()
            };
            workspace.command(key).update_phase("build", &update)?;
        }
        Key::Pipeline(id) => {
            let note = NoteEntry::Cleanup(format!("note {number}"));
            workspace.pipeline(id).note(&[note])?;
        }
        Key::Plan(id) => {
            let tick = [Tick::Done, Tick::Open][number % 2];
            let tasks = ["first".to_owned()];
            workspace.plan(id).tick(ItemKind::Task, &tasks, tick)?;
        }
    }
    Ok(())
}

/// A repository with a checkpoint of each kind, and a history of each.
fn repository() -> SimulatedDisk {
    let disk = planned();
    let spec = PathBuf::from(ROOT).join("SPEC.yaml");
    disk.put(&spec, SPEC.as_bytes());
    let workspace = workspace(&disk);
    let start = StartRequest::default();
    workspace.command(&command()).start(&start).unwrap();
    workspace.init_pipeline(&spec).unwrap();
    workspace.plan(&plan()).sync().unwrap();
    for key in keys() {
        for number in 0..CHANGES {
            change(&workspace, &key, number).unwrap();
        }
    }
    disk
}

/// The lines that begin a revision, each with its place among all lines.
fn beginnings(history: &[u8]) -> Vec<(usize, Line)> {
    let lines = history.split(|byte| *byte == b'\n').enumerate();
    let parsed = lines.filter_map(|(at, line)| Some((at, Line::parse(line.to_vec()).ok()?)));
    parsed.filter(|(_, line)| line.files().is_some()).collect()
}

/// Every revision, with the document as it was then.
type Past = Vec<(Revision, String)>;

fn past(workspace: &Workspace, key: &Key, history: &[u8]) -> Past {
    let revisions = beginnings(history).into_iter();
    let exact = revisions.map(|(_, line)| line.revision().unwrap());
    // A plan has Markdown before it has a state.
    let known = exact.filter_map(|revision| {
        let then = workspace.at_revision(key, &revision).ok()?;
        Some((revision, then.text().to_owned()))
    });
    known.collect()
}

/// The revisions that some whole content leads to, through lines that are all there in their order.
fn undamaged(original: &[u8], damaged: &[u8], document: &str) -> Vec<Revision> {
    let lines: Vec<&[u8]> = damaged.split(|byte| *byte == b'\n').collect();
    let all: Vec<&[u8]> = original.split(|byte| *byte == b'\n').collect();
    let is_start = |line: &Line| {
        let files = line.files().unwrap_or_default();
        let mut files = files
            .iter()
            .filter(|file| file.name == document && file.to.is_some());
        files.any(|file| file.whole.is_some() || file.from.is_none())
    };
    let mut found = Vec::new();
    for (at, line) in beginnings(original) {
        let start = beginnings(original)
            .into_iter()
            .filter(|(start, line)| *start <= at && is_start(line))
            .map(|(start, _)| start)
            .next_back();
        let Some(start) = start else { continue };
        if lines
            .windows(at - start + 1)
            .any(|window| window == &all[start..=at])
        {
            found.push(line.revision().unwrap());
        }
    }
    found
}

/// The lines of a history that are still there.
fn kept(original: &[u8], damaged: &[u8]) -> Vec<u8> {
    let all: HashSet<&[u8]> = original.split(|byte| *byte == b'\n').collect();
    let lines = damaged.split(|byte| *byte == b'\n');
    let kept: Vec<&[u8]> = lines.filter(|line| all.contains(line)).collect();
    kept.join(&b'\n')
}

fn unreadable(history: &[u8]) -> Vec<u64> {
    let lines = (1..).zip(history.split(|byte| *byte == b'\n'));
    let unreadable =
        lines.filter(|(_, line)| !line.is_empty() && Line::parse(line.to_vec()).is_err());
    unreadable.map(|(number, _)| number).collect()
}

fn contents(disk: &SimulatedDisk) -> BTreeMap<PathBuf, Vec<u8>> {
    let read = |path: PathBuf| (path.clone(), disk.read(&path).unwrap());
    disk.file_names().into_iter().map(read).collect()
}

type Pairs = HashSet<(Epoch, u64)>;

/// The numbers that a history names, and those of the revisions that it begins.
fn numbers(history: &[u8]) -> (Pairs, Vec<(Epoch, u64)>) {
    let lines = history.split(|byte| *byte == b'\n');
    let lines: Vec<Line> = lines
        .filter_map(|line| Line::parse(line.to_vec()).ok())
        .collect();
    let pair = |line: &Line| line.epoch().zip(line.number());
    let begun = lines.iter().filter(|line| line.files().is_some());
    (
        lines.iter().filter_map(pair).collect(),
        begun.filter_map(pair).collect(),
    )
}

#[test]
fn whatever_happens_to_a_history_the_state_stands_and_what_is_left_is_read() {
    let disk = repository();
    let original: Vec<(Key, Vec<u8>, Past)> = keys()
        .into_iter()
        .map(|key| {
            let workspace = workspace(&disk);
            let history = disk.read(&workspace.history_path(&key)).unwrap();
            let past = past(&workspace, &key, &history);
            assert!(past.len() > CHANGES / 2, "{key}: {}", past.len());
            (key, history, past)
        })
        .collect();
    let mut runner = TestRunner::new(Config::with_cases(40));
    let blows = prop::collection::vec(blow(), 1..4);
    let ran = runner.run(&(0..3_usize, blows), |(kind, blows)| {
        let (key, history, past) = &original[kind];
        let (_, other, _) = &original[(kind + 1) % 3];
        let mut damaged = history.clone();
        for blow in &blows {
            blow.strike(&mut damaged, other);
        }
        let disk = disk.copy(Trouble::default());
        let workspace = workspace(&disk);
        let path = workspace.history_path(key);
        disk.put(&path, &damaged);
        let before = contents(&disk);
        // Reading.
        let document = workspace.load(key).unwrap().unwrap().document;
        let found = workspace.damage(key).unwrap().unwrap();
        let unreadable = unreadable(&damaged);
        prop_assert_eq!(found.lines().collect::<Vec<_>>(), unreadable);
        let name = workspace.path(key);
        let name = name.file_name().unwrap().to_string_lossy();
        let intact = undamaged(history, &damaged, &name);
        let (_, sealed) = numbers(&kept(history, &damaged));
        for (revision, then) in past {
            match workspace.at_revision(key, revision) {
                // Another line claims to be this one, without our seal.
                Ok(_)
                    if !sealed
                        .iter()
                        .any(|(epoch, number)| revision.names(*number, epoch)) => {}
                Ok(found) => prop_assert_eq!(found.text(), then, "{}", revision),
                Err(error) => {
                    prop_assert!(!intact.contains(revision), "{revision}: {error:?}");
                }
            }
        }
        prop_assert_eq!(&contents(&disk), &before, "reading changed something");
        // Changing.
        // Lines without our seal can claim any number.
        change(&workspace, key, 1_000_002).unwrap();
        change(&workspace, key, 1_000_003).unwrap();
        let after = disk.read(&path).unwrap();
        // A damaged history stays as it is, or is back from its copy, whole.
        let is_back = !after.starts_with(&damaged);
        prop_assert!(!is_back || after.starts_with(history));
        let before = match is_back {
            true => history,
            false => &damaged,
        };
        let (named, _) = numbers(&kept(history, before));
        let (_, begun) = numbers(before);
        let added = &numbers(&after).1[begun.len()..];
        prop_assert!(!added.is_empty());
        for pair in added {
            prop_assert!(!named.contains(pair), "{pair:?} is there already");
        }
        let now = workspace.load(key).unwrap().unwrap();
        prop_assert_ne!(now.document.text(), document.text());
        let last = workspace.revision(&now).unwrap().unwrap();
        let again = workspace.at_revision(key, &last).unwrap();
        prop_assert_eq!(again.text(), now.document.text());
        for (revision, then) in past {
            if is_back || intact.contains(revision) {
                let found = workspace.at_revision(key, revision).unwrap();
                prop_assert_eq!(found.text(), then, "{}", revision);
            }
        }
        Ok(())
    });
    ran.unwrap();
}

/// How a checkpoint goes into an archive, and how it is seen there.
struct Shelf {
    put_away: fn(&Workspace, &Key) -> Archived,
    seen: fn(&Workspace, &Archived) -> Result<Workspace, WorkspaceError>,
}

#[test]
fn whatever_happens_to_an_archive_its_copy_or_its_beginning_is_read() {
    whatever_happens(&Shelf {
        put_away: |workspace, key| workspace.archive(key, InFlight::Accepted).unwrap(),
        seen: |workspace, _| Ok(workspace.clone()),
    });
}

#[test]
fn whatever_happens_to_the_archive_of_what_was_deleted_its_copy_or_its_beginning_is_read() {
    whatever_happens(&Shelf {
        put_away: |workspace, key| workspace.delete(key, InFlight::Accepted).unwrap(),
        seen: |workspace, archived| {
            let found = workspace.find_gone(&archived.name(), None)?;
            workspace.with_deleted(&found.expect("a deleted checkpoint is found"))
        },
    });
}

fn whatever_happens(shelf: &Shelf) {
    let disk = repository();
    let original: Vec<(Archived, Past, String)> = keys()
        .into_iter()
        .map(|key| {
            let workspace = workspace(&disk);
            let history = disk.read(&workspace.history_path(&key)).unwrap();
            let past = past(&workspace, &key, &history);
            let present = workspace.load(&key).unwrap().unwrap().document;
            let archived = (shelf.put_away)(&workspace, &key);
            (archived, past, present.text().to_owned())
        })
        .collect();
    let mut runner = TestRunner::new(Config::with_cases(40));
    let blows = prop::collection::vec(blow(), 1..3);
    let ran = runner.run(&(0..3_usize, blows), |(kind, blows)| {
        let (archived, past, present) = &original[kind];
        let (key, path) = (&archived.key, &archived.path);
        let disk = disk.copy(Trouble::default());
        let workspace = workspace(&disk);
        let mut damaged = disk.read(path).unwrap();
        let other = disk.read(&original[(kind + 1) % 3].0.path).unwrap();
        for blow in &blows {
            blow.strike(&mut damaged, &other);
        }
        disk.put(path, &damaged);
        let before = contents(&disk);
        let found = workspace.damaged_archives();
        prop_assert!(found.iter().all(|found| found.salvage == Salvage::Copy));
        let seen = (shelf.seen)(&workspace, archived).unwrap();
        for (revision, then) in past {
            let found = seen.at_revision(key, revision).unwrap();
            prop_assert_eq!(found.text(), then);
        }
        let document = seen.load(key).unwrap().unwrap().document;
        prop_assert_eq!(document.text(), present);
        prop_assert_eq!(&contents(&disk), &before, "reading changed something");
        // Without its copy.
        disk.wipe(std::path::Path::new("/git/ckpt/mirror"));
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        let is_told = |error: WorkspaceError| {
            let said = format!("{error:?}");
            // Beside the last two, the damage is told of.
            let told = [file.as_str(), "in the archive", "Unknown"];
            prop_assert!(told.iter().any(|told| said.contains(told)), "{said}");
            Ok(())
        };
        match (shelf.seen)(&workspace, archived) {
            Ok(seen) => {
                match seen.load(key) {
                    Ok(loaded) => {
                        let document = loaded.unwrap().document;
                        prop_assert_eq!(document.text(), present);
                    }
                    Err(error) => is_told(error)?,
                }
                for (revision, then) in past {
                    match seen.at_revision(key, revision) {
                        Ok(found) => prop_assert_eq!(found.text(), then),
                        Err(error) => is_told(error)?,
                    }
                }
            }
            Err(error) => is_told(error)?,
        }
        let reported = workspace.damaged_archives();
        // Bringing it back needs all of it.
        match workspace.unarchive(archived) {
            Ok(_) => prop_assert_eq!(reported, []),
            Err(error) => {
                let said = format!("{error:?}");
                is_told(error)?;
                prop_assert_eq!(disk.read(path).unwrap(), damaged);
                let named: Vec<_> = reported.iter().map(|one| (&one.path, &one.name)).collect();
                // Without its seal or its version, it counts as somebody else's.
                let is_foreign = said.contains("Unsealed") || said.contains("Newer");
                if !is_foreign || !named.is_empty() {
                    prop_assert_eq!(named, [(path, &archived.name())]);
                }
            }
        }
        Ok(())
    });
    ran.unwrap();
}

/// What becomes of a history.
type Way = fn(&[u8]) -> Vec<u8>;

/// The command, with what its history has become.
fn command_with(history: Way) -> (SimulatedDisk, Key, Vec<u8>) {
    let disk = repository();
    let key = Key::from(&command());
    let path = workspace(&disk).history_path(&key);
    let changed = history(&disk.read(&path).unwrap());
    disk.put(&path, &changed);
    (disk, key, changed)
}

#[test]
fn a_number_is_not_used_again_when_the_last_line_lacks_its_ending_or_lines_are_repeated() {
    let cut: Way = |history| history[..history.len() - 1].to_vec();
    let repeated: Way = |history| {
        let lines: Vec<&[u8]> = history.split_inclusive(|byte| *byte == b'\n').collect();
        [history, lines[10], lines[11]].concat()
    };
    let ways: [Way; 2] = [cut, repeated];
    for way in ways {
        let (disk, key, changed) = command_with(way);
        let workspace = workspace(&disk);
        let (named, begun) = numbers(&changed);
        change(&workspace, &key, 1_000_003).unwrap();
        let after = disk.read(&workspace.history_path(&key)).unwrap();
        let added = &numbers(&after).1[begun.len()..];
        assert!(!added.is_empty() && added.iter().all(|pair| !named.contains(pair)));
    }
}

#[test]
fn nothing_new_takes_the_place_of_an_archive_that_cannot_be_read() {
    let disk = repository();
    let workspace = workspace(&disk);
    let key = Key::from(&command());
    workspace.archive(&key, InFlight::Accepted).unwrap();
    let path = workspace.history_path(&key);
    disk.put(&path, b"junk");
    disk.wipe(std::path::Path::new("/git/ckpt/mirror"));
    let error = change(&workspace, &key, 1).unwrap_err();
    assert!(
        format!("{error:?}").contains("implement-auth.zst"),
        "{error:?}"
    );
    let found = workspace.damaged_archive(&key).unwrap().unwrap();
    assert_eq!(found.salvage, Salvage::Nothing);
    assert!(disk.read(&workspace.path(&key)).is_err());
}
