//! Taking back all that one session changed.
//!
//! Its changes are taken back newest first, each on top of what others did since, and become one new revision. Where somebody
//! else changed the same again, nothing is: their change would lose its ground.

use std::collections::{BTreeSet, HashSet};
use std::io;

use super::{Ending, has_ended, present_in, rewritten};
use crate::comparison::compare;
use crate::document::{Clash, Conflict, Document, Lists, Merging, Object, Pointer, Value};
use crate::history::{EXACT, Epoch, Event, EventName, FileChange, History, Line, Revision};
use crate::key::{Key, PlanId};
use crate::layout::Place;
use crate::operation::{Refusal, Stamp};
use crate::pipeline;
use crate::plan;
use crate::seal::has_seal;
use crate::store::{FOUND_BY, StoreError};
use crate::workspace::change::{Outcome, no_new_errors};
use crate::workspace::error::Purpose;
use crate::workspace::{Archived, PlanCheckpoint, Workspace, WorkspaceError};

/// What came of taking the changes of a session back in one checkpoint. Changes are the lines that begin them, newest first.
#[derive(Debug)]
pub struct SessionUndo {
    /// The epoch that the history was in. Revisions of earlier ones are named exactly.
    pub epoch: Option<Epoch>,
    /// Its changes that stay: approvals, reviews and results of gates, which decide about shipping.
    pub staying: Vec<Line>,
    /// What became of the others.
    pub others: TakingBack,
}

/// What became of the changes of a session that can be taken back.
#[derive(Debug)]
pub enum TakingBack {
    /// They were taken back.
    TakenBack {
        /// The new revision.
        revision: Revision,
        /// The changes.
        changes: Vec<Line>,
        /// The tasks of a plan whose claims do not come back.
        freed: Vec<plan::Freed>,
    },
    /// Nothing of them can be taken back, or is left.
    Nothing,
    /// Somebody else changed the same since.
    DependedOn {
        /// The change of the session.
        change: Box<Line>,
        /// The later change; `None` if it is not recorded yet, as an edit by another program.
        later: Option<Box<Line>>,
    },
}

/// The changes since the first one of a session that count, newest first.
#[derive(Default)]
struct Since {
    /// The epoch of the newest one.
    epoch: Option<Epoch>,
    own: Vec<Line>,
    /// How many changes of others came after each of its own.
    later: Vec<usize>,
    /// Those that decide about shipping, and are never taken back.
    staying: Vec<Line>,
    others: Vec<Line>,
}

impl Since {
    /// The changes of others that came after one of the session.
    fn later_than(&self, own: usize) -> &[Line] {
        &self.others[..self.later[own]]
    }
}

/// A document without some changes, or the change that cannot be taken out of it and the one that depends on it.
type Without = Result<Value, (Line, Option<Line>)>;

enum Proposed {
    DependedOn(Line, Option<Line>),
    Changes {
        was_over: bool,
        outcome: Box<Outcome>,
        changes: Vec<Line>,
    },
}

impl Workspace {
    /// The sessions that changed a checkpoint.
    pub fn sessions_in(&self, key: &Key) -> Result<BTreeSet<String>, WorkspaceError> {
        let history = self.history(key)?;
        let sessions = sessions_of(history.as_ref());
        sessions.map_err(|source| self.unreadable(key, source))
    }

    /// The sessions that changed a checkpoint before it was archived or deleted.
    pub fn sessions_in_archived(
        &self,
        archived: &Archived,
    ) -> Result<BTreeSet<String>, WorkspaceError> {
        let history = self.archived_history(archived)?;
        let sessions = sessions_of(history.as_ref());
        sessions.map_err(|source| Purpose::Load.failed(StoreError::history(&archived.path, source)))
    }

    /// Takes all changes of a session in a checkpoint back, as one new revision.
    pub fn undo_session(&self, key: &Key, session: &str) -> Result<SessionUndo, WorkspaceError> {
        self.settle_interrupted(key)?;
        match key {
            Key::Plan(id) => self.undo_session_in_plan(id, session),
            key => self.undo_session_in_document(key, session),
        }
    }

