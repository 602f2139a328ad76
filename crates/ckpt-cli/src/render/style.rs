//! Colours, and the removal of what could steer a terminal from text of others.

use std::fmt::Display;

use anstyle::{AnsiColor, Style};

/// Good news.
pub(crate) const GOOD: Style = AnsiColor::Green.on_default();
/// Work under way.
pub(crate) const ACTIVE: Style = AnsiColor::Cyan.on_default();
/// Something to look at.
pub(crate) const WARN: Style = AnsiColor::Yellow.on_default();
/// Bad news.
pub(crate) const BAD: Style = AnsiColor::Red.on_default();
/// What matters most on its line.
pub(crate) const STRONG: Style = Style::new().bold();
/// What matters least.
pub(crate) const FAINT: Style = Style::new().dimmed();

/// Text in a style.
pub(crate) fn paint(style: Style, text: impl Display) -> String {
    format!("{style}{text}{style:#}")
}

/// One line of a stranger's text: control characters become spaces, and what could reorder the
/// line goes.
pub(crate) fn one_line(text: &str) -> String {
    if text.bytes().all(|byte| byte.is_ascii_graphic()) {
        return text.to_owned();
    }
    let mut line = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            c if c.is_control() || c.is_whitespace() => {
                if !line.ends_with(' ') {
                    line.push(' ');
                }
            }
            c if ckpt::resume::is_hidden(c) => {}
            c => line.push(c),
        }
    }
    line.trim().to_owned()
}

/// At most so many characters, with an ellipsis where some are left out.
pub(crate) fn shortened(text: &str, most: usize) -> String {
    if text.chars().count() <= most {
        return text.to_owned();
    }
    let kept: String = text.chars().take(most.saturating_sub(1)).collect();
    format!("{}…", kept.trim_end())
}
