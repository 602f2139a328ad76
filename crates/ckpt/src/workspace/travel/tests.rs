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
