//! Writing a change: history first, then the files, and again where somebody else was quicker.

use super::error::{ChangeError, StoreError};
use super::files::{Author, FileStore, Proposal, SettledFiles, read_if_there};
use super::layout::{Place, PlaceFile, Role};
use super::replace::replace;
use super::settle::{REBASED, aborted_event};
use super::shared::{Swap, swap_in};
use super::snapshot::Snapshot;
use crate::document::Edit;
use crate::hash::ContentHash;
use crate::history::{Event, FileChange, Revision, Transition};

/// An editor that saves all the time cannot keep us at it for ever.
const MAX_ATTEMPTS: usize = 100;

/// A change under way, under the lock.
pub(super) struct Writing<'s> {
    store: &'s FileStore,
    place: &'s Place,
    author: &'s Author,
    files: SettledFiles,
    /// What the files hold now.
    present: Vec<Option<Vec<u8>>>,
    /// What the history says they hold.
    recorded: Vec<Option<ContentHash>>,
}

/// What a change makes of the files: for the history, and for the disk.
struct Attempt {
    events: Vec<Event>,
    contents: Vec<Option<Vec<u8>>>,
}

impl<'s> Writing<'s> {
    pub(super) fn new(
        store: &'s FileStore,
        place: &'s Place,
        author: &'s Author,
        files: SettledFiles,
        present: Vec<Option<Vec<u8>>>,
    ) -> Self {
        Self {
            store,
            place,
            author,
            present,
            recorded: Vec::new(),
            files,
        }
    }

