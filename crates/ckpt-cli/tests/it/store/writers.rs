//! Many writers at the same time.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::record;

const WRITERS: usize = 32;
const UPDATES: usize = 50;

/// One in this many updates has a phase of its own.
const OWN_PHASE: usize = 10;

/// No writer may see more updates of others between two of its own than this many from each. In a
/// fair queue it is one or two; writers that poll for the lock starve, and the unluckiest sees nearly
/// all of the others' go by. Counted in updates, it does not depend on how busy the machine is.
const PATIENCE: u64 = 10;

/// An update that was acknowledged.
struct Acknowledged {
    name: String,
    revision: u64,
}

/// The updates of one writer: most add a task to a phase that all share, some complete a phase of
/// their own.
fn write(environment: &Environment, writer: usize) -> Vec<Acknowledged> {
    let update = |turn: usize| {
        let name = format!("w{writer}-{turn}");
        let run = match turn % OWN_PHASE {
            1.. => {
                let data = json!({ "tasks": { &name: true } }).to_string();
                environment.ckpt(&[
                    "phase",
                    "implement/auth",
                    "build",
                    "--data",
                    &data,
                    "--json",
                ])
            }
            0 => environment.ckpt(&["phase", "implement/auth", &name, "complete", "--json"]),
        };
        Acknowledged {
            revision: record::number(&run.exits(0).json()["revision"]),
            name,
        }
    };
    (0..UPDATES).map(update).collect()
}

#[test]
fn no_update_of_32_writers_at_once_is_lost_and_none_starves() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    let written: Vec<Vec<Acknowledged>> = thread::scope(|scope| {
        let environment = &environment;
        let start = |writer| scope.spawn(move || write(environment, writer));
        let writers: Vec<_> = (0..WRITERS).map(start).collect();
        writers
            .into_iter()
            .map(|writer| writer.join().unwrap())
            .collect()
    });
    let gaps = written
        .iter()
        .flat_map(|updates| updates.windows(2))
        .map(|pair| pair[1].revision - pair[0].revision);
    let longest = gaps.max().unwrap();
    let acknowledged: Vec<Acknowledged> = written.into_iter().flatten().collect();
    assert_eq!(acknowledged.len(), WRITERS * UPDATES);

    assert_in_state(&environment, &acknowledged);
    assert_in_history(&environment, &acknowledged);

    eprintln!("at most {longest} updates from one of a writer to its next");
    assert!(longest <= PATIENCE * WRITERS as u64, "{longest}");
}

/// Somebody who reads that a lock file is in the way, and removes it.
#[test]
fn no_update_is_lost_while_lock_files_are_removed() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    let is_over = AtomicBool::new(false);
    let written: Vec<Vec<Acknowledged>> = thread::scope(|scope| {
        let (environment, is_over) = (&environment, &is_over);
        scope.spawn(move || {
            let locks = environment.state("locks");
            for turn in 0.. {
                if is_over.load(Ordering::Relaxed) {
                    break;
                }
                let _ = match turn % 5 {
                    0 => std::fs::remove_dir_all(&locks),
                    _ => std::fs::remove_file(locks.join("command.lock")),
                };
                thread::sleep(std::time::Duration::from_millis(3));
            }
        });
        let start = |writer| scope.spawn(move || write(environment, writer));
        let writers: Vec<_> = (0..6).map(start).collect();
        let written = writers.into_iter().map(thread::ScopedJoinHandle::join);
        let written: Result<Vec<_>, _> = written.collect();
        is_over.store(true, Ordering::Relaxed);
        written.unwrap()
    });
    let acknowledged: Vec<Acknowledged> = written.into_iter().flatten().collect();
    assert_in_state(&environment, &acknowledged);
    assert_in_history(&environment, &acknowledged);
}

fn assert_in_state(environment: &Environment, acknowledged: &[Acknowledged]) {
    let document = environment.document("implement-auth");
    let keys = |value: &Value| {
        value
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect::<Vec<_>>()
    };
    let mut present = keys(&document["phases"]);
    present.retain(|phase| phase != "build");
    present.extend(keys(&document["phases"]["build"]["tasks"]));
    present.sort_unstable();
    let mut expected: Vec<String> = acknowledged.iter().map(|one| one.name.clone()).collect();
    expected.sort_unstable();
    assert_eq!(present, expected);
    let completed = document["state"]["completed_phases"].as_array().unwrap();
    assert_eq!(completed.len(), acknowledged.len() / OWN_PHASE);
}

fn assert_in_history(environment: &Environment, acknowledged: &[Acknowledged]) {
    let lines = environment.history("implement-auth");
    record::assert_consecutive(&lines);
    assert_eq!(lines.len(), 1 + acknowledged.len());
    let by_revision: BTreeMap<u64, &str> = acknowledged
        .iter()
        .map(|one| (one.revision, one.name.as_str()))
        .collect();
    assert_eq!(
        by_revision.len(),
        acknowledged.len(),
        "a revision was given out twice"
    );
    for line in &lines[1..] {
        assert_eq!(line["event"], "phase_updated", "{line}");
        let name = by_revision[&record::revision(line)];
        let edit = line["files"]["implement-auth.json"]["edit"].to_string();
        assert!(
            edit.contains(&format!("{name}\\\"")),
            "{name} is not in {line}"
        );
    }
    assert_eq!(record::litter(environment), [""; 0]);
}

#[test]
fn a_reader_sees_only_whole_documents_that_never_go_back_while_others_write() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    let reads = thread::scope(|scope| {
        let environment = &environment;
        let writers: Vec<_> = (0..4)
            .map(|writer| scope.spawn(move || write(environment, writer)))
            .collect();
        let (mut reads, mut seen) = (0, 0);
        while writers.iter().any(|writer| !writer.is_finished()) {
            let show = ["show", "implement/auth", "--json"];
            let shown = environment.ckpt(&show).exits(0).json();
            // A change that comes between the document and its history hides the revision.
            if !shown["revision"].is_null() {
                let now = record::number(&shown["revision"]);
                assert!(now >= seen, "revision {now} after {seen}");
                seen = now;
            }
            reads += 1;
        }
        reads
    });
    eprintln!("{reads} reads");
    assert!(reads > 10, "only {reads} reads");
}

#[test]
fn the_first_changes_of_many_writers_make_everything_once() {
    for _ in 0..5 {
        let environment = Environment::new();
        let created = thread::scope(|scope| {
            let environment = &environment;
            let start = |_| {
                scope.spawn(|| {
                    let run = environment.ckpt(&["start", "implement", "auth", "--json"]);
                    run.exits(0).json()["created"] == true
                })
            };
            let writers: Vec<_> = (0..16).map(start).collect();
            let created = writers.into_iter().map(|writer| writer.join().unwrap());
            created.filter(|created| *created).count()
        });
        assert_eq!(created, 1);
        record::assert_sound(&environment, "implement-auth");
        assert_eq!(environment.history("implement-auth").len(), 1);
        assert_eq!(environment.read(".claude/state/.gitignore"), "*\n");
    }
}
