//! Every command prints what its schema says.

use serde_json::Value;

use crate::support::environment::{Environment, Run};
use crate::support::schema::{problems, schema};

/// Commands that print no object: scripts, manual pages, and what agents and clients read.
const WITHOUT_OBJECT: [&str; 5] = ["completions", "man", "mcp", "hook", "statusline"];

#[test]
fn every_command_that_prints_an_object_has_its_schema() {
    let reference = include_str!("../../../../../docs/cli.md");
    let commands = reference.lines().filter_map(|line| {
        let name = line.trim_start_matches('#').trim();
        line.starts_with('#')
            .then(|| name.trim_matches('`').strip_prefix("ckpt "))?
    });
    let commands: Vec<&str> = commands.collect();
    assert!(commands.len() > 60, "{commands:?}");
    let schema = schema("output");
    for command in &commands {
        let has_own = commands
            .iter()
            .any(|other| other.starts_with(&format!("{command} ")));
        let is_described = schema["properties"].get(command).is_some();
        assert!(
            is_described || has_own || WITHOUT_OBJECT.contains(command),
            "{command}"
        );
    }
}

/// Asserts that what a command prints matches its schema.
fn assert_output(schema: &Value, command: &str, run: &Run) {
    let mut instance = run.json();
    assert_eq!(instance["format"], 1, "{command}");
    instance.as_object_mut().unwrap().remove("format");
    let own = &schema["properties"][command];
    assert!(own.is_object(), "no schema of {command}");
    let mut whole = own.clone();
    whole["$defs"] = schema["$defs"].clone();
    whole["$schema"] = schema["$schema"].clone();
    assert_eq!(
        problems(&whole, &instance),
        Vec::<String>::new(),
        "{command}: {instance}"
    );
    // Every member is one that the schema knows.
    let resolved = own["$ref"].as_str().map_or(own, |name| {
        &schema["$defs"][name.rsplit('/').next().unwrap()]
    });
    let mut known: Vec<&String> = resolved["properties"]
        .as_object()
        .into_iter()
        .flat_map(|p| p.keys())
        .collect();
    for alternative in resolved["oneOf"].as_array().into_iter().flatten() {
        known.extend(
            alternative["properties"]
                .as_object()
                .into_iter()
                .flat_map(|p| p.keys()),
        );
    }
    for member in instance.as_object().unwrap().keys() {
        assert!(
            known.contains(&member),
            "{command}: {member} is not in the schema"
        );
    }
}

#[test]
fn every_command_prints_what_its_schema_says() {
    let schema = schema("output");
    let environment = Environment::new();
    environment.write("a.txt", "One sentence. Another one.\n");
    environment.write("s.md", "---\nprd: PRD-009\nworkstreams: { A: { gate: t }, B: { depends_on: [A] } }\ngates: { t: { command: 'true' } }\n---\n");
    environment.write(
        "plans/260220-1149-x/plan.md",
        "- [ ] A <!-- TASK: a -->\n- [ ] C <!-- ACCEPT: c -->\n- [ ] loose\n",
    );
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Start"]);
    let request = r#"{"task_id":"T","phase":"write","mode":"code","context":{"feature":"f"},"instructions":"i","expected_output":"files_changed"}"#;
    environment.write("request.json", request);
    environment.write("response.json", r#"{"task_id":"T","phase":"write","status":"complete","decision":"STOP","findings":{},"context_summary":"s"}"#);
    for (command, rest) in [
        ("start", &["implement", "auth"][..]),
        ("init", &["--dry-run"]),
        ("init", &["--agent", "claude"]),
        ("doctor", &[]),
        ("doctor", &["--fix"]),
        ("init", &["--uninstall"]),
        (
            "phase",
            &["implement/auth", "implementation", "failed", "--error", "e"],
        ),
        ("list", &[]),
        ("show", &["implement/auth"]),
        ("status", &[]),
        ("resume", &["implement/auth", "--drift"]),
        ("resume", &[]),
        ("log", &["implement/auth"]),
        ("log", &[]),
        ("diff", &["implement/auth"]),
        ("undo", &["implement/auth"]),
        ("restore", &["implement/auth", "2"]),
        ("validate", &["implement/auth"]),
        ("tokens", &["a.txt", "--limit", "9"]),
        ("tokens --fit", &["2", "a.txt"]),
        ("gate set", &["implement/auth", "--allow"]),
        ("gate check", &["implement/auth"]),
        ("gate set", &["implement/auth", "--block", "x"]),
        ("gate check", &["implement/auth"]),
        ("gate override", &["implement/auth", "--reason", "r"]),
        ("gate show", &["implement/auth"]),
        ("ship check", &["implement/auth"]),
        ("ship text", &["implement/auth"]),
        ("ship preview", &["implement/auth"]),
        ("handoff check", &["request.json"]),
        ("handoff fix", &["request.json"]),
        ("handoff reply", &["implement/auth", "response.json"]),
        ("handoff doc", &[]),
        ("handoff doc --write", &["handoff.md"]),
        (
            "handoff new",
            &[
                "--task",
                "T",
                "--phase",
                "write",
                "--mode",
                "code",
                "--feature",
                "f",
                "--instructions",
                "i",
            ],
        ),
        ("schema", &["command"]),
        ("config", &[]),
        ("config set", &["summary_limit", "400"]),
        ("config get", &["summary_limit"]),
        ("complete", &["implement/auth", "--force"]),
        ("start", &["implement", "auth", "--again"]),
        ("abandon", &["implement/auth", "--reason", "r"]),
        ("pipeline init", &["s.md"]),
        ("pipeline next", &["PRD-009"]),
        ("pipeline start", &["PRD-009", "A"]),
        ("pipeline gate run", &["PRD-009", "t", "--for", "A"]),
        ("pipeline gate check", &["PRD-009"]),
        ("pipeline gate pass", &["PRD-009", "t", "--for", "A"]),
        ("pipeline done", &["PRD-009", "A"]),
        ("pipeline resume", &["PRD-009"]),
        ("pipeline show", &["PRD-009"]),
        ("pipeline graph", &["PRD-009", "--dot"]),
        ("pipeline note", &["PRD-009", "--cleanup", "x"]),
        ("pipeline validate", &["PRD-009"]),
        ("resume", &["PRD-009"]),
        ("plan mark --dry-run", &[]),
        ("plan mark", &[]),
        ("plan merge", &["README.md", "README.md", "README.md"]),
        ("plan next", &[]),
        ("plan claim", &["a"]),
        ("plan done", &["a"]),
        ("plan accept", &["c"]),
        ("plan block", &["b"]),
        ("plan show", &[]),
        ("plan validate", &[]),
        ("plan use", &["260220-1149-x"]),
        ("list", &[]),
        ("status", &["--all"]),
    ] {
        let words: Vec<&str> = command.split(' ').collect();
        let run = environment.ckpt(&[&words[..], rest, &["--json"]].concat());
        assert!(matches!(run.code, Some(0 | 4 | 6)), "{command}: {run}");
        assert_output(&schema, command, &run);
    }
    let run = environment.ckpt(&["gate", "run", "implement/auth", "t", "--json", "--", "true"]);
    assert_output(&schema, "gate run", &run);
    assert_output(
        &schema,
        "error",
        &environment.ckpt(&["show", "nothing", "--json"]).exits(3),
    );
}
