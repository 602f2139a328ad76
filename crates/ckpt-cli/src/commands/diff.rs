//! `ckpt diff`

use ckpt::comparison::{Difference, compare};
use ckpt::document::{Object, Value, diff};
use ckpt::key::Key;
use ckpt::layout::PLAN_STATE_FILE;
use ckpt::voice::{escaped_json, quote};
use ckpt::workspace::PlanVersion;
use clap::Args;
use serde_json::value::RawValue;
use similar::{ChangeTag, TextDiff};

use super::archive::note_damaged_archive;
use super::gone::{self, Deleted};
use super::point::{Point, Version, refuse_markdown};
use super::target::way_to;
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
/// (@2h ago, 2026-01-29, 2026-01-29T10:30:00Z), files, or other checkpoints, deleted ones too. Of a plan, its Markdown and
/// its state are compared, or its Markdown alone if A or B is a Markdown file. Bookkeeping, such as the time of the last
/// save, and white space in Markdown are left out; --text shows everything.
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
    /// Print an RFC 6902 patch that leads from A to B; of a plan, for its state.json
    #[arg(long, group = "form")]
    patch: bool,
    /// Print a unified diff of the files; of a plan, plan.md, its phase files and state.json
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
pub(crate) struct Report<'d> {
    key: Key,
    /// Set if it was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<&'d Deleted>,
    /// The older side.
    a: String,
    /// The newer side.
    b: String,
    differences: Vec<DifferenceReport>,
    /// The RFC 6902 patch that leads from A to B; of a plan, for its state.
    patch: Box<RawValue>,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Difference"))]
struct DifferenceReport {
    /// What differs, in words.
    what: String,
    /// Where it is, as a JSON pointer. Texts and titles of a plan are in its Markdown; its other lines have an empty pointer.
    pointer: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    before: Option<Box<RawValue>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    after: Option<Box<RawValue>>,
}

impl Diff {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        refuse_markdown(session, &self.key)?;
        let read = |there: &Session, key: &Key| {
            note_damaged_archive(ui, &there.workspace, key)?;
            self.sides(ui, there, key)
        };
        let (session, key, (old, new)) = gone::reading(ui, session, (&self.key, "diff"), read)?;
        let session = &*session;
        ui.page_long_text(session.workspace.repository(), self.paging);
        if session.json {
            ui.json(&report(session, key, &old, &new)?)?;
            return Ok(Exit::Done);
        }
        if self.patch {
            let patch = diff(&old.document.value(), &new.document.value());
            let patch = escaped_json(patch.to_value().to_compact());
            ui.raw(format!("{patch}\n").as_bytes())?;
            note_markdown(ui, &old, &new);
            return Ok(Exit::Done);
        }
        if self.text {
            ui.text(&unified_files(&key, &old, &new))?;
            return Ok(Exit::Done);
        }
        let differences = differences(&old, &new)?;
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

    fn sides(&self, ui: &Ui, session: &Session, key: &Key) -> Result<(Version, Version), Failure> {
        let read = |typed: &str| side(ui, session, key, typed);
        let new = match &self.b {
            Some(typed) => read(typed)?,
            None => Version::present(session, key)?,
        };
        let old = match &self.a {
            Some(typed) => read(typed)?,
            None => before_last(ui, session, key)?,
        };
        Version::side_by_side(key, old, new)
    }
}

/// A checkpoint at a point that was typed; empty before it was created.
fn side(ui: &Ui, session: &Session, key: &Key, typed: &str) -> Result<Version, Failure> {
    let point = Point::read(typed, session.now())?;
    match &point {
        Point::Time(time) if session.workspace.is_before_creation(key, *time)? => {
            Ok(Version::nothing(key))
        }
        _ => point.version(ui, session, key),
    }
}

/// A checkpoint before its last change; empty if that created it.
fn before_last(ui: &Ui, session: &Session, key: &Key) -> Result<Version, Failure> {
    let last = session.workspace.last_change(key)?;
    let Some(revision) = last.and_then(|last| last.revision()) else {
        let message = format!("{} has no history yet", key.short());
        return Err(Failure::new(Exit::NotFound, message).with_hint(way_to(
            session,
            key,
            "The next change made with ckpt starts it",
        )));
    };
    let before = session.workspace.readable_before(key, &revision)?;
    let before = before.map(|before| Point::Revision(before).version(ui, session, key));
    Ok(before
        .and_then(Result::ok)
        .unwrap_or_else(|| Version::nothing(key)))
}

/// What differs. Of a plan that is compared with a file, the state alone.
fn differences(old: &Version, new: &Version) -> Result<Vec<Difference>, Failure> {
    match (&old.plan, &new.plan) {
        (Some(before), Some(after)) => Ok(before.differences(after)?),
        _ => Ok(compare(&old.document.value(), &new.document.value())),
    }
}

