//! The texts that a plan has lost, and bringing them back from its history.

use std::collections::{BTreeMap, BTreeSet};

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::change::nothing;
use super::memory::recorded_phase_files;
use super::run::{Run, Texts};
use super::{PlanCheckpoint, PlanOutcome, TEXTS, UNSEALED};
use crate::history::{Event, EventName, Forward, Trail};
use crate::layout::{PLAN_FILE, Place, phase_number};
use crate::plan::{self, Outline, Source, Unparsable};
use crate::store::{Edits, Snapshot, StoreError};

/// The last text of a file in a history.
struct LastText {
    text: Vec<u8>,
    has_markers: bool,
    /// Whether every line that led to it carries our seal.
    is_vouched: bool,
}

/// A file as it is followed through a history.
struct Followed {
    trail: Trail,
    is_vouched: bool,
}

/// What is lost, by the names of the files.
type Lost = BTreeMap<String, LastText>;

impl PlanCheckpoint<'_> {
    /// Restores the lost parts of a plan: its state from its backup and history, and its Markdown from its history where
    /// that is missing or empty.
    pub fn recover(&self) -> Result<PlanOutcome, WorkspaceError> {
        let place = || self.whole_place();
        self.transact_in(
            &place,
            "plan recover",
            Edits::Strangers,
            &|place, snapshot| {
                if snapshot.contents[0].is_none()
                    && let Some(branch) = self.other_branch()
                {
                    let id = self.id.clone();
                    return Err(plan::Refusal::Dormant { id, branch }.into());
                }
                let lost = self.lost_texts(place, snapshot)?;
                if is_blank(snapshot.contents[0].as_deref()) && !lost.contains_key(PLAN_FILE) {
                    return Err(self.without_source(place)?);
                }
                let run = Run::new(*self, place, snapshot);
                if lost.is_empty() {
                    return run.plan(&nothing);
                }
                let event = restored(&lost);
                let run = run.starting_from(Texts::Restored(positions(lost, place)));
                let mut planned = run.plan(&nothing)?;
                planned.proposal.events.insert(0, event);
                Ok(planned)
            },
        )
    }

    /// Whether the plan has lost a text that its history has.
    #[must_use]
    pub fn is_text_lost(&self) -> bool {
        let place = self.place();
        let snapshot = self.snapshot(&place);
        let lost = snapshot.and_then(|snapshot| self.lost_texts(&place, &snapshot));
        lost.is_ok_and(|lost| !lost.is_empty())
    }

    /// The place of the plan, with the phase files that it has lost.
    fn whole_place(&self) -> Result<Place, WorkspaceError> {
        let place = self.place();
        let lost = self.lost_texts(&place, &self.snapshot(&place)?)?;
        let phases = lost.into_keys().filter(|name| name != PLAN_FILE);
        Ok(self.place_with(phases))
    }

    /// The first phase file that is lost although plan.md links to it.
    pub(super) fn lost_phase(
        &self,
        place: &Place,
        markdown: &[Option<&[u8]>],
    ) -> Result<Option<Unparsable>, WorkspaceError> {
        let lost = self.lost_phases(place, markdown)?.into_keys().next();
        Ok(lost.map(
            |name| match place.files.iter().any(|file| file.name == name) {
                true => Unparsable::PhaseEmpty(name),
                false => Unparsable::PhaseMissing(name),
            },
        ))
    }

    /// The phase files that plan.md links to and that are missing or empty, while the history has their texts.
    fn lost_phases(
        &self,
        place: &Place,
        markdown: &[Option<&[u8]>],
    ) -> Result<Lost, WorkspaceError> {
        let plan = markdown[0].unwrap_or_default();
        let linked = plan::linked_phase_files(plan);
        let gone: BTreeSet<&str> = linked
            .filter(|name| !has_text(place, markdown, name))
            .collect();
        if gone.is_empty() {
            return Ok(Lost::new());
        }
        let mut lost = self.last_texts(place)?;
        lost.retain(|name, _| gone.contains(name.as_str()) && !self.is_left_out(place, name));
        Ok(lost)
    }

    /// Whether the commit that is checked out does not have a file that git knows: it was removed on purpose, or is on another
    /// branch.
    fn is_left_out(&self, place: &Place, name: &str) -> bool {
        self.other_branch_with(name).is_some() || self.is_removed(place, name)
    }

    /// The texts that are missing or empty, as they were last recorded. A plan.md that another branch has is not lost. Without
    /// plan.md, all phase files count that were recorded, or that its last text links to.
    fn lost_texts(&self, place: &Place, snapshot: &Snapshot) -> Result<Lost, WorkspaceError> {
        let markdown = snapshot.contents[..place.files.len() - 1].iter();
        let markdown: Vec<Option<&[u8]>> = markdown.map(Option::as_deref).collect();
        if !is_blank(markdown[0]) {
            return self.lost_phases(place, &markdown);
        }
        if markdown[0].is_none() && self.other_branch().is_some() {
            return Ok(Lost::new());
        }
        let known = self.known(place, snapshot, Purpose::Load)?;
        let recorded = known.state.as_ref().and_then(recorded_phase_files);
        let mut lost = self.last_texts(place)?;
        let plan = lost.get(PLAN_FILE).map(|plan| plan.text.clone());
        let plan = plan.unwrap_or_default();
        let linked: BTreeSet<&str> = plan::linked_phase_files(&plan).collect();
        lost.retain(|name, _| {
            let is_recorded = recorded.is_some_and(|files| files.get(name).is_some());
            let is_own = name == PLAN_FILE || is_recorded || linked.contains(name.as_str());
            is_own && !has_text(place, &markdown, name)
        });
        Ok(lost)
    }

    /// The last text of each Markdown file in the history, or the last one with markers if there is one: a file that was cut
    /// off may be on record too. Lines without our seal count, because the user asks for the restore; the result says so.
    fn last_texts(&self, place: &Place) -> Result<Lost, WorkspaceError> {
        let load = |error: StoreError| Purpose::Load.failed(error);
        let mut last = Lost::new();
        let store = &self.workspace.store;
        let history = store.history(place).map_err(load)?;
        let Some(history) = history.or_else(|| store.copy_of(place)) else {
            return Ok(last);
        };
        let failed = |source| load(StoreError::history(&place.history, source));
        let sealer = place.sealer(self.workspace.vault().seals());
        let mut all: BTreeMap<String, Followed> = BTreeMap::new();
        for line in Forward::new(&*history).map_err(failed)? {
            let line = line.map_err(failed)?;
            let changes = line.files().unwrap_or_default().into_iter();
            for change in changes.filter(|change| is_markdown(&change.name)) {
                let followed = all.entry(change.name.clone()).or_insert(Followed {
                    trail: Trail::default(),
                    is_vouched: true,
                });
                followed.trail.follow(&change);
                followed.is_vouched &= line.is_vouched(sealer);
                let Some(text) = followed.text() else {
                    continue;
                };
                let known = last.get(&change.name);
                if known.is_some_and(|known| known.text == text) {
                    continue;
                }
                let has_markers = has_markers(&change.name, text);
                if has_markers || known.is_none_or(|known| !known.has_markers) {
                    let found = LastText {
                        text: text.to_vec(),
                        has_markers,
                        is_vouched: followed.is_vouched,
                    };
                    last.insert(change.name, found);
                }
            }
        }
        Ok(last)
    }

    /// Why a plan.md cannot be brought back that the history does not have.
    fn without_source(&self, place: &Place) -> Result<WorkspaceError, WorkspaceError> {
        let history = self.workspace.store.history(place);
        let has_history = history
            .map_err(|error| Purpose::Load.failed(error))?
            .is_some();
        Ok(
            match has_history || self.workspace.plans()?.contains(self.id) {
                true => plan::Refusal::NoSource(
                    "plan.md is missing, and its history does not contain it",
                )
                .into(),
                false => WorkspaceError::not_found(self.id.into()),
            },
        )
    }
}

