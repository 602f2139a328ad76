//! The five functions of `checkpoint-manager.cjs`, and the two of `token-counter.cjs`.

use std::error::Error;
use std::path::{Path, PathBuf};

use ckpt::Refusal;
use ckpt::command::{Checkpoint, PhaseUpdate, Unfinished};
use ckpt::document::{Document, Kind, Object, ParseError, Value};
use ckpt::key::{CommandKey, Key};
use ckpt::tokens::Counter;
use ckpt::workspace::{Base, Loaded, Outcome, Purpose, Workspace, WorkspaceError};
use napi_derive::napi;

use crate::border::{Answer, guarded, variables};
use crate::memory;
use crate::numbers::respelled;

/// A checkpoint, and where to look for it.
#[napi(object)]
pub struct Target {
    /// The command.
    pub command: String,
    /// The feature.
    pub feature: Option<String>,
    /// The working directory.
    pub directory: String,
    /// The variables of a worker: names and values in turn.
    pub variables: Option<Vec<String>>,
}

impl Target {
    /// Opens the workspace and runs a function there. Failures are worded as on the command line.
    pub(crate) fn work(
        self,
        doing: Purpose,
        work: impl FnOnce(&Workspace, &CommandKey) -> Result<Answer, WorkspaceError>,
    ) -> Answer {
        let answer = guarded(|| {
            let key = CommandKey::new(&self.command, self.feature.as_deref());
            let key = key.map_err(|error| error.to_string())?;
            let directory = Path::new(&self.directory);
            let workspace = ckpt_cli::open(directory, variables(self.variables))?;
            work(&workspace, &key).map_err(|error| told(&error, doing))
        });
        let answer = answer.and_then(|answer| answer);
        answer.unwrap_or_else(Answer::failure)
    }

    /// Reads a checkpoint, if it exists and has a supported version.
    fn look(self, read: impl FnOnce(PathBuf, &Document) -> String) -> Answer {
        self.work(Purpose::Load, |workspace, key| {
            let found = match workspace.load(&Key::from(key)) {
                // There is nothing in it to lose.
                Err(WorkspaceError::Corrupt(_)) if is_empty(workspace, key) => None,
                found => found?,
            };
            let Some(Loaded { path, document, .. }) = found else {
                return Ok(Answer::nothing());
            };
            if document.root().kind() != Kind::Object {
                let refusal = WorkspaceError::from(Refusal::NotAnObject);
                return Ok(Answer::failure(told(&refusal, Purpose::Load)));
            }
            let checkpoint = Checkpoint::new(document.root());
            if let Some(refusal) = checkpoint.unsupported_version() {
                return Ok(Answer::failure(refusal.to_string()));
            }
            let stale = match checkpoint.head_commit() {
                Some(_) => checkpoint.staleness(&workspace.head()),
                None => None,
            };
            Ok(Answer {
                file: Some(name(&path)),
                value: Some(read(path, &document)),
                note: stale.map(|stale| stale.message()),
            })
        })
    }
}

/// The text of a checkpoint. A note says if it was saved at another commit, or why it cannot be loaded.
#[napi]
pub fn load(target: Target) -> Answer {
    target.look(|path, document| {
        // `JSON.parse` rejects the byte order mark that some editors write.
        let text = document.text().trim_start_matches('\u{feff}').to_owned();
        memory::keep(path, text.clone());
        text
    })
}

/// Where to continue, as JSON.
#[napi]
pub fn resume_point(target: Target) -> Answer {
    target.look(|_, document| {
        let point = Checkpoint::new(document.root()).resume_point();
        serde_json::json!({ "phase": point.phase, "summary": point.summary }).to_string()
    })
}

/// What a JavaScript object was made from.
#[napi(object)]
pub struct Origin {
    /// The file that it was loaded from or saved to.
    pub file: String,
    /// The content of the file when it was loaded, or the object when it was saved.
    pub text: String,
}

/// Saves a document. `origin` is what it was made from, if known. If it is unknown or another file, the document counts
/// as made from what this thread last loaded from the file or saved there. Returns the text of the document as the
/// caller sees it, which is what the next one is made from.
#[napi]
pub fn save(target: Target, text: String, origin: Option<Origin>) -> Answer {
    target.work(Purpose::Save, |workspace, key| {
        let path = workspace.path(&Key::from(key));
        let file = name(&path);
        let (own, other) = match origin {
            Some(origin) if origin.file == file => (Some(origin.text), None),
            origin => (None, origin.map(|origin| origin.text)),
        };
        let base = remembered(own.or_else(|| memory::of(&path)));
        let mut document = match Document::parse(text) {
            Ok(document) => document.value(),
            Err(error) => return Ok(unreadable(&error, Purpose::Save)),
        };
        for before in [base.as_ref(), remembered(other).as_ref()]
            .into_iter()
            .flatten()
        {
            document = respelled(document, before);
        }
        let made_from = base.as_ref().map_or(Base::Unknown, Base::Content);
        let outcome = workspace.command(key).save(&document, made_from)?;
        let seen = document.to_compact();
        memory::keep(path, seen.clone());
        Ok(Answer {
            value: Some(seen),
            note: ckpt_cli::kept_aside(&outcome),
            file: Some(file),
        })
    })
}

