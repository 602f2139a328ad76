//! Behaviour of workspaces on the real disk.

mod crash;
mod crash_pipeline;
mod size;
pub(super) mod worktree;

use std::path::{Path, PathBuf};

use super::*;
use crate::command::{PhaseStatus, PhaseUpdate, Unfinished};
use crate::document::{Object, Value};
use crate::history::Forward;
use crate::key::CommandKey;

fn open(root: &Path) -> Workspace {
    let environment = Environment {
        git_root: Some(root.to_owned()),
        ..Environment::default()
    };
    let options = Options {
        user_state: Some(root.join("user-state")),
        ..Options::default()
    };
    Workspace::open(root, &environment, options).unwrap()
}

fn key() -> CommandKey {
    CommandKey::parse("implement/auth").unwrap()
}

fn phase(workspace: &Workspace, name: &str) -> Outcome {
    let update = PhaseUpdate {
        data: Object::from_iter([("status", Value::from("complete"))]),
        ..PhaseUpdate::default()
    };
    workspace
        .command(&key())
        .update_phase(name, &update)
        .unwrap()
}

fn events(workspace: &Workspace) -> Vec<(u64, String)> {
    let history = workspace.history(&key().into()).unwrap().unwrap();
    let lines = Forward::new(history.file()).unwrap().map(Result::unwrap);
    lines
        .map(|line| (line.number().unwrap(), line.event().unwrap().into_owned()))
        .collect()
}

fn named(events: &[(u64, &str)]) -> Vec<(u64, String)> {
    events
        .iter()
        .map(|(number, name)| (*number, (*name).to_owned()))
        .collect()
}

fn files_below(directory: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(directory) else {
        return Vec::new();
    };
    entries
        .flat_map(|entry| {
            let path = entry.unwrap().path();
            if path.is_dir() {
                files_below(&path)
            } else {
                vec![path]
            }
        })
        .collect()
}

#[test]
fn a_foreign_edit_is_kept_and_recorded_under_a_revision_of_its_own() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    let path = workspace.path(&key().into());
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, text.replacen('{', "{\n  \"by_hand\": true,", 1)).unwrap();
    assert_eq!(
        workspace
            .revision(&workspace.require(&key().into()).unwrap())
            .unwrap(),
        None
    );
    let outcome = phase(&workspace, "b");
    assert!(outcome.absorbed_foreign_edit);
    assert!(outcome.document.root().get("by_hand").is_some());
    let expected = [
        (1, "checkpoint_started"),
        (1, "phase_updated"),
        (2, "external_edit"),
        (3, "phase_updated"),
    ];
    assert_eq!(events(&workspace), named(&expected));
    let by_hand = workspace
        .at_revision(&key().into(), &"2".parse().unwrap())
        .unwrap();
    assert!(by_hand.root().get("by_hand").is_some());
    assert!(by_hand.root().get("phases").unwrap().get("b").is_none());
}

#[test]
fn content_that_is_in_the_history_is_not_taken_for_a_foreign_edit() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    let old = std::fs::read(workspace.path(&key().into())).unwrap();
    phase(&workspace, "b");
    phase(&workspace, "c");
    std::fs::write(workspace.path(&key().into()), old).unwrap();
    phase(&workspace, "d");
    let last = events(&workspace).split_off(4);
    assert_eq!(last, named(&[(4, "rewound"), (5, "phase_updated")]));
}

#[test]
fn a_history_that_was_lost_goes_on_in_a_new_epoch() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    let before = phase(&workspace, "a").revision.unwrap();
    std::fs::remove_dir_all(directory.path().join(".claude/state/history")).unwrap();
    std::thread::sleep(std::time::Duration::from_millis(5));
    let after = phase(&workspace, "b").revision.unwrap();
    assert_ne!(before.epoch, after.epoch);
    let last = events(&workspace).split_off(2);
    let expected = [(1, "recovered"), (1, "adopted"), (2, "phase_updated")];
    assert_eq!(last, named(&expected));
    workspace.at_revision(&key().into(), &before).unwrap();
    workspace.at_revision(&key().into(), &after).unwrap();
}

