//! One table of everything that was tried.

use std::fmt::Write;
use std::path::Path;

/// The results of one subject.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) name: String,
    pub(crate) counts: Counts,
}

/// What was found.
#[derive(Debug, Default)]
pub(crate) struct Counts {
    /// How often something was tried.
    pub(crate) points: usize,
    /// How often the old state was there, or the command said that it failed.
    pub(crate) old: usize,
    /// How often the new state was there, or the command was acknowledged.
    pub(crate) new: usize,
    pub(crate) unreadable: usize,
    pub(crate) lost: usize,
    pub(crate) litter: usize,
}

impl Counts {
    /// Counts something that must not happen, and says when it did.
    pub(crate) fn bad(&mut self, kind: &str, when: &str, reason: &str) {
        match kind {
            "lost" => self.lost += 1,
            "litter" => self.litter += 1,
            _ => self.unreadable += 1,
        }
        crate::say(&format!("{kind}: {when}: {reason}"));
    }

    fn is_sound(&self) -> bool {
        self.points > 0 && self.unreadable + self.lost + self.litter == 0
    }
}

/// All results, by part.
#[derive(Debug, Default)]
pub(crate) struct Table {
    parts: Vec<(String, Vec<Row>)>,
    skipped: Vec<(String, String)>,
}

const BEGIN: &str = "<!-- kill-matrix:begin -->";
const END: &str = "<!-- kill-matrix:end -->";

impl Table {
    pub(crate) fn add(&mut self, part: &str, row: Row) {
        match self.parts.iter_mut().find(|(name, _)| name == part) {
            Some((_, rows)) => rows.push(row),
            None => self.parts.push((part.to_owned(), vec![row])),
        }
    }

    /// Notes what could not be tried here, and why.
    pub(crate) fn skip(&mut self, what: &str, why: &str) {
        self.skipped.push((what.to_owned(), why.to_owned()));
    }

    pub(crate) fn is_sound(&self) -> bool {
        let mut rows = self.parts.iter().flat_map(|(_, rows)| rows);
        rows.all(|row| row.counts.is_sound())
    }

    /// The table in Markdown.
    pub(crate) fn text(&self) -> String {
        let mut text = String::new();
        let mut all = Counts::default();
        for (part, rows) in &self.parts {
            let _ = writeln!(
                text,
                "\n| {part} | points | old | new | unreadable | lost | litter |\n|---|---:|---:|---:|---:|---:|---:|"
            );
            for Row { name, counts } in rows {
                let Counts {
                    points,
                    old,
                    new,
                    unreadable,
                    lost,
                    litter,
                } = counts;
                let _ = writeln!(
                    text,
                    "| {name} | {points} | {old} | {new} | {unreadable} | {lost} | {litter} |"
                );
                all.points += points;
                all.unreadable += unreadable;
                all.lost += lost;
                all.litter += litter;
            }
        }
        for (what, why) in &self.skipped {
            let _ = writeln!(text, "\nNot tried: {what}: {why}.");
        }
        let _ = writeln!(
            text,
            "\n{} points: {} unreadable, {} lost after they were acknowledged, {} with litter.",
            all.points, all.unreadable, all.lost, all.litter
        );
        text
    }

    /// Writes the table between the markers of a page.
    pub(crate) fn write(&self, path: &Path) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let page = std::fs::read_to_string(path).map_err(failed)?;
        let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
            let (_, after) = rest.split_once(END)?;
            Some((before, after))
        });
        let Some((before, after)) = parts else {
            return Err(format!("{} has no {BEGIN} and {END}", path.display()));
        };
        let page = format!("{before}{BEGIN}\n{}\n{END}{after}", self.text());
        std::fs::write(path, page).map_err(failed)
    }
}
