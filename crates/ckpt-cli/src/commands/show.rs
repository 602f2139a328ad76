//! `ckpt show`

use std::borrow::Cow;
use std::collections::{HashMap, HashSet};

use ckpt::Lifecycle;
use ckpt::command::{Checkpoint, Phase, PhaseStatus};
use ckpt::document::{Document, Node, Value};
use ckpt::gate::{Flaw, GateProof, Override, Verdict};
use ckpt::history::Revision;
use ckpt::key::{Key, PlanId};
use ckpt::layout::PLAN_STATE_FILE;
use ckpt::pipeline::GateStanding;
use ckpt::plan::{Outline, claims};
use ckpt::voice::{escaped_json, suggested};
use ckpt::workspace::{Depth, DocumentKind, Loaded, PipelineView, PlanVersion, PlanView};
use clap::Args;
use serde_json::value::RawValue;

use super::archive::{self, InArchive};
use super::gone::{self, Deleted};
use super::pipeline::picture;
use super::plan::tree;
use super::point::Point;
use super::target::{Found, Target, way_to};
use crate::completion::Ids;
use crate::failure::{Exit, Failure};
use crate::render::age::age;
use crate::render::proof;
use crate::render::style::{ACTIVE, BAD, FAINT, GOOD, STRONG, WARN, one_line, paint, shortened};
use crate::render::verdict;
use crate::session::Session;
use crate::ui::Ui;
use crate::ui::pager::Paging;

/// Summaries are cut to this many characters; `--raw` and `--json` print them in full.
const SUMMARY_WIDTH: usize = 100;

/// Show one checkpoint, or any checkpoint file.
///
/// With --at, a checkpoint as it was then; a plan as its Markdown and its state were. One that was deleted or renamed is shown
/// as it was, and a note says so, as of one that is archived.
#[derive(Debug, Args)]
#[command(
    after_help = "Marks: ✓ done, ▶ in progress, ✗ failed, - skipped, · open\n\nExample:\n  ckpt show implement/auth\n  ckpt show 260220-1149-login --at 2 --raw --file plan.md"
)]
pub(crate) struct Show {
    /// A checkpoint or a file; omit if only one checkpoint is in flight
    #[arg(add = Ids::Targets)]
    target: Option<String>,
    /// Show it as it was: at a revision (7) or a time (@2h, 2026-01-29T10:30:00Z)
    #[arg(long, value_name = "REVISION")]
    at: Option<String>,
    /// Print the document byte for byte; of a plan, state.json
    #[arg(long, conflicts_with = "json")]
    raw: bool,
    /// With --raw, print this file of a plan: plan.md, phase-01-setup.md, state.json
    #[arg(long, value_name = "NAME", requires = "raw")]
    file: Option<String>,
    #[command(flatten)]
    paging: Paging,
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Shown"))]
pub(crate) struct Report<'t> {
    key: Option<&'t ckpt::key::Key>,
    /// Its file, or the archive that it is in.
    path: &'t std::path::Path,
    /// Set if it was deleted. This is what it was then.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted: Option<&'t Deleted>,
    /// Set if it is archived.
    #[serde(skip_serializing_if = "Option::is_none")]
    archived: Option<&'t InArchive>,
    revision: Option<String>,
    stale: Option<ckpt::command::Staleness>,
    gates: Vec<GateProof>,
    #[serde(skip_serializing_if = "Option::is_none")]
    ship: Option<Verdict>,
    findings: Vec<ckpt::Finding>,
    document: &'t RawValue,
}

