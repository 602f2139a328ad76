//! The operations on a command checkpoint, as functions from the current tree to the next.

use std::collections::HashSet;

use super::ownership::{check_ownership, foreign_name};
use super::refusal::{Refusal, in_words};
use super::{Checkpoint, Conflict, ISSUE, PhaseStatus, VERSION, default_phases, merge, summaries};
use crate::document::{Kind, Object, Pointer, Value};
use crate::gate::{self, APPROVED_BY, GateName, UNTRACKED};
use crate::history::{Event, EventName};
use crate::issue::IssueId;
use crate::key::{CommandKey, Key, Meaning};
use crate::operation::{Changed, Refusal as Shared, Stamp, Unfinished, reason_given};
use crate::repository::ContentDigest;
use crate::seal::{Domain, Vault};
use crate::standing::Lifecycle;
use crate::tokens::{Counter, Limit};

/// A change of a phase.
#[derive(Debug, Clone, Default)]
pub struct PhaseUpdate {
    /// The new status.
    pub status: Option<PhaseStatus>,
    /// Members to merge into the phase: objects key by key, anything else replaced. A status in here counts if
    /// `status` is not set.
    pub data: Object,
    /// Files to add to `files_created`.
    pub created: Vec<String>,
    /// Files to add to `files_modified`.
    pub modified: Vec<String>,
    /// The current task, for `state.current_task`.
    pub task: Option<String>,
    /// Whether the phase may be a new one.
    pub naming: Naming,
}

/// Whether a name may be that of something new.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Naming {
    /// Any name may.
    #[default]
    Free,
    /// A name that is much like an existing one may not: it is probably a typing error.
    Careful,
}

impl PhaseUpdate {
    /// An update to this status.
    #[must_use]
    pub fn to(status: PhaseStatus) -> Self {
        Self {
            status: Some(status),
            ..Self::default()
        }
    }

    /// Adds a summary of what the next context should know.
    #[must_use]
    pub fn with_summary(mut self, summary: &str) -> Self {
        self.data.set("context_summary", summary);
        self
    }

    /// The status, and all members to merge.
    fn read(&self) -> Result<(Option<PhaseStatus>, Object), Refusal> {
        let Some(status) = self.status else {
            let written = self.data.get("status");
            let status = written.map(|written| {
                let status = written.as_str().and_then(PhaseStatus::parse);
                status.ok_or_else(|| Refusal::UnknownStatus(in_words(Some(written))))
            });
            return Ok((status.transpose()?, self.data.clone()));
        };
        let mut data = Object::new();
        data.set("status", status.as_str());
        let others = self.data.iter().filter(|(name, _)| *name != "status");
        for (name, value) in others {
            data.set(name, value.clone());
        }
        Ok((Some(status), data))
    }
}

/// A new checkpoint.
#[must_use]
pub fn start(
    key: &CommandKey,
    phases: Option<&[String]>,
    issue: Option<&IssueId>,
    stamp: &Stamp,
) -> Changed {
    let mut root = fresh(key, phases, stamp);
    let mut event = Event::new(EventName::CheckpointStarted);
    if let Some(issue) = issue {
        root.set_after("feature", ISSUE, issue.as_str());
        event = event.with(ISSUE, issue.as_str());
    }
    Changed {
        value: Value::Object(root),
        events: vec![event],
    }
}

/// Records the issue that a checkpoint is about. `None` if it is recorded already.
pub fn record_issue(
    present: Option<Value>,
    key: &CommandKey,
    issue: &IssueId,
    stamp: &Stamp,
) -> Result<Option<Changed>, Refusal> {
    let mut root = present_one(present, key)?;
    match Checkpoint::new(root.view()).issue() {
        Some(recorded) if recorded == *issue => return Ok(None),
        Some(recorded) => {
            return Err(Refusal::OtherIssue {
                checkpoint: key.short(),
                recorded,
                asked: issue.clone(),
            });
        }
        None => {}
    }
    root.set_after("feature", ISSUE, issue.as_str());
    restamp(&mut root, stamp);
    let event = Event::new(EventName::IssueRecorded).with(ISSUE, issue.as_str());
    Ok(Some(Changed {
        value: Value::Object(root),
        events: vec![event],
    }))
}

