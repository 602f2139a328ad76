//! Which plan a command uses.

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::planned::{HALF_DONE, ID, OTHER, Planned, TEXT};
use crate::support::tree;

/// The plan that commands work on when none is named.
#[track_caller]
fn meant(planned: &Planned) -> String {
    let next = planned.does(&["next", "--json"]).json();
    next["plan"].as_str().unwrap().to_owned()
}

/// Runs `ckpt` with a plan named by the environment.
fn with_active(planned: &Planned, value: &str, directory: &str, arguments: &[&str]) -> Run {
    let mut command = planned.command(CKPT);
    command
        .current_dir(planned.path(directory))
        .env("CK_ACTIVE_PLAN", value)
        .args(arguments);
    Run::of(&mut command)
}

#[test]
fn the_chosen_plan_is_used_until_the_choice_is_undone() {
    let planned = Planned::two();
    assert_eq!(
        meant(&planned),
        OTHER,
        "the highest id, as none was worked on"
    );
    planned.does(&["use", ID]);
    assert_eq!(meant(&planned), ID);
    planned.does(&["done", "schema", "--plan", OTHER]);
    assert_eq!(meant(&planned), ID, "whatever was worked on later");
    planned.does(&["use", "--none"]);
    assert_eq!(meant(&planned), OTHER);
    planned.does(&["use", "--none"]);
    planned.plan(&["use", "nope"]).exits(3);
    planned.plan(&["use", "../x"]).exits(2);
    assert_eq!(meant(&planned), OTHER, "a choice that was refused is none");
    assert_eq!(planned.git(&["status", "--porcelain", ".claude"]), "");
}

#[test]
fn a_choice_that_is_gone_is_not_silently_another_plan() {
    let planned = Planned::two();
    planned.does(&["use", ID]);
    std::fs::remove_dir_all(planned.path(&planned.name(""))).unwrap();
    let run = planned.plan(&["done", "schema"]);
    let other = planned.read(&format!("plans/{OTHER}/plan.md"));
    assert!(
        other == TEXT || run.stderr.contains(ID),
        "another plan was ticked and nothing said: {run}"
    );
}

#[test]
fn the_environment_names_the_plan_by_id_or_path() {
    let planned = Planned::two();
    planned.does(&["use", OTHER]);
    planned.write("sub/file", "");
    let root = planned.root().to_str().unwrap().to_owned();
    let values = [
        ID.to_owned(),
        format!("plans/{ID}"),
        format!("plans/{ID}/"),
        format!("./plans/{ID}"),
        format!("plans/{ID}/plan.md"),
        format!("{root}/plans/{ID}"),
        format!("{root}/plans/{ID}/plan.md"),
    ];
    for value in values {
        let run = with_active(&planned, &value, "", &["plan", "next", "--json"]);
        assert_eq!(run.exits(0).json()["plan"], ID, "{value}");
    }
    let below = format!("../plans/{ID}");
    let run = with_active(&planned, &below, "sub", &["plan", "next", "--json"]);
    assert_eq!(run.exits(0).json()["plan"], ID);
    let run = with_active(
        &planned,
        ID,
        "",
        &["plan", "next", "--plan", OTHER, "--json"],
    );
    assert_eq!(run.exits(0).json()["plan"], OTHER, "a flag is above it");
    let run = with_active(&planned, "", "", &["plan", "next", "--json"]);
    assert_eq!(run.exits(0).json()["plan"], OTHER, "empty is not set");
}

#[test]
fn a_name_in_the_environment_that_leads_nowhere_never_means_another_plan() {
    let planned = Planned::two();
    planned.write("docs/elsewhere/plan.md", TEXT);
    std::fs::create_dir(planned.base().join("outside")).unwrap();
    let outside = planned.base().join("outside/plan.md");
    std::fs::write(&outside, TEXT).unwrap();
    let before = tree::listing(planned.base());
    for value in ["nope", "../x", "plans/nope", outside.to_str().unwrap()] {
        let run = with_active(&planned, value, "", &["plan", "done", "schema"]);
        assert!(matches!(run.code, Some(2..=4)), "{value}: {run}");
        let last = value.rsplit('/').find(|part| *part != "plan.md").unwrap();
        assert!(run.stderr.contains(last), "{value}: {run}");
        tree::assert_unchanged(planned.base(), &before, value);
    }
}

