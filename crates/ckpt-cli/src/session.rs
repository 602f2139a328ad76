//! The context of a command: the workspace and its settings.

use std::path::{Path, PathBuf};
use std::time::Duration;

use ckpt::gate::PERSON;
use ckpt::key::Key;
use ckpt::repository::{Environment, GitUse, Repository, SlowGit};
use ckpt::voice::{first_names, name, path_name};
use ckpt::workspace::{Depth, Options, Outcome, Returning, Workspace};
use ckpt::{Lifecycle, Timestamp};

use crate::cli::Global;
use crate::commands::archive::InArchive;
use crate::commands::gone::Deleted;
use crate::environment::CKPT_BY;
use crate::failure::{Exit, Failure};
use crate::settings::{Reading, Settings};
use crate::ui::{Notes, Recoveries, Ui};
use crate::worker;

/// A command reads at most this many plans, the newest first.
const MOST_PLANS: usize = 4_000;

/// A command reads at most this many command checkpoints, and as many pipelines.
const MOST_CHECKPOINTS: usize = 12_000;

/// A command reads at most this many names and values in each checkpoint directory.
const MOST_VALUES: usize = 1_500_000;

/// A command reads at most this much Markdown to list plans, in bytes.
const MOST_PLAN_TEXT: u64 = 32 * 1024 * 1024;

/// The largest plan that a command reads, in bytes.
const LONGEST_PLAN: u64 = 32 * 1024 * 1024;

/// The context that every command gets.
#[derive(Clone)]
pub(crate) struct Session {
    pub(crate) workspace: Workspace,
    pub(crate) settings: Settings,
    pub(crate) directory: PathBuf,
    pub(crate) json: bool,
    /// Set if the workspace has this checkpoint as it was when it was deleted.
    pub(crate) deleted: Option<Deleted>,
    /// Set if the checkpoint that is read is archived.
    pub(crate) archived: Option<InArchive>,
}

impl Session {
    /// Finds the repository and reads the settings.
    pub(crate) fn open(ui: &Ui, global: &Global) -> Result<Self, Failure> {
        Self::open_with(ui, global, |repository| Settings::load(ui, repository))
    }

    /// Like `open`, but skips invalid settings, for commands that report or fix them.
    pub(crate) fn open_for_repair(ui: &Ui, global: &Global) -> Result<Self, Failure> {
        Self::open_with(ui, global, |repository| {
            Ok(Reading::of(ui.variables(), repository).settings)
        })
    }

    /// Like `open`, but in the repository that git works in, for commands that git calls.
    pub(crate) fn open_for_git(ui: &Ui, global: &Global) -> Result<Self, Failure> {
        let environment = Environment {
            git_root: None,
            ..ui.variables().git()
        };
        Self::open_in(ui, global, &environment, |repository| {
            Settings::load(ui, repository)
        })
    }

    fn open_with(
        ui: &Ui,
        global: &Global,
        settings: impl Fn(&Repository) -> Result<Settings, Failure>,
    ) -> Result<Self, Failure> {
        let environment = Environment {
            current_directory: std::env::current_dir().ok(),
            ..ui.variables().git()
        };
        Self::open_in(ui, global, &environment, settings)
    }

    fn open_in(
        ui: &Ui,
        global: &Global,
        environment: &Environment,
        settings: impl Fn(&Repository) -> Result<Settings, Failure>,
    ) -> Result<Self, Failure> {
        let directory = working_directory(global.directory.as_deref())?;
        let variables = ui.variables();
        let mut options = Options {
            session: variables.session(),
            left_behind: ckpt_agents::left_behind,
            wake: worker::wake,
            returning: Some(returning(ui.notes(), ui.recoveries())),
            ..Options::default()
        };
        let by = global.by.clone();
        if let Some(by) = by.or_else(|| variables.text(CKPT_BY)) {
            options.by = usable_name(by)?;
        }
        let repository = Repository::discover(&directory, environment)?;
        let settings = settings(&repository)?;
        options.summary_limit = settings.summary_limit().weighed();
        options.lock_wait = Duration::from_millis(settings.lock_timeout_ms());
        options.follow_symlinks = settings.follow_symlinks();
        options.git = GitUse {
            slow: Some(slow_git(ui.notes())),
            ..settings.git_use()
        };
        options.review = settings.review();
        options.approvals = settings.approvals();
        options.approved_by = approver(ui);
        options.user_state = variables.user_state(&repository);
        options.most_plans = Some(MOST_PLANS);
        options.most_checkpoints = Some(MOST_CHECKPOINTS);
        options.most_values = Some(MOST_VALUES);
        options.most_plan_text = Some(MOST_PLAN_TEXT);
        options.longest_plan = Some(LONGEST_PLAN);
        Ok(Self {
            workspace: Workspace::of(repository, options),
            settings,
            directory,
            json: global.json,
            deleted: None,
            archived: None,
        })
    }

    /// The file of the checkpoint that is read: its archive, if it is archived or was deleted.
    pub(crate) fn file<'p>(&'p self, path: &'p Path) -> &'p Path {
        let archived = self.archived.as_ref().map(|archived| &archived.file);
        let archive = archived.or(self.deleted.as_ref().map(|deleted| &deleted.file));
        archive.map_or(path, PathBuf::as_path)
    }

    pub(crate) fn now(&self) -> Timestamp {
        self.workspace.now()
    }

