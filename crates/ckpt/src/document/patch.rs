//! RFC 6902 patches, derived from two trees and applied to one.

use super::align::{Step, align};
use super::{Object, Pointer, Value};

/// One operation of a patch.
#[derive(Debug, Clone, PartialEq)]
#[non_exhaustive]
pub enum Operation {
    /// Add a value, or insert it before the item at a position.
    Add(Pointer, Value),
    /// Remove a value.
    Remove(Pointer),
    /// Replace a value.
    Replace(Pointer, Value),
    /// Move a value.
    Move {
        /// The source.
        from: Pointer,
        /// The target.
        path: Pointer,
    },
    /// Copy a value.
    Copy {
        /// The source.
        from: Pointer,
        /// The target.
        path: Pointer,
    },
    /// Continue only if the value is equal to this one.
    Test(Pointer, Value),
}

/// Operations, applied in order.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Patch(pub Vec<Operation>);

/// A patch cannot be read or applied.
#[derive(Debug, Clone, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum PatchError {
    /// There is nothing at this place.
    #[error("nothing at {0:?}", path.to_string())]
    Missing {
        /// The place.
        path: Pointer,
    },
    /// The value at this place is not the expected one.
    #[error("the value at {0:?} is not the expected one", path.to_string())]
    Unexpected {
        /// The place.
        path: Pointer,
    },
    /// The text is not a valid operation.
    #[error("operation {index}: {reason}")]
    Malformed {
        /// Its position in the patch.
        index: usize,
        /// The reason.
        reason: String,
    },
}

/// The operations that turn `old` into `new`.
#[must_use]
pub fn diff(old: &Value, new: &Value) -> Patch {
    let mut operations = Vec::new();
    compare(&Pointer::root(), old, new, &mut operations);
    Patch(operations)
}

fn compare(at: &Pointer, old: &Value, new: &Value, out: &mut Vec<Operation>) {
    match (old, new) {
        _ if old == new => {}
        (Value::Object(old), Value::Object(new)) => {
            for (name, value) in old.iter() {
                match new.get(name) {
                    Some(next) => compare(&at.join(name), value, next, out),
                    None => out.push(Operation::Remove(at.join(name))),
                }
            }
            for (name, value) in new.iter().filter(|(name, _)| old.get(name).is_none()) {
                out.push(Operation::Add(at.join(name), value.clone()));
            }
        }
        (Value::Array(old), Value::Array(new)) => {
            let (mut from, mut to) = (0, 0);
            for step in align(old, new) {
                let here = at.join(&to.to_string());
                match step {
                    Step::Keep => (from, to) = (from + 1, to + 1),
                    Step::Change => {
                        compare(&here, &old[from], &new[to], out);
                        (from, to) = (from + 1, to + 1);
                    }
                    Step::Drop => {
                        out.push(Operation::Remove(here));
                        from += 1;
                    }
                    Step::Insert => {
                        out.push(Operation::Add(here, new[to].clone()));
                        to += 1;
                    }
                }
            }
        }
        _ => out.push(Operation::Replace(at.clone(), new.clone())),
    }
}

impl Patch {
    /// The value after all operations. Stops with an error at the first one that does not fit.
    pub fn apply(&self, value: &Value) -> Result<Value, PatchError> {
        let mut value = value.clone();
        for operation in &self.0 {
            match operation {
                Operation::Add(path, new) => add(&mut value, path, new.clone())?,
                Operation::Remove(path) => drop(remove(&mut value, path)?),
                Operation::Replace(path, new) => {
                    *value.at_mut(path).ok_or_else(|| missing(path))? = new.clone();
                }
                Operation::Move { from, path } => {
                    let moved = remove(&mut value, from)?;
                    add(&mut value, path, moved)?;
                }
                Operation::Copy { from, path } => {
                    let copied = value.at(from).ok_or_else(|| missing(from))?.clone();
                    add(&mut value, path, copied)?;
                }
                Operation::Test(path, expected) => {
                    if value.at(path) != Some(expected) {
                        return Err(PatchError::Unexpected { path: path.clone() });
                    }
                }
            }
        }
        Ok(value)
    }

