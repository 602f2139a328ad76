//! Turning ids into file names.

use std::borrow::Cow;

/// The longest file name made from an id, in bytes, without its suffix.
pub(super) const MAX_STEM: usize = 200;

/// A file name without its suffix: short enough, and not a Windows device name.
pub(super) fn stem(name: String) -> String {
    not_reserved(shorten(name))
}

/// A file name without its suffix for any id. Different ids may give the same name.
pub(crate) fn file_stem(id: &str) -> String {
    stem(
        sanitise(id)
            .unwrap_or(Cow::Borrowed("nameless"))
            .into_owned(),
    )
}

/// Makes an id safe as part of a file name; `None` if nothing is left of it.
pub(super) fn sanitise(id: &str) -> Option<Cow<'_, str>> {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.bytes().all(harmless) {
        return Some(Cow::Borrowed(id));
    }
    let mut name: String = id
        .chars()
        .map(|c| if matches!(c, '/' | '\\') { '-' } else { c })
        .filter(|c| !c.is_control() && !matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*'))
        .collect();
    while name.contains("..") {
        name = name.replace("..", "");
    }
    // A file name must not end in a dot or consist only of dots.
    let name = name.trim().trim_end_matches('.').trim_end();
    (!name.is_empty()).then(|| Cow::Owned(name.to_owned()))
}

fn shorten(mut stem: String) -> String {
    stem.truncate(stem.floor_char_boundary(MAX_STEM));
    stem
}

/// Windows opens devices under these names, whatever the suffix.
fn not_reserved(mut stem: String) -> String {
    let device = stem.split('.').next().unwrap_or_default();
    if !matches!(device.len(), 3 | 4) {
        return stem;
    }
    let device = device.to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|prefix| {
        let digit = device.strip_prefix(prefix);
        digit.is_some_and(|digit| matches!(digit.as_bytes(), [b'1'..=b'9']))
    });
    if numbered || ["CON", "PRN", "AUX", "NUL"].contains(&device.as_str()) {
        let end = device.len();
        stem.insert(end, '_');
    }
    stem
}

#[cfg(test)]
mod tests;
