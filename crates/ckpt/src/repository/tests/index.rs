//! What is read from git's index without asking git.

use std::fs;

use proptest::prelude::{any, prop, proptest};

use super::super::index::may_track;
use super::sandbox::Sandbox;

fn index_tracks(sandbox: &Sandbox, id_bytes: usize, path: &str) -> bool {
    let bytes = fs::read(sandbox.repo().join(".git/index")).unwrap();
    may_track(&bytes, id_bytes, &[path.as_bytes().to_vec()])
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
                // Git writes version 3 only where an entry needs its extended flags.
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
    assert!(!may_track(b"", 20, &[b"a".to_vec()]));
    assert!(!may_track(b"garbage", 20, &[]));
    assert!(may_track(b"garbage", 20, &[b"a".to_vec()]));
}

proptest! {
    #[test]
    fn any_bytes_after_the_header_give_an_answer_and_never_a_panic(
        version in 0_u8..6,
        count in any::<u32>(),
        rest in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let header = [b"DIRC\0\0\0", &[version][..], &count.to_be_bytes()].concat();
        may_track(&[header, rest].concat(), 20, &[b"a".to_vec()]);
    }
}
