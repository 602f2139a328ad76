//! Plans that git changes: switching branches neither completes tasks nor reopens them.

use serde_json::Value;

use crate::support::planned::{Planned, TEXT};

const CHECKSUM_MISMATCH: &str = r#""event":"checksum_mismatch","action":"reparse""#;

/// Events that say that a task or a criterion changed.
const PER_TASK: [&str; 6] = [
    "task_completed",
    "task_reopened",
    "task_removed",
    "acceptance_met",
    "acceptance_lost",
    "phase_completed",
];

/// A plan on the branch `older`, and ahead of it by three ticks on `main`.
fn branched() -> Planned {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.commit("plan");
    planned.git(&["branch", "older"]);
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    planned.does(&["done", "roles", "--by", "team:7"]);
    planned.does(&["done", "form"]);
    planned.does(&["accept", "works"]);
    planned.commit("work");
    planned
}

fn checkout(planned: &Planned, branch: &str) {
    planned.git(&["checkout", "--quiet", branch]);
}

fn checkout_file(planned: &Planned, branch: &str) {
    let file = planned.name("plan.md");
    planned.git(&["checkout", "--quiet", branch, "--", &file]);
}

/// How many lines say that tasks changed.
fn lines_per_task(planned: &Planned) -> usize {
    let count = |event: &&str| planned.events(event).len();
    PER_TASK.iter().map(count).sum()
}

/// Syncs, and asserts that this took one line about the changed text and none about tasks.
#[track_caller]
fn syncs_with_one_line(planned: &Planned, when: &str) {
    let before = (planned.logged(CHECKSUM_MISMATCH), lines_per_task(planned));
    planned.does(&["sync"]);
    let after = (planned.logged(CHECKSUM_MISMATCH), lines_per_task(planned));
    assert_eq!(after, (before.0 + 1, before.1), "{when}");
    planned.does(&["sync"]);
    let again = (planned.logged(CHECKSUM_MISMATCH), lines_per_task(planned));
    assert_eq!(again, after, "{when}: a second look finds nothing new");
}

fn done(planned: &Planned) -> Value {
    planned.stored()["progress"]["completedTasks"].clone()
}

#[test]
fn a_branch_with_an_older_plan_and_back_gives_times_and_authors_back() {
    let planned = branched();
    let work = planned.work();
    for round in 1..=3 {
        checkout(&planned, "older");
        syncs_with_one_line(&planned, &format!("to the older branch, round {round}"));
        assert_eq!(done(&planned), 0);
        assert_eq!(planned.markdown(), TEXT, "git's file is not touched");
        checkout(&planned, "main");
        syncs_with_one_line(&planned, &format!("back again, round {round}"));
        planned.assert_work(&work, &format!("round {round}"));
    }
    assert_eq!(planned.git(&["status", "--porcelain"]), "");
}

#[test]
fn readers_show_the_branch_that_is_checked_out_and_write_nothing() {
    let planned = branched();
    checkout(&planned, "older");
    for (name, run) in planned.readers() {
        let progress = match name.as_str() {
            "plan show" | "status" | "list" => "0/5",
            "resume" => "0 of 5",
            _ => continue,
        };
        assert!(run.stdout.contains(progress), "{name}: {run}");
    }
    checkout(&planned, "main");
    for (name, run) in planned.readers() {
        let shows_progress = ["plan show", "status", "list"].contains(&name.as_str());
        assert!(
            !shows_progress || run.stdout.contains("3/5"),
            "{name}: {run}"
        );
    }
}

/// No command ran on the other branch, so there is nothing to record.
#[test]
fn there_and_back_without_a_command_in_between_leaves_no_trace() {
    let planned = branched();
    let (work, history) = (planned.work(), planned.lines());
    checkout(&planned, "older");
    checkout(&planned, "main");
    planned.does(&["sync"]);
    planned.assert_work(&work, "afterwards");
    assert_eq!(planned.lines(), history);
}

