//! Settings that keep an installed hook from working, even if the program itself works.

use std::collections::HashSet;
use std::fmt;
use std::time::Duration;

use jsonc_parser::ast::{Object, ObjectProp, Value};

use super::hooks::Registration;
use super::matcher::{admits, needed, reading};
use super::settings::{Hook, Settings};
use super::source::{Source, member};
use crate::agent::Agent;

/// A member of a hook that keeps it from working.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Flaw {
    /// The event.
    pub event: &'static str,
    /// The member.
    pub field: &'static str,
    /// Its value, as written.
    pub found: String,
    /// Its effect.
    pub effect: String,
}

impl fmt::Display for Flaw {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            event,
            field,
            found,
            effect,
        } = self;
        write!(formatter, "{event}: {field} {found} {effect}")
    }
}

/// The flaws of the hooks that call `ckpt` for an agent. `longest` is the time that a hook may take to answer. If an
/// event has several hooks, one without flaws is enough.
#[must_use]
pub fn flaws(text: &str, agent: Agent, longest: Duration) -> Vec<Flaw> {
    let Ok(source) = Source::parse(text) else {
        return Vec::new();
    };
    let Some(settings) = Settings::of(&source, agent) else {
        return Vec::new();
    };
    let judge = Judge {
        source: &source,
        agent,
        longest,
    };
    let mut flaws = Vec::new();
    let mut sound = HashSet::new();
    for hook in &settings.ours {
        let Some(registration) = hook.registration else {
            continue;
        };
        let found = judge.flaws_of(hook, registration);
        if found.is_empty() {
            sound.insert(registration.event);
        }
        flaws.extend(found);
    }
    flaws.retain(|flaw| !sound.contains(&flaw.event));
    flaws
}

/// Whether a member of a handler keeps the agent from calling it, or from waiting for its answer.
pub(super) fn is_hindrance(agent: Agent, member: &ObjectProp<'_>) -> bool {
    let is_on = || {
        member
            .value
            .as_boolean_lit()
            .is_some_and(|value| value.value)
    };
    match (agent, member.name.as_str()) {
        (Agent::Claude, "if") => !matches!(member.value, Value::NullKeyword(_)),
        (Agent::Claude, "async" | "asyncRewake") | (Agent::Codex, "async") => is_on(),
        _ => false,
    }
}

/// Claude Code evaluates `if` only for tool calls; on other events, a hook with a condition never runs.
const CONDITIONAL: [&str; 2] = ["PreToolUse", "PostToolUse"];

struct Judge<'s, 't> {
    source: &'s Source<'t>,
    agent: Agent,
    longest: Duration,
}

impl Judge<'_, '_> {
    fn flaws_of(&self, hook: &Hook<'_, '_>, registration: &'static Registration) -> Vec<Flaw> {
        let mut flaws = Vec::new();
        for field in ["if", "async", "asyncRewake"] {
            let hindrance = member(hook.handler, field);
            let Some(hindrance) = hindrance.filter(|member| is_hindrance(self.agent, member))
            else {
                continue;
            };
            let effect = match field {
                "if" if CONDITIONAL.contains(&registration.event) => {
                    "keeps it from running on other calls"
                }
                "if" => "keeps it from ever running on this event",
                _ => {
                    "lets the agent continue without the answer, so the hook cannot deny anything and its context comes late or never"
                }
            };
            flaws.push(self.flaw(registration, field, &hindrance.value, effect.to_owned()));
        }
        flaws.extend(self.narrow_matcher(hook.entry, registration));
        flaws.extend(self.short_timeout(hook.handler, registration));
        flaws
    }

    fn narrow_matcher(
        &self,
        entry: &Object<'_>,
        registration: &'static Registration,
    ) -> Option<Flaw> {
        let value = &member(entry, "matcher")?.value;
        let matcher = &value.as_string_lit()?.value;
        let reading = reading(self.agent, registration);
        // A pattern that only the agent understands gets the benefit of the doubt.
        let is_left_out = |names: &Vec<&str>| {
            let mut verdicts = names.iter().map(|name| admits(matcher, reading, name));
            verdicts.all(|verdict| verdict == Some(false))
        };
        let left_out: Vec<&str> = needed(self.agent, registration)
            .iter()
            .filter(|names| is_left_out(names))
            .map(|names| names[0])
            .collect();
        let effect = format!("leaves out {}", left_out.join(", "));
        (!left_out.is_empty()).then(|| self.flaw(registration, "matcher", value, effect))
    }

    fn short_timeout(
        &self,
        handler: &Object<'_>,
        registration: &'static Registration,
    ) -> Option<Flaw> {
        let (field, second) = match self.agent {
            Agent::Copilot => ("timeoutSec", 1.0),
            Agent::Gemini => ("timeout", 1000.0),
            Agent::Claude | Agent::Codex | Agent::Cursor => ("timeout", 1.0),
        };
        let value = &member(handler, field)?.value;
        let timeout: f64 = value.as_number_lit()?.value.parse().ok()?;
        let timeout = timeout / second;
        // The default is never too short, even if `longest` exceeds it.
        let is_short = timeout < registration.timeout as f64;
        let is_short = is_short && timeout <= self.longest.as_secs_f64();
        let effect = format!(
            "may end it before it answers, which can take {} ms",
            self.longest.as_millis()
        );
        is_short.then(|| self.flaw(registration, field, value, effect))
    }

    fn flaw(
        &self,
        registration: &'static Registration,
        field: &'static str,
        value: &Value<'_>,
        effect: String,
    ) -> Flaw {
        Flaw {
            event: registration.event,
            field,
            found: self.source.raw(value).to_owned(),
            effect,
        }
    }
}

#[cfg(test)]
mod tests;
