//! One line about a checkpoint, and tables of such lines.

use ckpt::gate::Verdict;
use ckpt::key::Key;
use ckpt::workspace::Summary;
use ckpt::{Lifecycle, Progress, Timestamp};

use super::age::age;
use super::bar::bar;
use super::proof;
use super::style::{ACTIVE, BAD, FAINT, GOOD, STRONG, WARN, one_line, paint};

/// A line about a checkpoint, in columns.
pub(crate) struct Row {
    /// The mark in front, in tables that have one.
    mark: Option<bool>,
    cells: Vec<Cell>,
    /// What follows the columns.
    rest: String,
}

struct Cell {
    width: usize,
    text: String,
}

impl Cell {
    fn new(style: anstyle::Style, text: &str) -> Self {
        Self {
            width: text.chars().count(),
            text: paint(style, text),
        }
    }
}

impl Row {
    /// The line about a checkpoint.
    pub(crate) fn of(summary: &Summary, now: Timestamp) -> Self {
        let (style, state) = state(summary);
        let progress = summary.progress;
        let age = age(summary.updated_at.as_deref(), now);
        Self {
            mark: None,
            cells: vec![
                Cell::new(STRONG, &one_line(&summary.key.short())),
                Cell::new(style, &bar(progress.done, progress.total)),
                Cell::new(style, &state),
                Cell::new(FAINT, &age),
            ],
            rest: rest(summary),
        }
    }

    /// Marks the line, in a table in which some lines are marked.
    pub(crate) fn marked(mut self, is_marked: bool) -> Self {
        self.mark = Some(is_marked);
        self
    }
}

/// The lines, with their columns aligned.
pub(crate) fn table(rows: &[Row]) -> String {
    let columns = rows.iter().map(|row| row.cells.len()).max().unwrap_or(0);
    let widest = |column: usize| {
        let cells = rows.iter().filter_map(|row| row.cells.get(column));
        cells.map(|cell| cell.width).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..columns).map(widest).collect();
    let mut text = String::new();
    for row in rows {
        let mut line = match row.mark {
            Some(true) => format!("{} ", paint(ACTIVE, "▶")),
            Some(false) => "  ".to_owned(),
            None => String::new(),
        };
        for (position, (cell, width)) in row.cells.iter().zip(&widths).enumerate() {
            line += &cell.text;
            let is_last = position + 1 == row.cells.len() && row.rest.is_empty();
            if !is_last {
                line += &" ".repeat(width - cell.width + 2);
            }
        }
        text += &format!("{line}{}\n", row.rest);
    }
    text
}

/// Where a checkpoint stands, in a few words.
fn state(summary: &Summary) -> (anstyle::Style, String) {
    match (summary.lifecycle, &summary.current_phase) {
        (Lifecycle::Complete, _) => (GOOD, "complete".to_owned()),
        (Lifecycle::Abandoned, _) => (FAINT, "abandoned".to_owned()),
        (Lifecycle::InFlight, _) if summary.dormant_on.is_some() => {
            let branch = summary.dormant_on.as_deref().unwrap_or_default();
            (FAINT, format!("on branch {}", one_line(branch)))
        }
        (Lifecycle::InFlight, _) if summary.trouble.is_some() => {
            let trouble = summary.trouble.as_deref().unwrap_or_default();
            (BAD, one_line(trouble))
        }
        (Lifecycle::InFlight, _) if !summary.failed_phases.is_empty() => {
            let failed = summary.failed_phases.join(", ");
            (BAD, format!("failed: {}", one_line(&failed)))
        }
        (Lifecycle::InFlight, Some(phase)) => {
            let task = summary.current_task.as_deref().map(one_line);
            let task = task.map(|task| format!(" ({task})"));
            (
                ACTIVE,
                format!("{}{}", one_line(phase), task.unwrap_or_default()),
            )
        }
        (Lifecycle::InFlight, None) if summary.progress.total == 0 => {
            let parts = match summary.key {
                Key::Plan(_) => "no tasks yet",
                _ => "no phases yet",
            };
            (FAINT, parts.to_owned())
        }
        (Lifecycle::InFlight, None) => {
            let word = match summary.progress {
                Progress { done: 0, .. } => "not started",
                Progress { done, total } if done == total => "all done, to be completed",
                _ => "between phases",
            };
            (FAINT, word.to_owned())
        }
    }
}

/// What needs attention: another commit, the gate, and what is known about named gates.
fn rest(summary: &Summary) -> String {
    if summary.lifecycle != Lifecycle::InFlight {
        return String::new();
    }
    let mut parts = Vec::new();
    if let Some(stale) = &summary.stale {
        let (saved, current) = stale.short();
        parts.push(paint(WARN, format!("stale: {saved} -> {current}")));
    }
    match &summary.ship {
        Some(Verdict::Blocked { .. }) => parts.push(format!("shipping: {}", paint(BAD, "blocked"))),
        Some(Verdict::Overridden { .. }) => {
            parts.push(format!("shipping: {}", paint(WARN, "overridden")));
        }
        Some(Verdict::Allowed { .. }) => {
            parts.push(format!("shipping: {}", paint(GOOD, "allowed")));
        }
        Some(Verdict::NotChecked) | None => {}
    }
    if !summary.gates.is_empty() {
        parts.push(format!("gates: {}", proof::counts(&summary.gates)));
    }
    parts.join("  ")
}
