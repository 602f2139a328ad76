//! Agents that crash and come back, fire twice, tell half, wander off, or find a store that is held.

use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::support::agent::{
    Agent, HISTORY, HeldPlan, LOG, OTHER_PLAN, PLAN, STATE, THREE_TASKS, becomes, context,
    occurrences, planned, state,
};
use crate::support::environment::{CKPT, Run};
use crate::support::event::tell;
use crate::support::tool;

#[test]
fn a_session_that_is_resumed_after_a_crash_is_told_of_its_own_crash() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.spawns("d", "full", "do alpha");
    agent.dies();
    let (again, run) = Agent::begin(&environment, "s1");
    assert!(context(&run).contains("ended without a word"), "{run}");
    assert!(context(&run).contains("Died at work: full"), "{run}");
    assert_eq!(
        (
            occurrences(&environment, "session_crash"),
            occurrences(&environment, "session_recovered")
        ),
        (1, 1)
    );
    let next = environment.ckpt(&["plan", "next"]).exits(0).stdout;
    assert!(next.contains("alpha"), "{next}");
    // Going on in the same process is no crash.
    again.hook("SessionStart", &json!({"source": "compact"}));
    again.hook("SessionStart", &json!({"source": "clear"}));
    assert_eq!(occurrences(&environment, "session_crash"), 1);
    // Once somebody takes the task over, what was left of it is no news any more.
    environment
        .ckpt(&["plan", "claim", "alpha", "--by", "team:x"])
        .exits(0);
    assert!(
        !environment
            .ckpt(&["resume"])
            .exits(0)
            .stdout
            .contains("Died")
    );
}

#[test]
fn sub_agents_that_are_told_of_without_an_id_are_found_by_their_type() {
    let environment = planned(THREE_TASKS);
    let event = |name: &str, more: Value| {
        let mut event = json!({"conversation_id": "c1", "hook_event_name": name, "workspace_roots": [environment.path("")]});
        event
            .as_object_mut()
            .unwrap()
            .extend(more.as_object().unwrap().clone());
        tell(&environment, "cursor", &event)
    };
    event("sessionStart", json!({"session_id": "c1"}));
    event(
        "subagentStart",
        json!({"subagent_id": "s1", "subagent_type": "explore", "task": "do alpha"}),
    );
    event(
        "subagentStart",
        json!({"subagent_id": "s2", "subagent_type": "explore", "task": "do beta"}),
    );
    for _ in 0..2 {
        event(
            "subagentStop",
            json!({"subagent_type": "explore", "summary": "ok", "loop_count": 0}),
        );
    }
    event("sessionEnd", json!({"session_id": "c1"}));
    let state = state(&environment);
    let agents = state["agents"].as_object().unwrap();
    assert_eq!(agents.keys().collect::<Vec<_>>(), ["s1", "s2"]);
    assert!(
        agents
            .values()
            .all(|agent| agent["endedAt"].is_string() && agent.get("died").is_none()),
        "{state}"
    );
}

