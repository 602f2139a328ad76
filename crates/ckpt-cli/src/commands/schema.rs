//! `ckpt schema`

use clap::Args;

use crate::cli::Global;
use crate::failure::{Exit, Failure};
use crate::schema::{Format, Kind};
use crate::ui::Ui;

/// Print the schema of a file format, or of --json output.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt schema command --format typescript")]
pub(crate) struct Schema {
    /// The format to describe
    #[arg(value_enum)]
    kind: Kind,
    /// The output format
    #[arg(long, value_enum, default_value_t = Format::JsonSchema)]
    format: Format,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "SchemaPrinted"))]
pub(crate) struct Printed<'p> {
    text: &'p str,
}

impl Schema {
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let text = self.kind.text(self.format);
        match global.json {
            true => ui.json(&Printed { text })?,
            false => ui.raw(text.as_bytes())?,
        }
        Ok(Exit::Done)
    }
}
