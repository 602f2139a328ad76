//! Every command explains itself.

use crate::support::environment::Environment;

/// The names under `Commands:` in a help text.
fn subcommands(help: &str) -> Vec<String> {
    let lines = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let lines = lines.take_while(|line| line.starts_with("  "));
    let names = lines.filter(|line| !line.starts_with("   "));
    let names = names.filter_map(|line| line.split_whitespace().next());
    names
        .filter(|name| *name != "help")
        .map(str::to_owned)
        .collect()
}

/// Every command there is, found by walking the help texts, with its help text.
fn walk(environment: &Environment, path: &[String], found: &mut Vec<(Vec<String>, String)>) {
    let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
    arguments.push("--help");
    let help = environment.ckpt(&arguments).exits(0).stdout;
    for name in subcommands(&help) {
        walk(environment, &[path, &[name]].concat(), found);
    }
    found.push((path.to_vec(), help));
}

fn all() -> Vec<(Vec<String>, String)> {
    let mut found = Vec::new();
    walk(&Environment::without_git(), &[], &mut found);
    found
}

#[test]
fn these_are_the_commands() {
    let mut names: Vec<String> = all().iter().map(|(path, _)| path.join(" ")).collect();
    names.sort_unstable();
    names.retain(|name| !name.is_empty());
    insta::assert_snapshot!(names.join("\n"), @r"
    abandon
    ack
    archive
    complete
    completions
    config
    config get
    config list
    config set
    delete
    demo
    diff
    doctor
    followers
    followers add
    followers remove
    followers run
    fork
    gate
    gate check
    gate override
    gate pre-push
    gate run
    gate set
    gate show
    gc
    handoff
    handoff check
    handoff doc
    handoff fix
    handoff new
    handoff reply
    hook
    init
    list
    log
    man
    mcp
    notify
    notify allow
    notify log
    notify retry
    notify revoke
    notify test
    phase
    pipeline
    pipeline abort
    pipeline approve
    pipeline complete
    pipeline defer
    pipeline done
    pipeline fail
    pipeline fixed
    pipeline gate
    pipeline gate check
    pipeline gate fail
    pipeline gate pass
    pipeline gate run
    pipeline graph
    pipeline init
    pipeline next
    pipeline note
    pipeline reopen
    pipeline resume
    pipeline review
    pipeline show
    pipeline start
    pipeline sync
    pipeline validate
    plan
    plan accept
    plan add
    plan block
    plan claim
    plan decide
    plan done
    plan edit
    plan list
    plan mark
    plan merge
    plan new
    plan next
    plan note
    plan recover
    plan release
    plan show
    plan sync
    plan unaccept
    plan unblock
    plan undo
    plan use
    plan validate
    recover
    rename
    restore
    resume
    save
    schema
    ship
    ship check
    ship preview
    ship text
    show
    start
    status
    statusline
    tokens
    unarchive
    undo
    validate
    ");
}

#[test]
fn every_command_has_an_example_that_names_it() {
    for (path, help) in all() {
        if path.is_empty() {
            assert!(help.contains("Exit codes:"), "{help}");
            continue;
        }
        let (_, example) = help
            .split_once("\nExample:\n  ")
            .unwrap_or_else(|| panic!("ckpt {} has no example:\n{help}", path.join(" ")));
        let name = format!("ckpt {}", path.join(" "));
        assert!(example.contains(&name), "{name}: {example}");
    }
}

#[test]
fn the_short_help_has_the_example_too() {
    let environment = Environment::without_git();
    for (path, _) in all().iter().filter(|(path, _)| !path.is_empty()) {
        let mut arguments: Vec<&str> = path.iter().map(String::as_str).collect();
        arguments.push("-h");
        let help = environment.ckpt(&arguments).exits(0).stdout;
        assert!(help.contains("\nExample:\n  ckpt "), "{path:?}: {help}");
    }
}

#[test]
fn an_option_says_what_it_does_in_this_command() {
    let environment = Environment::started();
    let help = environment.ckpt(&["log", "--help"]).exits(0).stdout;
    assert!(help.contains("Only what this author did"), "{help}");
    assert!(!help.contains("Author to record"), "{help}");
    environment
        .ckpt(&["phase", "implement/auth", "more", "--by", "team:x"])
        .exits(0);
    for line in [
        ["log", "--by", "team", "--json"],
        ["--by", "team", "log", "--json"],
    ] {
        let report = environment.ckpt(&line).exits(0).json();
        let entries = report["entries"].as_array().unwrap();
        assert_eq!(entries.len(), 1, "{line:?}");
    }
}

#[test]
fn the_version_is_printed() {
    let environment = Environment::without_git();
    let short = format!("ckpt {}", env!("CARGO_PKG_VERSION"));
    let run = environment.ckpt(&["-V"]).exits(0);
    assert_eq!(run.stdout, format!("{short}\n"));
    let long = environment.ckpt(&["--version"]).exits(0).stdout;
    let built = long.strip_prefix(&format!("{short} (")).unwrap();
    let built: Vec<&str> = built.strip_suffix(")\n").unwrap().split(", ").collect();
    let profile = if cfg!(debug_assertions) {
        "debug"
    } else {
        "release"
    };
    assert_eq!(built[0], profile, "{long}");
    let target = built.iter().find(|part| part.contains('-')).unwrap();
    assert!(target.starts_with(std::env::consts::ARCH), "{long}");
    assert_eq!(
        built.contains(&"static"),
        cfg!(target_feature = "crt-static"),
        "{long}"
    );
    assert!(!long.contains('/'), "no paths: {long}");
}

#[test]
fn completion_scripts_name_every_command() {
    let environment = Environment::without_git();
    for shell in ["elvish", "powershell"] {
        let script = environment.ckpt(&["completions", shell]).exits(0).stdout;
        for (path, _) in all().iter().filter(|(path, _)| path.len() == 1) {
            assert!(script.contains(&path[0]), "{shell}: no {}", path[0]);
        }
    }
    for shell in ["bash", "zsh", "fish"] {
        let script = environment.ckpt(&["completions", shell]).exits(0).stdout;
        assert!(
            script.contains("ckpt -- ") || script.contains("\"ckpt\" -- "),
            "{shell}: {script}"
        );
    }
    environment.ckpt(&["completions", "tcl"]).exits(2);
}

#[test]
fn the_manual_has_a_page_for_every_command() {
    let environment = Environment::without_git();
    let page = environment.ckpt(&["man"]).exits(0).stdout;
    assert!(page.contains(".SH NAME") && page.contains("ckpt"), "{page}");
    environment.ckpt(&["man", "--output", "pages"]).exits(0);
    for (path, _) in all() {
        let name = [&["ckpt".to_owned()][..], &path].concat().join("-");
        let page = environment.read(&format!("pages/{name}.1"));
        assert!(page.contains(".SH NAME"), "{name}");
    }
}

#[test]
fn outside_any_repository_help_completions_and_manual_work() {
    let environment = Environment::without_git();
    environment.write(".claude/config/ckpt.json", "{ broken");
    for arguments in [&["completions", "bash"][..], &["man"], &["--help"]] {
        environment.ckpt(arguments).exits(0);
    }
}
