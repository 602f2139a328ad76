//! The operations on a plan: minimal edits of its Markdown, and what its state records besides.

use std::collections::HashMap;

use super::agents::claims;
use super::elsewhere::Elsewhere;
use super::notes;
use super::outline::{Entry, Outline, Source};
use super::refusal::Refusal;
use super::scan::{ItemKind, NoteKind};
use super::state::decision;
use super::tasks::check_conflicts;
use crate::document::{Edit, Object, Splice, Value};
use crate::gate::{self, GateName};
use crate::history::{Event, EventName};
use crate::sub_agents;
use crate::time::Timestamp;

/// The input of an operation.
#[derive(Debug, Clone, Copy)]
pub struct Present<'p> {
    /// The plan's Markdown files.
    pub sources: &'p [Source<'p>],
    /// Their outline.
    pub outline: &'p Outline,
    /// The current state; empty if there is none yet.
    pub state: &'p Object,
    /// The current time.
    pub now: Timestamp,
    /// The author.
    pub by: &'p str,
    /// The id of the sub-agent that is the author, if known.
    pub agent: Option<&'p str>,
    /// The author's session, if known.
    pub session: Option<&'p str>,
    /// Sessions that are known to be gone.
    pub gone: &'p [String],
}

impl<'p> Present<'p> {
    /// The author's name in the state.
    #[must_use]
    pub fn name(&self) -> &'p str {
        self.agent.unwrap_or(self.by)
    }
}

/// The result of an operation.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Change {
    /// The edits of the Markdown files, by position of the source.
    pub edits: Vec<(usize, Edit)>,
    /// The new state of what does not follow from the Markdown; `None` if that is unchanged.
    pub state: Option<Object>,
    /// The events, except those that follow from the Markdown.
    pub events: Vec<Event>,
    /// Why to back up the state first.
    pub backup: Option<Reason>,
    /// Whether to record it even if nothing changes.
    pub recording: Recording,
}

/// Whether to record an operation that changes nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Recording {
    /// Only operations that change something are recorded.
    #[default]
    Changes,
    /// The events are always recorded.
    Always,
}

/// Why a backup is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    /// Every fifth checkpoint.
    Periodic,
    /// A sub-agent takes on tasks.
    SubagentSpawn,
    /// The state is about to be replaced.
    Restore,
    /// Tasks that were done are about to become undone.
    Regress,
    /// The user has sent five prompts.
    Prompts,
    /// The conversation is about to be compacted.
    Compaction,
    /// The session ends.
    SessionEnd,
}

impl Reason {
    /// How it is written.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Periodic => "periodic",
            Self::SubagentSpawn => "pre_subagent_spawn",
            Self::Restore => "pre_restore",
            Self::Regress => "pre_regress",
            Self::Prompts => "prompts",
            Self::Compaction => "pre_compact",
            Self::SessionEnd => "session_end",
        }
    }
}

/// The text of a new plan that has only a title.
pub fn titled(title: &str) -> Result<String, Refusal> {
    Ok(format!("# {}\n", notes::one_line("a title", title)?))
}

/// Whether a box is ticked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tick {
    /// `[x]`
    Done,
    /// `[ ]`
    Open,
}

/// What to do about tasks that somebody else has claimed.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Claimed<'e> {
    /// Leave the claims alone.
    #[default]
    Ignore,
    /// Refuse the change, also because of claims in other worktrees.
    Refuse(&'e Elsewhere),
}

/// Refuses tasks that a live other has claimed.
fn check_claims(
    present: &Present<'_>,
    tasks: &[String],
    elsewhere: &Elsewhere,
) -> Result<(), Refusal> {
    let claims = elsewhere.joined(claims(present.state, present.now, present.gone));
    for task in tasks {
        let held = claims.get(task).filter(|held| held.live);
        let held = held.filter(|held| !held.is_of(present.by, present.session));
        if let Some(held) = held {
            return Err(Refusal::ClaimedByOther {
                task: task.clone(),
                holder: held.holder(),
            });
        }
    }
    Ok(())
}

