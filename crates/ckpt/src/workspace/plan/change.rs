//! Running an operation on a plan: its Markdown, its state, its history and its backup.

use std::collections::HashMap;
use std::time::Duration;

use super::super::WorkspaceError;
use super::super::error::Purpose;
use super::run::{
    Credit, Operation, Planned, Run, Texts, last_checkpoint, markdown_names, written,
};
use super::{PlanCheckpoint, PlanOutcome, PlanView, marks};
use crate::document::Value;
use crate::history::{Event, EventName, Forward, Trail};
use crate::layout::{PLAN_FILE, Place};
use crate::plan::{self, Change, Elsewhere, Outline, Present, Source, Unparsable};
use crate::repository::CommitId;
use crate::store::{Action, Author, Edits, Proposal, Repeated, Snapshot, StoreError, Write};

/// How long to wait for an editor that truncates a file before writing it.
const EDITOR_PAUSE: Duration = Duration::from_millis(50);

/// Turns what a change finds into what it writes.
type Planning<'p> = &'p dyn Fn(&Place, &Snapshot) -> Result<Planned, WorkspaceError>;

impl PlanCheckpoint<'_> {
    /// Reads a plan. Changes not yet in the state are computed in memory; nothing is written.
    pub fn view(&self) -> Result<PlanView, WorkspaceError> {
        let mut view = self.recorded()?;
        if view.unparsable == Some(Unparsable::Missing) {
            view.dormant_on = self.other_branch();
            view.is_removed =
                view.dormant_on.is_none() && self.is_removed(&self.place(), PLAN_FILE);
        }
        Ok(view)
    }

    /// The same, without asking git where a plan is that is missing.
    pub(super) fn recorded(&self) -> Result<PlanView, WorkspaceError> {
        let place = self.place();
        self.check_size(&place)?;
        let mut read = self.read(&place);
        if is_unparsable(&read).is_some_and(|why| why.is_empty()) {
            std::thread::sleep(EDITOR_PAUSE);
            read = self.read(&place);
        }
        let read = self.or_unreadable(&place, read);
        if let Some(why) = is_unparsable(&read) {
            return self.view_of_state(&place, why);
        }
        let mut view = read?;
        // Reading neither makes copies nor saves anything.
        if let Some(rebuilt) = &mut view.rebuilt {
            rebuilt.kept.clear();
        }
        if let Some(state) = view.state.as_object_mut() {
            state.set("lastCheckpoint", view.last_checkpoint.clone());
        }
        Ok(view)
    }

    /// Refuses a plan that is larger than the options allow.
    fn check_size(&self, place: &Place) -> Result<(), WorkspaceError> {
        let Some(longest) = self.workspace.options.longest_plan else {
            return Ok(());
        };
        let markdown = place.files[..place.files.len() - 1].iter();
        let sizes = markdown.filter_map(|file| std::fs::symlink_metadata(&file.path).ok());
        match sizes.map(|found| found.len()).sum::<u64>() > longest {
            true => Err(plan::Refusal::TooLarge(self.id.clone()).into()),
            false => Ok(()),
        }
    }

    fn read(&self, place: &Place) -> Result<PlanView, WorkspaceError> {
        let snapshot = self.snapshot(place)?;
        let run = Run::new(*self, place, &snapshot).for_reading();
        let mut planned = run.plan(&nothing)?;
        if planned.changed && planned.view.newer.is_none() {
            planned.view.unrecorded = planned.proposal.events;
        }
        Ok(planned.view)
    }

    pub(super) fn snapshot(&self, place: &Place) -> Result<Snapshot, WorkspaceError> {
        let snapshot = self.workspace.store.snapshot(place);
        snapshot.map_err(|error| Purpose::Load.failed(error))
    }

    /// Treats a plan.md that exists but cannot be read like one that cannot be parsed, if there is a state to use
    /// instead.
    fn or_unreadable<T>(
        &self,
        place: &Place,
        result: Result<T, WorkspaceError>,
    ) -> Result<T, WorkspaceError> {
        let plan = &place.files[0].path;
        match &result {
            Err(WorkspaceError::Store {
                source: StoreError::Io { action, path, .. },
                ..
            }) if *action == Action::Read
                && path.file_name() == plan.file_name()
                && self
                    .workspace
                    .store
                    .read(&place.document().path)
                    .is_ok_and(|state| state.is_some()) =>
            {
                Err(plan::Refusal::Unparsable(Unparsable::Unreadable).into())
            }
            _ => result,
        }
    }

    /// The plan according to its state, used when its Markdown cannot be parsed.
    fn view_of_state(&self, place: &Place, why: Unparsable) -> Result<PlanView, WorkspaceError> {
        let known = self.known(place, &self.state_snapshot(place)?, Purpose::Load)?;
        let mut state = known.state.clone().unwrap_or_default();
        let gone_sessions = self.gone_sessions(&state);
        let outline = Outline::of_state(&state);
        let returned = self.returned(&known, &state, &outline, &[]);
        plan::give_up(&mut state, &returned);
        Ok(PlanView {
            is_removed: false,
            id: self.id.clone(),
            files: markdown_names(place),
            outline,
            last_checkpoint: last_checkpoint(&state),
            state: Value::Object(state),
            moved: true,
            unrecorded: Vec::new(),
            unparsable: Some(why),
            dormant_on: None,
            newer: known.newer,
            rebuilt: known.rebuilt,
            gone_sessions,
            imported: None,
        })
    }

    /// Whether a commit removed a file of the plan: it was committed when somebody last worked on it, and no longer is.
    pub(super) fn is_removed(&self, place: &Place, name: &str) -> bool {
        let repository = self.workspace.repository();
        let Some(head) = self.workspace.head().commit else {
            return false;
        };
        let path = place.files[0].path.with_file_name(name);
        let name = path.strip_prefix(repository.root()).ok();
        let Some(name) = name.and_then(|name| name.to_str()) else {
            return false;
        };
        let has = |commit: &CommitId| {
            let found = repository.contents_at(commit, &[name.to_owned()]);
            found.is_ok_and(|found| found.iter().any(Option::is_some))
        };
        let trace = self.workspace.trace(place).unwrap_or_default();
        let mut known = trace.heads().filter_map(|head| head.parse().ok());
        !has(&head) && known.any(|commit| has(&commit))
    }

    /// The branch that has the plan while the one that is checked out does not.
    pub(in crate::workspace) fn other_branch(&self) -> Option<String> {
        self.other_branch_with(PLAN_FILE)
    }

    /// The branch that has a file of the plan while the one that is checked out does not.
    pub(super) fn other_branch_with(&self, name: &str) -> Option<String> {
        let repository = self.workspace.repository();
        if !repository.is_git() {
            return None;
        }
        let layout = &self.workspace.layout;
        let file = layout.plan_directory(self.id).join(name);
        let name = file.strip_prefix(repository.root()).ok()?.to_str()?;
        repository.branch_with(name).ok()?
    }

    /// The state alone, as the next change would find it.
    fn state_snapshot(&self, place: &Place) -> Result<Snapshot, WorkspaceError> {
        let state_at = place.files.len() - 1;
        let mut alone = place.clone();
        alone.files.drain(..state_at);
        Ok(self.snapshot(&alone)?.behind(state_at))
    }

    /// Creates a plan from Markdown.
    pub fn create(&self, text: &[u8]) -> Result<PlanOutcome, WorkspaceError> {
        self.transact("plan new", Edits::Strangers, &|place, snapshot| {
            if snapshot.contents[0].is_some() {
                return Err(plan::Refusal::Exists(self.id.clone()).into());
            }
            Run::new(*self, place, snapshot)
                .starting_from(Texts::New(text.to_vec()))
                .plan(&marks)
        })
    }

    /// The titles of tasks, as the last readable plan.md in the history had them, before a revision if one is given.
    /// Only lines that carry our seal count.
    pub(super) fn titles_before(
        &self,
        before: Option<u64>,
    ) -> Result<HashMap<String, String>, WorkspaceError> {
        let place = self.place();
        let load = |error: StoreError| Purpose::Load.failed(error);
        let mut titles = HashMap::new();
        let Some(history) = self.workspace.store.history(&place).map_err(load)? else {
            return Ok(titles);
        };
        let sealer = place.sealer(self.workspace.vault().seals());
        let mut trail = Trail::default();
        let mut last = Vec::new();
        let Ok(lines) = Forward::new(&*history) else {
            return Ok(titles);
        };
        for line in lines.map_while(Result::ok) {
            // The outside edit that removed them was recorded just before.
            let is_over = |number: u64| before.is_some_and(|before| number + 1 >= before);
            if line.number().is_some_and(is_over) {
                break;
            }
            let files = line.files().unwrap_or_default();
            let change = files.iter().find(|file| file.name == place.files[0].name);
            if let Some(change) = change.filter(|_| line.is_vouched(sealer)) {
                trail.follow(change);
                let content = trail.content().flatten();
                if let Some(content) = content.filter(|text| !text.trim_ascii().is_empty()) {
                    last = content.to_vec();
                }
            }
        }
        let source = Source {
            name: PLAN_FILE,
            text: &last,
        };
        if let Ok(outline) = Outline::read(&[source]) {
            let tasks = outline.tasks().filter(|(_, task)| !task.text.is_empty());
            titles.extend(tasks.map(|(_, task)| (task.id.clone(), task.text.clone())));
        }
        Ok(titles)
    }

    /// Runs an operation on a plan. Retries once if an editor is in the middle of saving it.
    pub(in crate::workspace) fn change(
        &self,
        doing: &str,
        credit: Credit,
        operation: Operation<'_>,
    ) -> Result<PlanOutcome, WorkspaceError> {
        let edits = match credit {
            Credit::Editor => Edits::Own,
            Credit::Author | Credit::Nobody => Edits::Strangers,
        };
        let attempt = || {
            self.transact(doing, edits, &|place, snapshot| {
                let run = Run::new(*self, place, snapshot).crediting(credit);
                run.plan(operation)
            })
        };
        let mut outcome = attempt();
        if is_unparsable(&outcome).is_some() {
            std::thread::sleep(EDITOR_PAUSE);
            outcome = attempt();
        }
        if outcome.is_err() {
            outcome = self.or_unreadable(&self.place(), outcome);
        }
        if let Some(why) = is_unparsable(&outcome) {
            if why == Unparsable::Missing
                && let Some(branch) = self.other_branch()
            {
                let id = self.id.clone();
                return Err(plan::Refusal::Dormant { id, branch }.into());
            }
            self.record_parse_error(doing, &why)?;
        }
        outcome
    }

    /// Records that the Markdown cannot be parsed, once per occurrence. The state is kept; if its file cannot be read
    /// either, it is restored. A text that is lost is not recorded as an edit: it would be missing from what comes back later.
    fn record_parse_error(&self, doing: &str, why: &Unparsable) -> Result<(), WorkspaceError> {
        let place = self.place();
        let author = self.workspace.author(doing, &self.workspace.head());
        let error = Event::new(EventName::ParseError).with("fallback", "state.json");
        let error = error.with("reason", why.to_string());
        let remark = || {
            let store = &self.workspace.store;
            let remarked = store.remark(&place, &author, &error, Repeated::Once);
            remarked
                .map(drop)
                .map_err(|error| Purpose::Save.failed(error))
        };
        if *why == Unparsable::Unreadable {
            return remark();
        }
        let (_, is_left) =
            self.workspace
                .transact(&place, Purpose::Save, &author, &|snapshot| {
                    let known = self.known(&place, snapshot, Purpose::Save)?;
                    if snapshot.foreign.is_empty() && known.rebuilt.is_none() {
                        return Ok((None, false));
                    }
                    let mut state = known.state.clone().unwrap_or_default();
                    let returned = self.returned(&known, &state, &Outline::of_state(&state), &[]);
                    let released = plan::give_up(&mut state, &returned);
                    let is_changed = known.rebuilt.is_some() || !released.is_empty();
                    if !is_changed && why.is_loss() {
                        return Ok((None, true));
                    }
                    let mut proposal = Proposal {
                        events: vec![error.clone()],
                        writes: Vec::new(),
                        beside: known.aside,
                    };
                    proposal.events.extend(released);
                    if is_changed {
                        proposal.writes.push(Write {
                            file: place.files.len() - 1,
                            content: written(&Value::Object(state))?.into_bytes(),
                            edit: None,
                        });
                    }
                    if let Some(rebuilt) = &known.rebuilt {
                        proposal.events.insert(0, rebuilt.event());
                    }
                    Ok((Some(proposal), false))
                })?;
        match is_left {
            true => remark(),
            false => Ok(()),
        }
    }

    fn transact(
        &self,
        doing: &str,
        edits: Edits,
        plan: Planning<'_>,
    ) -> Result<PlanOutcome, WorkspaceError> {
        self.transact_in(&|| Ok(self.place()), doing, edits, plan)
    }

    pub(super) fn transact_in(
        &self,
        find_place: &dyn Fn() -> Result<Place, WorkspaceError>,
        doing: &str,
        edits: Edits,
        plan: Planning<'_>,
    ) -> Result<PlanOutcome, WorkspaceError> {
        let author = Author {
            edits,
            ..self.workspace.author(doing, &self.workspace.head())
        };
        let mut place = find_place()?;
        let is_there = self.workspace.store.is_there(&place.document().path);
        if !is_there && self.workspace.lost_of(&place)?.is_some() {
            // Its phase files may be missing too, and are part of its place once they are back.
            self.workspace.return_lost(&place, &author)?;
            place = find_place()?;
        }
        self.check_size(&place)?;
        let (committed, (mut view, events)) =
            self.workspace
                .transact(&place, Purpose::Save, &author, &|snapshot| {
                    let planned = plan(&place, snapshot)?;
                    let events = planned.proposal.events.clone();
                    let proposal = planned.changed.then_some(planned.proposal);
                    Ok((proposal, (planned.view, events)))
                })?;
        if committed.is_some() {
            let state = view.state.as_object();
            view.last_checkpoint = state.and_then(last_checkpoint);
            view.moved = false;
        }
        Ok(PlanOutcome {
            revision: committed.map(|committed| committed.revision),
            events,
            view,
            elsewhere: Elsewhere::default(),
            local_only: None,
        })
    }
}

/// The operation that only syncs the state with the Markdown.
pub(super) fn nothing(_: &Present<'_>) -> Result<Change, plan::Refusal> {
    Ok(Change::default())
}

/// Why the Markdown cannot be parsed, if that is the error.
fn is_unparsable<T>(result: &Result<T, WorkspaceError>) -> Option<Unparsable> {
    match result {
        Err(WorkspaceError::Plan(plan::Refusal::Unparsable(why))) => Some(why.clone()),
        _ => None,
    }
}
