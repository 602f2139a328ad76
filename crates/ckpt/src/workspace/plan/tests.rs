//! Behaviour of plans in a workspace.

mod crash;
mod memory;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use super::super::*;
use crate::disk::simulated::SimulatedDisk;
use crate::disk::{Disk, OsDisk};
use crate::history::{EventName, Forward, Line};
use crate::key::PlanId;
use crate::plan::{ItemKind, Tick};
use crate::seal::SealKey;

pub(super) const PLAN: &str = "\
# Login
<!-- CHECKPOINT: one -->
- [ ] First <!-- TASK: first -->
- [ ] Second <!-- TASK: second -->
<!-- CHECKPOINT: two -->
* [~] Third <!-- TASK: third -->
- [ ] It works <!-- ACCEPT: works -->
";

thread_local! {
    /// The repository's key, if it has one.
    pub(super) static KEY: std::cell::Cell<Option<u8>> = const { std::cell::Cell::new(Some(1)) };
}

fn vault() -> Vault {
    match KEY.get() {
        Some(key) => Vault::holding(SealKey::new([key; 32])),
        None => Vault::nowhere(),
    }
}

pub(super) fn id() -> PlanId {
    PlanId::new("260220-1149-login").unwrap()
}

fn open(root: &Path, by: &str) -> Workspace {
    on(Arc::new(OsDisk::below(root)), root, by)
}

fn on(disk: Arc<dyn Disk>, root: &Path, by: &str) -> Workspace {
    let environment = Environment {
        git_root: Some(root.to_owned()),
        ..Environment::default()
    };
    let repository = Repository::discover(Path::new("/"), &environment).unwrap();
    let options = Options {
        by: by.to_owned(),
        ..Options::default()
    };
    let store = FileStore::on(disk, root, options.clock)
        .with_vault(vault())
        .with_epochs_by_time();
    Workspace::with_store(repository, store, options)
}

/// The root of plans on simulated disks.
pub(super) fn root() -> &'static Path {
    Path::new("/repository")
}

pub(super) fn workspace(disk: &SimulatedDisk, by: &str) -> Workspace {
    on(Arc::new(disk.clone()), root(), by)
}

pub(super) fn markdown() -> PathBuf {
    file(root(), "plan.md")
}

pub(super) fn file(root: &Path, name: &str) -> PathBuf {
    root.join("plans/260220-1149-login").join(name)
}

fn with_plan(text: &str) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    let path = file(directory.path(), "plan.md");
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, text).unwrap();
    directory
}

fn done(workspace: &Workspace, task: &str) -> PlanOutcome {
    let tasks = [task.to_owned()];
    workspace
        .plan(&id())
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap()
}

fn lines(workspace: &Workspace) -> Vec<Line> {
    let history = workspace.history(&(&id()).into()).unwrap().unwrap();
    Forward::new(history.file())
        .unwrap()
        .map(Result::unwrap)
        .collect()
}

pub(super) fn events(workspace: &Workspace) -> Vec<String> {
    let event = |line: &Line| {
        let task = line.facts().into_iter().find(|(name, _)| name == "taskId");
        let task = task.and_then(|(_, id)| id.as_str()).unwrap_or_default();
        format!("{} {task}", line.event().unwrap())
            .trim_end()
            .to_owned()
    };
    lines(workspace).iter().map(event).collect()
}

#[test]
fn ticking_a_task_changes_one_character_and_the_state_follows() {
    let directory = with_plan(PLAN);
    let workspace = open(directory.path(), "subagent:fullstack");
    let outcome = done(&workspace, "third");
    let text = std::fs::read_to_string(file(directory.path(), "plan.md")).unwrap();
    assert_eq!(text, PLAN.replace("[~]", "[x]"));
    let state = std::fs::read_to_string(file(directory.path(), ".checkpoint/state.json")).unwrap();
    let state = Document::parse(state).unwrap();
    assert_eq!(state.value(), outcome.view.state);
    let third = state.root().get("phases").unwrap().get("two").unwrap();
    let third = third.get("tasks").unwrap().get("third").unwrap();
    assert_eq!(
        third.get("completedBy").unwrap().as_str().unwrap(),
        "subagent:fullstack"
    );
    let ignored = std::fs::read(file(directory.path(), ".checkpoint/.gitignore")).unwrap();
    assert_eq!(ignored, b"*\n");
    let open_again = workspace
        .plan(&id())
        .tick(ItemKind::Task, &["third".into()], Tick::Open);
    assert_eq!(open_again.unwrap().events[0].name, EventName::TaskReopened);
}

