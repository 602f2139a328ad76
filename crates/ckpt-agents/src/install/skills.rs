//! The skills of the plugin. They are thin: what there is to know about the state of the work, `ckpt` says itself.

use std::fmt::Write as _;

use ckpt::command::{default_phases, known_commands};

/// A skill of Claude Code.
pub(super) struct Skill {
    pub(super) name: &'static str,
    description: String,
    hint: &'static str,
    tools: &'static str,
    invocation: Invocation,
    body: String,
}

/// Who may call a skill.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Invocation {
    /// The user, and the model where it fits.
    Anybody,
    /// Only the user, because others see what it does.
    User,
}

/// What a command is for, and what it may do without asking.
struct Command {
    purpose: &'static str,
    tools: &'static str,
    invocation: Invocation,
}

impl Skill {
    pub(super) fn written(&self) -> String {
        let Self {
            name,
            description,
            hint,
            tools,
            body,
            ..
        } = self;
        let invocation = match self.invocation {
            Invocation::Anybody => "",
            Invocation::User => "disable-model-invocation: true\n",
        };
        format!(
            "---\nname: {name}\ndescription: {description}\nargument-hint: \"{hint}\"\nallowed-tools: {tools}\n\
             {invocation}---\n\n{body}"
        )
    }
}

/// All of them: those about the work as a whole, then one for each command.
pub(super) fn all() -> impl Iterator<Item = Skill> {
    [status(), resume(), handoff()]
        .into_iter()
        .chain(known_commands().map(command_skill))
}

fn status() -> Skill {
    Skill {
        name: "status",
        description: "Shows which work is in flight and how far it is. Use when asked about progress, or before \
                      starting something new."
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
        description: "Says where interrupted work stands and what is next, then goes on with it. Use when asked to \
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
        description: "Hands a step of the work to a sub-agent and records what it answers. Use when a task of a \
                      checkpoint is delegated."
            .to_owned(),
        hint: "[key] [task]",
        tools: "Bash(ckpt *), Read, Grep, Glob, Task",
        invocation: Invocation::Anybody,
        body: include_str!("skills/handoff.md").to_owned(),
    }
}

fn command_skill(name: &'static str) -> Skill {
    let command = command(name);
    let phases = default_phases(name);
    let mut steps = String::new();
    for (number, phase) in phases.iter().enumerate() {
        // A string takes everything that is written to it.
        let _ = writeln!(steps, "{}. `{phase}`: {}", number + 1, step(name, phase));
    }
    let body = include_str!("skills/command.md")
        .replace("{command}", name)
        .replace("{purpose}", command.purpose)
        .replace("{phases}", steps.trim_end());
    Skill {
        name,
        description: format!(
            "{} Runs in the phases {}, each recorded, so that it can be resumed.",
            command.purpose,
            phases.join(", ")
        ),
        hint: "[feature] [--resume] [--phase NAME] [--dry-run]",
        tools: command.tools,
        invocation: command.invocation,
        body,
    }
}

/// What reads is allowed at once; what writes asks as it does everywhere.
fn command(name: &str) -> Command {
    const READING: &str = "Bash(ckpt *), Read, Grep, Glob";
    const READING_WITH_GIT: &str =
        "Bash(ckpt *), Bash(git status *), Bash(git diff *), Bash(git log *), Read, Grep, Glob";
    let (purpose, tools, invocation) = match name {
        "start" => (
            "Begins work on a feature with a branch and an issue.",
            READING_WITH_GIT,
            Invocation::User,
        ),
        "design" => (
            "Designs a feature from research to specification.",
            "Bash(ckpt *), Read, Grep, Glob, WebSearch, WebFetch",
            Invocation::Anybody,
        ),
        "reconcile" => (
            "Brings the plan of a feature and its implementation together again.",
            READING_WITH_GIT,
            Invocation::Anybody,
        ),
        "research" => (
            "Researches a question and sums up what was found.",
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
            "Reviews the code of a feature and reports what is found.",
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
            "Make a branch named after the feature, from an up-to-date main branch. Change no files."
        }
        ("start", "issue-creation") => {
            "Find the issue of the feature, or open one in the tracker of the project. The summary names it."
        }
        ("design", "research") => {
            "Read the code and the documents that the feature touches. Note constraints, prior art and open questions."
        }
        ("design", "planning") => {
            "Weigh the ways to do it and choose one. Divide it into tasks, with what each depends on."
        }
        ("design", "specs") => {
            "Write the specification where the project keeps them: behaviour, interfaces, acceptance criteria."
        }
        ("reconcile", "analysis") => {
            "Compare the plan with what is implemented. List what is missing, what is more, what is different."
        }
        ("reconcile", "reconciliation") => {
            "Change the plan or the code until they agree, as the user decides where it is not obvious."
        }
        ("research", "discovery") => {
            "Collect what bears on the question, from the code, its history and elsewhere. Note every source."
        }
        ("research", "synthesis") => {
            "Answer the question from what was found: conclusions first, then evidence, then what stays unknown."
        }
        ("implement", "implementation") => {
            "Write the code and its tests, task by task. Name the task with `ckpt phase KEY implementation --task ID`."
        }
        ("implement", "validation") => {
            "Run the project's tests and checks with `ckpt gate run KEY NAME -- COMMAND`, and mend what fails."
        }
        ("ship", "pre-flight") => {
            "Run tests and checks with `ckpt gate run KEY NAME -- COMMAND`. If all is well, `ckpt gate set KEY --allow`; \
             if not, `ckpt gate set KEY --block REASON`, and stop."
        }
        ("ship", "commit") => {
            "Commit exactly the approved content: any other change voids the approval."
        }
        ("ship", "push") => {
            "Only if `ckpt gate check KEY` exits with 0, push and open a pull request."
        }
        ("review", "analysis") => {
            "Read the changes and what they touch. Look for errors, missing tests, and what breaks others. Change nothing."
        }
        ("review", "feedback") => {
            "Report the findings, the worst first, each with file and line and what to do about it."
        }
        _ => "Do what its name says.",
    }
}
