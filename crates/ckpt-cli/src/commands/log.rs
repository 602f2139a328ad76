//! `ckpt log`

use ckpt::history::Line;
use clap::Args;
use serde_json::value::RawValue;

use super::target::Target;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::style::{FAINT, STRONG, one_line, paint, shortened};
use crate::session::Session;
use crate::ui::Ui;

/// Show the history of a checkpoint, newest first.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt log implement/auth -n 5")]
pub(crate) struct Log {
    /// The checkpoint; omit if only one is in flight
    #[arg(add = Ids::Keys)]
    key: Option<String>,
    /// Number of entries to show
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    number: usize,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Log"))]
pub(crate) struct Report<'k> {
    key: &'k ckpt::key::Key,
    entries: Vec<Box<RawValue>>,
}

impl Log {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let key = session.key_for_reading(self.key.as_deref())?;
        let history = session.workspace.history(&key)?;
        let Some(history) = history else {
            Target::require(session, &key)?;
            return Err(Failure::new(
                Exit::NotFound,
                format!("{} has no history yet", key.short()),
            )
            .with_hint("The next change made with ckpt starts it"));
        };
        let failed = |error| {
            Failure::io(
                format!("cannot read the history of {}", key.short()),
                &error,
            )
        };
        let mut lines = history.newest_first().map_err(failed)?;
        let shown = lines.by_ref().take(self.number);
        let shown: Vec<Line> = shown.collect::<Result<_, _>>().map_err(failed)?;
        match lines.skipped() {
            0 => {}
            1 => ui.note("warning: skipped an unreadable line of the history"),
            many => ui.note(&format!(
                "warning: skipped {many} unreadable lines of the history"
            )),
        }
        let lines = shown;
        if session.json {
            let raw = |line: &Line| RawValue::from_string(line.raw().to_owned()).ok();
            ui.json(&Report {
                key: &key,
                entries: lines.iter().filter_map(raw).collect(),
            })?;
        } else {
            ui.text(&lines.iter().map(draw).collect::<String>())?;
        }
        Ok(Exit::Done)
    }
}

fn draw(line: &Line) -> String {
    let number = line
        .number()
        .map_or_else(|| "-".to_owned(), |number| number.to_string());
    let facts: Vec<String> = line
        .facts()
        .into_iter()
        .map(|(name, value)| {
            let text = value
                .as_str()
                .map_or_else(|| value.raw().to_owned(), Into::into);
            format!("{}={}", one_line(&name), shortened(&one_line(&text), 60))
        })
        .collect();
    let text = |value: Option<std::borrow::Cow<'_, str>>| one_line(&value.unwrap_or_default());
    let line = format!(
        "{}  {}  {}  {}  {}",
        paint(STRONG, format!("{number:>5}")),
        paint(FAINT, text(line.time())),
        text(line.event()),
        facts.join(" "),
        paint(FAINT, format!("by {}", text(line.by()))),
    );
    line + "\n"
}
