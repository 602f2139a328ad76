//! Checks that a merge leaves every task where the sides have it.

use std::collections::HashMap;

use super::super::outline::{Entry, Outline, Source};
use super::Versions;

/// The phase of each task and criterion, and what it is nested under.
type Places = HashMap<String, (String, Option<String>)>;

/// Whether something in a merged text is not where it should be: a task is in another phase or under another task than
/// on the side that put it there, both sides put it in different places, or two tasks have the same id now. By ids alone
/// nobody can tell what was meant then.
pub(super) fn are_lost(versions: &Versions<'_>, merged: &[u8]) -> bool {
    let texts = [versions.base, versions.ours, versions.theirs, merged];
    let outlines = texts.map(|text| {
        Outline::read(&[Source {
            name: "plan.md",
            text,
        }])
    });
    let [Ok(base), Ok(ours), Ok(theirs), Ok(merged)] = outlines else {
        return true;
    };
    if merged.clashes.len() > ours.clashes.len().max(theirs.clashes.len()) {
        return true;
    }
    let [base, ours, theirs, merged] = [&base, &ours, &theirs, &merged].map(places);
    merged.iter().any(|(id, found)| {
        let sides = [base.get(id), ours.get(id), theirs.get(id)];
        let phases = sides.map(|place| place.map(|(phase, _)| phase));
        let parents = sides.map(|place| place.map(|(_, parent)| parent));
        !is_kept(phases, &found.0) || !is_kept(parents, &found.1)
    })
}

/// Whether a merged value is the one that a side chose, given those of the base, of ours and of theirs.
fn is_kept<T: PartialEq>([base, ours, theirs]: [Option<&T>; 3], merged: &T) -> bool {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) if ours == theirs => merged == ours,
        (Some(ours), Some(theirs)) if base == Some(ours) => merged == theirs,
        (Some(ours), Some(theirs)) => base == Some(theirs) && merged == ours,
        (Some(only), None) | (None, Some(only)) => merged == only,
        (None, None) => false,
    }
}

fn places(outline: &Outline) -> Places {
    let mut places = Places::new();
    for phase in &outline.phases {
        let mut all: Vec<&Entry> = phase.tasks.iter().chain(&phase.acceptance).collect();
        all.sort_by_key(|entry| entry.line);
        let mut above: Vec<&Entry> = Vec::new();
        for entry in all {
            above.retain(|parent| parent.indent < entry.indent);
            let parent = above.last().map(|parent| parent.id.clone());
            places.insert(entry.id.clone(), (phase.id.clone(), parent));
            above.push(entry);
        }
    }
    places
}
