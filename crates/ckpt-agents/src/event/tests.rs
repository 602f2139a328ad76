use std::path::PathBuf;

use super::{Event, Happening, Subagent, Tool};

#[test]
fn who_where_and_which_is_read_under_all_its_names() {
    let event = Event::read(
        br#"{"session_id":"abc","prompt_id":"p","tool_use_id":"toolu_1","cwd":"/w","agent_id":"d","agent_type":"Explore",
            "agent_transcript_path":"/a.jsonl","transcript_path":"/t.jsonl","hook_event_name":"PostToolUse"}"#,
    )
    .unwrap();
    assert_eq!(event.session.as_deref(), Some("abc"));
    assert_eq!(event.id.as_deref(), Some("toolu_1"));
    assert_eq!(event.directory, Some(PathBuf::from("/w")));
    assert_eq!(event.transcript, Some(PathBuf::from("/a.jsonl")));
    let subagent = Subagent {
        id: "d".to_owned(),
        kind: "Explore".to_owned(),
    };
    assert_eq!(event.subagent, Some(subagent));
    let event = Event::read(
        br#"{"session_id":"s","conversation_id":"c","generation_id":"g","cwd":"","workspace_roots":["/r","/q"]}"#,
    )
    .unwrap();
    assert_eq!(event.session.as_deref(), Some("c"));
    assert_eq!(event.id.as_deref(), Some("g"));
    assert_eq!(event.directory, Some(PathBuf::from("/r")));
    assert_eq!(event.happening, Happening::Other);
    assert!(Event::read(b"{ no json").is_err());
}

/// What Copilot sends of a sub-agent.
fn copilot(rest: &str) -> Event {
    let text = format!(
        r#"{{"session_id":"child","cwd":"/w","agent_id":"child","agent_type":"general-purpose",
            "parent_agent_id":"parent",{rest}}}"#
    );
    Event::read(text.as_bytes()).unwrap()
}

#[test]
fn what_happens_in_a_sub_agent_of_copilot_happens_in_the_session_of_its_parent() {
    for rest in [
        r#""hook_event_name":"UserPromptSubmit","prompt":"/ship""#,
        r#""hook_event_name":"Stop","stop_hook_active":false"#,
    ] {
        let event = copilot(rest);
        assert_eq!(event.session.as_deref(), Some("parent"), "{rest}");
        assert_eq!(event.happening, Happening::Other, "{rest}");
    }
    let edit = copilot(
        r#""hook_event_name":"PostToolUse","tool_name":"Edit","tool_input":{"path":"plan.md"}"#,
    );
    assert_eq!(edit.session.as_deref(), Some("parent"));
    assert!(matches!(
        edit.happening,
        Happening::AfterTool(Tool::Edit { .. })
    ));
    assert_eq!(edit.subagent.unwrap().id, "child");
}

#[test]
fn a_sub_agent_of_copilot_that_begins_without_a_name_of_the_event_is_recognised() {
    let event = Event::read(
        br#"{"sessionId":"parent","timestamp":1794787712776,"cwd":"/w","agentName":"general-purpose",
            "agent_id":"child","agent_type":"general-purpose","parent_agent_id":"parent"}"#,
    )
    .unwrap();
    assert_eq!(event.name, "SubagentStart");
    assert_eq!(event.session.as_deref(), Some("parent"));
    let task = String::new();
    assert_eq!(event.happening, Happening::SubagentStart { task });
    assert_eq!(event.subagent.unwrap().id, "child");
}

#[test]
fn what_gemini_sends_before_each_call_of_the_model_is_no_compaction() {
    let event = Event::read(br#"{"hook_event_name":"PreCompress","trigger":"auto"}"#).unwrap();
    assert_eq!(event.happening, Happening::Other);
}

#[test]
fn a_command_that_failed_may_have_changed_something() {
    let event = Event::read(
        br#"{"hook_event_name":"PostToolUseFailure","tool_name":"Bash","tool_input":{"command":"sed -i x; exit 3"},
            "error":"Exit code 3","is_interrupt":false}"#,
    )
    .unwrap();
    let command = "sed -i x; exit 3".to_owned();
    assert_eq!(
        event.happening,
        Happening::AfterTool(Tool::Shell { command })
    );
}

#[test]
fn every_client_has_its_own_name_for_giving_a_task_to_a_sub_agent() {
    let spawned = |tool: &str, input: &str| {
        let text = format!(
            r#"{{"hook_event_name":"PreToolUse","tool_name":"{tool}","tool_input":{input}}}"#
        );
        match Event::read(text.as_bytes()).unwrap().happening {
            Happening::BeforeTool(Tool::Spawn { kind, prompt }) => (kind, prompt),
            other => panic!("{tool}: {other:?}"),
        }
    };
    let expected = |kind: &str| (kind.to_owned(), "Do b".to_owned());
    let claude = spawned("Agent", r#"{"prompt":"Do b","subagent_type":"Explore"}"#);
    assert_eq!(claude, expected("Explore"));
    let codex = spawned(
        "collaborationspawn_agent",
        r#"{"task_name":"eland","message":"Do b","fork_turns":"none"}"#,
    );
    assert_eq!(codex, expected("default"));
    let gemini = spawned("invoke_agent", r#"{"agent_name":"coder","prompt":"Do b"}"#);
    assert_eq!(gemini, expected("coder"));
}
