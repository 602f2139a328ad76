//! Programs of the system that some tests need.

use std::process::{Command, Stdio};

/// Whether a program can be run with these arguments. Where it cannot, the test says that it is
/// skipped; in continuous integration nothing is skipped, so there it fails.
pub(crate) fn works(program: &str, arguments: &[&str]) -> bool {
    let probe = Command::new(program)
        .args(arguments)
        .stdin(Stdio::null())
        .output();
    let problem = match probe {
        Ok(output) if output.status.success() => return true,
        Ok(output) => String::from_utf8_lossy(&output.stderr).into_owned(),
        Err(error) => error.to_string(),
    };
    let call = format!("{program} {}", arguments.join(" "));
    assert!(
        std::env::var("CI").as_deref() != Ok("true"),
        "this test needs `{call}` to work: {problem}"
    );
    eprintln!("SKIPPED: `{call}` does not work here: {problem}");
    false
}
