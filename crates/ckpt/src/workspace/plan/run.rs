//! Applying an operation to the files of a plan and computing what to write.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::PathBuf;

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::known::{Known, Source as RebuiltFrom, backup_path};
use super::memory::{Memory, recorded_phase_files};
use super::texts::is_blank;
use super::{Imported, PlanCheckpoint, PlanView};
use crate::document::{Document, Edit, Object, Value};
use crate::hash::ContentHash;
use crate::history::{Event, EventName, Revision};
use crate::layout::{PLAN_FILE, PLAN_LEGACY_FILE, Place, PlaceFile};
use crate::operation;
use crate::plan::{
    self, Backup, Change, Claimed, Context, ItemKind, Legacy, Outline, Present, Reason, Reconciled,
    Recording, Source, Tick, UNKNOWN, Unparsable, Vanished, account_name, as_recorded, checksum_of,
    has_tasks, is_same_but_for_time, keep_account, reconcile,
};
use crate::store::{Foreign, Proposal, Snapshot, Write};

/// How much of a backup to read to learn which revision it holds, in bytes.
const BACKUP_HEAD: usize = 512;

/// An operation on a plan, by reference for the same reason as [`super::super::change::Operation`].
pub(in crate::workspace) type Operation<'o> =
    &'o dyn Fn(&Present<'_>) -> Result<Change, plan::Refusal>;

/// The result of an operation on a plan.
pub(super) struct Planned {
    pub(super) view: PlanView,
    pub(super) proposal: Proposal,
    /// Whether there is anything to write.
    pub(super) changed: bool,
}

/// One run of an operation on the files of a plan.
pub(super) struct Run<'r> {
    plan: PlanCheckpoint<'r>,
    place: &'r Place,
    snapshot: &'r Snapshot,
    credit: Credit,
    texts: Option<Texts>,
    purpose: Purpose,
}

/// The texts that an operation starts from, if they differ from the files.
pub(super) enum Texts {
    /// The text of plan.md; the plan is new.
    New(Vec<u8>),
    /// The files were lost, and these are the texts from the history, by the positions of the files.
    Restored(BTreeMap<usize, Vec<u8>>),
}

impl Texts {
    fn of(&self, file: usize) -> Option<&[u8]> {
        match self {
            Self::New(text) => (file == 0).then_some(text),
            Self::Restored(texts) => texts.get(&file).map(Vec::as_slice),
        }
    }

    /// The write that turns the file into its text plus the operation's edits, if it has one.
    fn write(&self, file: usize, content: &[u8]) -> Option<Write> {
        self.of(file)?;
        Some(match self {
            Self::New(_) => Write::created(file, content.to_vec()),
            Self::Restored(_) => Write {
                file,
                content: content.to_vec(),
                edit: None,
            },
        })
    }
}

/// Who gets the credit for boxes found ticked in the Markdown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::workspace) enum Credit {
    /// The author of the sync.
    Author,
    /// The author of the sync, who was seen making the edit.
    Editor,
    /// No one: the command is about something else.
    Nobody,
}

/// A Markdown file that changed since the state was made.
struct Moved<'t> {
    name: String,
    /// `None` if the file is gone.
    position: Option<usize>,
    text: Option<&'t [u8]>,
}

/// Credits an event to an unknown author, unless it names one.
fn nobodys(event: Event) -> Event {
    match event.fields.get("by") {
        Some(_) => event,
        None => event.with("by", UNKNOWN),
    }
}

/// What an operation starts from.
struct Base<'k> {
    state: Cow<'k, Object>,
    events: Vec<Event>,
}

/// What is imported from an old progress file.
#[derive(Default)]
struct Import {
    ticks: Vec<(usize, Edit)>,
    event: Option<Event>,
    imported: Option<Imported>,
}

/// A state in sync with its Markdown, and what it takes to get there.
struct Agreement {
    outline: Outline,
    state: Value,
    /// Whether the state is unchanged.
    same: bool,
    changed: bool,
    proposal: Proposal,
}

impl<'r> Run<'r> {
    pub(super) fn new(plan: PlanCheckpoint<'r>, place: &'r Place, snapshot: &'r Snapshot) -> Self {
        Self {
            plan,
            place,
            snapshot,
            credit: Credit::Nobody,
            texts: None,
            purpose: Purpose::Save,
        }
    }

