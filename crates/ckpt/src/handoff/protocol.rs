//! The document that tells agents how to hand over work.

use super::vocabulary::Mode;
use crate::tokens::SUMMARY_LIMIT;

/// The result of extending a document.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Extended {
    /// The complete document.
    pub text: String,
    /// What was added or renamed; empty if nothing was missing.
    pub changes: Vec<&'static str>,
}

/// The document does not look like a handoff protocol.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("this is not a handoff protocol: {missing}")]
pub struct NotRecognised {
    /// What is missing.
    missing: &'static str,
}

/// Where scripts find the functions that count tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Library {
    /// In the Node package.
    Package,
    /// In the files of the project that load the package.
    Scripts,
}

impl Library {
    /// The name of a file of it, for people.
    fn file(self, name: &str) -> String {
        match self {
            Self::Package => format!("ckpt/{name}"),
            Self::Scripts => format!(".claude/scripts/lib/{name}"),
        }
    }

    /// The name of a file of it, as a script loads it.
    fn module(self, name: &str) -> String {
        match self {
            Self::Package => format!("ckpt/{name}"),
            Self::Scripts => format!("../scripts/lib/{name}"),
        }
    }

    fn enforcement(self, limit: usize) -> String {
        limited(ENFORCEMENT, limit)
            .replace("{file}", &self.file("token-counter.cjs"))
            .replace("{counter}", &self.module("token-counter.cjs"))
            .replace("{utils}", &self.module("utils.cjs"))
    }
}

/// A text with the limit that holds here in place of the usual one.
fn limited(text: &str, limit: usize) -> String {
    text.replace(&SUMMARY_LIMIT.to_string(), &limit.to_string())
}

/// A new document, with the maximum number of tokens in a summary.
#[must_use]
pub fn document(library: Library, limit: usize) -> String {
    format!("{}{}", limited(NEW, limit), library.enforcement(limit))
}

/// Adds what a document lacks: the mode, the new name of the summary, and the section on enforcing the limit.
/// Existing text and headings stay where they are, so that links keep working.
pub fn extend(text: &str, library: Library, limit: usize) -> Result<Extended, NotRecognised> {
    let newline = if text.contains("\r\n") { "\r\n" } else { "\n" };
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let schema = request_schema(&lines).ok_or(NotRecognised {
        missing: "it has no JSON block with \"task_id\", \"phase\" and \"context\", each on its own line",
    })?;
    let table = request_table(&lines).ok_or(NotRecognised {
        missing: "it has no table of fields with `task_id` and `phase`",
    })?;
    let mut changes = Vec::new();
    if rename(&mut lines, limit) {
        changes.push("renamed previous_findings to previous_summary");
    }
    // Insert from the end, so that earlier positions stay valid.
    let mut insertions = [
        mode_row(&lines[table.clone()])
            .map(|(at, row)| (table.start + at, row, "added mode to the field table")),
        mode_member(&lines[schema.clone()]).map(|(at, member)| {
            (
                schema.start + at,
                member,
                "added mode to the request schema",
            )
        }),
    ];
    insertions.sort_by_key(|found| std::cmp::Reverse(found.as_ref().map(|(at, ..)| *at)));
    for (at, added, change) in insertions.into_iter().flatten() {
        lines.insert(at, added);
        changes.push(change);
    }
    if !headings(&lines).any(|(_, _, title)| title.eq_ignore_ascii_case("enforcement")) {
        let (at, level) = end_of_guidelines(&lines);
        // At the heading level of the section before it.
        let deeper = "#".repeat(level.saturating_sub(2));
        let section = library.enforcement(limit);
        let section = section.trim_end().lines();
        let section = section.map(|line| match line.starts_with('#') {
            true => format!("{deeper}{line}"),
            false => line.to_owned(),
        });
        let mut section: Vec<String> = section.collect();
        if at > 0 && !lines[at - 1].trim().is_empty() {
            section.insert(0, String::new());
        }
        if at < lines.len() {
            section.push(String::new());
        }
        lines.splice(at..at, section);
        changes.push("added the section Enforcement");
    }
    let mut result = lines.join(newline);
    if text.ends_with('\n') || !changes.is_empty() {
        result.push_str(newline);
    }
    Ok(Extended {
        text: if changes.is_empty() {
            text.to_owned()
        } else {
            result
        },
        changes,
    })
}

/// The lines of the first fenced block that contains a request.
fn request_schema(lines: &[String]) -> Option<std::ops::Range<usize>> {
    let mut open = None;
    for (at, line) in lines.iter().enumerate() {
        if !line.trim_start().starts_with("```") {
            continue;
        }
        let Some(start) = open.take() else {
            open = Some(at + 1);
            continue;
        };
        let block = &lines[start..at];
        let has = |name: &str| block.iter().any(|line| line.contains(name));
        if ["\"task_id\"", "\"context\""].into_iter().all(has) && phase_line(block).is_some() {
            return Some(start..at);
        }
    }
    None
}

