//! Sessions from their beginning to their end, with sub-agents that work, report and die.

use serde_json::{Value, json};

use crate::support::agent::{Agent, HISTORY, PLAN, context, history, names, planned, state};
use crate::support::environment::{CKPT, Environment, Run};

const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: db-schema -->\n\
    - [ ] Write the middleware <!-- TASK: auth-middleware -->\n\
    - [ ] Write the form <!-- TASK: form -->\n";

fn with_done(tasks: &[&str]) -> String {
    let line = |line: &str| match tasks
        .iter()
        .any(|task| line.contains(&format!("TASK: {task} ")))
    {
        true => line.replace("[ ]", "[x]") + "\n",
        false => line.to_owned() + "\n",
    };
    TEXT.lines().map(line).collect()
}

const FULLSTACK: (&str, &str) = ("def456", "fullstack");

/// A sub-agent is given a prompt, and begins.
fn spawn(agent: &Agent<'_>, (id, kind): (&str, &str), prompt: &str) {
    let asked =
        json!({"tool_name": "Agent", "tool_input": {"subagent_type": kind, "prompt": prompt}});
    agent.hook("PreToolUse", &asked);
    for _ in 0..2 {
        // Hooks may fire twice.
        agent.hook(
            "SubagentStart",
            &json!({"agent_id": id, "agent_type": kind}),
        );
    }
}

fn stops(agent: &Agent<'_>, (id, kind): (&str, &str), report: &str) -> String {
    let members = json!({"agent_id": id, "agent_type": kind, "stop_hook_active": false, "last_assistant_message": report});
    agent.hook("SubagentStop", &members).stdout
}

#[test]
fn a_life_is_recorded_once_and_in_order_and_the_next_session_knows_where_it_ended() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.writes(PLAN, &with_done(&["db-schema"]));
    spawn(&agent, FULLSTACK, "Please do auth-middleware, see plan.md.");
    let in_subagent = |members: &Value| {
        let mut members = members.clone();
        let all = members.as_object_mut().unwrap();
        all.insert("agent_id".into(), json!(FULLSTACK.0));
        all.insert("agent_type".into(), json!(FULLSTACK.1));
        members
    };
    environment.write(PLAN, with_done(&["db-schema", "auth-middleware"]));
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    agent.hook("PostToolUse", &in_subagent(&edit));
    for _ in 0..2 {
        assert_eq!(
            stops(
                &agent,
                FULLSTACK,
                "Completed auth-middleware, and form is done."
            ),
            ""
        );
    }
    for number in 0..5 {
        let prompt = json!({"prompt": "go on", "prompt_id": format!("p{number}")});
        agent.hook("UserPromptSubmit", &prompt);
    }
    environment.write(
        "../transcripts/s1.jsonl",
        r#"{"type":"assistant","message":{"content":[{"type":"text","text":"Now the form."}]}}"#,
    );
    agent.hook("PreCompact", &json!({"trigger": "auto"}));
    let compacted = agent.hook("SessionStart", &json!({"source": "compact"}));
    assert!(
        context(&compacted).contains("NEXT\nCheck and finish task form \"Write the form\""),
        "{compacted}"
    );
    agent.dies();

    let (next, run) = Agent::begin(&environment, "s2");
    let brief = context(&run);
    assert!(
        brief.starts_with("In focus: 260220-1149-x, 2 of 3 tasks done.\nCHECK FIRST\n"),
        "{brief}"
    );
    for told in [
        "\n- Session s1 (claude) died without SessionEnd",
        "Last words: \"Now the form.\"",
        "\n- subagent:fullstack reports form \"Write the form\" as done, but it is not ticked",
        "\nNEXT\nCheck and finish task form \"Write the form\"",
    ] {
        assert!(brief.contains(told), "{told}: {brief}");
    }
    drop(next);

    let lines = history(&environment);
    assert_eq!(
        names(&lines),
        [
            "checkpoint_created",
            "task_completed",
            "subagent_started",
            "task_completed",
            "subagent_stopped",
            "backup_created",
            "notes_replaced",
            "backup_created",
            "session_crash",
            "session_recovered",
        ]
    );
    // The members of the format, in its order.
    let text = environment.read(HISTORY);
    for part in [
        r#""event":"subagent_started","agentType":"fullstack","tasks":["auth-middleware"],"#,
        r#""event":"task_completed","taskId":"auth-middleware","by":"subagent:fullstack","#,
        r#""event":"subagent_stopped","agentType":"fullstack","completed":1,"#,
        r#""event":"session_crash","lastKnownState":"recovery.json","#,
        r#""event":"session_recovered","from":"recovery.json","tasksRestored":2,"#,
    ] {
        assert_eq!(text.matches(part).count(), 1, "{part} in {text}");
    }
    assert_eq!(lines[4]["claimed"], json!(["form"]));
    let state = state(&environment);
    let subagent = &state["agents"]["def456"];
    assert_eq!(subagent["type"], "fullstack");
    assert_eq!(subagent["completedTasks"], json!(["auth-middleware"]));
    assert_eq!(subagent["claimedTasks"], json!(["form"]));
    let copy = environment.read("plans/260220-1149-x/.checkpoint/recovery.json");
    let copy: Value = serde_json::from_str(&copy).unwrap();
    assert_eq!(copy["reason"], "pre_compact");
    let notes = copy["state"]["sessionNotes"].as_str().unwrap();
    assert!(
        notes.starts_with("Last session: claude, compacted at "),
        "{notes}"
    );
    assert!(
        !environment.read(PLAN).contains("[x] Write the form"),
        "nobody ticked it"
    );
}

