//! Kills the released binary at every system call, lets every call fail, cuts the power, and lets writers, editors and git
//! work beside each other. Then it counts what is left.
//!
//! * [`operation`] lists every way to write state.
//! * [`fault`] kills or fails each of them at each system call.
//! * [`storm`] runs many processes at once.
//! * [`power`] cuts the power of a file system.
//! * [`report`] makes one table of it all.

mod fault;
mod operation;
mod options;
mod power;
mod random;
mod report;
mod storm;
mod storms;
mod trace;
mod world;

use std::process::ExitCode;

use options::Options;
use report::Table;

fn main() -> ExitCode {
    match run() {
        Ok(code) => code,
        Err(reason) => {
            say(&format!("kill-matrix: {reason}"));
            ExitCode::from(2)
        }
    }
}

fn run() -> Result<ExitCode, String> {
    let options = Options::parse(std::env::args().skip(1))?;
    if options.help {
        print(options::HELP);
        return Ok(ExitCode::SUCCESS);
    }
    let mut table = Table::default();
    if options.wants("faults") {
        fault::run(&options, &mut table)?;
    }
    if options.wants("storms") {
        storms::run(&options, &mut table)?;
    }
    if options.wants("power") {
        power::run(&options, &mut table)?;
    }
    print(&table.text());
    let code = match table.is_sound() {
        true => ExitCode::SUCCESS,
        false => ExitCode::FAILURE,
    };
    if let Some(path) = &options.write {
        table.write(path, !options.is_whole())?;
    }
    Ok(code)
}

#[expect(clippy::print_stdout, reason = "this is a program of its own")]
fn print(text: &str) {
    print!("{text}");
}

/// Says what is going on.
#[expect(clippy::print_stderr, reason = "this is a program of its own")]
fn say(text: &str) {
    eprintln!("{text}");
}
