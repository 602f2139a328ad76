//! A history that is known before it is written, as `docs/formats.md` describes it: with edits and whole contents, lines
//! of others, lines that cannot be read, and a torn end.

use ckpt::Revision;
use ckpt::history::{ContentHash, Line};
use serde_json::{Value, json};

use crate::choices::Choices;

/// The most changes.
const MOST_CHANGES: usize = 12;

const EPOCHS: [&str; 2] = ["mkzdyjcw", "a1"];

/// Texts that the document holds in turn. Some differ within a character.
const TEXTS: &[&str] = &[
    "",
    "a",
    "b",
    "ab",
    "aXb",
    "é",
    "è",
    "日本",
    "日木",
    "😀",
    "😁",
    "one two three",
    "one 2 three",
    "\\\"",
    "\\n",
];

/// Lines that are not ours.
const FOREIGN: &[&str] = &[
    "",
    "{\"event\":\"foreign\"}",
    "not json",
    "{\"rev\":",
    "[1,2]",
    "{\"event\":\"note_added\",\"rev\":1,\"epoch\":\"mkzdyjcw\"}",
    "\u{0}\u{0}",
    "{\"files\":{}}",
    "\r",
    "{\"rev\":9,\"epoch\":\"other\",\"files\":{\"other.json\":{\"to\":null}}}",
];

/// What others leave at the end of a history.
pub(super) const GARBAGE: &[&str] = &[
    "",
    "not json\n",
    "{\"ts\":\"20",
    "\n\n",
    "{\"event\":\"foreign\"}\n",
    "\u{0}\u{0}",
    "{\"files\":{}}\n",
];

/// A history and what it says.
pub(super) struct Model {
    pub(super) history: Vec<u8>,
    pub(super) revisions: Vec<Recorded>,
    /// The content after the last change.
    pub(super) present: Option<Vec<u8>>,
}

impl Model {
    pub(super) fn choose(name: &str, choices: &mut Choices<'_>) -> Self {
        let mut maker = Maker {
            name,
            history: Vec::new(),
            revisions: Vec::new(),
            content: None,
            is_led_to: true,
        };
        let mut number = 0;
        let mut epoch = EPOCHS[0];
        let mut last = (0, None);
        for _ in 0..choices.below(MOST_CHANGES + 1) {
            while choices.below(4) == 3 {
                maker.line(choices.pick(FOREIGN));
            }
            // A lost history begins again with another epoch.
            if number > 2 && choices.below(8) == 7 {
                (number, epoch) = (0, EPOCHS[1]);
            }
            number += 1;
            last = (maker.history.len(), maker.content.clone());
            maker.change(number, epoch, choices);
        }
        let (start, before) = last;
        // The last change may have been interrupted while its line was written, before the file was.
        if start < maker.history.len() && choices.below(4) == 3 {
            let length = maker.history.len() - start;
            maker.history.truncate(start + choices.below(length));
            // A line that lacks only its ending is torn for the next change, and whole for everybody else.
            let last = maker.history.rsplit(|byte| *byte == b'\n').next();
            let last = last.unwrap_or_default().to_vec();
            if !last.is_empty() && Line::parse(last).is_ok() {
                maker.history.pop();
            }
            maker.content = before;
            maker.revisions.pop();
        }
        Self {
            present: maker.content.map(String::into_bytes),
            history: maker.history,
            revisions: maker.revisions,
        }
    }

    pub(super) fn shown(&self) -> String {
        String::from_utf8_lossy(&self.history).into_owned()
    }
}

/// One revision.
pub(super) struct Recorded {
    pub(super) revision: Revision,
    /// The content, if there was a file.
    pub(super) content: Option<String>,
    /// Whether the lines from the beginning lead to it.
    pub(super) is_led_to: bool,
}

struct Maker<'n> {
    name: &'n str,
    history: Vec<u8>,
    revisions: Vec<Recorded>,
    content: Option<String>,
    is_led_to: bool,
}

/// A checkpoint that says this.
pub(super) fn document(text: &str) -> String {
    format!(
        "{{\"command\": \"implement\", \"feature\": \"login\", \"version\": 1, \"note\": \"{text}\", \"state\": {{}}, \"phases\": {{}}}}\n"
    )
}

impl Maker<'_> {
    fn line(&mut self, line: &str) {
        self.history.extend(line.bytes());
        self.history.push(b'\n');
    }

    fn change(&mut self, number: u64, epoch: &str, choices: &mut Choices<'_>) {
        let next = match choices.below(8) {
            7 => None,
            6 => self.content.clone(),
            _ => Some(document(choices.pick(TEXTS))),
        };
        let hash = |content: &Option<String>| {
            content
                .as_ref()
                .map(|text| ContentHash::of(text.as_bytes()).to_string())
        };
        let mut file = json!({ "from": hash(&self.content), "to": hash(&next) });
        let is_change = self.content != next;
        match choices.below(6) {
            _ if !is_change => drop(file.as_object_mut().map(|file| file.remove("from"))),
            4 => {
                file["content"] = bytes(next.as_deref().unwrap_or_default().as_bytes());
                self.is_led_to = true;
            }
            5 => self.is_led_to = false,
            form => {
                let old = self.content.as_deref().unwrap_or_default().as_bytes();
                let new = next.as_deref().unwrap_or_default().as_bytes();
                file["edit"] = edit(old, new, form > 1);
                // A file that was not there before begins anew.
                self.is_led_to |= self.content.is_none();
            }
        }
        let line = json!({
            "ts": "2026-01-29T10:45:00.000Z", "event": "checkpoint_saved", "rev": number, "epoch": epoch, "by": "main",
            "files": { self.name: file },
        });
        self.line(&line.to_string());
        self.content = next;
        // A change may have more lines.
        if choices.below(8) == 7 {
            let line = json!({ "event": "note_added", "rev": number, "epoch": epoch });
            self.line(&line.to_string());
        }
        let revision = format!("{number}-{epoch}").parse().expect("a revision");
        self.revisions.push(Recorded {
            revision,
            content: self.content.clone(),
            is_led_to: self.is_led_to,
        });
    }
}

/// Text as a string; other bytes in hexadecimal.
fn bytes(bytes: &[u8]) -> Value {
    match std::str::from_utf8(bytes) {
        Ok(text) => text.into(),
        Err(_) => {
            let hex: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
            json!({ "hex": hex })
        }
    }
}

/// The splices from one text to the other: one, or one for each run of bytes that differ if both are equally long.
fn edit(old: &[u8], new: &[u8], in_pieces: bool) -> Value {
    let mut splices = Vec::new();
    if in_pieces && old.len() == new.len() {
        let mut at = 0;
        while at < old.len() {
            let length = (at..old.len())
                .take_while(|at| old[*at] != new[*at])
                .count();
            if length > 0 {
                splices.push(json!([
                    at,
                    bytes(&old[at..at + length]),
                    bytes(&new[at..at + length])
                ]));
            }
            at += length + 1;
        }
        return splices.into();
    }
    let start = old
        .iter()
        .zip(new)
        .take_while(|(old, new)| old == new)
        .count();
    let most = old.len().min(new.len()) - start;
    let ends = old.iter().rev().zip(new.iter().rev()).take(most);
    let tail = ends.take_while(|(old, new)| old == new).count();
    let (old, new) = (&old[start..old.len() - tail], &new[start..new.len() - tail]);
    splices.push(json!([start, bytes(old), bytes(new)]));
    splices.into()
}
