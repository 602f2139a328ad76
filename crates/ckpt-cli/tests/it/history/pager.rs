//! Long output on a terminal.

use std::os::unix::fs::PermissionsExt;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

/// A pager that says how it was called, and shows the first lines.
const OWN: &str = "#!/bin/sh\necho \"PAGED $LESS\" \"$@\"\nhead -n 2\n";

/// A checkpoint with more history than a terminal has rows, and a pager of the user.
fn worked() -> Environment {
    let environment = Environment::started_with("build");
    for number in 0..30 {
        let summary = format!("Step {number}");
        let phase = [
            "phase",
            "implement/auth",
            "build",
            "in_progress",
            "--summary",
            &summary,
        ];
        environment.ckpt(&phase).exits(0);
    }
    script(&environment, "../home/page");
    environment
}

fn script(environment: &Environment, name: &str) {
    let path = environment.write(name, OWN);
    std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
}

/// Runs `ckpt` on a terminal.
fn on_terminal(environment: &Environment, line: &str, variables: &[(&str, &str)]) -> String {
    let mut command = environment.command("script");
    let line = format!("stty rows 20 cols 100; {CKPT} {line}; echo code $?");
    command
        .args(["-qec", &line, "/dev/null"])
        .env("TERM", "xterm");
    command.envs(variables.iter().copied());
    Run::of(&mut command).exits(0).stdout
}

fn is_whole(shown: &str) -> bool {
    shown.contains("implement/auth") || shown.matches("by main").count() > 20
}

#[test]
fn long_output_on_a_terminal_goes_through_the_users_pager() {
    if !tool::works("script", &["--version"]) {
        return;
    }
    let environment = worked();
    let own = environment.base().join("home/page");
    let own = own.to_str().unwrap();
    let with_option = format!("{own} -x");
    let shown = on_terminal(
        &environment,
        "log implement/auth",
        &[("PAGER", &with_option)],
    );
    assert!(shown.contains("PAGED FRX -x"), "{shown}");
    // It shows two lines and ends, which is no error.
    assert_eq!(shown.matches("by main").count(), 2, "{shown}");
    assert!(shown.contains("code 0"), "{shown}");
    let first = [("CKPT_PAGER", own), ("PAGER", "false"), ("LESS", "R")];
    let shown = on_terminal(&environment, "log", &first);
    assert!(shown.contains("PAGED R"), "{shown}");
    for (line, variables) in [
        ("log implement/auth --no-pager", vec![("PAGER", own)]),
        (
            "log implement/auth",
            vec![("PAGER", own), ("CLAUDECODE", "1")],
        ),
        ("log implement/auth", vec![("PAGER", own), ("TERM", "dumb")]),
        ("log implement/auth", vec![("PAGER", "")]),
        ("log implement/auth", vec![("PAGER", "no-such-pager")]),
        ("log implement/auth", vec![("PAGER", "/no/such/pager")]),
        (
            "log implement/auth",
            vec![("CKPT_PAGER", "cat"), ("PAGER", own)],
        ),
    ] {
        let shown = on_terminal(&environment, line, &variables);
        assert!(
            !shown.contains("PAGED") && is_whole(&shown),
            "{variables:?}: {shown}"
        );
    }
    // What fits is printed.
    let shown = on_terminal(&environment, "log implement/auth -n 3", &[("PAGER", own)]);
    assert!(!shown.contains("PAGED"), "{shown}");
    // Without a terminal nothing is paged.
    let mut piped = environment.command(CKPT);
    let run = Run::of(piped.args(["log", "implement/auth"]).env("PAGER", own));
    assert!(
        !run.stdout.contains("PAGED") && is_whole(&run.stdout),
        "{run}"
    );
}

#[test]
fn a_pager_of_the_repository_is_not_run() {
    if !tool::works("script", &["--version"]) {
        return;
    }
    let environment = worked();
    script(&environment, "tools/page");
    let inside = environment.path("tools/page");
    let inside = inside.to_str().unwrap();
    let through_shell = format!("sh {inside}");
    for pager in [inside, "./tools/page", "tools/page", &through_shell] {
        let shown = on_terminal(&environment, "log implement/auth", &[("PAGER", pager)]);
        assert!(
            !shown.contains("PAGED") && is_whole(&shown),
            "{pager}: {shown}"
        );
        assert!(
            shown.contains("PAGER names a file of this repository"),
            "{shown}"
        );
    }
    let path = format!("{}:/usr/bin:/bin", environment.path("tools").display());
    let found = [("PAGER", "page"), ("PATH", path.as_str())];
    let shown = on_terminal(&environment, "log implement/auth", &found);
    assert!(!shown.contains("PAGED") && is_whole(&shown), "{shown}");
}
