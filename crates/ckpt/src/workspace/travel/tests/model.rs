//! A model of checkpoints of each kind: whatever happens to one, every revision is shown, compared, restored and undone.

mod moves;
mod restored;

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use proptest::prelude::*;
use proptest::sample::Index;
use proptest::test_runner::{Config, TestRunner};

use super::acts::{
    ON_COMMAND, ON_PIPELINE, ON_PLAN, SEVERAL, Which, on_command, on_pipeline, on_plan,
};
use super::open;
use crate::command::{PhaseStatus, PhaseUpdate};
use crate::document::{Document, Node, Value, diff};
use crate::history::Revision;
use crate::key::{CommandKey, Key, PipelineId, PlanId};
use crate::pipeline::{NoteEntry, Pipeline, Status};
use crate::plan::NoteChange;
use crate::workspace::{PlanVersion, SessionUndo, StartRequest, TakingBack, Workspace};

/// One thing that happens to a checkpoint, in one of two sessions.
#[derive(Debug, Clone)]
enum Step {
    Act {
        act: Index,
        which: Which,
    },
    Restore {
        back: u8,
    },
    Undo,
    /// The last change is taken back, and that as well.
    UndoTwice,
    UndoSession,
    /// Another program edits the file.
    Edit {
        text: u8,
    },
    Archive,
    Delete,
    /// Files are removed, and come back.
    Lose {
        part: Part,
    },
    Fork {
        back: u8,
    },
    Rename,
}

/// What of a checkpoint is removed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Part {
    Documents,
    History,
    Both,
}

/// Whether a step was taken, or refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Took {
    Done,
    Refused,
}

impl Took {
    fn of<T, E>(result: &Result<T, E>) -> Self {
        match result {
            Ok(_) => Self::Done,
            Err(_) => Self::Refused,
        }
    }
}

/// How often each thing was done and refused. Otherwise a test in which all is refused would show nothing.
#[derive(Default)]
struct Tally(RefCell<BTreeMap<String, (u32, u32)>>);

impl Tally {
    fn count(&self, what: &str, took: Took) {
        let mut all = self.0.borrow_mut();
        let (done, refused) = all.entry(what.to_owned()).or_default();
        *match took {
            Took::Done => done,
            Took::Refused => refused,
        } += 1;
    }

    fn check(&self, most_refused: f64) {
        let all = self.0.borrow();
        for what in [
            "restore",
            "undo",
            "undo twice",
            "undo session",
            "archive",
            "delete",
            "lose",
            "fork",
            "rename",
        ] {
            assert!(all.contains_key(what), "nobody tried to {what}");
        }
        for (what, (done, refused)) in all.iter() {
            assert!(
                done * 40 >= *refused,
                "{what}: {done} done, {refused} refused"
            );
        }
        let (done, refused) = all.values().fold((0, 0), |(done, refused), one| {
            (done + one.0, refused + one.1)
        });
        let share = f64::from(refused) / f64::from(done + refused);
        assert!(share <= most_refused, "{share} refused: {all:?}");
    }
}

fn steps() -> impl Strategy<Value = Vec<(Step, bool)>> {
    let step = prop_oneof![
        20 => (any::<Index>(), any::<Which>()).prop_map(|(act, which)| Step::Act { act, which }),
        3 => (0..20u8).prop_map(|back| Step::Restore { back }),
        3 => Just(Step::Undo),
        3 => Just(Step::UndoTwice),
        2 => Just(Step::UndoSession),
        2 => any::<u8>().prop_map(|text| Step::Edit { text }),
        1 => Just(Step::Archive),
        1 => Just(Step::Delete),
        2 => any::<u8>().prop_map(|part| Step::Lose {
            part: [Part::Documents, Part::History, Part::Both][usize::from(part % 3)],
        }),
        1 => (0..20u8).prop_map(|back| Step::Fork { back }),
        1 => Just(Step::Rename),
    ];
    prop::collection::vec((step, any::<bool>()), 1..60)
}