#[test]
fn a_corrupt_file_is_kept_aside_and_its_state_comes_back_from_history() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    std::fs::write(workspace.path(&key().into()), b"{\"command\": \xff garbage").unwrap();
    let error = workspace.load(&key().into()).unwrap_err();
    assert!(
        error
            .to_string()
            .starts_with("Checkpoint file exists but is corrupt: ")
    );
    let outcome = phase(&workspace, "b");
    assert!(outcome.restored);
    let aside = outcome.moved_aside.unwrap();
    assert_eq!(
        std::fs::read(&aside).unwrap(),
        b"{\"command\": \xff garbage"
    );
    let phases = outcome.document.root().get("phases").unwrap();
    assert!(phases.get("a").is_some() && phases.get("b").is_some());
    let last = events(&workspace).split_off(2);
    assert_eq!(
        last,
        named(&[
            (2, "external_edit"),
            (3, "corrupt_moved_aside"),
            (3, "phase_updated")
        ])
    );
}

#[test]
fn a_corrupt_file_without_history_is_kept_aside_and_a_fresh_one_begins() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    std::fs::create_dir_all(directory.path().join(".claude/state")).unwrap();
    std::fs::write(workspace.path(&key().into()), b"{").unwrap();
    let outcome = phase(&workspace, "b");
    assert!(!outcome.restored && outcome.moved_aside.is_some());
    assert_eq!(corrupt_copies(directory.path()), 1);
}

#[test]
fn an_empty_file_without_history_is_replaced_and_not_kept() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    std::fs::create_dir_all(directory.path().join(".claude/state")).unwrap();
    std::fs::write(workspace.path(&key().into()), b"").unwrap();
    let error = workspace
        .command(&key())
        .complete(Unfinished::Ignore)
        .unwrap_err();
    assert_eq!(
        error.to_string(),
        "Cannot complete checkpoint: no checkpoint found"
    );
    let outcome = phase(&workspace, "b");
    assert!(outcome.created && outcome.moved_aside.is_none());
    assert_eq!(corrupt_copies(directory.path()), 0);
}

fn corrupt_copies(directory: &Path) -> usize {
    let files = files_below(directory).into_iter();
    let asides = files.filter(|path| path.to_string_lossy().contains(".corrupt-"));
    asides.count()
}

#[test]
fn a_document_with_more_values_than_are_read_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    let path = workspace.path(&key().into());
    let mut text = r#"{"command":"implement","phases":{},"state":{},"x":["#.to_owned();
    text += &"0,".repeat(crate::document::MAX_VALUES);
    text += "0]}";
    std::fs::write(&path, &text).unwrap();
    let error = workspace
        .command(&key())
        .complete(Unfinished::Ignore)
        .unwrap_err();
    let source = std::error::Error::source(&error).unwrap();
    assert!(source.to_string().contains("implement-auth.json"));
    assert!(workspace.load(&key().into()).is_err());
    assert_eq!(workspace.list(Depth::WithoutGit).unwrap().1.len(), 1);
    assert!(std::fs::read_to_string(&path).unwrap() == text);
    let beside = std::fs::read_dir(path.parent().unwrap()).unwrap();
    let mut names = beside.map(|entry| entry.unwrap().file_name());
    assert!(!names.any(|name| name.to_string_lossy().contains(".corrupt-")));
}

#[test]
fn a_lost_line_at_the_end_begins_a_new_epoch_instead_of_giving_its_number_out_again() {
    for has_copy in [true, false] {
        let directory = tempfile::tempdir().unwrap();
        let workspace = open(directory.path());
        phase(&workspace, "a");
        let second = phase(&workspace, "b").revision.unwrap();
        let history = directory
            .path()
            .join(".claude/state/history/command/implement-auth.jsonl");
        let lines = std::fs::read_to_string(&history).unwrap();
        let last = lines.lines().last().unwrap().to_owned();
        std::fs::write(&history, lines.replace(&last, &"x".repeat(last.len()))).unwrap();
        if !has_copy {
            std::fs::remove_dir_all(directory.path().join("user-state")).unwrap();
        }
        let third = phase(&workspace, "c").revision.unwrap();
        assert_ne!(second.epoch, third.epoch);
        let then = workspace.at_revision(&key().into(), &second);
        assert_eq!(then.is_ok(), has_copy, "the copy has it");
        let kept = std::fs::read_to_string(&history).unwrap();
        assert_eq!(kept.starts_with(&lines), has_copy);
    }
}

