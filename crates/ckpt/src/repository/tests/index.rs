//! What we read from git's index without asking git.

use std::fs;

use proptest::prelude::{ProptestConfig, any, prop, prop_assert_eq, proptest};
use proptest::sample::select;

use super::super::exclusion::Exclusion;
use super::super::index::may_track;
use super::super::tree::id_of_index;
use super::digest_layouts::conflict;
use super::sandbox::Sandbox;

fn index_tracks(sandbox: &Sandbox, id_bytes: usize, path: &str) -> bool {
    let bytes = fs::read(sandbox.repo().join(".git/index")).unwrap();
    may_track(&bytes, id_bytes, &[Exclusion::of(path)])
}

#[test]
fn tracked_paths_are_found_in_every_version_and_others_are_not() {
    for (format, id_bytes) in [("sha1", 20), ("sha256", 32)] {
        for version in ["2", "3", "4"] {
            let sandbox = Sandbox::empty();
            let object_format = format!("--object-format={format}");
            sandbox.git_in(sandbox.top(), &["init", "-q", &object_format, "repo"]);
            for length in 1..20 {
                sandbox.write(&format!("many/{}", "n".repeat(length)), "x");
            }
            for name in [
                "plan",
                "plans-b",
                "plans.md",
                "plans/deep/file",
                "single",
                "a/plans/x",
            ] {
                sandbox.write(name, "x");
            }
            sandbox.git(&["add", "-A"]);
            if version == "3" {
                // Git writes version 3 only if an entry needs the extended flags.
                sandbox.git(&["update-index", "--skip-worktree", "many/n", "plan"]);
            } else {
                sandbox.git(&["update-index", "--index-version", version]);
            }
            let header = fs::read(sandbox.repo().join(".git/index")).unwrap();
            assert_eq!(header[7].to_string(), version);
            for tracked in [
                "plans",
                "plans/deep",
                "plans/deep/file",
                "single",
                "many",
                "a",
            ] {
                assert!(
                    index_tracks(&sandbox, id_bytes, tracked),
                    "{format} {version} {tracked}"
                );
            }
            for other in [
                "plan/s",
                "plans-",
                "deep",
                "singl",
                "man",
                "plans/deep/file/x",
                "zzz",
                ".claude",
            ] {
                assert!(
                    !index_tracks(&sandbox, id_bytes, other),
                    "{format} {version} {other}"
                );
            }
        }
    }
}

#[test]
fn of_a_split_index_the_answer_is_perhaps() {
    let sandbox = Sandbox::committed();
    sandbox.git(&["update-index", "--split-index"]);
    assert!(index_tracks(&sandbox, 20, "anything"));
}

#[test]
fn of_a_sparse_index_a_directory_above_the_path_may_hold_it() {
    let sandbox = Sandbox::committed();
    sandbox.write("left/out", "x");
    sandbox.commit("second");
    sandbox.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "dir"]);
    assert!(index_tracks(&sandbox, 20, "left/plans"));
    assert!(!index_tracks(&sandbox, 20, "lefty"));
}

#[test]
fn no_index_tracks_nothing_and_no_paths_are_not_tracked() {
    assert!(!may_track(b"", 20, &[Exclusion::of("a")]));
    assert!(!may_track(b"garbage", 20, &[]));
    assert!(may_track(b"garbage", 20, &[Exclusion::of("a")]));
}

/// An index with these entries, written by git itself.
fn with_entries(format: &str, entries: &[(String, &str)]) -> Sandbox {
    let sandbox = Sandbox::empty();
    let object_format = format!("--object-format={format}");
    sandbox.git_in(sandbox.top(), &["init", "-q", &object_format, "repo"]);
    let digits = if format == "sha1" { 40 } else { 64 };
    for (number, (name, mode)) in entries.iter().enumerate() {
        let id = format!("{:0>digits$x}", number + 1);
        // A later name replaces an earlier one that is in its way.
        let entry = format!("{mode},{id},{name}");
        sandbox.git(&["update-index", "--add", "--replace", "--cacheinfo", &entry]);
    }
    sandbox
}

