use ckpt::document::{Document, Pointer};

use super::{Found, added, found, removed};
use crate::agent::Agent;
use crate::install::{Place, Program, Scope, registrations, settings_file};

mod property;
mod round_trip;

/// The project's settings file, which every agent has.
fn place(agent: Agent) -> Place {
    settings_file(agent, Scope::Project)
}

fn with(text: &str, agent: Agent) -> String {
    added(text, &place(agent), &Program::new("/b/ckpt")).unwrap()
}

#[test]
fn hooks_have_the_form_that_each_agent_documents() {
    let expected = [
        (
            Agent::Claude,
            "/hooks/PreToolUse",
            r#"[{"matcher":"Bash|PowerShell|Agent|Task","hooks":[{"type":"command","command":"/b/ckpt hook claude","timeout":10}]}]"#,
        ),
        (
            Agent::Claude,
            "/hooks/SessionEnd",
            r#"[{"hooks":[{"type":"command","command":"/b/ckpt hook claude","timeout":5}]}]"#,
        ),
        (
            Agent::Codex,
            "/hooks/PostToolUse",
            r#"[{"matcher":"Edit|Write|apply_patch|Bash","hooks":[{"type":"command","command":"/b/ckpt hook codex","timeout":10}]}]"#,
        ),
        (
            Agent::Codex,
            "/hooks/SessionEnd",
            r#"[{"hooks":[{"type":"command","command":"/b/ckpt hook codex","timeout":3}]}]"#,
        ),
        (
            Agent::Gemini,
            "/hooks/BeforeTool",
            r#"[{"matcher":"run_shell_command","hooks":[{"name":"ckpt","type":"command","command":"/b/ckpt hook gemini","timeout":10000}]}]"#,
        ),
        (
            Agent::Cursor,
            "/hooks/postToolUse",
            r#"[{"command":"/b/ckpt hook cursor","timeout":10,"matcher":"Shell|Write"}]"#,
        ),
        (Agent::Cursor, "/version", "1"),
        (
            Agent::Copilot,
            "/hooks/Stop",
            r#"[{"type":"command","bash":"/b/ckpt hook copilot","powershell":"/b/ckpt hook copilot","timeoutSec":30}]"#,
        ),
        (Agent::Copilot, "/version", "1"),
    ];
    for (agent, pointer, expected) in expected {
        let document = Document::parse(with("", agent)).unwrap();
        let value = document.root().value();
        let pointer = Pointer::parse(pointer).unwrap();
        assert_eq!(value.at(&pointer).unwrap().to_compact(), expected);
    }
}

#[test]
fn a_version_is_named_only_where_a_file_is_for_hooks_alone() {
    let local = settings_file(Agent::Copilot, Scope::Local);
    let text = added("", &local, &Program::new("ckpt")).unwrap();
    assert!(!text.contains("version"));
    for agent in [Agent::Claude, Agent::Codex, Agent::Gemini] {
        assert!(!with("", agent).contains("version"));
    }
    assert!(with("{\"version\": 2}", Agent::Cursor).contains("\"version\": 2,"));
}

