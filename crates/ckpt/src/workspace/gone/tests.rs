use super::*;
use crate::key::CommandKey;
use crate::workspace::tests::worktree::{plan, planned, workspace};
use crate::workspace::{InFlight, StartRequest};

fn command() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn start(workspace: &Workspace, phase: &str) {
    let request = StartRequest {
        phases: Some(vec![phase.to_owned()]),
        ..StartRequest::default()
    };
    workspace.command(&command()).start(&request).unwrap();
}

#[test]
fn a_deleted_checkpoint_is_read_beside_one_that_has_its_name_since() {
    let disk = planned();
    let workspace = workspace(&disk);
    let key = Key::from(&command());
    start(&workspace, "first");
    let before = workspace.require(&key).unwrap();
    let deleted = workspace.delete(&key, InFlight::Accepted).unwrap();
    start(&workspace, "second");
    let found = workspace.find_gone(&deleted.name(), None).unwrap().unwrap();
    assert_eq!(found.path, deleted.path);
    let past = workspace.with_deleted(&found).unwrap();
    let loaded = past.require(&key).unwrap();
    assert_eq!(loaded.document.text(), before.document.text());
    let revision = past.revision(&loaded).unwrap().unwrap();
    assert_eq!(revision.number, 1);
    assert!(past.has(&key) && !past.is_archived(&key) && !past.is_lost(&key));
    // Nothing can be written there.
    let (content, operations) = (disk.file_names(), disk.operations());
    past.delete(&key, InFlight::Accepted).unwrap_err();
    assert!(past.unarchive(&found).is_err());
    assert_eq!(
        (disk.file_names(), disk.operations()),
        (content, operations)
    );
    let now = workspace.require(&key).unwrap();
    assert!(now.document.text().contains("second"));
}

#[test]
fn a_deleted_plan_is_read_with_its_markdown_and_not_with_that_of_another() {
    let disk = planned();
    let workspace = workspace(&disk);
    let key = Key::from(&plan());
    workspace.plan(&plan()).sync().unwrap();
    let texts = workspace.plan(&plan()).version().unwrap().texts;
    let deleted = workspace.delete(&key, InFlight::Accepted).unwrap();
    assert!(!workspace.has(&key));
    let past = workspace.with_deleted(&deleted).unwrap();
    assert_eq!(past.plan(&plan()).version().unwrap().texts, texts);
    assert_eq!(past.plans().unwrap(), [plan()]);
    assert!(past.plan(&plan()).view().is_ok());
}

#[test]
fn a_whole_name_means_more_than_a_deleted_one_and_a_beginning_less() {
    let disk = planned();
    let workspace = workspace(&disk);
    let key = Key::from(&command());
    start(&workspace, "first");
    workspace.delete(&key, InFlight::Accepted).unwrap();
    let longer = Key::parse("implement/authority").unwrap();
    let is_gone = |typed: &str, otherwise: Option<&Key>| {
        let found = workspace.find_gone(typed, otherwise).unwrap();
        found.is_some()
    };
    assert!(is_gone("implement/auth", None));
    assert!(is_gone("IMPLEMENT/auth", Some(&longer)));
    assert!(!is_gone("implement/auth", Some(&key)));
    assert!(!is_gone("implement/au", None));
}
