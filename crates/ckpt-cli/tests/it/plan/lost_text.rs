//! A `plan.md` that is missing or empty: its state stays, and `recover` restores it.

use crate::support::planned::{ID, Planned, RECOVERY, STATE};

const PARSE_ERROR: &str = r#""event":"parse_error","fallback":"state.json""#;

/// Ways in which a plan can be lost.
const LOSSES: [(&str, Option<&str>); 4] = [
    ("deleted", None),
    ("empty", Some("")),
    ("blank", Some("\n\n")),
    ("without markers", Some("# Something else\n\nJust text.\n")),
];

fn lose(planned: &Planned, content: Option<&str>) {
    match content {
        Some(content) => planned.put("plan.md", content),
        None => planned.remove("plan.md"),
    }
}

#[test]
fn a_plan_that_is_gone_leaves_the_state_and_is_never_written_over() {
    for (how, content) in LOSSES {
        let planned = Planned::worked();
        let state = planned.text(STATE);
        lose(&planned, content);
        for command in [
            &["sync"][..],
            &["done", "roles"],
            &["decide", "x"],
            &["mark"],
        ] {
            let run = planned.plan(command);
            assert!(matches!(run.code, Some(1..=8)), "{how}, {command:?}: {run}");
            assert!(
                run.reason().contains("plan.md"),
                "{how}, {command:?}: {run}"
            );
        }
        assert!(planned.logged(PARSE_ERROR) > 0, "{how}");
        assert_eq!(planned.text(STATE), state, "{how}: the state stands");
        let path = planned.path(&planned.name("plan.md"));
        assert_eq!(
            std::fs::read_to_string(path).ok().as_deref(),
            content,
            "{how}"
        );
        for event in ["task_removed", "task_reopened"] {
            assert_eq!(planned.tasks_of(event), [""; 0], "{how}");
        }
        assert_eq!(planned.tasks_of("task_completed"), ["schema", "form"]);
    }
}

/// Root can read every file, so the plan that cannot be read is a directory.
#[test]
fn a_plan_that_cannot_be_read_leaves_the_state_as_one_that_is_gone_does() {
    let planned = Planned::worked();
    let state = planned.text(STATE);
    planned.remove("plan.md");
    std::fs::create_dir(planned.path(&planned.name("plan.md"))).unwrap();
    let run = planned.does(&["show"]);
    assert!(run.stdout.contains("2/5"), "the state stands: {run}");
    assert!(run.stderr.contains("plan.md"), "{run}");
    let run = planned.plan(&["sync"]);
    assert_ne!(run.code, Some(0), "{run}");
    assert_eq!(planned.logged(PARSE_ERROR), 1);
    assert_eq!(planned.text(STATE), state);
}

#[test]
fn a_plan_that_comes_back_by_hand_is_as_before() {
    for (how, content) in LOSSES {
        let planned = Planned::worked();
        let (work, markdown) = (planned.work(), planned.markdown());
        lose(&planned, content);
        planned.plan(&["sync"]);
        planned.put("plan.md", &markdown);
        planned.does(&["sync"]);
        planned.assert_work(&work, how);
        assert_eq!(planned.markdown(), markdown, "{how}");
        assert_eq!(planned.tasks_of("task_completed"), ["schema", "form"]);
        planned.does(&["done", "roles"]);
        assert_eq!(
            planned.tasks_of("task_completed"),
            ["schema", "form", "roles"],
            "{how}"
        );
    }
}

#[test]
fn recover_brings_back_a_plan_that_was_deleted_or_emptied() {
    for synced in [false, true] {
        for (how, content) in &LOSSES[..2] {
            let planned = Planned::worked();
            let (work, markdown) = (planned.work(), planned.markdown());
            lose(&planned, *content);
            if synced {
                planned.plan(&["sync"]);
            }
            planned.does(&["recover"]);
            assert_eq!(planned.markdown(), markdown, "{how}, synced {synced}");
            planned.assert_work(&work, &format!("{how}, synced {synced}"));
            assert_eq!(planned.tasks_of("task_completed"), ["schema", "form"]);
            planned.does(&["recover"]);
            assert_eq!(planned.markdown(), markdown, "again, with nothing lost");
        }
    }
}

#[test]
fn recover_restores_a_plan_with_edits_by_others_and_without_any_state() {
    let planned = Planned::worked();
    let markdown = planned.markdown().replace("# Login", "# Log in, again");
    planned.put("plan.md", &markdown);
    planned.does(&["sync"]);
    let work = planned.work();
    planned.remove("plan.md");
    planned.put(STATE, "{ torn");
    planned.put(RECOVERY, "{ torn");
    planned.does(&["recover"]);
    assert_eq!(planned.markdown(), markdown);
    planned.assert_work(&work, "afterwards");
}

#[test]
fn recover_leaves_a_text_without_markers_alone_and_says_what_else_to_do() {
    let planned = Planned::worked();
    let text = "# Rewritten\n\nNo markers here.\n";
    planned.put("plan.md", text);
    let run = planned.plan(&["recover"]);
    assert_ne!(run.code, Some(0), "nothing was brought back: {run}");
    assert_eq!(
        planned.markdown(),
        text,
        "nothing that is there is overwritten"
    );
    assert!(
        !run.stderr.contains("with: ckpt plan recover"),
        "the way out is not what was just refused: {run}"
    );
}

#[test]
fn recover_prefers_the_last_text_with_markers_to_one_that_was_cut_off() {
    let planned = Planned::worked();
    let text = planned.text("plan.md");
    planned.put("plan.md", &text[..text.find("<!--").unwrap()]);
    let refused = planned.plan(&["sync"]).exits(4);
    let way = "or move plans/PLAN/plan.md away, and restore it with: ckpt recover PLAN";
    let way = way.replace("PLAN", ID);
    assert!(refused.stderr.contains(&way), "{refused}");
    for command in ["undo", "restore"] {
        let revision = ["1"].iter().filter(|_| command == "restore");
        let line: Vec<&str> = [command, ID].into_iter().chain(revision.copied()).collect();
        let run = planned.ckpt(&line);
        assert!(run.stderr.contains(&way), "{run}");
    }
    planned.remove("plan.md");
    planned.does(&["recover"]);
    assert_eq!(planned.text("plan.md"), text);
}
