//! What was deleted or renamed is told, and read as it was.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::environment::{AUTH, Environment, Run};
use crate::support::tree;

const PLAN: &str = "plans/260220-1149-login/plan.md";
const TEXT: &str = "# Login\n\n## Setup\n<!-- CHECKPOINT: setup -->\n\
    - [ ] Make the schema <!-- TASK: schema -->\n- [ ] Seed it <!-- TASK: seed -->\n";
const SPEC: &str = "---\nprd: PRD-001\nworkstreams:\n  WS1: { name: Data }\n---\n";
const TRASH: &str = ".claude/state/archive/trash";

fn ckpt(environment: &Environment, line: &str, code: i32) -> Run {
    let words: Vec<&str> = line.split(' ').collect();
    environment.ckpt(&words).exits(code)
}

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let run = ckpt(environment, line, code);
    run.stdout + &run.stderr
}

/// A checkpoint of each kind, with a few changes.
fn busy() -> Environment {
    let environment = Environment::started_with("research,build");
    for line in [
        "phase implement/auth research complete --summary Sessions-are-rows",
        "phase implement/auth build in_progress",
    ] {
        run(&environment, line, 0);
    }
    environment.write(PLAN, TEXT);
    for line in ["plan sync", "plan done schema", "plan done seed"] {
        run(&environment, line, 0);
    }
    environment.write("spec.md", SPEC);
    environment.commit("specification");
    run(&environment, "pipeline init spec.md", 0);
    run(&environment, "pipeline start PRD-001 WS1", 0);
    environment
}

/// The names of what was deleted, as `ckpt archive` lists them.
fn deleted(environment: &Environment) -> Vec<String> {
    let listed = ckpt(environment, "archive --json", 0).json();
    let entries = listed["archived"].as_array().unwrap().iter();
    entries
        .filter(|entry| entry["deleted"] == true)
        .map(|entry| entry["name"].as_str().unwrap().to_owned())
        .collect()
}

/// The names and stories that `ckpt log` tells.
fn told(environment: &Environment, line: &str) -> Vec<String> {
    let shown = ckpt(environment, line, 0).stdout;
    let story = |line: &str| {
        let words: Vec<&str> = line.split_whitespace().collect();
        words[2..].join(" ")
    };
    shown.lines().map(story).collect()
}

#[test]
fn what_was_deleted_or_renamed_stays_in_the_story_under_a_name_of_its_own() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "rename PRD-001 PRD-002", 0);
    run(&environment, "start implement auth", 0);
    let names = deleted(&environment);
    let [auth, pipeline] = names.as_slice() else {
        panic!("{names:?}");
    };
    assert!(auth.starts_with("implement/auth@20") && auth.ends_with('Z'));
    let stories = told(&environment, "log");
    assert_eq!(stories[0], "implement/auth started by main");
    for expected in [
        format!("{auth} deleted by main"),
        format!("{auth} phase research: pending → complete by main"),
        format!("{pipeline} renamed to PRD-002 by main"),
        "PRD-002 renamed from PRD-001 by main".to_owned(),
    ] {
        assert!(stories.contains(&expected), "{expected}: {stories:#?}");
    }
    assert_eq!(
        told(&environment, "log --event deleted"),
        [format!("{auth} deleted by main")]
    );
    let found = told(&environment, "log --search sessions-ARE");
    assert_eq!(found.len(), 1, "{found:?}");
    let report = ckpt(&environment, "log --event deleted --json", 0).json();
    assert_eq!(report["entries"][0]["checkpoint"], auth.as_str());
    let newest = told(&environment, "log -n 2");
    assert_eq!(newest, stories[..2]);
}

/// The archive of the one command that was deleted.
fn archive_of_deleted(environment: &Environment) -> PathBuf {
    let archives = fs::read_dir(environment.path(TRASH).join("command")).unwrap();
    let mut archives = archives.map(|entry| entry.unwrap().path());
    let is_archive = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "zst");
    archives.find(is_archive).unwrap()
}

/// Damages the end of an archive. Its label can still be read.
fn damage_end(archive: &Path) {
    let mut bytes = fs::read(archive).unwrap();
    let last = bytes.len() - 1;
    bytes[last] ^= 1;
    fs::write(archive, bytes).unwrap();
}

