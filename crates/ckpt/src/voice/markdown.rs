//! Text written by others, inside Markdown that is read by programs too.

use super::flat;

/// A hyphen that looks the same and begins no issue: after a word like "closes", `BAS-6` would be closed.
const HYPHEN: char = '\u{2011}';

/// A letter that looks the same and mentions nobody.
const AT: char = '\u{ff20}';

/// A sign that looks the same and names no issue.
const NUMBER: char = '\u{ff03}';

/// What is left of a text that was cut.
const CUT: char = '…';

/// The text on one line of Markdown, with at most this many characters of it. It stays text: no markup, no HTML, no link,
/// nobody is mentioned, and no issue is named that a tracker would close.
#[must_use]
pub fn in_markdown(text: &str, most: usize) -> String {
    let line = flat(text);
    let line = without_schemes(&line);
    let mut out = String::with_capacity(line.len());
    let mut before = None;
    let mut rest = line.chars().peekable();
    for count in 0.. {
        let Some(character) = rest.next() else { break };
        if count == most {
            out.push(CUT);
            break;
        }
        let after = rest.peek().copied();
        let names_issue = |c: Option<char>| c.is_some_and(|c| c.is_ascii_digit());
        match character {
            '@' => out.push(AT),
            '#' if after.is_some_and(char::is_alphanumeric) => out.push(NUMBER),
            '-' if before.is_some_and(char::is_alphanumeric) && names_issue(after) => {
                out.push(HYPHEN);
            }
            '-' | '+' | '=' | ':' if before.is_none() => out.extend(['\\', character]),
            '.' if begins_address(&out) => out.extend(['\\', character]),
            '.' | ')' if is_number(&out) => out.extend(['\\', character]),
            '\\' | '`' | '*' | '_' | '[' | ']' | '<' | '>' | '|' | '~' | '&' | '$' | '#' => {
                out.extend(['\\', character]);
            }
            plain => out.push(plain),
        }
        before = Some(character);
    }
    out
}

/// Whether a dot would make a link of what follows.
fn begins_address(line: &str) -> bool {
    let end = line.len().checked_sub(3).and_then(|at| line.get(at..));
    end.is_some_and(|end| end.eq_ignore_ascii_case("www"))
}

/// Whether a line so far would begin a numbered list.
fn is_number(line: &str) -> bool {
    !line.is_empty() && line.bytes().all(|byte| byte.is_ascii_digit())
}

/// The text without the beginnings of web addresses, so that none is a link.
fn without_schemes(line: &str) -> String {
    let mut kept = String::with_capacity(line.len());
    for (number, part) in line.split("://").enumerate() {
        if number > 0 {
            let scheme = |c: char| c.is_ascii_alphanumeric() || "+.-".contains(c);
            kept.truncate(kept.trim_end_matches(scheme).len());
        }
        kept += part;
    }
    kept
}
