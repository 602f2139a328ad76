//! Creating requests, and fixing old ones.

use super::block::Block;
use super::vocabulary::{ExpectedOutput, Mode, Phase};
use crate::document::{Node, Object, Value};

/// A request to create.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Draft {
    /// The task.
    pub task: String,
    /// The kind of step.
    pub phase: Phase,
    /// The specialization of the sub-agent.
    pub mode: Mode,
    /// What the work is about.
    pub feature: String,
    /// What to do.
    pub instructions: String,
    /// The path of the specification.
    pub spec_path: Option<String>,
    /// The relevant files.
    pub files: Vec<String>,
    /// Rules to follow.
    pub constraints: Vec<String>,
    /// The summary of the previous step.
    pub previous_summary: Option<String>,
    /// The expected output; `None` for the default of the phase.
    pub expected_output: Option<ExpectedOutput>,
}

impl Draft {
    /// The request as JSON.
    #[must_use]
    pub fn written(&self) -> Value {
        let list = |items: &[String]| -> Value {
            Value::Array(items.iter().map(|item| item.as_str().into()).collect())
        };
        let mut context = Object::new();
        context.set("feature", self.feature.as_str());
        if let Some(path) = &self.spec_path {
            context.set("spec_path", path.as_str());
        }
        context.set("relevant_files", list(&self.files));
        context.set("constraints", list(&self.constraints));
        context.set("previous_summary", self.previous_summary.clone());
        let expected = self.expected_output;
        let expected = expected.unwrap_or_else(|| self.phase.expected_output());
        let mut request = Object::new();
        request.set("task_id", self.task.as_str());
        request.set("phase", self.phase.as_str());
        request.set("mode", self.mode.as_str());
        request.set("context", context);
        request.set("instructions", self.instructions.as_str());
        request.set("expected_output", expected.as_str());
        Value::Object(request)
    }
}

/// The result of a fix.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Fixed {
    /// The text with `previous_summary` in it.
    Text(String),
    /// There was nothing to fix.
    Nothing,
    /// Both names are present, and it is unclear which one counts.
    Both,
}

/// Renames `previous_findings` to `previous_summary`. Nothing else in the text changes.
#[must_use]
pub fn fix(text: &str, block: &Block) -> Fixed {
    let Some(context) = block.document.root().get("context") else {
        return Fixed::Nothing;
    };
    let names = context.all_members().map(|(name, _)| name);
    let old = names.filter(|name| name.as_str().as_deref() == Some("previous_findings"));
    // If the name is repeated, rename all of them: the last one still counts.
    let mut spans: Vec<_> = old.map(Node::span).collect();
    if spans.is_empty() {
        return Fixed::Nothing;
    }
    if context.get("previous_summary").is_some() {
        return Fixed::Both;
    }
    spans.sort_by_key(|span| span.start);
    let mut fixed = text.to_owned();
    for span in spans.into_iter().rev() {
        fixed.replace_range(span, "\"previous_summary\"");
    }
    Fixed::Text(fixed)
}
