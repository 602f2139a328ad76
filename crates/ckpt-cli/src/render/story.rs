//! What happened, in words.

use ckpt::document::{Kind, Node};
use ckpt::facts::short_id;
use ckpt::history::{EventName, Line};
use ckpt::key::Key;
use ckpt::plan::UNKNOWN;
use ckpt::voice::quote;

use super::style::{one_line, shortened};

/// The longest text that is quoted.
const LONGEST: usize = 80;

/// What a line says that records a document as found, if there are lines before it.
pub(crate) const CONTINUED: &str = "taken over as it was found; revisions count anew";

/// What a line of a history says: `phase build: complete`.
pub(crate) fn story(line: &Line) -> String {
    let facts = Facts(line);
    let told = line.event_name().and_then(|event| {
        let tellers = [
            of_commands,
            of_tasks,
            of_plans,
            of_pipelines,
            of_gates,
            of_files,
            of_all_kinds,
            of_sessions,
        ];
        tellers.iter().find_map(|tell| tell(event, &facts))
    });
    told.unwrap_or_else(|| others(line))
}

/// What a line says that was taken back.
pub(crate) fn story_undone(line: &Line) -> String {
    let facts = Facts(line);
    match line.event_name() {
        Some(EventName::Undone) if !facts.of("of_session").is_empty() => {
            let session = facts.of("of_session");
            format!(
                "the undo of session {}; what that session did is back",
                short_id(&session)
            )
        }
        Some(EventName::Undone) => format!(
            "the undo of revision {0}; what revision {0} did is back",
            facts.undone()
        ),
        _ => story(line),
    }
}

/// How many tasks of one change are named.
const MOST_NAMED: usize = 3;

/// What the lines of a change say that was taken back: what it did first, and to what else it did the same. What was found
/// before it did anything is told only if there is nothing else.
pub(crate) fn stories_undone(lines: &[Line]) -> String {
    let deeds: Vec<&Line> = lines.iter().filter(|line| is_deed(line)).collect();
    let told = match deeds.is_empty() {
        true => lines.iter().collect(),
        false => deeds,
    };
    let first = told.first().and_then(|line| line.event_name());
    let same = told.into_iter().filter(|line| line.event_name() == first);
    several(same.map(story_undone).collect())
}

/// What the lines of a change say that somebody had written into a file by hand. `None` if they say nothing of it.
pub(crate) fn stories_by_hand(lines: &[Line]) -> Option<String> {
    let follows = |line: &Line| line.event_name() == Some(EventName::PhaseCompleted);
    let by_hand = lines
        .iter()
        .filter(|line| is_by_hand(line) && !follows(line));
    let stories: Vec<String> = by_hand.map(story).collect();
    (!stories.is_empty()).then(|| several(stories))
}

fn several(mut stories: Vec<String>) -> String {
    let others = stories.len().saturating_sub(MOST_NAMED);
    stories.truncate(MOST_NAMED);
    match others {
        0 => stories.join(", "),
        others => format!("{} and {others} more", stories.join(", ")),
    }
}

/// Whether a line tells of what was found in a file, by an author who is not known.
fn is_by_hand(line: &Line) -> bool {
    line.by().as_deref() == Some(UNKNOWN)
}

/// Whether a line tells of what a command did, rather than of what it found.
fn is_deed(line: &Line) -> bool {
    use EventName as E;
    let is_found = matches!(
        line.event_name(),
        Some(E::StateCorrupted | E::FullRecovery | E::ChecksumMismatch | E::StateSynced)
    );
    !is_found && !is_by_hand(line)
}

/// The details of a line.
struct Facts<'l>(&'l Line);

impl Facts<'_> {
    /// A detail on one line; empty if there is none. Of a list, its items.
    fn of(&self, name: &str) -> String {
        let facts = self.0.facts();
        let found = facts.iter().find(|(known, _)| known == name);
        found.map_or_else(String::new, |(_, value)| said(*value))
    }

    /// The name of a checkpoint in a detail, as users write it.
    fn checkpoint(&self, name: &str) -> String {
        let key = self.of(name);
        let kind = key
            .split_once(':')
            .filter(|(kind, _)| Key::KINDS.contains(kind));
        kind.map_or(key.clone(), |(_, name)| name.to_owned())
    }

    /// The revision that was taken back; of another epoch, under its exact name.
    fn undone(&self) -> String {
        match self.0.undone() {
            Some(undone) if undone.epoch != self.0.epoch() => undone.to_string(),
            _ => self.of("undone"),
        }
    }

    /// Words, followed by a detail if there is one.
    fn with(&self, words: &str, name: &str) -> String {
        match self.of(name) {
            empty if empty.is_empty() => words.to_owned(),
            fact => format!("{words}: {}", quote(&fact)),
        }
    }

    /// Words, followed by what it names if there is something.
    fn naming(&self, words: &str, name: &str) -> String {
        match self.of(name) {
            empty if empty.is_empty() => words.to_owned(),
            fact => format!("{words}: {fact}"),
        }
    }
}