#[test]
fn phase_files_go_and_come_with_their_branch() {
    let planned = Planned::new(TEXT);
    let phase = "# More\n<!-- CHECKPOINT: more -->\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n";
    planned.put("phase-04-more.md", phase);
    planned.does(&["sync"]);
    planned.commit("plan");
    planned.git(&["branch", "older"]);
    planned.does(&["done", "one", "--by", "subagent:docs"]);
    planned.does(&["done", "schema", "--by", "team:7"]);
    planned.commit("work");
    let work = planned.work();
    for round in 1..=2 {
        checkout(&planned, "older");
        let before = (planned.logged(CHECKSUM_MISMATCH), lines_per_task(&planned));
        planned.does(&["sync"]);
        assert_eq!(done(&planned), 0, "round {round}");
        assert_eq!(lines_per_task(&planned), before.1, "round {round}");
        assert!(planned.logged(CHECKSUM_MISMATCH) > before.0);
        checkout(&planned, "main");
        planned.does(&["sync"]);
        planned.assert_work(&work, &format!("round {round}"));
        assert_eq!(lines_per_task(&planned), before.1, "round {round}");
    }
}

#[test]
fn only_a_phase_file_that_differs_between_branches_is_one_line_each_way() {
    let planned = Planned::new(TEXT);
    planned.put(
        "phase-04-more.md",
        "<!-- CHECKPOINT: more -->\n- [ ] One <!-- TASK: one -->\n",
    );
    planned.does(&["sync"]);
    planned.commit("plan");
    planned.git(&["branch", "older"]);
    planned.does(&["done", "one", "--by", "subagent:docs"]);
    planned.commit("work");
    let work = planned.work();
    checkout(&planned, "older");
    syncs_with_one_line(&planned, "to the older branch");
    assert_eq!(planned.task("more", "one")["done"], false);
    checkout(&planned, "main");
    syncs_with_one_line(&planned, "and back");
    planned.assert_work(&work, "afterwards");
}

#[test]
fn a_branch_without_the_phase_file_does_not_remove_its_tasks() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.commit("plan");
    planned.git(&["branch", "older"]);
    planned.put(
        "phase-04-more.md",
        "<!-- CHECKPOINT: more -->\n- [ ] One <!-- TASK: one -->\n",
    );
    planned.does(&["sync"]);
    planned.does(&["done", "one", "--by", "subagent:docs"]);
    planned.commit("work");
    let work = planned.work();
    checkout(&planned, "older");
    planned.does(&["sync"]);
    assert_eq!(planned.stored()["progress"]["totalTasks"], 5);
    assert_eq!(planned.tasks_of("task_removed"), [""; 0]);
    checkout(&planned, "main");
    planned.does(&["sync"]);
    planned.assert_work(&work, "afterwards");
    assert_eq!(planned.tasks_of("task_completed"), ["one"]);
}

#[test]
fn a_tick_on_the_other_branch_belongs_to_that_branch() {
    let planned = branched();
    let main = planned.work();
    checkout(&planned, "older");
    planned.does(&["done", "release", "--by", "subagent:ops"]);
    planned.commit("release");
    assert_eq!(
        planned.task("ship", "release")["completedBy"],
        "subagent:ops"
    );
    assert_eq!(done(&planned), 1);
    let older = planned.work();
    let completed = ["schema", "roles", "form", "release"];
    assert_eq!(planned.tasks_of("task_completed"), completed);
    assert_eq!(planned.tasks_of("task_reopened"), [""; 0]);
    for round in 1..=2 {
        checkout(&planned, "main");
        syncs_with_one_line(&planned, &format!("back on main, round {round}"));
        // What an agent did stays in its record; everything else belongs to the branch.
        let found = planned.work();
        assert_eq!(found["phases"], main["phases"], "round {round}");
        assert_eq!(found["progress"], main["progress"], "round {round}");
        checkout(&planned, "older");
        syncs_with_one_line(&planned, &format!("on the other, round {round}"));
        assert_eq!(planned.work()["phases"], older["phases"], "round {round}");
    }
    assert_eq!(planned.tasks_of("task_completed"), completed);
}