impl Show {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        ui.page_long_text(session.workspace.repository(), self.paging);
        if let Some(at) = &self.at {
            let point = Point::read(at, session.now())?;
            let read = |there: &Session, key: &Key| {
                Ok((point.version(ui, there, key)?, point.exact(there, key)?))
            };
            let (session, key, (version, at)) = match &self.target {
                Some(typed) => gone::reading(ui, session, (typed, "show"), read)?,
                None => {
                    let key = session.key_for_reading(None)?;
                    let version = read(session, &key)?;
                    (Cow::Borrowed(session), key, version)
                }
            };
            let session = &*archive::reading(ui, session, &key)?;
            if let (Key::Plan(id), Some(plan)) = (&key, &version.plan) {
                self.past_plan(ui, session, (id, plan), at.as_ref())?;
                return Ok(Exit::Done);
            }
            self.check_file(&key.short())?;
            let found = Found {
                path: session.workspace.path(&key),
                key: Some(key),
                document: version.document,
            };
            self.document(ui, session, &found, at.as_ref())?;
            return Ok(Exit::Done);
        }
        let (session, target) = match &self.target {
            Some(typed) => Target::find(ui, session, typed)?,
            None => {
                let key = session.key_for_reading(None)?;
                (Cow::Borrowed(session), Target::require(session, &key)?)
            }
        };
        let session = match target.key() {
            Some(key) => archive::reading(ui, session, &key)?,
            None => session,
        };
        let session = &*session;
        if !matches!(target, Target::Plan(_)) {
            self.check_file(&target.name())?;
        }
        match &target {
            Target::Document(found) => self.document(ui, session, found, None)?,
            Target::Pipeline(view) if session.json => pipeline_report(ui, session, view)?,
            Target::Pipeline(view) if self.raw => as_it_is(ui, session, &view.loaded.document)?,
            Target::Pipeline(view) => ui.text(&picture::draw(session, view))?,
            Target::Plan(view) => self.plan(ui, session, view)?,
            Target::Markdown { outline, path } => {
                if self.raw || session.json {
                    let message = format!(
                        "{} is Markdown, which has no raw or JSON form",
                        target.name()
                    );
                    return Err(Failure::new(Exit::Usage, message)
                        .with_hint("Show it without --raw and --json"));
                }
                let name = path.display().to_string();
                ui.text(&tree::page(&name, outline, &HashMap::new()))?;
            }
        }
        if !self.raw && !session.json {
            for finding in target.findings(session)? {
                ui.note(&finding.to_string());
            }
        }
        Ok(Exit::Done)
    }

    /// Shows a document, or what it was at a revision.
    fn document(
        &self,
        ui: &mut Ui,
        session: &Session,
        found: &Found,
        at: Option<&Revision>,
    ) -> Result<(), Failure> {
        if self.raw {
            return as_it_is(ui, session, &found.document);
        }
        let root = found.document.root();
        let plan = match DocumentKind::of(root) {
            DocumentKind::Command if Checkpoint::is_one(root) => None,
            DocumentKind::Command | DocumentKind::Integrations => {
                let message = format!("{} is JSON, but not a checkpoint", found.name());
                return Err(Failure::new(Exit::Invalid, message)
                    .with_hint("See what is wrong with: ckpt validate FILE"));
            }
            DocumentKind::Pipeline if session.json => return report(ui, session, found, at),
            DocumentKind::Pipeline => {
                let view = match &found.key {
                    Some(Key::Pipeline(id)) => {
                        let pipeline = session.workspace.pipeline(id);
                        pipeline.view_of(found.document.clone())
                    }
                    _ => PipelineView::of_file(&found.path, &found.document),
                };
                return ui.text(&picture::draw(session, &view));
            }
            DocumentKind::PlanState => Some(root.value()),
            DocumentKind::PlanBackup => root.get("state").map(Node::value),
        };
        if session.json {
            return report(ui, session, found, at);
        }
        match plan.as_ref().and_then(Value::as_object) {
            Some(state) => ui.text(&tree::page(
                &found.name(),
                &Outline::of_state(state),
                &claims(state, session.now(), &[]),
            )),
            None if self.at.is_some() => ui.text(&draw_past(session, found, Checkpoint::new(root))),
            None => ui.text(&draw(session, found, Checkpoint::new(root))),
        }
    }

    /// Refuses a file of something that is only one.
    fn check_file(&self, name: &str) -> Result<(), Failure> {
        match &self.file {
            None => Ok(()),
            Some(_) => Err(
                Failure::new(Exit::Usage, format!("{name} has only one file"))
                    .with_hint("Print it with --raw alone; --file is for plans"),
            ),
        }
    }

    /// A plan as it was. What was proven then says nothing about now.
    fn past_plan(
        &self,
        ui: &mut Ui,
        session: &Session,
        (id, version): (&PlanId, &PlanVersion),
        at: Option<&Revision>,
    ) -> Result<(), Failure> {
        if self.raw {
            let hint = "Print its Markdown with: --raw --file plan.md";
            return self.raw_plan(ui, session, (id, version), hint);
        }
        let view = session.workspace.plan(id).view_of(version)?;
        if !session.json {
            let saved = age(view.last_checkpoint.as_deref(), session.now());
            let saved = paint(FAINT, format!("as it was {saved}"));
            return ui.text(&format!("{saved}\n{}", tree::past(&view, session.now())));
        }
        let document = match &version.state {
            Some(state) => state.clone(),
            None => Document::from_value(&view.state)
                .map_err(|error| Failure::new(Exit::Invalid, error.to_string()))?,
        };
        let key = Key::from(id);
        let found = Found {
            path: session.workspace.path(&key),
            key: Some(key),
            document,
        };
        report(ui, session, &found, at)
    }

    /// Prints one file of a plan byte for byte.
    fn raw_plan(
        &self,
        ui: &mut Ui,
        session: &Session,
        (id, version): (&PlanId, &PlanVersion),
        without_state: &str,
    ) -> Result<(), Failure> {
        let name = self.file.as_deref().unwrap_or(PLAN_STATE_FILE);
        if name == PLAN_STATE_FILE {
            let state = version.state.as_ref().ok_or_else(|| {
                let message = format!("{id} has no {PLAN_STATE_FILE} there");
                Failure::new(Exit::NotFound, message).with_hint(without_state)
            })?;
            return as_it_is(ui, session, state);
        }
        let Some((_, text)) = version.texts.iter().find(|(known, _)| known == name) else {
            let known = version.texts.iter().map(|(known, _)| one_line(known));
            let known: Vec<String> = known.chain([PLAN_STATE_FILE.to_owned()]).collect();
            let message = format!("{id} has no file {} there", one_line(name));
            return Err(Failure::new(Exit::NotFound, message)
                .with_hint(format!("Its files: {}", known.join(", "))));
        };
        match std::str::from_utf8(text) {
            Ok(text) => ui.content(text),
            Err(_) if ui.is_shown() => ui.content(&String::from_utf8_lossy(text)),
            Err(_) => ui.raw(text),
        }
    }

    fn plan(&self, ui: &mut Ui, session: &Session, view: &PlanView) -> Result<(), Failure> {
        if !self.raw && !session.json {
            return tree::show(ui, session, view).map(|_| ());
        }
        let key = Key::from(&view.id);
        if self.raw {
            let version = session.workspace.plan(&view.id).version()?;
            let create = format!(
                "Create it with: ckpt plan sync --plan {}",
                suggested(view.id.as_str())
            );
            let create = way_to(session, &key, &create);
            return self.raw_plan(ui, session, (&view.id, &version), &create);
        }
        let loaded = session.workspace.load(&key).ok().flatten();
        let revision = match &loaded {
            Some(loaded) => session.workspace.revision(loaded)?,
            None => None,
        };
        let state = tree::raw(&view.state)?;
        let gates = session.workspace.plan(&view.id).proofs(view, Depth::Full);
        ui.json(&Report {
            key: Some(&key),
            path: session.file(&session.workspace.path(&key)),
            deleted: session.deleted.as_ref(),
            archived: session.archived.as_ref(),
            revision: revision.map(|revision| revision.to_string()),
            stale: None,
            gates,
            ship: None,
            findings: session.workspace.plan(&view.id).findings(view)?,
            document: &state,
        })
    }
}

