//! What is done with the tasks of a plan: tick, untick, accept, note.

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::planned::{HALF_DONE, ID, Planned, TEXT};
use crate::support::tree;

#[test]
fn a_tick_changes_one_character_of_the_plan_and_git_sees_nothing_else() {
    let environment = Planned::new(HALF_DONE);
    environment.git(&["add", "--all"]);
    environment.git(&["commit", "--quiet", "--message", "Plan"]);
    environment.ckpt(&["plan", "done", "form"]).exits(0);
    let expected = HALF_DONE.replace("1. [ ] Form", "1. [x] Form");
    assert_eq!(environment.markdown(), expected);
    let status = environment.git(&["status", "--porcelain"]);
    assert_eq!(status.trim(), format!("M {}", environment.name("plan.md")));
}

#[test]
fn errors_are_reported_with_what_to_do() {
    let environment = Planned::new(HALF_DONE);
    let run = environment.ckpt(&["plan", "done", "nope"]).exits(3);
    let expected = "error: no task \"nope\" in plan 260220-1149-login. List all ids with: ckpt plan show; add missing ids with: ckpt plan mark\n";
    assert_eq!(run.stderr, expected);
    environment
        .ckpt(&["plan", "show", "--plan", "other"])
        .exits(3);
    environment
        .ckpt(&["plan", "show", "--plan", "../x"])
        .exits(2);
    assert_eq!(environment.markdown(), HALF_DONE);
    let empty = Environment::new();
    empty.ckpt(&["plan", "next"]).exits(3);
    for title in ["", "a --> b", "two\nlines"] {
        empty.ckpt(&["plan", "new", title]).exits(4);
    }
    let phase = ["phase", "plan:260220-1149-login", "build", "complete"];
    let run = empty.ckpt(&phase).exits(2);
    let told = "ckpt plan done TASK --plan 260220-1149-login";
    assert!(run.reason().contains(told), "{run}");
    assert!(!empty.path("plans").exists());
}

/// Every way to write a checkbox, each with an id; the marks are open.
const BULLETS: [&str; 9] = [
    "- [ ] a",
    "* [ ] a",
    "+ [ ] a",
    "1. [ ] a",
    "12) [ ] a",
    "    - [ ] a",
    "\t* [ ] a",
    "-   [ ] a",
    "> - [ ] a",
];

/// A file of the nine lines, each with an id of its own.
fn of_bullets(marker: &str, ending: &str) -> String {
    let line = |(number, bullet): (usize, &&str)| {
        format!("{bullet} <!-- {marker}: id.{number} -->{ending}")
    };
    let lines: String = BULLETS.iter().enumerate().map(line).collect();
    format!("# Plan{ending}{lines}")
}

/// The ids of the bullets that the program counts as tasks. The others are not tested here.
fn counted(planned: &Planned, member: &str) -> Vec<String> {
    let shown = planned.does(&["show", "--json"]).json();
    let things = shown["state"]["phases"]["main"][member].as_object();
    things.map_or_else(Vec::new, |things| things.keys().cloned().collect())
}

#[test]
fn a_tick_and_its_undoing_change_one_character_on_every_kind_of_bullet() {
    for (marker, member, tick, untick) in [
        ("TASK", "tasks", "done", "undo"),
        ("ACCEPT", "acceptance", "accept", "unaccept"),
    ] {
        for ending in ["\n", "\r\n"] {
            let text = of_bullets(marker, ending);
            let text = text.trim_end();
            let planned = Planned::new(text);
            let ids = counted(&planned, member);
            // The format names seven of them. The others need not be counted, but if they are, they can be ticked.
            for (number, bullet) in BULLETS.iter().enumerate().take(7) {
                assert!(
                    ids.contains(&format!("id.{number}")),
                    "{bullet:?} is not counted"
                );
            }
            for id in &ids {
                let number: usize = id.trim_start_matches("id.").parse().unwrap();
                let line = format!("{} <!-- {marker}: {id} -->", BULLETS[number]);
                let ticked = text.replace(&line, &line.replacen("[ ]", "[x]", 1));
                planned.does(&[tick, id]);
                assert_eq!(planned.markdown(), ticked, "{line}");
                planned.does(&[untick, id]);
                assert_eq!(planned.markdown(), text, "{line}");
            }
        }
    }
}

#[test]
fn marks_that_are_neither_open_nor_done_count_as_open_and_can_be_ticked() {
    for mark in ["~", "-", ">", "?", "/"] {
        let text = format!("- [{mark}] a <!-- TASK: a -->\n");
        let planned = Planned::new(&text);
        let shown = planned.does(&["show", "--json"]).json();
        assert_eq!(shown["state"]["progress"]["completedTasks"], 0, "{mark}");
        planned.does(&["done", "a"]);
        assert_eq!(planned.markdown(), "- [x] a <!-- TASK: a -->\n", "{mark}");
    }
}

