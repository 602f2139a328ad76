use super::*;

#[test]
fn only_success_counts_as_taken() {
    assert_eq!(response_to(200, None, 0), Response::Taken);
    assert_eq!(response_to(204, None, 0), Response::Taken);
    assert_eq!(response_to(410, None, 0), Response::Gone);
    for status in [301, 308, 400, 401, 404, 429, 500, 503] {
        assert_eq!(response_to(status, None, 0), Response::NotNow(None));
    }
}

#[test]
fn a_receiver_says_when_to_try_again() {
    let seconds = |seconds| Response::NotNow(Some(Duration::from_secs(seconds)));
    assert_eq!(response_to(429, Some("7"), 0), seconds(7));
    let date = "Sun, 06 Nov 1994 08:49:37 GMT";
    assert_eq!(response_to(503, Some(date), 784_111_770_000), seconds(7));
    assert_eq!(response_to(503, Some(date), 784_111_999_000), seconds(0));
    assert_eq!(response_to(429, Some("soon"), 0), Response::NotNow(None));
    assert_eq!(response_to(429, Some("99999999"), 0), seconds(24 * 60 * 60));
}

#[test]
fn pauses_grow_and_are_spread() {
    assert_eq!(pause_after(1, 0.5), Duration::from_secs(5));
    for failures in 1..20 {
        let (soonest, latest) = (pause_after(failures, 0.0), pause_after(failures, 1.0));
        assert!(soonest < latest);
        assert!(soonest <= pause_after(failures + 1, 0.0));
        assert!(latest <= Duration::from_secs(18_000).mul_f64(1.25));
    }
}

#[test]
fn a_receiver_may_shorten_a_pause_but_not_to_nothing() {
    let asked =
        |seconds, failures| pause_asked_for(Duration::from_secs(seconds), failures).as_secs();
    assert_eq!(asked(0, 0), 1);
    assert_eq!(asked(0, 5), 5);
    assert_eq!(asked(0, 5_000), 60);
    assert_eq!(asked(90, 5), 90);
    assert_eq!(asked(u64::MAX, 1), 24 * 60 * 60);
}

#[test]
fn no_time_of_a_limit_is_too_odd() {
    let until = |reset: &str| pause_until(reset, 1_000).map(|pause| pause.as_millis());
    assert_eq!(until("61000"), Some(60_000));
    assert_eq!(until("0"), Some(0));
    assert_eq!(until(&i64::MIN.to_string()), Some(0));
    assert_eq!(until(&i64::MAX.to_string()), Some(24 * 60 * 60 * 1_000));
    assert_eq!(until("soon"), None);
}
