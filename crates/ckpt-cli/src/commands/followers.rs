//! `ckpt followers`

use std::cell::RefCell;
use std::io;
use std::path::PathBuf;
use std::thread::sleep;
use std::time::Duration;

use ckpt::Timestamp;
use ckpt::files::lexical;
use ckpt::follower::{Filter, Follower, FollowerName, Report as Served};
use ckpt::key::Key;
use ckpt::voice::{first_names, name, path_name, suggested};
use ckpt::workspace::{Barred, Batch, Delivered, Elsewhere, Lag, Standing, Told};
use clap::{Args, Subcommand};
use serde_json::value::RawValue;

use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::journal::{Journal, lines, written};
use crate::render::age::age;
use crate::session::Session;
use crate::ui::Ui;
use crate::worker;

/// How often `run` looks for news.
const OFTEN: Duration = Duration::from_millis(300);

/// What to do about what could not be read.
const LEFT_OUT: &str = "See what can be done with: ckpt doctor";

/// Show who follows what happens here, and whether they have been told.
///
/// A follower gets a line for everything that happens in the checkpoints of this repository, in every worktree: at least
/// once, and in order for each checkpoint. Only what really happened is told, and only what was recorded here. Each change
/// starts a process in the background that tells them.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt followers add audit --to ~/audit.jsonl --event gate")]
pub(crate) struct Followers {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Add a follower
    ///
    /// Followers are kept beside the repository's key, so no clone can bring one.
    #[command(
        after_help = "Example:\n  ckpt followers add audit --to ~/audit.jsonl\n  ckpt followers add gates --event gate --checkpoint ship"
    )]
    Add(Add),
    /// Remove a follower
    #[command(after_help = "Example:\n  ckpt followers remove audit")]
    Remove {
        /// The follower
        #[arg(add = Ids::Followers)]
        name: String,
    },
    /// Tell a follower what happened, in the foreground
    ///
    /// Tells what happened in this worktree, and in those that are gone; `ckpt followers` names the command that tells the rest.
    /// For a follower that has no file, prints each line as a JSON object of its own, until it is stopped. With --once and
    /// --json, prints one object with all lines, and none counts as told before that is printed. --json without --once is
    /// refused.
    #[command(
        after_help = "Example:\n  ckpt followers run gates | jq .event\n  ckpt followers run gates --once --json"
    )]
    Run {
        /// The follower
        #[arg(add = Ids::Followers)]
        name: String,
        /// Stop once everything so far is told
        #[arg(long)]
        once: bool,
    },
    /// Tell all followers what happened, in the background
    #[command(name = worker::WORK, hide = true)]
    Work,
}

#[derive(Debug, Args)]
struct Add {
    /// Its name: lower-case letters, digits and dashes
    name: String,
    /// The file to append to, outside the repository; omit to be told by `ckpt followers run` only
    #[arg(long, value_name = "FILE")]
    to: Option<PathBuf>,
    /// Only events whose name contains this, such as gate or task_completed; may be repeated
    #[arg(long, value_name = "NAME")]
    event: Vec<String>,
    /// Only this checkpoint; may be repeated
    #[arg(long, value_name = "KEY", add = Ids::Keys)]
    checkpoint: Vec<String>,
    /// Also what happened before
    #[arg(long)]
    all: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Followers"))]
pub(crate) struct Report {
    followers: Vec<Entry>,
}

/// Lines of another worktree.
#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "BehindElsewhere")
)]
struct ElsewhereEntry {
    /// The directory of the worktree.
    worktree: String,
    /// How many lines of it the follower has not been told.
    behind: usize,
}

/// A follower, and how it stands.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Follower"))]
struct Entry {
    name: String,
    /// The file that it appends to.
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<String>,
    /// Whether it is a service that `ckpt notify` shows.
    service: bool,
    /// The parts of the names of events that it wants; all if empty.
    events: Vec<String>,
    /// The checkpoints that it wants; all if empty.
    checkpoints: Vec<String>,
    /// How many lines it has not been told, in all worktrees.
    behind: usize,
    /// In how many checkpoints.
    behind_in: usize,
    /// The other worktrees that have some of these lines. A process there tells them.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    elsewhere: Vec<ElsewhereEntry>,
    /// When lines were handed over last.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_at: Option<String>,
    /// Why it could not be told.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// When that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    failed_at: Option<String>,
    /// Whether it has not been served for so long that nothing is kept for it.
    silent: bool,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "FollowerRun"))]
