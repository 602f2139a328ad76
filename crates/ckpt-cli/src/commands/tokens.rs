//! `ckpt tokens`

use std::path::PathBuf;

use ckpt::tokens::{Counter, Fitted, Limit, Verdict, fit, validate};
use clap::Args;

use super::input::{self, Named};
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Count tokens, or shorten a text to a number of tokens.
///
/// Counts words, unless --counter or the setting token_counter says otherwise. A word of more than 64 characters, or in a
/// script without spaces, counts one token for every four bytes. o200k and cl100k count like GPT models,
/// claude estimates Claude's count and errs on the high side. With --limit, exits with 4 if a text exceeds it.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt tokens summary.txt --limit 500\n  ckpt tokens --fit 500 < notes.md"
)]
pub(crate) struct Tokens {
    /// Files to count; omit or use - for standard input
    files: Vec<PathBuf>,
    /// The token counter to use
    #[arg(long, value_parser = ["words", "o200k", "cl100k", "claude"])]
    counter: Option<String>,
    /// Maximum number of tokens
    #[arg(long, value_name = "COUNT")]
    limit: Option<usize>,
    /// Print the text, cut to this many tokens at the end of a sentence or list item
    #[arg(long, value_name = "COUNT", conflicts_with = "limit")]
    fit: Option<usize>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "CountedText"))]
pub(crate) struct Counted {
    file: Option<String>,
    tokens: usize,
    #[serde(flatten)]
    verdict: Option<Verdict>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TokensCounted"))]
pub(crate) struct Report<'c> {
    counter: Counter,
    counts: &'c [Counted],
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "TextFitted"))]
pub(crate) struct FitReport<'f> {
    counter: Counter,
    limit: usize,
    #[serde(flatten)]
    fitted: &'f Fitted,
}

/// A text and its file; no file for standard input.
type Text = (Option<String>, String);

impl Tokens {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let counter = self.counter.as_deref().and_then(Counter::read);
        let counter = counter.unwrap_or_else(|| session.settings.token_counter());
        let counter = counter.weighed();
        let texts = self.texts(ui, session)?;
        match (self.fit, texts.as_slice()) {
            (None, texts) => self.count(ui, session, counter, texts),
            (Some(most), [(_, text)]) => shorten(ui, session, text, Limit { most, counter }),
            (Some(_), _) => Err(Failure::new(
                Exit::Usage,
                "--fit takes only one text at a time",
            )),
        }
    }

    fn texts(&self, ui: &mut Ui, session: &Session) -> Result<Vec<Text>, Failure> {
        let mut stdin = || Ok((None, text(input::standard(ui)?)));
        if self.files.is_empty() {
            return Ok(vec![stdin()?]);
        }
        let texts = self.files.iter().map(|file| {
            if file.as_os_str() == "-" {
                return stdin();
            }
            let bytes = Named::new(session, file).require()?;
            Ok((Some(file.display().to_string()), text(bytes)))
        });
        texts.collect()
    }

    fn count(
        &self,
        ui: &mut Ui,
        session: &Session,
        counter: Counter,
        texts: &[Text],
    ) -> Result<Exit, Failure> {
        let counts: Vec<Counted> = texts
            .iter()
            .map(|(file, text)| {
                let verdict = self
                    .limit
                    .map(|most| validate(text, Limit { most, counter }));
                let known = verdict.as_ref().map(|verdict| verdict.token_count);
                Counted {
                    file: file.clone(),
                    tokens: known.unwrap_or_else(|| counter.count(text)),
                    verdict,
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
            let verdict = counted.verdict.as_ref();
            if let Some(error) = verdict.and_then(|verdict| verdict.error.as_ref()) {
                valid = false;
                let file = counted.file.as_ref().map(|file| format!("{file}: "));
                ui.note(&format!("error: {}{error}", file.unwrap_or_default()));
            }
        }
        if session.json {
            ui.json(&Report {
                counter,
                counts: &counts,
            })?;
        } else {
            ui.text(&lines)?;
        }
        Ok(if valid { Exit::Done } else { Exit::Invalid })
    }
}

fn shorten(ui: &mut Ui, session: &Session, text: &str, limit: Limit) -> Result<Exit, Failure> {
    let fitted = fit(text, limit);
    let Limit { most, counter } = limit;
    if let Some(cut) = &fitted.cut {
        let units = match (cut.units, cut.inside_sentence) {
            (1, true) => "the rest of the first sentence".to_owned(),
            (units, true) => format!("the rest of the first sentence, and {} more", units - 1),
            (1, false) => "the last sentence or item".to_owned(),
            (units, false) => format!("the last {units} sentences or items"),
        };
        let before = counter.count(text);
        let after = fitted.tokens;
        ui.note(&format!(
            "cut {units}: {after} of {before} tokens are left (counter: {counter}, limit: {most})"
        ));
    }
    if session.json {
        ui.json(&FitReport {
            counter,
            limit: most,
            fitted: &fitted,
        })?;
    } else {
        // The output ends with a newline even if the cut removed it.
        let end = if fitted.text.ends_with('\n') || fitted.text.is_empty() {
            ""
        } else {
            "\n"
        };
        ui.content(&format!("{}{end}", fitted.text))?;
    }
    Ok(Exit::Done)
}

fn text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
