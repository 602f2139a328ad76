//! A state, backup or history that is damaged or missing: nothing is lost that any of them still has.

use serde_json::{Value, json};

use crate::support::planned::{HISTORY, Planned, RECOVERY, STATE};

const STATE_CORRUPTED: &str = r#""event":"state_corrupted","restored_from":"recovery.json""#;
const FULL_RECOVERY: &str = r#""event":"full_recovery","source":"plan.md_reparse""#;

/// Contents that are not a valid state.
fn garbage(good: &str) -> [(&'static str, Vec<u8>); 6] {
    [
        ("truncated", good.as_bytes()[..good.len() / 2].to_vec()),
        ("binary", b"\x00\xff\xfe\x80garbage\x00".to_vec()),
        ("empty", Vec::new()),
        ("a list", b"[]\n".to_vec()),
        ("an empty object", b"{}\n".to_vec()),
        ("null", b"null\n".to_vec()),
    ]
}

#[test]
fn a_state_that_cannot_be_read_comes_back_from_its_copy_and_the_history() {
    for (kind, bytes) in garbage("{\"version\": 2, \"planId\": \"x\"}") {
        let planned = Planned::worked();
        let (work, markdown) = (planned.work(), planned.markdown());
        planned.put(STATE, &bytes);
        planned.does(&["sync"]);
        assert_eq!(planned.logged(STATE_CORRUPTED), 1, "{kind}");
        planned.assert_work(&work, kind);
        assert_eq!(planned.markdown(), markdown, "{kind}");
        let kept = planned.kept("state.json.corrupt-");
        assert_eq!(kept.len(), 1, "{kind}: {kept:?}");
        let kept = std::fs::read(planned.path(&planned.name(&kept[0]))).unwrap();
        assert_eq!(kept, bytes, "{kind}");
        planned.does(&["sync"]);
        assert_eq!(planned.logged(STATE_CORRUPTED), 1, "{kind}: only once");
        assert_eq!(planned.tasks_of("task_completed"), ["schema", "form"]);
    }
}

#[test]
fn a_state_cut_off_anywhere_comes_back() {
    let planned = Planned::worked();
    let work = planned.work();
    let good = planned.text(STATE);
    for cut in (0..good.len() - 2).step_by(good.len() / 12) {
        planned.put(STATE, &good.as_bytes()[..cut]);
        planned.does(&["sync"]);
        planned.assert_work(&work, &format!("cut at {cut}"));
    }
}

#[test]
fn a_tick_on_an_unreadable_state_restores_it_first_and_counts() {
    let planned = Planned::worked();
    let before = planned.work();
    planned.put(STATE, "{ torn");
    planned.does(&["done", "roles", "--by", "team:7"]);
    assert_eq!(planned.logged(STATE_CORRUPTED), 1);
    assert_eq!(planned.task("setup", "roles")["completedBy"], "team:7");
    let after = planned.work();
    assert_eq!(
        after["phases"]["setup"]["tasks"]["schema"],
        before["phases"]["setup"]["tasks"]["schema"]
    );
    assert_eq!(after["decisions"], before["decisions"]);
    assert_eq!(after["sessionNotes"], before["sessionNotes"]);
    assert_eq!(
        after["agents"]["subagent:ui"],
        before["agents"]["subagent:ui"]
    );
    assert_eq!(
        planned.tasks_of("task_completed"),
        ["schema", "form", "roles"]
    );
}

#[test]
fn a_state_that_was_deleted_comes_back_with_all_that_was_recorded() {
    let planned = Planned::worked();
    let (work, markdown) = (planned.work(), planned.markdown());
    planned.remove(STATE);
    for (name, run) in planned.readers() {
        assert!(run.code == Some(0) || name.ends_with("validate"), "{run}");
        let shows_progress = ["plan show", "status", "list"].contains(&name.as_str());
        assert!(
            !shows_progress || run.stdout.contains("2/5"),
            "{name}: {run}"
        );
    }
    planned.does(&["sync"]);
    planned.assert_work(&work, "afterwards");
    assert_eq!(planned.markdown(), markdown);
    assert_eq!(planned.tasks_of("task_completed"), ["schema", "form"]);
}

#[test]
fn a_copy_that_cannot_be_read_harms_nothing_and_is_replaced_by_a_good_one() {
    for (kind, bytes) in garbage("{\"savedAt\": \"2026-01-01T00:00:00.000Z\", \"state\": {") {
        let planned = Planned::worked();
        let work = planned.work();
        planned.put(RECOVERY, &bytes);
        planned.does(&["sync"]);
        planned.assert_work(&work, kind);
        for number in 0..5 {
            planned.does(&["note", &format!("note {number}")]);
        }
        let copy: Value = serde_json::from_str(&planned.text(RECOVERY))
            .unwrap_or_else(|error| panic!("{kind}: no copy within five changes: {error}"));
        assert_eq!(copy["state"]["version"], 2, "{kind}");
        let kept = planned.kept("recovery.json.corrupt-");
        assert_eq!(
            kept.len(),
            1,
            "{kind}: what was unreadable is kept: {kept:?}"
        );
    }
}

#[test]
fn without_state_and_copy_all_comes_from_the_plan_and_the_history() {
    for (kind, bytes) in garbage("{\"version\": 2, \"planId\": \"x\"}") {
        let planned = Planned::worked();
        let (work, markdown) = (planned.work(), planned.markdown());
        planned.put(STATE, &bytes);
        planned.put(RECOVERY, &bytes);
        planned.does(&["sync"]);
        assert_eq!(planned.logged(FULL_RECOVERY), 1, "{kind}");
        planned.assert_work(&work, kind);
        assert_eq!(planned.markdown(), markdown, "{kind}");
        assert_eq!(planned.kept("state.json.corrupt-").len(), 1, "{kind}");
        assert_eq!(planned.kept("recovery.json.corrupt-").len(), 1, "{kind}");
        assert_eq!(
            planned.tasks_of("task_completed"),
            ["schema", "form"],
            "{kind}"
        );
    }
}

#[test]
fn a_deleted_backup_does_not_count_as_a_backup() {
    let planned = Planned::worked();
    let work = planned.work();
    planned.put(STATE, "{ torn");
    planned.remove(RECOVERY);
    planned.does(&["sync"]);
    planned.assert_work(&work, "afterwards");
    assert_eq!(planned.logged(FULL_RECOVERY), 1);
}

#[test]
fn without_any_history_the_copy_still_has_what_it_had_and_the_plan_the_rest() {
    let planned = Planned::worked();
    let before = planned.work();
    planned.put(STATE, "{ torn");
    planned.remove(HISTORY);
    planned.without_copies();
    planned.does(&["sync"]);
    assert_eq!(planned.logged(STATE_CORRUPTED), 1);
    let after = planned.work();
    assert_eq!(after["progress"], before["progress"]);
    assert_eq!(
        after["phases"]["setup"]["tasks"]["schema"], before["phases"]["setup"]["tasks"]["schema"],
        "time and author were in the copy"
    );
    assert_eq!(after["phases"]["build"]["tasks"]["form"]["done"], true);
    assert_eq!(after["sessionNotes"], "early note");
    let decisions = after["decisions"].as_array().unwrap();
    let decided: Vec<&Value> = decisions.iter().map(|d| &d["decision"]).collect();
    assert_eq!(
        decided,
        ["Early", "Late"],
        "the later one stands in plan.md"
    );
    assert_eq!(decisions[0]["reason"], "early reason");
}

#[test]
fn with_nothing_left_but_the_plan_its_ticks_are_the_state() {
    let planned = Planned::worked();
    let markdown = planned.markdown();
    planned.put(STATE, "{ torn");
    planned.put(RECOVERY, "{ torn");
    planned.remove(HISTORY);
    planned.without_copies();
    planned.does(&["sync"]);
    assert_eq!(planned.logged(FULL_RECOVERY), 1);
    let state = planned.stored();
    assert_eq!(
        state["progress"],
        json!({ "totalTasks": 5, "completedTasks": 2, "percentage": 40 })
    );
    assert_eq!(state["currentTask"], "roles");
    assert_eq!(planned.markdown(), markdown);
}

#[test]
fn a_torn_last_line_of_the_history_is_skipped_and_never_continued() {
    let planned = Planned::worked();
    let work = planned.work();
    let history = planned.text(HISTORY);
    let kept = history.trim_end().len() - 40;
    planned.put(HISTORY, &history[..kept]);
    planned.without_copies();
    for (name, run) in planned.readers() {
        assert!(run.code == Some(0) || name.ends_with("validate"), "{run}");
    }
    planned.does(&["done", "roles"]);
    let after = planned.text(HISTORY);
    assert!(
        after.starts_with(&format!("{}\n", &history[..kept])),
        "the torn line keeps what it has and ends"
    );
    assert!(after.ends_with('\n'));
    let broken = after
        .lines()
        .filter(|line| serde_json::from_str::<Value>(line).is_err());
    assert_eq!(broken.count(), 1, "only the torn line cannot be read");
    assert_eq!(
        planned.tasks_of("task_completed"),
        ["schema", "form", "roles"]
    );
    let after = planned.work();
    for member in ["decisions", "sessionNotes"] {
        assert_eq!(after[member], work[member]);
    }
    assert_eq!(after["agents"]["main"]["assignedTasks"], json!(["session"]));
    assert_eq!(
        after["phases"]["build"]["tasks"]["form"],
        work["phases"]["build"]["tasks"]["form"]
    );
}

#[test]
fn a_deleted_history_harms_no_state_and_no_revision_is_reused() {
    let planned = Planned::worked();
    let work = planned.work();
    let last = planned.does(&["note", "x", "--json"]).json()["revision"].clone();
    planned.does(&["note", "early note\nlate note", "--replace"]);
    planned.remove(HISTORY);
    planned.without_copies();
    planned.does(&["sync"]);
    planned.assert_work(&work, "afterwards");
    let next = planned.does(&["done", "roles", "--json"]).json();
    assert_ne!(next["revision"], last, "never a reused revision");
    assert_eq!(planned.tasks_of("task_completed"), ["roles"]);
    assert_eq!(
        planned.task("setup", "schema")["completedBy"],
        "subagent:db"
    );
}

#[test]
fn a_garbage_line_within_the_history_costs_nothing_else() {
    let garbage = ["not json at all", "{\"ts\":", "\u{0}\u{0}\u{0}", "[]", "{}"];
    for (garbage, has_copy) in garbage
        .into_iter()
        .flat_map(|line| [(line, false), (line, true)])
    {
        let planned = Planned::worked();
        let work = planned.work();
        let history = planned.text(HISTORY);
        let middle = history[..history.len() / 2].rfind('\n').unwrap() + 1;
        let damaged = format!("{}{garbage}\n{}", &history[..middle], &history[middle..]);
        planned.put(HISTORY, &damaged);
        planned.put(STATE, "{ torn");
        if !has_copy {
            planned.without_copies();
        }
        planned.does(&["sync"]);
        planned.assert_work(&work, garbage);
        let after = planned.text(HISTORY);
        let is_back = has_copy && after.starts_with(&history);
        assert!(is_back || after.starts_with(&damaged), "{garbage:?}");
        assert_eq!(
            planned.tasks_of("task_completed"),
            ["schema", "form"],
            "{garbage:?}"
        );
    }
}
