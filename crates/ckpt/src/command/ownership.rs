//! Whose document it is.

use super::VERSION;
use super::refusal::{Refusal, in_words};
use crate::document::{Object, Value};
use crate::key::CommandKey;
use crate::operation::Refusal as Shared;

/// The root of a document that this key may change. Refused are another version, and a document
/// that says it belongs to another key.
pub fn check_ownership<'v>(value: &'v Value, key: &CommandKey) -> Result<&'v Object, Refusal> {
    let root = value.as_object().ok_or(Shared::NotAnObject)?;
    if root.get("version") != Some(&VERSION.into()) {
        return Err(unsupported(in_words(root.get("version"))));
    }
    match foreign_name(root, key) {
        None => Ok(root),
        Some(stored) => Err(Shared::Taken {
            file: key.stem(),
            stored,
            asked: key.short(),
        }
        .into()),
    }
}

/// What a document calls itself, where that is another name than the key's. Names that are absent
/// fit any; a feature that is there but null does not fit a key that has one, if both lead to the
/// same file, and the other way round.
pub(super) fn foreign_name(root: &Object, key: &CommandKey) -> Option<String> {
    let (command, feature) = (key.command(), key.feature());
    let own_command = root.get("command").and_then(Value::as_str);
    let own_feature = root.get("feature").map(Value::as_str);
    let shares_file = |feature: Option<&str>| {
        CommandKey::new(command, feature).is_ok_and(|other| other.stem() == key.stem())
    };
    let same_command = own_command.is_none_or(|own| own == command);
    let same_feature = match (own_feature, feature) {
        (None, _) | (Some(None), None) => true,
        (Some(Some(own)), Some(asked)) => own == asked,
        (Some(own), _) => !shares_file(own),
    };
    if same_command && same_feature {
        return None;
    }
    let own_command = own_command.unwrap_or(command);
    Some(match own_feature.flatten() {
        Some(feature) => format!("{own_command}/{feature}"),
        None => own_command.to_owned(),
    })
}

/// A version that we do not write.
pub(super) fn unsupported(found: String) -> Refusal {
    let expected = VERSION;
    Shared::UnsupportedVersion { found, expected }.into()
}
