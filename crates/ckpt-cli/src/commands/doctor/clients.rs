//! Checks what the clients need besides their settings: a recent version, the user's trust, and a shell that finds `ckpt`.

use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use ckpt::process::{Ending, RunRequest, run};
use ckpt::voice::shell_word;
use ckpt_agents::Agent;
use ckpt_agents::install::{
    Part, Scope, Standing, codex_trusts, copilot_trusts, gemini_asks_for_trust, gemini_trusts,
    oldest_version, plugin_is_enabled, servers_file, settings_file, standing, traces,
    uncalled_by_codex,
};

use super::calls::{Called, called_program};
use super::hooks::{Installed, text_of};
use super::{Examination, Verdict};
use crate::commands::init;
use crate::environment::{self, Variables};

/// A shell that takes longer to start is not waited for.
const PATIENCE: Duration = Duration::from_secs(5);

impl<'s> Examination<'s> {
    /// Checks the clients whose hooks are installed.
    pub(super) fn clients(&mut self, installed: &[Installed]) {
        self.servers();
        let mut agents: Vec<Agent> = Vec::new();
        for one in installed {
            if !agents.contains(&one.agent) {
                agents.push(one.agent);
            }
        }
        for agent in &agents {
            self.version_of(*agent);
        }
        if agents.contains(&Agent::Claude) {
            self.plugin_beside(installed);
        }
        for one in installed {
            match one.agent {
                Agent::Codex => self.trust_of_codex(one),
                Agent::Gemini => self.trust_of_gemini(one),
                Agent::Copilot => self.trust_of_copilot(one),
                Agent::Claude | Agent::Cursor => {}
            }
        }
        if !agents.is_empty() {
            self.shells(&agents);
        }
    }

    /// Checks that registered MCP servers call this program.
    fn servers(&mut self) {
        let Some(home) = self.variables.home() else {
            return;
        };
        let root = self.session.workspace.repository().root().to_owned();
        let own = self.own_directories();
        let mut seen: Vec<PathBuf> = Vec::new();
        for agent in Agent::ALL {
            for scope in [Scope::Local, Scope::User] {
                let Some(place) = servers_file(agent, scope) else {
                    continue;
                };
                let path = place.resolved(&root, &home, &own);
                if seen.contains(&path) {
                    continue;
                }
                let text = text_of(&root, &path);
                let Standing::Ours(words) = standing(&text, &place, Part::McpServer) else {
                    continue;
                };
                let name = path
                    .strip_prefix(&root)
                    .unwrap_or(&path)
                    .display()
                    .to_string();
                let scope = match words[0].as_str() {
                    "ckpt" if scope == Scope::Local => Scope::Project,
                    _ => scope,
                };
                match called_program(self.variables, &words) {
                    Called::Own(_) => {
                        self.note(
                            Verdict::Ok,
                            "mcp",
                            format!("ckpt mcp is registered in {name}"),
                        );
                    }
                    Called::Other | Called::Nothing => {
                        let text =
                            format!("{name} registers {}, which is not this program", words[0]);
                        self.note(Verdict::Warning, "mcp", text);
                        let command = init::command(agent, scope);
                        self.advise(format!("Update it with: {command} --mcp"));
                    }
                }
                seen.push(path);
            }
        }
    }

    /// Checks that a client is recent enough to know the hooks.
    fn version_of(&mut self, agent: Agent) {
        let Some(oldest) = oldest_version(agent) else {
            return;
        };
        let programs = traces(agent).programs.iter();
        let program = programs
            .clone()
            .find_map(|name| init::detect::on_path(self.variables, name));
        let Some(program) = program else {
            return;
        };
        let Some(version) = version_at(&program) else {
            return;
        };
        if numbers(&version) >= numbers(oldest) {
            self.note(Verdict::Ok, "client", format!("{agent} {version}"));
            return;
        }
        let text =
            format!("{agent} {version} is older than {oldest}, so some hooks are never called");
        self.note(Verdict::Warning, "client", text);
        self.advise(format!("Update {agent}"));
    }

