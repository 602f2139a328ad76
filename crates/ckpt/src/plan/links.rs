//! The phase files that a plan.md links to.

use memchr::memmem;

use crate::layout::phase_number;

/// The names of the phase files that a text links to, each as often as it does.
pub(crate) fn linked_phase_files(text: &[u8]) -> impl Iterator<Item = &str> {
    let found = memmem::find_iter(text, b"phase-");
    found.filter_map(|at| {
        let (before, rest) = text.split_at(at);
        let is_end = |byte: &u8| byte.is_ascii_whitespace() || b")>#?/\\".contains(byte);
        let length = rest.iter().position(is_end).unwrap_or(rest.len());
        let name = str::from_utf8(&rest[..length]).ok()?;
        (is_target(before) && phase_number(name).is_some()).then_some(name)
    })
}

/// Whether the target of a link begins after this text, in the directory of the text.
fn is_target(before: &[u8]) -> bool {
    let before = before.strip_suffix(b"./").unwrap_or(before);
    let before = before.strip_suffix(b"<").unwrap_or(before);
    let before = before.trim_ascii_end();
    before.ends_with(b"](") || before.ends_with(b"]:")
}

#[cfg(test)]
mod tests;
