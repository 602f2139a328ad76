//! Formats the results: a table for people, JSON for programs.

use std::fmt::Write as _;

use crate::bound::{Bound, Verdict};
use crate::comparison::{Comparison, Summary};

/// The outcome of a case.
pub(crate) enum Outcome {
    Measured(Comparison),
    Skipped(&'static str),
}

/// One case with its result.
pub(crate) struct Row {
    pub(crate) name: &'static str,
    /// What `ckpt` was compared with.
    pub(crate) against: &'static str,
    pub(crate) bound: Bound,
    pub(crate) outcome: Outcome,
}

const COLUMNS: usize = 9;

impl Row {
    pub(crate) fn verdict(&self) -> Verdict {
        match &self.outcome {
            Outcome::Measured(comparison) => self.bound.judge(comparison),
            Outcome::Skipped(_) => Verdict::Skipped,
        }
    }

    fn cells(&self) -> [String; COLUMNS] {
        let mut cells: [String; COLUMNS] = std::array::from_fn(|_| "-".to_owned());
        if let Outcome::Measured(comparison) = &self.outcome {
            let Comparison { ours, floor, .. } = comparison;
            cells[1] = times(ours);
            cells[2] = times(floor);
            cells[3] = times_as_much(comparison.wall_ratio());
            cells[4] = times_as_much(comparison.cpu_ratio());
            cells[5] = mebibytes(ours);
            cells[6] = mebibytes(floor);
        }
        cells[0] = self.name.to_owned();
        cells[7] = self.bound.to_string();
        cells[8] = self.verdict().to_string();
        cells
    }

    fn note(&self) -> String {
        let Self { name, against, .. } = self;
        match &self.outcome {
            Outcome::Measured(comparison) => {
                format!("{name}: against {against}, {} rounds", comparison.rounds)
            }
            Outcome::Skipped(reason) => format!("{name}: skipped, {reason}"),
        }
    }

    fn json(&self) -> String {
        let Self { name, against, .. } = self;
        let result = match &self.outcome {
            Outcome::Skipped(reason) => format!(r#""reason":"{reason}""#),
            Outcome::Measured(comparison) => format!(
                r#""rounds":{},"ours":{},"floor":{},"ratio_wall":{},"ratio_cpu":{}"#,
                comparison.rounds,
                summary_json(&comparison.ours),
                summary_json(&comparison.floor),
                number(Some(comparison.wall_ratio())),
                number(Some(comparison.cpu_ratio())),
            ),
        };
        let bound = format!(
            r#"{{"wall":{},"cpu":{},"cpu_ms":{},"rss_kib":{}}}"#,
            number(self.bound.wall),
            number(self.bound.cpu),
            number(self.bound.cpu_ms),
            self.bound
                .rss
                .map_or("null".to_owned(), |most| most.to_string()),
        );
        let verdict = self.verdict();
        format!(
            r#"{{"case":"{name}","against":"{against}",{result},"bound":{bound},"verdict":"{verdict}"}}"#
        )
    }
}

/// One object with all rows: the values of the table with less rounding.
pub(crate) fn json(rows: &[Row]) -> String {
    let cases: Vec<String> = rows.iter().map(Row::json).collect();
    let ok = !is_over(rows);
    format!("{{\"ok\":{ok},\"cases\":[\n{}\n]}}\n", cases.join(",\n"))
}

/// Aligned columns, then what each case was compared with or why it was skipped.
pub(crate) fn table(rows: &[Row]) -> String {
    let heads = [
        "case",
        "ours",
        "floor",
        "wall",
        "cpu",
        "rss",
        "floor rss",
        "bound",
        "verdict",
    ];
    let mut lines = vec![heads.map(str::to_owned)];
    lines.extend(rows.iter().map(Row::cells));
    let widths: [usize; COLUMNS] = std::array::from_fn(|column| {
        let lengths = lines.iter().map(|cells| cells[column].len());
        lengths.max().unwrap_or(0)
    });
    let mut text = String::new();
    for cells in &lines {
        let mut line = String::new();
        for (cell, width) in cells.iter().zip(widths) {
            let _ = write!(line, "{cell:width$}  ");
        }
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push_str("\nours, floor: median wall / p90 wall / median cpu in ms; rss: peak in MiB\n");
    for row in rows {
        text.push_str(&row.note());
        text.push('\n');
    }
    text
}

/// Whether any case exceeded its bound.
pub(crate) fn is_over(rows: &[Row]) -> bool {
    rows.iter().any(|row| row.verdict() == Verdict::Over)
}

/// Small ratios need more decimal places to be meaningful.
fn times_as_much(ratio: f64) -> String {
    let places = if ratio < 0.1 { 3 } else { 2 };
    format!("{ratio:.places$}x")
}

fn times(side: &Summary) -> String {
    let [wall, p90, cpu] = [side.wall, side.wall_p90, side.cpu].map(|time| time / 1_000.0);
    format!("{wall:.2} / {p90:.2} / {cpu:.2}")
}

fn mebibytes(side: &Summary) -> String {
    format!("{:.1}", side.rss as f64 / 1024.0)
}

fn summary_json(side: &Summary) -> String {
    format!(
        r#"{{"wall_us":{:.1},"wall_p90_us":{:.1},"cpu_us":{:.1},"cpu_mean_us":{:.1},"rss_kib":{}}}"#,
        side.wall, side.wall_p90, side.cpu, side.cpu_mean, side.rss
    )
}

/// JSON has no infinity, so it becomes null.
fn number(value: Option<f64>) -> String {
    match value {
        Some(value) if value.is_finite() => format!("{value:.3}"),
        _ => "null".to_owned(),
    }
}

#[cfg(test)]
mod tests;
