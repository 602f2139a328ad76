//! Plans that are moved, edited and interrupted at the same time.

use std::path::{Path, PathBuf};

use super::super::PlanView;
use super::{events, file, id, markdown, root, workspace};
use crate::disk::Disk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::document::Pointer;
use crate::plan::{Concern, Decision, ItemKind, NoteChange, Tick};

const OPEN: &str = "\
# Login
<!-- CHECKPOINT: one -->
- [ ] Schema <!-- TASK: schema -->
- [ ] Roles <!-- TASK: roles -->
";

const PHASE: &str = "- [ ] Docs <!-- TASK: docs -->\n";

fn phase() -> PathBuf {
    file(root(), "phase-02-docs.md")
}

fn inner(name: &str) -> PathBuf {
    file(root(), ".checkpoint").join(name)
}

fn text(disk: &SimulatedDisk, path: &Path) -> String {
    String::from_utf8(disk.read(path).unwrap()).unwrap()
}

fn tick(disk: &SimulatedDisk, by: &str, task: &str) {
    workspace(disk, by)
        .plan(&id())
        .tick(ItemKind::Task, &[task.to_owned()], Tick::Done)
        .unwrap();
}

fn note(disk: &SimulatedDisk, by: &str, text: &str) -> bool {
    let note = NoteChange::Add(text.to_owned());
    workspace(disk, by).plan(&id()).note(&note).is_ok()
}

fn sync(disk: &SimulatedDisk, by: &str) -> PlanView {
    workspace(disk, by).plan(&id()).sync().unwrap().view
}

/// The state's record of a task: who did it and when; empty if it is open.
fn record(view: &PlanView, phase: &str, task: &str) -> String {
    let pointer = Pointer::of(["phases", phase, "tasks", task]);
    view.state
        .at(&pointer)
        .map(crate::document::Value::to_compact)
        .unwrap_or_default()
}

fn author(view: &PlanView, task: &str) -> Option<String> {
    let pointer = Pointer::of(["phases", "one", "tasks", task, "completedBy"]);
    let author = view.state.at(&pointer);
    author.and_then(|author| author.as_str().map(str::to_owned))
}

fn logged(disk: &SimulatedDisk, event: &str) -> usize {
    let names = events(&workspace(disk, "main"));
    names.iter().filter(|name| name.starts_with(event)).count()
}

/// A plan with two tasks done by others, and its text before and after.
fn worked() -> (SimulatedDisk, String) {
    let disk = SimulatedDisk::with_root(root());
    disk.put(&markdown(), OPEN.as_bytes());
    sync(&disk, "main");
    tick(&disk, "subagent:db", "schema");
    tick(&disk, "team:7", "roles");
    let after = text(&disk, &markdown());
    (disk, after)
}

/// The disks left by interrupting an operation at each step.
fn cut_off(disk: &SimulatedDisk, act: impl Fn(&SimulatedDisk)) -> Vec<SimulatedDisk> {
    let whole = disk.copy(Trouble::None);
    act(&whole);
    (0..=whole.operations())
        .map(|at| {
            let dying = disk.copy(Trouble::DieAt(at));
            act(&dying);
            dying.after(Crash::Kill)
        })
        .collect()
}

#[test]
fn a_switch_of_branches_and_back_survives_every_crash_of_what_comes_next() {
    let (disk, after) = worked();
    let before = workspace(&disk, "main").plan(&id()).view().unwrap();
    let records = ["schema", "roles"].map(|task| record(&before, "one", task));
    disk.put(&markdown(), OPEN.as_bytes());
    let act = |disk: &SimulatedDisk| {
        note(disk, "team:z", "hi");
    };
    for image in cut_off(&disk, act) {
        sync(&image, "main");
        assert_eq!(
            logged(&image, "task_reopened"),
            0,
            "{:?}",
            image.log().last()
        );
        image.put(&markdown(), after.as_bytes());
        for back in cut_off(&image, act) {
            let view = sync(&back, "main");
            let now = ["schema", "roles"].map(|task| record(&view, "one", task));
            assert_eq!(now, records);
            assert_eq!(logged(&back, "task_completed"), 2);
        }
    }
}

#[test]
fn a_phase_file_that_goes_and_comes_with_branches_survives_every_crash() {
    let (disk, _) = worked();
    disk.put(&phase(), PHASE.as_bytes());
    tick(&disk, "subagent:docs", "docs");
    let before = record(
        &workspace(&disk, "main").plan(&id()).view().unwrap(),
        "phase-02-docs",
        "docs",
    );
    let ticked = text(&disk, &phase());
    disk.remove(&phase()).unwrap();
    for image in cut_off(&disk, |disk| {
        let _ = workspace(disk, "main").plan(&id()).sync();
    }) {
        sync(&image, "main");
        assert_eq!(logged(&image, "task_removed"), 0);
        image.put(&phase(), ticked.as_bytes());
        let view = sync(&image, "main");
        assert_eq!(record(&view, "phase-02-docs", "docs"), before);
        assert_eq!(logged(&image, "task_completed docs"), 1);
    }
}

