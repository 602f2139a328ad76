//! The cases: what is compared with what, and the bound of each comparison.

use std::fs;
use std::path::{Path, PathBuf};

use self::Prepare::By;
use crate::bound::Bound;
use crate::comparison::Comparison;
use crate::failure::{Doing, Result};
use crate::floor::Floors;
use crate::follower_cases;
use crate::growth_cases;
use crate::history_cases;
use crate::hook_cases;
use crate::limit_cases::{LIMITS, Limit, ROUNDS};
use crate::mcp_cases;
use crate::measure::{Invocation, Launcher, RUN};
use crate::node_cases;
use crate::plan_cases;
use crate::population::{CHECKPOINTS, populate};
use crate::report::{Outcome, Row};
use crate::repository::KEY;
use crate::scratch::Scratch;
use crate::token_cases;
use crate::tree_cases;

const SHORT_HISTORY: usize = 10;
const LONG_HISTORY: usize = 1_000_000;

/// One comparison.
#[derive(Clone, Copy)]
pub(crate) struct Case {
    pub(crate) name: &'static str,
    against: &'static str,
    bound: Bound,
    rounds: u32,
    /// `None` skips the case in a quick run.
    quick_rounds: Option<u32>,
    prepare: Prepare,
}

/// How a case is set up.
#[derive(Clone, Copy)]
enum Prepare {
    By(fn(&Stage) -> Result<Prepared>),
    Limit(&'static Limit),
}

/// Every case, in the order in which they run.
pub(crate) fn cases() -> impl Iterator<Item = Case> {
    CASES.into_iter().chain(LIMITS.iter().map(Case::of_limit))
}

/// All cases except those of [`LIMITS`].
const CASES: [Case; 40] = [
    Case {
        name: "startup",
        against: "empty dynamic main",
        bound: Bound::NONE,
        rounds: 300,
        quick_rounds: Some(60),
        prepare: By(startup),
    },
    Case {
        name: "phase",
        against: "phase_floor",
        bound: Bound::both(2.0).mebibytes(8),
        rounds: 200,
        quick_rounds: Some(50),
        prepare: By(phase),
    },
    Case {
        name: "show",
        against: "empty dynamic main",
        bound: Bound::both(1.5).mebibytes(8),
        rounds: 300,
        quick_rounds: Some(60),
        prepare: By(|stage| read(stage, "show")),
    },
    Case {
        name: "resume",
        against: "brief_floor",
        bound: Bound::both(1.5).mebibytes(8),
        rounds: 300,
        quick_rounds: Some(60),
        prepare: By(resume),
    },
    Case {
        name: "list",
        against: "list_floor",
        bound: Bound::cpu(2.0),
        rounds: 30,
        quick_rounds: Some(8),
        prepare: By(list),
    },
    Case {
        name: "append",
        against: "10 lines of history",
        bound: Bound::both(1.3),
        rounds: 100,
        quick_rounds: None,
        prepare: By(append),
    },
    Case {
        name: "scan",
        against: "regular expressions in Node",
        bound: Bound::wall(1.0 / 10.0),
        rounds: 9,
        quick_rounds: Some(3),
        prepare: By(plan_cases::scan_in_node),
    },
    Case {
        name: "scan-growth",
        against: "a tenth of the plan",
        bound: Bound::wall(13.0).bytes(plan_cases::SCAN_MEMORY),
        rounds: 30,
        quick_rounds: Some(8),
        prepare: By(plan_cases::scan_growth),
    },
    Case {
        name: "plan-done",
        against: "plan_floor",
        bound: Bound::both(2.0),
        rounds: 200,
        quick_rounds: Some(50),
        prepare: By(plan_cases::plan_done),
    },
    Case {
        name: "plan-growth",
        against: "a tenth of the plan",
        bound: Bound::both(13.0),
        rounds: 20,
        quick_rounds: Some(6),
        prepare: By(plan_cases::plan_growth),
    },
    Case {
        name: "growth-phases",
        against: "a tenth of the phases",
        bound: Bound::both(13.0),
        rounds: 40,
        quick_rounds: Some(10),
        prepare: By(growth_cases::phases),
    },
    Case {
        name: "many-phases",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(25.0),
        rounds: 40,
        quick_rounds: Some(10),
        prepare: By(growth_cases::many_phases),
    },
    Case {
        name: "growth-tasks",
        against: "a tenth of the tasks",
        bound: Bound::both(13.0),
        rounds: 40,
        quick_rounds: Some(10),
        prepare: By(growth_cases::tasks),
    },
    Case {
        name: "growth-workstreams",
        against: "a tenth of the workstreams",
        bound: Bound::both(13.0),
        rounds: 40,
        quick_rounds: Some(10),
        prepare: By(growth_cases::workstreams),
    },
    Case {
        name: "digest",
        against: "git status",
        bound: Bound::wall(2.0),
        rounds: 20,
        quick_rounds: Some(5),
        prepare: By(tree_cases::digest),
    },
    Case {
        name: "pipeline-growth",
        against: "a tenth of the pipeline",
        bound: Bound::both(13.0),
        rounds: 50,
        quick_rounds: Some(10),
        prepare: By(tree_cases::pipeline_growth),
    },
    Case {
        name: "pipeline-next",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(20.0),
        rounds: 50,
        quick_rounds: Some(10),
        prepare: By(|stage| tree_cases::large_pipeline(stage, "next")),
    },
    Case {
        name: "pipeline-validate",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(20.0),
        rounds: 50,
        quick_rounds: Some(10),
        prepare: By(|stage| tree_cases::large_pipeline(stage, "validate")),
    },
    Case {
        name: "validate",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(300.0),
        rounds: 20,
        quick_rounds: Some(5),
        prepare: By(tree_cases::many_pipelines),
    },
    Case {
        name: "pipeline-note",
        against: "phase_floor",
        bound: Bound::both(2.0),
        rounds: 200,
        quick_rounds: Some(50),
        prepare: By(tree_cases::pipeline_note),
    },
    Case {
        name: "pipeline-resume",
        against: "empty dynamic main",
        bound: Bound::both(1.5),
        rounds: 300,
        quick_rounds: Some(60),
        prepare: By(tree_cases::pipeline_resume),
    },
    Case {
        name: "hook",
        against: "empty dynamic main",
        bound: Bound::both(1.3),
        rounds: 300,
        quick_rounds: Some(60),
        prepare: By(hook_cases::hook),
    },
    Case {
        name: "hook-edit",
        against: "hook_floor",
        bound: Bound::both(2.0),
        // Each run ticks an open box.
        rounds: 60,
        quick_rounds: Some(30),
        prepare: By(hook_cases::edit),
    },
    Case {
        name: "hook-start",
        against: "brief_floor",
        bound: Bound::cpu_milliseconds(15.0),
        rounds: 100,
        quick_rounds: Some(20),
        prepare: By(hook_cases::start),
    },
    Case {
        name: "tokens",
        against: "empty dynamic main",
        bound: Bound::both(1.6),
        rounds: 300,
        quick_rounds: Some(60),
        prepare: By(token_cases::tokens),
    },
    Case {
        name: "tokens-python",
        against: "tiktoken in Python",
        bound: Bound::wall(1.0),
        rounds: 9,
        quick_rounds: Some(3),
        prepare: By(token_cases::tokens_in_python),
    },
    Case {
        name: "history-show-at",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(100.0),
        rounds: 20,
        quick_rounds: None,
        prepare: By(history_cases::show_at),
    },
    Case {
        name: "history-show-at-earlier",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(100.0),
        rounds: 20,
        quick_rounds: None,
        prepare: By(history_cases::show_at_earlier),
    },
    Case {
        name: "history-log",
        against: "10 revisions",
        bound: Bound::both(1.5),
        rounds: 60,
        quick_rounds: None,
        prepare: By(history_cases::log),
    },
    Case {
        name: "history-show",
        against: "10 revisions",
        bound: Bound::both(1.5),
        rounds: 60,
        quick_rounds: None,
        prepare: By(history_cases::show),
    },
    Case {
        name: "history-append",
        against: "10 revisions",
        bound: Bound::both(1.5),
        rounds: 60,
        quick_rounds: None,
        prepare: By(history_cases::append),
    },
    Case {
        name: "followed",
        against: "without a follower",
        bound: Bound::both(1.5),
        rounds: 200,
        quick_rounds: Some(50),
        prepare: By(follower_cases::followed),
    },
    Case {
        name: "notified",
        against: "without a webhook",
        bound: Bound::both(1.2),
        rounds: 200,
        quick_rounds: Some(50),
        prepare: By(follower_cases::without_network),
    },
    Case {
        name: "hook-notified",
        against: "without a webhook",
        bound: Bound::both(1.2),
        rounds: 200,
        quick_rounds: Some(50),
        prepare: By(hook_cases::edit_without_network),
    },
    Case {
        name: "mcp-start",
        against: "empty dynamic main",
        bound: Bound::cpu_milliseconds(30.0),
        rounds: 60,
        quick_rounds: Some(15),
        prepare: By(mcp_cases::start),
    },
    Case {
        name: "mcp-resume",
        against: "the library",
        bound: Bound::wall(2.0),
        rounds: 20,
        quick_rounds: Some(5),
        prepare: By(mcp_cases::resume),
    },
    Case {
        name: "node-update",
        against: "update_floor",
        bound: Bound::wall(1.5),
        rounds: 40,
        quick_rounds: Some(8),
        prepare: By(node_cases::update),
    },
    Case {
        name: "node-load",
        against: "JSON.parse(readFileSync())",
        bound: Bound::wall(4.0),
        rounds: 20,
        quick_rounds: Some(5),
        prepare: By(node_cases::load),
    },
    Case {
        name: "node-reference",
        against: "a script that calls git",
        bound: Bound::wall(0.01),
        rounds: 20,
        quick_rounds: Some(5),
        prepare: By(node_cases::load_with_git),
    },
    Case {
        name: "node-tokens",
        against: "split and filter",
        bound: Bound::wall(1.0),
        rounds: 20,
        quick_rounds: Some(5),
        prepare: By(node_cases::tokens),
    },
];

/// What all cases share.
pub(crate) struct Stage {
    /// The folder with the benchmark's own files.
    pub(crate) sources: PathBuf,
    pub(crate) binary: PathBuf,
    pub(crate) floors: Floors,
    pub(crate) scratch: Scratch,
    pub(crate) quick: bool,
}

pub(crate) enum Prepared {
    Pair { ours: Invocation, floor: Invocation },
    Skipped(&'static str),
}

impl Case {
    fn of_limit(limit: &'static Limit) -> Self {
        Self {
            name: limit.name,
            against: "empty dynamic main",
            bound: limit.bound(),
            rounds: ROUNDS,
            quick_rounds: Some(3),
            prepare: Prepare::Limit(limit),
        }
    }

