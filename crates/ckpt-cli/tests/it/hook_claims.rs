//! Who has taken what over, with several sessions and sub-agents, and what stands in the way of one of many.

use serde_json::{Value, json};

use crate::support::agent::{
    Agent, FOUR_TASKS, HISTORY, Held, PLAN_LOCK, becomes, context, planned, state,
};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

/// `ckpt plan` in a session.
fn plan(environment: &Environment, session: &str, arguments: &[&str]) -> Run {
    let mut command = environment.command(CKPT);
    command
        .arg("plan")
        .args(arguments)
        .env("CLAUDE_CODE_SESSION_ID", session);
    Run::of(&mut command)
}

fn next(environment: &Environment, session: &str) -> String {
    plan(environment, session, &["next", "-n", "9"])
        .exits(0)
        .stdout
}

#[test]
fn what_a_dead_session_had_taken_over_does_not_become_the_next_ones() {
    let environment = planned(FOUR_TASKS);
    let (first, _) = Agent::begin(&environment, "A");
    plan(&environment, "A", &["claim", "t1"]).exits(0);
    first.dies();
    let (_second, _) = Agent::begin(&environment, "B");
    plan(&environment, "B", &["claim", "t2"]).exits(0);
    let offered = next(&environment, "C");
    assert!(
        offered.contains("t1") && !offered.contains("t2"),
        "{offered}"
    );
    plan(&environment, "C", &["claim", "t1"]).exits(0);
    // Nor does what somebody took over without a session.
    environment
        .ckpt(&["plan", "claim", "t4", "--by", "team:x"])
        .exits(0);
    let mut command = environment.command(CKPT);
    command
        .args(["plan", "claim", "t3", "--by", "team:x"])
        .env("CLAUDE_CODE_SESSION_ID", "B");
    Run::of(&mut command).exits(0);
    assert_eq!(
        state(&environment)["agents"]["team:x"]["assignedTasks"],
        json!(["t4"])
    );
    assert_eq!(state(&environment)["agents"]["team:x"].get("session"), None);
}

#[test]
fn a_session_gives_up_and_completes_what_is_its_own() {
    let environment = planned(FOUR_TASKS);
    let (_first, _) = Agent::begin(&environment, "A");
    let (_second, _) = Agent::begin(&environment, "B");
    plan(&environment, "A", &["claim", "t1"]).exits(0);
    plan(&environment, "B", &["claim", "t2"]).exits(0);
    let refused = plan(&environment, "B", &["release", "t1"]);
    assert_ne!(refused.code, Some(0), "{refused}");
    assert!(!environment.read(HISTORY).contains("task_released"));
    plan(&environment, "B", &["done", "t2"]).exits(0);
    let agents = state(&environment)["agents"].clone();
    assert_eq!(
        agents["main:B"]["completedTasks"],
        json!(["t2"]),
        "{agents}"
    );
    assert_eq!(agents["main"]["completedTasks"], json!([]), "{agents}");
    plan(&environment, "A", &["release", "t1"]).exits(0);
}