#[test]
fn a_merge_keeps_the_times_and_authors_of_both_branches() {
    let planned = branched();
    checkout(&planned, "older");
    planned.does(&["done", "release", "--by", "subagent:ops"]);
    planned.commit("release");
    checkout(&planned, "main");
    planned.does(&["sync"]);
    let main = planned.stored();
    planned.git(&["merge", "--quiet", "--no-edit", "older"]);
    planned.does(&["sync"]);
    assert_eq!(done(&planned), 4);
    for (phase, task) in [("setup", "schema"), ("setup", "roles"), ("build", "form")] {
        let before = &main["phases"][phase]["tasks"][task];
        assert_eq!(planned.task(phase, task), *before);
    }
    assert_eq!(planned.tasks_of("task_reopened"), [""; 0]);
}

#[test]
fn putting_back_just_the_last_tick_and_ticking_again_is_right_each_time() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    planned.commit("plan");
    let committed = planned.work();
    planned.does(&["done", "roles", "--by", "team:7"]);
    let file = planned.name("plan.md");
    planned.git(&["checkout", "--quiet", "--", &file]);
    syncs_with_one_line(&planned, "the last tick put back");
    assert_eq!(planned.work()["phases"], committed["phases"]);
    assert_eq!(planned.work()["progress"], committed["progress"]);
    planned.does(&["done", "roles", "--by", "main"]);
    assert_eq!(planned.task("setup", "roles")["completedBy"], "main");
    assert_eq!(
        planned.tasks_of("task_completed"),
        ["schema", "roles", "roles"],
        "done, put back, done anew"
    );
}

/// No command ran before the first tick, but the history has the text from before it.
#[test]
fn undoing_the_very_first_tick_is_not_a_regression() {
    let planned = Planned::new(TEXT);
    planned.commit("plan");
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    let work = planned.work();
    planned.git(&["stash", "--quiet"]);
    syncs_with_one_line(&planned, "stashed");
    assert_eq!(done(&planned), 0);
    planned.git(&["stash", "pop", "--quiet"]);
    syncs_with_one_line(&planned, "and back");
    planned.assert_work(&work, "afterwards");
}

#[test]
fn a_branch_without_the_plan_and_back_loses_nothing() {
    let planned = Planned::new(TEXT);
    planned.git(&["branch", "without"]);
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    planned.commit("plan");
    let (work, lines) = (planned.work(), lines_per_task(&planned));
    checkout(&planned, "without");
    planned.plan(&["sync"]);
    for (name, run) in planned.readers() {
        let judges = name.ends_with("validate");
        assert!(run.code == Some(0) || judges, "{name}: {run}");
    }
    checkout(&planned, "main");
    planned.does(&["sync"]);
    planned.assert_work(&work, "afterwards");
    assert_eq!(lines_per_task(&planned), lines);
}

#[test]
fn an_older_text_in_place_of_a_lost_plan_is_not_a_regression() {
    let planned = branched();
    let work = planned.work();
    planned.remove("plan.md");
    planned.plan(&["sync"]);
    checkout_file(&planned, "older");
    let lines = lines_per_task(&planned);
    planned.does(&["sync"]);
    assert_eq!(done(&planned), 0);
    assert_eq!(lines_per_task(&planned), lines);
    checkout_file(&planned, "main");
    planned.does(&["sync"]);
    assert_eq!(lines_per_task(&planned), lines);
    planned.assert_work(&work, "afterwards");
}

#[test]
fn a_stash_and_its_return_are_one_line_each_way() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.commit("plan");
    planned.does(&["done", "schema", "--by", "subagent:db"]);
    planned.does(&["decide", "Async", "--reason", "fewer threads"]);
    let work = planned.work();
    planned.git(&["stash", "--quiet"]);
    syncs_with_one_line(&planned, "stashed");
    assert_eq!(done(&planned), 0);
    planned.git(&["stash", "pop", "--quiet"]);
    syncs_with_one_line(&planned, "and back");
    planned.assert_work(&work, "afterwards");
}

