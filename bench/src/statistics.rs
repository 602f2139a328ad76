//! Medians, percentiles and ratios over a series of numbers.

/// The middle of the values; between two middles, halfway. Zero for an empty series.
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

/// How many times the floor `ours` is. A floor of zero makes it infinite, which no bound admits.
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
mod tests {
    use super::{mean, median, percentile, ratio};

    #[test]
    fn the_median_of_an_odd_series_is_its_middle_value_in_any_order() {
        assert_eq!(median(&[9.0, 1.0, 5.0]), 5.0);
    }

    #[test]
    fn the_median_of_an_even_series_lies_halfway_between_its_two_middles() {
        assert_eq!(median(&[4.0, 1.0, 100.0, 2.0]), 3.0);
    }

    #[test]
    fn one_far_outlier_does_not_move_the_median() {
        assert_eq!(median(&[1.0, 2.0, 3.0]), median(&[1.0, 2.0, 3_000.0]));
    }

    #[test]
    fn nine_in_ten_values_do_not_exceed_the_ninetieth_percentile() {
        let values: Vec<f64> = (1..=10).rev().map(f64::from).collect();
        assert_eq!(percentile(&values, 90), 9.0);
    }

    #[test]
    fn the_hundredth_percentile_is_the_highest_value() {
        assert_eq!(percentile(&[3.0, 7.0, 5.0], 100), 7.0);
    }

    #[test]
    fn a_percentile_of_one_value_is_that_value() {
        assert_eq!(percentile(&[4.0], 90), 4.0);
        assert_eq!(percentile(&[4.0], 0), 4.0);
    }

    #[test]
    fn the_mean_shares_the_sum_evenly() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
    }

    #[test]
    fn an_empty_series_measures_zero() {
        assert_eq!(
            (median(&[]), percentile(&[], 90), mean(&[])),
            (0.0, 0.0, 0.0)
        );
    }

    #[test]
    fn a_ratio_says_how_many_floors_fit_into_ours() {
        assert_eq!(ratio(3.0, 2.0), 1.5);
    }

    #[test]
    fn a_floor_of_zero_never_passes_for_a_good_ratio() {
        assert_eq!(ratio(1.0, 0.0), f64::INFINITY);
        assert_eq!(ratio(0.0, 0.0), f64::INFINITY);
    }
}