/// Ticks or unticks boxes. Each edit changes one character; boxes already in that state are left alone.
pub fn tick(
    present: &Present<'_>,
    kind: ItemKind,
    ids: &[String],
    to: Tick,
    claimed: Claimed<'_>,
) -> Result<Change, Refusal> {
    let Present {
        sources, outline, ..
    } = present;
    check_conflicts(present)?;
    if let Claimed::Refuse(elsewhere) = claimed {
        check_claims(present, ids, elsewhere)?;
    }
    let mut ids: Vec<&String> = ids.iter().collect();
    ids.sort_unstable();
    ids.dedup();
    let entries: HashMap<&str, &Entry> = outline.entries(kind).collect();
    let mut boxes = Vec::with_capacity(ids.len());
    for id in ids {
        let entry = entries.get(id.as_str()).ok_or_else(|| Refusal::Unknown {
            kind,
            id: id.clone(),
        })?;
        boxes.push((*entry, to));
    }
    Ok(Change {
        edits: marked(sources, boxes),
        ..Change::default()
    })
}

/// The edits that tick and untick these boxes. Each changes one character; boxes already in that state are left alone.
pub(super) fn marked<'e>(
    sources: &[Source<'_>],
    boxes: impl IntoIterator<Item = (&'e Entry, Tick)>,
) -> Vec<(usize, Edit)> {
    let mut splices: Vec<Vec<Splice>> = vec![Vec::new(); sources.len()];
    for (entry, to) in boxes {
        if entry.done != (to == Tick::Done) {
            splices[entry.source].push(mark(sources[entry.source].text, entry, to));
        }
    }
    for splices in &mut splices {
        splices.sort_by_key(|splice| splice.offset);
    }
    let edits = splices.into_iter().enumerate();
    let edits = edits.filter(|(_, splices)| !splices.is_empty());
    edits
        .map(|(source, splices)| (source, Edit::new(splices)))
        .collect()
}

fn mark(text: &[u8], entry: &Entry, to: Tick) -> Splice {
    // The mark is one character, which may take several bytes.
    let width = memchr::memchr(b']', &text[entry.mark..]).unwrap_or(1);
    Splice {
        offset: entry.mark,
        old: text[entry.mark..entry.mark + width].to_vec(),
        new: match to {
            Tick::Done => b"x".to_vec(),
            Tick::Open => b" ".to_vec(),
        },
    }
}

/// What a decision or blocker concerns.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Concern {
    /// The current work.
    Current,
    /// This phase.
    Phase(String),
}

/// A decision.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Decision {
    /// What was decided.
    pub text: String,
    /// Why.
    pub reason: Option<String>,
    /// What it concerns.
    pub concern: Concern,
}

/// Records a decision in the plan and in its state. A decision already in the plan is not added to it again.
pub fn decide(present: &Present<'_>, decided: &Decision) -> Result<Change, Refusal> {
    let text = notes::one_line("a decision", &decided.text)?;
    let reason = decided.reason.as_deref().map(str::trim);
    let reason = reason.filter(|reason| !reason.is_empty());
    let mut change = Change::default();
    if !present.outline.decisions.contains(&text) {
        let edit = notes::insert(present, NoteKind::Decision, &text, &decided.concern)?;
        change.edits.push(edit);
    }
    let mut entry = Object::new();
    entry.set("time", present.now);
    entry.set("decision", text.as_str());
    if let Some(reason) = reason {
        entry.set("reason", reason);
    }
    entry.set("by", present.by);
    let known = present.state.get("decisions").and_then(Value::as_array);
    let mut decisions = known.unwrap_or_default().to_vec();
    let same = |known: &Value| decision(known) == Some(text.as_str());
    match decisions.iter_mut().find(|known| same(known)) {
        Some(known) => {
            let recorded = known.as_object().and_then(|known| known.get("reason"));
            let changed = reason.is_some() && recorded.and_then(Value::as_str) != reason;
            if !changed && change.edits.is_empty() {
                return Ok(change);
            }
            *known = Value::Object(entry);
        }
        None => decisions.push(Value::Object(entry)),
    }
    let mut state = present.state.clone();
    state.set("decisions", Value::Array(decisions));
    let mut event = Event::new(EventName::DecisionRecorded).with("decision", text.as_str());
    if let Some(reason) = reason {
        event = event.with("reason", reason);
    }
    change.events.push(event);
    change.state = Some(state);
    Ok(change)
}

/// Adds a blocker, unless it is already there.
pub fn block(present: &Present<'_>, text: &str, concern: &Concern) -> Result<Change, Refusal> {
    let text = notes::one_line("a blocker", text)?;
    let mut change = Change::default();
    if !present.outline.blockers.contains(&text) {
        let edit = notes::insert(present, NoteKind::Blocker, &text, concern)?;
        change.edits.push(edit);
    }
    Ok(change)
}

