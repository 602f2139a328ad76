//! Git's pre-push hook, which checks gates before a push.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use ckpt::voice::shell_word;

use super::files::{Grounds, Wanted};
use super::receipt::Change;
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::ui::Ui;

/// The name of the hook.
const HOOK: &str = "pre-push";

/// Where an existing hook is moved; our hook calls it first.
const BEFORE: &str = "pre-push.before-ckpt";

/// The line that identifies our hook.
const MARK: &str =
    "# Made by `ckpt init --pre-push`. `ckpt init --uninstall` brings back what was here.";

/// Whether the hook may be installed in `core.hooksPath`, which other repositories may share.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Consent {
    Given,
    NotGiven,
}

/// Our hook, and a copy of the hook it replaces.
pub(super) fn wanted(
    ui: &Ui,
    grounds: &Grounds<'_>,
    program: &str,
    consent: Consent,
) -> Result<Vec<Wanted>, Failure> {
    let directory = directory(ui, grounds, consent)?;
    let mut hook = file(grounds, &directory, HOOK, "checks gates before a push")?;
    let about = "the existing hook, which runs first";
    let mut kept = file(grounds, &directory, BEFORE, about)?;
    kept.after = match hook.before.as_ref().filter(|text| !is_ours(text)) {
        Some(theirs) => Some(theirs.clone()),
        None => kept.before.clone(),
    };
    // If git did not call the old hook because it was not executable, we do not call it either.
    kept.is_program = hook.before.is_none() || is_called(&hook.path);
    hook.after = Some(script(program));
    let mut wanted = Vec::new();
    if kept.is_changed() {
        wanted.push(kept);
    }
    wanted.push(hook);
    Ok(wanted)
}

/// Whether a change is the one to the hook.
pub(super) fn is_hook(change: &Change) -> bool {
    Path::new(&change.path).file_name() == Some(HOOK.as_ref())
}

/// Whether a file has the name of our hook, or of the copy of the old one.
pub(super) fn has_its_name(path: &Path) -> bool {
    let names = [HOOK, BEFORE].map(|name| Some(OsStr::new(name)));
    names.contains(&path.file_name())
}

fn is_ours(text: &str) -> bool {
    text.lines().any(|line| line == MARK)
}

/// Removes a hook of ours that no receipt records, because it was installed from a worktree that is gone.
pub(super) fn forgotten(grounds: &Grounds<'_>) -> Result<Vec<Wanted>, Failure> {
    match grounds.repository.common_dir() {
        Some(common) => taken_out(grounds, &common.join("hooks")),
        None => Ok(Vec::new()),
    }
}

/// Whether a receipt names a hook in `core.hooksPath`. An archive can bring both, so the receipt is not trusted there.
pub(super) fn is_in_hooks_path(grounds: &Grounds<'_>, change: &Change) -> bool {
    let path = Path::new(&change.path);
    let configured = || grounds.repository.configured_hooks();
    path.is_absolute() && has_its_name(path) && configured().as_deref() == path.parent()
}

/// Removes a hook of ours, going only by the files in its directory.
pub(super) fn taken_out(grounds: &Grounds<'_>, directory: &Path) -> Result<Vec<Wanted>, Failure> {
    let mut hook = file(grounds, directory, HOOK, "back to its original state")?;
    if !hook.before.as_deref().is_some_and(is_ours) {
        return Ok(Vec::new());
    }
    let kept = file(grounds, directory, BEFORE, "moved back to its place")?;
    // A copy that was not executable stays so.
    hook.is_program = kept.before.is_some() && is_called(&kept.path);
    hook.after.clone_from(&kept.before);
    let is_kept = kept.before.is_some();
    Ok([hook].into_iter().chain(is_kept.then_some(kept)).collect())
}

fn file(
    grounds: &Grounds<'_>,
    directory: &Path,
    name: &str,
    about: &str,
) -> Result<Wanted, Failure> {
    let path = directory.join(name);
    let name = path.strip_prefix(&grounds.root).unwrap_or(&path);
    let name = name.display().to_string();
    Ok(Wanted {
        before: grounds.text(&name, &path)?,
        name,
        path,
        about: about.to_owned(),
        bare: None,
        after: None,
        is_program: true,
    })
}

/// The directory where git looks for hooks.
fn directory(ui: &Ui, grounds: &Grounds<'_>, consent: Consent) -> Result<PathBuf, Failure> {
    let repository = &grounds.repository;
    let common = repository.common_dir().ok_or_else(|| {
        let message = "cannot install a pre-push hook: this is not a git repository";
        Failure::new(Exit::Invalid, message)
            .with_hint("Run it in a git repository, or create one with: git init")
    })?;
    let Some(path) = repository.configured_hooks() else {
        return Ok(common.join("hooks"));
    };
    if consent == Consent::Given || is_agreed(ui, &path) {
        return Ok(path);
    }
    let message = format!(
        "core.hooksPath is {}, which other repositories may share",
        path.display()
    );
    Err(Failure::new(Exit::Invalid, message)
        .with_hint("Install the hook there with: ckpt init --pre-push --into-hooks-path"))
}

/// Asks the user.
fn is_agreed(ui: &Ui, path: &Path) -> bool {
    let shown = one_line(&path.display().to_string());
    ui.is_agreed(&format!(
        "core.hooksPath is {shown}, which other repositories may share. Install the hook there?"
    ))
}

/// Whether git would call the hook at this path.
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
# Checks the content of the pushed commits with: ckpt gate pre-push
pushed=$(cat)
feed() {{ [ -z "$pushed" ] || printf '%s\n' "$pushed"; }}
before="$(dirname "$0")/{BEFORE}"
if [ -x "$before" ]; then
    feed | "$before" "$@" || exit
fi
ckpt={program}
command -v "$ckpt" >/dev/null 2>&1 || ckpt=ckpt
if ! command -v "$ckpt" >/dev/null 2>&1; then
    echo "warning: ckpt is not installed, so no gate was checked before this push" >&2
    exit 0
fi
feed | "$ckpt" gate pre-push "$@"
"#
    )
}
