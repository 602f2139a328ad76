//! What is remembered of a session.

#[cfg(test)]
mod tests;

use super::copies::{Claim, Copies};
use crate::document::{Node, Object, Value};
use crate::hash::ContentHash;
use crate::process::ProcessMark;
use crate::time::Timestamp;

/// A session is asked to go on with unfinished work at most so often.
pub const MOST_NUDGES: u64 = 5;

/// The same event, told by two hooks, arrives within this time, in milliseconds.
const TOGETHER: i64 = 10_000;

/// A sub-agent that was asked something begins within this time, or never, in milliseconds.
const TO_BEGIN: i64 = 10 * 60 * 1000;

/// No more of a report is remembered than this, in bytes.
const LONGEST_REPORT: usize = 32 * 1024;

/// A session of an agent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct SessionRecord {
    /// The agent.
    pub agent: String,
    /// What it calls the session.
    pub id: String,
    /// The machine.
    pub host: String,
    /// The process of the agent, where it is known.
    pub process: Option<ProcessMark>,
    /// When it began, as written.
    pub begun_at: String,
    /// When something was last heard of it, as written.
    pub seen_at: String,
    /// The commit that was checked out when it was last looked at.
    pub head: Option<String>,
    /// When it has said goodbye, as written.
    pub goodbye_at: Option<String>,
    /// When all was told of its end, as written. It is kept for a while, so that what comes late is known to be.
    pub ended_at: Option<String>,
    /// Who tells that it is over.
    pub(super) teller: Option<ProcessMark>,
    prompts: u64,
    last_prompt: Option<String>,
    copies: Copies,
    compacted_at: i64,
    nudges: u64,
    nudged_for: Option<String>,
    sent_back: Vec<SentBack>,
    spawns: Vec<Spawn>,
    reports: Vec<(String, String)>,
    transcripts: Vec<(String, String)>,
}

/// A report that a sub-agent was sent back with.
#[derive(Debug, Clone, PartialEq, Eq)]
struct SentBack {
    subagent: String,
    report: String,
    at: i64,
}

/// What a sub-agent is about to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Spawn {
    call: String,
    kind: String,
    tasks: String,
    /// The sub-agent that has begun with it.
    taken_by: String,
    at: i64,
}

