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

/// Longer words, in characters, are weighed.
const LONGEST_WORD: usize = 64;

/// How many tokens a word counts: one, or one for every four bytes if it is very long or its script has no spaces.
pub(super) fn weight(word: &str) -> usize {
    let is_long = word.len() > LONGEST_WORD && word.chars().count() > LONGEST_WORD;
    let is_weighed = is_long || (!word.is_ascii() && word.chars().any(is_of_script_without_spaces));
    match is_weighed {
        true => word.len().div_ceil(4),
        false => 1,
    }
}

/// Whether a character belongs to a script that writes words without spaces between them: Chinese, Japanese, Thai, Lao,
/// Tibetan, Burmese and Khmer.
fn is_of_script_without_spaces(character: char) -> bool {
    matches!(
        character,
        '\u{e00}'..='\u{fff}'
            | '\u{1000}'..='\u{109f}'
            | '\u{1780}'..='\u{17ff}'
            | '\u{2e80}'..='\u{2fdf}'
            | '\u{3005}'..='\u{3007}'
            | '\u{3040}'..='\u{312f}'
            | '\u{31a0}'..='\u{31ff}'
            | '\u{3400}'..='\u{4dbf}'
            | '\u{4e00}'..='\u{9fff}'
            | '\u{f900}'..='\u{faff}'
            | '\u{ff66}'..='\u{ff9f}'
            | '\u{1b000}'..='\u{1b16f}'
            | '\u{20000}'..='\u{3ffff}'
    )
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
