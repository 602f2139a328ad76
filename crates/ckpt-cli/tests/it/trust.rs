//! What is believed: what was done here, and nothing that came from elsewhere.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;
use std::process::Stdio;

use serde_json::{Value, json};

use crate::environment::{CKPT, Environment, Run};
use crate::tool;
use crate::tree;

const PLAN: &str = "plans/260220-1149-x/plan.md";
const HISTORY: &str = "plans/260220-1149-x/.checkpoint/history.jsonl";

/// A repository with a checkpoint that ships, approved for what is there, and a gate that ran.
fn approved() -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "run", "ship", "tests", "--", "true"])
        .exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    environment
}

fn reasons(environment: &Environment) -> String {
    environment.ckpt(&["gate", "check", "ship"]).exits(6).stdout
}

/// What `ckpt doctor` says is not sealed.
fn unsealed(environment: &Environment) -> Vec<String> {
    let report = environment.ckpt(&["doctor", "--json"]).json();
    let checks = report["checks"].as_array().unwrap().clone();
    let unsealed = checks.iter().filter(|check| check["topic"] == "unsealed");
    unsealed
        .map(|check| check["text"].as_str().unwrap().to_owned())
        .collect()
}

/// Copies the state of one repository into another, as a clone would bring it.
fn carry_over(from: &Environment, to: &Environment) {
    let copied = from
        .command("cp")
        .args(["-a", ".claude", to.root().to_str().unwrap()])
        .status();
    assert!(copied.unwrap().success());
}

#[test]
fn what_another_repository_approved_ran_and_recorded_is_a_claim_and_is_named() {
    let other = approved();
    let environment = Environment::new();
    carry_over(&other, &environment);
    let blocked = reasons(&environment);
    assert!(blocked.contains("claimed elsewhere"), "{blocked}");
    let shown = environment.ckpt(&["show", "ship"]).exits(0).stdout;
    assert!(shown.contains("gate tests: claimed elsewhere"), "{shown}");
    assert!(shown.contains("approved elsewhere"), "{shown}");
    let found = unsealed(&environment);
    for expected in [
        "ship: an approval claimed elsewhere",
        "ship: a receipt of gate tests claimed elsewhere",
        "lines of its history are not ours",
    ] {
        assert!(
            found.iter().any(|text| text.contains(expected)),
            "{expected}: {found:?}"
        );
    }
    // It goes on in a new epoch, and what is approved here counts.
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    let lines = environment.history("ship-checkpoint");
    let epochs: Vec<&Value> = lines.iter().map(|line| &line["epoch"]).collect();
    assert_ne!(epochs.first(), epochs.last());
    let adopted = lines.iter().filter(|line| line["event"] == "adopted");
    assert_eq!(adopted.count(), 1);
}

#[test]
fn a_seal_is_for_its_document_and_cannot_be_put_on_another() {
    let environment = approved();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let mut document = environment.document("implement-auth");
    let ship = environment.document("ship-checkpoint");
    document["gate"] = ship["gate"].clone();
    document["receipts"] = ship["receipts"].clone();
    environment.write(".claude/state/implement-auth.json", document.to_string());
    let run = environment
        .ckpt(&["gate", "check", "implement/auth"])
        .exits(6);
    assert!(run.stdout.contains("claimed elsewhere"), "{run}");
    let shown = environment.ckpt(&["show", "implement/auth"]).exits(0);
    assert!(!shown.stdout.contains("proven"), "{shown}");
}

#[test]
fn an_approval_that_somebody_changed_is_none_and_one_that_a_formatter_changed_is() {
    let environment = approved();
    let file = ".claude/state/ship-checkpoint.json";
    let document = environment.document("ship-checkpoint");
    environment.write(file, document.to_string());
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    let mut forged = document.clone();
    forged["gate"]["approved_by"] = json!("person");
    environment.write(file, forged.to_string());
    assert!(reasons(&environment).contains("claimed elsewhere"));
}

#[test]
fn an_override_from_elsewhere_lets_nothing_pass() {
    let other = Environment::new();
    other.ckpt(&["start", "ship"]).exits(0);
    other
        .ckpt(&["gate", "override", "ship", "--reason", "agreed"])
        .exits(0);
    other.ckpt(&["gate", "check", "ship"]).exits(0);
    let environment = Environment::new();
    carry_over(&other, &environment);
    let said = reasons(&environment);
    assert!(
        said.contains("overridden elsewhere, which does not count, by main: agreed"),
        "{said}"
    );
    let found = unsealed(&environment);
    let expected = "ship: an override claimed elsewhere".to_owned();
    assert!(found.contains(&expected), "{found:?}");
    let shown = environment.ckpt(&["show", "ship"]).exits(0).stdout;
    assert!(shown.contains("overridden elsewhere"), "{shown}");
}

