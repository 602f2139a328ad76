//! The files that the format shows as examples.

use crate::support::environment::Environment;

const ID: &str = "260220-1149-feature";

const PLAN: &str = "\
# Feature

## Phase 1: Setup
<!-- CHECKPOINT: phase-1-setup -->
- [x] Create database schema <!-- TASK: db-schema -->
- [x] Setup auth middleware <!-- TASK: auth-middleware -->
- [ ] All migrations pass <!-- ACCEPT: migrations -->
- [x] Tests green <!-- ACCEPT: tests -->

<!-- DECISION: Using async SQLAlchemy 2.0 for better performance -->
<!-- BLOCKER: Waiting for API key from external team -->

## Phase 2: API
<!-- CHECKPOINT: phase-2-api -->
- [ ] Routes <!-- TASK: routes -->
";

/// As another writer would write it: without our own member, each task on one line.
const STATE: &str = r#"{
  "version": 2,
  "planId": "260220-1149-feature",
  "planPath": "/project/plans/260220-1149-feature/plan.md",
  "lastCheckpoint": "2026-02-20T12:30:00Z",
  "checksum": "sha256:0123456789abcdef",
  "progress": { "totalTasks": 3, "completedTasks": 2, "percentage": 66.7 },
  "phases": {
    "phase-1-setup": {
      "status": "completed", "startedAt": "2026-02-20T11:49:00Z", "completedAt": "2026-02-20T12:30:00Z",
      "tasks": {
        "db-schema": { "done": true, "completedAt": "2026-02-20T11:52:00Z", "completedBy": "main" },
        "auth-middleware": { "done": true, "completedAt": "2026-02-20T12:15:00Z", "completedBy": "subagent:fullstack" }
      },
      "acceptance": { "migrations": { "met": false }, "tests": { "met": true, "verifiedAt": "2026-02-20T12:20:00Z" } }
    },
    "phase-2-api": { "status": "pending", "tasks": { "routes": { "done": false } }, "acceptance": {} }
  },
  "currentPhase": "phase-2-api",
  "currentTask": "routes",
  "blockers": ["Waiting for API key from external team"],
  "decisions": [{ "time": "2026-02-20T12:00:00Z", "decision": "Using async SQLAlchemy 2.0 for better performance" }],
  "sessionNotes": "half way",
  "agents": { "agent-1": { "type": "fullstack", "assignedTasks": ["auth-middleware"], "completedTasks": ["auth-middleware"], "lastActive": "2026-02-20T12:16:00Z" } }
}
"#;

const HISTORY: &str = r#"{"ts":"2026-02-20T11:49:00Z","event":"checkpoint_created","planId":"260220-1149-feature"}
{"ts":"2026-02-20T11:52:00Z","event":"task_completed","taskId":"db-schema","by":"main"}
{"ts":"2026-02-20T12:05:00Z","event":"subagent_started","agentType":"fullstack","tasks":["auth-middleware"]}
{"ts":"2026-02-20T12:15:00Z","event":"task_completed","taskId":"auth-middleware","by":"subagent:fullstack"}
{"ts":"2026-02-20T12:16:00Z","event":"subagent_stopped","agentType":"fullstack","completed":1}
{"ts":"2026-02-20T12:30:00Z","event":"phase_completed","phaseId":"phase-1-setup"}
{"ts":"2026-02-20T12:31:00Z","event":"session_crash","lastKnownState":"recovery.json"}
{"ts":"2026-02-20T12:45:00Z","event":"session_recovered","from":"recovery.json","tasksRestored":7}
"#;

fn file(name: &str) -> String {
    format!("plans/{ID}/{name}")
}

fn with_examples() -> Environment {
    let environment = Environment::new();
    environment.write(&file("plan.md"), PLAN);
    environment.write(&file(".checkpoint/state.json"), STATE);
    environment.write(&file(".checkpoint/history.jsonl"), HISTORY);
    let recovery = format!(
        "{{\"savedAt\":\"2026-02-20T12:25:00Z\",\"reason\":\"pre_subagent_spawn\",\"state\":{STATE}}}"
    );
    environment.write(&file(".checkpoint/recovery.json"), &recovery);
    environment
}

fn stored(environment: &Environment) -> serde_json::Value {
    let text = environment.read(&file(".checkpoint/state.json"));
    serde_json::from_str(&text).unwrap()
}

#[test]
fn the_examples_are_read_shown_and_logged() {
    let environment = with_examples();
    let shown = environment.ckpt(&["plan", "show"]).exits(0);
    assert!(
        shown.stdout.contains("phase-1-setup  ██████████ 2/2"),
        "{shown}"
    );
    assert!(
        shown.stdout.contains("blocked: Waiting for API key"),
        "{shown}"
    );
    let log = environment.ckpt(&["log", ID]).exits(0);
    assert!(
        log.stdout
            .contains("what a dead session left was taken over: 7 tasks"),
        "{log}"
    );
    let judged = environment.ckpt(&["validate", ID]).exits(0);
    assert!(judged.stdout.contains("plan.behind"), "{judged}");
    assert_eq!(
        environment.read(&file(".checkpoint/state.json")),
        STATE,
        "reading writes nothing"
    );
}

#[test]
fn a_tick_keeps_what_the_examples_record_and_changes_little_of_them() {
    let environment = with_examples();
    environment
        .ckpt(&["plan", "done", "routes", "--by", "team:a"])
        .exits(0);
    let state = stored(&environment);
    let first = &state["phases"]["phase-1-setup"];
    assert_eq!(
        first["tasks"]["db-schema"]["completedAt"],
        "2026-02-20T11:52:00Z"
    );
    assert_eq!(
        first["tasks"]["auth-middleware"]["completedBy"],
        "subagent:fullstack"
    );
    assert_eq!(
        first["acceptance"]["tests"]["verifiedAt"],
        "2026-02-20T12:20:00Z"
    );
    // A criterion is not met, so the phase is not completed, whatever the other writer thought.
    assert_eq!(first["status"], "in_progress");
    assert_eq!(first["startedAt"], "2026-02-20T11:49:00Z");
    assert!(first["completedAt"].is_null());
    assert_eq!(state["decisions"][0]["time"], "2026-02-20T12:00:00Z");
    assert_eq!(state["sessionNotes"], "half way");
    assert_eq!(state["agents"]["agent-1"]["type"], "fullstack");
    assert_eq!(
        state["phases"]["phase-2-api"]["tasks"]["routes"]["completedBy"],
        "team:a"
    );
    let history = environment.read(&file(".checkpoint/history.jsonl"));
    assert!(history.starts_with(HISTORY), "{history}");
    let text = environment.read(&file(".checkpoint/state.json"));
    let task = r#""auth-middleware": { "done": true, "completedAt": "2026-02-20T12:15:00Z", "completedBy": "subagent:fullstack" }"#;
    assert!(text.contains(task), "{text}");
}

#[test]
fn the_copy_and_the_lines_of_the_examples_are_enough_to_bring_a_state_back() {
    let environment = with_examples();
    environment.write(&file(".checkpoint/state.json"), "garbage");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let state = stored(&environment);
    assert_eq!(state["sessionNotes"], "half way");
    let done = &state["phases"]["phase-1-setup"]["tasks"]["auth-middleware"];
    assert_eq!(done["completedAt"], "2026-02-20T12:15:00Z");
    let history = environment.read(&file(".checkpoint/history.jsonl"));
    assert!(
        history.contains(r#""event":"state_corrupted","restored_from":"recovery.json""#),
        "{history}"
    );
}
