//! What `ckpt show --at`, `ckpt diff` and the archive say about the Markdown of a plan.

use crate::support::environment::Environment;

const ID: &str = "260220-1149-login";
const PLAN: &str = "plans/260220-1149-login/plan.md";
const PHASE: &str = "plans/260220-1149-login/phase-02-tests.md";
const STATE: &str = "plans/260220-1149-login/.checkpoint/state.json";
const TEXT: &str = "# Login\n\nIt keeps sessions.\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n\n\
    ## Tests\n<!-- CHECKPOINT: tests -->\n";
const TESTS: &str = "# Tests\n- [ ] Try it out <!-- TASK: try -->\n";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A plan of two files, at revision 2.
fn planned() -> Environment {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    environment.write(PHASE, TESTS);
    run(&environment, "plan sync", 0);
    environment
}

/// The same with changes of every kind after it.
fn worked() -> Environment {
    let environment = planned();
    for line in [
        "plan edit schema Draw-the-schema",
        "plan add Write --after seed",
        "plan decide Postgres --reason known",
        "plan block waits",
        "plan note later",
        "plan done seed",
    ] {
        run(&environment, line, 0);
    }
    let text = environment.read(PLAN);
    let text = text.replace("## Setup", "## Preparations");
    environment.write(PLAN, text.replace("keeps sessions", "forgets no sessions"));
    environment.write(PHASE, TESTS.replace("Try it out", "Try it twice"));
    run(&environment, "plan sync", 0);
    environment
}

#[test]
fn a_plan_is_shown_as_its_markdown_and_its_state_were() {
    let environment = planned();
    let first = run(&environment, "show 260220-1149-login", 0);
    let environment = worked();
    let last = run(&environment, "show 260220-1149-login", 0);
    let shown = run(&environment, "show 260220-1149-login --at 2", 0);
    let (header, rest) = shown.split_once('\n').unwrap();
    assert!(header.starts_with("as it was "), "{shown}");
    assert_eq!(rest, first);
    let shown = run(&environment, "show 260220-1149-login --at @0s", 0);
    assert_eq!(shown.split_once('\n').unwrap().1, last);
    assert!(
        last.contains("because known") && last.contains("note: later"),
        "{last}"
    );
}

#[test]
fn each_file_of_a_plan_is_printed_as_it_was_byte_for_byte() {
    let environment = worked();
    let raw = |at: &str, file: &str, code| {
        let line = format!("show {ID}{at} --raw{file}");
        run(&environment, &line, code)
    };
    assert_eq!(raw(" --at 2", " --file plan.md", 0), TEXT);
    assert_eq!(raw(" --at 2", " --file phase-02-tests.md", 0), TESTS);
    assert_eq!(raw("", " --file plan.md", 0), environment.read(PLAN));
    assert_eq!(raw("", " --file state.json", 0), environment.read(STATE));
    assert_eq!(raw(" --at @0s", "", 0), environment.read(STATE));
    let none = raw(" --at 2", " --file phase-03.md", 3);
    assert!(
        none.contains("has no file phase-03.md there")
            && none.contains("plan.md, phase-02-tests.md"),
        "{none}"
    );
    // At first there is no state.
    assert_eq!(raw(" --at 1", " --file plan.md", 0), TEXT);
    let none = raw(" --at 1", "", 3);
    assert!(none.contains("has no state.json there"), "{none}");
    run(&environment, "show 260220-1149-login --at 1", 0);
    run(&environment, "show 260220-1149-login --file plan.md", 2);
    let fresh = Environment::started();
    let refused = run(&fresh, "show implement/auth --raw --file plan.md", 2);
    assert!(refused.contains("has only one file"), "{refused}");
}

#[test]
fn what_changed_in_the_markdown_is_told_in_words() {
    let environment = worked();
    let told = run(&environment, "diff 260220-1149-login 2", 0);
    for line in [
        "phase setup, title: Setup → Preparations\n",
        "task schema, text: [-Make the schema-]{+Draw-the-schema+}\n",
        "task write: + Write\n",
        "task seed: open → done\n",
        "task try, text: Try it [-out-]{+twice+}\n",
        "decisions: + Postgres\n",
        "blockers: + waits\n",
        "plan.md, line 3: It [-keeps-]{+forgets no+} sessions.\n",
    ] {
        assert!(told.contains(line), "{line}\n{told}");
    }
    let back = run(&environment, "diff 260220-1149-login @0s 2", 0);
    assert!(back.contains("task write: - Write\n"), "{back}");
    let stat = run(&environment, "diff 260220-1149-login 2 --stat", 0);
    let added = told
        .lines()
        .filter(|line| line.contains(": + 20") || line.ends_with(": + main"));
    let added = added.count() + 1;
    let changed = told.lines().count() - added;
    assert_eq!(
        stat,
        format!("{added} added, {changed} changed, 0 removed\n"),
        "{told}"
    );
}

