//! Shell completion: what is offered, in the shells themselves.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::pipeline;
use crate::support::planned::{HALF_DONE, ID, Planned};
use crate::support::strace::strace_works;
use crate::support::{tool, tree};

/// What is offered for the last word, each with its description after a tab.
fn described(environment: &Environment, words: &[&str]) -> Vec<String> {
    let mut command = environment.command(CKPT);
    command.env("_CKPT_COMPLETE", "fish").args(["--", "ckpt"]);
    let run = Run::of(command.args(words)).exits(0);
    assert_eq!(run.stderr, "", "{words:?}");
    run.stdout.lines().map(str::to_owned).collect()
}

/// What is offered for the last word.
fn offered(environment: &Environment, words: &[&str]) -> Vec<String> {
    let offers = described(environment, words).into_iter();
    offers
        .map(|offer| offer.split('\t').next().unwrap().to_owned())
        .filter(|offer| !offer.is_empty())
        .collect()
}

/// Runs a script in a shell that finds `ckpt` on its path.
fn shell(environment: &Environment, program: &[&str], script: &str) -> String {
    let directory = Path::new(CKPT).parent().unwrap().to_str().unwrap();
    let path = std::env::var("PATH").unwrap_or_default();
    let mut command = environment.command(program[0]);
    command
        .args(&program[1..])
        .arg(script)
        .env("PATH", format!("{directory}:{path}"))
        .env("TERM", "xterm");
    let run = Run::of(&mut command).exits(0);
    assert_eq!(run.stderr, "", "{script}");
    run.stdout
}

/// What bash would put on the line for these words; the last one is being typed.
fn in_bash(environment: &Environment, words: &[&str]) -> Vec<String> {
    let quoted: Vec<String> = words.iter().map(|word| format!("'{word}'")).collect();
    let (last, index) = (quoted.last().unwrap(), words.len() - 1);
    let script = format!(
        "source <(ckpt completions bash); COMP_WORDS=({}); COMP_CWORD={index}; COMP_TYPE=9
         _clap_complete_ckpt ckpt {last} {}; printf '%s\\n' \"${{COMPREPLY[@]}}\"",
        quoted.join(" "),
        quoted[index - 1],
    );
    let output = shell(environment, &["bash", "--norc", "-c"], &script);
    output
        .lines()
        .filter(|line| !line.is_empty())
        .map(str::to_owned)
        .collect()
}

#[test]
fn bash_offers_the_open_tasks() {
    let planned = Planned::new(HALF_DONE);
    assert_eq!(
        in_bash(&planned, &["ckpt", "plan", "done", ""]),
        ["schema", "form"]
    );
    assert_eq!(in_bash(&planned, &["ckpt", "plan", "done", "f"]), ["form"]);
    assert_eq!(
        in_bash(&planned, &["ckpt", "plan", "--plan", "=", "26"]),
        [ID]
    );
}

#[test]
fn fish_offers_the_open_tasks() {
    if !tool::works("fish", &["--version"]) {
        return;
    }
    let planned = Planned::new(HALF_DONE);
    let script = "ckpt completions fish | source; complete -C 'ckpt plan done '";
    let output = shell(&planned, &["fish", "--no-config", "-c"], script);
    assert_eq!(output, "schema\tCreate schema\nform\tForm\n");
}

#[test]
fn zsh_offers_the_open_tasks() {
    if !tool::works("zsh", &["--version"]) {
        return;
    }
    // A second zsh on a terminal of its own, where TAB is pressed.
    let start = |setup: &str| {
        format!(
            "zmodload zsh/zpty; zpty z 'zsh -f -i'
             zpty -w z \"PS1=; stty cols 200; {setup}; echo re''ady\"; zpty -r z out '*ready*'
             zpty -w -n z $'ckpt plan done \\t\\t'; zpty -r z out '*form*Form*'; print -r -- $out; zpty -d z"
        )
    };
    let planned = Planned::new(HALF_DONE);
    let sourced = "autoload -Uz compinit; compinit -u -D; source <(ckpt completions zsh)";
    // The second call would work even if the first only defined the function, so TAB is pressed once.
    planned.write(
        "functions/_ckpt",
        shell(&planned, &["zsh", "-f", "-c"], "ckpt completions zsh"),
    );
    let loaded = "fpath=($PWD/functions \\$fpath); autoload -Uz compinit; compinit -u -D";
    for (setup, keys) in [(sourced, "\\t\\t"), (loaded, "\\t")] {
        let script = start(setup).replace("\\t\\t", keys);
        let screen = shell(&planned, &["timeout", "60", "zsh", "-f", "-c"], &script);
        assert!(screen.contains("schema"), "{screen:?}");
        assert!(screen.contains("-- Create schema"), "{screen:?}");
        assert!(!screen.contains("init"), "{screen:?}");
    }
}

