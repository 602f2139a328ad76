//! State that is gone from the work tree comes back from its copies in the git directory.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use crate::support::environment::{AUTH, CKPT, Environment, Run};
use crate::support::strace::strace_works;
use crate::support::tree;
use crate::support::unprivileged::unprivileged;

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed <!-- TASK: seed -->\n";
const SPEC: &str =
    "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n  WS2: { name: Pages }\n---\n";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// A repository with a checkpoint of each kind, all at work.
fn busy() -> Environment {
    let environment = Environment::started_with("research,build");
    run(&environment, "phase implement/auth research complete", 0);
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    run(&environment, "plan done schema", 0);
    environment.write("spec.md", SPEC);
    environment.commit("specification");
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    environment
}

/// Every document and every history.
fn state(environment: &Environment) -> BTreeMap<String, Vec<u8>> {
    tree::contents(environment.root(), |name| {
        let is_state = name.starts_with(".claude/") || name.starts_with("plans/");
        !is_state || name.ends_with(".lock") || name.contains("active-plan")
    })
}

/// All is as before, but for a line at the end of each history that says so.
fn check_that_all_is_back(before: &BTreeMap<String, Vec<u8>>, environment: &Environment) {
    let mut after = state(environment);
    for (name, content) in after
        .iter_mut()
        .filter(|(name, _)| name.ends_with(".jsonl"))
    {
        content.truncate(before.get(name).map_or(0, Vec::len));
    }
    assert_eq!(before, &after);
}

/// The copies in the git directory.
fn copies(environment: &Environment) -> Vec<PathBuf> {
    let mirror = environment.path(".git/ckpt/mirror");
    let names = tree::contents(&mirror, |_| false).into_keys();
    let files = names.filter(|name| name.ends_with(".jsonl"));
    files.map(|name| mirror.join(name)).collect()
}

fn copy_of_auth(environment: &Environment) -> PathBuf {
    let mut copies = copies(environment).into_iter();
    copies
        .find(|path| path.ends_with("command/implement-auth.jsonl"))
        .unwrap()
}

#[test]
fn everything_comes_back_after_git_clean() {
    let environment = busy();
    environment.git(&[
        "rm",
        "--quiet",
        "--cached",
        "-r",
        "--ignore-unmatch",
        "plans",
    ]);
    let before = state(&environment);
    environment.git(&["clean", "-ffdxq"]);
    assert!(!environment.path(".claude").exists() && !environment.path("plans").exists());
    let said = run(&environment, "resume", 0);
    assert!(said.contains("ckpt recover implement/auth"), "{said}");
    let said = run(&environment, "doctor", 0);
    assert!(said.contains("implement/auth is missing"), "{said}");
    let said = run(&environment, "recover", 0);
    assert!(
        said.contains("implement/auth is back, at revision 2"),
        "{said}"
    );
    assert!(said.contains("PRD-001 is back, at revision 2"), "{said}");
    assert!(
        said.contains("260220-1149-login is back, at revision 3"),
        "{said}"
    );
    check_that_all_is_back(&before, &environment);
    // The work goes on, and nothing is offered any more.
    run(&environment, "phase implement/auth build complete", 0);
    run(&environment, "pipeline done PRD-001 WS1", 0);
    run(&environment, "plan done seed", 0);
    let said = run(&environment, "recover", 0);
    assert!(said.contains("nothing is missing"), "{said}");
}

#[test]
fn everything_comes_back_after_the_state_directory_is_removed() {
    let environment = busy();
    let before = state(&environment);
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    let report = environment.ckpt(&["recover", "--json"]).exits(0).json();
    let back = report["brought_back"].as_array().unwrap();
    let keys: Vec<&str> = back.iter().filter_map(|one| one["key"].as_str()).collect();
    assert_eq!(keys, ["command:implement/auth", "pipeline:PRD-001"]);
    assert!(back[0]["revision"].as_str().unwrap().starts_with("2-"));
    assert!(back[0]["at"].is_string());
    check_that_all_is_back(&before, &environment);
}

