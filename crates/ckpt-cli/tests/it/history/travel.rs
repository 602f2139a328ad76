//! `ckpt show --at`, `ckpt restore` and `ckpt undo`.

use crate::support::environment::{AUTH, Environment};
use crate::support::strace::{strace_works, tampered};

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

fn worked() -> Environment {
    let environment = Environment::started_with("research,build");
    run(
        &environment,
        "phase implement/auth research complete --summary First",
        0,
    );
    run(&environment, "phase implement/auth build in_progress", 0);
    environment
}

fn planned() -> Environment {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema --by subagent:data", 0);
    run(&environment, "plan done seed", 0);
    environment
}

#[test]
fn a_plan_is_restored_and_back_with_the_times_of_its_phases() {
    let environment = planned();
    let state = || {
        let text = environment.read("plans/260220-1149-login/.checkpoint/state.json");
        let lines = text.lines().filter(|line| !line.contains("lastCheckpoint"));
        lines.collect::<Vec<_>>().join("\n")
    };
    let (before, text) = (state(), environment.read(PLAN));
    assert!(before.contains("startedAt") && before.contains("completedAt"));
    let last = run(&environment, "log --json -n 1", 0);
    let revision = &last[last.find("\"rev\":").expect("it has one") + 6..];
    let revision: String = revision.chars().take_while(char::is_ascii_digit).collect();
    run(&environment, "restore 260220-1149-login 1", 0);
    assert_ne!(environment.read(PLAN), text);
    let back = format!("restore 260220-1149-login {revision}");
    run(&environment, &back, 0);
    assert_eq!(environment.read(PLAN), text);
    assert_eq!(state(), before);
}

#[test]
fn a_checkpoint_is_shown_as_it_was_at_a_revision_or_a_time() {
    let environment = worked();
    let shown = run(&environment, "show implement/auth --at 2", 0);
    assert!(
        shown.contains("✓ research") && shown.contains("· build"),
        "{shown}"
    );
    let raw = run(&environment, "show implement/auth --at @0s --raw", 0);
    assert_eq!(raw, environment.read(AUTH));
    let gone = run(&environment, "show implement/auth --at @1h", 3);
    assert!(gone.contains("has nothing recorded at"), "{gone}");
    let gone = run(&environment, "show implement/auth --at 99", 3);
    assert!(gone.contains("ckpt log"), "{gone}");
}

#[test]
fn restoring_is_a_new_revision_and_leads_back_to_the_byte() {
    let environment = worked();
    let before = environment.read(AUTH);
    run(&environment, "restore implement/auth 1", 0);
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("· research"), "{shown}");
    run(&environment, "restore implement/auth 3", 0);
    assert_eq!(environment.read(AUTH), before);
    let events = environment.events("implement-auth");
    assert_eq!(events[3..], ["4 restored", "5 restored"]);
    let same = run(&environment, "restore implement/auth 3", 0);
    assert!(same.contains("nothing was changed"), "{same}");
}

#[test]
fn undo_takes_the_last_change_back_and_undo_of_undo_brings_it_again() {
    let environment = worked();
    let before = environment.read(AUTH);
    let said = run(&environment, "undo", 0);
    assert_eq!(
        said,
        "undone in implement/auth: phase build: pending → in_progress\n"
    );
    assert_ne!(environment.read(AUTH), before);
    let said = run(&environment, "undo implement/auth", 0);
    assert_eq!(
        said,
        "undone in implement/auth: the undo of revision 3; what revision 3 did is back\n"
    );
    assert_eq!(environment.read(AUTH), before);
    let fresh = Environment::started();
    let refused = run(&fresh, "undo implement/auth", 3);
    assert!(refused.contains("nothing comes before"), "{refused}");
    let refused = run(&Environment::new(), "undo", 3);
    assert!(refused.contains("nothing to undo"), "{refused}");
}

#[test]
fn an_edit_by_another_program_is_the_last_change() {
    let environment = worked();
    let before = environment.read(AUTH);
    let edited = before.replace("First", "Second");
    environment.write(AUTH, &edited);
    let said = run(&environment, "undo implement/auth", 0);
    assert_eq!(
        said,
        "undone in implement/auth: edited by another program\n"
    );
    assert_eq!(environment.read(AUTH), before);
    run(&environment, "undo implement/auth", 0);
    assert_eq!(environment.read(AUTH), edited);
}

