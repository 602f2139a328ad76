//! `ckpt log`

use std::path::Path;

use ckpt::Timestamp;
use ckpt::history::{History, Line};
use ckpt::key::Key;
use ckpt::voice::{path_name, suggested};
use ckpt::workspace::{Depth, Origin, Workspace};
use clap::Args;
use serde_json::value::RawValue;

use super::archive::note_damaged_archive;
use super::point::Point;
use super::status;
use super::target::{Target, told_of_archive, way_to};
use crate::cli::Global;
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::story::story;
use crate::render::style::{FAINT, STRONG, WARN, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;
use crate::ui::pager::Paging;

/// Show what happened, newest first.
///
/// Without a key, in every checkpoint of this repository, archived ones too, here and in linked worktrees. With --by, only what that author
/// did. Lines that cannot be read are named, and lines that anybody can have written are marked as unsealed.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  ckpt log implement/auth -n 5
  ckpt log --since @1d --by subagent
  ckpt log --search 'session store'")]
pub(crate) struct Log {
    /// The checkpoint; omit to show all
    #[arg(add = Ids::Keys)]
    key: Option<String>,
    /// Number of entries to show
    #[arg(short = 'n', long, value_name = "COUNT", default_value_t = 50)]
    number: usize,
    /// Only what happened since this time: @2h, 2026-01-29, 2026-01-29T10:30:00Z
    #[arg(long, value_name = "TIME")]
    since: Option<String>,
    /// Only what happened until this time
    #[arg(long, value_name = "TIME")]
    until: Option<String>,
    /// Only events whose name contains this, such as phase or gate_failed
    #[arg(long, value_name = "NAME")]
    event: Option<String>,
    /// Only what says this, in any case: in words, notes, summaries, decisions, titles or reasons
    #[arg(long, value_name = "TEXT")]
    search: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Log"))]
pub(crate) struct Report<'k> {
    /// The checkpoint, if one was asked for.
    key: Option<&'k Key>,
    /// The lines of the histories, each with the name of its checkpoint. One without our seal, which anybody can have
    /// written, has `"sealed": false`.
    entries: Vec<Box<RawValue>>,
    /// The lines that cannot be read, as far back as the histories were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<Unreadable>,
}

/// Lines of a history that cannot be read.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Unreadable {
    checkpoint: String,
    /// The history, or the archive that holds it.
    file: String,
    /// The numbers of the lines, from 1.
    lines: Vec<u64>,
}

/// What was read.
#[derive(Default)]
struct Told {
    entries: Vec<Entry>,
    damaged: Vec<Unreadable>,
}

/// Which lines are shown.
struct Filter {
    since: Option<Timestamp>,
    until: Option<Timestamp>,
    author: Option<String>,
    event: Option<String>,
    search: Option<String>,
}

/// A history that is read, and whose it is.
struct Book<'b> {
    workspace: &'b Workspace,
    key: &'b Key,
    name: String,
    /// The history, or the archive that holds it.
    path: &'b Path,
}

/// A line, and whose it is.
struct Entry {
    name: String,
    line: Line,
    /// Whether anybody can have written it.
    is_unsealed: bool,
}