#[test]
fn tasks_and_criteria_are_those_of_the_plan_that_is_meant() {
    let planned = Planned::new(HALF_DONE);
    let other = "260301-0900-other";
    let text =
        "# Other\n\n- [ ] Elsewhere <!-- TASK: elsewhere -->\n- [x] Met <!-- ACCEPT: met -->\n";
    planned.write(&format!("plans/{other}/plan.md"), text);
    planned.ckpt(&["plan", "use", ID]).exits(0);
    let offers = |words: &[&str]| offered(&planned, &[&["plan"], words].concat());
    assert_eq!(offers(&["done", ""]), ["schema", "form"]);
    assert_eq!(offers(&["done", "schema", ""]), ["form"]);
    assert_eq!(offers(&["undo", ""]), ["init"]);
    assert_eq!(offers(&["accept", ""]), ["works"]);
    assert_eq!(offers(&["--plan", other, "done", ""]), ["elsewhere"]);
    assert_eq!(offers(&["unaccept", "--plan", other, ""]), ["met"]);
    assert_eq!(offers(&["decide", "It", "--phase", ""]), ["setup", "build"]);
    assert_eq!(offers(&["use", ""]), [ID, other]);
    assert_eq!(offers(&["--plan", "2603"]), [other]);
    let claim = ["plan", "claim", "form", "--by", "subagent:x"];
    planned.ckpt(&claim).exits(0);
    assert_eq!(offers(&["claim", ""]), ["schema"]);
    assert_eq!(offers(&["release", ""]), ["form"]);
}

#[test]
fn keys_and_phases_have_their_status() {
    let planned = Planned::new(HALF_DONE);
    let start = ["start", "implement", "auth", "--phases", "plan,build"];
    planned.ckpt(&start).exits(0);
    planned
        .ckpt(&["phase", "implement/auth", "plan", "complete"])
        .exits(0);
    assert_eq!(
        described(&planned, &["show", ""]),
        [
            "implement/auth\t1 of 2 done".to_owned(),
            format!("{ID}\tplan, 1 of 3 done, setup")
        ]
    );
    assert_eq!(offered(&planned, &["complete", ""]), ["implement/auth", ID]);
    assert_eq!(offered(&planned, &["save", ""]), ["implement/auth"]);
    assert_eq!(
        described(&planned, &["phase", "implement/auth", ""]),
        ["plan\tcomplete", "build\tpending"]
    );
    assert_eq!(
        offered(&planned, &["phase", "implement/auth", "build", "c"]),
        ["complete"]
    );
    assert_eq!(offered(&planned, &["show", "READ"]), ["README.md"]);
    assert_eq!(offered(&planned, &["-C", "/", "show", "impl"]), [""; 0]);
    let top = planned.root().to_str().unwrap();
    assert_eq!(
        offered(&planned, &["-C", top, "show", "impl"]),
        ["implement/auth"]
    );
}

#[test]
fn workstreams_and_gates_are_those_of_the_pipeline() {
    let environment = pipeline::initialized();
    environment
        .ckpt(&["pipeline", "start", "PRD-009", "WS1"])
        .exits(0);
    let offers = |words: &[&str]| offered(&environment, &[&["pipeline"], words].concat());
    assert_eq!(offers(&["start", ""]), ["PRD-009"]);
    assert_eq!(offers(&["start", "PRD-009", ""]), ["WS2", "WS3", "WS4"]);
    assert_eq!(offers(&["done", "PRD-009", ""]), ["WS1"]);
    assert_eq!(offers(&["fail", "PRD-009", ""]), ["WS1"]);
    assert_eq!(offers(&["defer", "PRD-009", ""]).len(), 4);
    assert_eq!(
        offers(&["gate", "run", "PRD-009", ""]),
        ["schema-validation", "type-check"]
    );
    assert_eq!(
        offers(&["gate", "pass", "PRD-009", "type-check", "--for", "WS2"]),
        ["WS2"]
    );
    assert_eq!(
        described(&environment, &["pipeline", "done", "PRD-009", "WS"]),
        ["WS1\tDatabase Layer (running)"]
    );
}

#[test]
fn names_of_settings_and_of_gates_that_were_run_are_offered() {
    let environment = Environment::started();
    assert_eq!(
        described(&environment, &["config", "set", "summary"]),
        ["summary_limit\tmaximum tokens in a context summary"]
    );
    let run = ["gate", "run", "implement/auth", "tests", "--", "true"];
    environment.ckpt(&run).exits(0);
    assert_eq!(
        offered(&environment, &["gate", "run", "implement/auth", ""]),
        ["tests"]
    );
}

