//! Resolves an argument to a stored checkpoint or a file.

use std::path::{Path, PathBuf};

use ckpt::Finding;
use ckpt::document::Document;
use ckpt::key::{Key, Meaning};
use ckpt::plan::{Outline, Source, judge_markdown};
use ckpt::voice::{first_names, name, path_name, suggested};
use ckpt::workspace::{Archived, Loaded, PipelineView, PlanView};

use super::input::Named;
use crate::failure::{Exit, Failure, did_you_mean};
use crate::session::Session;

/// What is meant by the name of a part of a checkpoint, if there is such a part.
pub(crate) fn meant<'k>(
    noun: &str,
    typed: &str,
    place: &str,
    known: &[(&'k str, &'k str)],
) -> Result<Option<&'k str>, Failure> {
    let names = |all: Vec<&str>| all.into_iter().map(str::to_owned).collect::<Vec<String>>();
    match Meaning::of(typed, known) {
        Meaning::Exact(name) | Meaning::Short(name) => Ok(Some(name)),
        Meaning::Several(several) => {
            let names = first_names(&names(several));
            let message = format!("{noun} {typed:?} may be several of {place}: {names}");
            Err(Failure::new(Exit::Conflict, message).with_hint("Write more of its name"))
        }
        Meaning::Near(near) => {
            let message = format!("no {noun} {typed:?} in {place}");
            Err(Failure::new(Exit::NotFound, message).with_hint(did_you_mean(&names(near), false)))
        }
        Meaning::Unknown => Ok(None),
    }
}

/// The failure to find a checkpoint; if it was renamed or deleted, or its archive is missing, says so instead.
pub(super) fn told_of_archive(session: &Session, typed: &str, failure: Failure) -> Failure {
    if !failure.is_not_found() {
        return failure;
    }
    let workspace = &session.workspace;
    let is_gone = |one: &Archived| one.is_deleted && matches!(workspace.load(&one.key), Ok(None));
    if let Some(archived) = workspace.find_archived(typed).filter(is_gone) {
        return match workspace.renamed_to(&archived) {
            Some(new) => renamed(&archived.key, &new),
            None => deleted(&archived),
        };
    }
    let shown = |key: &Key| suggested(&key.short());
    let key = match workspace.find_lost(typed) {
        Some(lost) => lost.key,
        None => match workspace.find_lost_archive(typed) {
            Some(lost) => lost.archived.key,
            None => return failure,
        },
    };
    let message = format!("{} is missing", name(&key.short()));
    let hint = format!("Bring it back with: ckpt recover {}", shown(&key));
    Failure::new(Exit::NotFound, message).with_hint(hint)
}

/// How a part of a checkpoint that is not there comes to be: from the mirror if it was lost, else in this way.
pub(super) fn way_to(session: &Session, key: &Key, otherwise: &str) -> String {
    match session.workspace.is_lost(key) {
        true => format!(
            "Bring it back with: ckpt recover {}",
            suggested(&key.short())
        ),
        false => otherwise.to_owned(),
    }
}

/// A checkpoint has another name by now.
pub(super) fn renamed(old: &Key, new: &Key) -> Failure {
    let (old, new) = (old.short(), new.short());
    let message = format!("{} was renamed to {}", name(&old), name(&new));
    Failure::new(Exit::NotFound, message).with_hint(format!(
        "Show it with: ckpt show {}; its earlier history: ckpt log {}",
        suggested(&new),
        suggested(&old)
    ))
}

fn deleted(archived: &Archived) -> Failure {
    let shown = archived.key.short();
    let message = format!("{} was deleted {}", name(&shown), name(&archived.at));
    let hint = format!("Bring it back with: ckpt unarchive {}", suggested(&shown));
    Failure::new(Exit::NotFound, message).with_hint(hint)
}

/// What an argument refers to.
pub(crate) enum Target {
    /// A stored document, or a JSON file.
    Document(Found),
    /// A stored pipeline.
    Pipeline(Box<PipelineView>),
    /// A stored plan.
    Plan(Box<PlanView>),
    /// A Markdown file.
    Markdown { path: PathBuf, outline: Outline },
}

/// A document, with its key if it is a stored one.
pub(crate) struct Found {
    pub(crate) key: Option<Key>,
    pub(crate) path: PathBuf,
    pub(crate) document: Document,
}

impl Found {
    /// Its display name.
    pub(crate) fn name(&self) -> String {
        match &self.key {
            Some(key) => key.short(),
            None => self.path.display().to_string(),
        }
    }
}

impl From<Loaded> for Target {
    fn from(loaded: Loaded) -> Self {
        Self::Document(Found {
            key: Some(loaded.key),
            path: loaded.path,
            document: loaded.document,
        })
    }
}