/// The files of a checkpoint: the Markdown of a plan, and the document.
type Files = Vec<(String, String)>;

/// What two contents have in common if going back led from one to the other.
#[derive(Debug, Clone, PartialEq)]
struct Content {
    markdown: String,
    document: String,
}

/// A checkpoint, its revisions as they were, and the two sessions that work on it.
struct Subject<'t> {
    root: PathBuf,
    /// One without a session, and those of the sessions.
    workspaces: [Workspace; 3],
    key: Key,
    names: u32,
    model: Vec<(Revision, Files)>,
    /// The names that it had before, and its revisions under each.
    earlier: Vec<(Key, Vec<(Revision, Files)>)>,
    tally: &'t Tally,
}

impl Subject<'_> {
    fn workspace(&self) -> &Workspace {
        &self.workspaces[0]
    }

    fn last(&self) -> Revision {
        let last = self.workspace().last_change(&self.key).expect("it is read");
        let last = last.and_then(|line| line.revision());
        last.expect("it has changed")
    }

    fn markdown(&self) -> Option<PathBuf> {
        match &self.key {
            Key::Plan(id) => Some(self.root.join("plans").join(id.as_str()).join("plan.md")),
            _ => None,
        }
    }

    fn files(&self) -> Files {
        let read = |path: PathBuf| std::fs::read_to_string(path).expect("it is there");
        let markdown = self
            .markdown()
            .map(|path| ("plan.md".to_owned(), read(path)));
        let document = read(self.workspace().path(&self.key));
        let document = ("document".to_owned(), document);
        markdown.into_iter().chain([document]).collect()
    }

    fn document(&self) -> Document {
        let (_, text) = self.files().pop().expect("there is one");
        Document::parse(text).expect("it is JSON")
    }

    /// The files as far as going back leads to the same bytes. Of a plan, claims and the times of phases are of now.
    fn content(&self) -> Content {
        let mut files = self.files();
        let (_, document) = files.pop().expect("there is one");
        let Some((_, markdown)) = files.pop() else {
            let markdown = String::new();
            return Content { markdown, document };
        };
        let mut value = self.document().value();
        let state = value.as_object_mut().expect("it is an object");
        for name in ["lastCheckpoint", "agents"] {
            state.remove(name);
        }
        for (_, phase) in state.object_mut("phases").iter_mut() {
            let phase = phase.as_object_mut().expect("it is an object");
            for name in ["startedAt", "completedAt"] {
                phase.remove(name);
            }
        }
        let document = value.to_compact();
        Content { markdown, document }
    }

    fn note(&mut self) {
        let last = self.last();
        if self.model.last().is_none_or(|(known, _)| *known != last) {
            let files = self.files();
            self.model.push((last, files));
        }
    }

    /// A revision some steps back.
    fn back(&self, back: u8) -> Revision {
        let at = self.model.len().saturating_sub(usize::from(back) + 1);
        self.model[at].0.clone()
    }

    fn take(&mut self, step: &Step, by: bool) {
        self.note();
        let is_whole = matches!(
            step,
            Step::UndoTwice
                | Step::UndoSession
                | Step::Archive
                | Step::Delete
                | Step::Fork { .. }
                | Step::Rename
        );
        if let (true, Key::Plan(id)) = (is_whole, &self.key) {
            // What somebody edited before is recorded by itself.
            self.workspace().plan(id).heal().expect("it is recorded");
            self.note();
        }
        let before = self.files();
        let (what, took) = match step {
            Step::Act { act, which } => self.act(act, *which, by),
            Step::Restore { back } => ("restore", self.restore(&self.back(*back))),
            Step::Undo => ("undo", self.undo()),
            Step::UndoTwice => ("undo twice", self.undo_twice()),
            Step::UndoSession => ("undo session", self.undo_session(by)),
            Step::Edit { text } => {
                self.edit(*text);
                ("edit", Took::Done)
            }
            Step::Archive => ("archive", self.archive()),
            Step::Delete => ("delete", self.delete()),
            Step::Lose { part } => {
                self.lose(*part, by);
                ("lose", Took::Done)
            }
            Step::Fork { back } => ("fork", self.fork(&self.back(*back))),
            Step::Rename => ("rename", self.rename()),
        };
        self.tally.count(what, took);
        let is_one = what != SEVERAL;
        let is_left = took == Took::Done || !is_one || self.files() == before;
        assert!(is_left, "a refusal of {step:?} changed something");
    }

    fn act(&self, act: &Index, which: Which, by: bool) -> (&'static str, Took) {
        let workspace = &self.workspaces[1 + usize::from(by)];
        match &self.key {
            Key::Command(key) => {
                let act = act.get(&ON_COMMAND);
                (act, Took::of(&on_command(workspace, key, act, which)))
            }
            Key::Pipeline(id) => {
                let act = act.get(&ON_PIPELINE);
                (act, Took::of(&on_pipeline(workspace, id, act, which)))
            }
            Key::Plan(id) => {
                let act = act.get(&ON_PLAN);
                (act, Took::of(&on_plan(workspace, id, act, which)))
            }
        }
    }

    /// Brings a revision back: all of it but what must not come back.
    fn restore(&self, revision: &Revision) -> Took {
        let before = self.files();
        let took = match &self.key {
            Key::Plan(id) => Took::of(&self.workspace().plan(id).restore(revision)),
            key => Took::of(&self.workspace().restore(key, revision)),
        };
        let known = self.model.iter().find(|(known, _)| known == revision);
        if let (Took::Done, Some((_, then))) = (took, known) {
            restored::check(&self.key, then, &before, &self.files());
        }
        took
    }

    /// An undo that takes nothing back counts as refused.
    fn undo(&self) -> Took {
        let revision = match &self.key {
            Key::Plan(id) => self.workspace().plan(id).undo().map(|done| done.revision),
            key => self.workspace().undo(key).map(|done| done.revision),
        };
        match revision {
            Ok(Some(_)) => Took::Done,
            _ => Took::Refused,
        }
    }

    /// Whatever an undo has taken back comes back: nothing has happened since.
    fn undo_twice(&self) -> Took {
        let before = self.content();
        if self.undo() == Took::Refused {
            return Took::Refused;
        }
        assert_eq!(self.undo(), Took::Done, "an undo stays:\n{before:?}");
        self.check_back("undo of undo", &before);
        Took::Done
    }

    /// Takes the changes of a session back, and this as well.
    fn undo_session(&self, by: bool) -> Took {
        let before = self.content();
        let session = ["one", "two"][usize::from(by)];
        let undone = self.workspace().undo_session(&self.key, session);
        let is_done = |undone: SessionUndo| matches!(undone.others, TakingBack::TakenBack { .. });
        if !undone.is_ok_and(is_done) {
            return Took::Refused;
        }
        if self.undo() == Took::Done {
            self.check_back("undo of undo --session", &before);
        }
        Took::Done
    }

    fn edit(&self, text: u8) {
        let path = self.markdown().unwrap_or(self.workspace().path(&self.key));
        let present = std::fs::read_to_string(&path).expect("it is there");
        let edited = match (&self.key, text % 4) {
            (Key::Plan(_), 0) => present.replacen("- [ ]", "- [x]", 1),
            (Key::Plan(_), 1) => format!("{present}More {text}.\n"),
            (Key::Plan(_), 2) => present.replacen("# Plan", &format!("# Plan {text}"), 1),
            (Key::Plan(_), _) => present.replacen("- [x]", "- [ ]", 1),
            _ => present.replacen('{', &format!("{{ \"theirs\": {text},"), 1),
        };
        std::fs::write(path, edited).expect("it can be written");
    }

    fn version(&self, revision: &Revision) -> PlanVersion {
        let Key::Plan(id) = &self.key else {
            return PlanVersion::default();
        };
        let version = self.workspace().plan(id).version_at(revision);
        version.expect("it is in the history")
    }

    /// A revision as the history has it.
    fn shown(&self, revision: &Revision) -> Files {
        let document = self.workspace().at_revision(&self.key, revision);
        let document = document.expect("it is in the history").text().to_owned();
        let version = self.version(revision);
        let state = version.state.map(|state| state.text().to_owned());
        assert!(state.is_none_or(|state| state == document));
        let texts = version.texts.into_iter();
        let texts = texts.map(|(name, text)| (name, String::from_utf8(text).expect("it is text")));
        texts.chain([("document".to_owned(), document)]).collect()
    }

    /// Going back leads to the same bytes. Only in a pipeline may a gate be lost on the way, and a pause stay: then all else
    /// is the same.
    fn check_back(&self, what: &str, before: &Content) {
        let after = self.content();
        if after == *before {
            return;
        }
        assert!(
            matches!(self.key, Key::Pipeline(_)),
            "{what}:\n{before:?}\n{after:?}"
        );
        let read = |content: &Content| Document::parse(content.document.clone()).expect("JSON");
        let (was, is) = (read(before), read(&after));
        let (was, is) = (Pipeline::new(was.root()), Pipeline::new(is.root()));
        let (had, has) = (was.gates_passed(), is.gates_passed());
        assert!(
            has.iter().all(|gate| had.contains(gate)),
            "{what}: {had:?} {has:?}"
        );
        let waits = is.status() == Status::Paused && was.status() == Status::InProgress;
        assert!(
            has.len() < had.len() || waits,
            "{what}:\n{before:?}\n{after:?}"
        );
        let rest = |content: &Content| {
            let mut root = read(content)
                .value()
                .into_object()
                .expect("it is an object");
            let power = ["gates_passed", "gates_pending", "current_phase"];
            for name in power.into_iter().chain(waits.then_some("status")) {
                root.remove(name);
            }
            Value::Object(root).to_compact()
        };
        assert_eq!(rest(before), rest(&after), "{what}");
    }

    /// Whatever another program left is recorded with the next change.
    fn end(&self) {
        match &self.key {
            Key::Plan(id) => {
                let end = NoteChange::Add("end".into());
                self.workspace().plan(id).note(&end).map(drop)
            }
            Key::Pipeline(id) => {
                let end = NoteEntry::Cleanup("end".into());
                self.workspace().pipeline(id).note(&[end]).map(drop)
            }
            Key::Command(key) => {
                let done = PhaseUpdate::to(PhaseStatus::Complete);
                self.workspace()
                    .command(key)
                    .update_phase("last", &done)
                    .map(drop)
            }
        }
        .expect("it is changed");
    }

    fn check(&mut self, pairs: &[(Index, Index)]) {
        self.end();
        for (revision, files) in &self.model {
            assert_eq!(self.shown(revision), *files, "revision {revision}");
        }
        for (one, other) in pairs {
            let (one, other) = (one.get(&self.model), other.get(&self.model));
            check_patch(&one.1, &other.1);
            if self.markdown().is_some() {
                let (old, new) = (self.version(&one.0), self.version(&other.0));
                let told = old.differences(&new).expect("they are compared");
                let differ = lines(&one.1[0].1) != lines(&other.1[0].1);
                assert!(!differ || !told.is_empty(), "{:?}\n{:?}", one.1, other.1);
                assert!(one.1 != other.1 || told.is_empty(), "{told:?}");
            }
        }
        let before = self.content();
        if self.undo() == Took::Done && self.undo() == Took::Done {
            self.check_back("undo of undo", &before);
        }
        self.check_earlier();
        for (one, _) in pairs {
            let (revision, _) = one.get(&self.model);
            let (before, last) = (self.content(), self.last());
            if self.restore(revision) == Took::Done && self.restore(&last) == Took::Done {
                self.check_back("restore and back", &before);
            }
        }
    }
}

