use super::*;

#[test]
fn times_print_as_javascript_prints_them() {
    let time = Timestamp::parse("2025-12-11T10:00:00Z").unwrap();
    assert_eq!(time.to_string(), "2025-12-11T10:00:00.000Z");
    let time = Timestamp::parse("2025-12-11T12:00:00.1239+02:00").unwrap();
    assert_eq!(time.to_string(), "2025-12-11T10:00:00.123Z");
    assert_eq!(time.for_file_name(), "20251211T100000.123Z");
    assert_eq!(Timestamp::parse("yesterday"), None);
}

#[test]
fn a_time_that_people_type_is_in_utc_unless_it_says_otherwise() {
    let time = Timestamp::parse("2025-12-11T10:00:00Z");
    for typed in ["2025-12-11T10:00:00", "2025-12-11T11:00:00+01:00"] {
        assert_eq!(Timestamp::typed(typed), time, "{typed}");
    }
    for no_time in ["2025-12-11", "yesterday", ""] {
        assert_eq!(Timestamp::typed(no_time), None, "{no_time}");
    }
}