#[test]
fn a_backup_that_is_put_back_gives_no_number_out_again() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    let state = directory.path().join(".claude/state");
    let history = state.join("history/command/implement-auth.jsonl");
    let document = state.join("implement-auth.json");
    let backup = [&history, &document].map(|path| std::fs::read(path).unwrap());
    let lost = phase(&workspace, "b").revision.unwrap();
    for (path, content) in [&history, &document].into_iter().zip(backup) {
        std::fs::write(path, content).unwrap();
    }
    let next = phase(&workspace, "c").revision.unwrap();
    assert_ne!(next, lost);
    let then = workspace.at_revision(&key().into(), &lost).unwrap();
    assert!(then.text().contains("\"b\""));
    let now = workspace.require(&key().into()).unwrap().document;
    assert!(!now.text().contains("\"b\"") && now.text().contains("\"c\""));
}

#[test]
fn a_document_that_could_not_be_read_again_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    let deep = (0..200).fold(Value::Null, |inner, _| Value::Array(vec![inner]));
    let update = PhaseUpdate {
        data: Object::from_iter([("deep", deep)]),
        ..PhaseUpdate::default()
    };
    for _ in 0..2 {
        let error = workspace
            .command(&key())
            .update_phase("a", &update)
            .unwrap_err();
        assert!(
            error.to_string().contains("nested deeper than 128 levels"),
            "{error}"
        );
        phase(&workspace, "b");
    }
}

#[cfg(unix)]
#[test]
fn a_document_behind_a_link_has_one_history_wherever_the_link_leads() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    let options = Options {
        follow_symlinks: true,
        ..workspace.options().clone()
    };
    let workspace = workspace.with_options(options);
    std::fs::create_dir_all(directory.path().join(".claude/state")).unwrap();
    std::fs::create_dir(directory.path().join("elsewhere")).unwrap();
    let target = directory.path().join("elsewhere/x.json");
    phase(&workspace, "a");
    std::fs::rename(workspace.path(&key().into()), &target).unwrap();
    std::os::unix::fs::symlink(&target, workspace.path(&key().into())).unwrap();
    phase(&workspace, "b");
    std::fs::write(&target, "garbage").unwrap();
    let outcome = phase(&workspace, "c");
    let phases = outcome.document.root().get("phases").unwrap();
    assert!(outcome.restored && phases.get("b").is_some());
    assert!(workspace.path(&key().into()).is_symlink());
}

#[test]
fn files_that_no_key_leads_to_are_reported_and_do_not_hide_the_others() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    let text = std::fs::read(workspace.path(&key().into())).unwrap();
    let state = directory.path().join(".claude/state");
    std::fs::write(state.join("im:plement-b.json"), &text).unwrap();
    std::fs::write(state.join("nodash.json"), &text).unwrap();
    let (summaries, problems) = workspace.list(Depth::WithoutGit).unwrap();
    assert_eq!(summaries.len(), 1);
    assert_eq!(problems.len(), 2);
}

#[test]
fn what_is_refused_makes_no_directory() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    workspace
        .command(&key())
        .complete(Unfinished::Ignore)
        .unwrap_err();
    workspace.command(&key()).abandon("x").unwrap_err();
    assert!(workspace.load(&key().into()).unwrap().is_none());
    assert_eq!(workspace.list(Depth::WithoutGit).unwrap().0.len(), 0);
    assert_eq!(std::fs::read_dir(directory.path()).unwrap().count(), 0);
}

#[test]
fn a_write_that_would_break_a_rule_is_refused_and_older_damage_is_not_held_against_it() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    let parse = |text: &str| Document::parse(text).unwrap().value();
    let bad =
        parse(r#"{"command":"implement","version":1,"state":{},"phases":{"x":{"status":"done"}}}"#);
    let error = workspace
        .command(&key())
        .save(&bad, Base::Unknown)
        .unwrap_err();
    assert!(
        error.to_string().contains("command.phase-status"),
        "{error}"
    );
    std::fs::create_dir_all(directory.path().join(".claude/state")).unwrap();
    let text = crate::document::to_pretty(&bad);
    std::fs::write(workspace.path(&key().into()), &text).unwrap();
    let outcome = phase(&workspace, "y");
    let rules: Vec<_> = outcome
        .findings
        .iter()
        .map(|finding| finding.rule)
        .collect();
    assert_eq!(rules, ["command.phase-status"]);
}