/// What becomes of a sub-agent that hands over what cannot be taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SendingBack {
    /// It is sent back.
    Now,
    /// It was sent back with this very report just now: another hook tells of the same.
    Again,
    /// It was sent back already.
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

    /// Whether it has ended, or says that it does.
    #[must_use]
    pub fn is_over(&self) -> bool {
        self.ended_at.is_some() || self.goodbye_at.is_some()
    }

    /// Goes on after an end, unless it said goodbye after this was told: then that was quicker. Whoever tells of its end
    /// tells of the life before.
    pub(super) fn go_on(&mut self, told_at: Timestamp) {
        let goodbye = self.goodbye_at.as_deref().and_then(Timestamp::parse);
        if goodbye.is_none_or(|goodbye| goodbye < told_at) {
            self.goodbye_at = None;
            self.ended_at = None;
            self.teller = None;
        }
    }

    /// Counts something that the user said. The same thing counts once.
    pub fn count_prompt(&mut self, prompt: Option<&str>) {
        if prompt.is_none() || self.last_prompt.as_deref() != prompt {
            self.last_prompt = prompt.map(str::to_owned);
            self.prompts += 1;
        }
    }

    /// Takes on the copy that is due after all that the user said, unless somebody is at it. The number of the copy.
    pub fn claim_copy(&mut self, prompt: Option<&str>) -> Option<u64> {
        self.copies.claim(self.prompts, prompt.unwrap_or_default())
    }

    /// Gives it back: whoever took it on for this prompt does not make it.
    pub fn give_back_copy(&mut self, prompt: Option<&str>) {
        self.copies.give_back(prompt.unwrap_or_default());
    }

    /// Remembers that a copy was made.
    pub fn remember_copy(&mut self, number: u64) {
        self.copies.finish(number);
    }

    /// Whether a compaction is to be noted: once, however many hooks tell of it.
    pub fn may_note_compaction(&mut self, now: Timestamp) -> bool {
        let now = now.as_millisecond();
        let may = now - self.compacted_at > TOGETHER;
        if may {
            self.compacted_at = now;
        }
        may
    }

    /// Whether a compaction is to be noted by a process that goes on with it: unless somebody has noted it since. Whoever
    /// ran out of time may have been about to.
    pub fn may_still_note_compaction(&mut self, told_at: Timestamp, now: Timestamp) -> bool {
        let may = self.compacted_at <= told_at.as_millisecond();
        if may {
            self.compacted_at = now.as_millisecond();
        }
        may
    }

    /// Forgets a compaction that could not be noted.
    pub fn forget_compaction(&mut self) {
        self.compacted_at = 0;
    }

    /// Whether to ask it to go on with a task: not again for the same one, so that it can stop, and not for ever.
    pub fn may_nudge(&mut self, task: &str) -> bool {
        let is_new = self.nudged_for.as_deref() != Some(task);
        let may = is_new && self.nudges < MOST_NUDGES;
        if may {
            self.nudges += 1;
            self.nudged_for = Some(task.to_owned());
        }
        may
    }

    /// What becomes of a sub-agent whose report cannot be taken: it is sent back once.
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

    /// Remembers what a sub-agent is about to be asked, once for each call.
    pub fn remember_spawn(&mut self, call: &str, kind: &str, tasks: &[String], now: Timestamp) {
        let now = now.as_millisecond();
        self.spawns.retain(|spawn| now - spawn.at < TO_BEGIN);
        if call.is_empty() || !self.spawns.iter().any(|spawn| spawn.call == call) {
            self.spawns.push(Spawn {
                call: call.to_owned(),
                kind: kind.to_owned(),
                tasks: tasks.join(" "),
                taken_by: String::new(),
                at: now,
            });
            forget_first(&mut self.spawns);
        }
    }

    /// The tasks in what a sub-agent of this kind was asked that begins now: of those that nobody has begun with, the
    /// first. The same one is given the same again.
    pub fn take_spawn(&mut self, kind: &str, subagent: &str) -> Vec<String> {
        let own = |spawn: &&mut Spawn| spawn.kind == kind && spawn.taken_by == subagent;
        let free = |spawn: &&mut Spawn| spawn.kind == kind && spawn.taken_by.is_empty();
        let position = match self.spawns.iter_mut().find(own) {
            Some(spawn) => Some(spawn),
            None => self.spawns.iter_mut().find(free),
        };
        let tasks = position.map(|spawn| {
            subagent.clone_into(&mut spawn.taken_by);
            spawn.tasks.as_str()
        });
        let tasks = tasks.unwrap_or_default().split_whitespace();
        tasks.map(str::to_owned).collect()
    }

    /// Remembers what a sub-agent reports before it ends.
    pub fn remember_report(&mut self, subagent: &str, report: &str) {
        let kept = &report[..report.floor_char_boundary(LONGEST_REPORT)];
        self.forget_report(subagent);
        self.reports.push((subagent.to_owned(), kept.to_owned()));
        forget_first(&mut self.reports);
    }

    /// What a sub-agent has reported before it ended.
    #[must_use]
    pub fn report(&self, subagent: &str) -> Option<&str> {
        let known = self.reports.iter().find(|(known, _)| known == subagent);
        known.map(|(_, report)| report.as_str())
    }

    /// Forgets it: the sub-agent has ended.
    pub fn forget_report(&mut self, subagent: &str) {
        self.reports.retain(|(known, _)| known != subagent);
    }

    /// Remembers where the transcript of a sub-agent lies. It is kept here and not with the plan, because what a plan says
    /// may come with a clone, and this is read.
    pub fn remember_transcript(&mut self, subagent: &str, path: &str) {
        self.transcripts.retain(|(known, _)| known != subagent);
        let pair = (subagent.to_owned(), path.to_owned());
        self.transcripts.push(pair);
        forget_first(&mut self.transcripts);
    }

    /// Where the transcript of a sub-agent lies.
    #[must_use]
    pub fn transcript(&self, subagent: &str) -> Option<&str> {
        let mut known = self.transcripts.iter();
        let known = known.find(|(known, _)| known == subagent);
        known.map(|(_, path)| path.as_str())
    }

    /// What it is called in seals.
    pub(super) fn sealed_name(&self) -> String {
        format!("session:{}", self.id)
    }

    /// Looks at the commit that is checked out, and returns the one before when it is another.
    pub fn look_at(&mut self, head: Option<&str>) -> Option<String> {
        let head = head?;
        let before = self.head.replace(head.to_owned());
        before.filter(|before| before != head)
    }

    pub(super) fn read(root: Node<'_>) -> Option<Self> {
        let text = |name: &str| Some(root.get(name)?.as_str()?.into_owned());
        let number = |name: &str| root.get(name).and_then(Node::as_u64).unwrap_or_default();
        let items = |name: &str| root.get(name).into_iter().flat_map(Node::items);
        let mark = |name: &str| root.get(name).and_then(ProcessMark::read);
        let milliseconds = |number: Node<'_>| {
            let number = number
                .as_u64()
                .and_then(|number| i64::try_from(number).ok());
            number.unwrap_or_default()
        };
        let texts = |item: Node<'_>| -> Vec<String> {
            let texts = item.items().filter_map(Node::as_str);
            texts.map(std::borrow::Cow::into_owned).collect()
        };
        let time = |item: Node<'_>| item.items().last().map(milliseconds);
        let pair = |item: Node<'_>| match texts(item).as_slice() {
            [one, two] => Some((one.clone(), two.clone())),
            _ => None,
        };
        Some(Self {
            agent: text("agent")?,
            id: text("session_id")?,
            host: text("host").unwrap_or_default(),
            process: mark("process"),
            begun_at: text("begun_at").unwrap_or_default(),
            seen_at: text("seen_at").unwrap_or_default(),
            head: text("head"),
            goodbye_at: text("goodbye_at"),
            ended_at: text("ended_at"),
            teller: mark("teller"),
            prompts: number("prompts"),
            last_prompt: text("last_prompt"),
            copies: Copies {
                made: number("copies"),
                claim: root.get("copier").and_then(Claim::read),
            },
            compacted_at: root
                .get("compacted_at")
                .map(milliseconds)
                .unwrap_or_default(),
            nudges: number("nudges"),
            nudged_for: text("nudged_for"),
            sent_back: items("sent_back")
                .filter_map(|item| match texts(item).as_slice() {
                    [subagent, report] => Some(SentBack {
                        subagent: subagent.clone(),
                        report: report.clone(),
                        at: time(item)?,
                    }),
                    _ => None,
                })
                .collect(),
            spawns: items("spawns")
                .filter_map(|item| match texts(item).as_slice() {
                    [call, kind, tasks, taken_by] => Some(Spawn {
                        call: call.clone(),
                        kind: kind.clone(),
                        tasks: tasks.clone(),
                        taken_by: taken_by.clone(),
                        at: time(item)?,
                    }),
                    _ => None,
                })
                .collect(),
            reports: items("reports").filter_map(pair).collect(),
            transcripts: items("transcripts").filter_map(pair).collect(),
        })
    }

    pub(super) fn written(&self) -> Object {
        let mut record = Object::new();
        record.set("agent", self.agent.as_str());
        record.set("session_id", self.id.as_str());
        record.set("host", self.host.as_str());
        record.set("begun_at", self.begun_at.as_str());
        record.set("seen_at", self.seen_at.as_str());
        for (name, mark) in [("process", &self.process), ("teller", &self.teller)] {
            if let Some(mark) = mark {
                record.set(name, mark.written());
            }
        }
        for (name, text) in [
            ("head", &self.head),
            ("goodbye_at", &self.goodbye_at),
            ("ended_at", &self.ended_at),
            ("last_prompt", &self.last_prompt),
            ("nudged_for", &self.nudged_for),
        ] {
            if let Some(text) = text {
                record.set(name, text.as_str());
            }
        }
        record.set("prompts", self.prompts);
        record.set("copies", self.copies.made);
        if let Some(claim) = &self.copies.claim {
            record.set("copier", claim.written());
        }
        record.set("compacted_at", self.compacted_at.unsigned_abs());
        record.set("nudges", self.nudges);
        let row = |texts: &[&str], at: Option<i64>| {
            let texts = texts.iter().map(|text| Value::from(*text));
            Value::Array(texts.chain(at.map(|at| at.unsigned_abs().into())).collect())
        };
        let sent_back = self.sent_back.iter();
        let sent_back = sent_back.map(|one| row(&[&one.subagent, &one.report], Some(one.at)));
        record.set("sent_back", Value::Array(sent_back.collect()));
        let spawns = self.spawns.iter();
        let spawns = spawns.map(|one| {
            row(
                &[&one.call, &one.kind, &one.tasks, &one.taken_by],
                Some(one.at),
            )
        });
        record.set("spawns", Value::Array(spawns.collect()));
        let reports = self.reports.iter();
        let reports = reports.map(|(subagent, report)| row(&[subagent, report], None));
        record.set("reports", Value::Array(reports.collect()));
        let transcripts = self.transcripts.iter();
        let transcripts = transcripts.map(|(subagent, path)| row(&[subagent, path], None));
        record.set("transcripts", Value::Array(transcripts.collect()));
        record
    }
}

/// Lists of things that are remembered once do not grow for ever.
fn forget_first<T>(list: &mut Vec<T>) {
    const MOST: usize = 100;
    if list.len() > MOST {
        list.remove(0);
    }
}
