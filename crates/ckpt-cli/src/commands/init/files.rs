//! The files that `ckpt init` writes.

use std::path::{Component, Path, PathBuf};
use std::time::Duration;

use ckpt::files::{DirectoryLock, OutsideFile, Replaced};
use ckpt::handoff::{Library, document, extend};
use ckpt::repository::Repository;
use ckpt::tokens::SUMMARY_LIMIT;
use ckpt::voice::shell_word;
use ckpt_agents::Agent;
use ckpt_agents::install::{
    NotEditable, Part, Place, Program, Readers, Scope, Standing, added, holds_ours, registrations,
    servers_file, settings_file, standing, stripped, with_part,
};

use super::receipt::Receipt;
use super::{command, pre_push, remedy};
use crate::environment::Variables;
use crate::failure::{Exit, Failure};
use crate::schema::{Format, Kind};

/// A file and its intended content.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Wanted {
    /// Relative to the root of the repository, or absolute.
    pub(super) name: String,
    pub(super) path: PathBuf,
    /// What is added to it.
    pub(super) about: String,
    pub(super) before: Option<String>,
    /// The content without our part, if our part is already there and the original is unknown.
    pub(super) bare: Option<String>,
    pub(super) after: Option<String>,
    /// Whether it must be executable.
    pub(super) is_program: bool,
}

impl Wanted {
    pub(super) fn is_changed(&self) -> bool {
        self.before != self.after
    }
}

/// Where files are read and written.
pub(super) struct Grounds<'v> {
    pub(super) variables: &'v Variables,
    pub(super) root: PathBuf,
    pub(super) repository: Repository,
    pub(super) follow_symlinks: bool,
    /// How long to wait for other processes.
    pub(super) wait: Duration,
    /// The maximum number of tokens in a summary.
    pub(super) summary_limit: usize,
}

/// The largest settings file or document, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The default configuration of integrations.
const INTEGRATIONS: &str = r#"{
  "linear": {
    "enabled": true,
    "team": "Basecamp",
    "branch_prefix": "feature",
    "use_native_automation": true
  },
  "vercel": {
    "enabled": true,
    "wait_for_preview": true,
    "preview_timeout_ms": 300000,
    "require_preview_success": false
  }
}
"#;

pub(super) const INTEGRATIONS_FILE: &str = ".claude/config/integrations.json";
const SCHEMA_FILE: &str = ".claude/protocols/checkpoint-schema.md";
const HANDOFF_FILE: &str = ".claude/sub-agents/protocols/handoff.md";
const IGNORE_FILE: &str = ".gitignore";

/// Where scripts of other tools look for these files.
const SCRIPTS_DIRECTORY: &str = ".claude/scripts/lib";
const SCRIPTS: [&str; 3] = ["checkpoint-manager.cjs", "token-counter.cjs", "utils.cjs"];

/// Whether a repository gets files that load the Node package.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scripts {
    /// It gets them.
    Wanted,
    /// It keeps those it has.
    AsTheyAre,
}

/// The .gitignore rules to add, each with other spellings that have the same effect.
const IGNORED: [(&str, &[&str]); 2] = [
    (
        ".claude/state/",
        &[
            ".claude/state",
            "/.claude/state/",
            "/.claude/state",
            ".claude/",
            ".claude",
            "/.claude/",
        ],
    ),
    (
        "plans/*/.checkpoint/",
        &[
            "/plans/*/.checkpoint/",
            ".checkpoint/",
            ".checkpoint",
            "**/.checkpoint/",
        ],
    ),
];

