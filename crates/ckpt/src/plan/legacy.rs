//! Progress files that predate checkpoints (`.memory/progress.json`).
//!
//! Their format was never specified. We recognise a map from tasks to whether they are done, at the top level or
//! under `tasks`, and ignore anything else.

use std::collections::HashSet;

use super::outline::Outline;
use crate::document::{Document, Object, Value};

/// The content of an old progress file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Legacy {
    /// These tasks of the plan are done.
    Done(Vec<String>),
    /// It is ambiguous.
    Unclear,
}

impl Legacy {
    /// Reads an old progress file about this plan.
    #[must_use]
    pub fn read(content: &[u8], outline: &Outline) -> Self {
        let document = Document::from_bytes(content.to_vec()).ok();
        let value = document.map(|document| document.value());
        let Some(Value::Object(top)) = &value else {
            return Self::Unclear;
        };
        let map = match top.get("tasks") {
            Some(Value::Object(tasks)) => tasks,
            Some(_) => return Self::Unclear,
            None => top,
        };
        Self::from_map(map, outline).unwrap_or(Self::Unclear)
    }

    fn from_map(map: &Object, outline: &Outline) -> Option<Self> {
        let tasks: HashSet<&str> = outline.tasks().map(|(_, task)| task.id.as_str()).collect();
        let mut done = Vec::new();
        let mut known = 0;
        for (id, value) in map.iter() {
            if !tasks.contains(id) {
                continue;
            }
            known += 1;
            if is_done(value)? {
                done.push(id.to_owned());
            }
        }
        (known > 0).then_some(Self::Done(done))
    }
}

/// Whether an entry marks its task as done; `None` if it does not say.
fn is_done(value: &Value) -> Option<bool> {
    match value {
        Value::Bool(done) => Some(*done),
        Value::String(status) => match status.as_str() {
            "done" | "complete" | "completed" => Some(true),
            "pending" | "todo" | "open" | "in_progress" => Some(false),
            _ => None,
        },
        Value::Object(entry) => {
            let says = ["done", "completed", "complete", "status"];
            let said = says.iter().find_map(|name| entry.get(name))?;
            is_done(said)
        }
        _ => None,
    }
}
