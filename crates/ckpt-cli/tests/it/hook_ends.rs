//! How sessions end: while their plan is away or held, by a process that dies over it, and what comes after.

use std::os::unix::process::CommandExt;
use std::process::Command;

use ckpt::time::Timestamp;
use serde_json::{Value, json};

use crate::support::agent::{
    Agent, Held, LOG, PLAN, PLAN_LOCK, STATE, TWO_TASKS, becomes, context, is_over, occurrences,
    planned, session_file, session_record, state,
};
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::event::{act_late, event, leave};
use crate::support::tool;

const SESSIONS_LOCK: &str = ".claude/state/locks/sessions.lock";

fn start_of(id: &str) -> Value {
    json!({"agent_id": id, "agent_type": "dev"})
}

#[test]
fn a_sub_agent_whose_start_is_told_after_the_end_of_its_session_begins_nothing() {
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
fn what_became_of_sub_agents_is_told_when_a_plan_is_back_that_was_away_at_the_end() {
    let away = |environment: &Environment, how: &str| match how {
        "on another branch" => {
            environment.git(&["checkout", "--quiet", "empty"]);
        }
        _ => {
            environment.write(PLAN, "Nothing to follow.\n");
        }
    };
    for how in ["on another branch", "without markers"] {
        let environment = planned(TWO_TASKS);
        environment.git(&["branch", "empty"]);
        environment.commit("plan");
        let (agent, _) = Agent::begin(&environment, "A");
        agent.spawns("d", "dev", "do t1");
        away(&environment, how);
        agent.hook("SessionEnd", &json!({"reason": "other"}));
        agent.dies();
        assert!(!is_over(&environment, "A"), "{how}");
        // Whoever begins meanwhile cannot tell it either, and loses nothing.
        let (second, _) = Agent::begin(&environment, "B");
        second.hook("SessionEnd", &json!({"reason": "other"}));
        assert!(!is_over(&environment, "A"), "{how}");
        assert_eq!(occurrences(&environment, "subagent_stopped"), 0, "{how}");
        environment.git(&["checkout", "--quiet", "--force", "main"]);
        for (_, run) in ["C", "D"].map(|session| Agent::begin(&environment, session)) {
            assert!(!context(&run).contains("without a word"), "{how}: {run}");
        }
        assert!(is_over(&environment, "A"), "{how}");
        assert_eq!(state(&environment)["agents"]["d"]["died"], true, "{how}");
        assert_eq!(occurrences(&environment, "subagent_stopped"), 1, "{how}");
    }
}

#[test]
fn whoever_finds_a_plan_held_does_not_wait_for_it_once_for_each_session() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let names: Vec<String> = (0..6).map(|number| format!("A{number}")).collect();
    let agents: Vec<_> = names
        .iter()
        .map(|name| Agent::begin(&environment, name).0)
        .collect();
    agents.into_iter().for_each(Agent::dies);
    let records = || {
        names
            .iter()
            .map(|name| environment.read(&session_file(name)))
    };
    let before: Vec<String> = records().collect();
    let held = Held::lock(&environment, PLAN_LOCK);
    let (_next, _) = Agent::begin(&environment, "B");
    // The record of a session that is tried is written: it says who tells of it.
    let tried = records().zip(&before).filter(|(now, then)| now != *then);
    assert_eq!(tried.count(), 1);
    drop(held);
    assert!(becomes(
        || occurrences(&environment, "session_crash") == names.len()
    ));
}

#[test]
fn a_crash_whose_teller_was_killed_is_told_by_another_once() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    agent.dies();
    let held = Held::lock(&environment, PLAN_LOCK);
    let start = event(&environment, "B", "SessionStart", &json!({}));
    leave(&environment, &Timestamp::now().to_string(), &start);
    let mut teller = environment.command(CKPT);
    let mut teller = teller.args(["hook", "claude", "--late"]).spawn().unwrap();
    assert!(becomes(
        || session_record(&environment, "A")["teller"].is_object()
    ));
    // While it is at it, nobody else has to wait.
    let (_third, run) = Agent::begin(&environment, "C");
    assert!(!context(&run).contains("without a word"), "{run}");
    let log = environment.read(LOG);
    assert!(!log.contains("locked by"), "{log}");
    teller.kill().unwrap();
    teller.wait().unwrap();
    drop(held);
    assert_eq!(occurrences(&environment, "session_crash"), 0);
    let told = std::thread::scope(|scope| {
        let begins = ["D", "E", "F"].map(|session| {
            let environment = &environment;
            scope.spawn(move || Agent::begin(environment, session))
        });
        // All of them live until the last has begun.
        let begun = begins.map(|begin| begin.join().unwrap());
        let told = |(_, run): &&(Agent<'_>, Run)| context(run).contains("without a word");
        begun.iter().filter(told).count()
    });
    assert!(told <= 1, "{told}");
    assert!(becomes(|| is_over(&environment, "A")));
    let counted = ["session_crash", "session_recovered", "subagent_stopped"]
        .map(|name| occurrences(&environment, name));
    assert_eq!(counted, [1, 1, 1]);
}