/// Prints a pipeline as JSON.
pub(crate) fn pipeline_report(
    ui: &mut Ui,
    session: &Session,
    view: &PipelineView,
) -> Result<(), Failure> {
    let loaded = &view.loaded;
    let text = loaded.document.text().trim_start_matches('\u{feff}');
    let document: &RawValue = serde_json::from_str(text)
        .map_err(|error| Failure::new(Exit::Invalid, format!("{}: {error}", view.id)))?;
    let revision = session.workspace.revision(loaded)?;
    let gates = session.workspace.known_gates(view, Depth::Full);
    ui.json(&Report {
        key: Some(&loaded.key),
        path: session.file(&loaded.path),
        deleted: session.deleted.as_ref(),
        archived: session.archived.as_ref(),
        revision: revision.map(|revision| revision.to_string()),
        stale: None,
        gates: gates.iter().map(GateStanding::named).collect(),
        ship: None,
        findings: session.workspace.pipeline(&view.id).findings(view),
        document,
    })
}

/// Prints a document byte for byte; with `--json`, control characters are escaped.
fn as_it_is(ui: &mut Ui, session: &Session, document: &Document) -> Result<(), Failure> {
    match session.json {
        true => ui.raw(escaped_json(document.text().to_owned()).as_bytes()),
        false => ui.content(document.text()),
    }
}

fn report(
    ui: &mut Ui,
    session: &Session,
    target: &Found,
    at: Option<&Revision>,
) -> Result<(), Failure> {
    let revision = match &target.key {
        _ if at.is_some() => at.cloned(),
        Some(key) => session.workspace.revision(&Loaded {
            key: key.clone(),
            path: target.path.clone(),
            document: target.document.clone(),
        })?,
        None => None,
    };
    let text = target.document.text().trim_start_matches('\u{feff}');
    let document: &RawValue = serde_json::from_str(text)
        .map_err(|error| Failure::new(Exit::Invalid, format!("{}: {error}", target.name())))?;
    let checkpoint = Checkpoint::new(target.document.root());
    let judged = session
        .workspace
        .judged(target.document.root(), target.key.as_ref(), Depth::Full);
    let (gates, ship) = judged;
    ui.json(&Report {
        key: target.key.as_ref(),
        path: session.file(&target.path),
        deleted: session.deleted.as_ref(),
        archived: session.archived.as_ref(),
        revision: revision.map(|revision| revision.to_string()),
        stale: checkpoint.staleness(&session.workspace.head()),
        gates,
        ship,
        findings: session.workspace.judge(&target.document),
        document,
    })
}

