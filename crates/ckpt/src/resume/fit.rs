//! Rendering briefs as text within a token budget.

use super::brief::{Brief, DriftNote, Unit};
use crate::standing::Lifecycle;
use crate::tokens::Counter;
use crate::voice::{INTRODUCTION, flat, name, names, quote, quotes};

/// A line cut shorter than this is not worth showing.
const WORTH_READING: usize = 60;

/// The platforms that inject this text cut it off at 10,000 characters.
const MAX_BYTES: usize = 9_000;

/// A rendered brief.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// The text to show.
    pub text: String,
    /// Whether anything was omitted.
    pub shortened: bool,
}

/// The token counter for briefs: a brief must fit the budget of every reader.
pub const COUNTER: Counter = Counter::Claude;

impl Text {
    /// The number of tokens, as an upper estimate.
    #[must_use]
    pub fn tokens(&self) -> usize {
        COUNTER.count(&self.text)
    }
}

/// The approximate length of the shortest line about another checkpoint, in tokens.
const SHORTEST_LINE: usize = 12;

/// The maximum number of briefs that fit a budget; computing more would be wasted.
#[must_use]
pub fn most_shown(budget: usize) -> usize {
    budget / SHORTEST_LINE + 2
}

/// Renders briefs: the first in full as far as the budget allows, the others in one line each. `more` is the number
/// of further checkpoints, which are only counted.
#[must_use]
pub fn render(briefs: &[Brief], more: usize, budget: usize) -> Text {
    let mut room = budget.saturating_mul(3).min(MAX_BYTES);
    loop {
        let text = within(briefs, more, room);
        if COUNTER.fits(&text.text, budget) {
            return text;
        }
        // The number of tokens per byte varies. Each attempt is shorter than the last, so the loop ends, at the
        // latest with the first line alone.
        let fitting = room.saturating_mul(budget) / text.tokens();
        let shorter = fitting.min(text.text.len().saturating_sub(1));
        if shorter < SHORTEST || shorter >= room {
            return within(briefs, more, 0);
        }
        room = shorter;
    }
}

/// With less room than this, only the first line is shown.
const SHORTEST: usize = 40;

/// How much of the first line is shown, however small the budget.
const FIRST_LINE: usize = 240;

fn within(briefs: &[Brief], more: usize, room: usize) -> Text {
    let mut page = Page {
        text: String::new(),
        room,
        shortened: false,
    };
    let Some((first, others)) = briefs.split_first() else {
        return page.finish();
    };
    let first_lines = INTRODUCTION.len() + 1 + FIRST_LINE.min(headline(first).len() + 1);
    page.room = page.room.max(first_lines);
    page.add(INTRODUCTION);
    page.add(&headline(first));
    let rest: Vec<String> = others
        .iter()
        .map(|brief| format!("Also: {}", shortened(headline(brief))))
        .collect();
    let reserved: usize = rest.iter().map(|line| line.len() + 1).sum();
    // The one-line briefs come last, but up to half of the room is reserved for them.
    let reserve = reserved.min(page.room / 2);
    page.room -= reserve;
    for line in details(first) {
        page.add(&line);
    }
    page.room += reserve;
    let mut left = rest.len() + more;
    for line in &rest {
        let needed = line.len() + if left > 1 { note(left).len() + 2 } else { 1 };
        if needed > page.room {
            break;
        }
        page.add(line);
        left -= 1;
    }
    if left > 0 {
        page.shortened = true;
        page.add(&note(left));
    }
    page.finish()
}

/// The maximum length of a one-line brief, in bytes.
const LONGEST_MENTION: usize = 160;

fn shortened(mut line: String) -> String {
    if line.len() > LONGEST_MENTION {
        line.truncate(line.floor_char_boundary(LONGEST_MENTION));
        line.push('…');
    }
    line
}

/// The line about checkpoints that did not fit.
fn note(left: usize) -> String {
    format!("and {left} more: ckpt list")
}

struct Page {
    text: String,
    room: usize,
    shortened: bool,
}

impl Page {
    /// Adds a line, cut to the room that is left.
    fn add(&mut self, line: &str) {
        let line = flat(line);
        let mut line = line.as_ref();
        let mut cut = "";
        if line.len() + 1 > self.room {
            self.shortened = true;
            let room = self.room.saturating_sub(" …".len() + 1);
            if room < WORTH_READING {
                return;
            }
            let end = line.floor_char_boundary(room);
            line = line[..end]
                .rsplit_once(' ')
                .map_or(&line[..end], |(kept, _)| kept);
            cut = " …";
        }
        self.text.push_str(line);
        self.text.push_str(cut);
        self.text.push('\n');
        self.room = self.room.saturating_sub(line.len() + cut.len() + 1);
    }

    fn finish(self) -> Text {
        Text {
            text: self.text,
            shortened: self.shortened,
        }
    }
}