#[test]
fn a_worktree_that_was_removed_leaves_its_checkpoints_behind() {
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    environment
        .ckpt_in(&site, &["start", "design", "theme"])
        .exits(0);
    environment
        .ckpt_in(&site, &["phase", "design/theme", "research", "complete"])
        .exits(0);
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let said = run(&environment, "recover", 0);
    assert!(
        said.contains("which is gone") && said.contains("ckpt recover design/theme"),
        "{said}"
    );
    let said = run(&environment, "recover design/theme", 0);
    assert!(said.contains("is back from the worktree"), "{said}");
    let shown = run(&environment, "show design/theme", 0);
    assert!(shown.contains("✓ research"), "{shown}");
    // A worktree of the same name is another one.
    environment.git(&["worktree", "add", "--quiet", "--force", "../site", "site"]);
    let said = environment.ckpt_in(&site, &["recover"]).exits(0);
    assert!(
        said.stderr.contains("nothing is missing"),
        "{}",
        said.stderr
    );
}

#[test]
fn a_checkpoint_of_another_branch_is_not_missing() {
    let environment = Environment::new();
    environment.git(&["switch", "--quiet", "-c", "feature"]);
    environment.write("spec.md", SPEC);
    run(&environment, "pipeline init spec.md", 0);
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync", 0);
    environment.git(&[
        "add",
        "--force",
        "plans/260220-1149-login/plan.md",
        ".claude/skills",
        "spec.md",
    ]);
    environment.git(&["commit", "--quiet", "-m", "plan"]);
    environment.git(&["switch", "--quiet", "main"]);
    assert!(!environment.path(PLAN).exists());
    let said = run(&environment, "recover", 0);
    assert!(said.contains("nothing is missing"), "{said}");
    let said = run(&environment, "resume", 0);
    assert!(!said.contains("missing"), "{said}");
}

#[test]
fn what_a_sandbox_kept_from_being_copied_is_copied_by_the_next_change() {
    let environment = Environment::started_with("research,build");
    let copy = copy_of_auth(&environment);
    let before = fs::read(&copy).unwrap();
    tree::set_mode(&copy, 0o400);
    let phase = ["phase", "implement/auth", "research", "complete"];
    let Some(run) = unprivileged(&environment, &phase) else {
        return;
    };
    run.exits(0);
    assert_eq!(fs::read(&copy).unwrap(), before);
    let said = unprivileged(&environment, &["doctor"]).unwrap().stdout;
    let incomplete = "incomplete copies in the git directory: implement/auth";
    assert!(said.contains(incomplete), "{said}");
    tree::set_mode(&copy, 0o600);
    let phase = ["phase", "implement/auth", "build", "in_progress"];
    unprivileged(&environment, &phase).unwrap().exits(0);
    let history = environment.state("history/command/implement-auth.jsonl");
    assert_eq!(fs::read(&copy).unwrap(), fs::read(history).unwrap());
}

#[test]
fn what_a_sandbox_kept_from_being_copied_is_copied_by_the_next_change_of_anything() {
    let environment = Environment::started_with("research,build");
    let Some(run) = unprivileged(&environment, &["start", "test", "first"]) else {
        return;
    };
    run.exits(0);
    let vault = environment.path(".git/ckpt");
    let mirror = tree::contents(&vault, |_| false).into_keys();
    let mut directories: Vec<PathBuf> = mirror
        .filter_map(|name| Some(vault.join(name).parent()?.to_owned()))
        .collect();
    directories.sort_unstable();
    directories.dedup();
    let copy = |name: &str| {
        let mut copies = copies(&environment).into_iter();
        copies.find(|path| path.ends_with(format!("command/{name}.jsonl")))
    };
    for directory in &directories {
        tree::set_mode(directory, 0o500);
    }
    let ckpt = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        unprivileged(&environment, &words).unwrap().exits(0);
    };
    // Giving the files away keeps their modes.
    ckpt("start test second");
    ckpt("start test third");
    assert_eq!(copy("test-second"), None);
    let owed = environment.state("owed");
    assert!(owed.join("command.test-second.jsonl").exists());
    for directory in &directories {
        tree::set_mode(directory, 0o700);
    }
    ckpt("phase test/first build complete");
    for name in ["test-second", "test-third"] {
        let history = environment.state(&format!("history/command/{name}.jsonl"));
        let copied = fs::read(copy(name).unwrap()).unwrap();
        assert_eq!(copied, fs::read(history).unwrap(), "{name}");
    }
    let left = tree::contents(&owed, |name| name == ".gitignore");
    assert!(left.is_empty(), "{:?}", left.keys());
}

