//! Reading what people and agents wrote: which ids and names a text uses, and what was said last.

use std::collections::HashSet;

/// The maximum number of words that are quoted from the end of a transcript.
pub const LAST_WORDS: usize = 40;

/// How many words of a report are kept: the first and the last half of them.
const REPORT_WORDS: usize = 80;

/// The length of what is kept of a report or of last words, in bytes.
const LONGEST: usize = 1_000;

/// The maximum number of names taken from one text.
const MOST_NAMES: usize = 40;

/// The part of a session's or agent's id that tells it from others. In an id that begins with the time (UUID version 7),
/// that is the end.
#[must_use]
pub fn short_id(id: &str) -> String {
    let is_timed = id.len() == 36 && id.as_bytes()[14] == b'7' && id.is_ascii();
    match is_timed {
        true => id[28..].to_owned(),
        false => id.chars().take(8).collect(),
    }
}

fn is_word(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '-' | '_')
}

/// Whether a text names an id. An id that is an ordinary word, such as `build`, must be marked as one: in backticks,
/// before a colon, or after a word such as `phase`.
#[must_use]
pub fn names(text: &str, id: &str) -> bool {
    if id.is_empty() {
        return false;
    }
    let is_plain = id.chars().all(|character| character.is_ascii_lowercase());
    text.match_indices(id).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + id.len()..]);
        let stands_alone = !before.ends_with(is_word) && !after.starts_with(is_word);
        stands_alone && (!is_plain || is_marked(before, after))
    })
}

fn is_marked(before: &str, after: &str) -> bool {
    const MARKS: [&str; 5] = ["phase", "task", "workstream", "gate", "step"];
    let word = before.trim_end().rsplit(|c: char| !is_word(c)).next();
    let is_after_mark = word.is_some_and(|word| {
        let word = word.to_ascii_lowercase();
        MARKS.contains(&word.as_str())
    });
    is_after_mark || before.ends_with('`') || after.starts_with(':')
}

/// The words of a text that could be ids.
pub(super) fn words(text: &str) -> impl Iterator<Item = &str> {
    let words = text.split(|character: char| !is_word(character));
    words.filter(|word| !word.is_empty())
}

/// Whether a text that names an id says that it is not to be done now, or not by the reader.
#[must_use]
pub(super) fn holds_back(text: &str) -> bool {
    const WORDS: [&str; 16] = [
        "wait",
        "waits",
        "until",
        "blocked",
        "hold",
        "later",
        "postpone",
        "postponed",
        "defer",
        "deferred",
        "never",
        "don't",
        "leave",
        "forbidden",
        "reserved",
        "stop",
    ];
    const PHRASES: [&str; 8] = [
        "not yet",
        "do not",
        "not start",
        "must not",
        "by hand",
        "not now",
        "the user",
        "a human",
    ];
    let text = text.to_lowercase();
    let mut words = text.split(|c: char| !(c.is_alphanumeric() || c == '\''));
    words.any(|word| WORDS.contains(&word)) || PHRASES.iter().any(|phrase| text.contains(phrase))
}

/// Whether a user's words forbid something for now: in one sentence, its id as a word and a word that forbids.
#[must_use]
pub(super) fn forbids(text: &str, id: &str) -> bool {
    const FORBIDDING: [&str; 7] = [
        "do not",
        "don't",
        "hold",
        "not before",
        "until i",
        "wait with",
        "never",
    ];
    let text = text.to_lowercase();
    let id = id.to_lowercase();
    text.split(['.', '!', '?', ';']).any(|sentence| {
        let mut words = sentence.split(|c: char| !is_word(c));
        words.any(|word| word == id) && FORBIDDING.iter().any(|forbids| sentence.contains(forbids))
    })
}

/// Whether a text says that something comes after an id, as in `needs login` or `after task login`.
#[must_use]
pub(super) fn waits_for(text: &str, id: &str) -> bool {
    const BEFORE: [&str; 9] = [
        "needs", "need", "after", "until", "once", "without", "requires", "for", "on",
    ];
    text.match_indices(id).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + id.len()..]);
        let stands_alone = !before.ends_with(is_word) && !after.starts_with(is_word);
        let mut words = before.split_whitespace().rev();
        let word = words
            .find(|word| !matches!(*word, "task" | "phase" | "workstream" | "the" | "`"))
            .unwrap_or_default()
            .to_lowercase();
        stands_alone && BEFORE.contains(&word.as_str())
    })
}

/// The identifiers in a text: what stands in backticks, and words in snake case or camel case. Paths are not
/// identifiers.
#[must_use]
pub fn identifiers(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut seen = HashSet::new();
    let mut add = |name: &str| {
        let name = name.trim_end_matches("()");
        if is_identifier(name) && seen.insert(name.to_owned()) && found.len() < MOST_NAMES {
            found.push(name.to_owned());
        }
    };
    for (number, part) in text.split('`').enumerate() {
        if number % 2 == 1 {
            add(part);
            continue;
        }
        let words = part.split(|c: char| c.is_whitespace() || matches!(c, ',' | ';' | '"' | '\''));
        for word in words {
            let word = word.trim_matches(|c: char| !(c.is_alphanumeric() || c == '_'));
            if is_snake(word) || is_camel(word) {
                add(word);
            }
        }
    }
    found
}

