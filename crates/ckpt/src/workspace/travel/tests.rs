//! Every revision can be shown, compared, restored and undone, whatever happened.

mod acts;
mod model;

use std::path::Path;

use super::*;
use crate::command::{PhaseStatus, PhaseUpdate};
use crate::key::CommandKey;
use crate::repository::Environment;
use crate::workspace::{GateRequest, Options, StartRequest};

fn open(directory: &Path, session: Option<&str>) -> Workspace {
    let options = Options {
        session: session.map(str::to_owned),
        ..Options::default()
    };
    Workspace::open(directory, &Environment::default(), options).expect("it opens")
}

fn workspace() -> (tempfile::TempDir, Workspace) {
    let directory = tempfile::tempdir().expect("there is room");
    let workspace = open(directory.path(), None);
    (directory, workspace)
}

fn command() -> CommandKey {
    CommandKey::parse("implement/auth").expect("it is a key")
}

fn number(revision: u64) -> Revision {
    Revision {
        number: revision,
        epoch: None,
    }
}

/// The content and its value.
fn now(workspace: &Workspace) -> Document {
    workspace
        .require(&command().into())
        .expect("it is there")
        .document
}

#[test]
fn what_decides_about_shipping_stays_as_it_is() {
    let (_directory, workspace) = workspace();
    let key = Key::from(command());
    let command = command();
    let checkpoint = workspace.command(&command);
    checkpoint
        .start(&StartRequest::default())
        .expect("it starts");
    let done = PhaseUpdate::to(PhaseStatus::Complete);
    checkpoint
        .update_phase("build", &done)
        .expect("it is changed");
    let block = GateRequest::Block(vec!["no".to_owned()]);
    checkpoint.set_gate(&block).expect("it is blocked");
    assert_eq!(
        workspace.undo(&key).expect("nothing to undo").revision,
        None
    );
    workspace.restore(&key, &number(1)).expect("it is restored");
    let document = now(&workspace);
    assert!(document.root().get("gate").is_some(), "{}", document.text());
    assert!(
        document
            .root()
            .get("phases")
            .is_none_or(|phases| phases.get("build").is_none())
    );
}

/// 1,000 updates of a checkpoint of 3 KB.
#[test]
fn a_history_is_small_and_every_revision_is_near_a_whole_content() {
    let (_directory, workspace) = workspace();
    let key = Key::from(command());
    let command = command();
    let checkpoint = workspace.command(&command);
    let long = "It reads each file once. ".repeat(12);
    for phase in 0..8 {
        let update = PhaseUpdate::to(PhaseStatus::Complete).with_summary(&long);
        checkpoint
            .update_phase(&format!("phase-{phase}"), &update)
            .expect("it is changed");
    }
    let size = now(&workspace).text().len();
    assert!((2_500..4_500).contains(&size), "{size}");
    let history = workspace.layout.place(&key).history;
    let length = || std::fs::metadata(&history).expect("it is there").len();
    let begin = length();
    let mut changed = 0;
    let mut texts = Vec::new();
    for round in 0..1_000 {
        let summary = format!("Step {round} is done: the parser keeps the order of members.");
        changed += summary.len() as u64;
        let update = PhaseUpdate::to(PhaseStatus::InProgress).with_summary(&summary);
        checkpoint
            .update_phase("phase-3", &update)
            .expect("it is changed");
        if round % 97 == 0 {
            let last = workspace.last_change(&key).expect("it is read");
            texts.push((
                last.and_then(|line| line.number()).expect("a number"),
                now(&workspace).text().to_owned(),
            ));
        }
    }
    let each = (length() - begin - changed) / 1_000;
    assert!(each <= 600, "{each} bytes each");
    for (revision, text) in texts {
        let shown = workspace
            .at_revision(&key, &number(revision))
            .expect("it is there");
        assert_eq!(shown.text(), text);
    }
}