#[test]
fn ticking_what_is_ticked_changes_nothing_and_is_logged_once() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    let (markdown, work) = (planned.markdown(), planned.work());
    planned.does(&["done", "schema", "--by", "team:7"]);
    assert_eq!(planned.markdown(), markdown);
    assert_eq!(planned.work()["phases"], work["phases"], "its author stays");
    assert_eq!(planned.tasks_of("task_completed"), ["schema"]);
    planned.does(&["done", "roles", "roles"]);
    assert_eq!(planned.tasks_of("task_completed"), ["schema", "roles"]);
}

#[test]
fn a_capital_mark_is_done_already_and_stays_as_it_is() {
    let text = "- [X] a <!-- TASK: a -->\n- [ ] b <!-- TASK: b -->\n";
    let planned = Planned::new(text);
    planned.does(&["done", "a"]);
    assert_eq!(planned.markdown(), text);
    planned.does(&["undo", "a"]);
    assert_eq!(planned.markdown(), text.replace("[X]", "[ ]"));
}

#[test]
fn an_unknown_task_among_known_ones_changes_nothing() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    let before = tree::listing(&planned.path("plans"));
    for (command, code) in [
        (&["done", "schema", "nope"][..], 3),
        (&["undo", "nope"], 3),
        (&["accept", "works", "schema"], 3),
        (&["claim", "schema", "nope"], 3),
        (&["done"], 2),
    ] {
        planned.plan(command).exits(code);
        tree::assert_unchanged(&planned.path("plans"), &before, &command.join(" "));
    }
}

#[test]
fn an_undone_task_loses_its_time_and_author_and_is_logged_as_reopened() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema", "roles"]);
    assert_eq!(planned.stored()["phases"]["setup"]["status"], "completed");
    planned.does(&["undo", "schema", "--by", "team:7"]);
    assert_eq!(planned.task("setup", "schema"), json!({ "done": false }));
    assert_eq!(planned.tasks_of("task_reopened"), ["schema"]);
    let setup = &planned.stored()["phases"]["setup"];
    assert_eq!(setup["status"], "in_progress");
    assert_eq!(setup.get("completedAt"), None);
    assert_eq!(planned.stored()["currentTask"], "schema");
}

#[test]
fn notes_add_up_and_can_be_replaced_and_cleared() {
    let planned = Planned::new(TEXT);
    planned.does(&["note", "one"]);
    planned.does(&["note", "two --> three"]);
    assert_eq!(planned.stored()["sessionNotes"], "one\ntwo --> three");
    planned.does(&["note", "new", "--replace"]);
    assert_eq!(planned.stored()["sessionNotes"], "new");
    planned.does(&["note", "--clear"]);
    assert_eq!(planned.stored()["sessionNotes"], Value::Null);
    assert_eq!(planned.markdown(), TEXT);
    planned.plan(&["note", ""]).exits(4);
}

#[test]
fn next_never_claims_that_everything_is_done_when_it_is_not() {
    let planned = Planned::new(TEXT);
    let run = planned.plan(&["next", "-n", "0"]);
    assert!(!run.stdout.contains("All tasks are done"), "{run}");
    planned.does(&["claim", "schema", "roles", "form", "session", "release"]);
    let run = planned.does(&["next", "--by", "team:7"]);
    assert!(!run.stdout.contains("All tasks are done"), "{run}");
}

#[test]
fn edits_of_tasks_go_to_the_file_the_task_is_in() {
    let planned = Planned::new(TEXT);
    let phase = "# Docs\n- [ ] Guide <!-- TASK: guide -->\n";
    planned.put("phase-02-docs.md", phase);
    planned.does(&["done", "guide", "--by", "subagent:docs"]);
    assert_eq!(planned.markdown(), TEXT);
    assert_eq!(
        planned.text("phase-02-docs.md"),
        phase.replace("[ ]", "[x]")
    );
    let guide = planned.task("build", "guide");
    assert_eq!(
        guide["completedBy"], "subagent:docs",
        "it is the second phase's"
    );
    let files = planned.stored()["phaseFiles"].clone();
    let checksum = files["phase-02-docs.md"].as_str().unwrap();
    assert!(checksum.starts_with("sha256:") && checksum.len() == 7 + 16);
}

#[test]
fn every_change_prints_one_object_when_asked_and_nothing_otherwise() {
    let planned = Planned::new(TEXT);
    let changes: [&[&str]; 11] = [
        &["sync"],
        &["done", "schema"],
        &["accept", "works"],
        &["unaccept", "works"],
        &["decide", "A"],
        &["block", "B"],
        &["unblock", "B"],
        &["note", "C"],
        &["claim", "form"],
        &["release", "form"],
        &["recover"],
    ];
    for change in changes {
        let run = planned.does(&[change, &["--json"]].concat());
        let object = run.json();
        assert_eq!(object["format"], 1, "{change:?}");
        assert_eq!(object["plan"], ID, "{change:?}");
    }
    for change in [&["done", "roles"][..], &["decide", "D"], &["note", "E"]] {
        assert_eq!(planned.does(change).stdout, "", "{change:?}");
    }
}
