//! Splits a text into pieces. No token spans two pieces.
//!
//! Both vocabularies come with a regular expression that backtracks. Each of its alternatives is a function here, tried
//! in the same order; remembering one position replaces the backtracking.

use crate::class::Class;

/// The rules for splitting a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rules {
    O200k,
    Cl100k,
}

/// The pieces of a text, in order.
pub(crate) fn pieces(rules: Rules, text: &str) -> impl Iterator<Item = &str> {
    let mut rest = text;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let (piece, after) = rest.split_at(length(rules, rest));
        rest = after;
        Some(piece)
    })
}

/// The length of the first piece of a non-empty text.
fn length(rules: Rules, text: &str) -> usize {
    let word = match rules {
        Rules::O200k => cased_word(text),
        Rules::Cl100k => contraction(text).or_else(|| word(text)),
    };
    word.or_else(|| number(text))
        .or_else(|| symbols(rules, text))
        .or_else(|| spaces(rules, text))
        .unwrap_or_else(|| text.chars().next().map_or(0, char::len_utf8))
}

/// The end of the run of characters of a kind that begins at `start`.
fn run(text: &str, start: usize, is_of_kind: impl Fn(Class) -> bool) -> usize {
    let end = text[start..]
        .char_indices()
        .find(|(_, character)| !is_of_kind(Class::of(*character)));
    end.map_or(text.len(), |(at, _)| start + at)
}

/// The length of the single character that may precede a word.
fn prefix(text: &str) -> Option<usize> {
    let first = text.chars().next()?;
    Class::of(first).is_prefix().then(|| first.len_utf8())
}

/// A word, preceded by at most one character that is not a letter, number or newline.
fn word(text: &str) -> Option<usize> {
    let start = prefix(text).unwrap_or(0);
    let end = run(text, start, Class::is_letter);
    (end > start).then_some(end)
}

/// A word that ends in lower case, or else one in upper case. Each is tried first with a preceding character, then
/// without. A contraction after it is included.
fn cased_word(text: &str) -> Option<usize> {
    let prefix = prefix(text);
    let end = prefix
        .and_then(|start| ending_low(text, start))
        .or_else(|| ending_low(text, 0))
        .or_else(|| prefix.and_then(|start| beginning_high(text, start)))
        .or_else(|| beginning_high(text, 0))?;
    Some(end + contraction(&text[end..]).unwrap_or(0))
}

/// `[upper caseless marks]* [lower caseless marks]+`
fn ending_low(text: &str, start: usize) -> Option<usize> {
    let mut last_shared = None;
    let mut end = text.len();
    for (at, character) in text[start..].char_indices() {
        match Class::of(character) {
            Class::Upper => {}
            Class::Caseless | Class::Mark => last_shared = Some(start + at + character.len_utf8()),
            Class::Lower => {
                return Some(run(text, start + at, |class| {
                    matches!(class, Class::Lower | Class::Caseless | Class::Mark)
                }));
            }
            _ => {
                end = start + at;
                break;
            }
        }
    }
    // No lower case: the second set gets the last character that is in both sets.
    last_shared.filter(|shared| *shared <= end)
}

/// `[upper caseless marks]+ [lower caseless marks]*`
fn beginning_high(text: &str, start: usize) -> Option<usize> {
    let high = run(text, start, |class| {
        matches!(class, Class::Upper | Class::Caseless | Class::Mark)
    });
    let low = |class| matches!(class, Class::Lower | Class::Caseless | Class::Mark);
    (high > start).then(|| run(text, high, low))
}

/// `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll`, `'d`, ignoring case. The long s counts as an s.
fn contraction(text: &str) -> Option<usize> {
    let letters = text.strip_prefix('\'')?;
    let first = letters.chars().next()?;
    let second = letters[first.len_utf8()..].chars().next();
    let is = |character: Option<char>, letter: char| {
        character.is_some_and(|character| character.eq_ignore_ascii_case(&letter))
    };
    let one = "stmd".chars().any(|letter| is(Some(first), letter)) || first == 'ſ';
    let two = [('r', 'e'), ('v', 'e'), ('l', 'l')]
        .into_iter()
        .any(|(one, two)| is(Some(first), one) && is(second, two));
    match (one, two) {
        (true, _) => Some(1 + first.len_utf8()),
        (_, true) => Some(3),
        _ => None,
    }
}

/// Up to three digits.
fn number(text: &str) -> Option<usize> {
    let digits = text.chars().take(3);
    let digits = digits.take_while(|character| Class::of(*character) == Class::Number);
    let length: usize = digits.map(char::len_utf8).sum();
    (length > 0).then_some(length)
}

/// Symbols, preceded by at most one space, with the newlines after them.
fn symbols(rules: Rules, text: &str) -> Option<usize> {
    let start = usize::from(text.starts_with(' '));
    let end = run(text, start, Class::is_symbol);
    let is_tail =
        |byte: &u8| matches!(byte, b'\r' | b'\n') || rules == Rules::O200k && *byte == b'/';
    let tail = text.as_bytes()[end..]
        .iter()
        .take_while(|byte| is_tail(byte));
    (end > start).then(|| end + tail.count())
}

/// White space up to its last newline, or else all but its last character, which belongs to the next piece.
fn spaces(rules: Rules, text: &str) -> Option<usize> {
    let end = run(text, 0, Class::is_space);
    let is_last = end == text.len();
    let newline = text[..end].rfind(['\r', '\n']).map(|at| at + 1);
    let last = text[..end].chars().next_back()?.len_utf8();
    Some(match newline {
        _ if is_last && rules == Rules::Cl100k => end,
        Some(newline) => newline,
        None if is_last || end == last => end,
        None => end - last,
    })
}
