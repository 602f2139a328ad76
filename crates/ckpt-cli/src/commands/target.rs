//! Resolves an argument to a stored checkpoint or a file.

use std::borrow::Cow;
use std::path::{Path, PathBuf};

use ckpt::Finding;
use ckpt::document::Document;
use ckpt::key::{Fit, Key, Meaning};
use ckpt::plan::{Outline, Source, judge_markdown};
use ckpt::voice::{first_names, name, path_name, suggested};
use ckpt::workspace::{Loaded, PipelineView, PlanView};

use super::gone;
use super::input::Named;
use super::plan::report;
use crate::failure::{Exit, Failure, did_you_mean};
use crate::session::Session;
use crate::ui::Ui;

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

/// The failure to find a checkpoint; if it was renamed or deleted, is missing or is in another worktree, says so instead.
pub(super) fn told_of_archive(session: &Session, typed: &str, failure: Failure) -> Failure {
    told(session, typed, "show", failure)
}

/// The same, for a command that is called like this in another worktree.
pub(super) fn told(session: &Session, typed: &str, command: &str, failure: Failure) -> Failure {
    if !failure.is_not_found() {
        return failure;
    }
    let workspace = &session.workspace;
    let gone = workspace.find_archived(typed).filter(|one| one.is_deleted);
    if let Some(archived) = gone.filter(|one| !one.key.is_called(typed) || !workspace.has(&one.key))
    {
        return gone::refused(workspace, &archived);
    }
    let lost = workspace.find_lost(typed).map(|lost| lost.key);
    let lost = lost.or_else(|| Some(workspace.find_lost_archive(typed)?.archived.key));
    if let Some(key) = lost {
        let message = format!("{} is missing", name(&key.short()));
        let hint = format!(
            "Bring it back with: ckpt recover {}",
            suggested(&key.short())
        );
        return Failure::new(Exit::NotFound, message).with_hint(hint);
    }
    if let Some(absent) = workspace.find_absent(typed) {
        let (message, hint) = way_back(&absent.key);
        return Failure::new(Exit::NotFound, message).with_hint(hint);
    }
    match workspace.find_elsewhere(typed) {
        Some((root, there)) => elsewhere(&root, &there, command),
        None => gone::unknown(workspace, typed, failure),
    }
}

/// The failure to find a checkpoint that is in another worktree.
pub(super) fn elsewhere(root: &Path, there: &str, command: &str) -> Failure {
    let (place, directory) = (path_name(root), root.display().to_string());
    let message = format!("{} is in another worktree: {place}", name(there));
    Failure::new(Exit::NotFound, message).with_hint(format!(
        "See it there with: ckpt -C {} {command} {}",
        suggested(&directory),
        suggested(there)
    ))
}

/// What is known of a checkpoint that is not here while its history is, and how it comes back.
pub(super) fn way_back(key: &Key) -> (String, String) {
    let shown = key.short();
    (
        format!("{} is not here, but its history is", name(&shown)),
        format!("Bring it back with: ckpt recover {}", suggested(&shown)),
    )
}

/// The missing checkpoint that has this name, if the mirror has it.
fn lost(session: &Session, typed: &str) -> Option<Key> {
    let key = session.workspace.find_key(typed).ok()?;
    session.workspace.is_lost(&key).then_some(key)
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

    /// Whether it is a stored document, and this is its whole name.
    fn is_document_called(&self, typed: &str) -> bool {
        match self {
            Self::Document(found) => {
                found.key.as_ref().and_then(|key| key.fit(typed)) == Some(Fit::Exact)
            }
            _ => false,
        }
    }

    /// Finds a checkpoint by key, or else a file, and the session in which it is there. Of one that was deleted, says so.
    pub(crate) fn find<'s>(
        ui: &Ui,
        session: &'s Session,
        typed: &str,
    ) -> Result<(Cow<'s, Session>, Self), Failure> {
        let look = || Self::here_or_deleted(session, typed);
        let (there, found) = gone::while_it_moves(session, typed, look)?;
        gone::note(ui, &there);
        Ok((there, found))
    }

    fn here_or_deleted<'s>(
        session: &'s Session,
        typed: &str,
    ) -> Result<(Cow<'s, Session>, Self), Failure> {
        let found = Self::found(session, typed);
        let otherwise = match &found {
            Ok(target) if target.is_document_called(typed) => {
                return Ok((Cow::Borrowed(session), found?));
            }
            Ok(target) => target.key(),
            Err(_) => lost(session, typed),
        };
        let past = match &found {
            // A file.
            Ok(_) if otherwise.is_none() => None,
            Err(failure) if !failure.is_about_a_name() => None,
            _ => gone::past(session, typed, otherwise.as_ref())?,
        };
        match past {
            Some((past, key)) => {
                let target = Self::require(&past, &key)?;
                Ok((Cow::Owned(past), target))
            }
            None => {
                let found = found.map_err(|failure| told_of_archive(session, typed, failure))?;
                Ok((Cow::Borrowed(session), found))
            }
        }
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

    /// Where it is, if it is a plan of another branch.
    pub(crate) fn elsewhere(&self) -> Option<String> {
        match self {
            Self::Plan(view) => report::elsewhere(view),
            _ => None,
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
