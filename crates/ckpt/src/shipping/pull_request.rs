//! The title and the body of a pull request, from checkpoints.

use crate::facts::{Item, Remark, State, Unit, Work};
use crate::gate::{KnownPreview, PREVIEW, Proof};
use crate::issue::IssueId;
use crate::key::Key;
use crate::voice::in_markdown;

/// How long the parts may be, in characters.
const LONGEST_TITLE: usize = 100;
const LONGEST_NAME: usize = 80;
const LONGEST_TEXT: usize = 600;
const LONGEST_BODY: usize = 20_000;

/// The word by which trackers know what a pull request closes.
const CLOSES: &str = "Closes";

/// The text of a pull request.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct PullRequest {
    /// Its title.
    pub title: String,
    /// Its body, in Markdown.
    pub body: String,
}

/// Whether the text names the issue, so that the tracker follows the pull request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IssueLink<'i> {
    /// It does.
    Closes(&'i IssueId),
    /// It does not.
    None,
}

/// Writes the text of a pull request about these checkpoints, of which the first one ships and has this preview. What others wrote in them stays
/// text: it closes, mentions and marks up nothing.
#[must_use]
pub fn pull_request(
    works: &[Work],
    link: IssueLink<'_>,
    preview: Option<&KnownPreview>,
) -> PullRequest {
    let mut body = Body::default();
    if let IssueLink::Closes(issue) = link {
        body.text = format!("{CLOSES} {issue}\n");
    }
    let done = works.iter().filter(|work| work.unit == Unit::Phases);
    for work in done {
        let title = in_markdown(&work.key.short(), LONGEST_NAME);
        body.section(&title, work.items.iter().filter_map(phase));
    }
    let decided = works.iter().flat_map(|work| &work.decided);
    body.section("Decisions", decided.map(decision));
    let previews = std::iter::once(preview).chain(std::iter::repeat(None));
    let proofs = works.iter().zip(previews);
    let proofs = proofs.flat_map(|(work, preview)| proofs_of(work, preview));
    body.section("Proofs", proofs);
    PullRequest {
        title: title(works.first(), link),
        body: body.finished(),
    }
}

/// A body that stays short enough.
#[derive(Default)]
struct Body {
    text: String,
    left_out: usize,
}

impl Body {
    /// Adds a section, unless it is empty.
    fn section(&mut self, title: &str, lines: impl Iterator<Item = String>) {
        let mut lines = lines.peekable();
        if lines.peek().is_none() {
            return;
        }
        if self.has_room() {
            let gap = if self.text.is_empty() { "" } else { "\n" };
            self.text += &format!("{gap}## {title}\n\n");
        }
        for line in lines {
            match self.has_room() {
                true => self.text += &format!("- {line}\n"),
                false => self.left_out += 1,
            }
        }
    }

    fn has_room(&self) -> bool {
        self.text.len() < LONGEST_BODY
    }

    fn finished(mut self) -> String {
        if self.left_out > 0 {
            self.text += &format!("\n{} more lines are left out.\n", self.left_out);
        }
        self.text
    }
}

/// A phase that was worked on.
fn phase(item: &Item) -> Option<String> {
    let id = in_markdown(&item.id, LONGEST_NAME);
    let text = |text: &Option<String>| {
        let text = text.as_ref().map(|text| in_markdown(text, LONGEST_TEXT));
        text.map(|text| format!(": {text}")).unwrap_or_default()
    };
    match &item.state {
        State::Done | State::InProgress => Some(format!("**{id}**{}", text(&item.summary))),
        State::Failed => Some(format!("**{id}** failed{}", text(&item.error))),
        State::Skipped => Some(format!("**{id}** was skipped{}", text(&item.reason))),
        State::Open | State::Waiting(_) | State::Deferred => None,
    }
}

fn decision(remark: &Remark) -> String {
    let text = in_markdown(&remark.text, LONGEST_TEXT);
    match &remark.reason {
        Some(reason) => format!("{text}, because {}", in_markdown(reason, LONGEST_TEXT)),
        None => text,
    }
}

/// The gates of a checkpoint. Those of a plan are criteria of its tasks, and are left out.
fn proofs_of<'w>(
    work: &'w Work,
    preview: Option<&'w KnownPreview>,
) -> impl Iterator<Item = String> {
    let key = in_markdown(&work.key.short(), LONGEST_NAME);
    let gates = work.gates.iter();
    let gates = gates.filter(|_| matches!(work.key, Key::Command(_)));
    gates.map(move |gate| {
        let proof = gate.proof.as_str();
        let line = format!(
            "{} ({key}): {proof}",
            in_markdown(&gate.name(), LONGEST_NAME)
        );
        let url = preview.and_then(|preview| preview.url.as_deref());
        match url.filter(|_| gate.gate == PREVIEW && gate.proof == Proof::Proven) {
            Some(url) => format!("{line}, <{url}>"),
            None => line,
        }
    })
}

/// The feature in words, after the issue.
fn title(work: Option<&Work>, link: IssueLink<'_>) -> String {
    let words = match work.map(|work| &work.key) {
        Some(Key::Command(key)) => words(key.feature().unwrap_or(key.command())),
        _ => String::new(),
    };
    match link {
        IssueLink::Closes(issue) => format!("{issue}: {words}"),
        IssueLink::None => words,
    }
}

/// A name in words: nothing is left in it that could name or mention anything.
fn words(name: &str) -> String {
    let words = name.split(|c: char| !c.is_alphanumeric());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    let mut letters = words.join(" ");
    if let Some(first) = letters.get(..1) {
        let first = first.to_uppercase();
        letters.replace_range(..1, &first);
    }
    letters.chars().take(LONGEST_TITLE).collect()
}

#[cfg(test)]
mod tests;
