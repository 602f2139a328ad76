//! `ckpt pipeline`

pub(crate) mod gate;
pub(crate) mod graph;
pub(crate) mod next;
pub(crate) mod picture;
pub(crate) mod resume;

use std::path::PathBuf;

use ckpt::key::{Key, PipelineId};
use ckpt::pipeline::{Failure as WentWrong, NoteEntry, Order, ReviewRequest, Verdict};
use ckpt::voice::first_names;
use ckpt::workspace::Outcome;
use ckpt::{Lifecycle, Severity};
use clap::{Args, Subcommand};

use super::validate;
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Follow a build pipeline: its workstreams, its gates, and what can run now.
///
/// A pipeline is made from an EXECUTION-SPEC, and written as its id, such as PRD-003.
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
    /// Make the checkpoint of a specification
    ///
    /// A pipeline that is there already stays as it is.
    #[command(after_help = "Example:\n  ckpt pipeline init docs/EXECUTION-SPEC-PRD-003.md")]
    Init {
        /// The EXECUTION-SPEC
        spec: PathBuf,
    },
    /// Start workstreams
    #[command(after_help = "Example:\n  ckpt pipeline start PRD-003 WS2 WS3")]
    Start {
        /// The pipeline
        id: String,
        /// The workstreams
        #[arg(required = true)]
        workstreams: Vec<String>,
        /// Even when they wait for others
        #[arg(long)]
        anyway: bool,
    },
    /// Complete a workstream
    #[command(after_help = "Example:\n  ckpt pipeline done PRD-003 WS2 --artifact src/index.ts")]
    Done {
        /// The pipeline
        id: String,
        /// The workstream
        workstream: String,
        /// A file that it made; may be repeated
        #[arg(long, value_name = "FILE")]
        artifact: Vec<String>,
    },
    /// Let a workstream fail; what runs beside it is interrupted
    #[command(
        after_help = "Example:\n  ckpt pipeline fail PRD-003 WS3 --message 'No such property' --file src/a.ts --line 45"
    )]
    Fail {
        /// The pipeline
        id: String,
        /// The workstream
        workstream: String,
        /// What went wrong
        #[arg(long)]
        message: String,
        /// In which file
        #[arg(long)]
        file: Option<String>,
        /// On which line
        #[arg(long)]
        line: Option<u64>,
    },
    /// Take up after a failure
    #[command(after_help = "Example:\n  ckpt pipeline fixed PRD-003")]
    Fixed {
        /// The pipeline
        id: String,
    },
    /// Put a workstream off
    #[command(
        after_help = "Example:\n  ckpt pipeline defer PRD-003 WS5 --reason 'needs the new API'"
    )]
    Defer {
        /// The pipeline
        id: String,
        /// The workstream
        workstream: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// Run gates, say of them that they passed or failed, or check them all
    #[command(after_help = "Example:\n  ckpt pipeline gate run PRD-003 type-check --for WS2")]
    Gate(gate::Gate),
    /// Note that somebody let it continue after a gate
    #[command(after_help = "Example:\n  ckpt pipeline approve PRD-003")]
    Approve {
        /// The pipeline
        id: String,
    },
    /// Record the adversarial review
    #[command(
        allow_missing_positional = true,
        after_help = "Example:\n  ckpt pipeline review PRD-003 do_not_ship --p0 2 --p1 3"
    )]
    Review {
        /// The pipeline; the only one in flight when left off
        id: Option<String>,
        /// ship, ship_with_gates, do_not_ship or overridden
        #[arg(value_parser = verdict)]
        verdict: Verdict,
        /// How many findings of the worst kind
        #[arg(long)]
        p0: Option<u64>,
        /// How many findings of the next kind
        #[arg(long)]
        p1: Option<u64>,
        /// Where the findings are
        #[arg(long, value_name = "PATH")]
        findings: Option<String>,
        /// Why it is overridden
        #[arg(long)]
        reason: Option<String>,
    },
    /// Keep something about the run
    #[command(
        after_help = "Example:\n  ckpt pipeline note PRD-003 --key-fix 'src/a.ts: use the DTO'"
    )]
    Note {
        /// The pipeline
        id: String,
        /// A fix that the linter asked for, as FILE: CHANGE
        #[arg(long, value_name = "FILE: CHANGE")]
        eslint_fix: Vec<String>,
        /// A fix that mattered, as FILE: CHANGE
        #[arg(long, value_name = "FILE: CHANGE")]
        key_fix: Vec<String>,
        /// Something that was tidied up
        #[arg(long, value_name = "TEXT")]
        cleanup: Vec<String>,
    },
    /// Show what can start now
    #[command(after_help = "Example:\n  ckpt pipeline next PRD-003 --json")]
    Next {
        /// The pipeline; the only one in flight when left off
        id: Option<String>,
    },
    /// Show phases, workstreams and gates
    #[command(after_help = "Example:\n  ckpt pipeline show PRD-003")]
    Show {
        /// The pipeline; the only one in flight when left off
        id: Option<String>,
    },
    /// Print the graph of the workstreams
    #[command(after_help = "Example:\n  ckpt pipeline graph PRD-003 --mermaid")]
    Graph(graph::Graph),
    /// Take over what changed in the specification
    #[command(after_help = "Example:\n  ckpt pipeline sync PRD-003")]
    Sync {
        /// The pipeline
        id: String,
    },
    /// Say where to go on, after a pause, a failure or a crash
    #[command(after_help = "Example:\n  ckpt pipeline resume PRD-003 --fixed")]
    Resume(resume::Resume),
    /// Finish a pipeline that has nothing left to do
    #[command(after_help = "Example:\n  ckpt pipeline complete PRD-003")]
    Complete {
        /// The pipeline
        id: String,
    },
    /// Take a finished pipeline up again
    #[command(after_help = "Example:\n  ckpt pipeline reopen PRD-003")]
    Reopen {
        /// The pipeline
        id: String,
    },
    /// Give a pipeline up
    #[command(after_help = "Example:\n  ckpt pipeline abort PRD-003 --reason 'superseded'")]
    Abort {
        /// The pipeline
        id: String,
        /// Why
        #[arg(long)]
        reason: String,
    },
    /// Judge a pipeline and its specification
    ///
    /// Exits with 4 when a rule of severity error is broken.
    #[command(after_help = "Example:\n  ckpt pipeline validate PRD-003 --strict")]
    Validate {
        /// The pipeline; all of them when left off
        id: Option<String>,
        /// Take warnings for errors
        #[arg(long)]
        strict: bool,
    },
}

