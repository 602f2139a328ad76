//! Reads settings from all sources.
//!
//! Invalid files and variables are ignored, and protective settings then take their strictest value: a typo must not
//! switch off a protection.

use std::cell::LazyCell;
use std::path::{Path, PathBuf};

use ckpt::document::{Object, Value};
use ckpt::repository::Repository;
use ckpt::voice::path_name;

use super::definition::{Definition, SETTINGS};
use super::{Owner, PROJECT_FILE, Settings, Source, read_document};
use crate::environment::Variables;
use crate::failure::{Exit, Failure};

/// The effective settings, and what is wrong with their sources.
pub(crate) struct Reading {
    pub(crate) settings: Settings,
    /// Invalid files and variables.
    pub(crate) broken: Vec<Failure>,
    /// Values that do not count, with the reason.
    pub(crate) ignored: Vec<String>,
}

impl Reading {
    pub(crate) fn of(variables: &Variables, repository: &Repository) -> Self {
        let mut sources = Sources {
            project_file: repository.root().join(PROJECT_FILE),
            ..Sources::default()
        };
        sources.read(variables, repository);
        let values = SETTINGS.iter().map(|setting| sources.value(setting));
        let (own, values) = values.unzip();
        Self {
            settings: Settings {
                own,
                values,
                project_file: sources.project_file,
            },
            broken: sources.broken,
            ignored: sources.ignored,
        }
    }
}

/// The values from each source.
#[derive(Default)]
struct Sources {
    /// The candidates for the user's own file: the first counts, the others only where they are stricter.
    user: Vec<Object>,
    project_file: PathBuf,
    project: Object,
    environment: Object,
    broken: Vec<Failure>,
    ignored: Vec<String>,
}

impl Sources {
    fn read(&mut self, variables: &Variables, repository: &Repository) {
        let root = repository.root();
        let real = repository.real_root();
        let project_file = self.project_file.clone();
        self.project = self.file(&project_file, Owner::Repository { root, real });
        let extent = LazyCell::new(|| variables.extent(repository));
        for path in variables.user_settings_files() {
            // A missing file is harmless, wherever its path leads.
            if std::fs::symlink_metadata(&path).is_err() {
                self.user.push(Object::new());
            } else if extent.holds(&path) {
                let path = path_name(&path);
                self.ignored.push(format!(
                    "{path} points into this repository, so it does not count as your own settings"
                ));
            } else {
                let said = self.file(&path, Owner::User);
                self.user.push(said);
            }
        }
        for setting in &SETTINGS {
            match setting.said_by_environment(variables) {
                Some(Ok(value)) => self.environment.set(setting.name, value),
                Some(Err(failure)) => self.broken.push(failure),
                None => {}
            }
        }
    }

    /// The values in a file; empty if it is missing or invalid.
    fn file(&mut self, path: &Path, owner: Owner<'_>) -> Object {
        match settings_in(path, owner) {
            Ok(said) => {
                let is_known = |name: &str| SETTINGS.iter().any(|setting| setting.name == name);
                let unknown = said.iter().filter(|(name, _)| !is_known(name));
                let path = path_name(path);
                self.ignored
                    .extend(unknown.map(|(name, _)| format!("{path}: unknown setting {name:?}")));
                said
            }
            Err(failures) => {
                self.broken.extend(failures);
                Object::new()
            }
        }
    }

    /// The user's own value, and the effective value with its source: each source in turn changes what it may.
    fn value(&mut self, setting: &Definition) -> (Value, (Value, Source)) {
        let said = self.user.first().and_then(|said| said.get(setting.name));
        let (mut own, mut from) = match said {
            Some(said) => (said.clone(), Source::User),
            None => (setting.default(), Source::Default),
        };
        if let Some(tightest) = setting.tightest()
            && (!self.broken.is_empty() || self.is_elsewhere(setting, &tightest))
        {
            (own, from) = (tightest, Source::User);
        }
        let mut value = own.clone();
        for (source, said) in [
            (Source::Project, &self.project),
            (Source::Environment, &self.environment),
        ] {
            let Some(said) = said.get(setting.name) else {
                continue;
            };
            if setting.may_become(said, &value, source) {
                value = said.clone();
                from = source;
            } else if *said != value {
                let (place, who) = match source {
                    Source::Environment => (setting.variable.to_owned(), "a variable"),
                    _ => (self.project_file.display().to_string(), "a repository"),
                };
                let (name, said) = (setting.name, said.to_compact());
                let reach = setting.reach_in_words();
                self.ignored.push(format!(
                    "{place}: {name} = {said} is ignored: {who} may {reach}; your own settings can do more"
                ));
            }
        }
        (own, (value, from))
    }

    /// Whether another candidate for the user's own file has this value: a variable that names a different file must
    /// not switch off a protection.
    fn is_elsewhere(&self, setting: &Definition, value: &Value) -> bool {
        let others = self.user.iter().skip(1);
        let mut said = others.filter_map(|said| said.get(setting.name));
        said.any(|said| said == value)
    }
}

/// The values in a file, or everything that is wrong with it.
fn settings_in(path: &Path, owner: Owner<'_>) -> Result<Object, Vec<Failure>> {
    let said = match read_document(path, owner) {
        Ok(None) => return Ok(Object::new()),
        Ok(Some(document)) => document.value(),
        Err(failure) => return Err(vec![failure]),
    };
    let Value::Object(said) = said else {
        let message = format!("{}: settings must be a JSON object", path_name(path));
        return Err(vec![Failure::new(Exit::Invalid, message)]);
    };
    let wrong = SETTINGS.iter().filter_map(|setting| {
        let value = said.get(setting.name)?;
        setting.check(value, path).err()
    });
    let wrong: Vec<Failure> = wrong.collect();
    match wrong.is_empty() {
        true => Ok(said),
        false => Err(wrong),
    }
}