    /// Only to see what the operation would do.
    pub(super) fn for_reading(self) -> Self {
        let purpose = Purpose::Load;
        Self { purpose, ..self }
    }

    pub(super) fn crediting(self, credit: Credit) -> Self {
        Self { credit, ..self }
    }

    /// Starts from these texts instead of the files.
    pub(super) fn starting_from(self, texts: Texts) -> Self {
        Self {
            texts: Some(texts),
            ..self
        }
    }

    /// The text of a file that is given instead of it.
    fn given(&self, file: usize) -> Option<&[u8]> {
        self.texts.as_ref()?.of(file)
    }

    /// Runs an operation.
    pub(super) fn plan(&self, operation: Operation<'_>) -> Result<Planned, WorkspaceError> {
        let known = self.plan.known(self.place, self.snapshot, self.purpose)?;
        let markdown = self.snapshot.contents[..self.state_at()].iter().enumerate();
        let markdown: Vec<Option<&[u8]>> = markdown
            .map(|(file, content)| self.given(file).or(content.as_deref()))
            .collect();
        let originals: Vec<&[u8]> = markdown
            .iter()
            .map(|content| content.unwrap_or_default())
            .collect();
        let outline = self.outline(&originals)?;
        self.check_parsable(&markdown, &outline, known.state.as_ref())?;
        let legacy = self.legacy(&known, &outline, &originals)?;
        let ticked = apply(&originals, &legacy.ticks);
        let texts: Vec<&[u8]> = ticked.iter().map(AsRef::as_ref).collect();
        let outline = match legacy.ticks.is_empty() {
            true => outline,
            false => self.outline(&texts)?,
        };
        let mut base = self.base(&known, &outline, &texts)?;
        base.events.extend(legacy.event);
        let sources = self.sources(&texts);
        let gone = self.plan.gone_sessions(&base.state);
        let present = Present {
            sources: &sources,
            outline: &outline,
            state: &base.state,
            now: self.snapshot.now,
            by: &self.plan.workspace.options.by,
            agent: self.plan.workspace.options.agent.as_deref(),
            session: self.plan.workspace.options.session.as_deref(),
            gone: &gone,
        };
        let mut change = operation(&present)?;
        let edited = apply(&texts, &change.edits);
        if !legacy.ticks.is_empty() {
            // The history records both as one edit.
            change.edits = between(&originals, &edited);
        }
        let outline = match change.edits.is_empty() {
            true => outline,
            false => {
                let texts: Vec<&[u8]> = edited.iter().map(AsRef::as_ref).collect();
                self.outline(&texts)?
            }
        };
        let reconciled = self.reconciled(&known, base, change, outline, &edited)?;
        Ok(Planned {
            view: PlanView {
                id: self.plan.id.clone(),
                files: markdown_names(self.place),
                outline: reconciled.outline,
                last_checkpoint: known.state.as_ref().and_then(last_checkpoint),
                moved: known.newer.is_none() && !reconciled.same,
                unrecorded: Vec::new(),
                state: match (&known.newer, known.state) {
                    // What a newer one wrote is shown as it is.
                    (Some(_), Some(state)) => Value::Object(state),
                    _ => reconciled.state,
                },
                unparsable: None,
                dormant_on: None,
                is_removed: false,
                newer: known.newer,
                rebuilt: known.rebuilt,
                gone_sessions: gone,
                imported: legacy.imported,
            },
            proposal: reconciled.proposal,
            changed: reconciled.changed,
        })
    }

    fn state_at(&self) -> usize {
        self.place.files.len() - 1
    }

