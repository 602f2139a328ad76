//! The table of all settings.

use std::path::Path;

use ckpt::document::Value;
use ckpt::key::Meaning;
use ckpt::{repository, resume, tokens, workspace};
use ckpt_services::{Endpoint, Reach as Reached, service};

use super::Source;
use crate::environment::Variables;
use crate::failure::{Exit, Failure, did_you_mean};

/// One setting.
#[derive(Debug)]
pub(crate) struct Definition {
    /// Its name in files.
    pub(crate) name: &'static str,
    /// Its environment variable: `CKPT_` and the name in capitals. Hooks ask for it each time, so it is not composed.
    pub(crate) variable: &'static str,
    /// A short description.
    pub(crate) about: &'static str,
    /// How far a repository and the environment may change it.
    pub(crate) reach: Reach,
    kind: Kind,
}

/// How far a repository and the environment may change a setting. A repository may be a clone, and a clone can set
/// variables through an agent's settings. The user's own file may always set it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reach {
    /// Both may set it.
    Free,
    /// A repository may lower it; the environment may set it.
    Lowered,
    /// A repository may not set it; the environment may.
    NotByRepository,
    /// Both may only set it to its strictest value, which is the last one.
    Tightened,
    /// Both may only reset it to its default.
    UserOnly,
}

#[derive(Debug)]
enum Kind {
    Number {
        default: u64,
        least: u64,
        most: u64,
    },
    Switch {
        default: bool,
    },
    /// The first is the default, the last is the strictest.
    Choice {
        choices: &'static [&'static str],
    },
    /// The address of a service.
    Address {
        default: &'static str,
    },
    /// The path of a file, absolute; empty for none.
    File,
}

