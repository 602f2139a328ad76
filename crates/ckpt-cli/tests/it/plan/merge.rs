//! Git merges plans by ids, and never worse than by itself.

use std::collections::BTreeSet;
use std::process::Command;

use serde_json::json;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::random::Random;

const PLAN: &str = "plans/260220-1149-login/plan.md";

/// A plan with a task for each name; a name in upper case is done.
fn plan(tasks: &[&str]) -> String {
    let tasks = tasks.iter().map(|name| {
        let mark = if **name == name.to_uppercase() {
            'x'
        } else {
            ' '
        };
        let id = name.to_lowercase();
        format!("- [{mark}] Do {id} <!-- TASK: {id} -->\n")
    });
    let tasks: String = tasks.collect();
    format!("# Login\n\n## Build\n<!-- CHECKPOINT: build -->\n{tasks}")
}

/// A repository with a plan on two branches: `main`, which is checked out, and `topic`.
fn diverged(base: &str, ours: &str, theirs: &str) -> Environment {
    let environment = Environment::new();
    environment.ckpt(&["init", "--agent", "claude"]).exits(0);
    environment.write(PLAN, base);
    environment.commit("base");
    environment.git(&["checkout", "--quiet", "-b", "topic"]);
    environment.write(PLAN, theirs);
    environment.commit("theirs");
    environment.git(&["checkout", "--quiet", "main"]);
    environment.write(PLAN, ours);
    environment.commit("ours");
    environment
}

/// Runs git, which may fail.
fn try_git(environment: &Environment, arguments: &[&str]) -> Run {
    let mut git: Command = environment.command("git");
    git.args([
        "-c",
        "user.name=Tester",
        "-c",
        "user.email=t@example.invalid",
    ]);
    Run::of(git.args(arguments))
}

#[test]
fn git_unites_the_ticks_and_tasks_of_two_branches() {
    let (base, ours, theirs) = (
        plan(&["a", "b", "c"]),
        plan(&["A", "b", "c", "d"]),
        plan(&["a", "B", "e"]),
    );
    let expected = plan(&["A", "B", "e", "d"]);
    for command in [
        &["merge", "--quiet", "topic"],
        &["cherry-pick", "--no-gpg-sign", "topic"],
        &["rebase", "--quiet", "topic"],
    ] {
        let environment = diverged(&base, &ours, &theirs);
        environment.git(command);
        assert_eq!(environment.read(PLAN), expected, "{command:?}");
        let status = environment.git(&["status", "--short", "--untracked-files=no"]);
        assert_eq!(status, "", "{command:?}");
        // Without the driver there would have been a conflict.
        let environment = diverged(&base, &ours, &theirs);
        environment.git(&["config", "--remove-section", "merge.ckpt-plan"]);
        let run = try_git(&environment, command).exits(1);
        assert!(environment.read(PLAN).contains("<<<<<<<"), "{run}");
    }
    let environment = diverged(&base, &ours, &theirs);
    environment.write(PLAN, plan(&["A", "b", "C", "d"]));
    environment.git(&["stash", "--quiet"]);
    environment.git(&["merge", "--quiet", "topic"]);
    environment.git(&["stash", "pop", "--quiet"]);
    // Topic removed c, but it has been ticked here.
    assert_eq!(environment.read(PLAN), plan(&["A", "B", "e", "C", "d"]));
}

#[test]
fn git_is_left_with_the_one_line_that_both_changed() {
    let base = plan(&["a", "b", "c"]);
    let environment = diverged(
        &base,
        &plan(&["A", "b", "c"]).replace("Do b", "Do b now"),
        &plan(&["a", "b", "C"]).replace("Do b", "Do b later"),
    );
    let run = try_git(&environment, &["merge", "topic"]).exits(1);
    assert!(run.stdout.contains("CONFLICT (content)"), "{run}");
    let expected = plan(&["A", "b", "C"]).replace(
        "- [ ] Do b <!-- TASK: b -->\n",
        "<<<<<<< HEAD\n- [ ] Do b now <!-- TASK: b -->\n=======\n- [ ] Do b later <!-- TASK: b -->\n>>>>>>> topic\n",
    );
    assert_eq!(environment.read(PLAN), expected);
    let status = environment.git(&["status", "--short", "--untracked-files=no"]);
    assert_eq!(status, format!("UU {PLAN}\n"));
    environment.write(PLAN, plan(&["A", "b", "C"]));
    environment.commit("merged");
}

