//! `ckpt handoff doc`

use std::path::{Path, PathBuf};

use ckpt::handoff::{Library, document, extend};
use clap::Args;

use super::super::init::has_scripts;
use super::super::input::Named;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Print the protocol as a document, or update an existing one.
///
/// An existing document gets only what it lacks: the mode of requests, the current name of the summary, and a section
/// on how the limit is enforced. Running it again changes nothing.
#[derive(Debug, Args)]
pub(crate) struct Doc {
    /// File to create or update
    #[arg(long, value_name = "PATH")]
    write: Option<PathBuf>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "ProtocolWritten")
)]
pub(crate) struct Report<'r> {
    path: &'r Path,
    created: bool,
    changes: &'r [&'static str],
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "ProtocolPrinted")
)]
pub(crate) struct Printed {
    text: String,
}

impl Doc {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let library = match has_scripts(session.workspace.repository().root()) {
            true => Library::Scripts,
            false => Library::Package,
        };
        let limit = session.settings.summary_limit().most;
        let Some(file) = &self.write else {
            let text = document(library, limit);
            match session.json {
                true => ui.json(&Printed { text })?,
                false => ui.raw(text.as_bytes())?,
            }
            return Ok(Exit::Done);
        };
        let named = Named::new(session, file);
        let present = named.read()?.map(|bytes| {
            String::from_utf8(bytes).map_err(|_| {
                let message = format!("{} is not valid UTF-8", file.display());
                Failure::new(Exit::Invalid, message).with_hint("The file was not changed")
            })
        });
        let present = present.transpose()?;
        let created = present.is_none();
        let (text, changes) = match present {
            None => (document(library, limit), vec!["created"]),
            Some(present) => {
                let extended = extend(&present, library, limit).map_err(|error| {
                    let message = format!("{}: {error}", file.display());
                    Failure::new(Exit::Invalid, message)
                        .with_hint("The file was not changed; write the protocol to another file")
                })?;
                (extended.text, extended.changes)
            }
        };
        if !changes.is_empty() {
            named.replace(text.as_bytes())?;
        }
        if session.json {
            ui.json(&Report {
                path: file,
                created,
                changes: &changes,
            })?;
        } else {
            let mut lines = String::new();
            for change in &changes {
                lines += &format!("{}: {change}\n", file.display());
            }
            if changes.is_empty() {
                lines += &format!("{}: up to date\n", file.display());
            }
            ui.text(&lines)?;
        }
        Ok(Exit::Done)
    }
}
