//! Records how the program is built, for `ckpt --version`. Never fails: what cannot be found out is left out. There is no
//! date and no path, so that the same source gives the same program.

use std::env;
use std::path::Path;
use std::process::Command;

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let variable = |name: &str| env::var(name).unwrap_or_default();
    let features = variable("CARGO_CFG_TARGET_FEATURE");
    let is_static = features.split(',').any(|feature| feature == "crt-static");
    // Neither a debug build nor the Node addon shows the commit, so a commit does not build them again.
    let output = variable("OUT_DIR");
    let is_addon = Path::new(&output).iter().any(|part| part == "addon");
    let is_program = variable("PROFILE") == "release" && !is_addon;
    let build = [
        Some(variable("PROFILE")),
        is_static.then(|| "static".to_owned()),
        Some(variable("TARGET")),
        is_program.then(commit).flatten(),
    ];
    let build: Vec<String> = build.into_iter().flatten().collect();
    let version = variable("CARGO_PKG_VERSION");
    println!(
        "cargo::rustc-env=CKPT_LONG_VERSION={version} ({})",
        build.join(", ")
    );
}

/// The commit that is checked out, if this is a checkout of the project. Then the next commit builds the program again.
fn commit() -> Option<String> {
    let project = Path::new("../..").canonicalize().ok()?;
    let top = git(&["rev-parse", "--show-toplevel"])?;
    if Path::new(&top).canonicalize().ok()? != project {
        return None;
    }
    for name in ["HEAD", "logs/HEAD"] {
        let path = git(&["rev-parse", "--git-path", name])?;
        if Path::new(&path).exists() {
            println!("cargo::rerun-if-changed={path}");
        }
    }
    git(&["rev-parse", "--short=7", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    let line = text.trim();
    (output.status.success() && !line.is_empty()).then(|| line.to_owned())
}