impl Log {
    /// The author that the user typed is the one whose entries are shown: nothing is recorded here.
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let session = &Session::open(ui, &global.without_author())?;
        let filter = Filter {
            author: global.by.clone(),
            ..self.filter(session)?
        };
        let (key, Told { entries, damaged }) = match self.key.as_deref() {
            Some(typed) => {
                let (key, told) = self.of_named(ui, session, typed, &filter)?;
                (Some(key), told)
            }
            None => (None, self.of_all(ui, session, &filter)?),
        };
        if session.json {
            ui.json(&Report {
                key: key.as_ref(),
                entries: entries.iter().filter_map(named).collect(),
                damaged,
            })?;
            return Ok(Exit::Done);
        }
        ui.page_long_text(session.workspace.repository(), self.paging);
        if entries.is_empty() {
            ui.note("nothing to show");
        }
        let width = match key {
            Some(_) => 0,
            None => entries
                .iter()
                .map(|entry| entry.name.chars().count())
                .max()
                .unwrap_or(0),
        };
        ui.text(
            &entries
                .iter()
                .map(|entry| draw(entry, width))
                .collect::<String>(),
        )?;
        Ok(Exit::Done)
    }

    fn filter(&self, session: &Session) -> Result<Filter, Failure> {
        let time = |typed: &Option<String>| -> Result<Option<Timestamp>, Failure> {
            let Some(typed) = typed else {
                return Ok(None);
            };
            match Point::read(typed, session.now())? {
                Point::Time(time) => Ok(Some(time)),
                _ => Err(Failure::new(Exit::Usage, format!("{typed} is not a time"))
                    .with_hint("Write @2h, 2026-01-29 or 2026-01-29T10:30:00Z")),
            }
        };
        Ok(Filter {
            since: time(&self.since)?,
            until: time(&self.until)?,
            author: None,
            event: self.event.clone(),
            search: self.search.as_ref().map(|text| text.to_lowercase()),
        })
    }

    /// The lines of the checkpoint that is meant. One that has another name by now is read from the archive.
    fn of_named(
        &self,
        ui: &Ui,
        session: &Session,
        typed: &str,
        filter: &Filter,
    ) -> Result<(Key, Told), Failure> {
        let workspace = &session.workspace;
        let key = workspace.find_key(typed).map_err(Failure::from);
        let found = key.and_then(|key| {
            let told = self.of_one(ui, session, &key, filter)?;
            Ok((key, told))
        });
        let failure = match found {
            Ok((key, told)) => {
                if let Some(origin) = workspace.origin(&key)?.filter(|_| !session.json) {
                    ui.note(&format!("note: {}", earlier(&origin)));
                }
                return Ok((key, told));
            }
            Err(failure) => failure,
        };
        let renamed = workspace.renamed(typed).filter(|_| failure.is_not_found());
        let Some((archived, _)) = renamed else {
            return Err(told_of_archive(session, typed, failure));
        };
        let history = workspace.archived_history(&archived)?.ok_or(failure)?;
        let book = Book {
            workspace,
            key: &archived.key,
            name: archived.key.short(),
            path: &archived.path,
        };
        let mut told = Told::default();
        self.leaf(ui, &book, &history, filter, &mut told)?;
        Ok((archived.key, told))
    }

    fn of_one(
        &self,
        ui: &Ui,
        session: &Session,
        key: &Key,
        filter: &Filter,
    ) -> Result<Told, Failure> {
        let mut told = Told::default();
        note_damaged_archive(ui, &session.workspace, key)?;
        if !self.read(
            ui,
            &session.workspace,
            (key, key.short()),
            filter,
            &mut told,
        )? {
            Target::require(session, key)?;
            return Err(Failure::new(
                Exit::NotFound,
                format!("{} has no history yet", key.short()),
            )
            .with_hint(way_to(
                session,
                key,
                "The next change made with ckpt starts it",
            )));
        }
        Ok(told)
    }

    /// The newest lines of every checkpoint, here and in other worktrees.
    fn of_all(&self, ui: &Ui, session: &Session, filter: &Filter) -> Result<Told, Failure> {
        let mut told = Told::default();
        let mut add = |workspace: &Workspace, place: &str| -> Result<(), Failure> {
            let (summaries, _) = workspace.list(Depth::WithoutGit)?;
            let keys = summaries.into_iter().map(|summary| summary.key);
            let archived = workspace.archived().into_iter();
            let archived = archived.filter(|archived| !archived.is_deleted);
            for key in keys.chain(archived.map(|archived| archived.key)) {
                let name = format!("{place}{}", key.short());
                self.read(ui, workspace, (&key, name), filter, &mut told)?;
            }
            Ok(())
        };
        add(&session.workspace, "")?;
        let repository = session.workspace.repository();
        for worktree in repository.worktrees().unwrap_or_default() {
            if !worktree.current
                && let Ok(workspace) = status::open(ui.variables(), &worktree.root, session)
            {
                let place = worktree.root.file_name().unwrap_or_default();
                // An unreadable worktree must not hide this one.
                let _ = add(&workspace, &format!("{}: ", place.to_string_lossy()));
            }
        }
        let time = |entry: &Entry| entry.line.time().map(std::borrow::Cow::into_owned);
        told.entries
            .sort_by_key(|entry| std::cmp::Reverse(time(entry)));
        told.entries.truncate(self.number);
        Ok(told)
    }

    /// Reads the newest lines of a checkpoint that pass the filter. Returns whether it has a history.
    fn read(
        &self,
        ui: &Ui,
        workspace: &Workspace,
        (key, name): (&Key, String),
        filter: &Filter,
        told: &mut Told,
    ) -> Result<bool, Failure> {
        let Some(history) = workspace.history(key)? else {
            return Ok(false);
        };
        let book = Book {
            workspace,
            key,
            name,
            path: &workspace.history_path(key),
        };
        self.leaf(ui, &book, &history, filter, told)?;
        Ok(true)
    }

    /// Reads the newest lines of a history that pass the filter.
    fn leaf(
        &self,
        ui: &Ui,
        book: &Book<'_>,
        history: &History,
        filter: &Filter,
        told: &mut Told,
    ) -> Result<(), Failure> {
        let Book {
            workspace,
            key,
            name,
            path,
        } = book;
        let failed = |error| Failure::io(format!("cannot read the history of {name}"), &error);
        let mut lines = history.newest_first().map_err(failed)?;
        let mut shown = 0;
        while shown < self.number {
            let Some(line) = lines.next().transpose().map_err(failed)? else {
                break;
            };
            if filter.is_past(&line) {
                break;
            }
            if filter.admits(&line) {
                shown += 1;
                told.entries.push(Entry {
                    name: name.clone(),
                    is_unsealed: workspace.is_unsealed(key, &line),
                    line,
                });
            }
        }
        let damage = lines.damage().map_err(failed)?;
        if !damage.is_none() {
            let root = workspace.repository().root();
            let file = path_name(path.strip_prefix(root).unwrap_or(path));
            ui.note(&format!("warning: {damage} of {file} cannot be read"));
            told.damaged.push(Unreadable {
                checkpoint: name.clone(),
                file,
                lines: damage.lines().collect(),
            });
        }
        Ok(())
    }
}

