//! Every operation on a pipeline, killed at every disk operation.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::super::*;
use crate::disk::simulated::{Crash, SimulatedDisk, Trouble};
use crate::document::Value;
use crate::gate::GateName;
use crate::history::Forward;
use crate::key::PipelineId;
use crate::operation::Unfinished;
use crate::pipeline::{Failure, Order};

const SPEC: &str = "\
workstreams: {A: {}, B: {depends_on: [A]}, C: {}}
gates: {tests: 'true'}
";

fn root() -> &'static Path {
    Path::new("/repository")
}

fn spec() -> PathBuf {
    root().join("SPEC.yaml")
}

fn id() -> PipelineId {
    PipelineId::new("SPEC").unwrap()
}

fn workspace(disk: &SimulatedDisk) -> Workspace {
    let environment = Environment {
        git_root: Some(root().to_owned()),
        ..Environment::default()
    };
    let repository = Repository::discover(Path::new("/"), &environment).unwrap();
    let options = Options::default();
    let store = FileStore::on(Arc::new(disk.clone()), root(), options.clock)
        .with_vault(crate::seal::Vault::holding(crate::seal::SealKey::new(
            [1; 32],
        )))
        .with_epochs_by_time();
    Workspace::with_store(repository, store, options)
}

type Act = fn(&Workspace) -> Result<Outcome, WorkspaceError>;

fn tests() -> GateName {
    GateName {
        name: "tests".into(),
        workstream: None,
    }
}

fn boom() -> Failure {
    Failure {
        message: "boom".into(),
        ..Failure::default()
    }
}

/// A pipeline run, step by step.
const STEPS: [(&str, Act); 13] = [
    ("init", |w| {
        w.init_pipeline(&spec()).map(|started| started.outcome)
    }),
    ("start", |w| {
        w.pipeline(&id())
            .start(&["A".into(), "C".into()], Order::AsSpecified)
    }),
    ("done", |w| w.pipeline(&id()).done("A", &["a.ts".into()])),
    ("fail", |w| w.pipeline(&id()).fail("C", &boom())),
    ("fixed", |w| w.pipeline(&id()).fixed()),
    ("interrupted and done", |w| w.pipeline(&id()).done("C", &[])),
    ("gate", |w| w.pipeline(&id()).pass_gate(&tests())),
    ("defer", |w| w.pipeline(&id()).defer("B", "later")),
    ("abort", |w| w.pipeline(&id()).abort("too large")),
    ("fixed again", |w| w.pipeline(&id()).fixed()),
    ("complete", |w| {
        w.pipeline(&id()).complete(Unfinished::Refuse)
    }),
    ("undo", |w| w.undo(&(&id()).into())),
    ("restore", |w| {
        w.restore(&(&id()).into(), &"3".parse().unwrap())
    }),
];

/// The checkpoint without its times; `None` if there is none.
fn said(disk: &SimulatedDisk) -> Option<Value> {
    let loaded = workspace(disk).load(&(&id()).into()).unwrap()?;
    let mut value = loaded.document.value();
    let root = value.as_object_mut().unwrap();
    root.remove("timestamp");
    root.remove("aborted_at");
    if let Some(Value::Object(receipts)) = root.get_mut("receipts") {
        receipts.object_mut("tests").remove("at");
        receipts.object_mut("tests").remove(crate::seal::SEAL);
    }
    Some(value)
}

#[test]
fn every_crash_of_a_pipeline_leaves_it_as_it_was_or_as_it_becomes() {
    let mut before = SimulatedDisk::with_root(root());
    before.put(&spec(), SPEC.as_bytes());
    for (name, act) in STEPS {
        let whole = before.copy(Trouble::None);
        act(&workspace(&whole)).unwrap();
        let (old, new) = (said(&before), said(&whole));
        assert_ne!(old, new, "{name}");
        for at in 0..=whole.operations() {
            for crash in Crash::ALL {
                let disk = before.copy(Trouble::DieAt(at));
                let acknowledged = act(&workspace(&disk)).is_ok();
                let image = disk.after(crash);
                let scene = format!("{name}, {crash:?} at {at}: {:?}", disk.log().last());
                let found = said(&image);
                assert!(found == new || (found == old && !acknowledged), "{scene}");
                // A retry leads to the state that this attempt was to reach.
                if found == old {
                    act(&workspace(&image)).unwrap();
                }
                assert_eq!(said(&image), new, "{scene}");
                check_numbers(&image, &scene);
            }
        }
        before = whole.copy(Trouble::None);
    }
}

/// No revision number is repeated or skipped.
fn check_numbers(disk: &SimulatedDisk, scene: &str) {
    let history = workspace(disk).history(&(&id()).into()).unwrap().unwrap();
    let lines = Forward::new(history.file()).unwrap().map(Result::unwrap);
    let mut numbers: Vec<u64> = lines
        .filter(|line| line.files().is_some())
        .map(|line| line.number().unwrap())
        .collect();
    let count = numbers.len() as u64;
    numbers.dedup();
    assert_eq!(numbers, (1..=count).collect::<Vec<_>>(), "{scene}");
}