/// All settings, in display order.
pub(crate) const SETTINGS: [Definition; 18] = [
    Definition {
        name: "summary_limit",
        variable: "CKPT_SUMMARY_LIMIT",
        about: "maximum tokens in a context summary",
        reach: Reach::Free,
        kind: Kind::Number {
            default: tokens::SUMMARY_LIMIT as u64,
            least: 1,
            most: 1_000_000,
        },
    },
    Definition {
        name: "token_counter",
        variable: "CKPT_TOKEN_COUNTER",
        about: "how tokens in a summary are counted",
        reach: Reach::Free,
        kind: Kind::Choice {
            choices: &["words", "o200k", "cl100k", "claude"],
        },
    },
    Definition {
        name: "resume_budget",
        variable: "CKPT_RESUME_BUDGET",
        about: "maximum tokens in the resume brief",
        reach: Reach::Lowered,
        kind: Kind::Number {
            default: resume::BUDGET as u64,
            least: 50,
            most: 100_000,
        },
    },
    Definition {
        name: "lock_timeout_ms",
        variable: "CKPT_LOCK_TIMEOUT_MS",
        about: "how long a change waits for another to finish",
        reach: Reach::Lowered,
        kind: Kind::Number {
            default: workspace::LOCK_WAIT.as_millis() as u64,
            least: 0,
            most: 60 * 60 * 1000,
        },
    },
    Definition {
        name: "enforce_gates",
        variable: "CKPT_ENFORCE_GATES",
        about: "hooks deny commands that ship while a gate blocks",
        reach: Reach::Tightened,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "require_review",
        variable: "CKPT_REQUIRE_REVIEW",
        about: "no workstream starts before the adversarial review is recorded",
        reach: Reach::Tightened,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "approvals",
        variable: "CKPT_APPROVALS",
        about: "who may approve: anybody, or only a person at a terminal",
        reach: Reach::Tightened,
        kind: Kind::Choice {
            choices: &["anybody", "person"],
        },
    },
    Definition {
        name: "continue_unfinished",
        variable: "CKPT_CONTINUE_UNFINISHED",
        about: "hooks ask an agent that stops to continue its plan, once per task",
        reach: Reach::UserOnly,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "hook_deadline_ms",
        variable: "CKPT_HOOK_DEADLINE_MS",
        about: "how long an agent waits for a hook; the rest is done in the background",
        reach: Reach::NotByRepository,
        kind: Kind::Number {
            default: 800,
            least: 100,
            most: 10 * 60 * 1000,
        },
    },
    Definition {
        name: "git_timeout_ms",
        variable: "CKPT_GIT_TIMEOUT_MS",
        about: "how long a git command may take",
        reach: Reach::Lowered,
        kind: Kind::Number {
            default: repository::GIT_LIMIT.as_millis() as u64,
            least: 10,
            most: 60 * 60 * 1000,
        },
    },
    Definition {
        name: "repository_filters",
        variable: "CKPT_REPOSITORY_FILTERS",
        about: "let git run filters that only the repository configures",
        reach: Reach::UserOnly,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "follow_symlinks",
        variable: "CKPT_FOLLOW_SYMLINKS",
        about: "follow symbolic links, but never into a git directory",
        reach: Reach::UserOnly,
        kind: Kind::Switch { default: false },
    },
    Definition {
        name: "archive_after_days",
        variable: "CKPT_ARCHIVE_AFTER_DAYS",
        about: "when ckpt gc archives what is finished; 0 for never",
        reach: Reach::NotByRepository,
        kind: Kind::Number {
            default: 30,
            least: 0,
            most: 36_500,
        },
    },
    Definition {
        name: "keep_deleted_days",
        variable: "CKPT_KEEP_DELETED_DAYS",
        about: "how long ckpt gc keeps what was deleted; 0 for ever",
        reach: Reach::NotByRepository,
        kind: Kind::Number {
            default: 90,
            least: 0,
            most: 36_500,
        },
    },
    Definition {
        name: "vercel_url",
        variable: "CKPT_VERCEL_URL",
        about: "where the API of Vercel is",
        reach: Reach::UserOnly,
        kind: Kind::Address {
            default: service::VERCEL,
        },
    },
    Definition {
        name: "github_url",
        variable: "CKPT_GITHUB_URL",
        about: "where the API of GitHub is",
        reach: Reach::UserOnly,
        kind: Kind::Address {
            default: service::GITHUB,
        },
    },
    Definition {
        name: "linear_url",
        variable: "CKPT_LINEAR_URL",
        about: "where the API of Linear is",
        reach: Reach::UserOnly,
        kind: Kind::Address {
            default: service::LINEAR,
        },
    },
    Definition {
        name: "certificates",
        variable: "CKPT_CERTIFICATES",
        about: "a PEM file of authorities to trust instead of the usual ones",
        reach: Reach::UserOnly,
        kind: Kind::File,
    },
];

