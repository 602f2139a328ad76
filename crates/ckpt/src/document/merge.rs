//! Three-way merge of trees: what one side changed, on top of what the other made of it since.

use super::{Object, Pointer, Value};

/// A place that both sides changed differently.
#[derive(Debug, Clone, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Conflict {
    /// Where it is.
    pub pointer: Pointer,
}

/// What counts at a place that both sides changed differently.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Clash {
    /// Neither: it is a conflict.
    Conflict,
    /// My value.
    Mine,
    /// Their value.
    Theirs,
}

/// How lists are merged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lists {
    /// As a whole, from the side that changed them.
    Whole,
    /// Item by item, where no item is repeated.
    Items,
}

/// How trees are merged.
#[derive(Clone, Copy)]
pub struct Merging<'m> {
    /// What counts at a place that both sides changed differently.
    pub clash: &'m dyn Fn(&Pointer) -> Clash,
    /// How lists are merged.
    pub lists: Lists,
}

impl Merging<'_> {
    /// Merges `mine` and `theirs`, which both derive from `base`. Objects are merged member by member, and other values are
    /// taken whole from the side that changed them.
    pub fn merge(self, base: &Value, mine: Value, theirs: &Value) -> Result<Value, Vec<Conflict>> {
        let mut conflicts = Vec::new();
        let root = Pointer::root();
        let merged = self.values(&root, Some(base), Some(mine), Some(theirs), &mut conflicts);
        match merged {
            Some(merged) if conflicts.is_empty() => Ok(merged),
            _ => Err(conflicts),
        }
    }

    fn values(
        self,
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
        let mine = match (base, mine, theirs) {
            (base, Some(Value::Object(mine)), Some(Value::Object(theirs))) => {
                let none = Object::new();
                let base = base.and_then(Value::as_object).unwrap_or(&none);
                let merged = self.objects(at, base, mine, theirs, conflicts);
                return Some(Value::Object(merged));
            }
            (Some(Value::Array(base)), Some(Value::Array(mine)), Some(Value::Array(theirs)))
                if self.lists == Lists::Items =>
            {
                if let Some(merged) = items(base, &mine, theirs) {
                    return Some(Value::Array(merged));
                }
                Some(Value::Array(mine))
            }
            (_, mine, _) => mine,
        };
        match (self.clash)(at) {
            Clash::Mine => mine,
            Clash::Theirs => theirs.cloned(),
            Clash::Conflict => {
                conflicts.push(Conflict {
                    pointer: at.clone(),
                });
                mine
            }
        }
    }

    /// Members in their order, followed by those that only I have.
    fn objects(
        self,
        at: &Pointer,
        base: &Object,
        mut mine: Object,
        theirs: &Object,
        conflicts: &mut Vec<Conflict>,
    ) -> Object {
        let mut merged = Object::new();
        for (name, their) in theirs.iter() {
            let my = mine.remove(name);
            let value = self.values(&at.join(name), base.get(name), my, Some(their), conflicts);
            if let Some(value) = value {
                merged.set(name, value);
            }
        }
        for (name, my) in mine {
            let value = self.values(&at.join(&name), base.get(&name), Some(my), None, conflicts);
            if let Some(value) = value {
                merged.set(&name, value);
            }
        }
        merged
    }
}

/// Their list without the items that I removed, and with those that I added. `None` if an item is repeated, or if one that I
/// removed is not in it any more.
fn items(base: &[Value], mine: &[Value], theirs: &[Value]) -> Option<Vec<Value>> {
    if [base, mine, theirs].into_iter().any(has_repeated) {
        return None;
    }
    let mut removed = base.iter().filter(|item| !mine.contains(item));
    if removed.any(|item| !theirs.contains(item)) {
        return None;
    }
    let is_kept = |item: &&Value| mine.contains(item) || !base.contains(item);
    let mut merged: Vec<Value> = theirs.iter().filter(is_kept).cloned().collect();
    for (at, item) in mine.iter().enumerate() {
        if base.contains(item) || merged.contains(item) {
            continue;
        }
        let mut before = mine[..at].iter().rev();
        let after = before.find_map(|before| merged.iter().position(|known| known == before));
        merged.insert(after.map_or(0, |after| after + 1), item.clone());
    }
    Some(merged)
}

fn has_repeated(items: &[Value]) -> bool {
    let mut items = items.iter().enumerate();
    let all = items.clone();
    items.any(|(at, item)| all.clone().skip(at + 1).any(|(_, other)| other == item))
}

#[cfg(test)]
mod tests;