    fn undo_session_in_document(
        &self,
        key: &Key,
        session: &str,
    ) -> Result<SessionUndo, WorkspaceError> {
        let place = self.layout.place(key);
        let author = self.author("undo", &self.head());
        let propose = |snapshot: &_| {
            let since = self.since(key, session)?;
            let present = present_in(key, &place, snapshot)?;
            let merged = match self.without(key, &place, &since, &present)? {
                Ok(merged) => merged,
                Err((change, later)) => {
                    let proposed = Proposed::DependedOn(change, later);
                    return Ok((None, (since.epoch, since.staying, proposed)));
                }
            };
            let mut then = rewritten(&present, &merged)?;
            if let Key::Pipeline(id) = key {
                let head = self.head().commit;
                let now = snapshot.now;
                let stamp = Stamp { now, head };
                then = self.pipeline(id).fitted((&then, &present), &stamp)?;
                let stranded = self.pipeline(id).stranded((&then, &present));
                if let Some(proposed) = self.dependence(key, &place, &since, stranded) {
                    return Ok((None, (since.epoch, since.staying, proposed)));
                }
            }
            let event = event(session, &since.own);
            let (proposal, outcome) =
                self.returning(key, snapshot, (&then, &present), event, Ending::Refused)?;
            let was_over = has_ended(key, &present);
            if proposal.is_some() {
                let judge = |document: &Document| self.judge_as(key, document);
                no_new_errors(&judge, Some(&present), &outcome.document)?;
                if was_over && has_ended(key, &outcome.document) {
                    let ended = self.ended_by(key, &place, &since.others)?;
                    let last = since.own.into_iter().next();
                    let change = last.ok_or_else(|| Refusal::Missing(key.clone()))?;
                    let proposed = Proposed::DependedOn(change, ended);
                    return Ok((None, (since.epoch, since.staying, proposed)));
                }
            }
            let proposed = Proposed::Changes {
                was_over,
                outcome: Box::new(outcome),
                changes: since.own,
            };
            Ok((proposal, (since.epoch, since.staying, proposed)))
        };
        let (committed, proposed) = self.transact(&place, Purpose::Save, &author, &propose)?;
        let (epoch, staying, proposed) = proposed;
        let others = match (committed, proposed) {
            (_, Proposed::DependedOn(change, later)) => TakingBack::DependedOn {
                change: Box::new(change),
                later: later.map(Box::new),
            },
            (None, _) => TakingBack::Nothing,
            (
                Some(committed),
                Proposed::Changes {
                    was_over,
                    outcome,
                    changes,
                },
            ) => {
                self.note_gate(key, was_over, outcome.document.root());
                TakingBack::TakenBack {
                    revision: committed.revision,
                    changes,
                    freed: Vec::new(),
                }
            }
        };
        Ok(SessionUndo {
            epoch,
            staying,
            others,
        })
    }

    fn undo_session_in_plan(
        &self,
        id: &PlanId,
        session: &str,
    ) -> Result<SessionUndo, WorkspaceError> {
        let key = Key::from(id);
        let mut since = self.since(&key, session)?;
        let plan = self.plan(id);
        let changes = since.own.iter().map(|line| match plan.past_change(line) {
            Err(WorkspaceError::Refused(Refusal::NothingBefore(key))) => {
                Err(Refusal::CreatedThen(key).into())
            }
            past => past,
        });
        let changes: Vec<plan::PastChange> = changes.collect::<Result<_, WorkspaceError>>()?;
        let event = event(session, &since.own);
        let undo = |since: Since, others| SessionUndo {
            epoch: since.epoch,
            staying: since.staying,
            others,
        };
        if changes.is_empty() {
            return Ok(undo(since, TakingBack::Nothing));
        }
        if let Some(others) = toggled_again(plan, &since, &changes) {
            return Ok(undo(since, others));
        }
        let own = std::mem::take(&mut since.own);
        let taken_back = match plan.take_back(&changes, &event) {
            Ok(outcome) => match outcome.revision {
                None => TakingBack::Nothing,
                Some(revision) => TakingBack::TakenBack {
                    revision,
                    changes: own,
                    freed: plan::Freed::by_events(&outcome.events),
                },
            },
            Err(WorkspaceError::Plan(plan::Refusal::ChangedSince { text, .. })) => {
                let adds = own.iter().position(|line| gains(line, &text));
                let others = std::mem::take(&mut since.others);
                let takes = others.iter().position(|line| loses(line, &text));
                let change = own.into_iter().nth(adds.unwrap_or(0));
                let later = others.into_iter().nth(takes.unwrap_or(0));
                let change = change.ok_or(Refusal::Missing(key))?;
                TakingBack::DependedOn {
                    change: Box::new(change),
                    later: later.map(Box::new),
                }
            }
            Err(error) => return Err(error),
        };
        Ok(undo(since, taken_back))
    }