fn fresh(key: &CommandKey, phases: Option<&[String]>, stamp: &Stamp) -> Object {
    let (command, feature) = (key.command(), key.feature());
    let mut pending: Vec<Value> = match phases {
        Some(phases) => phases.iter().map(|phase| phase.as_str().into()).collect(),
        None => default_phases(command)
            .iter()
            .map(|phase| (*phase).into())
            .collect(),
    };
    let mut seen = HashSet::new();
    pending.retain(|phase| seen.insert(phase.as_str().map(str::to_owned)));
    // The lists of the state change their order as work goes on; the records keep that of the start.
    let mut recorded = Object::new();
    for phase in pending.iter().filter_map(Value::as_str) {
        let status = PhaseStatus::Pending.as_str();
        recorded.object_mut(phase).set("status", status);
    }
    let mut state = Object::new();
    state.set("current_phase", Value::Null);
    state.set("completed_phases", Value::Array(Vec::new()));
    state.set("pending_phases", Value::Array(pending));
    let mut root = Object::new();
    root.set("command", command);
    root.set("feature", feature);
    root.set("version", VERSION);
    root.set("head_commit", head(stamp));
    root.set("started_at", stamp.now);
    root.set("updated_at", stamp.now);
    root.set("state", state);
    root.set("phases", recorded);
    root
}

fn head(stamp: &Stamp) -> Value {
    stamp.head.as_ref().map(ToString::to_string).into()
}

/// Merges data into a phase and moves it between the lists of the state. If there is no checkpoint, makes one with this
/// phase alone.
pub fn update_phase(
    present: Option<Value>,
    key: &CommandKey,
    name: &str,
    update: &PhaseUpdate,
    stamp: &Stamp,
    limit: Limit,
) -> Result<Changed, Refusal> {
    if name.trim().is_empty() {
        return Err(Refusal::NamelessPhase);
    }
    let (status, mut data) = update.read()?;
    let mut events = Vec::new();
    let mut root = match present {
        Some(value) => ours(value, key)?,
        None => {
            events.push(Event::new(EventName::CheckpointStarted));
            fresh(key, Some(&[]), stamp)
        }
    };
    if update.naming == Naming::Careful {
        check_name(&root, key, name)?;
    }
    if reopen(&mut root) {
        events.push(Event::new(EventName::CheckpointReopened));
    }
    let known = match limit.counter {
        Counter::WeighedWords => summaries::texts(root.view()),
        _ => HashSet::new(),
    };
    let phases = object_at(&mut root, &[], "phases")?;
    let phase = object_at(phases, &["phases"], name)?;
    let was = phase.get("status").and_then(Value::as_str);
    let was = was.map(str::to_owned);
    let status = match status {
        None if phase.is_empty() => {
            phase.set("status", PhaseStatus::Pending.as_str());
            Some(PhaseStatus::Pending)
        }
        status => status,
    };
    if status.is_some_and(|status| !matches!(status, PhaseStatus::Failed))
        && data.get("error").is_none()
    {
        // The error of an earlier attempt does not describe this one.
        phase.remove("error");
    }
    let starts = matches!(
        status,
        Some(PhaseStatus::InProgress | PhaseStatus::Complete | PhaseStatus::Failed)
    );
    if starts && phase.get("started_at").is_none() {
        phase.set_after("status", "started_at", stamp.now);
    }
    data.remove("updated_at");
    phase.merge(data);
    phase.set_after("started_at", "updated_at", stamp.now);
    add_files(phase, "files_created", &update.created);
    add_files(phase, "files_modified", &update.modified);
    let state = object_at(&mut root, &[], "state")?;
    if let Some(status) = status {
        move_phase(state, name, status);
    }
    if let Some(task) = &update.task {
        state.set("current_task", task.as_str());
    }
    let mut event = Event::new(EventName::PhaseUpdated).with("phase", name);
    if let Some(status) = status {
        if let Some(was) = was.filter(|was| was != status.as_str()) {
            event = event.with("was", was);
        }
        event = event.with("status", status.as_str());
    }
    if let Some(task) = &update.task {
        event = event.with("task", task.as_str());
    }
    events.push(event);
    summaries::check(root.view(), limit, &known)?;
    restamp(&mut root, stamp);
    Ok(Changed {
        value: Value::Object(root),
        events,
    })
}

