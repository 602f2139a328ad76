//! A file that may not be read or written is named, and the state stays as it was.

use std::fs;
use std::os::unix::fs::{MetadataExt, chown};
use std::path::{Path, PathBuf};

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::refusal::{UPDATE, assert_refused, state_but_lock};
use crate::support::strace::strace_works;
use crate::support::tree;
use crate::support::unprivileged::{NOBODY, give_away, is_root, unprivileged};

#[test]
fn a_state_directory_that_must_not_be_written() {
    let environment = Environment::started_with("build");
    let before = environment.document("implement-auth");
    tree::set_mode(environment.state(""), 0o500);
    let run = unprivileged(&environment, &UPDATE);
    tree::set_mode(environment.state(""), 0o700);
    let Some(run) = run else { return };
    assert_refused(run, &environment.path(".claude/state"));
    assert_eq!(environment.document("implement-auth"), before);
    unprivileged(&environment, &UPDATE).unwrap().exits(0);
    let status = &environment.document("implement-auth")["phases"]["build"]["status"];
    assert_eq!(status, "complete");
}

/// The directories below one, and itself.
fn directories(path: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(path).unwrap();
    let inner = entries.map(|entry| entry.unwrap().path());
    let inner = inner.filter(|path| path.is_dir());
    let mut found: Vec<PathBuf> = inner.flat_map(|path| directories(&path)).collect();
    found.push(path.to_owned());
    found
}

/// Runs a command while no file can be made or removed below these directories, or nothing found there.
fn barred(environment: &Environment, below: &Path, mode: u32, line: &str) -> Option<Run> {
    let barred = directories(below);
    unprivileged(environment, &["list"])?;
    for directory in &barred {
        tree::set_mode(directory, mode);
    }
    let words: Vec<&str> = line.split(' ').collect();
    let run = unprivileged(environment, &words);
    for directory in barred.iter().rev() {
        tree::set_mode(directory, 0o700);
    }
    run
}

#[test]
fn whatever_is_barred_is_named_with_the_reason_and_the_next_step() {
    let environment = Environment::started_with("build");
    for line in ["start done x", "complete done/x --force", "start gone y"] {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt(&words).exits(0);
    }
    fs::remove_file(environment.state("gone-y.json")).unwrap();
    environment.ckpt(&["followers", "add", "pipe"]).exits(0);
    let (state, followers) = (environment.state(""), environment.path(".git/ckpt"));
    let (read, write) = ("the right to read it", "the right to write there");
    for (below, mode, line, named, hint) in [
        (
            &state,
            0o500,
            "archive done/x",
            ".claude/state/archive",
            write,
        ),
        (
            &state,
            0o500,
            "delete done/x",
            ".claude/state/archive",
            write,
        ),
        (
            &state,
            0o500,
            "recover gone/y",
            ".claude/state/gone-y.json",
            write,
        ),
        (&state, 0o500, "doctor", ".claude/state/.probe", write),
        (
            &followers,
            0o500,
            "followers add more",
            ".git/ckpt/followers",
            write,
        ),
        (
            &followers,
            0o500,
            "followers remove pipe",
            ".git/ckpt/followers",
            write,
        ),
        (&followers, 0o000, "followers", ".git/ckpt/followers", read),
        (
            &followers,
            0o000,
            "recover gone/y",
            ".git/ckpt/mirror",
            read,
        ),
    ] {
        let Some(run) = barred(&environment, below, mode, line) else {
            return;
        };
        assert_ne!(run.code, Some(0), "{line}: {run}");
        let said = format!("{}{}", run.stdout, run.stderr);
        let told = said.lines().skip_while(|text| !text.contains("denied"));
        let told: Vec<&str> = told.take(2).collect();
        let told = told.join(" ");
        for expected in [named, "Permission denied", hint] {
            assert!(told.contains(expected), "{line}: {expected}: {run}");
        }
        let says_saving = said.contains("Failed to save");
        let is_saving = line == "doctor" || (line.starts_with("recover") && mode == 0o500);
        assert_eq!(says_saving, is_saving, "{line}: {run}");
    }
}

#[test]
fn a_repository_that_must_not_be_written() {
    let environment = Environment::new();
    tree::set_mode(environment.root(), 0o500);
    let run = unprivileged(&environment, &UPDATE);
    tree::set_mode(environment.root(), 0o700);
    let Some(run) = run else { return };
    assert_refused(run, &environment.path(".claude"));
    assert!(!environment.path(".claude").exists());
}

#[test]
fn a_history_that_must_not_be_written() {
    let environment = Environment::started_with("build");
    let history = environment.state("history/command/implement-auth.jsonl");
    tree::set_mode(&history, 0o400);
    let before = state_but_lock(&environment);
    let Some(run) = unprivileged(&environment, &UPDATE) else {
        return;
    };
    assert_refused(run, &history);
    assert_eq!(state_but_lock(&environment), before);
}

