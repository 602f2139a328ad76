//! A plan with tasks in phase files, whose Markdown is lost: `recover` brings all of it back.

use crate::support::planned::{ID, Planned, STATE};

const PLAN: &str = "plan.md";
const SETUP: &str = "phase-01-setup.md";
const BUILD: &str = "phase-02-build.md";
const FILES: [&str; 3] = [PLAN, SETUP, BUILD];

/// All tasks are in phase files, and two of three are done.
fn two_phases() -> Planned {
    let planned = Planned::new(
        "# Multi\n\nSee [Phase 1](phase-01-setup.md) and [Phase 2](phase-02-build.md)\n",
    );
    planned.put(
        SETUP,
        "# Phase 1: Setup\n\n- [ ] One thing\n- [ ] Two things\n",
    );
    planned.put(BUILD, "# Phase 2: Build\n\n- [ ] Three\n");
    planned.does(&["mark"]);
    planned.does(&["done", "one"]);
    planned.does(&["done", "three"]);
    planned
}

fn texts(planned: &Planned) -> Vec<String> {
    FILES.iter().map(|name| planned.text(name)).collect()
}

fn lose_all(planned: &Planned) {
    for name in FILES {
        planned.remove(name);
    }
}

fn lose_directory(planned: &Planned) {
    std::fs::remove_dir_all(planned.path(&planned.name(""))).unwrap();
}

#[test]
fn recover_brings_plan_md_and_all_phase_files_back() {
    let ways: [(&[&str], &str); 3] = [
        (&["recover"], "stderr"),
        (&["recover", ID], "stdout"),
        (&["plan", "recover"], "stdout"),
    ];
    for (command, stream) in ways {
        let planned = two_phases();
        let (before, work) = (texts(&planned), planned.work());
        lose_all(&planned);
        let run = planned.ckpt(command).exits(0);
        let said = match stream {
            "stderr" => &run.stderr,
            _ => &run.stdout,
        };
        let expected = format!("plan.md, phase-01-setup.md, phase-02-build.md of {ID} are back\n");
        assert_eq!(*said, expected, "{command:?}: {run}");
        assert_eq!(texts(&planned), before, "{command:?}");
        planned.assert_work(&work, &format!("{command:?}"));
        let again = planned.ckpt(command).exits(0);
        assert!(!again.to_string().contains("are back"), "{again}");
    }
}

#[test]
fn recover_says_that_plan_md_is_back_where_the_phase_files_are_there() {
    let planned = two_phases();
    let before = texts(&planned);
    planned.remove(PLAN);
    let run = planned.ckpt(&["recover", ID]).exits(0);
    assert_eq!(run.stdout, format!("plan.md of {ID} is back\n"));
    assert_eq!(texts(&planned), before);
    planned.remove(PLAN);
    let run = planned.ckpt(&["recover", ID, "--json"]).exits(0);
    assert!(run.stdout.contains(r#""texts":["plan.md"]"#), "{run}");
}

#[test]
fn a_phase_file_that_was_edited_meanwhile_stays_as_it_is() {
    let planned = two_phases();
    let edited = planned.text(SETUP).replace("[ ] Two", "[x] Two");
    planned.remove(PLAN);
    planned.remove(BUILD);
    planned.put(SETUP, &edited);
    planned.ckpt(&["recover"]).exits(0);
    assert_eq!(planned.text(SETUP), edited);
    assert_eq!(
        planned.tasks_of("task_completed"),
        ["one-thing", "three", "two-things"]
    );
}

#[test]
fn a_change_that_is_refused_records_no_loss() {
    let planned = two_phases();
    let before = texts(&planned);
    lose_all(&planned);
    let lines = planned.lines().len();
    for _ in 0..2 {
        let run = planned.plan(&["done", "two"]).exits(4);
        assert!(run.stderr.contains("plan.md is missing"), "{run}");
    }
    assert_eq!(planned.events("parse_error").len(), 1);
    assert_eq!(
        planned.lines().len(),
        lines + 1,
        "it is all that is recorded"
    );
    lose_directory(&planned);
    let run = planned.ckpt(&["recover"]).exits(0);
    assert!(
        run.stdout.contains(&format!("{ID} is back, at revision 4")),
        "{run}"
    );
    assert_eq!(texts(&planned), before);
}

#[test]
fn a_plan_whose_last_revision_has_no_markdown_comes_back_with_it() {
    for command in [&["recover"][..], &["recover", ID]] {
        let planned = two_phases();
        let before = texts(&planned);
        lose_all(&planned);
        planned.put(STATE, "{ torn");
        planned.plan(&["done", "two"]).exits(4);
        let last = planned.lines().pop().unwrap();
        assert!(last["files"]["plan.md"]["to"].is_null(), "{last}");
        lose_directory(&planned);
        let run = planned.ckpt(command).exits(0);
        assert!(run.stdout.contains("is back, at revision"), "{run}");
        assert_eq!(texts(&planned), before, "{command:?}");
    }
}