impl Grounds<'_> {
    /// The recorded name of an agent's settings file, and its path.
    pub(super) fn place(&self, place: &Place) -> Result<(String, PathBuf), Failure> {
        let home = self
            .variables
            .home()
            .ok_or_else(|| Failure::new(Exit::Failed, "no home directory").with_hint("Set HOME"))?;
        let path = place.resolved(&self.root, &home, |name| self.variables.path(name));
        let own = self.variables.own_directories(&self.repository);
        if place.resolved(&self.root, &home, own) != path {
            let message = format!(
                "{} points into this repository, so it cannot hold your own settings",
                path.display()
            );
            return Err(Failure::new(Exit::Invalid, message)
                .with_hint("Unset the variable that names it, or use --project"));
        }
        let name = match path.strip_prefix(&self.root) {
            Ok(below) => below.display().to_string(),
            Err(_) => path.display().to_string(),
        };
        Ok((name, path))
    }

    /// The text of a file; `None` if it does not exist.
    pub(super) fn text(&self, name: &str, path: &Path) -> Result<Option<String>, Failure> {
        match self.file(path).read(LONGEST) {
            Ok(Some(content)) => match String::from_utf8(content) {
                Ok(text) => Ok(Some(text)),
                Err(_) => Err(
                    Failure::new(Exit::Invalid, format!("{name} is not valid UTF-8"))
                        .with_hint("The file was not changed"),
                ),
            },
            Ok(None) => Ok(None),
            Err(error) => {
                let message = format!("cannot read {name}: {error}");
                Err(Failure::new(Exit::Invalid, message).with_hint(
                    "Replace it with a regular file, or allow links with: ckpt config set --user follow_symlinks true",
                ))
            }
        }
    }

    /// The directory below which links are not followed: the repository may have come with a clone, and its git
    /// directory with an archive.
    fn guard<'p>(&'p self, path: &'p Path) -> Option<&'p Path> {
        let git = [self.repository.common_dir(), self.repository.git_dir()];
        let mut git = git.into_iter().flatten();
        match git.find(|git| path.starts_with(git)) {
            Some(git) => Some(git),
            None if path.starts_with(&self.root) => {
                Some(self.root.as_path()).filter(|_| !self.follow_symlinks)
            }
            None => path.parent().filter(|_| pre_push::has_its_name(path)),
        }
    }

    /// Whether a path in a receipt is one that `init` could have changed. An archive can bring a forged receipt.
    pub(super) fn is_possible(&self, name: &str) -> bool {
        let path = Path::new(name);
        let is_plain = |part: Component<'_>| !matches!(part, Component::ParentDir);
        let is_below = |git: &Path| path.starts_with(git);
        path.components().all(is_plain)
            && (path.is_relative()
                || self.repository.common_dir().is_some_and(is_below)
                || self.repository.git_dir().is_some_and(is_below))
    }

    fn file<'g>(&'g self, path: &'g Path) -> OutsideFile<'g> {
        let file = match self.guard(path) {
            Some(guard) => OutsideFile::below(guard, path, self.wait),
            None => OutsideFile::own(path, self.wait),
        };
        match self.git_config().as_deref() == Some(path) {
            true => file.that_git_locks(),
            false => file,
        }
    }

    /// The configuration that all worktrees share.
    pub(super) fn git_config(&self) -> Option<PathBuf> {
        Some(self.repository.common_dir()?.join("config"))
    }

    /// Writes a file, or removes it, unless somebody else has changed it since it was read.
    pub(super) fn write(
        &self,
        wanted: &Wanted,
        lock: Option<&DirectoryLock>,
    ) -> Result<Replaced, Failure> {
        let file = self.file(&wanted.path).while_holding(lock);
        let before = wanted.before.as_ref().map(String::as_bytes);
        let Some(after) = &wanted.after else {
            return Ok(file.remove(before.unwrap_or_default())?);
        };
        if wanted.is_changed() {
            let guard = self.guard(&wanted.path);
            make_directory(guard.or(wanted.path.parent()).unwrap_or(&wanted.path))?;
        }
        let replaced = file.replace(before, after.as_bytes())?;
        if replaced == Replaced::Done && wanted.is_changed() {
            set_executable(wanted)?;
        }
        Ok(replaced)
    }

    /// An agent's settings with our hooks.
    pub(super) fn settings(
        &self,
        agent: Agent,
        scope: Scope,
        program: &Program,
    ) -> Result<Wanted, Failure> {
        let place = settings_file(agent, scope);
        let about = format!("{} hooks for {agent}", registrations(agent).len());
        let mut wanted = self.settings_as_they_are(&place, scope, about)?;
        let text = wanted.before.as_deref().unwrap_or_default();
        let after = added(text, &place, program);
        wanted.after = Some(
            after.map_err(|error| not_editable(&wanted.name, &error, &command(agent, scope)))?,
        );
        Ok(wanted)
    }

    /// Adds a part to an agent's settings, which may be among the files already. Unless it is asked for, a part is only
    /// kept up to date.
    pub(super) fn part(
        &self,
        files: &mut Vec<Wanted>,
        (agent, part): (Agent, Part),
        asked: Asked,
        program: &Program,
        notes: &mut Vec<String>,
    ) -> Result<(), Failure> {
        let Asked { scope, flag, is_on } = asked;
        let place = match part {
            Part::McpServer => servers_file(agent, scope),
            Part::StatusLine => Some(settings_file(agent, scope)),
        };
        let Some(place) = place else {
            if is_on {
                let program = shell_word(&program.path);
                notes.push(format!(
                    "register the MCP server for {agent} with: claude mcp add --scope user ckpt -- {program} mcp"
                ));
            }
            return Ok(());
        };
        let (name, path) = self.place(&place)?;
        let known = files.iter().position(|file| file.path == path);
        let mut wanted = match known {
            Some(known) => files[known].clone(),
            None if !is_on && self.text(&name, &path)?.is_none() => return Ok(()),
            None => self.settings_as_they_are(&place, scope, String::new())?,
        };
        let text = wanted.after.as_deref().unwrap_or_default();
        let what = match part {
            Part::McpServer => "MCP server",
            Part::StatusLine => "status line",
        };
        match standing(text, &place, part) {
            Standing::Missing if !is_on => return Ok(()),
            Standing::Theirs => {
                if is_on {
                    notes.push(format!("{name} has a {what} of its own, which stays"));
                }
                return Ok(());
            }
            Standing::Missing | Standing::Ours(_) => {}
        }
        let again = format!("{} {flag}", command(agent, scope));
        let after = with_part(text, &place, part, program);
        wanted.after = Some(after.map_err(|error| not_editable(&name, &error, &again))?);
        if !wanted.about.contains(what) {
            let gap = if wanted.about.is_empty() { "" } else { ", " };
            wanted.about = format!("{}{gap}{what}", wanted.about);
        }
        match known {
            Some(known) => files[known] = wanted,
            None => files.push(wanted),
        }
        Ok(())
    }

    /// A settings file, without a change.
    fn settings_as_they_are(
        &self,
        place: &Place,
        scope: Scope,
        about: String,
    ) -> Result<Wanted, Failure> {
        let agent = place.agent;
        let (name, path) = self.place(place)?;
        let before = self.text(&name, &path)?;
        let is_shared = scope == Scope::Local && place.readers == Readers::Everybody;
        if is_shared && self.repository.is_tracked(&name) {
            let message =
                format!("{name} is tracked by git, and {agent} has no settings file for you alone");
            return Err(Failure::new(Exit::Invalid, message).with_hint(
                "Use --project to set it up for everyone, or --user for all your repositories",
            ));
        }
        let text = before.as_deref().unwrap_or_default();
        let bare = match holds_ours(text, place) {
            true => stripped(text, place).ok(),
            false => None,
        };
        Ok(Wanted {
            name,
            path,
            about,
            after: before.clone(),
            before,
            bare,
            is_program: false,
        })
    }

    /// Hides new settings files from git: they contain the path of a program on this machine.
    pub(super) fn excluded(&self, files: &[Wanted]) -> Result<Option<Wanted>, Failure> {
        let new = files.iter().filter(|file| file.before.is_none());
        let lines: Vec<String> = new.map(|file| format!("/{}", file.name)).collect();
        let Some(common) = self.repository.common_dir().filter(|_| !lines.is_empty()) else {
            return Ok(None);
        };
        let path = common.join("info/exclude");
        let before = self.text(".git/info/exclude", &path)?;
        let lines: Vec<&str> = lines.iter().map(String::as_str).collect();
        // If the lines are there already, writing the file again sweeps up after a run that was killed.
        let after = with_lines(before.as_deref(), &lines).or_else(|| before.clone());
        Ok(Some(Wanted {
            name: path
                .strip_prefix(&self.root)
                .unwrap_or(&path)
                .display()
                .to_string(),
            path: path.clone(),
            about: "hides local files from git".to_owned(),
            before,
            bare: None,
            is_program: false,
            after,
        }))
    }

    /// The documents that a repository gets.
    pub(super) fn documents(
        &self,
        receipt: &Receipt,
        scripts: Scripts,
    ) -> Result<(Vec<Wanted>, Vec<String>), Failure> {
        let mut notes = Vec::new();
        let mut wanted = Vec::new();
        let schema = Kind::Command.text(Format::Markdown);
        let mut files = vec![
            (
                INTEGRATIONS_FILE.to_owned(),
                INTEGRATIONS.to_owned(),
                "integration settings",
            ),
            (
                SCHEMA_FILE.to_owned(),
                schema.replace(&SUMMARY_LIMIT.to_string(), &self.summary_limit.to_string()),
                "checkpoint format",
            ),
        ];
        if scripts == Scripts::Wanted {
            files.extend(SCRIPTS.iter().map(|script| {
                let name = format!("{SCRIPTS_DIRECTORY}/{script}");
                let text = format!("module.exports = require(\"ckpt/{script}\");\n");
                (name, text, "loads the Node package")
            }));
        }
        for (name, text, about) in files {
            let path = self.root.join(&name);
            let file = self.own_file((name, path), about, text, receipt)?;
            if file.is_theirs && about == "loads the Node package" {
                notes.push(kept_as_it_is(&file.wanted.name));
            }
            wanted.push(file.wanted);
        }
        let has_scripts = scripts == Scripts::Wanted || has_scripts(&self.root);
        let library = match has_scripts {
            true => Library::Scripts,
            false => Library::Package,
        };
        wanted.extend(self.handoff(receipt, library, &mut notes)?);
        if self.repository.is_git() {
            wanted.extend(self.ignored()?);
        }
        Ok((wanted, notes))
    }

    /// A file with a content of ours. One that we wrote is updated, but not one that others wrote or changed.
    pub(super) fn own_file(
        &self,
        (name, path): (String, PathBuf),
        about: &str,
        text: String,
        receipt: &Receipt,
    ) -> Result<OwnFile, Failure> {
        let before = self.text(&name, &path)?;
        let is_ours = before.as_deref().is_none_or(|before| {
            let known = receipt.find(&name).filter(|change| change.created);
            known.is_some_and(|change| change.undone(before).as_deref() == Some(""))
        });
        let is_theirs = !is_ours && before.as_ref() != Some(&text);
        let after = match is_ours {
            true => Some(text),
            false => before.clone(),
        };
        Ok(OwnFile {
            is_theirs,
            wanted: Wanted {
                name,
                path,
                about: about.to_owned(),
                before,
                bare: None,
                is_program: false,
                after,
            },
        })
    }

    fn handoff(
        &self,
        receipt: &Receipt,
        library: Library,
        notes: &mut Vec<String>,
    ) -> Result<Option<Wanted>, Failure> {
        let path = self.root.join(HANDOFF_FILE);
        let before = self.text(HANDOFF_FILE, &path)?;
        let known = receipt.find(HANDOFF_FILE).filter(|change| change.created);
        let is_ours =
            |text: &str| known.is_some_and(|change| change.undone(text).as_deref() == Some(""));
        let after = match &before {
            None => document(library, self.summary_limit),
            Some(text) if is_ours(text) => document(library, self.summary_limit),
            Some(text) => match extend(text, library, self.summary_limit) {
                Ok(extended) => extended.text,
                Err(error) => {
                    notes.push(format!("{HANDOFF_FILE} was not changed: {error}"));
                    return Ok(None);
                }
            },
        };
        Ok(Some(Wanted {
            name: HANDOFF_FILE.to_owned(),
            path,
            about: "handoff protocol".to_owned(),
            before,
            bare: None,
            is_program: false,
            after: Some(after),
        }))
    }

    fn ignored(&self) -> Result<Option<Wanted>, Failure> {
        let path = self.root.join(IGNORE_FILE);
        let before = self.text(IGNORE_FILE, &path)?;
        let lines: Vec<&str> = before.iter().flat_map(|text| text.lines()).collect();
        // An exception may cancel the rules before it. Trailing spaces are not part of a rule.
        let excepted = lines.iter().rposition(|rule| rule.starts_with('!'));
        let lines = &lines[excepted.map_or(0, |last| last + 1)..];
        let has = |line: &str| lines.iter().any(|rule| rule.trim_end_matches(' ') == line);
        let missing = IGNORED
            .iter()
            .filter(|(line, same)| !has(line) && !same.iter().any(|line| has(line)));
        let missing: Vec<&str> = missing.map(|(line, _)| *line).collect();
        let after = with_lines(before.as_deref(), &missing);
        Ok(Some(Wanted {
            name: IGNORE_FILE.to_owned(),
            path,
            about: "keeps state out of git".to_owned(),
            after: after.or_else(|| before.clone()),
            bare: None,
            is_program: false,
            before,
        }))
    }
}

