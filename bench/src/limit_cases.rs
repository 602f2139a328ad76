//! Limits on the cost of a megabyte of input from a clone.
//!
//! Each of these inputs takes at most a megabyte when git packs it, and is of a kind that once took seconds or
//! gigabytes.

use std::fmt::{Display, Write};
use std::fs;
use std::path::{Path, PathBuf};

use crate::bound::Bound;
use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::{Invocation, RUN, WARM_UP};

const MEGABYTE: usize = 1_000_000;
const PLAN: &str = "plans/260101-0000-x/plan.md";
const HISTORY: &str = "plans/260101-0000-x/.checkpoint/history.jsonl";
const STATE: &str = "plans/260101-0000-x/.checkpoint/state.json";
const CHECKPOINT: &str = ".claude/state/implement-auth.json";
const PIPELINE: &str = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";

/// Lines, up to this many bytes.
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
    let directory = file.parent().expect("a file is in a directory");
    fs::create_dir_all(directory).doing("create", directory)?;
    fs::write(&file, text).doing("write", &file)
}

/// A plan with as many decisions as a hook reads.
fn decisions(root: &Path) -> Result<()> {
    let text = lines(MEGABYTE / 2, |n| format!("<!-- DECISION: d{n} -->\n"));
    put(root, PLAN, &(text + "- [ ] One <!-- TASK: one -->\n"))
}

/// A plan with as many phases and tasks as a hook reads.
fn phases(root: &Path) -> Result<()> {
    let line = |n| format!("<!-- CHECKPOINT: p{n} -->\n- [ ] x <!-- TASK: a{n} -->\n");
    put(root, PLAN, &lines(MEGABYTE / 2, line))
}

/// A plan that is too large for a hook.
fn large_plan(root: &Path) -> Result<()> {
    let line = |n| format!("- [ ] x <!-- TASK: a{n} -->\n");
    put(root, PLAN, &lines(40 * MEGABYTE, line))
}

/// A history of foreign lines, which git packs well.
fn foreign_lines(root: &Path) -> Result<()> {
    put(root, PLAN, "- [ ] x <!-- TASK: a -->\n")?;
    put(root, HISTORY, &"{}\n".repeat(30 * MEGABYTE))
}

/// A history of one long line.
fn long_line(root: &Path) -> Result<()> {
    put(root, PLAN, "- [ ] x <!-- TASK: a -->\n")?;
    put(root, HISTORY, &"\0".repeat(300 * MEGABYTE))
}

/// A state with many running agents.
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

/// A pipeline with these members, and its specification.
fn specified(root: &Path, members: &str, spec: &str) -> Result<()> {
    let text = format!(
        "{{\"prd\":\"PRD-001\",\"status\":\"in_progress\",{members},\"execution_spec\":{{\"path\":\"spec.md\",\"hash\":\"0\"}}}}"
    );
    put(root, PIPELINE, &text)?;
    put(root, "spec.md", &format!("---\nprd: PRD-001\n{spec}---\n"))
}

/// This many entries of a map.
fn entries(count: usize, entry: impl Fn(usize) -> String) -> String {
    (0..count).map(entry).collect()
}

/// A specification whose workstreams all depend on each other.
fn cyclic(root: &Path) -> Result<()> {
    const COUNT: usize = 19_000;
    let workstream = |n: usize| {
        let others = [n + 1, n * 7, n * 13 + 5].map(|other| format!("w{}", other % COUNT));
        format!("  w{n}: {{ depends_on: [{}] }}\n", others.join(","))
    };
    let spec = format!("workstreams:\n{}", entries(COUNT, workstream));
    specified(root, "\"pending_workstreams\":[\"w1\"]", &spec)
}

/// A specification in which each workstream has many gates.
fn gates(root: &Path) -> Result<()> {
    let gates = |first: usize| {
        let names: Vec<String> = (first..first + 100)
            .map(|gate| format!("g{gate}"))
            .collect();
        names.join(",")
    };
    let workstream = |n: usize| format!("  w{n}: {{ gates: [{}] }}\n", gates(n));
    let spec = format!(
        "workstreams:\n{}gates:\n{}",
        entries(1_000, workstream),
        entries(5_000, |n| format!("  g{n}: {{ command: x }}\n"))
    );
    let members = format!("\"pending_workstreams\":[{}]", list(1_000, "w"));
    specified(root, &members, &spec)
}

