//! Reading settings from all the places they may stand in.
//!
//! Whatever cannot be read counts as not said, but for what guards something: that counts as on. A typing error must not
//! let anything past.

use std::cell::LazyCell;
use std::path::PathBuf;

use ckpt::document::{Object, Value};
use ckpt::repository::Repository;
use ckpt::voice::path_name;

use super::definition::{Definition, SETTINGS};
use super::{Owner, PROJECT_FILE, Settings, Source, read_document};
use crate::environment::Variables;
use crate::failure::{Exit, Failure};

/// Settings as far as they can be read: hooks must not stop for a file that is broken.
pub(crate) struct Partial {
    pub(crate) settings: Settings,
    /// What could not be read.
    pub(crate) unread: Vec<Failure>,
    /// What stands somewhere and does not count there.
    pub(crate) ignored: Vec<String>,
    /// Why what guards something is on although nobody can tell whether that is wanted.
    pub(crate) doubt: Option<String>,
}

impl Partial {
    pub(crate) fn load(variables: &Variables, repository: &Repository) -> Self {
        let mut reading = Reading::new(variables, repository);
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
pub(super) struct Reading<'v> {
    variables: &'v Variables,
    root: PathBuf,
    /// The files that may be the user's own: the first counts, and the others as far as they guard something.
    user: Vec<Option<File>>,
    project: Option<File>,
    pub(super) unread: Vec<Failure>,
    pub(super) ignored: Vec<String>,
    pub(super) doubt: Option<String>,
}

impl<'v> Reading<'v> {
    pub(super) fn new(variables: &'v Variables, repository: &Repository) -> Self {
        let root = repository.root();
        let mut reading = Self {
            variables,
            root: root.to_owned(),
            user: Vec::new(),
            project: None,
            unread: Vec::new(),
            ignored: Vec::new(),
            doubt: None,
        };
        let real = repository.real_root();
        reading.project = reading.file(root.join(PROJECT_FILE), Owner::Repository { root, real });
        let extent = LazyCell::new(|| variables.extent(repository));
        for path in variables.user_settings_files() {
            // What is not there says nothing, wherever it would lie.
            if std::fs::symlink_metadata(&path).is_err() {
                reading.user.push(None);
            } else if extent.holds(&path) {
                let path = path_name(&path);
                reading.ignored.push(format!(
                    "{path} leads into this repository, so it does not count as your own settings"
                ));
            } else {
                let file = reading.file(path, Owner::User);
                reading.user.push(file);
            }
        }
        reading
    }

    fn file(&mut self, path: PathBuf, owner: Owner<'_>) -> Option<File> {
        let content = match read_document(&path, owner) {
            Ok(None) => return None,
            Ok(Some(document)) => match document.value() {
                Value::Object(object) => Ok(object),
                _ => {
                    let message = format!("{}: settings are a JSON object", path_name(&path));
                    Err(Failure::new(Exit::Invalid, message))
                }
            },
            Err(failure) => Err(failure),
        };
        match content {
            Ok(object) => {
                for (name, _) in object.iter() {
                    if !SETTINGS.iter().any(|definition| definition.name == name) {
                        let path = path_name(&path);
                        self.ignored
                            .push(format!("{path}: unknown setting {name:?}"));
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
        let values = SETTINGS.iter().map(|one| self.value(one));
        let (own, values) = values.unzip();
        Settings {
            own,
            values,
            project_file: self.root.join(PROJECT_FILE),
        }
    }

    /// The user's own value, and the one in force with where it comes from: each source in turn changes what it may.
    fn value(&mut self, definition: &Definition) -> (Value, (Value, Source)) {
        let said = self.said(definition, Source::User);
        let mut from = said.as_ref().map_or(Source::Default, |_| Source::User);
        let mut own = said.unwrap_or_else(|| definition.default());
        if let Some(tightest) = definition.tightest()
            && self.is_elsewhere(definition, &tightest)
        {
            (own, from) = (tightest, Source::User);
        }
        let mut value = own.clone();
        for source in [Source::Project, Source::Environment] {
            let Some(said) = self.said(definition, source) else {
                continue;
            };
            if definition.may_become(&said, &value, source) {
                value = said;
                from = source;
            } else if said != value {
                let place = self.place(definition, source);
                let who = match source {
                    Source::Environment => "a variable",
                    _ => "a repository",
                };
                let reach = definition.reach.in_words();
                self.ignored.push(format!(
                    "{place}: {} = {} is ignored: {who} may {reach}, and only your own settings can do more",
                    definition.name,
                    said.to_compact()
                ));
            }
        }
        (own, (value, from))
    }

    /// Whether another file that may be the user's own says this. A variable that names the file must not switch off what
    /// guards something.
    fn is_elsewhere(&self, definition: &Definition, value: &Value) -> bool {
        let others = self.user.iter().skip(1).flatten();
        let mut said = others.filter_map(|file| file.content.as_ref()?.get(definition.name));
        said.any(|said| said == value)
    }

    fn place(&self, definition: &Definition, source: Source) -> String {
        let file = match source {
            Source::User => self.user.first().unwrap_or(&None),
            Source::Project => &self.project,
            Source::Environment | Source::Default => return definition.variable(),
        };
        let file = file.as_ref().map(|file| file.path.display().to_string());
        file.unwrap_or_default()
    }

    fn said(&mut self, definition: &Definition, source: Source) -> Option<Value> {
        let file = match source {
            Source::User => self.user.first()?.as_ref()?,
            Source::Project => self.project.as_ref()?,
            Source::Environment => {
                let said = definition.said_by_environment(self.variables)?;
                return self.readable(definition, said);
            }
            Source::Default => return None,
        };
        match &file.content {
            Some(object) => {
                let said = definition.said_by(&file.path, object)?;
                self.readable(definition, said)
            }
            None => {
                let reason = file.reason.clone();
                self.in_doubt(definition, reason)
            }
        }
    }

    /// What guards something is on where nobody can tell whether it is wanted.
    fn in_doubt(&mut self, definition: &Definition, reason: String) -> Option<Value> {
        let tightest = definition.tightest()?;
        self.doubt.get_or_insert(reason);
        Some(tightest)
    }

    /// A value that is one; what guards something is on where it is none.
    fn readable(&mut self, definition: &Definition, said: Result<Value, Failure>) -> Option<Value> {
        match said {
            Ok(value) => Some(value),
            Err(failure) => {
                let reason = failure.message().to_owned();
                self.unread.push(failure);
                self.in_doubt(definition, reason)
            }
        }
    }
}
