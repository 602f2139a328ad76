//! Git's pre-push hook, which judges what is pushed.

use std::io::{self, BufRead, Write};
use std::path::{Path, PathBuf};

use ckpt::gate::shell_word;

use super::files::{Grounds, Wanted};
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::surroundings;

/// The hook.
const HOOK: &str = "pre-push";

/// Where the hook goes that was there before: it is still called first.
const BEFORE: &str = "pre-push.before-ckpt";

/// By this line our hook is known.
const MARK: &str =
    "# Made by `ckpt init --pre-push`. `ckpt init --uninstall` brings back what was here.";

/// Whether the hook may go where `core.hooksPath` leads, which may be a directory that others share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    NotGiven,
}

/// The hook, and a copy of the one that it takes the place of.
pub(super) fn wanted(
    grounds: &Grounds,
    program: &str,
    consent: Consent,
) -> Result<Vec<Wanted>, Failure> {
    let directory = directory(grounds, consent)?;
    let file = |name: &str, about: &str| {
        let path = directory.join(name);
        let name = path.strip_prefix(&grounds.root).unwrap_or(&path);
        let name = name.display().to_string();
        Ok::<_, Failure>(Wanted {
            before: grounds.text(&name, &path)?,
            name,
            path,
            about: about.to_owned(),
            bare: None,
            after: None,
            is_program: true,
        })
    };
    let mut hook = file(HOOK, "judges what is pushed")?;
    let mut kept = file(BEFORE, "the hook that was there, which is called first")?;
    let is_ours = |text: &String| text.lines().any(|line| line == MARK);
    kept.after = match hook.before.as_ref().filter(|text| !is_ours(text)) {
        Some(theirs) => Some(theirs.clone()),
        None => kept.before.clone(),
    };
    // One that git did not call is not called from now on either.
    kept.is_program = hook.before.is_none() || is_called(&hook.path);
    hook.after = Some(script(program));
    let mut wanted = Vec::new();
    if kept.is_changed() {
        wanted.push(kept);
    }
    wanted.push(hook);
    Ok(wanted)
}

/// Where git looks for hooks.
fn directory(grounds: &Grounds, consent: Consent) -> Result<PathBuf, Failure> {
    let repository = &grounds.repository;
    let common = repository.common_dir().ok_or_else(|| {
        let message = "there is no git repository to put a pre-push hook into";
        Failure::new(Exit::Invalid, message).with_hint("Run it in a clone, or after: git init")
    })?;
    let Some(configured) = repository.git_setting("core.hooksPath") else {
        return Ok(common.join("hooks"));
    };
    let path = grounds.root.join(Path::new(&configured));
    if consent == Consent::Given || is_agreed(&path) {
        return Ok(path);
    }
    let message = format!(
        "core.hooksPath leads to {}, which others may share",
        path.display()
    );
    Err(Failure::new(Exit::Invalid, message)
        .with_hint("Put the hook there with: ckpt init --pre-push --into-hooks-path"))
}

/// Asks whoever sits at the terminal.
fn is_agreed(path: &Path) -> bool {
    if !surroundings::is_attended() {
        return false;
    }
    let mut terminal = io::stderr();
    let shown = one_line(&path.display().to_string());
    let _ = write!(
        terminal,
        "core.hooksPath leads to {shown}, which others may share. Put the hook there? [y/N] "
    );
    let _ = terminal.flush();
    let mut typed = String::new();
    let read = io::stdin().lock().read_line(&mut typed);
    read.is_ok() && matches!(typed.trim(), "y" | "Y" | "yes")
}

/// Whether git calls the hook that lies there.
fn is_called(path: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        std::fs::metadata(path).is_ok_and(|found| found.permissions().mode() & 0o111 != 0)
    }
    #[cfg(not(unix))]
    path.is_file()
}

fn script(program: &str) -> String {
    let program = shell_word(program);
    format!(
        r#"#!/bin/sh
{MARK}
# It judges what is pushed by what the commits hold: ckpt gate pre-push
pushed=$(cat)
feed() {{ [ -z "$pushed" ] || printf '%s\n' "$pushed"; }}
before="$(dirname "$0")/{BEFORE}"
if [ -x "$before" ]; then
    feed | "$before" "$@" || exit
fi
ckpt={program}
command -v "$ckpt" >/dev/null 2>&1 || ckpt=ckpt
if ! command -v "$ckpt" >/dev/null 2>&1; then
    echo "warning: ckpt is not installed, so no gate is checked before this push" >&2
    exit 0
fi
feed | "$ckpt" gate pre-push "$@"
"#
    )
}