/// A specification with a gate for each of many workstreams.
fn gate_each(root: &Path) -> Result<()> {
    let spec = format!(
        "workstreams:\n{}gates:\n{}",
        entries(12_000, |n| format!("  w{n}: {{ name: a, gate: g{n} }}\n")),
        entries(12_000, |n| format!("  g{n}: {{ command: x }}\n"))
    );
    let members = format!(
        "\"pending_workstreams\":[{}],\"gates_pending\":[{}]",
        list(12_000, "w"),
        list(12_000, "g")
    );
    specified(root, &members, &spec)
}

/// The same, with many passed gates that are not in the specification.
fn passed_gates(root: &Path) -> Result<()> {
    let workstream = |n: usize| format!("  w{n}: {{ name: a, gate: g{n} }}\n");
    let spec = format!("workstreams:\n{}", entries(12_000, workstream));
    let members = format!("\"gates_passed\":[{}]", list(45_000, "q"));
    specified(root, &members, &spec)
}

/// A specification with two phases of many workstreams, where the first phase blocks the second.
fn held(root: &Path) -> Result<()> {
    const COUNT: usize = 7_000;
    let names = |first: usize| {
        let names = (first..first + COUNT).map(|n| format!("w{n}"));
        names.collect::<Vec<String>>().join(",")
    };
    let spec = format!(
        "workstreams:\n{}execution_phases:\n  - parallel: [{}]\n  - parallel: [{}]\n",
        entries(2 * COUNT, |n| format!("  w{n}: {{ name: a }}\n")),
        names(0),
        names(COUNT)
    );
    let members = format!("\"pending_workstreams\":[{}]", list(2 * COUNT, "w"));
    specified(root, &members, &spec)
}

/// A checkpoint with a long name, and many errors below it.
fn long_name(root: &Path) -> Result<()> {
    let name = "n".repeat(MEGABYTE / 2);
    let files = list(40_000, "f").replace('"', "");
    let files = files.replace('f', "");
    let phase = format!("\"{name}\":{{\"status\":\"failed\",\"files_created\":[{files}]}}");
    command_checkpoint(root, "", &phase)
}

/// A pipeline with many workstreams that are not in its specification.
fn unknown_workstreams(root: &Path) -> Result<()> {
    let members = format!("\"pending_workstreams\":[{}]", list(90_000, "q"));
    specified(root, &members, "workstreams:\n  w1: { name: a }\n")
}

/// A checkpoint with these pending phases and phases.
fn command_checkpoint(root: &Path, pending: &str, phases: &str) -> Result<()> {
    let text = format!(
        "{{\"command\":\"implement\",\"feature\":\"auth\",\"version\":1,\"state\":{{\"completed_phases\":[],\"pending_phases\":[{pending}]}},\"phases\":{{{phases}}}}}"
    );
    put(root, CHECKPOINT, &text)
}

/// A checkpoint with many pending phases.
fn pending_phases(root: &Path) -> Result<()> {
    command_checkpoint(root, &list(90_000, "p"), "")
}

/// A checkpoint in which everything has the wrong type.
fn wrong_types(root: &Path) -> Result<()> {
    let phases = entries(28_000, |n| format!("\"p{n}\":{{\"status\":5,\"x\":[]}},"));
    command_checkpoint(root, "", phases.trim_end_matches(','))
}

/// A plan with many blockers, and a state with many different ones.
fn blockers(root: &Path) -> Result<()> {
    let blockers = entries(15_000, |n| format!("<!-- BLOCKER: d{n} -->\n"));
    put(root, PLAN, &format!("- [ ] x <!-- TASK: a -->\n{blockers}"))?;
    let text = format!(
        "{{\"version\":2,\"planId\":\"260101-0000-x\",\"phases\":{{}},\"agents\":{{}},\"blockers\":[{}]}}",
        list(60_000, "x")
    );
    put(root, STATE, &text)
}

/// A checkpoint with this additional member.
fn with_member(root: &Path, member: &str) -> Result<()> {
    let text = format!(
        "{{\"command\":\"implement\",\"feature\":\"auth\",\"version\":1,\"state\":{{}},\"phases\":{{}},\"x\":{member}}}"
    );
    put(root, CHECKPOINT, &text)
}

/// A checkpoint with nearly the maximum number of values, which git packs into kilobytes.
fn values(root: &Path) -> Result<()> {
    with_member(root, &format!("[{}[]]", "[],".repeat(1_999_000)))
}

/// A checkpoint with more values than a document can have.
fn too_many_values(root: &Path) -> Result<()> {
    with_member(root, &format!("[{}[]]", "[],".repeat(20 * MEGABYTE)))
}

/// A checkpoint with the longest text that a hook reads.
fn long_text(root: &Path) -> Result<()> {
    with_member(root, &format!("\"{}\"", "a".repeat(7 * MEGABYTE)))
}

