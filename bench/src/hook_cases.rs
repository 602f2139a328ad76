//! The comparisons that are about hooks.

use std::fs;

use crate::cases::{Prepared, Stage};
use crate::failure::{Doing, Result};
use crate::measure::Invocation;
use crate::plan_text;

/// An event that changes nothing: a command was run, and the plan is as it was.
pub(crate) fn hook(stage: &Stage) -> Result<Prepared> {
    let repository = stage.scratch.repository("hook")?;
    repository.start_checkpoint(&stage.binary)?;
    repository.start_plan(&stage.binary, &plan_text::of_size(10_000))?;
    repository.ckpt(&stage.binary, &["plan", "sync"])?;
    let root = repository.root().display();
    let event = format!(
        r#"{{"session_id":"s","transcript_path":"/t.jsonl","cwd":"{root}","hook_event_name":"PostToolUse","tool_name":"Grep","tool_input":{{"pattern":"x"}},"tool_response":{{"stdout":"y"}}}}"#
    );
    let file = stage.scratch.path().join("event.json");
    fs::write(&file, event).doing("write", &file)?;
    Ok(Prepared::Pair {
        ours: Invocation::new(&stage.binary)
            .args(&["hook", "claude"])
            .reading(file),
        floor: Invocation::new(&stage.floors.empty_dynamic),
    })
}
