//! Unified diffs, for people, and for `git apply` and `patch` if the lines are plain text.

use ckpt::voice::steers;
use similar::TextDiff;

use super::style::one_line;

/// Lines of context around a change.
const CONTEXT: usize = 2;

/// A unified diff of a file; empty if nothing changes.
pub(crate) fn unified(name: &str, before: &[u8], after: &[u8]) -> String {
    let (before, after) = (
        String::from_utf8_lossy(before),
        String::from_utf8_lossy(after),
    );
    let name = one_line(name);
    // Only a line feed ends a line here; a lone carriage return in a file must not begin one of ours.
    let lines = |text: &'_ str| {
        text.split_inclusive('\n')
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let (old, new) = (lines(&before), lines(&after));
    let (old, new): (Vec<&str>, Vec<&str>) = (
        old.iter().map(String::as_str).collect(),
        new.iter().map(String::as_str).collect(),
    );
    let diff = TextDiff::configure()
        .newline_terminated(true)
        .diff_slices(&old, &new)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string();
    // The file may contain terminal control characters.
    let is_safe = |c: char| matches!(c, '\n' | '\t' | '\r') || !steers(c);
    let ends_line = |next: Option<&char>| next == Some(&'\n');
    let mut out = String::with_capacity(diff.len());
    let mut rest = diff.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\r' if !ends_line(rest.peek()) => out.push_str("\\r"),
            c if is_safe(c) => out.push(c),
            c => out.extend(c.escape_unicode()),
        }
    }
    out
}
