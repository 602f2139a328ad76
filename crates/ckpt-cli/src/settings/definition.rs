//! Every setting there is.

use std::path::Path;

use ckpt::document::{Object, Value};
use ckpt::{resume, store, tokens};

use super::Source;
use crate::environment::{self, SETTING_PREFIX};
use crate::failure::{Exit, Failure};

/// One setting.
#[derive(Debug)]
pub(crate) struct Definition {
    /// Its name in files; its variable is the same in capitals with `CKPT_` in front.
    pub(crate) name: &'static str,
    /// What it does.
    pub(crate) about: &'static str,
    /// Whether a project's file may not set it, because a cloned repository is not trusted.
    pub(crate) user_only: bool,
    kind: Kind,
}

#[derive(Debug)]
enum Kind {
    Number { default: u64, least: u64 },
    Switch { default: bool },
    Choice { choices: &'static [&'static str] },
}

pub(super) const ENFORCE_GATES: &str = "enforce_gates";

/// All settings, in the order in which they are listed.
pub(crate) const SETTINGS: [Definition; 8] = [
    Definition {
        name: "summary_limit",
        about: "most tokens a context summary may have",
        user_only: false,
        kind: Kind::Number {
            default: tokens::SUMMARY_LIMIT as u64,
            least: 1,
        },
    },
    Definition {
        name: "token_counter",
        about: "what counts as a token of a summary",
        user_only: false,
        kind: Kind::Choice {
            choices: &["words", "o200k", "cl100k", "claude"],
        },
    },
    Definition {
        name: "resume_budget",
        about: "most tokens of the resume brief",
        user_only: false,
        kind: Kind::Number {
            default: resume::BUDGET as u64,
            least: 50,
        },
    },
    Definition {
        name: "lock_timeout_ms",
        about: "how long a change waits for another one",
        user_only: false,
        kind: Kind::Number {
            default: store::LOCK_WAIT.as_millis() as u64,
            least: 0,
        },
    },
    Definition {
        name: ENFORCE_GATES,
        about: "hooks deny commands that ship while a gate blocks",
        user_only: false,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "continue_unfinished",
        about: "hooks ask an agent that stops to go on with its plan, once for each task",
        user_only: false,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "hook_deadline_ms",
        about: "how long an agent waits for a hook; what is left then is done without it",
        user_only: false,
        kind: Kind::Number {
            default: 800,
            least: 100,
        },
    },
    Definition {
        name: "follow_symlinks",
        about: "let symbolic links lead state out of the repository",
        user_only: true,
        kind: Kind::Switch { default: false },
    },
];

impl Definition {
    /// The setting with this name.
    pub(crate) fn find(name: &str) -> Result<&'static Self, Failure> {
        SETTINGS
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = SETTINGS.iter().map(|known| known.name).collect();
                Failure::new(Exit::NotFound, format!("no setting {name:?}"))
                    .with_hint(format!("There are: {}", names.join(", ")))
            })
    }

    /// The variable that sets it.
    pub(crate) fn variable(&self) -> String {
        format!("{SETTING_PREFIX}{}", self.name.to_ascii_uppercase())
    }

    pub(super) fn default(&self) -> Value {
        match self.kind {
            Kind::Number { default, .. } => default.into(),
            Kind::Switch { default } => default.into(),
            Kind::Choice { choices } => choices[0].into(),
        }
    }

    /// Reads what was typed.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, Failure> {
        let value = match (&self.kind, text) {
            (Kind::Number { .. }, text) => text.parse::<u64>().ok().map(Value::from),
            (Kind::Switch { .. }, "true" | "1") => Some(true.into()),
            (Kind::Switch { .. }, "false" | "0") => Some(false.into()),
            (Kind::Switch { .. }, _) => None,
            (Kind::Choice { .. }, text) => Some(text.into()),
        };
        let value = value.filter(|value| self.accepts(value));
        value.ok_or_else(|| self.wrong(&format!("{text:?}"), "what was given"))
    }

    fn accepts(&self, value: &Value) -> bool {
        match (&self.kind, value) {
            (Kind::Number { least, .. }, Value::Number(number)) => number
                .raw()
                .parse::<u64>()
                .is_ok_and(|number| number >= *least),
            (Kind::Switch { .. }, Value::Bool(_)) => true,
            (Kind::Choice { choices }, Value::String(text)) => choices.contains(&text.as_str()),
            _ => false,
        }
    }

    fn wrong(&self, found: &str, place: &str) -> Failure {
        let wanted = match self.kind {
            Kind::Number { least, .. } => format!("a whole number from {least} on"),
            Kind::Switch { .. } => "true or false".to_owned(),
            Kind::Choice { choices } => format!("one of {}", choices.join(", ")),
        };
        Failure::new(
            Exit::Invalid,
            format!("{place}: {} must be {wanted}, not {found}", self.name),
        )
    }

    /// Whether it guards something, so that it is rather taken to be on than off where nobody can tell.
    pub(super) fn is_guard(&self) -> bool {
        self.name == ENFORCE_GATES
    }

    /// What its variable says, where it is set.
    pub(super) fn said_by_environment(&self) -> Option<Result<Value, Failure>> {
        let text = environment::text(&self.variable())?;
        let value = self.parse(&text);
        Some(value.map_err(|_| self.wrong(&format!("{text:?}"), &self.variable())))
    }

    /// What a file says, where it says anything.
    pub(super) fn said_by(&self, path: &Path, object: &Object) -> Option<Result<Value, Failure>> {
        let value = object.get(self.name)?;
        Some(match self.accepts(value) {
            true => Ok(value.clone()),
            false => Err(self.wrong(&value.to_compact(), &path.display().to_string())),
        })
    }

    /// The value in force and where it comes from.
    pub(super) fn resolve(
        &self,
        project: Option<(&Path, &Object)>,
        user: Option<(&Path, &Object)>,
    ) -> Result<(Value, Source), Failure> {
        if let Some(value) = self.said_by_environment() {
            return Ok((value?, Source::Environment));
        }
        let project = project.filter(|_| !self.user_only);
        for (file, source) in [(project, Source::Project), (user, Source::User)] {
            let said = file.and_then(|(path, object)| self.said_by(path, object));
            if let Some(value) = said {
                return Ok((value?, source));
            }
        }
        Ok((self.default(), Source::Default))
    }
}