/// Refuses a new phase whose name is much like that of another.
fn check_name(root: &Object, key: &CommandKey, name: &str) -> Result<(), Refusal> {
    let known = Checkpoint::new(root.view()).phase_names();
    if known.iter().any(|phase| phase == name) {
        return Ok(());
    }
    let known: Vec<(&str, &str)> = known.iter().map(|name| (&**name, &**name)).collect();
    let near = Meaning::near_new(name, &known);
    match near.is_empty() {
        true => Ok(()),
        false => Err(Refusal::NearPhase {
            checkpoint: key.short(),
            name: name.to_owned(),
            near: near.into_iter().map(str::to_owned).collect(),
        }),
    }
}

/// Reopens a finished or abandoned checkpoint that is being worked on again.
fn reopen(root: &mut Object) -> bool {
    if Checkpoint::new(root.view()).lifecycle() == Lifecycle::InFlight {
        return false;
    }
    let was_complete = root.remove("completed_at").is_some();
    for name in ["abandoned_at", "abandon_reason"] {
        root.remove(name);
    }
    if was_complete {
        restore_pending(root);
    }
    true
}

/// Lists the phases as pending that were when the checkpoint was completed.
fn restore_pending(root: &mut Object) {
    let pending = Checkpoint::new(root.view()).phases_with(PhaseStatus::Pending);
    if let Some(Value::Object(state)) = root.get_mut("state")
        && !pending.is_empty()
    {
        let pending: Vec<&str> = pending.iter().map(String::as_str).collect();
        state.set("pending_phases", pending);
    }
}

/// The object under a name, created if missing. Any other value there may be the user's data and is not overwritten.
fn object_at<'o>(
    holder: &'o mut Object,
    path: &[&str],
    name: &str,
) -> Result<&'o mut Object, Refusal> {
    let found = match holder.get(name).map(Value::kind) {
        None | Some(Kind::Null | Kind::Object) => return Ok(holder.object_mut(name)),
        Some(found) => found,
    };
    Err(Refusal::NotMergeable {
        pointer: Pointer::of(path.iter().chain([&name]).copied()),
        found: found.noun(),
    })
}

fn add_files(phase: &mut Object, list: &str, files: &[String]) {
    if files.is_empty() {
        return;
    }
    let mut all = match phase.get(list) {
        Some(Value::Array(present)) => present.clone(),
        _ => Vec::new(),
    };
    for file in files {
        if !all.iter().any(|present| present.as_str() == Some(file)) {
            all.push(file.as_str().into());
        }
    }
    phase.set(list, Value::Array(all));
}

fn move_phase(state: &mut Object, name: &str, status: PhaseStatus) {
    use PhaseStatus::{Complete, Failed, InProgress, Pending};
    let current = state.get("current_phase");
    let is_current = current.is_none_or(|current| current.as_str() == Some(name));
    match status {
        InProgress => {
            if !is_current {
                state.remove("current_task");
            }
            state.set("current_phase", name);
        }
        // It is where the work continues.
        Failed if current.is_none_or(|current| *current == Value::Null) => {
            state.set("current_phase", name);
        }
        Failed => {}
        _ if is_current => {
            state.set("current_phase", Value::Null);
            state.remove("current_task");
        }
        _ => {}
    }
    let mut edit = |list: &str, belongs: bool| {
        let mut names = match state.get(list) {
            Some(Value::Array(names)) => names.clone(),
            _ => Vec::new(),
        };
        let listed = names.iter().any(|listed| listed.as_str() == Some(name));
        if belongs && !listed {
            names.push(name.into());
        } else if !belongs {
            names.retain(|listed| listed.as_str() != Some(name));
        }
        state.set(list, Value::Array(names));
    };
    edit("completed_phases", status == Complete);
    edit("pending_phases", status == Pending);
}