/// Each copy with its content.
fn contents(environment: &Environment) -> BTreeMap<PathBuf, Vec<u8>> {
    let copies = copies(environment).into_iter();
    copies
        .map(|path| {
            let content = fs::read(&path).unwrap();
            (path, content)
        })
        .collect()
}

/// No copy was set aside: none of them is of another story.
fn check_that_no_copy_is_set_aside(environment: &Environment) {
    let copies = copies(environment);
    let aside = |path: &&PathBuf| path.to_string_lossy().contains("/earlier/");
    assert_eq!(copies.iter().find(aside), None);
}

#[test]
fn what_was_lost_is_brought_back_before_it_is_changed() {
    let cases = [
        ("phase implement/auth build in_progress", "implement/auth"),
        ("start implement auth", "implement/auth"),
        ("pipeline done PRD-001 WS1", "PRD-001"),
        ("pipeline start PRD-001 WS2", "PRD-001"),
        (
            "plan done seed --plan 260220-1149-login",
            "260220-1149-login",
        ),
        (
            "plan note Later --plan 260220-1149-login",
            "260220-1149-login",
        ),
    ];
    for (line, key) in cases {
        let environment = busy();
        let before = contents(&environment);
        fs::remove_dir_all(environment.path(".claude")).unwrap();
        fs::remove_dir_all(environment.path("plans")).unwrap();
        let said = run(&environment, line, 0);
        let note = format!("note: {key} was missing, and is back from its copy");
        assert!(
            said.contains(&note) && !said.contains("started"),
            "{line}: {said}"
        );
        for (copy, after) in contents(&environment) {
            let begins = after.starts_with(&before[&copy]);
            assert!(begins, "{line}: {}", copy.display());
        }
        check_that_no_copy_is_set_aside(&environment);
        let said = run(&environment, line_again(line), 0);
        assert!(!said.contains("missing"), "{line}: {said}");
    }
}

/// Something that may be done after each.
fn line_again(line: &str) -> &str {
    match line.split(' ').next() {
        Some("pipeline") => "pipeline show PRD-001",
        Some("plan") => "plan note More --plan 260220-1149-login",
        _ => "phase implement/auth build complete",
    }
}

#[test]
fn a_history_that_was_lost_alone_is_named_and_comes_back() {
    for line in [
        "recover",
        "recover implement/auth",
        "phase implement/auth build complete",
    ] {
        let environment = busy();
        let before = state(&environment);
        fs::remove_dir_all(environment.state("history")).unwrap();
        let said = run(&environment, "doctor", 0);
        assert!(
            said.contains("the history of implement/auth is missing"),
            "{said}"
        );
        let said = run(&environment, "resume", 0);
        assert!(
            said.contains("The history of implement/auth is missing"),
            "{said}"
        );
        let said = run(&environment, "list", 0);
        assert!(!said.contains("missing"), "{said}");
        let said = run(&environment, line, 0);
        assert!(
            said.contains("the history of implement/auth"),
            "{line}: {said}"
        );
        let history = ".claude/state/history/command/implement-auth.jsonl";
        let now = environment.read(history).into_bytes();
        assert!(now.starts_with(&before[history]), "{line}");
        check_that_no_copy_is_set_aside(&environment);
        let said = run(&environment, "recover implement/auth", 0);
        assert!(said.contains("not damaged"), "{line}: {said}");
    }
}

