//! `ckpt rename` beside changes of the same checkpoint, and beside another renaming.

use std::fs;
use std::thread;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::strace::strace_works;

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n";
const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";

/// How often each race is run.
const ROUNDS: usize = 4;

/// A checkpoint, two names that it may get, and where its document is under each of them.
struct Kind {
    names: [&'static str; 3],
    files: [&'static str; 3],
    /// The words before and after a note in a change that records it.
    note: fn(usize) -> Vec<String>,
}

const KINDS: [Kind; 3] = [
    Kind {
        names: ["implement/auth", "implement/login", "implement/sso"],
        files: [
            ".claude/state/implement-auth.json",
            ".claude/state/implement-login.json",
            ".claude/state/implement-sso.json",
        ],
        note: |number| words(&format!("phase implement/auth note-{number}. complete")),
    },
    Kind {
        names: ["PRD-001", "PRD-002", "PRD-003"],
        files: [
            ".claude/skills/build-pipeline/checkpoints/PRD-001.json",
            ".claude/skills/build-pipeline/checkpoints/PRD-002.json",
            ".claude/skills/build-pipeline/checkpoints/PRD-003.json",
        ],
        note: |number| words(&format!("pipeline note PRD-001 --cleanup note-{number}.")),
    },
    Kind {
        names: ["260220-1149-login", "260221-0900-sso", "260222-0900-oauth"],
        files: [
            "plans/260220-1149-login/.checkpoint/state.json",
            "plans/260221-0900-sso/.checkpoint/state.json",
            "plans/260222-0900-oauth/.checkpoint/state.json",
        ],
        note: |number| {
            words(&format!(
                "plan note note-{number}. --plan 260220-1149-login"
            ))
        },
    },
];

fn words(line: &str) -> Vec<String> {
    line.split(' ').map(str::to_owned).collect()
}

fn run(environment: &Environment, words: &[String]) -> Run {
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    environment.ckpt(&words)
}

/// A checkpoint of each kind.
fn busy() -> Environment {
    let environment = Environment::started_with("build");
    environment.write(PLAN, TEXT);
    environment.ckpt(&["plan", "sync"]).exits(0);
    environment.write("spec.md", SPEC);
    environment.commit("specification");
    environment.ckpt(&["pipeline", "init", "spec.md"]).exits(0);
    environment
}

/// The document under each of the names, if there is one.
fn documents(environment: &Environment, kind: &Kind) -> Vec<String> {
    let files = kind.files.iter();
    files
        .map(|file| fs::read_to_string(environment.path(file)).unwrap_or_default())
        .collect()
}

#[test]
fn no_change_beside_a_renaming_is_lost() {
    for kind in &KINDS {
        for round in 0..ROUNDS {
            let environment = busy();
            let renaming = || environment.ckpt(&["rename", kind.names[0], kind.names[1]]);
            let recorded = thread::scope(|scope| {
                let renaming = scope.spawn(renaming);
                let mut recorded = Vec::new();
                for number in 0.. {
                    if run(&environment, &(kind.note)(number)).code == Some(0) {
                        recorded.push(number);
                    }
                    if renaming.is_finished() {
                        break;
                    }
                }
                renaming.join().unwrap().exits(0);
                recorded
            });
            let found = documents(&environment, kind).concat();
            for number in recorded {
                let note = format!("note-{number}.");
                assert!(
                    found.contains(&note),
                    "{}, round {round}: {note} is lost",
                    kind.names[0]
                );
            }
        }
    }
}

#[test]
fn of_two_renamings_at_once_one_wins_and_the_other_says_so() {
    for kind in &KINDS {
        for round in 0..ROUNDS {
            let environment = busy();
            let renamed: Vec<Run> = thread::scope(|scope| {
                let environment = &environment;
                let renaming = kind.names[1..].iter().map(|new| {
                    scope.spawn(move || environment.ckpt(&["rename", kind.names[0], new]))
                });
                let renaming: Vec<_> = renaming.collect();
                let done = renaming.into_iter();
                done.map(|renaming| renaming.join().unwrap()).collect()
            });
            let scene = format!("{}, round {round}: {renamed:?}", kind.names[0]);
            let won = renamed.iter().filter(|run| run.code == Some(0)).count();
            assert_eq!(won, 1, "{scene}");
            let lost = renamed.iter().find(|run| run.code != Some(0)).unwrap();
            assert!(
                lost.stderr.contains("was renamed to") || lost.stderr.contains("no checkpoint"),
                "{scene}"
            );
            let live = documents(&environment, kind).into_iter();
            let live = live.filter(|text| !text.is_empty()).count();
            assert_eq!(live, 1, "{scene}");
        }
    }
}

#[test]
fn nothing_is_renamed_while_the_key_cannot_be_read() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    let rename = ["rename", "implement/auth", "implement/login"];
    let mut command = environment.command("strace");
    command.args(["-o", "/dev/null", "-P"]);
    command.arg(environment.path(".git/ckpt/key"));
    command.args(["-e", "inject=read,?pread64:error=EACCES", CKPT]);
    let refused = Run::of(command.args(rename)).exits(1).reason().to_owned();
    assert!(refused.contains("cannot be read"), "{refused}");
    assert!(!environment.state("implement-login.json").exists());
    environment.ckpt(&rename).exits(0);
}

#[test]
fn a_clone_hides_no_checkpoint_by_saying_that_it_was_renamed() {
    let environment = busy();
    let [document, history] = [
        "implement-auth.json",
        "history/command/implement-auth.jsonl",
    ];
    let kept = [document, history].map(|name| fs::read(environment.state(name)).unwrap());
    let rename = ["rename", "implement/auth", "implement/login"];
    environment.ckpt(&rename).exits(0);
    for (name, content) in [document, history].into_iter().zip(kept) {
        fs::write(environment.state(name), content).unwrap();
    }
    let note = "command:implement/auth\ncommand:implement/login\n";
    fs::write(
        environment.state("owed/renaming.command.implement-auth"),
        note,
    )
    .unwrap();
    // As in a clone, which has neither key nor copies.
    fs::remove_dir_all(environment.path(".git/ckpt")).unwrap();
    let list = environment.ckpt(&["list"]).exits(0).stdout;
    assert!(
        list.contains("implement/auth") && list.contains("implement/login"),
        "{list}"
    );
}
