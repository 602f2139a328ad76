//! Checking that a document belongs to a key.

use super::VERSION;
use super::refusal::{Refusal, in_words};
use crate::document::{Object, Value};
use crate::key::CommandKey;
use crate::operation::Refusal as Shared;

/// The root of a document that this key may change. A document with another version or of another key is refused.
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

/// A document under the name of this key.
#[must_use]
pub fn named(mut root: Object, key: &CommandKey) -> Value {
    root.set("command", key.command());
    match key.feature() {
        Some(feature) => root.set_after("command", "feature", feature),
        None if root.get("feature").is_some() => root.set("feature", Value::Null),
        None => {}
    }
    Value::Object(root)
}

/// The name in a document, if it differs from the key's. An absent name matches any key. If only one of the document
/// and the key has a feature, the two differ only if both names lead to the same file.
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
