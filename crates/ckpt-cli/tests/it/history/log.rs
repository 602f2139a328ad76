//! `ckpt log`

use crate::support::environment::Environment;

fn worked() -> Environment {
    let environment = Environment::started_with("research,build");
    for line in [
        "phase implement/auth research complete --summary Sessions-are-rows --by subagent:explore",
        "phase implement/auth build in_progress --task Q2",
        "start review auth",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt(&words).exits(0);
    }
    environment
}

/// The stories, without numbers and times.
fn stories(environment: &Environment, line: &str) -> Vec<String> {
    let words: Vec<&str> = line.split(' ').collect();
    let shown = environment.ckpt(&words).exits(0).stdout;
    let story = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[2..].join(" ")
    };
    shown.lines().map(story).collect()
}

#[test]
fn everything_that_happened_is_told_in_words_newest_first() {
    let environment = worked();
    assert_eq!(
        stories(&environment, "log"),
        [
            "review/auth started by main",
            "implement/auth phase build: pending → in_progress (Q2) by main",
            "implement/auth phase research: pending → complete by subagent:explore",
            "implement/auth started by main",
        ]
    );
    assert_eq!(
        stories(&environment, "log implement/auth -n 1"),
        ["phase build: pending → in_progress (Q2) by main"]
    );
}

#[test]
fn entries_are_found_by_author_event_time_and_text() {
    let environment = worked();
    for (line, expected) in [
        ("log --by subagent", 1),
        ("log --by subagent:explore", 1),
        ("log --by sub", 0),
        ("log --event phase", 2),
        ("log --search SESSIONS-are", 1),
        ("log --search q2", 1),
        // What members are called says nothing.
        ("log --search context_summary", 0),
        ("log --search current_task", 0),
        ("log --since @1h", 4),
        ("log --until @1h", 0),
        ("log --since 2026-01-01 --until 2126-01-01 -n 3", 3),
    ] {
        assert_eq!(stories(&environment, line).len(), expected, "{line}");
    }
    let wrong = environment.ckpt(&["log", "--since", "yesterday"]).exits(2);
    assert!(
        wrong.reason().contains("yesterday is not a time"),
        "{wrong}"
    );
}

#[test]
fn other_worktrees_are_told_with_their_names() {
    let environment = worked();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let start = ["-C", "../site", "start", "design", "theme"];
    environment.ckpt(&start).exits(0);
    let told = stories(&environment, "log");
    assert_eq!(told[0], "site: design/theme started by main");
    assert_eq!(told.len(), 5);
    let report = environment.ckpt(&["log", "--json"]).exits(0).json();
    let entries = &report["entries"];
    assert_eq!(entries[0]["checkpoint"], "design/theme");
    assert_eq!(entries[0]["worktree"], "site");
    assert_eq!(entries[1]["worktree"], serde_json::Value::Null);
}

#[test]
fn a_search_leaves_out_lines_that_only_repeat_the_content() {
    let environment = worked();
    environment.ckpt(&["undo", "implement/auth"]).exits(0);
    let rename = ["rename", "implement/auth", "implement/login"];
    environment.ckpt(&rename).exits(0);
    let found = stories(&environment, "log --search sessions-are");
    assert_eq!(found.len(), 1, "{found:?}");
    assert!(found[0].contains("phase research"), "{found:?}");
}

#[test]
fn json_has_the_lines_with_the_names_of_their_checkpoints() {
    let environment = worked();
    let report = environment.ckpt(&["log", "--json"]).exits(0).json();
    assert_eq!(report["key"], serde_json::Value::Null);
    assert_eq!(report["entries"][0]["checkpoint"], "review/auth");
    assert_eq!(report["entries"][1]["status"], "in_progress");
    assert_eq!(report["entries"][1]["was"], "pending");
}