#[test]
fn a_deleted_checkpoint_whose_archive_is_damaged_is_read_from_its_copy() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    fs::write(archive_of_deleted(&environment), "junk").unwrap();
    for line in ["show implement/auth", "log implement/auth"] {
        let said = ckpt(&environment, line, 0);
        assert!(said.stderr.contains("this is its copy"), "{line}: {said}");
        assert!(said.stdout.contains("research"), "{line}: {said}");
    }
    let said = run(&environment, "doctor", 0);
    assert!(said.contains("zst is damaged"), "{said}");
    run(&environment, "recover", 0);
    let said = run(&environment, "doctor", 0);
    assert!(!said.contains("damaged"), "{said}");
    run(&environment, "unarchive implement/auth", 0);
}

#[test]
fn a_deleted_checkpoint_that_nothing_restores_is_named_and_its_beginning_is_read() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    let archive = archive_of_deleted(&environment);
    damage_end(&archive);
    environment.without_copies();
    for line in ["show implement/auth", "log implement/auth"] {
        let said = ckpt(&environment, line, 0);
        let is_told = said.stderr.contains("is damaged; this is what can be read");
        assert!(
            is_told && !said.stderr.contains("unarchive"),
            "{line}: {said}"
        );
        assert!(said.stdout.contains("research"), "{line}: {said}");
    }
    for line in ["doctor", "recover"] {
        let said = run(&environment, line, 0);
        let is_named = said.contains("the archive of implement/auth@20");
        assert!(
            is_named && said.contains("ckpt log implement/auth@20"),
            "{line}: {said}"
        );
    }
    // Its beginning is gone too, so it does not even say what it is.
    fs::write(&archive, "junk").unwrap();
    for line in ["show", "log", "unarchive"] {
        let said = run(&environment, &format!("{line} implement/auth"), 4);
        let is_named = said.contains("/trash/command/implement-auth.");
        assert!(is_named && said.contains("damaged"), "{line}: {said}");
    }
    let said = run(&environment, "doctor", 0);
    assert!(said.contains("the archive of implement/auth@20"), "{said}");
    // It is swept when its time has come.
    run(&environment, "gc", 0);
    assert!(archive.exists());
    let old = archive.with_file_name("implement-auth.20200101T000000.000Z.zst");
    fs::rename(&archive, &old).unwrap();
    let said = run(&environment, "gc", 0);
    assert!(said.contains("swept") && !old.exists(), "{said}");
}

#[test]
fn archives_that_hold_nothing_of_interest_are_not_unpacked() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    let archive = archive_of_deleted(&environment);
    damage_end(&archive);
    let old = archive.with_file_name("implement-auth.20200101T000000.000Z.zst");
    fs::rename(&archive, old).unwrap();
    environment.without_copies();
    for line in ["log --since @1h", "log -n 2", "log -n 0"] {
        assert_eq!(
            ckpt(&environment, line, 0)
                .stderr
                .replace("nothing to show\n", ""),
            "",
            "{line}"
        );
    }
    // One that cannot be read hides nothing else.
    let said = ckpt(&environment, "log", 0);
    assert!(
        said.stderr
            .contains("warning: .claude/state/archive/trash/command/implement-auth.20200101")
            && said.stderr.contains("damaged")
            && said.stdout.contains("PRD-001"),
        "{said}"
    );
}

#[test]
fn what_was_deleted_or_renamed_is_forked_as_it_was() {
    for (away, became) in [
        ("delete KEY --force", "was deleted"),
        ("rename KEY NEW", "was renamed to NEW"),
    ] {
        let environment = busy();
        for (key, other, fork, member) in [
            (
                "implement/auth",
                "implement/sso",
                "implement/retry",
                "research",
            ),
            ("PRD-001", "PRD-002", "PRD-003", "WS1"),
            (
                "260220-1149-login",
                "260220-1150-other",
                "260220-1151-fork",
                "schema",
            ),
        ] {
            let before = run(&environment, &format!("show {key} --raw --at 2"), 0);
            assert!(before.contains(member), "{before}");
            let line = away.replace("KEY", key).replace("NEW", other);
            run(&environment, &line, 0);
            let said = ckpt(&environment, &format!("fork {key} {fork} --at 2"), 0);
            let expected = format!("{key} {}", became.replace("NEW", other));
            assert!(said.stderr.contains(&expected), "{said}");
            let told = format!("{fork} is forked from {key} at revision 2\n");
            assert_eq!(said.stdout, told);
            let forked = run(&environment, &format!("show {fork} --raw"), 0);
            assert!(forked.contains(member), "{forked}");
            let log = run(&environment, &format!("log {fork}"), 0);
            assert!(log.contains(&format!("forked from {key}")), "{log}");
            let refused = run(&environment, &format!("fork {key} {key} --at 2"), 5);
            assert!(refused.contains("its own name"), "{refused}");
            let refused = run(&environment, &format!("fork {key} {fork}-b"), 3);
            assert!(refused.contains(&expected), "{refused}");
        }
    }
}

