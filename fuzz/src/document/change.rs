//! One change of a tree, as the rules of a checkpoint make it: a member or an item is set, added or removed.

use ckpt::document::{Document, Object, Pointer, Value};

use crate::choices::Choices;

/// A change that was made.
#[derive(Debug)]
pub(super) struct Change {
    /// The value that was changed. Nothing outside it was.
    pub(super) place: Pointer,
    /// The name of the member that was changed, if the value is an object.
    pub(super) member: Option<String>,
}

/// New values, from simple to odd.
const VALUES: &[&str] = &[
    "null",
    "true",
    "false",
    "0",
    "1.0",
    "-0",
    "1e3",
    "0.1",
    "12345678901234567890123",
    "1e400",
    "\"\"",
    "\"a\"",
    r#""\u0000 \" \\ / é 😀 \ud83d""#,
    "[]",
    "{}",
    "[1, [2, {}]]",
    r#"{"a": {"b": []}, "c": "d"}"#,
];

/// New names; most are also found in seeds.
const NAMES: &[&str] = &[
    "new", "a", "b", "status", "", "0", "~/", "\"\\\n", "é", "😀",
];

impl Change {
    /// Makes the change that the choices say.
    pub(super) fn choose(root: &mut Value, choices: &mut Choices<'_>) -> Self {
        let whole = root.clone();
        let mut place = Pointer::root();
        let mut value = root;
        loop {
            let has_parts = match &value {
                Value::Object(object) => !object.is_empty(),
                Value::Array(items) => !items.is_empty(),
                _ => false,
            };
            if !has_parts || !choices.yes() {
                let member = changed(value, &whole, choices);
                return Self { place, member };
            }
            value = match value {
                Value::Object(object) => {
                    let name = name_of(object, choices);
                    place.push(&name);
                    object.get_mut(&name).expect("it was chosen from those")
                }
                Value::Array(items) => {
                    let at = choices.below(items.len());
                    place.push(&at.to_string());
                    &mut items[at]
                }
                _ => unreachable!("it has parts"),
            };
        }
    }
}

fn name_of(object: &Object, choices: &mut Choices<'_>) -> String {
    let at = choices.below(object.len());
    let name = object.iter().nth(at).map(|(name, _)| name.to_owned());
    name.expect("it has so many members")
}

/// Changes a value, and returns the name of the member that was changed.
fn changed(value: &mut Value, whole: &Value, choices: &mut Choices<'_>) -> Option<String> {
    match value {
        Value::Object(object) => {
            let is_new = choices.yes() || object.is_empty();
            let name = match is_new {
                true => choices.pick(NAMES).to_owned(),
                false => name_of(object, choices),
            };
            match choices.below(4) {
                0 => drop(object.remove(&name)),
                1 if !object.is_empty() => {
                    let before = name_of(object, choices);
                    object.set_after(&before, &name, new_value(whole, choices));
                }
                _ => object.set(&name, new_value(whole, choices)),
            }
            Some(name)
        }
        Value::Array(items) => {
            let at = choices.below(items.len() + 1);
            match choices.below(4) {
                0 if at < items.len() => drop(items.remove(at)),
                1 if at < items.len() => items[at] = new_value(whole, choices),
                2 => items.rotate_left(at),
                _ => items.insert(at, new_value(whole, choices)),
            }
            None
        }
        scalar => {
            *scalar = new_value(whole, choices);
            None
        }
    }
}

/// A value from the list, or a copy of something in the document.
fn new_value(whole: &Value, choices: &mut Choices<'_>) -> Value {
    let number = choices.below(VALUES.len() + 1);
    let Some(text) = VALUES.get(number) else {
        return whole.clone();
    };
    let document = Document::parse(*text).expect("these are JSON");
    document.value()
}
