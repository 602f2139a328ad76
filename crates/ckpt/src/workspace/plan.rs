//! Operations on plans.

use std::cell::RefCell;
use std::collections::HashSet;
use std::ffi::OsStr;
use std::path::Path;

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::document::{Document, Edit, Object, Value};
use crate::history::{Event, Revision, Transition};
use crate::key::PlanId;
use crate::plan::{
    self, Context, ItemKind, Outline, Source, Tick, VERSION, checksum, is_same_but_for_time,
    phase_number, reconcile,
};
use crate::store::{PLAN_FILE, Place, Proposal, Snapshot, StoreError};
use crate::time::Timestamp;

/// A plan and its state, in agreement.
#[derive(Debug, Clone)]
pub struct PlanView {
    /// Its id.
    pub id: PlanId,
    /// What its Markdown says.
    pub outline: Outline,
    /// Its state, as it is or as the next change will write it.
    pub state: Value,
    /// When the state was last written.
    pub last_checkpoint: Option<String>,
    /// Whether the Markdown was changed since.
    pub moved: bool,
}

impl PlanView {
    /// Whether every task is done. A plan without tasks has not begun.
    #[must_use]
    pub fn is_finished(&self) -> bool {
        let mut tasks = self.outline.tasks().peekable();
        tasks.peek().is_some() && tasks.all(|(_, task)| task.done)
    }
}

/// What a change of a plan came to.
#[derive(Debug, Clone)]
pub struct PlanOutcome {
    /// The revision it has now; `None` when there was nothing to change.
    pub revision: Option<Revision>,
    /// What happened.
    pub events: Vec<Event>,
    /// The plan as it is now.
    pub view: PlanView,
}

/// The edits of an operation, by the position of the Markdown file.
type Edits = Vec<(usize, Edit)>;

impl Workspace {
    /// The plans there are, by id.
    pub fn plans(&self) -> Result<Vec<PlanId>, WorkspaceError> {
        let names = self.store.plan_directories();
        let names = names.map_err(|error| Purpose::Load.failed(error))?;
        Ok(names
            .iter()
            .filter_map(|name| PlanId::new(name.to_str()?).ok())
            .collect())
    }

    /// The unfinished plan that was worked on last; of those that never were, the one with the
    /// highest id.
    pub fn active_plan(&self) -> Result<Option<PlanId>, WorkspaceError> {
        let mut candidates = Vec::new();
        for id in self.plans()? {
            // A plan that cannot be read must not hide the others.
            if let Ok(view) = self.plan(&id)
                && !view.is_finished()
            {
                candidates.push((view.last_checkpoint, id));
            }
        }
        Ok(candidates.into_iter().max().map(|(_, id)| id))
    }

    /// Reads a plan. What the state does not know yet is worked out in memory; nothing is written.
    pub fn plan(&self, id: &PlanId) -> Result<PlanView, WorkspaceError> {
        let place = self.plan_place(id);
        let contents = place.files.iter().map(|file| self.store.read(&file.path));
        let contents: Result<Vec<_>, _> = contents.collect();
        let contents = contents.map_err(|error| Purpose::Load.failed(error))?;
        let planned =
            self.plan_change(id, &place, &contents, self.now(), &|_, _| Ok(Vec::new()))?;
        Ok(planned.view)
    }

    /// Brings the state of a plan into agreement with its Markdown.
    pub fn sync_plan(&self, id: &PlanId) -> Result<PlanOutcome, WorkspaceError> {
        self.change_plan(id, "plan sync", |_, _| Ok(Vec::new()))
    }

    /// Ticks or unticks tasks or criteria.
    pub fn tick(
        &self,
        id: &PlanId,
        kind: ItemKind,
        items: &[String],
        to: Tick,
    ) -> Result<PlanOutcome, WorkspaceError> {
        let doing = match to {
            Tick::Done => "plan done",
            Tick::Open => "plan undo",
        };
        self.change_plan(id, doing, |sources, outline| {
            plan::tick(sources, outline, kind, items, to)
        })
    }