#[test]
fn the_record_of_an_old_session_is_taken_away_under_its_lock() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let (_agent, _) = Agent::begin(&environment, "A");
    let mut old = session_record(&environment, "A");
    old["session_id"] = json!("old");
    old["ended_at"] = json!("2026-01-01T00:00:00.000Z");
    environment.write_session("old", &old);
    let path = environment.path(&session_file("old"));
    let held = Held::lock(&environment, SESSIONS_LOCK);
    let (_second, _) = Agent::begin(&environment, "B");
    assert!(path.exists(), "somebody may be about to go on with it");
    drop(held);
    assert!(becomes(|| !path.exists()));
    assert!(environment.path(&session_file("A")).exists());
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
fn the_last_words_of_a_session_are_noted_up_to_a_length_and_never_half_a_letter() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    let noted = |words: &str, event: &str| {
        let line = json!({"type": "assistant", "message": {"content": words}});
        let file = agent.transcript();
        std::fs::create_dir_all(file.parent().unwrap()).unwrap();
        std::fs::write(file, format!("{line}\n")).unwrap();
        agent.hook(event, &json!({"trigger": "auto", "reason": "other"}));
        environment.read(STATE)
    };
    let long = noted(&format!("x{}", "é".repeat(300)), "PreCompact");
    let kept = format!(": x{} …", "é".repeat(199));
    assert!(long.contains(&kept), "{long}");
    let just = "y".repeat(400);
    let short = noted(&just, "SessionEnd");
    assert!(short.contains(&just) && !short.contains('…'), "{short}");
}

#[test]
fn of_two_sub_agents_of_one_type_the_one_ends_whose_task_is_told() {
    let environment = planned(TWO_TASKS);
    let tell = |name: &str, more: &Value| {
        let mut event = json!({"conversation_id": "c1", "hook_event_name": name, "workspace_roots": [environment.path("")]});
        let all = event.as_object_mut().unwrap();
        all.extend(more.as_object().unwrap().clone());
        let run = environment.ckpt_reading(event.to_string(), &["hook", "cursor"]);
        run.exits(0);
    };
    tell("sessionStart", &json!({"session_id": "c1"}));
    for (id, task) in [("s1", "t1"), ("s2", "t2")] {
        let start =
            json!({"subagent_id": id, "subagent_type": "explore", "task": format!("do {task}")});
        tell("subagentStart", &start);
    }
    let ended = || {
        let state = state(&environment);
        ["s1", "s2"].map(|id| state["agents"][id]["endedAt"].is_string())
    };
    // The second is done first, and has ticked its task.
    environment.write(PLAN, TWO_TASKS.replace("[ ] B", "[x] B"));
    let stop = |task: &str| {
        tell(
            "subagentStop",
            &json!({"subagent_type": "explore", "task": format!("do {task}"), "summary": format!("{task} is done"), "loop_count": 0}),
        );
    };
    stop("t2");
    assert_eq!(ended(), [false, true]);
    stop("t1");
    assert_eq!(ended(), [true, true]);
    let state = state(&environment);
    assert_eq!(state["agents"]["s1"]["claimedTasks"], json!(["t1"]));
    assert_eq!(state["agents"].as_object().unwrap().len(), 2, "{state}");
    assert_eq!(occurrences(&environment, "subagent_stopped"), 2);
}

#[test]
fn a_session_that_is_resumed_after_its_end_lives_again() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.hook("SessionEnd", &json!({"reason": "resume"}));
    drop(agent);
    let (again, _) = Agent::begin(&environment, "A");
    let (other, run) = Agent::begin(&environment, "B");
    assert!(context(&run).contains("Another session"), "{run}");
    again.spawns("d", "dev", "do t1");
    assert_eq!(occurrences(&environment, "subagent_started"), 1);
    again.dies();
    let (_next, run) = Agent::begin(&environment, "C");
    assert!(context(&run).contains("without a word"), "{run}");
    assert_eq!(state(&environment)["agents"]["d"]["died"], true);
    // A second goodbye is noted as the first was.
    other.hook("SessionEnd", &json!({"reason": "other"}));
    other.hook("SessionStart", &json!({"source": "resume"}));
    other.hook("SessionEnd", &json!({"reason": "other"}));
    assert_eq!(occurrences(&environment, "backup_created"), 3);
    assert!(is_over(&environment, "B"));
}