pub(crate) struct RunReport<'r> {
    /// How many lines were handed over.
    lines: usize,
    /// The lines, each with its `checkpoint` and `worktree`. Absent if the follower is told elsewhere.
    #[serde(skip_serializing_if = "Option::is_none")]
    told: Option<&'r [Box<RawValue>]>,
    /// Why something could not be read, if so. Everything else was handed over.
    #[serde(skip_serializing_if = "Option::is_none")]
    left_out: Option<&'r str>,
}

impl Followers {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        match self.action {
            None => list(ui, session),
            Some(Action::Add(add)) => add.run(ui, session),
            Some(Action::Remove { name }) => remove(ui, session, &name),
            Some(Action::Run { name, once: true }) if session.json => run_json(ui, session, &name),
            Some(Action::Run { .. }) if session.json => Err(endless()),
            Some(Action::Run { name, once }) => run_one(ui, session, &name, once),
            Some(Action::Work) => {
                worker::work(session, ui.variables());
                Ok(Exit::Done)
            }
        }
    }
}

fn list(ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
    let followers = session.workspace.followers();
    let mut found = Vec::new();
    for follower in followers.all()? {
        found.push(followers.standing(follower)?);
    }
    if session.json {
        ui.json(&Report {
            followers: found.iter().map(Entry::of).collect(),
        })?;
        return Ok(Exit::Done);
    }
    if found.is_empty() {
        ui.note("nobody follows this repository");
        return Ok(Exit::Done);
    }
    let width = found
        .iter()
        .map(|one| one.follower.name.as_str().len())
        .max()
        .unwrap_or(0);
    for one in &found {
        ui.text(&draw(one, width, session.now()))?;
    }
    Ok(Exit::Done)
}

impl Entry {
    fn of(standing: &Standing) -> Self {
        let Standing {
            follower,
            lag,
            elsewhere,
            report,
            is_silent,
        } = standing;
        let elsewhere = elsewhere.iter().map(|there| ElsewhereEntry {
            worktree: path_name(&there.root),
            behind: there.lag.lines,
        });
        Self {
            name: follower.name.to_string(),
            file: follower.file.as_deref().map(path_name),
            service: follower.is_service,
            events: follower.filter.events.clone(),
            checkpoints: follower.filter.checkpoints.clone(),
            behind: lag.lines,
            behind_in: lag.checkpoints,
            elsewhere: elsewhere.collect(),
            told_at: report.handed_at.clone(),
            error: report.error.clone(),
            failed_at: report.failed_at.clone(),
            silent: *is_silent,
        }
    }
}

fn draw(standing: &Standing, width: usize, now: Timestamp) -> String {
    let Standing {
        follower,
        lag,
        elsewhere,
        report,
        is_silent,
    } = standing;
    let place = match &follower.file {
        Some(file) => format!("to {}", path_name(file)),
        None if follower.is_service => "a service".to_owned(),
        None => "in the foreground".to_owned(),
    };
    let mut text = format!("{:<width$}  {place}: {}", follower.name, behind(*lag));
    if report.handed_at.is_some() {
        text += &format!(", last told {}", age(report.handed_at.as_deref(), now));
    }
    text.push('\n');
    let wanted = wanted(&follower.filter);
    if !wanted.is_empty() {
        text += &format!("{:width$}  only {wanted}\n", "");
    }
    for there in elsewhere {
        text += &format!("{:width$}  {}\n", "", behind_there(follower, there));
    }
    if let Some(error) = failure(report) {
        text += &format!("{:width$}  {error}\n", "");
    }
    if *is_silent {
        text += &format!(
            "{:width$}  not served for 30 days, so ckpt gc keeps nothing for it\n",
            ""
        );
    }
    text
}

fn behind(lag: Lag) -> String {
    let more = if lag.is_more { "at least " } else { "" };
    match (lag.lines, lag.checkpoints) {
        (0, _) => "told everything".to_owned(),
        (1, _) => "1 line behind".to_owned(),
        (lines, 1) => format!("{more}{lines} lines behind in 1 checkpoint"),
        (lines, checkpoints) => {
            format!("{more}{lines} lines behind in {checkpoints} checkpoints")
        }
    }
}

/// What is left in another worktree, and the command that tells it.
fn behind_there(follower: &Follower, there: &Elsewhere) -> String {
    let again = match follower.is_service {
        true => format!("notify retry {}", follower.name),
        false => format!("followers run {} --once", follower.name),
    };
    format!(
        "in {}: {}; tell it with: ckpt -C {} {again}",
        name(&there.name),
        behind(there.lag),
        suggested(&there.root.display().to_string())
    )
}

