//! Comparisons of reading a history of a million revisions.

use std::fs::{self, File};
use std::io::{BufWriter, Write};

use ckpt::history::ContentHash;
use ckpt::key::Key;
use ckpt::layout::KeptAs;
use ckpt::seal::{Domain, SealKey, Seals};
use ckpt::{Document, Value};

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Failure, Result};
use crate::measure::{Invocation, RUN};
use crate::repository::{KEY, Repository};

const LONG: u64 = 1_000_000;
const SHORT: u64 = 10;

/// How many revisions a long history has in an epoch after the first. Each revision of ours is found in its epoch.
const LATER: u64 = 10;

/// The whole content is recorded this often, as `ckpt` does it.
const INTERVAL: u64 = 64;

/// The word in the checkpoint that each revision changes.
const WORD: &str = "ready to be measured";

/// The document in the middle of the history.
pub(crate) fn show_at(stage: &Stage) -> Result<Prepared> {
    show_middle(&with_history(stage, "history-show-at", &[LONG])?, stage)
}

/// The same after a later epoch began.
pub(crate) fn show_at_earlier(stage: &Stage) -> Result<Prepared> {
    show_middle(
        &with_history(stage, "history-show-at-earlier", &[LONG, LATER])?,
        stage,
    )
}

fn show_middle(repository: &Repository<'_>, stage: &Stage) -> Result<Prepared> {
    let middle = LONG / 2;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .args(&["show", KEY, "--raw", "--at"])
            .arg(middle.to_string())
            .printing(&step(middle)),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// The end of the history.
pub(crate) fn log(stage: &Stage) -> Result<Prepared> {
    let pair = |name: &str, epochs: &[u64]| -> Result<Invocation> {
        let repository = with_history(stage, name, epochs)?;
        let ours = stage
            .ckpt(repository.root())
            .args(&["log", KEY, "-n", "20"]);
        Ok(ours.printing(&SHORT.to_string()))
    };
    Ok(Prepared::Pair {
        ours: pair("history-log-long", &[LONG, LATER])?,
        floor: pair("history-log-short", &[SHORT])?,
    })
}

/// The document as it is now.
pub(crate) fn show(stage: &Stage) -> Result<Prepared> {
    let pair = |name: &str, epochs: &[u64]| -> Result<Invocation> {
        let repository = with_history(stage, name, epochs)?;
        let ours = stage.ckpt(repository.root()).args(&["show", KEY, "--json"]);
        Ok(ours.printing(&step(SHORT)))
    };
    Ok(Prepared::Pair {
        ours: pair("history-show-long", &[LONG, LATER])?,
        floor: pair("history-show-short", &[SHORT])?,
    })
}

/// A change.
pub(crate) fn append(stage: &Stage) -> Result<Prepared> {
    let pair = |name: &str, epochs: &[u64]| -> Result<Invocation> {
        let repository = with_history(stage, name, epochs)?;
        let ours = stage.ckpt(repository.root());
        Ok(ours.args(&[
            "phase",
            KEY,
            "implementation",
            "in_progress",
            "--summary",
            RUN,
        ]))
    };
    Ok(Prepared::Pair {
        ours: pair("history-append-long", &[LONG, LATER])?,
        floor: pair("history-append-short", &[SHORT])?,
    })
}

fn step(number: u64) -> String {
    format!("Step {number:08} is done")
}

/// A checkpoint whose history has epochs with this many revisions, each with its own content and sealed as ours are.
fn with_history<'s>(stage: &'s Stage, name: &str, epochs: &[u64]) -> Result<Repository<'s>> {
    let repository = stage.scratch.repository(name)?;
    repository.start_checkpoint(&stage.binary)?;
    let document = repository.checkpoint();
    let text = fs::read_to_string(&document).doing("read", &document)?;
    let at = text
        .find(WORD)
        .ok_or_else(|| Failure::new(format!("the checkpoint does not say {WORD:?}")))?;
    let content = |number: u64| text.replacen(WORD, &step(number), 1);
    let file = document.file_name().unwrap_or_default().to_string_lossy();
    let quoted = |text: &str| format!("\"{}\"", text.replace('"', "\\\"").replace('\n', "\\n"));
    let seals = seals(&repository)?;
    let path = repository.history();
    let history = File::create(&path).doing("write", &path)?;
    let mut out = BufWriter::new(&history);
    let mut from: Option<ContentHash> = None;
    for (epoch, lines) in epochs.iter().enumerate() {
        for number in 1..=*lines {
            let after = content(number);
            let to = ContentHash::of(after.as_bytes());
            let change = match from.filter(|_| number > 1) {
                None => format!(
                    "\"from\":null,\"to\":\"{to}\",\"content\":{}",
                    quoted(&after)
                ),
                Some(from) => {
                    let (old, new) = (step(number - 1), step(number));
                    let whole = match number.is_multiple_of(INTERVAL) {
                        true => format!(",\"content\":{}", quoted(&after)),
                        false => String::new(),
                    };
                    format!(
                        "\"from\":\"{from}\",\"to\":\"{to}\",\"edit\":[[{at},\"{old}\",\"{new}\"]]{whole}"
                    )
                }
            };
            let line = format!(
                "{{\"ts\":\"2026-01-29T10:30:00.000Z\",\"event\":\"phase_updated\",\"phase\":\"implementation\",\
                 \"rev\":{number},\"epoch\":\"bench{epoch}\",\"by\":\"main\",\"files\":{{\"{file}\":{{{change}}}}}}}"
            );
            writeln!(out, "{}", sealed(&seals, line)?).doing("write", &path)?;
            from = Some(to);
        }
    }
    out.flush().doing("write", &path)?;
    let last = epochs.last().copied().unwrap_or_default();
    fs::write(&document, content(last)).doing("write", &document)?;
    mirror(&repository)?;
    Ok(repository)
}

/// Brings the copy of a history up to date, so that the next change appends to it too.
fn mirror(repository: &Repository<'_>) -> Result<()> {
    let history = repository.history();
    let name = history.file_name().unwrap_or_default();
    let mirrors = repository.root().join(".git/ckpt/mirror");
    for worktree in fs::read_dir(&mirrors).doing("read", &mirrors)? {
        let copy = worktree
            .doing("read", &mirrors)?
            .path()
            .join("command")
            .join(name);
        fs::copy(&history, &copy).doing("write", &copy)?;
    }
    Ok(())
}

/// What seals the lines of a repository.
fn seals(repository: &Repository<'_>) -> Result<Seals> {
    let path = repository.root().join(".git/ckpt/key");
    let key = fs::read(&path).doing("read", &path)?;
    let key = key.try_into();
    let key = key.map_err(|_| Failure::new("the key is not as long as a key".to_owned()))?;
    Ok(Seals::with(SealKey::new(key)))
}

fn sealed(seals: &Seals, line: String) -> Result<String> {
    let unusable = |what: String| Failure::new(format!("a line cannot be sealed: {what}"));
    let key = Key::parse(KEY).map_err(|error| unusable(error.to_string()))?;
    let line = Document::parse(line).map_err(|error| unusable(error.to_string()))?;
    let mut line = line.value().into_object().unwrap_or_default();
    seals.seal(Domain::History, &KeptAs::of(&key).sealed_name(), &mut line);
    Ok(Value::Object(line).to_compact())
}
