//! What happens to a checkpoint of each kind.

use crate::command::{PhaseStatus, PhaseUpdate, Unfinished};
use crate::gate::GateName;
use crate::history::Revision;
use crate::key::{CommandKey, PipelineId, PlanId};
use crate::pipeline::{Failure, NoteEntry, Order, Pipeline, ReviewRequest, Status, Verdict};
use crate::plan::{Concern, Decision, ItemKind, NewTask, NoteChange, TaskPlace, Tick};
use crate::repository::ContentDigest;
use crate::workspace::{Base, Finished, GateRequest, StartRequest, Workspace, WorkspaceError};

/// Which of a few things an act is about.
pub(super) type Which = u8;

/// The acts on a command.
pub(super) const ON_COMMAND: [&str; 11] = [
    "phase",
    "phase",
    "phase",
    "phase",
    "save",
    "save the first",
    "complete",
    "abandon",
    "block",
    "override",
    "start over",
];

pub(super) fn on_command(
    workspace: &Workspace,
    key: &CommandKey,
    act: &str,
    which: Which,
) -> Result<(), WorkspaceError> {
    let checkpoint = workspace.command(key);
    match act {
        "phase" => {
            let statuses = [
                PhaseStatus::Pending,
                PhaseStatus::InProgress,
                PhaseStatus::Complete,
                PhaseStatus::Failed,
                PhaseStatus::Skipped,
            ];
            let status = statuses[usize::from(which) % statuses.len()];
            let summary = format!("Word {which} é \u{1F980}");
            let update = PhaseUpdate::to(status).with_summary(&summary);
            let phase = format!("phase-{}", which / 5 % 4);
            checkpoint.update_phase(&phase, &update).map(drop)
        }
        "save" => {
            let mut mine = workspace.require(&key.into())?.document.value();
            let root = mine.as_object_mut().expect("it is an object");
            root.set("mine", u64::from(which));
            checkpoint.save(&mine, Base::Unknown).map(drop)
        }
        "save the first" => {
            let first = Revision {
                number: 1,
                epoch: None,
            };
            let mine = workspace.at_revision(&key.into(), &first)?.value();
            checkpoint.save_content(&mine, Base::Unknown).map(drop)
        }
        "complete" => checkpoint.complete(Unfinished::Ignore).map(drop),
        "abandon" => checkpoint.abandon("no time").map(drop),
        "block" => {
            let block = GateRequest::Block(vec![format!("no {which}")]);
            checkpoint.set_gate(&block).map(drop)
        }
        "override" => {
            let content = ContentDigest::of_test("abc");
            checkpoint.override_gate_for("agreed", &content).map(drop)
        }
        "start over" => {
            let request = StartRequest {
                phases: None,
                issue: None,
                finished: Finished::StartOver,
            };
            checkpoint.start(&request).map(drop)
        }
        other => unknown(other),
    }
}

/// An act that takes several changes, of which some may be refused.
pub(super) const SEVERAL: &str = "complete and reopen";

/// The acts on a pipeline.
pub(super) const ON_PIPELINE: [&str; 14] = [
    "start",
    "start",
    "go on",
    "go on",
    "go on",
    "go on",
    "fail or go on",
    "defer",
    "pass",
    "pass",
    "fail gate",
    "review",
    SEVERAL,
    "approve or note",
];

