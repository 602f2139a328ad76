//! Claims: who works on which task, and for how long.

use serde_json::json;

use crate::support::planned::{Planned, TEXT};

#[test]
fn a_claim_is_kept_from_others_until_it_is_released() {
    let planned = Planned::new(TEXT);
    planned.does(&["claim", "schema", "--by", "subagent:db"]);
    let agent = &planned.stored()["agents"]["subagent:db"];
    assert_eq!(agent["type"], "db");
    assert_eq!(agent["assignedTasks"], json!(["schema"]));
    assert_eq!(agent["completedTasks"], json!([]));
    let before = planned.work();
    let run = planned
        .plan(&["claim", "schema", "--by", "team:7"])
        .exits(5);
    assert!(run.reason().contains("subagent:db"), "{run}");
    planned
        .plan(&["claim", "roles", "schema", "--by", "team:7"])
        .exits(5);
    planned.assert_work(&before, "nothing of a refused claim is kept");
    let next = planned.does(&["next", "-n", "9"]);
    assert!(!next.stdout.contains("schema"), "{next}");
    let own = planned.does(&["next", "--by", "subagent:db"]);
    assert!(own.stdout.starts_with("schema"), "its own task: {own}");
    planned
        .plan(&["release", "schema", "--by", "team:7"])
        .exits(4);
    planned.does(&["release", "schema", "--by", "subagent:db"]);
    planned.does(&["claim", "schema", "--by", "team:7"]);
    assert_eq!(
        planned.stored()["agents"]["team:7"]["assignedTasks"],
        json!(["schema"])
    );
}

#[test]
fn a_task_that_is_done_cannot_be_claimed() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema"]);
    planned.plan(&["claim", "schema"]).exits(8);
}

#[test]
fn what_an_agent_completes_is_on_its_record() {
    let planned = Planned::new(TEXT);
    planned.does(&["claim", "schema", "--by", "subagent:db"]);
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    let agent = &planned.stored()["agents"]["subagent:db"];
    assert_eq!(agent["completedTasks"], json!(["schema"]));
    let next = planned.does(&["next", "--json"]).json();
    assert_eq!(
        next["claimed_by_others"], 0,
        "a done task is claimed by none"
    );
}

/// Sets the time when an agent was last active, by hand.
fn last_heard(planned: &Planned, agent: &str, time: &str) {
    let mut state = planned.stored();
    state["agents"][agent]["lastActive"] = json!(time);
    let text = serde_json::to_string_pretty(&state).unwrap();
    planned.put(".checkpoint/state.json", format!("{text}\n"));
}

#[test]
fn a_claim_lapses_after_half_an_hour_of_silence_and_next_says_whose_it_was() {
    let planned = Planned::new(TEXT);
    planned.does(&["claim", "schema", "--by", "subagent:db"]);
    last_heard(&planned, "subagent:db", "2026-01-01T00:00:00.000Z");
    let next = planned.does(&["next"]);
    assert!(next.stdout.starts_with("schema"), "{next}");
    let said = format!("{}{}", next.stdout, next.stderr);
    assert!(said.contains("subagent:db"), "says whose it was: {next}");
    let next = planned.does(&["next", "--json"]);
    assert!(next.stdout.contains("subagent:db"), "{next}");
    planned.does(&["claim", "schema", "--by", "team:7"]);
    let state = planned.stored();
    assert_eq!(
        state["agents"]["team:7"]["assignedTasks"],
        json!(["schema"])
    );
    let run = planned
        .plan(&["claim", "schema", "--by", "subagent:db"])
        .exits(5);
    assert!(run.reason().contains("team:7"), "{run}");
}

#[test]
fn a_claim_from_a_clock_that_is_ahead_does_not_hold_until_then() {
    let planned = Planned::new(TEXT);
    planned.does(&["claim", "schema", "--by", "subagent:db"]);
    last_heard(&planned, "subagent:db", "2199-01-01T00:00:00.000Z");
    planned.does(&["claim", "schema", "--by", "team:7"]);
}

#[test]
fn an_agent_that_shows_signs_of_life_keeps_its_claims() {
    let planned = Planned::new(TEXT);
    planned.does(&["claim", "schema", "roles", "--by", "subagent:db"]);
    last_heard(&planned, "subagent:db", "2026-01-01T00:00:00.000Z");
    planned.does(&["done", "roles", "--by", "subagent:db"]);
    planned
        .plan(&["claim", "schema", "--by", "team:7"])
        .exits(5);
}

#[test]
fn a_blocked_task_is_not_next_and_says_why() {
    let planned = Planned::new(
        "<!-- CHECKPOINT: a -->\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n",
    );
    planned.does(&["sync"]);
    planned.does(&["block", "one: no access"]);
    let next = planned.does(&["next", "-n", "5"]).stdout;
    assert_eq!(next, "two  Two  (a)\n");
    let shown = planned.does(&["show"]).stdout;
    assert!(shown.contains("  ! One  one\n  · Two  two\n"), "{shown}");
    planned.does(&["done", "two"]);
    let next = planned.does(&["next"]).stdout;
    assert_eq!(
        next,
        "What is left is blocked:\none  One  (a)  blocked: one: no access\n"
    );
    planned.does(&["unblock", "one"]);
    assert_eq!(planned.does(&["next"]).stdout, "one  One  (a)\n");
    // A blocker that names no task blocks its phase.
    planned.does(&["block", "The server is down"]);
    let next = planned.does(&["next", "--json"]).json();
    assert_eq!(next["next"], serde_json::json!([]));
    assert_eq!(next["blocked"][0]["blocker"], "The server is down");
}
