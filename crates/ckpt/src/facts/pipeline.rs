//! What a pipeline says about its work.

use std::borrow::Cow;

use super::Hazard;
use super::agents::{reports_in, stops_in};
use super::work::{
    Blocker, Evidence, GateFact, HeldUp, Item, MOST_LISTED, Remark, State, Trouble, Unit, Work,
};
use crate::document::{Node, Value};
use crate::gate::Proof;
use crate::key::Key;
use crate::pipeline::{
    MAX_REVIEWS, Objection, Pipeline, Readiness, Spec, Status, WorkstreamRecord,
};
use crate::sub_agents;
use crate::voice::{name, quote, suggested};

/// A pipeline and what is known about it.
#[derive(Debug, Clone)]
pub struct PipelineInput<'p> {
    /// Its key.
    pub key: &'p Key,
    /// Its checkpoint.
    pub pipeline: Pipeline<Node<'p>>,
    /// Its specification, if it can be read.
    pub spec: Option<&'p Spec>,
    /// Why the specification cannot be read.
    pub spec_trouble: Option<&'p str>,
    /// Whether the specification changed since it was accepted.
    pub spec_moved: bool,
    /// What its workstreams can do now.
    pub schedule: &'p [(String, Readiness)],
    /// Its gates.
    pub gates: Vec<GateFact>,
    /// Its whole tree, if it has sub-agents.
    pub agents: &'p Value,
    /// The title that each workstream in progress had when it was started, if it has another one now.
    pub renamed: Vec<(String, String)>,
    /// Whether somebody approved it since it was paused.
    pub is_approved: bool,
}

/// Describes a pipeline.
#[must_use]
pub fn work_of_pipeline(input: PipelineInput<'_>) -> Work {
    let pipeline = input.pipeline;
    let id = suggested(&input.key.short());
    let mut records = pipeline.records();
    let failed = pipeline
        .error()
        .filter(|_| pipeline.status() == Status::Failed);
    let failed = failed.and_then(|(workstream, _)| workstream);
    let listed = listed(input.schedule);
    let unlisted = input.schedule.len() - listed.len();
    let items: Vec<Item> = listed
        .into_iter()
        .map(|(name, readiness)| {
            let record = records.remove(name).unwrap_or_default();
            let has_failed = failed.as_deref() == Some(name);
            item(&input, &id, (name, record), (readiness, has_failed))
        })
        .collect();
    let files = items.iter().flat_map(|item| item.files.iter().cloned());
    let mut files: Vec<String> = files.collect();
    files.sort_unstable();
    files.dedup();
    Work {
        key: input.key.clone(),
        title: pipeline.title().map(Cow::into_owned),
        unit: Unit::Workstreams,
        lifecycle: pipeline.lifecycle(),
        progress: pipeline.progress(),
        decided: Vec::new(),
        noted: pipeline
            .notes()
            .into_iter()
            .map(|text| Remark {
                text,
                ..Remark::default()
            })
            .collect(),
        blockers: {
            let review = review_blocker(pipeline, &id);
            let stops = input.agents.as_object().map(sub_agents::stops);
            let stops = stops_in(input.key, &stops.unwrap_or_default(), &items);
            review.into_iter().chain(stops).collect()
        },
        troubles: troubles(&input, &id, &items),
        files,
        abandoned: pipeline.aborted(),
        closing: Some(format!("ckpt pipeline complete {id}")),
        held_up: held_up(&input, &id, &items),
        items,
        unlisted,
        reports: input.agents.as_object().map(reports_in).unwrap_or_default(),
        gates: input.gates,
    }
}

/// The workstreams to tell about: the last ones that are done, the first that are ready and that wait, and all others.
fn listed(schedule: &[(String, Readiness)]) -> Vec<&(String, Readiness)> {
    let is_done = |readiness: &Readiness| *readiness == Readiness::Done;
    let done = schedule.iter().filter(|(_, known)| is_done(known));
    let mut older = done.count().saturating_sub(MOST_LISTED);
    let (mut ready, mut waiting) = (MOST_LISTED, MOST_LISTED);
    let take = |left: &mut usize| {
        let is_left = *left > 0;
        *left = left.saturating_sub(1);
        is_left
    };
    let listed = schedule.iter().filter(|(_, known)| match known {
        Readiness::Done => !take(&mut older),
        Readiness::Ready => take(&mut ready),
        Readiness::WaitsFor(_) => take(&mut waiting),
        Readiness::Running | Readiness::Dormant => true,
    });
    listed.collect()
}

