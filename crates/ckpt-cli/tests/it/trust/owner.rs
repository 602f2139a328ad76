//! Directories that belong to another user.

use std::fs;

use serde_json::json;

use crate::support::agent::PLAN;
use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

#[test]
fn directories_of_another_user_are_refused_in_gits_words() {
    let user = "12345";
    if !tool::works("setpriv", &["--reuid", user, "--clear-groups", "true"]) {
        eprintln!("SKIPPED: only root can be somebody else");
        return;
    }
    for name in ["", ".git", ".claude", "plans"] {
        let environment = Environment::new();
        environment.ckpt(&["start", "ship"]).exits(0);
        environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
        let path = environment.path(name);
        let owned = environment
            .command("chown")
            .args([user, path.to_str().unwrap()])
            .status();
        assert!(owned.unwrap().success());
        for arguments in [&["status"][..], &["phase", "ship", "a"], &["init"]] {
            let run = environment.ckpt(arguments).exits(1);
            let expected = format!(
                "detected dubious ownership in repository at '{}'",
                environment.root().display()
            );
            assert!(run.reason().contains(&expected), "{run}");
            assert!(run.reason().contains("safe.directory"), "{run}");
        }
        let event = json!({"hook_event_name": "SessionStart", "cwd": environment.root()});
        let hook = environment.ckpt_reading(event.to_string(), &["hook", "claude"]);
        assert_eq!(hook.exits(0).stdout, "");
        // A variable may have been set through the settings of an agent.
        let mut command = environment.command(CKPT);
        command
            .env("GIT_CONFIG_COUNT", "1")
            .env("GIT_CONFIG_KEY_0", "safe.directory")
            .env("GIT_CONFIG_VALUE_0", "*")
            .env("GIT_CONFIG_PARAMETERS", "'safe.directory'='*'");
        Run::of(command.arg("status")).exits(1);
        // The user may say that it is safe.
        let settings = environment.base().join("gitconfig");
        let text = format!("[safe]\n\tdirectory = {}\n", environment.root().display());
        fs::write(&settings, text).unwrap();
        let environment = environment.with_variable("GIT_CONFIG_GLOBAL", &settings);
        environment.ckpt(&["status"]).exits(0);
    }
}
