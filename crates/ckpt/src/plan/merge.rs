//! Merging two versions of a plan file that have a common ancestor.
//!
//! Tasks, criteria and phases are known by their ids, so the merge has two parts that do not disturb each other: the
//! content of each of them is merged by itself ([`things`]), and their order, with everything between them, is
//! merged line by line ([`weave`]). [`page`] writes the result.

mod lines;
mod page;
mod places;
mod things;
mod weave;

#[cfg(test)]
mod tests;

use lines::Text;
use page::Page;
use things::Things;

/// The most lines that a version may have: two versions that have nothing in common take time in proportion to the
/// square of their lengths.
pub const MOST_LINES: usize = 20_000;

/// The versions to merge.
#[derive(Debug, Clone, Copy)]
pub struct Versions<'t> {
    /// The common ancestor.
    pub base: &'t [u8],
    /// Our version.
    pub ours: &'t [u8],
    /// Their version.
    pub theirs: &'t [u8],
}

/// How a conflict is written.
#[derive(Debug, Clone, Copy)]
pub struct ConflictStyle<'l> {
    /// The length of its markers. Git uses 7.
    pub marker_size: usize,
    /// The name of our version.
    pub ours: &'l str,
    /// The name of their version.
    pub theirs: &'l str,
}

impl Default for ConflictStyle<'_> {
    fn default() -> Self {
        Self {
            marker_size: 7,
            ours: "ours",
            theirs: "theirs",
        }
    }
}

/// The result of a merge.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Merged {
    /// The text.
    pub text: Vec<u8>,
    /// How many conflicts it contains.
    pub conflicts: usize,
    /// Whether a task is not where the sides have it, so that git's own result is better.
    pub is_displaced: bool,
}

impl Merged {
    fn clean(text: &[u8]) -> Self {
        Self {
            text: text.to_vec(),
            conflicts: 0,
            is_displaced: false,
        }
    }
}

/// A version is too long to be merged here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("a plan to be merged has at most {MOST_LINES} lines")]
pub struct TooManyLines;

/// Merges two versions of a plan file.
///
/// The ticks of both sides count, and so do the tasks, criteria, phases, decisions and blockers that either side
/// added. What one side removed stays if the other side ticked or edited it. A conflict is left only where both sides
/// changed the text of the same task, or the same prose.
///
/// ```
/// use ckpt::plan::{ConflictStyle, Versions, merge};
///
/// let versions = Versions {
///     base: b"- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n",
///     ours: b"- [x] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n",
///     theirs: b"- [ ] One <!-- TASK: one -->\n- [x] Two <!-- TASK: two -->\n",
/// };
/// let merged = merge(&versions, &ConflictStyle::default())?;
/// assert_eq!(merged.text, b"- [x] One <!-- TASK: one -->\n- [x] Two <!-- TASK: two -->\n");
/// assert_eq!(merged.conflicts, 0);
/// # Ok::<(), ckpt::plan::TooManyLines>(())
/// ```
pub fn merge(versions: &Versions<'_>, style: &ConflictStyle<'_>) -> Result<Merged, TooManyLines> {
    let Versions { base, ours, theirs } = *versions;
    if ours == theirs || base == theirs {
        return Ok(Merged::clean(ours));
    }
    if base == ours {
        return Ok(Merged::clean(theirs));
    }
    let mut texts = [Text::read(base)?, Text::read(ours)?, Text::read(theirs)?];
    let things = Things::of(&mut texts);
    let pieces = weave::weave(&texts);
    let mut merged = Page::new(&texts, &things, style).written(&pieces);
    merged.is_displaced = merged.conflicts == 0 && places::are_lost(versions, &merged.text);
    Ok(merged)
}