/// Merges data into a phase.
#[napi]
pub fn update_phase(target: Target, phase: String, text: String) -> Answer {
    target.work(Purpose::UpdatePhase, |workspace, key| {
        let data = match Document::parse(text).map(|data| data.value()) {
            Ok(data @ Value::Object(_)) => data,
            Ok(_) => {
                return Ok(Answer::failure(
                    "Failed to update phase: the data of a phase must be an object",
                ));
            }
            Err(error) => return Ok(unreadable(&error, Purpose::UpdatePhase)),
        };
        // The data may come from a checkpoint that was loaded earlier.
        let before = remembered(memory::of(&workspace.path(&Key::from(key))));
        let phases = before
            .as_ref()
            .and_then(|all| all.as_object()?.get("phases"));
        let data = match phases.and_then(|phases| phases.as_object()?.get(&phase)) {
            Some(before) => respelled(data, before),
            None => data,
        };
        let update = PhaseUpdate {
            data: members(data),
            ..PhaseUpdate::default()
        };
        let outcome = workspace.command(key).update_phase(&phase, &update)?;
        Ok(changed(&outcome))
    })
}

/// Marks a checkpoint as complete.
#[napi]
pub fn complete(target: Target) -> Answer {
    target.work(Purpose::Save, |workspace, key| {
        let outcome = workspace.command(key).complete(Unfinished::Ignore)?;
        Ok(changed(&outcome))
    })
}

/// The directory of command checkpoints.
#[napi]
pub fn state_directory(directory: String, given: Option<Vec<String>>) -> Answer {
    let found = guarded(|| {
        let workspace = ckpt_cli::open(Path::new(&directory), variables(given))?;
        Ok(workspace.state_directory().display().to_string())
    });
    match found.and_then(|found| found) {
        Ok(path) => Answer::value(path),
        Err(reason) => Answer::failure(reason),
    }
}

/// The root of the git repository; nothing outside git.
#[napi]
pub fn git_root(directory: String, given: Option<Vec<String>>) -> Answer {
    let found = guarded(|| {
        let workspace = ckpt_cli::open(Path::new(&directory), variables(given))?;
        let repository = workspace.repository();
        Ok(repository.is_git().then(|| name(repository.root())))
    });
    match found.and_then(|found| found) {
        Ok(Some(path)) => Answer::value(path),
        Ok(None) => Answer::nothing(),
        Err(reason) => Answer::failure(reason),
    }
}

/// The number of tokens in a text, counted as words.
#[napi]
pub fn count_tokens(text: String) -> u32 {
    let count = guarded(|| Counter::Words.count(&text)).unwrap_or_default();
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// The token limit of a summary in a directory: the setting, or the default if the settings cannot be read.
#[napi]
pub fn summary_limit(directory: String, given: Option<Vec<String>>) -> u32 {
    let found = guarded(|| {
        let workspace = ckpt_cli::open(Path::new(&directory), variables(given))?;
        Ok::<_, String>(workspace.options().summary_limit)
    });
    let limit = found.and_then(|found| found).unwrap_or_default();
    u32::try_from(limit.most).unwrap_or(u32::MAX)
}

/// The answer after a change.
fn changed(outcome: &Outcome) -> Answer {
    Answer {
        note: ckpt_cli::kept_aside(outcome),
        ..Answer::value("")
    }
}

/// JavaScript writes valid JSON, but it may exceed the limits of a document.
fn unreadable(error: &ParseError, doing: Purpose) -> Answer {
    Answer::failure(format!("Failed to {doing}: {}", error.reason))
}

/// Whether the file of a checkpoint is empty.
fn is_empty(workspace: &Workspace, key: &CommandKey) -> bool {
    let file = std::fs::metadata(workspace.path(&Key::from(key)));
    file.is_ok_and(|file| file.len() == 0)
}

fn remembered(text: Option<String>) -> Option<Value> {
    let document = Document::parse(text?).ok()?;
    Some(document.value())
}

fn name(path: &Path) -> String {
    path.to_string_lossy().into_owned()
}

fn members(value: Value) -> Object {
    match value {
        Value::Object(members) => members,
        _ => Object::new(),
    }
}

/// An error and its causes, in one line. For a corrupt file, the cause is omitted.
fn told(error: &WorkspaceError, doing: Purpose) -> String {
    let mut message = error.to_string();
    if matches!(error, WorkspaceError::Corrupt(_)) {
        return message;
    }
    // Some messages are only reasons, not sentences.
    if message.starts_with(char::is_lowercase) {
        message = format!("Failed to {doing}: {message}");
    }
    let mut source = error.source();
    while let Some(cause) = source {
        message += &format!(": {cause}");
        source = cause.source();
    }
    message
}