#[test]
fn new_hooks_follow_the_layout_of_the_file() {
    let tabs = with("{\n\t\"a\": 1, // one\n}\n", Agent::Gemini);
    let start = "{\n\t\"a\": 1, // one\n\t\"hooks\": {\n\t\t\"SessionStart\": [\n\t\t\t{\n\t\t\t\t\"hooks\": [\n";
    assert!(tabs.starts_with(start), "{tabs}");
    assert!(tabs.ends_with("\n\t\t]\n\t},\n}\n"), "{tabs}");
    let windows = with("{\r\n    \"a\": 1\r\n}", Agent::Gemini);
    assert_eq!(
        windows.matches('\n').count(),
        windows.matches("\r\n").count()
    );
    assert!(windows.contains("\r\n        \"SessionEnd\": [\r\n            {\r\n"));
    let line = with("{\"a\":1}", Agent::Cursor);
    assert!(line.starts_with(r#"{"a":1,"version":1,"hooks":{"sessionStart":[{"command":"/b/ckpt hook cursor","timeout":10}],"#));
    let spaced = with("{ \"a\": 1 }", Agent::Cursor);
    assert!(
        spaced.starts_with(r#"{ "a": 1, "version": 1, "hooks": {"sessionStart": [{"command": "#)
    );
}

#[test]
fn a_hook_from_before_is_brought_up_to_date_where_it_is() {
    let before = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "'/old/ckpt' hook claude", "statusMessage": "…" }] },
      { "matcher": "", "hooks": [{ "type": "command", "command": "echo" }] }
    ],
    "PreToolUse": [
      // shells
      { "matcher": "Bash", "hooks": [{ "type": "command", "command": "/old/ckpt", "args": ["hook", "claude"], "timeout": 99 }] }
    ],
    "SessionEnd": [
      { "hooks": [{ "type": "command", "command": "/b/ckpt", "args": ["hook", "claude"], "timeout": 5.0 }], "matcher": "clear" }
    ]
  }
}"#;
    let expected = r#"{
  "hooks": {
    "Stop": [
      { "hooks": [{ "type": "command", "command": "/b/ckpt hook claude", "statusMessage": "…", "timeout": 10 }] },
      { "matcher": "", "hooks": [{ "type": "command", "command": "echo" }] }
    ],
    "PreToolUse": [
      // shells
      { "matcher": "Bash|PowerShell|Agent|Task", "hooks": [{ "type": "command", "command": "/b/ckpt hook claude", "timeout": 10 }] }
    ],
    "SessionEnd": [
      { "hooks": [{ "type": "command", "command": "/b/ckpt hook claude", "timeout": 5.0 }] }
    ],
    "SessionStart": ["#;
    let after = with(before, Agent::Claude);
    assert!(after.starts_with(expected), "{after}");
    assert_eq!(with(&after, Agent::Claude), after);
}

#[test]
fn of_several_hooks_for_an_event_one_stays_and_those_of_other_events_go() {
    let before = r#"{"version":1,"hooks":{
  "stop": [{"command":"ckpt hook cursor"}, {"command":"other"}, {"command":"/x/ckpt hook cursor"}],
  "afterAgentResponse": [{"command":"ckpt hook cursor"}],
  "afterMCPExecution": [{"command":"ckpt hook cursor"}, {"command":"ckpt hook claude"}]
}}"#;
    let after = with(before, Agent::Cursor);
    let expected = r#"{"version":1,"hooks":{
  "stop": [{"command":"/b/ckpt hook cursor","timeout":10}, {"command":"other"}],
  "afterMCPExecution": [{"command":"ckpt hook claude"}],
  "sessionStart":"#;
    assert!(after.starts_with(expected), "{after}");
}

#[test]
fn handlers_of_others_stay_and_so_does_the_matcher_they_stand_under() {
    let shared = r#"{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"a"},{"type":"command","command":"ckpt","args":["hook","claude"]}]}]}}"#;
    let after = with(shared, Agent::Claude);
    let expected = r#"{"hooks":{"PreToolUse":[{"matcher":"Read","hooks":[{"type":"command","command":"a"}]},{"matcher":"Bash|PowerShell|Agent|Task","hooks":[{"type":"command","command":"/b/ckpt hook claude","#;
    assert!(after.starts_with(expected), "{after}");

    let right = shared.replace("Read", "Bash|PowerShell|Agent|Task");
    let after = with(&right, Agent::Claude);
    let expected = r#"{"hooks":{"PreToolUse":[{"matcher":"Bash|PowerShell|Agent|Task","hooks":[{"type":"command","command":"a"},{"type":"command","command":"/b/ckpt hook claude","timeout":10}]}],"#;
    assert!(after.starts_with(expected), "{after}");
    assert_eq!(
        removed(&after, Agent::Claude).unwrap(),
        r#"{"hooks":{"PreToolUse":[{"matcher":"Bash|PowerShell|Agent|Task","hooks":[{"type":"command","command":"a"}]}]}}"#
    );
}