#[test]
fn a_session_that_is_resumed_while_its_plan_is_away_lives_again_once_its_end_is_told() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    environment.write(PLAN, "");
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    agent.hook("SessionStart", &json!({"source": "resume"}));
    environment.write(PLAN, TWO_TASKS);
    agent.hook(
        "UserPromptSubmit",
        &json!({"prompt": "go on", "prompt_id": "p"}),
    );
    assert_eq!(state(&environment)["agents"]["d"]["died"], true);
    agent.spawns("e", "dev", "do t2");
    let (_other, run) = Agent::begin(&environment, "B");
    assert!(context(&run).contains("Another session"), "{run}");
    assert_eq!(state(&environment)["agents"]["e"].get("died"), None);
    assert_eq!(occurrences(&environment, "subagent_started"), 2);
}

#[test]
fn a_session_that_is_resumed_is_told_of_its_own_crash_whatever_keeps_others_from_being_told() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    let crashed = ["A", "Z"].map(|session| Agent::begin(&environment, session).0);
    crashed.into_iter().for_each(Agent::dies);
    let held = Held::lock(&environment, PLAN_LOCK);
    let (_again, _) = Agent::begin(&environment, "Z");
    drop(held);
    assert!(becomes(|| occurrences(&environment, "session_crash") == 2));
}

#[test]
fn a_crash_is_told_once_also_when_another_plan_is_held_meanwhile() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = planned(TWO_TASKS);
    environment.write("plans/260301-0900-y/plan.md", TWO_TASKS);
    environment.ckpt(&["plan", "use", "260301-0900-y"]).exits(0);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    environment.ckpt(&["plan", "use", "260220-1149-x"]).exits(0);
    agent.spawns("e", "dev", "do t2");
    agent.dies();
    let held = Held::lock(&environment, ".claude/state/locks/plan-260301-0900-y.lock");
    let (_next, _) = Agent::begin(&environment, "B");
    drop(held);
    assert!(becomes(|| is_over(&environment, "A")));
    assert_eq!(occurrences(&environment, "session_crash"), 1);
    let other = environment.read("plans/260301-0900-y/.checkpoint/history.jsonl");
    assert_eq!(other.matches("\"died\":true").count(), 1, "{other}");
}

#[test]
fn a_compaction_is_noted_also_when_the_hook_that_was_about_to_ran_out_of_time() {
    let environment = planned(TWO_TASKS);
    let (_agent, _) = Agent::begin(&environment, "A");
    // It has said that it notes it, and was cut off before it did.
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
fn a_sub_agent_that_ended_while_its_plan_was_away_has_not_died() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    agent.spawns("e", "dev", "do t2");
    environment.write(PLAN, "");
    let report =
        json!({"agent_id": "d", "agent_type": "dev", "last_assistant_message": "t1 is done"});
    agent.hook("SubagentStop", &report);
    environment.write(PLAN, TWO_TASKS);
    agent.hook("SessionEnd", &json!({"reason": "other"}));
    let agents = &state(&environment)["agents"];
    assert_eq!(agents["d"].get("died"), None, "{agents}");
    assert_eq!(agents["d"]["claimedTasks"], json!(["t1"]), "{agents}");
    assert_eq!(agents["e"]["died"], true, "{agents}");
    assert_eq!(occurrences(&environment, "subagent_stopped"), 2);
}

#[test]
fn a_sub_agent_whose_end_is_told_late_is_sent_back_by_nobody_and_has_ended() {
    let environment = planned(TWO_TASKS);
    let (agent, _) = Agent::begin(&environment, "A");
    agent.spawns("d", "dev", "do t1");
    let broken = json!({"agent_id": "d", "agent_type": "dev", "stop_hook_active": false, "last_assistant_message": "{\"task_id\": \"t1\","});
    let stop = event(&environment, "A", "SubagentStop", &broken);
    act_late(&environment, &Timestamp::now().to_string(), &stop);
    assert_eq!(occurrences(&environment, "subagent_stopped"), 1);
    assert!(state(&environment)["agents"]["d"]["endedAt"].is_string());
}