#[test]
fn a_deleted_checkpoint_of_any_kind_is_read_as_it_was_and_nothing_is_written() {
    let environment = busy();
    let lines = [
        "show KEY",
        "show KEY --at 1",
        "show KEY --raw",
        "show KEY --raw --at 2",
        "diff KEY",
        "diff KEY 1",
        "diff KEY 1 2 --text",
        "validate KEY",
        "log KEY",
    ];
    let keys = ["implement/auth", "PRD-001", "260220-1149-login"];
    let all = |key: &str, said: fn(&Environment, &str) -> String| {
        let lines = lines.map(|line| line.replace("KEY", key));
        lines.map(|line| said(&environment, &line))
    };
    let before = keys.map(|key| all(key, |environment, line| ckpt(environment, line, 0).stdout));
    let markdown = "show login --raw --file plan.md";
    let text = ckpt(&environment, markdown, 0).stdout;
    for key in keys {
        run(&environment, &format!("delete {key} --force"), 0);
    }
    let state = tree::listing(environment.root());
    for (key, before) in keys.iter().zip(&before) {
        let after = all(key, |environment, line| {
            let run = ckpt(environment, line, 0);
            assert!(
                run.stderr.contains("was deleted 20")
                    && run.stderr.contains("Bring it back with: ckpt unarchive "),
                "{line}: {run}"
            );
            run.stdout
        });
        let (log, was) = (after.last().unwrap(), before.last().unwrap());
        assert!(
            log.ends_with(was.as_str()) && log.contains("deleted"),
            "{log}"
        );
        assert_eq!(after[..8], before[..8]);
        for line in ["show", "diff", "log"] {
            let report = ckpt(&environment, &format!("{line} {key} --json"), 0).json();
            let name = report["deleted"]["name"].as_str().unwrap();
            assert!(name.starts_with(&format!("{key}@20")), "{report}");
        }
    }
    assert_eq!(ckpt(&environment, markdown, 0).stdout, text);
    tree::assert_unchanged(environment.root(), &state, "reading");
}

#[test]
fn what_was_renamed_is_read_and_says_its_new_name() {
    let environment = busy();
    run(&environment, "rename implement/auth implement/login", 0);
    let said = ckpt(&environment, "show implement/auth --at 2", 0);
    assert!(
        said.stderr
            .contains("implement/auth was renamed to implement/login")
            && said.stderr.contains("ckpt show implement/login")
            && said.stderr.contains("ckpt unarchive implement/auth"),
        "{said}"
    );
    assert!(said.stdout.contains("✓ research"), "{said}");
    let report = ckpt(&environment, "show implement/auth --json", 0).json();
    assert_eq!(report["deleted"]["renamed_to"], "command:implement/login");
    // Another one has the old name since.
    run(&environment, "start implement auth", 0);
    let log = ckpt(&environment, "log implement/login", 0);
    let name = deleted(&environment).remove(0);
    assert_eq!(
        log.stderr,
        format!("note: renamed from implement/auth; its earlier history: ckpt log {name}\n")
    );
    let earlier = run(&environment, &format!("log {name}"), 0);
    assert!(earlier.contains("phase research"), "{earlier}");
    let refused = run(&environment, "unarchive implement/auth", 5);
    assert!(
        refused.contains("ckpt rename implement/auth NEW")
            && refused.contains(&format!("ckpt unarchive {name}")),
        "{refused}"
    );
    run(&environment, "rename implement/auth implement/other", 0);
    run(&environment, &format!("unarchive {name}"), 0);
    let back = run(&environment, "show implement/auth", 0);
    assert!(back.contains("✓ research"), "{back}");
}

