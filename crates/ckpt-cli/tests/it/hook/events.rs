//! Every event of every agent: what it sends, what it is told, and what that changes.

use std::collections::BTreeMap;
use std::path::Path;

use crate::support::agent::{HISTORY, PLAN};
use crate::support::environment::Environment;
use crate::support::tree;

/// What the agents send, as they document it. `ROOT` is the repository.
const EVENTS: [(&str, &[&str]); 5] = [
    (
        "claude",
        &[
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"SessionStart","source":"startup","model":"claude-opus-5"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"SessionStart","source":"compact","model":"claude-opus-5"}"#,
            r#"{"session_id":"abc123","prompt_id":"550e8400","transcript_path":"/t.jsonl","cwd":"ROOT","permission_mode":"default","hook_event_name":"UserPromptSubmit","prompt":"/ship it"}"#,
            r#"{"session_id":"abc123","prompt_id":"550e8400","transcript_path":"/t.jsonl","cwd":"ROOT","permission_mode":"default","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push","description":"Push"},"tool_use_id":"toolu_01"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"PreToolUse","tool_name":"Agent","tool_input":{"description":"d","prompt":"Do b","subagent_type":"Explore"},"tool_use_id":"toolu_02"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","permission_mode":"acceptEdits","hook_event_name":"PostToolUse","tool_name":"Write","tool_input":{"file_path":"ROOT/plans/260220-1149-x/plan.md","content":"b"},"tool_response":{"filePath":"a","type":"create"},"tool_use_id":"toolu_03","duration_ms":12,"effort":{"level":"high"}}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"PostToolUse","tool_name":"Bash","tool_input":{"command":"ls"},"tool_response":{"stdout":"","stderr":"","interrupted":false},"tool_use_id":"toolu_04"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","prompt_id":"80aa","permission_mode":"acceptEdits","effort":{"level":"high"},"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"make; exit 3","description":"x"},"tool_use_id":"toolu_05","error":"Exit code 3","is_interrupt":false,"duration_ms":40}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"SubagentStart","agent_id":"def456","agent_type":"Explore"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","permission_mode":"default","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"def456","agent_type":"Explore","agent_transcript_path":"/s.jsonl","last_assistant_message":"a and b are done","background_tasks":[],"session_crons":[]}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"SubagentStop","stop_hook_active":false,"agent_id":"def456","agent_type":"Explore","last_assistant_message":"{\"task_id\":\"b\",\"context_summary\":\"x\"}"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":"Done","background_tasks":[],"session_crons":[]}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":null}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"SessionEnd","reason":"prompt_input_exit"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"Notification","message":"m","notification_type":"idle_prompt"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.jsonl","cwd":"ROOT","hook_event_name":"PostCompact","trigger":"auto","compact_summary":"s"}"#,
        ],
    ),
    (
        "codex",
        &[
            r#"{"session_id":"abc123","transcript_path":null,"cwd":"ROOT","hook_event_name":"SessionStart","model":"m","permission_mode":"default","source":"startup"}"#,
            r#"{"session_id":"abc123","turn_id":"1","transcript_path":null,"cwd":"ROOT","hook_event_name":"UserPromptSubmit","model":"m","permission_mode":"default","prompt":"/ship"}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"},"tool_use_id":"c1"}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"PostToolUse","tool_name":"apply_patch","tool_input":{"command":"*** Begin Patch\n*** Update File: plans/260220-1149-x/plan.md\n@@\n*** End Patch"},"tool_use_id":"c2","tool_response":"ok"}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"PreToolUse","model":"m","permission_mode":"bypassPermissions","tool_name":"collaborationspawn_agent","tool_input":{"task_name":"b","message":"Do b","fork_turns":"none"},"tool_use_id":"c3"}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"SubagentStart","agent_id":"d","agent_type":"worker"}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"SubagentStop","agent_id":"d","agent_type":"worker","agent_transcript_path":null,"stop_hook_active":false,"last_assistant_message":"b is done"}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"Stop","stop_hook_active":false,"last_assistant_message":null}"#,
            r#"{"session_id":"abc123","turn_id":"1","cwd":"ROOT","hook_event_name":"PreCompact","trigger":"manual"}"#,
            r#"{"session_id":"abc123","cwd":"ROOT","hook_event_name":"SessionEnd","reason":"other"}"#,
        ],
    ),
    (
        "gemini",
        &[
            r#"{"session_id":"abc123","transcript_path":"/t.json","cwd":"ROOT","hook_event_name":"SessionStart","timestamp":"2026-02-20T12:00:00Z","source":"startup"}"#,
            r#"{"session_id":"abc123","transcript_path":"/t.json","cwd":"ROOT","hook_event_name":"BeforeAgent","timestamp":"2026-02-20T12:00:01Z","prompt":"/ship"}"#,
            r#"{"session_id":"abc123","cwd":"ROOT","hook_event_name":"BeforeTool","timestamp":"t","tool_name":"run_shell_command","tool_input":{"command":"git push"}}"#,
            r#"{"session_id":"abc123","cwd":"ROOT","hook_event_name":"AfterTool","timestamp":"t","tool_name":"replace","tool_input":{"file_path":"ROOT/plans/260220-1149-x/plan.md","old_string":"a","new_string":"b"},"tool_response":{"llmContent":"ok","returnDisplay":"ok"}}"#,
            r#"{"session_id":"abc123","cwd":"ROOT","hook_event_name":"AfterAgent","timestamp":"t","prompt":"p","prompt_response":"r","stop_hook_active":false}"#,
            r#"{"session_id":"abc123","cwd":"ROOT","hook_event_name":"PreCompress","timestamp":"t","trigger":"auto"}"#,
            r#"{"session_id":"abc123","cwd":"ROOT","hook_event_name":"SessionEnd","timestamp":"t","reason":"exit"}"#,
        ],
    ),
    (
        "cursor",
        &[
            r#"{"conversation_id":"abc123","generation_id":"g","model":"m","hook_event_name":"sessionStart","cursor_version":"2","workspace_roots":["ROOT"],"user_email":null,"transcript_path":null,"session_id":"abc123","is_background_agent":false}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"beforeSubmitPrompt","workspace_roots":["ROOT"],"prompt":"/ship","attachments":[]}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"preToolUse","workspace_roots":["ROOT"],"tool_name":"Shell","tool_input":{"command":"git push"},"tool_use_id":"t","cwd":"ROOT"}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"beforeShellExecution","workspace_roots":["ROOT"],"command":"git push","cwd":"ROOT"}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"postToolUse","workspace_roots":["ROOT"],"tool_name":"Write","tool_input":{"file_path":"ROOT/plans/260220-1149-x/plan.md"},"tool_output":"{}","duration":3}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"afterFileEdit","workspace_roots":["ROOT"],"file_path":"ROOT/plans/260220-1149-x/plan.md","edits":[]}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"subagentStart","workspace_roots":["ROOT"],"subagent_id":"d","subagent_type":"explore","task":"Do b","parent_conversation_id":"abc123"}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"subagentStop","workspace_roots":["ROOT"],"subagent_id":"d","subagent_type":"explore","status":"completed","task":"t","summary":"b is done","loop_count":0}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"stop","workspace_roots":["ROOT"],"status":"completed","loop_count":0}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"stop","workspace_roots":["ROOT"],"status":"aborted","loop_count":0}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"preCompact","workspace_roots":["ROOT"],"trigger":"auto"}"#,
            r#"{"conversation_id":"abc123","generation_id":"g","hook_event_name":"sessionEnd","workspace_roots":["ROOT"],"session_id":"abc123","reason":"user_close"}"#,
        ],
    ),
    (
        "copilot",
        &[
            r#"{"session_id":"abc123","timestamp":"2026-02-20T12:00:00Z","cwd":"ROOT","hook_event_name":"SessionStart","source":"startup"}"#,
            r#"{"session_id":"abc123","timestamp":"2026-02-20T12:00:01Z","cwd":"ROOT","hook_event_name":"UserPromptSubmit","prompt":"/ship"}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"PreToolUse","tool_name":"Bash","tool_input":{"command":"git push"}}"#,
            r#"{"sessionId":"abc123","timestamp":1794787712776,"cwd":"ROOT","transcriptPath":"/e.jsonl","agentName":"general-purpose","agent_id":"efb1","agent_type":"general-purpose","parent_agent_id":"abc123"}"#,
            r#"{"hook_event_name":"UserPromptSubmit","session_id":"efb1","timestamp":"t","cwd":"ROOT","agent_id":"efb1","agent_type":"general-purpose","parent_agent_id":"abc123","prompt":"/ship"}"#,
            r#"{"hook_event_name":"PostToolUse","session_id":"efb1","timestamp":"t","cwd":"ROOT","agent_id":"efb1","agent_type":"general-purpose","parent_agent_id":"abc123","tool_name":"Edit","tool_input":{"path":"ROOT/plans/260220-1149-x/plan.md","old_str":"a","new_str":"b"},"tool_result":{"result_type":"success","text_result_for_llm":"ok"}}"#,
            r#"{"hook_event_name":"Stop","session_id":"efb1","timestamp":"t","cwd":"ROOT","agent_id":"efb1","agent_type":"general-purpose","parent_agent_id":"abc123","stop_reason":"end_turn","stop_hook_active":false}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"file_path":"ROOT/plans/260220-1149-x/plan.md"},"tool_result":{"result_type":"success","text_result_for_llm":"ok"}}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"SubagentStart","agent_id":"d","agent_type":"explore"}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"SubagentStop","agent_id":"d","agent_type":"explore","agent_name":"explore","last_assistant_message":"b is done"}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"Stop","stop_hook_active":false}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"PreCompact","trigger":"auto","custom_instructions":""}"#,
            r#"{"session_id":"abc123","timestamp":"t","cwd":"ROOT","hook_event_name":"SessionEnd","reason":"complete"}"#,
        ],
    ),
];

