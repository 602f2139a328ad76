//! The bounds of a comparison, and the verdict on it.

use std::fmt;

use crate::comparison::Comparison;

/// The highest values that pass. `None` is shown but not judged.
#[derive(Clone, Copy)]
pub(crate) struct Bound {
    /// Ratio of the median wall times.
    pub(crate) wall: Option<f64>,
    /// Ratio of the median CPU times.
    pub(crate) cpu: Option<f64>,
    /// Our median CPU time beyond the floor's, in milliseconds, for work of a fixed size that has nothing to compare it
    /// with.
    pub(crate) cpu_ms: Option<f64>,
    /// Our peak resident memory, in KiB.
    pub(crate) rss: Option<u64>,
}

/// The result of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Verdict {
    Ok,
    Over,
    /// Measured for information; it has no bound.
    Info,
    Skipped,
}

impl Bound {
    pub(crate) const NONE: Self = Self {
        wall: None,
        cpu: None,
        cpu_ms: None,
        rss: None,
    };

    /// The same ratio for wall and CPU time.
    pub(crate) const fn both(most: f64) -> Self {
        Self {
            wall: Some(most),
            ..Self::cpu(most)
        }
    }

    pub(crate) const fn cpu(most: f64) -> Self {
        Self {
            cpu: Some(most),
            ..Self::NONE
        }
    }

    pub(crate) const fn wall(most: f64) -> Self {
        Self {
            wall: Some(most),
            ..Self::NONE
        }
    }

    pub(crate) const fn cpu_milliseconds(most: f64) -> Self {
        Self {
            cpu_ms: Some(most),
            ..Self::NONE
        }
    }

    pub(crate) const fn bytes(self, most: usize) -> Self {
        Self {
            rss: Some(most as u64 / 1024),
            ..self
        }
    }

    pub(crate) const fn mebibytes(self, most: u64) -> Self {
        Self {
            rss: Some(most * 1024),
            ..self
        }
    }

    pub(crate) fn judge(&self, comparison: &Comparison) -> Verdict {
        let Self {
            wall,
            cpu,
            cpu_ms,
            rss,
        } = *self;
        if wall.is_none() && cpu.is_none() && cpu_ms.is_none() && rss.is_none() {
            return Verdict::Info;
        }
        let within = wall.is_none_or(|most| comparison.wall_ratio() <= most)
            && cpu.is_none_or(|most| comparison.cpu_ratio() <= most)
            && cpu_ms
                .is_none_or(|most| comparison.ours.cpu - comparison.floor.cpu <= most * 1000.0)
            && rss.is_none_or(|most| comparison.ours.rss <= most);
        if within { Verdict::Ok } else { Verdict::Over }
    }
}

impl fmt::Display for Bound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        parts.extend(self.wall.map(|most| format!("wall {most}x")));
        parts.extend(self.cpu.map(|most| format!("cpu {most}x")));
        parts.extend(self.cpu_ms.map(|most| format!("cpu {most} ms")));
        parts.extend(self.rss.map(|most| format!("rss {} MiB", most / 1024)));
        if parts.is_empty() {
            return f.write_str("none");
        }
        f.write_str(&parts.join(", "))
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Ok => "ok",
            Self::Over => "over",
            Self::Info => "info",
            Self::Skipped => "skipped",
        })
    }
}

#[cfg(test)]
mod tests;
