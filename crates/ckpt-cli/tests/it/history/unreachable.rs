//! Copies in the git directory that cannot be reached, or that nothing vouches for.

use std::fs;
use std::path::{Path, PathBuf};

use crate::support::environment::Environment;
use crate::support::tree;

fn run(environment: &Environment, line: &str, code: i32) -> String {
    let words: Vec<&str> = line.split(' ').collect();
    let run = environment.ckpt(&words).exits(code);
    run.stdout + &run.stderr
}

#[cfg(unix)]
#[test]
fn a_link_in_the_mirror_is_not_followed_fails_no_change_and_is_reported() {
    let links: [fn(&Path) -> PathBuf; 3] = [
        |mirror| mirror.to_owned(),
        |mirror| mirror.read_dir().unwrap().flatten().next().unwrap().path(),
        |mirror| {
            let worktree = mirror.read_dir().unwrap().flatten().next().unwrap();
            worktree.path().join("command")
        },
    ];
    for link in links {
        let environment = Environment::started_with("build");
        let link = link(&environment.path(".git/ckpt/mirror"));
        let aside = environment.path("aside");
        fs::rename(&link, &aside).unwrap();
        std::os::unix::fs::symlink(&aside, &link).unwrap();
        let before = tree::listing(&aside);
        for line in [
            "phase implement/auth build complete",
            "start design theme",
            "fork implement/auth implement/other",
            "rename implement/other implement/third",
            "delete implement/third --force",
            "unarchive implement/third",
            "archive implement/auth --force",
            "show implement/auth",
            "unarchive implement/auth",
            "recover",
            "gc",
        ] {
            run(&environment, line, 0);
            assert_eq!(tree::listing(&aside), before, "{line}");
        }
        let name = link.display().to_string();
        let doctor = run(&environment, "doctor --fix", 0);
        assert!(
            doctor.contains(&format!("{name} is a symbolic link or no directory"))
                && doctor.contains(&format!("rm {name} && ckpt doctor --fix")),
            "{doctor}"
        );
        assert_eq!(tree::listing(&aside), before, "doctor --fix");
        fs::remove_file(&link).unwrap();
        run(&environment, "doctor --fix", 0);
        let doctor = run(&environment, "doctor", 0);
        assert!(doctor.contains("3 histories are copied"), "{doctor}");
    }
}
