//! How much space a checkpoint takes that is changed very often.

use super::*;
use crate::hash::ContentHash;
use crate::history::{Line, Transition};

const UPDATES: usize = 1_000;

/// What 1,000 updates may take each: in the history beyond the text of the document that they replace and bring, and in the
/// archive with it.
const MOST_IN_HISTORY: usize = 600;
const MOST_ARCHIVED: usize = 100;

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
    let update = PhaseUpdate::to(PhaseStatus::InProgress).with_summary(text);
    workspace
        .command(&key())
        .update_phase(phase, &update)
        .unwrap();
}

/// A git repository with a commit on a branch, as a session sees it.
fn in_a_session(root: &Path) -> Workspace {
    let branch = root.join(".git/refs/heads/feature/session-store");
    for directory in [branch.parent().unwrap(), &root.join(".git/objects")] {
        std::fs::create_dir_all(directory).unwrap();
    }
    let head = "ref: refs/heads/feature/session-store\n";
    std::fs::write(root.join(".git/HEAD"), head).unwrap();
    std::fs::write(branch, "9b46487a1f0c5d7e8b3a2c4d6e8f0a1b2c3d4e5f\n").unwrap();
    let options = Options {
        session: Some("0b9dcb14-2f55-4d63-8f1b-5f0c8f0d2d11".to_owned()),
        ..Options::default()
    };
    Workspace::open(root, &Environment::default(), options).unwrap()
}

#[test]
fn a_thousand_updates_take_little_space_in_the_history_and_less_in_the_archive() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = in_a_session(directory.path());
    let key = Key::from(&key());
    let long: Vec<String> = (0..5).map(|number| sentence(number * 7_919)).collect();
    for phase in ["research", "planning", "tests", "docs"] {
        summarised(phase, &long.join(" "), &workspace);
    }
    let length = |path: PathBuf| std::fs::read(path).unwrap().len();
    let size = length(workspace.path(&key));
    assert!((2_500..3_500).contains(&size), "{size}");
    let before = length(workspace.history_path(&key));
    let mut texts = Vec::new();
    for number in 0..UPDATES {
        summarised("build", &sentence(number), &workspace);
        if number % 97 == 0 {
            let last = workspace.last_change(&key).unwrap().unwrap();
            let text = std::fs::read_to_string(workspace.path(&key)).unwrap();
            texts.push((last, text));
        }
    }
    let history = std::fs::read(workspace.history_path(&key)).unwrap();
    let added = &history[before..];
    let changed: usize = added.split(|byte| *byte == b'\n').map(changed).sum();
    let each = (added.len() - changed) / UPDATES;
    assert!(each <= MOST_IN_HISTORY, "{each} bytes each in the history");
    workspace.archive(&key, InFlight::Accepted).unwrap();
    let archived = length(workspace.history_path(&key)) / UPDATES;
    assert!(
        archived <= MOST_ARCHIVED,
        "{archived} bytes each in the archive"
    );
    let (last, _) = texts.last().unwrap();
    for member in ["session", "branch", "head"] {
        assert!(last.raw().contains(&format!("\"{member}\":")), "{member}");
    }
    for (line, text) in texts {
        let shown = workspace.at_revision(&key, &line.revision().unwrap());
        assert_eq!(shown.unwrap().text(), text);
    }
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
