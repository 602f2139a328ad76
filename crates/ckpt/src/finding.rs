//! What judging a document finds.

use std::fmt;

use crate::document::{Node, Pointer};

/// How bad a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Odd, but usable.
    Warning,
    /// Breaks a rule that our own writes always keep.
    Error,
}

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
pub struct Finding {
    /// A stable name, such as `command.phase-status`.
    pub rule: &'static str,
    /// How bad it is.
    pub severity: Severity,
    /// Where in the document.
    pub pointer: Pointer,
    /// The line it is on, from 1.
    pub line: usize,
    /// A sentence a person can act on.
    pub message: String,
}

impl Finding {
    /// A finding at a value.
    pub fn at(
        node: Node<'_>,
        severity: Severity,
        rule: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity,
            pointer: node.pointer(),
            line: node.line(),
            message: message.into(),
        }
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            pointer,
            line,
            message,
            severity,
        } = self;
        let severity = match severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        let pointer = pointer.to_string();
        let place = if pointer.is_empty() { "/" } else { &pointer };
        write!(
            formatter,
            "{severity}[{rule}] line {line}, {place}: {message}"
        )
    }
}
