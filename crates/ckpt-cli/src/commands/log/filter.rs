//! Which lines of a history are shown, and what in them was looked for.

use ckpt::Timestamp;
use ckpt::history::Line;

use crate::render::story::story;
use crate::render::style::{one_line, shortened};

/// How many characters of a text are shown before what was found in it, and how many in all.
const BEFORE: usize = 30;
const PIECE: usize = 80;

/// Which lines are shown.
pub(super) struct Filter {
    pub(super) since: Option<Timestamp>,
    pub(super) until: Option<Timestamp>,
    pub(super) author: Option<String>,
    pub(super) event: Option<String>,
    /// In lower case.
    pub(super) search: Option<String>,
}

/// A line that is shown.
pub(super) struct Match {
    /// What was found, if it is not in the story of the line: a piece of the text that says it.
    pub(super) piece: Option<String>,
}

impl Filter {
    /// Whether this and all earlier lines are too old.
    pub(super) fn is_past(&self, line: &Line) -> bool {
        self.since
            .zip(time_of(line))
            .is_some_and(|(since, time)| time < since)
    }

    /// Whether a line is shown.
    pub(super) fn admits(&self, line: &Line) -> Option<Match> {
        let is_late = self
            .until
            .zip(time_of(line))
            .is_some_and(|(until, time)| time > until);
        let by = line.by().unwrap_or_default();
        let is_by = |who: &String| {
            by == who.as_str()
                || by
                    .strip_prefix(who.as_str())
                    .is_some_and(|rest| rest.starts_with(':'))
        };
        let event = line.event().unwrap_or_default();
        let is_admitted = !is_late
            && self.author.as_ref().is_none_or(is_by)
            && self
                .event
                .as_ref()
                .is_none_or(|name| event.contains(name.as_str()));
        match &self.search {
            _ if !is_admitted => None,
            Some(text) => found(line, text),
            None => Some(Match { piece: None }),
        }
    }
}

pub(super) fn time_of(line: &Line) -> Option<Timestamp> {
    Timestamp::parse(&line.time()?)
}

/// Where a line says this: in its story, in its details, or in the texts that it brought.
fn found(line: &Line, text: &str) -> Option<Match> {
    let is_it = |said: &String| said.to_lowercase().contains(text);
    if is_it(&story(line)) {
        return Some(Match { piece: None });
    }
    let said = line.said().find(is_it)?;
    Some(Match {
        piece: Some(piece(&said, text)),
    })
}

/// The part of a text in which this was found, on one line.
fn piece(said: &str, text: &str) -> String {
    let said = one_line(said);
    let start = position(&said, text).saturating_sub(BEFORE);
    let rest: String = said.chars().skip(start).take(PIECE + 1).collect();
    match start {
        0 => shortened(&rest, PIECE),
        _ => format!("…{}", shortened(rest.trim_start(), PIECE)),
    }
}

/// How many characters come before a text in lower case; none if it is not found.
fn position(said: &str, text: &str) -> usize {
    let mut lower = String::new();
    let mut ends = Vec::new();
    for character in said.chars() {
        lower.extend(character.to_lowercase());
        ends.push(lower.len());
    }
    let at = lower.find(text).unwrap_or_default();
    ends.partition_point(|end| *end <= at)
}

#[cfg(test)]
mod tests;
