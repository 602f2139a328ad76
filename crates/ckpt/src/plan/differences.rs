//! What differs between two versions of a plan, in words: what its state says, and what only its Markdown does.

use std::collections::{HashMap, HashSet};

use super::outline::{Entry, Outline, Phase, Source, title_of};
use super::scan::{TooLong, scan};
use super::state::decision;
use crate::comparison::{Difference, compare};
use crate::document::{Object, Pointer, Step, Value, align};

/// A version of a plan.
#[derive(Debug, Clone, Copy)]
pub struct Written<'t> {
    /// Its Markdown files; none if it had none.
    pub sources: &'t [Source<'t>],
    /// Its state; `None` if it had none.
    pub state: Option<&'t Object>,
}

/// What differs, first in what both files say, then in the other lines of the Markdown. White space is left out.
pub fn differences(before: Written<'_>, after: Written<'_>) -> Result<Vec<Difference>, TooLong> {
    let (old, new) = (
        Outline::read(before.sources)?,
        Outline::read(after.sources)?,
    );
    let (mut was, mut is) = (told(before.state, &old), told(after.state, &new));
    let mut all = moves((&mut was, &old), (&mut is, &new));
    all.extend(compare(&Value::Object(was), &Value::Object(is)));
    all.extend(orders(&old, &new));
    let mut seen = HashSet::new();
    let both = after.sources.iter().chain(before.sources);
    for name in both.map(|source| source.name) {
        if seen.insert(name) {
            let (old, new) = (lines(before, name, &old)?, lines(after, name, &new)?);
            all.extend(line_differences(name, &old, &new));
        }
    }
    Ok(all)
}

/// A state with what only the Markdown says: texts and titles. What the Markdown says is newer.
fn told(state: Option<&Object>, outline: &Outline) -> Object {
    let mut state = state.cloned().unwrap_or_default();
    for phase in &outline.phases {
        let record = state.object_mut("phases").object_mut(&phase.id);
        if let Some(title) = &phase.title {
            record.set("title", title.as_str());
        }
        for (list, flag, entries) in [
            ("tasks", "done", &phase.tasks),
            ("acceptance", "met", &phase.acceptance),
        ] {
            for entry in entries {
                let record = record.object_mut(list).object_mut(&entry.id);
                record.set(flag, entry.done);
                record.set("text", entry.text.as_str());
            }
        }
    }
    if !outline.is_empty() {
        state.set("blockers", strings(&outline.blockers));
        let known = state.get("decisions").and_then(Value::as_array);
        let mut decisions = known.unwrap_or_default().to_vec();
        for text in &outline.decisions {
            if !decisions.iter().any(|known| decision(known) == Some(text)) {
                decisions.push(text.as_str().into());
            }
        }
        state.set("decisions", Value::Array(decisions));
    }
    state
}

/// The items that are in another phase now. Both states have their records there afterwards, so what else differs in them
/// is told once.
fn moves(
    (was, old): (&mut Object, &Outline),
    (is, new): (&mut Object, &Outline),
) -> Vec<Difference> {
    let mut all = Vec::new();
    for (word, list) in [("task", "tasks"), ("criterion", "acceptance")] {
        let (before, after) = (phases_of(old, list), phases_of(new, list));
        for Entry { id, .. } in new.phases.iter().flat_map(|phase| listed(phase, list)) {
            let (Some(from), Some(to)) = (before.get(id), after.get(id)) else {
                continue;
            };
            if from == to {
                continue;
            }
            if let Some(record) = records(was, from, list).remove(id) {
                records(was, to, list).set(id, record);
            }
            // The state follows the Markdown with the next change.
            records(is, from, list).remove(id);
            all.push(Difference {
                what: format!("{word} {id} moved"),
                pointer: Pointer::root().join("phases").join(to).join(list).join(id),
                before: Some(format!("phase {from}").into()),
                after: Some(format!("phase {to}").into()),
            });
        }
    }
    all
}

/// The phase of each item of a list.
fn phases_of<'o>(outline: &'o Outline, list: &str) -> HashMap<&'o String, &'o String> {
    let phases = outline.phases.iter();
    let items = phases.flat_map(|phase| {
        let entries = listed(phase, list).iter();
        entries.map(move |entry| (&entry.id, &phase.id))
    });
    items.collect()
}

fn listed<'p>(phase: &'p Phase, list: &str) -> &'p [Entry] {
    match list {
        "tasks" => &phase.tasks,
        _ => &phase.acceptance,
    }
}