fn tree_of_index(sandbox: &Sandbox, id_bytes: usize, excluded: &[&str]) -> Option<String> {
    let bytes = fs::read(sandbox.repo().join(".git/index")).unwrap();
    let excluded: Vec<Exclusion> = excluded.iter().map(|path| Exclusion::of(path)).collect();
    id_of_index(&bytes, id_bytes, &excluded)
}

fn tree_of_git(sandbox: &Sandbox) -> String {
    let answer = sandbox.git(&["write-tree", "--missing-ok"]);
    answer.trim_end().to_owned()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]
    #[test]
    fn the_tree_of_any_index_is_the_one_git_would_write(
        names in prop::collection::vec("[a.\\-0]{1,2}(/[a.\\-0]{1,2}){0,3}(é| )?", 1..12),
        modes in prop::collection::vec(select(vec!["100644", "100755", "120000", "160000"]), 12),
        (format, id_bytes) in select(vec![("sha1", 20), ("sha256", 32)]),
        version in select(vec!["2", "4"]),
    ) {
        let allowed = |name: &String| name.split('/').all(|part| !matches!(part, "." | ".."));
        let entries: Vec<_> = names.into_iter().filter(allowed).zip(modes).collect();
        let sandbox = with_entries(format, &entries);
        sandbox.git(&["update-index", "--index-version", version, "--force-write-index"]);
        prop_assert_eq!(tree_of_index(&sandbox, id_bytes, &[]), Some(tree_of_git(&sandbox)));

        let gone = ["a", "-/a", "0."];
        let ours = tree_of_index(&sandbox, id_bytes, &gone);
        let gone = [&["ls-files", "-z", "--stage", "--"], &gone[..]].concat();
        for line in sandbox.git(&gone).split('\0').filter(|line| line.starts_with("100")) {
            // Links and submodules still count.
            let (_, name) = line.split_once('\t').unwrap();
            sandbox.git(&["update-index", "--force-remove", "--", name]);
        }
        prop_assert_eq!(ours, Some(tree_of_git(&sandbox)));
    }
}

#[test]
fn of_an_index_that_no_tree_can_be_written_of_git_is_asked() {
    let sandbox = Sandbox::committed();
    assert!(tree_of_index(&sandbox, 20, &[]).is_some());
    assert!(tree_of_index(&sandbox, 21, &[]).is_none());
    sandbox.write("later", "x");
    sandbox.git(&["add", "--intent-to-add", "later"]);
    assert!(tree_of_index(&sandbox, 20, &[]).is_none());
    assert!(tree_of_index(&sandbox, 20, &["later"]).is_some());

    let sandbox = Sandbox::committed();
    conflict(&sandbox);
    assert!(tree_of_index(&sandbox, 20, &[]).is_none());

    let sandbox = Sandbox::committed();
    sandbox.git(&["update-index", "--split-index"]);
    assert!(tree_of_index(&sandbox, 20, &[]).is_none());

    let sandbox = Sandbox::committed();
    sandbox.write("left/out", "x");
    sandbox.commit("second");
    sandbox.git(&["sparse-checkout", "set", "--cone", "--sparse-index", "dir"]);
    assert!(tree_of_index(&sandbox, 20, &[]).is_none());
}

proptest! {
    #[test]
    fn any_bytes_after_the_header_give_an_answer_and_never_a_panic(
        version in 0_u8..6,
        count in any::<u32>(),
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let header = [b"DIRC\0\0\0", &[version][..], &count.to_be_bytes()].concat();
        let bytes = [header, rest].concat();
        may_track(&bytes, 20, &[Exclusion::of("a")]);
        id_of_index(&bytes, 20, &[Exclusion::of("a")]);
    }
}
