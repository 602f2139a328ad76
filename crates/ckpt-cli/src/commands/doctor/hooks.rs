//! Checks which hooks are installed where, and whether they fire.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use ckpt::Timestamp;
use ckpt::files::{OutsideFile, Replaced, read_below, read_own};
use ckpt::repository::without_settings;
use ckpt_agents::Agent;
use ckpt_agents::install::{
    Found, Place, Program, Scope, added, flaws, found, registrations, settings_file,
};
use serde::Serialize;

use super::super::hook::Fired;
use super::super::init;
use super::{Examination, Fixes, Verdict};
use crate::failure::Failure;
use crate::settings::contested;

/// Only calls younger than this count as recent, in milliseconds.
const RECENT: i64 = 7 * 24 * 60 * 60 * 1000;

/// How many errors are shown; the log has the rest.
const MOST_ERRORS: usize = 3;

/// The hooks of one agent in one settings file.
pub(super) struct Installed {
    pub(super) agent: Agent,
    pub(super) scope: Scope,
    pub(super) file: String,
    pub(super) found: Vec<Found>,
}

/// A settings file of an agent, whether it exists or not.
struct File {
    place: Place,
    scope: Scope,
    path: PathBuf,
    name: String,
    text: String,
}

/// The calls of one hook.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "HookCalls"))]
pub(crate) struct FiredReport {
    pub(super) agent: String,
    pub(super) event: String,
    pub(super) calls: usize,
    pub(super) errors: usize,
    pub(super) p50_us: u64,
    pub(super) p99_us: u64,
    pub(super) last: String,
}

