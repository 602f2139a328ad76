//! The names of checkpoints, and the file names derived from them.

mod command;
mod fit;
mod meaning;
mod name;
mod pipeline;
mod plan;

use std::fmt;

pub use command::CommandKey;
pub use fit::Fit;
pub(crate) use fit::closest;
pub use meaning::Meaning;
pub(crate) use name::file_stem;
pub use pipeline::PipelineId;
pub use plan::PlanId;

/// The name of a checkpoint of any kind: `command:implement/auth`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// A command checkpoint.
    Command(CommandKey),
    /// A pipeline.
    Pipeline(PipelineId),
    /// A plan.
    Plan(PlanId),
}

/// The key cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// The command has no usable characters.
    #[error("Command name is required and must contain valid characters")]
    Command,
    /// The feature has no usable characters.
    #[error("Feature name must contain valid characters")]
    Feature,
    /// A plan's id cannot be used as a directory name.
    #[error(
        "{0:?} cannot be the id of a plan: an id is a directory's name, such as 260220-1149-feature"
    )]
    Plan(String),
    /// A pipeline's id has no usable characters.
    #[error("{0:?} cannot be the id of a pipeline: an id is a word, such as PRD-003")]
    Pipeline(String),
    /// The kind and the id of something whose file would be hidden, and never listed.
    #[error("{1:?} cannot be the id of a {0}: a file whose name begins with a dot is hidden")]
    Hidden(&'static str, String),
    /// A name that several things have, or begin with.
    #[error("{name} may mean {}", listed(keys))]
    Ambiguous {
        /// The name as given.
        name: String,
        /// What it may mean.
        keys: Vec<String>,
    },
    /// A name that nothing has, but that is spelled like others.
    #[error("no {noun} {name}")]
    Near {
        /// What was looked for, such as `pipeline`.
        noun: &'static str,
        /// The name as given.
        name: String,
        /// What may be meant.
        near: Vec<String>,
        /// Whether there could be something new with this name.
        may_be_new: bool,
    },
    /// The kind and the name of something that is no command checkpoint.
    #[error("{1} is a {0}, not the checkpoint of a command")]
    Kind(String, String),
}

/// The first few names, and how many more there are.
fn listed(names: &[String]) -> String {
    const MOST: usize = 5;
    let first: Vec<&str> = names.iter().take(MOST).map(String::as_str).collect();
    match names.len().saturating_sub(MOST) {
        0 => first.join(" or "),
        more => format!("{} or {more} others", first.join(", ")),
    }
}

impl Key {
    /// The names of the kinds, as they stand in front of a key.
    pub const KINDS: [&'static str; 3] = ["command", "pipeline", "plan"];

    /// Parses `command:implement/auth`, `pipeline:PRD-003` or `plan:260220-1149-feature`. Without its kind, a key is
    /// read as a command; only a caller that knows the existing checkpoints can tell otherwise.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        match text.split_once(':') {
            Some(("plan", id)) => PlanId::new(id).map(Self::Plan),
            Some(("pipeline", id)) => PipelineId::new(id).map(Self::Pipeline),
            _ => CommandKey::parse(text).map(Self::Command),
        }
    }

    /// The same; without its kind, a key has that of its spelling: `PRD-7` is a pipeline, and `260220-1149-login` a plan.
    pub fn spelled(text: &str) -> Result<Self, KeyError> {
        let pipeline = || PipelineId::new(text).ok().filter(PipelineId::is_numbered);
        let plan = || PlanId::new(text).ok().filter(PlanId::is_dated);
        match (text.contains(':'), pipeline(), plan()) {
            (false, Some(id), _) => Ok(Self::Pipeline(id)),
            (false, None, Some(id)) => Ok(Self::Plan(id)),
            _ => Self::parse(text),
        }
    }

    /// Whether this is one of its names, in any case: its id, with or without its kind, or the subject of a plan.
    #[must_use]
    pub fn is_called(&self, typed: &str) -> bool {
        self.fit(typed).is_some()
    }

    /// How well one of its names fits what was typed.
    #[must_use]
    pub fn fit(&self, typed: &str) -> Option<Fit> {
        let has_name = |is_it: &dyn Fn(&str) -> bool| {
            self.names().any(|name| is_it(&name)) || is_it(&self.to_string())
        };
        if has_name(&|name| name == typed) {
            return Some(Fit::Exact);
        }
        has_name(&|name| name.eq_ignore_ascii_case(typed)).then_some(Fit::OtherCase)
    }

    /// Its names without its kind: its id, and the subject of a plan.
    pub(crate) fn names(&self) -> impl Iterator<Item = String> + use<> {
        let subject = match self {
            Self::Plan(id) => Some(id.subject().to_owned()),
            Self::Command(_) | Self::Pipeline(_) => None,
        };
        std::iter::once(self.short()).chain(subject)
    }

    /// The document's name in seals: its kind and file name.
    #[must_use]
    pub fn sealed_name(&self) -> String {
        match self {
            Self::Command(key) => format!("command:{}", key.stem()),
            Self::Pipeline(id) => format!("pipeline:{}", id.stem()),
            Self::Plan(id) => format!("plan:{id}"),
        }
    }

    /// Whether a branch is named after this checkpoint's subject.
    #[must_use]
    pub fn is_about(&self, branch: &str) -> bool {
        let name = match self {
            Self::Command(command) => command.feature().unwrap_or_default().to_owned(),
            Self::Pipeline(id) => id.to_string(),
            // Branch names do not contain the date that an id begins with.
            Self::Plan(id) => id.subject().to_owned(),
        };
        let (branch, name) = (branch.to_lowercase(), name.to_lowercase());
        !name.is_empty()
            && branch.match_indices(&name).any(|(at, _)| {
                let is_border = |c: Option<char>| c.is_none_or(|c| !c.is_alphanumeric());
                is_border(branch[..at].chars().next_back())
                    && is_border(branch[at + name.len()..].chars().next())
            })
    }

    /// The name without its kind: `implement/auth`.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Self::Command(key) => key.short(),
            Self::Pipeline(id) => id.to_string(),
            Self::Plan(id) => id.to_string(),
        }
    }
}

impl From<CommandKey> for Key {
    fn from(key: CommandKey) -> Self {
        Self::Command(key)
    }
}

impl From<&PipelineId> for Key {
    fn from(id: &PipelineId) -> Self {
        Self::Pipeline(id.clone())
    }
}

impl From<&PlanId> for Key {
    fn from(id: &PlanId) -> Self {
        Self::Plan(id.clone())
    }
}

impl From<&CommandKey> for Key {
    fn from(key: &CommandKey) -> Self {
        Self::Command(key.clone())
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command(key) => key.fmt(formatter),
            Self::Pipeline(id) => write!(formatter, "pipeline:{id}"),
            Self::Plan(id) => write!(formatter, "plan:{id}"),
        }
    }
}

impl serde::Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}
