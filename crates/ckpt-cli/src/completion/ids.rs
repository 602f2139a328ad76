//! The ids that an argument can take, and what each of them means.

use std::collections::BTreeMap;
use std::ffi::OsStr;

use ckpt::Lifecycle;
use ckpt::command::{Checkpoint, PhaseStatus};
use ckpt::key::{Key, PipelineId};
use ckpt::pipeline::Readiness;
use ckpt::plan::{Entry, ItemKind};
use ckpt::voice::{flat, path_name, steers};
use ckpt::workspace::{Depth, PipelineView, PlanView, Summary};
use clap::builder::ArgExt;
use clap_complete::engine::{CompletionCandidate, PathCompleter, ValueCompleter};

use super::line::Line;
use crate::commands::{pipeline, plan};
use crate::render::style::shortened;
use crate::services::Services;
use crate::session::Session;
use crate::settings::SETTINGS;
use crate::ui::Ui;

/// Descriptions are cut to this many characters.
const WIDTH: usize = 60;

/// More than anybody would read.
const MOST: usize = 1_000;

/// What an argument takes. Where it depends on other arguments, those come before it on the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ids {
    /// Any checkpoint.
    Keys,
    /// Checkpoints in the archive.
    Archived,
    /// Checkpoints that are missing, or any.
    Lost,
    /// Sessions that changed a checkpoint here.
    Sessions,
    /// Checkpoints of commands.
    CommandKeys,
    /// Any checkpoint, or a file.
    Targets,
    Pipelines,
    Plans,
    /// Phases of the checkpoint `key`.
    Phases,
    /// Phases of the plan.
    PlanPhases,
    OpenTasks,
    DoneTasks,
    /// Open tasks that nobody else has claimed.
    FreeTasks,
    ClaimedTasks,
    OpenCriteria,
    MetCriteria,
    /// Workstreams of the pipeline `id`.
    Workstreams,
    /// Those that have not started.
    WaitingWorkstreams,
    RunningWorkstreams,
    /// Those that are not done.
    OpenWorkstreams,
    /// Gates of the pipeline `id`.
    PipelineGates,
    /// Gates that were run for the checkpoint `key`.
    Gates,
    Settings,
    Followers,
    /// Webhooks and services that integrations.json names.
    Destinations,
}

impl ArgExt for Ids {}

/// An id and its description.
struct Offer {
    id: String,
    about: String,
}

impl Offer {
    fn new(id: impl Into<String>, about: impl Into<String>) -> Self {
        Self {
            id: id.into(),
            about: about.into(),
        }
    }

    /// Whether the id can be typed, and is not taken for an option.
    fn is_usable(&self) -> bool {
        !self.id.is_empty() && !self.id.starts_with(['-', '=']) && !self.id.contains(steers)
    }
}

impl From<Offer> for CompletionCandidate {
    fn from(offer: Offer) -> Self {
        let about = shortened(&flat(&offer.about), WIDTH);
        let about = (!about.is_empty()).then(|| about.into());
        Self::new(offer.id).help(about)
    }
}

impl Ids {
    /// The ids that begin with what was typed, without those that `argument` already has.
    pub(super) fn matching(
        self,
        line: &Line,
        argument: &str,
        typed: &OsStr,
    ) -> Vec<CompletionCandidate> {
        let given = line.values(argument);
        let begins = |id: &str| typed.to_str().is_some_and(|typed| id.starts_with(typed));
        let offers = self.all(line).unwrap_or_default().into_iter();
        let offers = offers.filter(|offer| offer.is_usable() && begins(&offer.id));
        let offers = offers.filter(|offer| !given.contains(&offer.id));
        let offers: Vec<_> = offers.take(MOST).map(CompletionCandidate::from).collect();
        match self == Self::Targets && offers.is_empty() {
            true => files(line).complete(typed),
            false => offers,
        }
    }