/// More checkpoints and plans than anyone has. To git they are all the same file.
fn many_files(root: &Path) -> Result<()> {
    for number in 0..40_000 {
        let text = "{\"command\":\"implement\",\"feature\":\"x\",\"version\":1,\"state\":{\"current_phase\":\"a\"},\"phases\":{}}";
        put(
            root,
            &format!(".claude/state/implement-{number:06}.json"),
            text,
        )?;
        put(
            root,
            &format!("plans/26{number:06}-0000-x/plan.md"),
            "- [ ] a\n",
        )?;
    }
    Ok(())
}

/// A checkpoint with as many pending phases as a document can have values.
fn long_list(root: &Path) -> Result<()> {
    command_checkpoint(root, "\"p\",".repeat(1_990_000).trim_end_matches(','), "")
}

/// Many checkpoints of some length. To git they are one file.
fn many_checkpoints(root: &Path) -> Result<()> {
    let phases = entries(700, |n| {
        format!("\"p{n}\":{{\"status\":\"pending\",\"context_summary\":\"to do\"}},")
    });
    let phases = phases.trim_end_matches(',');
    let text = format!(
        "{{\"command\":\"implement\",\"version\":1,\"state\":{{\"current_phase\":\"p0\",\"pending_phases\":[{}]}},\"phases\":{{{phases}}}}}",
        list(700, "p")
    );
    for number in 0..6_000 {
        put(
            root,
            &format!(".claude/state/implement-f{number}.json"),
            &text,
        )?;
    }
    Ok(())
}

/// Many pipelines with one specification, in which a few aliases stand for many values.
fn many_pipelines(root: &Path) -> Result<()> {
    let names: Vec<String> = (0..400).map(|n| format!("w{n}")).collect();
    let workstreams = entries(400, |n| format!("  w{n}: {{ depends_on: *all }}\n"));
    let spec = format!(
        "---\nprd: x\nall: &all [{}]\nworkstreams:\n{workstreams}---\n",
        names.join(",")
    );
    put(root, "spec.md", &spec)?;
    for number in 0..6_000 {
        let text = format!(
            "{{\"prd\":\"P{number}\",\"status\":\"in_progress\",\"pending_workstreams\":[\"w1\"],\"execution_spec\":{{\"path\":\"spec.md\",\"hash\":\"0\"}}}}"
        );
        let file = format!(".claude/skills/build-pipeline/checkpoints/P{number}.json");
        put(root, &file, &text)?;
    }
    Ok(())
}

/// Many plans of some length. To git they are one file.
fn many_plans(root: &Path) -> Result<()> {
    let text = lines(120_000, |n| format!("- [ ] x <!-- TASK: a{n} -->\n"));
    for number in 0..190 {
        put(root, &format!("plans/26{number:04}-0000-x/plan.md"), &text)?;
    }
    Ok(())
}

/// Settings with many events that call `ckpt`.
fn events(root: &Path) -> Result<()> {
    let hook = "{\"hooks\":[{\"type\":\"command\",\"command\":\"ckpt hook claude\"}]}";
    let events = entries(10_000, |n| format!("\"E{n}\":[{hook}],"));
    let events = events.trim_end_matches(',');
    let text = format!("{{\"hooks\":{{{events}}}}}");
    put(root, ".claude/settings.json", &text)
}

/// Writes one input into a repository.
type Make = fn(&Path) -> Result<()>;

/// The number of rounds of each case.
pub(crate) const ROUNDS: u32 = 5;

/// A case: an input, and what is run on it.
pub(crate) struct Limit {
    pub(crate) name: &'static str,
    input: Make,
    what: What,
    repositories: Repositories,
}

/// What is run.
enum What {
    /// A session begins.
    SessionStart,
    /// An agent has edited this file.
    PostToolUse(&'static str),
    /// An agent draws its status line.
    Statusline,
    /// A command, and its expected exit code.
    Command(&'static [&'static str], i32),
}

/// The repositories it is run in.
enum Repositories {
    /// Each time in the same repository, because the input is large.
    Same,
    /// Each time in a new repository, because the first run has the most to do.
    Own,
}

const fn limit(name: &'static str, input: Make, what: What) -> Limit {
    Limit {
        name,
        input,
        what,
        repositories: Repositories::Own,
    }
}

const fn large(name: &'static str, input: Make, what: What) -> Limit {
    Limit {
        name,
        input,
        what,
        repositories: Repositories::Same,
    }
}

const fn hook(name: &'static str, input: Make) -> Limit {
    limit(name, input, What::SessionStart)
}

const fn edit(name: &'static str, input: Make, file: &'static str) -> Limit {
    limit(name, input, What::PostToolUse(file))
}