#[test]
fn sessions_from_elsewhere_are_named() {
    let environment = approved();
    let session =
        json!({"agent": "claude", "session_id": "s9", "begun_at": "2026-01-01T00:00:00.000Z"});
    environment.write(".claude/state/sessions/s9.json", session.to_string());
    let found = unsealed(&environment);
    let expected = "1 records of sessions that are not ours".to_owned();
    assert!(found.contains(&expected), "{found:?}");
}

#[test]
fn a_gate_outlives_its_checkpoint_until_it_is_given_up_here() {
    let environment = pushing();
    environment
        .ckpt(&["gate", "set", "ship", "--block", "two tests fail"])
        .exits(0);
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("more");
    let complete = {
        let other = Environment::new();
        other.ckpt(&["start", "ship", "--phases", "a"]).exits(0);
        other.ckpt(&["phase", "ship", "a", "complete"]).exits(0);
        other.ckpt(&["complete", "ship"]).exits(0);
        other.document("ship-checkpoint").to_string()
    };
    for content in [Some("{}"), Some(&complete), None] {
        let file = environment.path(".claude/state/ship-checkpoint.json");
        match content {
            Some(content) => fs::write(file, content).unwrap(),
            None => fs::remove_file(file).unwrap(),
        }
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{content:?}: {run}");
        assert!(
            run.stderr
                .contains("nobody who may has completed it or given it up"),
            "{run}"
        );
    }
    environment
        .ckpt(&["abandon", "ship", "--reason", "it is gone"])
        .exits(0);
    push(&environment).exits(0);
    environment
        .ckpt(&["abandon", "ship", "--reason", "again"])
        .exits(3);
}

#[test]
fn without_a_key_all_works_unsealed_and_nothing_is_believed() {
    for trouble in ["missing", "a link", "short", "a pipe"] {
        let environment = approved();
        let key = environment.path(".git/ckpt/key");
        fs::remove_file(&key).unwrap();
        match trouble {
            "missing" => {
                // Nobody can make one: there is a file in the place of its directory.
                fs::remove_dir_all(environment.path(".git/ckpt")).unwrap();
                environment.write(".git/ckpt", "in the way");
            }
            "a link" => std::os::unix::fs::symlink("elsewhere", &key).unwrap(),
            "short" => fs::write(&key, "short").unwrap(),
            _ => {
                let made = environment.command("mkfifo").arg(&key).status();
                assert!(made.unwrap().success());
            }
        }
        assert!(reasons(&environment).contains("claimed elsewhere"));
        environment
            .ckpt(&["phase", "ship", "pre-flight", "complete"])
            .exits(0);
        environment
            .ckpt(&["phase", "ship", "commit", "complete"])
            .exits(0);
        let phases = environment.document("ship-checkpoint")["state"]["completed_phases"].clone();
        assert_eq!(phases, json!(["pre-flight", "commit"]), "{trouble}");
        let last = environment.history("ship-checkpoint").pop().unwrap();
        assert_eq!(last.get("seal"), None, "{trouble}");
        let report = environment.ckpt(&["doctor", "--json"]).json();
        assert!(report.to_string().contains("nothing is sealed"), "{report}");
        // A session is told once, and whoever approves is told then.
        let told = |event: &str| {
            let root = environment.root();
            let event =
                json!({"session_id": "s", "cwd": root, "hook_event_name": event, "prompt": "x"});
            let run = environment.ckpt_reading(event.to_string(), &["hook", "claude"]);
            run.exits(0).stdout.contains("nothing can be sealed")
        };
        assert!(told("SessionStart"), "{trouble}");
        assert!(!told("UserPromptSubmit"), "{trouble}");
        let approval = environment.ckpt(&["gate", "set", "ship", "--allow"]);
        let said = &approval.exits(0).stderr;
        assert!(said.contains("no gate will believe it"), "{said}");
        if trouble == "short" {
            assert_eq!(fs::read(&key).unwrap(), b"short", "never overwritten");
        }
    }
}

#[test]
fn a_new_key_makes_claims_of_what_was_sealed_before() {
    let environment = approved();
    environment.ckpt(&["doctor", "--new-key"]).exits(0);
    assert!(reasons(&environment).contains("claimed elsewhere"));
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(0);
    let mode = fs::metadata(environment.path(".git/ckpt/key")).unwrap();
    assert_eq!(mode.permissions().mode() & 0o777, 0o600);
}

#[test]
fn worktrees_of_one_repository_share_its_key() {
    let environment = approved();
    let tree = environment.linked_worktree();
    environment.ckpt_in(&tree, &["start", "ship"]).exits(0);
    environment
        .ckpt_in(&tree, &["gate", "set", "ship", "--allow"])
        .exits(0);
    environment
        .ckpt_in(&tree, &["gate", "check", "ship"])
        .exits(0);
    assert!(!tree.join(".git/ckpt").exists());
}

