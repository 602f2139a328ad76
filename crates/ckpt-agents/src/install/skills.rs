//! The skills of the plugin, which other agents can have too. They only say which commands to run; the state of the work comes from `ckpt` itself.

use std::fmt::Write as _;

use ckpt::command::{default_phases, known_commands};

use crate::agent::Agent;

/// A skill.
pub(super) struct Skill {
    pub(super) name: &'static str,
    description: String,
    hint: &'static str,
    tools: &'static str,
    invocation: Invocation,
    body: String,
}

/// Who may invoke a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Invocation {
    /// The user, and the model when it sees fit.
    Anybody,
    /// Only the user, because its effects are visible to others.
    User,
}

/// The purpose of a command, and the tools it may use without asking.
struct Command {
    purpose: &'static str,
    tools: &'static str,
    invocation: Invocation,
}

impl Skill {
    /// For Claude Code.
    pub(super) fn written(&self, name: &str) -> String {
        let tools = format!("allowed-tools: {}\n", self.tools);
        self.page(name, &tools, &self.body)
    }

    /// For agents that know neither the tools of Claude Code nor its placeholders.
    fn written_plainly(&self, name: &str) -> String {
        let body = self.body.replace(
            "The user typed: $ARGUMENTS",
            "What the user typed with this skill are its arguments.",
        );
        self.page(name, "", &body)
    }

    fn page(&self, name: &str, tools: &str, body: &str) -> String {
        let Self {
            description, hint, ..
        } = self;
        let invocation = match self.invocation {
            Invocation::Anybody => "",
            Invocation::User => "disable-model-invocation: true\n",
        };
        format!(
            "---\nname: {name}\ndescription: {description}\nargument-hint: \"{hint}\"\n{tools}{invocation}---\n\n{body}"
        )
    }
}

/// A text that tells an agent how to carry out a command.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prompt {
    /// The command.
    pub name: &'static str,
    /// What it is for.
    pub description: String,
    /// What can be typed after it.
    pub hint: &'static str,
    body: String,
}

impl Prompt {
    /// The text, for what the user typed after the command.
    #[must_use]
    pub fn asked_with(&self, typed: &str) -> String {
        self.body.replace("$ARGUMENTS", typed).trim_end().to_owned() + "\n"
    }
}

/// The prompts: `resume`, and one for each command.
pub fn prompts() -> impl Iterator<Item = Prompt> {
    let skills = std::iter::once(resume()).chain(known_commands().map(command_skill));
    skills.map(|skill| Prompt {
        name: skill.name,
        description: skill.description,
        hint: skill.hint,
        body: skill.body,
    })
}

/// The prompt with this name.
#[must_use]
pub fn prompt(name: &str) -> Option<Prompt> {
    prompts().find(|prompt| prompt.name == name)
}

/// A skill as a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SkillFile {
    /// Its path below the directory of skills, with `/` between its parts.
    pub path: String,
    /// Its content.
    pub content: String,
}

/// The skills for an agent, outside the plugin. Their names begin with `ckpt-`, because agents have commands of their own
/// called `status`, `resume` and `review`.
pub fn skill_files(agent: Agent) -> impl Iterator<Item = SkillFile> {
    all().map(move |skill| {
        let name = format!("ckpt-{}", skill.name);
        SkillFile {
            path: format!("{name}/SKILL.md"),
            content: match agent {
                Agent::Claude => skill.written(&name),
                _ => skill.written_plainly(&name),
            },
        }
    })
}

/// All skills: first those about the work as a whole, then one for each command.
pub(super) fn all() -> impl Iterator<Item = Skill> {
    [status(), resume(), handoff(), build()]
        .into_iter()
        .chain(known_commands().map(command_skill))
}

fn status() -> Skill {
    Skill {
        name: "status",
        description: "Shows the work in flight and its progress. Use when asked about progress, or before starting \
                      something new."
            .to_owned(),
        hint: "[--all]",
        tools: "Bash(ckpt *)",
        invocation: Invocation::Anybody,
        body: include_str!("skills/status.md").to_owned(),
    }
}

fn resume() -> Skill {
    Skill {
        name: "resume",
        description: "Shows where interrupted work stopped and what is next, then continues it. Use when asked to \
                      continue, or when a new session takes over."
            .to_owned(),
        hint: "[key]",
        tools: "Bash(ckpt *), Read, Grep, Glob",
        invocation: Invocation::Anybody,
        body: include_str!("skills/resume.md").to_owned(),
    }
}

fn handoff() -> Skill {
    Skill {
        name: "handoff",
        description: "Hands a step of the work to a sub-agent and records its response. Use when delegating a task \
                      of a checkpoint."
            .to_owned(),
        hint: "[key] [task]",
        tools: "Bash(ckpt *), Read, Grep, Glob, Task",
        invocation: Invocation::Anybody,
        body: include_str!("skills/handoff.md").to_owned(),
    }
}

fn build() -> Skill {
    Skill {
        name: "build",
        description: "Builds a PRD through the workstreams and gates of its specification. Each is recorded, so that \
                      the build can be resumed."
            .to_owned(),
        hint: "ID [--resume]",
        tools: "Bash(ckpt *), Read, Grep, Glob, Edit, Write, Task",
        invocation: Invocation::User,
        body: include_str!("skills/build.md").to_owned(),
    }
}