const fn command(name: &'static str, input: Make, words: &'static [&'static str]) -> Limit {
    limit(name, input, What::Command(words, 0))
}

/// A command that finds errors and reports them with its exit code.
const fn faulting(
    name: &'static str,
    input: Make,
    words: &'static [&'static str],
    code: i32,
) -> Limit {
    limit(name, input, What::Command(words, code))
}

const PHASE: &[&str] = &["phase", "implement/auth", "p", "in_progress"];
const GATE_SET: &[&str] = &["gate", "set", "implement/auth", "--allow"];
const GATE_CHECK: &[&str] = &["pipeline", "gate", "check", "PRD-001"];
const SYNC: &[&str] = &["pipeline", "sync", "PRD-001"];
const INIT: &[&str] = &["init", "--dry-run", "--project"];

/// The cases, in the order in which they run.
#[rustfmt::skip]
pub(crate) const LIMITS: &[Limit] = &[
    hook("limit-hook-decisions", decisions),
    hook("limit-hook-phases", phases),
    large("limit-hook-large-plan", large_plan, What::SessionStart),
    large("limit-hook-foreign-lines", foreign_lines, What::SessionStart),
    large("limit-hook-long-line", long_line, What::SessionStart),
    hook("limit-hook-agents", agents),
    hook("limit-hook-values", values),
    large("limit-hook-too-many-values", too_many_values, What::SessionStart),
    hook("limit-hook-long-text", long_text),
    large("limit-hook-many-files", many_files, What::SessionStart),
    large("limit-hook-long-list", long_list, What::SessionStart),
    large("limit-hook-many-checkpoints", many_checkpoints, What::SessionStart),
    large("limit-hook-many-pipelines", many_pipelines, What::SessionStart),
    large("limit-hook-many-plans", many_plans, What::SessionStart),
    large("limit-statusline-many-plans", many_plans, What::Statusline),
    hook("limit-hook-checkpoint", checkpoint),
    hook("limit-hook-pipeline", pipeline),
    hook("limit-hook-cyclic", cyclic),
    hook("limit-hook-gates", gates),
    hook("limit-hook-pending-phases", pending_phases),
    hook("limit-hook-wrong-types", wrong_types),
    hook("limit-hook-unknown-workstreams", unknown_workstreams),
    hook("limit-hook-gate-each", gate_each),
    hook("limit-hook-passed-gates", passed_gates),
    hook("limit-hook-blockers", blockers),
    hook("limit-hook-held", held),
    hook("limit-hook-long-name", long_name),
    edit("limit-edit-pending-phases", pending_phases, CHECKPOINT),
    edit("limit-edit-wrong-types", wrong_types, CHECKPOINT),
    edit("limit-edit-unknown-workstreams", unknown_workstreams, PIPELINE),
    edit("limit-edit-gate-each", gate_each, PIPELINE),
    edit("limit-edit-passed-gates", passed_gates, PIPELINE),
    edit("limit-edit-blockers", blockers, PLAN),
    command("limit-show-values", values, &["show", "implement/auth"]),
    command("limit-phase-values", values, PHASE),
    command("limit-phase-long-text", long_text, PHASE),
    large("limit-status-too-many-values", too_many_values, What::Command(&["status"], 0)),
    large("limit-resume-long-list", long_list, What::Command(&["resume"], 0)),
    large("limit-phase-long-list", long_list, What::Command(PHASE, 0)),
    large("limit-list-many-checkpoints", many_checkpoints, What::Command(&["list"], 0)),
    large("limit-resume-many-checkpoints", many_checkpoints, What::Command(&["resume"], 0)),
    large("limit-validate-many-checkpoints", many_checkpoints, What::Command(&["validate"], 4)),
    large("limit-doctor-many-checkpoints", many_checkpoints, What::Command(&["doctor"], 1)),
    large("limit-resume-many-pipelines", many_pipelines, What::Command(&["resume"], 0)),
    large("limit-resume-many-plans", many_plans, What::Command(&["resume"], 0)),
    large("limit-resume-many-files", many_files, What::Command(&["resume"], 0)),
    large("limit-doctor-many-files", many_files, What::Command(&["doctor"], 1)),
    command("limit-show-checkpoint", checkpoint, &["show", "implement/auth"]),
    command("limit-pipeline-show-pipeline", pipeline, &["pipeline", "show"]),
    command("limit-validate-pipeline", pipeline, &["validate"]),
    large("limit-status-foreign-lines", foreign_lines, What::Command(&["status"], 0)),
    command("limit-plan-show-agents", agents, &["plan", "show"]),
    faulting("limit-validate-cyclic", cyclic, &["validate"], 4),
    command("limit-resume-cyclic", cyclic, &["resume"]),
    command("limit-resume-gates", gates, &["resume"]),
    limit("limit-statusline-gates", gates, What::Statusline),
    command("limit-pipeline-show-gates", gates, &["pipeline", "show"]),
    faulting("limit-gate-check-gates", gates, GATE_CHECK, 6),
    command("limit-resume-pending-phases", pending_phases, &["resume"]),
    command("limit-phase-pending-phases", pending_phases, PHASE),
    faulting("limit-validate-wrong-types", wrong_types, &["validate"], 4),
    command("limit-phase-wrong-types", wrong_types, PHASE),
    command("limit-gate-set-wrong-types", wrong_types, GATE_SET),
    command("limit-sync-unknown-workstreams", unknown_workstreams, SYNC),
    command("limit-sync-gate-each", gate_each, SYNC),
    command("limit-resume-passed-gates", passed_gates, &["resume"]),
    command("limit-resume-held", held, &["resume"]),
    command("limit-pipeline-next-held", held, &["pipeline", "next", "PRD-001"]),
    command("limit-pipeline-graph-held", held, &["pipeline", "graph", "PRD-001"]),
    command("limit-pipeline-show-held", held, &["pipeline", "show"]),
    command("limit-validate-long-name", long_name, &["validate"]),
    command("limit-phase-long-name", long_name, PHASE),
    command("limit-plan-show-blockers", blockers, &["plan", "show"]),
    command("limit-init-events", events, INIT),
    faulting("limit-doctor-events", events, &["doctor"], 1),
];

