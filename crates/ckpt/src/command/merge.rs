//! Three-way merge of one writer's changes with those made by others since it loaded the document.

use crate::document::{Object, Pointer, Value};

/// Members that every save updates, so they never conflict.
const STAMPED: [&str; 3] = ["head_commit", "started_at", "updated_at"];

/// A place that both sides changed differently.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    /// Where it is.
    pub pointer: Pointer,
}

/// Merges `mine` and `theirs`, which both derive from `base`. Objects are merged member by member; arrays and scalars
/// are taken whole from the side that changed them.
pub fn merge(base: &Value, mine: Value, theirs: &Value) -> Result<Value, Vec<Conflict>> {
    let mut conflicts = Vec::new();
    let merged = values(
        &Pointer::root(),
        Some(base),
        Some(mine),
        Some(theirs),
        &mut conflicts,
    );
    match merged {
        Some(merged) if conflicts.is_empty() => Ok(merged),
        _ => Err(conflicts),
    }
}

fn values(
    at: &Pointer,
    base: Option<&Value>,
    mine: Option<Value>,
    theirs: Option<&Value>,
    conflicts: &mut Vec<Conflict>,
) -> Option<Value> {
    if mine.as_ref() == theirs || theirs == base {
        return mine;
    }
    if mine.as_ref() == base {
        return theirs.cloned();
    }
    match (base, mine, theirs) {
        (base, Some(Value::Object(mine)), Some(Value::Object(theirs))) => {
            let none = Object::new();
            let base = base.and_then(Value::as_object).unwrap_or(&none);
            Some(Value::Object(objects(at, base, mine, theirs, conflicts)))
        }
        (_, mine, _) => {
            let stamped = at
                .split_last()
                .is_some_and(|(parent, name)| parent == Pointer::root() && STAMPED.contains(&name));
            if !stamped {
                conflicts.push(Conflict {
                    pointer: at.clone(),
                });
            }
            mine
        }
    }
}

/// Members in their order, followed by those that only I have.
fn objects(
    at: &Pointer,
    base: &Object,
    mut mine: Object,
    theirs: &Object,
    conflicts: &mut Vec<Conflict>,
) -> Object {
    let mut merged = Object::new();
    for (name, their) in theirs.iter() {
        let my = mine.remove(name);
        let value = values(&at.join(name), base.get(name), my, Some(their), conflicts);
        if let Some(value) = value {
            merged.set(name, value);
        }
    }
    for (name, my) in mine {
        let value = values(&at.join(&name), base.get(&name), Some(my), None, conflicts);
        if let Some(value) = value {
            merged.set(&name, value);
        }
    }
    merged
}
