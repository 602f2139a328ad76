//! What a checkpoint is called, and the file name that follows from it.

use std::borrow::Cow;
use std::fmt;

/// The command form of a key without a feature lies in `{command}-checkpoint.json`.
const WITHOUT_FEATURE: &str = "checkpoint";

/// File names made from ids have at most this many bytes before their ending.
const MAX_STEM: usize = 200;

/// The name of a checkpoint: `command:implement/auth`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Key {
    /// The checkpoint of a command, with or without a feature.
    Command {
        /// The command's name.
        command: String,
        /// What it works on.
        feature: Option<String>,
    },
}

/// A key cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum KeyError {
    /// Nothing usable is left of the command.
    #[error("Command name is required and must contain valid characters")]
    Command,
    /// Nothing usable is left of the feature.
    #[error("Feature name must contain valid characters")]
    Feature,
    /// A kind that does not exist, or not yet.
    #[error(
        "unknown kind of checkpoint {0:?}: this version keeps command checkpoints, written command:NAME[/FEATURE]"
    )]
    Kind(String),
}

impl Key {
    /// The key of a command checkpoint.
    pub fn command(command: &str, feature: Option<&str>) -> Result<Self, KeyError> {
        sanitise(command).ok_or(KeyError::Command)?;
        if let Some(feature) = feature {
            sanitise(feature).ok_or(KeyError::Feature)?;
        }
        Ok(Self::Command {
            command: command.to_owned(),
            feature: feature.map(str::to_owned),
        })
    }

    /// Reads `implement/auth`, `ship` or `command:implement/auth`.
    pub fn parse(text: &str) -> Result<Self, KeyError> {
        let name = match text.split_once(':') {
            Some(("command", name)) => name,
            Some((kind @ ("pipeline" | "plan"), _)) => return Err(KeyError::Kind(kind.to_owned())),
            _ => text,
        };
        match name.split_once('/') {
            Some((command, feature)) => Self::command(command, Some(feature)),
            None => Self::command(name, None),
        }
    }

    /// The key of the command checkpoint in a file, from what the document says of itself as far as
    /// that fits the file's name, else from the name. `None` where no key leads to the file.
    #[must_use]
    pub fn of_command_file(
        stem: &str,
        command: Option<&str>,
        feature: Option<&str>,
    ) -> Option<Self> {
        let fits = |key: &Self| key.stem() == stem;
        let key = |command: &str, feature: Option<&str>| {
            Self::command(command, feature).ok().filter(fits)
        };
        if let Some(command) = command {
            let rest = stem
                .strip_prefix(command)
                .and_then(|rest| rest.strip_prefix('-'));
            let found = key(command, feature)
                .or_else(|| key(command, None))
                .or_else(|| key(command, Some(rest?)));
            if found.is_some() {
                return found;
            }
        }
        let (command, feature) = stem.split_once('-')?;
        key(command, None).or_else(|| key(command, Some(feature)))
    }

    /// The name without its kind: `implement/auth`.
    #[must_use]
    pub fn short(&self) -> String {
        match self {
            Self::Command { command, feature } => match feature {
                Some(feature) => format!("{command}/{feature}"),
                None => command.clone(),
            },
        }
    }

    /// The file name of the document, without its ending.
    #[must_use]
    pub fn stem(&self) -> String {
        let Self::Command { command, feature } = self;
        let feature = feature.as_deref().unwrap_or(WITHOUT_FEATURE);
        let usable = "a key is made of usable ids";
        let command = sanitise(command).expect(usable);
        let feature = sanitise(feature).expect(usable);
        not_reserved(shorten(format!("{command}-{feature}")))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Command { .. } => write!(formatter, "command:{}", self.short()),
        }
    }
}

impl serde::Serialize for Key {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// Makes an id safe as a part of a file name; `None` when nothing is left of it.
fn sanitise(id: &str) -> Option<Cow<'_, str>> {
    let harmless = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
    if !id.is_empty() && id.bytes().all(harmless) {
        return Some(Cow::Borrowed(id));
    }
    let mut name: String = id
        .chars()
        .map(|c| if matches!(c, '/' | '\\') { '-' } else { c })
        .filter(|c| !c.is_control() && !matches!(c, '<' | '>' | ':' | '"' | '|' | '?' | '*'))
        .collect();
    while name.contains("..") {
        name = name.replace("..", "");
    }
    // A file name ends in no dot, and dots alone are no name.
    let name = name.trim().trim_end_matches('.').trim_end();
    (!name.is_empty()).then(|| Cow::Owned(name.to_owned()))
}

fn shorten(mut stem: String) -> String {
    stem.truncate(stem.floor_char_boundary(MAX_STEM));
    stem
}

/// Windows opens devices under these names, whatever the ending.
fn not_reserved(mut stem: String) -> String {
    let device = stem
        .split('.')
        .next()
        .unwrap_or_default()
        .to_ascii_uppercase();
    let numbered = ["COM", "LPT"].iter().any(|prefix| {
        let digit = device.strip_prefix(prefix);
        digit.is_some_and(|digit| matches!(digit.as_bytes(), [b'1'..=b'9']))
    });
    if numbered || ["CON", "PRN", "AUX", "NUL"].contains(&device.as_str()) {
        let end = device.len();
        stem.insert(end, '_');
    }
    stem
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn keys_are_read_with_and_without_their_kind() {
        for (text, shown, stem) in [
            ("implement/auth", "command:implement/auth", "implement-auth"),
            ("ship", "command:ship", "ship-checkpoint"),
            ("command:ship", "command:ship", "ship-checkpoint"),
            (
                "implement/user/login",
                "command:implement/user/login",
                "implement-user-login",
            ),
            (
                "implement/a:b*c",
                "command:implement/a:b*c",
                "implement-abc",
            ),
            (
                "implement/../../etc/passwd",
                "command:implement/../../etc/passwd",
                "implement---etc-passwd",
            ),
        ] {
            let key = Key::parse(text).unwrap();
            assert_eq!(
                (key.to_string().as_str(), key.stem().as_str()),
                (shown, stem)
            );
        }
    }

    #[test]
    fn ids_without_a_usable_character_are_refused() {
        assert_eq!(Key::parse(""), Err(KeyError::Command));
        assert_eq!(Key::parse("implement/"), Err(KeyError::Feature));
        assert_eq!(Key::parse("implement/.."), Err(KeyError::Feature));
        assert_eq!(Key::parse("implement/???"), Err(KeyError::Feature));
        assert_eq!(Key::parse("implement/..."), Err(KeyError::Feature));
        assert_eq!(Key::parse("plan:x"), Err(KeyError::Kind("plan".into())));
    }

    #[test]
    fn reserved_names_get_a_suffix() {
        assert_eq!(not_reserved("con".into()), "con_");
        assert_eq!(not_reserved("lpt1.x".into()), "lpt1_.x");
        assert_eq!(not_reserved("console".into()), "console");
    }

    proptest! {
        #[test]
        fn no_id_leaves_its_directory(command in ".{0,40}", feature in ".{0,300}") {
            if let Ok(key) = Key::command(&command, Some(&feature)) {
                let stem = key.stem();
                prop_assert!(!stem.is_empty() && stem.len() <= MAX_STEM);
                prop_assert!(!stem.contains(['/', '\\', '\0', ':']) && !stem.contains(".."));
            }
        }
    }
}
