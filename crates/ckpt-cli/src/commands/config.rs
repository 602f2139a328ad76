//! `ckpt config`

use clap::{Args, Subcommand};
use serde_json::value::RawValue;

use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::settings::{Definition, Scope, Source};
use crate::ui::Ui;

/// Show and change settings.
///
/// A variable such as CKPT_SUMMARY_LIMIT beats the project's .claude/config/ckpt.json, which beats
/// your own file, which beats the default.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt config set summary_limit 400")]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Show all settings and where each value comes from
    #[command(after_help = "Example:\n  ckpt config list")]
    List,
    /// Show one value
    #[command(after_help = "Example:\n  ckpt config get summary_limit")]
    Get {
        /// The setting
        name: String,
    },
    /// Change a value in the project's file, or in your own
    #[command(after_help = "Example:\n  ckpt config set --user lock_timeout_ms 10000")]
    Set {
        /// The setting
        name: String,
        /// Its new value
        value: String,
        /// Change it for yourself, in all projects
        #[arg(long)]
        user: bool,
    },
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Setting"))]
pub(crate) struct Entry {
    name: &'static str,
    value: Box<RawValue>,
    source: Source,
    about: &'static str,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Settings"))]
pub(crate) struct Report {
    settings: Vec<Entry>,
}

/// What was set, and where.
#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "SettingWritten")
)]
pub(crate) struct Written<'w> {
    name: &'w str,
    file: &'w std::path::Path,
}

impl Config {
    /// Whether settings are changed. That must work even if they are wrong now.
    pub(crate) fn changes(&self) -> bool {
        matches!(self.action, Some(Action::Set { .. }))
    }

    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        match self.action.unwrap_or(Action::List) {
            Action::List => list(ui, session, None)?,
            Action::Get { name } => list(ui, session, Some(Definition::find(&name)?))?,
            Action::Set { name, value, user } => {
                let definition = Definition::find(&name)?;
                let scope = if user { Scope::User } else { Scope::Project };
                let path = session.settings.set(
                    ui.variables(),
                    definition,
                    &value,
                    scope,
                    session.workspace.repository(),
                )?;
                if session.json {
                    ui.json(&Written {
                        name: &name,
                        file: &path,
                    })?;
                }
            }
        }
        Ok(Exit::Done)
    }
}

fn list(ui: &mut Ui, session: &Session, only: Option<&Definition>) -> Result<(), Failure> {
    let entries = session.settings.entries();
    let chosen =
        entries.filter(|(definition, ..)| only.is_none_or(|only| only.name == definition.name));
    if session.json {
        let settings = chosen.filter_map(|(definition, value, source)| {
            Some(Entry {
                name: definition.name,
                value: RawValue::from_string(value.to_compact()).ok()?,
                source,
                about: definition.about,
            })
        });
        return ui.json(&Report {
            settings: settings.collect(),
        });
    }
    let mut text = String::new();
    for (definition, value, source) in chosen {
        let value = value.to_compact();
        text += &match only {
            Some(_) => format!("{value}\n"),
            None => format!(
                "{:<20} {value:<8} {:<12} {}\n",
                definition.name,
                source.name(),
                definition.about
            ),
        };
    }
    ui.text(&text)
}
