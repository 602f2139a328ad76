//! Formats how long ago something happened.

#[cfg(test)]
mod tests;

use ckpt::Timestamp;

/// `just now`, `5m ago`, `3h ago`, `2d ago`; `?` for an invalid time.
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
