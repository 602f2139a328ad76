//! A git repository to measure in, with the checkpoint `implement/bench` once it is started.

use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::failure::{Doing, Failure, Result};
use crate::measure::hermetic;

/// The key of the measured checkpoint.
pub(crate) const KEY: &str = "implement/bench";

const STATE: &str = ".claude/state";
const CHECKPOINT: &str = "implement-bench.json";
const HISTORY: &str = "history/command/implement-bench.jsonl";

/// The target size of the measured checkpoint, in bytes.
const CHECKPOINT_SIZE: usize = 3_000;
/// Well below the limit of 500 tokens for a summary.
const LONGEST_SUMMARY: usize = 1_400;

/// A repository inside the scratch folder.
pub(crate) struct Repository<'a> {
    root: PathBuf,
    home: &'a Path,
}

impl<'a> Repository<'a> {
    /// Creates a repository with one commit in `root`, an existing empty folder.
    pub(crate) fn init(root: PathBuf, home: &'a Path) -> Result<Self> {
        let repository = Self { root, home };
        repository.git(&["init", "--quiet"])?;
        repository.git(&["config", "user.name", "bench"])?;
        repository.git(&["config", "user.email", "bench@example.invalid"])?;
        repository.git(&["commit", "--quiet", "--allow-empty", "--message", "start"])?;
        Ok(repository)
    }

    /// Commits everything and packs it. Otherwise git would pack later, during a measurement.
    pub(crate) fn commit_all(&self) -> Result<()> {
        self.git(&["config", "gc.auto", "0"])?;
        self.git(&["add", "--all"])?;
        self.git(&["commit", "--quiet", "--message", "all"])?;
        self.git(&["repack", "-a", "-d", "-q"])?;
        Ok(())
    }

    /// Runs `ckpt` in it.
    pub(crate) fn ckpt(&self, binary: &Path, arguments: &[&str]) -> Result<()> {
        let mut command = Command::new(binary);
        command.arg("-C").arg(&self.root).args(arguments);
        let status = hermetic(&mut command, self.home)
            .stdout(Stdio::null())
            .status();
        match status {
            Ok(status) if status.success() => Ok(()),
            _ => Err(Failure::new(format!("ckpt {} failed", arguments.join(" ")))),
        }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn state(&self) -> PathBuf {
        self.root.join(STATE)
    }

    pub(crate) fn checkpoint(&self) -> PathBuf {
        self.state().join(CHECKPOINT)
    }

    pub(crate) fn head(&self) -> Result<String> {
        Ok(self.git(&["rev-parse", "HEAD"])?.trim().to_owned())
    }

    /// Starts `implement/bench` and brings it to its size through ordinary updates, so that the document and its
    /// history agree.
    pub(crate) fn start_checkpoint(&self, binary: &Path) -> Result<()> {
        let ckpt = |arguments: &[&str]| {
            let mut command = Command::new(binary);
            self.run(command.arg("-C").arg(&self.root).args(arguments))
        };
        let phase = |name: &str, status: &str, summary: &str| {
            ckpt(&["phase", KEY, name, status, "--summary", summary])
        };
        let padded = ["research", "design"];
        let phases = "research,design,implementation,validation";
        ckpt(&["start", "implement", "bench", "--phases", phases])?;
        for name in padded {
            phase(name, "in_progress", "begun")?;
            phase(name, "complete", "done")?;
        }
        phase("implementation", "in_progress", "begun")?;
        let summary = prose(CHECKPOINT_SIZE.saturating_sub(self.checkpoint_size()?) / padded.len());
        for name in padded {
            phase(name, "complete", &summary)?;
        }
        phase("implementation", "in_progress", "ready to be measured")?;
        // A binary that ignores updates would measure best, so check the size.
        let size = self.checkpoint_size()?;
        if size.abs_diff(CHECKPOINT_SIZE) > CHECKPOINT_SIZE / 10 {
            return Err(Failure::new(format!(
                "the checkpoint to measure has {size} bytes instead of about {CHECKPOINT_SIZE}"
            )));
        }
        Ok(())
    }

    /// Creates a plan with this text and returns its folder.
    pub(crate) fn start_plan(&self, binary: &Path, text: &str) -> Result<PathBuf> {
        let source = self.root.join("source.md");
        fs::write(&source, text).doing("write", &source)?;
        let mut command = Command::new(binary);
        let new = command
            .arg("-C")
            .arg(&self.root)
            .args(["plan", "new", "bench", "--from"]);
        let printed = self.run(new.arg(&source))?;
        let plan = self.root.join(printed.trim());
        plan.parent()
            .filter(|_| plan.is_file())
            .map(Path::to_path_buf)
            .ok_or_else(|| Failure::new(format!("`plan new` printed no plan: {printed}")))
    }

    /// The file of its history.
    pub(crate) fn history(&self) -> PathBuf {
        self.state().join(HISTORY)
    }

    fn checkpoint_size(&self) -> Result<usize> {
        let path = self.checkpoint();
        let metadata = fs::metadata(&path).doing("find the checkpoint", &path)?;
        Ok(metadata.len() as usize)
    }

    /// Grows the history to `lines` lines by repeating its earlier ones. The last line stays last, because it belongs
    /// to the current document. False if the history is too short to grow.
    pub(crate) fn grow_history(&self, lines: usize) -> Result<bool> {
        let path = self.state().join(HISTORY);
        if !path.exists() {
            return Ok(false);
        }
        let present = fs::read_to_string(&path).doing("read", &path)?;
        let present: Vec<&str> = present.lines().collect();
        let Some((last, earlier)) = present
            .split_last()
            .filter(|(_, earlier)| !earlier.is_empty())
        else {
            return Ok(false);
        };
        let file = File::create(&path).doing("write", &path)?;
        let mut out = BufWriter::new(&file);
        earlier
            .iter()
            .cycle()
            .take(lines - 1)
            .chain([last])
            .try_for_each(|line| writeln!(out, "{line}"))
            .and_then(|()| out.flush())
            .and_then(|()| file.sync_all())
            .doing("write", &path)?;
        Ok(true)
    }

    fn git(&self, arguments: &[&str]) -> Result<String> {
        let mut command = Command::new("git");
        self.run(command.arg("-C").arg(&self.root).args(arguments))
    }

    fn run(&self, command: &mut Command) -> Result<String> {
        let what = format!("{command:?}");
        let output = hermetic(command, self.home)
            .stdin(Stdio::null())
            .output()
            .map_err(|source| Failure::new(format!("cannot run {what}: {source}")))?;
        if !output.status.success() {
            return Err(Failure::ended(&what, &output));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }
}

/// Plain words of the given length.
fn prose(length: usize) -> String {
    let words = "The parser reads each file once and keeps the order of its members. ";
    words
        .chars()
        .cycle()
        .take(length.min(LONGEST_SUMMARY))
        .collect::<String>()
        .trim_end()
        .to_owned()
}
