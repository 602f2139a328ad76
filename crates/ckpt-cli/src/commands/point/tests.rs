use super::*;

#[test]
fn revisions_times_and_names_are_told_apart() {
    let now = Timestamp::parse("2026-01-29T10:30:00Z").unwrap();
    let time = |text: &str| Point::Time(Timestamp::parse(text).unwrap());
    for (typed, expected) in [
        ("7", Point::Revision("7".parse().unwrap())),
        ("7-mi0k3x5z", Point::Revision("7-mi0k3x5z".parse().unwrap())),
        ("@2h", time("2026-01-29T08:30:00Z")),
        ("@1w", time("2026-01-22T10:30:00Z")),
        ("2026-01-28", time("2026-01-28T00:00:00Z")),
        ("@2026-01-28T01:02:03+01:00", time("2026-01-28T00:02:03Z")),
        ("@2026-01-28T01:02:03", time("2026-01-28T01:02:03Z")),
        ("implement/auth", Point::Named("implement/auth".to_owned())),
        ("old.json", Point::Named("old.json".to_owned())),
    ] {
        assert_eq!(Point::read(typed, now).ok(), Some(expected), "{typed}");
    }
    for wrong in ["@", "@2", "@2y", "@h", "@99999999999999999h"] {
        assert!(Point::read(wrong, now).is_err(), "{wrong}");
    }
}
