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
