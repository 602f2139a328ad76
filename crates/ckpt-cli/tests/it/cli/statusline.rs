//! The Claude Code status line.

use serde_json::json;

use crate::support::environment::Environment;

fn line(environment: &Environment) -> String {
    let status = json!({
        "session_id": "s",
        "cwd": "/",
        "model": {"id": "m", "display_name": "M"},
        "workspace": {"current_dir": environment.path(""), "project_dir": environment.path("")},
    });
    let run = environment
        .ckpt_reading(status.to_string(), &["statusline"])
        .exits(0);
    assert_eq!(run.stderr, "");
    run.stdout
}

#[test]
fn it_shows_how_far_along_the_work_is_and_what_is_wrong_with_it() {
    let environment = Environment::new();
    assert_eq!(line(&environment), "", "nothing is in flight");
    environment
        .ckpt(&["start", "implement", "auth", "--phases", "build,test"])
        .exits(0);
    assert_eq!(line(&environment), "implement/auth 0/2\n");
    environment
        .ckpt(&["phase", "implement/auth", "build", "in_progress"])
        .exits(0);
    assert_eq!(line(&environment), "implement/auth 0/2 build\n");
    environment.git(&["commit", "--quiet", "--allow-empty", "-m", "x"]);
    assert_eq!(line(&environment), "implement/auth 0/2 build · stale\n");
    environment
        .ckpt(&[
            "phase",
            "implement/auth",
            "build",
            "failed",
            "--error",
            "no",
        ])
        .exits(0);
    assert!(
        line(&environment).contains(" · failed"),
        "{}",
        line(&environment)
    );
    environment.write(
        "plans/260220-1149-auth/plan.md",
        "- [x] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n<!-- BLOCKER: no key -->\n",
    );
    environment.ckpt(&["plan", "sync"]).exits(0);
    assert_eq!(
        line(&environment),
        "260220-1149-auth 1/2 main › b · blocked · +1\n"
    );
}

#[test]
fn on_any_error_it_prints_nothing_and_changes_nothing() {
    let environment = Environment::new();
    for input in [
        "",
        "{",
        "[]",
        "{\"workspace\": 7}",
        "{\"cwd\": \"/nowhere\"}",
    ] {
        let run = environment.ckpt_reading(input, &["statusline"]).exits(0);
        assert_eq!(
            (run.stdout.as_str(), run.stderr.as_str()),
            ("", ""),
            "{input}"
        );
    }
    assert!(!environment.path(".claude").exists());
    let run = environment
        .ckpt_reading("{}", &["statusline", "--flag"])
        .exits(0);
    assert_eq!(run.stdout, "");
    environment.write("plans/260220-1149-x/plan.md", "- [ ] \u{1b}[31m <!-- TASK: \u{1b}[31mred -->\n## \u{1b}]0;x\u{7}\n- [ ] b <!-- TASK: b -->\n");
    assert!(
        !line(&environment).contains('\u{1b}'),
        "{:?}",
        line(&environment)
    );
}