/// Marks a checkpoint as complete. Nothing changes if it already is.
pub fn complete(
    present: Option<Value>,
    key: &CommandKey,
    unfinished: Unfinished,
    stamp: &Stamp,
    limit: Limit,
) -> Result<Option<Changed>, Refusal> {
    let mut root = ours(present.ok_or(Refusal::NothingToComplete)?, key)?;
    let checkpoint = Checkpoint::new(root.view());
    if checkpoint.lifecycle() == Lifecycle::Complete {
        return Ok(None);
    }
    let (open, failed) = checkpoint.unfinished();
    if unfinished == Unfinished::Refuse && !(open.is_empty() && failed.is_empty()) {
        let checkpoint = key.short();
        return Err(Refusal::Unfinished {
            checkpoint,
            open,
            failed,
        });
    }
    reopen(&mut root);
    let state = object_at(&mut root, &[], "state")?;
    state.set("current_phase", Value::Null);
    state.remove("current_task");
    state.set("pending_phases", Value::Array(Vec::new()));
    summaries::check(root.view(), limit, &summaries::texts(root.view()))?;
    restamp(&mut root, stamp);
    root.set_after("updated_at", "completed_at", stamp.now);
    Ok(Some(Changed {
        value: Value::Object(root),
        events: vec![Event::new(EventName::CheckpointCompleted)],
    }))
}

/// Marks a checkpoint as abandoned. Its state is unchanged.
pub fn abandon(
    present: Option<Value>,
    key: &CommandKey,
    reason: &str,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut root = present_one(present, key)?;
    let reason = reason_given(reason)?;
    if Checkpoint::new(root.view()).lifecycle() == Lifecycle::Complete {
        return Err(Shared::AlreadyComplete(key.into()).into());
    }
    restamp(&mut root, stamp);
    root.set_after("updated_at", "abandoned_at", stamp.now);
    root.set_after("abandoned_at", "abandon_reason", reason);
    Ok(Changed {
        value: Value::Object(root),
        events: vec![Event::new(EventName::CheckpointAbandoned).with("reason", reason)],
    })
}

/// Saves a whole document. With a base, changes made by others since are kept.
pub fn save(
    present: Option<Value>,
    key: &CommandKey,
    document: Value,
    base: Option<&Value>,
    stamp: &Stamp,
    limit: Limit,
) -> Result<Changed, Refusal> {
    let mut value = document;
    let given = value.as_object().ok_or(Shared::NotAnObject)?;
    if given.get("version") != Some(&VERSION.into()) {
        return Err(Refusal::CannotSaveVersion(in_words(given.get("version"))));
    }
    let known = present
        .as_ref()
        .map(|present| summaries::texts(present.view()));
    let known = known.unwrap_or_default();
    summaries::check(given.view(), limit, &known)?;
    if let Some(given) = foreign_name(given, key) {
        let asked = key.short();
        return Err(Refusal::Misnamed { given, asked });
    }
    match (present, base) {
        (Some(present), base) => {
            let present = Value::Object(ours(present, key)?);
            if let Some(base) = base {
                value = merge(base, value, &present).map_err(Refusal::Conflict)?;
            }
        }
        // It was deleted after it was loaded.
        (None, Some(_)) => {
            let pointer = Pointer::root();
            return Err(Refusal::Conflict(vec![Conflict { pointer }]));
        }
        (None, None) => {}
    }
    let root = value.as_object_mut().ok_or(Shared::NotAnObject)?;
    summaries::check(root.view(), limit, &known)?;
    restamp(root, stamp);
    Ok(Changed {
        value,
        events: vec![Event::new(EventName::CheckpointSaved)],
    })
}

/// Who approves, and the key to seal the approval with.
#[derive(Debug, Clone, Copy)]
pub struct Signature<'s> {
    /// The vault with the repository's key.
    pub vault: &'s Vault,
    /// `person`, or the name of an agent.
    pub approved_by: &'s str,
}

impl Signature<'_> {
    fn sign(self, domain: Domain, key: &CommandKey, holder: &mut Object) {
        holder.set(APPROVED_BY, self.approved_by);
        let about = Key::from(key).sealed_name();
        let seals = self.vault.seals_for_writing();
        seals.seal(domain, &about, holder);
    }
}

/// The new setting of a gate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GateSetting {
    /// Approve this content.
    Allow(Content),
    /// Block, for these reasons.
    Block(Vec<String>),
}

