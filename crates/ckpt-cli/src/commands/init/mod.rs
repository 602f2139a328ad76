//! `ckpt init`

pub(crate) mod detect;
mod files;
mod instructions;
pub(crate) mod merge_driver;
mod pre_push;
mod receipt;
mod skills;
mod undo;

use std::collections::HashSet;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use ckpt::files::{DirectoryLock, Replaced, make_private_directory, read_private, replace_file};
use ckpt_agents::Agent;
use ckpt_agents::install::{NotEditable, Part, Program, Scope};
use clap::Args;
use serde::Serialize;

pub(crate) use self::files::has_scripts;
use self::files::{Asked, Grounds, INTEGRATIONS_FILE, Scripts, Wanted};
pub(crate) use self::receipt::Change;
use self::receipt::Receipt;
use crate::environment::Variables;
use crate::failure::{Exit, Failure};
use crate::render::diff::unified;
use crate::session::Session;
use crate::settings::{contested, own_file};
use crate::ui::Ui;

/// Set up coding agents to call ckpt.
///
/// Adds hooks to the settings of every agent found here, and keeps what those files already contain. A repository
/// also gets the documents its agents read, instructions in AGENTS.md, lines in .gitignore, and a merge driver for plans:
/// lines in .gitattributes and a section in git's configuration. --uninstall undoes everything, byte for byte.
#[derive(Debug, Args)]
#[command(after_help = "Example:
  ckpt init
  ckpt init --project --agent claude --agent codex
  ckpt init --mcp --skills --statusline
  ckpt init --dry-run
  ckpt init --uninstall")]
pub(crate) struct Init {
    /// Set up this agent even if it is not found here (repeatable): claude, codex, gemini, cursor or copilot
    #[arg(long, value_name = "NAME", value_parser = agent)]
    agent: Vec<Agent>,
    /// Set up for you, in this repository (the default)
    #[arg(long, group = "scope")]
    local: bool,
    /// Set up for everyone who works in this repository
    #[arg(long, group = "scope")]
    project: bool,
    /// Set up for you, in all repositories
    #[arg(long, group = "scope")]
    user: bool,
    /// Also check gates before each push, with a git pre-push hook; an existing hook still runs
    #[arg(long, conflicts_with = "user")]
    pre_push: bool,
    /// Install that hook in core.hooksPath, even if other repositories share it
    #[arg(long, requires = "pre_push")]
    into_hooks_path: bool,
    /// Also write one-line files into .claude/scripts/lib that load the Node package
    #[arg(long, conflicts_with = "user")]
    scripts: bool,
    /// Also register the MCP server `ckpt mcp`, for clients without hooks
    #[arg(long)]
    mcp: bool,
    /// Also write skills for /ckpt-resume, /ckpt-implement and the like, as in the plugin for Claude Code
    #[arg(long)]
    skills: bool,
    /// Also show the work in the status line of Claude Code
    #[arg(long)]
    statusline: bool,
    /// Write no instructions for agents into AGENTS.md, CLAUDE.md and the like
    #[arg(long)]
    no_instructions: bool,
    /// Print what would change, without changing anything
    #[arg(long)]
    dry_run: bool,
    /// Undo a previous setup
    #[arg(long)]
    uninstall: bool,
}

fn agent(name: &str) -> Result<Agent, String> {
    Agent::read(name).ok_or_else(|| {
        let names = Agent::ALL.map(Agent::as_str).join(", ");
        format!("known agents are {names}")
    })
}

/// The receipt file, stored next to the repository's key.
const RECEIPT: &str = "init.json";

/// How often to start again because another program has saved one of the files.
const MOST_ATTEMPTS: usize = 20;

/// The largest receipt that is read, in bytes.
const LONGEST_RECEIPT: u64 = 64 * 1024 * 1024;

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Init"))]
pub(crate) struct Report {
    dry_run: bool,
    /// The agents that were set up.
    agents: Vec<&'static str>,
    files: Vec<FileReport>,
    notes: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "InitFile"))]
struct FileReport {
    path: String,
    about: String,
    change: &'static str,
    /// The diff, with --dry-run.
    #[serde(skip_serializing_if = "Option::is_none")]
    diff: Option<String>,
}

