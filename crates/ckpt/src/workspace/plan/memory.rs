//! What the history of a plan remembers.

use memchr::memmem;

use super::PlanCheckpoint;
use super::known::read_state;
use crate::document::{Object, Value};
use crate::hash::ContentHash;
use crate::history::{Forward, Line, MEMORY_REACH, Revision, Trail, mentions};
use crate::layout::Place;
use crate::plan::{Backup, checksum_of, retell};
use crate::store::{FOUND_BY, Snapshot, StoreError};

/// The maximum number of lines to keep in memory.
const MOST_LINES: usize = 200_000;

/// What the history remembers from the time when a Markdown file had its current content.
pub(super) enum Memory {
    /// The state made from it.
    State(Box<Object>),
    /// The content, but no state made from it.
    Content,
    /// Nothing.
    Nothing,
}

impl PlanCheckpoint<'_> {
    /// The lines of a plan's history, and the revisions among them that never took effect. If the repository has a
    /// key, lines that claim to be ours but lack our seal are skipped; lines of other writers count.
    fn remembered_lines(
        &self,
        place: &Place,
        snapshot: &Snapshot,
    ) -> Result<(Vec<Line>, Vec<Revision>), StoreError> {
        let Some(history) = self.workspace.store.history(place)? else {
            return Ok((Vec::new(), Vec::new()));
        };
        let failed = |source| StoreError::history(&place.history, source);
        let lines = Forward::within(&*history, MEMORY_REACH).map_err(failed)?;
        // Lines without an event are skipped: there may be millions of them.
        let lines = lines.with_word(b"event");
        let tells =
            |line: &Result<Line, _>| line.as_ref().map_or(true, |line| line.event().is_some());
        let lines = lines.filter(tells).take(MOST_LINES);
        let mut lines: Vec<Line> = lines.collect::<Result<_, _>>().map_err(failed)?;
        let sealer = place.sealer(self.workspace.store.vault().seals());
        if sealer.has_key() {
            lines.retain(|line| !line.claims_to_be_ours() || line.is_vouched(sealer));
        }
        let mut aborted: Vec<Revision> = lines.iter().filter_map(Line::aborted).collect();
        aborted.extend(snapshot.aborted.clone());
        Ok((lines, aborted))
    }

    /// Whether the hash occurs anywhere in the history. Most edits lead to content that is new.
    fn is_mentioned(&self, place: &Place, hash: ContentHash) -> Result<bool, StoreError> {
        let Some(history) = self.workspace.store.history(place)? else {
            return Ok(false);
        };
        let mentioned = mentions(&*history, hash.to_string().as_bytes());
        mentioned.map_err(|source| StoreError::history(&place.history, source))
    }

    /// What the history remembers of a Markdown file with this hash; `None` for a file that does not exist.
    pub(super) fn memory_of(
        &self,
        place: &Place,
        snapshot: &Snapshot,
        name: &str,
        hash: Option<ContentHash>,
    ) -> Result<Memory, StoreError> {
        if let Some(hash) = hash
            && !self.is_mentioned(place, hash)?
        {
            return Ok(Memory::Nothing);
        }
        let (lines, aborted) = self.remembered_lines(place, snapshot)?;
        let made_from = MadeFrom {
            is_plan: name == place.files[0].name,
            name,
            checksum: hash.map(checksum_of),
        };
        let mut state = Trail::default();
        let mut found = None;
        let mut known = false;
        for line in &lines {
            let revision = line.revision();
            let effective = !revision.is_some_and(|revision| aborted.contains(&revision));
            for change in line.files().unwrap_or_default() {
                if change.name == name {
                    // An abort line leads back from content that never took effect.
                    let left = change.from == hash && line.aborted().is_none();
                    let here = change.to == hash || (change.is_change() && left);
                    known |= effective && here;
                }
                if change.name == place.document().name {
                    state.follow(&change);
                    let held = state.content().flatten().filter(|_| effective);
                    if let Some(held) = held.filter(|held| made_from.is_likely(held)) {
                        found = Some(held.to_vec());
                    }
                }
            }
        }
        let found = found.and_then(|content| read_state(&content).ok().flatten());
        Ok(match found {
            Some((_, state)) if made_from.is_so(&state) => Memory::State(Box::new(state)),
            _ if known => Memory::Content,
            _ => Memory::Nothing,
        })
    }

    /// The state according to the history: the last content its lines lead to, or the backup if that is newer,
    /// updated with the later lines. `None` if the history adds nothing to the backup.
    pub(super) fn told(
        &self,
        place: &Place,
        snapshot: &Snapshot,
        backup: Option<&Backup>,
    ) -> Result<Option<Object>, StoreError> {
        let (lines, aborted) = self.remembered_lines(place, snapshot)?;
        let mut state = StateFromHistory::default();
        for line in lines {
            state.follow(
                line,
                &place.document().name,
                &aborted,
                snapshot.aborted.as_ref(),
            );
        }
        Ok(state.end(backup))
    }
}

