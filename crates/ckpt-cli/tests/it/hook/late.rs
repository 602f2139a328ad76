//! A background process does what a hook has no time for.

use std::fs;
use std::os::unix::process::CommandExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use ckpt::Timestamp;
use serde_json::{Value, json};

use crate::support::agent::{
    Agent, HISTORY, Held, HeldPlan, LOG, PLAN, PLAN_LOCK, THREE_TASKS, TWO_TASKS, becomes,
    occurrences, planned, session_file, session_record, state,
};
use crate::support::environment::{CKPT, Environment};
use crate::support::event::{act_late, event, tell};
use crate::support::process::late_processes;
use crate::support::tool;

#[test]
fn what_a_hook_could_not_do_is_done_later_with_what_it_knew() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(THREE_TASKS);
    let (agent, _) = Agent::begin(&environment, "s1");
    // A sub-agent begins while another process holds the plan's lock.
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
    // The fifth prompt comes.
    let held = HeldPlan::new(&environment);
    for number in 0..5 {
        agent.hook(
            "UserPromptSubmit",
            &json!({"prompt": "x", "prompt_id": format!("p{number}")}),
        );
    }
    held.let_go();
    assert!(becomes(|| occurrences(&environment, "backup_created") == 1));
    // A sub-agent that is sent back has not ended; the background process sees it that way too.
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
    // The agent is a process that calls the hook and stays alive.
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
            .contains("Another codex session has been running"),
        "{run}"
    );
    assert_eq!(occurrences(&environment, "session_crash"), 0);
    let sleeper = environment.read("../called");
    let killed = Command::new("kill").arg(sleeper.trim()).status();
    assert!(killed.unwrap().success());
    agent.wait().unwrap();
}

fn start_of(id: &str) -> Value {
    json!({"agent_id": id, "agent_type": "dev"})
}

#[test]
fn a_sub_agent_whose_start_is_reported_after_the_end_of_its_session_is_not_recorded() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    let told_at = session_record(&environment, "A")["seen_at"].clone();
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    let before = environment.read(&session_file("A"));
    let start = event(&environment, "A", "SubagentStart", &start_of("d"));
    act_late(&environment, told_at.as_str().unwrap(), &start);
    assert_eq!(occurrences(&environment, "subagent_started"), 0);
    assert_eq!(environment.read(&session_file("A")), before);
}

#[test]
fn what_is_left_to_another_process_outlives_the_group_of_the_agents_hooks() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let (_agent, _) = Agent::begin(&environment, "A");
    let held = Held::lock(&environment, PLAN_LOCK);
    let start = event(&environment, "A", "SubagentStart", &start_of("d"));
    environment.write("../event.json", start.to_string());
    let line = format!("{CKPT} hook claude < ../event.json; touch ../called; exec sleep 60");
    let mut group = environment.command("sh");
    let mut group = group.args(["-c", &line]).process_group(0).spawn().unwrap();
    assert!(becomes(|| environment.path("../called").exists()));
    assert!(environment.read(LOG).contains("\"handed_on\":true"));
    let killed = Command::new("kill")
        .args(["-KILL", "--", &format!("-{}", group.id())])
        .status();
    assert!(killed.unwrap().success());
    group.wait().unwrap();
    drop(held);
    assert!(becomes(
        || occurrences(&environment, "subagent_started") == 1
    ));
}

#[test]
fn a_compaction_is_noted_even_if_the_hook_that_was_about_to_ran_out_of_time() {
    let environment = planned(TWO_TASKS);
    let (_agent, _) = Agent::begin(&environment, "A");
    // The hook recorded that it was about to note it, and was cut off before it did.
    let cut_off = Timestamp::now();
    let mut about_to = session_record(&environment, "A");
    about_to["compacted_at"] = json!(cut_off.as_millisecond());
    environment.write_session("A", &about_to);
    let compaction = event(&environment, "A", "PreCompact", &json!({"trigger": "auto"}));
    for _ in 0..2 {
        act_late(&environment, &cut_off.to_string(), &compaction);
    }
    assert_eq!(occurrences(&environment, "backup_created"), 1);
}

#[test]
fn a_sub_agent_whose_end_is_reported_late_is_not_sent_back_and_has_ended() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    let broken = json!({"agent_id": "d", "agent_type": "dev", "stop_hook_active": false, "last_assistant_message": "{\"task_id\": \"t1\","});
    let stop = event(&environment, "A", "SubagentStop", &broken);
    act_late(&environment, &Timestamp::now().to_string(), &stop);
    assert_eq!(occurrences(&environment, "subagent_stopped"), 1);
    assert!(state(&environment)["agents"]["d"]["endedAt"].is_string());
}

#[test]
fn hooks_that_run_out_of_time_leave_one_process() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = Environment::new().with_variable("CKPT_HOOK_DEADLINE_MS", "150");
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let lock = PLAN_LOCK;
    let held = Held::lock(&environment, lock);
    environment.write(PLAN, "- [x] A <!-- TASK: a -->\n");
    let event = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": environment.root(),
        "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)},
    });
    for _ in 0..6 {
        environment
            .ckpt_reading(event.to_string(), &["hook", "claude"])
            .exits(0);
    }
    let late = || late_processes(environment.root());
    assert_eq!(late(), 1);
    drop(held);
    assert!(becomes(|| {
        environment.read(HISTORY).contains("task_completed")
    }));
    assert!(becomes(|| late() == 0));
    let waiting = fs::read_dir(environment.path(".git/ckpt/late")).unwrap();
    assert_eq!(waiting.count(), 1, "the lock alone");
    assert_eq!(
        environment.read(HISTORY).matches("task_completed").count(),
        1
    );
}
