//! Running an operation on a stored document.

use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::error::Purpose;
use super::gate::is_over;
use super::{Workspace, WorkspaceError};
use crate::command::Refusal;
use crate::document::{Document, Edit, ParseError, Value};
use crate::finding::{Finding, Severity};
use crate::history::{Backward, Event, EventName, Line, Revision, content_at, replay};
use crate::key::Key;
use crate::layout::{Place, PlaceFile, Role};
use crate::operation::{self, Changed, Stamp};
use crate::repository::Head;
use crate::seal::Unsealed;
use crate::store::{Author, Commit, Committed, Proposal, Snapshot, StoreError, Transaction, Write};

/// How many revisions are gone back to find one that can be read.
const MOST_DAMAGED: usize = 16;

/// How often a document may be archived while we wait for its lock.
const MOST_ARCHIVED: usize = 100;

/// The result of a change.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The document's key.
    pub key: Key,
    /// The new revision; `None` if nothing was written.
    pub revision: Option<Revision>,
    /// Whether the document was created by this change.
    pub created: bool,
    /// Where an unreadable file was copied before it was replaced.
    pub moved_aside: Option<PathBuf>,
    /// Whether the content of that file was restored from the history.
    pub restored: bool,
    /// Whether the file had been edited by hand since the last change.
    pub absorbed_foreign_edit: bool,
    /// Whether it was complete or abandoned, and is in flight again.
    pub reopened: bool,
    /// The document after the change.
    pub document: Document,
    /// Problems found in it.
    pub findings: Vec<Finding>,
}

/// The input of an operation.
pub(super) struct Present<'s> {
    /// The document's tree, if there is a document.
    pub(super) value: Option<Value>,
    /// Its revision.
    pub(super) revision: Option<&'s Revision>,
    /// The current time and commit.
    pub(super) stamp: Stamp,
}

/// The result of an operation: the next tree, or `None` for no change.
pub(super) type Decision = Result<Option<Changed>, WorkspaceError>;