/// A plan with a task that was just ticked by hand, a gate that blocks, and a session with four prompts.
fn prepared(agent: &str) -> Environment {
    let environment = Environment::new();
    let plan = "- [ ] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n";
    environment.write(PLAN, plan);
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    let block = ["gate", "set", "ship", "--block", "2 tests fail"];
    environment.ckpt(&block).exits(0);
    for setting in ["enforce_gates", "continue_unfinished"] {
        environment
            .ckpt(&["config", "set", "--user", setting, "true"])
            .exits(0);
    }
    let named = |name: &str, more: &str| {
        format!(
            r#"{{"session_id":"abc123","cwd":"{}","hook_event_name":"{name}"{more}}}"#,
            environment.path("").display()
        )
    };
    let hook = |event: String| environment.ckpt_reading(event, &["hook", agent]).exits(0);
    hook(named("SessionStart", r#","source":"earlier""#));
    for number in 0..4 {
        let id = format!(r#","prompt":"x","prompt_id":"{number}""#);
        hook(named("UserPromptSubmit", &id));
    }
    environment.write(PLAN, plan.replacen("[ ]", "[x]", 1));
    environment
}

/// Every file that hooks may write, except locks and the log.
fn files(environment: &Environment) -> BTreeMap<String, Vec<u8>> {
    tree::contents(&environment.path(""), |name| {
        name.starts_with(".git") || name.contains("/locks") || name.ends_with("hooks.jsonl")
    })
}

/// Replaces what differs from run to run.
fn plain(environment: &Environment, text: &str) -> String {
    let root = environment.path("");
    let root = root.display().to_string();
    let text = text.replace(root.trim_end_matches('/'), "ROOT");
    let mut plain = String::new();
    let mut rest = text.as_str();
    // A time has the length of 2026-02-20T12:00:00.000Z.
    while let Some(at) = rest.find("T").filter(|_| rest.len() >= 24) {
        let is_time = at >= 10
            && rest.get(at - 10..at + 14).is_some_and(|time| {
                let bytes = time.as_bytes();
                time.is_ascii() && bytes[4] == b'-' && bytes[13] == b':' && bytes[23] == b'Z'
            });
        match is_time {
            true => {
                plain += &rest[..at - 10];
                plain += "TIME";
                rest = &rest[at + 14..];
            }
            false => {
                plain += &rest[..=at];
                rest = &rest[at + 1..];
            }
        }
    }
    plain + rest
}

fn told(agent: &str, event: &str) -> String {
    let environment = prepared(agent);
    let root = environment.path("").display().to_string();
    let payload = event.replace("ROOT", root.trim_end_matches('/'));
    let before = files(&environment);
    let run = environment.ckpt_reading(payload, &["hook", agent]).exits(0);
    assert_eq!(run.stderr, "");
    let after = files(&environment);
    let mut text = format!("{agent} < {event}\n");
    for line in run.stdout.lines() {
        text += &format!("  > {}\n", plain(&environment, line));
    }
    for (name, content) in &after {
        match before.get(name) {
            Some(known) if known == content => {}
            Some(_) => text += &format!("  changed {name}\n"),
            None => text += &format!("  new {name}\n"),
        }
    }
    for name in before.keys().filter(|name| !after.contains_key(*name)) {
        text += &format!("  gone {name}\n");
    }
    let lines = |files: &BTreeMap<String, Vec<u8>>| {
        let text = files.get(HISTORY).cloned().unwrap_or_default();
        String::from_utf8(text).unwrap()
    };
    for line in lines(&after)[lines(&before).len()..].lines() {
        let mut line: serde_json::Value = serde_json::from_str(line).unwrap();
        let facts = line.as_object_mut().unwrap();
        for name in ["ts", "rev", "epoch", "head", "files", "seal"] {
            facts.remove(name);
        }
        text += &format!("  history {}\n", plain(&environment, &line.to_string()));
    }
    text
}

#[test]
fn every_event_of_every_agent_is_answered_and_changes_what_it_should() {
    let agents = ckpt_agents::Agent::ALL.map(ckpt_agents::Agent::as_str);
    let told_of: Vec<&str> = EVENTS.iter().map(|(agent, _)| *agent).collect();
    assert!(
        agents.iter().all(|agent| told_of.contains(agent)),
        "{told_of:?}"
    );
    let mut text = String::new();
    for (agent, events) in EVENTS {
        for event in events {
            text += &told(agent, event);
        }
    }
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/hooks.txt");
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&file, &text).unwrap();
    }
    let golden = std::fs::read_to_string(&file).unwrap_or_default();
    for (made, known) in text.lines().zip(golden.lines()) {
        assert_eq!(
            made, known,
            "UPDATE_GOLDEN=1 cargo nextest run -p ckpt-cli every_event_of_every_agent"
        );
    }
    assert_eq!(text.lines().count(), golden.lines().count());
}