fn wanted(filter: &Filter) -> String {
    let mut parts = Vec::new();
    if !filter.events.is_empty() {
        parts.push(format!("events {}", first_names(&filter.events)));
    }
    if !filter.checkpoints.is_empty() {
        parts.push(first_names(&filter.checkpoints));
    }
    parts.join(" of ")
}

fn failure(report: &Served) -> Option<String> {
    let error = report.error.as_deref()?;
    let at = report.failed_at.as_deref().unwrap_or_default();
    let times = match report.failures {
        0 | 1 => String::new(),
        many => format!(", {many} times in a row"),
    };
    Some(format!("failed at {}{times}: {}", name(at), name(error)))
}

impl Add {
    fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let mut checkpoints = Vec::new();
        for typed in &self.checkpoint {
            let mut key = workspace.find_key(typed)?;
            if !workspace.has(&key) {
                key = Key::spelled(typed)?;
                let shown = key.to_string();
                ui.note(&format!("note: there is no {} yet", name(&shown)));
            }
            checkpoints.push(key.to_string());
        }
        let file = self.to.as_ref();
        let file = file.map(|file| lexical(&session.directory.join(file)));
        if let Some(file) = &file
            && ui.variables().extent(workspace.repository()).holds(file)
        {
            // A pull could put a link or anything else in its place.
            let message = format!("{} is in the repository", path_name(file));
            return Err(Failure::new(Exit::Usage, message)
                .with_hint("Name a file outside of it, such as ~/audit.jsonl"));
        }
        let name = named(&self.name)?;
        if workspace.followers().get(&name)?.is_some() {
            return Err(ckpt::Refusal::FollowerTaken(name).into());
        }
        if let Some(file) = &file {
            Journal::at(file).try_out().map_err(|error| {
                Failure::io(format!("cannot append to {}", path_name(file)), &error)
            })?;
        }
        let now = session.now().to_string();
        let follower = Follower {
            name,
            file,
            is_service: false,
            filter: Filter {
                events: self.event,
                checkpoints,
                since: (!self.all).then(|| now.clone()),
            },
            added_at: now,
        };
        workspace.followers().add(&follower)?;
        worker::wake(workspace);
        if session.json {
            return list(ui, session);
        }
        if follower.file.is_none() {
            ui.note(&format!(
                "Tell it with: ckpt followers run {}",
                follower.name
            ));
        }
        Ok(Exit::Done)
    }
}

fn remove(ui: &mut Ui, session: &Session, typed: &str) -> Result<Exit, Failure> {
    let follower = find(session, typed)?;
    if follower.is_service {
        let name = &follower.name;
        let message = format!("{name} is a service that you have allowed to be told");
        return Err(Failure::new(Exit::Invalid, message)
            .with_hint(format!("Take that back with: ckpt notify revoke {name}")));
    }
    session.workspace.followers().remove(&follower.name)?;
    match session.json {
        true => list(ui, session),
        false => Ok(Exit::Done),
    }
}

fn named(typed: &str) -> Result<FollowerName, Failure> {
    FollowerName::new(typed)
        .map_err(|error| Failure::new(Exit::Usage, format!("{typed:?} cannot be used: {error}")))
}

fn find(session: &Session, typed: &str) -> Result<Follower, Failure> {
    let followers = session.workspace.followers();
    let found = match FollowerName::new(typed) {
        Ok(name) => followers.get(&name)?,
        Err(_) => None,
    };
    found.ok_or_else(|| {
        let all = followers.all().unwrap_or_default();
        let names: Vec<String> = all.iter().map(|one| one.name.to_string()).collect();
        let hint = match names.is_empty() {
            true => "Add one with: ckpt followers add NAME --to FILE".to_owned(),
            false => format!("There are: {}", first_names(&names)),
        };
        Failure::new(Exit::NotFound, format!("no follower {}", name(typed))).with_hint(hint)
    })
}

/// Why `--json` needs `--once`.
fn endless() -> Failure {
    let message = "--json prints one object, and without --once it would have no end";
    Failure::new(Exit::Usage, message)
        .with_hint("Add --once; or leave out --json, as each line is a JSON object anyway")
}