/// An operation. It is passed by reference: the code around it would otherwise exist once for each operation, and a
/// larger program starts more slowly.
pub(super) type Operation<'o> = &'o dyn Fn(Present<'_>) -> Decision;

/// Turns a snapshot into a proposal, and something to report.
pub(super) type Propose<'p, T> =
    &'p dyn Fn(&Snapshot) -> Result<(Option<Proposal>, T), WorkspaceError>;

/// Turns the snapshot of a single-file document into a proposal, whether the document was over, and the outcome.
pub(super) type Writing<'w> = &'w dyn Fn(&Place, &Snapshot, &Head) -> Written;

type Written = Result<(Option<Proposal>, (bool, Outcome)), WorkspaceError>;

/// The document that a change starts from.
enum Base {
    Missing,
    Readable(Document),
    /// Not JSON, with the version recovered from the history, if any.
    Corrupt {
        bytes: Vec<u8>,
        error: ParseError,
        recovered: Option<Document>,
    },
}

impl Base {
    fn document(&self) -> Option<&Document> {
        match self {
            Self::Missing => None,
            Self::Readable(document) => Some(document),
            Self::Corrupt { recovered, .. } => recovered.as_ref(),
        }
    }
}

impl Workspace {
    /// Changes a document, unless there is nothing to change. One that is archived comes back only if there is.
    pub(super) fn transact<T>(
        &self,
        place: &Place,
        purpose: Purpose,
        author: &Author,
        propose: Propose<'_, T>,
    ) -> Result<(Option<Committed>, T), WorkspaceError> {
        self.finish_renamings();
        let changed = match self.store.is_archived(place) {
            true => self.change_archived(place, purpose, author, propose),
            false => self.change_in_place(place, purpose, author, propose),
        }?;
        if changed.0.is_some() {
            self.settle_debts(place, author);
            (self.options.wake)(self);
        }
        Ok(changed)
    }

    /// Changes an archived document. What its archive holds shows whether the change is refused; then it stays as it is.
    fn change_archived<T>(
        &self,
        place: &Place,
        purpose: Purpose,
        author: &Author,
        propose: Propose<'_, T>,
    ) -> Result<(Option<Committed>, T), WorkspaceError> {
        let alone = self.holding(place, author)?;
        let archived = alone.store.archived_snapshot(place);
        if let Some(snapshot) = archived.map_err(|error| Purpose::Load.failed(error))?
            && let (None, result) = propose(&snapshot)?
        {
            return Ok((None, result));
        }
        alone.change_in_place(place, purpose, author, propose)
    }

    /// Proposes until a proposal is committed, starting again from the new snapshot if another process wrote in
    /// between.
    fn change_in_place<T>(
        &self,
        place: &Place,
        purpose: Purpose,
        author: &Author,
        propose: Propose<'_, T>,
    ) -> Result<(Option<Committed>, T), WorkspaceError> {
        let failed = |error| purpose.failed(error);
        let Some(mut transaction) = self.begin_here(place, purpose, author)? else {
            return self.change_archived(place, purpose, author, propose);
        };
        loop {
            let (proposal, result) = match propose(transaction.snapshot()) {
                Ok(proposed) => proposed,
                Err(refusal) => {
                    transaction.withdraw().map_err(failed)?;
                    return Err(refusal);
                }
            };
            match transaction.commit(proposal).map_err(failed)? {
                Commit::Unchanged => return Ok((None, result)),
                Commit::Committed(committed) => return Ok((Some(committed), result)),
                Commit::Rebased(theirs) => transaction = theirs,
                Commit::Archived => return self.change_archived(place, purpose, author, propose),
            }
        }
    }

    /// Begins a change of a document that is in its place, or new. What is archived or lost is brought back first. `None` if
    /// that was its archive: then it begins again. Somebody may archive the document while we wait for its lock.
    fn begin_here<'s>(
        &'s self,
        place: &'s Place,
        purpose: Purpose,
        author: &'s Author,
    ) -> Result<Option<Transaction<'s>>, WorkspaceError> {
        let failed = |error| purpose.failed(error);
        let document = |(_, file): &(usize, &PlaceFile)| file.role == Role::Own;
        let at = place.files.iter().enumerate().find(document);
        let at = at.map_or(0, |(at, _)| at);
        let mut may_be_lost = true;
        for _ in 0..MOST_ARCHIVED {
            self.ensure_unarchived(place)?;
            let transaction = self.store.begin(place, author).map_err(failed)?;
            let snapshot = transaction.snapshot();
            let is_there = snapshot.contents[at].is_some();
            if is_there && !snapshot.is_adopted {
                return Ok(Some(transaction));
            }
            let is_archived = !is_there && self.store.is_archived(place);
            let is_lost = match may_be_lost && !is_archived {
                true => self.lost_of(place).map(|lost| lost.is_some()),
                false => Ok(false),
            };
            if !is_archived && matches!(is_lost, Ok(false)) {
                let lost = match is_there {
                    true => None,
                    false => self.lost_archive_of(place),
                };
                let Some(lost) = lost else {
                    return Ok(Some(transaction));
                };
                transaction.withdraw().map_err(failed)?;
                return self.return_lost_archive(lost).map(|()| None);
            }
            transaction.withdraw().map_err(failed)?;
            if is_lost? {
                may_be_lost = self.return_lost(place, author)?;
            }
        }
        let path = place.document().path.clone();
        Err(failed(StoreError::Contested { path }))
    }

    /// Runs an operation on a single-file document. `Ok(None)` from the operation changes nothing, unless the file is
    /// unreadable and can be restored.
    pub(super) fn change(
        &self,
        key: &Key,
        purpose: Purpose,
        doing: &str,
        operation: Operation<'_>,
    ) -> Result<Outcome, WorkspaceError> {
        self.write(key, purpose, doing, &|place, snapshot, head| {
            let base = self.base(place, purpose, snapshot)?;
            let was_over = base.document().is_some_and(|now| is_over(now.root()));
            let stamp = Stamp {
                now: snapshot.now,
                head: head.commit.clone(),
            };
            let proposed = self.propose(key, (place, snapshot), base, stamp, operation);
            let (proposal, outcome) = proposed?;
            Ok((proposal, (was_over, outcome)))
        })
    }

    /// Writes what is proposed for a single-file document, and reports what came of it. A proposal also says whether the
    /// document was complete or abandoned before.
    pub(super) fn write(
        &self,
        key: &Key,
        purpose: Purpose,
        doing: &str,
        propose: Writing<'_>,
    ) -> Result<Outcome, WorkspaceError> {
        let place = self.layout.place(key);
        let head = self.head();
        let author = self.author(doing, &head);
        let (committed, (was_over, mut outcome)) =
            self.transact(&place, purpose, &author, &|snapshot| {
                propose(&place, snapshot, &head)
            })?;
        if let Some(committed) = committed {
            self.note_gate(key, was_over, outcome.document.root());
            outcome.absorbed_foreign_edit = committed.absorbed_foreign_edit;
            outcome.revision = Some(committed.revision);
        }
        Ok(outcome)
    }

    /// Runs the operation; returns what to write and the outcome to report once it is written.
    fn propose(
        &self,
        key: &Key,
        (place, snapshot): (&Place, &Snapshot),
        base: Base,
        stamp: Stamp,
        operation: Operation<'_>,
    ) -> Result<(Option<Proposal>, Outcome), WorkspaceError> {
        let decision = operation(Present {
            value: base.document().map(Document::value),
            revision: snapshot.revision.as_ref(),
            stamp,
        });
        let changed = decision.map_err(|error| missing_or_corrupt(place, &base, error))?;
        let next = next_document(base.document(), changed.as_ref())
            .map_err(operation::Refusal::Unwritable)?;
        let mut outcome = Outcome {
            key: key.clone(),
            revision: None,
            created: base.document().is_none(),
            moved_aside: None,
            restored: false,
            absorbed_foreign_edit: false,
            reopened: changed.as_ref().is_some_and(|changed| {
                let mut events = changed.events.iter();
                events.any(|event| event.name == EventName::CheckpointReopened)
            }),
            findings: self.findings(key, base.document(), &next.document)?,
            document: next.document,
        };
        let mut events = changed.map(|changed| changed.events).unwrap_or_default();
        let mut beside = Vec::new();
        let mut edit = Some(next.edit);
        if let Base::Corrupt {
            bytes, recovered, ..
        } = base
        {
            let aside = self.aside_path(&place.document().path, snapshot, &bytes);
            outcome.restored = recovered.is_some();
            let name = aside.file_name().unwrap_or_default().to_string_lossy();
            let event = Event::new(EventName::CorruptMovedAside).with("moved_to", name.as_ref());
            events.insert(0, event.with("restored_from_history", outcome.restored));
            beside.push((aside.clone(), bytes));
            outcome.moved_aside = Some(aside);
            edit = None;
        }
        let proposal = (!events.is_empty()).then(|| Proposal {
            events,
            writes: vec![Write {
                file: 0,
                content: outcome.document.text().as_bytes().to_vec(),
                edit,
            }],
            beside,
        });
        Ok((proposal, outcome))
    }

    /// Restores a document that cannot be read from its history, and keeps the damaged file beside it. Nothing changes if
    /// it can be read.
    pub fn recover(&self, key: &Key) -> Result<Outcome, WorkspaceError> {
        self.change(
            key,
            Purpose::Save,
            "recover",
            &|present| match present.value {
                Some(_) => Ok(None),
                None => Err(operation::Refusal::Missing(key.clone()).into()),
            },
        )
    }

    fn base(
        &self,
        place: &Place,
        purpose: Purpose,
        snapshot: &Snapshot,
    ) -> Result<Base, WorkspaceError> {
        let Some(bytes) = snapshot.contents[0].clone() else {
            return Ok(Base::Missing);
        };
        match Document::from_bytes(bytes.clone()) {
            Ok(document) => Ok(Base::Readable(document)),
            // Too large to parse: leave the file alone.
            Err(error) if error.is_too_much() => {
                let path = place.document().path.clone();
                Err(purpose.failed(StoreError::unreadable(path, error)))
            }
            Err(error) => {
                let recovered = self
                    .last_recorded(place)
                    .map_err(|error| purpose.failed(error))?;
                if bytes.is_empty() && recovered.is_none() {
                    // There is nothing to keep aside and nothing to restore.
                    return Ok(Base::Missing);
                }
                Ok(Base::Corrupt {
                    bytes,
                    error,
                    recovered,
                })
            }
        }
    }

    /// The last version in the history that can be read, using only lines that carry our seal.
    fn last_recorded(&self, place: &Place) -> Result<Option<Document>, StoreError> {
        let Some(history) = self.store.history(place)? else {
            return Ok(None);
        };
        // What cannot be read now may be readable later. Going on without it would give up what it has.
        if let Some(reason @ Unsealed::Unreadable { .. }) = self.store.vault().status() {
            return Err(StoreError::Unchecked(reason.clone()));
        }
        let failed = |source| StoreError::history(&place.history, source);
        let name = &place.document().name;
        let sealer = place.sealer(self.store.vault().seals());
        let is_ours = |line: &Line| line.is_vouched(sealer);
        let contents = replay(&*history, None, is_ours).map_err(failed)?;
        let content = contents.and_then(|mut contents| contents.remove(name));
        if let Some(document) = content.and_then(|content| Document::from_bytes(content).ok()) {
            return Ok(Some(document));
        }
        // The damage may be on record too, as an edit by another program.
        let lines = Backward::new(&*history).map_err(failed)?.flatten();
        let changes = lines.filter(|line| line.files().is_some() && is_ours(line));
        for line in changes.take(MOST_DAMAGED) {
            let Some(revision) = line.revision() else {
                continue;
            };
            let content = content_at(&*history, name, &revision, &is_ours).map_err(failed)?;
            let document = content.and_then(|content| Document::from_bytes(content).ok());
            if document.is_some() {
                return Ok(document);
            }
        }
        Ok(None)
    }

    /// Where to copy an unreadable file. Reuses the copy of the same content left by a crashed change.
    pub(super) fn aside_path(&self, file: &Path, snapshot: &Snapshot, bytes: &[u8]) -> PathBuf {
        let mut prefix = file.file_name().unwrap_or_default().to_owned();
        prefix.push(".corrupt-");
        let is_copy = |path: &PathBuf| {
            let content = self.store.read(path).ok().flatten();
            content.is_some_and(|content| content == bytes)
        };
        let present = self.store.beside(file, &prefix);
        present.into_iter().find(is_copy).unwrap_or_else(|| {
            prefix.push(snapshot.now.for_file_name());
            file.with_file_name(prefix)
        })
    }

    /// Problems in the document after a change, most severe first. A change must not introduce errors; errors that
    /// were there before do not block it.
    fn findings(
        &self,
        key: &Key,
        before: Option<&Document>,
        after: &Document,
    ) -> Result<Vec<Finding>, WorkspaceError> {
        no_new_errors(&|document| self.judge_as(key, document), before, after)
    }
}