/// A file that is all ours.
pub(super) struct OwnFile {
    pub(super) wanted: Wanted,
    /// Whether somebody else has written or changed it, so that it stays.
    pub(super) is_theirs: bool,
}

/// What is said about a file that others have written.
pub(super) fn kept_as_it_is(name: &str) -> String {
    format!("{name} was not changed: it has content of its own")
}

/// Whether a part was asked for, for whom, and with which option.
#[derive(Debug, Clone, Copy)]
pub(super) struct Asked {
    pub(super) scope: Scope,
    pub(super) flag: &'static str,
    pub(super) is_on: bool,
}

fn not_editable(name: &str, error: &NotEditable, command: &str) -> Failure {
    Failure::new(Exit::Invalid, format!("{name}: {error}")).with_hint(remedy(error, command))
}

/// Whether a repository has the file that scripts load to count tokens.
pub(crate) fn has_scripts(root: &Path) -> bool {
    let file = root.join(SCRIPTS_DIRECTORY).join("token-counter.cjs");
    file.is_file()
}

/// Makes the file executable, if it should be.
fn set_executable(file: &Wanted) -> Result<(), Failure> {
    match file.is_program {
        true => set_mode(&file.path, 0o755),
        false => Ok(()),
    }
}

pub(super) fn set_mode(path: &Path, mode: u32) -> Result<(), Failure> {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(path, mode).map_err(|error| {
            Failure::io(format!("cannot set the mode of {}", path.display()), &error)
        })?;
    }
    #[cfg(not(unix))]
    let _ = (path, mode);
    Ok(())
}

pub(super) fn make_directory(path: &Path) -> Result<(), Failure> {
    std::fs::create_dir_all(path)
        .map_err(|error| Failure::io(format!("cannot create {}", path.display()), &error))
}

/// Appends the lines that a text lacks; `None` if it has them all.
pub(super) fn with_lines(text: Option<&str>, lines: &[&str]) -> Option<String> {
    let text = text.unwrap_or_default();
    let missing = lines
        .iter()
        .filter(|line| !text.lines().any(|known| known == **line));
    let missing: Vec<&&str> = missing.collect();
    if missing.is_empty() {
        return None;
    }
    let end = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut longer = text.to_owned();
    if !longer.is_empty() && !longer.ends_with('\n') {
        longer += end;
    }
    for line in missing {
        longer += line;
        longer += end;
    }
    Some(longer)
}
