//! The events that each agent is registered for.

use crate::agent::Agent;

/// A hook that an agent should have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Registration {
    /// The agent's name for the event.
    pub event: &'static str,
    /// The tools it is limited to, if the event is about tools.
    pub matcher: Option<&'static str>,
    /// The time limit in seconds, after which the agent continues without an answer.
    pub timeout: u64,
}

impl Registration {
    const fn of(event: &'static str) -> Self {
        Self {
            event,
            matcher: None,
            timeout: 10,
        }
    }

    const fn matching(self, tools: &'static str) -> Self {
        Self {
            matcher: Some(tools),
            ..self
        }
    }

    const fn within(self, timeout: u64) -> Self {
        Self { timeout, ..self }
    }
}

/// Claude Code gives hooks 1.5 seconds at the end of a session, unless one of them asks for more.
const CLAUDE: &[Registration] = &[
    Registration::of("SessionStart"),
    Registration::of("SessionEnd").within(5),
    Registration::of("UserPromptSubmit"),
    Registration::of("PreToolUse").matching("Bash|PowerShell|Agent|Task"),
    Registration::of("PostToolUse")
        .matching("Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|SubagentHandback"),
    Registration::of("PostToolUseFailure").matching("Bash|PowerShell"),
    Registration::of("SubagentStart"),
    Registration::of("SubagentStop"),
    Registration::of("Stop"),
    Registration::of("PreCompact"),
];

/// Codex allows at most three seconds at the end of a session.
const CODEX: &[Registration] = &[
    Registration::of("SessionStart"),
    Registration::of("SessionEnd").within(3),
    Registration::of("UserPromptSubmit"),
    Registration::of("PreToolUse").matching("Bash|Agent|.*spawn_agent"),
    Registration::of("PostToolUse").matching("Edit|Write|apply_patch|Bash"),
    Registration::of("SubagentStart"),
    Registration::of("SubagentStop"),
    Registration::of("Stop"),
    Registration::of("PreCompact"),
];

const GEMINI: &[Registration] = &[
    Registration::of("SessionStart"),
    Registration::of("SessionEnd").within(5),
    Registration::of("BeforeAgent"),
    Registration::of("BeforeTool").matching("run_shell_command"),
    Registration::of("AfterTool").matching("write_file|replace|run_shell_command"),
    Registration::of("AfterAgent"),
];

const CURSOR: &[Registration] = &[
    Registration::of("sessionStart"),
    Registration::of("sessionEnd").within(5),
    Registration::of("beforeSubmitPrompt"),
    Registration::of("preToolUse").matching("Shell"),
    Registration::of("postToolUse").matching("Shell|Write"),
    Registration::of("afterFileEdit"),
    Registration::of("subagentStart"),
    Registration::of("subagentStop"),
    Registration::of("stop"),
    Registration::of("preCompact"),
];

/// In Pascal case, because Copilot then sends events in the format of Claude Code.
const COPILOT: &[Registration] = &[
    Registration::of("SessionStart").within(30),
    Registration::of("SessionEnd").within(30),
    Registration::of("UserPromptSubmit").within(30),
    Registration::of("PreToolUse").within(30),
    Registration::of("PostToolUse").within(30),
    Registration::of("Stop").within(30),
    Registration::of("SubagentStart").within(30),
    Registration::of("SubagentStop").within(30),
    Registration::of("PreCompact").within(30),
];

/// The hooks of an agent, in the order in which they are written.
#[must_use]
pub fn registrations(agent: Agent) -> &'static [Registration] {
    match agent {
        Agent::Claude => CLAUDE,
        Agent::Codex => CODEX,
        Agent::Gemini => GEMINI,
        Agent::Cursor => CURSOR,
        Agent::Copilot => COPILOT,
    }
}

/// The oldest version of an agent that knows everything the hooks need; `None` if that is unknown.
#[must_use]
pub fn oldest_version(agent: Agent) -> Option<&'static str> {
    match agent {
        // Hooks in sub-agents name the sub-agent.
        Agent::Claude => Some("2.1.69"),
        // The end of a session.
        Agent::Codex => Some("0.145.0"),
        // Hooks are on by default.
        Agent::Gemini => Some("0.26.0"),
        // Hooks are called for the tools of sub-agents.
        Agent::Copilot => Some("1.0.49"),
        Agent::Cursor => None,
    }
}
