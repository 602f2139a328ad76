//! Three-way merge of one writer's changes with those made by others since it loaded the document.

pub use crate::document::Conflict;
use crate::document::{Clash, Lists, Merging, Pointer, Value};

/// Members that every save updates, so they never conflict.
const STAMPED: [&str; 3] = ["head_commit", "started_at", "updated_at"];

/// Merges `mine` and `theirs`, which both derive from `base`. Objects are merged member by member; arrays and scalars
/// are taken whole from the side that changed them.
pub fn merge(base: &Value, mine: Value, theirs: &Value) -> Result<Value, Vec<Conflict>> {
    let clash = |at: &Pointer| match at.split_last() {
        Some((parent, name)) if parent == Pointer::root() && STAMPED.contains(&name) => Clash::Mine,
        _ => Clash::Conflict,
    };
    let merging = Merging {
        clash: &clash,
        lists: Lists::Whole,
    };
    merging.merge(base, mine, theirs)
}
