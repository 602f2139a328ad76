//! Builds the C programs: the floors that `ckpt` is compared with, and the launcher that runs and measures both sides.

use std::fs;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::failure::{Doing, Failure, Result};

/// The paths of the built programs.
pub(crate) struct Floors {
    /// Runs one program and prints its cost.
    pub(crate) launch: PathBuf,
    /// An empty `main`, linked like most programs.
    pub(crate) empty_dynamic: PathBuf,
    /// An empty `main` without a dynamic loader.
    pub(crate) empty_static: PathBuf,
    /// The minimum work of a durable update.
    pub(crate) phase: PathBuf,
    /// The minimum work of ticking a task of a plan.
    pub(crate) plan: PathBuf,
    /// The minimum work of a list.
    pub(crate) list: PathBuf,
    /// The minimum work of syncing an edited plan.
    pub(crate) hook: PathBuf,
    /// The minimum work of a brief.
    pub(crate) brief: PathBuf,
    /// Durable updates, one after another.
    pub(crate) update: PathBuf,
    /// Edits a plan and then executes another program.
    pub(crate) flip: PathBuf,
}

impl Floors {
    /// Compiles all of them from `sources` into `into`.
    pub(crate) fn build(sources: &Path, into: &Path) -> Result<Self> {
        fs::create_dir_all(into).doing("create", into)?;
        let build = |source: &str, name: &str, linking: Linking| {
            compile(&sources.join(source), into.join(name), linking)
        };
        // Build the dynamic one first: after that, a failing static link can only mean a missing library.
        Ok(Self {
            empty_dynamic: build("floor/empty.c", "empty_dynamic", Linking::Dynamic)?,
            empty_static: build("floor/empty.c", "empty_static", Linking::Static)?,
            phase: build("floor/phase_floor.c", "phase_floor", Linking::Static)?,
            plan: build("floor/plan_floor.c", "plan_floor", Linking::Static)?,
            list: build("floor/list_floor.c", "list_floor", Linking::Static)?,
            hook: build("floor/hook_floor.c", "hook_floor", Linking::Static)?,
            brief: build("floor/brief_floor.c", "brief_floor", Linking::Static)?,
            update: build("floor/update_floor.c", "update_floor", Linking::Static)?,
            flip: build("floor/flip.c", "flip", Linking::Static)?,
            launch: build("launch/launch.c", "launch", Linking::Static)?,
        })
    }
}

#[derive(Clone, Copy, PartialEq)]
enum Linking {
    Dynamic,
    Static,
}

fn compile(source: &Path, program: PathBuf, linking: Linking) -> Result<PathBuf> {
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-Wall", "-Wextra"]);
    if linking == Linking::Static {
        cc.arg("-static");
    }
    let output = match cc.arg("-o").arg(&program).arg(source).output() {
        Ok(output) => output,
        Err(error) if error.kind() == ErrorKind::NotFound => {
            return Err(Failure::new(
                "`cc` was not found. Install a C compiler: the floors are written in C.",
            ));
        }
        Err(error) => return Err(Failure::new(format!("cannot run `cc`: {error}"))),
    };
    if output.status.success() {
        return Ok(program);
    }
    let hint = match linking {
        Linking::Static => {
            "\nThe floors are linked statically. If libc.a is missing, install the static C library \
             (libc6-dev on Debian, glibc-static on Fedora)."
        }
        Linking::Dynamic => "",
    };
    let failure = Failure::ended(&format!("cc for {}", source.display()), &output);
    Err(Failure::new(format!("{failure}{hint}")))
}