#[test]
fn sub_agents_that_begin_together_are_given_what_each_was_asked() {
    let environment = planned(FOUR_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    for number in 1..=4 {
        let input = json!({"subagent_type": "dev", "prompt": format!("do t{number}")});
        agent.hook("PreToolUse", &json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": format!("k{number}")}));
    }
    std::thread::scope(|scope| {
        for number in 1..=4 {
            let agent = &agent;
            scope.spawn(move || {
                agent.hook(
                    "SubagentStart",
                    &json!({"agent_id": format!("w{number}"), "agent_type": "dev"}),
                )
            });
        }
    });
    let given = || {
        let state = state(&environment);
        let agents = state["agents"].as_object().cloned().unwrap_or_default();
        let mut given: Vec<Value> = agents
            .values()
            .map(|agent| agent["assignedTasks"].clone())
            .collect();
        given.sort_by_key(ToString::to_string);
        given
    };
    let each = [json!(["t1"]), json!(["t2"]), json!(["t3"]), json!(["t4"])];
    assert!(becomes(|| given() == each), "{:?}", given());
}

#[test]
fn a_session_that_is_resumed_while_somebody_holds_the_plan_is_told_of_its_crash_later() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(FOUR_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    plan(&environment, "A", &["claim", "t1"]).exits(0);
    agent.dies();
    let held = Held::lock(&environment, PLAN_LOCK);
    let (_again, _) = Agent::begin(&environment, "A");
    std::thread::sleep(std::time::Duration::from_millis(500));
    drop(held);
    let crashes = || environment.read(HISTORY).matches("session_crash").count();
    assert!(becomes(|| crashes() == 1));
    assert!(next(&environment, "B").contains("t1"));
}

#[test]
fn what_comes_after_the_end_of_a_session_does_not_bring_it_back() {
    let environment = planned(FOUR_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    agent.hook(
        "SubagentStart",
        &json!({"agent_id": "z", "agent_type": "dev"}),
    );
    agent.dies();
    let (_next, run) = Agent::begin(&environment, "B");
    assert!(!context(&run).contains("without a word"), "{run}");
    assert!(!environment.read(HISTORY).contains("subagent_started"));
}

#[test]
fn one_plan_that_cannot_be_changed_keeps_no_other_from_being_followed() {
    let environment = planned(FOUR_TASKS);
    let other = "plans/260101-0000-a";
    environment.write(&format!("{other}/plan.md"), FOUR_TASKS);
    environment
        .ckpt(&["plan", "sync", "--plan", "260101-0000-a"])
        .exits(0);
    let file = format!("{other}/.checkpoint/state.json");
    let newer = environment
        .read(&file)
        .replace("\"version\": 2", "\"version\": 3");
    environment.write(&file, newer);
    environment.write(
        "plans/260220-1149-x/phase-01-more.md",
        "- [ ] More <!-- TASK: more -->\n",
    );
    environment
        .ckpt(&["plan", "sync", "--plan", "260220-1149-x"])
        .exits(0);
    environment.ckpt(&["plan", "use", "260101-0000-a"]).exits(0);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.shell("sed -i 's/\\[ \\] B/[x] B/' plans/*/plan.md && sed -i 's/\\[ \\]/[x]/' plans/260220-1149-x/phase-01-more.md");
    let history = environment.read(HISTORY);
    assert!(
        history.contains("\"taskId\":\"t2\"") && history.contains("\"taskId\":\"more\""),
        "{history}"
    );
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    assert!(
        environment
            .read(".claude/state/sessions/A.json")
            .contains("ended_at")
    );
}

#[test]
fn a_gate_that_cannot_be_read_or_judged_in_time_blocks() {
    let environment = planned(FOUR_TASKS);
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    environment.ckpt(&["start", "ship", "rel"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship/rel", "--block", "nope"])
        .exits(0);
    let (agent, _) = Agent::begin(&environment, "A");
    environment.write(".claude/state/ship-rel.json", "{");
    let push = json!({"tool_name": "Bash", "tool_input": {"command": "git push"}});
    let denied = agent.hook("PreToolUse", &push).stdout;
    assert!(
        denied.contains("deny") && denied.contains("ship-rel"),
        "{denied}"
    );
    let told = context(&agent.hook("UserPromptSubmit", &json!({"prompt": "/ship"})));
    assert!(told.contains("cannot be read"), "{told}");
}

#[test]
fn a_push_is_denied_where_the_gate_cannot_be_judged_and_where_nobody_can_tell_whether_it_holds() {
    let environment = planned(FOUR_TASKS);
    // They are the user's own: those of the project are part of the content.
    let settings = |text: &str| {
        let file = environment.user_settings();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, text).unwrap();
    };
    settings("{\"enforce_gates\": true}");
    environment.ckpt(&["start", "ship"]).exits(0);
    let push = |path: &std::path::Path| {
        let event = json!({"session_id": "s", "cwd": environment.path(""), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}});
        let mut command = environment.command(CKPT);
        command.args(["hook", "claude"]).env("PATH", path);
        let run = Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
        let answer = match run.stdout.is_empty() {
            true => Value::Null,
            false => run.json(),
        };
        let reason = &answer["hookSpecificOutput"]["permissionDecisionReason"];
        reason.as_str().unwrap_or_default().to_owned()
    };
    let path = std::env::var_os("PATH").unwrap();
    let (programs, nowhere) = (path.as_ref(), environment.path("../nowhere"));
    let gate = |verdict: &[&str]| {
        environment
            .ckpt(&[&["gate", "set", "ship"], verdict].concat())
            .exits(0)
    };
    gate(&["--allow"]);
    assert_eq!(push(programs), "");
    // Without git nobody can tell whether the content is still the one that was approved.
    let denied = push(&nowhere);
    assert!(denied.contains("cannot be told"), "{denied}");
    // What can be read counts; where it cannot, the file is named.
    for (broken, named) in [
        ("{\"enforce_gates\": true, \"token_counter\": 3}", "not yet"),
        ("{\"enforce_gates\": tr", "config.json"),
    ] {
        settings("{}");
        gate(&["--allow"]);
        settings(broken);
        // A file that cannot be read may say that a person has to approve.
        let denied = push(programs);
        match named {
            "not yet" => assert_eq!(denied, "", "{broken}"),
            file => assert!(
                denied.contains("a person has to") && denied.contains(file),
                "{denied}"
            ),
        }
        settings("{}");
        gate(&["--block", "not yet"]);
        settings(broken);
        let denied = push(programs);
        assert!(
            denied.contains("not yet") && denied.contains(named),
            "{denied}"
        );
    }
    settings("{}");
    assert_eq!(push(programs), "", "nobody wants it enforced");
}

#[test]
fn a_push_that_cannot_be_judged_in_time_is_denied() {
    use std::os::unix::fs::PermissionsExt;
    let environment = planned(FOUR_TASKS);
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    // A look at the content takes longer than there is time for.
    environment.write("../slow/git", "#!/bin/sh\nsleep 20\n");
    let slow = environment.path("../slow");
    std::fs::set_permissions(slow.join("git"), std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    let event = json!({"session_id": "s", "cwd": environment.path(""), "hook_event_name": "PreToolUse", "tool_name": "Bash", "tool_input": {"command": "git push"}});
    let mut command = environment.command(CKPT);
    command.args(["hook", "claude"]);
    command.env("PATH", format!("{}:{path}", slow.display()));
    command.env("CKPT_HOOK_DEADLINE_MS", "500");
    let run = Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
    let output = &run.json()["hookSpecificOutput"];
    assert_eq!(output["permissionDecision"], "deny");
    let reason = output["permissionDecisionReason"].as_str().unwrap();
    assert!(reason.contains("cannot be told"), "{reason}");
    assert!(reason.contains("did not end within"), "{reason}");
}

#[test]
fn a_process_that_cannot_be_seen_is_not_taken_for_the_agents() {
    let environment = planned(FOUR_TASKS);
    let begin = |session: &str| {
        let event = json!({"session_id": session, "cwd": environment.path(""), "hook_event_name": "SessionStart"});
        let mut command = environment.command(CKPT);
        command
            .args(["hook", "claude"])
            .env("CLAUDE_PID", "4194303");
        Run::reading(&mut command, event.to_string().as_bytes()).exits(0)
    };
    begin("s1");
    let second = begin("s2");
    assert!(!second.stdout.contains("without a word"), "{second}");
}
