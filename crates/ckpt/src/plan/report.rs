//! Finding the tasks that a sub-agent's report claims to be done.

use std::collections::HashSet;

/// The tasks that a report claims are done, in the order in which it names them: on a line that says so, or below a
/// heading that does. Whether they really are is up to the plan.
#[must_use]
pub fn claimed_tasks(report: &str, tasks: &HashSet<&str>) -> Vec<String> {
    let mut claimed: Vec<String> = Vec::new();
    let mut below = Tone::Neutral;
    for line in report.lines() {
        let named: Vec<&str> = words(line).filter(|word| tasks.contains(word)).collect();
        let tone = Tone::of(line, &named);
        if is_heading(line) {
            below = tone;
        }
        let says = match tone {
            Tone::Neutral => below,
            tone => tone,
        };
        if says == Tone::Done {
            let new = named.into_iter().map(str::to_owned);
            for task in new {
                if !claimed.contains(&task) {
                    claimed.push(task);
                }
            }
        }
    }
    claimed
}

/// The tasks that a text names, in that order.
#[must_use]
pub fn named_tasks(text: &str, tasks: &HashSet<&str>) -> Vec<String> {
    let mut seen = HashSet::new();
    words(text)
        .filter(|word| tasks.contains(word) && seen.insert(*word))
        .map(str::to_owned)
        .collect()
}

/// What a line says about the tasks it names.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Tone {
    Done,
    Open,
    Neutral,
}

const DONE: [&str; 9] = [
    "done",
    "complete",
    "completed",
    "completes",
    "finished",
    "implemented",
    "fixed",
    "ticked",
    "completed_tasks",
];

/// A line with one of these words may be about unfinished work, so it claims nothing.
const OPEN: [&str; 34] = [
    "not",
    "never",
    "no",
    "except",
    "besides",
    "unable",
    "once",
    "when",
    "if",
    "until",
    "unless",
    "before",
    "after",
    "without",
    "will",
    "should",
    "still",
    "todo",
    "remaining",
    "remains",
    "pending",
    "blocked",
    "blocker",
    "failed",
    "fails",
    "skipped",
    "incomplete",
    "unfinished",
    "partially",
    "partial",
    "almost",
    "cannot",
    "next",
    "open",
];

impl Tone {
    fn of(line: &str, named: &[&str]) -> Self {
        let lower = line.to_lowercase();
        // An id may itself be one of these words; then it does not count.
        let is_name = |word: &str| named.iter().any(|name| name.eq_ignore_ascii_case(word));
        let says =
            |known: &[&str]| words(&lower).any(|word| known.contains(&word) && !is_name(word));
        let is_open = says(&OPEN) || lower.contains("n't") || lower.contains("[ ]");
        let is_done = says(&DONE) || lower.contains("[x]") || lower.contains(['✓', '✔', '✅', '☑']);
        match (is_open, is_done) {
            (true, _) => Self::Open,
            (false, true) => Self::Done,
            (false, false) => Self::Neutral,
        }
    }
}

/// A Markdown heading, or a short line that ends in a colon.
fn is_heading(line: &str) -> bool {
    let line = line.trim();
    let bold = line
        .strip_prefix("**")
        .and_then(|line| line.strip_suffix("**"));
    line.starts_with('#') || bold.is_some() || line.trim_end_matches('*').ends_with(':')
}

/// Words that could be ids: letters, digits, dots, dashes and underscores, without surrounding punctuation.
fn words(text: &str) -> impl Iterator<Item = &str> {
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | '/' | '#');
    text.split(move |c: char| !is_part(c))
        .map(|word| word.trim_matches(['.', '-', '#', '/']))
        .filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests;
