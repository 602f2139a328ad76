//! Byte edits: what the history records, and what crash recovery replays.

use std::ops::Range;

/// One replaced range of bytes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Splice {
    /// Where it starts in the text before the edit.
    pub offset: usize,
    /// The old bytes.
    pub old: Vec<u8>,
    /// The new bytes.
    pub new: Vec<u8>,
}

/// Splices in ascending order, without overlap. Offsets refer to the text before the edit.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Edit(Vec<Splice>);

/// The edit does not fit the bytes it is applied to.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("the edit does not fit the text at byte {offset}")]
pub struct SpliceError {
    /// Where the text differs from what the edit expects.
    pub offset: usize,
}

impl Edit {
    /// An edit from splices in any order.
    #[must_use]
    pub fn new(mut splices: Vec<Splice>) -> Self {
        splices.retain(|splice| splice.old != splice.new);
        // An insertion at the offset of a replacement comes before it.
        splices.sort_by_key(|splice| (splice.offset, splice.old.len()));
        Self(splices)
    }

    /// The edit that creates a file with this content.
    #[must_use]
    pub fn create(content: &[u8]) -> Self {
        Self::between(b"", content)
    }

    /// One splice from the first to the last differing byte, extended to whole characters.
    #[must_use]
    pub fn between(old: &[u8], new: &[u8]) -> Self {
        let inside = |bytes: &[u8], at: usize| bytes.get(at).is_some_and(|b| b & 0xc0 == 0x80);
        let mut start = old.iter().zip(new).take_while(|(a, b)| a == b).count();
        while start > 0 && (inside(old, start) || inside(new, start)) {
            start -= 1;
        }
        let rest = old.len().min(new.len()) - start;
        let ends = old.iter().rev().zip(new.iter().rev());
        let mut tail = ends.take(rest).take_while(|(a, b)| a == b).count();
        while tail > 0 && (inside(old, old.len() - tail) || inside(new, new.len() - tail)) {
            tail -= 1;
        }
        Self::new(vec![Splice {
            offset: start,
            old: old[start..old.len() - tail].to_vec(),
            new: new[start..new.len() - tail].to_vec(),
        }])
    }

    /// The splices.
    #[must_use]
    pub fn splices(&self) -> &[Splice] {
        &self.0
    }

    /// The ranges that it writes, in the text after the edit.
    #[must_use]
    pub fn written(&self) -> Vec<Range<usize>> {
        let (mut removed, mut added) = (0, 0);
        let written = self.0.iter().map(|splice| {
            let start = splice.offset + added - removed;
            removed += splice.old.len();
            added += splice.new.len();
            start..start + splice.new.len()
        });
        written.collect()
    }

    /// Whether nothing changes.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The bytes after the edit.
    pub fn apply(&self, before: &[u8]) -> Result<Vec<u8>, SpliceError> {
        let mut after = Vec::with_capacity(before.len() + 64);
        let mut done = 0;
        for Splice { offset, old, new } in &self.0 {
            let misfit = SpliceError { offset: *offset };
            let kept = before.get(done..*offset).ok_or(misfit.clone())?;
            let rest = &before[*offset..];
            if !rest.starts_with(old) {
                return Err(misfit);
            }
            after.extend_from_slice(kept);
            after.extend_from_slice(new);
            done = offset + old.len();
        }
        after.extend_from_slice(&before[done..]);
        Ok(after)
    }

    /// Applies the edit in place if no splice changes the length. Otherwise leaves the bytes alone and returns `false`.
    pub(crate) fn apply_in_place(&self, content: &mut [u8]) -> bool {
        let fits = |splice: &Splice| {
            splice.old.len() == splice.new.len()
                && content
                    .get(splice.offset..)
                    .is_some_and(|rest| rest.starts_with(&splice.old))
        };
        if !self.0.iter().all(fits) {
            return false;
        }
        for Splice { offset, new, .. } in &self.0 {
            content[*offset..offset + new.len()].copy_from_slice(new);
        }
        true
    }

    /// The edit that undoes this one.
    #[must_use]
    pub fn inverse(&self) -> Self {
        let mut moved: isize = 0;
        let mut splices = Vec::with_capacity(self.0.len());
        for Splice { offset, old, new } in &self.0 {
            splices.push(Splice {
                offset: offset.saturating_add_signed(moved),
                old: new.clone(),
                new: old.clone(),
            });
            moved += new.len().cast_signed() - old.len().cast_signed();
        }
        Self(splices)
    }

    /// The bytes before the edit, from those after it.
    pub fn undo(&self, after: &[u8]) -> Result<Vec<u8>, SpliceError> {
        self.inverse().apply(after)
    }
}
