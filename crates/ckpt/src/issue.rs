//! Issues of a tracker, such as `BAS-6`, and the branches named after them.

use std::fmt;

/// The most characters of the key of a team, and the most digits of a number.
const MOST: (usize, usize) = (10, 7);

/// The most characters of a feature in the name of a branch.
const LONGEST_SLUG: usize = 50;

/// The id of an issue, in upper case.
#[derive(Debug, Clone, PartialEq, Eq, Hash, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(transparent)]
pub struct IssueId(String);

/// A text is not the id of an issue.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("an issue has the key of its team and a number, such as BAS-6")]
pub struct IssueIdError;

impl IssueId {
    /// Reads an id in any case.
    ///
    /// # Errors
    ///
    /// If it is none.
    pub fn parse(text: &str) -> Result<Self, IssueIdError> {
        match is_issue(text) {
            true => Ok(Self(text.to_ascii_uppercase())),
            false => Err(IssueIdError),
        }
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The name of its branch: `feature/BAS-6-login-form`. The prefix may be empty, and a feature may have no letters that
    /// fit.
    #[must_use]
    pub fn branch(&self, prefix: &str, feature: Option<&str>) -> String {
        let mut branch = match prefix {
            "" => self.0.clone(),
            prefix => format!("{prefix}/{}", self.0),
        };
        let slug = feature.map(slug).unwrap_or_default();
        if !slug.is_empty() {
            branch += &format!("-{slug}");
        }
        branch
    }
}

impl fmt::Display for IssueId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// Whether a text is the id of an issue, in any case.
pub(crate) fn is_issue(text: &str) -> bool {
    let Some((team, number)) = text.split_once('-') else {
        return false;
    };
    team.starts_with(|first: char| first.is_ascii_alphabetic())
        && team.len() <= MOST.0
        && team.bytes().all(|byte| byte.is_ascii_alphanumeric())
        && (1..=MOST.1).contains(&number.len())
        && number.bytes().all(|byte| byte.is_ascii_digit())
}

/// The letters and digits of a text in lower case, with a dash in place of everything between. No other issue is named: a
/// tracker would take the branch for its own.
fn slug(text: &str) -> String {
    let text = text.to_ascii_lowercase();
    let words = text.split(|c: char| !c.is_ascii_alphanumeric());
    let mut slug = String::new();
    for word in words.filter(|word| !word.is_empty()) {
        let is_number = word.bytes().all(|byte| byte.is_ascii_digit());
        if !slug.is_empty() && !is_number {
            slug.push('-');
        }
        slug.push_str(word);
    }
    slug.truncate(LONGEST_SLUG);
    slug.trim_end_matches('-').to_owned()
}

#[cfg(test)]
mod tests;
