use proptest::prelude::{any, prop, proptest};

use super::*;
use crate::document::Document;
use crate::finding::Severity;

const REQUEST: &str = r#"{
  "task_id": "T002",
  "phase": "write",
  "mode": "code",
  "context": {
    "feature": "auth",
    "spec_path": null,
    "relevant_files": ["src/a.rs"],
    "constraints": [],
    "previous_summary": "Found the session code."
  },
  "instructions": "Write it.",
  "expected_output": "files_changed"
}
"#;

const RESPONSE: &str = r#"{
  "task_id": "T002",
  "phase": "write",
  "status": "complete",
  "decision": "PROCEED",
  "findings": {
    "files_created": [{ "path": "src/b.rs", "purpose": "tokens" }],
    "files_modified": [{ "path": "src/a.rs", "changes": "uses b" }],
    "tests_written": [{ "path": "tests/b.rs", "test_count": 3, "coverage_areas": ["b"] }],
    "implementation_notes": ["none"]
  },
  "context_summary": "Tokens are issued and checked.",
  "tokens_used": 1200,
  "issues": []
}
"#;

fn findings_with(text: &str, terms: &Terms) -> Vec<String> {
    let block = find(text).unwrap();
    let findings = judge(&block.document, terms).into_iter();
    findings.map(|finding| finding.to_string()).collect()
}

fn findings(text: &str) -> Vec<String> {
    findings_with(text, &Terms::default())
}

#[test]
fn what_is_right_has_no_findings_even_when_judged_strictly() {
    let strict = Terms {
        unknown: Severity::Error,
        long_response: Severity::Error,
        ..Terms::default()
    };
    for text in [REQUEST, RESPONSE] {
        assert_eq!(findings_with(text, &strict), Vec::<String>::new());
    }
    let kind = |text: &str| Kind::of(find(text).unwrap().document.root());
    assert_eq!(
        (kind(REQUEST), kind(RESPONSE)),
        (Kind::Request, Kind::Response)
    );
}

