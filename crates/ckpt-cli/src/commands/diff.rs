//! `ckpt diff`

use ckpt::comparison::{Difference, compare};
use ckpt::document::{Value, diff};
use ckpt::key::Key;
use ckpt::voice::escaped_json;
use clap::Args;
use serde_json::value::RawValue;
use similar::{ChangeTag, TextDiff};

use super::archive::note_damaged_archive;
use super::point::{Point, Version};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::diff::unified;
use crate::render::style::{BAD, GOOD, STRONG, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;
use crate::ui::pager::Paging;

/// Show what changed in a checkpoint.
///
/// Without A and B, what its last change did; with A alone, what has changed since. A and B are revisions (7), times
/// (@2h ago, 2026-01-29, 2026-01-29T10:30:00Z), files, or other checkpoints. Bookkeeping, such as the time of the last
/// save, is left out; --text and --patch show everything.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  ckpt diff implement/auth
  ckpt diff implement/auth @2h
  ckpt diff implement/auth 3 7 --patch")]
pub(crate) struct Diff {
    /// The checkpoint, such as implement/auth
    #[arg(add = Ids::Keys)]
    key: String,
    /// The older side
    a: Option<String>,
    /// The newer side; its present state by default
    b: Option<String>,
    /// Print an RFC 6902 patch that leads from A to B
    #[arg(long, group = "form")]
    patch: bool,
    /// Print a unified diff of the files
    #[arg(long, group = "form")]
    text: bool,
    /// Print only how much differs
    #[arg(long, group = "form")]
    stat: bool,
    #[command(flatten)]
    paging: Paging,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Differences"))]
pub(crate) struct Report {
    key: Key,
    /// The older side.
    a: String,
    /// The newer side.
    b: String,
    differences: Vec<DifferenceReport>,
    /// The RFC 6902 patch that leads from A to B.
    patch: Box<RawValue>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Difference"))]
struct DifferenceReport {
    /// What differs, in words.
    what: String,
    /// Where it is, as a JSON pointer.
    pointer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
}

impl Diff {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let key = session.workspace.find_key(&self.key)?;
        note_damaged_archive(ui, &session.workspace, &key)?;
        ui.page_long_text(session.workspace.repository(), self.paging);
        let (old, new) = self.sides(session, &key)?;
        let (before, after) = (old.document.value(), new.document.value());
        if session.json {
            let report = report(key, old.name, new.name, &before, &after)?;
            ui.json(&report)?;
            return Ok(Exit::Done);
        }
        if self.patch {
            let patch = escaped_json(diff(&before, &after).to_value().to_compact());
            ui.raw(format!("{patch}\n").as_bytes())?;
            return Ok(Exit::Done);
        }
        if self.text {
            let (before, after) = (old.document.text(), new.document.text());
            ui.text(&unified(&key.short(), before.as_bytes(), after.as_bytes()))?;
            return Ok(Exit::Done);
        }
        let differences = compare(&before, &after);
        match (differences.is_empty(), self.stat) {
            (true, _) => ui.note(&format!(
                "no difference between {} and {}",
                old.name, new.name
            )),
            (false, true) => ui.text(&stat(&differences))?,
            (false, false) => ui.text(&differences.iter().map(draw).collect::<String>())?,
        }
        Ok(Exit::Done)
    }

    fn sides(&self, session: &Session, key: &Key) -> Result<(Version, Version), Failure> {
        let read = |typed: &str| Point::read(typed, session.now());
        let new = match &self.b {
            Some(typed) => read(typed)?.version(session, key)?,
            None => Version::present(session, key)?,
        };
        let old = match &self.a {
            Some(typed) => read(typed)?.version(session, key)?,
            None => before_last(session, key)?,
        };
        Ok((old, new))
    }
}

/// A checkpoint before its last change; empty if that created it.
fn before_last(session: &Session, key: &Key) -> Result<Version, Failure> {
    let last = session.workspace.last_change(key)?;
    let Some(mut revision) = last.and_then(|last| last.revision()) else {
        let message = format!("{} has no history yet", key.short());
        return Err(Failure::new(Exit::NotFound, message)
            .with_hint("The next change made with ckpt starts it"));
    };
    revision.number = revision.number.saturating_sub(1);
    match Point::Revision(revision).version(session, key) {
        Ok(version) => Ok(version),
        Err(_) => Ok(Version {
            name: "nothing".to_owned(),
            document: ckpt::Document::empty(),
        }),
    }
}

fn report(
    key: Key,
    a: String,
    b: String,
    before: &Value,
    after: &Value,
) -> Result<Report, Failure> {
    let raw = |value: &Value| {
        RawValue::from_string(value.to_compact())
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))
    };
    let differences = compare(before, after).into_iter().map(|difference| {
        Ok(DifferenceReport {
            what: difference.what,
            pointer: difference.pointer.to_string(),
            before: difference.before.as_ref().map(raw).transpose()?,
            after: difference.after.as_ref().map(raw).transpose()?,
        })
    });
    Ok(Report {
        key,
        a,
        b,
        differences: differences.collect::<Result<_, Failure>>()?,
        patch: raw(&diff(before, after).to_value())?,
    })
}

