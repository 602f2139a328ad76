//! How long ago something was, in a word.

use ckpt::time::Timestamp;

/// `just now`, `5m ago`, `3h ago`, `2d ago`; `?` for a time that cannot be read.
pub(crate) fn age(then: Option<&str>, now: Timestamp) -> String {
    let Some(then) = then.and_then(Timestamp::parse) else {
        return "?".to_owned();
    };
    let seconds = (now.as_millisecond() - then.as_millisecond()) / 1000;
    match seconds {
        ..0 => "in the future".to_owned(),
        0..60 => "just now".to_owned(),
        60..3600 => format!("{}m ago", seconds / 60),
        3600..86_400 => format!("{}h ago", seconds / 3600),
        _ => format!("{}d ago", seconds / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ages_are_told_in_the_largest_unit_that_fits() {
        let now = Timestamp::parse("2026-01-02T00:00:00Z").unwrap();
        for (then, shown) in [
            ("2026-01-01T23:59:30Z", "just now"),
            ("2026-01-01T23:55:00Z", "5m ago"),
            ("2026-01-01T20:00:00Z", "4h ago"),
            ("2025-12-30T00:00:00Z", "3d ago"),
            ("2026-01-03T00:00:00Z", "in the future"),
            ("soon", "?"),
        ] {
            assert_eq!(age(Some(then), now), shown);
        }
    }
}