#[test]
fn one_file_with_unknown_content_does_not_cost_the_others_their_records() {
    let (disk, after) = worked();
    disk.put(&phase(), PHASE.as_bytes());
    sync(&disk, "main");
    let before = record(
        &workspace(&disk, "main").plan(&id()).view().unwrap(),
        "one",
        "schema",
    );
    disk.put(&markdown(), OPEN.as_bytes());
    sync(&disk, "main");
    disk.put(&markdown(), after.as_bytes());
    disk.put(&phase(), b"Words\n- [ ] Docs <!-- TASK: docs -->\n");
    let view = sync(&disk, "main");
    assert_eq!(record(&view, "one", "schema"), before);
    assert_eq!(logged(&disk, "task_completed"), 2);
}

#[test]
fn a_tick_from_an_editor_is_not_credited_to_the_next_author() {
    let ticked = OPEN.replace("[ ] Roles", "[x] Roles");
    let fresh = || {
        let disk = SimulatedDisk::with_root(root());
        disk.put(&markdown(), OPEN.as_bytes());
        sync(&disk, "main");
        disk
    };
    let check = |disk: &SimulatedDisk, scene: &str| {
        let view = workspace(disk, "main").plan(&id()).view().unwrap();
        assert!(view.outline.task("roles").unwrap().done, "{scene}");
        assert_eq!(author(&view, "roles"), None, "{scene}");
        let agents = view
            .state
            .at(&Pointer::of(["agents"]))
            .unwrap()
            .to_compact();
        assert!(!agents.contains("roles"), "{scene}: {agents}");
    };
    // Just before the change.
    let disk = fresh();
    disk.put(&markdown(), ticked.as_bytes());
    tick(&disk, "subagent:z", "schema");
    check(&disk, "before");
    // While the change is written.
    let disk = fresh();
    disk.meddle_with(&[&ticked]);
    tick(&disk, "subagent:z", "schema");
    check(&disk, "meanwhile");
    // Before a change that crashes.
    let disk = fresh();
    disk.put(&markdown(), ticked.as_bytes());
    for image in cut_off(&disk, |disk| {
        note(disk, "subagent:z", "hi");
    }) {
        assert!(note(&image, "subagent:z", "hi"));
        check(&image, "after a crash");
    }
    // With the history deleted.
    let disk = fresh();
    disk.remove(&inner("history.jsonl")).unwrap();
    disk.put(&markdown(), ticked.as_bytes());
    tick(&disk, "subagent:z", "schema");
    check(&disk, "without history");
}

#[test]
fn a_state_that_was_put_back_gets_its_records_back() {
    let disk = SimulatedDisk::with_root(root());
    disk.put(&markdown(), OPEN.as_bytes());
    sync(&disk, "main");
    tick(&disk, "subagent:db", "schema");
    let old = disk.read(&inner("state.json")).unwrap();
    tick(&disk, "team:7", "roles");
    assert!(note(&disk, "main", "later"));
    let before = record(
        &workspace(&disk, "main").plan(&id()).view().unwrap(),
        "one",
        "roles",
    );
    disk.put(&inner("state.json"), &old);
    assert!(note(&disk, "subagent:z", "hi"));
    let view = workspace(&disk, "main").plan(&id()).view().unwrap();
    assert_eq!(record(&view, "one", "roles"), before);
    assert_eq!(logged(&disk, "task_completed roles"), 1);
}

#[test]
fn a_tick_that_died_is_told_by_what_an_editor_made_of_it() {
    let disk = SimulatedDisk::with_root(root());
    disk.put(&markdown(), OPEN.as_bytes());
    sync(&disk, "main");
    let act = |disk: &SimulatedDisk| {
        let tasks = ["roles".to_owned()];
        let _ = workspace(disk, "subagent:ui")
            .plan(&id())
            .tick(ItemKind::Task, &tasks, Tick::Done);
    };
    let (mut kept, mut lost) = (0, 0);
    for image in cut_off(&disk, act) {
        let edited = format!("{}Words.\n", text(&image, &markdown()));
        let was_ticked = edited.contains("[x] Roles");
        image.put(&markdown(), edited.as_bytes());
        let view = sync(&image, "main");
        let completed = logged(&image, "task_completed") - logged(&image, "aborted").min(1);
        assert_eq!(
            completed,
            usize::from(was_ticked),
            "{:?}",
            events(&workspace(&image, "main"))
        );
        let expected = was_ticked.then(|| "subagent:ui".to_owned());
        assert_eq!(author(&view, "roles"), expected);
        *(if was_ticked { &mut kept } else { &mut lost }) += 1;
    }
    assert!(kept > 0 && lost > 0);
}

/// The disk right after the line of a change was written, before any file was.
fn died_after_its_line(disk: &SimulatedDisk, act: impl Fn(&SimulatedDisk)) -> SimulatedDisk {
    let lines = |disk: &SimulatedDisk| text(disk, &inner("history.jsonl")).lines().count();
    let files = |disk: &SimulatedDisk| {
        [markdown(), inner("state.json")].map(|path| disk.read(&path).unwrap())
    };
    let images = cut_off(disk, act).into_iter();
    // The last image contains the whole line.
    let mut images =
        images.filter(|image| lines(image) > lines(disk) && files(image) == files(disk));
    images.next_back().unwrap()
}

