//! How much space a checkpoint takes that is changed very often.

use super::worktree::{planned, workspace};
use super::*;
use crate::disk::Disk;
use crate::hash::ContentHash;
use crate::history::Transition;

const UPDATES: usize = 1_000;

/// What 1,000 updates may take each: in the history beyond the text that they replace and bring, and in the archive with
/// it.
const MOST_IN_HISTORY: usize = 600;
const MOST_ARCHIVED: usize = 100;

/// What a line says in a git repository and within a session, and not on a simulated disk.
const WHEREABOUTS: &str = concat!(
    r#","session":"0b9dcb14-2f55-4d63-8f1b-5f0c8f0d2d11","branch":"feature/session-store""#,
    r#","head":"9b46487a1f0c5d7e8b3a2c4d6e8f0a1b2c3d4e5f""#
);

/// A sentence that no other update has.
fn sentence(number: usize) -> String {
    const WORDS: [&str; 16] = [
        "session", "store", "writes", "reads", "the", "token", "expires", "after", "retry",
        "queue", "table", "index", "fails", "passes", "handler", "cache",
    ];
    let bytes = ContentHash::of(&number.to_le_bytes()).to_string();
    let words = bytes.bytes().filter(u8::is_ascii_hexdigit).take(12);
    let words = words.map(|digit| WORDS[usize::from(digit % 16)]);
    format!("Step {number}: {}.", words.collect::<Vec<_>>().join(" "))
}

fn summarised(phase: &str, text: &str, workspace: &Workspace) {
    let data = [("status", "in_progress"), ("context_summary", text)];
    let update = PhaseUpdate {
        data: data
            .into_iter()
            .map(|(name, text)| (name, Value::from(text)))
            .collect::<Object>(),
        ..PhaseUpdate::default()
    };
    workspace
        .command(&key())
        .update_phase(phase, &update)
        .unwrap();
}

#[test]
fn a_thousand_updates_take_little_space_in_the_history_and_less_in_the_archive() {
    let disk = planned();
    let workspace = workspace(&disk);
    let key = Key::from(&key());
    for phase in ["research", "planning", "tests", "docs"] {
        let text: Vec<String> = (0..5).map(|number| sentence(number * 7_919)).collect();
        summarised(phase, &text.join(" "), &workspace);
    }
    let length = |path: &Path| disk.read(path).unwrap().len();
    let path = workspace.path(&key);
    assert!((2_500..3_500).contains(&length(&path)), "{}", length(&path));
    let before = length(&workspace.history_path(&key));
    for number in 0..UPDATES {
        summarised("build", &sentence(number), &workspace);
    }
    let added = disk
        .read(&workspace.history_path(&key))
        .unwrap()
        .split_off(before);
    let texts: usize = added.split(|byte| *byte == b'\n').map(changed).sum();
    let history = (added.len() - texts) / UPDATES + WHEREABOUTS.len();
    workspace.archive(&key, InFlight::Accepted).unwrap();
    let archived = length(&workspace.history_path(&key)) / UPDATES;
    assert!(
        history <= MOST_IN_HISTORY,
        "{history} bytes each in the history"
    );
    assert!(
        archived <= MOST_ARCHIVED,
        "{archived} bytes each in the archive"
    );
}

/// The length of what a line replaces and brings.
fn changed(line: &[u8]) -> usize {
    let line = Line::parse(line.to_vec()).ok();
    let files = line.and_then(|line| line.files()).unwrap_or_default();
    let edits = files.into_iter().filter_map(|file| match file.transition {
        Transition::Edit(edit) => Some(edit),
        Transition::Content(_) | Transition::Unrecorded => None,
    });
    let lengths = edits.map(|edit| -> usize {
        let splices = edit.splices().iter();
        splices
            .map(|splice| splice.old.len() + splice.new.len())
            .sum()
    });
    lengths.sum()
}
