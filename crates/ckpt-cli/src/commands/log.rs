//! `ckpt log`

mod filter;

use std::borrow::Cow;
use std::path::Path;

use ckpt::Timestamp;
use ckpt::history::{Epoch, EventName, History, Line, Revision};
use ckpt::key::Key;
use ckpt::voice::{path_name, quote, suggested};
use ckpt::workspace::{Archived, Origin, Workspace};
use clap::{Arg, Args};
use serde_json::value::RawValue;

use self::filter::{Filter, time_of};
use super::archive::note_damaged_archive;
use super::gone::{self, Deleted};
use super::in_archive::{note_missing, note_unreadable, unreadable_archives};
use super::point::Point;
use super::status;
use super::target::{self, Target, way_to};
use crate::cli::{AUTHOR, Global};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::story::{CONTINUED, story};
use crate::render::style::{FAINT, STRONG, WARN, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;
use crate::ui::pager::Paging;

/// The narrowest column of revisions.
const NUMBER: usize = 5;

/// How long a change may have waited for a lock before it was recorded, in milliseconds.
const LATENESS: i64 = 10 * 60 * 1_000;

/// Show what happened, newest first.
///
/// Without a key, shows what happened in every checkpoint of this repository: in this worktree, in linked ones and in those
/// that are gone, and in checkpoints that were archived, deleted or renamed since. One that was deleted or renamed has a
/// name such as implement/auth@2026-01-29T10:30:00.000Z, which every command that reads accepts. If a history had to begin
/// again, its earlier revisions have exact names such as 3-mi0k3x5z.
///
/// Lines that cannot be read are named. Lines without this repository's seal, which anybody can have written, are marked as
/// unsealed.
#[derive(Debug, Args)]
#[command(mut_args(shows_an_author))]
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
    /// Only what happened and says this, in any case: in words, notes, summaries, decisions, titles or reasons
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
    /// Set if that one was deleted.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<&'k Deleted>,
    /// The lines of the histories, each with the name of its checkpoint as `checkpoint` and, if that is in another worktree,
    /// the name of it as `worktree`. One without our seal, which anybody can have written, has `"sealed": false`.
    entries: Vec<Box<RawValue>>,
    /// The lines that cannot be read, as far back as the histories were read.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    damaged: Vec<Unreadable>,
    /// What is wrong with the archives that do not even say what they hold.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    unreadable: Vec<String>,
}

/// Lines of a history that cannot be read.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Unreadable {
    checkpoint: String,
    /// The name of its worktree, if that is another one.
    #[serde(skip_serializing_if = "Option::is_none")]
    worktree: Option<String>,
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
    /// What is wrong with archives.
    unreadable: Vec<String>,
}

/// A history that is read, and whose it is.
struct Book<'b> {
    tree: &'b Tree<'b>,
    key: &'b Key,
    name: String,
    /// The history, or the archive that holds it.
    path: &'b Path,
}

/// A line, and whose it is.
struct Entry {
    name: String,
    /// The name of its worktree, if that is another one.
    worktree: Option<String>,
    line: Line,
    /// Its revision, as it can be typed.
    revision: String,
    /// Whether anybody can have written it.
    is_unsealed: bool,
    /// Whether there are lines before it.
    is_continued: bool,
    /// What was looked for, if the story of the line does not show it.
    piece: Option<String>,
}

/// A worktree, and its name if it is another one.
struct Tree<'t> {
    workspace: Cow<'t, Workspace>,
    name: Option<String>,
}

/// The option of all commands for the author, as this one takes it.
fn shows_an_author(argument: Arg) -> Arg {
    match argument.get_id() == AUTHOR {
        true => {
            argument.help("Only what this author did: main, subagent, subagent:TYPE or team:ID")
        }
        false => argument,
    }
}

impl Entry {
    /// The name of the checkpoint, as people in this worktree would say it.
    fn called(&self) -> String {
        match &self.worktree {
            Some(worktree) => format!("{worktree}: {}", self.name),
            None => self.name.clone(),
        }
    }
}

