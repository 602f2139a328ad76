//! Every revision can be shown, compared, restored and undone, whatever happened.

mod kinds;

use proptest::prelude::*;

use super::*;
use crate::command::{PhaseStatus, PhaseUpdate, Unfinished};
use crate::document::diff;
use crate::key::CommandKey;
use crate::repository::Environment;
use crate::workspace::{GateRequest, Options, StartRequest};

/// One thing that happens to a checkpoint.
#[derive(Debug, Clone)]
enum Step {
    Phase {
        name: u8,
        status: u8,
        summary: u16,
    },
    Complete,
    Abandon,
    Block,
    Restore {
        back: u8,
    },
    Undo,
    /// Another program edits the file.
    Edit {
        text: u8,
    },
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        6 => (0..4u8, 0..5u8, any::<u16>())
            .prop_map(|(name, status, summary)| Step::Phase { name, status, summary }),
        1 => Just(Step::Complete),
        1 => Just(Step::Abandon),
        1 => Just(Step::Block),
        2 => (0..20u8).prop_map(|back| Step::Restore { back }),
        2 => Just(Step::Undo),
        1 => any::<u8>().prop_map(|text| Step::Edit { text }),
    ]
}

fn workspace() -> (tempfile::TempDir, Workspace) {
    let directory = tempfile::tempdir().expect("there is room");
    let options = Options::default();
    let opened = Workspace::open(directory.path(), &Environment::default(), options);
    (directory, opened.expect("it opens"))
}

fn command() -> CommandKey {
    CommandKey::parse("implement/auth").expect("it is a key")
}

fn act(workspace: &Workspace, step: &Step, revisions: u64) {
    let key = Key::from(command());
    let command = command();
    let checkpoint = workspace.command(&command);
    let statuses = [
        PhaseStatus::Pending,
        PhaseStatus::InProgress,
        PhaseStatus::Complete,
        PhaseStatus::Failed,
        PhaseStatus::Skipped,
    ];
    // Some of this is refused, which is as good as anything.
    match step {
        Step::Phase {
            name,
            status,
            summary,
        } => {
            let status = statuses[usize::from(*status)];
            let update =
                PhaseUpdate::to(status).with_summary(&format!("Word {summary} é \u{1F980}"));
            let _ = checkpoint.update_phase(&format!("phase-{name}"), &update);
        }
        Step::Complete => drop(checkpoint.complete(Unfinished::Ignore)),
        Step::Abandon => drop(checkpoint.abandon("no time")),
        Step::Block => drop(checkpoint.set_gate(&GateRequest::Block(vec!["no".to_owned()]))),
        Step::Restore { back } => {
            let number = revisions.saturating_sub(u64::from(*back)).max(1);
            let _ = workspace.restore(&key, &number.to_string().parse().expect("it is one"));
        }
        Step::Undo => drop(workspace.undo(&key)),
        Step::Edit { text } => {
            let path = workspace.path(&key);
            let present = std::fs::read_to_string(&path).expect("it is there");
            let edited = present.replacen('{', &format!("{{ \"theirs\": {text},"), 1);
            std::fs::write(&path, edited).expect("it can be written");
        }
    }
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

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn whatever_happens_every_revision_is_shown_compared_restored_and_undone(
        steps in prop::collection::vec(step(), 1..90)
    ) {
        let (_directory, workspace) = workspace();
        let key = Key::from(command());
        workspace.command(&command()).start(&StartRequest::default()).expect("it starts");
        // What the document was at each revision.
        let mut model: Vec<(u64, String)> = Vec::new();
        for step in &steps {
            let last = workspace.last_change(&key).expect("it is read");
            let last = last.and_then(|line| line.number()).expect("it has changed");
            if model.last().is_none_or(|(known, _)| *known < last) {
                model.push((last, now(&workspace).text().to_owned()));
            }
            act(&workspace, step, last);
        }
        // Whatever another program left is recorded with the next change.
        let done = PhaseUpdate::to(PhaseStatus::Complete);
        workspace.command(&command()).update_phase("last", &done).expect("it is changed");
        for (revision, text) in &model {
            let shown = workspace.at_revision(&key, &number(*revision)).expect("it is in the history");
            prop_assert_eq!(shown.text(), text, "revision {}", revision);
        }
        for pair in model.windows(2) {
            let value = |text: &str| Document::parse(text.to_owned()).expect("it is JSON").value();
            let (old, new) = (value(&pair[0].1), value(&pair[1].1));
            let patched = diff(&old, &new).apply(&old).expect("it applies");
            prop_assert_eq!(patched, new);
        }
        // There and back again.
        let before = now(&workspace);
        let last = workspace.last_change(&key).expect("it is read").and_then(|line| line.revision());
        let last = last.expect("it has changed");
        for (revision, _) in model.iter().rev().take(5) {
            // What was complete then stays in flight.
            if workspace.restore(&key, &number(*revision)).is_err() {
                continue;
            }
            workspace.restore(&key, &last).expect("it is restored");
            let after = now(&workspace);
            prop_assert_eq!(after.text(), before.text(), "revision {}", revision);
        }
        // Undo of undo.
        if workspace.undo(&key).is_ok_and(|undone| undone.revision.is_some()) {
            workspace.undo(&key).expect("it is undone");
            let after = now(&workspace);
            prop_assert_eq!(after.text(), before.text());
        }
    }
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
