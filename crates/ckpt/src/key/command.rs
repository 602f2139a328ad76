//! The names of command checkpoints.

use std::fmt;

use super::name::{sanitise, stem};
use super::{Key, KeyError};

/// A command checkpoint without a feature is stored in `{command}-checkpoint.json`.
const WITHOUT_FEATURE: &str = "checkpoint";

/// The name of a command checkpoint: `implement/auth`, `ship`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct CommandKey {
    command: String,
    feature: Option<String>,
}

impl CommandKey {
    /// The key of a command, with or without a feature.
    pub fn new(command: &str, feature: Option<&str>) -> Result<Self, KeyError> {
        let name = sanitise(command).ok_or(KeyError::Command)?;
        if name.starts_with('.') {
            return Err(KeyError::Hidden("command", command.to_owned()));
        }
        if let Some(feature) = feature {
            sanitise(feature).ok_or(KeyError::Feature)?;
        }
        Ok(Self {
            command: command.to_owned(),
            feature: feature.map(str::to_owned),
        })
    }

    /// Parses `implement/auth`, `ship` or `command:implement/auth`.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let name = match text.split_once(':') {
            Some(("command", name)) => name,
            Some((kind, name)) if Key::KINDS.contains(&kind) => {
                return Err(KeyError::Kind(kind.to_owned(), name.to_owned()));
            }
            _ => text,
        };
        match name.split_once('/') {
            Some((command, feature)) => Self::new(command, Some(feature)),
            None => Self::new(name, None),
        }
    }

    /// The key of the checkpoint in a file, from what the document itself says if that fits the file's name, otherwise
    /// from the name. `None` if the name does not belong to any key.
    #[must_use]
    pub fn of_file(stem: &str, command: Option<&str>, feature: Option<&str>) -> Option<Self> {
        let fits = |key: &Self| key.stem() == stem;
        let key =
            |command: &str, feature: Option<&str>| Self::new(command, feature).ok().filter(fits);
        if let Some(command) = command {
            let rest = stem
                .strip_prefix(command)
                .and_then(|rest| rest.strip_prefix('-'));
            let found = key(command, feature)
                .or_else(|| key(command, None))
                .or_else(|| key(command, Some(rest?)));
            if found.is_some() {
                return found;
            }
        }
        let (command, feature) = stem.split_once('-')?;
        key(command, None).or_else(|| key(command, Some(feature)))
    }

    /// The command.
    #[must_use]
    pub fn command(&self) -> &str {
        &self.command
    }

    /// The feature that it works on.
    #[must_use]
    pub fn feature(&self) -> Option<&str> {
        self.feature.as_deref()
    }

    /// The name without its kind: `implement/auth`.
    #[must_use]
    pub fn short(&self) -> String {
        match &self.feature {
            Some(feature) => [&self.command, "/", feature].concat(),
            None => self.command.clone(),
        }
    }

    /// The document's file name, without its suffix.
    #[must_use]
    pub fn stem(&self) -> String {
        let feature = self.feature.as_deref().unwrap_or(WITHOUT_FEATURE);
        let usable = "ids are checked when a key is made";
        let command = sanitise(&self.command).expect(usable);
        let feature = sanitise(feature).expect(usable);
        stem([&command, "-", &feature].concat())
    }
}

impl fmt::Display for CommandKey {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "command:{}", self.short())
    }
}

#[cfg(test)]
mod tests;
