//! Where a command runs: in a process of its own, or as a call within another program.
//!
//! A process has variables, standard streams and perhaps somebody at a terminal. A call has what it was given: its
//! variables, and what it may read. What it says is kept for whoever called.

use std::cell::RefCell;
use std::collections::HashMap;
use std::env;
use std::ffi::{OsStr, OsString};
use std::io::{self, BufRead, IsTerminal, Read, Write};

thread_local! {
    /// The call that this thread is in the middle of.
    static CALL: RefCell<Option<Call>> = const { RefCell::new(None) };
}

/// What a call is given, and what it has said so far.
struct Call {
    variables: Variables,
    input: Vec<u8>,
    said: Said,
}

/// Which variables a call sees.
#[derive(Debug, Clone, Default)]
pub enum Variables {
    /// Those of the process.
    #[default]
    Process,
    /// These and no others.
    Given(HashMap<OsString, OsString>),
}

/// What a call has said.
#[derive(Debug, Default)]
pub(crate) struct Said {
    /// Its result.
    pub(crate) output: Vec<u8>,
    /// What it has said beside it, line by line.
    pub(crate) notes: Vec<String>,
}

/// Does something as a call within another program, on this thread.
pub(crate) fn within_call<T>(
    variables: Variables,
    input: Vec<u8>,
    work: impl FnOnce() -> T,
) -> (T, Said) {
    /// Takes the call away again, also when the work panics.
    struct Over;
    impl Drop for Over {
        fn drop(&mut self) {
            CALL.set(None);
        }
    }
    CALL.set(Some(Call {
        variables,
        input,
        said: Said::default(),
    }));
    let _over = Over;
    let done = work();
    let call = CALL.take();
    (done, call.map(|call| call.said).unwrap_or_default())
}

/// Whether this is a call within another program.
pub(crate) fn is_call() -> bool {
    CALL.with_borrow(Option::is_some)
}

/// Whether somebody sits at a terminal who can be asked.
pub(crate) fn is_attended() -> bool {
    !is_call() && io::stdin().is_terminal()
}

/// Whether what is printed goes to a terminal.
pub(crate) fn is_shown() -> bool {
    !is_call() && io::stdout().is_terminal()
}

/// Asks whoever sits at the terminal, and gives what they type; `None` where nobody can be asked.
pub(crate) fn ask(prompt: &str) -> Option<String> {
    if !is_attended() {
        return None;
    }
    let mut terminal = io::stderr();
    let _ = write!(terminal, "{prompt}");
    let _ = terminal.flush();
    let mut typed = String::new();
    io::stdin().lock().read_line(&mut typed).ok()?;
    Some(typed.trim().to_owned())
}

/// A variable.
pub(crate) fn variable(name: &str) -> Option<OsString> {
    CALL.with_borrow(|call| match call {
        Some(Call {
            variables: Variables::Given(given),
            ..
        }) => given.get(OsStr::new(name)).cloned(),
        _ => env::var_os(name),
    })
}

/// All that there is to read.
pub(crate) fn input() -> io::Result<Vec<u8>> {
    let given = CALL.with_borrow_mut(|call| Some(std::mem::take(&mut call.as_mut()?.input)));
    if let Some(given) = given {
        return Ok(given);
    }
    let mut bytes = Vec::new();
    io::stdin().read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Says part of the result.
pub(crate) fn print(bytes: &[u8]) -> io::Result<()> {
    let is_kept = CALL.with_borrow_mut(|call| {
        let call = call.as_mut();
        call.map(|call| call.said.output.extend_from_slice(bytes))
    });
    match is_kept {
        Some(()) => Ok(()),
        None => {
            let mut stdout = io::stdout().lock();
            stdout.write_all(bytes).and_then(|()| stdout.flush())
        }
    }
}

/// Says a line beside the result.
pub(crate) fn note(line: &str) {
    let is_kept = CALL.with_borrow_mut(|call| {
        let call = call.as_mut();
        call.map(|call| call.said.notes.push(line.to_owned()))
    });
    if is_kept.is_none() {
        // Whoever does not listen misses it.
        let _ = writeln!(anstream::stderr(), "{line}");
    }
}
