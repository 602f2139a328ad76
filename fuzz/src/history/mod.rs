//! Histories: any bytes are read the same from both ends, and a history that was written from a model gives back the
//! content at every revision, whatever lines others wrote in between and wherever the last one is torn.
//!
//! Histories are read through a workspace in a temporary directory, because files are opened nowhere else.
//!
//! Each input is used twice: as the bytes of a history, and as choices of a model.

mod model;

use std::fs;
use std::path::PathBuf;
use std::sync::LazyLock;

use ckpt::history::{ContentHash, Line, Trail};
use ckpt::layout::{Layout, Place};
use ckpt::seal::{Domain, Sealer};
use ckpt::{
    CommandKey, Document, Environment, History, Key, Options, PhaseStatus, PhaseUpdate, Workspace,
};

use self::model::{Model, Recorded};
use crate::choices::Choices;

/// The most revisions that are restored: each takes a pass over the history.
const MOST_RESTORED: usize = 24;

static WORLD: LazyLock<World> = LazyLock::new(World::new);

/// Reads any history, and one that is known.
pub fn run(bytes: &[u8]) {
    any(bytes);
    known(&mut Choices::new(bytes));
}

/// A repository with one command checkpoint.
struct World {
    directory: tempfile::TempDir,
    command: CommandKey,
    key: Key,
    place: Place,
}

impl World {
    fn new() -> Self {
        let directory = tempfile::tempdir().expect("a directory to work in");
        let command = CommandKey::parse("implement/login").expect("a key");
        let key = Key::from(command.clone());
        let place = Layout::new(directory.path()).place(&key);
        for path in [&place.history, &place.document().path] {
            let parent = path.parent().expect("it is in a directory");
            fs::create_dir_all(parent).expect("a directory");
        }
        Self {
            directory,
            command,
            key,
            place,
        }
    }

    /// The workspace, with a key if it has a place for one.
    fn workspace(&self, user_state: Option<PathBuf>) -> Workspace {
        let root = self.directory.path();
        let environment = Environment {
            git_root: Some(root.to_owned()),
            ..Environment::default()
        };
        let options = Options {
            user_state,
            ..Options::default()
        };
        Workspace::open(root, &environment, options).expect("a workspace")
    }

    fn write_history(&self, bytes: &[u8]) {
        fs::write(&self.place.history, bytes).expect("a history");
    }

    fn write_document(&self, content: Option<&[u8]>) {
        let path = &self.place.document().path;
        match content {
            Some(content) => fs::write(path, content).expect("a document"),
            None => drop(fs::remove_file(path)),
        }
    }

    fn name(&self) -> &str {
        &self.place.document().name
    }
}

fn opened(workspace: &Workspace) -> History {
    let history = workspace.history(&WORLD.key).expect("it can be opened");
    history.expect("it is there")
}

/// The lines of a history, oldest first. Both ends agree on them, and on what is skipped.
fn lines(history: &History, bytes: &[u8]) -> Vec<Line> {
    let forward = history.oldest_first().expect("it can be read");
    let forward: Vec<Line> = forward.map(|line| line.expect("it can be read")).collect();
    let mut newest_first = history.newest_first().expect("it can be read");
    let backward = newest_first.by_ref();
    let mut backward: Vec<Line> = backward.map(|line| line.expect("it can be read")).collect();
    backward.reverse();
    let raw = |lines: &[Line]| -> Vec<String> {
        lines.iter().map(|line| line.raw().to_owned()).collect()
    };
    assert_eq!(raw(&forward), raw(&backward));
    let all = bytes.split(|byte| *byte == b'\n');
    let all: Vec<&[u8]> = all.filter(|line| !line.is_empty()).collect();
    let readable = all
        .iter()
        .filter_map(|line| Line::parse(line.to_vec()).ok());
    assert_eq!(raw(&forward), raw(&readable.collect::<Vec<_>>()));
    let damage = newest_first.damage().expect("it can be read");
    assert_eq!(damage.lines().count(), all.len() - forward.len());
    forward
}

