//! The archive that `scripts/archive` makes.

use std::path::{Path, PathBuf};

use crate::support::environment::{CKPT, Environment, Run};
use crate::support::{tool, tree};

fn project() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Makes an archive in this directory of the test's world, and returns its path.
fn archived(environment: &Environment, directory: &str) -> PathBuf {
    // The program under test is too large to be packed twice, so this stands for it.
    let program = environment.write("ckpt", format!("#!/bin/sh\nexec '{CKPT}' \"$@\"\n"));
    tree::set_mode(&program, 0o755);
    let script = project().join("scripts/archive");
    let mut command = environment.command(script.to_str().unwrap());
    let directory = environment.base().join(directory);
    command
        .arg(&program)
        .arg(&directory)
        .env("HOME", std::env::var_os("HOME").unwrap());
    let run = Run::of(&mut command).exits(0);
    let paths: Vec<&str> = run.stdout.lines().collect();
    assert_eq!(paths.len(), 2, "{run}");
    assert_eq!(paths[1], format!("{}.sha256", paths[0]));
    PathBuf::from(paths[0])
}

/// The host that the archive is named after.
fn host() -> String {
    let run = std::process::Command::new("rustc")
        .arg("-vV")
        .output()
        .unwrap();
    let text = String::from_utf8(run.stdout).unwrap();
    let host = text.lines().find_map(|line| line.strip_prefix("host: "));
    host.unwrap().to_owned()
}

#[test]
fn the_archive_is_reproducible_and_has_everything() {
    if !tool::works("tar", &["--sort=name", "--version"]) {
        return;
    }
    let environment = Environment::without_git();
    let first = archived(&environment, "first");
    let second = archived(&environment, "second");
    assert_eq!(
        std::fs::read(&first).unwrap(),
        std::fs::read(&second).unwrap()
    );

    let mut check = environment.command("sha256sum");
    let sum = format!("{}.sha256", first.file_name().unwrap().to_str().unwrap());
    check
        .args(["--check", &sum])
        .current_dir(first.parent().unwrap());
    Run::of(&mut check).exits(0);

    let mut unpack = environment.command("tar");
    unpack
        .arg("-xzf")
        .arg(&first)
        .arg("-C")
        .arg(environment.base());
    Run::of(&mut unpack).exits(0);
    let name = format!("ckpt-{}-{}", env!("CARGO_PKG_VERSION"), host());
    assert_eq!(
        first.file_name().unwrap().to_str().unwrap(),
        format!("{name}.tar.gz")
    );
    let unpacked = environment.base().join(&name);
    for file in [
        "README.md",
        "LICENSE-MIT",
        "LICENSE-APACHE",
        "completions/ckpt",
        "completions/_ckpt",
        "completions/ckpt.fish",
        "completions/ckpt.elv",
        "completions/ckpt.ps1",
        "man/man1/ckpt.1",
        "man/man1/ckpt-plan-done.1",
    ] {
        let text = std::fs::read_to_string(unpacked.join(file)).unwrap();
        assert!(
            !text.contains(environment.base().to_str().unwrap()),
            "{file}"
        );
        assert!(!text.is_empty(), "{file}");
        assert_eq!(tree::mode(unpacked.join(file)), 0o644, "{file}");
    }
    assert_eq!(tree::mode(unpacked.join("ckpt")), 0o755);
}

#[test]
fn cargo_binstall_looks_for_the_archive_and_for_the_binary_in_it() {
    let manifest = project().join("crates/ckpt-cli/Cargo.toml");
    let manifest = std::fs::read_to_string(manifest).unwrap();
    let (_, metadata) = manifest.split_once("[package.metadata.binstall]").unwrap();
    let value = |name: &str| {
        let line = metadata
            .lines()
            .find_map(|line| line.strip_prefix(&format!("{name} = \"")));
        let value = line
            .unwrap()
            .trim_end_matches('"')
            .replace("{ version }", "1.2.3");
        value
            .replace("{ target }", "x")
            .replace("{ bin }{ binary-ext }", "ckpt")
    };
    let script = std::fs::read_to_string(project().join("scripts/archive")).unwrap();
    assert!(script.contains("name=ckpt-$version-$target\n"));
    assert!(value("pkg-url").ends_with("/ckpt-1.2.3-x.tar.gz"));
    assert_eq!(value("bin-dir"), "ckpt-1.2.3-x/ckpt");
    assert_eq!(value("pkg-fmt"), "tgz");
}