/// The lines of a text, without white space around them.
fn lines(text: &str) -> Vec<&str> {
    let lines = text.lines().map(str::trim);
    lines.filter(|line| !line.is_empty()).collect()
}

/// A patch leads from each document to each other one.
fn check_patch(one: &Files, other: &Files) {
    let value = |files: &Files| {
        let (_, text) = files.last().expect("there is one");
        Document::parse(text.clone()).expect("it is JSON").value()
    };
    let (old, new) = (value(one), value(other));
    assert_eq!(diff(&old, &new).apply(&old).expect("it applies"), new);
}

/// A directory with a place for a key and for copies.
fn repository() -> tempfile::TempDir {
    let directory = tempfile::tempdir().expect("there is room");
    let git = directory.path().join(".git");
    for name in ["objects", "refs"] {
        std::fs::create_dir_all(git.join(name)).expect("it can be made");
    }
    std::fs::write(git.join("HEAD"), "ref: refs/heads/main\n").expect("it can be written");
    directory
}

fn begin_command(_: &Path, workspace: &Workspace) -> Key {
    let key = CommandKey::parse("implement/auth").expect("it is a key");
    let command = workspace.command(&key);
    command.start(&StartRequest::default()).expect("it starts");
    Key::from(key)
}

fn begin_pipeline(root: &Path, workspace: &Workspace) -> Key {
    let spec = "---\nprd: PRD-001\nworkstreams:\n  WS1: { gate: tests }\n  WS2: { depends_on: [WS1], gate: tests }\n  \
        WS3: {}\ngates:\n  tests: { command: 'true' }\n---\n";
    let file = root.join("spec.md");
    std::fs::write(&file, spec).expect("it can be written");
    workspace.init_pipeline(&file).expect("it begins");
    Key::from(&PipelineId::new("PRD-001").expect("it is an id"))
}