#[test]
fn what_people_tick_themselves_is_recorded_once() {
    let directory = with_plan(PLAN);
    let workspace = open(directory.path(), "main");
    workspace.plan(&id()).sync().unwrap();
    let path = file(directory.path(), "plan.md");
    let ticked = PLAN
        .replace("[ ] First", "[X] First")
        .replace("[ ] It", "[x] It");
    std::fs::write(&path, &ticked).unwrap();
    assert!(workspace.plan(&id()).view().unwrap().moved);
    assert_eq!(events(&workspace).len(), 2, "reading writes nothing");
    workspace.plan(&id()).sync().unwrap();
    assert!(!workspace.plan(&id()).view().unwrap().moved);
    assert_eq!(workspace.plan(&id()).sync().unwrap().revision, None);
    let expected = [
        "adopted",
        "checkpoint_created",
        "checksum_mismatch",
        "task_completed first",
        "acceptance_met",
    ];
    assert_eq!(events(&workspace), expected);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), ticked);
}

#[test]
fn what_is_not_there_is_refused_and_nothing_changes() {
    let directory = with_plan(PLAN);
    let workspace = open(directory.path(), "main");
    let tasks = ["first".to_owned(), "fourth".to_owned()];
    let error = workspace
        .plan(&id())
        .tick(ItemKind::Task, &tasks, Tick::Done)
        .unwrap_err();
    assert_eq!(error.to_string(), "no task \"fourth\" in the plan");
    let error = workspace
        .plan(&PlanId::new("other").unwrap())
        .sync()
        .unwrap_err();
    assert_eq!(error.to_string(), "no plan other");
    assert!(!file(directory.path(), ".checkpoint").exists());
    assert_eq!(workspace.plans().unwrap(), [id()]);
}

#[test]
fn tasks_in_phase_files_are_ticked_where_they_stand() {
    let directory = with_plan(PLAN);
    let phase = file(directory.path(), "phase-02-more.md");
    std::fs::write(&phase, "- [ ] More <!-- TASK: more -->\n").unwrap();
    let workspace = open(directory.path(), "main");
    done(&workspace, "more");
    assert_eq!(
        std::fs::read_to_string(&phase).unwrap(),
        "- [x] More <!-- TASK: more -->\n"
    );
    assert_eq!(
        std::fs::read_to_string(file(directory.path(), "plan.md")).unwrap(),
        PLAN
    );
    let view = workspace.plan(&id()).view().unwrap();
    assert_eq!(view.outline.phases[1].tasks.len(), 2);
    assert!(
        view.state
            .to_compact()
            .contains(r#""phaseFiles":{"phase-02-more.md":"sha256:"#)
    );
}

/// Twenty writers tick ten tasks each, while an editor saves five times what it read a moment ago.
#[test]
fn twenty_writers_and_an_editor_lose_nothing_of_each_other() {
    let mut text = String::from("# Plan\n");
    for task in 0..200 {
        text += &format!("- [ ] Task <!-- TASK: t{task} -->\n");
    }
    let directory = with_plan(&text);
    let root = directory.path();
    open(root, "main").plan(&id()).sync().unwrap();
    std::thread::scope(|scope| {
        for writer in 0..20 {
            scope.spawn(move || {
                let workspace = open(root, &format!("team:{writer}"));
                for task in 0..10 {
                    done(&workspace, &format!("t{}", writer * 10 + task));
                }
            });
        }
        scope.spawn(|| {
            let path = file(root, "plan.md");
            for edit in 0..5 {
                let read = std::fs::read_to_string(&path).unwrap();
                std::thread::sleep(Duration::from_millis(15));
                let temporary = path.with_file_name(".plan.md.swp");
                std::fs::write(&temporary, format!("{read}Edit {edit}\n")).unwrap();
                std::fs::rename(&temporary, &path).unwrap();
                std::thread::sleep(Duration::from_millis(15));
            }
        });
    });
    let workspace = open(root, "main");
    workspace.plan(&id()).sync().unwrap();
    let text = std::fs::read_to_string(file(root, "plan.md")).unwrap();
    for edit in 0..5 {
        assert!(
            text.contains(&format!("Edit {edit}\n")),
            "prose edit {edit} is lost"
        );
    }
    let mut counts: BTreeMap<String, (usize, usize)> = BTreeMap::new();
    for event in events(&workspace) {
        match event.split_once(' ') {
            Some(("task_completed", task)) => counts.entry(task.to_owned()).or_default().0 += 1,
            Some(("task_reopened", task)) => counts.entry(task.to_owned()).or_default().1 += 1,
            _ => {}
        }
    }
    let outline = workspace.plan(&id()).view().unwrap().outline;
    for (_, task) in outline.tasks() {
        let (completed, reopened) = counts[&task.id];
        assert_eq!(completed, 1, "{}", task.id);
        assert_eq!(reopened, usize::from(!task.done), "{}", task.id);
    }
    assert_eq!(counts.len(), 200);
}
