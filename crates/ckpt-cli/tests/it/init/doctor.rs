//! Checking that hooks and state are healthy.

use std::io::Write;
use std::process::{Command, Stdio};

use serde_json::{Value, json};

use crate::support::agent::{Agent, HISTORY, LOG, PLAN, PLAN_LOCK, STATE};
use crate::support::doctor::{checks, examined, set_up};
use crate::support::environment::{CKPT, Environment};
use crate::support::{tool, tree};

#[test]
fn what_was_set_up_is_called_and_answers() {
    let environment = set_up();
    for agent in ["codex", "gemini", "cursor", "copilot"] {
        environment.ckpt(&["init", "--agent", agent]).exits(0);
    }
    let report = examined(&environment, 0);
    assert_eq!(report["healthy"], true);
    let fine = checks(&report, "ok");
    for agent in ["claude", "codex", "gemini", "cursor", "copilot"] {
        let answers = format!("{CKPT} hook {agent} answered in ");
        assert!(
            fine.iter()
                .any(|(topic, text)| topic == "called" && text.starts_with(&answers)),
            "{report}"
        );
    }
    let silent = checks(&report, "warning");
    assert!(
        silent.contains(&(
            "fired".into(),
            "claude: no hooks in .claude/settings.local.json fired this week".into()
        )),
        "{report}"
    );
    let (agent, _) = Agent::begin(&environment, "s1");
    agent.hook("UserPromptSubmit", &json!({"prompt": "x"}));
    let report = examined(&environment, 0);
    let all = report["fired"].as_array().unwrap();
    let fired: Vec<&Value> = all.iter().filter(|one| one["calls"] != 0).collect();
    assert!(
        all.iter()
            .any(|one| one["event"] == "PreCompact" && one["last"] == "never")
    );
    let events: Vec<&str> = fired
        .iter()
        .map(|one| one["event"].as_str().unwrap())
        .collect();
    assert_eq!(events, ["SessionStart", "UserPromptSubmit"]);
    assert!(fired[0]["p50_us"].as_u64().unwrap() > 0);
    assert!(fired[0]["p99_us"].as_u64() >= fired[0]["p50_us"].as_u64());
    let page = environment.ckpt(&["doctor"]).exits(0).stdout;
    assert!(
        page.contains("claude SessionStart") && page.ends_with("\nhealthy\n"),
        "{page}"
    );
}

#[test]
fn a_hook_that_leads_nowhere_is_broken_and_one_that_calls_another_program_is_not_run() {
    for (program, verdict, reason) in [
        ("/nowhere/ckpt", "broken", "program not found"),
        ("SCRIPT/other/ckpt", "warning", "calls a different program"),
    ] {
        let environment = set_up();
        let file = "../scripts/other/ckpt";
        environment.write(file, "#!/bin/sh\ntouch \"$0.was-run\"\n");
        tree::set_mode(environment.path(file), 0o755);
        let scripts = environment.path("../scripts").canonicalize().unwrap();
        let program = program.replace("SCRIPT", scripts.to_str().unwrap());
        let settings = environment.read(".claude/settings.local.json");
        environment.write(
            ".claude/settings.local.json",
            settings.replace(CKPT, &program),
        );
        let report = examined(&environment, i32::from(verdict == "broken"));
        let found = checks(&report, verdict);
        let is_told = |(_, text): &(String, String)| text.contains(reason);
        assert!(found.iter().any(is_told), "{program}: {found:?}");
        assert!(!environment.path("../scripts/other/ckpt.was-run").exists());
        // Setting it up again repairs it.
        environment.ckpt(&["init", "--agent", "claude"]).exits(0);
        examined(&environment, 0);
    }
}

#[test]
fn missing_or_outdated_hooks_are_reported_and_fixed() {
    let environment = set_up();
    let file = ".claude/settings.local.json";
    let settings = environment.read(file);
    environment.write(file, settings.replace("\"PreCompact\"", "\"Whatever\""));
    let report = examined(&environment, 1);
    assert!(
        checks(&report, "broken")
            .iter()
            .any(|(_, text)| text.contains("PreCompact missing from")),
        "{report}"
    );
    environment.ckpt(&["doctor", "--fix"]).exits(0);
    assert!(environment.read(file).contains("\"PreCompact\""));
    let report = examined(&environment, 0);
    assert!(
        checks(&report, "ok")
            .iter()
            .any(|(_, text)| text.starts_with("claude: all 10 in")),
        "{report}"
    );
    // A hook with another time limit works, but not as this version wants it.
    let settings = environment.read(file);
    environment.write(
        file,
        settings.replacen("\"timeout\": 10", "\"timeout\": 99", 1),
    );
    let report = examined(&environment, 0);
    assert!(
        checks(&report, "warning")
            .iter()
            .any(|(_, text)| text.contains("are out of date")),
        "{report}"
    );
    let nothing = Environment::new();
    let report = examined(&nothing, 0);
    assert!(
        checks(&report, "warning")
            .iter()
            .any(|(_, text)| text == "no agent is set up to call ckpt here"),
        "{report}"
    );
}