impl Target {
    /// The key of a stored checkpoint.
    pub(crate) fn key(&self) -> Option<Key> {
        match self {
            Self::Document(found) => found.key.clone(),
            Self::Pipeline(view) => Some(view.loaded.key.clone()),
            Self::Plan(view) => Some(Key::from(&view.id)),
            Self::Markdown { .. } => None,
        }
    }

    /// Finds a checkpoint by key, or else a file. One that has another name by now is not there.
    pub(crate) fn find(session: &Session, typed: &str) -> Result<Self, Failure> {
        Self::found(session, typed).map_err(|failure| told_of_archive(session, typed, failure))
    }

    fn found(session: &Session, typed: &str) -> Result<Self, Failure> {
        let ending = [".json", ".md"]
            .iter()
            .any(|ending| typed.ends_with(ending));
        let path = session.directory.join(typed);
        let looks_like_a_file = ending || typed.starts_with(['.', '/']);
        if looks_like_a_file
            && !path.exists()
            && let Some(key) = session.workspace.key_of_file(typed)?
        {
            return Self::require(session, &key);
        }
        if !looks_like_a_file {
            let key = session.workspace.find_key(typed)?;
            if let Some(found) = Self::load(session, &key)? {
                return Ok(found);
            }
        }
        if looks_like_a_file || path.is_file() {
            return Self::read(session, &path);
        }
        Err(Failure::new(
            Exit::NotFound,
            format!("there is no checkpoint or file {typed}"),
        )
        .with_hint("List all checkpoints with: ckpt list"))
    }

    /// Loads a checkpoint, which must exist.
    pub(crate) fn require(session: &Session, key: &Key) -> Result<Self, Failure> {
        match Self::load(session, key)? {
            Some(found) => Ok(found),
            None => {
                let loaded = session.workspace.require(key).map_err(Failure::from);
                let told = |failure| told_of_archive(session, &key.short(), failure);
                Ok(loaded.map_err(told)?.into())
            }
        }
    }

    fn load(session: &Session, key: &Key) -> Result<Option<Self>, Failure> {
        Ok(match key {
            Key::Plan(id) => Some(Self::Plan(Box::new(session.workspace.plan(id).view()?))),
            Key::Pipeline(id) => match session.workspace.pipeline(id).view() {
                Ok(view) => Some(Self::Pipeline(Box::new(view))),
                Err(error) if error.is_not_found() => None,
                Err(error) => return Err(error.into()),
            },
            key => session.workspace.load(key)?.map(Self::from),
        })
    }

    fn read(session: &Session, path: &Path) -> Result<Self, Failure> {
        let bytes = Named::new(session, path).require()?;
        let invalid = |message: String| Failure::new(Exit::Invalid, message);
        if path.extension().is_some_and(|ending| ending == "md") {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let source = Source {
                name: &name,
                text: &bytes,
            };
            let outline = Outline::read(&[source]);
            let outline =
                outline.map_err(|error| invalid(format!("{}: {error}", path_name(path))))?;
            return Ok(Self::Markdown {
                path: path.to_owned(),
                outline,
            });
        }
        let document = Document::from_bytes(bytes).map_err(|error| {
            let message = format!("{} is not JSON: {error}", path_name(path));
            invalid(message).with_hint("Fix the file")
        })?;
        Ok(Self::Document(Found {
            key: None,
            path: path.to_owned(),
            document,
        }))
    }

    /// Its display name.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Document(found) => found.name(),
            Self::Pipeline(view) => view.id.to_string(),
            Self::Plan(view) => view.id.to_string(),
            Self::Markdown { path, .. } => path.display().to_string(),
        }
    }

    /// The path of its file.
    pub(crate) fn path(&self, session: &Session) -> PathBuf {
        match self {
            Self::Document(found) => found.path.clone(),
            Self::Pipeline(view) => view.loaded.path.clone(),
            Self::Plan(view) => session.workspace.path(&(&view.id).into()),
            Self::Markdown { path, .. } => path.clone(),
        }
    }

    /// Its findings.
    pub(crate) fn findings(&self, session: &Session) -> Result<Vec<Finding>, Failure> {
        Ok(match self {
            Self::Document(found) => session.workspace.judge(&found.document),
            Self::Pipeline(view) => session.workspace.pipeline(&view.id).findings(view),
            Self::Plan(view) => session.workspace.plan(&view.id).findings(view)?,
            Self::Markdown { path, outline } => {
                let name = path.file_name().unwrap_or_default().to_string_lossy();
                judge_markdown(outline, &[name.into_owned()])
            }
        })
    }
}