#[test]
fn the_claims_of_a_crashed_session_are_free_even_before_the_crash_is_reported() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    let by_session = |environment: &Environment| {
        let mut command = environment.command(CKPT);
        command.args(["--by", "team:a", "plan", "claim", "db-schema"]);
        command.env("CLAUDE_CODE_SESSION_ID", "s1");
        Run::of(&mut command).exits(0);
    };
    by_session(&environment);
    let next = |environment: &Environment| environment.ckpt(&["plan", "next"]).exits(0).stdout;
    assert!(
        next(&environment).contains("auth-middleware"),
        "{}",
        next(&environment)
    );
    agent.dies();
    let offered = next(&environment);
    assert!(
        offered.contains("db-schema") && offered.contains("team:a"),
        "{offered}"
    );
    let (second, _) = Agent::begin(&environment, "s2");
    let offered = next(&environment);
    assert!(
        offered.contains("db-schema") && offered.contains("team:a"),
        "{offered}"
    );
    environment.ckpt(&["plan", "claim", "db-schema"]).exits(0);
    assert!(
        environment
            .read(HISTORY)
            .contains(r#""lapsedFrom":"team:a""#)
    );
    drop(second);
}

#[test]
fn a_sub_agent_that_dies_with_its_session_leaves_what_its_transcript_shows() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    spawn(&agent, FULLSTACK, "Do `db-schema`");
    let claimed = environment.ckpt(&["plan", "next"]).exits(0).stdout;
    assert!(claimed.contains("auth-middleware"), "{claimed}");
    let written = environment.path("src/schema.rs");
    let line = json!({"type": "assistant", "message": {"content": [
        {"type": "tool_use", "name": "Write", "input": {"file_path": written}},
        {"type": "text", "text": "The tables are there, the index is missing."},
    ]}});
    environment.write(
        "../transcripts/s1/subagents/agent-def456.jsonl",
        format!("{line}\n{{\"type\":\"as"),
    );
    agent.dies();
    let (second, run) = Agent::begin(&environment, "s2");
    let brief = context(&run);
    assert!(
        brief.contains(
            "Sub-agent def456 (fullstack) died without a report, at work on db-schema; it wrote src/schema.rs."
        ),
        "{brief}"
    );
    assert!(brief.contains("the index is missing"), "{brief}");
    let lines = history(&environment);
    let crash = &names(&lines)[2..5];
    assert_eq!(
        crash,
        ["session_crash", "subagent_stopped", "session_recovered"]
    );
    let handoff = lines[3]["handoff"].to_string();
    let checked = environment.ckpt_reading(
        handoff,
        &["handoff", "check", "-", "--kind", "response", "--strict"],
    );
    checked.exits(0);
    let offered = environment.ckpt(&["plan", "next"]).exits(0).stdout;
    assert!(offered.contains("db-schema"), "{offered}");
    // Once its task is done, the crash is no longer reported.
    second.writes(PLAN, &with_done(&["db-schema"]));
    let later = second.hook("SessionStart", &json!({"source": "compact"}));
    assert!(!context(&later).contains("Died"), "{later}");
}

