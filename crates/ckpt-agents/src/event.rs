//! Events, as agents report them.

use std::path::PathBuf;

use ckpt::document::{Document, Node, ParseError};
use ckpt::voice::REMARK;

use crate::agent::Agent;
use crate::patch;

/// Something that happened in an agent.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What the agent calls it. The answer repeats it.
    pub name: String,
    /// What happened.
    pub happening: Happening,
    /// The session it happened in.
    pub session: Option<String>,
    /// The directory that the agent works in.
    pub directory: Option<PathBuf>,
    /// The id of the call, prompt or turn, which distinguishes this event from others of its kind.
    pub id: Option<String>,
    /// The sub-agent it happened in or to.
    pub subagent: Option<Subagent>,
    /// The transcript of the conversation.
    pub transcript: Option<PathBuf>,
    /// What a session begins with, such as `startup` or `resume`.
    pub source: String,
    /// The agent that sends it, if its form tells.
    pub sender: Option<Agent>,
}

impl Event {
    /// The agent that the event comes from, given the one that the hook was set up for: Copilot runs the hooks of Claude
    /// Code, too, and it needs answers in its own form.
    #[must_use]
    pub fn agent(&self, set_up_for: Agent) -> Agent {
        match set_up_for {
            Agent::Claude => self.sender.unwrap_or(Agent::Claude),
            agent => agent,
        }
    }
}

/// A sub-agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Subagent {
    /// Its id.
    pub id: String,
    /// Its type; sub-agents that the agent uses internally have none.
    pub kind: String,
}

/// What happened.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Happening {
    /// A session begins.
    SessionStart,
    /// A session ends.
    SessionEnd,
    /// The user entered a prompt.
    Prompt {
        /// The prompt.
        text: String,
    },
    /// A tool is about to be used.
    BeforeTool(Tool),
    /// A tool was used.
    AfterTool(Tool),
    /// A sub-agent begins.
    SubagentStart {
        /// Its task, if the agent reports it.
        task: String,
    },
    /// A sub-agent is done.
    SubagentStop {
        /// Its task, if the agent reports it.
        task: String,
        /// Its report.
        report: String,
        /// Whether it was already sent back once.
        was_sent_back: bool,
    },
    /// The agent is done with its turn.
    Stop {
        /// Whether it was interrupted, or only waits for background work.
        is_pause: bool,
    },
    /// The conversation is about to be compacted.
    BeforeCompaction,
    /// Anything else.
    Other,
}

/// A tool call, as far as it matters here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tool {
    /// Files are written.
    Edit {
        /// Their paths, as the agent gives them.
        files: Vec<PathBuf>,
    },
    /// A command is run in a shell.
    Shell {
        /// The command.
        command: String,
    },
    /// A sub-agent is given a task.
    Spawn {
        /// Its type.
        kind: String,
        /// Its task.
        prompt: String,
    },
    /// A sub-agent reports.
    Report {
        /// The report.
        text: String,
    },
    /// Any other tool.
    Other,
}

impl Event {
    /// Reads the input of a hook. The names that agents use do not collide, so one reader serves all of them, even if
    /// one agent runs hooks that were set up for another.
    pub fn read(input: &[u8]) -> Result<Self, ParseError> {
        // A path that is not UTF-8 cannot be written in JSON, and agents send what they have.
        let input = String::from_utf8_lossy(input).into_owned();
        let document = Document::from_bytes(input.into_bytes())?;
        let payload = Payload(document.root());
        let name = payload.name();
        Ok(Self {
            happening: payload.happening(&name),
            session: payload.session(),
            directory: payload.directory().map(PathBuf::from),
            id: payload.find(&[
                "tool_use_id",
                "tool_call_id",
                "prompt_id",
                "turn_id",
                "generation_id",
                "timestamp",
            ]),
            subagent: payload.subagent(),
            transcript: payload
                .find(&["agent_transcript_path", "transcript_path", "transcriptPath"])
                .map(PathBuf::from),
            source: payload.text(&["source"]),
            sender: payload.sender(),
            name,
        })
    }
}