#[test]
fn outside_git_the_key_is_kept_with_the_user() {
    let environment = Environment::without_git();
    environment.ckpt(&["start", "ship"]).exits(0);
    let keys = environment
        .base()
        .join("home/.local/state/ckpt/outside-git");
    assert_eq!(fs::read_dir(keys).unwrap().count(), 1);
    let last = environment.history("ship-checkpoint").pop().unwrap();
    assert!(last["seal"].is_string(), "{last}");
}

/// A plan whose last change, made here, was cut off between its two files.
fn cut_off() -> (Environment, String, String) {
    let environment = Environment::new();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let state = "plans/260220-1149-x/.checkpoint/state.json";
    let before = environment.read(state);
    environment.ckpt(&["plan", "done", "a"]).exits(0);
    let after = environment.read(state);
    environment.write(state, &before);
    (environment, before, after)
}

#[test]
fn a_change_that_was_cut_off_is_finished_by_its_own_line_and_by_no_other() {
    let state = "plans/260220-1149-x/.checkpoint/state.json";
    // Our own line, and the last one: it is finished.
    let (environment, _, after) = cut_off();
    environment.ckpt(&["plan", "note", "x"]).exits(0);
    assert!(environment.read(HISTORY).matches("task_completed").count() == 1);
    assert!(environment.read(state).contains("completedAt"));
    assert!(after.contains("completedAt"));
    // The same line without its seal, with that of another key, and behind a later one: the plan is followed, and nothing is
    // taken from the line.
    for forgery in ["unsealed", "another key", "behind a later one"] {
        let (environment, ..) = cut_off();
        let text = environment.read(HISTORY);
        let text = match forgery {
            "unsealed" => without_seals(&text),
            "another key" => {
                environment.ckpt(&["doctor", "--new-key"]).exits(0);
                text
            }
            _ => {
                let last = text.lines().last().unwrap();
                let later = last.replace("\"rev\":2", "\"rev\":9");
                let mut lines: Vec<&str> = text.lines().collect();
                lines.insert(0, &later);
                lines.join("\n") + "\n"
            }
        };
        environment.write(HISTORY, &text);
        environment.ckpt(&["plan", "note", "x"]).exits(0);
        let shown = environment.ckpt(&["plan", "show"]).exits(0).stdout;
        assert!(shown.contains("1/2"), "{forgery}: {shown}");
        assert_eq!(
            environment.read(PLAN),
            "- [x] A <!-- TASK: a -->\n- [ ] B <!-- TASK: b -->\n",
            "{forgery}"
        );
    }
}

fn without_seals(text: &str) -> String {
    let line = |line: &str| {
        let mut value: Value = serde_json::from_str(line).unwrap();
        value.as_object_mut().unwrap().remove("seal");
        format!("{value}\n")
    };
    text.lines().map(line).collect()
}

#[test]
fn a_history_that_was_cut_gives_no_power() {
    let (environment, ..) = cut_off();
    environment.ckpt(&["plan", "note", "x"]).exits(0);
    let text = environment.read(HISTORY);
    let kept: Vec<&str> = text.lines().take(1).collect();
    environment.write(HISTORY, kept.join("\n") + "\n");
    let plan = environment.read(PLAN);
    environment.ckpt(&["plan", "note", "y"]).exits(0);
    assert_eq!(environment.read(PLAN), plan);
}

#[test]
fn a_restore_from_lines_of_others_says_so() {
    for is_ours in [true, false] {
        let environment = Environment::new();
        let text = "- [ ] A <!-- TASK: a -->\n";
        environment.write(PLAN, text);
        environment.ckpt(&["plan", "sync"]).exits(0);
        if !is_ours {
            environment.write(HISTORY, without_seals(&environment.read(HISTORY)));
        }
        environment.write(PLAN, "");
        let run = environment.ckpt(&["plan", "recover"]).exits(0);
        assert_eq!(environment.read(PLAN), text);
        let says_so = run.stderr.contains("not all written here");
        assert_eq!(says_so, !is_ours, "{run}");
    }
}

#[test]
fn lines_out_of_order_are_named() {
    let environment = approved();
    let file = ".claude/state/history/command/ship-checkpoint.jsonl";
    let text = environment.read(file);
    let mut lines: Vec<&str> = text.lines().collect();
    let last = lines.pop().unwrap();
    lines.insert(0, last);
    environment.write(file, lines.join("\n") + "\n");
    let found = unsealed(&environment);
    assert!(
        found.iter().any(|text| text.contains("out of order")),
        "{found:?}"
    );
}