impl Examination<'_> {
    pub(super) fn versions(&mut self) {
        let mut git = Command::new("git");
        without_settings(&mut git);
        let git = git.arg("--version").current_dir("/").output();
        let git = git
            .ok()
            .map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
        let git = git.unwrap_or_else(|| "no git".to_owned());
        let version = env!("CARGO_PKG_VERSION");
        self.note(
            Verdict::Ok,
            "version",
            format!("ckpt {version}, {}", git.trim()),
        );
    }

    /// Checks the settings of ckpt itself.
    pub(super) fn settings(&mut self) {
        for ignored in std::mem::take(&mut self.own.ignored) {
            self.note(Verdict::Warning, "settings", ignored);
        }
        for failure in std::mem::take(&mut self.own.broken) {
            self.note(Verdict::Broken, "settings", failure.message());
            self.advise("Fix or remove it; until then it is ignored, gates are enforced, and only a person can approve");
        }
    }

    /// Reads every agent's settings, both shared and the user's own.
    pub(super) fn installed(&mut self) -> Vec<Installed> {
        let mut installed = Vec::new();
        let root = self.session.workspace.repository().root().to_owned();
        let Some(home) = self.variables.home() else {
            return installed;
        };
        let recorded = init::recorded(self.variables, self.session).unwrap_or_else(|failure| {
            self.note(Verdict::Warning, "hooks", failure.message());
            self.advise("Run it as the user who ran ckpt init");
            Vec::new()
        });
        let own = self
            .variables
            .own_directories(self.session.workspace.repository());
        let mut seen = Vec::new();
        for agent in Agent::ALL {
            for scope in [Scope::Local, Scope::Project, Scope::User] {
                let place = settings_file(agent, scope);
                let path = place.resolved(&root, &home, &own);
                if seen.contains(&(agent, path.clone())) {
                    continue;
                }
                seen.push((agent, path.clone()));
                let name = path.strip_prefix(&root).unwrap_or(&path);
                let name = name.display().to_string();
                let text = text_of(&root, &path);
                let hooks = found(&text, agent);
                let record = recorded.iter().find(|record| record.path == name);
                let by_name = match hooks.first() {
                    Some(hook) => hook.words.first().is_some_and(|program| program == "ckpt"),
                    None => record.is_some_and(|record| record.calls_by_name(agent)),
                };
                let file = File {
                    // If both scopes share a file, the program it calls tells which scope it is for.
                    scope: match scope {
                        Scope::Local if by_name => Scope::Project,
                        scope => scope,
                    },
                    place,
                    path,
                    name,
                    text,
                };
                self.usability(&file);
                if hooks.is_empty() && record.is_some() {
                    self.note(
                        Verdict::Broken,
                        "hooks",
                        format!("{agent}: the hooks in {} are gone", file.name),
                    );
                    self.advise(format!(
                        "Reinstall them with: {}, or clean up with: {}",
                        init::command(agent, file.scope),
                        init::command_to_undo(file.scope)
                    ));
                }
                if !hooks.is_empty() {
                    if let Err(failure) = self.completeness(&file, &hooks) {
                        self.note(Verdict::Broken, "hooks", failure.message());
                    }
                    installed.push(Installed {
                        agent,
                        scope: file.scope,
                        file: file.name,
                        found: hooks,
                    });
                }
            }
        }
        if installed.is_empty() {
            self.note(
                Verdict::Warning,
                "hooks",
                "no agent is set up to call ckpt here",
            );
            self.advise("Set one up with: ckpt init");
        }
        installed
    }

    /// Checks that hooks can be added to an agent's settings.
    fn usability(&mut self, file: &File) {
        let (agent, name) = (file.place.agent, &file.name);
        if let Err(error) = added(&file.text, &file.place, &Program::new("ckpt")) {
            self.note(
                Verdict::Broken,
                "settings",
                format!("{agent}: {name}: {error}"),
            );
            self.advise(init::remedy(&error, &init::command(agent, file.scope)));
        }
    }

    /// Checks that all hooks are installed as this version needs them.
    fn completeness(&mut self, file: &File, hooks: &[Found]) -> Result<(), Failure> {
        let (agent, name) = (file.place.agent, &file.name);
        let wanted = registrations(agent);
        let is_there = |event: &str| hooks.iter().any(|hook| hook.event == event);
        let missing: Vec<&str> = wanted
            .iter()
            .map(|one| one.event)
            .filter(|event| !is_there(event))
            .collect();
        let flaws = flaws(&file.text, agent, self.own.settings.hook_deadline());
        let is_told = |event: &str| flaws.iter().any(|flaw| flaw.event == event);
        let old = hooks
            .iter()
            .filter(|hook| !hook.is_current && !is_told(&hook.event))
            .count();
        if missing.is_empty() && flaws.is_empty() && old == 0 {
            self.note(
                Verdict::Ok,
                "hooks",
                format!("{agent}: all {} in {name}", wanted.len()),
            );
            return Ok(());
        }
        // A fixed hook calls this program, whatever it called before: a clone may have named a different one.
        if self.fixes == Fixes::Wanted
            && let Ok(updated) = added(
                &file.text,
                &file.place,
                &init::detect::program(self.variables, file.scope)?,
            )
        {
            self.replace(file, &updated)?;
            self.note(
                Verdict::Fixed,
                "hooks",
                format!("{agent}: updated the hooks in {name}"),
            );
            return Ok(());
        }
        if !missing.is_empty() {
            let text = format!("{agent}: {} missing from {name}", missing.join(", "));
            self.note(Verdict::Broken, "hooks", text);
            self.advise("Update them with: ckpt doctor --fix");
        }
        for flaw in &flaws {
            self.note(Verdict::Broken, "hooks", format!("{agent}: {name}: {flaw}"));
            let command = init::command(agent, file.scope);
            self.advise(format!("Fix it with: {command}"));
        }
        if missing.is_empty() && old > 0 {
            // Only hooks of earlier versions have arguments, and Copilot CLI reads the settings of Claude Code.
            let misread = match agent == Agent::Claude && file.text.contains("\"args\"") {
                true => ", and Copilot CLI would run them without their arguments",
                false => "",
            };
            let text = format!("{agent}: {old} in {name} are out of date{misread}");
            self.note(Verdict::Warning, "hooks", text);
            self.advise("Update them with: ckpt doctor --fix");
        }
        Ok(())
    }

    fn replace(&self, file: &File, text: &str) -> Result<(), Failure> {
        let root = self.session.workspace.repository().root();
        let settings = &self.session.settings;
        let wait = Duration::from_millis(settings.lock_timeout_ms());
        let outside = match file.path.starts_with(root) && !settings.follow_symlinks() {
            true => OutsideFile::below(root, &file.path, wait),
            false => OutsideFile::own(&file.path, wait),
        };
        match outside.replace(Some(file.text.as_bytes()), text.as_bytes())? {
            Replaced::Done => Ok(()),
            Replaced::Overtaken => Err(contested(&file.path)),
        }
    }

    /// Checks whether hooks fire, and reports recent errors.
    pub(super) fn firing(&mut self, installed: &[Installed], log: &[Fired]) {
        let now = self.session.now();
        let is_recent = |at: &Timestamp| now.as_millisecond() - at.as_millisecond() < RECENT;
        let recent: Vec<&Fired> = log.iter().filter(|fired| is_recent(&fired.at)).collect();
        for Installed {
            agent, file, found, ..
        } in installed
        {
            let fired = |event: &str| {
                let mut calls = recent.iter();
                calls.any(|one| one.agent == agent.as_str() && one.event == event)
            };
            let silent: Vec<&str> = found
                .iter()
                .map(|hook| hook.event.as_str())
                .filter(|event| !fired(event))
                .collect();
            match silent.len() {
                0 => self.note(
                    Verdict::Ok,
                    "fired",
                    format!("{agent}: all hooks in {file} fired this week"),
                ),
                all if all == found.len() => {
                    self.note(
                        Verdict::Warning,
                        "fired",
                        format!("{agent}: no hooks in {file} fired this week"),
                    );
                    self.advise(match agent {
                        Agent::Codex => {
                            "Codex runs hooks only after you trust them: type /hooks in Codex"
                        }
                        _ => "Start an agent session here, then check again",
                    });
                }
                _ => {
                    let text = format!(
                        "{agent}: all hooks in {file} fired this week except {}",
                        silent.join(", ")
                    );
                    self.note(Verdict::Ok, "fired", text);
                }
            }
        }
        let errors: Vec<&&Fired> = recent
            .iter()
            .filter(|fired| fired.error.is_some())
            .collect();
        for fired in errors.iter().rev().take(MOST_ERRORS) {
            let error = fired.error.as_deref().unwrap_or_default();
            let late = if fired.late { ", late" } else { "" };
            let text = format!(
                "{} {}{late} at {}: {error}",
                fired.agent, fired.event, fired.at
            );
            self.note(Verdict::Warning, "failed", text);
        }
        if errors.len() > MOST_ERRORS {
            let more = errors.len() - MOST_ERRORS;
            self.note(
                Verdict::Warning,
                "failed",
                format!("{more} more this week, in .claude/state/hooks.jsonl"),
            );
        }
    }
}

