//! Reading settings from all the places they may stand in.
//!
//! Whatever cannot be read counts as not said, but for what guards something: that counts as on. A typing error must not
//! let anything past.

use std::path::{Path, PathBuf};

use ckpt::document::{Object, Value};

use super::definition::{Definition, SETTINGS};
use super::{ENFORCE_GATES, Owner, PROJECT_FILE, Settings, Source, read_document};
use crate::environment;
use crate::failure::{Exit, Failure};
use crate::output;

/// Settings as far as they can be read: hooks must not stop for a file that is broken.
pub(crate) struct Partial {
    pub(crate) settings: Settings,
    /// What could not be read.
    pub(crate) unread: Vec<Failure>,
    /// What stands somewhere and does not count there.
    pub(crate) ignored: Vec<String>,
    /// Why gates are enforced although nobody can tell whether that is wanted.
    pub(crate) doubt: Option<String>,
}

impl Partial {
    pub(crate) fn load(root: &Path) -> Self {
        let mut reading = Reading::new(root);
        let settings = reading.settings();
        Self {
            settings,
            unread: reading.unread,
            ignored: reading.ignored,
            doubt: reading.doubt,
        }
    }
}

/// A settings file that is there.
struct File {
    path: PathBuf,
    /// What it says; `None` where it cannot be read.
    content: Option<Object>,
    /// Why it cannot be read.
    reason: String,
}

/// What is read, and what is wrong with it.
pub(super) struct Reading {
    root: PathBuf,
    user: Option<File>,
    project: Option<File>,
    pub(super) unread: Vec<Failure>,
    pub(super) ignored: Vec<String>,
    pub(super) doubt: Option<String>,
}

impl Reading {
    pub(super) fn new(root: &Path) -> Self {
        let mut reading = Self {
            root: root.to_owned(),
            user: None,
            project: None,
            unread: Vec::new(),
            ignored: Vec::new(),
            doubt: None,
        };
        reading.project = reading.file(root.join(PROJECT_FILE), Owner::Repository(root));
        for path in environment::user_settings_files() {
            if !is_in_repository(&path, root) {
                reading.user = reading.file(path, Owner::User);
                break;
            }
            reading.ignored.push(format!(
                "{} lies in this repository, so it does not count as your own settings",
                path.display()
            ));
        }
        reading
    }

    fn file(&mut self, path: PathBuf, owner: Owner<'_>) -> Option<File> {
        let content = match read_document(&path, owner) {
            Ok(None) => return None,
            Ok(Some(document)) => match document.value() {
                Value::Object(object) => Ok(object),
                _ => {
                    let message = format!("{}: settings are a JSON object", path.display());
                    Err(Failure::new(Exit::Invalid, message))
                }
            },
            Err(failure) => Err(failure),
        };
        match content {
            Ok(object) => {
                for (name, _) in object.iter() {
                    if !SETTINGS.iter().any(|definition| definition.name == name) {
                        let path = path.display();
                        output::note(&format!("warning: {path}: unknown setting {name:?}"));
                    }
                }
                Some(File {
                    path,
                    content: Some(object),
                    reason: String::new(),
                })
            }
            Err(failure) => {
                let reason = failure.message().to_owned();
                self.unread.push(failure);
                Some(File {
                    path,
                    content: None,
                    reason,
                })
            }
        }
    }

    /// All settings, as far as they can be read.
    pub(super) fn settings(&mut self) -> Settings {
        let values = SETTINGS.iter().map(|one| self.value(one)).collect();
        Settings {
            values,
            project_file: self.root.join(PROJECT_FILE),
            root: self.root.clone(),
        }
    }

    /// The value in force and where it comes from: each source in turn changes what it may.
    fn value(&mut self, definition: &Definition) -> (Value, Source) {
        let mut value = definition.default();
        let mut from = Source::Default;
        for source in [Source::User, Source::Project, Source::Environment] {
            let Some(said) = self.said(definition, source) else {
                continue;
            };
            if definition.may_become(&said, &value, source) {
                value = said;
                from = source;
            } else if said != value {
                let place = self.place(definition, source);
                let reach = definition.reach.in_words();
                self.ignored.push(format!(
                    "{place}: {} = {} is ignored: a repository may {reach}, and only your own settings can do more",
                    definition.name,
                    said.to_compact()
                ));
            }
        }
        (value, from)
    }

    fn place(&self, definition: &Definition, source: Source) -> String {
        let file = match source {
            Source::User => &self.user,
            Source::Project => &self.project,
            Source::Environment | Source::Default => return definition.variable(),
        };
        let file = file.as_ref().map(|file| file.path.display().to_string());
        file.unwrap_or_default()
    }

    fn said(&mut self, definition: &Definition, source: Source) -> Option<Value> {
        let file = match source {
            Source::User => self.user.as_ref()?,
            Source::Project => self.project.as_ref()?,
            Source::Environment => {
                let said = definition.said_by_environment()?;
                return self.readable(definition, said);
            }
            Source::Default => return None,
        };
        match &file.content {
            Some(object) => {
                let said = definition.said_by(&file.path, object)?;
                self.readable(definition, said)
            }
            None if definition.name == ENFORCE_GATES => {
                self.doubt = Some(file.reason.clone());
                Some(Value::Bool(true))
            }
            None => None,
        }
    }

    /// A value that is one; what guards something is on where it is none.
    fn readable(&mut self, definition: &Definition, said: Result<Value, Failure>) -> Option<Value> {
        match said {
            Ok(value) => Some(value),
            Err(failure) => {
                let reason = failure.message().to_owned();
                self.unread.push(failure);
                (definition.name == ENFORCE_GATES).then(|| {
                    self.doubt = Some(reason);
                    Value::Bool(true)
                })
            }
        }
    }
}

/// Whether what should be the user's own file lies in the repository: a variable that a clone can set may lead there. A
/// home directory that is a repository is the user's all the same.
fn is_in_repository(path: &Path, root: &Path) -> bool {
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let root = real(root);
    let is_home = environment::home().is_some_and(|home| real(&home) == root);
    real(path).starts_with(&root) && !is_home
}