fn stat(differences: &[Difference]) -> String {
    let count =
        |is_so: fn(&Difference) -> bool| differences.iter().filter(|one| is_so(one)).count();
    format!(
        "{} added, {} changed, {} removed\n",
        count(|one| one.before.is_none()),
        count(|one| one.before.is_some() && one.after.is_some()),
        count(|one| one.after.is_none()),
    )
}

/// One difference as a line. Long texts are compared word by word.
fn draw(difference: &Difference) -> String {
    let what = paint(STRONG, one_line(&difference.what));
    let change = match (&difference.before, &difference.after) {
        (None, Some(after)) => paint(GOOD, format!("+ {}", said(after))),
        (Some(before), None) => paint(BAD, format!("- {}", said(before))),
        (Some(Value::String(before)), Some(Value::String(after))) if before.contains(' ') => {
            by_word(before, after)
        }
        (Some(Value::Array(before)), Some(Value::Array(after))) => items(before, after),
        (before, after) => {
            let said = |value: &Option<Value>| value.as_ref().map(said).unwrap_or_default();
            format!("{} → {}", said(before), said(after))
        }
    };
    format!("{what}: {change}\n")
}

/// The items that were added and removed.
fn items(before: &[Value], after: &[Value]) -> String {
    let gone = before.iter().filter(|item| !after.contains(item));
    let new = after.iter().filter(|item| !before.contains(item));
    let gone = gone.map(|item| paint(BAD, format!("- {}", said(item))));
    let new = new.map(|item| paint(GOOD, format!("+ {}", said(item))));
    let all: Vec<String> = gone.chain(new).collect();
    match all.is_empty() {
        true => "in another order".to_owned(),
        false => all.join(", "),
    }
}

/// A text with the words that were removed and added, marked for terminals without colours too.
fn by_word(before: &str, after: &str) -> String {
    let (before, after) = (one_line(before), one_line(after));
    let changes = TextDiff::from_words(&before, &after);
    let mut text = String::new();
    let mut open: Option<ChangeTag> = None;
    let close = |text: &mut String, open: &mut Option<ChangeTag>| match open.take() {
        Some(ChangeTag::Delete) => *text += &format!("-]{BAD:#}"),
        Some(ChangeTag::Insert) => *text += &format!("+}}{GOOD:#}"),
        _ => {}
    };
    for change in changes.iter_all_changes() {
        let tag = Some(change.tag()).filter(|tag| *tag != ChangeTag::Equal);
        if tag != open {
            close(&mut text, &mut open);
            match tag {
                Some(ChangeTag::Delete) => text += &format!("{BAD}[-"),
                Some(ChangeTag::Insert) => text += &format!("{GOOD}{{+"),
                _ => {}
            }
            open = tag;
        }
        text += change.value();
    }
    close(&mut text, &mut open);
    text
}

/// A value in words.
fn said(value: &Value) -> String {
    match value {
        Value::String(text) => one_line(text),
        Value::Null => "none".to_owned(),
        Value::Bool(true) => "done".to_owned(),
        Value::Bool(false) => "open".to_owned(),
        Value::Object(object) => {
            let told = ["status", "done", "name", "id", "decision", "text"];
            let told = told.iter().find_map(|name| object.get(name));
            told.map_or_else(|| one_line(&value.to_compact()), said)
        }
        other => one_line(&other.to_compact()),
    }
}
