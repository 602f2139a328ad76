//! What a megabyte that a clone brings may cost.
//!
//! Each of these inputs has at most a megabyte as git packs it, and is of a kind that once took seconds, or gigabytes.

use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::Invocation;

const MEGABYTE: usize = 1_000_000;
const PLAN: &str = "plans/260101-0000-x/plan.md";
const HISTORY: &str = "plans/260101-0000-x/.checkpoint/history.jsonl";
const STATE: &str = "plans/260101-0000-x/.checkpoint/state.json";
const CHECKPOINT: &str = ".claude/state/implement-auth.json";
const PIPELINE: &str = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";

/// Lines up to so many bytes.
fn lines(bytes: usize, line: impl Fn(usize) -> String) -> String {
    let mut text = String::with_capacity(bytes);
    for number in 0.. {
        if text.len() >= bytes {
            break;
        }
        text.push_str(&line(number));
    }
    text
}

fn list(count: usize, name: &str) -> String {
    let mut text = String::new();
    for number in 0..count {
        let comma = if number > 0 { "," } else { "" };
        let _ = write!(text, "{comma}\"{name}{number}\"");
    }
    text
}

fn put(root: &Path, name: &str, text: &str) -> Result<()> {
    let file = root.join(name);
    let directory = file.parent().expect("a file lies in a directory");
    fs::create_dir_all(directory).doing("create", directory)?;
    fs::write(&file, text).doing("write", &file)
}

/// A plan with as many decisions as a hook follows.
fn decisions(root: &Path) -> Result<()> {
    let text = lines(MEGABYTE / 2, |n| format!("<!-- DECISION: d{n} -->\n"));
    put(root, PLAN, &(text + "- [ ] One <!-- TASK: one -->\n"))
}

/// A plan with as many phases and tasks as a hook follows.
fn phases(root: &Path) -> Result<()> {
    let line = |n| format!("<!-- CHECKPOINT: p{n} -->\n- [ ] x <!-- TASK: a{n} -->\n");
    put(root, PLAN, &lines(MEGABYTE / 2, line))
}

/// A plan that is too large for a hook.
fn large_plan(root: &Path) -> Result<()> {
    let line = |n| format!("- [ ] x <!-- TASK: a{n} -->\n");
    put(root, PLAN, &lines(40 * MEGABYTE, line))
}

/// A history of other people's lines, which git packs well.
fn foreign_lines(root: &Path) -> Result<()> {
    put(root, PLAN, "- [ ] x <!-- TASK: a -->\n")?;
    put(root, HISTORY, &"{}\n".repeat(30 * MEGABYTE))
}

/// A history of one long line.
fn long_line(root: &Path) -> Result<()> {
    put(root, PLAN, "- [ ] x <!-- TASK: a -->\n")?;
    put(root, HISTORY, &"\0".repeat(300 * MEGABYTE))
}

/// A state with many agents at work.
fn agents(root: &Path) -> Result<()> {
    put(root, PLAN, "- [ ] x <!-- TASK: a -->\n")?;
    let agent =
        |n| format!("\"a{n}\":{{\"type\":\"dev\",\"session\":\"s\",\"assignedTasks\":[\"a\"]}},");
    let agents = lines(MEGABYTE, agent);
    let agents = agents.trim_end_matches(',');
    let text = format!(
        "{{\"version\":2,\"planId\":\"260101-0000-x\",\"phases\":{{}},\"agents\":{{{agents}}}}}"
    );
    put(root, STATE, &text)
}

/// A checkpoint with many phases.
fn checkpoint(root: &Path) -> Result<()> {
    let phase = |n| format!("\"p{n}\":{{\"status\":\"complete\"}},");
    let phases = lines(MEGABYTE * 7 / 10, phase);
    let count = phases.matches("status").count();
    let (done, phases) = (list(count, "p"), phases.trim_end_matches(','));
    let text = format!(
        "{{\"command\":\"implement\",\"feature\":\"auth\",\"version\":1,\"state\":{{\"current_phase\":\"p0\",\"completed_phases\":[{done}],\"pending_phases\":[]}},\"phases\":{{{phases}}}}}"
    );
    put(root, CHECKPOINT, &text)
}

/// A pipeline with many workstreams and gates.
fn pipeline(root: &Path) -> Result<()> {
    let text = format!(
        "{{\"prd\":\"PRD-001\",\"status\":\"in_progress\",\"completed_workstreams\":[{}],\"in_progress_workstreams\":[],\"pending_workstreams\":[{}],\"gates_passed\":[{}],\"gates_pending\":[]}}",
        list(40_000, "W"),
        list(40_000, "V"),
        list(20_000, "g")
    );
    put(root, PIPELINE, &text)
}

/// Writes one input into a repository.
type Make = fn(&Path) -> Result<()>;

/// The inputs, by name.
const INPUTS: [(&str, Make); 8] = [
    ("decisions", decisions),
    ("phases", phases),
    ("large-plan", large_plan),
    ("foreign-lines", foreign_lines),
    ("long-line", long_line),
    ("agents", agents),
    ("checkpoint", checkpoint),
    ("pipeline", pipeline),
];

fn prepared(stage: &Stage, input: &str, purpose: &str) -> Result<PathBuf> {
    let repository = stage
        .scratch
        .repository(&format!("limit-{purpose}-{input}"))?;
    let known = INPUTS.iter().find(|(name, _)| *name == input);
    let (_, make) = known.expect("an input is asked for by its name");
    make(repository.root())?;
    Ok(repository.root().to_path_buf())
}

/// A hook that begins a session where this input lies.
pub(crate) fn hook(stage: &Stage, input: &str) -> Result<Prepared> {
    let root = prepared(stage, input, "hook")?;
    let event = format!(
        r#"{{"session_id":"s","cwd":"{}","hook_event_name":"SessionStart","source":"startup"}}"#,
        root.display()
    );
    let file = stage.scratch.path().join(format!("limit-{input}.json"));
    fs::write(&file, event).doing("write", &file)?;
    Ok(Prepared::Pair {
        ours: Invocation::new(&stage.binary)
            .args(&["hook", "claude"])
            .reading(file),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}

/// A command where this input lies.
pub(crate) fn command(stage: &Stage, input: &str, words: &[&str]) -> Result<Prepared> {
    let root = prepared(stage, input, words[0])?;
    Ok(Prepared::Pair {
        ours: stage.ckpt(&root).args(words),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}