/// The lines of the first table that lists the fields of a request.
fn request_table(lines: &[String]) -> Option<std::ops::Range<usize>> {
    let is_row = |line: &String| line.trim_start().starts_with('|');
    let mut at = 0;
    while at < lines.len() {
        let length = lines[at..].iter().take_while(|line| is_row(line)).count();
        let rows = &lines[at..at + length];
        let has = |name: &str| rows.iter().any(|row| row.contains(name));
        if has("`task_id`") && has("`phase`") {
            return Some(at..at + length);
        }
        at += length + 1;
    }
    None
}

/// Where to insert the mode in the schema: after the phase, or before it if the phase's line does not end in a comma.
fn mode_member(schema: &[String]) -> Option<(usize, String)> {
    if schema.iter().any(|line| line.contains("\"mode\"")) {
        return None;
    }
    let phase = phase_line(schema)?;
    let line = &schema[phase];
    let indent = &line[..line.len() - line.trim_start().len()];
    let words: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
    let member = format!("{indent}\"mode\": \"{} (required)\",", words.join(" | "));
    let is_followed = line.trim_end().ends_with(',');
    Some((phase + usize::from(is_followed), member))
}

/// The line that contains the phase and no other member.
fn phase_line(schema: &[String]) -> Option<usize> {
    schema.iter().position(|line| {
        let line = line.trim_start();
        line.starts_with("\"phase\"") && line.matches("\":").count() == 1 && !line.contains('}')
    })
}

/// Where to insert the mode in the table: after the phase.
fn mode_row(table: &[String]) -> Option<(usize, String)> {
    if table.iter().any(|row| row.contains("`mode`")) {
        return None;
    }
    let phase = table.iter().position(|row| row.contains("`phase`"))?;
    let words: Vec<&str> = Mode::ALL.iter().map(|mode| mode.as_str()).collect();
    let about = format!("Sub-agent specialization ({})", words.join("/"));
    let columns = table[phase].trim().trim_matches('|').split('|').count();
    let cells = match columns {
        4 => vec!["`mode`", "enum", "Yes", &about],
        // In another layout, the first column has the names and the last the descriptions.
        columns => {
            let between = columns.saturating_sub(2);
            let between = std::iter::repeat_n("", between);
            ["`mode`"]
                .into_iter()
                .chain(between)
                .chain([about.as_str()])
                .collect()
        }
    };
    Some((phase + 1, format!("| {} |", cells.join(" | "))))
}

/// Renames the summary in code blocks and tables. Prose and headings are left alone.
fn rename(lines: &mut [String], limit: usize) -> bool {
    let mut is_code = false;
    let mut is_renamed = false;
    for line in lines {
        let start = line.trim_start();
        let is_fence = start.starts_with("```");
        let is_row = start.starts_with('|');
        if (is_code || is_row) && !is_fence && line.contains("previous_findings") {
            let about = match is_row {
                true => "Summary from previous phase (≤500 tokens, validated)",
                false => "Summary from previous phase (≤500 tokens)",
            };
            *line = line
                .replace("previous_findings", "previous_summary")
                .replace("Summary from previous phase", &limited(about, limit));
            is_renamed = true;
        }
        is_code ^= is_fence;
    }
    is_renamed
}

/// The headings outside code blocks: the line, level and text of each.
fn headings(lines: &[String]) -> impl Iterator<Item = (usize, usize, &str)> {
    let mut is_code = false;
    lines.iter().enumerate().filter_map(move |(at, line)| {
        is_code ^= line.trim_start().starts_with("```");
        let level = line.len() - line.trim_start_matches('#').len();
        let title = line.get(level..)?.strip_prefix(' ')?;
        (!is_code && (1..=6).contains(&level)).then(|| (at, level, title.trim()))
    })
}

/// The line after the section on summaries, and the level of its heading; otherwise the end of the document, and
/// level 2.
fn end_of_guidelines(lines: &[String]) -> (usize, usize) {
    let mut all = headings(lines);
    let guidelines =
        all.find(|(_, _, title)| title.eq_ignore_ascii_case("context summary guidelines"));
    let Some((_, level, _)) = guidelines else {
        return (lines.len(), 2);
    };
    let next = all.find(|(_, other, _)| *other <= level);
    (next.map_or(lines.len(), |(at, ..)| at), level)
}

const NEW: &str = r#"# Sub-Agent Handoff Protocol

How an orchestrator hands a task to a sub-agent, and how the sub-agent answers. Both messages are one JSON object.

## Request Schema

