//! `ckpt rename`

use ckpt::voice::{name, path_name, suggested};
use clap::Args;

use super::fork::{self, new_name};
use super::target::told_of_archive;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Give a checkpoint another name.
///
/// What it has is forked under the new name, and the old checkpoint goes into the archive, where `ckpt log` still finds its
/// history. Approvals and results of gates are bound to a name, so they have to be given again. If this is interrupted,
/// doing it again finishes it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt rename implement/auth implement/login")]
pub(crate) struct Rename {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Keys)]
    key: String,
    /// Its new name, of the same kind
    #[arg(value_name = "NEW")]
    new_name: String,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Renamed"))]
pub(crate) struct Report {
    #[serde(flatten)]
    fork: fork::Report,
    /// The archive of the old one.
    file: String,
}

impl Rename {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_key(&self.key)?;
        let new = new_name(&key, &self.new_name)?;
        let renamed = workspace.rename(&key, &new).map_err(Failure::from);
        let renamed = renamed.map_err(|failure| told_of_archive(session, &self.key, failure))?;
        if session.json {
            ui.json(&Report {
                fork: fork::Report::of(&renamed.fork),
                file: path_name(&renamed.archived.path),
            })?;
            return Ok(Exit::Done);
        }
        let old = key.short();
        ui.text(&format!(
            "{} was {}; its earlier history: ckpt log {}\n",
            name(&new.short()),
            name(&old),
            suggested(&old)
        ))?;
        Ok(Exit::Done)
    }
}