#[test]
fn lines_that_cannot_be_read_are_named_and_those_of_anybody_are_marked() {
    let environment = worked();
    let name = ".claude/state/history/command/implement-auth.jsonl";
    let text = environment.read(name);
    let lines: Vec<&str> = text.lines().collect();
    let foreign =
        r#"{"ts":"2026-01-01T00:00:00.000Z","event":"gate_passed","sealed":true,"by":"x"}"#;
    let newer = lines[2].replace("phase_updated", "phase_dreamt");
    environment.write(
        name,
        format!(
            "{}\n?\n{}\n?\n?\n{}\n{newer}\n{foreign}\n",
            lines[0], lines[1], lines[2]
        ),
    );
    let said = environment.ckpt(&["log", "implement/auth"]).exits(0);
    assert_eq!(
        said.stderr,
        format!("warning: line 2, lines 4 to 5 of {name} cannot be read\n")
    );
    let shown: Vec<&str> = said.stdout.lines().collect();
    assert_eq!(shown.len(), 5, "{said}");
    assert!(shown[0].ends_with("by x unsealed"), "{said}");
    // What a newer version wrote is shown by its name.
    assert!(
        shown[1].contains("phase_dreamt") && shown[1].ends_with("by main unsealed"),
        "{said}"
    );
    assert!(
        shown[2..].iter().all(|line| !line.contains("unsealed")),
        "{said}"
    );
    let report = environment
        .ckpt(&["log", "implement/auth", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["entries"][0]["sealed"], false);
    assert_eq!(report["entries"][2].get("sealed"), None);
    assert_eq!(report["damaged"][0]["lines"], serde_json::json!([2, 4, 5]));
    assert_eq!(report["damaged"][0]["file"], name);
    // Only what was read is reported.
    let said = environment
        .ckpt(&["log", "implement/auth", "-n", "2"])
        .exits(0);
    assert_eq!(said.stderr, "");
    let said = environment.ckpt(&["doctor"]).stdout;
    assert!(said.contains("line 2, lines 4 to 5 of "), "{said}");
}

#[test]
fn a_search_shows_what_it_found_in_texts_that_the_story_leaves_out() {
    let environment = worked();
    let shown = environment
        .ckpt(&["log", "--search", "are-ROWS"])
        .exits(0)
        .stdout;
    assert!(
        shown.contains("phase research: pending → complete  \"Sessions-are-rows\"  by"),
        "{shown}"
    );
    let shown = environment.ckpt(&["log", "--search", "q2"]).exits(0).stdout;
    assert!(shown.contains("(Q2)  by main"), "{shown}");
}

#[test]
fn revisions_of_earlier_epochs_have_their_exact_names() {
    let environment = worked();
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    assert!(log.starts_with("    3  "), "{log}");
    std::fs::remove_dir_all(environment.path(".claude")).unwrap();
    environment.ckpt(&["recover"]).exits(0);
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    let numbers = log
        .lines()
        .map(|line| line.split_whitespace().next().unwrap());
    let numbers: Vec<&str> = numbers.collect();
    assert_eq!(numbers[..2], ["2", "1"], "{log}");
    assert!(
        numbers[2].starts_with("3-") && numbers[5].starts_with("1-"),
        "{log}"
    );
    assert!(
        log.contains("taken over as it was found; revisions count anew")
            && !log.contains("its history begins here"),
        "{log}"
    );
    let narrow = environment.ckpt(&["log", "implement/auth", "-n", "2"]);
    assert!(narrow.stdout.contains("taken over"), "{narrow}");
    // What is shown can be typed.
    let shown = environment.ckpt(&["show", "implement/auth", "--at", numbers[4]]);
    assert!(shown.exits(0).stdout.contains("✓ research"));
    environment
        .ckpt(&["diff", "implement/auth", numbers[5], numbers[4]])
        .exits(0);
    let restored = environment
        .ckpt(&["restore", "implement/auth", "1"])
        .exits(0);
    let newest = environment.history("implement-auth");
    let epoch = newest.last().unwrap()["epoch"].as_str().unwrap().to_owned();
    assert!(
        restored
            .stderr
            .contains(&format!("revision 1 is 1-{epoch}")),
        "{restored}"
    );
    let again = environment.ckpt(&["restore", "implement/auth", numbers[5]]);
    assert_eq!(again.exits(0).stderr, "");
}

#[test]
fn a_history_that_begins_with_what_was_there_says_so() {
    let environment = worked();
    environment.without_copies();
    std::fs::remove_dir_all(environment.path(".claude/state/history")).unwrap();
    environment
        .ckpt(&["phase", "implement/auth", "build", "complete"])
        .exits(0);
    let log = environment.ckpt(&["log", "implement/auth"]).exits(0).stdout;
    assert!(
        log.contains("found as it was; its history begins here"),
        "{log}"
    );
}

#[test]
fn what_cannot_be_read_or_is_on_another_branch_has_a_story_all_the_same() {
    let environment = worked();
    environment.write(
        "spec.md",
        "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n",
    );
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    let pipeline = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";
    std::fs::remove_file(environment.path(pipeline)).unwrap();
    environment.write(".claude/state/implement-auth.json", r#"{"comm"#);
    let log = environment.ckpt(&["log"]).exits(0).stdout;
    assert!(
        log.contains("implement/auth") && log.contains("PRD-001"),
        "{log}"
    );
}

/// Does something, and then puts the files back as they were: a kill before they were written leaves that.
fn kill_before_writing(environment: &Environment, files: [&str; 2], act: impl Fn()) {
    let before = files.map(|file| environment.read(file));
    act();
    for (file, content) in files.iter().zip(before) {
        environment.write(file, &content);
    }
}

#[test]
fn a_search_finds_only_what_happened() {
    const PLAN: &str = "plans/260220-1149-login/plan.md";
    const STATE: &str = "plans/260220-1149-login/.checkpoint/state.json";
    let environment = worked();
    let text = "# Login\n\n- [ ] Make it <!-- TASK: make -->\n";
    environment.write(PLAN, text);
    environment.ckpt(&["plan", "sync"]).exits(0);
    let found = |text: &str| stories(&environment, &format!("log --search {text}")).len();
    // A change of the Markdown that was killed, before and after the next change says so.
    kill_before_writing(&environment, [PLAN, STATE], || {
        environment
            .ckpt(&["plan", "edit", "make", "A zebra"])
            .exits(0);
        assert_eq!(found("zebra"), 1);
    });
    assert_eq!(found("zebra"), 0, "not settled");
    environment.ckpt(&["plan", "note", "on we go"]).exits(0);
    assert_eq!(found("zebra"), 0, "settled");
    assert_eq!(found("never"), 1);
    // An edit by hand that was taken back before all of it was recorded.
    kill_before_writing(&environment, [PLAN, STATE], || {
        environment.write(PLAN, format!("{text}- [ ] A quagga <!-- TASK: q -->\n"));
        environment.ckpt(&["plan", "sync"]).exits(0);
        assert_eq!(found("quagga"), 1);
    });
    assert_eq!(found("quagga"), 0, "not settled");
    environment.ckpt(&["plan", "note", "once more"]).exits(0);
    assert_eq!(found("quagga"), 0, "settled");
    // What was undone did happen.
    environment
        .ckpt(&["plan", "edit", "make", "A gnu"])
        .exits(0);
    environment.ckpt(&["undo", "260220-1149-login"]).exits(0);
    assert_eq!(found("gnu"), 1);
    environment
        .ckpt(&["archive", "260220-1149-login", "--force"])
        .exits(0);
    assert_eq!((found("zebra"), found("quagga"), found("gnu")), (0, 0, 1));
}