    /// The changes of a session in all epochs, and those of others since the first of them. What was taken back already, or
    /// never took effect, counts for nothing.
    fn since(&self, key: &Key, session: &str) -> Result<Since, WorkspaceError> {
        let mut since = Since::default();
        let Some(history) = self.history(key)? else {
            return Ok(since);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| self.unreadable(key, source);
        let counts = |line: &Line| line.counts(sealer);
        let is_own = |line: &Line| {
            line.session().as_deref() == Some(session) && is_by_somebody(line) && !is_return(line)
        };
        let mut own_revisions = HashSet::new();
        let mut first = None;
        for line in history.oldest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let revision = line.revision().filter(|_| is_own(&line) && counts(&line));
            if let Some(revision) = revision {
                first.get_or_insert_with(|| revision.clone());
                own_revisions.insert(revision);
            }
        }
        let mut void: HashSet<Revision> = HashSet::new();
        let mut has_come = false;
        for line in history.newest_first().map_err(failed)? {
            let line = line.map_err(failed)?;
            let (Some(revision), true) = (line.revision(), counts(&line)) else {
                continue;
            };
            since.epoch = since.epoch.or_else(|| revision.epoch.clone());
            let is_first = first.as_ref() == Some(&revision);
            if has_come && !is_first || first.is_none() {
                break;
            }
            has_come |= is_first;
            void.extend(line.aborted());
            if line.files().is_none() || void.contains(&revision) {
                continue;
            }
            void.extend(line.rebases().map(|number| Revision {
                number,
                epoch: revision.epoch.clone(),
            }));
            let back = line.taken_back();
            void.extend(back.iter().cloned());
            if back.is_empty() || back.iter().any(|back| !own_revisions.contains(back)) {
                match is_own(&line) {
                    true if is_power(&line) => since.staying.push(line),
                    true => {
                        since.later.push(since.others.len());
                        since.own.push(line);
                    }
                    false if back.is_empty() => since.others.push(line),
                    false => {}
                }
            }
        }
        Ok(since)
    }

    pub(super) fn unreadable(&self, key: &Key, source: std::io::Error) -> WorkspaceError {
        let path = self.layout.place(key).history;
        Purpose::Load.failed(StoreError::history(&path, source))
    }

    /// The present document without the changes of a session.
    fn without(
        &self,
        key: &Key,
        place: &Place,
        since: &Since,
        present: &Document,
    ) -> Result<Without, WorkspaceError> {
        let mut value = present.value();
        for (position, line) in since.own.iter().enumerate() {
            let others = since.later_than(position);
            let Some((before, after)) = self.documents_around(key, place, line)? else {
                continue;
            };
            let moved = moved_again(&before, &after, &value);
            if !moved.is_empty() {
                let touches = |before: &Value, after: &Value| {
                    let mut changes = compare(before, after).into_iter();
                    changes.any(|change| moved.contains(&change.what))
                };
                let later = self.later(key, place, others, &touches);
                return Ok(Err((line.clone(), later)));
            }
            let (base, mine) = (apart(key, &after, &value), apart(key, &before, &value));
            let merging = Merging {
                clash: &|at| clash(key, at),
                lists: Lists::Items,
            };
            match merging.merge(&base, mine, &value) {
                Ok(merged) => value = merged,
                Err(conflicts) => {
                    let touches = |before: &Value, after: &Value| {
                        conflicts.iter().any(|Conflict { pointer }| {
                            value_at(before, pointer) != value_at(after, pointer)
                        })
                    };
                    let later = self.later(key, place, others, &touches);
                    return Ok(Err((line.clone(), later)));
                }
            }
        }
        Ok(Ok(value))
    }

