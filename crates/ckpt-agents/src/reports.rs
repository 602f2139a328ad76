//! What sub-agents hand over: judged when they report, put together when they died.

use ckpt::document::{Object, Value};
use ckpt::finding::{Finding, Severity};
use ckpt::handoff::{self, BlockError, Kind, Reply, Terms};
use ckpt::plan::Helper;
use ckpt::time::Timestamp;
use ckpt::tokens::{Limit, fit};

use crate::transcript::Transcript;

/// What the handoff in a report came to.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Handed {
    /// There is none.
    Nothing,
    /// It can be recorded.
    Response(Object),
    /// It cannot, and why; what can be recorded all the same, where only its summary is too long.
    Unusable(String, Option<Object>),
}

/// Looks for the handoff in a report, and judges it.
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

/// What a sub-agent left that died: a response that is partial.
#[must_use]
pub(crate) fn partial(helper: &Helper, transcript: &Transcript, limit: Limit) -> Object {
    let task = helper.tasks.first().unwrap_or(&helper.id);
    let mut summary = match helper.tasks.as_slice() {
        [] => "It ended without a report.".to_owned(),
        tasks => format!(
            "It ended without a report, at work on {}.",
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
            file.set(what, "as its transcript shows");
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
mod tests {
    use ckpt::document::Document;

    use super::*;

    fn judged(report: &str) -> Handed {
        let now = Timestamp::parse("2026-02-20T12:00:00Z").unwrap();
        handed_over(report, Limit::default(), "subagent:x", now)
    }

    fn response(summary: &str) -> String {
        format!(
            r#"Here it is: {{"task_id":"t1","phase":"write","status":"complete","decision":"PROCEED","findings":{{}},"context_summary":"{summary}"}}"#
        )
    }

    #[test]
    fn a_response_is_taken_and_prose_is_none() {
        let Handed::Response(record) = judged(&response("All done.")) else {
            panic!("not taken");
        };
        assert_eq!(record.get("task_id").and_then(Value::as_str), Some("t1"));
        assert_eq!(
            record.get("context_summary").and_then(Value::as_str),
            Some("All done.")
        );
        for report in ["", "All done.", "{}", "{\"a\": 1}", "see task_id"] {
            assert_eq!(judged(report), Handed::Nothing, "{report}");
        }
    }

    #[test]
    fn what_is_wrong_with_a_response_is_said_exactly() {
        let long = judged(&response(&"word ".repeat(612)));
        let Handed::Unusable(reason, Some(_)) = long else {
            panic!("taken");
        };
        assert!(
            reason.contains("exceeds 500 token limit (actual: 612 tokens)"),
            "{reason}"
        );
        let cut = response("All done.");
        let Handed::Unusable(reason, None) = judged(&cut[..cut.len() - 2]) else {
            panic!("taken");
        };
        assert!(reason.contains("broken"), "{reason}");
        assert!(matches!(
            judged(r#"{"task_id": "t", "status": "great", "decision": "GO"}"#),
            Handed::Unusable(_, None)
        ));
    }

    #[test]
    fn what_a_dead_sub_agent_leaves_is_a_response_that_keeps_the_rules() {
        let helper = Helper {
            id: "d".to_owned(),
            kind: "fullstack".to_owned(),
            tasks: vec!["t1".to_owned()],
            told_at: None,
        };
        let transcript = Transcript {
            last_words: Some("word ".repeat(900)),
            created: vec!["/p/a.rs".to_owned()],
            modified: vec!["/p/b.rs".to_owned()],
        };
        let response = partial(&helper, &transcript, Limit::default());
        let document = Document::from_value(&Value::Object(response)).unwrap();
        let terms = Terms {
            kind: Some(Kind::Response),
            unknown: Severity::Error,
            long_response: Severity::Error,
            ..Terms::default()
        };
        assert_eq!(handoff::judge(&document, &terms), []);
        let summary = document.root().get("context_summary").unwrap();
        let summary = summary.as_str().unwrap();
        assert!(
            summary.starts_with(
                "It ended without a report, at work on t1. It wrote /p/a.rs, /p/b.rs."
            ),
            "{summary}"
        );
    }
}