impl Init {
    pub(crate) fn run(mut self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let site = Site::of(ui.variables(), session, self.scope());
        self.no_instructions |= self.asks_about_instructions(&site)
            && !ui.is_not_refused("Tell agents in AGENTS.md when to run ckpt?");
        let report = match self.dry_run {
            true => {
                let (mut report, wanted) = self.planned(ui, &site, &site.receipt()?)?;
                let files = wanted.iter().map(|file| file_report(file, true));
                report.files.extend(files);
                report
            }
            false => self.carried_out(ui, &site)?,
        };
        if session.json {
            ui.json(&report)?;
        } else {
            ui.text(&page(&report))?;
        }
        Ok(Exit::Done)
    }

    /// What to do, as far as the files tell now.
    fn planned(
        &self,
        ui: &Ui,
        site: &Site<'_>,
        receipt: &Receipt,
    ) -> Result<(Report, Vec<Wanted>), Failure> {
        let mut report = Report {
            dry_run: self.dry_run,
            agents: Vec::new(),
            files: Vec::new(),
            notes: Vec::new(),
        };
        let wanted = match self.uninstall {
            true => undo::wanted(site, self, receipt, &mut report.notes)?,
            false => self.installed(ui, site, receipt, &mut report)?,
        };
        // What holds for several agents is said once.
        let mut said = HashSet::new();
        report.notes.retain(|note| said.insert(note.clone()));
        Ok((report, wanted))
    }

    /// Does it, one process at a time. If somebody saves one of the files meanwhile, starts again with their text.
    fn carried_out(&self, ui: &Ui, site: &Site<'_>) -> Result<Report, Failure> {
        let lock = site.locked(self.uninstall)?;
        let mut receipt = site.receipt()?;
        // The files that earlier attempts wrote, as they were before.
        let mut written: Vec<Wanted> = Vec::new();
        let mut last = PathBuf::new();
        for _ in 0..MOST_ATTEMPTS {
            let (mut report, wanted) = self.planned(ui, site, &receipt)?;
            let overtaken = self.carry_out(site, &mut receipt, &wanted, lock.as_ref())?;
            let done = wanted.iter().take_while(|file| Some(*file) != overtaken);
            for file in done {
                match written.iter_mut().find(|known| known.path == file.path) {
                    Some(known) => known.after.clone_from(&file.after),
                    None => written.push(file.clone()),
                }
            }
            let Some(overtaken) = overtaken else {
                let files = written.iter().map(|file| file_report(file, false));
                report.files.extend(files);
                return Ok(report);
            };
            last.clone_from(&overtaken.path);
        }
        Err(contested(&last))
    }

    /// Whether a user at a terminal is asked about instructions, because the answer is not known.
    fn asks_about_instructions(&self, site: &Site<'_>) -> bool {
        let writes = !self.dry_run && !self.uninstall && self.scope() != Scope::User;
        writes && !self.no_instructions && !instructions::is_there(&site.grounds)
    }

    fn scope(&self) -> Scope {
        match (self.project, self.user) {
            (true, _) => Scope::Project,
            (_, true) => Scope::User,
            _ => Scope::Local,
        }
    }

