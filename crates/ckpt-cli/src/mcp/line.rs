//! Command lines that tools run.

use std::ffi::OsString;
use std::path::Path;

/// A command line. Whatever a client sends as a value is never taken for an option.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Line {
    verbs: Vec<String>,
    options: Vec<String>,
    names: Vec<String>,
    program: Vec<String>,
    /// Standard input.
    pub(super) input: Vec<u8>,
}

impl Line {
    /// A line that begins with these words.
    pub(super) fn of(verbs: &[&str]) -> Self {
        Self {
            verbs: verbs.iter().map(|&verb| verb.to_owned()).collect(),
            ..Self::default()
        }
    }

    /// Adds an option, if it has a value.
    pub(super) fn option(self, name: &str, value: Option<impl AsRef<str>>) -> Self {
        self.options(name, value)
    }

    /// Adds an option for each value.
    pub(super) fn options(
        mut self,
        name: &str,
        values: impl IntoIterator<Item = impl AsRef<str>>,
    ) -> Self {
        let values = values.into_iter();
        self.options
            .extend(values.map(|value| format!("--{name}={}", value.as_ref())));
        self
    }

    /// Adds an option without a value.
    pub(super) fn flag(mut self, name: &str, is_set: bool) -> Self {
        self.options.extend(is_set.then(|| format!("--{name}")));
        self
    }

    /// Adds names, which have no option of their own.
    pub(super) fn names(mut self, names: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.names.extend(names.into_iter().map(Into::into));
        self
    }

    /// Adds a program and its arguments.
    pub(super) fn program(mut self, words: impl IntoIterator<Item = impl Into<String>>) -> Self {
        self.program.extend(words.into_iter().map(Into::into));
        self
    }

    /// Adds standard input, and an option that reads it.
    pub(super) fn read_by(mut self, name: &str, text: Option<String>) -> Self {
        if let Some(text) = text {
            self.options.push(format!("--{name}=-"));
            self.input = text.into_bytes();
        }
        self
    }

    /// Adds standard input.
    pub(super) fn reading(mut self, text: String) -> Self {
        self.input = text.into_bytes();
        self
    }

    /// The words of the line, to be run in a directory.
    pub(super) fn words_in(&self, directory: &Path) -> Vec<OsString> {
        // What follows two dashes is no option, even if it begins with one.
        let (before, after) = match self.program.is_empty() {
            true => (&self.program, &self.names),
            false => (&self.names, &self.program),
        };
        let plain = |words: &[String]| words.iter().map(OsString::from).collect::<Vec<_>>();
        let mut words = plain(&self.verbs);
        words.extend([OsString::from("-C"), directory.into()]);
        words.extend(plain(&self.options));
        words.extend(plain(before));
        words.push("--".into());
        words.extend(plain(after));
        words
    }
}