    pub(crate) fn run(&self, stage: &Stage) -> Result<Row> {
        Ok(Row {
            name: self.name,
            against: self.against,
            bound: self.bound,
            outcome: self.outcome(stage)?,
        })
    }

    fn outcome(&self, stage: &Stage) -> Result<Outcome> {
        let rounds = if stage.quick {
            self.quick_rounds
        } else {
            Some(self.rounds)
        };
        let Some(rounds) = rounds else {
            return Ok(Outcome::Skipped("not part of --quick"));
        };
        let prepared = match self.prepare {
            By(prepare) => prepare(stage)?,
            Prepare::Limit(limit) => limit.prepare(stage)?,
        };
        let (ours, floor) = match prepared {
            Prepared::Pair { ours, floor } => (ours, floor),
            Prepared::Skipped(reason) => return Ok(Outcome::Skipped(reason)),
        };
        let launcher = Launcher {
            program: &stage.floors.launch,
            home: stage.scratch.path(),
        };
        let (ours, floor) = launcher.interleave(&ours, &floor, rounds)?;
        Ok(Outcome::Measured(Comparison::new(&ours, &floor)))
    }
}

impl Stage {
    pub(crate) fn ckpt(&self, repository: &Path) -> Invocation {
        Invocation::new(&self.binary).arg("-C").arg(repository)
    }