#[test]
fn a_document_that_must_not_be_read() {
    let environment = Environment::started_with("build");
    let document = environment.state("implement-auth.json");
    tree::set_mode(&document, 0o000);
    let runs = [
        &UPDATE[..],
        &["show", "implement/auth"],
        &["resume", "implement/auth"],
    ]
    .map(|arguments| unprivileged(&environment, arguments));
    let listed = unprivileged(&environment, &["list"]);
    tree::set_mode(&document, 0o600);
    for run in runs {
        let Some(run) = run else { return };
        assert_refused(run, &document);
    }
    let listed = listed.unwrap().exits(0);
    assert!(
        listed.stderr.contains(document.to_str().unwrap()),
        "{listed}"
    );
    assert_eq!(environment.history("implement-auth").len(), 1);
}

#[test]
fn a_state_directory_that_must_not_be_searched() {
    let environment = Environment::started_with("build");
    tree::set_mode(environment.state(""), 0o000);
    let run = unprivileged(&environment, &UPDATE);
    let listed = unprivileged(&environment, &["list"]);
    tree::set_mode(environment.state(""), 0o700);
    let (Some(run), Some(listed)) = (run, listed) else {
        return;
    };
    assert_refused(run, &environment.path(".claude/state"));
    assert_refused(listed, &environment.path(".claude/state"));
    assert_eq!(environment.history("implement-auth").len(), 1);
}

/// What root changes in a user's repository stays the user's, and so does what it creates there.
#[test]
fn root_does_not_lock_the_owner_out() {
    let environment = Environment::started_with("build");
    if !is_root(&environment) {
        return;
    }
    let Some(run) = unprivileged(&environment, &UPDATE) else {
        return;
    };
    run.exits(0);
    let trust = environment.base().join("trust");
    let trusted = format!("[safe]\n\tdirectory = {}\n", environment.root().display());
    fs::write(&trust, trusted).unwrap();
    let as_root = |arguments: &[&str]| {
        let mut command = environment.command(CKPT);
        command.env("GIT_CONFIG_GLOBAL", &trust);
        Run::of(command.args(arguments)).exits(0)
    };
    as_root(&["phase", "implement/auth", "more", "complete", "--new"]);
    as_root(&["start", "debug", "crash"]);
    as_root(&["plan", "new", "Login"]);
    as_root(&["init", "--agent", "claude"]);
    for (path, owner) in owners(environment.root()) {
        assert_eq!(owner, (NOBODY, NOBODY), "{}", path.display());
    }
    let again = ["phase", "implement/auth", "build", "in_progress"];
    let mut command = environment.command("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    let binary = environment.base().join("ckpt");
    Run::of(command.arg(binary).args(again)).exits(0);
}

/// The owners of all files below a directory.
fn owners(path: &Path) -> Vec<(std::path::PathBuf, (u32, u32))> {
    let metadata = fs::symlink_metadata(path).unwrap();
    let mut found = vec![(path.to_owned(), (metadata.uid(), metadata.gid()))];
    if metadata.is_dir() {
        for entry in fs::read_dir(path).unwrap() {
            found.extend(owners(&entry.unwrap().path()));
        }
    }
    found
}

#[test]
fn a_umask_that_forbids_everything_does_not_lock_us_out() {
    let environment = Environment::new();
    let in_shell = |line: &str| {
        let line = format!("umask 777; exec {line}");
        if !is_root(&environment) {
            return Some(Run::of(environment.command("sh").args(["-c", &line])));
        }
        let identity = [
            "--reuid=65534",
            "--regid=65534",
            "--clear-groups",
            "sh",
            "-c",
        ];
        unprivileged(&environment, &["--version"])?;
        let line = line.replace(CKPT, environment.base().join("ckpt").to_str().unwrap());
        let mut command = environment.command("setpriv");
        Some(Run::of(command.args(identity).arg(line)))
    };
    for line in [
        "start implement auth --phases build",
        "phase implement/auth build complete",
        "plan new Login",
        "plan note Hello",
        "show implement/auth",
    ] {
        let Some(run) = in_shell(&format!("{CKPT} {line}")) else {
            return;
        };
        run.exits(0);
    }
}

/// `ulimit -f` ends a process that writes too much, unless it asked for an error.
#[test]
fn a_limit_of_the_shell_on_the_length_of_files_is_an_error_like_any_other() {
    let environment = Environment::started_with("build");
    let before = environment.document("implement-auth");
    let long = "word ".repeat(400);
    let line =
        format!("ulimit -f 1; exec {CKPT} phase implement/auth build complete --summary '{long}'");
    let run = Run::of(environment.command("bash").args(["-c", &line])).exits(1);
    assert!(run.reason().contains("File too large"), "{run}");
    assert_eq!(environment.document("implement-auth"), before);
    environment.ckpt(&UPDATE).exits(0);
}

#[test]
fn doctor_reports_what_another_user_may_not_read() {
    let environment = Environment::started_with("build");
    if !is_root(&environment) || unprivileged(&environment, &["--version"]).is_none() {
        return;
    }
    chown(environment.state(""), Some(0), Some(0)).unwrap();
    let trust = environment.base().join("trust");
    fs::write(&trust, "[safe]\n\tdirectory = *\n").unwrap();
    let mut command = environment.command("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    command.env("GIT_CONFIG_GLOBAL", &trust);
    let run = Run::of(command.arg(environment.base().join("ckpt")).arg("doctor")).exits(1);
    assert!(run.stdout.contains("Permission denied"), "{run}");
    assert!(run.stdout.ends_with("not healthy\n"), "{run}");
}

/// The owner of a repository puts a link in the place of a directory that root has just made.
#[test]
fn root_gives_away_nothing_that_a_link_leads_to() {
    let environment = Environment::new();
    if !is_root(&environment) || !strace_works() {
        return;
    }
    let victim = environment.base().join("victim");
    fs::write(&victim, "secret").unwrap();
    for path in [environment.root().to_owned(), environment.path(".git")] {
        chown(path, Some(NOBODY), Some(NOBODY)).unwrap();
    }
    let trust = environment.base().join("trust");
    fs::write(&trust, "[safe]\n\tdirectory = *\n").unwrap();
    // It has this name until it is theirs.
    let state = environment.path("..claude.ckpt-tmp");
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let mut command = environment.command("strace");
            command.args(["-o", "/dev/null", "-e", "trace=mkdir"]);
            command.args(["-e", "inject=mkdir:delay_exit=600000:when=1", CKPT]);
            command.env("GIT_CONFIG_GLOBAL", &trust);
            Run::of(command.args(["start", "implement", "auth"]))
        });
        while !state.exists() {
            std::thread::sleep(std::time::Duration::from_millis(5));
        }
        fs::rename(&state, environment.path("old")).unwrap();
        std::os::unix::fs::symlink(&victim, &state).unwrap();
    });
    assert_eq!(fs::metadata(&victim).unwrap().uid(), 0);
}