#[test]
fn each_violation_has_its_rule_its_place_and_its_line() {
    let long = format!("\"{}\"", "word ".repeat(501));
    for (text, old, new, expected) in [
        (
            REQUEST,
            "\"T002\"",
            "\" \"",
            "error[handoff.required] line 2, /task_id: \"task_id\" is empty",
        ),
        (
            REQUEST,
            "\"task_id\"",
            "\"id\"",
            "error[handoff.required] line 1, /: \"task_id\" is missing",
        ),
        (
            REQUEST,
            "\"write\"",
            "7",
            "error[handoff.type] line 3, /phase: \"phase\" must be a string, not a number",
        ),
        (
            REQUEST,
            "\"write\"",
            "\"design\"",
            "warning[handoff.unknown-value] line 3, /phase: \"phase\" is \"design\", but should be one of research, write, validate, parallel",
        ),
        (
            REQUEST,
            "\"code\"",
            "\"hack\"",
            "warning[handoff.unknown-value] line 4, /mode: \"mode\" is \"hack\", but should be one of plan, code, ui, docs, eval, reconcile, research",
        ),
        (
            REQUEST,
            "\"auth\"",
            "null",
            "error[handoff.required] line 5, /context: \"feature\" is missing",
        ),
        (
            REQUEST,
            "[\"src/a.rs\"]",
            "[\"a\", 1]",
            "error[handoff.type] line 8, /context/relevant_files/1: \"relevant_files\" must be a list of strings, but this is a number",
        ),
        (
            REQUEST,
            "\"Found the session code.\"",
            &long,
            "error[handoff.previous-summary-limit] line 10, /context/previous_summary: Context summary exceeds 500 token limit (actual: 501 tokens)",
        ),
        (
            REQUEST,
            "previous_summary",
            "previous_findings",
            "warning[handoff.legacy-name] line 10, /context/previous_findings: \"previous_findings\" is now called \"previous_summary\"; rename it with: ckpt handoff fix",
        ),
        (
            REQUEST,
            "\"files_changed\"",
            "\"poem\"",
            "warning[handoff.unknown-value] line 13, /expected_output: \"expected_output\" is \"poem\", but should be one of structured_findings, files_changed, validation_result, aggregated_results",
        ),
        (
            RESPONSE,
            "\"status\"",
            "\"state\"",
            "error[handoff.required] line 1, /: \"status\" is missing",
        ),
        (
            RESPONSE,
            "\"complete\"",
            "\"done\"",
            "error[handoff.unknown-value] line 4, /status: \"status\" is \"done\", but should be one of complete, partial, blocked",
        ),
        (
            RESPONSE,
            "\"PROCEED\"",
            "\"proceed\"",
            "error[handoff.unknown-value] line 5, /decision: \"decision\" is \"proceed\", but should be one of PROCEED, STOP, CLARIFY",
        ),
        (
            RESPONSE,
            "\"Tokens are issued and checked.\"",
            &long,
            "warning[handoff.summary-limit] line 12, /context_summary: Context summary exceeds 500 token limit (actual: 501 tokens)",
        ),
        (
            RESPONSE,
            "1200",
            "-1",
            "error[handoff.type] line 13, /tokens_used: \"tokens_used\" should be a whole number, not -1",
        ),
        (
            RESPONSE,
            "\"issues\": []",
            "\"issues\": \"x\"",
            "error[handoff.type] line 14, /issues: \"issues\" must be an array, not a string",
        ),
        (
            RESPONSE,
            "[{ \"path\": \"src/b.rs\", \"purpose\": \"tokens\" }]",
            "[\"src/b.rs\"]",
            "warning[handoff.findings] line 7, /findings/files_created/0: an entry of \"files_created\" must be an object with path, purpose, not a string",
        ),
        (
            RESPONSE,
            ", \"changes\": \"uses b\"",
            "",
            "warning[handoff.findings] line 8, /findings/files_modified/0: an entry of \"files_modified\" lacks changes",
        ),
    ] {
        let broken = text.replacen(old, new, 1);
        assert_eq!(findings(&broken), [expected], "{old} -> {new}");
    }
    assert_eq!(
        findings("[1]"),
        ["error[handoff.object] line 1, /: a handoff must be a JSON object, not an array"]
    );
}

#[test]
fn strict_and_enforced_terms_make_errors_of_warnings() {
    let strict = Terms {
        unknown: Severity::Error,
        long_response: Severity::Error,
        ..Terms::default()
    };
    for (text, old, new) in [
        (REQUEST, "\"code\"", "\"hack\"".to_owned()),
        (
            RESPONSE,
            "\"Tokens are issued and checked.\"",
            format!("\"{}\"", "w ".repeat(501)),
        ),
    ] {
        let broken = text.replacen(old, &new, 1);
        assert!(findings(&broken)[0].starts_with("warning"));
        assert!(findings_with(&broken, &strict)[0].starts_with("error"));
    }
}

#[test]
fn findings_are_judged_by_their_phase() {
    for (phase, content, expected) in [
        (
            "research",
            r#"{"conflicts": {}}"#,
            "\"conflicts\" should be an array, not an object",
        ),
        (
            "research",
            r#"{"patterns_found": [{"file": "a"}]}"#,
            "an entry of \"patterns_found\" lacks pattern, recommendation",
        ),
        (
            "validate",
            r#"{"overall_passed": "yes"}"#,
            "\"overall_passed\" should be true or false",
        ),
        (
            "validate",
            r#"{"checks": []}"#,
            "\"checks\" should be an object, not an array",
        ),
        (
            "parallel",
            r#"{"aggregation": 1}"#,
            "\"aggregation\" should be an object, not a number",
        ),
    ] {
        let text = format!(
            r#"{{"task_id":"T","phase":"{phase}","status":"complete","decision":"PROCEED","findings":{content},"context_summary":"s"}}"#
        );
        let found = findings(&text);
        assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    }
}