    /// The change of a session that a workstream of others depends on, and the one that moved that workstream.
    fn dependence(
        &self,
        key: &Key,
        place: &Place,
        since: &Since,
        stranded: Option<pipeline::Dependence>,
    ) -> Option<Proposed> {
        let pipeline::Dependence { workstream, on } = stranded?;
        let moving = |lines: &[Line], name: &str| {
            let what = format!("workstream {name}");
            let touches = |before: &Value, after: &Value| {
                let mut changes = compare(before, after).into_iter();
                changes.any(|change| change.what == what)
            };
            self.later(key, place, lines, &touches)
        };
        let change = moving(&since.own, &on).or_else(|| since.own.first().cloned())?;
        Some(Proposed::DependedOn(
            change,
            moving(&since.others, &workstream),
        ))
    }

    /// A document before and after a change; `None` if the change left it alone.
    pub(super) fn documents_around(
        &self,
        key: &Key,
        place: &Place,
        line: &Line,
    ) -> Result<Option<(Value, Value)>, WorkspaceError> {
        let file = place.document();
        let changes = line.files().unwrap_or_default();
        let mut changes = changes.iter().filter(|change| change.is_change());
        let Some(change) = changes.find(|change: &&FileChange| change.name == file.name) else {
            return Ok(None);
        };
        let (before, after) = self.sides_of((key, place), file, line, change)?;
        let read = |content: Option<Vec<u8>>| {
            let document = content.and_then(|content| Document::from_bytes(content).ok());
            document.map(|document| document.value())
        };
        match (read(before), read(after)) {
            (Some(before), Some(after)) => Ok(Some((before, after))),
            _ => Err(Refusal::CreatedThen(key.clone()).into()),
        }
    }

    /// The newest of these changes that touched the same.
    fn later(
        &self,
        key: &Key,
        place: &Place,
        others: &[Line],
        touches: &dyn Fn(&Value, &Value) -> bool,
    ) -> Option<Line> {
        let mut others = others.iter();
        let found = others.find(|line| {
            let around = self.documents_around(key, place, line);
            matches!(around, Ok(Some((before, after))) if touches(&before, &after))
        });
        found.cloned()
    }

    /// The change of others that completed or abandoned the checkpoint.
    fn ended_by(
        &self,
        key: &Key,
        place: &Place,
        others: &[Line],
    ) -> Result<Option<Line>, WorkspaceError> {
        for line in others {
            let Ok(Some((before, after))) = self.documents_around(key, place, line) else {
                continue;
            };
            let has_ended = |value: &Value| {
                Document::from_value(value).is_ok_and(|document| has_ended(key, &document))
            };
            if has_ended(&after) && !has_ended(&before) {
                return Ok(Some(line.clone()));
            }
        }
        Ok(None)
    }
}

/// The workstreams that a change moved, and that are by now neither where it put them nor where they were before. A move is
/// an entry in two lists, so merging each list by itself would not see it.
fn moved_again(before: &Value, after: &Value, present: &Value) -> Vec<String> {
    let since = compare(after, present);
    let moves = compare(before, after).into_iter();
    let moves = moves.filter(|change| change.what.starts_with("workstream "));
    let again = moves.filter(|change| {
        let mut since = since.iter();
        since.any(|later| later.what == change.what && later.after != change.before)
    });
    again.map(|change| change.what).collect()
}

/// The later change of others that ticked or opened the same box as one of these changes. A box that is back as it was then
/// would be no conflict for the lines.
fn toggled_again(
    plan: PlanCheckpoint<'_>,
    since: &Since,
    changes: &[plan::PastChange],
) -> Option<TakingBack> {
    let toggled_by_others = |line: &Line| match plan.past_change(line) {
        Ok(past) => past.toggled(),
        Err(_) => BTreeSet::new(),
    };
    let others: Vec<BTreeSet<String>> = since.others.iter().map(toggled_by_others).collect();
    let own = since.own.iter().zip(changes).enumerate();
    let mut own = own.map(|(position, (change, past))| (position, change, past.toggled()));
    own.find_map(|(position, change, ids)| {
        let mut later = since.later_than(position).iter().zip(&others);
        let (later, _) = later.find(|(_, others)| !others.is_disjoint(&ids))?;
        Some(TakingBack::DependedOn {
            change: Box::new(change.clone()),
            later: Some(Box::new(later.clone())),
        })
    })
}