/// Tells whether a state was made from some content.
struct MadeFrom<'m> {
    is_plan: bool,
    name: &'m str,
    checksum: Option<String>,
}

impl MadeFrom<'_> {
    /// A quick check of the bytes, wrong only for states that no one would write.
    fn is_likely(&self, state: &[u8]) -> bool {
        match &self.checksum {
            Some(checksum) => memmem::find(state, checksum.as_bytes()).is_some(),
            None => memmem::find(state, self.name.as_bytes()).is_none(),
        }
    }

    fn is_so(&self, state: &Object) -> bool {
        let recorded = match self.is_plan {
            true => state.get("checksum"),
            false => recorded_phase_files(state).and_then(|files| files.get(self.name)),
        };
        recorded.and_then(Value::as_str) == self.checksum.as_deref()
    }
}

/// The checksums of the phase files that a state was made from.
pub(super) fn recorded_phase_files(state: &Object) -> Option<&Object> {
    state.get("phaseFiles").and_then(Value::as_object)
}

/// The state as reconstructed line by line.
#[derive(Default)]
struct StateFromHistory {
    trail: Trail,
    /// The last content that the lines lead to, and its revision.
    exact: Option<(Vec<u8>, Option<Revision>)>,
    /// The lines after it.
    later: Vec<Line>,
}

impl StateFromHistory {
    fn follow(
        &mut self,
        line: Line,
        name: &str,
        aborted: &[Revision],
        unrecorded: Option<&Revision>,
    ) {
        let revision = line.revision();
        // Skip a change that never took effect. Once it is recorded as aborted, the record undoes it.
        if revision.is_some() && revision.as_ref() == unrecorded {
            return;
        }
        let effective = !revision.as_ref().is_some_and(|own| aborted.contains(own));
        let changes = line.files().unwrap_or_default();
        let Some(change) = changes.into_iter().find(|file| file.name == name) else {
            // The other lines of the same change are already part of the state that its first line leads to.
            let known = self.exact.as_ref().and_then(|(_, at)| at.as_ref());
            if effective && (revision.is_none() || revision.as_ref() != known) {
                self.later.push(line);
            }
            return;
        };
        self.trail.follow(&change);
        if !effective {
            return;
        }
        // What was found in the file may be damaged.
        let found = line.by().as_deref() == Some(FOUND_BY);
        let is_state =
            |content: &&[u8]| !found || read_state(content).is_ok_and(|state| state.is_some());
        match self.trail.content() {
            Some(Some(content)) if is_state(&content) => {
                self.exact = Some((content.to_vec(), revision));
                self.later.clear();
            }
            // There was no state yet.
            Some(None) if !found => {
                self.exact = None;
                self.later.clear();
            }
            _ => self.later.push(line),
        }
    }

    fn end(self, backup: Option<&Backup>) -> Option<Object> {
        let exact = self.exact.and_then(|(content, at)| {
            let (_, state) = read_state(&content).ok().flatten()?;
            Some((state, at))
        });
        let is_newer = |backup: &&Backup| match (&backup.revision, &exact) {
            (_, None) => true,
            (Some(held), Some((_, Some(at)))) => held.epoch == at.epoch && held.number > at.number,
            _ => false,
        };
        let base = backup.filter(is_newer);
        let mut later = self.later;
        if let Some(backup) = base {
            later.retain(|line| is_after(line, backup));
        }
        let (mut state, is_exact) = match (base, exact) {
            (Some(backup), _) => (backup.state.clone(), false),
            (None, Some((state, _))) => (state, true),
            (None, None) => (Object::new(), false),
        };
        if later.is_empty() && !is_exact {
            return None;
        }
        for line in &later {
            retell(&mut state, line);
        }
        Some(state).filter(|state| !state.is_empty())
    }
}

/// Whether a line was written after the backup was made.
fn is_after(line: &Line, backup: &Backup) -> bool {
    match (line.revision(), &backup.revision) {
        (Some(revision), Some(held)) if revision.epoch == held.epoch => {
            revision.number > held.number
        }
        _ => line.time().as_deref() > backup.saved_at.as_deref(),
    }
}
