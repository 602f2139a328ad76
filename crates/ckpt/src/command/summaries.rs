//! The limit on context summaries: the one place that finds the summaries of a checkpoint and measures them.
//!
//! The number is [`SUMMARY_LIMIT`](crate::tokens::SUMMARY_LIMIT); a surface sets it as
//! [`Options::summary_limit`](crate::workspace::Options::summary_limit).

use std::borrow::Cow;
use std::collections::HashSet;

use super::refusal::Refusal;
use crate::document::Tree;
use crate::tokens::{Limit, TooLong};

/// A summary that is over the limit.
pub(super) struct LongSummary<'t, T> {
    /// The phase it belongs to; `None` for the summary of the whole state.
    phase: Option<Cow<'t, str>>,
    /// The summary.
    pub(super) text: T,
    /// By how much.
    pub(super) error: TooLong,
}

/// The summaries of a checkpoint that are over the limit.
pub(super) fn too_long<'t, T: Tree<'t>>(root: T, limit: Limit) -> Vec<LongSummary<'t, T>> {
    let phases = root.get("phases").map(T::members).unwrap_or_default();
    let phases = phases.into_iter().map(|(name, phase)| (Some(name), phase));
    let state = root.get("state").map(|state| (None, state));
    let holders = state.into_iter().chain(phases);
    let measured = holders.filter_map(|(phase, holder)| {
        let text = holder.get("context_summary")?;
        let error = limit.check(&text.as_str()?).err()?;
        Some(LongSummary { phase, text, error })
    });
    measured.collect()
}

/// The texts of all summaries.
pub(super) fn texts<'t>(root: impl Tree<'t>) -> HashSet<String> {
    let none = Limit {
        most: 0,
        ..Limit::default()
    };
    let all = too_long(root, none).into_iter();
    all.filter_map(|found| Some(found.text.as_str()?.into_owned()))
        .collect()
}

/// Refuses a checkpoint with a summary that is over the limit. Words are weighed only in new summaries: one that was
/// accepted by its number of words must not block every later change.
pub(super) fn check<'t, T: Tree<'t>>(
    root: T,
    limit: Limit,
    known: &HashSet<String>,
) -> Result<(), Refusal> {
    let counted = Limit {
        counter: limit.counter.unweighed(),
        ..limit
    };
    let is_refused = |found: &LongSummary<'t, T>| {
        let text = found.text.as_str().unwrap_or_default();
        !known.contains(&*text) || counted.check(&text).is_err()
    };
    match too_long(root, limit).into_iter().find(is_refused) {
        None => Ok(()),
        Some(first) => Err(Refusal::SummaryTooLong {
            phase: first.phase.map(Cow::into_owned),
            error: first.error,
        }),
    }
}