```json
{
  "task_id": "string (required)",
  "phase": "research | write | validate | parallel (required)",
  "mode": "plan | code | ui | docs | eval | reconcile | research (required)",
  "context": {
    "feature": "string (required)",
    "spec_path": "string | null",
    "relevant_files": ["string"],
    "constraints": ["string"],
    "previous_summary": "string | null - Summary from previous phase (≤500 tokens)"
  },
  "instructions": "string (required)",
  "expected_output": "structured_findings | files_changed | validation_result | aggregated_results (required)"
}
```

### Request Fields

| Field | Type | Required | Description |
| --- | --- | --- | --- |
| `task_id` | string | Yes | Identifies the task in every message about it |
| `phase` | enum | Yes | The kind of step |
| `mode` | enum | Yes | Sub-agent specialization (plan/code/ui/docs/eval/reconcile/research) |
| `context.feature` | string | Yes | What the work is about |
| `context.spec_path` | string | No | The path of the specification |
| `context.relevant_files` | string[] | No | Files to look at first |
| `context.constraints` | string[] | No | Rules to follow |
| `context.previous_summary` | string | No | Summary from previous phase (≤500 tokens, validated) |
| `instructions` | string | Yes | What to do |
| `expected_output` | enum | Yes | The form of the findings |

### Modes

| Mode | Meaning |
| --- | --- |
| `plan` | Research/design/documentation tasks |
| `code` | Implementation tasks (lib, scripts, logic) |
| `ui` | UI component implementation |
| `docs` | Documentation writing |
| `eval` | Testing/validation tasks |
| `reconcile` | Compare plan vs implementation |
| `research` | Investigation and discovery |

## Response Schema

```json
{
  "task_id": "string (required)",
  "phase": "research | write | validate | parallel (required)",
  "status": "complete | partial | blocked (required)",
  "decision": "PROCEED | STOP | CLARIFY (required)",
  "findings": {},
  "context_summary": "string (required, ≤500 tokens)",
  "tokens_used": 0,
  "issues": ["string"]
}
```

### Response Fields

| Field | Type | Required | Description |
| --- | --- | --- | --- |
| `task_id` | string | Yes | The task of the request |
| `phase` | enum | Yes | The phase of the request |
| `status` | enum | Yes | How far the task got |
| `decision` | enum | Yes | `STOP` and `CLARIFY` block the work until the issues are dealt with |
| `findings` | object | Yes | See below |
| `context_summary` | string | Yes | What the next phase must know (≤500 tokens) |
| `tokens_used` | number | No | Tokens spent on the task |
| `issues` | array | No | What went wrong or is unclear |

### Findings

| Phase | Members |
| --- | --- |
| research | `existing_implementations[{file, description, relevance}]`, `conflicts[{type, description, severity}]`, `patterns_found[{file, pattern, recommendation}]`, `recommendations[]` |
| write | `files_created[{path, purpose}]`, `files_modified[{path, changes}]`, `tests_written[{path, test_count, coverage_areas[]}]`, `implementation_notes[]` |
| validate | `checks{types, lint, tests, security}`, `overall_passed`, `blocking_issues[]`, `warnings[]` |
| parallel | `results[]`, `aggregation{total, passed, failed, rule, overall_passed}` |

## Context Summary Guidelines

- Say what was decided and why, what was done, and what is left.
- Name files by their paths. Leave out what the reader can see in them.
- Keep it under 500 tokens: a summary over the limit is sent back, not cut.

"#;

/// `{file}`, `{counter}` and `{utils}` are replaced by names of the library.
const ENFORCEMENT: &str = r#"## Enforcement

A program limits context summaries to 500 tokens; no prompt has to ask for it.

- **Validator:** `{file}`
- **Functions:** `countTokens(text)`, `validateContextSummary(summary)`
- **Heuristic:** Words between white space: `countTokens` splits on `/\s+/` and leaves out empty strings. ~4 characters per
  token is only a rule of thumb for writers; it is not what is counted.
- **Behavior:** Orchestrators call `validateContextSummary()` before they pass context between phases. A summary over
  500 tokens is rejected with `Context summary exceeds 500 token limit (actual: X tokens)`.
- **On the command line:** `ckpt handoff check`, and `ckpt tokens --fit 500` to shorten a text at a sentence.

### On Handoff Creation

```javascript
const { validateContextSummary } = require("{counter}");
const { logError } = require("{utils}");

const summary = handoffData.context.previous_summary;
if (summary) {
  const result = validateContextSummary(summary);
  if (!result.valid) {
    logError(result.error); // "Context summary exceeds 500 token limit (actual: X tokens)"
  }
}
```

### On Response Processing

- The `context_summary` of every response is validated.
- A summary over 500 tokens is logged as a warning; `ckpt handoff check --enforce` makes it an error.
- The orchestrator decides whether to truncate or reject it. ckpt itself never cuts a summary.
"#;