#[test]
fn a_command_other_than_sync_absorbs_the_branch_switch_too() {
    let planned = branched();
    let work = planned.work();
    checkout(&planned, "older");
    planned.does(&["note", "on the older branch"]);
    assert_eq!(planned.logged(CHECKSUM_MISMATCH), 1);
    checkout(&planned, "main");
    planned.does(&["note", "--clear"]);
    assert_eq!(planned.logged(CHECKSUM_MISMATCH), 2);
    assert_eq!(planned.tasks_of("task_reopened"), [""; 0]);
    planned.assert_work(&work, "afterwards");
}

#[test]
fn older_content_that_is_not_in_the_history_is_a_regression_with_a_line_for_each_task() {
    let planned = branched();
    let unticked = planned
        .markdown()
        .replace("- [x] Create schema", "- [ ] Create schema")
        .replace("1. [x] Form <!-- TASK: form -->\n", "")
        .replace("# Login", "# Login, as nobody saw it before");
    planned.put("plan.md", &unticked);
    let run = planned.does(&["sync"]);
    assert_eq!(planned.tasks_of("task_reopened"), ["schema"]);
    assert_eq!(planned.tasks_of("task_removed"), ["form"]);
    assert_eq!(planned.logged(CHECKSUM_MISMATCH), 1);
    let said = format!("{}{}", run.stdout, run.stderr);
    assert!(said.contains("schema"), "a regress is reported: {run}");
    assert!(said.contains("form"), "a regress is reported: {run}");
    assert_eq!(planned.task("setup", "schema")["done"], false);
    assert_eq!(planned.task("setup", "schema").get("completedAt"), None);
    assert_eq!(planned.task("setup", "roles")["completedBy"], "team:7");
    planned.does(&["sync"]);
    assert_eq!(planned.tasks_of("task_reopened"), ["schema"], "only once");
    assert_eq!(planned.tasks_of("task_removed"), ["form"], "only once");
}

#[test]
fn an_open_task_that_vanishes_is_not_a_regression() {
    let planned = branched();
    let without = planned
        .markdown()
        .replace("- [ ] Release <!-- TASK: release -->\n", "");
    planned.put("plan.md", without);
    planned.does(&["sync"]);
    assert_eq!(planned.tasks_of("task_removed"), [""; 0]);
    assert_eq!(planned.stored()["progress"]["totalTasks"], 4);
}

#[test]
fn a_tick_by_an_editor_is_logged_once_and_not_in_the_name_of_who_comes_next() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    let ticked = TEXT.replace("- [ ] Create schema", "- [x] Create schema");
    planned.put("plan.md", ticked);
    planned.does(&["done", "roles", "--by", "subagent:db"]);
    let mut completed = planned.tasks_of("task_completed");
    completed.sort_unstable();
    assert_eq!(completed, ["roles", "schema"]);
    assert_eq!(planned.logged(CHECKSUM_MISMATCH), 1);
    let agent = &planned.stored()["agents"]["subagent:db"];
    assert_eq!(agent["completedTasks"], serde_json::json!(["roles"]));
    let schema = planned.task("setup", "schema");
    assert_eq!(schema["done"], true);
    assert_ne!(schema["completedBy"], "subagent:db", "it did not do that");
}

#[test]
fn a_tick_that_was_there_before_the_first_command_is_not_credited_to_who_runs_it() {
    let planned = Planned::new(TEXT.replace("- [ ] Create schema", "- [x] Create schema"));
    planned.does(&["done", "roles", "--by", "subagent:db"]);
    let schema = planned.task("setup", "schema");
    assert_eq!(schema["done"], true);
    assert_ne!(schema["completedBy"], "subagent:db", "it did not do that");
}
