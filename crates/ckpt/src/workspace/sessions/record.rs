//! The record of a session.

#[cfg(test)]
mod tests;

use serde::{Deserialize, Serialize, Serializer};

use super::copies::Copies;
use crate::document::{Document, Value};
use crate::hash::ContentHash;
use crate::key::Key;
use crate::process::ProcessMark;
use crate::seal::{Domain, SEAL, Seals};
use crate::time::Timestamp;
use crate::voice::flat;

/// How many times a session is asked to continue unfinished work.
pub const MOST_NUDGES: u64 = 5;

/// Hooks that report the same event do so within this time, in milliseconds.
const TOGETHER: i64 = 10_000;

/// A requested sub-agent starts within this time or never, in milliseconds.
const TO_BEGIN: i64 = 10 * 60 * 1000;

/// How many prompts are kept.
const MOST_PROMPTS: usize = 2;

/// How much of a report is kept, in bytes.
const LONGEST_REPORT: usize = 32 * 1024;

/// What a session or sub-agent left behind.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LeftBehind {
    /// The last thing it said.
    pub words: Option<String>,
    /// The files it wrote.
    pub files: Vec<String>,
    /// When its transcript was last written.
    pub at: Option<Timestamp>,
}

/// The record of an agent session, as stored in its file.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct SessionRecord {
    /// The agent.
    pub agent: String,
    /// The agent's id for the session.
    #[serde(rename = "session_id")]
    pub id: String,
    /// The machine.
    #[serde(default)]
    pub host: String,
    /// When it began, as written.
    #[serde(default)]
    pub begun_at: String,
    /// When it was last heard from, as written.
    #[serde(default)]
    pub seen_at: String,
    /// The agent's process, if known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub process: Option<ProcessMark>,
    /// The process that reports its end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) teller: Option<ProcessMark>,
    /// The file in which the agent keeps what was said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub transcript: Option<String>,
    /// The commit that was checked out at the last check.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub head: Option<String>,
    /// When it said goodbye, as written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub goodbye_at: Option<String>,
    /// When its end was reported, as written. The record is kept for a while, so that late events are recognised.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ended_at: Option<String>,
    /// What the user last asked, the newest last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub asked: Vec<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    last_prompt: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    nudged_for: Option<String>,
    #[serde(default)]
    prompts: u64,
    #[serde(flatten)]
    copies: Copies,
    #[serde(default)]
    compacted_at: i64,
    /// What it began with when it was last briefed, and when that was.
    #[serde(skip_serializing_if = "Option::is_none")]
    briefed: Option<(String, i64)>,
    /// Whether a compaction has taken the brief.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    lost_brief: bool,
    #[serde(default)]
    nudges: u64,
    #[serde(default)]
    sent_back: Vec<SentBack>,
    #[serde(default)]
    spawns: Vec<Spawn>,
    #[serde(default)]
    reports: Vec<(String, String)>,
    #[serde(default)]
    transcripts: Vec<(String, String)>,
    /// Sub-agents, and the keys of the commands and pipelines they work on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    places: Vec<(String, String)>,
    /// Members written by other versions.
    #[serde(flatten)]
    others: serde_json::Map<String, serde_json::Value>,
}

/// A report with which a sub-agent was sent back; stored as an array of its members.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct SentBack {
    subagent: String,
    report: String,
    at: i64,
}

impl Serialize for SentBack {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        (&self.subagent, &self.report, self.at).serialize(serializer)
    }
}

/// A sub-agent about to be started; stored as an array of its members.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
struct Spawn {
    call: String,
    kind: String,
    tasks: String,
    /// The sub-agent that took it.
    taken_by: String,
    at: i64,
    /// The beginning of what it was asked.
    #[serde(default)]
    prompt: String,
}

/// What a sub-agent was asked.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asked {
    /// The tasks that the prompt names.
    pub tasks: Vec<String>,
    /// The prompt.
    pub prompt: String,
}