#[cfg(unix)]
#[test]
fn a_holder_that_is_stopped_holds_no_agent_up_and_is_named() {
    if !tool::works("flock", &["--version"]) {
        return;
    }
    let environment = set_up();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    let (agent, _) = Agent::begin(&environment, "s1");
    // The holder leaves a note as ckpt does, and is stopped while it holds the lock.
    let lock = PLAN_LOCK;
    let mut holder = Command::new("flock")
        .args(["--no-fork", lock, "sh", "-c"])
        .arg(format!("printf 'process %s (plan done)' $$ > {lock}; touch ../held; kill -STOP $$; exec sleep 60"))
        .current_dir(environment.path(""))
        .spawn()
        .unwrap();
    let held = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(10));
        environment.path("../held").exists()
    };
    assert!((0..1000).any(held));
    let run = agent.writes(PLAN, "- [x] A <!-- TASK: a -->\n");
    assert_eq!(run.stdout, "");
    let report = examined(&environment, 1);
    let broken = checks(&report, "broken");
    let named = format!(
        "is held by process {} (plan done), which is stopped",
        holder.id()
    );
    assert!(
        broken
            .iter()
            .any(|(topic, text)| topic == "lock" && text.ends_with(&named)),
        "{report}"
    );
    let failed = checks(&report, "warning");
    assert!(
        failed.iter().any(|(topic, text)| topic == "failed"
            && text.contains("claude PostToolUse")
            && text.contains("is locked by process")),
        "{report}"
    );
    // Once it is gone, the background process does the rest of the hook's work.
    holder.kill().unwrap();
    holder.wait().unwrap();
    let is_done = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        environment.read(HISTORY).contains("task_completed")
    };
    assert!((0..600).any(is_done), "nobody came back to it");
    let is_told = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        environment.read(LOG).contains("\"late\":true")
    };
    assert!((0..600).any(is_told));
    examined(&environment, 0);
}

#[cfg(unix)]
#[test]
fn a_disk_that_does_not_answer_holds_no_agent_up() {
    if !tool::works("strace", &["-V"]) {
        return;
    }
    let environment = set_up();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.write(PLAN, "- [x] A <!-- TASK: a -->\n");
    let event = json!({"session_id": "s", "cwd": environment.path(""), "hook_event_name": "PostToolUse", "tool_name": "Edit", "tool_input": {"file_path": environment.path(PLAN)}});
    let mut command = environment.command("strace");
    command.env_remove("CKPT_HOOK_DEADLINE_MS");
    command.args([
        "-qq",
        "-o",
        "/dev/null",
        "-e",
        "trace=fsync,fdatasync",
        "-e",
        "inject=fsync,fdatasync:delay_enter=6000000:when=1",
    ]);
    command.args([CKPT, "hook", "claude"]);
    // strace itself waits for the end of the delay, so what counts is when the hook has handed its event on.
    let mut traced = command.stdin(Stdio::piped()).spawn().unwrap();
    let mut stdin = traced.stdin.take().unwrap();
    stdin.write_all(event.to_string().as_bytes()).unwrap();
    drop(stdin);
    let is_handed_on = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let log = std::fs::read_to_string(environment.path(LOG));
        log.is_ok_and(|log| log.contains("\"handed_on\":true,\"error\":\"timed out\""))
    };
    assert!((0..300).any(is_handed_on), "it waits for the disk");
    // The disk of the background process answers.
    let is_done = |_: u32| {
        std::thread::sleep(std::time::Duration::from_millis(50));
        let history = environment.read(HISTORY);
        history.matches("task_completed").count() == 1
    };
    assert!((0..300).any(is_done), "nobody came back to it");
    traced.kill().unwrap();
    traced.wait().unwrap();
}

