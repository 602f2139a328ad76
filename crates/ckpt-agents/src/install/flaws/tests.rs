use std::time::Duration;

use super::flaws;
use crate::agent::Agent;
use crate::install::{Found, Place, Program, Scope, added, found, settings_file};

const LONGEST: Duration = Duration::from_millis(800);

fn place(agent: Agent) -> Place {
    settings_file(agent, Scope::Project)
}

fn set_up(agent: Agent) -> String {
    added("", &place(agent), &Program::new("/b/ckpt")).unwrap()
}

/// The flaws of new settings after a replacement in their text.
fn told(agent: Agent, before: &str, after: &str) -> Vec<String> {
    let settings = set_up(agent);
    assert!(settings.contains(before), "{settings}");
    let text = settings.replacen(before, after, 1);
    let flaws = flaws(&text, agent, LONGEST);
    if !flaws.is_empty() {
        let mended = added(&text, &place(agent), &Program::new("/b/ckpt")).unwrap();
        let is_old = |hook: &Found| !hook.is_current;
        assert!(found(&text, agent).iter().any(is_old), "{text}");
        assert!(!found(&mended, agent).iter().any(is_old), "{mended}");
        assert_eq!(super::flaws(&mended, agent, LONGEST), [], "{mended}");
    }
    flaws.iter().map(ToString::to_string).collect()
}

#[test]
fn what_was_just_set_up_has_no_flaws() {
    for agent in Agent::ALL {
        for longest in [LONGEST, Duration::from_secs(60)] {
            assert_eq!(flaws(&set_up(agent), agent, longest), [], "{agent}");
        }
    }
    assert_eq!(flaws("{ broken", Agent::Claude, LONGEST), []);
    assert_eq!(flaws("[]", Agent::Claude, LONGEST), []);
}

#[test]
fn a_matcher_that_leaves_something_out_is_a_flaw() {
    let post = "Edit|Write|MultiEdit|NotebookEdit|Bash|PowerShell|SubagentHandback";
    for (agent, before, after, expected) in [
        (
            Agent::Claude,
            post,
            "Nothing",
            "PostToolUse: matcher \"Nothing\" leaves out Edit, Write, NotebookEdit, Bash, PowerShell, SubagentHandback",
        ),
        (
            Agent::Claude,
            post,
            "Edit.*|Write",
            "PostToolUse: matcher \"Edit.*|Write\" leaves out Bash, PowerShell, SubagentHandback",
        ),
        (
            Agent::Claude,
            "Bash|PowerShell|Agent|Task",
            "Bash|PowerShell|Task",
            "",
        ),
        (Agent::Claude, post, ".*", ""),
        // A pattern that only the agent understands counts as right.
        (Agent::Claude, post, "^(Edit|Write)$", ""),
        (
            Agent::Claude,
            "\"SessionStart\": [\n      {",
            "\"SessionStart\": [\n      { \"matcher\": \"startup|resume\",",
            "SessionStart: matcher \"startup|resume\" leaves out clear, compact, fork",
        ),
        (
            Agent::Claude,
            "\"SubagentStop\": [\n      {",
            "\"SubagentStop\": [\n      { \"matcher\": \"Explore\",",
            "SubagentStop: matcher \"Explore\" leaves out all other types",
        ),
        // Matchers of events that have nothing to match are ignored.
        (
            Agent::Claude,
            "\"Stop\": [\n      {",
            "\"Stop\": [\n      { \"matcher\": \"x\",",
            "",
        ),
        (Agent::Codex, "Edit|Write|apply_patch|Bash", "Edit|Bash", ""),
        (
            Agent::Codex,
            "Edit|Write|apply_patch|Bash",
            "apply_patch",
            "PostToolUse: matcher \"apply_patch\" leaves out Bash",
        ),
        (
            Agent::Gemini,
            "write_file|replace|run_shell_command",
            "write|replace|run",
            "",
        ),
        (
            Agent::Gemini,
            "write_file|replace|run_shell_command",
            "^write",
            "AfterTool: matcher \"^write\" leaves out replace, run_shell_command",
        ),
        (
            Agent::Cursor,
            "Shell|Write",
            "Write",
            "postToolUse: matcher \"Write\" leaves out Shell",
        ),
        (
            Agent::Copilot,
            "\"PostToolUse\": [\n      {",
            "\"PostToolUse\": [\n      { \"matcher\": \"bash|edit\",",
            "PostToolUse: matcher \"bash|edit\" leaves out Write",
        ),
    ] {
        let flaws = told(agent, before, after);
        let expected: Vec<&str> = Some(expected)
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect();
        assert_eq!(flaws, expected, "{agent}: {after}");
    }
}

