//! Settings: a variable of the environment beats the project's file, which beats the user's own, as far as they may.
//!
//! A repository may be a clone, so it can tighten what protects the user and never loosen it. What each source may do is a
//! table in [`definition`].

mod definition;
mod reading;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ckpt::document::{Document, Value};
use ckpt::files::{read_in, read_own, replace_below, replace_file};
use ckpt::gate::Approvals;
use ckpt::repository::{GitUse, Repository};
use ckpt::tokens::{Counter, Limit};
use ckpt::voice::path_name;

pub(crate) use definition::{Definition, SETTINGS};
pub(crate) use reading::Reading;

use crate::environment::{CKPT_CONFIG, Variables};
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// The project's settings, relative to the root.
pub(crate) const PROJECT_FILE: &str = ".claude/config/ckpt.json";

/// Where a value comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SettingSource"))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Source {
    Environment,
    Project,
    User,
    Default,
}

impl Source {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Environment => "environment",
            Self::Project => "project",
            Self::User => "user",
            Self::Default => "default",
        }
    }
}

/// Whose file a setting is written to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scope {
    Project,
    User,
}

/// All settings in force.
pub(crate) struct Settings {
    values: Vec<(Value, Source)>,
    /// What holds without the project and the environment.
    own: Vec<Value>,
    project_file: PathBuf,
}

impl Settings {
    /// Reads the files and the environment. An unknown key gets a warning, and so does a value that may not be set
    /// there. A broken file is an error that names it, and so is a wrong variable.
    pub(crate) fn load(ui: &Ui, repository: &Repository) -> Result<Self, Failure> {
        let reading = Reading::of(ui.variables(), repository);
        if let Some(failure) = reading.broken.into_iter().next() {
            return Err(failure);
        }
        for ignored in &reading.ignored {
            ui.note(&format!("warning: {ignored}"));
        }
        Ok(reading.settings)
    }

    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'static Definition, &Value, Source)> {
        SETTINGS
            .iter()
            .zip(&self.values)
            .map(|(definition, (value, source))| (definition, value, *source))
    }

    fn value(&self, name: &str) -> &Value {
        &self.values[position(name)].0
    }

    fn number(&self, name: &str) -> u64 {
        match self.value(name) {
            Value::Number(number) => number.raw().parse().unwrap_or(u64::MAX),
            _ => u64::MAX,
        }
    }

    pub(crate) fn summary_limit(&self) -> Limit {
        Limit {
            most: usize::try_from(self.number("summary_limit")).unwrap_or(usize::MAX),
            counter: self.token_counter(),
        }
    }

    pub(crate) fn token_counter(&self) -> Counter {
        let name = self.value("token_counter").as_str();
        name.and_then(Counter::read).unwrap_or_default()
    }

    pub(crate) fn resume_budget(&self) -> usize {
        usize::try_from(self.number("resume_budget")).unwrap_or(usize::MAX)
    }

    pub(crate) fn lock_timeout_ms(&self) -> u64 {
        self.number("lock_timeout_ms")
    }

    /// Whose approvals count.
    pub(crate) fn approvals(&self) -> Approvals {
        match self.value("approvals").as_str() {
            Some("person") => Approvals::Person,
            _ => Approvals::Anybody,
        }
    }

    pub(crate) fn enforce_gates(&self) -> bool {
        self.is_on("enforce_gates")
    }

    /// How long an agent waits for a hook.
    pub(crate) fn hook_deadline(&self) -> Duration {
        Duration::from_millis(self.number("hook_deadline_ms"))
    }

    /// Whether hooks ask an agent that stops to go on.
    pub(crate) fn continue_unfinished(&self) -> bool {
        self.is_on("continue_unfinished")
    }

    fn is_on(&self, name: &str) -> bool {
        *self.value(name) == Value::Bool(true)
    }

    pub(crate) fn follow_symlinks(&self) -> bool {
        self.is_on("follow_symlinks")
    }

    /// How git is run.
    pub(crate) fn git_use(&self) -> GitUse {
        GitUse {
            limit: Duration::from_millis(self.number("git_timeout_ms")),
            runs_repository_filters: self.is_on("repository_filters"),
            ..GitUse::default()
        }
    }

    /// Writes one setting into the project's or the user's file, leaving all else as it is.
    pub(crate) fn set(
        &self,
        variables: &Variables,
        definition: &Definition,
        text: &str,
        scope: Scope,
        repository: &Repository,
    ) -> Result<PathBuf, Failure> {
        let value = definition.parse(text)?;
        let so_far = &self.own[position(definition.name)];
        let may = definition.may_become(&value, so_far, Source::Project);
        if scope == Scope::Project && !may {
            let reach = definition.reach.in_words();
            return Err(Failure::new(
                Exit::Invalid,
                format!(
                    "{} cannot be set to {text} by a project, which may {reach}",
                    definition.name
                ),
            )
            .with_hint(format!(
                "Set it for yourself with: ckpt config set --user {} {text}",
                definition.name
            )));
        }
        let path = match scope {
            Scope::User => own_file(variables, repository).ok_or_else(|| {
                Failure::new(Exit::Failed, "there is no place for your settings")
                    .with_hint(format!("Set HOME or {CKPT_CONFIG}"))
            })?,
            Scope::Project => self.project_file.clone(),
        };
        let owner = match scope {
            Scope::User => Owner::User,
            Scope::Project => Owner::Repository {
                root: repository.root(),
                real: repository.real_root(),
            },
        };
        write(&path, owner, definition.name, value)?;
        Ok(path)
    }
}