#[test]
fn a_change_under_a_name_that_was_given_up_is_refused() {
    let environment = busy();
    let document = environment.read(AUTH);
    run(&environment, "rename implement/auth implement/login", 0);
    let refused = run(&environment, "phase implement/auth build complete", 3);
    let told = "error: implement/auth was renamed to implement/login";
    assert!(
        refused.contains(told) && refused.contains("ckpt show implement/login"),
        "{refused}"
    );
    let saved = environment.ckpt_reading(&document, &["save", "implement/auth"]);
    assert!(saved.exits(3).stderr.contains(told));
    assert!(!environment.path(AUTH).exists());
    run(&environment, "start implement auth", 0);
    run(&environment, "phase implement/auth build in_progress", 0);
}

#[test]
fn each_of_several_of_one_name_is_read_and_brought_back_by_its_own() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "start implement auth", 0);
    run(&environment, "delete implement/auth --force", 0);
    let names = deleted(&environment);
    assert_eq!(names.len(), 2, "{names:?}");
    let listed = run(&environment, "archive", 0);
    assert!(names.iter().all(|name| listed.contains(name)), "{listed}");
    let first = &names[0];
    let shown = run(&environment, &format!("show {first}"), 0);
    assert!(shown.contains("✓ research"), "{shown}");
    // The last one, and its name.
    let shown = run(&environment, "show implement/auth", 0);
    assert!(
        shown.contains("0/") && shown.contains(&format!("ckpt unarchive {}", names[1])),
        "{shown}"
    );
    let changed = run(&environment, &format!("diff {first} 1 2 --stat"), 0);
    assert!(changed.contains("changed"), "{changed}");
    let between = run(
        &environment,
        &format!("diff {first} {} --stat", names[1]),
        0,
    );
    assert!(between.contains("changed"), "{between}");
    let missing = run(&environment, "show implement/auth@2020-01-01T00:00:00Z", 3);
    assert!(missing.contains("no checkpoint"), "{missing}");
    let named = format!("Write it as ckpt archive lists it: {}, {first}", names[1]);
    assert!(missing.contains(&named), "{missing}");
    let missing = run(&environment, "unarchive implement/auth@today", 3);
    assert!(missing.contains(&named), "{missing}");
    let without_offset = first.trim_end_matches('Z');
    let shown = run(&environment, &format!("show {without_offset}"), 0);
    assert!(shown.contains("✓ research"), "{shown}");
    run(&environment, &format!("unarchive {without_offset}"), 0);
    let back = run(&environment, "show implement/auth", 0);
    assert!(back.contains("✓ research"), "{back}");
}

#[test]
fn a_whole_name_of_a_deleted_one_means_more_than_the_beginning_of_another() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "start implement authority --new", 0);
    for line in [
        "show implement/auth",
        "log implement/auth",
        "diff implement/auth",
    ] {
        let said = run(&environment, line, 0);
        assert!(
            said.contains("implement/auth was deleted"),
            "{line}: {said}"
        );
    }
    let said = run(&environment, "show implement/autho", 0);
    assert!(said.starts_with("implement/authority"), "{said}");
    for line in [
        "delete implement/auth --force",
        "archive implement/auth --force",
        "abandon implement/auth --reason no",
    ] {
        let said = run(&environment, line, 3);
        assert!(
            said.contains("implement/auth was deleted"),
            "{line}: {said}"
        );
    }
    assert!(environment.state("implement-authority.json").exists());
}

#[test]
fn a_change_of_a_deleted_checkpoint_is_refused_with_the_way_back() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    run(&environment, "delete login --force", 0);
    let name = deleted(&environment).remove(0);
    for (line, key) in [
        ("abandon implement/auth --reason no", "implement/auth"),
        ("undo implement/auth", "implement/auth"),
        ("restore implement/auth 1", "implement/auth"),
        ("delete implement/auth", "implement/auth"),
        ("archive implement/auth", "implement/auth"),
        ("rename implement/auth implement/login", "implement/auth"),
        (
            "plan done seed --plan 260220-1149-login",
            "260220-1149-login",
        ),
        (&format!("phase {name} build complete"), "implement/auth"),
        (
            &format!("start {}", name.replace('/', " ")),
            "implement/auth",
        ),
    ] {
        let said = run(&environment, line, 3);
        assert!(
            said.contains(&format!("{key} was deleted 20"))
                && said.contains(&format!("Bring it back with: ckpt unarchive {key}")),
            "{line}: {said}"
        );
    }
    assert!(!environment.path(AUTH).exists());
}