impl Definition {
    /// The setting with this name.
    pub(crate) fn find(name: &str) -> Result<&'static Self, Failure> {
        SETTINGS
            .iter()
            .find(|known| known.name == name)
            .ok_or_else(|| {
                let names: Vec<_> = SETTINGS
                    .iter()
                    .map(|known| (known.name, known.name))
                    .collect();
                let hint = match Meaning::of(name, &names) {
                    Meaning::Near(near) => {
                        let near: Vec<String> = near.into_iter().map(str::to_owned).collect();
                        did_you_mean(&near, false)
                    }
                    _ => {
                        let names: Vec<_> = names.iter().map(|(name, _)| *name).collect();
                        format!("Known settings: {}", names.join(", "))
                    }
                };
                Failure::new(Exit::NotFound, format!("unknown setting {name:?}")).with_hint(hint)
            })
    }

    /// What a repository may do to it, in words.
    pub(super) fn reach_in_words(&self) -> &'static str {
        match (self.reach, &self.kind) {
            (Reach::Free, _) => "set it",
            (Reach::Lowered, _) => "only lower it",
            (Reach::NotByRepository, _) => "not set it",
            (Reach::Tightened, _) => "only tighten it",
            (Reach::UserOnly, Kind::Switch { .. }) => "only switch it off",
            (Reach::UserOnly, _) => "only reset it",
        }
    }

    pub(super) fn default(&self) -> Value {
        match self.kind {
            Kind::Number { default, .. } => default.into(),
            Kind::Switch { default } => default.into(),
            Kind::Choice { choices } => Value::constant(choices[0]),
            Kind::Address { default } => Value::constant(default),
            Kind::File => Value::constant(""),
        }
    }

    /// Parses a value from the command line.
    pub(crate) fn parse(&self, text: &str) -> Result<Value, Failure> {
        let value = match (&self.kind, text) {
            (Kind::Number { .. }, text) => text.parse::<u64>().ok().map(Value::from),
            (Kind::Switch { .. }, "true" | "1") => Some(true.into()),
            (Kind::Switch { .. }, "false" | "0") => Some(false.into()),
            (Kind::Switch { .. }, _) => None,
            (Kind::Choice { .. } | Kind::Address { .. } | Kind::File, text) => Some(text.into()),
        };
        let value = value.filter(|value| self.accepts(value));
        value.ok_or_else(|| self.wrong(&format!("{text:?}"), "invalid value"))
    }

    fn accepts(&self, value: &Value) -> bool {
        match (&self.kind, value) {
            (Kind::Number { least, most, .. }, Value::Number(number)) => number
                .raw()
                .parse::<u64>()
                .is_ok_and(|number| (*least..=*most).contains(&number)),
            (Kind::Switch { .. }, Value::Bool(_)) => true,
            (Kind::Choice { choices }, Value::String(text)) => choices.contains(&text.as_str()),
            (Kind::Address { .. }, Value::String(text)) => {
                Endpoint::parse(text, Reached::Private).is_ok()
            }
            (Kind::File, Value::String(text)) => {
                text.is_empty() || Path::new(text.as_str()).is_absolute()
            }
            _ => false,
        }
    }

    fn wrong(&self, found: &str, place: &str) -> Failure {
        let wanted = match self.kind {
            Kind::Number { least, most, .. } => format!("a whole number from {least} to {most}"),
            Kind::Switch { .. } => "true or false".to_owned(),
            Kind::Choice { choices } => format!("one of {}", choices.join(", ")),
            Kind::Address { .. } => "an address such as https://example.com".to_owned(),
            Kind::File => "an absolute path".to_owned(),
        };
        Failure::new(
            Exit::Invalid,
            format!("{place}: {} must be {wanted}, not {found}", self.name),
        )
    }

    /// The value of its environment variable, if set.
    pub(super) fn said_by_environment(
        &self,
        variables: &Variables,
    ) -> Option<Result<Value, Failure>> {
        let text = variables.text(self.variable)?;
        let value = self.parse(&text);
        Some(value.map_err(|_| self.wrong(&format!("{text:?}"), self.variable)))
    }

    /// Rejects an invalid value from a file.
    pub(super) fn check(&self, value: &Value, file: &Path) -> Result<(), Failure> {
        match self.accepts(value) {
            true => Ok(()),
            false => Err(self.wrong(&value.to_compact(), &file.display().to_string())),
        }
    }

    /// Whether a source may change it from `so_far` to `value`.
    pub(crate) fn may_become(&self, value: &Value, so_far: &Value, source: Source) -> bool {
        match self.reach {
            _ if source == Source::User => true,
            Reach::Free => true,
            Reach::Lowered => source == Source::Environment || number(value) <= number(so_far),
            Reach::NotByRepository => source == Source::Environment,
            Reach::Tightened => Some(value) == self.tightest().as_ref(),
            Reach::UserOnly => *value == self.default(),
        }
    }

    /// The strictest value, for settings that protect the user.
    pub(super) fn tightest(&self) -> Option<Value> {
        match self.kind {
            _ if self.reach != Reach::Tightened => None,
            Kind::Number { .. } | Kind::Address { .. } | Kind::File => None,
            Kind::Switch { default } => Some((!default).into()),
            Kind::Choice { choices } => choices.last().map(|last| (*last).into()),
        }
    }
}

fn number(value: &Value) -> Option<u64> {
    match value {
        Value::Number(number) => number.raw().parse().ok(),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