#[test]
fn the_gates_of_a_specification_are_run_only_once_it_was_taken_over_here() {
    let spec = "---\nprd: PRD-009\nworkstreams: { WS1: { gate: t } }\ngates: { t: { command: 'touch was-run' } }\n---\n";
    let other = Environment::new();
    other.write("SPEC.md", spec);
    other.ckpt(&["pipeline", "init", "SPEC.md"]).exits(0);
    let environment = Environment::new();
    environment.write("SPEC.md", spec);
    carry_over(&other, &environment);
    environment
        .ckpt(&["pipeline", "start", "PRD-009", "WS1"])
        .exits(0);
    let run = ["pipeline", "gate", "run", "PRD-009", "t", "--for", "WS1"];
    let refused = environment.ckpt(&run).exits(6);
    assert!(
        refused.reason().contains("not taken over here"),
        "{refused}"
    );
    assert!(!environment.path("was-run").exists());
    environment.ckpt(&["pipeline", "sync", "PRD-009"]).exits(0);
    environment.ckpt(&run).exits(0);
    assert!(environment.path("was-run").exists());
    // What a pull brings is not run either.
    environment.write("SPEC.md", spec.replace("was-run", "run-again"));
    environment.ckpt(&run).exits(6);
    assert!(!environment.path("run-again").exists());
    environment
        .ckpt(&[&run[..], &["--trust"]].concat())
        .exits(0);
    assert!(environment.path("run-again").exists());
}

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
        // The user may say that it is safe.
        let settings = environment.base().join("gitconfig");
        let text = format!("[safe]\n\tdirectory = {}\n", environment.root().display());
        fs::write(&settings, text).unwrap();
        let environment = environment.with_variable("GIT_CONFIG_GLOBAL", &settings);
        environment.ckpt(&["status"]).exits(0);
    }
}

/// A repository with somewhere to push to, and the hook that judges pushes.
fn pushing() -> Environment {
    let environment = approved();
    environment.git(&["init", "--quiet", "--bare", "../remote.git"]);
    environment.git(&["remote", "add", "origin", "../remote.git"]);
    environment
        .ckpt(&["init", "--pre-push", "--agent", "claude"])
        .exits(0);
    environment
}

fn push(environment: &Environment) -> Run {
    Run::of(environment.command("git").args(["push", "origin", "HEAD"]))
}

#[test]
fn a_push_is_judged_by_the_commits_that_are_pushed() {
    let environment = pushing();
    environment.write("new.rs", "fn main() {}\n");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    // The work tree is what was approved, and what is pushed is not.
    let refused = push(&environment);
    assert_ne!(refused.code, Some(0));
    assert!(refused.stderr.contains("blocks the push"), "{refused}");
    assert!(refused.stderr.contains("new.rs"), "{refused}");
    environment.commit("what was approved");
    let allowed = push(&environment);
    assert_eq!(allowed.code, Some(0), "{allowed}");
    // What lies about is not pushed.
    environment.write("new.rs", "fn main() { more() }\n");
    let again = push(&environment);
    assert_eq!(again.code, Some(0), "{again}");
    environment.commit("what nobody approved");
    assert_ne!(push(&environment).code, Some(0));
    // Code among the plans counts, the plan itself does not.
    environment.git(&["reset", "--quiet", "--hard", "HEAD~1"]);
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.commit("a plan");
    assert_eq!(push(&environment).code, Some(0));
    environment.write("plans/260220-1149-x/tool.rs", "fn main() {}\n");
    environment.commit("code");
    assert_ne!(push(&environment).code, Some(0));
}

#[test]
fn a_replaced_commit_is_judged_by_what_is_pushed() {
    let environment = pushing();
    assert_eq!(push(&environment).code, Some(0));
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("what nobody approved");
    environment.git(&["replace", "HEAD", "HEAD~1"]);
    assert_ne!(push(&environment).code, Some(0));
}

#[test]
fn what_git_would_not_say_about_a_push_lets_nothing_pass() {
    let environment = approved();
    let (head, zeros) = (environment.head(), "0".repeat(40));
    for (input, code) in [
        (
            format!("HEAD@{{1 day ago}} {head} refs/heads/x {zeros}\n"),
            0,
        ),
        (format!("{head}\n"), 2),
        (format!("refs/heads/main {head}\n"), 2),
        ("\n".to_owned(), 2),
    ] {
        let run = environment.ckpt_reading(&input, &["gate", "pre-push"]);
        let run = run.exits(code);
        assert_eq!(run.stderr.contains("what is pushed"), code == 2, "{run}");
    }
}

