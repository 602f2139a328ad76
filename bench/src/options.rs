//! Parses and checks the command line.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::cases::cases;
use crate::failure::{Failure, Result};

/// Names the binary to measure if no flag does.
const BINARY_VARIABLE: &str = "CKPT_BENCH_BINARY";

pub(crate) const HELP: &str = "\
Compares ckpt with the minimum cost of the same work, and prints ratios.

Usage: cargo run --release -p ckpt-bench [-- OPTIONS]

Options:
  --quick        run fewer rounds, and skip the case `append`
  --only NAME    run only this case; can be repeated
  --binary PATH  measure this binary; default: CKPT_BENCH_BINARY, else the one that scripts/release builds
  --json         print JSON instead of a table
  --help         print this

Exit code: 0 all within bounds, 1 some over, 2 not measured.
";

/// The options of a run.
#[derive(Debug, Default)]
pub(crate) struct Options {
    pub(crate) help: bool,
    pub(crate) quick: bool,
    pub(crate) json: bool,
    /// Empty means every case.
    pub(crate) only: Vec<String>,
    pub(crate) binary: Option<PathBuf>,
}

impl Options {
    /// Parses arguments, without the program's own name.
    pub(crate) fn parse(arguments: impl IntoIterator<Item = OsString>) -> Result<Self> {
        let mut arguments = arguments.into_iter();
        let mut options = Self::default();
        while let Some(argument) = arguments.next() {
            let name = argument.to_string_lossy();
            let mut value = || {
                arguments
                    .next()
                    .ok_or_else(|| Failure::new(format!("{name} needs a value. See --help.")))
            };
            match &*name {
                "--help" | "-h" => options.help = true,
                "--quick" => options.quick = true,
                "--json" => options.json = true,
                "--binary" => options.binary = Some(value()?.into()),
                "--only" => options.only.push(known_case(&value()?.to_string_lossy())?),
                _ => return Err(Failure::new(format!("unknown option {name}. See --help."))),
            }
        }
        Ok(options)
    }

    /// Takes the binary from the environment unless a flag names one.
    pub(crate) fn or_environment(mut self) -> Self {
        self.binary = self
            .binary
            .or_else(|| std::env::var_os(BINARY_VARIABLE).map(PathBuf::from));
        self
    }

    pub(crate) fn wants(&self, case: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| only == case)
    }
}

fn known_case(name: &str) -> Result<String> {
    if cases().any(|case| case.name == name) {
        return Ok(name.to_owned());
    }
    let known: Vec<&str> = cases().map(|case| case.name).collect();
    Err(Failure::new(format!(
        "there is no case {name}. Cases: {}.",
        known.join(", ")
    )))
}

#[cfg(test)]
mod tests;
