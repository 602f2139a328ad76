//! `ckpt config`

use clap::{Args, Subcommand};
use serde_json::value::RawValue;

use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::settings::{Definition, Scope, Source};
use crate::ui::Ui;

/// Show and change settings.
///
/// Environment variables such as CKPT_SUMMARY_LIMIT override the project's .claude/config/ckpt.json, which overrides
/// your own settings file, which overrides the defaults.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt config set summary_limit 400")]
pub(crate) struct Config {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// List all settings, their values and where each comes from
    #[command(after_help = "Example:\n  ckpt config list")]
    List,
    /// Show the value of a setting
    #[command(after_help = "Example:\n  ckpt config get summary_limit")]
    Get {
        /// The name of the setting
        #[arg(add = Ids::Settings)]
        name: String,
    },
    /// Change a setting for the project, or for yourself
    #[command(after_help = "Example:\n  ckpt config set --user lock_timeout_ms 10000")]
    Set {
        /// The name of the setting
        #[arg(add = Ids::Settings)]
        name: String,
        /// The new value
        value: String,
        /// Change your own settings, for all projects
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
    /// Whether this changes a setting, which must work even if the current settings are invalid.
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
    let chosen: Vec<_> = chosen
        .map(|(definition, value, source)| (definition, value.to_compact(), source))
        .collect();
    let widths = chosen.iter().map(|(_, value, _)| value.chars().count());
    let width = widths.max().unwrap_or(0);
    for (definition, value, source) in chosen {
        text += &match only {
            Some(_) => format!("{value}\n"),
            None => format!(
                "{:<20} {value:<width$} {:<12} {}\n",
                definition.name,
                source.name(),
                definition.about
            ),
        };
    }
    ui.text(&text)
}