#[test]
fn a_save_with_a_base_merges_and_without_one_the_last_write_wins() {
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    let base = phase(&workspace, "a").revision.unwrap();
    let mut mine = workspace.require(&key().into()).unwrap().document.value();
    mine.as_object_mut().unwrap().set("note", "mine");
    phase(&workspace, "b");
    let merged = workspace
        .command(&key())
        .save(&mine, Base::Revision(&base))
        .unwrap()
        .document;
    assert!(merged.root().get("phases").unwrap().get("b").is_some());
    assert!(merged.root().get("note").is_some());
    let replaced = workspace
        .command(&key())
        .save(&mine, Base::Unknown)
        .unwrap()
        .document;
    assert!(replaced.root().get("phases").unwrap().get("b").is_none());
}

#[cfg(unix)]
#[test]
fn state_is_private_and_git_passes_it_over() {
    use std::os::unix::fs::PermissionsExt;
    let directory = tempfile::tempdir().unwrap();
    let workspace = open(directory.path());
    phase(&workspace, "a");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    let state = directory.path().join(".claude/state");
    assert_eq!(mode(&state), 0o700);
    assert_eq!(mode(&state.join("history/command")), 0o700);
    assert_eq!(mode(&workspace.path(&key().into())), 0o600);
    assert_eq!(
        mode(&state.join("history/command/implement-auth.jsonl")),
        0o600
    );
    assert_eq!(mode(&state.join("locks/command.lock")), 0o600);
    assert_eq!(std::fs::read(state.join(".gitignore")).unwrap(), b"*\n");
    std::fs::set_permissions(
        workspace.path(&key().into()),
        std::fs::Permissions::from_mode(0o664),
    )
    .unwrap();
    phase(&workspace, "b");
    assert_eq!(mode(&workspace.path(&key().into())), 0o664);
    // Files sealed with another key are adopted and made private.
    workspace.vault().replace_key().unwrap();
    phase(&open(directory.path()), "c");
    assert_eq!(mode(&workspace.path(&key().into())), 0o600);
}

#[cfg(unix)]
#[test]
fn a_link_out_of_the_repository_is_not_followed_unless_allowed() {
    use std::os::unix::fs::symlink;
    let outside = tempfile::tempdir().unwrap();
    let elsewhere = outside.path().join("victim.json");
    std::fs::write(&elsewhere, "{}").unwrap();
    for place in [
        ".claude",
        ".claude/state",
        ".claude/state/history",
        ".claude/state/implement-auth.json",
    ] {
        let directory = tempfile::tempdir().unwrap();
        let link = directory.path().join(place);
        std::fs::create_dir_all(link.parent().unwrap()).unwrap();
        let target = if place.ends_with(".json") {
            elsewhere.as_path()
        } else {
            outside.path()
        };
        symlink(target, &link).unwrap();
        let workspace = open(directory.path());
        let error = workspace
            .command(&key())
            .start(&StartRequest::default())
            .unwrap_err();
        let WorkspaceError::Store { source, .. } = error else {
            panic!("{place}: {error}");
        };
        assert!(
            source.to_string().contains("links are not followed"),
            "{place}: {source}"
        );
        assert_eq!(
            std::fs::read_dir(outside.path()).unwrap().count(),
            1,
            "{place}"
        );
        assert_eq!(std::fs::read(&elsewhere).unwrap(), b"{}");
    }
    let directory = tempfile::tempdir().unwrap();
    std::fs::create_dir(directory.path().join(".claude")).unwrap();
    symlink(outside.path(), directory.path().join(".claude/state")).unwrap();
    let options = Options {
        follow_symlinks: true,
        ..Options::default()
    };
    phase(&open(directory.path()).with_options(options), "a");
    assert!(outside.path().join("implement-auth.json").exists());
}
