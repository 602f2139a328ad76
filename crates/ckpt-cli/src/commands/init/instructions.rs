//! The block that tells agents when to run `ckpt`, in the files that they read.

use ckpt_agents::Agent;

use super::files::{Grounds, Wanted};
use super::receipt::Change;

/// The block.
const BLOCK: &str = include_str!("instructions.md");

/// How its first line begins.
const BEGIN: &str = "<!-- ckpt:begin";

/// Its last line.
const END: &str = "<!-- ckpt:end -->";

/// The file that most agents read. It is created if there is none.
const MAIN: &str = "AGENTS.md";

/// Files that one agent reads. They get the block if they exist.
const OTHERS: [&str; 3] = ["CLAUDE.md", "GEMINI.md", ".github/copilot-instructions.md"];

/// The files with the block.
pub(super) fn wanted(grounds: &Grounds<'_>, notes: &mut Vec<String>) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    for name in [MAIN].into_iter().chain(OTHERS) {
        let path = grounds.root.join(name);
        // Often one of these files is a link to another.
        if path.is_symlink() {
            continue;
        }
        let before = match grounds.text(name, &path) {
            Ok(before) => before,
            Err(failure) => {
                notes.push(format!("{name} was not changed: {}", failure.message()));
                continue;
            }
        };
        if before.is_none() && name != MAIN {
            continue;
        }
        let text = before.as_deref().unwrap_or_default();
        let Some(after) = with_block(text) else {
            notes.push(format!(
                "{name} was not changed: a line {BEGIN} has no line {END}, or there are several"
            ));
            continue;
        };
        wanted.push(Wanted {
            name: name.to_owned(),
            path,
            about: "tells agents when to run ckpt".to_owned(),
            bare: has_block(text).then(|| without_block(text)).flatten(),
            before,
            is_program: false,
            after: Some(after),
        });
    }
    wanted
}

/// What to do about agents that do not read the main file and have none of their own.
pub(super) fn advice(grounds: &Grounds<'_>, agents: &[Agent]) -> Vec<String> {
    let own = [(Agent::Claude, "CLAUDE.md"), (Agent::Gemini, "GEMINI.md")];
    let unread = own.into_iter().filter(|(agent, file)| {
        agents.contains(agent) && grounds.root.join(file).symlink_metadata().is_err()
    });
    let advice = unread.map(|(agent, file)| {
        format!("{agent} does not read {MAIN}: create {file} with the line @{MAIN}")
    });
    advice.collect()
}

/// Whether the block is in a file already, or a file for it cannot be read.
pub(super) fn is_there(grounds: &Grounds<'_>) -> bool {
    let text = grounds.text(MAIN, &grounds.root.join(MAIN));
    text.is_ok_and(|text| text.is_some_and(|text| has_block(&text)))
}

/// Whether this is one of the files.
pub(super) fn is_in(name: &str) -> bool {
    name == MAIN || OTHERS.contains(&name)
}

/// The text without the block, wherever it is; `None` if others have taken it apart. What the receipt says about the rest
/// counts only if it is the same but for line ends around the block.
pub(super) fn original(change: &Change, text: &str) -> Option<String> {
    let bare = without_block(text)?;
    let recorded = change.undone(text);
    let is_same = |recorded: &String| recorded.trim_end() == bare.trim_end();
    Some(recorded.filter(is_same).unwrap_or(bare))
}

/// The files with a block that no receipt records.
pub(super) fn forgotten(grounds: &Grounds<'_>, is_recorded: impl Fn(&str) -> bool) -> Vec<Wanted> {
    let names = [MAIN].into_iter().chain(OTHERS);
    let files = names.filter(|name| !is_recorded(name)).filter_map(|name| {
        let path = grounds.root.join(name);
        let before = grounds.text(name, &path).ok()??;
        let after = without_block(&before).filter(|_| has_block(&before))?;
        Some(Wanted {
            name: name.to_owned(),
            path,
            about: "without the parts added by ckpt".to_owned(),
            after: Some(after),
            before: Some(before),
            bare: None,
            is_program: false,
        })
    });
    files.collect()
}

/// The text with the block: in its place if there is one, else at the end.
fn with_block(text: &str) -> Option<String> {
    let ending = match text.contains("\r\n") {
        true => "\r\n",
        false => "\n",
    };
    let block = BLOCK.replace('\n', ending);
    if let Some((before, after)) = around_block(text)? {
        return Some(format!("{before}{block}{after}"));
    }
    let gap = match text {
        "" => String::new(),
        text if text.ends_with('\n') => ending.to_owned(),
        _ => ending.repeat(2),
    };
    Some(format!("{text}{gap}{block}"))
}

fn has_block(text: &str) -> bool {
    matches!(around_block(text), Some(Some(_)))
}

/// The text without the block and the empty line before it; unchanged if there is no block.
fn without_block(text: &str) -> Option<String> {
    let Some((before, after)) = around_block(text)? else {
        return Some(text.to_owned());
    };
    let lines = |text: &str| text.ends_with("\n\n") || text.ends_with("\n\r\n");
    let before = match lines(before) {
        true => before.trim_end_matches('\n').trim_end_matches('\r'),
        false => before,
    };
    let gap = match (before.is_empty(), before.ends_with('\n')) {
        (false, false) if text.contains("\r\n") => "\r\n",
        (false, false) => "\n",
        _ => "",
    };
    Some(format!("{before}{gap}{after}"))
}

/// What is before and after the block; `Some(None)` if there is none, and `None` if it has no end or there are several.
fn around_block(text: &str) -> Option<Option<(&str, &str)>> {
    let mut at = 0;
    let (mut begin, mut end) = (None, None);
    for line in text.split_inclusive('\n') {
        let after = at + line.len();
        match line.trim() {
            trimmed if trimmed.starts_with(BEGIN) && begin.is_none() => begin = Some(at),
            END if begin.is_some() && end.is_none() => end = Some(after),
            trimmed if trimmed.starts_with(BEGIN) || trimmed == END => return None,
            _ => {}
        }
        at = after;
    }
    match (begin, end) {
        (None, None) => Some(None),
        (Some(begin), Some(end)) => Some(Some((&text[..begin], &text[end..]))),
        _ => None,
    }
}

#[cfg(test)]
mod tests;
