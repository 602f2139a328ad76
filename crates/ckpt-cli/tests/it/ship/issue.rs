//! The issue that a checkpoint is about, and its branch.

use serde_json::json;

use crate::support::environment::{AUTH, Environment};

fn branch(environment: &Environment) -> String {
    environment
        .git(&["branch", "--show-current"])
        .trim()
        .to_owned()
}

#[test]
fn an_issue_is_recorded_and_its_branch_proposed() {
    let environment = Environment::new();
    let start = ["start", "implement", "auth", "--issue", "bas-6"];
    let run = environment.ckpt(&start).exits(0);
    let expected = "started implement/auth, phases: implementation, validation\nissue BAS-6; create its branch with: git switch -c feature/BAS-6-auth\n";
    assert_eq!(run.stdout, expected);
    assert_eq!(environment.document("implement-auth")["issue"], "BAS-6");
    assert_eq!(branch(&environment), "main");
    environment.ckpt(&["validate", "implement/auth"]).exits(0);
    let report = environment
        .ckpt(&["show", "implement/auth", "--json"])
        .json();
    assert_eq!(report["document"]["issue"], "BAS-6");
    let shown = environment.ckpt(&["show", "implement/auth"]).exits(0);
    assert!(shown.stdout.contains("issue BAS-6\n"), "{shown}");
    let brief = environment.ckpt(&["resume", "implement/auth"]).exits(0);
    assert!(brief.stdout.contains("BAS-6"), "{brief}");
}

#[test]
fn the_branch_of_an_issue_is_created_where_the_settings_want_it() {
    let environment = Environment::new();
    let settings = json!({ "linear": { "branch_prefix": "team/web" } });
    environment.write(".claude/config/integrations.json", settings.to_string());
    let start = [
        "start",
        "implement",
        "auth",
        "--issue",
        "BAS-6",
        "--branch",
        "--json",
    ];
    let report = environment.ckpt(&start).exits(0).json();
    let expected = json!({ "id": "BAS-6", "branch": "team/web/BAS-6-auth", "created": true });
    assert_eq!(report["issue"], expected);
    assert_eq!(branch(&environment), "team/web/BAS-6-auth");
    let again = environment.ckpt(&start[..6]).exits(0);
    assert!(
        again
            .stdout
            .ends_with("issue BAS-6, on its branch team/web/BAS-6-auth\n"),
        "{again}"
    );
    let report = environment.ckpt(&start).exits(0).json();
    assert_eq!(report["issue"]["created"], false);
}

#[test]
fn another_issue_is_refused_and_the_same_one_changes_nothing() {
    let environment = Environment::new();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let start = |issue: &str| environment.ckpt(&["start", "implement", "auth", "--issue", issue]);
    start("BAS-6").exits(0);
    let events = environment.events("implement-auth");
    assert_eq!(events.last().unwrap(), "2 issue_recorded");
    let before = environment.read(AUTH);
    start("bas-6").exits(0);
    let run = start("BAS-7").exits(4);
    assert_eq!(
        run.reason(),
        "error: implement/auth is about BAS-6, not about BAS-7. Nothing was changed; start another feature for the other issue"
    );
    assert_eq!(environment.read(AUTH), before);
    assert_eq!(environment.events("implement-auth").len(), 2);
}

#[test]
fn what_is_no_issue_is_refused_before_anything_is_changed() {
    let environment = Environment::new();
    for issue in ["BAS", "6", "BAS-6; rm -rf", "../BAS-6"] {
        let run = environment
            .ckpt(&["start", "implement", "auth", "--issue", issue])
            .exits(2);
        assert!(run.reason().contains("is no issue: "), "{run}");
    }
    assert!(!environment.path(AUTH).exists());
    environment
        .ckpt(&["start", "implement", "auth", "--branch"])
        .exits(2);
}

#[test]
fn a_branch_that_cannot_be_created_is_refused_before_anything_is_changed() {
    let start = ["start", "implement", "auth", "--issue", "BAS-6", "--branch"];
    let environment = Environment::without_git();
    let run = environment.ckpt(&start).exits(4);
    assert_eq!(
        run.reason(),
        "error: there is no git repository to create a branch in. Make one with: git init; or leave out --branch"
    );
    assert!(!environment.path(AUTH).exists());
    let environment = Environment::new();
    environment.git(&["branch", "feature/BAS-6-auth"]);
    let run = environment.ckpt(&start).exits(5);
    assert_eq!(
        run.reason(),
        "error: the branch feature/BAS-6-auth exists already. Switch to it with: git switch feature/BAS-6-auth"
    );
    environment.write(".claude/config/integrations.json", "{");
    environment.ckpt(&start).exits(4);
    assert!(!environment.path(AUTH).exists());
}

#[test]
fn a_branch_that_git_refuses_leaves_the_checkpoint() {
    let environment = Environment::new();
    environment.git(&["branch", "feature"]);
    let start = ["start", "implement", "auth", "--issue", "BAS-6", "--branch"];
    let run = environment.ckpt(&start).exits(1);
    assert!(
        run.reason().ends_with(
            "implement/auth is started all the same; create the branch with: git switch -c feature/BAS-6-auth"
        ),
        "{run}"
    );
    assert_eq!(branch(&environment), "main");
    assert_eq!(environment.document("implement-auth")["issue"], "BAS-6");
}

#[test]
fn an_issue_goes_along_with_a_new_name_and_not_with_a_fork() {
    let environment = Environment::new();
    environment
        .ckpt(&["start", "implement", "auth", "--issue", "BAS-6"])
        .exits(0);
    environment
        .ckpt(&["fork", "implement/auth", "implement/oauth"])
        .exits(0);
    assert!(
        environment
            .document("implement-oauth")
            .get("issue")
            .is_none()
    );
    environment
        .ckpt(&["rename", "implement/auth", "implement/login"])
        .exits(0);
    assert_eq!(environment.document("implement-login")["issue"], "BAS-6");
}
