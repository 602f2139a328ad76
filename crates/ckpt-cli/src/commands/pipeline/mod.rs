//! `ckpt pipeline`

pub(crate) mod gate;
pub(crate) mod graph;
pub(crate) mod next;
mod parts;
pub(crate) mod picture;
pub(crate) mod resume;

use std::path::PathBuf;

use ckpt::command::Unfinished;
use ckpt::gate::Proof;
use ckpt::key::{Key, PipelineId};
use ckpt::pipeline::{
    Failure as WentWrong, GateStanding, NoteEntry, Order, ReviewRequest, Verdict,
};
use ckpt::voice::first_names;
use ckpt::workspace::{Depth, Outcome, PipelineCheckpoint, Wording, WorkspaceError};
use ckpt::{Finding, Lifecycle, Severity};
use clap::{Args, Subcommand};

use self::parts::with_workstreams;
use super::in_archive::none_of;
use super::validate;
use crate::completion::Ids;
use crate::failure::{Exit, Failure, reason};
use crate::session::Session;
use crate::ui::Ui;

/// Track a build pipeline: its workstreams, its gates, and what can start now.
///
/// A pipeline is created from an EXECUTION-SPEC and named by its id, such as PRD-003.
#[derive(Debug, Args)]
#[command(
    after_help = "Example:\n  ckpt pipeline init docs/EXECUTION-SPEC-PRD-003.md && ckpt pipeline next PRD-003"
)]
pub(crate) struct Pipeline {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, Subcommand)]
#[command(defer = true)]
enum Action {
    /// Create a pipeline from a specification
    ///
    /// An existing pipeline is left unchanged. The specification is Markdown that begins with YAML:
    #[command(after_help = SPECIFICATION)]
    Init {
        /// Path of the EXECUTION-SPEC
        spec: PathBuf,
    },
    /// Start workstreams
    #[command(after_help = "Example:\n  ckpt pipeline start PRD-003 WS2 WS3")]
    Start {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// The workstreams to start
        #[arg(required = true, add = Ids::WaitingWorkstreams)]
        workstreams: Vec<String>,
        /// Start even if dependencies are not done
        #[arg(long)]
        anyway: bool,
    },
    /// Mark a workstream as done
    #[command(after_help = "Example:\n  ckpt pipeline done PRD-003 WS2 --artifact src/index.ts")]
    Done {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// The workstream
        #[arg(add = Ids::RunningWorkstreams)]
        workstream: String,
        /// File the workstream produced (repeatable)
        #[arg(long, value_name = "FILE")]
        artifact: Vec<String>,
    },
    /// Mark a workstream as failed and interrupt the other running workstreams
    #[command(
        after_help = "Example:\n  ckpt pipeline fail PRD-003 WS3 --message 'No such property' --file src/a.ts --line 45"
    )]
    Fail {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// The workstream
        #[arg(add = Ids::RunningWorkstreams)]
        workstream: String,
        /// What went wrong
        #[arg(long)]
        message: String,
        /// The file with the error
        #[arg(long)]
        file: Option<String>,
        /// The line of the error
        #[arg(long)]
        line: Option<u64>,
    },
    /// Continue after a failure has been fixed
    #[command(after_help = "Example:\n  ckpt pipeline fixed PRD-003")]
    Fixed {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
    },
    /// Defer a workstream
    #[command(
        after_help = "Example:\n  ckpt pipeline defer PRD-003 WS5 --reason 'needs the new API'"
    )]
    Defer {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// The workstream
        #[arg(add = Ids::OpenWorkstreams)]
        workstream: String,
        /// Why it is deferred
        #[arg(long)]
        reason: String,
    },
    /// Run gates, mark them as passed or failed, or check them all
    #[command(after_help = "Example:\n  ckpt pipeline gate run PRD-003 type-check --for WS2")]
    Gate(gate::Gate),
    /// Record the approval to continue after a gate
    #[command(after_help = "Example:\n  ckpt pipeline approve PRD-003")]
    Approve {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
    },
    /// Record the verdict of the adversarial review
    #[command(
        allow_missing_positional = true,
        after_help = "Example:\n  ckpt pipeline review PRD-003 do_not_ship --p0 2 --p1 3"
    )]
    Review {
        /// The pipeline's id; omit if only one is in flight
        #[arg(add = Ids::Pipelines)]
        id: Option<String>,
        /// The verdict: ship, ship_with_gates, do_not_ship or overridden
        #[arg(value_parser = verdict)]
        verdict: Verdict,
        /// Number of P0 findings
        #[arg(long)]
        p0: Option<u64>,
        /// Number of P1 findings
        #[arg(long)]
        p1: Option<u64>,
        /// Path of the findings
        #[arg(long, value_name = "PATH")]
        findings: Option<String>,
        /// Why the review is overridden
        #[arg(long)]
        reason: Option<String>,
    },
    /// Record notes about the run
    #[command(
        after_help = "Example:\n  ckpt pipeline note PRD-003 --key-fix 'src/a.ts: use the DTO'"
    )]
    Note {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// A lint fix, as FILE: CHANGE (repeatable)
        #[arg(long, value_name = "FILE: CHANGE")]
        eslint_fix: Vec<String>,
        /// An important fix, as FILE: CHANGE (repeatable)
        #[arg(long, value_name = "FILE: CHANGE")]
        key_fix: Vec<String>,
        /// Something that was cleaned up (repeatable)
        #[arg(long, value_name = "TEXT")]
        cleanup: Vec<String>,
    },
    /// Show what can start now
    #[command(after_help = "Example:\n  ckpt pipeline next PRD-003 --json")]
    Next {
        /// The pipeline's id; omit if only one is in flight
        #[arg(add = Ids::Pipelines)]
        id: Option<String>,
    },
    /// Show phases, workstreams and gates
    #[command(after_help = "Example:\n  ckpt pipeline show PRD-003")]
    Show {
        /// The pipeline's id; omit if only one is in flight
        #[arg(add = Ids::Pipelines)]
        id: Option<String>,
    },
    /// Print the workstream graph
    #[command(after_help = "Example:\n  ckpt pipeline graph PRD-003 --mermaid")]
    Graph(graph::Graph),
    /// Apply changes made to the specification, or name it
    ///
    /// A pipeline that names no specification uses the only one in docs or .claude that has its id. With SPEC, the
    /// pipeline uses that file from now on.
    #[command(after_help = "Example:\n  ckpt pipeline sync PRD-003")]
    Sync {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// Path of the EXECUTION-SPEC; omit to use the one it already has
        spec: Option<PathBuf>,
    },
    /// Resume after a pause, a failure or a crash
    #[command(after_help = "Example:\n  ckpt pipeline resume PRD-003 --fixed")]
    Resume(resume::Resume),
    /// Complete a pipeline that has nothing left to do
    #[command(after_help = "Example:\n  ckpt pipeline complete PRD-003")]
    Complete {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
    },
    /// Reopen a finished pipeline
    #[command(after_help = "Example:\n  ckpt pipeline reopen PRD-003")]
    Reopen {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
    },
    /// Abort a pipeline
    #[command(after_help = "Example:\n  ckpt pipeline abort PRD-003 --reason 'superseded'")]
    Abort {
        /// The pipeline's id
        #[arg(add = Ids::Pipelines)]
        id: String,
        /// Why it is aborted
        #[arg(long)]
        reason: String,
    },
    /// Validate a pipeline and its specification
    ///
    /// Exits with 4 if there are errors.
    #[command(after_help = "Example:\n  ckpt pipeline validate PRD-003 --strict")]
    Validate {
        /// The pipeline's id; omit to validate all pipelines
        #[arg(add = Ids::Pipelines)]
        id: Option<String>,
        /// Treat warnings as errors
        #[arg(long)]
        strict: bool,
    },
}