    pub(crate) fn update(&self, repository: &Path) -> Invocation {
        self.ckpt(repository)
            .args(&["phase", KEY, "implementation", "in_progress", "--summary"])
            .arg(format!(
                "Step {RUN} is done: the parser keeps the order of members."
            ))
    }
}

/// Two empty programs, neither of them ours: shows the cost of the loader and how stable the measurements are.
fn startup(stage: &Stage) -> Result<Prepared> {
    Ok(Prepared::Pair {
        ours: Invocation::new(&stage.floors.empty_static),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

fn phase(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("phase")?;
    repository.start_checkpoint(&stage.binary)?;
    let floor = stage.scratch.folder("phase-floor")?;
    let checkpoint = repository.checkpoint();
    fs::copy(&checkpoint, floor.join("checkpoint.json")).doing("copy", &checkpoint)?;
    Ok(Prepared::Pair {
        ours: stage.update(repository.root()),
        floor: Invocation::new(&stage.floors.phase).arg(floor),
    })
}

fn read(stage: &Stage, verb: &str) -> Result<Prepared> {
    let repository = stage.scratch.repository(verb)?;
    repository.start_checkpoint(&stage.binary)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .args(&[verb, KEY])
            .printing("implementation"),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

fn resume(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("resume")?;
    repository.start_checkpoint(&stage.binary)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .args(&["resume", KEY])
            .printing("implementation"),
        floor: Invocation::new(&stage.floors.brief).arg(repository.root()),
    })
}

fn list(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("list")?;
    populate(&repository, CHECKPOINTS)?;
    Ok(Prepared::Pair {
        ours: stage
            .ckpt(repository.root())
            .arg("list")
            .printing(&format!("feature-{CHECKPOINTS:05}")),
        floor: Invocation::new(&stage.floors.list).arg(repository.state()),
    })
}

fn append(stage: &Stage) -> Result<Prepared> {
    let long = stage.scratch.repository("append-long")?;
    let short = stage.scratch.repository("append-short")?;
    for (repository, lines) in [(&long, LONG_HISTORY), (&short, SHORT_HISTORY)] {
        repository.start_checkpoint(&stage.binary)?;
        if !repository.grow_history(lines)? {
            return Ok(Prepared::Skipped("the history has fewer than two lines"));
        }
    }
    Ok(Prepared::Pair {
        ours: stage.update(long.root()),
        floor: stage.update(short.root()),
    })
}