#[test]
fn the_json_is_found_in_prose_and_keeps_its_lines() {
    let prose =
        format!("Here is {{what}} I found, für Sie:\n\n```json\n{RESPONSE}```\nDone {{}}.\n");
    let prose = prose.replacen("Done {}", "Done {x}", 1);
    let block = find(&prose).unwrap();
    assert_eq!(block.lines, (4, 18));
    assert!(!block.is_whole);
    assert_eq!(&prose[block.span.clone()], RESPONSE.trim_end());
    let broken = prose.replacen("\"complete\"", "\"done\"", 1);
    assert!(findings(&broken)[0].starts_with("error[handoff.unknown-value] line 7, /status"));
    assert!(find(REQUEST).unwrap().is_whole);
}

#[test]
fn of_several_blocks_the_handoff_is_taken_and_two_handoffs_are_refused() {
    let with_other = format!("Config: {{\"a\": 1}}\n{REQUEST}");
    assert_eq!(find(&with_other).unwrap().lines.0, 2);
    let two = format!("One:\n{REQUEST}\nTwo:\n{REQUEST}");
    let error = find(&two).unwrap_err();
    assert_eq!(
        error.to_string(),
        "there is more than one JSON block, for example on lines 2, 18"
    );
    let neither = "{\"a\":1} and {\"b\":2}\n";
    let error = find(&format!("x {neither}")).unwrap_err();
    assert_eq!(error, BlockError::Several(vec![1, 1]));
}

#[test]
fn truncated_json_is_reported_as_broken_at_its_position() {
    let cut = &RESPONSE[..RESPONSE.find("\"tokens_used\"").unwrap()];
    for text in [cut.to_owned(), format!("My answer:\n```json\n{cut}")] {
        let error = find(&text).unwrap_err();
        let BlockError::Broken { line, error } = error else {
            panic!("{error}");
        };
        let before = text[..text.find('{').unwrap()].matches('\n').count();
        assert_eq!((line, error.line), (before + 1, before + 13));
    }
    assert_eq!(find("no braces").unwrap_err(), BlockError::None);
    assert_eq!(find("").unwrap_err(), BlockError::None);
}

#[test]
fn hostile_texts_of_ten_megabytes_take_no_time() {
    for unit in ["{", "{\"", "{\"a\":", "{\"a\":1,", "{\"{\"", "}{", "{}"] {
        let text = format!("x{}", unit.repeat(10_000_000 / unit.len()));
        assert!(find(&text).is_err(), "{unit}");
    }
    let large = RESPONSE.replace("Tokens are issued and checked.", &"word ".repeat(2_000_000));
    assert_eq!(
        findings(&format!("Here:\n\n{large}")),
        [
            "warning[handoff.summary-limit] line 14, /context_summary: Context summary exceeds 500 token limit (actual: 2000000 tokens)"
        ]
    );
    let prose = format!("{}\n{RESPONSE}", "Words and {braces}. ".repeat(500_000));
    assert_eq!(find(&prose).unwrap().lines, (2, 16));
}

#[test]
fn the_old_name_is_fixed_and_nothing_else_changes() {
    let old = REQUEST.replace("previous_summary", "previous_findings");
    let prose = format!("Take previous_findings {{a}}:\n{old}\nprevious_findings\n");
    let Fixed::Text(fixed) = fix(&prose, &find(&prose).unwrap()) else {
        panic!("not mended");
    };
    assert_eq!(
        fixed,
        prose.replacen("\"previous_findings\"", "\"previous_summary\"", 1)
    );
    assert_eq!(fix(&fixed, &find(&fixed).unwrap()), Fixed::Nothing);
    let both = REQUEST.replace("\"constraints\": []", "\"previous_findings\": \"x\"");
    assert_eq!(fix(&both, &find(&both).unwrap()), Fixed::Both);
}

