//! The same for pipelines and plans: whatever happens, every revision is shown, compared, restored and undone.

use std::path::Path;

use proptest::prelude::*;

use super::{number, workspace};
use crate::document::{Document, Value, diff};
use crate::gate::GateName;
use crate::history::Revision;
use crate::key::{Key, PipelineId, PlanId};
use crate::operation::Unfinished;
use crate::pipeline::{Failure, NoteEntry, Order, Pipeline, ReviewRequest, Verdict};
use crate::plan::{Concern, Decision, ItemKind, NewTask, NoteChange, TaskPlace, Tick};
use crate::workspace::Workspace;

/// One thing that happens to a checkpoint.
#[derive(Debug, Clone)]
enum Step {
    Act {
        what: u8,
        which: u8,
    },
    Restore {
        back: u8,
    },
    Undo,
    /// Another program edits the file.
    Edit {
        text: u8,
    },
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let step = prop_oneof![
        10 => (0..12u8, 0..4u8).prop_map(|(what, which)| Step::Act { what, which }),
        2 => (0..20u8).prop_map(|back| Step::Restore { back }),
        2 => Just(Step::Undo),
        1 => any::<u8>().prop_map(|text| Step::Edit { text }),
    ];
    prop::collection::vec(step, 1..40)
}

/// A checkpoint of one kind.
struct Subject<'w> {
    workspace: &'w Workspace,
    key: Key,
}

impl Subject<'_> {
    fn last(&self) -> Revision {
        let last = self.workspace.last_change(&self.key).expect("it is read");
        let last = last.and_then(|line| line.revision());
        last.expect("it has changed")
    }

    fn document(&self) -> Document {
        let text = std::fs::read_to_string(self.workspace.path(&self.key));
        Document::parse(text.expect("it is there")).expect("it is JSON")
    }

    /// The files of people, and the document as far as going back leads to the same bytes.
    fn content(&self) -> (String, String) {
        let document = self.document();
        let Key::Plan(id) = &self.key else {
            return (String::new(), document.text().to_owned());
        };
        let markdown = self.workspace.layout.plan_directory(id).join("plan.md");
        let markdown = std::fs::read_to_string(markdown).expect("it is there");
        let mut value = document.value();
        let state = value.as_object_mut().expect("it is an object");
        for name in ["lastCheckpoint", "agents", "phases"] {
            state.remove(name);
        }
        (markdown, value.to_compact())
    }

    fn passed(&self) -> Vec<String> {
        Pipeline::new(self.document().root()).gates_passed()
    }

    /// Whether it was restored. A refusal leaves every byte alone.
    fn restore(&self, revision: &Revision) -> bool {
        let before = self.content();
        let done = match &self.key {
            Key::Plan(id) => self.workspace.plan(id).restore(revision).is_ok(),
            key => self.workspace.restore(key, revision).is_ok(),
        };
        assert!(
            done || self.content() == before,
            "a refusal changed something"
        );
        done
    }

    /// Whether something was taken back. A refusal leaves every byte alone.
    fn undo(&self) -> bool {
        let before = self.content();
        let revision = match &self.key {
            Key::Plan(id) => self.workspace.plan(id).undo().map(|done| done.revision),
            key => self.workspace.undo(key).map(|done| done.revision),
        };
        let done = matches!(revision, Ok(Some(_)));
        assert!(
            done || self.content() == before,
            "a refusal changed something"
        );
        done
    }

    fn take(&self, step: &Step) {
        match step {
            Step::Act { what, which } => match &self.key {
                Key::Plan(id) => act_on_plan(self.workspace, id, *what, *which),
                Key::Pipeline(id) => act_on_pipeline(self.workspace, id, *what, *which),
                Key::Command(_) => {}
            },
            Step::Restore { back } => {
                let last = self.last().number;
                self.restore(&number(last.saturating_sub(u64::from(*back)).max(1)));
            }
            Step::Undo => drop(self.undo()),
            Step::Edit { text } => self.edit(*text),
        }
    }

    fn edit(&self, text: u8) {
        let (path, edited) = match &self.key {
            Key::Plan(id) => {
                let path = self.workspace.layout.plan_directory(id).join("plan.md");
                let present = std::fs::read_to_string(&path).expect("it is there");
                let edited = match text % 4 {
                    0 => present.replacen("- [ ]", "- [x]", 1),
                    1 => format!("{present}More {text}.\n"),
                    2 => present.replacen("# Plan", &format!("# Plan {text}"), 1),
                    _ => present.replacen("- [x]", "- [ ]", 1),
                };
                (path, edited)
            }
            key => {
                let path = self.workspace.path(key);
                let present = std::fs::read_to_string(&path).expect("it is there");
                let edited = present.replacen('{', &format!("{{ \"theirs\": {text},"), 1);
                (path, edited)
            }
        };
        std::fs::write(path, edited).expect("it can be written");
    }
}

fn act_on_pipeline(workspace: &Workspace, id: &PipelineId, what: u8, which: u8) {
    let pipeline = workspace.pipeline(id);
    let one = format!("WS{}", which % 3 + 1);
    let gate = GateName {
        name: "tests".into(),
        workstream: Some(format!("WS{}", which % 2 + 1)),
    };
    let failure = Failure {
        message: "boom".into(),
        ..Failure::default()
    };
    let review = ReviewRequest {
        verdict: Verdict::DoNotShip,
        p0: Some(u64::from(which % 2)),
        p1: None,
        findings_path: None,
        reason: None,
    };
    // Some of this is refused, which is as good as anything.
    let _ = match what {
        0..=2 => pipeline.start(&[one], Order::AsSpecified),
        3..=5 => pipeline.done(&one, &[format!("{which}.rs")]),
        6 => pipeline.fail(&one, &failure),
        7 => pipeline.fixed(),
        8 => pipeline.defer(&one, "later"),
        9 => pipeline.pass_gate(&gate),
        10 => pipeline.fail_gate(&gate, &failure),
        _ if which == 0 => pipeline.review(&review),
        _ => pipeline.complete(Unfinished::Refuse),
    };
}