/// How a specification is written.
const SPECIFICATION: &str = "\
Example:
  ckpt pipeline init docs/EXECUTION-SPEC-PRD-003.md

A specification:
  ---
  prd: PRD-003
  prd_title: Order history
  workstreams:
    WS1: { name: Data model, gate: tests }
    WS2: { name: API, depends_on: [WS1], gate: tests }
    WS3: { name: Pages, depends_on: [WS1] }
  execution_phases:            # may be left out
    - { name: Data, parallel: [WS1] }
    - { name: The rest, parallel: true, workstreams: [WS2, WS3], gates: [lint] }
  gates:
    tests: { command: npm test, success_criteria: All tests pass }
    lint: { commands: [npm run lint, npm run format] }
  ---";

fn verdict(text: &str) -> Result<Verdict, String> {
    Verdict::read(text).ok_or_else(|| {
        let all: Vec<&str> = Verdict::ALL.into_iter().map(Verdict::as_str).collect();
        format!("one of {}", all.join(", "))
    })
}

impl Pipeline {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let workspace = &session.workspace;
        let changed = match self.action {
            Action::Init { spec } => return init(ui, session, &spec),
            Action::Gate(gate) => return gate.run(ui, session),
            Action::Graph(graph) => return graph.run(ui, session),
            Action::Resume(resume) => return resume.run(ui, session),
            Action::Next { id } => return next::next(ui, session, id.as_deref()),
            Action::Show { id } => {
                return picture::show(ui, session, &which(session, id.as_deref())?);
            }
            Action::Validate { id, strict } => {
                return validate::pipelines(ui, session, id.as_deref(), strict);
            }
            Action::Start {
                id,
                workstreams,
                anyway,
            } => {
                let order = if anyway {
                    Order::Anyway
                } else {
                    Order::AsSpecified
                };
                let id = named(session, &id)?;
                let pipeline = workspace.pipeline(&id);
                with_workstreams(session, &id, workstreams, |names| {
                    pipeline.start(names, order)
                })
            }
            Action::Done {
                id,
                workstream,
                artifact,
            } => {
                let id = named(session, &id)?;
                let pipeline = workspace.pipeline(&id);
                with_workstreams(session, &id, vec![workstream], |names| {
                    pipeline.done(&names[0], &artifact)
                })
            }
            Action::Fail {
                id,
                workstream,
                message,
                file,
                line,
            } => {
                let failure = WentWrong {
                    message,
                    file,
                    line,
                };
                let id = named(session, &id)?;
                let pipeline = workspace.pipeline(&id);
                with_workstreams(session, &id, vec![workstream], |names| {
                    pipeline.fail(&names[0], &failure)
                })
            }
            Action::Fixed { id } => {
                let id = named(session, &id)?;
                Ok(workspace.pipeline(&id).fixed()?)
            }
            Action::Defer {
                id,
                workstream,
                reason,
            } => {
                let id = named(session, &id)?;
                let pipeline = workspace.pipeline(&id);
                with_workstreams(session, &id, vec![workstream], |names| {
                    pipeline.defer(&names[0], &reason)
                })
            }
            Action::Approve { id } => {
                let id = named(session, &id)?;
                Ok(workspace.pipeline(&id).approve()?)
            }
            Action::Review {
                id,
                verdict,
                p0,
                p1,
                findings,
                reason,
            } => {
                let request = ReviewRequest {
                    verdict,
                    p0,
                    p1,
                    findings_path: findings,
                    reason,
                };
                let id = which(session, id.as_deref())?;
                Ok(workspace.pipeline(&id).review(&request)?)
            }
            Action::Note {
                id,
                eslint_fix,
                key_fix,
                cleanup,
            } => {
                let notes = notes(&eslint_fix, &key_fix, &cleanup)?;
                change(session, &id, |pipeline| pipeline.note(&notes))
            }
            Action::Sync { id, spec } => {
                let spec = spec.map(|spec| session.directory.join(spec));
                change(session, &id, |pipeline| pipeline.sync(spec.as_deref()))
            }
            Action::Complete { id } => {
                let id = named(session, &id)?;
                complete(ui, session, &id, Unfinished::Refuse)
            }
            Action::Reopen { id } => {
                let id = named(session, &id)?;
                Ok(workspace.pipeline(&id).reopen()?)
            }
            Action::Abort { id, reason } => {
                change(session, &id, |pipeline| pipeline.abort(&reason))
            }
        };
        report(ui, session, changed?)?;
        Ok(Exit::Done)
    }
}

