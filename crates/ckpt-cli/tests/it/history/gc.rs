//! `ckpt gc`: what it removes, and what it keeps.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::thread;
use std::time::Duration;

use crate::support::environment::{AUTH, CKPT, Environment, Run};
use crate::support::strace::strace_works;
use crate::support::tree;

/// A time long ago, as in the names of archives.
const LONG_AGO: &str = "20200101T000000.000Z";

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

/// Makes everything that was deleted below a directory look as if that had been long ago.
fn age(directory: &Path) {
    for name in tree::contents(directory, |_| false).into_keys() {
        let Some((stem, _)) = name.split_once(".20").filter(|_| name.contains("trash/")) else {
            continue;
        };
        let old = directory.join(format!("{stem}.{LONG_AGO}.zst"));
        fs::rename(directory.join(&name), old).unwrap();
    }
}

/// The names of the archives and copies below a directory, without the ids of worktrees.
fn kept(directory: &Path) -> BTreeSet<String> {
    let names = tree::contents(directory, |_| false).into_keys();
    let files = names.filter(|name| name.ends_with(".zst") || name.ends_with(".jsonl"));
    files
        .map(|name| {
            let name = name.replace(LONG_AGO, "OLD");
            name.split('/')
                .filter(|part| part.len() != 16 || part.contains('.'))
                .collect::<Vec<_>>()
                .join("/")
        })
        .collect()
}

#[test]
fn it_removes_what_was_deleted_long_ago_with_its_copies_and_nothing_else() {
    let environment = Environment::started();
    let site = environment.base().join("site");
    environment.git(&["worktree", "add", "--quiet", "../site"]);
    let there = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        environment.ckpt_in(&site, &words).exits(0);
    };
    for line in ["start design old", "start design theme"] {
        there(line);
    }
    there("delete design/old --force");
    for name in ["old", "lost", "done", "before"] {
        run(&environment, &format!("start test {name}"), 0);
    }
    run(&environment, "delete test/old --force", 0);
    run(&environment, "delete test/lost --force", 0);
    run(&environment, "archive test/done --force", 0);
    run(&environment, "rename test/before test/after", 0);
    run(&environment, "start test first", 0);
    run(&environment, "rename test/first test/second", 0);
    let archives = environment.state("archive");
    let mirror = environment.path(".git/ckpt/mirror");
    age(&archives);
    age(&mirror);
    run(&environment, "start test new", 0);
    run(&environment, "delete test/new --force", 0);
    // Some archives are lost, and so is a whole worktree.
    for name in ["test-lost", "test-first"] {
        fs::remove_file(archives.join(format!("trash/command/{name}.{LONG_AGO}.zst"))).unwrap();
    }
    environment.git(&["worktree", "remove", "--force", "../site"]);
    let before = (kept(&archives), kept(&mirror));
    let planned = run(&environment, "gc --dry-run", 0);
    assert_eq!((kept(&archives), kept(&mirror)), before);
    let done = run(&environment, "gc", 0);
    assert_eq!(planned.replace("would remove", "removed"), done);
    for line in [
        "removed test/old, deleted 2020",
        "removed the copy of test/lost, deleted 2020",
        "removed the copy of design/old from the worktree",
    ] {
        assert!(done.contains(line), "{done}");
    }
    let after = (kept(&archives), kept(&mirror));
    let gone = |before: &BTreeSet<String>, after: &BTreeSet<String>| {
        let gone = before.difference(after).cloned();
        gone.collect::<Vec<_>>()
    };
    assert_eq!(
        gone(&before.0, &after.0),
        ["trash/command/test-old.OLD.zst"]
    );
    assert_eq!(
        gone(&before.1, &after.1),
        [
            "archive/trash/command/design-old.OLD.zst",
            "archive/trash/command/test-lost.OLD.zst",
            "archive/trash/command/test-old.OLD.zst"
        ]
    );
    // What is left is still reached.
    run(&environment, "unarchive test/new", 0);
    run(&environment, "unarchive test/done", 0);
    run(&environment, "log test/before", 0);
    run(&environment, "recover design/theme", 0);
    run(&environment, "show implement/auth", 0);
    assert!(run(&environment, "gc", 0).contains("nothing to do"));
}

#[test]
fn it_keeps_the_earlier_history_of_what_was_renamed_and_is_damaged_or_missing_now() {
    let environment = Environment::started();
    run(&environment, "rename implement/auth implement/login", 0);
    age(&environment.state("archive"));
    age(&environment.path(".git/ckpt/mirror"));
    environment.write(".claude/state/implement-login.json", "{");
    let planned = run(&environment, "gc --dry-run", 0);
    assert!(planned.contains("nothing to do"), "{planned}");
    fs::remove_file(environment.state("implement-login.json")).unwrap();
    let done = run(&environment, "gc", 0);
    assert!(done.contains("nothing to do"), "{done}");
    run(&environment, "recover", 0);
    run(&environment, "log implement/auth", 0);
    // In the archive it is still there.
    run(&environment, "archive implement/login --force", 0);
    assert!(run(&environment, "gc", 0).contains("nothing to do"));
    run(&environment, "delete implement/login --force", 0);
    let done = run(&environment, "gc", 0);
    assert!(done.contains("removed implement/auth"), "{done}");
}

