//! Colours, and the removal of terminal control characters from untrusted text.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};
use ckpt::voice::{flat, steers};

/// Good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Work in progress.
pub(crate) const ACTIVE: Style = AnsiColor::Cyan.on_default();
/// Something that needs attention.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// Bad news.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// The most important part of a line.
pub(crate) const STRONG: Style = Style::new().bold();
/// The least important part.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Text in a style.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// Untrusted text as one safe line.
pub(crate) fn one_line(text: &str) -> String {
    flat(text).into_owned()
}

/// A page that is safe to print to a terminal: of all control sequences, only our own colours and newlines are kept.
pub(crate) fn safe_page(page: &str) -> String {
    let is_safe = |c: char| c == '\n' || c == '\t' || !steers(c);
    if page.chars().all(is_safe) {
        return page.to_owned();
    }
    let styles = [GOOD, ACTIVE, WARN, BAD, STRONG, FAINT];
    let own: Vec<String> = styles
        .iter()
        .flat_map(|style| [format!("{style}"), format!("{style:#}")])
        .collect();
    let mut out = String::with_capacity(page.len());
    let mut rest = page;
    while let Some(character) = rest.chars().next() {
        if character == '\u{1b}'
            && let Some(code) = own.iter().find(|code| rest.starts_with(code.as_str()))
        {
            out.push_str(code);
            rest = &rest[code.len()..];
            continue;
        }
        match character {
            c if is_safe(c) => out.push(c),
            c if c.is_control() => out.push(' '),
            _ => {}
        }
        rest = &rest[character.len_utf8()..];
    }
    out
}

/// Cuts a text to at most `most` characters, ending with an ellipsis.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