    fn sources<'t>(&'t self, texts: &[&'t [u8]]) -> Vec<Source<'t>> {
        let files = self.place.files.iter().zip(texts);
        let source = |(file, text): (&'t PlaceFile, &&'t [u8])| Source {
            name: &file.name,
            text,
        };
        files.map(source).collect()
    }

    fn outline(&self, texts: &[&[u8]]) -> Result<Outline, WorkspaceError> {
        let outline = Outline::read(&self.sources(texts));
        Ok(outline.map_err(|_| plan::Refusal::TooLong {
            name: PLAN_FILE.to_owned(),
        })?)
    }

    /// Refuses a plan.md that is missing, empty or without markers while the state has tasks: probably an accident. So is a
    /// phase file that it links to, and that is gone while its text is known.
    fn check_parsable(
        &self,
        markdown: &[Option<&[u8]>],
        outline: &Outline,
        state: Option<&Object>,
    ) -> Result<(), WorkspaceError> {
        let has_tasks = state.is_some_and(has_tasks);
        let why = match markdown[0] {
            None if state.is_none() => {
                return Err(WorkspaceError::not_found(self.plan.id.into()));
            }
            None => Unparsable::Missing,
            text if is_blank(text) && has_tasks => Unparsable::Empty,
            text if is_blank(text) => return Ok(()),
            Some(_) => match self.plan.lost_phase(self.place, markdown)? {
                Some(why) => why,
                None if has_tasks && outline.is_empty() => Unparsable::NoMarkers,
                None => return Ok(()),
            },
        };
        Err(plan::Refusal::Unparsable(why).into())
    }

    /// The state before the operation. The first state comes from the Markdown; if the Markdown is back at earlier
    /// content, the records from that time are restored.
    fn base<'k>(
        &self,
        known: &'k Known,
        outline: &Outline,
        texts: &[&[u8]],
    ) -> Result<Base<'k>, WorkspaceError> {
        let Some(state) = &known.state else {
            let first = self.reconcile(None, outline, texts, None);
            let state = first.state.into_object().unwrap_or_default();
            // After a loss this is not the first state, and the lost part is unknown.
            let events = match known.rebuilt {
                Some(_) => Vec::new(),
                None => first.events,
            };
            return Ok(Base {
                state: Cow::Owned(state),
                events,
            });
        };
        let mut state = Cow::Borrowed(state);
        let moved = self.moved(&state, texts);
        let mut unknown = false;
        let mut memories = Vec::new();
        for file in moved {
            // An edit that somebody was seen making is new, even if the text is not.
            let memory = match self.credit {
                Credit::Editor => Memory::Nothing,
                Credit::Author | Credit::Nobody => self.memory_of(&file)?,
            };
            unknown |= matches!(memory, Memory::Nothing);
            memories.push((file, memory));
        }
        // Nothing is lost with a file that is back at earlier content; with other files something may be.
        let vanished = if unknown {
            Vanished::Keep
        } else {
            Vanished::Forget
        };
        for (file, memory) in memories {
            let then = match memory {
                Memory::Nothing => continue,
                Memory::State(then) => *then,
                // There was no state at that time, so the boxes ticked now were ticked then.
                Memory::Content => {
                    let now = self.reconcile(Some(&state), outline, texts, None);
                    now.state.as_object().cloned().unwrap_or_default()
                }
            };
            let is_back = |source| Some(source) == file.position;
            state = Cow::Owned(as_recorded(&state, &then, outline, is_back, vanished));
        }
        let mut events = Vec::new();
        if unknown && (self.credit == Credit::Nobody || self.arrived()) {
            // Boxes found ticked in the Markdown must not be credited to the next author.
            let found = self.reconcile(Some(&state), outline, texts, None);
            if let Value::Object(found) = found.state {
                state = Cow::Owned(found);
            }
            events = found.events.into_iter().map(nobodys).collect();
        }
        let returned = self.plan.returned(known, &state, outline, &events);
        if !returned.is_empty() {
            events.extend(plan::give_up(state.to_mut(), &returned));
        }
        Ok(Base { state, events })
    }

    /// Whether the same commit of the same branch is checked out as at the last change.
    fn is_same_checkout(&self) -> bool {
        let workspace = self.plan.workspace;
        let here = workspace.head();
        let last = workspace.last_checkout(self.place);
        last == Some((here.commit.map(|commit| commit.to_string()), here.branch))
    }

    /// Whether others' commits were checked out since the last change, so that the content may have come with them.
    fn arrived(&self) -> bool {
        let workspace = self.plan.workspace;
        workspace.repository.brought_by_others() && !self.is_same_checkout()
    }

    fn checksum(&self, position: usize, text: &[u8]) -> String {
        checksum_of(self.snapshot.hash(position, text))
    }

    /// The Markdown files that changed since the state was made.
    fn moved<'t>(&'t self, state: &Object, texts: &[&'t [u8]]) -> Vec<Moved<'t>> {
        let files = self.place.files[..self.state_at()].iter().zip(texts);
        let recorded = recorded_phase_files(state);
        let recorded = |name: &str| recorded.and_then(|files| files.get(name)?.as_str());
        let mut moved: Vec<Moved<'t>> = files
            .enumerate()
            .filter(|(position, (file, text))| {
                let known = match position {
                    0 => state.get("checksum").and_then(Value::as_str),
                    _ => recorded(&file.name),
                };
                known != Some(self.checksum(*position, text).as_str())
            })
            .map(|(position, (file, text))| Moved {
                name: file.name.clone(),
                position: Some(position),
                text: Some(text),
            })
            .collect();
        let known = recorded_phase_files(state);
        let known = known.into_iter().flat_map(Object::iter);
        let is_there = |name: &str| self.place.files.iter().any(|file| file.name == name);
        moved.extend(
            known
                .filter(|(name, _)| !is_there(name))
                .map(|(name, _)| Moved {
                    name: name.to_owned(),
                    position: None,
                    text: None,
                }),
        );
        moved
    }

    /// The hash of a file that exists.
    fn hash_of(&self, file: &Moved<'_>) -> Option<ContentHash> {
        match (file.position, file.text) {
            (Some(position), Some(text)) => Some(self.snapshot.hash(position, text)),
            _ => None,
        }
    }

    fn memory_of(&self, file: &Moved<'_>) -> Result<Memory, WorkspaceError> {
        let memory = self
            .plan
            .memory_of(self.place, self.snapshot, &file.name, self.hash_of(file));
        memory.map_err(|error| Purpose::Load.failed(error))
    }

    fn reconcile(
        &self,
        known: Option<&Object>,
        outline: &Outline,
        texts: &[&[u8]],
        by: Option<&str>,
    ) -> Reconciled {
        let phase_files = self.place.files[1..self.state_at()].iter().zip(&texts[1..]);
        let phase_files = (1..).zip(phase_files);
        let phase_files = phase_files
            .map(|(position, (file, text))| (file.name.clone(), self.checksum(position, text)));
        let context = Context {
            plan_id: self.plan.id.as_str(),
            plan_path: &self.place.files[0].path.display().to_string(),
            checksum: &self.checksum(0, texts[0]),
            phase_files: &phase_files.collect::<Vec<_>>(),
            now: self.snapshot.now,
            by,
        };
        reconcile(known, outline, &context)
    }

    /// The tasks that an old progress file marks as done, for a plan that never had a state.
    fn legacy(
        &self,
        known: &Known,
        outline: &Outline,
        texts: &[&[u8]],
    ) -> Result<Import, WorkspaceError> {
        let may_import = self.plan.workspace.options.imports_progress;
        if known.state.is_some() || known.rebuilt.is_some() || !may_import {
            return Ok(Import::default());
        }
        let file = self.place.files[0].path.with_file_name(PLAN_LEGACY_FILE);
        let content = self.plan.workspace.store.read(&file);
        let Some(content) = content.map_err(|error| Purpose::Load.failed(error))? else {
            return Ok(Import::default());
        };
        let Legacy::Done(tasks) = Legacy::read(&content, outline) else {
            return Ok(Import {
                imported: Some(Imported::Unclear),
                ..Import::default()
            });
        };
        let present = Present {
            sources: &self.sources(texts),
            outline,
            state: &Object::new(),
            now: self.snapshot.now,
            by: &self.plan.workspace.options.by,
            agent: self.plan.workspace.options.agent.as_deref(),
            session: self.plan.workspace.options.session.as_deref(),
            gone: &[],
        };
        let event = Event::new(EventName::LegacyImported).with("source", PLAN_LEGACY_FILE);
        Ok(Import {
            ticks: plan::tick(
                &present,
                ItemKind::Task,
                &tasks,
                Tick::Done,
                Claimed::Ignore,
            )?
            .edits,
            event: Some(event.with("tasks", tasks.len() as u64)),
            imported: Some(Imported::Tasks(tasks.len())),
        })
    }

    /// Syncs the state with the edited Markdown.
    fn reconciled(
        &self,
        known: &Known,
        base: Base<'_>,
        mut change: Change,
        outline: Outline,
        edited: &[Cow<'_, [u8]>],
    ) -> Result<Agreement, WorkspaceError> {
        let texts: Vec<&[u8]> = edited.iter().map(AsRef::as_ref).collect();
        let before = change.state.as_ref().unwrap_or(&base.state);
        let by = Some(self.plan.workspace.options.by.as_str());
        let reconciled = self.reconcile(Some(before), &outline, &texts, by);
        let mut state = reconciled.state;
        let mut events = base.events;
        events.append(&mut change.events);
        events.extend(reconciled.events);
        let old = known.state.as_ref().filter(|_| known.document.is_some());
        let same = match (old, state.as_object()) {
            (Some(old), Some(new)) => is_same_but_for_time(old, new),
            _ => false,
        };
        let changed = !same || !change.edits.is_empty() || change.recording == Recording::Always;
        let mut beside = Vec::new();
        if changed {
            let recorded = known.state.as_ref().and_then(|state| state.get("checksum"));
            let is_mismatch = recorded.and_then(Value::as_str)
                != Some(
                    self.checksum(0, self.snapshot.contents[0].as_deref().unwrap_or_default())
                        .as_str(),
                );
            events = self.told(events, known, &change, is_mismatch);
            if let Some(state) = state.as_object_mut().filter(|_| !events.is_empty()) {
                let options = &self.plan.workspace.options;
                let name = options.agent.clone().unwrap_or_else(|| {
                    account_name(state, &options.by, options.session.as_deref())
                });
                keep_account(state, &name, &options.by, self.snapshot.now, &events);
                let returned = self.plan.returned(known, state, &outline, &events);
                events.extend(plan::give_up(state, &returned));
            }
            beside = self.backup(known, &base.state, &change, &events)?;
            beside.extend(known.aside.iter().cloned());
        } else {
            events.clear();
            // Nothing is saved, so the time of the last save stays.
            if let Some(known) = &known.state
                && let Some(state) = state.as_object_mut()
            {
                state.set("lastCheckpoint", last_checkpoint(known));
            }
        }
        let changed = changed || self.texts.is_some();
        let mut writes = Vec::new();
        if changed {
            writes = self.markdown_writes(change.edits, edited);
            writes.push(self.state_write(known, &state)?);
        }
        Ok(Agreement {
            outline,
            state,
            same,
            changed,
            proposal: Proposal {
                events,
                writes,
                beside,
            },
        })
    }

    fn markdown_writes(&self, edits: Vec<(usize, Edit)>, edited: &[Cow<'_, [u8]>]) -> Vec<Write> {
        let edits = edits.into_iter();
        let edits = edits.filter(|(file, _)| self.given(*file).is_none());
        let edits = edits.map(|(file, edit)| Write {
            file,
            content: edited[file].to_vec(),
            edit: Some(edit),
        });
        let given = edited.iter().enumerate();
        let given = given.filter_map(|(file, text)| self.texts.as_ref()?.write(file, text));
        given.chain(edits).collect()
    }

    fn state_write(&self, known: &Known, state: &Value) -> Result<Write, WorkspaceError> {
        let file = self.state_at();
        let Some(old) = &known.document else {
            let content = written(state)?.into_bytes();
            return Ok(match &known.rebuilt {
                Some(_) => Write {
                    file,
                    content,
                    edit: None,
                },
                None => Write::created(file, content),
            });
        };
        let edit = old.rewrite(state);
        let content = edit.apply(old.text().as_bytes());
        Ok(Write {
            file,
            content: content.expect("a rewrite fits its own document"),
            edit: Some(edit),
        })
    }

    /// The events to record for a change. Events that merely follow from an edit of the Markdown are covered by the
    /// line about that edit. A state whose own checksum does not fit the plan is told like an edited plan.
    fn told(
        &self,
        mut events: Vec<Event>,
        known: &Known,
        change: &Change,
        is_mismatch: bool,
    ) -> Vec<Event> {
        if let Some(rebuilt) = &known.rebuilt {
            events.insert(0, rebuilt.event());
        }
        let foreign = &self.snapshot.foreign;
        let of_state = |foreign: &Foreign| foreign.position == Some(self.state_at());
        let follows = !foreign.is_empty() && !foreign.iter().any(of_state);
        if foreign.iter().any(of_state) && is_mismatch {
            let mismatch = Event::new(EventName::ChecksumMismatch).with("action", "reparse");
            events.insert(0, mismatch.with("file", PLAN_FILE));
        }
        if events.is_empty() && !(follows && change.edits.is_empty()) {
            events.push(Event::new(EventName::StateSynced));
        }
        events
    }

    /// The backup to make before the change, if one is due.
    fn backup(
        &self,
        known: &Known,
        base: &Object,
        change: &Change,
        events: &[Event],
    ) -> Result<Vec<(PathBuf, Vec<u8>)>, WorkspaceError> {
        let old = known.state.as_ref().filter(|_| known.document.is_some());
        let Some(revision) = &self.snapshot.revision else {
            return Ok(Vec::new());
        };
        let path = backup_path(self.place);
        let regress =
            |event: &Event| matches!(event.name, EventName::TaskReopened | EventName::TaskRemoved);
        let lost_backup =
            matches!(&known.rebuilt, Some(rebuilt) if rebuilt.from == RebuiltFrom::Markdown);
        let mut beside = Vec::new();
        let (state, reason) = match (old, change.backup) {
            _ if lost_backup => (base, Reason::Restore),
            (None, _) => return Ok(beside),
            (Some(old), Some(reason)) => (old, reason),
            (Some(old), None) => {
                if !self.snapshot.foreign.is_empty() && events.iter().any(regress) {
                    (old, Reason::Regress)
                } else if Backup::is_due(self.last_backup(&path, &mut beside)?.as_ref(), revision) {
                    (old, Reason::Periodic)
                } else {
                    return Ok(beside);
                }
            }
        };
        let text = Backup::write(state, revision, reason, self.snapshot.now);
        let text = text.map_err(operation::Refusal::Unwritable)?;
        beside.push((path, text.into_bytes()));
        Ok(beside)
    }

    /// The revision that the current backup holds. An unreadable backup is kept aside.
    fn last_backup(
        &self,
        path: &std::path::Path,
        beside: &mut Vec<(PathBuf, Vec<u8>)>,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let store = &self.plan.workspace.store;
        let load = |error| Purpose::Load.failed(error);
        let Some(head) = store.read_beginning(path, BACKUP_HEAD).map_err(load)? else {
            return Ok(None);
        };
        if let Some(revision) = Backup::revision_in(&head) {
            return Ok(Some(revision));
        }
        let content = store.read(path).map_err(load)?;
        if let Some(content) = content
            && Backup::read(&content).is_none()
        {
            let aside = self
                .plan
                .workspace
                .aside_path(path, self.snapshot, &content);
            beside.push((aside, content));
        }
        Ok(None)
    }
}

pub(super) fn markdown_names(place: &Place) -> Vec<String> {
    let markdown = &place.files[..place.files.len() - 1];
    markdown.iter().map(|file| file.name.clone()).collect()
}

pub(super) fn last_checkpoint(state: &Object) -> Option<String> {
    state.get("lastCheckpoint")?.as_str().map(str::to_owned)
}

pub(super) fn written(state: &Value) -> Result<String, WorkspaceError> {
    let document = Document::from_value(state).map_err(operation::Refusal::Unwritable)?;
    Ok(document.text().to_owned())
}

/// The edits from one list of texts to the other, where they differ.
fn between(before: &[&[u8]], after: &[Cow<'_, [u8]>]) -> Vec<(usize, Edit)> {
    let both = before.iter().zip(after).enumerate();
    both.filter(|(_, (before, after))| **before != after.as_ref())
        .map(|(position, (before, after))| (position, Edit::between(before, after)))
        .collect()
}

fn apply<'t>(texts: &[&'t [u8]], edits: &[(usize, Edit)]) -> Vec<Cow<'t, [u8]>> {
    let texts = texts.iter().enumerate();
    texts
        .map(
            |(position, text)| match edits.iter().find(|(at, _)| *at == position) {
                Some((_, edit)) => {
                    Cow::Owned(edit.apply(text).expect("the edit was made for this text"))
                }
                None => Cow::Borrowed(*text),
            },
        )
        .collect()
}