/// Where the history before the first line is.
fn earlier(origin: &Origin) -> String {
    let from = origin.key.short();
    let (how, at) = match (origin.is_renamed, &origin.revision) {
        (true, _) => ("renamed", String::new()),
        (false, Some(revision)) => ("forked", format!(" at revision {revision}")),
        (false, None) => ("forked", String::new()),
    };
    format!(
        "{how} from {}{at}; its earlier history: ckpt log {}",
        one_line(&from),
        suggested(&from)
    )
}

impl Filter {
    /// Whether this and all earlier lines are too old.
    fn is_past(&self, line: &Line) -> bool {
        let time = line.time().and_then(|time| Timestamp::parse(&time));
        self.since
            .zip(time)
            .is_some_and(|(since, time)| time < since)
    }

    fn admits(&self, line: &Line) -> bool {
        let time = line.time().and_then(|time| Timestamp::parse(&time));
        let is_late = self
            .until
            .zip(time)
            .is_some_and(|(until, time)| time > until);
        let by = line.by().unwrap_or_default();
        let is_by = |who: &String| {
            by == who.as_str()
                || by
                    .strip_prefix(who.as_str())
                    .is_some_and(|rest| rest.starts_with(':'))
        };
        let event = line.event().unwrap_or_default();
        !is_late
            && self.author.as_ref().is_none_or(is_by)
            && self
                .event
                .as_ref()
                .is_none_or(|name| event.contains(name.as_str()))
            && self.search.as_ref().is_none_or(|text| is_said(line, text))
    }
}

/// Whether a line says this: in its story, in its details, or in the texts that it brought.
fn is_said(line: &Line, text: &str) -> bool {
    let is_it = |said: &str| said.to_lowercase().contains(text);
    is_it(&story(line)) || line.said().any(|said| is_it(&said))
}

/// A line with the name of its checkpoint as its first member, and at the end that it is not sealed.
fn named(entry: &Entry) -> Option<Box<RawValue>> {
    let members = [("checkpoint", entry.name.as_str())];
    let mut line = with_name(&members, entry.line.raw().trim_end())?;
    if entry.is_unsealed {
        // A member of the same name before it does not count.
        line.pop();
        line += ",\"sealed\":false}";
    }
    RawValue::from_string(line).ok()
}

/// A line with these members before its own; `None` if it is no object.
pub(crate) fn with_name(members: &[(&str, &str)], line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix('{')?;
    let mut text = String::from("{");
    for (name, value) in members {
        text += &format!("\"{name}\":{},", serde_json::to_string(value).ok()?);
    }
    if rest.trim_start().starts_with('}') {
        text.pop();
    }
    Some(text + rest)
}

fn draw(entry: &Entry, width: usize) -> String {
    let Entry {
        name,
        line,
        is_unsealed,
    } = entry;
    let number = line
        .number()
        .map_or_else(|| "-".to_owned(), |number| number.to_string());
    let text = |value: Option<std::borrow::Cow<'_, str>>| one_line(&value.unwrap_or_default());
    let name = match width {
        0 => String::new(),
        width => format!("{:<width$}  ", one_line(name)),
    };
    let unsealed = match is_unsealed {
        true => format!(" {}", paint(WARN, "unsealed")),
        false => String::new(),
    };
    let line = format!(
        "{}  {}  {name}{}  {}{unsealed}",
        paint(STRONG, format!("{number:>5}")),
        paint(FAINT, text(line.time())),
        story(line),
        paint(FAINT, format!("by {}", text(line.by()))),
    );
    line + "\n"
}