#[test]
fn nothing_that_a_shell_would_run_is_offered() {
    let environment = Environment::started();
    for name in [
        "$(touch owned)",
        "a;touch owned",
        "`x`",
        "*",
        "-rf",
        "\u{1b}[2Jx",
        "plain",
    ] {
        let mut phase = environment.command(CKPT);
        phase.args(["phase", "implement/auth", "--", name, "complete"]);
        Run::of(&mut phase).exits(0);
        if !name.contains('\u{1b}') {
            environment.write(name, "");
        }
    }
    let phases = in_bash(&environment, &["ckpt", "phase", "implement/auth", ""]);
    assert_eq!(phases, ["implementation", "validation", "plain"]);
    let files = in_bash(&environment, &["ckpt", "handoff", "check", ""]);
    assert!(files.contains(&"plain".to_owned()), "{files:?}");
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-".contains(c);
    assert!(
        files.iter().all(|file| file.chars().all(plain)),
        "{files:?}"
    );
    let in_fish = offered(&environment, &["phase", "implement/auth", ""]);
    assert!(
        in_fish.contains(&"$(touch owned)".to_owned()),
        "{in_fish:?}"
    );
    assert!(
        !in_fish.iter().any(|name| name.contains('\u{1b}')),
        "{in_fish:?}"
    );
    assert!(
        !in_fish.iter().any(|name| name.starts_with('-')),
        "{in_fish:?}"
    );
    assert!(!environment.path("owned").exists());
}

#[test]
fn completion_writes_nothing_and_is_silent_about_problems() {
    let planned = Planned::new(HALF_DONE);
    planned.ckpt(&["start", "implement", "auth"]).exits(0);
    planned.write(".claude/state/ship-checkpoint.json", "{ broken");
    planned.write(".claude/config/ckpt.json", "{ broken");
    planned.put(".checkpoint/state.json", "{ broken");
    let before = tree::listing(planned.base());
    for words in [
        &["show", ""][..],
        &["plan", "done", ""],
        &["plan", "--plan", "missing", "done", ""],
        &["phase", "missing", ""],
        &["phase", "../../x", ""],
        &["pipeline", "start", "PRD-1", ""],
        &["no-such-command", ""],
        &["-C", "/no/such/directory", "show", ""],
        &["--help", ""],
    ] {
        described(&planned, words);
    }
    tree::assert_unchanged(planned.base(), &before, "after completing");
    assert_eq!(offered(&planned, &["plan", "done", ""]), ["schema", "form"]);
    assert_eq!(
        offered(&planned, &["phase", "implement/auth", "imp"]),
        ["implementation"]
    );
}

#[test]
fn a_slow_disk_is_not_waited_for() {
    if !strace_works() {
        return;
    }
    let planned = Planned::new(HALF_DONE);
    let mut command = planned.command("strace");
    command
        .env("_CKPT_COMPLETE", "fish")
        .args(["-f", "-qq", "-o", "/dev/null", "-e", "trace=getdents64"])
        .args(["-e", "inject=getdents64:delay_enter=3s", CKPT])
        .args(["--", "ckpt", "plan", "done", ""]);
    // strace keeps even a process that has answered and ended, so the time says nothing.
    let run = Run::of(&mut command).exits(0);
    assert_eq!(run.stdout.trim(), "", "{run}");
}

#[test]
fn a_slow_git_is_stopped() {
    let environment = Environment::started();
    environment.write(".git/HEAD", "ref: refs/heads/.invalid\n");
    let git = environment.write("bin/git", "#!/bin/sh\nexec sleep 30\n");
    tree::set_mode(&git, 0o755);
    let path = format!(
        "{}:{}",
        git.parent().unwrap().display(),
        std::env::var("PATH").unwrap_or_default()
    );
    let environment = environment.with_variable("PATH", path);
    let begun = Instant::now();
    assert_eq!(offered(&environment, &["show", "impl"]), ["implement/auth"]);
    assert!(begun.elapsed() < Duration::from_secs(15));
}

#[test]
fn only_a_shell_that_asks_gets_completions() {
    let environment = Environment::started();
    let mut command = environment.command(CKPT);
    command.env("_CKPT_COMPLETE", "bash").args(["list"]);
    let run = Run::of(&mut command).exits(0);
    assert!(run.stdout.starts_with("implement/auth"), "{run}");
    environment.ckpt(&["--", "ckpt", "list"]).exits(2);
}
