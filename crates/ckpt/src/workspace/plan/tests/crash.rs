//! Every operation on a plan, killed at every disk operation.

use std::path::PathBuf;

use super::super::super::*;
use super::super::{PlanOutcome, PlanView};
use super::{KEY, PLAN, events, file, id, markdown, root, workspace};
use crate::disk::Disk;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::history::replay;
use crate::operation::Unfinished;
use crate::plan::{Closing, Concern, Decision, ItemKind, NoteChange, Tick};

type Acted = Result<PlanOutcome, WorkspaceError>;

/// One operation: its setup, its action, and how to tell that it is done.
struct Case {
    name: &'static str,
    prepare: fn(&SimulatedDisk),
    act: fn(&Workspace) -> Acted,
    /// The event it records.
    event: &'static str,
    holds: fn(&PlanView) -> bool,
}

fn state() -> PathBuf {
    file(root(), ".checkpoint/state.json")
}

fn nothing(_: &SimulatedDisk) {}

fn noted(text: &str) -> NoteChange {
    NoteChange::Add(text.to_owned())
}

fn text_of<'v>(view: &'v PlanView, member: &str) -> &'v str {
    let state = view.state.as_object().unwrap();
    state
        .get(member)
        .and_then(|text| text.as_str())
        .unwrap_or_default()
}

fn tasks(names: &[&str]) -> Vec<String> {
    names.iter().map(|name| (*name).to_owned()).collect()
}

fn decision() -> Decision {
    Decision {
        text: "Use sqlite".into(),
        reason: Some("small".into()),
        concern: Concern::Phase("one".into()),
    }
}