#[test]
fn a_draft_becomes_a_request_without_findings() {
    let draft = Draft {
        task: "T1".to_owned(),
        phase: Phase::Validate,
        mode: Mode::Eval,
        feature: "auth".to_owned(),
        instructions: "Check it.".to_owned(),
        spec_path: Some("docs/spec.md".to_owned()),
        files: vec!["a.rs".to_owned()],
        constraints: vec!["no unsafe".to_owned()],
        previous_summary: None,
        expected_output: None,
    };
    let document = Document::from_value(&draft.written()).unwrap();
    assert_eq!(judge(&document, &Terms::default()), []);
    let expected = document.root().get("expected_output").unwrap().as_str();
    assert_eq!(expected.as_deref(), Some("validation_result"));
}

#[test]
fn a_reply_that_does_not_proceed_has_blockers() {
    let stop = RESPONSE.replace("PROCEED", "STOP").replace(
        "\"issues\": []",
        "\"issues\": [\"no key\", {\"description\": \"bad port\", \"severity\": \"high\"}, 7]",
    );
    let reply = Reply::read(&find(&stop).unwrap().document).unwrap();
    assert_eq!(
        reply.blockers(),
        ["T002 STOP: no key", "T002 STOP: bad port", "T002 STOP: 7"]
    );
    assert_eq!(reply.created, ["src/b.rs"]);
    assert_eq!(reply.modified, ["src/a.rs"]);
    let clarify = RESPONSE.replace("PROCEED", "CLARIFY");
    let reply = Reply::read(&find(&clarify).unwrap().document).unwrap();
    assert_eq!(
        reply.blockers(),
        ["T002 CLARIFY: Tokens are issued and checked."]
    );
    let reply = Reply::read(&find(RESPONSE).unwrap().document).unwrap();
    assert_eq!(reply.blockers(), Vec::<String>::new());
}

/// The protocol before it is extended.
const OLD_PROTOCOL: &str = "\
# Handoff

## Request Schema

```json
{
  \"task_id\": \"string (required)\",
  \"phase\": \"research | write | validate (required)\",
  \"context\": {
    \"feature\": \"string\",
    \"previous_findings\": \"string | null - Summary from previous phase\"
  }
}
```

### Request Fields

| Field | Type | Required | Description |
|---|---|---|---|
| `task_id` | string | Yes | Unique |
| `phase` | enum | Yes | Execution phase |
| `context.previous_findings` | string | No | Summary from previous phase |

## Context Summary Guidelines

Keep it short. See previous_findings.

### Good

Yes.

## Examples

```json
{ \"context\": { \"previous_findings\": \"x\" } }
```
";

#[test]
fn an_old_protocol_is_extended_once_and_keeps_its_headings() {
    let extended = extend(OLD_PROTOCOL, Library::Package, 500).unwrap();
    assert_eq!(extended.changes.len(), 4, "{:?}", extended.changes);
    let text = &extended.text;
    assert!(text.contains("(required)\",\n  \"mode\": \"plan | code | ui | docs | eval | reconcile | research (required)\",\n  \"context\""), "{text}");
    assert!(text.contains("Execution phase |\n| `mode` | enum | Yes | Sub-agent specialization (plan/code/ui/docs/eval/reconcile/research) |\n| `context.previous_summary` | string | No | Summary from previous phase (≤500 tokens, validated) |\n"), "{text}");
    assert!(
        text.contains(
            "\"previous_summary\": \"string | null - Summary from previous phase (≤500 tokens)\""
        ),
        "{text}"
    );
    assert!(
        text.contains("Keep it short. See previous_findings."),
        "{text}"
    );
    assert!(text.contains("\nYes.\n\n## Enforcement\n"), "{text}");
    assert!(text.contains("\n\n## Examples\n"), "{text}");
    let headings = |text: &str| -> Vec<String> {
        let lines = text.lines().filter(|line| line.starts_with('#'));
        lines.map(str::to_owned).collect()
    };
    let kept: Vec<String> = headings(text)
        .into_iter()
        .filter(|known| headings(OLD_PROTOCOL).contains(known))
        .collect();
    assert_eq!(kept, headings(OLD_PROTOCOL));
    let again = extend(text, Library::Package, 500).unwrap();
    assert_eq!((again.changes.len(), &again.text), (0, text));
    let windows = extend(&OLD_PROTOCOL.replace('\n', "\r\n"), Library::Package, 500)
        .unwrap()
        .text;
    assert_eq!(windows, text.replace('\n', "\r\n"));
}

