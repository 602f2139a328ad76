//! Answers, in the format of each agent.

use ckpt::document::{Object, Value};
use ckpt::voice::{INTRODUCTION, REMARK, escaped_json, is_hidden};

use crate::agent::Agent;
use crate::event::{Event, Happening};

/// How long a text may be. The platforms truncate at 10,000 characters.
pub const LONGEST_TEXT: usize = 9_900;

/// The answer to an event; usually empty.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Answer {
    /// Context for the model.
    pub context: Option<String>,
    /// Why a tool call is denied.
    pub denial: Option<String>,
    /// Why the agent is not done yet.
    pub objection: Option<String>,
}

impl Answer {
    /// The answer as the agent reads it from standard output: one JSON object, or nothing. Omits what the agent does
    /// not accept for this event.
    #[must_use]
    pub fn written(&self, agent: Agent, event: &Event) -> String {
        let answer = match agent {
            Agent::Claude | Agent::Codex => self.for_claude(event),
            Agent::Gemini => self.for_gemini(event),
            Agent::Cursor => self.for_cursor(event),
            Agent::Copilot => self.for_copilot(event),
        };
        match answer.is_empty() {
            true => String::new(),
            false => escaped_json(Value::Object(answer).to_compact()),
        }
    }

    /// Claude Code and Codex document the same format for these answers.
    fn for_claude(&self, event: &Event) -> Object {
        let mut answer = Object::new();
        let mut specific = Object::new();
        match event.happening {
            Happening::BeforeTool(_) => {
                self.deny(&mut specific);
                if specific.is_empty() {
                    tell(&mut specific, "additionalContext", &self.context);
                }
            }
            Happening::SessionStart
            | Happening::Prompt { .. }
            | Happening::AfterTool(_)
            | Happening::SubagentStart { .. } => {
                tell(&mut specific, "additionalContext", &self.context);
            }
            Happening::Stop { .. } | Happening::SubagentStop { .. } => {
                block(&mut answer, "block", &self.objection);
            }
            Happening::SessionEnd | Happening::BeforeCompaction | Happening::Other => {}
        }
        if !specific.is_empty() {
            let named = answer.object_mut("hookSpecificOutput");
            named.set("hookEventName", event.name.as_str());
            named.merge(specific);
        }
        answer
    }

    fn for_gemini(&self, event: &Event) -> Object {
        let mut answer = Object::new();
        match event.happening {
            Happening::BeforeTool(_) => block(&mut answer, "deny", &self.denial),
            Happening::Stop { .. } => block(&mut answer, "deny", &self.objection),
            Happening::SessionStart | Happening::Prompt { .. } | Happening::AfterTool(_) => {
                if let Some(context) = text(&self.context) {
                    answer
                        .object_mut("hookSpecificOutput")
                        .set("additionalContext", context);
                }
            }
            Happening::SubagentStart { .. }
            | Happening::SubagentStop { .. }
            | Happening::SessionEnd
            | Happening::BeforeCompaction
            | Happening::Other => {}
        }
        answer
    }

    fn for_cursor(&self, event: &Event) -> Object {
        let mut answer = Object::new();
        match event.name.as_str() {
            "sessionStart" | "postToolUse" => {
                tell(&mut answer, "additional_context", &self.context);
            }
            "preToolUse" | "beforeShellExecution" => {
                if let Some(reason) = text(&self.denial) {
                    answer.set("permission", "deny");
                    answer.set("user_message", reason.as_str());
                    answer.set("agent_message", reason);
                }
            }
            "stop" | "subagentStop" => tell(&mut answer, "followup_message", &self.objection),
            // Cursor also runs hooks set up for Claude Code, and accepts their answers.
            name if name.starts_with(|first: char| first.is_ascii_uppercase()) => {
                return self.for_claude(event);
            }
            _ => {}
        }
        answer
    }

    fn for_copilot(&self, event: &Event) -> Object {
        let mut answer = Object::new();
        match event.happening {
            Happening::BeforeTool(_) => self.deny(&mut answer),
            Happening::SessionStart | Happening::AfterTool(_) | Happening::SubagentStart { .. } => {
                tell(&mut answer, "additionalContext", &self.context);
            }
            Happening::Stop { .. } | Happening::SubagentStop { .. } => {
                block(&mut answer, "block", &self.objection);
            }
            Happening::Prompt { .. }
            | Happening::SessionEnd
            | Happening::BeforeCompaction
            | Happening::Other => {}
        }
        answer
    }

    fn deny(&self, answer: &mut Object) {
        if let Some(reason) = text(&self.denial) {
            answer.set("permissionDecision", "deny");
            answer.set("permissionDecisionReason", reason);
        }
    }
}

fn tell(answer: &mut Object, name: &str, given: &Option<String>) {
    if let Some(given) = text(given) {
        answer.set(name, given);
    }
}

fn block(answer: &mut Object, decision: &str, reason: &Option<String>) {
    if let Some(reason) = text(reason) {
        answer.set("decision", decision);
        answer.set("reason", reason);
    }
}

/// A text that is safe to show: without control characters, cut to the platforms' limit, and introduced by a line about
/// its quotes.
fn text(given: &Option<String>) -> Option<String> {
    let given = given.as_deref()?;
    let shown = given
        .chars()
        .filter(|c| *c == '\n' || !(c.is_control() || is_hidden(*c)));
    let shown: String = shown.take(LONGEST_TEXT - REMARK.len()).collect();
    match shown.trim() {
        "" => None,
        shown if shown.starts_with(INTRODUCTION) => Some(shown.to_owned()),
        shown => Some(format!("{REMARK}\n{shown}")),
    }
}

#[cfg(test)]
mod tests;