impl Followed {
    /// Its text, unless that is empty.
    fn text(&self) -> Option<&[u8]> {
        let content = self.trail.content().flatten();
        content.filter(|text| !is_blank(Some(text)))
    }
}

/// The event that records that these texts are back.
fn restored(lost: &Lost) -> Event {
    let mut names: Vec<&str> = lost.keys().map(String::as_str).collect();
    names.sort_by_key(|name| *name != PLAN_FILE);
    let event = Event::new(EventName::PlanRestored)
        .with("restored_from", "history.jsonl")
        .with(TEXTS, names);
    match lost.values().all(|text| text.is_vouched) {
        true => event,
        false => event.with(UNSEALED, true),
    }
}

/// The texts by the positions of their files.
fn positions(mut lost: Lost, place: &Place) -> BTreeMap<usize, Vec<u8>> {
    let files = place.files.iter().enumerate();
    let texts =
        files.filter_map(|(position, file)| Some((position, lost.remove(&file.name)?.text)));
    texts.collect()
}

pub(super) fn is_blank(text: Option<&[u8]>) -> bool {
    text.is_none_or(|text| text.trim_ascii().is_empty())
}

/// Whether a Markdown file of a plan is there, and not empty.
fn has_text(place: &Place, markdown: &[Option<&[u8]>], name: &str) -> bool {
    let mut files = place.files.iter().zip(markdown);
    files.any(|(file, text)| file.name == name && !is_blank(*text))
}

/// Whether this names a Markdown file of a plan. A history that was written elsewhere may say anything, and nothing is written
/// outside the directory of the plan.
fn is_markdown(name: &str) -> bool {
    name == PLAN_FILE || (phase_number(name).is_some() && !name.contains(['/', '\\']))
}

fn has_markers(name: &str, text: &[u8]) -> bool {
    Outline::read(&[Source { name, text }]).is_ok_and(|outline| !outline.is_empty())
}

#[cfg(test)]
mod tests;