/// How much of a prompt is kept, in bytes.
const LONGEST_PROMPT: usize = 400;

fn beginning_of(prompt: &str) -> &str {
    &prompt[..prompt.floor_char_boundary(LONGEST_PROMPT)]
}

impl Serialize for Spawn {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let Self {
            call,
            kind,
            tasks,
            taken_by,
            at,
            prompt,
        } = self;
        (call, kind, tasks, taken_by, at, prompt).serialize(serializer)
    }
}

/// What happens to a sub-agent whose report is rejected.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendingBack {
    /// It is sent back.
    Now,
    /// It was just sent back with this report: another hook is reporting the same event.
    Again,
    /// It was already sent back before.
    Over,
}

impl SessionRecord {
    pub(super) fn new(agent: &str, id: &str, now: Timestamp) -> Self {
        Self {
            agent: agent.to_owned(),
            id: id.to_owned(),
            begun_at: now.to_string(),
            ..Self::default()
        }
    }

    /// Whether it has ended or said goodbye.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended_at.is_some() || self.goodbye_at.is_some()
    }

    /// Resumes the session, unless it said goodbye after this event. If its end is still being reported, that report
    /// covers only the time before.
    pub(super) fn go_on(&mut self, told_at: Timestamp) {
        let goodbye = self.goodbye_at.as_deref().and_then(Timestamp::parse);
        if goodbye.is_none_or(|goodbye| goodbye < told_at) {
            if self.is_over() {
                self.briefed = None;
            }
            self.goodbye_at = None;
            self.ended_at = None;
            self.teller = None;
        }
    }

    /// Counts a user prompt, and keeps its beginning. The same prompt counts once.
    pub fn count_prompt(&mut self, prompt: Option<&str>, text: &str) {
        if prompt.is_none() || self.last_prompt.as_deref() != prompt {
            self.last_prompt = prompt.map(str::to_owned);
            self.prompts += 1;
            self.remember_prompt(text);
        }
    }

    fn remember_prompt(&mut self, text: &str) {
        let text = flat(text);
        // What a client says to itself is not the user's.
        if text.is_empty() || text.starts_with('<') {
            return;
        }
        self.asked.push(beginning_of(&text).to_owned());
        let old = self.asked.len().saturating_sub(MOST_PROMPTS);
        self.asked.drain(..old);
    }

    /// Claims the backup that is due after a number of prompts, unless another process has. Returns its number.
    pub fn claim_copy(&mut self, prompt: Option<&str>) -> Option<u64> {
        self.copies.claim(self.prompts, prompt.unwrap_or_default())
    }

    /// Releases the claim made for this prompt.
    pub fn give_back_copy(&mut self, prompt: Option<&str>) {
        self.copies.give_back(prompt.unwrap_or_default());
    }

    /// Records that a backup was made.
    pub fn remember_copy(&mut self, number: u64) {
        self.copies.finish(number);
    }

    /// Whether to record a compaction: once, no matter how many hooks report it.
    pub fn may_note_compaction(&mut self, now: Timestamp) -> bool {
        let now = now.as_millisecond();
        let may = now - self.compacted_at > TOGETHER;
        if may {
            self.compacted_at = now;
        }
        may
    }

    /// Whether a late process should record a compaction: only if it was not recorded since, because the process that
    /// ran out of time may not have reached it.
    pub fn may_still_note_compaction(&mut self, told_at: Timestamp, now: Timestamp) -> bool {
        let may = self.compacted_at <= told_at.as_millisecond();
        if may {
            self.compacted_at = now.as_millisecond();
        }
        may
    }

    /// Whether to brief the session at this beginning: once, no matter how many hooks report it.
    pub fn may_brief(&mut self, source: &str, now: Timestamp) -> bool {
        let now = now.as_millisecond();
        let known = self.briefed.as_ref();
        let may = known.is_none_or(|(known, at)| known != source || now - at > TOGETHER);
        if may {
            self.briefed = Some((source.to_owned(), now));
        }
        may
    }

    /// A compaction has taken the brief, and the agent will not ask for another.
    pub fn lose_brief(&mut self) {
        self.lost_brief = true;
    }

    /// Whether a compaction has taken the brief.
    #[must_use]
    pub fn has_lost_brief(&self) -> bool {
        self.lost_brief
    }

    /// Whether a compaction has taken the brief. Only one process is told so.
    pub fn take_lost_brief(&mut self) -> bool {
        std::mem::take(&mut self.lost_brief)
    }

    /// When it was last compacted.
    #[must_use]
    pub fn compacted_at(&self) -> Option<Timestamp> {
        let at = Some(self.compacted_at).filter(|at| *at > 0)?;
        Timestamp::from_millisecond(at)
    }

    /// Forgets a compaction that could not be recorded.
    pub fn forget_compaction(&mut self) {
        self.compacted_at = 0;
    }

    /// Whether to ask the session to continue a task: once per task, and limited in total, so that the session can
    /// stop.
    pub fn may_nudge(&mut self, task: &str) -> bool {
        let is_new = self.nudged_for.as_deref() != Some(task);
        let may = is_new && self.nudges < MOST_NUDGES;
        if may {
            self.nudges += 1;
            self.nudged_for = Some(task.to_owned());
        }
        may
    }

    /// What happens to a sub-agent whose report is rejected: it is sent back once.
    pub fn send_back(&mut self, subagent: &str, report: &str, now: Timestamp) -> SendingBack {
        let report = ContentHash::of(report.as_bytes()).to_string();
        let now = now.as_millisecond();
        let known = self
            .sent_back
            .iter()
            .find(|known| known.subagent == subagent);
        match known {
            Some(known) if known.report == report && now - known.at <= TOGETHER => {
                SendingBack::Again
            }
            Some(_) => SendingBack::Over,
            None => {
                self.sent_back.push(SentBack {
                    subagent: subagent.to_owned(),
                    report,
                    at: now,
                });
                forget_first(&mut self.sent_back);
                SendingBack::Now
            }
        }
    }

    /// Remembers the tasks of a sub-agent about to be started, once per call.
    pub fn remember_spawn(&mut self, call: &str, kind: &str, asked: &Asked, now: Timestamp) {
        let now = now.as_millisecond();
        self.spawns.retain(|spawn| now - spawn.at < TO_BEGIN);
        if call.is_empty() || !self.spawns.iter().any(|spawn| spawn.call == call) {
            self.spawns.push(Spawn {
                call: call.to_owned(),
                kind: kind.to_owned(),
                tasks: asked.tasks.join(" "),
                taken_by: String::new(),
                at: now,
                prompt: beginning_of(&asked.prompt).to_owned(),
            });
            forget_first(&mut self.spawns);
        }
    }

    /// What a sub-agent of this kind that starts now was asked: the first request not yet taken. The same sub-agent
    /// gets the same request again.
    pub fn take_spawn(&mut self, kind: &str, subagent: &str) -> Option<Asked> {
        let own = |spawn: &&mut Spawn| spawn.kind == kind && spawn.taken_by == subagent;
        let free = |spawn: &&mut Spawn| spawn.kind == kind && spawn.taken_by.is_empty();
        let position = match self.spawns.iter_mut().find(own) {
            Some(spawn) => Some(spawn),
            None => self.spawns.iter_mut().find(free),
        };
        position.map(|spawn| {
            subagent.clone_into(&mut spawn.taken_by);
            let tasks = spawn.tasks.split_whitespace();
            Asked {
                tasks: tasks.map(str::to_owned).collect(),
                prompt: spawn.prompt.clone(),
            }
        })
    }

    /// Remembers which command or pipeline a sub-agent works on.
    pub fn remember_place(&mut self, subagent: &str, key: &Key) {
        self.places.retain(|(known, _)| known != subagent);
        self.places.push((subagent.to_owned(), key.to_string()));
        forget_first(&mut self.places);
    }

    /// The command or pipeline that a sub-agent works on.
    #[must_use]
    pub fn place(&self, subagent: &str) -> Option<Key> {
        let mut places = self.places.iter();
        let (_, key) = places.find(|(known, _)| known == subagent)?;
        Key::parse(key).ok()
    }

    /// The commands and pipelines that its sub-agents work on.
    #[must_use]
    pub fn places(&self) -> Vec<Key> {
        let mut keys: Vec<Key> = Vec::new();
        for key in self
            .places
            .iter()
            .filter_map(|(_, key)| Key::parse(key).ok())
        {
            if !keys.contains(&key) {
                keys.push(key);
            }
        }
        keys
    }

    /// Remembers a sub-agent's report until it ends.
    pub fn remember_report(&mut self, subagent: &str, report: &str) {
        let kept = &report[..report.floor_char_boundary(LONGEST_REPORT)];
        self.forget_report(subagent);
        self.reports.push((subagent.to_owned(), kept.to_owned()));
        forget_first(&mut self.reports);
    }

    /// The report of a sub-agent that has not ended yet.
    #[must_use]
    pub fn report(&self, subagent: &str) -> Option<&str> {
        let known = self.reports.iter().find(|(known, _)| known == subagent);
        known.map(|(_, report)| report.as_str())
    }

    /// Forgets the report once the sub-agent has ended.
    pub fn forget_report(&mut self, subagent: &str) {
        self.reports.retain(|(known, _)| known != subagent);
    }

    /// Remembers the path of a sub-agent's transcript. Because that file will be read, the path is kept here and not
    /// in the plan, which may come with a clone.
    pub fn remember_transcript(&mut self, subagent: &str, path: &str) {
        self.transcripts.retain(|(known, _)| known != subagent);
        let pair = (subagent.to_owned(), path.to_owned());
        self.transcripts.push(pair);
        forget_first(&mut self.transcripts);
    }

    /// The path of a sub-agent's transcript.
    #[must_use]
    pub fn transcript(&self, subagent: &str) -> Option<&str> {
        let mut known = self.transcripts.iter();
        let known = known.find(|(known, _)| known == subagent);
        known.map(|(_, path)| path.as_str())
    }

    /// Records the commit that is checked out, and returns the previous one if it differs.
    pub fn look_at(&mut self, head: Option<&str>) -> Option<String> {
        let head = head?;
        let before = self.head.replace(head.to_owned());
        before.filter(|before| before != head)
    }

    /// Reads a record, if it carries our seal.
    pub(super) fn read(document: &Document, seals: &Seals) -> Option<Self> {
        let root = document.root();
        let about = sealed_name(&root.get("session_id")?.as_str()?);
        if !seals.vouches(Domain::Session, &about, root) {
            return None;
        }
        let mut record: Self = serde_json::from_str(document.text()).ok()?;
        record.others.shift_remove(SEAL);
        Some(record)
    }

    /// The content of its file. Sealed unless it is too large to be read back.
    pub(super) fn written(&self, seals: &Seals) -> Vec<u8> {
        let mut text = serde_json::to_string(self).expect("a record has no keys but strings");
        if let Ok(Value::Object(mut record)) = Document::parse(text.as_str()).map(|it| it.value()) {
            seals.seal(Domain::Session, &sealed_name(&self.id), &mut record);
            text = Value::Object(record).to_compact();
        }
        (text + "\n").into_bytes()
    }
}

fn sealed_name(id: &str) -> String {
    format!("session:{id}")
}

/// Keeps a list from growing without limit.
fn forget_first<T>(list: &mut Vec<T>) {
    const MOST: usize = 100;
    if list.len() > MOST {
        list.remove(0);
    }
}
