//! Records a phase of a command, and says where the work stands.
//!
//! ```text
//! cargo run --example record_phase -- DIRECTORY implement/login implementation complete 'Login works'
//! ```

#![expect(clippy::print_stdout, reason = "an example talks to whoever runs it")]

use std::error::Error;
use std::path::Path;

use ckpt::resume::{BUDGET, brief};
use ckpt::workspace::Depth;
use ckpt::{CommandKey, Environment, Options, PhaseStatus, PhaseUpdate, StartRequest, Workspace};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [directory, key, phase, status, summary] = arguments.as_slice() else {
        return Err("usage: record_phase DIRECTORY COMMAND/FEATURE PHASE STATUS SUMMARY".into());
    };
    let workspace = Workspace::open(
        Path::new(directory),
        &Environment::default(),
        Options {
            by: "subagent:example".to_owned(),
            ..Options::default()
        },
    )?;
    let key = CommandKey::parse(key)?;
    let status = PhaseStatus::parse(status).ok_or("unknown status")?;

    // A checkpoint that is under way is left as it is.
    workspace.command(&key).start(&StartRequest::default())?;
    let update = PhaseUpdate::to(status).with_summary(summary);
    let outcome = workspace.command(&key).update_phase(phase, &update)?;
    for finding in &outcome.findings {
        println!("{finding}");
    }

    let facts = workspace.facts_about(&key.into(), Depth::Full)?;
    print!("{}", brief(&facts, BUDGET).text);
    Ok(())
}