#[test]
fn a_new_protocol_has_nothing_to_add_and_other_documents_are_not_recognised() {
    let new = document(Library::Package, 500);
    assert_eq!(
        extend(&new, Library::Package, 500).unwrap().changes,
        Vec::<&str>::new()
    );
    for text in ["", "# Something else\n", "```json\n{\"task_id\": 1}\n```\n"] {
        assert!(extend(text, Library::Package, 500).is_err(), "{text}");
    }
}

#[test]
fn other_layouts_of_a_protocol_are_extended_or_left_alone() {
    // A member that shares its line with others cannot be extended.
    let inline = OLD_PROTOCOL.replace(
        "\"task_id\": \"string (required)\",\n  ",
        "\"task_id\": 1, ",
    );
    assert!(extend(&inline, Library::Package, 500).is_err());
    let commented =
        OLD_PROTOCOL.replace("validate (required)\",", "validate (required)\", // which");
    let text = extend(&commented, Library::Package, 500).unwrap().text;
    assert!(
        text.contains("research (required)\",\n  \"phase\""),
        "{text}"
    );
    let narrow = OLD_PROTOCOL
        .replace(
            "| `task_id` | string | Yes | Unique |",
            "| `task_id` | Unique |",
        )
        .replace(
            "| `phase` | enum | Yes | Execution phase |",
            "| `phase` | Execution phase |",
        );
    let text = extend(&narrow, Library::Package, 500).unwrap().text;
    assert!(
        text.contains("| `mode` | Sub-agent specialization (plan/"),
        "{text}"
    );
    let deep = OLD_PROTOCOL
        .replace("## Context Summary", "### Context Summary")
        .replace("### Good", "#### Good");
    let deep = deep.replace("## Examples", "### Examples");
    let text = extend(&deep, Library::Package, 500).unwrap().text;
    assert!(
        text.contains("\nYes.\n\n### Enforcement\n")
            && text.contains("\n#### On Handoff Creation\n"),
        "{text}"
    );
    // A heading of a higher level also ends the section.
    let higher = OLD_PROTOCOL.replace("## Examples", "# Examples");
    assert!(
        extend(&higher, Library::Package, 500)
            .unwrap()
            .text
            .contains("\nYes.\n\n## Enforcement\n")
    );
}

#[test]
fn one_that_was_cut_off_is_not_replaced_by_another() {
    let cut = &RESPONSE[..RESPONSE.find("\"tokens_used\"").unwrap()];
    for text in [
        format!("For example:\n{RESPONSE}\nMine:\n{cut}"),
        format!("With {{}} and {{\"a\": 1}}:\n{cut}"),
    ] {
        assert!(
            matches!(find(&text), Err(BlockError::Broken { .. })),
            "{text}"
        );
    }
    let late = format!("{{\"a\": 1, oops {RESPONSE} {cut}");
    assert!(
        matches!(
            find(&format!("x {late}")),
            Err(BlockError::Broken { line: 16, .. })
        ),
        "{late}"
    );
    let other = format!("{RESPONSE}\nand {{\"a\": 1, oops");
    assert!(find(&format!("x {other}")).is_ok());
}