#[test]
fn phase_files_are_merged_like_the_plan() {
    let name = "plans/260220-1149-login/phase-01-build.md";
    let environment = diverged(&plan(&["x"]), &plan(&["x"]), &plan(&["x", "y"]));
    environment.write(name, plan(&["a", "b"]));
    environment.commit("base");
    environment.git(&["checkout", "--quiet", "-b", "other"]);
    environment.write(name, plan(&["a", "B"]));
    environment.commit("theirs");
    environment.git(&["checkout", "--quiet", "main"]);
    environment.write(name, plan(&["A", "b"]));
    environment.commit("ours");
    environment.git(&["merge", "--quiet", "other"]);
    assert_eq!(environment.read(name), plan(&["A", "B"]));
}

#[test]
fn without_the_program_git_merges_as_it_always_did() {
    let (base, ours, theirs) = (plan(&["a", "b"]), plan(&["A", "b"]), plan(&["a", "B"]));
    let spread = |text: &str| text.replace("- [", "\nMore.\n\n- [");
    for gone in ["/nowhere/ckpt", "false", "sh -c 'kill -9 $$'"] {
        for (base, ours, theirs) in [
            (base.clone(), ours.clone(), theirs.clone()),
            (spread(&base), spread(&ours), spread(&theirs)),
        ] {
            let results = [false, true].map(|is_configured| {
                let environment = diverged(&base, &ours, &theirs);
                let driver = environment.git(&["config", "merge.ckpt-plan.driver"]);
                match is_configured {
                    true => {
                        let driver = driver.trim().replace(CKPT, gone);
                        environment.git(&["config", "merge.ckpt-plan.driver", &driver]);
                    }
                    false => {
                        environment.git(&["config", "--remove-section", "merge.ckpt-plan"]);
                    }
                }
                let run = try_git(&environment, &["merge", "topic"]);
                let text = environment.read(PLAN);
                (
                    run.code,
                    text.replace("HEAD", "ours").replace("topic", "theirs"),
                )
            });
            assert_eq!(results[0], results[1], "{gone}");
        }
    }
}

/// Writes the versions of a plan beside the repository's own files, and merges them.
fn merge(environment: &Environment, [base, ours, theirs]: [&[u8]; 3], options: &[&str]) -> Run {
    for (name, text) in [("base", base), ("ours", ours), ("theirs", theirs)] {
        std::fs::write(environment.path(name), text).unwrap();
    }
    let arguments = [&["plan", "merge", "base", "ours", "theirs"], options].concat();
    environment.ckpt(&arguments)
}

#[test]
fn what_cannot_be_merged_by_ids_is_merged_by_git() {
    let environment = Environment::without_git();
    let long = "line\n".repeat(20_001);
    let versions = [
        long.clone(),
        format!("ours\n{long}"),
        format!("{long}theirs\n"),
    ];
    let run = merge(
        &environment,
        versions.each_ref().map(String::as_bytes),
        &["--path", PLAN, "--json"],
    );
    let run = run.exits(0);
    assert_eq!(
        run.reason(),
        format!(
            "note: {PLAN} was merged by git alone: a plan to be merged has at most 20000 lines"
        )
    );
    let report = json!({ "format": 1, "path": PLAN, "conflicts": 0, "merged_by": "git" });
    assert_eq!(run.json(), report);
    assert_eq!(environment.read("ours"), format!("ours\n{long}theirs\n"));
    // Git does not merge binary files either: our version stays.
    let run = merge(&environment, [b"a\0", b"b\0", b"c\0"], &["--json"]).exits(5);
    assert_eq!(run.json()["conflicts"], json!(null));
    assert_eq!(environment.read("ours"), "b\0");
    // Text need not be UTF-8.
    merge(
        &environment,
        [b"- [ ] \xff\n", b"- [x] \xff\n", b"- [ ] \xff\n\xfe\n"],
        &[],
    )
    .exits(0);
    assert_eq!(
        std::fs::read(environment.path("ours")).unwrap(),
        b"- [x] \xff\n\xfe\n"
    );
}

#[test]
fn a_conflict_that_git_would_not_have_is_not_left() {
    let environment = Environment::without_git();
    // Repeated lines can be lined up in several ways.
    let versions: [&[u8]; 3] = [b"b\na\nb\nb\n", b"b\na\nb\nz\n", b"b\nb\nb\nb\nb\n"];
    let run = merge(&environment, versions, &["--json"]).exits(0);
    assert_eq!(run.json()["merged_by"], "git");
    assert_eq!(environment.read("ours"), "b\nb\nb\nb\nz\n");
}