impl Limit {
    /// Hooks have the tighter bound, because an agent waits for them.
    pub(crate) fn bound(&self) -> Bound {
        match self.what {
            What::SessionStart | What::PostToolUse(_) | What::Statusline => {
                Bound::cpu_milliseconds(200.0).mebibytes(64)
            }
            What::Command(..) => Bound::cpu_milliseconds(2000.0).mebibytes(512),
        }
    }

    pub(crate) fn prepare(&self, stage: &Stage) -> Result<Prepared> {
        let runs = match self.repositories {
            Repositories::Same => 0..=0,
            // Run 0 is the check before the measurement.
            Repositories::Own => 0..=WARM_UP + ROUNDS,
        };
        for run in runs {
            let repository = stage.scratch.repository(&self.folder(run))?;
            (self.input)(repository.root())?;
            let event = self.event_file(stage, run);
            fs::write(&event, self.event(repository.root())).doing("write", &event)?;
        }
        let ours = match self.what {
            What::SessionStart | What::PostToolUse(_) => Invocation::new(&stage.binary)
                .args(&["hook", "claude"])
                .reading(self.event_file(stage, RUN))
                .printing(self.evidence()),
            What::Statusline => Invocation::new(&stage.binary)
                .arg("statusline")
                .reading(self.event_file(stage, RUN))
                .printing(self.evidence()),
            What::Command(words, code) => stage
                .ckpt(&stage.scratch.path().join(self.folder(RUN)))
                .args(words)
                .ending_with(code),
        };
        Ok(Prepared::Pair {
            ours,
            floor: Invocation::new(&stage.floors.empty_dynamic),
        })
    }

    /// What the output must contain if the input was read.
    fn evidence(&self) -> &'static str {
        match (&self.what, &self.repositories) {
            (What::SessionStart, Repositories::Own) => "additionalContext",
            (What::Statusline, Repositories::Own) => "PRD-001",
            _ => "",
        }
    }

    /// The folder of a run.
    fn folder(&self, run: impl Display) -> String {
        match self.repositories {
            Repositories::Same => self.name.to_owned(),
            Repositories::Own => format!("{}-{run}", self.name),
        }
    }

    fn event_file(&self, stage: &Stage, run: impl Display) -> PathBuf {
        let name = format!("{}.json", self.folder(run));
        stage.scratch.path().join(name)
    }

    /// The event that the agent sends; empty for a command.
    fn event(&self, root: &Path) -> String {
        let root = root.display();
        match self.what {
            What::SessionStart => format!(
                r#"{{"session_id":"s","cwd":"{root}","hook_event_name":"SessionStart","source":"startup"}}"#
            ),
            What::PostToolUse(file) => format!(
                r#"{{"session_id":"s","cwd":"{root}","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{{"file_path":"{root}/{file}"}},"tool_response":{{}}}}"#
            ),
            What::Statusline => format!(r#"{{"cwd":"{root}"}}"#),
            What::Command(..) => String::new(),
        }
    }
}