/// Otherwise an agent could undo what a person decided, or a gate that failed.
#[test]
fn approvals_and_gates_are_never_taken_back() {
    let environment = worked();
    run(&environment, "gate set implement/auth --allow", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    let refused = run(&environment, "undo implement/auth", 4);
    assert!(
        refused.contains("cannot be taken back: shipping blocked"),
        "{refused}"
    );
    run(&environment, "restore implement/auth 4", 0);
    run(&environment, "gate check implement/auth", 6);
    run(&environment, "gate run implement/auth tests -- false", 6);
    run(&environment, "undo implement/auth", 4);
    let shown = run(&environment, "gate show implement/auth", 0);
    assert!(shown.contains("tests"), "{shown}");
}

#[test]
fn bookkeeping_alone_is_no_reason_for_a_new_revision() {
    for decision in [
        "set implement/auth --allow",
        "set implement/auth --block no",
    ] {
        let environment = worked();
        environment.write("two.txt", "two\n");
        environment.commit("two");
        run(&environment, &format!("gate {decision}"), 0);
        let before = environment.read(AUTH);
        let refused = run(&environment, "undo implement/auth", 4);
        assert!(
            refused.contains("cannot be taken back: shipping"),
            "{refused}"
        );
        let same = run(&environment, "restore implement/auth 3", 0);
        assert!(same.contains("nothing was changed"), "{same}");
        assert_eq!(environment.read(AUTH), before);
    }
}

#[test]
fn undo_passes_over_a_change_that_had_no_effect() {
    let environment = worked();
    let before = environment.document("implement-auth");
    for _ in 0..2 {
        run(&environment, "phase implement/auth build complete", 0);
    }
    let said = run(&environment, "undo implement/auth", 0);
    assert_eq!(
        said,
        "undone in implement/auth: phase build: in_progress → complete\n"
    );
    let after = environment.document("implement-auth");
    assert_eq!(after["phases"], before["phases"]);
    run(&environment, "gate set implement/auth --allow", 0);
    run(&environment, "phase implement/auth research complete", 0);
    let refused = run(&environment, "undo implement/auth", 4);
    assert!(refused.contains("shipping approved"), "{refused}");
}

#[test]
fn undo_goes_back_to_before_a_recovery() {
    let environment = worked();
    let before = environment.read(AUTH);
    std::fs::remove_dir_all(environment.path(".claude")).expect("it is there");
    run(&environment, "recover", 0);
    let said = run(&environment, "undo implement/auth", 0);
    assert_eq!(
        said,
        "undone in implement/auth: phase build: pending → in_progress\n"
    );
    run(&environment, "undo implement/auth", 0);
    assert_eq!(environment.read(AUTH), before);
}

#[test]
fn a_revision_of_an_earlier_epoch_that_was_taken_back_is_named_exactly() {
    let environment = Environment::started_with("research");
    run(&environment, "phase implement/auth research complete", 0);
    let revision = || {
        let shown = environment.ckpt(&["show", "implement/auth", "--json"]);
        let shown = shown.exits(0).json();
        shown["revision"].as_str().unwrap().to_owned()
    };
    let exact = revision();
    std::fs::remove_dir_all(environment.path(".claude")).expect("it is there");
    run(&environment, "recover", 0);
    let said = run(&environment, "undo implement/auth", 0);
    assert!(said.contains("phase research: pending"), "{said}");
    // Both epochs have a revision of that number.
    assert_eq!(revision().split_once('-').unwrap().0, "2");
    assert_eq!(exact.split_once('-').unwrap().0, "2");
    let log = run(&environment, "log implement/auth -n 1", 0);
    assert!(
        log.contains(&format!("took revision {exact} back")),
        "{log}"
    );
    let log = environment.ckpt(&["log", "implement/auth", "-n", "1", "--json"]);
    let entry = log.exits(0).json()["entries"][0].clone();
    assert_eq!(entry["undone"], 2);
    assert_eq!(entry["exact"], exact.as_str());
    let said = run(&environment, "undo implement/auth", 0);
    assert!(said.contains("the undo of revision"), "{said}");
}

#[test]
fn a_refused_undo_prints_one_json_object() {
    let environment = worked();
    run(&environment, "gate set implement/auth --allow", 0);
    let refused = environment.ckpt(&["undo", "implement/auth", "--json"]);
    let refused = refused.exits(4).json();
    assert!(refused["error"].is_object(), "{refused}");
}

#[test]
fn the_ticks_of_a_plan_are_restored_by_single_characters() {
    let environment = planned();
    let done = environment.read(PLAN);
    // People have edited the text since.
    let edited = done.replace("# Login", "# Log in, really");
    environment.write(PLAN, &edited);
    run(&environment, "restore 260220-1149-login 1", 0);
    assert_eq!(environment.read(PLAN), edited.replace("[x]", "[ ]"));
    run(&environment, "undo 260220-1149-login", 0);
    assert_eq!(environment.read(PLAN), edited);
    let state = run(&environment, "plan show --json", 0);
    assert!(
        state.contains("\"completedBy\":\"subagent:data\""),
        "{state}"
    );
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert!(said.starts_with("undone in 260220-1149-login: "), "{said}");
}

#[test]
fn undo_of_a_plan_takes_only_the_last_tick_back() {
    let environment = planned();
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert!(said.contains("task seed: done"), "{said}");
    let text = environment.read(PLAN);
    assert!(
        text.contains("[x] Make") && text.contains("[ ] Seed"),
        "{text}"
    );
}

/// What the state says, without the times that every change updates.
fn recorded(environment: &Environment) -> serde_json::Value {
    let text = environment.read("plans/260220-1149-login/.checkpoint/state.json");
    let mut state: serde_json::Value = serde_json::from_str(&text).unwrap();
    state.as_object_mut().unwrap().remove("lastCheckpoint");
    let agents = state["agents"].as_object_mut().unwrap();
    for agent in agents.values_mut() {
        agent.as_object_mut().unwrap().remove("lastActive");
    }
    state
}

#[test]
fn undo_of_a_plan_takes_back_whatever_the_last_change_recorded() {
    let id = "260220-1149-login";
    for line in [
        "plan decide Postgres --reason known",
        "plan block waits",
        "plan note later",
        "plan claim schema",
        "plan claim schema --by subagent:data",
        "plan add Write --after schema",
        "plan edit schema Draw",
        "plan done schema",
        "plan undo seed",
        "plan unblock legal",
    ] {
        let environment = Environment::new();
        environment.write(PLAN, TEXT);
        run(&environment, "plan sync", 0);
        run(&environment, "plan done seed", 0);
        run(&environment, "plan block legal", 0);
        let before = (environment.read(PLAN), recorded(&environment));
        run(&environment, line, 0);
        let after = (environment.read(PLAN), recorded(&environment));
        assert_ne!(without_sums(&before), without_sums(&after), "{line}");
        let edited = environment.read(PLAN).replace("# Login", "# Log in");
        environment.write(PLAN, &edited);
        run(&environment, &format!("undo {id}"), 0);
        let undone = (environment.read(PLAN), recorded(&environment));
        let expected = (before.0.replace("# Login", "# Log in"), before.1.clone());
        assert_eq!(without_sums(&undone), without_sums(&expected), "{line}");
        run(&environment, &format!("undo {id}"), 0);
        let again = (environment.read(PLAN), recorded(&environment));
        let expected = (after.0.replace("# Login", "# Log in"), after.1.clone());
        assert_eq!(without_sums(&again), without_sums(&expected), "{line}");
    }
}

fn without_sums((text, state): &(String, serde_json::Value)) -> (String, serde_json::Value) {
    let mut state = state.clone();
    state.as_object_mut().unwrap().remove("checksum");
    (text.clone(), state)
}

#[test]
fn undo_of_a_plan_is_refused_where_somebody_changed_the_same_line_since() {
    let environment = planned();
    run(&environment, "plan add Write --after seed", 0);
    let edited = environment.read(PLAN).replace("Write", "Write all of it");
    environment.write(PLAN, &edited);
    let refused = run(&environment, "undo 260220-1149-login", 5);
    assert!(
        refused.contains("plan.md was changed since: \"- [ ] Write <!-- TASK: write -->\""),
        "{refused}"
    );
    assert_eq!(environment.read(PLAN), edited);
}

#[test]
fn undo_names_what_it_took_back_beside_an_edit_by_hand() {
    let environment = planned();
    let edited = environment.read(PLAN).replace("Make the", "Make a");
    environment.write(PLAN, &edited);
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert!(said.contains(": task seed: done\n"), "{said}");
}

#[test]
fn an_edit_of_the_plan_that_was_recorded_is_the_last_change() {
    let environment = planned();
    let before = environment.read(PLAN);
    let edited = before.replace("# Login", "# Log in").replace("Seed", "Sow");
    environment.write(PLAN, &edited);
    run(&environment, "plan sync", 0);
    run(&environment, "undo 260220-1149-login", 0);
    assert_eq!(environment.read(PLAN), before);
    environment.write(PLAN, before.replace("[x] Seed", "[ ] Seed"));
    run(&environment, "plan sync", 0);
    run(&environment, "undo 260220-1149-login", 0);
    assert_eq!(environment.read(PLAN), before);
}

#[test]
fn undo_beside_a_tick_by_hand_says_what_it_took_back_and_what_stays() {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema", 0);
    let both = environment.read(PLAN).replace("[ ] Seed", "[x] Seed");
    environment.write(PLAN, &both);
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert_eq!(
        said,
        "undone in 260220-1149-login: task schema: done\n\
         note: edited by hand before, and stays: task seed: done\n"
    );
    assert_eq!(environment.read(PLAN), both.replace("[x] Make", "[ ] Make"));
    let said = run(&environment, "undo 260220-1149-login", 0);
    assert_eq!(
        said,
        "undone in 260220-1149-login: the undo of revision 3; what revision 3 did is back; it is complete again\n"
    );
    assert_eq!(environment.read(PLAN), both);
}

#[test]
fn a_tick_by_hand_is_the_last_change_where_nothing_else_is_left_to_undo() {
    // After nothing but the beginning, and after a change that the edit has taken back itself.
    for (line, from, to, words) in [
        ("plan sync", "[ ] Seed", "[x] Seed", "task seed: done"),
        (
            "plan done seed",
            "[x] Seed",
            "[ ] Seed",
            "the plan was edited",
        ),
    ] {
        let environment = Environment::new();
        environment.write(PLAN, TEXT);
        run(&environment, "plan sync", 0);
        run(&environment, line, 0);
        let before = environment.read(PLAN);
        let edited = before.replace(from, to);
        environment.write(PLAN, &edited);
        let said = run(&environment, "undo 260220-1149-login", 0);
        assert_eq!(said, format!("undone in 260220-1149-login: {words}\n"));
        assert_eq!(environment.read(PLAN), before, "{line}");
        let said = run(&environment, "undo 260220-1149-login", 0);
        assert!(said.contains("the undo of revision"), "{said}");
        assert_eq!(environment.read(PLAN), edited, "{line}");
    }
    let environment = Environment::new();
    run(&environment, "plan new Login", 0);
    let path = environment
        .ckpt(&["plan", "show", "--json"])
        .exits(0)
        .json();
    let plan = format!("plans/{}/plan.md", path["plan"].as_str().unwrap());
    let before = environment.read(&plan);
    environment.write(&plan, format!("{before}\nMore.\n"));
    run(&environment, "undo", 0);
    assert_eq!(environment.read(&plan), before);
}

/// Otherwise a note that was made before is taken back with it.
#[test]
fn a_state_that_was_restored_is_no_change_to_undo() {
    const STATE: &str = "plans/260220-1149-login/.checkpoint/state.json";
    let noted = |environment: &Environment| recorded(environment)["sessionNotes"].clone();
    for (damage, line, first, notes) in [
        ("{ torn", "plan sync", "noted: \"second\"", "first"),
        (
            "{ torn",
            "plan done schema",
            "task schema: done",
            "first\nsecond",
        ),
        (
            "[]",
            "restore 260220-1149-login 3",
            "restored revision 3",
            "first\nsecond",
        ),
        ("", "plan done schema", "task schema: done", "first\nsecond"),
    ] {
        let environment = Environment::new();
        environment.write(PLAN, TEXT);
        run(&environment, "plan sync", 0);
        run(&environment, "plan note first", 0);
        run(&environment, "plan note second", 0);
        match damage {
            "" => std::fs::remove_file(environment.path(STATE)).expect("it is there"),
            damage => drop(environment.write(STATE, damage)),
        }
        run(&environment, line, 0);
        let (text, before) = (environment.read(PLAN), noted(&environment));
        let said = run(&environment, "undo 260220-1149-login", 0);
        assert!(said.contains(first), "{line}: {said}");
        assert_eq!(noted(&environment), notes, "{line}");
        run(&environment, "undo 260220-1149-login", 0);
        assert_eq!(noted(&environment), before, "{line}");
        assert_eq!(environment.read(PLAN), text, "{line}");
    }
}

#[test]
fn a_damaged_state_of_a_plan_is_recovered_by_the_command_that_is_named() {
    let environment = planned();
    environment.write("plans/260220-1149-login/.checkpoint/state.json", "{ torn");
    let refused = run(&environment, "diff login 2", 4);
    let (_, command) = refused.split_once("with: ckpt ").unwrap();
    let (command, _) = command.split_once(';').unwrap();
    assert_eq!(command, "recover 260220-1149-login");
    run(&environment, command, 0);
    run(&environment, "diff login 2", 0);
}

const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data, gate: tests }\n  WS2: { depends_on: [WS1] }\n\
    gates:\n  tests: { command: 'true' }\n---\n";
