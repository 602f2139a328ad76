//! Edits by lines: small ones, and ones that are made again on a text that has changed since.

use super::align::{Step, align};
use super::{Edit, Splice};

/// A line that both sides changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Overlap {
    /// The line as it was before, without its ending.
    pub line: Vec<u8>,
}

/// Combines what both sides made of one line: the line before, mine and theirs. `None` if they do not fit.
pub type Combine<'c> = &'c dyn Fn(&[u8], &[u8], &[u8]) -> Option<Vec<u8>>;

impl Edit {
    /// An edit with one splice for each run of lines that differ.
    #[must_use]
    pub fn by_lines(old: &[u8], new: &[u8]) -> Self {
        let (old_lines, new_lines) = (lines(old), lines(new));
        let (mut at, mut olds, mut news) = (0, old_lines.iter(), new_lines.iter());
        let mut splices: Vec<Splice> = Vec::new();
        for step in align(&old_lines, &new_lines) {
            let gone: &[u8] = match step {
                Step::Insert => b"",
                Step::Keep | Step::Drop | Step::Change => olds.next().map_or(b"", |line| line),
            };
            let come: &[u8] = match step {
                Step::Drop => b"",
                Step::Keep | Step::Insert | Step::Change => news.next().map_or(b"", |line| line),
            };
            if step != Step::Keep {
                match splices.last_mut() {
                    Some(last) if last.offset + last.old.len() == at => {
                        last.old.extend_from_slice(gone);
                        last.new.extend_from_slice(come);
                    }
                    _ => splices.push(Splice {
                        offset: at,
                        old: gone.to_vec(),
                        new: come.to_vec(),
                    }),
                }
            }
            at += gone.len();
        }
        let small = splices.iter().flat_map(|run| {
            let small = Self::between(&run.old, &run.new);
            let splices = small.splices().to_vec().into_iter();
            splices.map(|splice| Splice {
                offset: run.offset + splice.offset,
                ..splice
            })
        });
        Self::new(small.collect())
    }
}

fn lines(text: &[u8]) -> Vec<&[u8]> {
    text.split_inclusive(|byte| *byte == b'\n').collect()
}

/// What one side did to a line.
#[derive(Clone, Copy)]
enum Fate<'t> {
    Kept,
    Gone,
    Changed(&'t [u8]),
}

/// What one side did to a text.
struct Side<'t> {
    fates: Vec<Fate<'t>>,
    /// The lines that it put before each line, and after the last one.
    added: Vec<Vec<&'t [u8]>>,
}

impl<'t> Side<'t> {
    fn of(base: &[&'t [u8]], side: &'t [u8]) -> Self {
        let side = lines(side);
        let mut fates = Vec::with_capacity(base.len());
        let mut added = vec![Vec::new(); base.len() + 1];
        let mut news = side.iter().copied();
        for step in align(base, &side) {
            let new = match step {
                Step::Drop => None,
                Step::Keep | Step::Insert | Step::Change => news.next(),
            };
            match (step, new) {
                (Step::Insert, Some(new)) => added[fates.len()].push(new),
                (Step::Change, Some(new)) => fates.push(Fate::Changed(new)),
                (Step::Keep, _) => fates.push(Fate::Kept),
                _ => fates.push(Fate::Gone),
            }
        }
        Self { fates, added }
    }

    fn is_kept(&self, at: usize) -> bool {
        matches!(self.fates.get(at), Some(Fate::Kept))
    }
}

/// Makes the change from `base` to `mine` again on `theirs`, which also derives from `base`. Refused where both changed the
/// same lines.
pub fn rebase(
    base: &[u8],
    mine: &[u8],
    theirs: &[u8],
    combine: Combine<'_>,
) -> Result<Vec<u8>, Overlap> {
    if base == theirs {
        return Ok(mine.to_vec());
    }
    let base = lines(base);
    let (mine, theirs) = (Side::of(&base, mine), Side::of(&base, theirs));
    let mut merged = Vec::new();
    for at in 0..=base.len() {
        if is_torn(&base, &mine, &theirs, at) {
            return Err(overlap(base[at - 1]));
        }
        merged.extend(theirs.added[at].concat());
        if mine.added[at] != theirs.added[at] {
            merged.extend(mine.added[at].concat());
        }
        let Some(line) = base.get(at) else { break };
        match (mine.fates[at], theirs.fates[at]) {
            (Fate::Kept, Fate::Kept) => merged.extend_from_slice(line),
            (Fate::Kept, Fate::Changed(new)) | (Fate::Changed(new), Fate::Kept) => {
                merged.extend_from_slice(new);
            }
            (Fate::Gone, Fate::Kept | Fate::Gone) | (Fate::Kept, Fate::Gone) => {}
            (Fate::Changed(my), Fate::Changed(their)) if my == their => {
                merged.extend_from_slice(my);
            }
            (Fate::Changed(my), Fate::Changed(their)) => {
                let combined = combine(line, my, their).ok_or_else(|| overlap(line))?;
                merged.extend(combined);
            }
            (Fate::Gone, Fate::Changed(_)) | (Fate::Changed(_), Fate::Gone) => {
                return Err(overlap(line));
            }
        }
    }
    Ok(merged)
}

/// Whether they added lines in the middle of what I take away, or below a line that I take away and that theirs belong to.
fn is_torn(base: &[&[u8]], mine: &Side<'_>, theirs: &Side<'_>, at: usize) -> bool {
    let (Some(above), Some(first)) = (at.checked_sub(1), theirs.added[at].first()) else {
        return false;
    };
    let indent = |line: &[u8]| line.len() - line.trim_ascii_start().len();
    let is_inside = at < base.len() && !mine.is_kept(above) && !mine.is_kept(at);
    let is_below = matches!(mine.fates[above], Fate::Gone) && indent(first) > indent(base[above]);
    mine.added[at] != theirs.added[at] && (is_inside || is_below)
}

fn overlap(line: &[u8]) -> Overlap {
    Overlap {
        line: line.trim_ascii_end().to_vec(),
    }
}

#[cfg(test)]
mod tests;