    fn installed(
        &self,
        ui: &Ui,
        site: &Site<'_>,
        receipt: &Receipt,
        report: &mut Report,
    ) -> Result<Vec<Wanted>, Failure> {
        let scope = site.scope;
        let mut agents = self.agent.clone();
        if agents.is_empty() {
            let detected = detect::agents(ui.variables(), &site.grounds.root);
            for found in &detected {
                report
                    .notes
                    .push(format!("{} is in use here: {}", found.agent, found.trace));
            }
            agents = detected.into_iter().map(|found| found.agent).collect();
        }
        if agents.is_empty() {
            report
                .notes
                .push("no agent was found here; setting up Claude Code".to_owned());
            agents.push(Agent::Claude);
        }
        let program = detect::program(ui.variables(), scope)?;
        let mut wanted = Vec::new();
        let mut set_up = Vec::new();
        for agent in agents {
            match self.settings(site, agent, &program, &mut wanted, &mut report.notes) {
                Ok(()) => {
                    set_up.push(agent);
                    report.agents.push(agent.as_str());
                    report.notes.extend(advice(agent, scope));
                }
                // The agent was only detected, not asked for, so set up the others.
                Err(failure) if self.agent.is_empty() => {
                    report
                        .notes
                        .push(format!("{agent} was not set up: {}", failure.message()));
                }
                Err(failure) => return Err(failure),
            }
        }
        if scope == Scope::Local {
            // First, because the next run could not tell any more that the others are new.
            let excluded = site.grounds.excluded(&wanted)?;
            wanted.splice(0..0, excluded);
        }
        if report.agents.is_empty() {
            let message = report.notes.pop().unwrap_or_default();
            return Err(Failure::new(Exit::Invalid, message));
        }
        wanted.extend(skills::wanted(
            &site.grounds,
            (&set_up, scope),
            self.skills,
            receipt,
            &mut report.notes,
        )?);
        if self.pre_push {
            let consent = match self.into_hooks_path {
                true => pre_push::Consent::Given,
                false => pre_push::Consent::NotGiven,
            };
            let hook = pre_push::wanted(ui, &site.grounds, &program.path, consent)?;
            wanted.extend(hook);
        }
        if scope != Scope::User {
            let scripts = match self.scripts {
                true => Scripts::Wanted,
                false => Scripts::AsTheyAre,
            };
            let (documents, notes) = site.grounds.documents(receipt, scripts)?;
            wanted.extend(documents);
            report.notes.extend(notes);
            if !self.no_instructions {
                wanted.extend(instructions::wanted(&site.grounds, &mut report.notes));
                let advice = instructions::advice(&site.grounds, &set_up);
                report.notes.extend(advice);
            }
            // Git's configuration is never shared, so it names the program by its path.
            let program = detect::program(ui.variables(), Scope::Local)?;
            wanted.extend(merge_driver::wanted(
                &site.grounds,
                &program.path,
                &mut report.notes,
            ));
            report.notes.push(format!(
                "nothing that {INTEGRATIONS_FILE} names is contacted before you allow it: ckpt notify"
            ));
        }
        Ok(wanted)
    }

    /// Adds an agent's settings with everything that was asked for; nothing if that fails.
    fn settings(
        &self,
        site: &Site<'_>,
        agent: Agent,
        program: &Program,
        files: &mut Vec<Wanted>,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let scope = site.scope;
        let mut wanted = files.clone();
        wanted.push(site.grounds.settings(agent, scope, program)?);
        let asked = |flag, is_on| Asked { scope, flag, is_on };
        let mut parts = vec![(Part::McpServer, asked("--mcp", self.mcp))];
        if agent == Agent::Claude {
            parts.push((Part::StatusLine, asked("--statusline", self.statusline)));
        }
        for (part, asked) in parts {
            let part = (agent, part);
            site.grounds
                .part(&mut wanted, part, asked, program, notes)?;
        }
        *files = wanted;
        Ok(())
    }

    /// Writes the files and the receipt. Returns the file that somebody else changed in between, if any; what comes after
    /// it has not been done.
    fn carry_out<'w>(
        &self,
        site: &Site<'_>,
        receipt: &mut Receipt,
        wanted: &'w [Wanted],
        lock: Option<&DirectoryLock>,
    ) -> Result<Option<&'w Wanted>, Failure> {
        if !self.uninstall {
            if self.scope() != Scope::User {
                // From now on, our own records can be told apart from those that came with a clone.
                make_key(site);
            }
            for file in wanted.iter().filter(|file| file.is_changed()) {
                receipt.put(change_of(file, receipt, &site.grounds.root));
            }
            // The receipt is written first, so that everything below can be undone.
            site.keep(receipt)?;
        }
        for file in wanted {
            if site.grounds.write(file, lock)? == Replaced::Overtaken {
                return Ok(Some(file));
            }
        }
        if self.uninstall {
            undo::forget(site, receipt, wanted)?;
            site.keep(receipt)?;
        }
        Ok(None)
    }
}

/// What `init` sets up: a repository, or a user's account.
struct Site<'v> {
    scope: Scope,
    grounds: Grounds<'v>,
}

