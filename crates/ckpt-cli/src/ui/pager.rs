//! Long output on a terminal goes through a pager, which the user's environment names.
//!
//! A clone can set variables through an agent's settings, so nothing is paged for an agent, and a pager that names a file
//! of the repository is not run. No shell reads its name.

use std::ffi::OsStr;
use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use ckpt::repository::{Extent, Repository};
use clap::Args;

use crate::environment::{CKPT_PAGER, LESS, PAGER, PATH, TERM, Variables};

/// Keeps `less` from running other programs.
const LESS_SECURE: &str = "LESSSECURE";

/// Variables that name what a pager runs.
const RUNNING: [&str; 4] = ["LESSOPEN", "LESSCLOSE", "BASH_ENV", "ENV"];

/// The pager, unless the user names one: it ends at once if everything fits, and keeps colours.
const DEFAULT: &str = "less -FRX";

/// What `less` does if the user has not said otherwise.
const LESS_OPTIONS: &str = "FRX";

/// The height of a terminal that does not tell.
const ROWS: usize = 24;

/// Whether output may be paged.
#[derive(Debug, Clone, Copy, Args)]
pub(crate) struct Paging {
    /// Print long output to the terminal as it is, not through a pager
    #[arg(long)]
    no_pager: bool,
}

/// A program that shows long output.
#[derive(Debug)]
pub(super) struct Pager {
    program: PathBuf,
    arguments: Vec<String>,
    has_less_options: bool,
}

impl Pager {
    /// The pager of somebody who sits at a terminal; `None` if nothing is to be paged. An error says why the one that was
    /// named is not run.
    pub(super) fn of(
        variables: &Variables,
        repository: &Repository,
        paging: Paging,
    ) -> Result<Option<Self>, String> {
        let is_terminal = io::stdin().is_terminal() && io::stdout().is_terminal();
        let is_dumb = variables.text(TERM).is_none_or(|term| term == "dumb");
        if paging.no_pager || !is_terminal || is_dumb || variables.agent().is_some() {
            return Ok(None);
        }
        let (source, named) = match [CKPT_PAGER, PAGER]
            .into_iter()
            .find_map(|name| Some((name, variables.get(name)?.into_string().ok()?)))
        {
            Some((source, named)) => (source, named),
            None => (PAGER, DEFAULT.to_owned()),
        };
        let mut words = named.split_whitespace().map(str::to_owned);
        // An empty name, or `cat`, means no pager.
        let Some(program) = words.next().filter(|program| program != "cat") else {
            return Ok(None);
        };
        let arguments: Vec<String> = words.collect();
        let extent = variables.extent(repository);
        let leads_inside = |word: &str| {
            let path = Path::new(word);
            let is_path = path.components().count() > 1 || repository.root().join(path).exists();
            is_path && extent.holds(path)
        };
        if leads_inside(&program) || arguments.iter().any(|word| leads_inside(word)) {
            return Err(format!(
                "{source} names a file of this repository, so it is not run"
            ));
        }
        let found = found(&program, variables.get(PATH).as_deref(), &extent);
        Ok(found.map(|program| Self {
            program,
            arguments,
            has_less_options: variables.get(LESS).is_some(),
        }))
    }

    /// Whether a text does not fit on the terminal.
    pub(super) fn is_needed(text: &str) -> bool {
        let rows = terminal_size::terminal_size().map_or(ROWS, |(_, height)| height.0.into());
        text.lines().count() >= rows
    }

    /// Shows a text. Leaving the pager early is no error.
    pub(super) fn show(&self, text: &[u8]) -> io::Result<()> {
        let mut child = self.start()?;
        // The pager decides what an interrupt means.
        #[cfg(unix)]
        let _ = signal_hook::flag::register(signal_hook::consts::SIGINT, std::sync::Arc::default());
        if let Some(mut input) = child.stdin.take() {
            let _ = input.write_all(text);
        }
        child.wait().map(drop)
    }

    fn start(&self) -> io::Result<Child> {
        let mut command = Command::new(&self.program);
        command.args(&self.arguments).stdin(Stdio::piped());
        if !self.has_less_options {
            command.env(LESS, LESS_OPTIONS);
        }
        // These make `less` and shells run what a relative path in them names.
        command.env(LESS_SECURE, "1");
        for name in RUNNING {
            command.env_remove(name);
        }
        command.spawn()
    }
}

/// The program of this name on the search path, apart from directories of the repository.
fn found(program: &str, path: Option<&OsStr>, extent: &Extent) -> Option<PathBuf> {
    if Path::new(program).components().count() > 1 {
        return Some(program.into());
    }
    let directories = std::env::split_paths(path?);
    let mut own =
        directories.filter(|directory| directory.is_absolute() && !extent.holds(directory));
    own.find_map(|directory| {
        let names = [program.to_owned(), format!("{program}.exe")];
        let mut paths = names.iter().map(|name| directory.join(name));
        paths.find(|path| path.is_file())
    })
}
