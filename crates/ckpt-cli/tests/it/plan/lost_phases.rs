//! A plan with tasks in phase files, whose Markdown is lost in part or as a whole: `recover` brings all of it back.

use crate::support::planned::{HISTORY, ID, Planned, STATE};

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

fn lose(planned: &Planned, how: &str) {
    match how {
        "missing" => planned.remove(SETUP),
        _ => planned.put(SETUP, ""),
    }
}

#[test]
fn a_phase_file_that_is_lost_is_told_and_never_recorded_as_an_edit() {
    for how in ["missing", "empty"] {
        let planned = two_phases();
        planned.does(&["done", "two"]);
        let lines = planned.lines().len();
        lose(&planned, how);
        let told = format!("{SETUP} is {how}");
        for (name, run) in planned.readers() {
            let says = ["plan show", "status", "resume", "plan validate"];
            if says.contains(&name.as_str()) {
                assert!(run.to_string().contains(&told), "{name}: {run}");
            }
        }
        let status = planned.ckpt(&["status"]).exits(0);
        assert!(!status.stdout.contains("finished"), "{status}");
        assert!(planned.ckpt(&["doctor"]).to_string().contains(&told));
        let refused: [&[&str]; 4] = [
            &["plan", "note", "x"],
            &["complete", ID],
            &["undo", ID],
            &["restore", ID, "3"],
        ];
        for command in refused {
            let run = planned.ckpt(command).exits(4);
            assert!(run.stderr.contains(&told), "{command:?}: {run}");
            assert!(run.stderr.contains(&format!("ckpt recover {ID}")), "{run}");
        }
        let recorded = planned.lines().len() - lines;
        assert_eq!(recorded, planned.events("parse_error").len(), "{how}");
        assert_eq!(recorded, 1, "{how}");
    }
}

#[test]
fn recover_brings_a_phase_file_back_that_plan_md_links_to() {
    for how in ["missing", "empty"] {
        for command in [&["recover"][..], &["recover", ID], &["plan", "recover"]] {
            let planned = two_phases();
            let (before, work) = (texts(&planned), planned.work());
            lose(&planned, how);
            let run = planned.ckpt(command).exits(0);
            let told = format!("{SETUP} of {ID} is back\n");
            assert_eq!(run.stdout.clone() + &run.stderr, told, "{how}: {run}");
            assert_eq!(texts(&planned), before, "{how}, {command:?}");
            planned.assert_work(&work, how);
            planned.does(&["done", "two"]);
        }
    }
}

#[test]
fn without_the_history_a_lost_phase_file_comes_back_from_its_copy() {
    let planned = two_phases();
    let before = texts(&planned);
    planned.remove(SETUP);
    planned.remove(HISTORY);
    let status = planned.ckpt(&["status"]).exits(0);
    assert!(
        status.stdout.contains("phase-01-setup.md is missing"),
        "{status}"
    );
    planned.ckpt(&["recover", ID]).exits(0);
    assert_eq!(texts(&planned), before);
}

#[test]
fn a_phase_file_whose_link_was_removed_is_gone_on_purpose() {
    let planned = two_phases();
    let linked = planned.markdown();
    let setup = planned.text(SETUP);
    planned.put(
        PLAN,
        linked.replace("[Phase 1](phase-01-setup.md)", "phase-01-setup.md"),
    );
    planned.remove(SETUP);
    let run = planned.ckpt(&["recover"]).exits(0);
    assert!(run.stderr.contains("nothing is missing"), "{run}");
    planned.does(&["sync"]);
    assert_eq!(planned.tasks_of("task_removed"), ["one-thing"]);
    // With the link, it is missing again.
    planned.put(PLAN, &linked);
    planned.plan(&["sync"]).exits(4);
    planned.ckpt(&["recover"]).exits(0);
    assert_eq!(planned.text(SETUP), setup);
}

#[test]
fn a_link_to_a_phase_file_that_never_was_there_harms_nothing() {
    let planned = two_phases();
    let more = planned.markdown() + "\n[Later](phase-03-later.md)\n";
    planned.put(PLAN, more);
    planned.does(&["done", "two"]);
    let status = planned.ckpt(&["status"]).exits(0);
    assert!(!status.stdout.contains("missing"), "{status}");
}

#[test]
fn a_phase_file_is_missing_until_its_removal_is_committed() {
    let planned = two_phases();
    planned.commit("plan");
    planned.does(&["note", "worked on it"]);
    planned.git(&["rm", "--quiet", &planned.name(SETUP)]);
    let run = planned.does(&["show"]);
    assert!(run.stderr.contains("phase-01-setup.md is missing"), "{run}");
    planned.commit("without it");
    let run = planned.does(&["show"]);
    assert!(!run.stderr.contains("missing"), "{run}");
    planned.ckpt(&["recover"]).exits(0);
    assert!(!planned.path(&planned.name(SETUP)).exists());
    planned.does(&["sync"]);
}

#[test]
fn a_phase_file_of_another_branch_is_not_missing_here() {
    let planned = two_phases();
    let setup = planned.text(SETUP);
    planned.remove(SETUP);
    planned.commit("without it");
    planned.git(&["checkout", "--quiet", "-b", "other"]);
    planned.put(SETUP, &setup);
    planned.commit("with it");
    planned.does(&["sync"]);
    planned.git(&["checkout", "--quiet", "-"]);
    let run = planned.does(&["sync"]);
    assert!(!run.stderr.contains("missing"), "{run}");
    assert!(!planned.path(&planned.name(SETUP)).exists());
}