const PIPELINE: &str = ".claude/skills/build-pipeline/checkpoints/PRD-001.json";

fn built() -> Environment {
    let environment = Environment::new();
    environment.write("spec.md", SPEC);
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    run(&environment, "pipeline done PRD-001 WS1", 0);
    environment
}

#[test]
fn a_pipeline_is_brought_back_and_there_again_to_the_byte() {
    let environment = built();
    let before = environment.read(PIPELINE);
    let said = run(&environment, "undo PRD-001", 0);
    assert_eq!(said, "undone in PRD-001: workstream WS1: done\n");
    let shown = run(&environment, "diff PRD-001", 0);
    assert!(
        shown.contains("workstream WS1: done → in progress"),
        "{shown}"
    );
    run(&environment, "undo PRD-001", 0);
    assert_eq!(environment.read(PIPELINE), before);
    run(&environment, "restore PRD-001 1", 0);
    let shown = run(&environment, "pipeline show PRD-001", 0);
    assert!(shown.contains("initialized"), "{shown}");
    run(&environment, "restore PRD-001 3", 0);
    assert_eq!(environment.read(PIPELINE), before);
}

/// Otherwise undo could take back a bad review, or make a gate pass.
#[test]
fn a_review_and_the_gates_of_a_pipeline_are_not_brought_back() {
    let environment = built();
    run(
        &environment,
        "pipeline gate pass PRD-001 tests --for WS1",
        0,
    );
    let refused = run(&environment, "undo PRD-001", 4);
    assert!(refused.contains("cannot be taken back"), "{refused}");
    run(
        &environment,
        "pipeline review PRD-001 do_not_ship --p0 3",
        0,
    );
    run(&environment, "undo PRD-001", 4);
    let refused = run(&environment, "restore PRD-001 2", 6);
    assert!(refused.contains("3 P0 findings"), "{refused}");
    run(&environment, "restore PRD-001 1", 0);
    let stored = environment.read(PIPELINE);
    assert!(stored.contains("do_not_ship"), "{stored}");
    let told = run(&environment, "diff PRD-001", 0);
    assert!(told.contains("gate tests (WS1): - passed"), "{told}");
    assert!(told.contains("gate tests: + pending"), "{told}");
}