fn said(value: Node<'_>) -> String {
    let text = match value.kind() {
        Kind::Array => {
            let items: Vec<String> = value.items().map(said).collect();
            items.join(", ")
        }
        Kind::Object => {
            let members = value.members();
            let members: Vec<String> = members.iter().map(|(_, value)| said(*value)).collect();
            members.join(", ")
        }
        _ => match value.as_str() {
            Some(text) => one_line(&text),
            None => one_line(value.raw()),
        },
    };
    shortened(&text, LONGEST)
}

fn of_commands(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    Some(match event {
        E::PhaseUpdated => {
            let (was, status) = (facts.of("was"), facts.of("status"));
            let change = match (was.is_empty(), status.is_empty()) {
                (true, true) => "changed".to_owned(),
                (true, false) => status,
                (false, true) => was,
                (false, false) => format!("{was} → {status}"),
            };
            let task = match facts.of("task") {
                empty if empty.is_empty() => empty,
                task => format!(" ({task})"),
            };
            format!("phase {}: {change}{task}", facts.of("phase"))
        }
        E::CheckpointStarted | E::CheckpointCreated | E::PipelineInitialized => {
            "started".to_owned()
        }
        E::IssueRecorded => facts.with("issue recorded", "issue"),
        E::CheckpointCompleted | E::PipelineCompleted => "completed".to_owned(),
        E::CheckpointReopened | E::PipelineReopened => "reopened".to_owned(),
        E::CheckpointAbandoned => facts.with("abandoned", "reason"),
        E::CheckpointSaved => "saved as a whole".to_owned(),
        _ => return None,
    })
}

fn of_tasks(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    let (what, name) = match event {
        E::PhaseCompleted => ("phase", "phaseId"),
        E::AcceptanceMet | E::AcceptanceLost => ("criterion", "criteriaId"),
        _ => ("task", "taskId"),
    };
    let change = match event {
        E::TaskCompleted => "done",
        E::TaskReopened => "open again",
        E::TaskAdded => "added",
        E::TaskEdited => "edited",
        E::TaskRemoved | E::TaskVanished => "gone from the plan",
        E::TaskClaimed => "claimed",
        E::TaskReleased => "released",
        E::PhaseCompleted => "every task is done",
        E::AcceptanceMet => "met",
        E::AcceptanceLost => "no longer met",
        _ => return None,
    };
    Some(format!("{what} {}: {change}", facts.of(name)))
}

fn of_plans(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    Some(match event {
        E::DecisionRecorded | E::DecisionNoticed => {
            let reason = match facts.of("reason") {
                empty if empty.is_empty() => empty,
                reason => format!(", because {}", quote(&reason)),
            };
            facts.with("decided", "decision") + &reason
        }
        E::BlockerAdded => facts.with("blocked", "blocker"),
        E::BlockerRemoved => facts.with("no longer blocked", "blocker"),
        E::NoteAdded | E::NotesReplaced => facts.with("noted", "note"),
        E::NotesCleared => "notes cleared".to_owned(),
        E::ClaimsLapsed => facts.naming("claims lapsed", "agents"),
        E::StateSynced => "the state follows the plan".to_owned(),
        E::BackupCreated => "the state was backed up".to_owned(),
        E::StateCorrupted => "the state was unreadable, and restored from its backup".to_owned(),
        E::FullRecovery => "the state was lost, and rebuilt from the plan".to_owned(),
        E::ParseError => facts.with("the plan could not be read", "reason"),
        E::PlanRestored => match facts.of("texts").as_str() {
            "" => "plan.md was lost, and brought back from the history".to_owned(),
            texts => format!("brought back from the history: {texts}"),
        },
        E::LegacyImported => facts.naming("progress was imported", "source"),
        _ => return None,
    })
}

fn of_pipelines(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    let workstream = |words: &str| format!("workstream {}: {words}", facts.of("workstream"));
    Some(match event {
        E::WorkstreamStarted => workstream("started"),
        E::WorkstreamCompleted => workstream("done"),
        E::WorkstreamFailed => facts.with(&workstream("failed"), "message"),
        E::WorkstreamDeferred => facts.with(&workstream("deferred"), "reason"),
        E::WorkstreamAdded => workstream("new in the specification"),
        E::WorkstreamRemoved => workstream("no longer in the specification"),
        E::PipelineSynced => "updated from its specification".to_owned(),
        E::PipelinePaused => "waits for an approval".to_owned(),
        E::PipelineApproved => "approved to go on".to_owned(),
        E::PipelineFailed => facts.with("failed", "message"),
        E::PipelineFixed => "repaired".to_owned(),
        E::PipelineRestarted => facts.naming("interrupted work is pending again", "interrupted"),
        E::PipelineAborted => facts.with("aborted", "message"),
        E::PipelineReviewed => {
            let attempt = match facts.of("attempt") {
                empty if empty.is_empty() => empty,
                attempt => format!(" {attempt}"),
            };
            format!("review{attempt}: {}", facts.of("verdict").replace('_', " "))
        }
        E::PipelineNoted => {
            let lists = ["eslint_fixes", "key_fixes", "cleanup_done"];
            let list = lists.iter().find(|list| !facts.of(list).is_empty());
            facts.with("noted", list.unwrap_or(&""))
        }
        _ => return None,
    })
}