    /// Checks whether the plugin for Claude Code is enabled beside hooks in its settings.
    fn plugin_beside(&mut self, installed: &[Installed]) {
        let Some(home) = self.variables.home() else {
            return;
        };
        let root = self.session.workspace.repository().root().to_owned();
        let own = self.own_directories();
        // The nearest settings decide.
        let enabled = [Scope::Local, Scope::Project, Scope::User].into_iter();
        let mut enabled = enabled.filter_map(|scope| {
            let path = settings_file(Agent::Claude, scope).resolved(&root, &home, &own);
            plugin_is_enabled(&text_of(&root, &path))
        });
        if enabled.next() != Some(true) {
            return;
        }
        let hooks = installed.iter().find(|one| one.agent == Agent::Claude);
        let Some(hooks) = hooks else {
            return;
        };
        let text = format!(
            "claude: the plugin is enabled beside the hooks in {}: every event starts ckpt twice, and is acted on once",
            hooks.file
        );
        self.note(Verdict::Warning, "hooks", text);
        let undo = init::command_to_undo(hooks.scope);
        self.advise(format!(
            "Keep one: claude plugin uninstall ckpt@ckpt, or: {undo} --agent claude"
        ));
    }

    /// Checks that Codex has been told to trust the project and the hooks.
    fn trust_of_codex(&mut self, hooks: &Installed) {
        let Some(config) = self.text_in_home(Agent::Codex, "config.toml") else {
            return;
        };
        let root = self.session.workspace.repository().root().to_owned();
        let file = root.join(&hooks.file);
        if hooks.scope != Scope::User && !codex_trusts(&config, &root) {
            self.note(
                Verdict::Warning,
                "trust",
                format!(
                    "codex does not trust this folder, so it ignores {}",
                    hooks.file
                ),
            );
            self.advise(
                "Start codex here and trust the folder; then type /hooks and trust the hooks",
            );
            return;
        }
        let uncalled = uncalled_by_codex(&config, &file, &text_of(&root, &file));
        let kinds = [
            (uncalled.untrusted, "not trusted yet"),
            (uncalled.changed, "changed since you trusted them"),
            (uncalled.disabled, "switched off"),
        ];
        let kinds = kinds.iter().filter(|(count, _)| *count > 0);
        let kinds: Vec<String> = kinds
            .map(|(count, kind)| format!("{count} {kind}"))
            .collect();
        if kinds.is_empty() {
            self.note(
                Verdict::Ok,
                "trust",
                format!("codex trusts the hooks in {}", hooks.file),
            );
            return;
        }
        let text = format!(
            "codex does not call all hooks in {}: {}",
            hooks.file,
            kinds.join(", ")
        );
        self.note(Verdict::Warning, "trust", text);
        self.advise("Start codex here, type /hooks, and trust them");
    }

    /// Checks that Gemini CLI trusts the folder. In one that it does not trust, it drops all hooks.
    fn trust_of_gemini(&mut self, hooks: &Installed) {
        let variables = self.variables;
        let is_on = |name: &str| variables.text(name).as_deref() == Some("true");
        let root = self.session.workspace.repository().root().to_owned();
        let settings = self.text_in_home(Agent::Gemini, "settings.json");
        let own = self.own_directories();
        let moved = own(environment::GEMINI_CLI_TRUSTED_FOLDERS_PATH);
        let rules = match moved {
            Some(path) => text_of(&root, &path),
            None => self
                .text_in_home(Agent::Gemini, "trustedFolders.json")
                .unwrap_or_default(),
        };
        let is_trusted = !is_on(environment::GEMINI_RESTRICTED_MODE)
            && (is_on(environment::GEMINI_CLI_TRUST_WORKSPACE)
                || !gemini_asks_for_trust(settings.as_deref().unwrap_or_default())
                || gemini_trusts(&rules, &root));
        self.folder(
            hooks,
            is_trusted,
            "Start gemini here and trust the folder, or type /permissions in it",
        );
    }

    /// Checks that Copilot CLI trusts the folder. In one that it does not trust, it loads no hooks of the repository.
    fn trust_of_copilot(&mut self, hooks: &Installed) {
        if hooks.scope == Scope::User {
            return;
        }
        let root = self.session.workspace.repository().root().to_owned();
        let config = self.text_in_home(Agent::Copilot, "config.json");
        let is_trusted = self
            .variables
            .text(environment::COPILOT_ALLOW_ALL)
            .as_deref()
            == Some("true")
            || copilot_trusts(config.as_deref().unwrap_or_default(), &root);
        self.folder(
            hooks,
            is_trusted,
            "Start copilot here and trust the folder; with -p, add --trust-folder",
        );
    }