/// Whatever the lines say, a restored content is one that a line records.
fn any(bytes: &[u8]) {
    let world = &*WORLD;
    world.write_history(bytes);
    let workspace = world.workspace(None);
    let lines = lines(&opened(&workspace), bytes);
    let mut trail = Trail::default();
    let mut recorded = Vec::new();
    let mut revisions = Vec::new();
    for line in &lines {
        let _ = (
            line.time(),
            line.event(),
            line.by(),
            line.session(),
            line.branch(),
        );
        let _ = (line.head(), line.facts().len(), line.aborted());
        revisions.extend(line.revision());
        for file in line
            .files()
            .into_iter()
            .flatten()
            .filter(|file| file.name == world.name())
        {
            trail.follow(&file);
            recorded.extend(file.to);
            let content = trail.content().flatten();
            assert!(content.is_none_or(|content| recorded.contains(&ContentHash::of(content))));
            if let Some(after) = content {
                let back = file.reversed(None).apply(Some(after));
                let before = back.flatten().map(|before| ContentHash::of(&before));
                assert!(before.is_none() || before == file.from);
            }
        }
    }
    let last = trail.content().flatten().map(<[u8]>::to_vec);
    for present in [None, last] {
        world.write_document(present.as_deref());
        for revision in revisions.iter().rev().take(MOST_RESTORED) {
            if let Ok(restored) = workspace.at_revision(&world.key, revision) {
                let hash = ContentHash::of(restored.text().as_bytes());
                assert!(recorded.contains(&hash), "{revision} was never like that");
            }
        }
    }
}

/// A history that was written from a model says what the model says, before and after the next changes.
fn known(choices: &mut Choices<'_>) {
    let world = &*WORLD;
    let mut model = Model::choose(world.name(), choices);
    let has_key = choices.yes();
    let workspace = world.workspace(has_key.then(|| world.directory.path().join("user")));
    world.write_history(&model.history);
    lines(&opened(&workspace), &model.history);
    world.write_document(None);
    compare(&workspace, &model);
    world.write_document(model.present.as_deref());
    compare(&workspace, &model);
    // With a key, the lines of the model are those of a stranger, and the history begins anew.
    let mut begins = has_key;
    for status in [PhaseStatus::InProgress, PhaseStatus::Complete] {
        if choices.below(4) == 3 {
            let text = model::document("by hand");
            world.write_document(Some(text.as_bytes()));
            begins = true;
        }
        changed(&workspace, &mut model, status, begins);
        model.history.extend(choices.pick(model::GARBAGE).bytes());
        world.write_history(&model.history);
        begins = false;
    }
}

/// Every revision that can be restored is as it was, and those that the lines lead to can be.
fn compare(workspace: &Workspace, model: &Model) {
    for recorded in &model.revisions {
        let revision = &recorded.revision;
        let restored = workspace.at_revision(&WORLD.key, revision).ok();
        let restored = restored.as_ref().map(Document::text);
        if restored.is_some() || recorded.is_led_to {
            assert_eq!(
                restored,
                recorded.content.as_deref(),
                "{revision} of\n{}",
                model.shown()
            );
        }
    }
}

/// The next change gets a revision of its own, appends to the history, and takes nothing from the earlier ones. If it
/// begins something, its whole content is known.
fn changed(workspace: &Workspace, model: &mut Model, status: PhaseStatus, begins: bool) {
    let world = &*WORLD;
    let command = workspace.command(&world.command);
    let outcome = command.update_phase("build", &PhaseUpdate::to(status));
    let outcome = outcome.unwrap_or_else(|error| panic!("{error}\n{}", model.shown()));
    let revision = outcome.revision.expect("something was written");
    let before = std::mem::take(&mut model.history);
    model.history = fs::read(&world.place.history).expect("it was written");
    assert!(model.history.starts_with(&before), "{}", model.shown());
    assert!(model.history.ends_with(b"\n"), "{}", model.shown());
    let seals = workspace.vault().seals_for_writing();
    let sealer = Sealer::new(seals, Domain::History, &world.place.about);
    let history = opened(workspace);
    let mut newest_first = history.newest_first().expect("it can be read");
    let last = newest_first.next().and_then(Result::ok);
    let is_vouched = last.is_some_and(|line| line.is_vouched(sealer));
    assert_eq!(is_vouched, seals.has_key(), "{}", model.shown());
    let mut known = model.revisions.iter();
    let is_new = known.all(|recorded| recorded.revision != revision);
    assert!(is_new, "{revision} again\n{}", model.shown());
    let content = outcome.document.text().to_owned();
    let written = fs::read(&world.place.document().path).expect("it was written");
    assert_eq!(written, content.as_bytes());
    // Without the file there is only the way from the beginning, which may have a gap.
    let leads_on = |last: &Recorded| last.is_led_to || last.content.is_none();
    model.revisions.push(Recorded {
        revision: revision.clone(),
        content: Some(content.clone()),
        is_led_to: begins || model.revisions.last().is_none_or(leads_on),
    });
    world.write_document(None);
    compare(workspace, model);
    world.write_document(Some(&written));
    compare(workspace, model);
    let restored = workspace.at_revision(&world.key, &revision).ok();
    let restored = restored.as_ref().map(Document::text);
    assert_eq!(restored, Some(content.as_str()), "{}", model.shown());
}