#[test]
fn a_failed_pipeline_is_repaired_before_it_goes_back() {
    let environment = built();
    run(&environment, "pipeline start PRD-001 WS2", 0);
    run(&environment, "pipeline fail PRD-001 WS2 --message boom", 0);
    let before = environment.read(PIPELINE);
    for line in ["undo PRD-001", "restore PRD-001 1"] {
        let refused = run(&environment, line, 4);
        assert!(refused.contains("ckpt pipeline fixed PRD-001"), "{refused}");
    }
    assert_eq!(environment.read(PIPELINE), before);
}

#[test]
fn a_repair_that_was_taken_back_comes_back_with_undo() {
    let environment = built();
    run(&environment, "pipeline start PRD-001 WS2", 0);
    run(&environment, "pipeline fail PRD-001 WS2 --message boom", 0);
    let failed = environment.read(PIPELINE);
    run(&environment, "pipeline fixed PRD-001", 0);
    let repaired = environment.read(PIPELINE);
    for _ in 0..3 {
        for expected in [&failed, &repaired] {
            run(&environment, "undo PRD-001", 0);
            assert_eq!(environment.read(PIPELINE), *expected);
        }
    }
    run(&environment, "undo PRD-001", 0);
    let refused = run(&environment, "restore PRD-001 1", 4);
    assert!(refused.contains("ckpt pipeline fixed PRD-001"), "{refused}");
    run(&environment, "pipeline note PRD-001 --cleanup later", 0);
    run(&environment, "undo PRD-001", 0);
    // Only a note was taken back since.
    run(&environment, "undo PRD-001", 0);
    assert!(environment.read(PIPELINE).contains("later"));
    assert!(environment.read(PIPELINE).contains("boom"));
}