#[test]
fn the_history_of_a_pipeline_that_git_tracks_comes_back_after_git_clean() {
    for line in ["recover PRD-001", "pipeline done PRD-001 WS1"] {
        let environment = busy();
        environment.git(&["add", "--force", ".claude/skills"]);
        environment.git(&["commit", "--quiet", "-m", "pipeline"]);
        environment.git(&["clean", "-ffdxq"]);
        let said = run(&environment, "log PRD-001", 3);
        assert!(said.contains("ckpt recover PRD-001"), "{said}");
        let said = run(&environment, line, 0);
        assert!(said.contains("the history of PRD-001"), "{line}: {said}");
        let log = run(&environment, "log PRD-001", 0);
        assert!(log.contains("workstream WS1: started"), "{line}: {log}");
        check_that_no_copy_is_set_aside(&environment);
    }
}

#[test]
fn a_damaged_history_comes_back_from_its_copy_also_after_a_change() {
    for line in ["", "phase implement/auth build in_progress"] {
        for last in [false, true] {
            let environment = busy();
            let history = ".claude/state/history/command/implement-auth.jsonl";
            let whole = environment.read(history);
            let first = whole.find('\n').unwrap();
            let damaged = match last {
                false => format!("{{\"torn{}", &whole[first..]),
                true => format!("{}\n", &whole[..first]),
            };
            environment.write(history, &damaged);
            if !line.is_empty() {
                run(&environment, line, 0);
            }
            check_that_no_copy_is_set_aside(&environment);
            run(&environment, "recover implement/auth", 0);
            let now = environment.read(history);
            assert!(now.starts_with(&whole), "{line}, {last}: {now}");
            let said = run(&environment, "recover implement/auth", 0);
            assert!(said.contains("not damaged"), "{line}, {last}: {said}");
        }
    }
}

#[test]
fn a_state_that_is_missing_says_how_it_comes_back() {
    let environment = busy();
    environment.git(&["clean", "-ffdxq"]);
    let said = run(&environment, "show 260220-1149-login --raw", 3);
    assert!(said.contains("ckpt recover 260220-1149-login"), "{said}");
}

#[test]
fn a_file_that_was_lost_alone_is_brought_back_before_it_is_changed() {
    let environment = busy();
    fs::remove_file(environment.path(AUTH)).unwrap();
    let said = run(&environment, "start implement auth", 0);
    assert!(said.contains("note: implement/auth was missing"), "{said}");
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("✓ research"), "{shown}");
}

#[test]
fn what_was_complete_when_it_was_lost_is_started_over_only_on_request() {
    let environment = Environment::started_with("build");
    run(&environment, "phase implement/auth build complete", 0);
    run(&environment, "complete implement/auth", 0);
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    run(&environment, "start implement auth", 8);
    run(&environment, "start implement auth --again", 0);
    let log = run(&environment, "log implement/auth", 0);
    assert!(log.contains("completed"), "{log}");
    check_that_no_copy_is_set_aside(&environment);
}

#[test]
fn the_records_of_a_committed_plan_are_back_before_a_task_is_done() {
    let environment = busy();
    run(&environment, "plan note Careful", 0);
    environment.git(&["clean", "-ffdxq"]);
    assert!(environment.path(PLAN).exists());
    let said = run(&environment, "plan done seed", 0);
    assert!(
        said.contains("note: 260220-1149-login was missing"),
        "{said}"
    );
    let shown = run(&environment, "show 260220-1149-login --raw", 0);
    assert!(shown.contains("Careful"), "{shown}");
    check_that_no_copy_is_set_aside(&environment);
}

/// Changes a checkpoint while some calls on a file fail.
fn change_while_failing(environment: &Environment, calls: &str, path: &Path) -> Run {
    let arguments = ["phase", "implement/auth", "build", "complete"];
    run_while_failing(environment, calls, path, &arguments)
}

fn run_while_failing(
    environment: &Environment,
    calls: &str,
    path: &Path,
    arguments: &[&str],
) -> Run {
    let mut command = environment.command("strace");
    command.args(["-o", "/dev/null", "-P"]).arg(path);
    command.args(["-e", &format!("inject={calls}:error=EIO"), CKPT]);
    Run::of(command.args(arguments))
}

