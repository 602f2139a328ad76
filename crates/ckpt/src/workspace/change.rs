//! Running an operation on a stored document.

use std::cell::RefCell;
use std::collections::HashSet;
use std::path::{Path, PathBuf};

use super::error::Purpose;
use super::gated::is_over;
use super::{Workspace, WorkspaceError};
use crate::command::Refusal;
use crate::document::{Document, Edit, ParseError, Value};
use crate::finding::{Finding, Severity};
use crate::history::{Event, Revision, Transition, replay};
use crate::key::Key;
use crate::operation::{Changed, Stamp};
use crate::store::{Place, Proposal, Snapshot, StoreError};

/// What a change came to.
#[derive(Debug, Clone)]
pub struct Outcome {
    /// The document's key.
    pub key: Key,
    /// The revision it has now; `None` when nothing was written.
    pub revision: Option<Revision>,
    /// Whether the document is new.
    pub created: bool,
    /// Where an unreadable file was copied to before it was replaced.
    pub moved_aside: Option<PathBuf>,
    /// Whether what was lost in that file came back from the history.
    pub restored: bool,
    /// Whether somebody edited the file since the last change.
    pub absorbed_foreign_edit: bool,
    /// The document as it is now.
    pub document: Document,
    /// What is odd about it.
    pub findings: Vec<Finding>,
}

/// What an operation sees.
pub(super) struct Present<'s> {
    /// The tree, where there is one.
    pub(super) value: Option<Value>,
    /// Its revision.
    pub(super) revision: Option<&'s Revision>,
    /// Time and commit.
    pub(super) stamp: Stamp,
}

/// What an operation came to: the next tree, or nothing to change.
pub(super) type Decision = Result<Option<Changed>, WorkspaceError>;

/// What is found out while the lock is held.
struct Written {
    created: bool,
    /// Whether it was over already.
    was_over: bool,
    moved_aside: Option<PathBuf>,
    restored: bool,
    document: Document,
}

/// The document that a change starts from.
enum Base {
    Missing,
    Readable(Document),
    /// Not JSON; with what the history has, if it has anything.
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
    /// Runs an operation under the store's lock. `Ok(None)` from the operation changes nothing,
    /// unless the file is unreadable and can be restored.
    pub(super) fn change(
        &self,
        key: &Key,
        purpose: Purpose,
        doing: &str,
        operation: impl Fn(Present<'_>) -> Decision,
    ) -> Result<Outcome, WorkspaceError> {
        let place = self.store.layout().place(key);
        let written: RefCell<Option<Written>> = RefCell::new(None);
        let committed = self
            .store
            .change(&place, &self.author(doing), |snapshot| {
                let (proposal, result) = self.propose(&place, purpose, snapshot, &operation)?;
                *written.borrow_mut() = Some(result);
                Ok(proposal)
            })
            .map_err(|error| purpose.not_changed(error))?;
        let written = written.into_inner();
        let written = written.expect("the store has called the operation");
        if committed.is_some() {
            self.note_gate(key, written.was_over, written.document.root());
        }
        let mut findings = self.judge(&written.document);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        let absorbed = committed.as_ref().map(|done| done.absorbed_foreign_edit);
        Ok(Outcome {
            key: key.clone(),
            created: written.created,
            moved_aside: written.moved_aside,
            restored: written.restored,
            absorbed_foreign_edit: absorbed.unwrap_or(false),
            revision: committed.map(|done| done.revision),
            document: written.document,
            findings,
        })
    }

    fn propose(
        &self,
        place: &Place,
        purpose: Purpose,
        snapshot: &Snapshot,
        operation: &impl Fn(Present<'_>) -> Decision,
    ) -> Result<(Option<Proposal>, Written), WorkspaceError> {
        let base = self.base(place, purpose, snapshot)?;
        let decision = operation(Present {
            value: base.document().map(Document::value),
            revision: snapshot.revision.as_ref(),
            stamp: Stamp {
                now: snapshot.now,
                head: self.head().commit,
            },
        });
        let changed = decision.map_err(|error| missing_or_corrupt(place, &base, error))?;
        let next = next_document(base.document(), changed.as_ref()).map_err(Refusal::Unwritable)?;
        self.no_new_errors(base.document(), &next.document)?;
        let mut written = Written {
            created: base.document().is_none(),
            was_over: base
                .document()
                .is_some_and(|document| is_over(document.root())),
            moved_aside: None,
            restored: false,
            document: next.document,
        };
        let mut events = changed.map(|changed| changed.events).unwrap_or_default();
        let mut beside = Vec::new();
        let transition = match base {
            Base::Missing | Base::Readable(_) => Transition::Edit(next.edit),
            Base::Corrupt {
                bytes, recovered, ..
            } => {
                let aside = self.aside_path(&place.document().path, snapshot, &bytes);
                written.restored = recovered.is_some();
                let name = aside.file_name().unwrap_or_default().to_string_lossy();
                let event = Event::new("corrupt_moved_aside").with("moved_to", name.as_ref());
                events.insert(0, event.with("restored_from_history", written.restored));
                beside.push((aside.clone(), bytes));
                written.moved_aside = Some(aside);
                Transition::Content(written.document.text().as_bytes().to_vec())
            }
        };
        let proposal = (!events.is_empty()).then(|| Proposal {
            events,
            transitions: vec![(0, transition)],
            beside,
        });
        Ok((proposal, written))
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
            // It stays as it is.
            Err(error) if error.is_too_much() => {
                let path = place.document().path.clone();
                Err(purpose.failed(StoreError::unreadable(path, error)))
            }
            Err(error) => Ok(Base::Corrupt {
                bytes,
                error,
                recovered: self.recover(place).map_err(|error| purpose.failed(error))?,
            }),
        }
    }

    /// The document as the history last had it, as far as we are sure to have written that.
    fn recover(&self, place: &Place) -> Result<Option<Document>, StoreError> {
        let Some(history) = self.store.history(place)? else {
            return Ok(None);
        };
        let sealer = place.sealer(self.store.vault().seals());
        let contents = replay(&*history, None, |line| line.is_vouched(sealer));
        let contents = contents.ok().flatten();
        let content = contents.and_then(|mut contents| contents.remove(&place.document().name));
        Ok(content.and_then(|content| Document::from_bytes(content).ok()))
    }

    /// Where to keep a copy of something unreadable. A copy that a crashed change made of the same
    /// content is used again.
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

    /// What we write keeps the rules; what others broke before is not held against a change.
    fn no_new_errors(
        &self,
        before: Option<&Document>,
        after: &Document,
    ) -> Result<(), WorkspaceError> {
        let known = before
            .map(|document| self.judge(document))
            .unwrap_or_default();
        let known: HashSet<_> = known.iter().map(|old| (old.rule, &old.pointer)).collect();
        let is_new = |finding: &Finding| {
            finding.severity == Severity::Error
                && !known.contains(&(finding.rule, &finding.pointer))
        };
        let new: Vec<_> = self.judge(after).into_iter().filter(is_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        Err(Refusal::Invalid(new).into())
    }
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

/// An operation that needs a document says there is none; where there is one that cannot be read,
/// that is what is wrong.
fn missing_or_corrupt(place: &Place, base: &Base, error: WorkspaceError) -> WorkspaceError {
    let none = matches!(
        error,
        WorkspaceError::NotFound(_) | WorkspaceError::Refused(Refusal::NothingToComplete)
    );
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
