//! What was sealed here is trusted; what was sealed elsewhere is not.

use std::fs;
use std::os::unix::fs::PermissionsExt;

use serde_json::{Value, json};

use crate::support::environment::Environment;
use crate::support::shipping::{approved, carry_over, reasons, unsealed, without_seals};
use crate::support::tree;
use crate::support::unprivileged::unprivileged;

#[test]
fn what_another_repository_approved_ran_and_recorded_is_a_claim_and_is_named() {
    let other = approved();
    let environment = Environment::new();
    carry_over(&other, &environment);
    let blocked = reasons(&environment);
    assert!(blocked.contains("claimed elsewhere"), "{blocked}");
    let shown = environment.ckpt(&["show", "ship"]).exits(0).stdout;
    assert!(shown.contains("gate tests: claimed elsewhere"), "{shown}");
    assert!(
        shown.contains("gate: blocked: the approval is claimed elsewhere"),
        "{shown}"
    );
    let found = unsealed(&environment);
    for expected in [
        "ship: an approval claimed elsewhere",
        "ship: a receipt of gate tests claimed elsewhere",
        "history lines without this repository's seal",
    ] {
        assert!(
            found.iter().any(|text| text.contains(expected)),
            "{expected}: {found:?}"
        );
    }
    // Work goes on in a new epoch, and what is approved here counts.
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
fn an_altered_approval_does_not_count_but_a_reformatted_one_does() {
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
    let expected = "1 session records without this repository's seal".to_owned();
    assert!(found.contains(&expected), "{found:?}");
}

#[test]
fn without_a_key_all_works_unsealed_and_nothing_is_believed() {
    for trouble in ["missing", "a link", "short", "a pipe"] {
        let environment = approved();
        let key = environment.path(".git/ckpt/key");
        fs::remove_file(&key).unwrap();
        match trouble {
            "missing" => {
                // No key can be made, because a file is in the place of its directory.
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
        assert!(
            report.to_string().contains("nothing can be sealed"),
            "{report}"
        );
        // A session is told once, and so is whoever approves.
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
        assert!(
            said.contains("could not be sealed and will not count"),
            "{said}"
        );
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
fn what_was_put_away_is_brought_back_after_a_new_key() {
    let environment = Environment::new();
    for name in ["kept", "gone", "lost"] {
        environment.ckpt(&["start", name]).exits(0);
        let line = [
            "phase",
            name,
            "build",
            "complete",
            "--summary",
            "It is there",
        ];
        environment.ckpt(&line).exits(0);
    }
    environment.ckpt(&["archive", "kept", "--force"]).exits(0);
    environment.ckpt(&["delete", "gone", "--force"]).exits(0);
    for _ in 0..2 {
        environment.ckpt(&["doctor", "--new-key"]).exits(0);
        for name in ["kept", "gone"] {
            let shown = environment.ckpt(&["show", name]).exits(0).stdout;
            assert!(shown.contains("It is there"), "{shown}");
        }
        fs::remove_dir_all(environment.path(".claude")).unwrap();
        let said = environment.ckpt(&["recover"]).exits(0).stdout;
        assert!(said.contains("lost is back"), "{said}");
    }
    for name in ["kept", "gone"] {
        environment.ckpt(&["unarchive", name]).exits(0);
    }
    for name in ["kept", "gone", "lost"] {
        let shown = environment.ckpt(&["show", name]).exits(0).stdout;
        assert!(shown.contains("It is there"), "{shown}");
    }
}

#[test]
fn an_archive_from_elsewhere_keeps_nobody_from_changing_what_is_there() {
    let other = Environment::started_with("build");
    other
        .ckpt(&["archive", "implement/auth", "--force"])
        .exits(0);
    let archive = ".claude/state/archive/command/implement-auth.zst";
    let foreign = fs::read(other.path(archive)).unwrap();
    for length in [0, 100, 80 << 20, foreign.len()] {
        let environment = Environment::started_with("build");
        let path = environment.path(archive);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(&path, &foreign).unwrap();
        let file = fs::File::options().write(true).open(&path).unwrap();
        file.set_len(length as u64).unwrap();
        for summary in ["One", "Two"] {
            let line = ["phase", "implement/auth", "build", "complete", "--summary"];
            environment.ckpt(&[&line[..], &[summary]].concat()).exits(0);
        }
        let kept = fs::metadata(&path).unwrap().len();
        assert_eq!(kept, length as u64, "it is not ours to move");
    }
}

#[test]
fn an_archive_whose_key_is_lost_is_named() {
    let environment = Environment::new();
    environment.ckpt(&["start", "ship"]).exits(0);
    environment.ckpt(&["delete", "ship", "--force"]).exits(0);
    fs::remove_dir_all(environment.path(".git/ckpt")).unwrap();
    environment.ckpt(&["start", "other"]).exits(0);
    let said = environment.ckpt(&["doctor"]).exits(0).stdout;
    let is_named = said.contains("zst does not carry this repository's seal");
    assert!(is_named && said.contains("zstd -dc"), "{said}");
    let said = environment.ckpt(&["show", "ship"]).exits(4).stderr;
    assert!(said.contains("or its key is lost"), "{said}");
}

#[test]
fn what_was_done_before_there_was_a_key_is_not_put_away_and_is_brought_back() {
    let environment = Environment::new();
    if unprivileged(&environment, &["list"]).is_none() {
        return;
    }
    let git = environment.path(".git");
    let run = |line: &str, code: i32| {
        let words: Vec<&str> = line.split(' ').collect();
        let run = unprivileged(&environment, &words).unwrap().exits(code);
        run.stdout + &run.stderr
    };
    tree::set_mode(&git, 0o555);
    run("start ship", 0);
    run("phase ship build complete --summary Sessions", 0);
    for line in ["archive", "delete"] {
        let said = run(&format!("{line} ship --force"), 1);
        assert!(said.contains("without a key"), "{line}: {said}");
    }
    tree::set_mode(&git, 0o755);
    run("start other", 0);
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    let said = run("recover", 0);
    assert!(said.contains("ship is back"), "{said}");
    let shown = run("show ship", 0);
    assert!(shown.contains("Sessions"), "{shown}");
}

#[test]
fn nothing_is_put_away_with_a_key_that_is_damaged() {
    let environment = approved();
    environment.write(".git/ckpt/key", "");
    for line in ["archive", "delete"] {
        let said = environment.ckpt(&[line, "ship", "--force"]).exits(1).stderr;
        assert!(said.contains("ckpt doctor --new-key"), "{line}: {said}");
    }
    environment.ckpt(&["doctor", "--new-key"]).exits(0);
    environment.ckpt(&["archive", "ship", "--force"]).exits(0);
    environment.ckpt(&["unarchive", "ship"]).exits(0);
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

#[test]
fn the_gates_of_a_specification_run_only_after_it_was_accepted_here() {
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
    assert!(refused.reason().contains("not accepted here"), "{refused}");
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
fn state_of_an_earlier_version_is_adopted_but_its_approvals_are_not() {
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