#[test]
fn what_cannot_be_read_in_the_mirror_at_the_moment_is_not_begun_anew() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    let before = state(&environment);
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    let id = environment.path(".git/ckpt/worktree");
    for path in [id, copy_of_auth(&environment)] {
        for calls in ["openat,?openat2", "pread64,read"] {
            let scene = format!("{calls} of {}", path.display());
            let run = change_while_failing(&environment, calls, &path).exits(1);
            assert!(run.stderr.contains("cannot read"), "{scene}: {run}");
            let is_begun = environment.state("implement-auth.json").exists();
            assert!(!is_begun, "{scene}");
        }
    }
    run(&environment, "recover", 0);
    check_that_all_is_back(&before, &environment);
}

#[test]
fn a_worktree_keeps_its_id_when_that_cannot_be_read_at_the_moment() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    let id = environment.path(".git/ckpt/worktree");
    let known = fs::read(&id).unwrap();
    change_while_failing(&environment, "openat,?openat2", &id).exits(0);
    assert_eq!(fs::read(&id).unwrap(), known);
    // The next change adds what the copy lacks.
    run(&environment, "phase implement/auth research complete", 0);
    let history = environment.state("history/command/implement-auth.jsonl");
    assert_eq!(
        fs::read(copy_of_auth(&environment)).unwrap(),
        fs::read(history).unwrap()
    );
}

#[test]
fn a_worktree_is_not_gone_if_its_id_cannot_be_read_at_the_moment() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    environment
        .ckpt_in(&site, &["start", "design", "theme"])
        .exits(0);
    let id = environment.path(".git/worktrees/site/ckpt/worktree");
    let recover = ["recover", "design/theme"];
    run_while_failing(&environment, "openat,?openat2", &id, &recover).exits(3);
    let all = environment.path(".git/worktrees");
    run_while_failing(&environment, "openat,?openat2", &all, &recover).exits(3);
    assert!(!environment.state("design-theme.json").exists());
    environment.git(&["worktree", "remove", "--force", "../site"]);
    environment.ckpt(&recover).exits(0);
}

#[test]
fn a_worktree_whose_directory_was_removed_is_gone_unless_it_is_locked() {
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    environment
        .ckpt_in(&site, &["start", "design", "theme"])
        .exits(0);
    environment.git(&["worktree", "lock", "../site"]);
    fs::remove_dir_all(&site).unwrap();
    run(&environment, "recover design/theme", 3);
    environment.git(&["worktree", "unlock", "../site"]);
    let said = run(&environment, "recover design/theme", 0);
    assert!(said.contains("is back from the worktree"), "{said}");
}

#[test]
fn a_worktree_that_makes_its_first_change_meanwhile_is_not_gone() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    thread::scope(|scope| {
        let late = scope.spawn(|| {
            let mut command = environment.command("strace");
            command.args(["-o", "/dev/null", "-P"]);
            command.arg(environment.path(".git/ckpt/mirror"));
            let how = "inject=openat,?openat2:delay_enter=1500000:when=1";
            Run::of(command.args(["-e", how, CKPT, "recover", "design/theme"]))
        });
        thread::sleep(Duration::from_millis(500));
        environment
            .ckpt_in(&site, &["start", "design", "theme"])
            .exits(0);
        late.join().expect("it runs").exits(3);
    });
    assert!(!environment.state("design-theme.json").exists());
}

