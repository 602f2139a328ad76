//! Adding tasks to the Markdown, and changing their texts.

use std::collections::HashSet;

use super::mark::unused_id;
use super::notes::{end_of_phase, line_end, one_line, scanned};
use super::operations::{Change, Present};
use super::outline::{Entry, Phase, Source};
use super::refusal::Refusal;
use super::scan::{Item, ItemKind, Scan};
use crate::document::{Edit, Splice};
use crate::history::{Event, EventName};

/// A task to add.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NewTask {
    /// Its text.
    pub text: String,
    /// Where it goes.
    pub place: TaskPlace,
}

/// Where a new task goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TaskPlace {
    /// To the end of the current phase.
    Current,
    /// To the end of this phase.
    Phase(String),
    /// Below this task.
    After(String),
}

/// Adds an open task with an id made from its text, in the style of the task above it.
pub fn add_task(present: &Present<'_>, new: &NewTask) -> Result<Change, Refusal> {
    check_conflicts(present)?;
    let text = one_line("a task", &new.text)?;
    let outline = present.outline;
    let criteria = outline.phases.iter().flat_map(|phase| &phase.acceptance);
    let mut taken: HashSet<String> = outline.tasks().map(|(_, task)| task.id.clone()).collect();
    taken.extend(criteria.map(|known| known.id.clone()));
    taken.extend(outline.phases.iter().map(|phase| phase.id.clone()));
    let id = unused_id(&text, "task", &mut taken);
    let (source, at, prefix) = place(present, &new.place)?;
    let Source { name, text: before } = present.sources[source];
    let newline = line_end(before, at);
    let line = format!("{prefix}[ ] {text} <!-- TASK: {id} -->");
    let line = match at {
        0 => format!("{line}{newline}"),
        _ => format!("{newline}{line}"),
    };
    let edit = Edit::new(vec![Splice {
        offset: at,
        old: Vec::new(),
        new: line.into_bytes(),
    }]);
    if !adds_one_task(name, before, &edit)? {
        return Err(Refusal::NoPlace {
            name: name.to_owned(),
        });
    }
    let event = Event::new(EventName::TaskAdded).with("taskId", id.as_str());
    Ok(Change {
        edits: vec![(source, edit)],
        events: vec![event.with("task", text)],
        ..Change::default()
    })
}

/// Changes the text of a task or criterion. Its id stays.
pub fn edit_task(present: &Present<'_>, id: &str, text: &str) -> Result<Change, Refusal> {
    check_conflicts(present)?;
    let text = one_line("a task", text)?;
    let outline = present.outline;
    let entry = outline.task(id).or_else(|| outline.criterion(id));
    let entry = entry.ok_or_else(|| Refusal::Unknown {
        kind: ItemKind::Task,
        id: id.to_owned(),
    })?;
    if entry.text == text {
        return Ok(Change::default());
    }
    let source = present.sources[entry.source];
    let scan = scanned(&source)?;
    let item = item_of(&scan, entry).ok_or_else(|| Refusal::NoPlace {
        name: source.name.to_owned(),
    })?;
    let range = item.text.range();
    let edit = Edit::new(vec![Splice {
        offset: range.start,
        old: source.text[range].to_vec(),
        new: text.clone().into_bytes(),
    }]);
    let after = edit
        .apply(source.text)
        .expect("the edit was made for this text");
    let after = Source {
        text: &after,
        ..source
    };
    let changed = scanned(&after)?;
    let is_kept = changed.items.len() == scan.items.len()
        && changed.untracked.len() == scan.untracked.len()
        && changed.notes.len() == scan.notes.len()
        && changed.phases.len() == scan.phases.len();
    if !is_kept {
        return Err(Refusal::NotOneLine("a task"));
    }
    let event = Event::new(EventName::TaskEdited).with("taskId", id);
    Ok(Change {
        edits: vec![(entry.source, edit)],
        events: vec![event.with("was", entry.text.as_str()).with("task", text)],
        ..Change::default()
    })
}

/// Refuses to edit a plan in which git left a merge conflict.
pub(super) fn check_conflicts(present: &Present<'_>) -> Result<(), Refusal> {
    match present.outline.conflicts.first() {
        None => Ok(()),
        Some(conflict) => Err(Refusal::Conflict {
            name: present.sources[conflict.source].name.to_owned(),
            first: conflict.first,
            last: conflict.last,
        }),
    }
}

fn item_of<'s>(scan: &'s Scan, entry: &Entry) -> Option<&'s Item> {
    scan.items
        .iter()
        .find(|item| item.mark as usize == entry.mark)
}