#[test]
fn what_crashes_and_others_left_behind_is_reported_and_fixed() {
    let environment = set_up();
    let leftover = ".claude/state/.implement-auth.json.ckpt-tmp";
    environment.write(leftover, "x");
    let old = Command::new("touch")
        .args(["-d", "2 hours ago"])
        .arg(environment.path(leftover))
        .status();
    assert!(old.unwrap().success());
    environment.write(".claude/state/design-x.json", "{ broken");
    environment.write(
        ".claude/state/review-checkpoint.json",
        "{\"command\": \"review\", \"phases\": {\"a\": {\"status\": \"shiny\"}}, \"state\": {}}",
    );
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let open = std::fs::Permissions::from_mode(0o644);
        std::fs::set_permissions(environment.path(".claude/state/implement-auth.json"), open)
            .unwrap();
    }
    let report = examined(&environment, 1);
    let broken = checks(&report, "broken");
    assert!(
        broken.iter().any(|(_, text)| text.contains("design-x")),
        "{report}"
    );
    let warnings = checks(&report, "warning");
    for topic in ["leftovers", "permissions"] {
        assert!(
            warnings.iter().any(|(known, _)| known == topic),
            "{topic}: {report}"
        );
    }
    std::fs::remove_file(environment.path(".claude/state/design-x.json")).unwrap();
    std::fs::remove_file(environment.path(".claude/state/review-checkpoint.json")).unwrap();
    let report = environment
        .ckpt(&["doctor", "--fix", "--json"])
        .exits(0)
        .json();
    let fixed: Vec<String> = checks(&report, "fixed")
        .into_iter()
        .map(|(topic, _)| topic)
        .collect();
    assert_eq!(fixed, ["permissions", "leftovers"], "{report}");
    assert!(!environment.path(leftover).exists());
    let report = examined(&environment, 0);
    assert!(
        !checks(&report, "warning")
            .iter()
            .any(|(topic, _)| !matches!(topic.as_str(), "fired" | "shell")),
        "{report}"
    );
}

#[test]
fn it_changes_nothing_unless_it_is_asked_to() {
    let environment = set_up();
    environment.write(PLAN, "- [ ] A <!-- TASK: a -->\n");
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.write(PLAN, "- [x] A <!-- TASK: a -->\n");
    let before = tree::names(&environment.path(""));
    let state = environment.read(STATE);
    examined(&environment, 0);
    assert_eq!(environment.read(STATE), state);
    let mut after = tree::names(&environment.path(""));
    after.retain(|name| !name.contains("locks"));
    let mut known = before;
    known.retain(|name| !name.contains("locks"));
    assert_eq!(after, known);
}

#[test]
fn unreadable_ckpt_settings_are_reported_and_hooks_continue_without_them() {
    let environment = set_up();
    environment.write(".claude/config/ckpt.json", "{ broken");
    let report = examined(&environment, 1);
    assert!(
        checks(&report, "broken")
            .iter()
            .any(|(topic, text)| topic == "settings" && text.contains("ckpt.json")),
        "{report}"
    );
    let (_agent, run) = Agent::begin(&environment, "s1");
    assert!(run.stdout.contains("implement/auth"), "{run}");
    assert!(environment.read(LOG).contains("ckpt.json"));
}

#[test]
fn hooks_that_fired_long_ago_do_not_count_for_this_week() {
    let environment = set_up();
    let line = json!({"ts": "2026-01-01T00:00:00.000Z", "agent": "claude", "event": "SessionStart", "us": 900, "error": "old trouble"});
    environment.write(LOG, format!("{line}\n"));
    let report = examined(&environment, 0);
    let warnings = checks(&report, "warning");
    assert!(
        warnings
            .iter()
            .any(|(_, text)| text.starts_with("claude: no hooks in")),
        "{report}"
    );
    assert!(
        !warnings
            .iter()
            .any(|(_, text)| text.contains("old trouble")),
        "{report}"
    );
}

#[test]
fn files_of_other_tools_are_left_alone() {
    use std::os::unix::fs::PermissionsExt;
    let environment = set_up();
    let file = environment.path(".claude/state/loop-state.json");
    std::fs::write(&file, "{\"a\": 1}").unwrap();
    std::fs::set_permissions(&file, std::fs::Permissions::from_mode(0o644)).unwrap();
    environment.ckpt(&["doctor", "--fix"]).exits(0);
    assert_eq!(
        std::fs::metadata(&file).unwrap().permissions().mode() & 0o777,
        0o644
    );
}
