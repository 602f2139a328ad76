//! The program that agents call, and the command lines that call it.

use crate::agent::Agent;

/// The program that agents call.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Program {
    /// Its absolute path, or a bare name that the shell looks up.
    pub path: String,
}

impl Program {
    /// The program with this path or name.
    #[must_use]
    pub fn new(path: impl Into<String>) -> Self {
        Self { path: path.into() }
    }

    /// The command line for the shell that matches the path: `cmd` and PowerShell take a backslash literally, other
    /// shells do not.
    pub(super) fn shell_line(&self, agent: Agent) -> String {
        let word = if is_windows(&self.path) {
            double_quoted(&self.path)
        } else {
            single_quoted(&self.path)
        };
        format!("{word} hook {agent}")
    }

    /// The command line that prints a status line. Claude Code runs it in a POSIX shell.
    pub(super) fn status_line(&self) -> String {
        format!("{} {STATUS_LINE}", single_quoted(&self.path))
    }

    /// The command line for a POSIX shell, even on Windows.
    pub(super) fn posix_line(&self, agent: Agent) -> String {
        format!("{} hook {agent}", single_quoted(&self.path))
    }

    /// The command line for PowerShell, which runs a quoted path only after `&`.
    pub(super) fn powershell_line(&self, agent: Agent) -> String {
        if self.path.chars().all(is_plain_on_windows) {
            format!("{} hook {agent}", self.path)
        } else {
            format!("& '{}' hook {agent}", self.path.replace('\'', "''"))
        }
    }
}

/// The command that prints a status line.
pub(super) const STATUS_LINE: &str = "statusline";

/// Whether these words call `ckpt` for an agent.
pub(super) fn is_ours(words: &[String], agent: Agent) -> bool {
    calls(words, &["hook", agent.as_str()])
}

/// Whether these words call `ckpt` with these arguments, wherever it is installed, and also if its file is called
/// `ckpt-0.2` or `ckpt.exe`.
pub(super) fn calls(words: &[String], arguments: &[&str]) -> bool {
    let [program, given @ ..] = words else {
        return false;
    };
    let file = program.rsplit(['/', '\\']).next().unwrap_or_default();
    let version = file
        .strip_prefix("ckpt")
        .and_then(|rest| rest.chars().next());
    let is_named_so = file == "ckpt" || version.is_some_and(|next| !next.is_alphabetic());
    is_named_so && given == arguments
}

/// The words of a command line, or `None` if it is more than one simple command.
pub(super) fn words(line: &str) -> Option<Vec<String>> {
    let start = line.trim_start_matches(|c: char| c.is_whitespace() || "&'\"".contains(c));
    if is_windows(start) {
        windows_words(line)
    } else {
        posix_words(line)
    }
}

/// Splits words as `cmd` and PowerShell do: a backslash is not special, and a doubled quote stands for one.
pub(super) fn windows_words(line: &str) -> Option<Vec<String>> {
    let line = line.trim_start();
    let line = line.strip_prefix("& ").unwrap_or(line);
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' | '"' => {
                let word = word.get_or_insert_default();
                loop {
                    let inner = rest.next()?;
                    if inner != c {
                        word.push(inner);
                    } else if rest.next_if_eq(&c).is_some() {
                        word.push(c);
                    } else {
                        break;
                    }
                }
            }
            _ if c.is_whitespace() => words.extend(word.take()),
            _ if is_operator(c) => return None,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn posix_words(line: &str) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let mut word: Option<String> = None;
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match c {
            '\'' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '\'' => break,
                        inner => word.push(inner),
                    }
                }
            }
            '"' => {
                let word = word.get_or_insert_default();
                loop {
                    match rest.next()? {
                        '"' => break,
                        '\\' => match rest.next_if(|next| "\"\\$`".contains(*next)) {
                            Some(escaped) => word.push(escaped),
                            None => word.push('\\'),
                        },
                        inner => word.push(inner),
                    }
                }
            }
            '\\' => word.get_or_insert_default().push(rest.next()?),
            '\n' => return None,
            _ if c.is_whitespace() => words.extend(word.take()),
            _ if is_operator(c) => return None,
            _ => word.get_or_insert_default().push(c),
        }
    }
    words.extend(word);
    Some(words)
}

fn single_quoted(word: &str) -> String {
    if !word.is_empty() && word.chars().all(is_plain) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

/// A Windows path cannot contain double quotes.
fn double_quoted(word: &str) -> String {
    if word.chars().all(is_plain_on_windows) {
        word.to_owned()
    } else {
        format!("\"{word}\"")
    }
}

/// Whether a path begins with a drive or a share.
fn is_windows(path: &str) -> bool {
    match path.as_bytes() {
        [b'\\', b'\\', ..] => true,
        [drive, b':', b'\\' | b'/', ..] => drive.is_ascii_alphabetic(),
        _ => false,
    }
}

/// Whether a character is literal in all shells.
fn is_plain(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_+=:./-".contains(c)
}

fn is_plain_on_windows(c: char) -> bool {
    is_plain(c) || c == '\\'
}

/// Whether a character ends a simple command or means something else to the shell.
fn is_operator(c: char) -> bool {
    ";|&<>()`".contains(c)
}

#[cfg(test)]
mod tests;