impl<'v> Site<'v> {
    fn of(variables: &'v Variables, session: &Session, scope: Scope) -> Self {
        let repository = session.workspace.repository();
        Self {
            scope,
            grounds: Grounds {
                variables,
                root: repository.root().to_owned(),
                repository: repository.clone(),
                follow_symlinks: session.settings.follow_symlinks(),
                wait: Duration::from_millis(session.settings.lock_timeout_ms()),
                summary_limit: session.settings.summary_limit().most,
            },
        }
    }

    /// The receipt for `--user` is stored next to the user's settings.
    fn user_receipt(&self) -> Option<PathBuf> {
        let own = own_file(self.grounds.variables, &self.grounds.repository)?;
        Some(own.with_file_name(RECEIPT))
    }

    /// Never a path in the work tree: a clone could bring a receipt and so decide what gets undone.
    fn receipt_file(&self) -> Option<PathBuf> {
        match self.scope {
            Scope::User => self.user_receipt(),
            Scope::Local | Scope::Project => {
                let Grounds {
                    variables,
                    repository,
                    ..
                } = &self.grounds;
                let user_state = variables.user_state(repository);
                let directory = repository.private_directory(user_state.as_deref());
                Some(directory?.join(RECEIPT))
            }
        }
    }

    /// Keeps other processes from setting up the same place, and from writing the receipt.
    fn locked(&self, is_undone: bool) -> Result<Option<DirectoryLock>, Failure> {
        let Some(path) = self.receipt_file() else {
            return Ok(None);
        };
        let directory = path.parent().unwrap_or(&path);
        if is_undone && !directory.exists() {
            return Ok(None);
        }
        make_private_directory(directory)
            .map_err(|error| not_recorded(&path, &error.to_string()))?;
        Ok(Some(DirectoryLock::take(directory, self.grounds.wait)?))
    }

    fn receipt(&self) -> Result<Receipt, Failure> {
        self.receipt_file()
            .map_or_else(|| Ok(Receipt::default()), |path| receipt_at(&path))
    }

    /// Whether the receipt of any worktree records a change to what all of them share.
    fn is_recorded(&self, is_it: fn(&Change) -> bool) -> bool {
        let receipts = self.grounds.repository.private_directories();
        let receipts = receipts
            .unwrap_or_default()
            .into_iter()
            .map(|path| receipt_at(&path.join(RECEIPT)));
        receipts
            .flatten()
            .any(|receipt| receipt.files.iter().any(is_it))
    }

    fn keep(&self, receipt: &Receipt) -> Result<(), Failure> {
        let Some(path) = self.receipt_file() else {
            return Ok(());
        };
        if receipt.files.is_empty() {
            // Nothing is left to undo.
            let _ = std::fs::remove_file(&path);
            return Ok(());
        }
        let written = replace_file(&path, &receipt.written());
        written.map_err(|error| not_recorded(&path, Failure::from(error).message()))
    }
}

fn not_recorded(path: &Path, reason: &str) -> Failure {
    let message = format!("cannot record changes in {}: {reason}", path.display());
    Failure::new(Exit::Failed, message)
        .with_hint("Nothing was changed; make that path writable and run it again")
}

/// What was recorded; nothing if there is no file. If it cannot be read, nobody knows what to undo.
fn receipt_at(path: &Path) -> Result<Receipt, Failure> {
    match read_private(path, LONGEST_RECEIPT) {
        Ok(content) => Ok(Receipt::read(&content)),
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Ok(Receipt::default())
        }
        Err(error) => Err(Failure::io(
            format!("cannot read {}", path.display()),
            &error,
        )),
    }
}

/// All changes recorded by `ckpt init`, for this repository and for the user.
pub(crate) fn recorded(variables: &Variables, session: &Session) -> Result<Vec<Change>, Failure> {
    let mut changes = Vec::new();
    for scope in [Scope::Local, Scope::User] {
        changes.extend(Site::of(variables, session, scope).receipt()?.files);
    }
    Ok(changes)
}

/// The command that sets up an agent.
pub(crate) fn command(agent: Agent, scope: Scope) -> String {
    let whom = match scope {
        Scope::Local => "",
        Scope::Project => " --project",
        Scope::User => " --user",
    };
    format!("ckpt init --agent {agent}{whom}")
}

/// The command that undoes it.
pub(crate) fn command_to_undo(scope: Scope) -> &'static str {
    match scope {
        Scope::Local | Scope::Project => "ckpt init --uninstall",
        Scope::User => "ckpt init --user --uninstall",
    }
}