fn event(session: &str, changes: &[Line]) -> Event {
    let numbers = changes.iter().filter_map(Line::number).map(Value::from);
    let exact = changes.iter().filter_map(Line::revision);
    let exact = exact.map(|revision| Value::from(revision.to_string()));
    Event::new(EventName::Undone)
        .with("of_session", session)
        .with("revisions", Value::Array(numbers.collect()))
        .with(EXACT, Value::Array(exact.collect()))
}

/// The sessions that a history names.
fn sessions_of(history: Option<&History>) -> io::Result<BTreeSet<String>> {
    let mut sessions = BTreeSet::new();
    let Some(history) = history else {
        return Ok(sessions);
    };
    for line in history.oldest_first()? {
        let line = line?;
        if let Some(session) = line.session().filter(|_| is_by_somebody(&line)) {
            sessions.insert(session.into_owned());
        }
    }
    Ok(sessions)
}

/// Whether a line records what somebody did, rather than what was found.
fn is_by_somebody(line: &Line) -> bool {
    line.by().as_deref() != Some(FOUND_BY)
}

/// Whether a line records that a document came back as it was.
fn is_return(line: &Line) -> bool {
    use EventName as E;
    matches!(
        line.event_name(),
        Some(E::Recovered | E::Archived | E::Unarchived)
    )
}

/// What changes with every save, follows from other members, or stays as it is now anyway.
fn is_apart(key: &Key, name: &str) -> bool {
    match key {
        Key::Pipeline(_) => {
            pipeline::STAYING.contains(&name)
                || matches!(
                    name,
                    "gates_passed"
                        | "gates_pending"
                        | "current_phase"
                        | "timestamp"
                        | "updated_at"
                        | "last_updated"
                )
        }
        _ => {
            super::STAYING.contains(&name)
                || matches!(name, "updated_at" | "head_commit" | "started_at")
        }
    }
}

/// A tree in which everything apart is as in the present one, so that it takes no part in a merge.
fn apart(key: &Key, value: &Value, present: &Value) -> Value {
    let (Value::Object(root), Value::Object(present)) = (value, present) else {
        return value.clone();
    };
    let mut root: Object = root.clone();
    let both = value.as_object().into_iter().flat_map(Object::iter);
    let both = both.chain(present.iter());
    for (name, _) in both.filter(|(name, value)| is_apart(key, name) || has_seal(value)) {
        match present.get(name) {
            Some(value) => root.set(name, value.clone()),
            None => drop(root.remove(name)),
        }
    }
    Value::Object(root)
}

/// A position that others have moved on from is theirs.
fn clash(key: &Key, at: &Pointer) -> Clash {
    let segments: Vec<&str> = at.segments().collect();
    match (key, segments.as_slice()) {
        (Key::Pipeline(_), ["status"]) => Clash::Theirs,
        (Key::Command(_), ["state", "current_phase" | "current_task"]) => Clash::Theirs,
        _ => Clash::Conflict,
    }
}

fn value_at<'v>(value: &'v Value, at: &Pointer) -> Option<&'v Value> {
    at.segments()
        .try_fold(value, |value, name| value.as_object()?.get(name))
}

/// How often a change brings a text in, less how often it takes it out.
fn balance(line: &Line, text: &str) -> i64 {
    use crate::history::Transition;
    let count = |bytes: &[u8]| {
        let found = memchr::memmem::find_iter(bytes, text.as_bytes());
        i64::try_from(found.count()).unwrap_or(i64::MAX)
    };
    let files = line.files().unwrap_or_default();
    let balances = files.iter().map(|file| match &file.transition {
        Transition::Edit(edit) => edit
            .splices()
            .iter()
            .map(|splice| count(&splice.new) - count(&splice.old))
            .sum(),
        Transition::Content(content) => count(content),
        Transition::Unrecorded => 0,
    });
    balances.sum()
}

fn gains(line: &Line, text: &str) -> bool {
    balance(line, text) > 0
}

fn loses(line: &Line, text: &str) -> bool {
    balance(line, text) < 0
}

/// Whether a change set a gate, overrode it, or recorded its result or a review.
fn is_power(line: &Line) -> bool {
    use EventName as E;
    let name = line.event_name();
    name.is_some_and(|name| {
        matches!(
            name,
            E::GateSet
                | E::GateOverridden
                | E::GateStarted
                | E::GateInterrupted
                | E::GatePassed
                | E::GateFailed
                | E::PipelineReviewed
        )
    })
}
