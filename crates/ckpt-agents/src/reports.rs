//! Handoffs of sub-agents: validated when one reports, reconstructed when one died.

use ckpt::document::{Object, Value};
use ckpt::handoff::{self, BlockError, Kind, Reply, Terms};
use ckpt::plan::Helper;
use ckpt::tokens::{Limit, fit};
use ckpt::{Finding, Severity, Timestamp};

use crate::transcript::Transcript;

/// The verdict on the handoff in a report.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Handed {
    /// The report has no handoff.
    Nothing,
    /// It can be recorded.
    Response(Object),
    /// Why it cannot be recorded; with a record anyway if the only problem is a summary that is too long.
    Unusable(String, Option<Object>),
}

/// Finds the handoff in a report and validates it.
#[must_use]
pub(crate) fn handed_over(report: &str, limit: Limit, by: &str, now: Timestamp) -> Handed {
    let is_meant = report.contains("\"context_summary\"") || report.contains("\"task_id\"");
    if !is_meant {
        return Handed::Nothing;
    }
    let block = match handoff::find(report) {
        Ok(block) => block,
        Err(BlockError::None) => return Handed::Nothing,
        Err(error) => return Handed::Unusable(error.to_string(), None),
    };
    let root = block.document.root();
    if Kind::of(root) != Kind::Response {
        return Handed::Nothing;
    }
    let terms = Terms {
        kind: Some(Kind::Response),
        limit,
        long_response: Severity::Error,
        ..Terms::default()
    };
    let findings = handoff::judge(&block.document, &terms);
    let errors: Vec<&Finding> = findings
        .iter()
        .filter(|finding| finding.severity == Severity::Error)
        .collect();
    let record = Reply::read(&block.document).map(|reply| {
        let mut record = Object::new();
        record.set("task_id", reply.task.as_str());
        record.merge(reply.record(by, now));
        record
    });
    let only_long = errors
        .iter()
        .all(|error| error.rule == "handoff.summary-limit");
    match (record, errors.is_empty()) {
        (Ok(record), true) => Handed::Response(record),
        (Err(error), true) => Handed::Unusable(error.to_string(), None),
        (record, false) => {
            let errors = errors.iter().map(|error| error.message.clone());
            let reason = errors.collect::<Vec<_>>().join("; ");
            Handed::Unusable(reason, record.ok().filter(|_| only_long))
        }
    }
}

/// A partial response on behalf of a sub-agent that died.
#[must_use]
pub(crate) fn partial(helper: &Helper, transcript: &Transcript, limit: Limit) -> Object {
    let task = helper.tasks.first().unwrap_or(&helper.id);
    let mut summary = match helper.tasks.as_slice() {
        [] => "It ended without a report.".to_owned(),
        tasks => format!(
            "It ended without a report while working on {}.",
            tasks.join(", ")
        ),
    };
    let files = [transcript.created.as_slice(), &transcript.modified].concat();
    if !files.is_empty() {
        summary += &format!(" It wrote {}.", files.join(", "));
    }
    if let Some(words) = &transcript.last_words {
        let words: Vec<&str> = words.split_whitespace().collect();
        summary += &format!(" It last said: {}", words.join(" "));
    }
    let listed = |files: &[String], what: &str| {
        let file = |path: &String| {
            let mut file = Object::new();
            file.set("path", path.as_str());
            file.set(what, "according to its transcript");
            file
        };
        Value::Array(files.iter().map(|path| file(path).into()).collect())
    };
    let mut findings = Object::new();
    findings.set("files_created", listed(&transcript.created, "purpose"));
    findings.set("files_modified", listed(&transcript.modified, "changes"));
    let mut response = Object::new();
    response.set("task_id", task.as_str());
    response.set("phase", "write");
    response.set("status", "partial");
    response.set("decision", "CLARIFY");
    response.set("findings", findings);
    response.set("context_summary", fit(&summary, limit).text);
    response.set("issues", vec!["the sub-agent ended without a report"]);
    response
}

#[cfg(test)]
mod tests;