#[test]
fn it_keeps_the_earlier_history_of_what_was_renamed_twice() {
    let environment = Environment::started();
    run(&environment, "rename implement/auth implement/login", 0);
    run(&environment, "rename implement/login implement/sso", 0);
    age(&environment.state("archive"));
    age(&environment.path(".git/ckpt/mirror"));
    assert!(run(&environment, "gc", 0).contains("nothing to do"));
    run(&environment, "delete implement/sso --force", 0);
    let done = run(&environment, "gc", 0);
    assert_eq!(done.lines().count(), 2, "{done}");
}

#[test]
fn it_does_not_say_that_there_is_nothing_to_do_where_it_kept_something() {
    let environment = Environment::started();
    run(&environment, "followers add slow --all", 0);
    run(&environment, "delete implement/auth --force", 0);
    age(&environment.state("archive"));
    age(&environment.path(".git/ckpt/mirror"));
    let done = run(&environment, "gc", 0);
    assert_eq!(
        done,
        "kept implement/auth until slow is told; see: ckpt followers\n"
    );
    // Nothing can be read from a directory.
    let id = fs::read_to_string(environment.path(".git/ckpt/worktree")).unwrap();
    let cursors = format!(".git/ckpt/followers/slow/{id}/command/implement-auth.json");
    fs::create_dir_all(environment.path(&cursors)).unwrap();
    for line in ["gc --dry-run", "gc"] {
        let done = run(&environment, line, 0);
        let expected = "kept implement/auth, as a follower may wait for it: ";
        assert!(done.starts_with(expected), "{done}");
        assert!(done.contains("implement-auth.json"), "{done}");
        assert_eq!(done.lines().count(), 1, "{done}");
    }
    let report = environment.ckpt(&["gc", "--json"]).exits(0).json();
    let awaited = &report["awaited"][0];
    assert_eq!(awaited["key"], "command:implement/auth");
    assert!(awaited["follower"].is_null(), "{awaited}");
    let error = awaited["error"].as_str().unwrap();
    assert!(error.contains("implement-auth.json"), "{error}");
}

#[test]
fn it_does_not_say_that_there_is_nothing_to_do_where_it_could_not_archive() {
    let environment = Environment::started();
    run(&environment, "complete implement/auth --force", 0);
    let text = environment.read(AUTH);
    let year = text.find("\"updated_at\": \"").map(|at| at + 15).unwrap();
    let old = text[..year].to_owned() + "2020" + &text[year + 4..];
    environment.write(AUTH, old);
    fs::create_dir_all(environment.state("archive")).unwrap();
    fs::write(environment.state("archive/command"), "in the way").unwrap();
    let done = run(&environment, "gc", 0);
    assert!(done.contains("was not archived"), "{done}");
    assert!(!done.contains("nothing to do"), "{done}");
}

#[test]
fn two_at_once_are_both_done() {
    if !strace_works() {
        return;
    }
    let environment = Environment::new();
    for name in ["one", "two", "three"] {
        run(&environment, &format!("start test {name}"), 0);
        run(&environment, &format!("delete test/{name} --force"), 0);
    }
    age(&environment.state("archive"));
    age(&environment.path(".git/ckpt/mirror"));
    thread::scope(|scope| {
        let environment = &environment;
        let first = scope.spawn(|| {
            let mut command = environment.command("strace");
            command.args(["-o", "/dev/null", "-e", "trace=unlink", "-e"]);
            command.args(["inject=unlink:delay_enter=1000000:when=1", CKPT, "gc"]);
            Run::of(&mut command).exits(0)
        });
        thread::sleep(Duration::from_millis(500));
        run(environment, "gc", 0);
        first.join().unwrap();
    });
    assert!(run(&environment, "archive", 0).contains("the archive is empty"));
}

#[test]
fn the_copy_of_what_begins_while_gc_removes_an_outlived_one_stays() {
    if !strace_works() {
        return;
    }
    let environment = Environment::started();
    let mirror = environment.path(".git/ckpt/mirror");
    let copies = tree::contents(&mirror, |_| false).into_keys();
    let copy = copies.into_iter().find(|name| name.ends_with(".jsonl"));
    let copy = mirror.join(copy.unwrap());
    let outlived = fs::read(&copy).unwrap();
    run(&environment, "delete implement/auth --force", 0);
    fs::write(&copy, &outlived).unwrap();
    age(&environment.state("archive"));
    age(&mirror);
    thread::scope(|scope| {
        let environment = &environment;
        // It is killed before it completes all copies.
        scope.spawn(|| {
            let mut command = environment.command("strace");
            command.args(["-o", "/dev/null", "-e", "trace=unlink,fsync"]);
            command.args(["-e", "inject=unlink:delay_enter=1500000:when=1"]);
            command.args(["-e", "inject=fsync:signal=SIGKILL:when=1", CKPT, "gc"]);
            Run::of(&mut command)
        });
        thread::sleep(Duration::from_millis(500));
        environment.ckpt(&["start", "implement", "auth"]).exits(0);
    });
    let history = fs::read(environment.state("history/command/implement-auth.jsonl")).unwrap();
    assert!(environment.path(AUTH).exists());
    assert!(fs::read(&copy).is_ok_and(|copy| copy == history));
}