#[test]
fn a_hook_that_is_there_is_still_called_and_comes_back_to_the_byte() {
    let environment = approved();
    environment.git(&["init", "--quiet", "--bare", "../remote.git"]);
    environment.git(&["remote", "add", "origin", "../remote.git"]);
    let theirs = "#!/bin/sh\ncat > ../seen\necho \"$@\" >> ../seen\n";
    let hook = ".git/hooks/pre-push";
    environment.write(hook, theirs);
    tree::set_mode(environment.path(hook), 0o711);
    let before = tree::contents(&environment.path(".git/hooks"), |_| false);
    for _ in 0..2 {
        environment
            .ckpt(&["init", "--pre-push", "--agent", "claude"])
            .exits(0);
    }
    assert_eq!(push(&environment).code, Some(0));
    let seen = environment.read("../seen");
    assert!(seen.contains("refs/heads/main"), "{seen}");
    assert!(seen.contains("origin ../remote.git"), "{seen}");
    // A hook of theirs that says no is heard.
    environment.write(".git/hooks/pre-push.before-ckpt", "#!/bin/sh\nexit 1\n");
    environment.commit("more");
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    assert_ne!(push(&environment).code, Some(0));
    environment.write(".git/hooks/pre-push.before-ckpt", theirs);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        tree::contents(&environment.path(".git/hooks"), |_| false),
        before
    );
    assert_eq!(tree::mode(environment.path(hook)), 0o711);
}

#[test]
fn where_ckpt_is_gone_a_push_passes_with_a_warning() {
    let environment = pushing();
    let hook = environment.read(".git/hooks/pre-push");
    environment.write(".git/hooks/pre-push", hook.replace(CKPT, "/nowhere/ckpt"));
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("what nobody approved");
    let pushed = push(&environment);
    assert_eq!(pushed.code, Some(0), "{pushed}");
    assert!(pushed.stderr.contains("ckpt is not installed"), "{pushed}");
}

#[test]
fn a_directory_of_hooks_that_others_may_share_needs_consent() {
    let environment = approved();
    environment.git(&["config", "core.hooksPath", "shared-hooks"]);
    let run = environment
        .ckpt(&["init", "--pre-push", "--agent", "claude"])
        .exits(4);
    assert!(run.reason().contains("core.hooksPath"), "{run}");
    assert!(!environment.path("shared-hooks").exists());
    environment
        .ckpt(&[
            "init",
            "--pre-push",
            "--into-hooks-path",
            "--agent",
            "claude",
        ])
        .exits(0);
    assert!(environment.path("shared-hooks/pre-push").exists());
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(!environment.path("shared-hooks").exists());
    // Git reads a path, and so do we.
    environment.git(&["config", "core.hooksPath", "~/hooks"]);
    let into = [
        "init",
        "--pre-push",
        "--into-hooks-path",
        "--agent",
        "claude",
    ];
    environment.ckpt(&into).exits(0);
    assert!(environment.base().join("home/hooks/pre-push").exists());
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(!environment.base().join("home/hooks/pre-push").exists());
}

#[test]
fn a_hook_that_a_worktree_made_which_is_gone_can_still_be_undone() {
    let environment = pushing();
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    environment.write(".git/hooks/pre-push", "#!/bin/sh\nexit 0\n");
    let hook = environment.path(".git/hooks/pre-push");
    fs::set_permissions(&hook, fs::Permissions::from_mode(0o755)).unwrap();
    let tree = environment.linked_worktree();
    let init = ["init", "--pre-push", "--agent", "claude"];
    environment.ckpt_in(&tree, &init).exits(0);
    assert!(environment.read(".git/hooks/pre-push").contains("ckpt"));
    // As long as the worktree is there, it is its own.
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert!(environment.read(".git/hooks/pre-push").contains("ckpt"));
    environment.git(&["worktree", "remove", "--force", tree.to_str().unwrap()]);
    environment.ckpt(&["init", "--uninstall"]).exits(0);
    assert_eq!(
        environment.read(".git/hooks/pre-push"),
        "#!/bin/sh\nexit 0\n"
    );
    assert_eq!(tree::mode(&hook) & 0o111, 0o111);
    assert!(!environment.path(".git/hooks/pre-push.before-ckpt").exists());
}

#[test]
fn deletions_and_pushes_of_nothing_pass() {
    let environment = approved();
    environment.write("new.rs", "x");
    let zeros = "0".repeat(40);
    let deletion = format!("(delete) {zeros} refs/heads/old {zeros}\n");
    for input in ["", &deletion] {
        environment
            .ckpt_reading(input, &["gate", "pre-push"])
            .exits(0);
    }
    let head = environment.head();
    let pushed = format!("refs/heads/main {head} refs/heads/main {zeros}\n");
    environment
        .ckpt_reading(&pushed, &["gate", "pre-push"])
        .exits(0);
    let other = environment.commit("other");
    environment
        .ckpt_reading(pushed.replace(&head, &other), &["gate", "pre-push"])
        .exits(6);
}