/// Whoever wrote it into the file did not record a repair.
#[test]
fn a_repair_by_hand_does_not_come_back_with_undo() {
    let environment = built();
    run(&environment, "pipeline start PRD-001 WS2", 0);
    run(&environment, "pipeline fail PRD-001 WS2 --message boom", 0);
    let failed = environment.read(PIPELINE);
    environment.write(PIPELINE, failed.replace("\"failed\"", "\"paused\""));
    run(&environment, "undo PRD-001", 0);
    assert_eq!(environment.read(PIPELINE), failed);
    let refused = run(&environment, "undo PRD-001", 4);
    assert!(refused.contains("ckpt pipeline fixed PRD-001"), "{refused}");
}

#[test]
fn a_pipeline_that_was_aborted_twice_is_repaired_before_it_goes_back() {
    let environment = built();
    for reason in ["first", "second"] {
        let line = format!("pipeline abort PRD-001 --reason {reason}");
        run(&environment, &line, 0);
    }
    let before = environment.read(PIPELINE);
    let refused = run(&environment, "undo PRD-001", 4);
    assert!(
        refused.contains("was aborted. Take it up again with: ckpt pipeline fixed PRD-001"),
        "{refused}"
    );
    assert!(!refused.contains("pprovals"), "{refused}");
    assert_eq!(environment.read(PIPELINE), before);
}