/// The Markdown files of both versions, each with its texts; none if one of them is no plan.
fn markdown<'v>(old: &'v Version, new: &'v Version) -> Vec<(&'v str, &'v [u8], &'v [u8])> {
    let (Some(old), Some(new)) = (&old.plan, &new.plan) else {
        return Vec::new();
    };
    let text = |plan: &'v PlanVersion, name: &str| -> &'v [u8] {
        let found = plan.texts.iter().find(|(known, _)| known == name);
        found.map_or(b"", |(_, text)| text)
    };
    let known = |name: &str| new.texts.iter().any(|(known, _)| known == name);
    let gone = old.texts.iter().filter(|(name, _)| !known(name));
    let all = new.texts.iter().chain(gone);
    all.map(|(name, _)| (name.as_str(), text(old, name), text(new, name)))
        .collect()
}

/// A unified diff of each file that differs.
fn unified_files(key: &Key, old: &Version, new: &Version) -> String {
    let files = markdown(old, new);
    let mut text = String::new();
    for (name, before, after) in &files {
        text += &unified(&format!("{}/{name}", key.short()), before, after);
    }
    let document = match files.is_empty() {
        true => key.short(),
        false => format!("{}/{PLAN_STATE_FILE}", key.short()),
    };
    let texts = (old.document.text(), new.document.text());
    text + &unified(&document, texts.0.as_bytes(), texts.1.as_bytes())
}

/// Says that Markdown differs, which a patch of JSON cannot tell.
fn note_markdown(ui: &Ui, old: &Version, new: &Version) {
    let files = markdown(old, new).into_iter();
    let moved = files.filter(|(_, before, after)| before != after);
    let moved: Vec<String> = moved.map(|(name, ..)| one_line(name)).collect();
    if !moved.is_empty() {
        ui.note(&format!(
            "note: a patch is about {PLAN_STATE_FILE} alone; also different: {}. See it with --text",
            moved.join(", ")
        ));
    }
}

fn report<'s>(
    session: &'s Session,
    key: Key,
    old: &Version,
    new: &Version,
) -> Result<Report<'s>, Failure> {
    let raw = |value: &Value| {
        RawValue::from_string(value.to_compact())
            .map_err(|error| Failure::new(Exit::Failed, error.to_string()))
    };
    let differences = differences(old, new)?.into_iter().map(|difference| {
        Ok(DifferenceReport {
            what: difference.what,
            pointer: difference.pointer.to_string(),
            before: difference.before.as_ref().map(raw).transpose()?,
            after: difference.after.as_ref().map(raw).transpose()?,
        })
    });
    Ok(Report {
        key,
        deleted: session.deleted.as_ref(),
        a: old.name.clone(),
        b: new.name.clone(),
        differences: differences.collect::<Result<_, Failure>>()?,
        patch: raw(&diff(&old.document.value(), &new.document.value()).to_value())?,
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
        (Some(Value::String(before)), Some(Value::String(after)))
            if before.contains(' ') && !difference.is_of_status() =>
        {
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
            let is_done = object.get("done").or_else(|| object.get("met"));
            if let (Some(text), Some(is_done)) = (object.get("text"), is_done) {
                let after = match *is_done == true.into() {
                    true => " (done)",
                    false => "",
                };
                return said(text) + after;
            }
            in_words(object)
        }
        Value::Array(items) => match items.is_empty() {
            true => "empty".to_owned(),
            false => items.iter().map(said).collect::<Vec<_>>().join(", "),
        },
        other => one_line(&other.to_compact()),
    }
}

/// The members of an object that say what it is, the first that there is.
const TELLING: [&str; 9] = [
    "status", "verdict", "result", "done", "name", "id", "decision", "text", "type",
];

/// What an object is, and why it has its status; otherwise all its members.
fn in_words(object: &Object) -> String {
    let Some(what) = TELLING.iter().find_map(|name| object.get(name)) else {
        let members = object.iter().map(|(name, value)| {
            let value = match value {
                Value::Bool(true) => "yes".to_owned(),
                Value::Bool(false) => "no".to_owned(),
                value => said(value),
            };
            format!("{} {value}", one_line(&name.replace('_', " ")))
        });
        let members: Vec<String> = members.collect();
        return match members.is_empty() {
            true => "empty".to_owned(),
            false => members.join(", "),
        };
    };
    let reason = object.get("status").and(object.get("reason"));
    let reason = reason.and_then(Value::as_str);
    let reason = reason.map(|reason| format!(": {}", quote(&one_line(reason))));
    said(what) + &reason.unwrap_or_default()
}
