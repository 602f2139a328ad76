//! Runs each target over its seeds, without a fuzzer.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// Declares a test for each target, and the list of them.
macro_rules! targets {
    ($($target:ident)*) => {
        const TARGETS: &[&str] = &[$(stringify!($target)),*];

        $(
            #[test]
            fn $target() {
                run(stringify!($target), ckpt_fuzz::$target::run);
            }
        )*
    };
}

targets! { document history hook plan seal settings specification tokens }

fn inside(directory: &str) -> Vec<PathBuf> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join(directory);
    let entries = fs::read_dir(directory).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    paths
}

fn run(target: &str, check: fn(&[u8])) {
    for seed in inside(&format!("seeds/{target}")) {
        // Shown only if the test fails: the last one is the culprit.
        println!("{}", seed.display());
        check(&fs::read(&seed).unwrap());
    }
}

#[test]
fn every_target_has_a_program_and_seeds() {
    let names = |paths: Vec<PathBuf>| -> BTreeSet<String> {
        let stem = |path: &PathBuf| path.file_stem().unwrap().to_str().unwrap().to_owned();
        paths.iter().map(stem).collect()
    };
    let targets: BTreeSet<String> = TARGETS.iter().map(|target| (*target).to_owned()).collect();
    assert_eq!(names(inside("fuzz_targets")), targets);
    assert_eq!(names(inside("seeds")), targets);
    for target in TARGETS {
        assert!(inside(&format!("seeds/{target}")).len() > 2, "{target}");
    }
}