    fn all(self, line: &Line) -> Option<Vec<Offer>> {
        if self == Self::Settings {
            let all = SETTINGS.iter();
            return Some(
                all.map(|setting| Offer::new(setting.name, setting.about))
                    .collect(),
            );
        }
        let (ui, session) = line.session()?;
        let plan = || plan_of(line, &ui, &session);
        let pipeline = || pipeline_of(line, &session);
        Some(match self {
            Self::Keys | Self::Targets => keys(&session, |_| true)?,
            Self::Archived => archived(&session),
            Self::Lost => lost(&session).or_else(|| keys(&session, |_| true))?,
            Self::Sessions => sessions(&session)?,
            Self::CommandKeys => keys(&session, |key| matches!(key, Key::Command(_)))?,
            Self::Pipelines => keys(&session, |key| matches!(key, Key::Pipeline(_)))?,
            Self::Plans => keys(&session, |key| matches!(key, Key::Plan(_)))?,
            Self::Phases => phases(line, &session)?,
            Self::PlanPhases => plan_phases(&plan()?),
            Self::OpenTasks => entries(&plan()?, ItemKind::Task, |task| !task.done),
            Self::DoneTasks => entries(&plan()?, ItemKind::Task, |task| task.done),
            Self::FreeTasks => free_tasks(&session, &plan()?),
            Self::ClaimedTasks => {
                let view = plan()?;
                let claims = view.claims(session.now());
                entries(&view, ItemKind::Task, |task| claims.contains_key(&task.id))
            }
            Self::OpenCriteria => entries(&plan()?, ItemKind::Acceptance, |entry| !entry.done),
            Self::MetCriteria => entries(&plan()?, ItemKind::Acceptance, |entry| entry.done),
            Self::Workstreams => workstreams(&pipeline()?, |_| true),
            Self::WaitingWorkstreams => workstreams(&pipeline()?, |readiness| {
                !matches!(readiness, Readiness::Done | Readiness::Running)
            }),
            Self::RunningWorkstreams => {
                workstreams(&pipeline()?, |readiness| *readiness == Readiness::Running)
            }
            Self::OpenWorkstreams => {
                workstreams(&pipeline()?, |readiness| *readiness != Readiness::Done)
            }
            Self::PipelineGates => pipeline_gates(&session, &pipeline()?),
            Self::Gates => gates(line, &session)?,
            Self::Settings => Vec::new(),
            Self::Followers => followers(&session),
            Self::Destinations => destinations(&ui, &session),
        })
    }
}

fn files(line: &Line) -> PathCompleter {
    match line.directory() {
        Some(directory) => PathCompleter::any().current_dir(directory),
        None => PathCompleter::any(),
    }
}

fn followers(session: &Session) -> Vec<Offer> {
    let followers = session.workspace.followers().all();
    let followers = followers.unwrap_or_default().into_iter();
    let place = |file: Option<std::path::PathBuf>| {
        file.map_or_else(|| "in the foreground".to_owned(), |file| path_name(&file))
    };
    followers
        .map(|one| Offer::new(one.name.to_string(), place(one.file)))
        .collect()
}

fn destinations(ui: &Ui, session: &Session) -> Vec<Offer> {
    let Ok(services) = Services::open(session, ui.variables()) else {
        return Vec::new();
    };
    let all = services.integrations.destinations().into_iter();
    all.map(|one| Offer::new(one.name, one.url)).collect()
}

fn archived(session: &Session) -> Vec<Offer> {
    let archived = session.workspace.archived().into_iter();
    archived
        .map(|archived| Offer {
            id: archived.name(),
            about: match archived.is_deleted {
                true => "deleted".to_owned(),
                false => "archived".to_owned(),
            },
        })
        .collect()
}

/// Checkpoints that are missing; `None` if none is.
fn lost(session: &Session) -> Option<Vec<Offer>> {
    let lost = session.workspace.lost().into_iter();
    let lost = lost.chain(session.workspace.lost_with_worktrees());
    let archives = session.workspace.lost_archives().into_iter();
    let archives = archives.chain(session.workspace.archives_of_gone_worktrees());
    let keys = lost.map(|lost| lost.key);
    let keys = keys.chain(archives.map(|lost| lost.archived.key));
    let offers: Vec<Offer> = keys
        .map(|key| Offer {
            id: key.short(),
            about: "missing".to_owned(),
        })
        .collect();
    (!offers.is_empty()).then_some(offers)
}

/// The sessions that changed something, each with the checkpoints that it changed.
fn sessions(session: &Session) -> Option<Vec<Offer>> {
    let (all, _) = session.workspace.list(Depth::WithoutGit).ok()?;
    let mut sessions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for summary in all {
        for id in session.workspace.sessions_in(&summary.key).ok()? {
            sessions.entry(id).or_default().push(summary.key.short());
        }
    }
    let sessions = sessions.into_iter();
    Some(
        sessions
            .map(|(id, keys)| Offer::new(id, keys.join(", ")))
            .collect(),
    )
}

/// Checkpoints, those in flight first.
fn keys(session: &Session, is_wanted: impl Fn(&Key) -> bool) -> Option<Vec<Offer>> {
    let (mut all, _) = session.workspace.list(Depth::WithoutGit).ok()?;
    all.retain(|summary| is_wanted(&summary.key));
    all.sort_by_key(|summary| summary.lifecycle != Lifecycle::InFlight);
    let offers = all.iter();
    Some(
        offers
            .map(|summary| Offer::new(summary.key.short(), about(summary)))
            .collect(),
    )
}

fn about(summary: &Summary) -> String {
    let kind = match summary.key {
        Key::Pipeline(_) => "pipeline, ",
        Key::Plan(_) => "plan, ",
        _ => "",
    };
    let progress = summary.progress;
    let state = match summary.lifecycle {
        Lifecycle::InFlight => format!("{} of {} done", progress.done, progress.total),
        ended => ended.word().to_owned(),
    };
    let phase = summary.current_phase.as_ref();
    let phase = phase.filter(|_| summary.lifecycle == Lifecycle::InFlight);
    let phase = phase.map(|phase| format!(", {phase}"));
    format!("{kind}{state}{}", phase.unwrap_or_default())
}

