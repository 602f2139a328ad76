//! Reads an agent's transcript of a conversation. The format is undocumented, so anything unexpected is skipped.

use std::fs::File;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use ckpt::Timestamp;
use ckpt::document::{Document, Node};
use ckpt::workspace::{LeftBehind, SessionRecord};

/// What a session or one of its sub-agents left behind, as its transcript shows.
#[must_use]
pub fn left_behind(record: &SessionRecord, sub_agent: Option<&str>) -> LeftBehind {
    let path = match sub_agent {
        Some(id) => record.transcript(id),
        None => record.transcript.as_deref(),
    };
    let Some(path) = path.map(Path::new) else {
        return LeftBehind::default();
    };
    let transcript = Transcript::load(path);
    LeftBehind {
        files: transcript.files(),
        words: transcript.last_words,
        at: written_at(path),
    }
}

fn written_at(path: &Path) -> Option<Timestamp> {
    let written = path.metadata().ok()?.modified().ok()?;
    let since = written.duration_since(UNIX_EPOCH).ok()?;
    Timestamp::from_millisecond(i64::try_from(since.as_millis()).ok()?)
}

/// How many bytes of a transcript are read, from its end.
const LONGEST: u64 = 4 * 1024 * 1024;

/// What a transcript shows.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Transcript {
    /// The agent's last message.
    pub last_words: Option<String>,
    /// Files that it created, in order.
    pub created: Vec<String>,
    /// Files that it changed, in order.
    pub modified: Vec<String>,
}

impl Transcript {
    /// The files that it shows as written.
    #[must_use]
    pub fn files(&self) -> Vec<String> {
        let files = self.created.iter().chain(&self.modified);
        files.cloned().collect()
    }

    /// Reads the end of a transcript; nothing if it cannot be read.
    #[must_use]
    pub fn load(path: &Path) -> Self {
        Self::read(&end_of(path).unwrap_or_default())
    }

    /// Reads lines of a transcript.
    #[must_use]
    pub fn read(content: &[u8]) -> Self {
        let mut transcript = Self::default();
        // The first and the last line may be cut off.
        for line in content.split(|byte| *byte == b'\n') {
            if let Ok(document) = Document::from_bytes(line.to_vec()) {
                transcript.add(document.root());
            }
        }
        transcript
    }

    fn add(&mut self, entry: Node<'_>) {
        let is = |name: &str, value: &str| {
            entry.get(name).and_then(Node::as_str).as_deref() == Some(value)
        };
        let content = entry
            .get("message")
            .and_then(|message| message.get("content"));
        let (Some(content), true) = (content, is("type", "assistant")) else {
            return self.add_of_others(entry);
        };
        if let Some(text) = content.as_str() {
            self.say(&text);
        }
        for block in content.items() {
            let of = |name: &str| Some(block.get(name)?.as_str()?.into_owned());
            if let Some(text) = of("text") {
                self.say(&text);
            }
            let tool = of("name").unwrap_or_default();
            let input = block.get("input");
            let file = ["file_path", "notebook_path"]
                .iter()
                .find_map(|name| Some(input?.get(name)?.as_str()?.into_owned()));
            match (tool.as_str(), file) {
                ("Write", Some(file)) => add(&mut self.created, file),
                ("Edit" | "MultiEdit" | "NotebookEdit", Some(file))
                    if !self.created.contains(&file) =>
                {
                    add(&mut self.modified, file);
                }
                ("SubagentHandback", _) => {
                    let said = input.and_then(|input| input.get("message")?.as_str());
                    self.say(&said.unwrap_or_default());
                }
                _ => {}
            }
        }
    }

    /// Adds an entry in the form of Codex, Gemini or Copilot.
    fn add_of_others(&mut self, entry: Node<'_>) {
        let text = |node: Option<Node<'_>>| Some(node?.as_str()?.into_owned());
        let kind = text(entry.get("type")).unwrap_or_default();
        if let Some(payload) = entry.get("payload") {
            let is_own = text(payload.get("role")).as_deref() == Some("assistant");
            let said = match text(payload.get("type")).as_deref() {
                Some("task_complete") => text(payload.get("last_agent_message")),
                Some("agent_message") => text(payload.get("message")),
                Some("message") if is_own => payload.get("content").and_then(parts),
                _ => None,
            };
            self.say(&said.unwrap_or_default());
            let patch = text(payload.get("input")).or_else(|| text(payload.get("arguments")));
            self.add_patch(&patch.unwrap_or_default());
        } else if kind == "gemini" {
            let said = entry.get("content").and_then(parts);
            self.say(&said.unwrap_or_default());
        } else if kind == "assistant.message" {
            let data = entry.get("data");
            let said = data.and_then(|data| data.get("content")).and_then(parts);
            self.say(&said.unwrap_or_default());
        }
    }

    /// Adds the files that a patch names.
    fn add_patch(&mut self, patch: &str) {
        // In JSON arguments, the line breaks of a patch are escaped.
        for line in patch.split(['\n']).flat_map(|line| line.split("\\n")) {
            if let Some(file) = line.strip_prefix("*** Add File: ") {
                add(&mut self.created, file.trim().to_owned());
            } else if let Some(file) = line.strip_prefix("*** Update File: ") {
                add(&mut self.modified, file.trim().to_owned());
            }
        }
    }

    fn say(&mut self, text: &str) {
        if !text.trim().is_empty() {
            self.last_words = Some(text.trim().to_owned());
        }
    }
}

/// A message that is a text, or a list of parts with a text each.
fn parts(content: Node<'_>) -> Option<String> {
    if let Some(text) = content.as_str() {
        return Some(text.into_owned());
    }
    let texts = content
        .items()
        .filter_map(|part| part.get("text")?.as_str());
    let texts: Vec<String> = texts.map(std::borrow::Cow::into_owned).collect();
    (!texts.is_empty()).then(|| texts.join(" "))
}

fn add(list: &mut Vec<String>, file: String) {
    const MOST: usize = 50;
    if !list.contains(&file) && list.len() < MOST {
        list.push(file);
    }
}

/// The transcript of a sub-agent, given the one that its agent names. Codex names the sub-agent's own; Claude Code keeps it
/// next to that of the session.
#[must_use]
pub(crate) fn of_subagent(session: &Path, id: &str) -> Option<PathBuf> {
    let is_plain = !id.is_empty() && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    let stem = session.file_stem()?.to_str()?;
    if is_plain && stem.ends_with(id) {
        return Some(session.to_owned());
    }
    (is_plain && session.extension().is_some_and(|ending| ending == "jsonl")).then(|| {
        session
            .with_extension("")
            .join("subagents")
            .join(format!("agent-{id}.jsonl"))
    })
}

fn end_of(path: &Path) -> Option<Vec<u8>> {
    // Reading anything but a plain file could block.
    if !path.metadata().ok()?.is_file() {
        return None;
    }
    let mut file = File::open(path).ok()?;
    let length = file.metadata().ok()?.len();
    file.seek(SeekFrom::Start(length.saturating_sub(LONGEST)))
        .ok()?;
    let mut content = Vec::new();
    file.take(LONGEST).read_to_end(&mut content).ok()?;
    Some(content)
}

#[cfg(test)]
mod tests;
