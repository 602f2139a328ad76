//! What a typed name means among the names that exist.

/// What a typed name means.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Meaning<T> {
    /// The one that has this name.
    Exact(T),
    /// The only one whose name is this in another case, or begins with it.
    Short(T),
    /// Several have this name, or begin with it.
    Several(Vec<T>),
    /// Nothing has this name; these are spelled like it, the closest first.
    Near(Vec<T>),
    /// Nothing has a name like this.
    Unknown,
}

/// Longer names are not compared letter by letter.
const LONGEST_COMPARED: usize = 100;

/// More wrong letters are no typing error.
const MOST_WRONG: usize = 2;

/// The maximum number of near names.
const MOST_NEAR: usize = 3;

impl<T: Clone + PartialEq> Meaning<T> {
    /// Looks a name up. What is known may be listed under several names.
    #[must_use]
    pub fn of<N: AsRef<str>>(typed: &str, known: &[(N, T)]) -> Self {
        let exact = all(known, |name| name == typed);
        match exact.len() {
            0 => {}
            1 => return Self::Exact(exact[0].clone()),
            _ => return Self::Several(exact),
        }
        if typed.is_empty() {
            return Self::Unknown;
        }
        let low = typed.to_lowercase();
        let in_any_case = all(known, |name| name.to_lowercase() == low);
        let beginning = match in_any_case.is_empty() {
            true => all(known, |name| name.to_lowercase().starts_with(&low)),
            false => in_any_case,
        };
        match beginning.len() {
            0 => Self::alike(typed, known),
            1 => Self::Short(beginning[0].clone()),
            _ => Self::Several(beginning),
        }
    }

    /// Looks for names that may be meant by one that is to be new: those spelled alike, and those that it is the
    /// beginning of, unless it ends with a word of theirs.
    #[must_use]
    pub fn near_new<N: AsRef<str>>(typed: &str, known: &[(N, T)]) -> Vec<T> {
        let mut near = all(known, |name| is_cut(typed, name));
        if let Self::Near(alike) = Self::alike(typed, known) {
            near.extend(
                alike
                    .into_iter()
                    .filter(|found| !near.contains(found))
                    .collect::<Vec<_>>(),
            );
        }
        near.truncate(MOST_NEAR);
        near
    }

    fn alike<N: AsRef<str>>(typed: &str, known: &[(N, T)]) -> Self {
        let mut near: Vec<(usize, T)> = Vec::new();
        for (name, what) in known {
            if let Some(distance) = distance(typed, name.as_ref())
                && !near.iter().any(|(_, found)| found == what)
            {
                near.push((distance, what.clone()));
            }
        }
        near.sort_by_key(|(distance, _)| *distance);
        near.truncate(MOST_NEAR);
        match near.is_empty() {
            true => Self::Unknown,
            false => Self::Near(near.into_iter().map(|(_, what)| what).collect()),
        }
    }
}

/// What has a name of this kind, each once.
fn all<N: AsRef<str>, T: Clone + PartialEq>(
    known: &[(N, T)],
    is_meant: impl Fn(&str) -> bool,
) -> Vec<T> {
    let mut found: Vec<T> = Vec::new();
    for (name, what) in known {
        if is_meant(name.as_ref()) && !found.contains(what) {
            found.push(what.clone());
        }
    }
    found
}

/// Whether a name stops in the middle of a word of another: `rese` for `research`, but not `auth` for `auth-ui`.
fn is_cut(typed: &str, name: &str) -> bool {
    let (typed, name) = (typed.to_lowercase(), name.to_lowercase());
    let rest = name.strip_prefix(&typed);
    let next = rest.and_then(|rest| rest.chars().next());
    !typed.is_empty() && next.is_some_and(char::is_alphabetic)
}

/// How many letters of a name are wrong, if so few are that it may be a typing error.
fn distance(typed: &str, name: &str) -> Option<usize> {
    let (typed, name) = (typed.to_lowercase(), name.to_lowercase());
    let (length, other) = (typed.chars().count(), name.chars().count());
    if length > LONGEST_COMPARED || length.abs_diff(other) > MOST_WRONG {
        return None;
    }
    // `phase-1` and `phase-2` are two names.
    let digits = |text: &str| {
        text.chars()
            .filter(char::is_ascii_digit)
            .collect::<String>()
    };
    if digits(&typed) != digits(&name) {
        return None;
    }
    let distance = strsim::osa_distance(&typed, &name);
    (distance <= most_wrong(&typed, &name)).then_some(distance)
}

/// How many letters may be wrong in two names. It depends on the shortest word that differs: `auth-a` and `auth-b` are two
/// names, and so are `exports` and `reports`.
fn most_wrong(one: &str, other: &str) -> usize {
    let words = |text: &str| -> Vec<String> {
        let words = text.split(|c: char| !c.is_alphanumeric());
        words.map(str::to_owned).collect()
    };
    let (one, other) = (words(one), words(other));
    let letters = |word: &str| word.chars().filter(|c| c.is_alphabetic()).count();
    let shortest = match one.len() == other.len() {
        // Only what is between the words differs: `implement auth` for `implement/auth`.
        true if one == other => return MOST_WRONG,
        true => {
            let pairs = one.iter().zip(&other).filter(|(one, other)| one != other);
            pairs
                .map(|(one, other)| letters(one).max(letters(other)))
                .min()
        }
        // A missing or additional border between words.
        false if one.concat() == other.concat() => return MOST_WRONG,
        false => None,
    };
    match shortest.unwrap_or(0) {
        ..=2 => 0,
        3..=7 => 1,
        _ => MOST_WRONG,
    }
}

#[cfg(test)]
mod tests;