#[test]
fn what_a_worktree_had_that_is_gone_is_named_if_its_name_is_taken() {
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    for line in ["start design theme", "phase design/theme research complete"] {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt_in(&site, &words).exits(0);
    }
    run(&environment, "start design theme", 0);
    let said = run(&environment, "recover design/theme", 0);
    assert!(!said.contains("another"), "{said}");
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let log = run(&environment, "log", 0);
    assert!(log.contains("site (gone): design/theme"), "{log}");
    let said = run(&environment, "recover", 0);
    assert!(said.contains("in use here: design/theme"), "{said}");
    let said = run(&environment, "recover design/theme", 0);
    let kept = "another design/theme from the worktree";
    assert!(said.contains(kept) && said.contains("1 of"), "{said}");
    assert!(said.contains("ckpt rename design/theme NEW"), "{said}");
    run(&environment, "rename design/theme design/other", 0);
    let said = run(&environment, "recover design/theme", 0);
    assert!(said.contains("is back from the worktree"), "{said}");
    let said = run(&environment, "recover design/theme", 0);
    assert!(!said.contains("another"), "{said}");
    assert!(!run(&environment, "log", 0).contains("(gone)"));
    let shown = run(&environment, "show design/theme", 0);
    assert!(shown.contains("✓ research"), "{shown}");
}

/// Removes a worktree in which a phase of a checkpoint with two phases was completed.
fn left_by_worktree(environment: &Environment, site: &str, key: &str) {
    let root = environment.base().join(site);
    environment.git(&["worktree", "add", "--quiet", &format!("../{site}")]);
    let summary = format!("from {site}");
    let start = format!("start {} --phases draft,check", key.replace('/', " "));
    let words: Vec<&str> = start.split(' ').collect();
    environment.ckpt_in(&root, &words).exits(0);
    let done = ["phase", key, "draft", "complete", "--summary", &summary];
    environment.ckpt_in(&root, &done).exits(0);
    environment.git(&["worktree", "remove", "--force", &format!("../{site}")]);
}

#[test]
fn what_was_brought_back_from_a_worktree_is_not_offered_again_whatever_became_of_it() {
    for (end, way) in [
        ("delete design/theme --force", "ckpt unarchive design/theme"),
        ("rename design/theme design/other", "ckpt show design/other"),
        ("archive design/theme --force", "is archived"),
    ] {
        let environment = Environment::new();
        left_by_worktree(&environment, "site", "design/theme");
        run(&environment, "recover design/theme", 0);
        run(&environment, "phase design/theme check complete", 0);
        run(&environment, end, 0);
        let check = |scene: &str| {
            let said = run(&environment, "recover", 0);
            assert!(!said.contains("which is gone"), "{end}, {scene}: {said}");
            let said = run(&environment, "doctor", 0);
            assert!(!said.contains("which is gone"), "{end}, {scene}: {said}");
            assert!(!run(&environment, "log", 0).contains("(gone)"), "{end}");
        };
        check("there");
        if !end.starts_with("archive") {
            let said = run(&environment, "resume --auto design theme", 3);
            assert!(said.contains(way), "{end}: {said}");
            let said = run(&environment, "recover design/theme", 3);
            assert!(said.contains(way), "{end}: {said}");
        }
        fs::remove_dir_all(environment.path(".claude")).unwrap();
        check("after a loss");
    }
}

#[test]
fn of_several_worktrees_with_one_name_each_comes_back_in_turn() {
    let environment = Environment::new();
    for site in ["first", "second"] {
        left_by_worktree(&environment, site, "design/theme");
    }
    run(&environment, "recover design/theme", 0);
    let said = run(&environment, "recover design/theme", 0);
    assert!(said.contains("another design/theme"), "{said}");
    run(&environment, "rename design/theme design/newest", 0);
    let said = run(&environment, "recover design/theme", 0);
    assert!(said.contains("from the worktree"), "{said}");
    let shown = run(&environment, "show design/theme", 0);
    assert!(shown.contains("from first"), "{shown}");
    let shown = run(&environment, "show design/newest", 0);
    assert!(shown.contains("from second"), "{shown}");
    let said = run(&environment, "recover design/theme", 0);
    assert!(!said.contains("another"), "{said}");
}

#[test]
fn a_change_here_brings_back_nothing_of_a_worktree_that_is_gone() {
    let environment = Environment::new();
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let site = environment.base().join("site");
    environment
        .ckpt_in(&site, &["start", "design", "theme"])
        .exits(0);
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let said = run(&environment, "start design theme", 0);
    assert!(said.contains("started design/theme"), "{said}");
    assert!(!said.contains("missing"), "{said}");
}

