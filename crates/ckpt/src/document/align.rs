//! Aligning two lists: which items of the old one are kept in the new one.

/// One step on the way from the old list to the new one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Step {
    /// The next old item is the next new item.
    Keep,
    /// The next old item is removed.
    Drop,
    /// The next new item is added.
    Insert,
    /// The next new item replaces the next old one.
    Change,
}

/// Longest common subsequences are computed up to this many comparisons; longer lists are compared by position between
/// their common ends.
const MAX_TABLE: usize = 1_000_000;

/// The steps from `old` to `new` that keep as much as possible.
pub(crate) fn align<T: PartialEq>(old: &[T], new: &[T]) -> Vec<Step> {
    let head = old.iter().zip(new).take_while(|(a, b)| a == b).count();
    let rest = old.len().min(new.len()) - head;
    let ends = old.iter().rev().zip(new.iter().rev());
    let tail = ends.take(rest).take_while(|(a, b)| a == b).count();
    let mut steps = vec![Step::Keep; head];
    middle(
        &old[head..old.len() - tail],
        &new[head..new.len() - tail],
        &mut steps,
    );
    steps.extend(std::iter::repeat_n(Step::Keep, tail));
    steps
}

fn middle<T: PartialEq>(old: &[T], new: &[T], steps: &mut Vec<Step>) {
    if old.is_empty() || new.is_empty() || old.len().saturating_mul(new.len()) > MAX_TABLE {
        gap(old.len(), new.len(), steps);
        return;
    }
    let width = new.len() + 1;
    // common[i * width + j]: length of the longest common subsequence of old[i..] and new[j..]
    let mut common = vec![0_u32; (old.len() + 1) * width];
    for i in (0..old.len()).rev() {
        for j in (0..new.len()).rev() {
            common[i * width + j] = if old[i] == new[j] {
                common[(i + 1) * width + j + 1] + 1
            } else {
                common[(i + 1) * width + j].max(common[i * width + j + 1])
            };
        }
    }
    let (mut i, mut j, mut dropped, mut inserted) = (0, 0, 0, 0);
    while i < old.len() && j < new.len() {
        if old[i] == new[j] {
            gap(dropped, inserted, steps);
            (dropped, inserted) = (0, 0);
            steps.push(Step::Keep);
            (i, j) = (i + 1, j + 1);
        } else if common[(i + 1) * width + j] >= common[i * width + j + 1] {
            (i, dropped) = (i + 1, dropped + 1);
        } else {
            (j, inserted) = (j + 1, inserted + 1);
        }
    }
    gap(dropped + old.len() - i, inserted + new.len() - j, steps);
}

fn gap(dropped: usize, inserted: usize, steps: &mut Vec<Step>) {
    let changed = dropped.min(inserted);
    steps.extend(std::iter::repeat_n(Step::Change, changed));
    steps.extend(std::iter::repeat_n(Step::Drop, dropped - changed));
    steps.extend(std::iter::repeat_n(Step::Insert, inserted - changed));
}
