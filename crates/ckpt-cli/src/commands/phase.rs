//! `ckpt phase`

use std::path::PathBuf;

use ckpt::command::{Naming, PhaseStatus, PhaseUpdate};
use ckpt::document::{Document, Object, Value};
use ckpt::key::CommandKey;
use ckpt::voice::path_name;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

use super::gone;
use super::input::{self, Named};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Record the progress of a phase.
///
/// Creates the checkpoint if it does not exist. Prints nothing on success.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt phase implement/auth build complete --summary 'Login works' --created src/auth.rs"
)]
pub(crate) struct Phase {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::CommandKeys)]
    key: String,
    /// The phase
    #[arg(add = Ids::Phases)]
    phase: String,
    /// The new status
    #[arg(value_parser = statuses())]
    status: Option<PhaseStatus>,
    /// Summary for the next context; - reads standard input
    #[arg(long, value_name = "TEXT")]
    summary: Option<String>,
    /// Read the summary from a file
    #[arg(long, value_name = "FILE", conflicts_with = "summary")]
    summary_file: Option<PathBuf>,
    /// File the phase created (repeatable)
    #[arg(long, value_name = "FILE")]
    created: Vec<String>,
    /// File the phase modified (repeatable)
    #[arg(long, value_name = "FILE")]
    modified: Vec<String>,
    /// Why the phase failed
    #[arg(long, value_name = "TEXT")]
    error: Option<String>,
    /// The current task
    #[arg(long, value_name = "ID")]
    task: Option<String>,
    /// JSON object to merge into the phase
    #[arg(long, value_name = "JSON")]
    data: Option<String>,
    /// Create the checkpoint or the phase even if its name is much like that of another
    #[arg(long)]
    new: bool,
}

impl Phase {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let key = CommandKey::parse(&self.key)?;
        let mut data = match &self.data {
            Some(text) => object(text)?,
            None => Object::new(),
        };
        if let Some(summary) = self.summary(ui, session)? {
            data.set("context_summary", summary);
        }
        if let Some(error) = &self.error {
            data.set("error", error.as_str());
        }
        let update = PhaseUpdate {
            status: self.status,
            data,
            created: self.created,
            modified: self.modified,
            task: self.task,
            naming: match self.new {
                true => Naming::Free,
                false => Naming::Careful,
            },
        };
        let outcome = gone::changing(session, &key, self.new, |checkpoint| {
            checkpoint.update_phase(&self.phase, &update)
        })?;
        if outcome.created && !session.json {
            ui.note(&format!("note: started {}", key.short()));
        }
        if outcome.reopened && !session.json {
            ui.note(&format!(
                "note: {} was over, and is in flight again",
                key.short()
            ));
        }
        session.report(ui, &outcome)?;
        Ok(Exit::Done)
    }

    fn summary(&self, ui: &mut Ui, session: &Session) -> Result<Option<String>, Failure> {
        match (&self.summary, &self.summary_file) {
            (Some(text), _) if text == "-" => standard_input(ui).map(Some),
            (Some(text), _) => Ok(Some(text.clone())),
            (None, Some(path)) => match String::from_utf8(Named::new(session, path).require()?) {
                Ok(text) => Ok(Some(text.trim_end().to_owned())),
                Err(_) => Err(Failure::new(
                    Exit::Invalid,
                    format!("{} is not valid UTF-8", path_name(path)),
                )),
            },
            (None, None) => Ok(None),
        }
    }
}

fn statuses() -> impl TypedValueParser<Value = PhaseStatus> {
    PossibleValuesParser::new(PhaseStatus::ALL.map(PhaseStatus::as_str))
        .try_map(|text| PhaseStatus::parse(&text).ok_or("unknown phase status"))
}

fn standard_input(ui: &mut Ui) -> Result<String, Failure> {
    let text = String::from_utf8(input::standard(ui)?);
    let text = text.map_err(|_| Failure::new(Exit::Usage, "standard input is not UTF-8"))?;
    Ok(text.trim_end().to_owned())
}

fn object(text: &str) -> Result<Object, Failure> {
    let invalid = |reason: String| {
        Failure::new(Exit::Usage, format!("--data: {reason}"))
            .with_hint("Write it as: --data '{\"member\": \"value\"}'")
    };
    let document = Document::parse(text).map_err(|error| invalid(error.to_string()))?;
    match document.value() {
        Value::Object(object) => Ok(object),
        _ => Err(invalid("expected a JSON object".to_owned())),
    }
}
