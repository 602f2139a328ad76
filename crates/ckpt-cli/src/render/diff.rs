//! What changes in a file, for people, `git apply` and `patch`.

use similar::TextDiff;

/// How many unchanged lines are shown around a change.
const CONTEXT: usize = 2;

/// A unified diff of a file, nothing where it stays as it is.
pub(crate) fn unified(name: &str, before: &[u8], after: &[u8]) -> String {
    let (before, after) = (
        String::from_utf8_lossy(before),
        String::from_utf8_lossy(after),
    );
    TextDiff::from_lines(&before, &after)
        .unified_diff()
        .context_radius(CONTEXT)
        .header(&format!("a/{name}"), &format!("b/{name}"))
        .to_string()
}
