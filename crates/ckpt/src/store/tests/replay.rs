//! Whatever happens to a document, its history leads to every revision that it names.

use std::collections::HashMap;

use proptest::prelude::*;

use super::*;
use crate::history::FileChange;

/// One thing that happens.
#[derive(Debug, Clone)]
enum Step {
    /// We replace both files, by an edit or as a whole.
    Change { text: u8, whole: bool },
    /// We add a word, which builds on what is there, beside another program that saves in between.
    Add { meddling: Vec<u8> },
    /// We are killed in the middle of a change, or lose power.
    Die {
        at: usize,
        crash: usize,
        text: u8,
        whole: bool,
    },
    /// We are killed in the middle of adding a word beside another program.
    DieBeside {
        at: usize,
        crash: usize,
        meddling: Vec<u8>,
    },
    /// Another program replaces a file.
    Foreign { file: usize, text: u8 },
    /// Another program removes a file.
    Gone { file: usize },
}

fn text(of: u8) -> String {
    // Few enough that contents come back.
    let lines = (0..of % 4).map(|line| format!("line {line} of {}\n", of % 6));
    format!("start {}\n{}", of % 3, lines.collect::<String>())
}

fn step() -> impl Strategy<Value = Step> {
    let meddling = || prop::collection::vec(any::<u8>(), 0..3);
    prop_oneof![
        (any::<u8>(), any::<bool>()).prop_map(|(text, whole)| Step::Change { text, whole }),
        meddling().prop_map(|meddling| Step::Add { meddling }),
        (0..30usize, 0..3usize, any::<u8>(), any::<bool>()).prop_map(|(at, crash, text, whole)| {
            Step::Die {
                at,
                crash,
                text,
                whole,
            }
        }),
        (0..40usize, 0..3usize, meddling()).prop_map(|(at, crash, meddling)| Step::DieBeside {
            at,
            crash,
            meddling
        }),
        (0..2usize, any::<u8>()).prop_map(|(file, text)| Step::Foreign { file, text }),
        (0..2usize).prop_map(|file| Step::Gone { file }),
    ]
}

/// Replaces both files; as a whole, without saying how the new content came from the old one.
fn replace_both(disk: &SimulatedDisk, next: u8, whole: bool) -> Result<(), Failed> {
    change(disk, |snapshot| {
        let write = |file: usize| {
            let before = snapshot.contents[file].as_deref().unwrap_or_default();
            let after = format!("{file} {}", text(next.wrapping_add(file as u8)));
            let edit = edited(file, before, after.as_bytes());
            match whole {
                true => Write { edit: None, ..edit },
                false => edit,
            }
        };
        Ok(Some(Proposal {
            events: vec![Event::new(EventName::PhaseUpdated)],
            writes: vec![write(0), write(1)],
            beside: Vec::new(),
        }))
    })?;
    Ok(())
}

fn meddle(disk: &SimulatedDisk, texts: &[u8]) {
    let texts: Vec<String> = texts.iter().map(|of| text(*of)).collect();
    disk.meddle_with(&texts.iter().map(String::as_str).collect::<Vec<_>>());
}

fn played(disk: SimulatedDisk, step: &Step) -> SimulatedDisk {
    match step {
        Step::Change { text, whole } => {
            replace_both(&disk, *text, *whole).unwrap();
            disk
        }
        Step::Add { meddling } => {
            meddle(&disk, meddling);
            add_word(&disk).unwrap();
            meddle(&disk, &[]);
            disk
        }
        Step::Die {
            at,
            crash,
            text,
            whole,
        } => {
            let dying = disk.copy(Trouble::DieAt(*at));
            let _ = replace_both(&dying, *text, *whole);
            dying.after(Crash::ALL[*crash])
        }
        Step::DieBeside {
            at,
            crash,
            meddling,
        } => {
            let dying = disk.copy(Trouble::DieAt(*at));
            meddle(&dying, meddling);
            let _ = add_word(&dying);
            let after = dying.after(Crash::ALL[*crash]);
            meddle(&after, &[]);
            after
        }
        Step::Foreign { file, text: of } => {
            disk.put(&place().files[*file].path, text(*of).as_bytes());
            disk
        }
        Step::Gone { file } => {
            let path = &place().files[*file].path;
            if disk.read(path).is_ok() {
                disk.remove(path).unwrap();
            }
            disk
        }
    }
}

/// Follows every line of the history, and compares each content with the hash that the line names.
fn check(disk: &SimulatedDisk) {
    let Ok(history) = disk.open(&place().history) else {
        return;
    };
    let mut contents: HashMap<String, Option<Vec<u8>>> = HashMap::new();
    let mut epoch = None;
    for line in Forward::new(&*history).unwrap() {
        let line = line.unwrap();
        if line.epoch() != epoch {
            epoch = line.epoch();
            contents.clear();
        }
        for change in line.files().unwrap_or_default() {
            let before = contents.get(&change.name).cloned().flatten();
            let said = String::from_utf8_lossy(line.raw().as_bytes()).into_owned();
            let hash = before.as_deref().map(crate::hash::ContentHash::of);
            let is_whole = matches!(change.transition, Transition::Content(_));
            assert!(is_whole || hash == change.from, "does not continue: {said}");
            let after = after(&change, before.as_deref());
            assert!(after.is_some(), "leads elsewhere: {said}");
            contents.insert(change.name.clone(), after.flatten());
        }
    }
}

fn after(change: &FileChange, before: Option<&[u8]>) -> Option<Option<Vec<u8>>> {
    match (&change.transition, change.is_change()) {
        (Transition::Edit(_), false) => Some(before.map(<[u8]>::to_vec)),
        _ => change.apply(before),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]

    #[test]
    fn every_revision_has_the_content_that_its_line_names(steps in prop::collection::vec(step(), 1..9)) {
        let mut disk = SimulatedDisk::with_root(Path::new(ROOT));
        for step in &steps {
            disk = played(disk, step);
            check(&disk);
        }
        // What is in place is what the history says after the next change.
        replace_both(&disk, 0, false).unwrap();
        check(&disk);
        prop_assert_eq!(replayed(&disk), read(&disk));
    }
}