    /// The given key, or the only checkpoint in flight. For reading only: a change must name its checkpoint.
    pub(crate) fn key_for_reading(&self, typed: Option<&str>) -> Result<Key, Failure> {
        if let Some(typed) = typed {
            return Ok(self.workspace.find_key(typed)?);
        }
        let (summaries, _) = self.workspace.list(Depth::WithoutGit)?;
        let mut in_flight: Vec<_> = summaries
            .into_iter()
            .filter(|summary| summary.lifecycle == Lifecycle::InFlight)
            .map(|summary| summary.key)
            .collect();
        match in_flight.len() {
            1 => Ok(in_flight.remove(0)),
            0 => Err(Failure::new(Exit::NotFound, "no checkpoint is in flight")
                .with_hint("Start one with: ckpt start COMMAND [FEATURE]")),
            _ => {
                let names: Vec<_> = in_flight.iter().map(Key::short).collect();
                let names = first_names(&names);
                Err(
                    Failure::new(Exit::Usage, "several checkpoints are in flight")
                        .with_hint(format!("Name one of: {names}")),
                )
            }
        }
    }

    /// Notes that there is no git here, after something new was created: state then belongs to a directory, and nothing
    /// tells whether it is stale.
    pub(crate) fn note_outside_git(&self, ui: &mut Ui) {
        let repository = self.workspace.repository();
        if !repository.is_git() {
            ui.note(&format!(
                "note: this is not a git repository; state belongs to {}",
                path_name(repository.root())
            ));
        }
    }

    /// Reports a change: notes for what needs attention, and everything as JSON.
    pub(crate) fn report(&self, ui: &mut Ui, outcome: &Outcome) -> Result<(), Failure> {
        if let Some(line) = kept_aside(outcome) {
            ui.note(&format!("warning: {line}"));
        }
        for finding in &outcome.findings {
            ui.note(&finding.to_string());
        }
        if self.json {
            return ui.json(&ChangeReport::new(outcome));
        }
        Ok(())
    }
}

/// The message about an unreadable file that a change has replaced.
#[must_use]
pub fn kept_aside(outcome: &Outcome) -> Option<String> {
    let aside = outcome.moved_aside.as_ref()?;
    let restored = if outcome.restored {
        "its last recorded state was restored from history"
    } else {
        "nothing could be restored"
    };
    Some(format!(
        "{} was unreadable and is kept as {}; {restored}",
        outcome.key,
        aside.display()
    ))
}

/// The `--json` report of a change.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Change"))]
pub(crate) struct ChangeReport<'o> {
    key: &'o Key,
    revision: Option<String>,
    created: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    moved_aside: Option<&'o Path>,
    absorbed_foreign_edit: bool,
    findings: &'o [ckpt::Finding],
}

impl<'o> ChangeReport<'o> {
    pub(crate) fn new(outcome: &'o Outcome) -> Self {
        Self {
            key: &outcome.key,
            revision: outcome.revision.as_ref().map(ToString::to_string),
            created: outcome.created,
            moved_aside: outcome.moved_aside.as_deref(),
            absorbed_foreign_edit: outcome.absorbed_foreign_edit,
            findings: &outcome.findings,
        }
    }
}

/// Who gives approvals: a person if there is a terminal, unless an agent announces itself in the environment.
fn approver(ui: &Ui) -> String {
    match ui.variables().agent() {
        Some(agent) => format!("agent:{agent}"),
        None if ui.is_attended() => PERSON.to_owned(),
        None => "script".to_owned(),
    }
}

/// Notes that git is slow, so that the user knows why the command takes long.
fn slow_git(notes: Notes) -> SlowGit {
    SlowGit::new(move |verb, limit| {
        let seconds = limit.as_secs();
        notes.add(&format!(
            "git {verb} is slow; it will be stopped after {seconds} s"
        ));
    })
}

/// Says what a change has brought back.
fn returning(notes: Notes, recoveries: Recoveries) -> Returning {
    Returning::new(move |back| {
        recoveries.add(back);
        let (part, loss) = match back.files.is_empty() {
            true => ("the history of ", "missing or damaged"),
            false => ("", "missing"),
        };
        notes.add(&format!(
            "note: {part}{} was {loss}, and is back from its copy in the git directory, at revision {}",
            name(&back.key.short()),
            back.revision.number
        ));
    })
}

/// Checks the author of changes: the main agent, a sub-agent of some type, or a member of a team.
fn usable_name(by: String) -> Result<String, Failure> {
    let forms = [by.strip_prefix("subagent:"), by.strip_prefix("team:")];
    let named = forms.into_iter().flatten().next();
    let is_named = named.is_some_and(|name| !name.trim().is_empty());
    if (by == "main" || is_named) && !by.chars().any(char::is_control) {
        return Ok(by);
    }
    let name = match by.trim() {
        "" => "ID",
        name => name,
    };
    let hint = match named {
        None if !by.chars().any(char::is_control) => {
            format!("Use main, subagent:{name} or team:{name}")
        }
        _ => "Use main, subagent:TYPE or team:ID".to_owned(),
    };
    Err(Failure::new(Exit::Usage, format!("{by:?} is not a valid author")).with_hint(hint))
}

/// The absolute working directory.
fn working_directory(asked: Option<&Path>) -> Result<PathBuf, Failure> {
    let asked = asked.unwrap_or(Path::new("."));
    match std::fs::metadata(asked) {
        Ok(metadata) if metadata.is_dir() => {}
        Ok(_) => {
            return Err(Failure::new(
                Exit::Usage,
                format!("{} is not a directory", asked.display()),
            ));
        }
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            let message = format!("cannot work in {}: no such directory", asked.display());
            return Err(Failure::new(Exit::NotFound, message).with_hint("Check the path"));
        }
        Err(error) => {
            return Err(Failure::io(
                format!("cannot work in {}", asked.display()),
                &error,
            ));
        }
    }
    std::path::absolute(asked)
        .map_err(|error| Failure::io(format!("cannot work in {}", asked.display()), &error))
}
