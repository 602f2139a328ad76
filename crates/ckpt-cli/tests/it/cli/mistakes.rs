//! What users get wrong, and what they are told. Each mistake is a command line in a golden file, followed by what it
//! prints and its exit code; the message names the thing, the reason and the next step.

use std::fs;

use std::path::Path;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::pipeline::SPEC;

const PLAN: &str = "\
# Login

## Setup
<!-- CHECKPOINT: setup -->
- [x] Create schema <!-- TASK: create-schema -->
- [ ] Create index <!-- TASK: create-index -->
- [ ] Seed data <!-- TASK: seed-data -->

## Pages
<!-- CHECKPOINT: pages -->
- [ ] Login page <!-- TASK: login-page -->
- [ ] It is fast <!-- ACCEPT: it-is-fast -->
";

/// A repository with one of everything, some of it broken.
fn world() -> Environment {
    let environment = Environment::new();
    let ckpt = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt(&words).exits(0)
    };
    ckpt("start implement auth --phases research,build,test");
    ckpt("start implement auth-ui --phases research,build");
    ckpt("start ship");
    ckpt("start review --phases analysis");
    ckpt("phase review analysis complete");
    ckpt("complete review");
    environment.write("docs/SPEC.md", SPEC);
    ckpt("pipeline init docs/SPEC.md");
    let other = SPEC.replace("PRD-009", "PRD-010");
    environment.write("docs/OTHER.md", other);
    ckpt("pipeline init docs/OTHER.md");
    let pipelines = ".claude/skills/build-pipeline/checkpoints";
    environment.write(&format!("{pipelines}/BROKEN.json"), "{");
    environment.write(
        &format!("{pipelines}/EXEC-065.json"),
        r#"{"id": "EXEC-065", "prd": "FIB-001", "status": "paused", "pending_workstreams": ["WS1"]}"#,
    );
    environment.write(
        &format!("{pipelines}/EXEC-066.json"),
        r#"{"id": "EXEC-066", "prd": "FIB-002", "status": "paused", "pending_workstreams": ["WS1"]}"#,
    );
    environment.write(
        &format!("{pipelines}/EXEC-067.json"),
        r#"{"id": "EXEC-067", "prd": "FIB-002", "status": "paused", "pending_workstreams": ["WS1"]}"#,
    );
    environment.write("plans/260220-1149-login/plan.md", PLAN);
    environment.write("plans/260221-0900-logout/plan.md", "# Logout\n");
    ckpt("plan sync --plan 260220-1149-login");
    ckpt("plan use 260220-1149-login");
    ckpt("plan claim login-page --by subagent:pages");
    environment.write(".claude/state/implement-damaged.json", "{\"command\"");
    environment.write("broken.json", "{");
    environment.write("broken.md", "---\nworkstreams: [\n---\n");
    environment.write(
        "typos.md",
        "---\nprd: PRD-012\nworkstreams:\n  WS1: { name: A, gate: tset }\n  WS2: { name: B, depend_on: [WS1] }\ngates:\n  test: { comand: x }\n---\n",
    );
    environment.write("empty.md", "---\nprd: PRD-011\n---\n");
    environment
}

/// Runs one line of a golden file, and gives what it shows.
fn shown(environment: &Environment, directory: &Path, line: &str) -> String {
    let bin = Path::new(CKPT).parent().unwrap();
    let mut command = environment.command("sh");
    let path = format!("{}:/usr/local/bin:/usr/bin:/bin", bin.display());
    command.args(["-c", line]).env("PATH", path);
    command.current_dir(directory);
    let run = Run::of(&mut command);
    run.assert_no_panic(line);
    let mut text = String::new();
    for part in [&run.stdout, &run.stderr] {
        for shown in part.lines() {
            text += &format!("{}\n", environment.normalised(shown));
        }
    }
    text + &format!("[exit {}]\n", run.code.unwrap_or(-1))
}

#[test]
fn every_mistake_is_told_as_it_is_written_down() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/golden/mistakes.txt");
    let golden = std::fs::read_to_string(&path).unwrap();
    let environment = world();
    let outside = environment.base().join("outside");
    std::fs::create_dir(&outside).unwrap();
    let mut made = String::new();
    let mut directory = environment.root().to_owned();
    for line in golden.lines() {
        if line.starts_with('#') {
            directory = match line.contains("outside a repository") {
                true => outside.clone(),
                false => environment.root().to_owned(),
            };
            let blank = if made.is_empty() { "" } else { "\n" };
            made += &format!("{blank}{line}\n");
        } else if let Some(command) = line.strip_prefix("$ ") {
            made += &format!("{line}\n{}", shown(&environment, &directory, command));
        }
    }
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &made).unwrap();
        return;
    }
    let differs = made
        .lines()
        .zip(golden.lines())
        .find(|(made, golden)| made != golden);
    assert_eq!(
        made, golden,
        "first: {differs:?}; UPDATE_GOLDEN=1 cargo nextest run -p ckpt-cli mistake, and read each as a user would"
    );
}

#[test]
fn no_checkpoint_gets_a_name_under_which_its_file_is_hidden() {
    let environment = Environment::new();
    environment.write(".SPEC.yaml", "workstreams: {A: {}}\n");
    environment.ckpt(&["start", "vis", "x"]).exits(0);
    for line in [
        "start .vis x",
        "rename vis/x .vis/x",
        "fork vis/x .vis/x",
        "phase .vis/x a complete",
    ] {
        let words: Vec<&str> = line.split(' ').collect();
        let run = environment.ckpt(&words).exits(2);
        let why = "\".vis\" cannot be the id of a command: a file whose name begins with a dot";
        assert!(run.stderr.contains(why), "{line}: {run}");
    }
    environment
        .ckpt(&["pipeline", "init", ".SPEC.yaml"])
        .exits(4);
    environment.ckpt(&["show", "vis/x"]).exits(0);
    assert!(!environment.state(".vis-x.json").exists());
}

#[test]
fn doctor_names_a_checkpoint_whose_file_is_hidden() {
    let environment = Environment::new();
    environment.ckpt(&["start", "vis", "x"]).exits(0);
    let file = environment.state("vis-x.json");
    let text = fs::read_to_string(&file).unwrap();
    let hidden = environment.state(".vis-x.json");
    fs::write(&hidden, text.replace("\"vis\"", "\".vis\"")).unwrap();
    fs::write(environment.state(".other.json"), "{}").unwrap();
    fs::remove_file(&file).unwrap();
    fs::remove_dir_all(environment.state("history")).unwrap();
    fs::remove_dir_all(environment.path(".git/ckpt/mirror")).unwrap();
    let said = environment.ckpt(&["doctor"]).exits(0).stdout;
    assert!(
        said.contains(".vis-x.json is never listed: its name begins with a dot"),
        "{said}"
    );
    assert!(!said.contains(".other.json"), "{said}");
    // What it says to do brings it back.
    fs::write(&file, text).unwrap();
    fs::remove_file(&hidden).unwrap();
    environment
        .ckpt(&["phase", "vis/x", "a", "complete"])
        .exits(0);
    let said = environment.ckpt(&["doctor"]).exits(0).stdout;
    assert!(!said.contains("begins with a dot"), "{said}");
}
