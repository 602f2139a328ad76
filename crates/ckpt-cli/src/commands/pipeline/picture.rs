//! Draws a pipeline as text.

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ckpt::key::PipelineId;
use ckpt::pipeline::{GateStanding, Readiness, Status};
use ckpt::voice::suggested;
use ckpt::workspace::{Depth, PipelineView, SpecState};

use super::gate::standing_line;
use crate::commands::{archive, show};
use crate::failure::{Exit, Failure};
use crate::render::bar::bar;
use crate::render::proof;
use crate::render::style::{ACTIVE, BAD, FAINT, GOOD, STRONG, WARN, one_line, paint};
use crate::session::Session;
use crate::ui::Ui;

/// `ckpt pipeline show`
pub(super) fn show(ui: &mut Ui, session: &Session, id: &PipelineId) -> Result<Exit, Failure> {
    let view = session.workspace.pipeline(id).view()?;
    let session = &*archive::reading(ui, Cow::Borrowed(session), &id.into())?;
    if session.json {
        show::pipeline_report(ui, session, &view)?;
        return Ok(Exit::Done);
    }
    ui.text(&draw(session, &view))?;
    for finding in session.workspace.pipeline(&view.id).findings(&view) {
        ui.note(&finding.to_string());
    }
    Ok(Exit::Done)
}

/// Draws phases, workstreams and gates.
pub(crate) fn draw(session: &Session, view: &PipelineView) -> String {
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
    let title = match &*title {
        title if title.is_empty() || title == view.id.as_str() => String::new(),
        title => format!("  {}", one_line(title)),
    };
    let aborted = pipeline.aborted();
    let word = match &aborted {
        Some(_) => "aborted",
        None => status.as_str(),
    };
    let mut text = format!(
        "{}{title}  {}  {}\n",
        paint(STRONG, one_line(view.id.as_str())),
        bar(done, open),
        paint(style, one_line(word))
    );
    let mut gates = Gates::new(session.workspace.known_gates(view, Depth::Full));
    let by_name: HashMap<&str, &Readiness> = schedule
        .iter()
        .map(|(name, readiness)| (name.as_str(), readiness))
        .collect();
    let mut shown: HashSet<&str> = HashSet::new();
    let phases = view.spec.spec().map(|spec| spec.phases.as_slice());
    for (number, phase) in phases.unwrap_or_default().iter().enumerate() {
        text += &format!(
            "{}\n",
            paint(STRONG, format!("{}. {}", number + 1, one_line(&phase.name)))
        );
        let names = phase.workstreams.iter().map(|known| known.name.as_str());
        for name in names.clone() {
            text += &workstream(view, &by_name, name);
        }
        let names: HashSet<&str> = names.collect();
        shown.extend(&names);
        for standing in gates.take_about(&names) {
            text += &gate_line(&standing);
        }
    }
    let names = schedule.iter().map(|(name, _)| name.as_str());
    for name in names.filter(|name| !shown.contains(name)) {
        text += &workstream(view, &by_name, name);
    }
    for standing in gates.left.iter().flatten() {
        text += &gate_line(standing);
    }
    if let Some(reason) = &aborted {
        text += &format!("{} {}\n", paint(BAD, "aborted:"), one_line(reason));
    } else if let Some((name, message)) = pipeline.error().filter(|_| status == Status::Failed) {
        let name = name.filter(|name| !name.is_empty());
        let name = name.map(|name| format!("{name}: ")).unwrap_or_default();
        let place = pipeline.error_place().map(|place| format!(" ({place})"));
        let words = format!("{name}{message}{}", place.unwrap_or_default());
        text += &format!("{} {}\n", paint(BAD, "failed:"), one_line(words.trim()));
    }
    match &view.spec {
        SpecState::Read { moved: true, .. } => {
            let hint = format!(
                "the specification has changed: ckpt pipeline sync {}",
                suggested(view.id.as_str())
            );
            text += &format!("{}\n", paint(WARN, hint));
        }
        SpecState::Unusable { reason } | SpecState::Unknown { reason } => {
            text += &format!("{}\n", paint(WARN, one_line(reason)));
        }
        SpecState::Read { .. } => {}
    }
    text
}

/// The gates that have not been drawn yet.
struct Gates {
    left: Vec<Option<GateStanding>>,
    /// Their indexes in `left`, by the first workstream they apply to.
    by_first: HashMap<String, Vec<usize>>,
}

impl Gates {
    fn new(all: Vec<GateStanding>) -> Self {
        let mut by_first: HashMap<String, Vec<usize>> = HashMap::new();
        for (number, standing) in all.iter().enumerate() {
            if let Some(first) = standing.workstreams.first() {
                by_first.entry(first.clone()).or_default().push(number);
            }
        }
        Self {
            left: all.into_iter().map(Some).collect(),
            by_first,
        }
    }

    /// Takes the gates that apply to these workstreams only, in order.
    fn take_about(&mut self, names: &HashSet<&str>) -> Vec<GateStanding> {
        let numbers = names.iter().filter_map(|name| self.by_first.get(*name));
        let mut numbers: Vec<usize> = numbers.flatten().copied().collect();
        numbers.sort_unstable();
        let is_about = |standing: &mut GateStanding| {
            let mut about = standing.workstreams.iter();
            about.all(|name| names.contains(name.as_str()))
        };
        let taken = numbers.into_iter();
        taken
            .filter_map(|number| self.left[number].take_if(is_about))
            .collect()
    }
}

fn workstream(view: &PipelineView, schedule: &HashMap<&str, &Readiness>, name: &str) -> String {
    let readiness = schedule.get(name).copied();
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

fn gate_line(standing: &GateStanding) -> String {
    format!(
        "  {} gate {}",
        proof::sign(standing.proof),
        standing_line(standing)
    )
}

fn title(view: &PipelineView, name: &str) -> String {
    let workstream = view.spec.spec().and_then(|spec| spec.workstream(name));
    match workstream.and_then(|known| known.name.as_deref()) {
        Some(title) => format!("{}: {}", one_line(name), one_line(title)),
        None => one_line(name),
    }
}

/// A workstream with its title and executor.
pub(super) fn line(view: &PipelineView, name: &str) -> String {
    let workstream = view.spec.spec().and_then(|spec| spec.workstream(name));
    let executor = workstream.and_then(|known| known.executor.as_deref());
    let executor = executor.map(|executor| format!("  ({})", one_line(executor)));
    format!("{}{}\n", title(view, name), executor.unwrap_or_default())
}
