//! Shortening a text without breaking its meaning: whole sentences, list items and code blocks are cut from its end.

use super::Limit;
use super::words::is_javascript_space;

/// A text that fits a limit, shortened if necessary.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Fitted {
    /// The remaining text.
    pub text: String,
    /// The number of tokens in it.
    pub tokens: usize,
    /// What was cut, if anything.
    pub cut: Option<Cut>,
}

/// What was cut from a text.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Cut {
    /// The text that was cut.
    pub text: String,
    /// How many sentences, list items and blocks were cut, counting one that was cut in part.
    pub units: usize,
    /// Even the first sentence does not fit, so it was cut after a word.
    pub inside_sentence: bool,
}

/// Cuts a text to a limit.
#[must_use]
pub fn fit(text: &str, limit: Limit) -> Fitted {
    let counter = limit.counter;
    if counter.fits(text, limit.most) {
        return Fitted {
            text: text.to_owned(),
            tokens: counter.count(text),
            cut: None,
        };
    }
    let borders = borders(text);
    let kept = longest(text, &borders, limit);
    let inside_sentence = kept == 0;
    let end = match inside_sentence {
        true => longest(text, &words_ends(text), limit),
        false => kept,
    };
    let units = borders.iter().filter(|border| **border > end).count();
    let shortened = text[..end].trim_end_matches(is_javascript_space);
    Fitted {
        tokens: counter.count(shortened),
        text: shortened.to_owned(),
        cut: Some(Cut {
            text: text[shortened.len()..].trim().to_owned(),
            units,
            inside_sentence,
        }),
    }
}

/// The last of these places that leaves the text within its limit, or 0.
fn longest(text: &str, places: &[usize], limit: Limit) -> usize {
    let fits = |end: usize| {
        let text = text[..end].trim_end_matches(is_javascript_space);
        limit.counter.fits(text, limit.most)
    };
    // A longer text has more tokens, except where a cut word counts as several; those places are skipped one by one.
    let mut count = places.partition_point(|place| fits(*place));
    while count > 0 && !fits(places[count - 1]) {
        count -= 1;
    }
    match count {
        0 => 0,
        count => places[count - 1],
    }
}

fn words_ends(text: &str) -> Vec<usize> {
    let spaces = text.char_indices();
    let spaces = spaces.filter(|(_, character)| is_javascript_space(*character));
    spaces.map(|(at, _)| at).chain([text.len()]).collect()
}

/// The places where a text can end without needing what follows.
fn borders(text: &str) -> Vec<usize> {
    let mut borders = Vec::new();
    let mut fence = None;
    let mut before = Before::Nothing;
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        let (start, end) = (at, at + line.len());
        at = end;
        let content = line.trim();
        if let Some(open) = fence {
            if content.starts_with(open) {
                fence = None;
                before = Before::Text;
                borders.push(end);
            }
            continue;
        }
        let opened = ["```", "~~~"]
            .into_iter()
            .find(|open| content.starts_with(open));
        let is_heading = content.starts_with('#');
        let ends_block = opened.is_some() || content.is_empty() || is_heading || is_item(content);
        // A heading belongs to what follows, so nothing ends after one.
        if ends_block
            && !matches!(before, Before::Nothing | Before::Heading)
            && borders.last() != Some(&start)
        {
            borders.push(start);
        }
        let goes_on = before == Before::Item && line.starts_with([' ', '\t']);
        fence = opened;
        before = match before {
            Before::Item if content.is_empty() => Before::Text,
            before if content.is_empty() || opened.is_some() => before,
            _ if is_heading => Before::Heading,
            // A list item stays whole.
            _ if is_item(content) || goes_on => Before::Item,
            _ => {
                borders.extend(sentences(line).map(|sentence| start + sentence));
                Before::Text
            }
        };
    }
    borders.push(text.len());
    borders.dedup();
    borders
}

/// The kind of the last line that was not blank.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Before {
    Nothing,
    Heading,
    Item,
    Text,
}

/// `- `, `* `, `+ `, `1. `, `2) `
fn is_item(content: &str) -> bool {
    let digits = content.trim_start_matches(|c: char| c.is_ascii_digit());
    let numbered = digits.len() < content.len() && digits.starts_with(['.', ')']);
    let bullet = content.starts_with(['-', '*', '+']);
    (numbered && digits[1..].starts_with(' ')) || (bullet && content[1..].starts_with(' '))
}

/// The ends of the sentences in a line, each including the white space after it.
fn sentences(line: &str) -> impl Iterator<Item = usize> {
    line.char_indices().filter_map(move |(at, mark)| {
        let after = at + mark.len_utf8();
        match mark {
            '。' | '！' | '？' => return Some(after),
            '.' | '!' | '?' | '…' => {}
            _ => return None,
        }
        let rest =
            line[after..].trim_start_matches(['"', '\'', ')', ']', '”', '’', '»', '*', '_', '`']);
        let next = rest.trim_start();
        let ends = next.is_empty() || (next.len() < rest.len() && !continues(next));
        let after = line.len() - next.len();
        (ends && !(mark == '.' && is_abbreviation(&line[..at]))).then_some(after)
    })
}

/// A sentence does not begin with a lower-case letter.
fn continues(next: &str) -> bool {
    next.starts_with(char::is_lowercase)
}

/// Whether the full stop after this text marks an abbreviation.
fn is_abbreviation(before: &str) -> bool {
    let word = before.rsplit([' ', '(', '\t']).next().unwrap_or_default();
    let single = word.chars().count() == 1 && word.chars().all(char::is_alphabetic);
    let known = [
        "e.g", "i.e", "cf", "vs", "etc", "Dr", "Mr", "Mrs", "St", "No", "approx",
    ];
    single || known.iter().any(|known| word.eq_ignore_ascii_case(known))
}

#[cfg(test)]
mod tests;