fn draw(session: &Session, target: &Found, checkpoint: Checkpoint<Node<'_>>) -> String {
    let judged = session
        .workspace
        .judged(target.document.root(), target.key.as_ref(), Depth::Full);
    let (gates, ship) = judged;
    let progress = checkpoint.progress();
    let state = match checkpoint.lifecycle() {
        Lifecycle::InFlight => paint(ACTIVE, "in flight"),
        Lifecycle::Complete => paint(GOOD, "complete"),
        Lifecycle::Abandoned => {
            let reason = checkpoint.abandon_reason().unwrap_or_default();
            paint(FAINT, format!("abandoned: {}", one_line(&reason)))
        }
    };
    let updated = checkpoint.updated_at();
    let mut text = format!(
        "{}  {state}  {}/{} phases  saved {}\n",
        paint(STRONG, one_line(&target.name())),
        progress.done,
        progress.total,
        age(updated.as_deref(), session.now()),
    );
    if let Some(issue) = checkpoint.issue() {
        text += &format!("issue {issue}\n");
    }
    if let Some(stale) = checkpoint.staleness(&session.workspace.head()) {
        text += &format!("{}\n", paint(WARN, stale.message()));
    }
    text += &phases(checkpoint);
    if let Some(ship) = &ship {
        text += &gate_line(ship);
        text += &void_override(session, target).unwrap_or_default();
    }
    for known in &gates {
        text += &format!("{} gate {}\n", proof::sign(known.proof), proof::line(known));
    }
    text
}

/// A checkpoint as it was. What was proven or approved then says nothing about now.
fn draw_past(session: &Session, target: &Found, checkpoint: Checkpoint<Node<'_>>) -> String {
    let progress = checkpoint.progress();
    let updated = checkpoint.updated_at();
    format!(
        "{}  as it was {}  {}/{} phases\n{}",
        paint(STRONG, one_line(&target.name())),
        age(updated.as_deref(), session.now()),
        progress.done,
        progress.total,
        phases(checkpoint)
    )
}

/// A line for each phase.
fn phases(checkpoint: Checkpoint<Node<'_>>) -> String {
    let done: HashSet<String> = checkpoint
        .completed_phases()
        .into_iter()
        .map(Cow::into_owned)
        .collect();
    let known: HashMap<String, Phase<Node<'_>>> = checkpoint
        .phases()
        .into_iter()
        .map(|(name, phase)| (name.into_owned(), phase))
        .collect();
    let names = checkpoint.phase_names();
    let lines = names.iter().map(|name| {
        let phase = known.get(&**name).copied();
        phase_line(checkpoint, name, phase, done.contains(&**name))
    });
    lines.collect()
}

/// An override that does not count. It stays visible.
fn void_override(session: &Session, target: &Found) -> Option<String> {
    let gate = target.document.root().get("gate")?;
    let about = target.key.as_ref()?.sealed_name();
    let pass = Override::read(gate, None, session.workspace.trust(&about))?;
    let flaw = pass.flaw.filter(|flaw| *flaw != Flaw::OtherContent)?;
    Some(format!("gate: {}\n", verdict::void(&pass, flaw)))
}

/// Whether the checkpoint may ship, and why not.
fn gate_line(ship: &Verdict) -> String {
    let mut line = format!("gate: {}", verdict::state(ship));
    let reasons = verdict::reasons(ship);
    if !reasons.is_empty() {
        line += &format!(": {}", one_line(&reasons.join("; ")));
    }
    line + "\n"
}

fn phase_line(
    checkpoint: Checkpoint<Node<'_>>,
    name: &str,
    phase: Option<Phase<Node<'_>>>,
    listed_done: bool,
) -> String {
    let status = phase.and_then(Phase::status);
    let status = status.or(listed_done.then_some(PhaseStatus::Complete));
    let (style, mark) = match status {
        Some(PhaseStatus::Complete) => (GOOD, "✓"),
        Some(PhaseStatus::InProgress) => (ACTIVE, "▶"),
        Some(PhaseStatus::Failed) => (BAD, "✗"),
        Some(PhaseStatus::Skipped) => (FAINT, "-"),
        Some(PhaseStatus::Pending) | None => (FAINT, "·"),
    };
    let mut line = format!("  {} {}", paint(style, mark), one_line(name));
    let task = checkpoint.current_task();
    if let (Some(PhaseStatus::InProgress), Some(task)) = (status, task) {
        line += &format!(" ({})", one_line(&task));
    }
    let note = phase.and_then(|phase| match status {
        Some(PhaseStatus::Failed) => phase.error(),
        _ => phase.summary(),
    });
    if let Some(note) = note {
        line += &format!(
            "  {}",
            paint(FAINT, shortened(&one_line(&note), SUMMARY_WIDTH))
        );
    }
    line + "\n"
}