fn is_identifier(name: &str) -> bool {
    name.len() >= 3
        && name.len() <= 80
        && name.starts_with(|c: char| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

fn is_snake(word: &str) -> bool {
    let inner = word.trim_matches('_');
    inner.contains('_')
}

fn is_camel(word: &str) -> bool {
    let mut before = ' ';
    let is_hump = |(before, now): (char, char)| before.is_lowercase() && now.is_uppercase();
    word.chars().any(|now| {
        let pair = (before, now);
        before = now;
        is_hump(pair)
    })
}

/// The words that two texts share, as a number. Short words do not count.
#[must_use]
pub(super) fn shared(one: &str, two: &str) -> usize {
    let words = |text: &str| -> HashSet<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        let long = words.filter(|word| word.chars().count() >= 4);
        long.map(str::to_lowercase).collect()
    };
    words(one).intersection(&words(two)).count()
}

/// The end of what somebody said last, from the beginning of a sentence where possible.
#[must_use]
pub fn last_words(said: &str) -> String {
    let words: Vec<&str> = said.split_whitespace().collect();
    if words.len() <= LAST_WORDS {
        return without_middle(&words.join(" "));
    }
    let end = &words[words.len() - LAST_WORDS..];
    let sentence = end[..LAST_WORDS / 2]
        .iter()
        .position(|word| word.ends_with(['.', '!', '?', ':']));
    match sentence {
        Some(at) => without_middle(&end[at + 1..].join(" ")),
        None => without_middle(&format!("… {}", end.join(" "))),
    }
}

/// What a sub-agent reported, without the middle if it is long.
#[must_use]
pub fn gist(report: &str) -> String {
    let words: Vec<&str> = report.split_whitespace().collect();
    if words.len() <= REPORT_WORDS {
        return without_middle(&words.join(" "));
    }
    let half = REPORT_WORDS / 2;
    let (first, last) = (&words[..half], &words[words.len() - half..]);
    without_middle(&format!("{} … {}", first.join(" "), last.join(" ")))
}

/// Some languages do without spaces, so a few words can be long.
fn without_middle(text: &str) -> String {
    if text.len() <= LONGEST {
        return text.to_owned();
    }
    let first = &text[..text.floor_char_boundary(LONGEST / 2)];
    let last = &text[text.ceil_char_boundary(text.len() - LONGEST / 2)..];
    format!("{first} … {last}")
}

/// Whether a report says that something is not as it should be.
#[must_use]
pub(super) fn warns(text: &str) -> bool {
    const PHRASES: [&str; 12] = [
        "must not",
        "should not",
        "nothing should",
        "has to",
        "have to",
        "do not",
        "don't",
        "not safe",
        "unsafe",
        "is wrong",
        "are wrong",
        "luck",
    ];
    let text = text.to_lowercase();
    let is_word = |(at, phrase): (usize, &str)| {
        let (before, after) = (&text[..at], &text[at + phrase.len()..]);
        !before.ends_with(char::is_alphanumeric) && !after.starts_with(char::is_alphanumeric)
    };
    let mut phrases = PHRASES.iter();
    phrases.any(|phrase| text.match_indices(phrase).any(is_word))
}

/// Whether a text says that something must not be shipped.
#[must_use]
pub(super) fn forbids_shipping(text: &str) -> bool {
    const NOT: [&str; 6] = [
        "must not",
        "do not",
        "don't",
        "cannot",
        "should not",
        "never",
    ];
    const SHIP: [&str; 4] = ["ship", "deploy", "release", "go live"];
    let text = text.to_lowercase();
    text.split(['.', '!', '?', ';']).any(|sentence| {
        let mut forbidden = NOT.iter().filter_map(|not| {
            let at = sentence.find(not)?;
            Some(sentence[at + not.len()..].trim_start())
        });
        forbidden.any(|rest| {
            let rest = rest.strip_prefix("be ").unwrap_or(rest);
            SHIP.iter().any(|ship| rest.starts_with(ship))
        })
    })
}

/// Whether a text says right after an id under which condition it may be done, as in `deploy only after the audit`.
#[must_use]
pub(super) fn sets_condition(text: &str, id: &str) -> bool {
    const PHRASES: [&str; 6] = [
        "only when",
        "only after",
        "only once",
        "only if",
        "not before",
        "not until",
    ];
    text.match_indices(id).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + id.len()..]);
        let stands_alone = !before.ends_with(is_word) && !after.starts_with(is_word);
        let after = after.trim_start_matches([' ', ':', ',', '`']);
        stands_alone && PHRASES.iter().any(|phrase| after.starts_with(phrase))
    })
}

/// The first sentence of a text.
#[must_use]
pub fn sentence(text: &str) -> &str {
    let ends = text.match_indices(['.', '!', '?']).find(|(at, mark)| {
        let rest = &text[at + mark.len()..];
        rest.is_empty() || rest.starts_with(char::is_whitespace)
    });
    ends.map_or(text, |(at, mark)| &text[..at + mark.len()])
}

#[cfg(test)]
mod tests;
