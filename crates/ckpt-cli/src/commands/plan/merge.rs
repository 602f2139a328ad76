//! `ckpt plan merge`

use std::collections::HashSet;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use ckpt::files::{read_own, replace_file};
use ckpt::plan::{ConflictStyle, Versions, merge};
use ckpt::repository::without_settings;
use ckpt::voice::path_name;
use clap::Args;

use crate::cli::Global;
use crate::failure::{Exit, Failure};
use crate::ui::Ui;

/// The largest version that is merged here, in bytes.
const LONGEST: u64 = 16 * 1024 * 1024;

/// Git takes a file for a binary one if there is a zero byte in this many bytes at its start.
const LOOKED_AT: usize = 8000;

/// The highest exit code of `git merge-file` that is a number of conflicts.
const MOST_CONFLICTS: i32 = 127;

/// Merge two versions of a plan file, as git's merge driver
///
/// Unites ticks, tasks, phases, decisions and blockers of both versions by their ids, and writes the result to OURS.
/// Leaves a conflict only where both changed the same text, and exits with 5 then. What cannot be merged by ids is
/// merged by git. `ckpt init` sets it up for git merge, rebase, cherry-pick and stash.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt plan merge base.md ours.md theirs.md")]
pub(crate) struct Merge {
    /// The common ancestor
    base: PathBuf,
    /// Our version, which is replaced by the result
    ours: PathBuf,
    /// Their version
    theirs: PathBuf,
    /// The length of conflict markers
    #[arg(long, value_name = "LENGTH", default_value_t = 7, value_parser = clap::value_parser!(u16).range(1..=1000))]
    marker_size: u16,
    /// The name of the file in messages
    #[arg(long, value_name = "PATH")]
    path: Option<String>,
    /// The name of our version in conflicts
    #[arg(long, value_name = "NAME", default_value = "ours")]
    ours_name: String,
    /// The name of their version in conflicts
    #[arg(long, value_name = "NAME", default_value = "theirs")]
    theirs_name: String,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "PlanMerge"))]
pub(crate) struct Report<'r> {
    path: &'r str,
    /// How many conflicts are left; null if git could not merge the file at all.
    conflicts: Option<usize>,
    merged_by: MergedBy,
}

/// Whose merge was used.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum MergedBy {
    /// Ours, by ids.
    Ckpt,
    /// Git's, by lines.
    Git,
}

/// The files to merge.
struct Files {
    base: PathBuf,
    ours: PathBuf,
    theirs: PathBuf,
}

impl Merge {
    pub(crate) fn run(&self, ui: &mut Ui, global: &Global) -> Result<Exit, Failure> {
        let files = Files {
            base: global.resolve(&self.base),
            ours: global.resolve(&self.ours),
            theirs: global.resolve(&self.theirs),
        };
        let name = path_name(&self.ours);
        let path = self.path.as_deref().unwrap_or(&name);
        let (merged_by, conflicts) = match self.by_ids(&files)? {
            Ok(done) => done,
            Err(reason) => {
                ui.note(&format!("note: {path} was merged by git alone: {reason}"));
                (MergedBy::Git, self.by_git(&files)?)
            }
        };
        if global.json {
            ui.json(&Report {
                path,
                conflicts,
                merged_by,
            })?;
        }
        Ok(match conflicts {
            Some(0) => Exit::Done,
            _ => Exit::Conflict,
        })
    }