#[test]
fn a_condition_or_an_agent_that_does_not_wait_is_a_flaw() {
    let start = "\"SessionStart\": [\n      {\n        \"hooks\": [\n          {";
    let late = "lets the agent continue without the answer, so the hook cannot deny anything and its context comes late or never";
    for (agent, member, expected) in [
        (
            Agent::Claude,
            "\"if\": \"Bash(git *)\"",
            "if \"Bash(git *)\" keeps it from ever running on this event".to_owned(),
        ),
        (
            Agent::Claude,
            "\"async\": true",
            format!("async true {late}"),
        ),
        (
            Agent::Claude,
            "\"asyncRewake\": true",
            format!("asyncRewake true {late}"),
        ),
        (
            Agent::Codex,
            "\"async\": true",
            format!("async true {late}"),
        ),
        (Agent::Claude, "\"async\": false", String::new()),
        (Agent::Codex, "\"if\": \"x\"", String::new()),
    ] {
        let flaws = told(agent, start, &format!("{start} {member},"));
        let expected: Vec<String> = match expected.as_str() {
            "" => Vec::new(),
            text => vec![format!("SessionStart: {text}")],
        };
        assert_eq!(flaws, expected, "{agent}: {member}");
    }
    let tools = "\"matcher\": \"Bash|PowerShell|Agent|Task\",\n        \"hooks\": [\n          {";
    let flaws = told(
        Agent::Claude,
        tools,
        &format!("{tools} \"if\": \"Bash(git *)\","),
    );
    assert_eq!(
        flaws,
        ["PreToolUse: if \"Bash(git *)\" keeps it from running on other calls"]
    );
}

#[test]
fn a_time_limit_that_is_over_before_the_answer_is_a_flaw() {
    let late = "may end it before it answers, which can take 800 ms";
    for (agent, before, after, expected) in [
        (
            Agent::Claude,
            "\"timeout\": 10",
            "\"timeout\": 0.5",
            format!("SessionStart: timeout 0.5 {late}"),
        ),
        (
            Agent::Claude,
            "\"timeout\": 10",
            "\"timeout\": 0",
            format!("SessionStart: timeout 0 {late}"),
        ),
        (
            Agent::Claude,
            "\"timeout\": 10",
            "\"timeout\": 1",
            String::new(),
        ),
        // Gemini's timeouts are in milliseconds.
        (
            Agent::Gemini,
            "\"timeout\": 10000",
            "\"timeout\": 10",
            format!("SessionStart: timeout 10 {late}"),
        ),
        (
            Agent::Gemini,
            "\"timeout\": 10000",
            "\"timeout\": 1000",
            String::new(),
        ),
        (
            Agent::Copilot,
            "\"timeoutSec\": 30",
            "\"timeoutSec\": 0.1",
            format!("SessionStart: timeoutSec 0.1 {late}"),
        ),
    ] {
        let expected: Vec<String> = Some(expected)
            .filter(|text| !text.is_empty())
            .into_iter()
            .collect();
        assert_eq!(told(agent, before, after), expected, "{agent}: {after}");
    }
}

#[test]
fn one_hook_without_flaws_is_enough_for_an_event() {
    let ours =
        r#"{ "type": "command", "command": "/b/ckpt", "args": ["hook", "claude"], "timeout": 10 }"#;
    let text = format!(
        r#"{{ "hooks": {{ "SessionStart": [{{ "matcher": "startup", "hooks": [{ours}] }}, {{ "hooks": [{ours}] }}] }} }}"#
    );
    assert_eq!(flaws(&text, Agent::Claude, LONGEST), []);
}