#[test]
fn what_a_hook_could_not_do_is_done_later_with_what_it_knew() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    // A sub-agent begins while somebody holds the plan.
    let input = json!({"subagent_type": "full", "prompt": "do alpha"});
    agent.hook(
        "PreToolUse",
        &json!({"tool_name": "Agent", "tool_input": input, "tool_use_id": "c"}),
    );
    let held = HeldPlan::new(&environment);
    agent.hook(
        "SubagentStart",
        &json!({"agent_id": "d", "agent_type": "full"}),
    );
    held.let_go();
    assert!(becomes(
        || occurrences(&environment, "subagent_started") == 1
    ));
    // The state follows its history.
    let has_alpha = |name: &str| state(&environment)["agents"]["d"][name] == json!(["alpha"]);
    assert!(becomes(|| has_alpha("assignedTasks")));
    // It reports, and ends.
    let handed = json!({"agent_id": "d", "agent_type": "full", "tool_name": "SubagentHandback", "tool_input": {"message": "alpha is done"}});
    agent.hook("PostToolUse", &handed);
    let held = HeldPlan::new(&environment);
    agent.hook(
        "SubagentStop",
        &json!({"agent_id": "d", "agent_type": "full", "last_assistant_message": "bye"}),
    );
    held.let_go();
    assert!(becomes(
        || occurrences(&environment, "subagent_stopped") == 1
    ));
    assert!(becomes(|| has_alpha("claimedTasks")));
    // The user says something for the fifth time.
    let held = HeldPlan::new(&environment);
    for number in 0..5 {
        agent.hook(
            "UserPromptSubmit",
            &json!({"prompt": "x", "prompt_id": format!("p{number}")}),
        );
    }
    held.let_go();
    assert!(becomes(|| occurrences(&environment, "backup_created") == 1));
    // A sub-agent is sent back: it has not ended, whoever comes later.
    agent.spawns("e", "full", "do beta");
    environment.write(PLAN, THREE_TASKS.replacen("[ ]", "[x]", 1));
    let held = HeldPlan::new(&environment);
    let broken = json!({"agent_id": "e", "agent_type": "full", "stop_hook_active": false, "last_assistant_message": "{\"task_id\": \"beta\","});
    assert!(agent.hook("SubagentStop", &broken).stdout.contains("block"));
    held.let_go();
    assert!(becomes(|| occurrences(&environment, "task_completed") == 1));
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(occurrences(&environment, "subagent_stopped"), 1);
    let log = environment.read(LOG);
    assert!(
        log.contains("\"handed_on\":true") && log.contains("\"late\":true"),
        "{log}"
    );
}

#[test]
fn a_hook_that_comes_late_does_not_take_the_wrong_process_for_the_agents() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(THREE_TASKS);
    environment.write(PLAN, THREE_TASKS.replacen("[ ]", "[x]", 1));
    let held = HeldPlan::new(&environment);
    let event =
        json!({"session_id": "x1", "cwd": environment.path(""), "hook_event_name": "SessionStart"});
    environment.write("../event.json", event.to_string());
    // The agent is a process that calls the hook and lives on.
    let line = format!("{CKPT} hook codex < ../event.json; echo $$ > ../called; exec sleep 60");
    let mut agent = Command::new("python3")
        .args([
            "-c",
            "import subprocess, sys; subprocess.run(['sh', '-c', sys.argv[1]])",
            &line,
        ])
        .current_dir(environment.path(""))
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    assert!(becomes(|| environment.path("../called").exists()));
    held.let_go();
    assert!(becomes(|| environment.read(LOG).contains("\"late\":true")));
    let second =
        json!({"session_id": "x2", "cwd": environment.path(""), "hook_event_name": "SessionStart"});
    let run = tell(&environment, "codex", &second);
    assert!(
        run.stdout
            .contains("Another session of codex has been live"),
        "{run}"
    );
    assert_eq!(occurrences(&environment, "session_crash"), 0);
    let sleeper = environment.read("../called");
    let killed = Command::new("kill").arg(sleeper.trim()).status();
    assert!(killed.unwrap().success());
    agent.wait().unwrap();
}

#[test]
fn a_plan_that_cannot_be_changed_does_not_keep_sessions_from_being_noted() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.dies();
    let newer = environment
        .read(STATE)
        .replace("\"version\": 2", "\"version\": 3");
    environment.write(STATE, newer);
    let (second, run) = Agent::begin(&environment, "s2");
    assert!(
        environment.path(".claude/state/sessions/s2.json").exists(),
        "{run}"
    );
    assert!(
        environment.path(".claude/state/sessions/s1.json").exists(),
        "it is still to be told"
    );
    drop(second);
}

#[test]
fn two_live_sessions_do_not_take_tasks_from_each_other() {
    let environment = planned(THREE_TASKS);
    let (first, _) = Agent::begin(&environment, "A");
    let (second, _) = Agent::begin(&environment, "B");
    let plan = |session: &str, arguments: &[&str]| {
        let mut command = environment.command(CKPT);
        command
            .arg("plan")
            .args(arguments)
            .env("CLAUDE_CODE_SESSION_ID", session);
        Run::of(&mut command)
    };
    plan("A", &["claim", "alpha"]).exits(0);
    assert!(plan("A", &["next"]).exits(0).stdout.contains("alpha"));
    assert!(!plan("B", &["next"]).exits(0).stdout.contains("alpha"));
    plan("B", &["claim", "alpha"]).exits(5);
    plan("B", &["claim", "beta"]).exits(0);
    second.hook("SessionEnd", &json!({"reason": "other"}));
    assert!(
        !plan("C", &["next"]).exits(0).stdout.contains("alpha"),
        "A is live"
    );
    assert!(plan("C", &["next"]).exits(0).stdout.contains("beta"));
    // A sub-agent that begins takes nothing over either.
    first.spawns("d", "full", "do alpha and gamma");
    assert_eq!(
        state(&environment)["agents"]["d"]["assignedTasks"],
        json!(["gamma"])
    );
}

