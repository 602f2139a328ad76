//! What happened, in words.

use std::borrow::Cow;

use ckpt::facts::short_id;
use ckpt::history::{EventName, Line};
use ckpt::voice::quote;

use super::style::{one_line, shortened};

/// The longest text that is quoted.
const LONGEST: usize = 80;

/// What a line of a history says: `phase build: complete`.
pub(crate) fn story(line: &Line) -> String {
    use EventName as E;
    let fact = |name: &str| {
        let facts = line.facts();
        let found = facts.iter().find(|(known, _)| known == name);
        let text = found.map(|(_, value)| {
            let text = value.as_str();
            shortened(
                &one_line(&text.unwrap_or(Cow::Borrowed(value.raw()))),
                LONGEST,
            )
        });
        text.unwrap_or_default()
    };
    let Some(event) = line.event_name() else {
        return others(line);
    };
    let with = |words: &str, name: &str| match fact(name) {
        empty if empty.is_empty() => words.to_owned(),
        fact => format!("{words}: {}", quote(&fact)),
    };
    match event {
        E::PhaseUpdated => {
            let (was, status) = (fact("was"), fact("status"));
            let change = match (was.is_empty(), status.is_empty()) {
                (true, _) => status,
                (false, true) => was,
                (false, false) => format!("{was} → {status}"),
            };
            let task = match fact("task") {
                empty if empty.is_empty() => empty,
                task => format!(" ({task})"),
            };
            format!("phase {}: {change}{task}", fact("phase"))
        }
        E::TaskCompleted => format!("task {}: done", fact("taskId")),
        E::TaskReopened => format!("task {}: open again", fact("taskId")),
        E::TaskAdded => format!("task {}: added", fact("taskId")),
        E::TaskEdited => format!("task {}: edited", fact("taskId")),
        E::TaskRemoved | E::TaskVanished => format!("task {}: gone from the plan", fact("taskId")),
        E::TaskClaimed => format!("task {}: claimed", fact("taskId")),
        E::TaskReleased => format!("task {}: released", fact("taskId")),
        E::PhaseCompleted => format!("phase {}: every task is done", fact("phaseId")),
        E::WorkstreamStarted => format!("workstream {}: started", fact("workstream")),
        E::WorkstreamCompleted => format!("workstream {}: done", fact("workstream")),
        E::WorkstreamFailed => format!("workstream {}: failed", fact("workstream")),
        E::WorkstreamDeferred => format!("workstream {}: deferred", fact("workstream")),
        E::GateStarted => format!("gate {}: started", fact("gate")),
        E::GatePassed => format!("gate {}: passed", fact("gate")),
        E::GateFailed => format!("gate {}: failed", fact("gate")),
        E::GateInterrupted => format!("gate {}: interrupted", fact("gate")),
        E::GateSet if fact("ship_allowed") == "true" => "shipping approved".to_owned(),
        E::GateSet => "shipping blocked".to_owned(),
        E::GateOverridden => with("gate overridden", "reason"),
        E::CheckpointStarted | E::CheckpointCreated | E::PipelineInitialized => {
            "started".to_owned()
        }
        E::IssueRecorded => with("issue recorded", "issue"),
        E::CheckpointCompleted | E::PipelineCompleted => "completed".to_owned(),
        E::CheckpointReopened | E::PipelineReopened => "reopened".to_owned(),
        E::CheckpointAbandoned => with("abandoned", "reason"),
        E::CheckpointSaved => "saved as a whole".to_owned(),
        E::DecisionRecorded | E::DecisionNoticed => with("decided", "decision"),
        E::BlockerAdded => with("blocked", "blocker"),
        E::BlockerRemoved => with("no longer blocked", "blocker"),
        E::NoteAdded | E::NotesReplaced => with("noted", "note"),
        E::Restored => format!("restored revision {}", fact("restored")),
        E::Undone if !fact("of_session").is_empty() => {
            format!(
                "took all changes of session {} back",
                short_id(&fact("of_session"))
            )
        }
        E::Undone => format!("took revision {} back", fact("undone")),
        E::Recovered => "brought back after it was missing".to_owned(),
        E::Archived => "archived".to_owned(),
        E::Deleted => "deleted".to_owned(),
        E::Unarchived => "brought back from the archive".to_owned(),
        E::Forked => match fact("from_rev") {
            unknown if unknown.is_empty() => format!("forked from {}", fact("from")),
            revision => format!("forked from {} at revision {revision}", fact("from")),
        },
        E::Renamed => format!("renamed to {}", fact("to")),
        E::Aborted => format!("revision {} never took effect", fact("aborted")),
        E::ExternalEdit => "edited by another program".to_owned(),
        E::ChecksumMismatch => "the plan was edited".to_owned(),
        E::SessionCrash => "a session died".to_owned(),
        _ => others(line),
    }
}

/// An event without words of its own: its name and its details.
fn others(line: &Line) -> String {
    let event = one_line(&line.event().unwrap_or_default());
    let facts = line.facts().into_iter().map(|(name, value)| {
        let text = value
            .as_str()
            .map_or_else(|| value.raw().to_owned(), Into::into);
        format!("{}={}", one_line(&name), shortened(&one_line(&text), 60))
    });
    let facts: Vec<String> = facts.collect();
    format!("{event} {}", facts.join(" ")).trim_end().to_owned()
}