/// How to fix settings that cannot be edited, and which command to run then.
pub(crate) fn remedy(error: &NotEditable, command: &str) -> String {
    format!("{}, and run: {command}", error.remedy())
}

/// The change to record for a file: from its content before the first `init` to its content now.
fn change_of(file: &Wanted, receipt: &Receipt, root: &Path) -> Change {
    let known = receipt.find(&file.name);
    let original = known.and_then(|change| change.undone(file.before.as_deref()?));
    let after = file.after.as_deref().unwrap_or_default();
    let original = original.or_else(|| file.bare.clone());
    let was = |change: &Change| match (known, &file.bare) {
        (Some(known), _) => known.was.clone(),
        // Removing our part does not prove what the file was before.
        (None, Some(_)) => None,
        (None, None) => change.was.clone(),
    };
    let change = match (known, original) {
        (Some(known), Some(original)) => {
            let before = (!known.created).then_some(original.as_str());
            Change {
                directories: known.directories.clone(),
                ..Change::new(&file.name, before, after)
            }
        }
        _ => {
            let parents = file.path.ancestors().skip(1);
            let new = parents.take_while(|parent| !parent.exists());
            let name = |path: &Path| {
                path.strip_prefix(root)
                    .unwrap_or(path)
                    .display()
                    .to_string()
            };
            let before = file.bare.as_ref().or(file.before.as_ref());
            Change {
                directories: new.map(name).collect(),
                ..Change::new(&file.name, before.map(String::as_str), after)
            }
        }
    };
    Change {
        was: was(&change),
        mode: known.map_or_else(|| mode_of(file), |known| known.mode),
        ..change
    }
}

/// The permissions of an existing executable.
fn mode_of(file: &Wanted) -> Option<u32> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let metadata = file
            .is_program
            .then(|| std::fs::metadata(&file.path).ok())??;
        Some(metadata.permissions().mode() & 0o7777)
    }
    #[cfg(not(unix))]
    {
        let _ = file;
        None
    }
}

/// Creates the repository's key if it has none. Without a key everything works, but unsealed.
fn make_key(site: &Site<'_>) {
    let Grounds {
        variables,
        repository,
        ..
    } = &site.grounds;
    let vault = repository.vault(variables.user_state(repository).as_deref());
    let _ = vault.ensure_key();
}

/// What the user needs to know or do after the setup.
fn advice(agent: Agent, scope: Scope) -> Option<String> {
    let text = match (agent, scope) {
        (Agent::Codex, _) => "Codex runs hooks only after you trust them: type /hooks in Codex",
        (Agent::Gemini, Scope::Project | Scope::Local) => {
            "Gemini CLI warns once about new project hooks"
        }
        (_, Scope::Project) => {
            "everyone else needs ckpt on their PATH; without it, the hooks do nothing"
        }
        _ => return None,
    };
    Some(text.to_owned())
}

fn file_report(file: &Wanted, dry_run: bool) -> FileReport {
    let text = |text: &Option<String>| text.clone().unwrap_or_default();
    let diff = dry_run && file.is_changed();
    FileReport {
        path: file.name.clone(),
        about: file.about.clone(),
        change: match (&file.before, &file.after) {
            (None, Some(_)) => "created",
            (Some(_), None) => "removed",
            _ if file.is_changed() => "changed",
            _ => "unchanged",
        },
        diff: diff.then(|| {
            let (before, after) = (text(&file.before), text(&file.after));
            unified(&file.name, before.as_bytes(), after.as_bytes())
        }),
    }
}

fn page(report: &Report) -> String {
    let mut page = String::new();
    let widths = report.files.iter().map(|file| file.path.chars().count());
    let width = widths.max().unwrap_or(0);
    for file in &report.files {
        let FileReport {
            change,
            path,
            about,
            diff,
        } = file;
        match diff {
            Some(diff) => page += diff,
            None => page += &format!("{change:<9}  {path:<width$}  ({about})\n"),
        }
    }
    for note in &report.notes {
        page += &format!("note: {note}\n");
    }
    if !report.dry_run && !report.agents.is_empty() {
        page += "Check it with: ckpt doctor\n";
    }
    page
}