impl Log {
    /// The author that the user typed is the one whose entries are shown: nothing is recorded here.
    pub(crate) fn run(self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let session = &Session::open(ui, &global.without_author())?;
        let filter = Filter {
            author: global.by.clone(),
            ..self.filter(session)?
        };
        let (session, key, told) = match self.key.as_deref() {
            Some(typed) => {
                let read = |there: &Session, key: &Key| {
                    // One that has lost its document has its history still.
                    if there.workspace.history(key)?.is_none() {
                        let found = Target::require(there, key);
                        found.map_err(|failure| target::told(session, typed, "log", failure))?;
                    }
                    self.of_one(ui, there, key, &filter)
                };
                let (session, key, told) = gone::reading(ui, session, (typed, "log"), read)?;
                (session, Some(key), told)
            }
            None => {
                let told = self.of_all(ui, session, &filter)?;
                (Cow::Borrowed(session), None, told)
            }
        };
        let Told {
            entries,
            damaged,
            unreadable,
        } = told;
        if session.json {
            ui.json(&Report {
                key: key.as_ref(),
                deleted: session.deleted.as_ref(),
                entries: entries.iter().filter_map(named).collect(),
                damaged,
                unreadable,
            })?;
            return Ok(Exit::Done);
        }
        ui.page_long_text(session.workspace.repository(), self.paging);
        note_unreadable(ui, &unreadable);
        if entries.is_empty() {
            if unreadable.is_empty() {
                ui.note("nothing to show");
            }
            if key.is_none() {
                note_missing(ui, &session.workspace.missing_keys());
            }
        }
        let widest = |text: fn(&Entry) -> String| {
            let lengths = entries.iter().map(|entry| text(entry).chars().count());
            lengths.max().unwrap_or(0)
        };
        let width = match key {
            Some(_) => 0,
            None => widest(Entry::called),
        };
        let widths = (widest(|entry| entry.revision.clone()).max(NUMBER), width);
        let lines = entries.iter().map(|entry| draw(entry, widths));
        ui.text(&lines.collect::<String>())?;
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

    fn of_one(
        &self,
        ui: &Ui,
        session: &Session,
        key: &Key,
        filter: &Filter,
    ) -> Result<Told, Failure> {
        let workspace = &session.workspace;
        let mut told = Told::default();
        note_damaged_archive(ui, workspace, key)?;
        let tree = Tree {
            workspace: Cow::Borrowed(workspace),
            name: None,
        };
        if !self.read(ui, &tree, (key, key.short()), filter, &mut told)? {
            let message = format!("{} has no history yet", key.short());
            return Err(Failure::new(Exit::NotFound, message).with_hint(way_to(
                session,
                key,
                "The next change made with ckpt starts it",
            )));
        }
        if let Some(origin) = workspace.origin(key)?.filter(|_| !session.json) {
            ui.note(&format!("note: {}", earlier(workspace, key, &origin)));
        }
        Ok(told)
    }

    /// The newest lines of every checkpoint, here and in other worktrees.
    fn of_all(&self, ui: &Ui, session: &Session, filter: &Filter) -> Result<Told, Failure> {
        let mut told = Told::default();
        let trees = trees(ui, session);
        for (at, tree) in trees.iter().enumerate() {
            let done = self.of_tree(ui, tree, filter, &mut told);
            // An unreadable worktree must not hide this one.
            if at == 0 {
                done?;
            }
        }
        for left in session.workspace.left_histories() {
            let name = left.worktree.file_name().unwrap_or_default();
            let tree = Tree {
                workspace: Cow::Borrowed(&session.workspace),
                name: Some(format!("{} (gone)", name.to_string_lossy())),
            };
            let book = Book {
                tree: &tree,
                key: &left.key,
                name: left.key.short(),
                path: &left.path,
            };
            self.leaf(ui, &book, &left.history, filter, &mut told)?;
        }
        let of_tree = |tree: &Tree<'_>| tree.workspace.archived().into_iter();
        let mut archives: Vec<_> = trees
            .iter()
            .flat_map(|tree| of_tree(tree).map(move |archived| (tree, archived)))
            .collect();
        archives.sort_by(|(_, one), (_, other)| other.at.cmp(&one.at));
        told.keep_newest(self.number);
        for (tree, archived) in archives {
            if told.has_enough(self.number, &archived) || filter.is_before(&archived) {
                continue;
            }
            if let Err(failure) = self.of_archive(ui, tree, &archived, filter, &mut told) {
                let path = named_path(&tree.workspace, &archived.path);
                ui.note(&format!("warning: {path}: {}", failure.message()));
            }
            told.keep_newest(self.number);
        }
        told.unreadable = unreadable_archives(session);
        Ok(told)
    }

    /// The newest lines of the checkpoints of a worktree that are in their places.
    fn of_tree(
        &self,
        ui: &Ui,
        tree: &Tree<'_>,
        filter: &Filter,
        told: &mut Told,
    ) -> Result<(), Failure> {
        for key in tree.workspace.recorded() {
            self.read(ui, tree, (&key, key.short()), filter, told)?;
        }
        Ok(())
    }

    /// The newest lines of a checkpoint in the archive.
    fn of_archive(
        &self,
        ui: &Ui,
        tree: &Tree<'_>,
        archived: &Archived,
        filter: &Filter,
        told: &mut Told,
    ) -> Result<(), Failure> {
        let (key, name) = (&archived.key, archived.name());
        if !archived.is_deleted {
            return self.read(ui, tree, (key, name), filter, told).map(drop);
        }
        let Some(history) = tree.workspace.archived_history(archived)? else {
            return Ok(());
        };
        let path = &archived.path;
        let book = Book {
            tree,
            key,
            name,
            path,
        };
        self.leaf(ui, &book, &history, filter, told)
    }

    /// Reads the newest lines of a checkpoint that pass the filter. Returns whether it has a history.
    fn read(
        &self,
        ui: &Ui,
        tree: &Tree<'_>,
        (key, name): (&Key, String),
        filter: &Filter,
        told: &mut Told,
    ) -> Result<bool, Failure> {
        let Some(history) = tree.workspace.history(key)? else {
            return Ok(false);
        };
        let book = Book {
            tree,
            key,
            name,
            path: &tree.workspace.history_path(key),
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
            tree,
            key,
            name,
            path,
        } = book;
        let workspace = &tree.workspace;
        let failed = |error| Failure::io(format!("cannot read the history of {name}"), &error);
        let mut lines = history.newest_first().map_err(failed)?;
        let mut shown = 0;
        let mut newest = None;
        // What never took effect is told, and not found.
        let mut aborted = self.search.is_some().then(|| workspace.aborted(key));
        // The line that says that a document was found, which may be the first.
        let mut first: Option<usize> = None;
        while shown < self.number || first.is_some() {
            let Some(line) = lines.next().transpose().map_err(failed)? else {
                break;
            };
            if let Some(at) = first.take() {
                told.entries[at].is_continued = true;
            }
            if shown == self.number || filter.is_past(&line) {
                break;
            }
            newest = newest.or_else(|| line.epoch());
            if aborted.as_mut().is_some_and(|aborted| aborted.has(&line)) {
                continue;
            }
            if let Some(found) = filter.admits(&line) {
                shown += 1;
                let is_found = line.event_name() == Some(EventName::Adopted);
                first = is_found.then_some(told.entries.len());
                told.entries.push(Entry {
                    name: name.clone(),
                    worktree: tree.name.clone(),
                    revision: typed(line.revision(), newest.as_ref()),
                    is_unsealed: workspace.is_unsealed(key, &line),
                    is_continued: false,
                    piece: found.piece,
                    line,
                });
            }
        }
        let damage = lines.damage().map_err(failed)?;
        if !damage.is_none() {
            let file = named_path(workspace, path);
            ui.note(&format!("warning: {damage} of {file} cannot be read"));
            told.damaged.push(Unreadable {
                checkpoint: name.clone(),
                worktree: tree.name.clone(),
                file,
                lines: damage.lines().collect(),
            });
        }
        Ok(())
    }
}

impl Told {
    /// Leaves the newest entries, newest first.
    fn keep_newest(&mut self, number: usize) {
        let time = |entry: &Entry| entry.line.time().map(Cow::into_owned);
        self.entries
            .sort_by_key(|entry| std::cmp::Reverse(time(entry)));
        self.entries.truncate(number);
    }