fn item(
    input: &PipelineInput<'_>,
    id: &str,
    (own, recorded): (&str, WorkstreamRecord),
    (readiness, has_failed): (&Readiness, bool),
) -> Item {
    let pipeline = input.pipeline;
    let workstream = input.spec.and_then(|spec| spec.workstream(own));
    let word = suggested(own);
    let state = match readiness {
        Readiness::Done => State::Done,
        _ if has_failed => State::Failed,
        Readiness::Running => State::InProgress,
        Readiness::Ready => State::Open,
        Readiness::WaitsFor(on) => State::Waiting(on.clone()),
        Readiness::Dormant => State::Deferred,
    };
    let failure = pipeline.error().filter(|_| has_failed);
    let failure = failure.map(|(_, message)| match pipeline.error_place() {
        Some(place) => format!("{message} ({place})"),
        None => message.into_owned(),
    });
    Item {
        id: own.to_owned(),
        what: "workstream",
        title: workstream.and_then(|known| known.name.clone()),
        group: None,
        task: None,
        error: failure,
        reason: recorded.reason,
        summary: recorded.summary,
        evidence: Evidence::Reported,
        owner: None,
        done_in: None,
        needs: workstream
            .map(|known| known.depends_on.iter().map(|on| on.name.clone()).collect())
            .unwrap_or_default(),
        start: Some(format!("ckpt pipeline start {id} {word}")),
        record: match state {
            State::Failed => format!("ckpt pipeline fixed {id}"),
            _ => format!("ckpt pipeline done {id} {word}"),
        },
        files: recorded.artifacts,
        state,
    }
}

fn review_blocker(pipeline: Pipeline<Node<'_>>, id: &str) -> Option<Blocker> {
    let review = pipeline.review()?;
    let objection = review.objection()?;
    let place = review.findings_path.as_deref().map(name);
    let place = place.map(|place| format!(" ({place})")).unwrap_or_default();
    let is_last = review.attempt >= MAX_REVIEWS;
    Some(Blocker {
        hazard: Hazard::Blocked,
        text: format!("the review says {objection}{place}"),
        about: Vec::new(),
        action: Some(match is_last {
            _ if !matches!(objection, Objection::Findings(_)) => {
                "Have the review recorded properly: its verdict must be ship, ship_with_gates, do_not_ship, or overridden with a reason.".to_owned()
            }
            true => format!(
                "Ask a person who may override the review, because after {MAX_REVIEWS} of them no further review is accepted. What it found has to be fixed by then. They do so with: ckpt pipeline review {id} overridden --reason REASON"
            ),
            false => "Fix what the review found, and have it reviewed again.".to_owned(),
        }),
        record: (!is_last).then(|| format!("ckpt pipeline review {id} VERDICT")),
    })
}