fn command_skill(name: &'static str) -> Skill {
    let command = command(name);
    let phases = default_phases(name);
    let mut steps = String::new();
    for (number, phase) in phases.iter().enumerate() {
        // Writing to a string cannot fail.
        let _ = writeln!(steps, "{}. `{phase}`: {}", number + 1, step(name, phase));
    }
    let body = include_str!("skills/command.md")
        .replace("{command}", name)
        .replace("{purpose}", command.purpose)
        .replace("{phases}", steps.trim_end());
    Skill {
        name,
        description: format!(
            "{} Runs in phases ({}). Each is recorded, so that the work can be resumed.",
            command.purpose,
            phases.join(", ")
        ),
        hint: "[feature] [--resume] [--phase NAME] [--dry-run]",
        tools: command.tools,
        invocation: command.invocation,
        body,
    }
}

/// Only tools that read are allowed without asking.
fn command(name: &str) -> Command {
    const READING: &str = "Bash(ckpt *), Read, Grep, Glob";
    const READING_WITH_GIT: &str =
        "Bash(ckpt *), Bash(git status *), Bash(git diff *), Bash(git log *), Read, Grep, Glob";
    let (purpose, tools, invocation) = match name {
        "start" => (
            "Starts work on a feature with a branch and an issue.",
            READING_WITH_GIT,
            Invocation::User,
        ),
        "design" => (
            "Designs a feature, from research to specification.",
            "Bash(ckpt *), Read, Grep, Glob, WebSearch, WebFetch",
            Invocation::Anybody,
        ),
        "reconcile" => (
            "Reconciles the plan of a feature with its implementation.",
            READING_WITH_GIT,
            Invocation::Anybody,
        ),
        "research" => (
            "Researches a question and summarises the findings.",
            "Bash(ckpt *), Read, Grep, Glob, WebSearch, WebFetch",
            Invocation::Anybody,
        ),
        "implement" => (
            "Implements a feature and validates it.",
            READING_WITH_GIT,
            Invocation::Anybody,
        ),
        "ship" => (
            "Ships a feature once its gate allows it.",
            READING_WITH_GIT,
            Invocation::User,
        ),
        "review" => (
            "Reviews the code of a feature and reports the findings.",
            READING_WITH_GIT,
            Invocation::Anybody,
        ),
        _ => (
            "Works on a feature, phase by phase.",
            READING,
            Invocation::Anybody,
        ),
    };
    Command {
        purpose,
        tools,
        invocation,
    }
}

/// What to do in a phase.
fn step(command: &str, phase: &str) -> &'static str {
    match (command, phase) {
        ("start", "branch") => {
            "Create a branch named after the feature from an up-to-date main branch. Change no files."
        }
        ("start", "issue-creation") => {
            "Find the feature's issue, or open one in the project's tracker. Record it with \
             `ckpt start KEY --issue ID`, and name it in the summary."
        }
        ("design", "research") => {
            "Read the code and the documents that the feature touches. Note constraints, prior art and open questions."
        }
        ("design", "planning") => {
            "Compare the possible approaches and choose one. Split it into tasks, with the dependencies of each."
        }
        ("design", "specs") => {
            "Write the specification where the project keeps its own: behaviour, interfaces, acceptance criteria."
        }
        ("reconcile", "analysis") => {
            "Compare the plan with the implementation. List what is missing, what was added and what differs."
        }
        ("reconcile", "reconciliation") => {
            "Change the plan or the code until they agree. Where it is not obvious which, ask the user."
        }
        ("research", "discovery") => {
            "Collect everything relevant to the question from the code, its history and elsewhere. Note every source."
        }
        ("research", "synthesis") => {
            "Answer the question from the findings: conclusions first, then evidence, then what is still unknown."
        }
        ("implement", "implementation") => {
            "Write the code and its tests, task by task. Name the task with `ckpt phase KEY implementation --task ID`."
        }
        ("implement", "validation") => {
            "Run the project's tests and checks with `ckpt gate run KEY NAME -- COMMAND`, and fix what fails."
        }
        ("ship", "pre-flight") => {
            "Run tests and checks with `ckpt gate run KEY NAME -- COMMAND`. If all pass, run \
             `ckpt gate set KEY --allow`. If not, run `ckpt gate set KEY --block REASON` and stop."
        }
        ("ship", "commit") => {
            "Commit exactly the approved content. Any other change voids the approval."
        }
        ("ship", "push") => {
            "Run `ckpt gate check KEY`. Only if it exits with 0, push. Run `ckpt ship preview KEY`, which waits for the \
             preview if there is one. Run `ckpt ship check KEY`. Only if it exits with 0, open a pull request with the \
             title and the body of `ckpt ship text KEY`; otherwise say what it names, and stop."
        }
        ("review", "analysis") => {
            "Read the changes and the code they affect. Look for bugs, missing tests and breaking changes. Change nothing."
        }
        ("review", "feedback") => {
            "Report the findings, worst first, each with file, line and a suggested fix."
        }
        _ => "Do what its name says.",
    }
}