/// The source, the offset and the beginning of the line for a new task.
fn place(present: &Present<'_>, place: &TaskPlace) -> Result<(usize, usize, String), Refusal> {
    let outline = present.outline;
    if let TaskPlace::After(id) = place {
        let task = outline.task(id).ok_or_else(|| Refusal::Unknown {
            kind: ItemKind::Task,
            id: id.clone(),
        })?;
        return Ok(below(present, task));
    }
    let phase = match place {
        TaskPlace::Phase(id) => {
            let named = outline.phases.iter().find(|phase| phase.id == *id);
            Some(named.ok_or_else(|| Refusal::UnknownPhase(id.clone()))?)
        }
        _ => current_phase(present),
    };
    let last = phase.and_then(|phase| outermost(present, phase));
    if let Some(task) = last {
        return Ok(below(present, task));
    }
    let end = match phase {
        Some(phase) => end_of_phase(present.sources, &phase.id)?,
        None => None,
    };
    let (source, end) = end.unwrap_or((0, present.sources[0].text.len()));
    let at = present.sources[source].text[..end].trim_ascii_end().len();
    Ok((source, at, "- ".to_owned()))
}

/// The phase of the first open task, else the last phase.
fn current_phase<'p>(present: &Present<'p>) -> Option<&'p Phase> {
    let mut open = present.outline.tasks().filter(|(_, task)| !task.done);
    let current = open.next().map(|(phase, _)| phase);
    current.or(present.outline.phases.last())
}

/// The last task of a phase that is not below another one.
fn outermost<'p>(present: &Present<'p>, phase: &'p Phase) -> Option<&'p Entry> {
    let depth =
        |task: &Entry| prefix_of(present, task).len() - prefix_of(present, task).trim_start().len();
    let least = phase.tasks.iter().map(depth).min()?;
    phase.tasks.iter().rev().find(|task| depth(task) == least)
}

/// The place below a task and what is indented under it, and the beginning of its line.
fn below(present: &Present<'_>, task: &Entry) -> (usize, usize, String) {
    let text = present.sources[task.source].text;
    let prefix = prefix_of(present, task);
    let depth = prefix.len() - prefix.trim_start().len();
    let mut end = end_of_line(text, task.mark);
    loop {
        let next = match text[end..].first() {
            Some(b'\r') => end + 2,
            Some(_) => end + 1,
            None => break,
        };
        let stop = end_of_line(text, next.min(text.len()));
        let line = &text[next.min(text.len())..stop];
        let blank = line.len() - line.trim_ascii_start().len();
        if line.trim_ascii().is_empty() || blank <= depth {
            break;
        }
        end = stop;
    }
    (task.source, end, numbered_on(&prefix))
}

/// The indentation and the bullet of a task's line.
fn prefix_of(present: &Present<'_>, task: &Entry) -> String {
    let text = present.sources[task.source].text;
    let start = memchr::memrchr(b'\n', &text[..task.mark]).map_or(0, |newline| newline + 1);
    let bracket = memchr::memchr(b'[', &text[start..]).map_or(start, |at| start + at);
    String::from_utf8_lossy(&text[start..bracket]).into_owned()
}

/// The offset of the end of the line, without its line break.
fn end_of_line(text: &[u8], at: usize) -> usize {
    let end = memchr::memchr(b'\n', &text[at..]).map_or(text.len(), |newline| at + newline);
    match text[..end].ends_with(b"\r") {
        true => end - 1,
        false => end,
    }
}

/// The beginning of the next line: the same, with the next number if it has one.
fn numbered_on(prefix: &str) -> String {
    let digits = prefix.trim_start();
    let count = digits.bytes().take_while(u8::is_ascii_digit).count();
    match digits[..count].parse::<u64>() {
        Ok(number) => {
            let blank = &prefix[..prefix.len() - digits.len()];
            format!("{blank}{}{}", number + 1, &digits[count..])
        }
        Err(_) => prefix.to_owned(),
    }
}

/// Whether an edit adds exactly one task and leaves everything else as it is.
fn adds_one_task(name: &str, text: &[u8], edit: &Edit) -> Result<bool, Refusal> {
    let after = edit.apply(text).expect("the edit was made for this text");
    let (before, after) = (
        scanned(&Source { name, text })?,
        scanned(&Source { name, text: &after })?,
    );
    let counts = |scan: &Scan| (scan.notes.len(), scan.phases.len(), scan.untracked.len());
    Ok(after.items.len() == before.items.len() + 1 && counts(&before) == counts(&after))
}

#[cfg(test)]
mod tests;