/// What holds up all workstreams: a pause, a changed specification, or a failure.
fn held_up(input: &PipelineInput<'_>, id: &str, items: &[Item]) -> Option<HeldUp> {
    let status = input.pipeline.status();
    if input.spec_moved {
        return Some(HeldUp {
            action: format!(
                "Update {id} from its changed specification, after looking at what changed"
            ),
            details: match status == Status::Failed {
                true => vec![format!(
                    "The pipeline has failed too. After the update, end that with: ckpt pipeline fixed {id}"
                )],
                false => Vec::new(),
            },
            record: Some(format!("ckpt pipeline sync {id}")),
            reason: "the specification has changed, and the pipeline does not know it yet"
                .to_owned(),
            // What is in progress may not be what was started.
            lets_running_go_on: input.renamed.is_empty(),
        });
    }
    let is_pending = |item: &Item| matches!(item.state, State::Open | State::Waiting(_));
    if let Some(trouble) = input.spec_trouble.filter(|_| items.iter().any(is_pending)) {
        return Some(HeldUp {
            action: format!(
                "Find the specification of {id}, and name it with: ckpt pipeline sync {id} SPEC"
            ),
            details: vec![format!("{}.", quote(trouble))],
            record: None,
            reason: "its specification is not known, so nobody knows what it depends on".to_owned(),
            lets_running_go_on: true,
        });
    }
    if status == Status::Failed {
        let failed = items.iter().any(|item| item.state == State::Failed);
        let (_, message) = input.pipeline.error()?;
        return (!failed).then(|| HeldUp {
            action: format!("Fix the failure of {id}: {}", quote(&message)),
            details: failed_gates(input),
            record: Some(format!("ckpt pipeline fixed {id}")),
            reason: format!("the pipeline failed: {}", quote(&message)),
            lets_running_go_on: false,
        });
    }
    (status == Status::Paused && !input.is_approved).then(|| HeldUp {
        action: format!(
            "Ask whoever approves {id} to let it continue. They do so with: ckpt pipeline approve {id}"
        ),
        details: Vec::new(),
        record: None,
        reason: "the pipeline is paused".to_owned(),
        lets_running_go_on: true,
    })
}

/// What follows once the failure is fixed: no gate runs while a pipeline has failed.
fn failed_gates(input: &PipelineInput<'_>) -> Vec<String> {
    let failed = input
        .gates
        .iter()
        .filter(|gate| gate.proof == Proof::Failed);
    let runs = failed.filter_map(|gate| gate.run.as_deref());
    runs.map(|run| format!("No gate runs before that is recorded. Then run: {run}"))
        .collect()
}

fn troubles(input: &PipelineInput<'_>, id: &str, items: &[Item]) -> Vec<Trouble> {
    let mut troubles = Vec::new();
    if input.spec_moved {
        let path = input.pipeline.spec_path();
        let path = path.map(|path| format!(" {}", name(&path)));
        troubles.push(Trouble {
            hazard: Hazard::SpecChanged,
            ids: Vec::new(),
            text: format!(
                "The specification{} has changed since the pipeline accepted it.",
                path.unwrap_or_default()
            ),
            command: Some(format!("ckpt pipeline sync {id}")),
        });
    }
    for (workstream, before) in &input.renamed {
        let known = input.spec.and_then(|spec| spec.workstream(workstream));
        let now = known.and_then(|known| known.name.as_deref());
        troubles.push(Trouble {
            hazard: Hazard::Renamed,
            ids: vec![workstream.clone()],
            text: format!(
                "{} is in progress and was started as {}; the specification now calls it {}. Find out which of them the work so far belongs to before you record anything as done. If it is the same: ckpt ack {}.",
                name(workstream),
                quote(before),
                now.map_or_else(|| "something else".to_owned(), quote),
                suggested(workstream)
            ),
            command: None,
        });
    }
    if input.pipeline.status() == Status::Paused && !input.is_approved {
        troubles.push(Trouble {
            hazard: Hazard::Paused,
            ids: Vec::new(),
            text: format!("{id} is paused: whoever approves has to let it continue."),
            command: None,
        });
    }
    if input.pipeline.status() == Status::Failed
        && let Some((workstream, message)) = input.pipeline.error()
        && !items.iter().any(|item| item.state == State::Failed)
    {
        let workstream = workstream.filter(|name| !name.is_empty());
        let of = workstream.map(|of| format!(" in {}", name(&of)));
        let place = input.pipeline.error_place();
        let place = place.map(|place| format!(" ({})", name(&place)));
        troubles.push(Trouble {
            hazard: Hazard::Failed,
            ids: Vec::new(),
            text: format!(
                "The pipeline failed{}: {}{}",
                of.unwrap_or_default(),
                quote(&message),
                place.unwrap_or_default()
            ),
            command: Some(format!("ckpt pipeline fixed {id}")),
        });
    }
    troubles
}
