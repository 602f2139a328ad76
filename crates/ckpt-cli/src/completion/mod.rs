//! Shell completion, with the ids of the repository at hand.
//!
//! `ckpt completions` prints a script that makes the shell call `ckpt -- WORDS` at each TAB. An argument that takes an id
//! says which with [`Ids`]. An answer reads and never writes, is silent about every problem, and is given up after a
//! second. Names can come with a clone, so only those are offered that no shell would take for something else.

mod ids;
mod line;

use std::ffi::{OsStr, OsString};
use std::io;
use std::sync::{Arc, mpsc};
use std::thread;
use std::time::Duration;

use ckpt::voice::steers;
use clap::{Command, CommandFactory};
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, complete};
use clap_complete::env::{Bash, EnvCompleter, Fish, Zsh};

pub(crate) use ids::Ids;

use crate::cli::Cli;
use crate::environment::{COMPLETE, COMPLETE_INDEX, COMPLETE_SEPARATOR, Variables};
use crate::failure::Exit;
use crate::ui::Ui;
use line::Line;

/// Nobody waits longer for a TAB.
const LIMIT: Duration = Duration::from_secs(1);

/// A shell that asks for completions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asking {
    Bash,
    Zsh,
    Fish,
}

impl Asking {
    const ALL: [Self; 3] = [Self::Bash, Self::Zsh, Self::Fish];

    /// The shell that started this process to complete a command line.
    pub(crate) fn of(variables: &Variables) -> Option<Self> {
        let name = variables.text(COMPLETE)?;
        Self::ALL
            .into_iter()
            .find(|shell| shell.engine().name() == name)
    }

    fn engine(self) -> &'static dyn EnvCompleter {
        match self {
            Self::Bash => &Bash,
            Self::Zsh => &Zsh,
            Self::Fish => &Fish,
        }
    }

    /// The script that makes the shell ask.
    pub(crate) fn registration(self) -> io::Result<Vec<u8>> {
        let mut script = Vec::new();
        let name = "ckpt";
        self.engine()
            .write_registration(COMPLETE, name, name, name, &mut script)?;
        if self == Self::Zsh {
            // If zsh loads the script as a function, its first call must complete as well.
            let call = "[[ $funcstack[1] == _ckpt ]] && _clap_dynamic_completer_ckpt\n";
            script.extend_from_slice(call.as_bytes());
        }
        Ok(script)
    }

    /// Whether a value can be offered. Bash inserts it unchanged, so there it must be one plain word; the others quote.
    fn accepts(self, value: &OsStr) -> bool {
        let is_plain = |c: char| c.is_alphanumeric() || "/._-@%+=:,".contains(c);
        value.to_str().is_some_and(|value| match self {
            Self::Bash => value.chars().all(|c| is_plain(c) && !steers(c)),
            Self::Zsh | Self::Fish => !value.contains(steers),
        })
    }

    fn line(self, candidate: &CompletionCandidate) -> String {
        let value = candidate.get_value().to_string_lossy();
        let help = candidate.get_help().map(ToString::to_string);
        let help = help.as_deref().and_then(|help| help.lines().next());
        match (self, help) {
            (Self::Bash, _) => value.into_owned(),
            (Self::Zsh, help) => {
                let value = value.replace('\\', r"\\").replace(':', r"\:");
                let help = help.map(|help| format!(":{}", help.replace('\\', r"\\")));
                value + &help.unwrap_or_default()
            }
            (Self::Fish, Some(help)) => format!("{value}\t{help}"),
            (Self::Fish, None) => value.into_owned(),
        }
    }
}

/// Answers a shell: completes the command line that it passes.
pub(crate) fn answer(ui: &mut Ui, shell: Asking, words: Vec<OsString>) -> Exit {
    let variables = ui.variables().clone();
    let index = variables
        .text(COMPLETE_INDEX)
        .and_then(|index| index.parse().ok());
    let separator = variables
        .text(COMPLETE_SEPARATOR)
        .unwrap_or("\n".to_owned());
    let request = match shell {
        Asking::Fish => Request::at_the_end(words),
        _ => index.and_then(|index| Request::at(words, index)),
    };
    let Some(request) = request else {
        return Exit::Done;
    };
    let request = match shell {
        Asking::Bash => request.with_assignments_joined(),
        _ => request,
    };
    let (sender, receiver) = mpsc::channel();
    thread::spawn(move || sender.send(request.candidates(variables, shell)));
    let candidates = receiver.recv_timeout(LIMIT).unwrap_or_default();
    let lines = candidates.iter().map(|candidate| shell.line(candidate));
    let mut page = lines.collect::<Vec<String>>().join(&separator);
    if shell == Asking::Fish {
        page.push('\n');
    }
    let _ = ui.raw(page.as_bytes());
    Exit::Done
}

/// A command line and the word to complete in it.
#[derive(Debug)]
struct Request {
    words: Vec<OsString>,
    index: usize,
}

impl Request {
    /// Zsh leaves off the word to complete if it is empty.
    fn at(mut words: Vec<OsString>, index: usize) -> Option<Self> {
        if words.len() == index {
            words.push(OsString::new());
        }
        (1..words.len())
            .contains(&index)
            .then_some(Self { words, index })
    }

    fn at_the_end(words: Vec<OsString>) -> Option<Self> {
        let index = words.len().checked_sub(1)?;
        Self::at(words, index)
    }

    /// Bash splits `--plan=ID` into three words. `--plan ID` means the same.
    fn with_assignments_joined(mut self) -> Self {
        let mut at = 2;
        while at < self.index {
            let follows_option = self.words[at - 1].as_encoded_bytes().starts_with(b"--");
            match self.words[at] == "=" && follows_option {
                true => {
                    self.words.remove(at);
                    self.index -= 1;
                }
                false => at += 1,
            }
        }
        self
    }

    fn candidates(self, variables: Variables, shell: Asking) -> Vec<CompletionCandidate> {
        let typed = self.words[self.index].clone();
        let line = Line::read(&self.words[..self.index], variables);
        let directory = line.directory();
        let mut command = Cli::command();
        command.build();
        let mut command = completing(command, &Arc::new(line));
        let found = complete(&mut command, self.words, self.index, directory.as_deref());
        let mut found = found.unwrap_or_default();
        found.retain(|candidate| shell.accepts(candidate.get_value()));
        let is_option = |candidate: &CompletionCandidate| {
            let value = candidate.get_value().as_encoded_bytes();
            value.starts_with(b"-")
        };
        // Options are offered once somebody types a dash, or if there is nothing else.
        if typed.is_empty() && !found.iter().all(is_option) {
            found.retain(|candidate| !is_option(candidate));
        }
        found
    }
}

/// The command with a completer for each argument that takes an id.
fn completing(command: Command, line: &Arc<Line>) -> Command {
    let command = command.mut_args(|argument| match argument.get::<Ids>().copied() {
        None => argument,
        Some(ids) => {
            let (line, name) = (Arc::clone(line), argument.get_id().to_string());
            argument.add(ArgValueCompleter::new(move |typed: &OsStr| {
                ids.matching(&line, &name, typed)
            }))
        }
    });
    command.mut_subcommands(|subcommand| completing(subcommand, line))
}

#[cfg(test)]
mod tests;
