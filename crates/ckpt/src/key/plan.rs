//! The names of plans.

use std::fmt;

use super::KeyError;
use super::name::{sanitise, stem};

/// The id of a plan, which is its directory's name: `260220-1149-feature`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PlanId(String);

impl PlanId {
    /// Accepts an id that can be used unchanged as a directory name.
    pub fn new(id: &str) -> Result<Self, KeyError> {
        let safe = sanitise(id).map(|name| stem(name.into_owned()));
        match safe {
            Some(safe) if safe == id && !id.starts_with('.') => Ok(Self(safe)),
            _ => Err(KeyError::Plan(id.to_owned())),
        }
    }

    /// The id.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// Whether it begins with a date and a time, as `260220-1149-feature`.
    #[must_use]
    pub fn is_dated(&self) -> bool {
        let mut parts = self.0.splitn(3, '-');
        let mut has_digits = |count: usize| {
            let is_number =
                |part: &str| part.len() == count && part.bytes().all(|byte| byte.is_ascii_digit());
            parts.next().is_some_and(is_number)
        };
        has_digits(6) && has_digits(4)
    }

    /// What follows the date: `feature`.
    #[must_use]
    pub fn subject(&self) -> &str {
        let is_number = |part: &str| part.bytes().all(|byte| byte.is_ascii_digit());
        let mut rest = self.0.as_str();
        while let Some((_, after)) = rest.split_once('-').filter(|(part, _)| is_number(part)) {
            rest = after;
        }
        rest
    }
}

impl fmt::Display for PlanId {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests;