fn act_on_plan(workspace: &Workspace, id: &PlanId, what: u8, which: u8) {
    let plan = workspace.plan(id);
    let task = [["one", "two", "three", "four"][usize::from(which % 4)].to_owned()];
    let decision = Decision {
        text: format!("Choice {which}"),
        reason: which.is_multiple_of(2).then(|| "because".to_owned()),
        concern: Concern::Current,
    };
    let new = NewTask {
        text: format!("New {which}"),
        place: TaskPlace::Current,
    };
    let _ = match what {
        0..=2 => plan.tick(ItemKind::Task, &task, Tick::Done),
        3 => plan.tick(ItemKind::Task, &task, Tick::Open),
        4 => plan.note(&NoteChange::Add(format!("note {which}"))),
        5 => plan.note(&NoteChange::Clear),
        6 => plan.decide(&decision),
        7 => plan.block(&format!("Blocker {which}"), &Concern::Current),
        8 => plan.unblock("Blocker"),
        9 => plan.claim(&task),
        10 => plan.add(&new),
        _ => plan.edit(&task[0], &format!("Text {which}")),
    };
}

fn begin_pipeline(root: &Path, workspace: &Workspace) -> Key {
    let spec = "---\nprd: PRD-001\nworkstreams:\n  WS1: { gate: tests }\n  WS2: { depends_on: [WS1], gate: tests }\n  \
        WS3: {}\ngates:\n  tests: { command: 'true' }\n---\n";
    let file = root.join("spec.md");
    std::fs::write(&file, spec).expect("it can be written");
    workspace.init_pipeline(&file).expect("it begins");
    Key::from(&PipelineId::new("PRD-001").expect("it is an id"))
}

fn begin_plan(workspace: &Workspace) -> Key {
    let id = PlanId::new("260101-0000-plan").expect("it is an id");
    let text = "# Plan\n\n## First\n<!-- CHECKPOINT: first -->\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n\n\
        ## Second\n<!-- CHECKPOINT: second -->\n- [ ] Three <!-- TASK: three -->\n- [ ] Four <!-- TASK: four -->\n";
    workspace
        .plan(&id)
        .create(text.as_bytes())
        .expect("it is created");
    Key::from(&id)
}

fn check(subject: &Subject<'_>, steps: &[Step]) -> Result<(), TestCaseError> {
    let mut model: Vec<(u64, String)> = Vec::new();
    let note = |model: &mut Vec<(u64, String)>| {
        let last = subject.last().number;
        if model.last().is_none_or(|(known, _)| *known < last) {
            model.push((last, subject.document().text().to_owned()));
        }
    };
    for step in steps {
        note(&mut model);
        subject.take(step);
    }
    // Whatever another program left is recorded with the next change.
    match &subject.key {
        Key::Plan(id) => drop(
            subject
                .workspace
                .plan(id)
                .note(&NoteChange::Add("end".into())),
        ),
        Key::Pipeline(id) => drop(
            subject
                .workspace
                .pipeline(id)
                .note(&[NoteEntry::Cleanup("end".into())]),
        ),
        Key::Command(_) => {}
    }
    for (revision, text) in &model {
        let shown = subject
            .workspace
            .at_revision(&subject.key, &number(*revision));
        let shown = shown.expect("it is in the history");
        prop_assert_eq!(shown.text(), text, "revision {}", revision);
    }
    let value = |text: &str| -> Value {
        let document = Document::parse(text.to_owned()).expect("it is JSON");
        document.value()
    };
    for pair in model.windows(2) {
        let (old, new) = (value(&pair[0].1), value(&pair[1].1));
        let patched = diff(&old, &new).apply(&old).expect("it applies");
        prop_assert_eq!(patched, new);
    }
    let (before, passed, last) = (subject.content(), subject.passed(), subject.last());
    // Gates that went back to pending do not pass by going there again.
    let is_as_before = |what: &str| {
        let is_same = subject.content() == before || subject.passed() != passed;
        prop_assert!(is_same, "{}:\n{:?}\n{:?}", what, before, subject.content());
        Ok(())
    };
    if subject.undo() && subject.undo() {
        is_as_before("undo of undo")?;
    }
    for (revision, _) in model.iter().rev().take(4) {
        if subject.passed() == passed
            && subject.content() == before
            && subject.restore(&number(*revision))
            && subject.restore(&last)
        {
            is_as_before("restore and back")?;
        }
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 32, ..ProptestConfig::default() })]

    #[test]
    fn every_revision_of_a_pipeline_is_shown_compared_restored_and_undone(steps in steps()) {
        let (directory, workspace) = workspace();
        let key = begin_pipeline(directory.path(), &workspace);
        check(&Subject { workspace: &workspace, key }, &steps)?;
    }

    #[test]
    fn every_revision_of_a_plan_is_shown_compared_restored_and_undone(steps in steps()) {
        let (_directory, workspace) = workspace();
        let key = begin_plan(&workspace);
        check(&Subject { workspace: &workspace, key }, &steps)?;
    }
}