#[test]
fn a_goodbye_ends_sub_agents_and_claims_without_a_crash() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    spawn(&agent, FULLSTACK, "db-schema please");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    let lines = history(&environment);
    assert_eq!(
        names(&lines),
        [
            "checkpoint_created",
            "subagent_started",
            "subagent_stopped",
            "notes_replaced",
            "backup_created"
        ]
    );
    assert_eq!(lines[2]["died"], json!(true));
    drop(agent);
    let (_second, run) = Agent::begin(&environment, "s2");
    assert!(!context(&run).contains("ended unexpectedly"), "{run}");
}

#[test]
fn a_handoff_that_cannot_be_taken_is_sent_back_once_with_the_figure() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    spawn(&agent, FULLSTACK, "db-schema");
    let response = |summary: &str| {
        json!({"task_id": "db-schema", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": summary}).to_string()
    };
    let long = response(&"word ".repeat(612));
    let answer: Value = serde_json::from_str(&stops(&agent, FULLSTACK, &long)).unwrap();
    assert_eq!(answer["decision"], "block");
    let reason = answer["reason"].as_str().unwrap();
    assert!(
        reason.contains("exceeds 500 token limit (actual: 612 tokens)"),
        "{reason}"
    );
    assert!(!environment.read(HISTORY).contains("subagent_stopped"));
    // A second hook for the same event says nothing more, and nothing is recorded.
    assert_eq!(stops(&agent, FULLSTACK, &long), "");
    assert!(!environment.read(HISTORY).contains("subagent_stopped"));
    // The second time it may stop: a summary that is too long is now only a warning.
    let still_long = response(&"word ".repeat(611));
    assert_eq!(stops(&agent, FULLSTACK, &still_long), "");
    let lines = history(&environment);
    assert_eq!(names(&lines).last(), Some(&"subagent_stopped"));
    assert!(lines.last().unwrap()["handoff"]["context_summary"].is_string());
    // Another one does it right.
    spawn(&agent, ("e", "ui"), "form");
    assert_eq!(
        stops(
            &agent,
            ("e", "ui"),
            &format!("Here:\n```json\n{}\n```\n", response("The form stands."))
        ),
        ""
    );
    assert_eq!(
        state(&environment)["agents"]["e"]["handoff"]["context_summary"],
        "The form stands."
    );
    // Without a record of the session nobody is sent back, so there is no loop.
    for _ in 0..2 {
        let members = json!({"session_id": "unknown", "agent_id": "f", "agent_type": "ui", "last_assistant_message": "{\"task_id\": \"x\", \"status\":"});
        assert_eq!(agent.hook("SubagentStop", &members).stdout, "");
    }
}

#[test]
fn a_report_that_is_handed_back_counts_more_than_the_last_words() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    spawn(&agent, FULLSTACK, "db-schema");
    let handed = json!({"agent_id": FULLSTACK.0, "agent_type": FULLSTACK.1, "tool_name": "SubagentHandback", "tool_input": {"message": "db-schema is done"}});
    agent.hook("PostToolUse", &handed);
    stops(&agent, FULLSTACK, "Bye.");
    assert_eq!(
        state(&environment)["agents"]["def456"]["claimedTasks"],
        json!(["db-schema"])
    );
    // Internal sub-agents have no type, and are ignored.
    let before = environment.read(HISTORY);
    agent.hook("SubagentStart", &json!({"agent_id": "z", "agent_type": ""}));
    agent.hook(
        "SubagentStop",
        &json!({"agent_id": "z", "agent_type": "", "last_assistant_message": "form done"}),
    );
    assert_eq!(environment.read(HISTORY), before);
}

