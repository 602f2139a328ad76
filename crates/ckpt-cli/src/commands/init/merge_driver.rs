//! Git's merge driver for plans: the lines that name it in `.gitattributes`, and its section in git's configuration.

use std::path::{Path, PathBuf};

use ckpt::voice::shell_word;

use super::files::{Grounds, Wanted, with_lines};
use super::receipt::Change;
use crate::failure::Failure;

/// The name of the driver.
pub(crate) const DRIVER: &str = "ckpt-plan";

/// The lines that name the driver. Without its section they have no effect.
const ATTRIBUTES: [&str; 2] = [
    "plans/**/plan.md merge=ckpt-plan",
    "plans/**/phase-*.md merge=ckpt-plan",
];

const ATTRIBUTES_FILE: &str = ".gitattributes";

/// The first line of the section.
const HEADER: &str = "[merge \"ckpt-plan\"]";

/// Both files with our part; none, and a note, if one of them cannot be edited.
pub(super) fn wanted(grounds: &Grounds<'_>, program: &str, notes: &mut Vec<String>) -> Vec<Wanted> {
    let Some(path) = config(grounds) else {
        return Vec::new();
    };
    match both(grounds, path, program) {
        Ok(wanted) => wanted.into(),
        Err(failure) => {
            let reason = failure.message();
            notes.push(format!("plans are merged by git alone: {reason}"));
            Vec::new()
        }
    }
}

fn both(grounds: &Grounds<'_>, path: PathBuf, program: &str) -> Result<[Wanted; 2], Failure> {
    let attributes = grounds.root.join(ATTRIBUTES_FILE);
    let before = grounds.text(ATTRIBUTES_FILE, &attributes)?;
    let after = with_lines(before.as_deref(), &ATTRIBUTES);
    let attributes = Wanted {
        name: ATTRIBUTES_FILE.to_owned(),
        path: attributes,
        about: "lets ckpt merge plans".to_owned(),
        after: after.or_else(|| before.clone()),
        before,
        bare: None,
        is_program: false,
    };
    let name = name_of(grounds, &path);
    let before = grounds.text(&name, &path)?;
    let text = before.as_deref().unwrap_or_default();
    let bare = without_section(text);
    let section = section(program);
    let config = Wanted {
        name,
        path,
        about: "the merge driver for plans".to_owned(),
        after: Some(match text.contains(&section) {
            true => text.to_owned(),
            false => with_section(bare.as_deref().unwrap_or(text), &section),
        }),
        before,
        bare,
        is_program: false,
    };
    Ok([attributes, config])
}

/// The configuration that all worktrees share. A git directory among the files of the work tree may be tracked, so it
/// is left alone.
fn config(grounds: &Grounds<'_>) -> Option<PathBuf> {
    let git = grounds.repository.common_dir()?;
    let is_own = !git.starts_with(&grounds.root) || git == grounds.root.join(".git");
    grounds.git_config().filter(|_| is_own)
}

fn name_of(grounds: &Grounds<'_>, path: &Path) -> String {
    let name = path.strip_prefix(&grounds.root).unwrap_or(path);
    name.display().to_string()
}

/// Git runs the command with sh. If `ckpt` is gone or fails, git's own merge is the result: 5 is the only exit code
/// that reports conflicts.
fn section(program: &str) -> String {
    let program = shell_word(program).replace('%', "%%");
    let command = format!(
        "{program} plan merge --marker-size=%L --path=%P --ours-name=%X --theirs-name=%Y %O %A %B; \
         case $? in 0) ;; 5) exit 1 ;; \
         *) git merge-file --marker-size=%L -L ours -L base -L theirs %A %O %B || exit 1 ;; esac"
    );
    // In double quotes, because a semicolon begins a comment.
    let command = command.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        "{HEADER}\n\tname = tasks and ticks of both sides of a plan\n\tdriver = \"{command}\"\n"
    )
}

fn with_section(text: &str, section: &str) -> String {
    let end = match text.is_empty() || text.ends_with('\n') {
        true => "",
        false => "\n",
    };
    format!("{text}{end}{section}")
}

/// A configuration without our section; `None` if it has none, or others have added to it.
fn without_section(text: &str) -> Option<String> {
    let mut rest = String::new();
    let mut lines = text.split_inclusive('\n').peekable();
    let mut found = false;
    while let Some(line) = lines.next() {
        if line.trim_end() != HEADER {
            rest += line;
            continue;
        }
        found = true;
        while let Some(line) = lines.next_if(|line| !line.trim_start().starts_with('[')) {
            let key = line
                .trim_start()
                .split([' ', '='])
                .next()
                .unwrap_or_default();
            if !matches!(key.trim_end(), "name" | "driver" | "") {
                return None;
            }
        }
    }
    found.then_some(rest)
}

/// Whether this is one of the two files.
pub(super) fn is_in(grounds: &Grounds<'_>, name: &str) -> bool {
    let is_config = |path: PathBuf| name_of(grounds, &path) == name;
    name == ATTRIBUTES_FILE || config(grounds).is_some_and(is_config)
}

/// One of the two files without our part, wherever it is; `None` if others have added to our part. Of the receipt only
/// the line ending before our part counts: a forged one must not change git's settings.
pub(super) fn original(change: &Change, text: &str) -> Option<String> {
    let bare = match change.path == ATTRIBUTES_FILE {
        true => without_attributes(text),
        false if !text.contains(HEADER) => text.to_owned(),
        false => without_section(text)?,
    };
    let is_line_end = |rest: &str| matches!(rest, "\n" | "\r\n");
    let recorded = change.undone(text);
    let recorded = recorded.filter(|recorded| {
        bare.strip_prefix(recorded.as_str())
            .is_some_and(is_line_end)
    });
    Some(recorded.unwrap_or(bare))
}

fn without_attributes(text: &str) -> String {
    let is_ours = |line: &&str| ATTRIBUTES.contains(&line.trim_end());
    let lines = text.split_inclusive('\n');
    lines.filter(|line| !is_ours(line)).collect()
}

/// Whether a change is the one to git's configuration.
pub(super) fn is_config(change: &Change) -> bool {
    Path::new(&change.path).file_name() == Some("config".as_ref())
}

/// Removes a section of ours that no receipt records, because it was added from a worktree that is gone.
pub(super) fn forgotten(grounds: &Grounds<'_>) -> Option<Wanted> {
    let path = config(grounds)?;
    let name = name_of(grounds, &path);
    let before = grounds.text(&name, &path).ok()??;
    Some(Wanted {
        after: Some(without_section(&before)?),
        about: "without the parts added by ckpt".to_owned(),
        before: Some(before),
        bare: None,
        is_program: false,
        name,
        path,
    })
}

/// Whether a `.gitattributes` names the driver.
pub(crate) fn is_named_in(attributes: &str) -> bool {
    let lines = attributes.lines().filter(|line| !line.starts_with('#'));
    let mut words = lines.flat_map(str::split_whitespace);
    words.any(|word| word.strip_prefix("merge=") == Some(DRIVER))
}
