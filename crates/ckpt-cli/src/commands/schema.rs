//! `ckpt schema`

use clap::Args;

use crate::failure::{Exit, Failure};
use crate::output;
use crate::schema::{Format, Kind};

/// Print the schema of a format, or of what --json prints.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt schema command --format typescript")]
pub(crate) struct Schema {
    /// What to print the schema of
    #[arg(value_enum)]
    kind: Kind,
    /// How to write it
    #[arg(long, value_enum, default_value_t = Format::JsonSchema)]
    format: Format,
}

impl Schema {
    pub(crate) fn run(self) -> Result<Exit, Failure> {
        output::raw(self.kind.text(self.format).as_bytes())?;
        Ok(Exit::Done)
    }
}
