//! `ckpt tokens`

use std::io::Read;
use std::path::PathBuf;

use ckpt::tokens::{Verdict, count_words, validate};
use clap::Args;

use crate::failure::{Exit, Failure};
use crate::output;
use crate::session::Session;

/// Count tokens: words between white space, as summaries are measured.
///
/// With --limit, exits with 4 when one is over it.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt tokens summary.txt --limit 500")]
pub(crate) struct Tokens {
    /// Files to count; standard input when left off
    files: Vec<PathBuf>,
    /// The most tokens allowed
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
}

#[derive(serde::Serialize)]
struct Counted {
    file: Option<String>,
    tokens: usize,
    #[serde(flatten)]
    verdict: Option<Verdict>,
}

#[derive(serde::Serialize)]
struct Report<'c> {
    counter: &'static str,
    counts: &'c [Counted],
}

impl Tokens {
    pub(crate) fn run(self, session: &Session) -> Result<Exit, Failure> {
        let mut texts = Vec::new();
        if self.files.is_empty() {
            let mut bytes = Vec::new();
            std::io::stdin()
                .read_to_end(&mut bytes)
                .map_err(|error| Failure::io("cannot read standard input", &error))?;
            texts.push((None, bytes));
        }
        for file in &self.files {
            let bytes = std::fs::read(session.directory.join(file))
                .map_err(|error| Failure::io(format!("cannot read {}", file.display()), &error))?;
            texts.push((Some(file.display().to_string()), bytes));
        }
        let counts: Vec<Counted> = texts
            .into_iter()
            .map(|(file, bytes)| {
                let text = String::from_utf8_lossy(&bytes);
                Counted {
                    file,
                    tokens: count_words(&text),
                    verdict: self.limit.map(|limit| validate(&text, limit)),
                }
            })
            .collect();
        let mut valid = true;
        let mut lines = String::new();
        for counted in &counts {
            match &counted.file {
                Some(file) => lines += &format!("{}\t{file}\n", counted.tokens),
                None => lines += &format!("{}\n", counted.tokens),
            }
            if let Some(error) = counted
                .verdict
                .as_ref()
                .and_then(|verdict| verdict.error.as_ref())
            {
                valid = false;
                let file = counted.file.as_ref().map(|file| format!("{file}: "));
                output::note(&format!("error: {}{error}", file.unwrap_or_default()));
            }
        }
        if session.json {
            output::json(&Report {
                counter: "words",
                counts: &counts,
            })?;
        } else {
            output::text(&lines)?;
        }
        Ok(if valid { Exit::Done } else { Exit::Invalid })
    }
}