    /// Records the change and writes it. Where somebody changed a shared file since it was read,
    /// `decide` is asked again about what they wrote, and both changes stand.
    pub(super) fn carry_out<E: std::error::Error + 'static>(
        mut self,
        mut snapshot: Snapshot,
        proposal: Proposal,
        decide: impl Fn(&Snapshot) -> Result<Option<Proposal>, E>,
    ) -> Result<Revision, ChangeError<E>> {
        let (changes, contents) = apply(self.place, &snapshot, &proposal.transitions);
        let mut revision = self.record(&snapshot, &proposal.events, &changes)?;
        let mut revisions = vec![revision.clone()];
        let mut attempt = Attempt {
            events: proposal.events,
            contents,
        };
        for _ in 0..MAX_ATTEMPTS {
            let Some((position, theirs)) = self.write(&attempt)? else {
                return Ok(revision);
            };
            snapshot.put(position, theirs);
            snapshot
                .foreign
                .retain(|foreign| foreign.position != Some(position));
            let retry = match decide(&snapshot) {
                Ok(retry) => retry,
                Err(error) => {
                    self.withdraw(&snapshot, &revisions)?;
                    return Err(ChangeError::Refused(error));
                }
            };
            let (events, contents) = match retry {
                Some(retry) => {
                    let (_, contents) = apply(self.place, &snapshot, &retry.transitions);
                    (retry.events, contents)
                }
                // What was to be done is done in their version already.
                None => (Vec::new(), snapshot.contents.clone()),
            };
            let name = self.place.files[position].name.as_str();
            let mut news = vec![Event::new(REBASED).with("file", name)];
            news.extend(
                events
                    .iter()
                    .filter(|event| !attempt.events.contains(event))
                    .cloned(),
            );
            let changes = self.rebased(&contents);
            revision = self.record(&snapshot, &news, &changes)?;
            revisions.push(revision.clone());
            attempt.events.extend(news);
            attempt.contents = contents;
        }
        let path = self.place.files[0].path.clone();
        Err(StoreError::Contested { path }.into())
    }

    fn record(
        &mut self,
        snapshot: &Snapshot,
        events: &[Event],
        changes: &[FileChange],
    ) -> Result<Revision, StoreError> {
        let sealer = self.place.sealer(self.store.vault().seals_for_writing());
        let lines = self
            .files
            .settled
            .lines(snapshot.now, self.author, events, changes, sealer);
        let (revision, lines) = lines;
        self.store.append(self.place, &lines)?;
        self.files.settled.advance(&revision);
        self.recorded = changes.iter().map(|change| change.to).collect();
        Ok(revision)
    }

    /// Brings the files to what the attempt has for them. The position and content of a shared file
    /// that somebody wrote meanwhile, if there is one.
    fn write(&mut self, attempt: &Attempt) -> Result<Option<(usize, Vec<u8>)>, StoreError> {
        let disk = self.store.disk();
        for (position, file) in self.place.files.iter().enumerate() {
            let Some(content) = &attempt.contents[position] else {
                continue;
            };
            if self.present[position].as_ref() == Some(content) {
                continue;
            }
            let mode = self.files.modes[position];
            let expected = self.present[position].as_deref();
            match (file.role, expected) {
                (Role::Shared, Some(expected)) => {
                    let swap = swap_in(disk, &file.path, content, expected, mode)?;
                    if let Swap::Theirs(theirs) = swap {
                        self.present[position] = Some(theirs.clone());
                        return Ok(Some((position, theirs)));
                    }
                }
                // A file that appeared meanwhile is somebody's.
                (Role::Shared, None) => match read_if_there(disk, &file.path)? {
                    Some(theirs) => {
                        self.present[position] = Some(theirs.clone());
                        return Ok(Some((position, theirs)));
                    }
                    None => replace(disk, &file.path, content, mode)?,
                },
                (Role::Own, _) => replace(disk, &file.path, content, mode)?,
            }
            self.present[position] = Some(content.clone());
        }
        Ok(None)
    }

    /// The changes from what the files hold now to `contents`.
    fn rebased(&self, contents: &[Option<Vec<u8>>]) -> Vec<FileChange> {
        let change = |(position, file): (usize, &PlaceFile)| {
            let before = self.present[position].as_deref();
            let from = before.map(ContentHash::of);
            let after = contents[position].as_deref();
            let (old, new) = (before.unwrap_or_default(), after.unwrap_or_default());
            // The history tells its own story: where the disk is not at its end, it starts anew.
            let transition = match from == self.recorded[position] {
                true => Transition::Edit(Edit::between(old, new)),
                false => Transition::Content(new.to_vec()),
            };
            FileChange {
                name: file.name.clone(),
                from,
                to: after.map(ContentHash::of),
                transition,
            }
        };
        self.place.files.iter().enumerate().map(change).collect()
    }

    /// Records that the change does not fit what somebody wrote, which is in its place.
    fn withdraw(&mut self, snapshot: &Snapshot, revisions: &[Revision]) -> Result<(), StoreError> {
        let changes = self.rebased(&self.present.clone());
        let events: Vec<Event> = revisions
            .iter()
            .map(|revision| aborted_event(revision.number))
            .collect();
        self.record(snapshot, &events, &changes)?;
        Ok(())
    }
}

/// What the transitions make of the files: for the history, and for the disk.
fn apply(
    place: &Place,
    snapshot: &Snapshot,
    transitions: &[(usize, Transition)],
) -> (Vec<FileChange>, Vec<Option<Vec<u8>>>) {
    let change = |(position, (file, before)): (usize, (&PlaceFile, &Option<Vec<u8>>))| {
        let transition = transitions.iter().find(|(at, _)| *at == position);
        let transition = match transition {
            Some((_, transition)) => transition.clone(),
            None => Transition::Edit(Edit::default()),
        };
        let content = match (&transition, before) {
            (Transition::Content(content), _) => Some(content.clone()),
            (Transition::Edit(edit), None) if edit.is_empty() => None,
            (Transition::Edit(edit), before) => Some(
                edit.apply(before.as_deref().unwrap_or_default())
                    .expect("the edit was made for this content, under the lock"),
            ),
            (Transition::Unrecorded, before) => before.clone(),
        };
        let from = before
            .as_deref()
            .map(|before| snapshot.hash(position, before));
        let to = match content == *before {
            true => from,
            false => content.as_deref().map(ContentHash::of),
        };
        let recorded = FileChange {
            name: file.name.clone(),
            from,
            to,
            transition,
        };
        (recorded, content)
    };
    let files = place.files.iter().zip(&snapshot.contents);
    files.enumerate().map(change).unzip()
}
