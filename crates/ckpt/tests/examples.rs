//! The example programs do what they say.

#![expect(clippy::unwrap_used, reason = "a test ends with a panic")]
#![expect(
    clippy::disallowed_methods,
    reason = "a test plays the people who write plans"
)]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Runs an example, which cargo builds together with the tests.
fn run(example: &str, arguments: &[&str]) -> String {
    let test = std::env::current_exe().unwrap();
    let target: PathBuf = test.parent().unwrap().parent().unwrap().to_owned();
    let program = target.join("examples").join(example);
    let output = Command::new(&program).args(arguments).output().unwrap();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{example}: {errors}");
    String::from_utf8(output.stdout).unwrap()
}

fn written(directory: &Path) -> &str {
    directory.to_str().unwrap()
}

#[test]
fn a_phase_is_recorded_and_the_next_one_is_named() {
    let directory = tempfile::tempdir().unwrap();
    let arguments = [
        written(directory.path()),
        "implement/login",
        "implementation",
        "complete",
        "Login works",
    ];
    let said = run("record_phase", &arguments);
    assert!(
        said.contains("NEXT\nStart phase validation of implement/login."),
        "{said}"
    );
    let file = directory.path().join(".claude/state/implement-login.json");
    let checkpoint = fs::read_to_string(file).unwrap();
    assert!(checkpoint.contains("\"context_summary\": \"Login works\""));
}

#[test]
fn a_plan_is_followed_to_its_end() {
    let directory = tempfile::tempdir().unwrap();
    let plan = directory.path().join("plans/260220-1149-login");
    fs::create_dir_all(&plan).unwrap();
    let text = "# Login\n\n## Phase 1: Form\n<!-- CHECKPOINT: form -->\n\
                - [ ] Fields <!-- TASK: fields -->\n- [x] Route <!-- TASK: route -->\n- [ ] Errors <!-- TASK: errors -->\n";
    fs::write(plan.join("plan.md"), text).unwrap();
    let said = run(
        "follow_plan",
        &[written(directory.path()), "260220-1149-login"],
    );
    let expected = "working on fields: Fields\nworking on errors: Errors\n\
                    260220-1149-login is finished\n";
    assert_eq!(said, expected);
    let after = fs::read_to_string(plan.join("plan.md")).unwrap();
    assert_eq!(after, text.replace("[ ]", "[x]"));
}