/// Removes the blocker with this text, or else the only one that contains it.
pub fn unblock(present: &Present<'_>, text: &str) -> Result<Change, Refusal> {
    let wanted = text.trim();
    let blockers = &present.outline.blockers;
    let exactly = blockers.iter().find(|blocker| *blocker == wanted);
    let lower = wanted.to_lowercase();
    let containing = |blocker: &&String| blocker.to_lowercase().contains(&lower);
    let mut matching: Vec<&String> = match exactly {
        Some(blocker) => vec![blocker],
        None => blockers.iter().filter(containing).collect(),
    };
    matching.dedup();
    if matching.is_empty()
        && let Some(change) = answer_stop(present, wanted)
    {
        return Ok(change);
    }
    let [blocker] = matching.as_slice() else {
        return Err(match matching.is_empty() {
            true => Refusal::UnknownBlocker {
                text: wanted.to_owned(),
                present: blockers.clone(),
            },
            false => Refusal::AmbiguousBlocker {
                text: wanted.to_owned(),
                matching: matching.into_iter().cloned().collect(),
            },
        });
    };
    Ok(Change {
        edits: notes::remove(present.sources, NoteKind::Blocker, blocker)?,
        ..Change::default()
    })
}

/// Answers the reply of a sub-agent that says not to proceed, found by its task or by its text.
fn answer_stop(present: &Present<'_>, wanted: &str) -> Option<Change> {
    let stops = sub_agents::stops(present.state);
    let lower = wanted.to_lowercase();
    let is_meant =
        |stop: &&sub_agents::Stop| stop.task == wanted || stop.text.to_lowercase().contains(&lower);
    let stop = stops.iter().find(is_meant)?;
    let mut state = present.state.clone();
    sub_agents::answer(&mut state, &stop.task, None, present.now)?;
    let event = Event::new(EventName::BlockerRemoved)
        .with(
            "blocker",
            format!("{} {}: {}", stop.task, stop.decision, stop.text),
        )
        .with("taskId", stop.task.as_str());
    Some(Change {
        state: Some(state),
        events: vec![event],
        ..Change::default()
    })
}

/// A change of the session notes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NoteChange {
    /// Add a line.
    Add(String),
    /// Replace everything with this text.
    Replace(String),
    /// Replace the line about the last session.
    Session(String),
    /// Remove them.
    Clear,
}

/// The beginning of the line that hooks write.
const SESSION_NOTE: &str = "Last session: ";

/// Changes the session notes.
pub fn note(present: &Present<'_>, change: &NoteChange) -> Result<Change, Refusal> {
    let before = present.state.get("sessionNotes").and_then(Value::as_str);
    let before = before.unwrap_or_default();
    let (event, after) = match change {
        NoteChange::Add(text) => {
            let text = usable(text)?;
            let separator = if before.is_empty() { "" } else { "\n" };
            let event = Event::new(EventName::NoteAdded).with("note", text);
            (event, format!("{before}{separator}{text}"))
        }
        NoteChange::Replace(text) => {
            let text = usable(text)?;
            let event = Event::new(EventName::NotesReplaced).with("note", text);
            (event, text.to_owned())
        }
        NoteChange::Session(text) => {
            let line = format!("{SESSION_NOTE}{}", usable(text)?.replace(['\n', '\r'], " "));
            let others = before
                .lines()
                .filter(|line| !line.starts_with(SESSION_NOTE));
            let lines: Vec<&str> = others.chain([line.as_str()]).collect();
            let event = Event::new(EventName::NotesReplaced).with("note", lines.join("\n"));
            (event, lines.join("\n"))
        }
        NoteChange::Clear => (Event::new(EventName::NotesCleared), String::new()),
    };
    if after == before {
        return Ok(Change::default());
    }
    let mut state = present.state.clone();
    state.set(
        "sessionNotes",
        Some(after).filter(|after| !after.is_empty()),
    );
    Ok(Change {
        state: Some(state),
        events: vec![event],
        ..Change::default()
    })
}

/// Stores the receipt of a gate that is running or has finished.
#[must_use]
pub fn set_receipt(present: &Present<'_>, gate: &GateName, receipt: Object) -> Change {
    let mut state = present.state.clone();
    let event = gate::keep(state.object_mut("receipts"), gate, receipt);
    Change {
        state: Some(state),
        events: vec![event],
        ..Change::default()
    }
}

fn usable(text: &str) -> Result<&str, Refusal> {
    let text = text.trim();
    match text.is_empty() {
        true => Err(Refusal::EmptyNote),
        false => Ok(text),
    }
}

#[cfg(test)]
mod tests;