#[test]
fn a_merge_needs_no_valid_settings() {
    let environment = Environment::new();
    environment.write(".claude/ckpt.json", "{ broken");
    std::fs::create_dir_all(environment.user_settings().parent().unwrap()).unwrap();
    std::fs::write(environment.user_settings(), "{ broken").unwrap();
    environment.ckpt(&["plan", "show"]).exits(4);
    let [base, ours, theirs] = [plan(&["a", "b"]), plan(&["A", "b"]), plan(&["a", "B"])];
    let versions = [base.as_bytes(), ours.as_bytes(), theirs.as_bytes()];
    merge(&environment, versions, &[]).exits(0);
    assert_eq!(environment.read("ours"), plan(&["A", "B"]));
}

#[test]
fn a_merge_of_anything_but_three_files_says_what_is_missing() {
    let environment = Environment::without_git();
    environment.write("a", "");
    let run = environment
        .ckpt(&["plan", "merge", "a", "a", "gone.md"])
        .exits(3);
    assert_eq!(
        run.reason(),
        "error: cannot read gone.md: no such file. Name three files: ckpt plan merge BASE OURS THEIRS"
    );
    let run = environment.ckpt(&["plan", "merge", "a", ".", "a"]).exits(4);
    assert!(run.reason().starts_with("error: cannot read .: "), "{run}");
    let run = environment.ckpt(&["plan", "merge", "a", "a"]).exits(2);
    assert!(run.stderr.contains("<THEIRS>"), "{run}");
    let run = environment
        .ckpt(&["plan", "merge", "a", "a", "a", "--marker-size", "0"])
        .exits(2);
    assert!(run.stderr.contains("--marker-size"), "{run}");
}

/// A line of a random plan.
fn any_line(random: &mut Random) -> String {
    let number = random.below(12);
    match random.below(10) {
        0 => String::new(),
        1 => format!("Prose {number}."),
        2 => format!("## Phase {number}\n<!-- CHECKPOINT: phase-{number} -->"),
        3 => format!("<!-- DECISION: Number {number} -->"),
        4 => format!("- [ ] Box {number}"),
        _ => {
            let number = random.below(40);
            format!("- [ ] Do {number} <!-- TASK: t{number} -->")
        }
    }
}

/// Some random changes.
fn edited(random: &mut Random, lines: &[String], side: &str) -> Vec<String> {
    let mut lines = lines.to_vec();
    for _ in 0..random.below(6) {
        let at = usize::try_from(random.below(lines.len() as u64 + 1)).unwrap();
        if at == lines.len() {
            add(&mut lines, at, any_line(random));
            continue;
        }
        match random.below(8) {
            0 => add(&mut lines, at, any_line(random)),
            1 => drop(lines.remove(at)),
            2 => {
                let line = lines.remove(at);
                let to = random.below(lines.len() as u64 + 1);
                lines.insert(usize::try_from(to).unwrap(), line);
            }
            3 => {
                lines[at] = lines[at].replace(" <!-- T", &format!(" {side} <!-- T"));
            }
            4 if !lines[at].contains("<!--") => lines[at] += side,
            _ => lines[at] = lines[at].replace("[ ]", "[x]"),
        }
    }
    lines
}

fn add(lines: &mut Vec<String>, at: usize, line: String) {
    let id = |line: &str| line.split("<!-- ").nth(1).map(str::to_owned);
    if id(&line).is_none() || !lines.iter().any(|known| id(known) == id(&line)) {
        lines.insert(at, line);
    }
}

/// What a text says: the lines that are not blank, without their ticks and without what repeats.
fn said(text: &str) -> BTreeSet<String> {
    let lines = text.lines().map(|line| line.replace("[x]", "[ ]"));
    lines.filter(|line| !line.trim().is_empty()).collect()
}

fn ticks(text: &str) -> BTreeSet<&str> {
    text.lines()
        .filter(|line| line.starts_with("- [x]"))
        .collect()
}