/// A workstream that the specification has now would be in no list.
#[test]
fn a_state_that_does_not_fit_the_specification_is_refused() {
    let environment = built();
    let grown = SPEC.replace("gates:", "  WS3: { name: More }\ngates:");
    environment.write("spec.md", grown);
    run(&environment, "pipeline sync PRD-001", 0);
    let before = environment.read(PIPELINE);
    let refused = run(&environment, "restore PRD-001 1", 4);
    assert!(refused.contains("WS3 is in the specification"), "{refused}");
    assert_eq!(environment.read(PIPELINE), before);
}

/// What must stay as it is cannot be read from it.
#[test]
fn a_damaged_checkpoint_is_recovered_first() {
    let environment = worked();
    run(&environment, "gate set implement/auth --block no", 0);
    environment.write(AUTH, "garbage");
    for line in ["undo implement/auth", "restore implement/auth 1"] {
        run(&environment, line, 4);
    }
    run(&environment, "recover implement/auth", 0);
    run(&environment, "gate check implement/auth", 6);
}

#[test]
fn what_was_complete_is_not_completed_by_restoring_it() {
    let environment = worked();
    run(&environment, "complete implement/auth --force", 0);
    run(&environment, "phase implement/auth build in_progress", 0);
    run(&environment, "gate set implement/auth --block no", 0);
    let refused = run(&environment, "restore implement/auth 4", 4);
    assert!(
        refused.contains("ckpt complete implement/auth"),
        "{refused}"
    );
}