fn verdict(text: &str) -> Result<Verdict, String> {
    let known = Verdict::ALL
        .into_iter()
        .find(|verdict| verdict.as_str() == text);
    known.ok_or_else(|| {
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
                workspace.pipeline(&named(&id)?).start(&workstreams, order)
            }
            Action::Done {
                id,
                workstream,
                artifact,
            } => workspace
                .pipeline(&named(&id)?)
                .done(&workstream, &artifact),
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
                workspace.pipeline(&named(&id)?).fail(&workstream, &failure)
            }
            Action::Fixed { id } => workspace.pipeline(&named(&id)?).fixed(),
            Action::Defer {
                id,
                workstream,
                reason,
            } => workspace.pipeline(&named(&id)?).defer(&workstream, &reason),
            Action::Approve { id } => workspace.pipeline(&named(&id)?).approve(),
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
                workspace
                    .pipeline(&which(session, id.as_deref())?)
                    .review(&request)
            }
            Action::Note {
                id,
                eslint_fix,
                key_fix,
                cleanup,
            } => workspace
                .pipeline(&named(&id)?)
                .note(&notes(&eslint_fix, &key_fix, &cleanup)?),
            Action::Sync { id } => workspace.pipeline(&named(&id)?).sync(),
            Action::Complete { id } => {
                let id = named(&id)?;
                let completed = workspace.pipeline(&id).complete()?;
                if !session.json {
                    ui.text(&format!(
                        "{id} is complete. Next action: update MVP-ROADMAP\n"
                    ))?;
                }
                Ok(completed)
            }
            Action::Reopen { id } => workspace.pipeline(&named(&id)?).reopen(),
            Action::Abort { id, reason } => workspace.pipeline(&named(&id)?).abort(&reason),
        };
        report(ui, session, changed?)?;
        Ok(Exit::Done)
    }
}

/// Reports a change. Warnings are only for `validate`: between the last workstream of a phase and its
/// gate, say, nothing is in progress, which is as it should be.
pub(super) fn report(ui: &mut Ui, session: &Session, mut outcome: Outcome) -> Result<(), Failure> {
    outcome
        .findings
        .retain(|finding| finding.severity == Severity::Error);
    session.report(ui, &outcome)
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
            Failure::new(
                Exit::Usage,
                format!("{text:?} is not of the form \"FILE: CHANGE\""),
            )
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
        return Err(Failure::new(Exit::Usage, "there is nothing to note")
            .with_hint("Use --eslint-fix, --key-fix or --cleanup"));
    }
    Ok(notes)
}

/// The pipeline that was typed, with or without its kind.
pub(super) fn named(typed: &str) -> Result<PipelineId, Failure> {
    let id = typed.strip_prefix("pipeline:").unwrap_or(typed);
    Ok(PipelineId::new(id)?)
}

/// The pipeline that was typed, or the only one in flight. For reading only.
pub(super) fn which(session: &Session, typed: Option<&str>) -> Result<PipelineId, Failure> {
    if let Some(typed) = typed {
        return named(typed);
    }
    let (summaries, _) = session.workspace.list()?;
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
        0 => Err(Failure::new(Exit::NotFound, "no pipeline is in flight")
            .with_hint("Make one with: ckpt pipeline init SPEC")),
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
        ui.text(&format!("initialized {}\n", key.short()))?;
    } else {
        ui.text(&format!("{} is there already\n", key.short()))?;
        let id = named(&key.short())?;
        let view = session.workspace.pipeline(&id).view()?;
        ui.text(&resume::display(&view))?;
    }
    Ok(Exit::Done)
}