/// Tells one follower everything so far, and reports that in one object.
fn run_json(ui: &mut Ui, session: &Session, typed: &str) -> Result<Exit, Failure> {
    let follower = find(session, typed)?;
    let mut is_alone = false;
    let served = match follower.is_served_alone() {
        true => {
            let variables = ui.variables().clone();
            worker::tell(session, &variables, &follower, &mut Told::default())
        }
        false => print_at_once(ui, session, &follower, &mut is_alone),
    };
    if is_alone {
        // Whoever reads has had enough. Nothing counts as told.
        return Ok(Exit::Done);
    }
    let delivered = told_now(served, &follower)?;
    if follower.is_served_alone() {
        ui.json(&RunReport::of(&delivered, None))?;
    }
    let Some(reason) = &delivered.left_out else {
        return Ok(Exit::Done);
    };
    // The object says so, too.
    ui.note(&format!(
        "error: {}. {LEFT_OUT}",
        told_all_else(&follower, reason)
    ));
    Ok(Exit::Failed)
}

/// Prints what a follower has not been told yet as one object.
fn print_at_once(
    ui: &mut Ui,
    session: &Session,
    follower: &Follower,
    is_alone: &mut bool,
) -> Result<Option<Delivered>, Barred> {
    let told = RefCell::new(Vec::new());
    let mut gather = |batch: &Batch<'_>| {
        for line in lines(batch) {
            let line = RawValue::from_string(line).map_err(io::Error::from)?;
            told.borrow_mut().push(line);
        }
        Ok(())
    };
    let mut finish = |delivered: &Delivered| {
        let printed = ui.hand_over_json(&RunReport::of(delivered, Some(&told.borrow())));
        *is_alone = printed.as_ref().is_err_and(is_gone);
        Ok(printed?)
    };
    let followers = session.workspace.followers();
    followers.serve_at_once(follower, &mut gather, &mut finish)
}

impl<'r> RunReport<'r> {
    fn of(delivered: &'r Delivered, told: Option<&'r [Box<RawValue>]>) -> Self {
        Self {
            lines: delivered.lines,
            told,
            left_out: delivered.left_out.as_deref(),
        }
    }
}

/// Tells one follower until everything is told, or until it is stopped.
fn run_one(ui: &mut Ui, session: &Session, typed: &str, once: bool) -> Result<Exit, Failure> {
    let variables = ui.variables().clone();
    let followers = session.workspace.followers();
    let mut told = Told::default();
    let mut is_alone = false;
    let mut left_out = None;
    loop {
        // It may be removed or changed meanwhile.
        let follower = find(session, typed)?;
        let mut print = |batch: &Batch<'_>| {
            let handed = ui.hand_over(written(batch).as_bytes());
            is_alone |= handed.as_ref().is_err_and(is_gone);
            Ok(handed?)
        };
        let served = match follower.is_served_alone() {
            true => worker::tell(session, &variables, &follower, &mut told),
            false => followers.serve(&follower, &mut told, &mut print),
        };
        if is_alone {
            // Whoever reads has had enough. What they did not get is kept.
            return Ok(Exit::Done);
        }
        if once {
            let delivered = told_now(served, &follower)?;
            return match delivered.left_out {
                None => Ok(Exit::Done),
                Some(reason) => Err(
                    Failure::new(Exit::Failed, told_all_else(&follower, &reason))
                        .with_hint(LEFT_OUT),
                ),
            };
        }
        let served = served.map_err(|barred| cannot_tell(&follower, &barred))?;
        let reason = served.and_then(|delivered| delivered.left_out);
        if let Some(reason) = reason.as_deref().filter(|_| reason != left_out) {
            ui.note(&told_all_else(&follower, reason));
        }
        left_out = reason;
        sleep(OFTEN);
    }
}

/// What a follower was told, if nothing kept it from being told now.
fn told_now(
    served: Result<Option<Delivered>, Barred>,
    follower: &Follower,
) -> Result<Delivered, Failure> {
    let delivered = served.map_err(|barred| cannot_tell(follower, &barred))?;
    delivered.ok_or_else(|| {
        let message = format!("another process is telling {}", follower.name);
        Failure::new(Exit::Conflict, message).with_hint("Wait for it, then run this again")
    })
}

fn cannot_tell(follower: &Follower, barred: &Barred) -> Failure {
    let message = format!("cannot tell {}: {barred}", follower.name);
    Failure::new(Exit::Failed, message)
        .with_hint("What it has not been told is kept; run this again")
}

fn told_all_else(follower: &Follower, reason: &str) -> String {
    format!("{} is told all else, but {reason}", follower.name)
}

fn is_gone(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::BrokenPipe
}