fn claims_first(view: &PlanView) -> bool {
    view.state
        .to_compact()
        .contains(r#""team:a":{"type":"team","assignedTasks":["first"]"#)
}

const CASES: [Case; 16] = [
    Case {
        name: "done",
        prepare: nothing,
        act: |workspace| {
            workspace
                .plan(&id())
                .tick(ItemKind::Task, &tasks(&["first"]), Tick::Done)
        },
        event: "task_completed first",
        holds: |view| view.outline.task("first").unwrap().done,
    },
    Case {
        name: "accept",
        prepare: nothing,
        act: |workspace| {
            let criteria = tasks(&["works"]);
            workspace
                .plan(&id())
                .tick(ItemKind::Acceptance, &criteria, Tick::Done)
        },
        event: "acceptance_met",
        holds: |view| view.outline.criterion("works").unwrap().done,
    },
    Case {
        name: "decide",
        prepare: nothing,
        act: |workspace| workspace.plan(&id()).decide(&decision()),
        event: "decision_recorded",
        holds: |view| {
            view.outline.decisions == ["Use sqlite"]
                && view.state.to_compact().contains(r#""reason":"small""#)
        },
    },
    Case {
        name: "undo",
        prepare: |disk| {
            let prepared = workspace(disk, "main");
            prepared.plan(&id()).decide(&decision()).unwrap();
        },
        act: |workspace| workspace.plan(&id()).undo(),
        event: "undone",
        holds: |view| {
            view.outline.decisions.is_empty() && !view.state.to_compact().contains("small")
        },
    },
    Case {
        name: "block",
        prepare: nothing,
        act: |workspace| workspace.plan(&id()).block("No key", &Concern::Current),
        event: "blocker_added",
        holds: |view| view.outline.blockers == ["No key"],
    },
    Case {
        name: "unblock",
        prepare: |disk| {
            let prepared = workspace(disk, "main");
            prepared
                .plan(&id())
                .block("No key", &Concern::Current)
                .unwrap();
        },
        act: |workspace| workspace.plan(&id()).unblock("key"),
        event: "blocker_removed",
        holds: |view| view.outline.blockers.is_empty(),
    },
    Case {
        name: "note, with the fifth checkpoint",
        prepare: |disk| {
            for note in ["one", "two", "three"] {
                workspace(disk, "main")
                    .plan(&id())
                    .note(&noted(note))
                    .unwrap();
            }
        },
        act: |workspace| workspace.plan(&id()).note(&noted("four")),
        event: "note_added",
        holds: |view| text_of(view, "sessionNotes").contains("four"),
    },
    Case {
        name: "claim",
        prepare: nothing,
        act: |workspace| workspace.plan(&id()).claim(&tasks(&["first"])),
        event: "task_claimed first",
        holds: claims_first,
    },
    Case {
        name: "release",
        prepare: |disk| {
            workspace(disk, "team:a")
                .plan(&id())
                .claim(&tasks(&["first"]))
                .unwrap();
        },
        act: |workspace| workspace.plan(&id()).release(&tasks(&["first"])),
        event: "task_released first",
        holds: |view| !claims_first(view),
    },
    Case {
        name: "complete by force",
        prepare: nothing,
        act: |workspace| workspace.plan(&id()).complete(Unfinished::Ignore),
        event: "checkpoint_completed",
        holds: |view| view.closing() == Some(Closing::Complete),
    },
    Case {
        name: "abandon",
        prepare: nothing,
        act: |workspace| workspace.plan(&id()).abandon("too slow"),
        event: "checkpoint_abandoned",
        holds: |view| view.closing() == Some(Closing::Abandoned("too slow".into())),
    },
    Case {
        name: "tick of an abandoned plan",
        prepare: |disk| {
            let prepared = workspace(disk, "main");
            prepared.plan(&id()).abandon("too slow").unwrap();
        },
        act: |workspace| {
            workspace
                .plan(&id())
                .tick(ItemKind::Task, &tasks(&["first"]), Tick::Done)
        },
        event: "checkpoint_reopened",
        holds: |view| view.closing().is_none(),
    },
    Case {
        name: "sync of a state that cannot be read",
        prepare: |disk| {
            workspace(disk, "main")
                .plan(&id())
                .note(&noted("kept"))
                .unwrap();
            disk.put(&state(), b"{ torn");
        },
        act: |workspace| workspace.plan(&id()).sync(),
        event: "full_recovery",
        holds: |view| view.rebuilt.is_none() && text_of(view, "sessionNotes").contains("kept"),
    },
    Case {
        name: "sync of a foreign edit",
        prepare: |disk| {
            disk.put(
                &markdown(),
                PLAN.replace("[ ] First", "[x] First").as_bytes(),
            );
        },
        act: |workspace| workspace.plan(&id()).sync(),
        event: "task_completed first",
        holds: |view| !view.moved && view.outline.task("first").unwrap().done,
    },
    Case {
        name: "recover of a plan that is empty",
        prepare: |disk| disk.put(&markdown(), b""),
        act: |workspace| workspace.plan(&id()).recover(),
        event: "plan_restored",
        holds: |view| view.unparsable.is_none(),
    },
    Case {
        name: "recover of a plan and its phase file",
        prepare: |disk| {
            let phase = file(root(), "phase-03-more.md");
            disk.put(
                &markdown(),
                format!("{PLAN}[More](phase-03-more.md)\n").as_bytes(),
            );
            disk.put(&phase, b"- [ ] More <!-- TASK: more -->\n");
            workspace(disk, "main").plan(&id()).sync().unwrap();
            for path in [markdown(), phase] {
                disk.remove(&path).unwrap();
            }
            disk.sync_directory(markdown().parent().unwrap()).unwrap();
        },
        act: |workspace| workspace.plan(&id()).recover(),
        event: "plan_restored",
        holds: |view| view.unparsable.is_none() && view.outline.task("more").is_some(),
    },
];

#[test]
fn every_crash_of_every_operation_leaves_all_of_it_or_nothing() {
    crashes(check);
}

#[test]
fn without_a_key_and_with_another_one_no_crash_loses_what_was_acknowledged() {
    for (during, after) in [
        (None, None),
        (Some(1), Some(2)),
        (Some(1), None),
        (None, Some(1)),
    ] {
        KEY.set(during);
        crashes(|case, image, acknowledged, scene| {
            KEY.set(after);
            check_that_it_goes_on(case, image, acknowledged, scene);
            KEY.set(during);
        });
    }
}

/// Crashes every operation at every step and checks each resulting disk.
fn crashes(look: impl Fn(&Case, &SimulatedDisk, bool, &str)) {
    for case in CASES {
        let before = SimulatedDisk::with_root(root());
        before.put(&markdown(), PLAN.as_bytes());
        workspace(&before, "main").plan(&id()).sync().unwrap();
        (case.prepare)(&before);
        let whole = before.copy(Trouble::None);
        (case.act)(&workspace(&whole, "team:a")).unwrap();
        assert!((case.holds)(
            &workspace(&whole, "main").plan(&id()).view().unwrap()
        ));
        for at in 0..=whole.operations() {
            for crash in Crash::ALL {
                let disk = before.copy(Trouble::DieAt(at));
                let acted = (case.act)(&workspace(&disk, "team:a"));
                let scene = format!("{}, {crash:?} at {at}: {:?}", case.name, disk.log().last());
                look(&case, &disk.after(crash), acted.is_ok(), &scene);
            }
        }
    }
}

/// What holds even if the history has no seals: acknowledged changes are there, everything can be read, and the next
/// change finds the Markdown and the state in sync.
fn check_that_it_goes_on(
    case: &Case,
    image: &SimulatedDisk,
    acknowledged: bool,
    scene: &str,
) -> (Workspace, bool) {
    let next = workspace(image, "team:b");
    // Readers see what the next writer will find, and write nothing.
    let seen = next.plan(&id()).view().unwrap();
    let held = (case.holds)(&seen);
    assert!(
        held || !acknowledged,
        "{scene}: an acknowledged change is lost"
    );
    if next.plan(&id()).note(&noted("next")).is_err() {
        // The plan is still missing: the change that restores it did not happen.
        assert!(seen.unparsable.is_some() && !acknowledged, "{scene}");
        next.plan(&id()).recover().unwrap();
        next.plan(&id()).note(&noted("next")).unwrap();
    }
    let view = next.plan(&id()).view().unwrap();
    assert!(!view.moved && view.rebuilt.is_none(), "{scene}");
    assert!(
        (case.holds)(&view) || !held,
        "{scene}: what was seen is gone"
    );
    assert!(text_of(&view, "sessionNotes").contains("next"), "{scene}");
    (next, held)
}

fn check(case: &Case, image: &SimulatedDisk, acknowledged: bool, scene: &str) {
    let (next, held) = check_that_it_goes_on(case, image, acknowledged, scene);
    let names = events(&next);
    let count = |name: &str| names.iter().filter(|known| *known == name).count();
    let logged = count(case.event).saturating_sub(count("aborted"));
    if held && case.event != "note_added" {
        assert_eq!(logged, 1, "{scene}: {names:?}");
    }
    let history = next.history(&(&id()).into()).unwrap().unwrap();
    let contents = replay(history.file(), None, |_| true).unwrap().unwrap();
    assert_eq!(
        contents["plan.md"],
        image.read(&markdown()).unwrap(),
        "{scene}"
    );
    assert_eq!(
        contents["state.json"],
        image.read(&state()).unwrap(),
        "{scene}"
    );
    let litter = image.file_names().into_iter().filter(|path| {
        let name = path.to_string_lossy();
        name.contains("tmp") || name.contains("orphan")
    });
    assert_eq!(litter.count(), 0, "{scene}: {:?}", image.file_names());
}