fn headline(brief: &Brief) -> String {
    let progress = brief.progress;
    let mut line = format!(
        "{}: {} of {} {} done",
        name(&brief.key.short()),
        progress.done,
        progress.total,
        match brief.unit {
            Unit::Phases => "phases",
            Unit::Tasks => "tasks",
            Unit::Workstreams => "workstreams",
        }
    );
    if brief.lifecycle == Lifecycle::InFlight
        && let Some(phase) = &brief.resume_point.phase
    {
        line += &match brief.unit {
            Unit::Phases | Unit::Tasks => format!(", in {}", name(phase)),
            Unit::Workstreams => format!(", {}", name(phase)),
        };
        // For a plan, the next step already names the task.
        if let (Unit::Phases, Some(task)) = (brief.unit, &brief.task) {
            line += &format!(" (task {})", name(task));
        }
    }
    line += &format!(". Next: {}.", brief.next);
    if brief.stale.is_some() {
        line += " Stale.";
    }
    line
}

fn details(brief: &Brief) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(trouble) = &brief.trouble {
        lines.push(format!("Problem: {trouble}."));
    }
    for failure in &brief.failed {
        let note = failure.note.as_deref().map(quote);
        let note = note.unwrap_or_else(|| "no error recorded".to_owned());
        lines.push(format!("Failed: {}: {note}", name(&failure.phase)));
    }
    if !brief.blockers.is_empty() {
        let what = match brief.unit {
            Unit::Phases => "Gate blocked",
            Unit::Tasks | Unit::Workstreams => "Blocked",
        };
        lines.push(format!("{what}: {}", quotes(&brief.blockers)));
    }
    if let Some(pass) = &brief.gate_override {
        lines.push(format!("Gate overridden by {}", quote(pass)));
    }
    if !brief.gates.is_empty() {
        let gates = brief.gates.iter();
        let gates =
            gates.map(|known| format!("{} {}", gate_name(&known.gate), known.proof.as_str()));
        lines.push(format!("Gates: {}.", gates.collect::<Vec<_>>().join(", ")));
    }
    if !brief.also_in_progress.is_empty() {
        lines.push(format!(
            "Also in progress: {}.",
            names(&brief.also_in_progress)
        ));
    }
    if !brief.claimed.is_empty() {
        lines.push(format!("Claimed: {}.", brief.claimed.join(", ")));
    }
    if !brief.unproven.is_empty() {
        let unproven = brief.unproven.join(", ");
        lines.push(format!("Reported done, but not ticked: {unproven}."));
    }
    for died in &brief.died {
        lines.push(format!("Sub-agent died: {died}"));
    }
    if let Some(stale) = &brief.stale {
        let (saved, current) = stale.short();
        let branch = brief
            .branch
            .as_deref()
            .map(|branch| format!(" on {}", name(branch)));
        lines.push(format!(
            "Moved: saved at {}, HEAD is now {}{}.",
            name(&saved),
            name(&current),
            branch.unwrap_or_default()
        ));
    }
    lines.extend(brief.drift.as_ref().map(drift_line));
    if !brief.done.is_empty() {
        lines.push(format!(
            "Done as reported, do not redo: {}.",
            names(&brief.done)
        ));
    }
    if !brief.pending.is_empty() {
        let pending: Vec<String> = brief.pending.iter().map(|one| pending_name(one)).collect();
        lines.push(format!("Pending: {}.", pending.join(", ")));
    }
    if let Some(notes) = &brief.notes {
        lines.push(format!("Notes: {}", quote(notes)));
    }
    if !brief.decisions.is_empty() {
        lines.push(format!("Decided: {}", quotes(&brief.decisions)));
    }
    if let Some(summary) = &brief.current_summary {
        lines.push(format!("So far in this phase: {}", quote(summary)));
    }
    if let (Some(summary), Some(phase)) = (&brief.resume_point.summary, brief.done.last()) {
        lines.push(format!("From {}: {}", name(phase), quote(summary)));
    }
    if !brief.files.is_empty() {
        lines.push(format!("Files: {}.", names(&brief.files)));
    }
    if let Some(updated) = &brief.updated_at {
        lines.push(format!("Last saved: {}.", name(updated)));
    }
    lines
}

/// The name of a gate and its workstreams, as in `lint (WS1)`.
fn gate_name(entry: &str) -> String {
    let parts = entry
        .strip_suffix(')')
        .and_then(|entry| entry.rsplit_once(" ("));
    match parts {
        Some((gate, about)) => {
            let about: Vec<&str> = about.split(", ").collect();
            format!("{} ({})", name(gate), names(&about))
        }
        None => name(entry).into_owned(),
    }
}

/// The name of a phase, task or workstream, or of a gate marked as such.
fn pending_name(entry: &str) -> String {
    match entry.strip_prefix("gate ") {
        Some(gate) => format!("gate {}", gate_name(gate)),
        None => name(entry).into_owned(),
    }
}

/// What has changed since a checkpoint was saved, in a line.
#[must_use]
pub fn drift_line(drift: &DriftNote) -> String {
    let mut line = match drift.commits {
        Some(0) if drift.left_behind == 0 => "Drift: no commits since".to_owned(),
        Some(1) => "Drift: 1 commit since".to_owned(),
        Some(commits) => format!("Drift: {commits} commits since"),
        None => "Drift: git no longer knows the saved commit".to_owned(),
    };
    if drift.left_behind > 0 {
        line += &format!(", {} no longer in HEAD", drift.left_behind);
    }
    if drift.changed_files.is_empty() {
        line += "; none of its files changed.";
    } else {
        line += &format!("; changed since: {}.", names(&drift.changed_files));
    }
    line
}

#[cfg(test)]
mod tests;