/// The type of a sub-agent if none is given to this tool.
fn general(tool: &str) -> &'static str {
    match tool.ends_with("spawn_agent") {
        true => "default",
        false => "general-purpose",
    }
}

/// How a client tells the model something in the place of the user.
const NOT_BY_USER: [&str; 3] = ["<task-notification>", "<system_notification>", REMARK];

/// What the user typed; `None` if the prompt is not the user's. Gemini puts what a hook said before it.
fn words_of_user(prompt: &str) -> Option<&str> {
    let after_context = prompt
        .strip_prefix("<hook_context>")
        .and_then(|rest| Some(rest.split_once("</hook_context>")?.1.trim_start()));
    let prompt = after_context.unwrap_or(prompt);
    let is_by_user = !NOT_BY_USER.iter().any(|begin| prompt.starts_with(begin));
    is_by_user.then_some(prompt)
}

/// The input of a hook, read in place.
#[derive(Clone, Copy)]
struct Payload<'d>(Node<'d>);

impl Payload<'_> {
    /// The first of these members that is a string.
    fn find(self, names: &[&str]) -> Option<String> {
        let mut found = names.iter().filter_map(|name| self.0.get(name)?.as_str());
        found.next().map(std::borrow::Cow::into_owned)
    }

    fn text(self, names: &[&str]) -> String {
        self.find(names).unwrap_or_default()
    }

    fn is_true(self, name: &str) -> bool {
        self.0.get(name).and_then(Node::as_bool) == Some(true)
    }

    /// What the agent calls the event. Copilot leaves the name out if a sub-agent begins.
    fn name(self) -> String {
        let told = self.find(&["hook_event_name", "hookEventName"]);
        told.unwrap_or_else(|| match self.find(&["agentName"]) {
            Some(_) => "SubagentStart".to_owned(),
            None => String::new(),
        })
    }

    /// The session. Cursor sends a conversation with every event, but a session only with some. In a sub-agent of
    /// Copilot, the session is the sub-agent itself, and its parent is the session of the user.
    fn session(self) -> Option<String> {
        let parent = self.find(&["parent_agent_id"]).filter(|_| self.is_inside());
        parent.or_else(|| self.find(&["conversation_id", "session_id", "sessionId"]))
    }

    /// Whether it happened in a sub-agent that calls itself a session.
    fn is_inside(self) -> bool {
        let agent = self.find(&["agent_id"]);
        agent.is_some() && agent == self.find(&["session_id"])
    }

    /// Copilot sends a time with every event, and Claude Code with none.
    fn sender(self) -> Option<Agent> {
        self.0.get("timestamp").map(|_| Agent::Copilot)
    }

    fn directory(self) -> Option<String> {
        let told = self.find(&["cwd"]).filter(|told| !told.is_empty());
        told.or_else(|| {
            let roots = self.0.get("workspace_roots")?;
            let first = roots.items().next()?.as_str()?;
            Some(first.into_owned())
        })
    }

    fn subagent(self) -> Option<Subagent> {
        let id = self.find(&["agent_id", "subagent_id", "agentId"]);
        let kind = self.find(&[
            "agent_type",
            "subagent_type",
            "agent_name",
            "agentType",
            "agentName",
        ]);
        match (&id, &kind) {
            (None, None) => None,
            _ => Some(Subagent {
                id: id.unwrap_or_default(),
                kind: kind.unwrap_or_default(),
            }),
        }
    }

    fn happening(self, name: &str) -> Happening {
        match name {
            "SessionStart" | "sessionStart" => Happening::SessionStart,
            "SessionEnd" | "sessionEnd" => Happening::SessionEnd,
            // The prompt and the end of a sub-agent are not those of the user's session.
            "UserPromptSubmit" | "Stop" if self.is_inside() => Happening::Other,
            "UserPromptSubmit" | "BeforeAgent" | "beforeSubmitPrompt" | "userPromptSubmitted" => {
                match words_of_user(&self.text(&["prompt"])) {
                    Some(text) => Happening::Prompt {
                        text: text.to_owned(),
                    },
                    None => Happening::Other,
                }
            }
            "PreToolUse" | "BeforeTool" | "preToolUse" => Happening::BeforeTool(self.tool()),
            "beforeShellExecution" => Happening::BeforeTool(self.shell()),
            // A command that failed may have changed something before.
            "PostToolUse" | "PostToolUseFailure" | "AfterTool" | "postToolUse" => {
                Happening::AfterTool(self.tool())
            }
            "afterShellExecution" => Happening::AfterTool(self.shell()),
            "afterFileEdit" => Happening::AfterTool(self.edit(self.0)),
            "SubagentStart" | "subagentStart" => Happening::SubagentStart {
                task: self.text(&["task"]),
            },
            "SubagentStop" | "subagentStop" => Happening::SubagentStop {
                task: self.text(&["task"]),
                report: self.text(&["last_assistant_message", "summary", "response"]),
                was_sent_back: self.was_sent_back(),
            },
            "Stop" | "AfterAgent" | "stop" | "agentStop" => Happening::Stop {
                is_pause: self.is_pause(),
            },
            // Gemini sends PreCompress before each call of the model, so it tells nothing.
            "PreCompact" | "preCompact" => Happening::BeforeCompaction,
            _ => Happening::Other,
        }
    }

    fn was_sent_back(self) -> bool {
        let loops = self.0.get("loop_count").and_then(Node::as_u64);
        self.is_true("stop_hook_active") || loops.is_some_and(|count| count > 0)
    }

    fn is_pause(self) -> bool {
        let background = self.0.get("background_tasks");
        let waits = background.is_some_and(|tasks| tasks.items().next().is_some());
        let status = self.text(&["status"]);
        waits || matches!(status.as_str(), "aborted" | "error")
    }

    fn shell(self) -> Tool {
        Tool::Shell {
            command: self.text(&["command"]),
        }
    }

    fn tool(self) -> Tool {
        let name = self.text(&["tool_name", "toolName"]);
        let input = self.0.get("tool_input").or_else(|| self.0.get("toolArgs"));
        let Some(input) = input else {
            return Tool::Other;
        };
        match name.as_str() {
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit" | "write_file" | "replace" | "edit"
            | "create" => self.edit(input),
            "Bash" | "PowerShell" | "Shell" | "run_shell_command" | "bash" | "powershell" => {
                Payload(input).shell()
            }
            "apply_patch" => {
                let patch = Payload(input).text(&["command", "patch", "input"]);
                Tool::Edit {
                    files: patch::files(&patch).map(PathBuf::from).collect(),
                }
            }
            // Codex puts the name of a namespace before it.
            name if is_spawn(name) => Tool::Spawn {
                kind: Payload(input)
                    .find(&["subagent_type", "agent_type", "agent_name"])
                    .unwrap_or_else(|| general(name).to_owned()),
                prompt: Payload(input).text(&["prompt", "message", "task"]),
            },
            "SubagentHandback" => Tool::Report {
                text: Payload(input).text(&["message"]),
            },
            _ => Tool::Other,
        }
    }

    fn edit(self, input: Node<'_>) -> Tool {
        let file = Payload(input).find(&["file_path", "notebook_path", "path", "filePath"]);
        match file {
            // Nobody knows which file, so it is like a command that may have changed any.
            Some(file) if file.contains(char::REPLACEMENT_CHARACTER) => Tool::Shell {
                command: String::new(),
            },
            file => Tool::Edit {
                files: file.into_iter().map(PathBuf::from).collect(),
            },
        }
    }
}

fn is_spawn(tool: &str) -> bool {
    matches!(tool, "Agent" | "Task" | "invoke_agent") || tool.ends_with("spawn_agent")
}

#[cfg(test)]
mod tests;