fn of_gates(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    let gate = |words: &str| {
        let of = match facts.of("workstream") {
            empty if empty.is_empty() => empty,
            workstream => format!(" ({workstream})"),
        };
        format!("gate {}{of}: {words}", facts.of("gate"))
    };
    Some(match event {
        E::GateStarted => gate("started"),
        E::GatePassed => gate("passed"),
        E::GateFailed => gate("failed"),
        E::GateInterrupted => gate("interrupted"),
        E::GateSet if facts.of("ship_allowed") == "true" => "shipping approved".to_owned(),
        E::GateSet => facts.with("shipping blocked", "blockers"),
        E::GateOverridden => facts.with("gate overridden", "reason"),
        _ => return None,
    })
}

/// What was found rather than done.
fn of_files(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    Some(match event {
        E::Adopted => "found as it was; its history begins here".to_owned(),
        E::Aborted => format!("revision {} never took effect", facts.of("aborted")),
        E::Rebased => facts.naming("made again on top of somebody's edit", "file"),
        E::ExternalEdit => "edited by another program".to_owned(),
        E::Rewound => "put back to an earlier content by another program".to_owned(),
        E::ChecksumMismatch | E::PlanEdited => "the plan was edited".to_owned(),
        E::CorruptMovedAside => facts.naming("unreadable content was copied aside", "moved_to"),
        _ => return None,
    })
}

fn of_all_kinds(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    Some(match event {
        E::Restored => format!("restored revision {}", facts.of("restored")),
        E::Undone if !facts.of("of_session").is_empty() => {
            let session = facts.of("of_session");
            format!("took all changes of session {} back", short_id(&session))
        }
        E::Undone => format!("took revision {} back", facts.undone()),
        E::Recovered => "brought back after it was missing".to_owned(),
        E::Archived => "archived".to_owned(),
        E::Deleted => "deleted".to_owned(),
        E::Unarchived => "brought back from the archive".to_owned(),
        E::Forked if facts.of("renames") == "true" => {
            format!("renamed from {}", facts.checkpoint("from"))
        }
        E::Forked => match facts.of("from_rev") {
            unknown if unknown.is_empty() => format!("forked from {}", facts.checkpoint("from")),
            revision => {
                let from = facts.checkpoint("from");
                format!("forked from {from} at revision {revision}")
            }
        },
        E::Renamed => format!("renamed to {}", facts.checkpoint("to")),
        E::HazardAcknowledged => {
            let what = format!("acknowledged {}", facts.of("acknowledged"));
            facts.with(&what, "reason")
        }
        _ => return None,
    })
}

fn of_sessions(event: EventName, facts: &Facts<'_>) -> Option<String> {
    use EventName as E;
    let helper = |words: &str| {
        let kind = match facts.of("agentType") {
            empty if empty.is_empty() => facts.of("agentId"),
            kind => kind,
        };
        format!("sub-agent {kind}: {words}")
    };
    Some(match event {
        E::SessionCrash => "a session died".to_owned(),
        E::SessionRecovered => {
            let what = "what a dead session left was taken over";
            match facts.of("tasksRestored").as_str() {
                "" | "0" => what.to_owned(),
                "1" => format!("{what}: 1 task"),
                tasks => format!("{what}: {tasks} tasks"),
            }
        }
        E::SubagentSeen => helper("seen for the first time"),
        E::SubagentStarted => match facts.of("tasks") {
            empty if empty.is_empty() => helper("started"),
            tasks => helper(&format!("started on {tasks}")),
        },
        E::SubagentStopped if facts.of("died") == "true" => helper("died"),
        E::SubagentStopped => helper("stopped"),
        E::HandoffRecorded => {
            let (task, decision) = (facts.of("task"), facts.of("decision"));
            format!("reply on {task}: {decision}")
        }
        E::HandoffAnswered => {
            facts.with(&format!("reply on {} answered", facts.of("task")), "answer")
        }
        _ => return None,
    })
}

/// An event of a newer version or another writer: its name and its details.
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

#[cfg(test)]
mod tests;
