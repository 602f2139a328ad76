//! Handoffs as agents write them.

use serde_json::{Value, json};

/// A request that `handoff fix` has something to change in.
pub(crate) const REQUEST: &str = r#"{
  "task_id": "T002",
  "phase": "write",
  "mode": "code",
  "context": { "feature": "auth", "previous_findings": "Found it." },
  "instructions": "Write it.",
  "expected_output": "files_changed"
}
"#;

/// A response with a decision and issues.
pub(crate) fn response(decision: &str, issues: &Value) -> String {
    json!({
        "task_id": "T002", "phase": "write", "status": "complete", "decision": decision,
        "findings": {
            "files_created": [{"path": "src/b.rs", "purpose": "p"}],
            "files_modified": [{"path": "src/a.rs", "changes": "c"}],
        },
        "context_summary": "Tokens work.", "tokens_used": 9, "issues": issues,
    })
    .to_string()
}