    /// Whether all that an archive holds is older than the newest entries, which are in order.
    fn has_enough(&self, number: usize, archived: &Archived) -> bool {
        let oldest = self.entries.last().filter(|_| self.entries.len() == number);
        let oldest = oldest.and_then(|entry| time_of(&entry.line));
        number == 0 || oldest.is_some_and(|oldest| ended_before(archived, oldest))
    }
}

impl Filter {
    /// Whether all that an archive holds is too old.
    fn is_before(&self, archived: &Archived) -> bool {
        self.since
            .is_some_and(|since| ended_before(archived, since))
    }
}

/// Whether the last line of an archived history is certainly older than this.
fn ended_before(archived: &Archived, time: Timestamp) -> bool {
    let time = Timestamp::from_millisecond(time.as_millisecond() - LATENESS);
    time.is_some_and(|time| archived.is_older_than(time))
}

/// This worktree, and then the others.
fn trees<'s>(ui: &Ui, session: &'s Session) -> Vec<Tree<'s>> {
    let mut trees = vec![Tree {
        workspace: Cow::Borrowed(&session.workspace),
        name: None,
    }];
    let repository = session.workspace.repository();
    for worktree in repository.worktrees().unwrap_or_default() {
        if !worktree.current
            && let Ok(workspace) = status::open(ui.variables(), &worktree.root, session)
        {
            let name = worktree.root.file_name().unwrap_or_default();
            trees.push(Tree {
                workspace: Cow::Owned(workspace),
                name: Some(name.to_string_lossy().into_owned()),
            });
        }
    }
    trees
}

