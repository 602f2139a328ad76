//! Evaluates matchers the way each agent does.

use super::hooks::Registration;
use crate::agent::Agent;

/// How an agent interprets a matcher.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Reading {
    /// As a list of names if it has only letters, digits, `_` and these characters, else as an unanchored pattern.
    Names(&'static str),
    /// As an unanchored pattern.
    Anywhere,
    /// As an anchored pattern.
    Whole,
    /// As a single name.
    Name,
}

/// How the matcher of an event is interpreted.
pub(super) fn reading(agent: Agent, registration: &Registration) -> Reading {
    match agent {
        Agent::Claude => Reading::Names("- ,|"),
        Agent::Codex => Reading::Names("|"),
        Agent::Gemini if registration.matcher.is_none() => Reading::Name,
        Agent::Gemini | Agent::Cursor => Reading::Anywhere,
        Agent::Copilot => Reading::Whole,
    }
}

/// What the matcher of an event must admit: for each tool or value its names, one of which is enough. Empty for events
/// whose matcher is ignored.
pub(super) fn needed(agent: Agent, registration: &Registration) -> Vec<Vec<&'static str>> {
    if let Some(tools) = registration.matcher {
        let mut needed: Vec<Vec<&str>> = Vec::new();
        for tool in tools.split('|').map(example) {
            let is_same =
                |names: &&mut Vec<&str>| one_tool(agent, names[0]) == one_tool(agent, tool);
            match needed.iter_mut().find(is_same) {
                Some(names) => names.push(tool),
                None => needed.push(vec![tool]),
            }
        }
        return needed;
    }
    let values: &[&str] = match (agent, registration.event) {
        (Agent::Claude, "SessionStart") => &["startup", "resume", "clear", "compact", "fork"],
        (Agent::Codex, "SessionStart") => &["startup", "resume", "clear", "compact"],
        (Agent::Gemini, "SessionStart") => &["startup", "resume", "clear"],
        (Agent::Claude, "SessionEnd") => {
            &["clear", "resume", "logout", "prompt_input_exit", "other"]
        }
        (Agent::Codex, "SessionEnd") => &["other"],
        (Agent::Gemini, "SessionEnd") => &["exit", "clear", "logout", "prompt_input_exit", "other"],
        (Agent::Claude | Agent::Codex, "PreCompact") => &["manual", "auto"],
        // Anyone can define types, so this represents all that are not listed.
        (Agent::Claude | Agent::Codex, "SubagentStart" | "SubagentStop") => &["all other types"],
        (Agent::Copilot, "PreToolUse") => return vec![vec!["Bash", "bash"]],
        (Agent::Copilot, "PostToolUse") => {
            return vec![
                vec!["Edit", "edit"],
                vec!["Write", "create"],
                vec!["Bash", "bash"],
            ];
        }
        _ => &[],
    };
    values.iter().map(|value| vec![*value]).collect()
}

/// A name that a part of a matcher admits. Codex puts a namespace before the name of its tool.
fn example(part: &str) -> &str {
    match part {
        ".*spawn_agent" => "collaborationspawn_agent",
        name => name,
    }
}

/// The current name of a tool that has several.
fn one_tool(agent: Agent, name: &str) -> &str {
    match (agent, name) {
        (Agent::Claude, "Task") => "Agent",
        (Agent::Claude, "MultiEdit") | (Agent::Codex, "Write" | "apply_patch") => "Edit",
        _ => name,
    }
}

/// Whether a matcher admits a value; `None` if it is a pattern that only the agent understands.
pub(super) fn admits(matcher: &str, reading: Reading, value: &str) -> Option<bool> {
    if matches!(matcher, "" | "*") {
        return Some(true);
    }
    match reading {
        Reading::Name => Some(matcher == value),
        Reading::Names(marks) if is_list(matcher, marks) => {
            let mut names = matcher.split(|c| ",|".contains(c));
            Some(names.any(|name| name.trim() == value))
        }
        Reading::Names(_) | Reading::Anywhere => admits_pattern(matcher, "", value),
        Reading::Whole => admits_pattern(matcher, "^$", value),
    }
}

fn is_list(matcher: &str, marks: &str) -> bool {
    matcher
        .chars()
        .all(|c| c.is_ascii_alphanumeric() || c == '_' || marks.contains(c))
}

/// Evaluates simple patterns: alternatives of letters, `.`, `.*` and `.+`, anchored by `^` and `$`. `None` for any
/// other.
fn admits_pattern(pattern: &str, held: &str, value: &str) -> Option<bool> {
    let alternatives = pattern.split('|').map(|alternative| {
        let start = alternative.strip_prefix('^');
        let rest = start.unwrap_or(alternative);
        let end = rest.strip_suffix('$');
        let pieces = pieces(end.unwrap_or(rest))?;
        let is_open = |hold: Option<&str>, mark: char| hold.is_none() && !held.contains(mark);
        let mut run = Vec::new();
        run.extend(is_open(start, '^').then_some(Piece::Run));
        run.extend(pieces);
        run.extend(is_open(end, '$').then_some(Piece::Run));
        let value: Vec<char> = value.chars().collect();
        Some(fits(&run, &value))
    });
    let verdicts: Vec<Option<bool>> = alternatives.collect();
    match verdicts.contains(&Some(true)) {
        true => Some(true),
        false => verdicts
            .into_iter()
            .collect::<Option<Vec<_>>>()
            .map(|_| false),
    }
}

/// An element of a pattern.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Piece {
    /// This character.
    One(char),
    /// Any character.
    Any,
    /// Any number of characters.
    Run,
}

fn pieces(text: &str) -> Option<Vec<Piece>> {
    let mut pieces = Vec::new();
    let mut rest = text.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '.' => match rest.next_if(|next| "*+".contains(*next)) {
                Some('*') => pieces.push(Piece::Run),
                Some(_) => pieces.extend([Piece::Any, Piece::Run]),
                None => pieces.push(Piece::Any),
            },
            _ if c.is_alphanumeric() || "_-, :/".contains(c) => pieces.push(Piece::One(c)),
            _ => return None,
        }
        // A quantifier would change the meaning of the piece before it.
        if rest.peek().is_some_and(|next| "*+?{".contains(*next)) {
            return None;
        }
    }
    Some(pieces)
}

/// Follows all paths through the pattern at once, so that the time is bounded.
fn fits(pieces: &[Piece], value: &[char]) -> bool {
    let mut reached = vec![false; value.len() + 1];
    reached[0] = true;
    for piece in pieces {
        let mut next = vec![false; reached.len()];
        for position in 0..reached.len() {
            let after_one = position > 0 && reached[position - 1];
            next[position] = match piece {
                Piece::Run => reached[position] || position > 0 && next[position - 1],
                Piece::Any => after_one,
                Piece::One(wanted) => after_one && value[position - 1] == *wanted,
            };
        }
        reached = next;
    }
    reached[value.len()]
}

#[cfg(test)]
mod tests;