fn position(name: &str) -> usize {
    let mut settings = SETTINGS.iter();
    let position = settings.position(|definition| definition.name == name);
    position.expect("a setting is asked for by its defined name")
}

/// The user's own settings file, whether it exists or not: the first that does not lead into the repository.
pub(crate) fn own_file(variables: &Variables, repository: &Repository) -> Option<PathBuf> {
    let extent = variables.extent(repository);
    let mut files = variables.user_settings_files().into_iter();
    files.find(|path| !extent.holds(path))
}

fn read_document(path: &Path, owner: Owner<'_>) -> Result<Option<Document>, Failure> {
    let content = match owner {
        // What came with a clone may be a link, a pipe, or a gigabyte of blanks.
        Owner::Repository { root, real } => read_in(root, real, path, LONGEST),
        Owner::User => read_own(path, LONGEST),
    };
    match content {
        Ok(bytes) => {
            let document = Document::from_bytes(bytes);
            document.map(Some).map_err(|error| {
                Failure::new(Exit::Invalid, format!("{}: {error}", path_name(path)))
                    .with_hint("Mend the file or remove it")
            })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {error}", path_name(path));
            Err(Failure::new(Exit::Failed, message)
                .with_hint("Put a plain file of at most 64 KiB in its place, or none"))
        }
    }
}

/// Settings are not longer than this, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Whose a settings file is.
#[derive(Debug, Clone, Copy)]
enum Owner<'o> {
    /// That of a repository, with its root as it is spelled and as it is.
    Repository {
        root: &'o Path,
        real: &'o Path,
    },
    User,
}

fn write(path: &Path, owner: Owner<'_>, name: &str, value: Value) -> Result<(), Failure> {
    let document = read_document(path, owner)?.unwrap_or_else(Document::empty);
    let mut target = document.value();
    let Some(object) = target.as_object_mut() else {
        let message = format!("{}: settings are a JSON object", path_name(path));
        return Err(Failure::new(Exit::Invalid, message));
    };
    object.set(name, value);
    let edit = document.rewrite(&target);
    let after = document
        .apply(&edit)
        .map_err(|error| Failure::new(Exit::Invalid, format!("{}: {error}", path_name(path))))?;
    if let Owner::Repository { root, .. } = owner {
        return Ok(replace_below(root, path, after.text().as_bytes())?);
    }
    if let Some(directory) = path.parent() {
        std::fs::create_dir_all(directory).map_err(|error| {
            Failure::io(format!("cannot create {}", path_name(directory)), &error)
        })?;
    }
    // The user's own file may be a link to where it is kept.
    let real = path.canonicalize().unwrap_or_else(|_| path.to_owned());
    Ok(replace_file(&real, after.text().as_bytes())?)
}