#[test]
fn where_a_person_has_to_approve_nobody_else_can() {
    let environment = approved();
    environment
        .ckpt(&["config", "set", "--user", "approvals", "person"])
        .exits(0);
    // What a script approved before does not count any more.
    let blocked = reasons(&environment);
    assert!(blocked.contains("a person has to"), "{blocked}");
    let refused = environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(6);
    assert!(
        refused.reason().contains("nobody is there to ask"),
        "{refused}"
    );
    environment
        .ckpt(&["gate", "override", "ship", "--reason", "x"])
        .exits(6);
    environment
        .ckpt(&["gate", "set", "ship", "--block", "anybody may block"])
        .exits(0);
    if !tool::works("script", &["--version"]) {
        return;
    }
    let typed = |word: &str, variable: Option<&str>| {
        let line = format!("{CKPT} gate set ship --allow");
        let mut command = environment.command("script");
        command.args(["-qec", &line, "/dev/null"]);
        if let Some(variable) = variable {
            command.env(variable, "1");
        }
        Run::reading(&mut command, format!("{word}\n").as_bytes())
    };
    assert_eq!(typed("yes", None).code, Some(6));
    assert_eq!(typed("approve", Some("CLAUDECODE")).code, Some(6));
    assert_eq!(typed("approve", None).code, Some(0));
    let checked = environment.ckpt(&["gate", "check", "ship"]).exits(0);
    assert!(checked.stdout.contains("approved by person"), "{checked}");
    let report = environment
        .ckpt(&["gate", "check", "ship", "--json"])
        .exits(0)
        .json();
    assert_eq!(report["approved_by"], "person");
}

#[test]
fn what_a_pull_has_completed_is_not_ended_by_another_change() {
    let environment = pushing();
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let block = ["gate", "set", "implement/auth", "--block", "two tests fail"];
    environment.ckpt(&block).exits(0);
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("more");
    let mut document = environment.document("implement-auth");
    document["completed_at"] = json!("2026-01-01T00:00:00.000Z");
    environment.write(".claude/state/implement-auth.json", document.to_string());
    for command in [
        &block[..],
        &["gate", "run", "implement/auth", "tests", "--", "true"],
    ] {
        environment.ckpt(command);
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{command:?}: {run}");
    }
}

#[test]
fn rules_that_only_look_like_rules_are_replaced() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    let rules = ".claude/state/.gitignore";
    for written in [" *\n", "*\t\n", "\u{c}*\n", "*\n!*\n", "!*\n", ""] {
        environment.write(rules, written);
        environment
            .ckpt(&["phase", "ship", "a", "in_progress"])
            .exits(0);
        assert_eq!(environment.read(rules), "*\n", "{written:?}");
    }
    fs::remove_file(environment.path(rules)).unwrap();
    fs::create_dir(environment.path(rules)).unwrap();
    let run = environment
        .ckpt(&["phase", "ship", "a", "complete"])
        .exits(1);
    assert!(run.stderr.contains(".gitignore"), "{run}");
}

#[test]
fn where_a_person_has_to_approve_nobody_else_gets_rid_of_a_gate() {
    let environment = pushing();
    environment
        .ckpt(&["config", "set", "--user", "approvals", "person"])
        .exits(0);
    environment.ckpt(&["start", "implement", "auth"]).exits(0);
    let gate = ["gate", "set", "implement/auth", "--block", "two tests fail"];
    environment.ckpt(&gate).exits(0);
    environment.write("new.rs", "fn main() {}\n");
    environment.commit("more");
    for command in [
        &["start", "implement", "auth", "--again"][..],
        &["complete", "implement/auth"],
        &["abandon", "implement/auth", "--reason", "x"],
        &["abandon", "implement/auth", "--reason", "again"],
    ] {
        environment.ckpt(command);
        let run = push(&environment);
        assert_ne!(run.code, Some(0), "{command:?}: {run}");
        assert!(run.stderr.contains("implement/auth"), "{command:?}: {run}");
    }
}

#[test]
fn an_agent_that_approves_is_named() {
    let environment = Environment::new().with_variable("CLAUDECODE", "1");
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    let checked = environment.ckpt(&["gate", "check", "ship"]).exits(0);
    assert!(
        checked.stdout.contains("approved by agent:claude"),
        "{checked}"
    );
    environment.write("new.rs", "x");
    environment
        .ckpt(&["gate", "override", "ship", "--reason", "agreed"])
        .exits(0);
    let checked = environment.ckpt(&["gate", "check", "ship"]).exits(0);
    let expected = "overridden by main (agent:claude): agreed";
    assert!(checked.stdout.contains(expected), "{checked}");
    let shown = environment.ckpt(&["gate", "show", "ship", "--json"]).json();
    assert_eq!(shown["override"]["approved_by"], "agent:claude");
}

