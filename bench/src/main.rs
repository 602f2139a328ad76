//! Side-by-side measurements of `ckpt`: every number is compared with the minimum cost of the same work, measured
//! alternately in the same run, and judged as a ratio.

#![expect(
    clippy::print_stdout,
    clippy::print_stderr,
    reason = "the result is printed"
)]

mod alone;
mod binary;
mod bound;
mod cases;
mod comparison;
mod failure;
mod floor;
mod follower_cases;
mod growth_cases;
mod history_cases;
mod hook_cases;
mod limit_cases;
mod mcp_cases;
mod measure;
mod node_cases;
mod options;
mod plan_cases;
mod plan_text;
mod population;
mod report;
mod repository;
mod scratch;
mod statistics;
mod token_cases;
mod tree_cases;

use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use cases::{Stage, cases};
use failure::{Doing, Failure, Result};
use floor::Floors;
use options::{HELP, Options};
use scratch::Scratch;

fn main() -> ExitCode {
    let typed: Vec<OsString> = std::env::args_os().skip(1).collect();
    let alone = match typed.as_slice() {
        [verb, file] => alone::Verb::read(verb).map(|verb| (verb, Path::new(file))),
        _ => None,
    };
    let result = match alone {
        Some((verb, file)) => verb.run(file).map(|()| ExitCode::SUCCESS),
        None => Options::parse(typed).and_then(|typed| bench(&typed.or_environment())),
    };
    match result {
        Ok(code) => code,
        Err(failure) => {
            eprintln!("error: {failure}");
            ExitCode::from(2)
        }
    }
}

fn bench(options: &Options) -> Result<ExitCode> {
    if options.help {
        print!("{HELP}");
        return Ok(ExitCode::SUCCESS);
    }
    let sources = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = sources
        .parent()
        .expect("the manifest is inside the repository");
    let target = std::env::var_os("CARGO_TARGET_DIR").map_or(root.join("target"), PathBuf::from);
    fs::create_dir_all(target.join("bench")).doing("create", &target)?;
    // Absolute, because these paths are arguments of the floors and `ckpt`.
    let folder = target.join("bench").canonicalize().doing("find", &target)?;
    let _alone = hold_alone(&folder)?;

    let stage = Stage {
        sources: sources.to_path_buf(),
        binary: binary::locate(options.binary.as_deref(), root)?,
        floors: Floors::build(sources, &folder.join("floor"))?,
        scratch: Scratch::new(folder.join("scratch"))?,
        quick: options.quick,
    };
    let mut rows = Vec::new();
    for case in cases().filter(|case| options.wants(case.name)) {
        eprintln!("measuring {}", case.name);
        rows.push(case.run(&stage)?);
    }
    let text = if options.json {
        report::json(&rows)
    } else {
        report::table(&rows)
    };
    print!("{text}");
    Ok(ExitCode::from(u8::from(report::is_over(&rows))))
}

/// Two benchmarks at once would share the scratch folder and disturb each other.
fn hold_alone(folder: &Path) -> Result<File> {
    let path = folder.join("lock");
    let file = File::create(&path).doing("create", &path)?;
    file.try_lock()
        .map_err(|_| Failure::new("another benchmark is running. Wait for it to end."))?;
    Ok(file)
}