/// Completes a pipeline, and says what comes next.
pub(super) fn complete(
    ui: &mut Ui,
    session: &Session,
    id: &PipelineId,
    unfinished: Unfinished,
) -> Result<Outcome, Failure> {
    let completed = session.workspace.pipeline(id).complete(unfinished)?;
    note_unproven(ui, session, id)?;
    if !session.json {
        let next = match roadmap(session) {
            Some(file) => format!(" Next action: update MVP-ROADMAP ({file})"),
            None => String::new(),
        };
        ui.text(&format!("{id} is complete.{next}\n"))?;
    }
    Ok(completed)
}

/// Changes the pipeline that is meant.
fn change(
    session: &Session,
    typed: &str,
    change: impl Fn(&PipelineCheckpoint<'_>) -> Result<Outcome, WorkspaceError>,
) -> Result<Outcome, Failure> {
    let id = named(session, typed)?;
    Ok(change(&session.workspace.pipeline(&id))?)
}

/// Says which gates of a completed pipeline have not passed on the present content.
fn note_unproven(ui: &Ui, session: &Session, id: &PipelineId) -> Result<(), Failure> {
    let view = session.workspace.pipeline(id).view()?;
    let gates = session.workspace.known_gates(&view, Depth::Full);
    let named = gates.iter().map(GateStanding::named);
    let unproven = named.filter(|known| known.proof != Proof::Proven);
    let unproven: Vec<String> = unproven
        .map(|known| format!("{} ({})", known.gate, known.proof.as_str()))
        .collect();
    if !unproven.is_empty() {
        let names = first_names(&unproven);
        ui.note(&format!("note: not proven on the present content: {names}"));
    }
    Ok(())
}

/// Reports a change without most warnings, which only `validate` shows: some are normal along the way, such as having no
/// workstream in progress between the last workstream of a phase and its gate.
pub(super) fn report(ui: &mut Ui, session: &Session, mut outcome: Outcome) -> Result<(), Failure> {
    let no_review = |finding: &Finding| finding.rule == "pipeline.no-review";
    if let Some(finding) = outcome.findings.iter().find(|finding| no_review(finding)) {
        ui.note(&format!("warning: {}", finding.message));
    }
    outcome
        .findings
        .retain(|finding| finding.severity == Severity::Error);
    session.report(ui, &outcome)
}

/// The roadmap that a completed pipeline is entered in, if the repository has one.
fn roadmap(session: &Session) -> Option<&'static str> {
    let root = session.workspace.repository().root();
    let files = ["MVP-ROADMAP.md", "docs/MVP-ROADMAP.md", "MVP-ROADMAP"];
    files.into_iter().find(|file| root.join(file).is_file())
}