#[test]
fn where_git_merges_without_a_conflict_so_do_we_and_nothing_is_missing() {
    let mut random = Random::seeded();
    let environment = Environment::without_git();
    let mut clean = 0;
    for _ in 0..300 {
        let mut base = Vec::new();
        for _ in 0..random.below(30) {
            let end = base.len();
            add(&mut base, end, any_line(&mut random));
        }
        let ours = edited(&mut random, &base, "ours");
        let theirs = edited(&mut random, &base, "theirs");
        let [base, ours, theirs] = [base, ours, theirs].map(|lines| lines.join("\n") + "\n");
        let versions = [&base, &ours, &theirs].map(String::as_bytes);
        let run = merge(&environment, versions, &[]);
        let text = environment.read("ours");
        std::fs::write(environment.path("ours"), &ours).unwrap();
        let git = Run::of(environment.command("git").args([
            "merge-file",
            "-p",
            "ours",
            "base",
            "theirs",
        ]));
        let all = format!(
            "base:\n{base}\nours:\n{ours}\ntheirs:\n{theirs}\nresult:\n{text}\ngit:\n{git}"
        );
        assert!(matches!(run.code, Some(0 | 5)), "{run}\n{all}");
        assert_eq!(run.code == Some(5), text.contains("<<<<<<< ours"), "{all}");
        if git.code == Some(0) {
            clean += 1;
            assert_eq!(run.code, Some(0), "{all}");
            // A task that both moved or added is there once, with the text that one side changed.
            let missing: Vec<String> = said(&git.stdout)
                .difference(&said(&text))
                .cloned()
                .collect();
            let is_there = |line: &String| {
                let marker = line.split(" <!-- ").nth(1);
                marker.is_some_and(|marker| {
                    text.contains(marker) && git.stdout.matches(marker).count() == 2
                })
            };
            assert!(missing.iter().all(is_there), "{missing:?}\n{all}");
            if missing.is_empty() {
                let lost: Vec<_> = ticks(&git.stdout)
                    .difference(&ticks(&text))
                    .copied()
                    .collect();
                assert!(lost.is_empty(), "{lost:?}\n{all}");
            }
        }
    }
    assert!(clean > 50, "{clean}");
}

/// The phases of a plan, each with its tasks.
fn phased(phases: &[(&str, &[&str])]) -> String {
    let phases = phases.iter().map(|(phase, lines)| {
        let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
        format!("## {phase}\n<!-- CHECKPOINT: {phase} -->\n{lines}\n")
    });
    phases.collect()
}

#[test]
fn a_task_stays_in_its_phase_and_keeps_its_own_text_or_git_decides() {
    let one = "- [ ] One <!-- TASK: one -->";
    let two = "- [ ] Two <!-- TASK: two -->";
    let four = "- [ ] Four <!-- TASK: four -->";
    let five = "- [x] Five <!-- TASK: five -->";
    let fix = |mark: char, which: &str| format!("- [{mark}] Fix bug {which} <!-- TASK: fix -->");
    let (fix_a, fix_b, same) = (fix(' ', "A"), fix('x', "B"), fix('x', "A"));
    let sub = "  - [ ] Sub <!-- TASK: sub -->";
    for (base, ours, theirs) in [
        // Both append at the end of the file: one a phase, one a task of the phase before.
        (
            phased(&[("a", &[one])]),
            phased(&[("a", &[one]), ("b", &[four])]),
            phased(&[("a", &[one, five])]),
        ),
        // The same id and text is added to two phases.
        (
            phased(&[("a", &[one]), ("b", &[two])]),
            phased(&[("a", &[one, &fix_a]), ("b", &[two])]),
            phased(&[("a", &[one]), ("b", &[two, &same])]),
        ),
        // The same id is added with two texts.
        (
            phased(&[("a", &[one]), ("b", &[two])]),
            phased(&[("a", &[one]), ("b", &[two, &fix_a])]),
            phased(&[("a", &[one, &fix_b]), ("b", &[two])]),
        ),
        // A task is added to a phase that is gone.
        (
            phased(&[("a", &[one]), ("b", &[two])]),
            phased(&[("a", &[one])]),
            phased(&[("a", &[one]), ("b", &[two, four])]),
        ),
        // A task is added below one that is gone.
        (
            phased(&[("a", &[one, two])]),
            phased(&[("a", &[one, two, sub])]),
            phased(&[("a", &[one])]),
        ),
    ] {
        for (ours, theirs) in [(&ours, &theirs), (&theirs, &ours)] {
            let environment = Environment::new();
            let versions = [base.as_bytes(), ours.as_bytes(), theirs.as_bytes()];
            let run = merge(&environment, versions, &[]);
            let merged = environment.read("ours");
            let names = [
                ("b", base.as_bytes()),
                ("o", ours.as_bytes()),
                ("t", theirs.as_bytes()),
            ];
            for (name, text) in names {
                environment.write(name, text);
            }
            let git = try_git(&environment, &["merge-file", "-p", "o", "b", "t"]);
            assert_eq!(run.code == Some(0), git.code == Some(0), "{run}\n{git}");
            if git.code == Some(0) {
                assert_eq!(merged, git.stdout, "git's own result");
            } else {
                assert!(merged.contains("<<<<<<<"), "{merged}");
            }
        }
    }
}
