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

#[test]
fn a_lost_key_is_told_wherever_something_is_missing() {
    let environment = Environment::started_with("build");
    run(&environment, "phase implement/auth build complete", 0);
    let key = environment.path(".git/ckpt/key");
    let kept = fs::read(&key).unwrap();
    fs::remove_dir_all(environment.path(".claude")).unwrap();
    fs::remove_file(&key).unwrap();
    let way = "Put the key back before anything is changed";
    let resume = run(&environment, "resume", 0);
    assert!(resume.contains("implement/auth is missing"), "{resume}");
    let doctor = run(&environment, "doctor", 0);
    assert!(
        doctor.contains("there is no key yet") && doctor.contains(way),
        "{doctor}"
    );
    for line in ["recover", "recover implement/auth"] {
        let told = run(&environment, line, 4);
        assert!(
            told.contains("sealed with is missing") && told.contains(way),
            "{told}"
        );
    }
    assert!(!key.exists());
    // Once there is another one, nothing of the copy is believed.
    run(&environment, "start design theme", 0);
    run(&environment, "complete design/theme --force", 0);
    let other = fs::read(&key).unwrap();
    for (line, code) in [("doctor", 0), ("recover", 0), ("recover implement/auth", 4)] {
        let told = run(&environment, line, code);
        assert!(told.contains("is sealed with another key"), "{told}");
    }
    let resume = run(&environment, "resume", 0);
    assert!(
        resume.contains("what is missing cannot be brought back"),
        "{resume}"
    );
    // With its own key it comes back.
    fs::write(&key, kept).unwrap();
    let back = run(&environment, "recover implement/auth", 0);
    assert!(back.contains("implement/auth is back"), "{back}");
    assert_ne!(fs::read(&key).unwrap(), other);
}