#[test]
fn a_checkpoint_of_another_worktree_is_said_to_be_there() {
    let environment = busy();
    let tree = environment.linked_worktree();
    environment
        .ckpt_in(&tree, &["start", "design", "theme"])
        .exits(0);
    for (line, command) in [
        ("log design/theme", "log"),
        ("show design/theme", "show"),
        ("abandon design/theme --reason no", "show"),
    ] {
        let said = run(&environment, line, 3);
        let hint = format!("ckpt -C {} {command} design/theme", tree.display());
        assert!(
            said.contains("design/theme is in another worktree") && said.contains(&hint),
            "{line}: {said}"
        );
    }
    run(&environment, "show design/the", 3);
    environment
        .ckpt_in(&tree, &["delete", "design/theme", "--force"])
        .exits(0);
    let said = run(&environment, "log design/theme", 3);
    assert!(said.contains("log design/theme@20"), "{said}");
}

#[test]
fn what_came_with_a_clone_is_not_told_and_hides_nothing() {
    let environment = busy();
    run(&environment, "delete implement/auth --force", 0);
    let other = Environment::new();
    run(&other, "start implement authority", 0);
    tree::copy(&environment.path(TRASH), &other.path(TRASH));
    let said = ckpt(&other, "log", 0);
    assert!(
        said.stderr.contains("archived elsewhere") && said.stdout.lines().count() == 1,
        "{said}"
    );
    let said = run(&other, "show implement/auth", 0);
    assert!(said.starts_with("implement/authority"), "{said}");
}

#[test]
fn a_name_in_its_own_case_means_more_than_the_same_in_another() {
    let environment = Environment::new();
    run(&environment, "start auth", 0);
    run(&environment, "rename auth AUTH", 0);
    let old = ckpt(&environment, "log auth", 0);
    assert!(old.stdout.contains("renamed to AUTH"), "{}", old.stdout);
    assert!(old.stderr.contains("auth was renamed to AUTH"));
    let shown = ckpt(&environment, "show auth", 0).stdout;
    assert!(shown.starts_with("auth  "), "{shown}");
    for line in ["log AUTH", "log Auth"] {
        let new = ckpt(&environment, line, 0).stdout;
        assert!(new.contains("renamed from auth"), "{line}: {new}");
    }
    let changed = run(&environment, "phase auth build complete", 3);
    assert!(changed.contains("auth was renamed to AUTH"), "{changed}");
    assert_eq!(run(&environment, "unarchive auth", 0), "auth is back\n");
    // Both are archived, and the one that is called otherwise is the newer one.
    for key in ["auth", "AUTH"] {
        run(&environment, &format!("archive {key} --force"), 0);
    }
    for key in ["auth", "AUTH"] {
        let back = run(&environment, &format!("unarchive {key}"), 0);
        assert_eq!(back, format!("{key} is back\n"));
    }
    // One is archived, the other one was deleted.
    run(&environment, "archive auth --force", 0);
    run(&environment, "delete AUTH --force", 0);
    let gone = run(&environment, "show AUTH", 0);
    assert!(gone.contains("AUTH was deleted"), "{gone}");
    let archived = ckpt(&environment, "log auth", 0).stdout;
    assert!(archived.contains("archived"), "{archived}");
    let back = run(&environment, "unarchive AUTH", 0);
    assert_eq!(back, "AUTH is back\n");
}

#[test]
fn an_archived_plan_is_meant_by_its_name_in_its_own_case() {
    let environment = Environment::new();
    environment.write(PLAN, TEXT);
    run(&environment, "plan sync --plan login", 0);
    run(&environment, "archive login --force", 0);
    environment.write("plans/260221-1149-LOGIN/plan.md", TEXT);
    run(&environment, "plan sync --plan LOGIN", 0);
    for (typed, id) in [
        ("login", "260220-1149-login"),
        ("LOGIN", "260221-1149-LOGIN"),
    ] {
        for typed in [typed.to_owned(), format!("plan:{typed}")] {
            let report = ckpt(&environment, &format!("log {typed} --json"), 0).json();
            assert_eq!(report["key"], format!("plan:{id}"), "{typed}");
        }
    }
}
