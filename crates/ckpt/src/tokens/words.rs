//! Words, as JavaScript splits them.

/// Counts words the way `text.split(/\s+/).filter(Boolean).length` does in JavaScript.
///
/// ```
/// assert_eq!(ckpt::tokens::count_words("  multiple   spaces  "), 2);
/// ```
#[must_use]
pub fn count_words(text: &str) -> usize {
    words(text).count()
}

pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(is_javascript_space)
        .filter(|word| !word.is_empty())
}

/// What `\s` matches in JavaScript. It differs from Unicode white space: U+FEFF separates words and U+0085 does not.
pub(super) fn is_javascript_space(character: char) -> bool {
    matches!(
        character,
        '\t' | '\n' | '\u{b}' | '\u{c}' | '\r' | ' ' | '\u{a0}' | '\u{1680}' | '\u{2000}'
            ..='\u{200a}'
                | '\u{2028}'
                | '\u{2029}'
                | '\u{202f}'
                | '\u{205f}'
                | '\u{3000}'
                | '\u{feff}'
    )
}

#[cfg(test)]
mod tests;