#[test]
fn a_session_ends_where_it_began_wherever_its_agent_has_gone() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let elsewhere = environment.path("../elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    let event = json!({"session_id": "s1", "cwd": elsewhere, "hook_event_name": "SessionEnd"});
    let mut command = environment.command(CKPT);
    command
        .args(["hook", "claude"])
        .env("CLAUDE_PROJECT_DIR", environment.path(""));
    Run::reading(&mut command, event.to_string().as_bytes()).exits(0);
    assert!(
        environment
            .read(".claude/state/sessions/s1.json")
            .contains("\"ended_at\"")
    );
    agent.dies();
    // A plan is followed wherever the agent stands that edits it.
    environment.write(PLAN, THREE_TASKS.replacen("[ ]", "[x]", 1));
    let event = json!({"session_id": "s2", "cwd": elsewhere, "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    tell(&environment, "claude", &event);
    assert_eq!(occurrences(&environment, "task_completed"), 1);
    let (_next, run) = Agent::begin(&environment, "s3");
    assert!(!context(&run).contains("without a word"), "{run}");
}

#[test]
fn a_session_with_a_type_is_no_sub_agent() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    environment.write(PLAN, THREE_TASKS.replacen("[ ]", "[x]", 1));
    let edit = json!({"agent_type": "reviewer", "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    agent.hook("PostToolUse", &edit);
    assert!(
        environment
            .read(HISTORY)
            .contains("\"taskId\":\"alpha\",\"by\":\"main\"")
    );
}

#[test]
fn one_session_that_two_agents_hooks_tell_of_is_one() {
    let environment = planned(THREE_TASKS);
    let event = |name: &str| json!({"session_id": "same", "cwd": environment.path(""), "hook_event_name": name});
    for agent in ["claude", "copilot"] {
        let run = tell(&environment, agent, &event("SessionStart"));
        assert!(!run.stdout.contains("Another session"), "{run}");
    }
    for name in ["PreCompact", "SessionEnd"] {
        for agent in ["claude", "copilot"] {
            tell(&environment, agent, &event(name));
        }
    }
    assert_eq!(occurrences(&environment, "backup_created"), 2);
    assert_eq!(occurrences(&environment, "notes_replaced"), 2);
}

#[test]
fn a_sub_agent_ends_in_the_plan_that_it_began_in() {
    let environment = planned(THREE_TASKS);
    environment.write(OTHER_PLAN, "- [ ] Y <!-- TASK: why -->\n");
    environment.ckpt(&["plan", "use", "260220-1149-x"]).exits(0);
    let (agent, run) = Agent::begin(&environment, "s1");
    assert!(
        context(&run).starts_with("260220-1149-x"),
        "the chosen plan comes first: {run}"
    );
    agent.spawns("d", "full", "do alpha");
    environment.ckpt(&["plan", "use", "260301-0900-y"]).exits(0);
    for _ in 0..2 {
        agent.hook(
        "SubagentStop",
        &json!({"agent_id": "d", "agent_type": "full", "last_assistant_message": "alpha is done"}),
    );
    }
    assert_eq!(
        state(&environment)["agents"]["d"]["claimedTasks"],
        json!(["alpha"])
    );
    assert!(state(&environment)["agents"]["d"]["endedAt"].is_string());
    let other = environment.ckpt(&["log", "260301-0900-y"]);
    assert!(!other.stdout.contains("subagent"), "{other}");
    // A command may have changed a plan that nobody works on now.
    agent.shell("sed -i 's/\\[ \\] B/[x] B/' plans/260220-1149-x/plan.md");
    assert_eq!(occurrences(&environment, "task_completed"), 1);
}

#[test]
fn a_sub_agent_that_works_keeps_its_claims() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.spawns("d", "full", "do alpha");
    let now = state(&environment)["agents"]["d"]["lastActive"]
        .as_str()
        .unwrap()
        .to_owned();
    let old = environment.read(STATE).replace(
        &format!("\"lastActive\": \"{now}\""),
        "\"lastActive\": \"2026-01-01T00:00:00.000Z\"",
    );
    environment.write(STATE, &old);
    let bash = json!({"agent_id": "d", "agent_type": "full", "tool_name": "Bash", "tool_input": {"command": "ls"}});
    agent.hook("PostToolUse", &bash);
    assert_ne!(
        state(&environment)["agents"]["d"]["lastActive"],
        "2026-01-01T00:00:00.000Z"
    );
    // Not every time.
    let before = environment.read(HISTORY);
    agent.hook("PostToolUse", &bash);
    assert_eq!(environment.read(HISTORY), before);
    // Also where another plan is worked on by now.
    environment.write(OTHER_PLAN, "- [ ] Y <!-- TASK: why -->\n");
    environment.ckpt(&["plan", "use", "260301-0900-y"]).exits(0);
    environment.write(STATE, &old);
    agent.hook("PostToolUse", &bash);
    assert_ne!(
        state(&environment)["agents"]["d"]["lastActive"],
        "2026-01-01T00:00:00.000Z"
    );
}

#[test]
fn a_session_that_began_before_its_hooks_is_noted_when_it_is_heard_of() {
    let environment = planned(THREE_TASKS);
    for number in 0..5 {
        let event = json!({"session_id": "old", "cwd": environment.path(""), "hook_event_name": "UserPromptSubmit", "prompt": "x", "prompt_id": number.to_string()});
        tell(&environment, "claude", &event);
    }
    assert_eq!(occurrences(&environment, "backup_created"), 1);
    assert!(environment.path(".claude/state/sessions/old.json").exists());
}

#[test]
fn prompts_that_arrive_together_are_all_counted() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    std::thread::scope(|scope| {
        for number in 0..16 {
            let agent = &agent;
            scope.spawn(move || {
                agent.hook(
                    "UserPromptSubmit",
                    &json!({"prompt": "x", "prompt_id": format!("p{number}")}),
                )
            });
        }
    });
    let record = ".claude/state/sessions/s1.json";
    let counted = || {
        let record: Value = serde_json::from_str(&environment.read(record)).unwrap();
        record["prompts"].as_u64().unwrap()
    };
    assert!(becomes(|| counted() == 16), "{}", counted());
}

#[test]
fn an_event_that_changes_nothing_takes_no_lock() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let held = HeldPlan::new(&environment);
    let edit = json!({"tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    agent.hook("PostToolUse", &edit);
    agent.shell("true");
    held.let_go();
    let log = environment.read(LOG);
    assert!(
        !log.contains("error") && !log.contains("handed_on"),
        "{log}"
    );
}

#[test]
fn a_session_of_another_machine_is_gone_after_a_day_of_silence() {
    let environment = planned(THREE_TASKS);
    let record = |seen: &str| {
        let record = json!({"agent": "claude", "session_id": "far", "host": "elsewhere", "begun_at": "2026-01-01T00:00:00.000Z", "seen_at": seen, "process": {"pid": 1}});
        environment.write_session("far", &record);
    };
    environment.ckpt(&["start", "ship"]).exits(0);
    let now = state(&environment)["lastCheckpoint"]
        .as_str()
        .unwrap()
        .to_owned();
    record(&now);
    let (first, run) = Agent::begin(&environment, "s1");
    assert!(context(&run).contains("Another session"), "{run}");
    record("2026-01-02T00:00:00.000Z");
    let (second, run) = Agent::begin(&environment, "s2");
    assert!(context(&run).contains("ended without a word"), "{run}");
    assert_eq!(occurrences(&environment, "session_crash"), 1);
    drop((first, second));
}

#[test]
fn the_verdict_for_shipping_is_that_of_gate_check() {
    let environment = planned(THREE_TASKS);
    environment.write("a", "1");
    environment.git(&["add", "-A"]);
    environment.git(&["commit", "-qm", "a"]);
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    let (agent, _) = Agent::begin(&environment, "s1");
    let verdict = || {
        context(&agent.hook(
            "UserPromptSubmit",
            &json!({"prompt": "/ship to production"}),
        ))
    };
    let push = || {
        agent
            .hook(
                "PreToolUse",
                &json!({"tool_name": "Bash", "tool_input": {"command": "git push"}}),
            )
            .stdout
    };
    let check = || environment.ckpt(&["gate", "check", "ship"]).code;
    assert_eq!(check(), Some(6));
    assert!(
        verdict().contains("The gate of ship blocks shipping"),
        "{}",
        verdict()
    );
    assert!(push().contains("deny"));
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.commit("what was approved");
    assert_eq!((check(), push().as_str()), (Some(0), ""));
    assert!(verdict().starts_with("No gate"), "{}", verdict());
    environment.write("a", "2");
    assert_eq!(check(), Some(6));
    assert!(
        verdict().contains("the content has changed"),
        "{}",
        verdict()
    );
    // A push sends commits, and the last one is what was approved.
    assert_eq!(push(), "");
    environment.commit("something else");
    assert!(push().contains("deny"));
}

#[test]
fn a_state_that_was_written_by_hand_is_judged_and_what_is_no_plan_is_left_alone() {
    let environment = planned(THREE_TASKS);
    environment.write(
        "plans/q3-roadmap/plan.md",
        "# Some thoughts\n\nNothing to tick.\n",
    );
    let (agent, _) = Agent::begin(&environment, "s1");
    assert!(!environment.path("plans/q3-roadmap/.checkpoint").exists());
    let broken = environment
        .read(STATE)
        .replace("\"completedTasks\": 0", "\"completedTasks\": \"many\"");
    let told = context(&agent.writes(STATE, &broken));
    assert!(
        told.starts_with("state.json of 260220-1149-x as it was written by hand:"),
        "{told}"
    );
    let told = context(&agent.writes(STATE, "{ broken"));
    assert!(told.contains("is no JSON now"), "{told}");
    assert_eq!(
        state(&environment)["progress"]["totalTasks"],
        3,
        "it was brought back"
    );
}

#[test]
fn many_sessions_take_no_more_room_than_the_budget_has() {
    let environment = planned(THREE_TASKS);
    for number in 0..60 {
        let event = json!({"session_id": format!("s{number}"), "cwd": environment.path(""), "hook_event_name": "SessionStart"});
        let run = tell(&environment, "claude", &event);
        assert!(run.stdout.len() < 2500, "{run}");
    }
}

#[test]
fn a_log_that_is_a_link_or_a_pipe_is_left_alone_and_nobody_waits_for_an_event_that_does_not_end() {
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    let log = environment.path(LOG);
    std::fs::remove_file(&log).unwrap();
    std::os::unix::fs::symlink(environment.path("../outside.log"), &log).unwrap();
    agent.shell("true");
    assert!(!environment.path("../outside.log").exists());
    std::fs::remove_file(&log).unwrap();
    for pipe in [LOG, ".claude/config/ckpt.json"] {
        let path = environment.path(pipe);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        assert!(
            Command::new("mkfifo")
                .arg(&path)
                .status()
                .unwrap()
                .success()
        );
        agent.shell("true");
        std::fs::remove_file(&path).unwrap();
    }
    for verb in [&["hook", "claude"][..], &["statusline"]] {
        let mut command = environment.command(CKPT);
        let mut child = command
            .args(verb)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        let mut ended = |_: u32| {
            std::thread::sleep(Duration::from_millis(25));
            child
                .try_wait()
                .unwrap()
                .is_some_and(|status| status.success())
        };
        assert!((0..600).any(&mut ended), "{verb:?}");
    }
    // Nor for a transcript that is a pipe.
    let pipe = environment.path("../pipe.jsonl");
    assert!(
        Command::new("mkfifo")
            .arg(&pipe)
            .status()
            .unwrap()
            .success()
    );
    agent.hook("PreCompact", &json!({"transcript_path": pipe}));
    assert_eq!(occurrences(&environment, "notes_replaced"), 1);
}
