//! A plan and its branch: what is said where the plan is not.

use crate::support::environment::Environment;

const PLAN: &str = "plans/260101-0000-x/plan.md";

/// A plan that git tracks on branch `feature` only, seen from `main`.
fn dormant() -> Environment {
    let environment = Environment::new();
    environment.git(&["switch", "--quiet", "--create", "feature"]);
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["plan", "done", "a"]).exits(0);
    environment.commit("plan");
    environment.git(&["switch", "--quiet", "main"]);
    environment
}

#[test]
fn a_plan_on_another_branch_is_dormant_everywhere() {
    let environment = dormant();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let told = environment.ckpt(&["resume"]).exits(0).stdout;
    assert!(told.contains("In focus: implement/auth,"), "{told}");
    assert!(
        told.contains("- 260101-0000-x is on branch feature, not here: 1 of 2 done"),
        "{told}"
    );
    assert!(!told.contains("recover"), "{told}");
    let status = environment.ckpt(&["status"]).exits(0).stdout;
    assert!(status.contains("on branch feature"), "{status}");
    let report = environment.ckpt(&["resume", "--json"]).exits(0).json();
    assert_eq!(report["in_flight"].as_array().unwrap().len(), 1);
}

#[test]
fn nothing_is_wrong_with_a_dormant_plan() {
    let environment = dormant();
    let id = "260101-0000-x";
    let way = "plan 260101-0000-x is on branch feature, not on the one that is checked out. \
               Switch to it with: git switch feature";
    for line in [
        &["doctor"][..],
        &["validate"],
        &["validate", id, "--strict"],
        &["show", id],
        &["plan", "show", "--plan", id],
    ] {
        let run = environment.ckpt(line).exits(0);
        let said = run.stdout + &run.stderr;
        assert!(said.contains(way), "{line:?}: {said}");
        for lie in ["recover", "missing", "broken", "plan.unparsable"] {
            assert!(!said.contains(lie), "{line:?}: {said}");
        }
    }
    let listed = environment.ckpt(&["list"]).exits(0);
    assert_eq!(listed.stderr, "");
    let shown = environment.ckpt(&["plan", "show", "--plan", id, "--json"]);
    let shown = shown.exits(0).json();
    assert_eq!(shown["dormant_on"], "feature");
    assert!(shown["trouble"].is_null(), "{shown}");
    // What is gone from the branch that has it is missing.
    environment.git(&["switch", "--quiet", "feature"]);
    std::fs::remove_file(environment.path(PLAN)).unwrap();
    let run = environment.ckpt(&["validate"]).exits(4);
    assert!(run.stdout.contains("ckpt recover 260101-0000-x"), "{run}");
}

#[test]
fn a_dormant_plan_is_neither_recovered_nor_changed() {
    let environment = dormant();
    for arguments in [&["plan", "recover"][..], &["plan", "done", "b"]] {
        let run = environment.ckpt(arguments).exits(3);
        assert!(run.stderr.contains("git switch feature"), "{run}");
    }
    assert!(!environment.path(PLAN).exists());
    environment.git(&["switch", "--quiet", "feature"]);
    environment.ckpt(&["plan", "done", "b"]).exits(0);
}

#[test]
fn a_conflict_is_named_with_its_lines_and_nothing_is_ticked() {
    let environment = Environment::new();
    let sides = "<<<<<<< HEAD\n- [ ] B <!-- TASK: b -->\n=======\n- [x] B <!-- TASK: b -->\n>>>>>>> other\n";
    environment.write(PLAN, format!("- [ ] A <!-- TASK: a -->\n{sides}"));
    environment.ckpt(&["plan", "sync"]).exits(0);
    let run = environment.ckpt(&["plan", "done", "a"]).exits(4);
    assert!(run.stderr.contains("lines 2 to 6"), "{run}");
    assert!(environment.read(PLAN).contains("- [ ] A"));
    let told = environment.ckpt(&["resume"]).exits(0).stdout;
    assert!(
        told.contains("- Merge conflict in lines 2 to 6 of plan.md: nothing can be ticked"),
        "{told}"
    );
}
