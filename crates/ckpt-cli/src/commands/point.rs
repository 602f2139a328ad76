//! Points in the life of a checkpoint: a revision, a time, a file, or another checkpoint.

mod markdown;

pub(crate) use markdown::refuse_markdown;

use ckpt::Timestamp;
use ckpt::document::Document;
use ckpt::history::Revision;
use ckpt::key::Key;
use ckpt::voice::suggested;
use ckpt::workspace::PlanVersion;

use super::target::Target;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// What was typed for a point.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Point {
    Revision(Revision),
    Time(Timestamp),
    /// Anything else: the name of a file or of a checkpoint.
    Named(String),
}

/// A document at a point.
pub(crate) struct Version {
    /// How it is called: `revision 7`, `now`.
    pub(crate) name: String,
    /// Its document; of a plan its state, and an empty one if it had none.
    pub(crate) document: Document,
    /// The version of a plan, if it is one.
    pub(crate) plan: Option<PlanVersion>,
    /// Whether it is a Markdown file alone.
    is_markdown: bool,
}

impl Point {
    /// Reads `7`, `7-mi0k3x5z`, `@2h`, a date, a time, or a name.
    pub(crate) fn read(typed: &str, now: Timestamp) -> Result<Self, Failure> {
        if let Ok(revision) = typed.parse() {
            return Ok(Self::Revision(revision));
        }
        let time = typed.strip_prefix('@').unwrap_or(typed);
        let midnight = || Timestamp::parse(&format!("{time}T00:00:00Z"));
        if let Some(time) = Timestamp::typed(time).or_else(midnight) {
            return Ok(Self::Time(time));
        }
        if typed.starts_with('@') {
            return ago(time, now).map(Self::Time).ok_or_else(|| {
                Failure::new(Exit::Usage, format!("{typed} is not a time"))
                    .with_hint("Write how long ago, such as @30m, @2h or @3d, or a time, such as @2026-01-29T10:30:00Z")
            });
        }
        Ok(Self::Named(typed.to_owned()))
    }

    /// The revision of a checkpoint that this means.
    pub(crate) fn revision(&self, session: &Session, key: &Key) -> Result<Revision, Failure> {
        let workspace = &session.workspace;
        let name = key.short();
        match self {
            Self::Revision(revision) => Ok(revision.clone()),
            Self::Time(time) => workspace.revision_at(key, *time)?.ok_or_else(|| {
                let message = format!("{name} has nothing recorded at {time} or before");
                Failure::new(Exit::NotFound, message).with_hint(see_history(key))
            }),
            Self::Named(typed) => {
                let message = format!("{typed} is not a revision of {name}");
                Err(Failure::new(Exit::Usage, message).with_hint(see_history(key)))
            }
        }
    }

    /// The revision at this point, with its epoch if a number alone may mean another one. `None` if it is no revision.
    pub(crate) fn exact(&self, session: &Session, key: &Key) -> Result<Option<Revision>, Failure> {
        if matches!(self, Self::Named(_)) {
            return Ok(None);
        }
        let revision = self.revision(session, key)?;
        Ok(Some(session.workspace.exact_revision(key, &revision)?))
    }

    /// The document of a checkpoint at this point, or the one that is named.
    pub(crate) fn version(
        &self,
        ui: &Ui,
        session: &Session,
        key: &Key,
    ) -> Result<Version, Failure> {
        if let Self::Named(typed) = self {
            let (session, target) = Target::find(ui, session, typed)?;
            return Version::of(&session, target.name(), &target);
        }
        let revision = self.revision(session, key)?;
        let name = format!("revision {}", revision.number);
        match key {
            Key::Plan(id) => {
                let version = session.workspace.plan(id).version_at(&revision)?;
                Ok(Version::of_plan(name, version))
            }
            _ => Ok(Version {
                name,
                document: session.workspace.at_revision(key, &revision)?,
                plan: None,
                is_markdown: false,
            }),
        }
    }
}

impl Version {
    /// A checkpoint as it is now.
    pub(crate) fn present(session: &Session, key: &Key) -> Result<Self, Failure> {
        let target = Target::require(session, key)?;
        Self::of(session, "now".to_owned(), &target)
    }

    /// What there is of a checkpoint before it is created.
    pub(crate) fn nothing(key: &Key) -> Self {
        Self {
            name: "nothing".to_owned(),
            document: Document::empty(),
            plan: matches!(key, Key::Plan(_)).then(PlanVersion::default),
            is_markdown: false,
        }
    }

    fn of_plan(name: String, version: PlanVersion) -> Self {
        Self {
            name,
            document: version.state.clone().unwrap_or_else(Document::empty),
            plan: Some(version),
            is_markdown: false,
        }
    }

    fn of(session: &Session, name: String, target: &Target) -> Result<Self, Failure> {
        let document = match target {
            Target::Document(found) => found.document.clone(),
            Target::Pipeline(view) => view.loaded.document.clone(),
            Target::Plan(view) => {
                let version = session.workspace.plan(&view.id).version()?;
                return Ok(Self::of_plan(name, version));
            }
            Target::Markdown { path, outline } => {
                return Self::of_markdown(session, path, outline);
            }
        };
        Ok(Self {
            name,
            document,
            plan: None,
            is_markdown: false,
        })
    }
}

fn see_history(key: &Key) -> String {
    format!("See its history with: ckpt log {}", suggested(&key.short()))
}

/// The time this long ago: a number with s, m, h, d or w.
pub(crate) fn ago(text: &str, now: Timestamp) -> Option<Timestamp> {
    let unit = text.chars().last()?;
    let number: i64 = text.strip_suffix(unit)?.parse().ok()?;
    let seconds = match unit {
        's' => 1,
        'm' => 60,
        'h' => 60 * 60,
        'd' => 24 * 60 * 60,
        'w' => 7 * 24 * 60 * 60,
        _ => return None,
    };
    let milliseconds = number.checked_mul(seconds)?.checked_mul(1_000)?;
    Timestamp::from_millisecond(now.as_millisecond().checked_sub(milliseconds)?)
}

#[cfg(test)]
mod tests;