/// The records of a list of a phase in a state.
fn records<'s>(state: &'s mut Object, phase: &str, list: &str) -> &'s mut Object {
    let phase = state.object_mut("phases").object_mut(phase);
    phase.object_mut(list)
}

fn strings(all: &[String]) -> Value {
    Value::Array(all.iter().map(|one| one.as_str().into()).collect())
}

/// The lists that have the same members in another order. A state does not know their order.
fn orders(old: &Outline, new: &Outline) -> Vec<Difference> {
    let root = Pointer::root().join("phases");
    let phases = |outline: &Outline| -> Vec<String> {
        let phases = outline.phases.iter();
        phases.map(|phase| phase.id.clone()).collect()
    };
    let mut all = Vec::new();
    all.extend(order(
        "phases".to_owned(),
        root.clone(),
        &phases(old),
        &phases(new),
    ));
    for is in &new.phases {
        let Some(was) = old.phases.iter().find(|was| was.id == is.id) else {
            continue;
        };
        for (list, was, is_now) in [
            ("tasks", &was.tasks, &is.tasks),
            ("acceptance", &was.acceptance, &is.acceptance),
        ] {
            let at = root.join(&is.id).join(list);
            let what = format!("phase {}, {list}", is.id);
            all.extend(order(what, at, &ids_of(was), &ids_of(is_now)));
        }
    }
    all
}

fn ids_of(entries: &[Entry]) -> Vec<String> {
    entries.iter().map(|entry| entry.id.clone()).collect()
}

fn order(what: String, pointer: Pointer, old: &[String], new: &[String]) -> Option<Difference> {
    let common = |of: &[String], other: &[String]| -> Vec<String> {
        let other: HashSet<&String> = other.iter().collect();
        of.iter().filter(|id| other.contains(id)).cloned().collect()
    };
    let (before, after) = (common(old, new), common(new, old));
    (before != after).then(|| Difference {
        what,
        pointer,
        before: Some(strings(&before)),
        after: Some(strings(&after)),
    })
}

/// A line, and its number from 1.
type Numbered = (usize, String);

/// The lines of a file that nothing else tells of: neither boxes with an id, nor titles and comments that are markers.
fn lines(of: Written<'_>, name: &str, outline: &Outline) -> Result<Vec<Numbered>, TooLong> {
    let Some(source) = of.sources.iter().find(|source| source.name == name) else {
        return Ok(Vec::new());
    };
    let scan = scan(source.text)?;
    let titles = outline
        .phases
        .iter()
        .filter_map(|phase| phase.title.as_ref());
    let titles: HashSet<&String> = titles.collect();
    let headings = scan.headings.iter();
    let headings = headings.filter(|heading| titles.contains(&title_of(heading, source.text)));
    let items = scan.items.iter().map(|item| item.line);
    let told: HashSet<u32> = items.chain(headings.map(|heading| heading.line)).collect();
    let notes = scan.notes.iter().map(|note| note.line);
    let marked: HashSet<u32> = notes
        .chain(scan.phases.iter().map(|phase| phase.line))
        .collect();
    let all = source.text.split(|byte| *byte == b'\n').zip(1_u32..);
    let all = all.map(|(line, number)| (String::from_utf8_lossy(line.trim_ascii()), number));
    let rest = all.filter(|(line, number)| {
        let is_comment = line.starts_with("<!--") && line.ends_with("-->");
        let is_marker = is_comment && marked.contains(number);
        !(line.is_empty() || told.contains(number) || is_marker)
    });
    Ok(rest
        .map(|(line, number)| (number as usize, line.into_owned()))
        .collect())
}

fn line_differences(name: &str, old: &[Numbered], new: &[Numbered]) -> Vec<Difference> {
    fn texts(lines: &[Numbered]) -> Vec<&str> {
        lines.iter().map(|(_, line)| line.as_str()).collect()
    }
    let (mut olds, mut news) = (old.iter(), new.iter());
    let mut all = Vec::new();
    for step in align(&texts(old), &texts(new)) {
        let before = match step {
            Step::Insert => None,
            Step::Keep | Step::Drop | Step::Change => olds.next(),
        };
        let after = match step {
            Step::Drop => None,
            Step::Keep | Step::Insert | Step::Change => news.next(),
        };
        let Some((number, _)) = after.or(before).filter(|_| step != Step::Keep) else {
            continue;
        };
        let value = |line: Option<&Numbered>| line.map(|(_, line)| line.as_str().into());
        all.push(Difference {
            what: format!("{name}, line {number}"),
            pointer: Pointer::root(),
            before: value(before),
            after: value(after),
        });
    }
    all
}

#[cfg(test)]
mod tests;
