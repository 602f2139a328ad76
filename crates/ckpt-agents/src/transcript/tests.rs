use super::*;

const LINES: &str = r#"{"type":"user","message":{"role":"user","content":"do it"}}
{"type":"assistant","message":{"role":"assistant","content":[{"type":"text","text":"I begin."},{"type":"tool_use","name":"Write","input":{"file_path":"/p/a.rs","content":""}}]}}
not json
{"type":"assistant","message":{"content":[{"type":"tool_use","name":"Edit","input":{"file_path":"/p/b.rs"}},{"type":"tool_use","name":"Edit","input":{"file_path":"/p/a.rs"}},{"type":"tool_use","name":"Bash","input":{"command":"ls"}}]}}
{"type":"assistant","message":{"content":"The schema is there."}}
{"type":"assistant","message":{"content":[{"type":"te"#;

#[test]
fn a_transcript_shows_files_and_the_last_message_even_if_it_is_cut_off() {
    assert_eq!(
        Transcript::read(LINES.as_bytes()),
        Transcript {
            last_words: Some("The schema is there.".to_owned()),
            created: vec!["/p/a.rs".to_owned()],
            modified: vec!["/p/b.rs".to_owned()],
        }
    );
}

#[test]
fn a_file_that_is_not_a_transcript_shows_nothing() {
    for content in [
        "",
        "\u{0}\u{1}",
        "[]",
        "{}\n{\"type\":\"assistant\"}",
        "null",
    ] {
        assert_eq!(Transcript::read(content.as_bytes()), Transcript::default());
    }
    for path in ["/", "/dev/zero", "/nowhere"] {
        assert_eq!(Transcript::load(Path::new(path)), Transcript::default());
    }
}

#[test]
fn the_transcript_of_a_sub_agent_is_beside_that_of_its_session() {
    let path = of_subagent(Path::new("/t/abc.jsonl"), "def456");
    assert_eq!(
        path,
        Some(PathBuf::from("/t/abc/subagents/agent-def456.jsonl"))
    );
    for id in ["", "../x", "a/b"] {
        assert_eq!(of_subagent(Path::new("/t/abc.jsonl"), id), None);
    }
}

#[test]
fn each_agent_keeps_its_last_words_in_its_own_form() {
    for (name, lines) in [
        (
            "codex",
            r#"{"timestamp":"t","type":"event_msg","payload":{"type":"agent_message","message":"Early."}}
{"type":"response_item","payload":{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch\n*** Add File: a.rs\n+x\n*** Update File: b.rs\n*** End Patch"}}
{"type":"response_item","payload":{"type":"message","role":"user","content":[{"type":"input_text","text":"Go on."}]}}
{"type":"response_item","payload":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"Now the index."}]}}"#,
        ),
        (
            "codex, finished",
            r#"{"type":"event_msg","payload":{"type":"task_complete","last_agent_message":"Now the index."}}"#,
        ),
        (
            "gemini",
            r#"{"type":"user","content":"Go on."}
{"type":"gemini","content":"Now the index."}"#,
        ),
        (
            "gemini in parts",
            r#"{"type":"gemini","content":[{"text":"Now"},{"text":"the index."}]}"#,
        ),
        (
            "copilot",
            r#"{"type":"user.message","data":{"content":"Go on."}}
{"type":"assistant.message","data":{"content":"Now the index."}}"#,
        ),
    ] {
        let transcript = Transcript::read(lines.as_bytes());
        assert_eq!(
            transcript.last_words.as_deref(),
            Some("Now the index."),
            "{name}"
        );
        if name == "codex" {
            assert_eq!(transcript.created, ["a.rs"]);
            assert_eq!(transcript.modified, ["b.rs"]);
        }
    }
}