#[test]
fn state_of_an_earlier_version_is_taken_over_and_its_approvals_are_not() {
    let environment = approved();
    // Version 0.1.0 sealed nothing.
    fs::remove_dir_all(environment.path(".git/ckpt")).unwrap();
    let mut document = environment.document("ship-checkpoint");
    document["gate"].as_object_mut().unwrap().remove("seal");
    environment.write(".claude/state/ship-checkpoint.json", document.to_string());
    let file = ".claude/state/history/command/ship-checkpoint.jsonl";
    let text = environment.read(file);
    environment.write(file, without_seals(&text));
    environment
        .ckpt(&["phase", "ship", "commit", "complete"])
        .exits(0);
    let lines = environment.history("ship-checkpoint");
    assert!(lines.iter().any(|line| line["event"] == "adopted"));
    assert!(reasons(&environment).contains("claimed elsewhere"));
}

#[test]
fn a_program_without_a_word_is_answered_with_nothing() {
    let environment = Environment::new();
    let event = json!({"hook_event_name": "preToolUse", "toolName": "bash"}).to_string();
    let run = environment.ckpt_reading(&event, &[]).exits(0);
    assert_eq!(run.stdout, "");
    // Whoever types it is told what there is.
    let run = environment.ckpt(&[]).exits(2);
    assert!(run.stderr.contains("Usage"), "{run}");
}

#[test]
fn hooks_that_run_out_of_time_leave_one_process() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = Environment::new().with_variable("CKPT_HOOK_DEADLINE_MS", "150");
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let lock = ".claude/state/locks/plan-260220-1149-x.lock";
    let held = crate::agent::Held::lock(&environment, lock);
    environment.write(PLAN, "- [x] A <!-- TASK: a -->\n");
    let event = json!({
        "hook_event_name": "PostToolUse", "session_id": "s1", "cwd": environment.root(),
        "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)},
    });
    for _ in 0..6 {
        environment
            .ckpt_reading(event.to_string(), &["hook", "claude"])
            .exits(0);
    }
    let late = || late_processes(environment.root());
    assert_eq!(late(), 1);
    drop(held);
    assert!(crate::agent::becomes(|| {
        environment.read(HISTORY).contains("task_completed")
    }));
    assert!(crate::agent::becomes(|| late() == 0));
    let waiting = fs::read_dir(environment.path(".git/ckpt/late")).unwrap();
    assert_eq!(waiting.count(), 1, "the lock alone");
    assert_eq!(
        environment.read(HISTORY).matches("task_completed").count(),
        1
    );
}

/// How many processes go on with what hooks left in a repository.
fn late_processes(root: &Path) -> usize {
    processes(root, |arguments| arguments.ends_with(b"--late\0"))
}

/// How many processes with such arguments work in a repository.
fn processes(root: &Path, is_such: impl Fn(&[u8]) -> bool) -> usize {
    let processes = fs::read_dir("/proc").unwrap().flatten();
    let counts = |path: &Path| {
        let arguments = fs::read(path.join("cmdline")).unwrap_or_default();
        is_such(&arguments) && fs::read_link(path.join("cwd")).is_ok_and(|cwd| cwd == root)
    };
    processes.filter(|process| counts(&process.path())).count()
}

/// A repository with an approved gate, whose ignore rules keep git at work for ages.
fn held_up(variables: &[(&str, &str)]) -> Environment {
    let mut environment = Environment::new();
    for (name, value) in variables {
        environment = environment.with_variable(name, value);
    }
    environment.ckpt(&["start", "ship"]).exits(0);
    environment
        .ckpt(&["gate", "set", "ship", "--allow"])
        .exits(0);
    environment.write(".gitignore", "**/a*/".repeat(25) + "b\n");
    environment.write(&("aaaaaaaa/".repeat(60) + "c"), "x");
    environment
}

#[test]
fn git_that_takes_long_is_told_and_ended() {
    let environment = held_up(&[("CKPT_GIT_TIMEOUT_MS", "3000")]);
    for arguments in [
        &["gate", "check", "ship"][..],
        &["gate", "set", "ship", "--allow"],
    ] {
        let run = environment.ckpt(arguments).exits(1);
        assert!(
            run.stderr
                .contains("git add takes long; it is ended after 3 s"),
            "{run}"
        );
        assert!(run.stderr.contains("did not end within 3 s"), "{run}");
        assert!(run.stderr.contains("git_timeout_ms"), "{run}");
    }
    assert_eq!(processes_of_git(environment.root()), 0);
}

