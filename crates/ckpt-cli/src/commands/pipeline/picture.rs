//! A pipeline as a picture.

use ckpt::key::PipelineId;
use ckpt::pipeline::{Readiness, Reference, Status};
use ckpt::workspace::{PipelineView, SpecState};

use crate::commands::show;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::render::bar::bar;
use crate::render::style::{ACTIVE, BAD, FAINT, GOOD, STRONG, WARN, one_line, paint};
use crate::session::Session;

/// Shows a pipeline.
pub(super) fn show(session: &Session, id: &PipelineId) -> Result<Exit, Failure> {
    let view = session.workspace.pipeline(id)?;
    if session.json {
        show::pipeline_report(session, &view)?;
        return Ok(Exit::Done);
    }
    output::text(&draw(&view))?;
    for finding in session.workspace.judge_pipeline(&view) {
        output::note(&finding.to_string());
    }
    Ok(Exit::Done)
}

/// The whole picture.
pub(crate) fn draw(view: &PipelineView) -> String {
    let pipeline = view.pipeline();
    let schedule = view.schedule();
    let done = schedule
        .iter()
        .filter(|(_, ready)| *ready == Readiness::Done)
        .count();
    let open = schedule
        .iter()
        .filter(|(_, ready)| *ready != Readiness::Dormant)
        .count();
    let status = pipeline.status();
    let style = match status {
        Status::Complete => GOOD,
        Status::Failed => BAD,
        Status::InProgress => ACTIVE,
        _ => STRONG,
    };
    let title = pipeline.title().unwrap_or_default();
    let mut text = format!(
        "{}  {}  {}  {}\n",
        paint(STRONG, one_line(view.id.as_str())),
        one_line(&title),
        bar(done, open),
        paint(style, one_line(status.as_str()))
    );
    match view.spec.spec() {
        Some(spec) if !spec.phases.is_empty() => {
            let mut placed = Vec::new();
            for (number, phase) in spec.phases.iter().enumerate() {
                text += &format!(
                    "{}\n",
                    paint(STRONG, format!("{}. {}", number + 1, one_line(&phase.name)))
                );
                for reference in &phase.workstreams {
                    text += &workstream(view, &schedule, &reference.name);
                    placed.push(reference.name.clone());
                }
                for gate in &phase.gates {
                    text += &gate_line(&pipeline.gates_passed(), gate, &phase.workstreams);
                }
            }
            let rest = schedule.iter().filter(|(name, _)| !placed.contains(name));
            for (name, _) in rest {
                text += &workstream(view, &schedule, name);
            }
        }
        _ => {
            for (name, _) in &schedule {
                text += &workstream(view, &schedule, name);
            }
            for gate in pipeline.gates_passed() {
                text += &format!("  {} gate {}\n", paint(GOOD, "✓"), one_line(&gate));
            }
            for gate in pipeline.gates_pending() {
                text += &format!("  {} gate {}\n", paint(FAINT, "·"), one_line(&gate));
            }
        }
    }
    if let Some((name, message)) = pipeline.error().filter(|_| status == Status::Failed) {
        let name = name.unwrap_or_default();
        let place = pipeline.error_place().map(|place| format!(" ({place})"));
        let words = format!("{name} {message}{}", place.unwrap_or_default());
        text += &format!("{} {}\n", paint(BAD, "failed:"), one_line(words.trim()));
    }
    match &view.spec {
        SpecState::Read { moved: true, .. } => {
            let hint = format!(
                "the specification has changed: ckpt pipeline sync {}",
                view.id
            );
            text += &format!("{}\n", paint(WARN, hint));
        }
        SpecState::Unusable { reason } => text += &format!("{}\n", paint(WARN, one_line(reason))),
        SpecState::Read { .. } | SpecState::Unknown => {}
    }
    text
}

fn workstream(view: &PipelineView, schedule: &[(String, Readiness)], name: &str) -> String {
    let readiness = schedule.iter().find(|(known, _)| known == name);
    let readiness = readiness.map(|(_, readiness)| readiness);
    let title = title(view, name);
    let (mark, words) = match readiness {
        Some(Readiness::Done) => (paint(GOOD, "✓"), String::new()),
        Some(Readiness::Running) => (paint(ACTIVE, "▶"), paint(ACTIVE, "  running")),
        Some(Readiness::Ready) => (paint(WARN, "○"), paint(WARN, "  ready")),
        Some(Readiness::Dormant) => (paint(FAINT, "-"), paint(FAINT, "  deferred")),
        Some(Readiness::WaitsFor(waits)) => {
            let words = format!("  waits for {}", one_line(&waits.join(", ")));
            (paint(FAINT, "·"), paint(FAINT, words))
        }
        None => (paint(BAD, "?"), paint(BAD, "  unknown")),
    };
    format!("  {mark} {title}{words}\n")
}

fn gate_line(passed: &[String], gate: &Reference, workstreams: &[Reference]) -> String {
    let of_phase = |entry: &&String| {
        let rest = entry.strip_prefix(gate.name.as_str());
        rest.is_some_and(|rest| {
            rest.is_empty()
                || workstreams
                    .iter()
                    .any(|known| rest == format!(" ({})", known.name))
        })
    };
    let passed: Vec<&str> = passed.iter().filter(of_phase).map(String::as_str).collect();
    match passed.is_empty() {
        true => format!("  {} gate {}\n", paint(FAINT, "·"), one_line(&gate.name)),
        false => format!(
            "  {} gate {}\n",
            paint(GOOD, "✓"),
            one_line(&passed.join(", "))
        ),
    }
}

fn title(view: &PipelineView, name: &str) -> String {
    let workstream = view.spec.spec().and_then(|spec| spec.workstream(name));
    match workstream.and_then(|known| known.name.as_deref()) {
        Some(title) => format!("{}: {}", one_line(name), one_line(title)),
        None => one_line(name),
    }
}

/// A workstream with its name and who does it.
pub(super) fn line(view: &PipelineView, name: &str) -> String {
    let workstream = view.spec.spec().and_then(|spec| spec.workstream(name));
    let executor = workstream.and_then(|known| known.executor.as_deref());
    let executor = executor.map(|executor| format!("  ({})", one_line(executor)));
    format!("{}{}\n", title(view, name), executor.unwrap_or_default())
}