/// Content that can be approved.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
    /// Its digest.
    pub digest: ContentDigest,
    /// Files in it that git does not track yet.
    pub untracked: Vec<String>,
}

/// Stores the receipt of a gate that is running or has finished.
pub fn set_receipt(
    present: Option<Value>,
    key: &CommandKey,
    (gate, receipt): (&GateName, Object),
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut root = present_one(present, key)?;
    let receipts = object_at(&mut root, &[], "receipts")?;
    let event = gate::keep(receipts, gate, receipt);
    restamp(&mut root, stamp);
    Ok(Changed {
        value: Value::Object(root),
        events: vec![event],
    })
}

/// Sets the gate. An approval is bound to its content and commit.
pub fn set_gate(
    present: Option<Value>,
    key: &CommandKey,
    setting: &GateSetting,
    signature: Signature<'_>,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut root = present_one(present, key)?;
    let (blockers, content) = match setting {
        GateSetting::Allow(_) if stamp.head.is_none() => return Err(Refusal::NoCommit),
        GateSetting::Allow(content) => (Vec::new(), Some(content)),
        GateSetting::Block(reasons) if reasons.is_empty() => {
            return Err(Shared::ReasonNeeded.into());
        }
        GateSetting::Block(reasons) => (reasons.iter().map(String::as_str).collect(), None),
    };
    let gate = object_at(&mut root, &[], "gate")?;
    gate.set("ship_allowed", content.is_some());
    gate.set("blockers", blockers.clone());
    gate.set("head_commit", head(stamp));
    gate.set("content", content.map(|content| content.digest.as_str()));
    let untracked = content.map(|content| content.untracked.as_slice());
    match untracked.unwrap_or_default() {
        [] => drop(gate.remove(UNTRACKED)),
        names => {
            let names: Vec<&str> = names.iter().map(String::as_str).collect();
            gate.set(UNTRACKED, names);
        }
    }
    gate.set("set_at", stamp.now);
    gate.remove("override");
    signature.sign(Domain::Approval, key, gate);
    restamp(&mut root, stamp);
    let event = Event::new(EventName::GateSet).with("ship_allowed", content.is_some());
    Ok(Changed {
        value: Value::Object(root),
        events: vec![event.with("blockers", blockers)],
    })
}

/// Overrides a blocked gate for exactly this content, with a reason that stays visible.
pub fn override_gate(
    present: Option<Value>,
    key: &CommandKey,
    reason: &str,
    by: &str,
    content: &ContentDigest,
    signature: Signature<'_>,
    stamp: &Stamp,
) -> Result<Changed, Refusal> {
    let mut root = present_one(present, key)?;
    let reason = reason_given(reason)?;
    let mut pass = Object::new();
    pass.set("reason", reason);
    pass.set("by", by);
    pass.set("at", stamp.now);
    pass.set("head_commit", head(stamp));
    pass.set("content", content.as_str());
    signature.sign(Domain::Override, key, &mut pass);
    restamp(&mut root, stamp);
    let gate = object_at(&mut root, &[], "gate")?;
    if gate.is_empty() {
        gate.set("ship_allowed", false);
        gate.set("blockers", Value::Array(Vec::new()));
    }
    gate.set("override", pass);
    Ok(Changed {
        value: Value::Object(root),
        events: vec![Event::new(EventName::GateOverridden).with("reason", reason)],
    })
}

fn present_one(present: Option<Value>, key: &CommandKey) -> Result<Object, Refusal> {
    ours(present.ok_or_else(|| Shared::Missing(key.into()))?, key)
}

/// The root of a document that this key may change.
fn ours(value: Value, key: &CommandKey) -> Result<Object, Refusal> {
    check_ownership(&value, key)?;
    match value {
        Value::Object(root) => Ok(root),
        _ => Err(Shared::NotAnObject.into()),
    }
}

fn restamp(root: &mut Object, stamp: &Stamp) {
    if stamp.head.is_some() || root.get("head_commit").is_none() {
        root.set_after("version", "head_commit", head(stamp));
    }
    if root.get("started_at").is_none_or(|at| *at == Value::Null) {
        root.set_after("head_commit", "started_at", stamp.now);
    }
    root.set_after("started_at", "updated_at", stamp.now);
}
