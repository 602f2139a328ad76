//! Running an operation on a stored document.

use std::cell::RefCell;
use std::path::{Path, PathBuf};

use super::{Workspace, WorkspaceError};
use crate::command::{Changed, Refusal, Stamp};
use crate::document::{Document, Edit, Value};
use crate::finding::{Finding, Severity};
use crate::history::{Event, Revision, replay};
use crate::key::Key;
use crate::repository::CommitId;
use crate::store::{Place, Proposal, Snapshot};

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

/// What is found out while the lock is held.
struct Written {
    created: bool,
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
        recovered: Option<Document>,
    },
}

impl Workspace {
    /// Runs an operation under the store's lock. `Ok(None)` from the operation changes nothing,
    /// unless the file is unreadable and can be restored.
    pub(super) fn change(
        &self,
        key: &Key,
        doing: &str,
        operation: impl Fn(Present<'_>) -> Result<Option<Changed>, Refusal>,
    ) -> Result<Outcome, WorkspaceError> {
        let place = self.store.layout().place(key);
        // Read before the lock is taken: nobody should wait while git's files are looked at.
        let head = self.head().commit;
        let written: RefCell<Option<Written>> = RefCell::new(None);
        let committed = self.store.change(&place, &self.author(doing), |snapshot| {
            let (proposal, result) = self.propose(&place, snapshot, head.clone(), &operation)?;
            *written.borrow_mut() = Some(result);
            Ok::<_, WorkspaceError>(proposal)
        })?;
        let written = written
            .into_inner()
            .expect("the store has called the operation");
        let mut findings = self.judge(&written.document);
        findings.sort_by_key(|finding| std::cmp::Reverse(finding.severity));
        Ok(Outcome {
            key: key.clone(),
            created: written.created,
            moved_aside: written.moved_aside,
            restored: written.restored,
            absorbed_foreign_edit: committed
                .as_ref()
                .is_some_and(|done| done.absorbed_foreign_edit),
            revision: committed.map(|done| done.revision),
            document: written.document,
            findings,
        })
    }

    fn propose(
        &self,
        place: &Place,
        snapshot: &Snapshot,
        head: Option<CommitId>,
        operation: &impl Fn(Present<'_>) -> Result<Option<Changed>, Refusal>,
    ) -> Result<(Option<Proposal>, Written), WorkspaceError> {
        let base = self.base(place, snapshot)?;
        let present = match &base {
            Base::Readable(document) => Some(document),
            Base::Corrupt { recovered, .. } => recovered.as_ref(),
            Base::Missing => None,
        };
        let changed = operation(Present {
            value: present.map(Document::value),
            revision: snapshot.revision.as_ref(),
            stamp: Stamp {
                now: snapshot.now,
                head,
            },
        })?;
        let mut rewrite = Edit::default();
        let (next, mut events) = match (changed, present) {
            (Some(changed), Some(present)) => {
                rewrite = present.rewrite(&changed.value);
                let next = present
                    .apply(&rewrite)
                    .expect("a rewrite fits its own document");
                (next, changed.events)
            }
            (Some(changed), None) => (Document::from_value(&changed.value), changed.events),
            (None, Some(present)) => (present.clone(), Vec::new()),
            (None, None) => (Document::from_value(&Value::Null), Vec::new()),
        };
        self.no_new_errors(present, &next)?;
        let mut result = Written {
            created: matches!(base, Base::Missing),
            moved_aside: None,
            restored: false,
            document: next,
        };
        let after = result.document.text().as_bytes();
        let mut beside = Vec::new();
        let edit = match base {
            Base::Missing => Edit::create(after),
            Base::Readable(_) => rewrite,
            Base::Corrupt { bytes, recovered } => {
                let aside = aside_path(&place.files[0], snapshot);
                result.restored = recovered.is_some();
                let name = aside.file_name().unwrap_or_default().to_string_lossy();
                let event = Event::new("corrupt_moved_aside").with("moved_to", name.as_ref());
                events.insert(0, event.with("restored_from_history", result.restored));
                let edit = Edit::between(&bytes, after);
                beside.push((aside.clone(), bytes));
                result.moved_aside = Some(aside);
                edit
            }
        };
        let proposal = (!events.is_empty()).then(|| Proposal {
            events,
            edits: vec![(0, edit)],
            beside,
        });
        Ok((proposal, result))
    }

    fn base(&self, place: &Place, snapshot: &Snapshot) -> Result<Base, WorkspaceError> {
        let Some(bytes) = snapshot.contents[0].clone() else {
            return Ok(Base::Missing);
        };
        match Document::from_bytes(bytes.clone()) {
            Ok(document) => Ok(Base::Readable(document)),
            Err(_) => Ok(Base::Corrupt {
                bytes,
                recovered: self.recover(place)?,
            }),
        }
    }

    /// The document as the history last had it.
    fn recover(&self, place: &Place) -> Result<Option<Document>, WorkspaceError> {
        let Some(history) = self.store.history(place)? else {
            return Ok(None);
        };
        let contents = replay(&*history, None).ok().flatten();
        let content = contents.and_then(|mut contents| contents.remove(&place.names()[0]));
        Ok(content.and_then(|content| Document::from_bytes(content).ok()))
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
        let is_new = |finding: &Finding| {
            let same = |old: &Finding| old.rule == finding.rule && old.pointer == finding.pointer;
            finding.severity == Severity::Error && !known.iter().any(same)
        };
        let new: Vec<_> = self.judge(after).into_iter().filter(is_new).collect();
        if new.is_empty() {
            return Ok(());
        }
        Err(Refusal::Invalid(new).into())
    }
}

fn aside_path(file: &Path, snapshot: &Snapshot) -> PathBuf {
    let mut name = file.file_name().unwrap_or_default().to_owned();
    name.push(format!(".corrupt-{}", snapshot.now.for_file_name()));
    file.with_file_name(name)
}