fn notes(
    eslint_fixes: &[String],
    key_fixes: &[String],
    cleanups: &[String],
) -> Result<Vec<NoteEntry>, Failure> {
    let parts = |text: &String| {
        let split = text.split_once(": ");
        let split = split.map(|(file, what)| (file.trim().to_owned(), what.trim().to_owned()));
        split.ok_or_else(|| {
            let message = format!("{text:?} does not have the form \"FILE: CHANGE\"");
            Failure::new(Exit::Usage, message).with_hint("Write it as: 'src/a.ts: use the DTO'")
        })
    };
    let mut notes = Vec::new();
    for text in eslint_fixes {
        let (file, what) = parts(text)?;
        notes.push(NoteEntry::EslintFix(file, what));
    }
    for text in key_fixes {
        let (file, what) = parts(text)?;
        notes.push(NoteEntry::KeyFix(file, what));
    }
    notes.extend(cleanups.iter().cloned().map(NoteEntry::Cleanup));
    if notes.is_empty() {
        return Err(Failure::new(Exit::Usage, "nothing to note")
            .with_hint("Use --eslint-fix, --key-fix or --cleanup"));
    }
    Ok(notes)
}

/// The pipeline that is meant, with or without the `pipeline:` prefix.
pub(crate) fn named(session: &Session, typed: &str) -> Result<PipelineId, Failure> {
    let id = typed.strip_prefix("pipeline:").unwrap_or(typed);
    Ok(session.workspace.find_pipeline(id)?)
}

/// The named pipeline, or the only one in flight. For reading only.
pub(super) fn which(session: &Session, typed: Option<&str>) -> Result<PipelineId, Failure> {
    if let Some(typed) = typed {
        return named(session, typed);
    }
    let (summaries, problems) = session.workspace.list(Depth::WithoutGit)?;
    let in_flight = summaries
        .into_iter()
        .filter(|summary| summary.lifecycle == Lifecycle::InFlight);
    let mut pipelines: Vec<PipelineId> = in_flight
        .filter_map(|summary| match summary.key {
            Key::Pipeline(id) => Some(id),
            _ => None,
        })
        .collect();
    match pipelines.len() {
        1 => Ok(pipelines.remove(0)),
        0 => Err(match problems.into_iter().next() {
            Some(problem) => Failure::new(Exit::Invalid, reason(problem)),
            None => {
                let is_pipeline = |key: &Key| matches!(key, Key::Pipeline(_));
                let (message, hint) = none_of(
                    session,
                    is_pipeline,
                    "no pipeline is in flight",
                    "ckpt pipeline init SPEC",
                );
                Failure::new(Exit::NotFound, message).with_hint(hint)
            }
        }),
        _ => {
            let names: Vec<String> = pipelines.iter().map(ToString::to_string).collect();
            let names = first_names(&names);
            Err(Failure::new(Exit::Usage, "several pipelines are in flight")
                .with_hint(format!("Name one of: {names}")))
        }
    }
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "PipelineInitialized")
)]
pub(crate) struct InitReport<'o> {
    key: &'o Key,
    created: bool,
    revision: Option<String>,
    findings: &'o [ckpt::Finding],
}

fn init(ui: &mut Ui, session: &Session, spec: &std::path::Path) -> Result<Exit, Failure> {
    let file = session.directory.join(spec);
    let started = session.workspace.init_pipeline(&file)?;
    for finding in started.findings.iter().chain(&started.outcome.findings) {
        ui.note(&finding.to_string());
    }
    let key = &started.outcome.key;
    if session.json {
        ui.json(&InitReport {
            key,
            created: started.created,
            revision: started.outcome.revision.as_ref().map(ToString::to_string),
            findings: &started.findings,
        })?;
    } else if started.created {
        session.note_outside_git(ui);
        ui.text(&format!("initialized {}\n", key.short()))?;
    } else {
        ui.text(&format!("{} already exists\n", key.short()))?;
        let id = named(session, &key.short())?;
        let view = session.workspace.pipeline(&id).view()?;
        ui.text(&view.resume_text(Wording::Plain))?;
        ui.text(&next::halted(&view).unwrap_or_default())?;
    }
    Ok(Exit::Done)
}