#[test]
fn what_was_deleted_is_not_brought_back_by_a_new_one() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    let said = run(&environment, "start implement auth", 0);
    assert!(!said.contains("missing"), "{said}");
    let shown = run(&environment, "show implement/auth", 0);
    assert!(!shown.contains("✓ research"), "{shown}");
}

#[test]
fn doctor_and_gc_complete_a_copy_that_lacks_something() {
    for line in ["doctor --fix", "gc"] {
        let environment = busy();
        let copy = copy_of_auth(&environment);
        let whole = fs::read(&copy).unwrap();
        fs::write(&copy, &whole[..whole.len() / 2]).unwrap();
        run(&environment, line, 0);
        assert_eq!(fs::read(&copy).unwrap(), whole, "{line}");
    }
}

#[test]
fn the_end_of_a_session_completes_what_its_sandbox_kept_from_being_copied() {
    let environment = busy();
    let copy = copy_of_auth(&environment);
    let whole = fs::read(&copy).unwrap();
    fs::write(&copy, &whole[..whole.len() / 2]).unwrap();
    let event = format!(
        r#"{{"hook_event_name": "SessionEnd", "session_id": "s1", "cwd": {:?}, "reason": "other"}}"#,
        environment.root()
    );
    environment
        .ckpt_reading(event, &["hook", "claude"])
        .exits(0);
    assert_eq!(fs::read(&copy).unwrap(), whole);
}

#[test]
fn what_was_lost_is_back_before_it_is_moved_copied_or_ended() {
    let losses = [
        ".claude",
        AUTH,
        ".claude/state/history/command/implement-auth.jsonl",
    ];
    let lines = [
        ("delete implement/auth", 4),
        ("delete implement/auth --force", 0),
        ("archive implement/auth --force", 0),
        ("rename implement/auth implement/login", 0),
        ("fork implement/auth implement/login", 0),
        ("abandon implement/auth --reason Later", 0),
        ("complete implement/auth --force", 0),
        ("fork test/first implement/auth", 5),
        ("rename test/first implement/auth", 5),
    ];
    for (line, code) in lines {
        for lost in losses {
            let environment = Environment::started_with("research,build");
            run(&environment, "phase implement/auth research complete", 0);
            let path = environment.path(lost);
            match path.is_dir() {
                true => fs::remove_dir_all(path).unwrap(),
                false => fs::remove_file(path).unwrap(),
            }
            run(&environment, "start test first", 0);
            let said = run(&environment, line, code);
            let scene = format!("{line}, without {lost}: {said}");
            if !environment.path(AUTH).exists() && !line.contains("rename") {
                run(&environment, "unarchive implement/auth", 0);
            }
            run(&environment, "recover", 0);
            let log = run(&environment, "log implement/auth", 0);
            assert!(
                log.contains("phase research: pending → complete"),
                "{scene}{log}"
            );
            check_that_no_copy_is_set_aside(&environment);
        }
    }
}

#[test]
fn json_tells_what_a_change_has_brought_back_first() {
    let cases = [
        ("phase implement/auth build in_progress", ".claude", 0),
        ("plan done seed --plan 260220-1149-login", "plans", 0),
        ("pipeline start PRD-001 WS2", ".claude", 0),
        ("archive implement/auth --force", ".claude", 0),
        ("complete implement/auth", ".claude", 4),
        (
            "phase implement/auth build in_progress",
            ".claude/state/history",
            0,
        ),
    ];
    for (line, lost, code) in cases {
        let environment = busy();
        fs::remove_dir_all(environment.path(lost)).unwrap();
        let words: Vec<&str> = line.split(' ').chain(["--json"]).collect();
        let report = environment.ckpt(&words).exits(code).json();
        let back = &report["recovered"][0];
        assert!(back["key"].is_string(), "{line}: {report}");
        let revision = back["revision"].as_str().unwrap();
        assert!(revision.starts_with(['2', '3']), "{line}: {report}");
        assert_eq!(back["history"], true, "{line}");
        let is_missing = lost != ".claude/state/history";
        assert_eq!(back["files"] != serde_json::json!([]), is_missing, "{line}");
        let again = environment.ckpt(&["list", "--json"]).exits(0).json();
        assert_eq!(again.get("recovered"), None);
    }
}