/// The findings about a document after a change, unless it has errors that it did not have before.
pub(super) fn no_new_errors(
    judge: &dyn Fn(&Document) -> Vec<Finding>,
    before: Option<&Document>,
    after: &Document,
) -> Result<Vec<Finding>, WorkspaceError> {
    let mut findings = judge(after);
    let is_error = |finding: &&Finding| finding.severity == Severity::Error;
    if findings.iter().any(|finding| is_error(&finding)) {
        let known = before.map(judge).unwrap_or_default();
        let known: HashSet<_> = known.iter().map(|old| (old.rule, &old.pointer)).collect();
        let is_new = |finding: &&Finding| !known.contains(&(finding.rule, &finding.pointer));
        let new: Vec<_> = findings.iter().filter(is_error).filter(is_new).collect();
        if !new.is_empty() {
            let new = new.into_iter().cloned().collect();
            return Err(operation::Refusal::Invalid(new).into());
        }
    }
    findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
    Ok(findings)
}

struct Next {
    document: Document,
    edit: Edit,
}

/// The document after a change, and the edit that leads to it.
fn next_document(
    present: Option<&Document>,
    changed: Option<&Changed>,
) -> Result<Next, ParseError> {
    let (document, edit) = match (present, changed) {
        (Some(present), Some(changed)) => {
            let edit = present.rewrite(&changed.value);
            let after = edit.apply(present.text().as_bytes());
            let after = after.expect("a rewrite fits its own document");
            (Document::from_bytes(after)?, edit)
        }
        (None, Some(changed)) => {
            let document = Document::from_value(&changed.value)?;
            let edit = Edit::create(document.text().as_bytes());
            (document, edit)
        }
        (Some(present), None) => (present.clone(), Edit::default()),
        (None, None) => (Document::empty(), Edit::default()),
    };
    Ok(Next { document, edit })
}

/// Turns "not found" into "corrupt" if the document exists but cannot be read.
fn missing_or_corrupt(place: &Place, base: &Base, error: WorkspaceError) -> WorkspaceError {
    let none = error.is_not_found()
        || matches!(error, WorkspaceError::Command(Refusal::NothingToComplete));
    match base {
        Base::Corrupt { error: source, .. } if none => {
            WorkspaceError::Corrupt(StoreError::Corrupt {
                path: place.document().path.clone(),
                source: source.clone(),
            })
        }
        _ => error,
    }
}
