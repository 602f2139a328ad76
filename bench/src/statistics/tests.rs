use super::{mean, median, percentile, ratio};

#[test]
fn the_median_of_an_odd_series_is_its_middle_value_in_any_order() {
    assert_eq!(median(&[9.0, 1.0, 5.0]), 5.0);
}

#[test]
fn the_median_of_an_even_series_is_halfway_between_its_two_middle_values() {
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
fn a_floor_of_zero_never_counts_as_a_good_ratio() {
    assert_eq!(ratio(1.0, 0.0), f64::INFINITY);
    assert_eq!(ratio(0.0, 0.0), f64::INFINITY);
}