    /// Makes a plan from Markdown.
    pub fn new_plan(&self, id: &PlanId, text: &str) -> Result<PlanOutcome, WorkspaceError> {
        let none = |_: &[Source<'_>], _: &Outline| Ok(Vec::new());
        self.change_plan_with(id, "plan new", |place, snapshot| {
            if snapshot.contents[0].is_some() {
                return Err(plan::Refusal::Exists(id.clone()).into());
            }
            let mut contents = snapshot.contents.clone();
            contents[0] = Some(text.as_bytes().to_vec());
            let mut planned = self.plan_change(id, place, &contents, snapshot.now, &none)?;
            let create = Transition::Edit(Edit::create(text.as_bytes()));
            planned.transitions.push((0, create));
            Ok(planned)
        })
    }

    /// Gives ids to checkboxes and phase headings that have none.
    pub fn mark_plan(&self, id: &PlanId) -> Result<PlanOutcome, WorkspaceError> {
        self.change_plan(id, "plan mark", |sources, outline| {
            let ids = outline.phases.iter().map(|phase| phase.id.clone());
            let tasks = outline.tasks().map(|(_, task)| task.id.clone());
            let mut taken: HashSet<String> = ids.chain(tasks).collect();
            let mut edits = Vec::new();
            for (position, source) in sources.iter().enumerate() {
                let edit = plan::mark(source.text, &mut taken);
                let edit = edit.map_err(|_| plan::Refusal::TooLong {
                    name: source.name.to_owned(),
                })?;
                if !edit.is_empty() {
                    edits.push((position, edit));
                }
            }
            Ok(edits)
        })
    }

    fn plan_place(&self, id: &PlanId) -> Place {
        let layout = self.store.layout();
        let file = layout.plan_directory(id).join(PLAN_FILE);
        let beside = self.store.beside(&file, OsStr::new("phase-"));
        let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
        let mut phases: Vec<String> = beside.iter().filter_map(|path| name(path)).collect();
        phases.retain(|name| phase_number(name).is_some());
        layout.plan_place(id, &phases)
    }

    /// Runs an operation on a plan under the store's lock.
    fn change_plan(
        &self,
        id: &PlanId,
        doing: &str,
        operation: impl Fn(&[Source<'_>], &Outline) -> Result<Edits, plan::Refusal>,
    ) -> Result<PlanOutcome, WorkspaceError> {
        self.change_plan_with(id, doing, |place, snapshot| {
            self.plan_change(id, place, &snapshot.contents, snapshot.now, &operation)
        })
    }

    fn change_plan_with(
        &self,
        id: &PlanId,
        doing: &str,
        plan: impl Fn(&Place, &Snapshot) -> Result<Planned, WorkspaceError>,
    ) -> Result<PlanOutcome, WorkspaceError> {
        let place = self.plan_place(id);
        let result: RefCell<Option<(PlanView, Vec<Event>)>> = RefCell::new(None);
        let committed = self
            .store
            .change(&place, &self.author(doing), |snapshot: &Snapshot| {
                let planned = plan(&place, snapshot)?;
                let events = planned.events.clone();
                *result.borrow_mut() = Some((planned.view, events));
                Ok((!planned.events.is_empty()).then_some(Proposal {
                    events: planned.events,
                    transitions: planned.transitions,
                    beside: Vec::new(),
                }))
            })
            .map_err(|error| Purpose::Save.not_changed(error))?;
        let (view, events) = result
            .into_inner()
            .expect("the store has called the operation");
        Ok(PlanOutcome {
            revision: committed.map(|committed| committed.revision),
            events,
            view,
        })
    }

    fn plan_change(
        &self,
        id: &PlanId,
        place: &Place,
        contents: &[Option<Vec<u8>>],
        now: Timestamp,
        operation: &impl Fn(&[Source<'_>], &Outline) -> Result<Edits, plan::Refusal>,
    ) -> Result<Planned, WorkspaceError> {
        let state_at = contents.len() - 1;
        if contents[0].is_none() {
            return Err(plan::Refusal::Missing(id.clone()).into());
        }
        let texts: Vec<&[u8]> = contents[..state_at]
            .iter()
            .map(|content| content.as_deref().unwrap_or_default())
            .collect();
        let edits = operation(&sources(place, &texts), &outline(place, &texts)?)?;
        let edited: Vec<Vec<u8>> = texts
            .iter()
            .enumerate()
            .map(
                |(position, text)| match edits.iter().find(|(at, _)| *at == position) {
                    Some((_, edit)) => edit.apply(text).expect("the edit was made for this text"),
                    None => text.to_vec(),
                },
            )
            .collect();
        let edited: Vec<&[u8]> = edited.iter().map(Vec::as_slice).collect();
        let outline = outline(place, &edited)?;
        let old = state_document(place, contents[state_at].as_deref())?;
        let old_value = old.as_ref().map(Document::value);
        let phase_files = place.files[1..state_at].iter().zip(&edited[1..]);
        let phase_files = phase_files.map(|(file, text)| (file.name.clone(), checksum(text)));
        let context = Context {
            plan_id: id.as_str(),
            plan_path: &place.files[0].path.display().to_string(),
            checksum: &checksum(edited[0]),
            phase_files: &phase_files.collect::<Vec<_>>(),
            now,
            by: &self.options.by,
        };
        let known = old_value.as_ref().and_then(Value::as_object);
        let mut reconciled = reconcile(known, &outline, &context);
        let same = old_value
            .as_ref()
            .is_some_and(|old| is_same_but_for_time(old, &reconciled.state));
        if same && edits.is_empty() {
            reconciled.events.clear();
        } else if reconciled.events.is_empty() {
            reconciled.events.push(Event::new("state_synced"));
        }
        let mut transitions: Vec<(usize, Transition)> = edits
            .into_iter()
            .map(|(position, edit)| (position, Transition::Edit(edit)))
            .collect();
        let state = match &old {
            Some(old) => old.rewrite(&reconciled.state),
            None => {
                let new = Document::from_value(&reconciled.state);
                let new = new.map_err(plan::Refusal::Unwritable)?;
                Edit::create(new.text().as_bytes())
            }
        };
        transitions.push((state_at, Transition::Edit(state)));
        Ok(Planned {
            view: PlanView {
                id: id.clone(),
                outline,
                last_checkpoint: known
                    .and_then(|known| known.get("lastCheckpoint")?.as_str())
                    .map(str::to_owned),
                moved: !same,
                state: reconciled.state,
            },
            events: reconciled.events,
            transitions,
        })
    }
}

/// What an operation makes of a plan.
struct Planned {
    view: PlanView,
    events: Vec<Event>,
    transitions: Vec<(usize, Transition)>,
}

fn sources<'t>(place: &'t Place, texts: &[&'t [u8]]) -> Vec<Source<'t>> {
    let files = place.files.iter().zip(texts);
    let source = |(file, text): (&'t crate::store::PlaceFile, &&'t [u8])| Source {
        name: &file.name,
        text,
    };
    files.map(source).collect()
}

fn outline(place: &Place, texts: &[&[u8]]) -> Result<Outline, WorkspaceError> {
    let outline = Outline::read(&sources(place, texts));
    Ok(outline.map_err(|_| plan::Refusal::TooLong {
        name: place.files[0].name.clone(),
    })?)
}

/// The state that is there. A state of another version is not ours to change.
fn state_document(
    place: &Place,
    content: Option<&[u8]>,
) -> Result<Option<Document>, WorkspaceError> {
    let Some(content) = content else {
        return Ok(None);
    };
    let state = place.files.last().expect("the state is the last file");
    let document = Document::from_bytes(content.to_vec()).map_err(|source| {
        Purpose::Load.failed(StoreError::Corrupt {
            path: state.path.clone(),
            source,
        })
    })?;
    let empty = Object::new();
    let value = document.value();
    let version = value.as_object().unwrap_or(&empty).get("version").cloned();
    match version {
        Some(version) if version == VERSION.into() => Ok(Some(document)),
        other => {
            let shown = other.map_or_else(|| "none".to_owned(), |other| other.to_compact());
            Err(plan::Refusal::UnsupportedVersion(shown).into())
        }
    }
}
