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

    /// A table that is known, with these rows in the place of those of the same names, and of a part that was tried now what
    /// could not be tried now.
    fn over(self, mut known: Self) -> Self {
        let word = |text: &str| text.split(' ').next().unwrap_or_default().to_owned();
        let tried: Vec<String> = self.parts.iter().map(|(part, _)| word(part)).collect();
        known
            .skipped
            .retain(|(what, _)| !tried.contains(&word(what)));
        known.skipped.extend(self.skipped);
        for (part, rows) in self.parts {
            for row in rows {
                known.set(&part, row);
            }
        }
        known
    }

    fn set(&mut self, part: &str, row: Row) {
        let rows = self.parts.iter_mut().find(|(name, _)| name == part);
        match rows.and_then(|(_, rows)| rows.iter_mut().find(|known| known.name == row.name)) {
            Some(known) => *known = row,
            None => self.add(part, row),
        }
    }

    /// Reads a table in Markdown.
    fn read(text: &str) -> Self {
        let mut table = Self::default();
        let mut part = String::new();
        for line in text.lines() {
            if let Some((what, why)) = line
                .strip_prefix("Not tried: ")
                .and_then(|rest| rest.strip_suffix('.')?.split_once(": "))
            {
                table.skip(what, why);
            }
            let cells: Vec<&str> = line.trim_matches('|').split('|').map(str::trim).collect();
            let [name, cells @ ..] = cells.as_slice() else {
                continue;
            };
            let numbers: Vec<usize> = cells.iter().filter_map(|cell| cell.parse().ok()).collect();
            match numbers.as_slice() {
                &[points, old, new, unreadable, lost, litter] => {
                    let counts = Counts {
                        points,
                        old,
                        new,
                        unreadable,
                        lost,
                        litter,
                    };
                    let name = (*name).to_owned();
                    table.add(&part, Row { name, counts });
                }
                _ if cells.first() == Some(&"points") => part = (*name).to_owned(),
                _ => {}
            }
        }
        table
    }

    /// Writes the table between the markers of a page. Of rows that were not tried now, those on the page stay if they are to.
    pub(crate) fn write(self, path: &Path, known_stay: bool) -> Result<(), String> {
        let failed = |error: std::io::Error| format!("{}: {error}", path.display());
        let page = std::fs::read_to_string(path).map_err(failed)?;
        let parts = page.split_once(BEGIN).and_then(|(before, rest)| {
            let (known, after) = rest.split_once(END)?;
            Some((before, known, after))
        });
        let Some((before, known, after)) = parts else {
            return Err(format!("{} has no {BEGIN} and {END}", path.display()));
        };
        let table = match known_stay {
            true => self.over(Self::read(known)),
            false => self,
        };
        let page = format!("{before}{BEGIN}\n{}\n{END}{after}", table.text());
        std::fs::write(path, page).map_err(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KNOWN: &str = "
| kills | points | old | new | unreadable | lost | litter |
|---|---:|---:|---:|---:|---:|---:|
| start, again | 9 | 4 | 5 | 0 | 0 | 0 |
| phase | 2 | 1 | 1 | 1 | 0 | 0 |

| power cuts | points | old | new | unreadable | lost | litter |
|---|---:|---:|---:|---:|---:|---:|
| power cut on ext4 | 3 | 0 | 3 | 0 | 0 | 0 |

Not tried: power cuts on xfs: no mkfs.xfs: (os error 2).

14 points: 1 unreadable, 0 lost after they were acknowledged, 0 with litter.
";

    #[test]
    fn what_was_not_tried_again_stays_on_the_page() {
        assert_eq!(Table::read(KNOWN).text(), KNOWN);
        let mut table = Table::default();
        for name in ["phase", "gc"] {
            let counts = Counts {
                points: 2,
                old: 2,
                ..Counts::default()
            };
            let name = name.to_owned();
            table.add("kills", Row { name, counts });
        }
        let text = table.over(Table::read(KNOWN)).text();
        let phase = "| phase | 2 | 2 | 0 | 0 | 0 | 0 |";
        let expected = KNOWN.replace("| phase | 2 | 1 | 1 | 1 | 0 | 0 |", phase);
        let expected =
            expected.replace(phase, &format!("{phase}\n{}", phase.replace("phase", "gc")));
        let expected = expected.replace("14 points: 1", "16 points: 0");
        assert_eq!(text, expected);
    }
}