/// The largest settings file of an agent, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// The text of a settings file; empty if it does not exist. Links in the repository are not followed.
pub(super) fn text_of(root: &Path, path: &Path) -> String {
    let content = match path.starts_with(root) {
        true => read_below(root, path, LONGEST),
        false => read_own(path, LONGEST),
    };
    let text = content
        .ok()
        .and_then(|content| String::from_utf8(content).ok());
    text.unwrap_or_default()
}

/// The calls per hook, including hooks that were never called.
pub(super) fn fired(log: &[Fired], installed: &[Installed]) -> Vec<FiredReport> {
    let mut by_hook: BTreeMap<(&str, &str), Vec<&Fired>> = BTreeMap::new();
    for Installed { agent, found, .. } in installed {
        for hook in found {
            by_hook.entry((agent.as_str(), &hook.event)).or_default();
        }
    }
    // No agent waited for late calls, so their times do not count.
    for fired in log.iter().filter(|fired| !fired.late) {
        by_hook
            .entry((&fired.agent, &fired.event))
            .or_default()
            .push(fired);
    }
    let report = |((agent, event), calls): ((&str, &str), Vec<&Fired>)| {
        let mut times: Vec<u64> = calls.iter().map(|call| call.microseconds).collect();
        times.sort_unstable();
        let part = |hundredth: usize| {
            let at = (times.len() * hundredth / 100).min(times.len().saturating_sub(1));
            times.get(at).copied().unwrap_or_default()
        };
        let last = calls.iter().map(|call| call.at).max();
        FiredReport {
            agent: agent.to_owned(),
            event: event.to_owned(),
            calls: calls.len(),
            errors: calls.iter().filter(|call| call.error.is_some()).count(),
            p50_us: part(50),
            p99_us: part(99),
            last: last.map_or_else(|| "never".to_owned(), |last| last.to_string()),
        }
    };
    by_hook.into_iter().map(report).collect()
}