    fn folder(&mut self, hooks: &Installed, is_trusted: bool, advice: &str) {
        let agent = hooks.agent;
        match is_trusted {
            true => self.note(Verdict::Ok, "trust", format!("{agent} trusts this folder")),
            false => {
                let text = format!(
                    "{agent} does not trust this folder, so it ignores {}",
                    hooks.file
                );
                self.note(Verdict::Warning, "trust", text);
                self.advise(advice);
            }
        }
    }

    /// Checks that agents find `ckpt` in the shell that they run commands in.
    fn shells(&mut self, agents: &[Agent]) {
        if init::detect::on_path(self.variables, "ckpt").is_none() {
            self.note(
                Verdict::Warning,
                "shell",
                "ckpt is not on your PATH, so agents cannot run it in their shell",
            );
            self.advise(
                "Put it, or a link to it, into a directory on your PATH, such as ~/.local/bin",
            );
            return;
        }
        let login: Vec<&str> = agents
            .iter()
            .filter(|agent| matches!(agent, Agent::Codex | Agent::Copilot))
            .map(|agent| agent.as_str())
            .collect();
        let Some(shell) = self.login_shell().filter(|_| !login.is_empty()) else {
            return;
        };
        let found = output(&format!(
            "env -u BASH_ENV -u ENV -u ZDOTDIR {} -lc 'command -v ckpt'",
            shell_word(&shell)
        ));
        if found.is_none_or(|found| !found.trim().is_empty()) {
            return;
        }
        let text = format!(
            "`{shell} -lc` does not find ckpt, because your profile changes PATH; this is how {} runs commands",
            login.join(" or ")
        );
        self.note(Verdict::Warning, "shell", text);
        self.advise(
            "Set PATH in the profile of your login shell, or put ckpt into a directory that it has",
        );
    }

    /// The user's shell, if it is one of the system and reads its profile from the user's own directory: in a session of an
    /// agent, a clone can set variables.
    fn login_shell(&self) -> Option<String> {
        let shell = self.variables.text(environment::SHELL)?;
        let known = std::fs::read_to_string("/etc/shells").unwrap_or_default();
        let is_known = known.lines().any(|line| line == shell);
        let is_posix = ["bash", "zsh", "sh", "dash", "ksh"]
            .iter()
            .any(|name| Path::new(&shell).file_name() == Some(name.as_ref()));
        let is_own = self.own_directories()(environment::HOME).is_some();
        (is_known && is_posix && is_own).then_some(shell)
    }

    fn own_directories(&self) -> impl Fn(&str) -> Option<PathBuf> + use<'s> {
        let variables: &'s Variables = self.variables;
        variables.own_directories(self.session.workspace.repository())
    }

    /// A file in an agent's own directory; `None` without a home.
    fn text_in_home(&self, agent: Agent, name: &str) -> Option<String> {
        let home = self.variables.home()?;
        let directory = traces(agent).home.resolved(&home, self.own_directories());
        let root = self.session.workspace.repository().root();
        Some(text_of(root, &directory.join(name)))
    }
}

/// The version of a program: from its package, or from a directory or file named after it. The program is not run: in a
/// session of an agent, a clone can decide what is on the `PATH`.
fn version_at(program: &Path) -> Option<String> {
    let real = program.canonicalize().ok()?;
    let near = || real.ancestors().take(4);
    let packaged = near().skip(1).find_map(|directory| {
        let text = std::fs::read_to_string(directory.join("package.json")).ok()?;
        let package: serde_json::Value = serde_json::from_str(&text).ok()?;
        Some(package["version"].as_str()?.to_owned())
    });
    let mut names = near().filter_map(|path| path.file_name()?.to_str());
    packaged.or_else(|| {
        let version = names.find(|name| numbers(name).len() >= 3)?;
        Some(version.to_owned())
    })
}

/// The parts of a version that are numbers.
fn numbers(version: &str) -> Vec<u64> {
    let release = version.split(['-', '+']).next().unwrap_or_default();
    let parts = release.split('.').map_while(|part| part.parse().ok());
    parts.collect()
}

/// What a command prints within the time that it has; nothing if it cannot be started or takes too long.
fn output(command: &str) -> Option<String> {
    let request = RunRequest {
        commands: &[command.to_owned()],
        name: "doctor",
        directory: Path::new("/"),
        time_limit: Some(PATIENCE),
        stop: &AtomicBool::new(false),
    };
    let result = run(&request, &mut |_| {});
    match result.ending {
        Ending::Exited(_) => Some(result.output_tail),
        _ => None,
    }
}