#[test]
fn a_commit_tells_what_it_makes_stale() {
    let environment = planned(TEXT);
    environment.write("a", "1");
    environment.git(&["add", "-A"]);
    environment.git(&["commit", "--quiet", "-m", "one"]);
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build"])
        .exits(0);
    let (agent, _) = Agent::begin(&environment, "s1");
    assert_eq!(agent.shell("ls").stdout, "");
    let run = agent
        .shell("echo 2 > a && git add a && git -c user.name=a -c user.email=a@b commit -qm two");
    let told = context(&run);
    assert!(
        told.starts_with("HEAD moved from ")
            && told.ends_with(
                "Saved or proven at an earlier commit, so possibly out of date: implement/auth."
            ),
        "{told}"
    );
    assert_eq!(agent.shell("ls").stdout, "", "once");
}

#[test]
fn an_agent_that_stops_early_is_told_what_is_next_if_the_user_wants_that() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    let stop = json!({"stop_hook_active": false, "background_tasks": []});
    assert_eq!(agent.hook("Stop", &stop).stdout, "");
    environment
        .ckpt(&["config", "set", "--user", "continue_unfinished", "true"])
        .exits(0);
    let paused = json!({"background_tasks": [{"id": "b", "type": "shell"}]});
    assert_eq!(agent.hook("Stop", &paused).stdout, "");
    let nudged = agent.hook("Stop", &stop).json();
    assert_eq!(nudged["decision"], "block");
    let reason = nudged["reason"].as_str().unwrap();
    assert!(
        reason.contains("0 of 3 tasks")
            && reason.contains("Next: task db-schema: \"Make the schema\""),
        "{reason}"
    );
    assert_eq!(agent.hook("Stop", &stop).stdout, "", "once for a task");
    environment.ckpt(&["plan", "done", "db-schema"]).exits(0);
    environment.ckpt(&["plan", "block", "no key"]).exits(0);
    assert_eq!(
        agent.hook("Stop", &stop).stdout,
        "",
        "what is blocked may stop"
    );
    environment.ckpt(&["plan", "unblock", "no key"]).exits(0);
    // It was sent back before, and this is another task.
    let again = agent.hook("Stop", &json!({"stop_hook_active": true}));
    assert!(again.stdout.contains("auth-middleware"), "{again}");
}

#[test]
fn a_build_is_resumed_by_any_name_of_its_pipeline_or_by_none_if_only_one_is_in_flight() {
    let environment = Environment::new();
    let spec = |id: &str| format!("---\nprd: {id}\nworkstreams:\n  WS1: {{ name: Data }}\n---\n");
    environment.write("one.md", spec("PRD-001"));
    environment.ckpt(&["pipeline", "init", "one.md"]).exits(0);
    let (agent, _) = Agent::begin(&environment, "s1");
    let says = |prompt: &str| context(&agent.hook("UserPromptSubmit", &json!({"prompt": prompt})));
    for prompt in [
        "/build --resume",
        "/build prd-001 --resume",
        "/build PRD --resume",
    ] {
        let told = says(prompt);
        assert!(told.contains("Resuming PRD-001"), "{prompt}: {told}");
    }
    environment.write("two.md", spec("PRD-002"));
    environment.ckpt(&["pipeline", "init", "two.md"]).exits(0);
    for prompt in ["/build --resume", "/build PRD --resume"] {
        let told = says(prompt);
        assert!(
            told.contains("PRD-001") && told.contains("PRD-002"),
            "{told}"
        );
        assert!(told.contains("Ask the user which one"), "{prompt}: {told}");
    }
    let told = says("/build NOPE --resume");
    assert!(told.contains("There is no pipeline NOPE"), "{told}");
}