/// Root dies after it has made a directory, and before that is the owner's.
#[test]
fn a_kill_of_root_does_not_lock_the_owner_out() {
    for at in 1..=6 {
        let environment = Environment::new();
        if !is_root(&environment) || !strace_works() {
            return;
        }
        if unprivileged(&environment, &["--version"]).is_none() {
            return;
        }
        let trust = environment.base().join("trust");
        fs::write(&trust, "[safe]\n\tdirectory = *\n").unwrap();
        let mut command = environment.command("strace");
        command.args(["-o", "/dev/null", "-e", "trace=mkdir,fchown"]);
        command.args(["-e", &format!("inject=mkdir:signal=KILL:when={at}"), CKPT]);
        command.env("GIT_CONFIG_GLOBAL", &trust);
        Run::of(command.args(["start", "implement", "auth", "--phases", "build"]));
        let mut command = environment.command("setpriv");
        command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
        command.arg(environment.base().join("ckpt"));
        let run = Run::of(command.args(["start", "implement", "auth", "--phases", "build"]));
        assert_eq!(run.code, Some(0), "killed at directory {at}: {run}");
    }
}

#[test]
fn a_plan_keeps_its_group() {
    const GROUP: u32 = 54321;
    let environment = Environment::new();
    if !is_root(&environment) || unprivileged(&environment, &["--version"]).is_none() {
        return;
    }
    let plan = environment.write(
        "plans/260220-1149-login/plan.md",
        "<!-- CHECKPOINT: a -->\n- [ ] One <!-- TASK: one -->\n",
    );
    give_away(environment.base());
    chown(&plan, Some(NOBODY), Some(GROUP)).unwrap();
    tree::set_mode(&plan, 0o664);
    let mut command = environment.command("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--groups=54321"]);
    command.arg(environment.base().join("ckpt"));
    Run::of(command.args(["plan", "done", "one"])).exits(0);
    let found = fs::metadata(&plan).unwrap();
    let bits = std::os::unix::fs::PermissionsExt::mode(&found.permissions()) & 0o777;
    assert_eq!((found.uid(), found.gid(), bits), (NOBODY, GROUP, 0o664));
}

#[test]
fn doctor_of_another_user_says_what_it_may_not_read() {
    let environment = Environment::new();
    if !is_root(&environment) {
        return;
    }
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    if unprivileged(&environment, &["--version"]).is_none() {
        return;
    }
    give_away(environment.base());
    let private = environment.path(".git/ckpt");
    chown(&private, Some(0), Some(0)).unwrap();
    tree::set_mode(&private, 0o700);
    let mut command = environment.command("setpriv");
    command.args(["--reuid=65534", "--regid=65534", "--clear-groups"]);
    let run = Run::of(command.arg(environment.base().join("ckpt")).arg("doctor"));
    assert!(
        run.stdout.contains("as the user who ran ckpt init"),
        "{run}"
    );
    assert!(
        run.stdout.contains("all 10 in .claude/settings.local.json"),
        "{run}"
    );
}
