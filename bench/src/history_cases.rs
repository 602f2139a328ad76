//! Comparisons of reading a history of a million revisions.

use std::fs::{self, File};
use std::io::{BufWriter, Write};

use ckpt::history::ContentHash;

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Failure, Result};
use crate::measure::Invocation;
use crate::repository::{KEY, Repository};

const LONG: u64 = 1_000_000;
const SHORT: u64 = 10;

/// The whole content is recorded this often, as `ckpt` does it.
const INTERVAL: u64 = 64;

/// The word in the checkpoint that each revision changes.
const WORD: &str = "ready to be measured";

/// The document in the middle of the history.
pub(crate) fn show_at(stage: &Stage) -> Result<Prepared> {
    let repository = with_history(stage, "history-show-at", LONG)?;
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
    let pair = |lines: u64| -> Result<Invocation> {
        let repository = with_history(stage, &format!("history-log-{lines}"), lines)?;
        let ours = stage.ckpt(repository.root()).args(&["log", KEY, "-n", "8"]);
        Ok(ours.printing(&lines.to_string()))
    };
    Ok(Prepared::Pair {
        ours: pair(LONG)?,
        floor: pair(SHORT)?,
    })
}

/// The document as it is now.
pub(crate) fn show(stage: &Stage) -> Result<Prepared> {
    let pair = |lines: u64| -> Result<Invocation> {
        let repository = with_history(stage, &format!("history-show-{lines}"), lines)?;
        // Its last line then has a seal, as every line of ours.
        let update = [
            "phase",
            KEY,
            "implementation",
            "in_progress",
            "--task",
            "T9",
        ];
        repository.ckpt(&stage.binary, &update)?;
        let ours = stage.ckpt(repository.root()).args(&["show", KEY, "--json"]);
        Ok(ours.printing(&step(lines)))
    };
    Ok(Prepared::Pair {
        ours: pair(LONG)?,
        floor: pair(SHORT)?,
    })
}

fn step(number: u64) -> String {
    format!("Step {number:08} is done")
}

/// A checkpoint whose history has this many revisions, each with its own content.
fn with_history<'s>(stage: &'s Stage, name: &str, lines: u64) -> Result<Repository<'s>> {
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
    let path = repository.history();
    let history = File::create(&path).doing("write", &path)?;
    let mut out = BufWriter::new(&history);
    let mut from: Option<ContentHash> = None;
    for number in 1..=lines {
        let after = content(number);
        let to = ContentHash::of(after.as_bytes());
        let change = match from {
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
        writeln!(
            out,
            "{{\"ts\":\"2026-01-29T10:30:00.000Z\",\"event\":\"phase_updated\",\"phase\":\"implementation\",\
             \"rev\":{number},\"epoch\":\"bench\",\"by\":\"main\",\"files\":{{\"{file}\":{{{change}}}}}}}"
        )
        .doing("write", &path)?;
        from = Some(to);
    }
    out.flush().doing("write", &path)?;
    fs::write(&document, content(lines)).doing("write", &document)?;
    Ok(repository)
}
