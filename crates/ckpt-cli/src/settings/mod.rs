//! Settings. Environment variables override the project's file, which overrides the user's own, within limits.
//!
//! A repository may be a clone, so it can tighten what protects the user but never loosen it. [`definition`] lists what
//! each source may do.

mod definition;
mod reading;

use std::path::{Path, PathBuf};
use std::time::Duration;

use ckpt::document::{Document, Value};
use ckpt::files::{OutsideFile, Replaced, read_in, read_own};
use ckpt::gate::Approvals;
use ckpt::pipeline::Requires;
use ckpt::repository::{GitUse, Repository};
use ckpt::tokens::{Counter, Limit};
use ckpt::voice::path_name;

pub(crate) use definition::{Definition, SETTINGS};
pub(crate) use reading::Reading;

use crate::environment::{CKPT_CONFIG, Variables};
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// The project's settings file, relative to the root.
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

/// The effective settings.
#[derive(Clone)]
pub(crate) struct Settings {
    values: Vec<(Value, Source)>,
    /// The values without the project and the environment.
    own: Vec<Value>,
    project_file: PathBuf,
}

impl Settings {
    /// Reads the files and the environment. Warns about unknown names and about values that a source may not set. An
    /// invalid file or variable is an error.
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

    fn text(&self, name: &str) -> &str {
        self.value(name).as_str().unwrap_or_default()
    }

    /// Where the API of a service is, and whether the user has said so.
    pub(crate) fn service(&self, name: &str) -> Option<(&str, bool)> {
        let setting = match name {
            "vercel" => "vercel_url",
            "github" => "github_url",
            "linear" => "linear_url",
            _ => return None,
        };
        let (_, source) = &self.values[position(setting)];
        Some((self.text(setting), *source != Source::Default))
    }

    /// The file of the authorities that the user trusts instead of the usual ones.
    pub(crate) fn certificates(&self) -> Option<PathBuf> {
        let path = self.text("certificates");
        (!path.is_empty()).then(|| path.into())
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

    /// After how many days `ckpt gc` archives what is finished; 0 for never.
    pub(crate) fn archive_after_days(&self) -> u64 {
        self.number("archive_after_days")
    }

    /// After how many days `ckpt gc` removes what was deleted; 0 for never.
    pub(crate) fn keep_deleted_days(&self) -> u64 {
        self.number("keep_deleted_days")
    }

    pub(crate) fn resume_budget(&self) -> usize {
        usize::try_from(self.number("resume_budget")).unwrap_or(usize::MAX)
    }

    pub(crate) fn lock_timeout_ms(&self) -> u64 {
        self.number("lock_timeout_ms")
    }

    /// Who may approve.
    pub(crate) fn approvals(&self) -> Approvals {
        match self.value("approvals").as_str() {
            Some("person") => Approvals::Person,
            _ => Approvals::Anybody,
        }
    }

    /// Whether a pipeline needs an adversarial review before anything starts.
    pub(crate) fn review(&self) -> Requires {
        match self.is_on("require_review") {
            true => Requires::Review,
            false => Requires::Nothing,
        }
    }

    pub(crate) fn enforce_gates(&self) -> bool {
        self.is_on("enforce_gates")
    }

    /// How long an agent waits for a hook.
    pub(crate) fn hook_deadline(&self) -> Duration {
        Duration::from_millis(self.number("hook_deadline_ms"))
    }

    /// Whether hooks ask an agent that stops to continue.
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

    /// Writes one setting to the project's or the user's file, and keeps the rest of the file unchanged.
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
            let reach = definition.reach_in_words();
            return Err(Failure::new(
                Exit::Invalid,
                format!(
                    "a project cannot set {} to {text}: it may {reach}",
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
                Failure::new(Exit::Failed, "there is no place for your settings file")
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
        let wait = Duration::from_millis(self.lock_timeout_ms());
        write(&path, owner, definition.name, &value, wait)?;
        Ok(path)
    }
}

fn position(name: &str) -> usize {
    let mut settings = SETTINGS.iter();
    let position = settings.position(|definition| definition.name == name);
    position.expect("a setting is asked for by its defined name")
}

/// The user's own settings file, whether it exists or not: the first candidate outside the repository.
pub(crate) fn own_file(variables: &Variables, repository: &Repository) -> Option<PathBuf> {
    let extent = variables.extent(repository);
    let mut files = variables.user_settings_files().into_iter();
    files.find(|path| !extent.holds(path))
}

fn read_document(path: &Path, owner: Owner<'_>) -> Result<Option<Document>, Failure> {
    let content = match owner {
        // A file from a clone may be a link, a pipe, or a gigabyte of spaces.
        Owner::Repository { root, real } => read_in(root, real, path, LONGEST),
        Owner::User => read_own(path, LONGEST),
    };
    match content {
        Ok(bytes) => {
            let document = Document::from_bytes(bytes);
            document.map(Some).map_err(|error| {
                Failure::new(Exit::Invalid, format!("{}: {error}", path_name(path)))
                    .with_hint("Fix the file or remove it")
            })
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(None),
        Err(error) if error.kind() == std::io::ErrorKind::NotADirectory => Ok(None),
        Err(error) => {
            let message = format!("cannot read {}: {error}", path_name(path));
            Err(Failure::new(Exit::Failed, message)
                .with_hint("Remove it, or replace it with a regular file of at most 64 KiB"))
        }
    }
}

/// The largest settings file, in bytes.
const LONGEST: u64 = 64 * 1024;

/// Who owns a settings file.
#[derive(Debug, Clone, Copy)]
enum Owner<'o> {
    /// A repository, with its root as given and with links resolved.
    Repository {
        root: &'o Path,
        real: &'o Path,
    },
    User,
}

/// How often we start again because somebody else has saved the file in between.
const MOST_ATTEMPTS: usize = 20;

fn write(
    path: &Path,
    owner: Owner<'_>,
    name: &str,
    value: &Value,
    wait: Duration,
) -> Result<(), Failure> {
    if let (Owner::User, Some(directory)) = (owner, path.parent()) {
        std::fs::create_dir_all(directory).map_err(|error| {
            Failure::io(format!("cannot create {}", path_name(directory)), &error)
        })?;
    }
    let file = match owner {
        Owner::Repository { root, .. } => OutsideFile::below(root, path, wait),
        Owner::User => OutsideFile::own(path, wait),
    };
    for _ in 0..MOST_ATTEMPTS {
        let present = read_document(path, owner)?;
        let before = present.as_ref().map(|document| document.text().as_bytes());
        let after = with(path, present.as_ref(), name, value.clone())?;
        if file.replace(before, after.text().as_bytes())? == Replaced::Done {
            return Ok(());
        }
    }
    Err(contested(path))
}

/// Somebody else saves a file again and again.
pub(crate) fn contested(path: &Path) -> Failure {
    let message = format!("{} keeps being changed by another program", path_name(path));
    Failure::new(Exit::Conflict, message).with_hint("Try again once it has saved")
}

/// A settings file with one setting changed.
fn with(
    path: &Path,
    present: Option<&Document>,
    name: &str,
    value: Value,
) -> Result<Document, Failure> {
    let empty = Document::empty();
    let document = present.unwrap_or(&empty);
    let mut target = document.value();
    let Some(object) = target.as_object_mut() else {
        let message = format!("{}: settings must be a JSON object", path_name(path));
        return Err(Failure::new(Exit::Invalid, message));
    };
    object.set(name, value);
    let edit = document.rewrite(&target);
    document
        .apply(&edit)
        .map_err(|error| Failure::new(Exit::Invalid, format!("{}: {error}", path_name(path))))
}
