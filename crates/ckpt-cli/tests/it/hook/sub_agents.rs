//! Sub-agents: which one an event is about, and which plan it works on.

use serde_json::{Value, json};

use crate::support::agent::{
    Agent, FOUR_TASKS, OTHER_PLAN, PLAN, THREE_TASKS, TWO_TASKS, becomes, context, occurrences,
    planned, state,
};
use crate::support::event::tell;

#[test]
fn sub_agents_reported_without_an_id_are_found_by_their_type() {
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
fn a_sub_agent_ends_in_the_plan_that_it_began_in() {
    let environment = planned(THREE_TASKS);
    environment.write(OTHER_PLAN, "- [ ] Y <!-- TASK: why -->\n");
    environment.ckpt(&["plan", "use", "260220-1149-x"]).exits(0);
    let (agent, run) = Agent::begin(&environment, "s1");
    assert!(
        context(&run).starts_with("In focus: 260220-1149-x,"),
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
    // A command may have changed a plan that is not the current one.
    agent.shell("sed -i 's/\\[ \\] B/[x] B/' plans/260220-1149-x/plan.md");
    assert_eq!(occurrences(&environment, "task_completed"), 1);
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
fn of_two_sub_agents_of_one_type_the_one_whose_task_is_reported_ends() {
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