/// Changes a byte of the last line, far from its end.
fn damage(path: &std::path::Path) {
    let mut bytes = fs::read(path).unwrap();
    let last = bytes[..bytes.len() - 1]
        .iter()
        .rposition(|byte| *byte == b'\n');
    bytes[last.unwrap() + 40] ^= 1;
    fs::write(path, bytes).unwrap();
}

#[test]
fn doctor_says_which_of_a_history_and_its_copy_is_damaged_and_either_command_mends_it() {
    for line in ["recover", "recover implement/auth", "doctor --fix"] {
        for is_copy in [false, true] {
            let environment = busy();
            let history = environment.state("history/command/implement-auth.jsonl");
            let copy = copy_of_auth(&environment);
            let whole = fs::read(&history).unwrap();
            damage(match is_copy {
                true => &copy,
                false => &history,
            });
            let said = run(&environment, "doctor", 0);
            let named = match is_copy {
                true => "damaged copies in the git directory: implement/auth",
                false => "part of the history of implement/auth is missing or damaged",
            };
            assert!(said.contains(named), "{said}");
            let said = run(&environment, line, 0);
            assert!(!said.contains("nothing is missing"), "{line}: {said}");
            let now = fs::read(&history).unwrap();
            assert!(now.starts_with(&whole), "{line}, {is_copy}");
            assert!(fs::read(&copy).unwrap() == now, "{line}, {is_copy}");
            let said = run(&environment, "doctor", 0);
            assert!(said.contains("3 histories are copied"), "{said}");
            assert!(!said.contains("damaged"), "{said}");
        }
    }
}

#[test]
fn an_archive_that_cannot_be_looked_at_is_not_begun_anew() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    run(&environment, "archive implement/auth --force", 0);
    let archive = environment.state("archive/command/implement-auth.zst");
    let change = ["phase", "implement/auth", "build", "complete"];
    run_while_failing(&environment, "statx,?newfstatat", &archive, &change).exits(1);
    assert!(!environment.state("implement-auth.json").exists());
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("✓ research"), "{shown}");
}

#[test]
fn a_foreign_archive_hides_no_archive_that_is_missing() {
    let environment = busy();
    run(&environment, "archive implement/auth --force", 0);
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    let header = r#"{"archive":1,"key":"command:implement/auth","at":"2099-01-01T00:00:00.000Z","lifecycle":"complete","done":0,"total":0,"files":{},"history":0,"hash":"x"}"#;
    let packed = zstd::encode_all(format!("{header}\n").as_bytes(), 3).unwrap();
    let trash = environment.state("archive/trash/command");
    fs::create_dir_all(&trash).unwrap();
    let foreign = trash.join("implement-auth.20990101T000000.000Z.zst");
    fs::write(foreign, packed).unwrap();
    let said = run(&environment, "phase implement/auth build complete", 0);
    assert!(said.contains("was missing, and is back"), "{said}");
    let shown = run(&environment, "show implement/auth", 0);
    assert!(shown.contains("✓ research"), "{shown}");
}

#[test]
fn an_archive_that_was_deleted_is_not_recovered() {
    if !strace_works() {
        return;
    }
    let environment = busy();
    let copy = copy_of_auth(&environment);
    run(&environment, "archive implement/auth --force", 0);
    let copy = copy
        .parent()
        .unwrap()
        .parent()
        .unwrap()
        .join("archive/command/implement-auth.zst");
    assert!(copy.exists(), "{}", copy.display());
    let delete = ["delete", "implement/auth", "--force"];
    run_while_failing(&environment, "unlink,?unlinkat", &copy, &delete).exits(0);
    assert!(copy.exists(), "{}", copy.display());
    let said = run(&environment, "recover", 0);
    assert!(said.contains("nothing is missing"), "{said}");
}