#[test]
fn members_of_findings_have_their_types() {
    for (phase, content, expected) in [
        (
            "write",
            r#"{"files_created":[{"path":5,"purpose":"p"}]}"#,
            "\"path\" should be a string",
        ),
        (
            "write",
            r#"{"tests_written":[{"path":"a","test_count":"x"}]}"#,
            "\"test_count\" should be a whole number",
        ),
        (
            "write",
            r#"{"tests_written":[{"path":"a","coverage_areas":[1]}]}"#,
            "\"coverage_areas\" should be a list of strings",
        ),
        (
            "parallel",
            r#"{"aggregation":{"total":"x"}}"#,
            "\"total\" should be a whole number",
        ),
        (
            "parallel",
            r#"{"aggregation":{"overall_passed":1}}"#,
            "\"overall_passed\" should be true or false",
        ),
        (
            "validate",
            r#"{"warnings":"x"}"#,
            "\"warnings\" should be an array",
        ),
    ] {
        let text = format!(
            r#"{{"task_id":"T","phase":"{phase}","status":"complete","decision":"PROCEED","findings":{content},"context_summary":"s"}}"#
        );
        let found = findings(&text);
        assert!(
            found.len() == 1 && found[0].contains(expected),
            "{expected}: {found:?}"
        );
    }
    let constraints = REQUEST.replace("\"constraints\": []", "\"constraints\": [1]");
    assert!(findings(&constraints)[0].contains("/context/constraints/0"));
}

#[test]
fn of_both_names_the_new_one_is_read() {
    let long = "word ".repeat(501);
    let both = REQUEST.replace(
        "\"constraints\": []",
        &format!("\"previous_findings\": \"{long}\""),
    );
    let found = findings(&both);
    assert!(
        found.len() == 1 && found[0].contains("is ignored because"),
        "{found:?}"
    );
}

#[test]
fn a_repeated_name_is_fixed_in_both_places() {
    let twice = REQUEST.replace(
        "\"constraints\": [],\n    \"previous_summary\"",
        "\"previous_findings\": \"z\",\n    \"previous_findings\"",
    );
    let Fixed::Text(fixed) = fix(&twice, &find(&twice).unwrap()) else {
        panic!("not mended");
    };
    assert_eq!(
        fixed,
        twice.replace("previous_findings", "previous_summary")
    );
}

#[test]
fn issues_of_a_validation_block_as_well() {
    let text = r#"{"task_id":"T","phase":"validate","status":"complete","decision":"STOP","findings":{"blocking_issues":["bad\nport --> x"]},"context_summary":"s"}"#;
    let reply = Reply::read(&find(text).unwrap().document).unwrap();
    assert_eq!(reply.blockers(), ["T STOP: bad port -> x"]);
    assert!(reply.is_own_blocker("T STOP: bad") && reply.is_own_blocker("T CLARIFY: x"));
    assert!(!reply.is_own_blocker("T needs a review") && !reply.is_own_blocker("T2 STOP: x"));
}

#[test]
fn lists_with_a_hundred_thousand_faults_take_no_time() {
    let faults = "1,".repeat(400_000);
    let files = REQUEST.replace("\"src/a.rs\"", faults.trim_end_matches(','));
    assert!(findings(&files).len() <= 60);
    let members = "\"x\":1,".repeat(400_000);
    let repeated = REQUEST.replacen('{', &format!("{{{members}"), 1);
    assert!(findings(&repeated).len() <= 60);
    let entries = r#"{"path":"a"},"#.repeat(100_000);
    let created = RESPONSE.replace(
        r#"{ "path": "src/b.rs", "purpose": "tokens" }"#,
        entries.trim_end_matches(','),
    );
    assert!(findings(&created).len() <= 60);
}

proptest! {
    #[test]
    fn any_text_gets_an_answer_and_never_a_panic(
        parts in prop::collection::vec(any::<String>(), 0..4),
        cut in 0_usize..400,
    ) {
        let mut text = parts.join(REQUEST);
        text.truncate(text.floor_char_boundary(cut));
        if let Ok(block) = find(&text) {
            let _ = judge(&block.document, &Terms::default());
            let _ = fix(&text, &block);
        }
        let _ = extend(&text, Library::Package, 500);
    }
}
