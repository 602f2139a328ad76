//! Summarises the samples of both sides.

use crate::measure::Sample;
use crate::statistics::{mean, median, percentile, ratio};

/// One side. Times in microseconds, memory in KiB.
pub(crate) struct Summary {
    /// Median.
    pub(crate) wall: f64,
    pub(crate) wall_p90: f64,
    /// Median.
    pub(crate) cpu: f64,
    pub(crate) cpu_mean: f64,
    /// The maximum of all runs.
    pub(crate) rss: u64,
}

impl Summary {
    fn of(samples: &[Sample]) -> Self {
        let walls: Vec<f64> = samples.iter().map(|sample| sample.wall).collect();
        let cpus: Vec<f64> = samples.iter().map(|sample| sample.cpu).collect();
        Self {
            wall: median(&walls),
            wall_p90: percentile(&walls, 90),
            cpu: median(&cpus),
            cpu_mean: mean(&cpus),
            rss: samples.iter().map(|sample| sample.rss).max().unwrap_or(0),
        }
    }
}

/// Both sides of one case.
pub(crate) struct Comparison {
    pub(crate) rounds: usize,
    pub(crate) ours: Summary,
    pub(crate) floor: Summary,
}

impl Comparison {
    pub(crate) fn new(ours: &[Sample], floor: &[Sample]) -> Self {
        Self {
            rounds: ours.len(),
            ours: Summary::of(ours),
            floor: Summary::of(floor),
        }
    }

    pub(crate) fn wall_ratio(&self) -> f64 {
        ratio(self.ours.wall, self.floor.wall)
    }

    pub(crate) fn cpu_ratio(&self) -> f64 {
        ratio(self.ours.cpu, self.floor.cpu)
    }
}