fn begin_plan(_: &Path, workspace: &Workspace) -> Key {
    let id = PlanId::new("260101-0000-plan").expect("it is an id");
    let text = "# Plan\n\n## First\n<!-- CHECKPOINT: first -->\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n\n\
        ## Second\n<!-- CHECKPOINT: second -->\n- [ ] Three <!-- TASK: three -->\n- [ ] Four <!-- TASK: four -->\n\
        - [ ] Works <!-- ACCEPT: works -->\n";
    workspace
        .plan(&id)
        .create(text.as_bytes())
        .expect("it is created");
    Key::from(&id)
}

fn check(begin: fn(&Path, &Workspace) -> Key, most_refused: f64) {
    let tally = Tally::default();
    let config = Config {
        cases: 25,
        source_file: Some(file!()),
        ..Config::default()
    };
    let any = (steps(), prop::collection::vec(any::<(Index, Index)>(), 8));
    let checked = TestRunner::new(config).run(&any, |(steps, pairs)| {
        let directory = repository();
        let sessions = [None, Some("one"), Some("two")];
        let workspaces = sessions.map(|session| open(directory.path(), session));
        let key = begin(directory.path(), &workspaces[0]);
        let mut subject = Subject {
            root: directory.path().to_owned(),
            workspaces,
            key,
            names: 0,
            model: Vec::new(),
            earlier: Vec::new(),
            tally: &tally,
        };
        for (step, by) in &steps {
            subject.take(step, *by);
        }
        subject.note();
        subject.check(&pairs);
        Ok(())
    });
    if let Err(error) = checked {
        panic!("{error}");
    }
    tally.check(most_refused);
}

#[test]
fn every_revision_of_a_command_is_shown_compared_restored_and_undone() {
    check(begin_command, 0.2);
}

#[test]
fn every_revision_of_a_pipeline_is_shown_compared_restored_and_undone() {
    check(begin_pipeline, 0.5);
}

#[test]
fn every_revision_of_a_plan_is_shown_compared_restored_and_undone() {
    check(begin_plan, 0.2);
}