#[test]
fn a_change_that_never_took_effect_is_nothing_to_go_back_to() {
    let disk = SimulatedDisk::with_root(root());
    disk.put(&markdown(), OPEN.as_bytes());
    sync(&disk, "main");
    let image = died_after_its_line(&disk, |disk| {
        let tasks = ["roles".to_owned()];
        let _ = workspace(disk, "subagent:ui")
            .plan(&id())
            .tick(ItemKind::Task, &tasks, Tick::Done);
    });
    assert!(note(&image, "main", "settles it"));
    assert_eq!(logged(&image, "aborted"), 1);
    image.put(
        &markdown(),
        OPEN.replace("[ ] Roles", "[x] Roles").as_bytes(),
    );
    let view = sync(&image, "team:hand");
    assert_eq!(author(&view, "roles").as_deref(), Some("team:hand"));
    assert_eq!(
        logged(&image, "task_completed roles"),
        2,
        "the aborted one and this one"
    );
}

/// If the history's edits no longer lead to the state, its events still describe it, except changes that never took
/// effect.
#[test]
fn a_state_is_reconstructed_from_what_is_left_of_its_history() {
    let (disk, _) = worked();
    let image = died_after_its_line(&disk, |disk| {
        note(disk, "main", "never");
    });
    let main = workspace(&image, "main");
    let decision = Decision {
        text: "Use sqlite".into(),
        reason: Some("small".into()),
        concern: Concern::Current,
    };
    main.plan(&id()).decide(&decision).unwrap();
    assert!(note(&image, "main", "kept"));
    let history = text(&image, &inner("history.jsonl"));
    let mut lines: Vec<&str> = history.lines().collect();
    lines[1] = "garbage";
    image.put(
        &inner("history.jsonl"),
        format!("{}\n", lines.join("\n")).as_bytes(),
    );
    image.put(&inner("state.json"), b"garbage");
    let _ = image.remove(&inner("recovery.json"));
    let view = sync(&image, "main");
    let state = view.state.to_compact();
    assert!(state.contains(r#""sessionNotes":"kept""#), "{state}");
    assert!(state.contains(r#""reason":"small""#), "{state}");
    assert_eq!(author(&view, "schema").as_deref(), Some("subagent:db"));
    assert_eq!(author(&view, "roles").as_deref(), Some("team:7"));
    assert_eq!(logged(&image, "full_recovery"), 1);
}

/// From the backup, and the lines after it.
#[test]
fn a_state_is_reconstructed_from_its_backup_and_the_lines_after_it() {
    let (disk, _) = worked();
    for text in ["one", "two", "three", "four"] {
        assert!(note(&disk, "main", text));
    }
    let copy = text(&disk, &inner("recovery.json"));
    assert!(copy.contains("\"reason\": \"periodic\""), "{copy}");
    assert!(note(&disk, "main", "five"));
    let history = text(&disk, &inner("history.jsonl"));
    let mut lines: Vec<&str> = history.lines().collect();
    lines[1] = "garbage";
    disk.put(
        &inner("history.jsonl"),
        format!("{}\n", lines.join("\n")).as_bytes(),
    );
    disk.put(&inner("state.json"), b"garbage");
    let view = sync(&disk, "main");
    let state = view.state.to_compact();
    assert!(
        state.contains(r#""sessionNotes":"one\ntwo\nthree\nfour\nfive""#),
        "{state}"
    );
    assert_eq!(author(&view, "schema").as_deref(), Some("subagent:db"));
    assert_eq!(logged(&disk, "state_corrupted"), 1);
}

#[test]
fn work_that_is_about_to_count_as_undone_is_copied_first() {
    let (disk, after) = worked();
    disk.put(
        &markdown(),
        after.replace("[x] Roles", "[ ] Roles, again").as_bytes(),
    );
    sync(&disk, "main");
    assert_eq!(logged(&disk, "task_reopened"), 1);
    let copy = text(&disk, &inner("recovery.json"));
    assert!(
        copy.contains("pre_regress") && copy.contains("team:7"),
        "{copy}"
    );
}

#[test]
fn decisions_come_back_with_their_times() {
    let disk = SimulatedDisk::with_root(root());
    let decided = format!("{OPEN}<!-- DECISION: Use sqlite -->\n");
    disk.put(&markdown(), decided.as_bytes());
    let first = sync(&disk, "main");
    let time = |view: &PlanView| {
        let pointer = Pointer::of(["decisions", "0", "time"]);
        view.state
            .at(&pointer)
            .map(crate::document::Value::to_compact)
    };
    disk.put(&markdown(), OPEN.as_bytes());
    assert_eq!(time(&sync(&disk, "main")), None);
    std::thread::sleep(std::time::Duration::from_millis(3));
    disk.put(&markdown(), decided.as_bytes());
    assert_eq!(time(&sync(&disk, "main")), time(&first));
}