/// Anybody can append to a history, or put a line in front.
#[test]
fn a_line_without_our_seal_does_not_stand_in_for_one_with_it() {
    let file = ".claude/state/history/command/implement-auth.jsonl";
    for (rev, is_first) in [(2, true), (2, false), (4, false)] {
        let environment = worked();
        let history = environment.read(file);
        let last: serde_json::Value =
            serde_json::from_str(history.lines().last().unwrap()).unwrap();
        let evil = environment.read(AUTH).replace("First", "EVIL");
        let hash = ckpt::history::ContentHash::of(evil.as_bytes()).to_string();
        let forged = serde_json::json!({
            "ts": "2126-01-29T10:30:00.000Z", "event": "gate_set", "ship_allowed": true, "rev": rev,
            "epoch": last["epoch"], "by": "main",
            "files": {"implement-auth.json": {"from": null, "to": hash, "content": evil}},
        });
        let text = match is_first {
            true => format!("{forged}\n{history}"),
            false => format!("{history}{forged}\n"),
        };
        environment.write(file, text);
        let shown = run(&environment, "show implement/auth --at 2", 0);
        assert!(
            shown.contains("First") && !shown.contains("EVIL"),
            "{shown}"
        );
        let shown = run(&environment, "show implement/auth --at @0s", 0);
        assert!(!shown.contains("EVIL"), "{shown}");
        let said = run(&environment, "undo implement/auth", 0);
        assert!(said.contains("phase build"), "{said}");
        assert!(!environment.read(AUTH).contains("EVIL"));
    }
}

#[test]
fn undo_passes_over_a_change_that_never_took_effect() {
    if !strace_works() {
        return;
    }
    let spec =
        "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n  WS2: { name: Pages }\n---\n";
    let environment = Environment::started_with("a,b");
    environment.write("spec.md", spec);
    environment.write(
        "plans/260220-1149-login/plan.md",
        "# Login\n- [ ] One <!-- TASK: one -->\n- [ ] Two <!-- TASK: two -->\n",
    );
    for line in [
        "phase implement/auth b in_progress",
        "pipeline init spec.md",
        "pipeline start PRD-001 WS1",
        "plan sync",
        "plan done one",
    ] {
        run(&environment, line, 0);
    }
    for (key, change, undone) in [
        (
            "implement/auth",
            "phase implement/auth a complete",
            "phase b",
        ),
        ("PRD-001", "pipeline done PRD-001 WS1", "WS1"),
        ("260220-1149-login", "plan done two", "task one"),
    ] {
        let words: Vec<&str> = change.split(' ').collect();
        let failing = "rename,?renameat,?renameat2";
        let died = tampered(&environment, &words, failing, "signal=SIGKILL:when=1");
        assert_eq!(died.code, None, "{died}");
        let said = run(&environment, &format!("undo {key}"), 0);
        assert!(
            said.contains(undone) && !said.contains("never took effect"),
            "{said}"
        );
        let shown = run(&environment, &format!("show {key}"), 0);
        assert!(!shown.contains('✓') && !shown.contains('▶'), "{shown}");
        run(&environment, &format!("undo {key}"), 0);
        let shown = run(&environment, &format!("show {key}"), 0);
        assert!(shown.contains('✓') || shown.contains('▶'), "{shown}");
    }
}

#[test]
fn undo_and_diff_pass_over_a_revision_that_was_damaged() {
    let environment = Environment::started_with("a,b");
    run(&environment, "phase implement/auth a complete", 0);
    run(&environment, "phase implement/auth b complete", 0);
    environment.write(AUTH, r#"{"comm"#);
    run(&environment, "recover implement/auth", 0);
    let said = run(&environment, "show implement/auth --at 4", 4);
    assert!(said.contains("was damaged at revision 4"), "{said}");
    let said = run(&environment, "diff implement/auth", 0);
    assert!(said.contains("no difference"), "{said}");
    let said = run(&environment, "undo implement/auth", 0);
    assert!(said.contains("phase b"), "{said}");
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("✓ a") && !shown.contains("✓ b"), "{shown}");
}
