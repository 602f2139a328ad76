use super::*;
use crate::install::places::{Scope, servers_file, settings_file};

fn servers(agent: Agent) -> Place {
    servers_file(agent, Scope::Project).expect("it has one")
}

fn with(text: &str, place: &Place, part: Part, program: &str) -> String {
    with_part(text, place, part, &Program::new(program)).expect("it can be edited")
}

/// Settings of every form, for each agent that has a file for servers.
fn samples() -> Vec<(Place, Part, Vec<&'static str>)> {
    let json = vec![
        "",
        "{}\n",
        "{\"mcpServers\": {}}",
        "{\n  // ours below\n  \"mcpServers\": {\n    \"other\": { \"command\": \"x\" }\n  }\n}\n",
        "{\"a\":1,\"mcpServers\":{\"b\":{\"command\":\"ckpt\",\"args\":[\"serve\"]}}}",
        "\u{feff}{\r\n\t\"theme\": \"dark\"\r\n}\r\n",
    ];
    let toml = vec![
        "",
        "model = \"x\"",
        "model = \"x\"\n\n[mcp_servers.other]\ncommand = \"y\"\n",
        "mcp_servers = { other = { command = \"y\" } }\n",
        "# a comment\n[features]\nhooks = true\n",
    ];
    let mut samples: Vec<_> = [Agent::Claude, Agent::Gemini, Agent::Cursor, Agent::Copilot]
        .map(|agent| (servers(agent), Part::McpServer, json.clone()))
        .into();
    samples.push((servers(Agent::Codex), Part::McpServer, toml));
    let claude = settings_file(Agent::Claude, Scope::Local);
    samples.push((
        claude,
        Part::StatusLine,
        vec!["", "{\n  \"model\": \"x\"\n}\n"],
    ));
    samples
}

#[test]
fn a_part_is_added_once_updated_in_place_and_taken_out_again() {
    for (place, part, texts) in samples() {
        for text in texts {
            let first = with(text, &place, part, "/opt/ckpt");
            let Standing::Ours(words) = standing(&first, &place, part) else {
                panic!("{place:?}: {first}");
            };
            assert_eq!(words[0], "/opt/ckpt");
            assert_eq!(with(&first, &place, part, "/opt/ckpt"), first);
            let moved = with(&first, &place, part, "ckpt");
            assert_eq!(moved, with(text, &place, part, "ckpt"));
            assert!(holds_ours(&moved, &place));
            let bare = stripped(&first, &place).expect("it can be edited");
            assert!(!holds_ours(&bare, &place), "{bare}");
            let is_same = |one: &str, two: &str| one.trim() == two.trim();
            let is_empty = matches!(text, "" | "{\"mcpServers\": {}}");
            assert!(is_empty || is_same(&bare, text), "{text:?} became {bare:?}");
        }
    }
}

#[test]
fn what_somebody_has_set_to_something_else_stays() {
    let claude = settings_file(Agent::Claude, Scope::Local);
    for (place, part, text) in [
        (
            servers(Agent::Claude),
            Part::McpServer,
            r#"{"mcpServers":{"ckpt":{"command":"docker","args":["mcp"]}}}"#,
        ),
        (
            servers(Agent::Codex),
            Part::McpServer,
            "[mcp_servers.ckpt]\nurl = \"http://127.0.0.1\"\n",
        ),
        (
            claude,
            Part::StatusLine,
            r#"{"statusLine":{"type":"command","command":"mine.sh"}}"#,
        ),
    ] {
        assert_eq!(standing(text, &place, part), Standing::Theirs);
        assert_eq!(with(text, &place, part, "ckpt"), text);
        assert_eq!(stripped(text, &place).as_deref(), Ok(text));
    }
}

#[test]
fn what_cannot_be_edited_is_an_error_with_its_place() {
    for (agent, text, expected) in [
        (
            Agent::Claude,
            "{\"mcpServers\": []}",
            "line 1, column 16: `mcpServers` must be an object, but this is an array",
        ),
        (
            Agent::Claude,
            "[]",
            "line 1, column 1: settings must be an object, but this is an array",
        ),
        (
            Agent::Codex,
            "a = 1\nmcp_servers = 3\n",
            "line 2, column 1: `mcp_servers` must be an object, but this is a number",
        ),
        (
            Agent::Codex,
            "a = 1\nb = \n",
            "line 2, column 5: not TOML: ",
        ),
    ] {
        let error = with_part(
            text,
            &servers(agent),
            Part::McpServer,
            &Program::new("ckpt"),
        );
        let error = error.expect_err("it cannot be edited").to_string();
        assert!(error.starts_with(expected), "{error}");
    }
}
