//! `ckpt diff`

use serde_json::Value;

use crate::support::environment::{AUTH, Environment};

fn worked() -> Environment {
    let environment = Environment::started_with("research,build");
    for summary in ["Sessions are files", "Sessions are rows in a table"] {
        let phase = [
            "phase",
            "implement/auth",
            "research",
            "complete",
            "--summary",
            summary,
        ];
        environment.ckpt(&phase).exits(0);
    }
    environment
}

#[test]
fn what_began_is_told_in_words_too() {
    let environment = Environment::new();
    let spec = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";
    environment.write("spec.md", spec);
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "a"])
        .exits(0);
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    for key in ["implement/auth", "PRD-001"] {
        let told = environment.ckpt(&["diff", key]).exits(0).stdout;
        let is_plain = |line: &str| !line.starts_with(':') && !line.contains(['{', '_']);
        assert!(told.lines().all(is_plain), "{told}");
        assert!(!told.contains("none"), "{told}");
    }
}

#[test]
fn what_changed_is_told_in_words_and_long_texts_word_by_word() {
    let environment = worked();
    let diff = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt(&words).exits(0).stdout
    };
    assert_eq!(
        diff("diff implement/auth"),
        "phase research, context summary: Sessions are [-files-]{+rows in a table+}\n"
    );
    let since = diff("diff implement/auth 1");
    assert!(
        since.contains("phase research: pending → complete\n"),
        "{since}"
    );
    assert_eq!(diff("diff implement/auth 1 1"), "");
    assert_eq!(
        diff("diff implement/auth 2 --stat"),
        "0 added, 1 changed, 0 removed\n"
    );
    let text = diff("diff implement/auth 2 3 --text");
    assert!(
        text.contains("-      \"context_summary\": \"Sessions are files\""),
        "{text}"
    );
}

#[test]
fn a_status_of_several_words_is_told_whole() {
    let environment = Environment::started_with("build");
    let spec = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";
    environment.write("spec.md", spec);
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    for step in ["start", "done"] {
        environment
            .ckpt(&["pipeline", step, "PRD-001", "WS1"])
            .exits(0);
    }
    let told = environment.ckpt(&["diff", "PRD-001"]).exits(0).stdout;
    assert!(
        told.contains("workstream WS1: in progress → done\n"),
        "{told}"
    );
    let text = environment.read(AUTH);
    let spaced = text.replace("\"pending\"", "\"in progress\"");
    let dashed = text.replace("\"pending\"", "\"all-done\"");
    environment.write("one.json", spaced);
    environment.write("two.json", dashed);
    let told = environment.ckpt(&["diff", "implement/auth", "one.json", "two.json"]);
    assert_eq!(
        told.exits(0).stdout,
        "phase build: in progress → all-done\n"
    );
}

#[test]
fn things_that_are_new_as_a_whole_are_told_in_words() {
    let environment = Environment::started_with("build");
    let told = |key: &str| environment.ckpt(&["diff", key]).exits(0).stdout;
    let spec = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";
    environment.write("spec.md", spec);
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    let review = ["pipeline", "review", "PRD-001", "ship"];
    environment.ckpt(&review).exits(0);
    assert_eq!(told("PRD-001"), "review: + ship\n");
    let plan = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n- [ ] Seed <!-- TASK: seed -->\n";
    environment.write("plans/260220-1149-login/plan.md", plan);
    environment.ckpt(&["plan", "sync"]).exits(0);
    let abandon = ["abandon", "260220-1149-login", "--reason", "not needed"];
    environment.ckpt(&abandon).exits(0);
    assert_eq!(told("login"), "closed: + abandoned: \"not needed\"\n");
    let two = r#"{"agents":{"a1":{"type":"explore","startedAt":"1"}},
        "receipts":{"tests":{"kind":"run","result":"passed"}},"extra":{"is_new":true,"many":[1,2]}}"#;
    environment.write("one.json", r#"{"agents":{},"receipts":{}}"#);
    environment.write("two.json", two);
    let all = environment.ckpt(&["diff", "implement/auth", "one.json", "two.json"]);
    assert_eq!(
        all.exits(0).stdout,
        "agent a1: + explore\ngate tests: + passed\nextra: + is new yes, many 1, 2\n"
    );
}

#[test]
fn a_patch_leads_from_one_side_to_the_other() {
    let environment = worked();
    let at = |revision: &str| -> Value {
        let show = ["show", "implement/auth", "--at", revision, "--raw"];
        serde_json::from_str(&environment.ckpt(&show).exits(0).stdout).unwrap()
    };
    let diff = ["diff", "implement/auth", "1", "3", "--patch"];
    let patch = environment.ckpt(&diff).exits(0).stdout;
    let patch: json_patch::Patch = serde_json::from_str(&patch).unwrap();
    let mut document = at("1");
    json_patch::patch(&mut document, &patch).unwrap();
    assert_eq!(document, at("3"));
    let report = environment.ckpt(&["diff", "implement/auth", "1", "--json"]);
    let report = report.exits(0).json();
    assert_eq!(report["a"], "revision 1");
    assert_eq!(report["b"], "now");
    assert_eq!(
        report["differences"][0]["pointer"],
        "/phases/research/status"
    );
    assert!(report["patch"].is_array(), "{report}");
}

#[test]
fn files_and_other_checkpoints_are_compared_too() {
    let environment = worked();
    let copy = environment.read(AUTH).replace("are rows", "were rows");
    environment.write("old.json", copy);
    let diff = environment.ckpt(&["diff", "implement/auth", "old.json"]);
    let said = diff.exits(0).stdout;
    assert!(said.contains("[-were-]{+are+} rows"), "{said}");
    environment.ckpt(&["start", "implement", "sso"]).exits(0);
    let diff = environment.ckpt(&["diff", "implement/auth", "implement/sso"]);
    let said = diff.exits(0).stdout;
    assert!(said.contains("feature: sso → auth"), "{said}");
}

#[test]
fn before_it_was_created_there_was_nothing() {
    let environment = worked();
    let since = |point: &str| environment.ckpt(&["diff", "implement/auth", point]);
    let told = since("@2h").exits(0).stdout;
    assert!(told.contains("command: + implement"), "{told}");
    let report = environment.ckpt(&["diff", "implement/auth", "@2h", "--json"]);
    assert_eq!(report.exits(0).json()["a"], "nothing");
    // What was there before its history began is not known.
    environment.without_copies();
    std::fs::remove_dir_all(environment.path(".claude/state/history")).unwrap();
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let told = since("@2h").exits(3);
    assert!(told.stderr.contains("has nothing recorded at"), "{told}");
}

#[test]
fn what_is_shown_at_a_revision_or_a_time_names_the_revision() {
    let environment = Environment::started_with("a,b");
    environment
        .ckpt(&["phase", "implement/auth", "a", "complete"])
        .exits(0);
    let plan = "plans/260220-1149-login/plan.md";
    environment.write(plan, "# Login\n- [ ] Form <!-- TASK: form -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["plan", "done", "form"]).exits(0);
    for (key, at, expected) in [
        ("implement/auth", "1", "1"),
        ("implement/auth", "@0s", "2-"),
        ("260220-1149-login", "1", "1"),
    ] {
        let shown = environment.ckpt(&["show", key, "--at", at, "--json"]);
        let shown = shown.exits(0).json();
        let revision = shown["revision"].as_str().unwrap();
        assert!(revision.starts_with(expected), "{key} {at}: {revision}");
    }
}
