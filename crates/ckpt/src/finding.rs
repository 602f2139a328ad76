//! Findings: the broken rules that checking a document reports.

use std::fmt;

use crate::document::{Node, Pointer};
use crate::time::Timestamp;
use crate::voice::flat;

/// How severe a finding is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// Unusual, but usable.
    Warning,
    /// Breaks a rule that our own writes always keep.
    Error,
}

/// One broken rule.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Finding {
    /// A stable name, such as `command.phase-status`.
    pub rule: &'static str,
    /// How severe it is.
    pub severity: Severity,
    /// The file, if the document has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<String>,
    /// The place in the document.
    pub pointer: Pointer,
    /// The line, from 1; 0 for a file as a whole.
    pub line: usize,
    /// The column in characters, from 1, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// A sentence that a person can act on.
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
            file: None,
            pointer: node.pointer(),
            line: node.line(),
            column: None,
            message: message.into(),
        }
    }

    /// A finding on a line of a file that is not JSON.
    pub fn in_text(
        (file, line): (&str, u32),
        severity: Severity,
        rule: &'static str,
        message: impl Into<String>,
    ) -> Self {
        Self {
            rule,
            severity,
            file: Some(file.to_owned()),
            pointer: Pointer::default(),
            line: line as usize,
            column: None,
            message: message.into(),
        }
    }

    /// Sets the column.
    #[must_use]
    pub fn at_column(mut self, column: usize) -> Self {
        self.column = Some(column);
        self
    }

    /// Sets the file.
    #[must_use]
    pub fn in_file(mut self, file: &str) -> Self {
        self.file = Some(file.to_owned());
        self
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            rule,
            file,
            pointer,
            line,
            column,
            message,
            severity,
        } = self;
        let severity = match severity {
            Severity::Warning => "warning",
            Severity::Error => "error",
        };
        write!(formatter, "{severity}[{rule}] ")?;
        if let Some(file) = file {
            let space = if *line > 0 { " " } else { "" };
            write!(formatter, "{}{space}", flat(file))?;
        }
        // A finding about a whole file has no line.
        if *line > 0 {
            write!(formatter, "line {line}")?;
            if let Some(column) = column {
                write!(formatter, ", column {column}")?;
            }
        }
        match (file, pointer.to_string()) {
            (Some(_), pointer) if pointer.is_empty() => {}
            (None, pointer) if pointer.is_empty() => write!(formatter, ", /")?,
            (_, pointer) => write!(formatter, ", {}", flat(&pointer))?,
        }
        write!(formatter, ": {}", flat(message))
    }
}

/// How many findings of the same kind are reported for one value; nobody reads more.
pub(crate) const MOST_ALIKE: usize = 50;

/// How many bytes of findings are kept: a value's name may be long, and is repeated in every finding about its content.
const MOST_BYTES: usize = 16 * 1024 * 1024;

/// Collects findings, with the checks that the rules of all kinds share.
#[derive(Debug, Default)]
pub(crate) struct Findings(pub(crate) Vec<Finding>, usize);

impl Findings {
    pub(crate) fn error(&mut self, node: Node<'_>, rule: &'static str, message: impl Into<String>) {
        self.add(node, Severity::Error, rule, message);
    }

    pub(crate) fn warning(
        &mut self,
        node: Node<'_>,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        self.add(node, Severity::Warning, rule, message);
    }

    pub(crate) fn add(
        &mut self,
        node: Node<'_>,
        severity: Severity,
        rule: &'static str,
        message: impl Into<String>,
    ) {
        let Self(findings, bytes) = self;
        if *bytes < MOST_BYTES {
            let finding = Finding::at(node, severity, rule, message);
            *bytes += finding.message.len() + finding.pointer.to_string().len();
            findings.push(finding);
        }
    }

    /// Reports repeated members of an object.
    pub(crate) fn repeated_members(&mut self, node: Node<'_>, rule: &'static str) {
        let members: Vec<_> = node.all_members().collect();
        if members.len() == node.members().len() {
            return;
        }
        let mut seen = std::collections::HashSet::new();
        let before = self.0.len();
        for (key, _) in members {
            if self.0.len() - before > MOST_ALIKE {
                break;
            }
            let name = key.as_str().unwrap_or_default();
            if !seen.insert(name.clone()) {
                let message = format!("\"{name}\" appears twice here; the last one counts");
                self.warning(key, rule, message);
            }
        }
    }

    /// Reports a time that cannot be parsed. Its shape is checked elsewhere.
    pub(crate) fn time(&mut self, node: Node<'_>, name: &str, rule: &'static str) {
        let Some(value) = node.get(name) else { return };
        let text = value.as_str();
        if text.is_some_and(|text| Timestamp::parse(&text).is_none()) {
            let message = format!("\"{name}\" is not an ISO 8601 time: {}", value.raw());
            self.warning(value, rule, message);
        }
    }
}