    /// The patch as JSON.
    #[must_use]
    pub fn to_value(&self) -> Value {
        let operation = |operation: &Operation| {
            let (op, from, path, value) = match operation {
                Operation::Add(path, value) => ("add", None, path, Some(value)),
                Operation::Remove(path) => ("remove", None, path, None),
                Operation::Replace(path, value) => ("replace", None, path, Some(value)),
                Operation::Move { from, path } => ("move", Some(from), path, None),
                Operation::Copy { from, path } => ("copy", Some(from), path, None),
                Operation::Test(path, value) => ("test", None, path, Some(value)),
            };
            let mut object = Object::new();
            object.set("op", op);
            if let Some(from) = from {
                object.set("from", from.to_string());
            }
            object.set("path", path.to_string());
            if let Some(value) = value {
                object.set("value", value.clone());
            }
            Value::Object(object)
        };
        Value::Array(self.0.iter().map(operation).collect())
    }

    /// Reads a patch from JSON.
    pub fn from_value(value: &Value) -> Result<Self, PatchError> {
        let malformed = |index, reason: &str| PatchError::Malformed {
            index,
            reason: reason.to_owned(),
        };
        let items = value
            .as_array()
            .ok_or_else(|| malformed(0, "a patch must be an array"))?;
        let read = |(index, item): (usize, &Value)| {
            let object = item
                .as_object()
                .ok_or_else(|| malformed(index, "not an object"))?;
            let pointer = |name: &str| {
                let text = object.get(name).and_then(Value::as_str);
                let text = text.ok_or_else(|| malformed(index, &format!("{name:?} is missing")))?;
                Pointer::parse(text).map_err(|error| malformed(index, &error.to_string()))
            };
            let value = || {
                let value = object.get("value").cloned();
                value.ok_or_else(|| malformed(index, "\"value\" is missing"))
            };
            let path = pointer("path")?;
            Ok(match object.get("op").and_then(Value::as_str) {
                Some("add") => Operation::Add(path, value()?),
                Some("remove") => Operation::Remove(path),
                Some("replace") => Operation::Replace(path, value()?),
                Some("move") => Operation::Move {
                    from: pointer("from")?,
                    path,
                },
                Some("copy") => Operation::Copy {
                    from: pointer("from")?,
                    path,
                },
                Some("test") => Operation::Test(path, value()?),
                _ => return Err(malformed(index, "\"op\" is not a known operation")),
            })
        };
        items
            .iter()
            .enumerate()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

fn missing(path: &Pointer) -> PatchError {
    PatchError::Missing { path: path.clone() }
}

fn add(value: &mut Value, path: &Pointer, new: Value) -> Result<(), PatchError> {
    let Some((parent, last)) = path.split_last() else {
        *value = new;
        return Ok(());
    };
    match value.at_mut(&parent) {
        Some(Value::Object(object)) => object.set(last, new),
        Some(Value::Array(items)) => {
            let place = match last {
                "-" => Some(items.len()),
                digits => Pointer::array_index(digits),
            };
            let place = place.filter(|place| *place <= items.len());
            items.insert(place.ok_or_else(|| missing(path))?, new);
        }
        _ => return Err(missing(path)),
    }
    Ok(())
}

fn remove(value: &mut Value, path: &Pointer) -> Result<Value, PatchError> {
    let Some((parent, last)) = path.split_last() else {
        return Ok(std::mem::take(value));
    };
    let removed = match value.at_mut(&parent) {
        Some(Value::Object(object)) => object.remove(last),
        Some(Value::Array(items)) => Pointer::array_index(last)
            .filter(|place| *place < items.len())
            .map(|place| items.remove(place)),
        _ => None,
    };
    removed.ok_or_else(|| missing(path))
}