#[test]
fn two_installations_brief_a_session_once_at_each_beginning() {
    let environment = planned(TEXT);
    let (agent, first) = Agent::begin(&environment, "s1");
    assert!(
        first
            .stdout
            .contains("where work in this repository stands"),
        "{first}"
    );
    let start = |source: &str| agent.hook("SessionStart", &json!({ "source": source }));
    assert_eq!(start("startup").stdout, "");
    assert!(start("compact").stdout.contains("NEXT"));
    assert_eq!(start("compact").stdout, "");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    assert!(start("resume").stdout.contains("NEXT"));
    assert_eq!(start("resume").stdout, "");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    assert!(start("resume").stdout.contains("NEXT"));
}

/// Copilot runs hooks that were set up for Claude Code, and understands only its own answers.
#[test]
fn a_hook_of_claude_answers_copilot_in_its_own_form() {
    let environment = planned(TEXT);
    let event = json!({
        "hook_event_name": "SessionStart", "session_id": "c1", "timestamp": "2026-02-20T12:00:00Z",
        "cwd": environment.root(), "source": "new", "initial_prompt": "go on",
    });
    let run = environment.ckpt_reading(event.to_string(), &["hook", "claude"]);
    assert!(
        run.json()["additionalContext"]
            .as_str()
            .unwrap()
            .contains("NEXT"),
        "{run}"
    );
    let record = environment.read(".claude/state/sessions/c1.json");
    assert!(record.contains("\"agent\":\"copilot\""), "{record}");
    assert!(record.contains("session-state/c1/events.jsonl"), "{record}");
    // Copilot says nothing after a compaction, so the next tool brings the brief back, once.
    let hook = |name: &str| {
        let mut event = event.clone();
        event["hook_event_name"] = name.into();
        event["tool_name"] = "Bash".into();
        event["tool_input"] = json!({"command": "ls"});
        environment
            .ckpt_reading(event.to_string(), &["hook", "copilot"])
            .stdout
    };
    assert_eq!(hook("PostToolUse"), "");
    hook("PreCompact");
    assert!(hook("PostToolUse").contains("NEXT"));
    assert_eq!(hook("PostToolUse"), "");
}

/// Copilot ends its session while a sub-agent works on in the background.
#[test]
fn a_sub_agent_that_outlives_its_session_reports_all_the_same() {
    let environment = planned(TEXT);
    let (agent, _) = Agent::begin(&environment, "s1");
    spawn(&agent, FULLSTACK, "Please do db-schema.");
    agent.hook("SessionEnd", &json!({"reason": "complete"}));
    let agents = || environment.ckpt(&["plan", "show", "--json"]).json()["state"]["agents"].take();
    assert_eq!(agents()[FULLSTACK.0]["died"], true);
    let report = json!({"task_id": "db-schema", "phase": "write", "status": "complete", "decision": "PROCEED", "findings": {}, "context_summary": "The schema stands."});
    assert_eq!(stops(&agent, FULLSTACK, &report.to_string()), "");
    let ended = agents()[FULLSTACK.0].take();
    assert_eq!(ended.get("died"), None, "{ended}");
    assert_eq!(
        ended["handoff"]["context_summary"], "The schema stands.",
        "{ended}"
    );
    // A second report of the same end changes nothing.
    let lines = history(&environment).len();
    stops(&agent, FULLSTACK, &report.to_string());
    assert_eq!(history(&environment).len(), lines);
}

/// Copilot says goodbye between the edit of a sub-agent and the event about it.
#[test]
fn what_a_sub_agent_may_have_edited_is_not_credited_to_the_session_that_ends() {
    for (is_helped, author) in [(true, Value::Null), (false, json!("main"))] {
        let environment = planned(TEXT);
        let (agent, _) = Agent::begin(&environment, "s1");
        if is_helped {
            spawn(&agent, FULLSTACK, "Please do db-schema.");
        }
        environment.write(PLAN, with_done(&["db-schema"]));
        agent.hook("SessionEnd", &json!({"reason": "complete"}));
        let task = state(&environment)["phases"]["setup"]["tasks"]["db-schema"].take();
        assert_eq!(task["done"], true, "{task}");
        assert_eq!(task["completedBy"], author, "{task}");
    }
}