fn phases(line: &Line, session: &Session) -> Option<Vec<Offer>> {
    let key = session.workspace.find_key(&line.value("key")?).ok()?;
    match &key {
        Key::Command(_) => {
            let loaded = session.workspace.load(&key).ok()??;
            let checkpoint = Checkpoint::new(loaded.document.root());
            let done = checkpoint.completed_phases();
            let about = |name: &str| {
                let recorded = checkpoint
                    .phase(name)
                    .and_then(ckpt::command::Phase::status);
                let listed = done.iter().any(|done| done == name);
                let status = recorded.or(listed.then_some(PhaseStatus::Complete));
                status.unwrap_or(PhaseStatus::Pending).as_str()
            };
            let names = checkpoint.phase_names().into_iter();
            Some(
                names
                    .map(|name| {
                        let about = about(&name);
                        Offer::new(name.into_owned(), about)
                    })
                    .collect(),
            )
        }
        Key::Plan(id) => Some(plan_phases(&session.workspace.plan(id).view().ok()?)),
        _ => None,
    }
}

fn plan_of(line: &Line, ui: &Ui, session: &Session) -> Option<PlanView> {
    let typed = line.value("plan");
    let id = plan::chosen_or_current(ui, session, typed.as_deref()).ok()?;
    session.workspace.plan(&id).view().ok()
}

fn plan_phases(view: &PlanView) -> Vec<Offer> {
    let phases = view.outline.phases.iter();
    let title = |title: &Option<String>| title.clone().unwrap_or_default();
    phases
        .map(|phase| Offer::new(&phase.id, title(&phase.title)))
        .collect()
}

fn entries(view: &PlanView, kind: ItemKind, is_wanted: impl Fn(&Entry) -> bool) -> Vec<Offer> {
    let entries = view.outline.entries(kind).map(|(_, entry)| entry);
    let entries = entries.filter(|entry| is_wanted(entry));
    entries
        .map(|entry| Offer::new(&entry.id, &entry.text))
        .collect()
}

fn free_tasks(session: &Session, view: &PlanView) -> Vec<Offer> {
    let plan = session.workspace.plan(&view.id);
    let claims = plan.elsewhere().joined(view.claims(session.now()));
    let standing = plan.standing(view, &claims);
    let tasks = standing.open_tasks();
    tasks
        .map(|(_, task)| Offer::new(&task.id, &task.text))
        .collect()
}

fn pipeline_of(line: &Line, session: &Session) -> Option<PipelineView> {
    let id: PipelineId = pipeline::named(session, &line.value("id")?).ok()?;
    session.workspace.pipeline(&id).view().ok()
}

fn workstreams(view: &PipelineView, is_wanted: impl Fn(&Readiness) -> bool) -> Vec<Offer> {
    let spec = view.spec.spec();
    let offer = |(name, readiness): (String, Readiness)| {
        let known = spec.and_then(|spec| spec.workstream(&name));
        let title = known.and_then(|known| known.name.as_deref());
        let state = match readiness {
            Readiness::Done => "done".to_owned(),
            Readiness::Running => "running".to_owned(),
            Readiness::Dormant => "deferred".to_owned(),
            Readiness::Ready => "ready".to_owned(),
            Readiness::WaitsFor(others) => format!("waits for {}", others.join(", ")),
        };
        let about = match title {
            Some(title) => format!("{title} ({state})"),
            None => state,
        };
        Offer::new(name, about)
    };
    let schedule = view.schedule().into_iter();
    schedule
        .filter(|(_, readiness)| is_wanted(readiness))
        .map(offer)
        .collect()
}

fn pipeline_gates(session: &Session, view: &PipelineView) -> Vec<Offer> {
    let mut offers: Vec<Offer> = Vec::new();
    for standing in session.workspace.known_gates(view, Depth::WithoutGit) {
        if offers.iter().any(|offer| offer.id == standing.gate) {
            continue;
        }
        let state = standing.proof.as_str();
        let about = match standing.workstreams.is_empty() {
            true => state.to_owned(),
            false => format!("{}: {state}", standing.workstreams.join(", ")),
        };
        offers.push(Offer::new(standing.gate, about));
    }
    offers
}

fn gates(line: &Line, session: &Session) -> Option<Vec<Offer>> {
    let key = session.workspace.find_key(&line.value("key")?).ok()?;
    let (all, _) = session.workspace.list(Depth::WithoutGit).ok()?;
    let summary = all.into_iter().find(|summary| summary.key == key)?;
    let gates = summary.gates.into_iter();
    Some(
        gates
            .map(|known| Offer::new(known.gate, known.proof.as_str()))
            .collect(),
    )
}
