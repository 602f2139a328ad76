//! Renders schemas as Markdown documents.

use ckpt::command::default_phases;
use serde_json::Value;

use super::Kind;

/// Renders one schema.
pub(super) fn document(kind: Kind, schema: &Value, declarations: &str) -> String {
    let interface = format!("## TypeScript Interface\n\n```typescript\n{declarations}```\n");
    match kind {
        Kind::Command => command(schema, &interface),
        _ => {
            let title = schema["title"].as_str().unwrap_or_default();
            let about = schema["description"].as_str().unwrap_or_default();
            format!("# {title}\n\n{about}\n\n{interface}")
        }
    }
}

fn command(schema: &Value, interface: &str) -> String {
    let statuses = schema["$defs"]["PhaseStatus"]["oneOf"].as_array();
    let statuses = statuses.into_iter().flatten().map(|status| {
        let about = status["description"].as_str().unwrap_or_default();
        format!(
            "| `{}` | {about} |\n",
            status["const"].as_str().unwrap_or_default()
        )
    });
    let commands = [
        "start",
        "design",
        "reconcile",
        "research",
        "implement",
        "ship",
        "review",
    ];
    let commands = commands.iter().map(|name| {
        let gate = if *name == "ship" { "Yes" } else { "No" };
        let phases = default_phases(name).join(", ");
        format!("| {name} | {phases} | {gate} | {} |\n", note(name))
    });
    format!(
        "# Checkpoint Schema\n\n## Overview\n\nOne schema, version 1, for the checkpoints of all commands. They are stored in \
        `.claude/state/`, as `{{command}}-{{feature}}.json`, or as `{{command}}-checkpoint.json` without a feature.\n\n\
         {interface}\n## Command-Specific Variations\n\n| Command | Typical Phases | Uses gate? | Notes |\n| --- | --- | --- | --- |\n{}\n\
         ## Phase Status\n\n| Status | Meaning |\n| --- | --- |\n{}\n\
         ## Enforcement Rules\n\n\
         - `version` is the number 1. A file with another version is shown, but never changed.\n\
         - A `context_summary` has at most 500 tokens (the setting `summary_limit`). It is checked before anything is written, and a longer one is refused.\n\
         - Times are ISO 8601 in UTC, such as `2026-01-29T10:30:00.000Z`.\n\
         - `head_commit` is the commit that is checked out, as `git rev-parse HEAD` prints it. It is captured on every save.\n\
         - A checkpoint is stale if its `head_commit` is not the current one. That is found on every load, and the checkpoint is still returned, with a warning.\n\
         - A phase is in at most one of `completed_phases` and `pending_phases`.\n\
         - Shipping is allowed only while `gate.ship_allowed` is `true`, `gate.blockers` is empty, and the content is what was approved.\n\
         - Unknown members are kept unchanged.\n\n\
         ## Example\n\n```json\n{EXAMPLE}```\n",
        commands.collect::<String>(),
        statuses.collect::<String>(),
    )
}

fn note(command: &str) -> &'static str {
    match command {
        "start" => "Creates the branch and the issue",
        "design" => "Explores, plans, then writes the specification",
        "reconcile" => "Compares the plan with what was built",
        "research" => "Collects, then draws conclusions",
        "implement" => "Writes code, then tests it",
        "ship" => "The gate blocks until every blocker is resolved",
        _ => "Reviews the existing work",
    }
}

/// A test checks that it is valid.
pub(super) const EXAMPLE: &str = r#"{
  "command": "implement",
  "feature": "login",
  "version": 1,
  "head_commit": "d36b6b4a1e2f3c4d5e6f7a8b9c0d1e2f3a4b5c6d",
  "started_at": "2026-01-29T10:30:00.000Z",
  "updated_at": "2026-01-29T11:45:00.000Z",
  "state": {
    "current_phase": "validation",
    "completed_phases": ["implementation"],
    "pending_phases": [],
    "current_task": "T002"
  },
  "phases": {
    "implementation": {
      "status": "complete",
      "started_at": "2026-01-29T10:30:00.000Z",
      "updated_at": "2026-01-29T11:15:00.000Z",
      "context_summary": "Sessions are signed and checked in middleware.",
      "files_created": ["src/session.ts"],
      "files_modified": ["src/app.ts"]
    },
    "validation": {
      "status": "in_progress",
      "started_at": "2026-01-29T11:15:00.000Z",
      "updated_at": "2026-01-29T11:45:00.000Z"
    }
  }
}
"#;