/// A last task that was ticked by mistake can be undone with the next command.
#[test]
fn the_plan_just_finished_is_still_used_if_there_is_no_other() {
    let planned = Planned::new("- [ ] One <!-- TASK: one -->\n");
    planned.does(&["done", "one"]);
    let run = planned.does(&["next"]);
    assert!(run.stdout.contains("All tasks are done"), "{run}");
    planned.does(&["show"]);
    planned.does(&["sync"]);
    planned.does(&["undo", "one"]);
    assert_eq!(planned.markdown(), "- [ ] One <!-- TASK: one -->\n");
}

#[test]
fn a_key_may_carry_its_kind_or_not() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema"]);
    let full = format!("plan:{ID}");
    for command in ["show", "resume", "log", "validate"] {
        let short = planned.ckpt(&[command, ID]).exits(0);
        let long = planned.ckpt(&[command, &full]).exits(0);
        assert!(!short.stdout.is_empty(), "{command}: {short}");
        assert_eq!(
            short.stdout.contains("schema"),
            long.stdout.contains("schema")
        );
        planned.ckpt(&[command, "plan:nope"]).exits(3);
        planned.ckpt(&[command, "nope"]).exits(3);
    }
}

#[test]
fn a_name_that_a_command_and_a_plan_share_must_be_given_in_full() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    planned.ckpt(&["start", ID, "--new"]).exits(0);
    for command in ["show", "resume", "log", "validate"] {
        let run = planned.ckpt(&[command, ID]).exits(5);
        assert!(run.reason().contains(&format!("plan:{ID}")), "{run}");
        assert!(run.reason().contains(&format!("command:{ID}")), "{run}");
    }
    let shown = planned
        .ckpt(&["show", &format!("plan:{ID}"), "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["document"]["planId"], ID);
    let shown = planned
        .ckpt(&["show", &format!("command:{ID}"), "--json"])
        .exits(0)
        .json();
    assert_eq!(shown["document"]["command"], ID);
}

#[test]
fn the_plan_worked_on_last_is_used() {
    let environment = Planned::new(HALF_DONE);
    environment.write("plans/260301-0900-other/plan.md", HALF_DONE);
    let plan = |environment: &Environment| {
        let run = environment.ckpt(&["plan", "next", "--json"]).exits(0);
        run.json()["plan"].as_str().unwrap().to_owned()
    };
    assert_eq!(plan(&environment), "260301-0900-other");
    environment
        .ckpt(&["plan", "done", "form", "--plan", "260220-1149-login"])
        .exits(0);
    assert_eq!(plan(&environment), "260220-1149-login");
    let tasks = ["plan", "done", "schema", "--plan", "260220-1149-login"];
    environment.ckpt(&tasks).exits(0);
    assert_eq!(
        plan(&environment),
        "260301-0900-other",
        "the other one is finished"
    );
}

#[test]
fn a_plan_is_found_by_what_follows_its_date_unless_something_has_that_name() {
    let planned = Planned::new(TEXT);
    planned.does(&["sync"]);
    for name in ["login", "LOG", "plan:login"] {
        let run = planned.ckpt(&["show", name]).exits(0);
        assert!(run.stdout.starts_with(ID), "{name}: {run}");
    }
    planned.ckpt(&["start", "login", "--new"]).exits(0);
    let run = planned.ckpt(&["show", "login"]).exits(0);
    assert!(run.stdout.starts_with("login  in flight"), "{run}");
}

#[test]
fn a_plan_that_is_not_there_leaves_nothing_behind() {
    let planned = Planned::new(TEXT);
    planned.does(&["done", "schema"]);
    let before = planned.files();
    for command in [
        &["done", "schema"][..],
        &["note", "x"],
        &["sync"],
        &["recover"],
    ] {
        let run = planned.ckpt(&[&["plan"][..], command, &["--plan", "nope"]].concat());
        run.exits(3);
    }
    let after = planned.files();
    let new: Vec<&String> = after
        .keys()
        .filter(|name| !before.contains_key(*name))
        .collect();
    assert_eq!(new, [""; 0]);
}