pub(super) fn on_pipeline(
    workspace: &Workspace,
    id: &PipelineId,
    act: &str,
    which: Which,
) -> Result<(), WorkspaceError> {
    let pipeline = workspace.pipeline(id);
    let document = workspace.require(&id.into())?.document;
    let listed = |lists: &[&str]| {
        let names = lists
            .iter()
            .flat_map(|list| Pipeline::new(document.root()).names(list));
        let names: Vec<String> = names.collect();
        let chosen = usize::from(which) % names.len().max(1);
        names.into_iter().nth(chosen).unwrap_or("WS1".to_owned())
    };
    let pending = listed(&["pending_workstreams", "dormant_workstreams"]);
    let running = listed(&["in_progress_workstreams"]);
    let found = Pipeline::new(document.root());
    let (status, is_running) = (
        found.status(),
        !found.names("in_progress_workstreams").is_empty(),
    );
    let gate = GateName {
        name: "tests".into(),
        workstream: Some(["WS1", "WS2"][usize::from(which) % 2].to_owned()),
    };
    let failure = Failure {
        message: "boom".into(),
        ..Failure::default()
    };
    match act {
        "start" | "go on" | "fail or go on" if status == Status::Failed => pipeline.fixed(),
        "fail or go on" if is_running => pipeline.fail(&running, &failure),
        "go on" if is_running => pipeline.done(&running, &[format!("{which}.rs")]),
        "start" | "go on" | "fail or go on" => pipeline.start(&[pending], Order::AsSpecified),
        "defer" => pipeline.defer(&pending, "later"),
        "pass" => pipeline.pass_gate(&gate),
        "fail gate" => pipeline.fail_gate(&gate, &failure),
        "review" => pipeline.review(&ReviewRequest {
            verdict: Verdict::DoNotShip,
            p0: Some(u64::from(which % 2)),
            p1: None,
            findings_path: None,
            reason: None,
        }),
        SEVERAL => {
            // Whatever of this is refused was so already.
            let _ = pipeline.fixed();
            for name in ["WS1", "WS2", "WS3"] {
                let _ = pipeline.start(&[name.to_owned()], Order::AsSpecified);
                let _ = pipeline.done(name, &[]);
            }
            for workstream in ["WS1", "WS2"].map(str::to_owned) {
                let _ = pipeline.pass_gate(&GateName {
                    workstream: Some(workstream),
                    ..gate.clone()
                });
            }
            pipeline.complete(Unfinished::Refuse)?;
            pipeline.reopen()
        }
        "approve or note" if status == Status::Paused => pipeline.approve(),
        "approve or note" => pipeline.note(&[NoteEntry::Cleanup(format!("note {which}"))]),
        other => unknown(other),
    }
    .map(drop)
}

/// The acts on a plan.
pub(super) const ON_PLAN: [&str; 18] = [
    "tick", "tick", "tick", "untick", "accept", "refuse", "note", "note", "clear", "decide",
    "block", "block", "unblock", "claim", "add", "edit", "complete", "abandon",
];

pub(super) fn on_plan(
    workspace: &Workspace,
    id: &PlanId,
    act: &str,
    which: Which,
) -> Result<(), WorkspaceError> {
    let plan = workspace.plan(id);
    let task = [["one", "two", "three", "four"][usize::from(which) % 4].to_owned()];
    let works = ["works".to_owned()];
    match act {
        "tick" => plan.tick(ItemKind::Task, &task, Tick::Done),
        "accept" => plan.tick(ItemKind::Acceptance, &works, Tick::Done),
        "refuse" => plan.tick(ItemKind::Acceptance, &works, Tick::Open),
        "untick" => plan.tick(ItemKind::Task, &task, Tick::Open),
        "note" => plan.note(&NoteChange::Add(format!("note {which}"))),
        "clear" => plan.note(&NoteChange::Clear),
        "decide" => plan.decide(&Decision {
            text: format!("Choice {which}"),
            reason: which.is_multiple_of(2).then(|| "because".to_owned()),
            concern: Concern::Current,
        }),
        "block" => plan.block(&format!("Blocker {which}"), &Concern::Current),
        "unblock" => plan.unblock("Blocker"),
        "claim" => plan.claim(&task),
        "complete" => plan.complete(Unfinished::Ignore),
        "abandon" => plan.abandon("no time"),
        "add" => plan.add(&NewTask {
            text: format!("New {which}"),
            place: TaskPlace::Current,
        }),
        "edit" => plan.edit(&task[0], &format!("Text {which}")),
        other => unknown(other),
    }
    .map(drop)
}

fn unknown<T>(act: &str) -> T {
    panic!("nobody does {act}")
}