    /// Merges the files by ids and writes the result, or says why they cannot be merged in this way.
    fn by_ids(&self, files: &Files) -> Result<Result<(MergedBy, Option<usize>), String>, Failure> {
        let mut contents = Vec::new();
        let typed = [&self.base, &self.ours, &self.theirs];
        for (path, typed) in [&files.base, &files.ours, &files.theirs]
            .into_iter()
            .zip(typed)
        {
            match read_own(path, LONGEST) {
                Ok(content) => contents.push(content),
                Err(error) if error.kind() == ErrorKind::FileTooLarge => {
                    return Ok(Err(format!("it is larger than {} MiB", LONGEST >> 20)));
                }
                Err(error) => return Err(unreadable(typed, &error)),
            }
        }
        let [base, ours, theirs] = contents.as_slice() else {
            return Ok(Err("a version is missing".to_owned()));
        };
        let is_binary = |content: &Vec<u8>| content[..content.len().min(LOOKED_AT)].contains(&0);
        if contents.iter().any(is_binary) {
            return Ok(Err("it is not text".to_owned()));
        }
        let versions = Versions { base, ours, theirs };
        let style = ConflictStyle {
            marker_size: usize::from(self.marker_size),
            ours: named(&self.ours_name, "ours"),
            theirs: named(&self.theirs_name, "theirs"),
        };
        let merged = match merge(&versions, &style) {
            Ok(merged) => merged,
            Err(error) => return Ok(Err(error.to_string())),
        };
        if merged.is_displaced {
            let why = "tasks would not be where they were put";
            return Ok(Err(why.to_owned()));
        }
        // Git may line up repeated lines in another way, which happens to fit, or keep what one side moved and the other
        // removed.
        let by_git = self.git(files, &["-p"]).ok();
        let by_git = by_git.filter(|output| {
            let is_better = merged.conflicts > 0 || keeps_more(&output.stdout, &merged.text);
            output.status.success() && is_better
        });
        let (merged_by, text, conflicts) = match by_git {
            Some(output) => (MergedBy::Git, output.stdout, 0),
            None => (MergedBy::Ckpt, merged.text, merged.conflicts),
        };
        if text != *ours {
            let path = files.ours.canonicalize();
            let path = path.map_err(|error| unreadable(&self.ours, &error))?;
            replace_file(&path, &text)?;
        }
        Ok(Ok((merged_by, Some(conflicts))))
    }

    /// Lets git merge the files, and returns the number of conflicts; `None` if git leaves our version as it is.
    fn by_git(&self, files: &Files) -> Result<Option<usize>, Failure> {
        let output = self.git(files, &[]).map_err(|error| {
            Failure::io("cannot run git merge-file", &error)
                .with_hint("Install git, or merge the file by hand")
        })?;
        let code = output.status.code();
        let conflicts = code.filter(|code| (0..=MOST_CONFLICTS).contains(code));
        Ok(conflicts.and_then(|code| usize::try_from(code).ok()))
    }

    fn git(&self, files: &Files, options: &[&str]) -> io::Result<Output> {
        let mut command = Command::new("git");
        without_settings(&mut command);
        command
            .arg("merge-file")
            .args(options)
            .arg(format!("--marker-size={}", self.marker_size))
            .args(["-L", named(&self.ours_name, "ours")])
            .args(["-L", "base"])
            .args(["-L", named(&self.theirs_name, "theirs")])
            .arg("--")
            .args([&files.ours, &files.base, &files.theirs])
            .stdin(Stdio::null())
            .output()
    }
}

/// Whether a text has something that another lacks: a marker, or a line without one.
fn keeps_more(text: &[u8], other: &[u8]) -> bool {
    let said = |line: &str| match line.split_once("<!--") {
        Some((_, marker)) => marker.trim().to_owned(),
        // A tick is no other line.
        None => line.replace("[x]", "[ ]").trim().to_owned(),
    };
    let lines = |text: &[u8]| -> HashSet<String> {
        String::from_utf8_lossy(text).lines().map(said).collect()
    };
    !lines(text).is_subset(&lines(other))
}

/// The name of a version. An older git does not know the placeholders for it and leaves them as they are.
fn named<'n>(name: &'n str, default: &'n str) -> &'n str {
    match name {
        "" | "%X" | "%Y" => default,
        name => name.lines().next().unwrap_or(default),
    }
}

fn unreadable(path: &Path, error: &io::Error) -> Failure {
    let name = path_name(path);
    match error.kind() {
        ErrorKind::NotFound => {
            Failure::new(Exit::NotFound, format!("cannot read {name}: no such file"))
        }
        _ => Failure::new(Exit::Invalid, format!("cannot read {name}: {error}")),
    }
    .with_hint("Name three files: ckpt plan merge BASE OURS THEIRS")
}
