//! A file system that is full or read-only: the change fails, and the state stays as it was.

use std::fs;
use std::path::PathBuf;

use serde_json::Value;

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::tool;

/// Mounts the state directory as a separate file system. It disappears with the shell that mounted it, so the script
/// keeps copies in `$OUT`.
const MOUNT: &str = r#"
set -eu
mount -t tmpfs -o size=256k,mode=700 tmpfs .claude/state
"$CKPT" start implement auth --phases build >"$OUT/started"
"#;

/// Fills up the disk, frees some pages, and tries a change that needs more than that; then tries one on a disk with
/// enough space.
const FILL: &str = r#"
for pages in 0 1 2 3 4 5 6 7 8 9 10 11 12; do
    dd if=/dev/zero of=.claude/state/filler bs=4096 2>/dev/null || true
    size=$(stat -c %s .claude/state/filler)
    truncate -s $((size - pages * 4096)) .claude/state/filler
    cp .claude/state/implement-auth.json "$OUT/before-$pages"
    code=0
    "$CKPT" phase implement/auth "p$pages" complete --data "$DATA" 2>"$OUT/error-$pages" || code=$?
    echo "$code" >"$OUT/code-$pages"
    cp .claude/state/implement-auth.json "$OUT/after-$pages"
    rm .claude/state/filler
    "$CKPT" phase implement/auth "q$pages" complete
    cp .claude/state/implement-auth.json "$OUT/next-$pages"
    ls -A .claude/state >"$OUT/names-$pages"
    cat .claude/state/history/command/implement-auth.jsonl >>"$OUT/history"
    rm -r .claude/state/history .claude/state/implement-auth.json .git/ckpt/mirror
    "$CKPT" start implement auth --phases build >"$OUT/started"
done
"#;

const READ_ONLY: &str = r#"
cp .claude/state/implement-auth.json "$OUT/before"
mount -o remount,bind,ro .claude/state
code=0
"$CKPT" phase implement/auth build complete 2>"$OUT/error" || code=$?
echo "$code" >"$OUT/code"
"$CKPT" show implement/auth >"$OUT/shown"
cp .claude/state/implement-auth.json "$OUT/after"
"#;

/// Runs a script in a namespace in which anybody may mount, and returns the directory of its copies.
fn mounted(environment: &Environment, script: &str) -> Option<PathBuf> {
    let probe = "mount -t tmpfs -o size=64k tmpfs /tmp";
    if !tool::works(
        "unshare",
        &["--map-root-user", "--mount", "sh", "-c", probe],
    ) {
        return None;
    }
    let copies = environment.base().join("copies");
    fs::create_dir(&copies).unwrap();
    fs::create_dir_all(environment.path(".claude/state")).unwrap();
    let data = serde_json::json!({ "text": "x".repeat(10_000) }).to_string();
    let mut command = environment.command("unshare");
    command
        .env("OUT", &copies)
        .env("CKPT", CKPT)
        .env("DATA", data)
        .args(["--map-root-user", "--mount", "sh", "-c"]);
    Run::of(command.arg(format!("{MOUNT}{script}"))).exits(0);
    Some(copies)
}

#[test]
fn on_a_full_disk_a_change_fails_with_a_reason_and_leaves_the_state_intact() {
    let environment = Environment::new();
    let Some(copies) = mounted(&environment, FILL) else {
        return;
    };
    let read = |name: String| fs::read_to_string(copies.join(name)).unwrap();
    let mut refused = 0;
    for pages in 0..=12 {
        let (before, after) = (
            read(format!("before-{pages}")),
            read(format!("after-{pages}")),
        );
        let error = read(format!("error-{pages}"));
        if read(format!("code-{pages}")).trim() == "0" {
            assert_ne!(after, before, "{pages} pages");
        } else {
            refused += 1;
            assert_eq!(read(format!("code-{pages}")).trim(), "1", "{error}");
            assert!(error.starts_with("error: "), "{error}");
            let state = environment.path(".claude/state");
            assert!(error.contains(state.to_str().unwrap()), "{error}");
            assert_eq!(error.lines().count(), 1, "{error}");
            assert_eq!(after, before, "{pages} pages");
        }
        let next: Value = serde_json::from_str(&read(format!("next-{pages}"))).unwrap();
        assert_eq!(next["phases"][format!("q{pages}")]["status"], "complete");
        let names = read(format!("names-{pages}"));
        assert_eq!(names, ".gitignore\nhistory\nimplement-auth.json\nlocks\n");
    }
    eprintln!("{refused} of 13 changes did not fit");
    assert!((3..13).contains(&refused), "{refused} of 13 did not fit");
    let history = read("history".to_owned());
    assert!(!history.contains("external_edit"), "{history}");
}

#[test]
fn a_read_only_file_system_fails_a_change_and_can_still_be_read() {
    let environment = Environment::new();
    let Some(copies) = mounted(&environment, READ_ONLY) else {
        return;
    };
    let read = |name: &str| fs::read_to_string(copies.join(name)).unwrap();
    assert_eq!(read("code"), "1\n");
    let state = environment.path(".claude/state");
    assert!(read("error").starts_with("error: "), "{}", read("error"));
    assert!(
        read("error").contains(state.to_str().unwrap()),
        "{}",
        read("error")
    );
    assert_eq!(read("after"), read("before"));
    assert!(read("shown").starts_with("implement/auth  in flight"));
}
