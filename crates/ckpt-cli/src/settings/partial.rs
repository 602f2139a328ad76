//! Settings as far as they can be read: hooks must not stop for a file that is broken.
//!
//! Whatever cannot be read counts as not said, but for what guards something. That counts as on unless the place it may
//! stand in does not speak of it, or says that it is off: a typing error elsewhere in a file must not let anything past.

use std::path::{Path, PathBuf};

use ckpt::document::{Object, Value};

use super::definition::{Definition, SETTINGS};
use super::{PROJECT_FILE, Settings, Source, read};
use crate::environment;
use crate::failure::Failure;

/// Settings as far as they can be read.
pub(crate) struct Partial {
    pub(crate) settings: Settings,
    /// What could not be read.
    pub(crate) unread: Vec<Failure>,
    /// Why gates are enforced although nobody can tell whether that is wanted.
    pub(crate) doubt: Option<String>,
}

/// A settings file that is there.
struct File {
    source: Source,
    path: PathBuf,
    content: Content,
}

enum Content {
    Settings(Object),
    Broken {
        /// What it says, where it can be read at all.
        text: Option<String>,
        /// What is wrong with it.
        reason: String,
    },
}

impl Partial {
    pub(crate) fn load(root: &Path) -> Self {
        let project_file = root.join(PROJECT_FILE);
        let mut unread = Vec::new();
        let paths = [
            (Source::Project, Some(project_file.clone())),
            (Source::User, environment::user_settings()),
        ];
        let files = paths.into_iter().filter_map(|(source, path)| {
            let path = path?;
            let content = match read(&path) {
                Ok(object) => Content::Settings(object?),
                Err(failure) => {
                    let reason = failure.message().to_owned();
                    unread.push(failure);
                    Content::Broken {
                        text: text_of(&path),
                        reason,
                    }
                }
            };
            Some(File {
                source,
                path,
                content,
            })
        });
        let mut reader = Reader {
            files: files.collect(),
            unread,
            doubt: None,
        };
        let values = SETTINGS.iter().map(|one| reader.value(one)).collect();
        Self {
            settings: Settings {
                values,
                project_file,
            },
            unread: reader.unread,
            doubt: reader.doubt,
        }
    }
}

struct Reader {
    files: Vec<File>,
    unread: Vec<Failure>,
    doubt: Option<String>,
}

impl Reader {
    /// What the first place says that can be read.
    fn value(&mut self, definition: &Definition) -> (Value, Source) {
        if let Some(said) = definition.said_by_environment()
            && let Some(value) = self.readable(definition, said)
        {
            return (value, Source::Environment);
        }
        for number in 0..self.files.len() {
            let file = &self.files[number];
            if definition.user_only && file.source == Source::Project {
                continue;
            }
            let source = file.source;
            let value = match &file.content {
                Content::Settings(object) => definition
                    .said_by(&file.path, object)
                    .and_then(|said| self.readable(definition, said)),
                Content::Broken { text, reason } => {
                    let is_doubtful = definition.is_guard()
                        && text
                            .as_ref()
                            .is_none_or(|text| may_be_on(text, definition.name));
                    is_doubtful.then(|| {
                        self.doubt = Some(reason.clone());
                        Value::Bool(true)
                    })
                }
            };
            if let Some(value) = value {
                return (value, source);
            }
        }
        (definition.default(), Source::Default)
    }

    /// A value that is one; what guards something is on where it is none.
    fn readable(&mut self, definition: &Definition, said: Result<Value, Failure>) -> Option<Value> {
        match said {
            Ok(value) => Some(value),
            Err(failure) => {
                let reason = failure.message().to_owned();
                self.unread.push(failure);
                definition.is_guard().then(|| {
                    self.doubt = Some(reason);
                    Value::Bool(true)
                })
            }
        }
    }
}

/// What a file says, if it is one.
fn text_of(path: &Path) -> Option<String> {
    // A pipe in its place could keep everybody waiting.
    if !std::fs::metadata(path).is_ok_and(|found| found.is_file()) {
        return None;
    }
    let bytes = std::fs::read(path).ok()?;
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

/// Whether a text that is no JSON speaks of a setting anywhere without saying that it is off.
fn may_be_on(text: &str, name: &str) -> bool {
    text.match_indices(name).any(|(at, _)| {
        let after = text[at + name.len()..].trim_start_matches('"').trim_start();
        let value = after.strip_prefix(':').map(str::trim_start);
        !value.is_some_and(|value| value.starts_with("false"))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_broken_text_may_ask_for_what_it_does_not_say_is_off() {
        for (text, expected) in [
            ("", false),
            ("{ broken", false),
            ("{ \"guard\": true, broken", true),
            ("{ \"guard\" : false, broken", false),
            ("{ \"guard\": tr", true),
            ("{ \"guard\"", true),
            ("{ guard: \"yes\" }", true),
            ("{ \"guard\": false, \"guard\": true,", true),
            (
                "<<<<<<< a\n\"guard\": false\n=======\n\"guard\":\n  true\n>>>>>>> b",
                true,
            ),
        ] {
            assert_eq!(may_be_on(text, "guard"), expected, "{text}");
        }
    }
}