#[test]
fn a_hook_says_that_git_took_too_long_and_leaves_nothing_behind() {
    let environment = held_up(&[("CKPT_HOOK_DEADLINE_MS", "1200")]);
    let told = |event: Value| {
        let run = environment.ckpt_reading(event.to_string(), &["hook", "claude"]);
        run.exits(0).stdout
    };
    let prompt = told(json!({
        "hook_event_name": "UserPromptSubmit", "session_id": "s1", "cwd": environment.root(),
        "prompt": "/ship",
    }));
    assert!(prompt.contains("cannot be told"), "{prompt}");
    environment
        .ckpt(&["config", "set", "enforce_gates", "true"])
        .exits(0);
    let push = told(json!({
        "hook_event_name": "PreToolUse", "session_id": "s1", "cwd": environment.root(),
        "tool_name": "Bash", "tool_input": {"command": "git commit -am x && git push"},
    }));
    assert!(push.contains("deny"), "{push}");
    assert_eq!(processes_of_git(environment.root()), 0);
    assert_eq!(late_processes(environment.root()), 0);
}

/// How many git commands are at work in a repository.
fn processes_of_git(root: &Path) -> usize {
    processes(root, |arguments| arguments.starts_with(b"git\0"))
}

#[test]
fn the_filters_of_the_user_run_and_those_of_a_repository_do_not() {
    let environment = Environment::new();
    let settings = environment.base().join("gitconfig");
    let environment = environment.with_variable("GIT_CONFIG_GLOBAL", &settings);
    let program = environment.base().join("filter");
    fs::write(&program, "#!/bin/sh\necho \"$1\" >> \"$0.ran\"\ncat\n").unwrap();
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755)).unwrap();
    let program = program.to_str().unwrap();
    let ran = || fs::read_to_string(environment.base().join("filter.ran")).unwrap_or_default();
    let name = |scope: &str, filter: &str, value: &str| {
        let key = format!("filter.{filter}.clean");
        environment.git(&["config", scope, &key, &format!("{program} {value}")]);
    };
    name("--global", "own", "own");
    name("--local", "own", "replaced");
    name("--local", "foreign", "foreign");
    environment.write(
        ".gitattributes",
        "*.own filter=own\n*.foreign filter=foreign\n",
    );
    environment.write("a.own", "x\n");
    environment.write("a.foreign", "x\n");
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(6);
    assert_eq!(ran(), "own\n");
    let doctor = environment.ckpt(&["doctor"]).stdout;
    assert!(
        doctor.contains("the filter \"foreign\" does not run"),
        "{doctor}"
    );
    assert!(!doctor.contains("the filter \"own\""), "{doctor}");
    let wanted = ["config", "set", "repository_filters", "true"];
    let refused = environment.ckpt(&wanted).exits(4);
    assert!(refused.stderr.contains("--user"), "{refused}");
    environment
        .ckpt(&[&wanted[..], &["--user"]].concat())
        .exits(0);
    environment.ckpt(&["gate", "check", "ship"]).exits(6);
    assert!(ran().contains("foreign"), "{}", ran());
}

#[test]
fn git_is_told_to_pass_over_what_comes_with_a_history_too() {
    let other = Environment::new();
    other.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    other.ckpt(&["plan", "sync"]).exits(0);
    let environment = Environment::new();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.write(HISTORY, other.read(HISTORY));
    environment.write("plans/260220-1149-x/.checkpoint/.gitignore", "");
    environment.write(".claude/state/.gitignore", "!*\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.ckpt(&["start", "ship"]).exits(0);
    let status = environment.git(&["status", "--porcelain", "--untracked-files=all"]);
    assert_eq!(status, format!("?? {PLAN}\n"));
    for name in ["history.jsonl", "state.json"] {
        let path = environment
            .path("plans/260220-1149-x/.checkpoint")
            .join(name);
        assert_eq!(tree::mode(path), 0o600, "{name}");
    }
}

#[test]
fn nobody_waits_for_a_pipe() {
    let environment = approved();
    for name in [
        ".claude/config/ckpt.json",
        ".claude/state/implement-auth.json",
        ".claude/state/locks/late.lock",
        ".claude/state/hooks.jsonl",
        ".claude/settings.json",
    ] {
        let path = environment.path(name);
        let _ = fs::remove_file(&path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        let made = environment.command("mkfifo").arg(&path).status();
        assert!(made.unwrap().success());
    }
    for arguments in [
        &["status"][..],
        &["doctor"],
        &["list"],
        &["init", "--dry-run"],
    ] {
        let mut command = environment.command("timeout");
        command.args(["10", CKPT]).args(arguments);
        let run = Run::of(command.stdin(Stdio::null()));
        assert_ne!(run.code, Some(124), "{arguments:?}: {run}");
    }
}
