use std::path::PathBuf;

use super::{Event, Happening, Subagent};

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
