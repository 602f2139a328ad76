//! Medians, percentiles and ratios over a series of numbers.

/// The median: the middle value, or the mean of the two middle ones. Zero for an empty series.
pub(crate) fn median(values: &[f64]) -> f64 {
    let sorted = sorted(values);
    let upper = sorted.len() / 2;
    match sorted.len() {
        0 => 0.0,
        length if length % 2 == 1 => sorted[upper],
        _ => f64::midpoint(sorted[upper - 1], sorted[upper]),
    }
}

/// The smallest value that at least `percent` of the values do not exceed (nearest rank).
pub(crate) fn percentile(values: &[f64], percent: u32) -> f64 {
    let sorted = sorted(values);
    let rank = (sorted.len() * percent as usize).div_ceil(100);
    sorted.get(rank.saturating_sub(1)).copied().unwrap_or(0.0)
}

/// The arithmetic mean. Zero for an empty series.
pub(crate) fn mean(values: &[f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    values.iter().sum::<f64>() / values.len() as f64
}

/// The ratio of `ours` to the floor. A floor of zero makes it infinite, which exceeds every bound.
pub(crate) fn ratio(ours: f64, floor: f64) -> f64 {
    if floor > 0.0 {
        ours / floor
    } else {
        f64::INFINITY
    }
}

fn sorted(values: &[f64]) -> Vec<f64> {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    sorted
}

#[cfg(test)]
mod tests;