#[test]
fn what_is_not_recorded_yet_is_told_too() {
    let environment = planned();
    environment.write(PLAN, TEXT.replace("- [ ] Seed", "- [x] Plant"));
    let told = run(&environment, "diff 260220-1149-login 2", 0);
    assert!(
        told.contains("task seed, text: Seed → Plant\n") && told.contains("task seed: open → done"),
        "{told}"
    );
    let lines: Vec<&str> = TEXT.lines().collect();
    let swapped = TEXT.replace(
        &format!("{}\n{}", lines[6], lines[7]),
        &format!("{}\n{}", lines[7], lines[6]),
    );
    environment.write(PLAN, swapped);
    let told = run(&environment, "diff 260220-1149-login 2", 0);
    assert_eq!(told, "phase setup, tasks: in another order\n");
}

#[test]
fn a_text_diff_is_about_every_file_and_a_patch_about_the_state_alone() {
    let environment = worked();
    let text = run(&environment, "diff 260220-1149-login 2 --text", 0);
    for line in [
        "--- a/260220-1149-login/plan.md\n",
        "-- [ ] Make the schema <!-- TASK: schema -->\n",
        "+- [ ] Draw-the-schema <!-- TASK: schema -->\n",
        "--- a/260220-1149-login/phase-02-tests.md\n",
        "--- a/260220-1149-login/state.json\n",
        "+  \"sessionNotes\": \"later\"",
    ] {
        assert!(text.contains(line), "{line}\n{text}");
    }
    let line = ["diff", ID, "2", "--patch"];
    let patched = environment.ckpt(&line).exits(0);
    let patch: json_patch::Patch = serde_json::from_str(&patched.stdout).unwrap();
    assert_eq!(
        patched.stderr,
        "note: a patch is about state.json alone; also different: plan.md, phase-02-tests.md. See it with --text\n"
    );
    let mut state: serde_json::Value =
        serde_json::from_str(&run(&environment, "show 260220-1149-login --at 2 --raw", 0)).unwrap();
    json_patch::patch(&mut state, &patch).unwrap();
    let present: serde_json::Value = serde_json::from_str(&environment.read(STATE)).unwrap();
    assert_eq!(state, present);
}

#[test]
fn an_archived_plan_is_shown_as_before() {
    let environment = worked();
    run(&environment, "gate run 260220-1149-login tests -- true", 0);
    run(&environment, "abandon 260220-1149-login --reason enough", 0);
    let before = run(&environment, "show 260220-1149-login", 0);
    for said in [
        "abandoned: enough",
        "because known",
        "note: later",
        "gate tests",
    ] {
        assert!(before.contains(said), "{said}\n{before}");
    }
    let report = || {
        let shown = environment.ckpt(&["show", ID, "--json"]).exits(0).json();
        assert!(shown["revision"].is_string(), "{shown}");
        (shown["document"].clone(), shown["gates"].clone())
    };
    let reported = report();
    run(&environment, "archive 260220-1149-login", 0);
    let shown = environment.ckpt(&["show", ID]).exits(0);
    assert_eq!(shown.stdout, before);
    assert!(shown.stderr.contains("was archived"), "{}", shown.stderr);
    assert_eq!(report(), reported);
    let file = ["show", ID, "--at", "2", "--raw", "--file", "plan.md"];
    assert_eq!(environment.ckpt(&file).exits(0).stdout, TEXT);
    let told = run(&environment, "diff 260220-1149-login 2", 0);
    assert!(told.contains("task write: + Write"), "{told}");
    assert!(!environment.read(PLAN).is_empty());
}

#[test]
fn a_markdown_file_is_compared_as_a_plan_without_a_state() {
    let environment = planned();
    run(&environment, "plan done schema", 0);
    let text = environment.read(PLAN);
    let draft = text.replace("[x]", "[ ]").replace("] Seed", "] Sow");
    environment.write("draft.md", draft);
    assert_eq!(
        run(&environment, "diff login draft.md", 0),
        "task schema: open → done\ntask seed, text: Sow → Seed\n"
    );
    environment.write("phase-02-tests.md", TESTS.replace("out", "twice"));
    assert_eq!(
        run(&environment, "diff login phase-02-tests.md", 0),
        "task try, text: Try it [-twice-]{+out+}\n"
    );
    let both = format!("diff login draft.md {PLAN}");
    assert_eq!(
        run(&environment, &both, 0),
        run(&environment, "diff login draft.md", 0)
    );
    let patch = run(&environment, "diff login draft.md --patch", 0);
    assert!(
        patch.starts_with("[]\n") && patch.contains("plan.md"),
        "{patch}"
    );
    let alone = run(&environment, "diff draft.md", 2);
    assert!(
        alone.contains(
            "no checkpoint. Compare it with a plan: ckpt diff 260220-1149-login draft.md"
        ),
        "{alone}"
    );
    environment.write("notes.md", "# Notes\n\nSome words.\n");
    let notes = run(&environment, "diff login notes.md", 2);
    assert!(notes.contains("Markdown without tasks"), "{notes}");
    run(&environment, "start implement auth", 0);
    let command = run(&environment, "diff implement/auth draft.md", 2);
    assert!(command.contains("implement/auth is none"), "{command}");
}