/// A file of a worktree, as people there would name it.
fn named_path(workspace: &Workspace, path: &Path) -> String {
    let root = workspace.repository().root();
    path_name(path.strip_prefix(root).unwrap_or(path))
}

/// A revision as it can be typed: a number alone means the newest epoch.
fn typed(revision: Option<Revision>, newest: Option<&Epoch>) -> String {
    match revision {
        None => "-".to_owned(),
        Some(revision) if revision.epoch.as_ref() == newest => revision.number.to_string(),
        Some(revision) => revision.to_string(),
    }
}

/// Where the history before the first line is.
fn earlier(workspace: &Workspace, key: &Key, origin: &Origin) -> String {
    let from = origin.key.short();
    let (how, at) = match (origin.is_renamed, &origin.revision) {
        (true, _) => ("renamed", String::new()),
        (false, Some(revision)) => ("forked", format!(" at revision {}", one_line(revision))),
        (false, None) => ("forked", String::new()),
    };
    let how = format!("{how} from {}{at}", one_line(&from));
    let there = match origin.is_renamed {
        true => workspace
            .before_renaming(key, origin)
            .map(|archived| gone::name_of(workspace, &archived)),
        false => Some(from),
    };
    match there {
        Some(name) => format!("{how}; its earlier history: ckpt log {}", suggested(&name)),
        None => how,
    }
}

/// A line with the names of its checkpoint and of another worktree as its first members, and at the end that it is not sealed.
fn named(entry: &Entry) -> Option<Box<RawValue>> {
    let worktree = entry.worktree.as_deref().map(|name| ("worktree", name));
    let checkpoint = [("checkpoint", entry.name.as_str())];
    let members: Vec<_> = checkpoint.into_iter().chain(worktree).collect();
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

/// An entry as a line. The columns of revisions and of names have these widths; without a width, names are left out.
fn draw(entry: &Entry, (revisions, names): (usize, usize)) -> String {
    let line = &entry.line;
    let text = |value: Option<Cow<'_, str>>| one_line(&value.unwrap_or_default());
    let name = match names {
        0 => String::new(),
        names => format!("{:<names$}  ", one_line(&entry.called())),
    };
    let told = match entry.is_continued {
        true => CONTINUED.to_owned(),
        false => story(line),
    };
    let piece = entry.piece.as_ref();
    let piece = piece.map(|piece| format!("  {}", paint(FAINT, quote(piece))));
    let unsealed = match entry.is_unsealed {
        true => format!(" {}", paint(WARN, "unsealed")),
        false => String::new(),
    };
    let line = format!(
        "{}  {}  {name}{told}{}  {}{unsealed}",
        paint(STRONG, format!("{:>revisions$}", entry.revision)),
        paint(FAINT, text(line.time())),
        piece.unwrap_or_default(),
        paint(FAINT, format!("by {}", text(line.by()))),
    );
    line + "\n"
}