#[test]
fn a_repeated_member_does_not_come_to_count_when_the_one_after_it_is_emptied() {
    let ours = r#"[{"command":"ckpt hook cursor"}]"#;
    let text = format!(r#"{{"hooks":{{"stop":[1]}},"hooks":{{"stop":[2],"stop":{ours}}}}}"#);
    let expected = r#"{"hooks":{"stop":[1]},"hooks":{"stop":[2],"stop":[]}}"#;
    assert_eq!(removed(&text, Agent::Cursor).unwrap(), expected);
    let text = format!(r#"{{"hooks":{{"stop":[1]}},"hooks":{{"stop":{ours}}}}}"#);
    let expected = r#"{"hooks":{"stop":[1]},"hooks":{}}"#;
    assert_eq!(removed(&text, Agent::Cursor).unwrap(), expected);
}

#[test]
fn arguments_that_an_agent_does_not_know_make_no_call_of_ours() {
    let theirs = r#"{"command":"ckpt","args":["hook","copilot"]}"#;
    let before = format!(r#"{{"version":1,"hooks":{{"Stop":[{theirs}]}}}}"#);
    let after = with(&before, Agent::Copilot);
    assert!(after.contains(&format!("[{theirs},{{")), "{after}");
    assert_eq!(with(&after, Agent::Copilot), after);
    assert_eq!(removed(&after, Agent::Copilot).unwrap(), before);
}

#[test]
fn a_command_line_that_is_only_quoted_in_another_way_is_not_touched() {
    let place = place(Agent::Codex);
    let text = added("{}", &place, &Program::new("/a b/ckpt")).unwrap();
    let quoted = text.replace("'/a b/ckpt' hook", "\\\"/a b/ckpt\\\" hook");
    assert_ne!(text, quoted);
    assert_eq!(
        added(&quoted, &place, &Program::new("/a b/ckpt")).unwrap(),
        quoted
    );
}

#[test]
fn settings_of_another_form_are_refused_with_the_place_of_the_trouble() {
    let refusal = |text: &str| {
        let refusal = added(text, &place(Agent::Claude), &Program::new("ckpt"));
        refusal.unwrap_err().to_string()
    };
    assert_eq!(
        refusal("{\n  \"ä\": x\n}"),
        "line 2, column 8: not JSON: unexpected word"
    );
    assert_eq!(
        refusal("{\"a\": 1"),
        "line 1, column 1: not JSON: unterminated object"
    );
    assert_eq!(
        refusal("{'a': 1}"),
        "line 1, column 2: not JSON: single-quoted strings are not allowed"
    );
    assert_eq!(
        refusal("{\"a\": 1 \"b\": 2}"),
        "line 1, column 8: not JSON: expected comma"
    );
    assert_eq!(
        refusal("\n []"),
        "line 2, column 2: settings must be an object, but this is an array"
    );
    assert_eq!(
        refusal("// nothing\n"),
        "line 1, column 1: settings must be an object, but this is nothing"
    );
    assert_eq!(
        refusal("\u{feff}{\n\t\"hooks\": []}"),
        "line 2, column 11: `hooks` must be an object, but this is an array"
    );
    assert_eq!(
        refusal("{\"hooks\": {\"Stop\": {}}}"),
        "line 1, column 20: `Stop` must be an array of hooks, but this is an object"
    );
    assert!(
        added(
            "{\"hooks\": {\"disabled\": true}}",
            &place(Agent::Gemini),
            &Program::new("ckpt")
        )
        .is_ok()
    );
}

#[test]
fn what_is_there_is_found_with_its_command_and_whether_it_is_current() {
    for agent in Agent::ALL {
        let path = "/opt/my \"tools\"/ckpt";
        let text = added("// x\n{}", &place(agent), &Program::new(path)).unwrap();
        let expected: Vec<Found> = registrations(agent)
            .iter()
            .map(|registration| Found {
                event: registration.event.to_owned(),
                words: [path, "hook", agent.as_str()].map(str::to_owned).to_vec(),
                is_current: true,
            })
            .collect();
        assert_eq!(found(&text, agent), expected);
    }
    let text = r#"{"version":1,"hooks":{"stop":[{"command":"ckpt hook cursor","timeout":10},{"command":"ckpt hook cursor","timeout":10}],
        "sessionStart":[{"command":"ckpt hook cursor"}],"other":[{"command":"ckpt hook cursor","timeout":10}],
        "preToolUse":[{"command":"ckpt hook cursor","timeout":10}],"preCompact":[1,"ckpt hook cursor",{"command":["ckpt"]}]}}"#;
    let found: Vec<_> = found(text, Agent::Cursor)
        .into_iter()
        .map(|found| (found.event, found.is_current))
        .collect();
    let expected = [
        ("stop", true),
        ("stop", false),
        ("sessionStart", false),
        ("other", false),
        ("preToolUse", false),
    ];
    assert_eq!(
        found,
        expected.map(|(event, current)| (event.to_owned(), current))
    );
    assert_eq!(super::found("not JSON", Agent::Cursor), []);
}
