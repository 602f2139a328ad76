//! What is remembered of a session.

use crate::document::{Node, Object, Value};
use crate::process::ProcessMark;
use crate::time::Timestamp;

/// A session is asked to go on with unfinished work at most so often.
pub const MOST_NUDGES: u64 = 5;

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
    /// Where its conversation is written down.
    pub transcript: Option<String>,
    /// The commit that was checked out when it was last looked at.
    pub head: Option<String>,
    prompts: u64,
    last_prompt: Option<String>,
    nudges: u64,
    nudged_for: Option<String>,
    sent_back: Vec<String>,
    spawns: Vec<(String, String)>,
    reports: Vec<(String, String)>,
}

/// No more of a report is remembered than this, in bytes.
const LONGEST_REPORT: usize = 32 * 1024;

impl SessionRecord {
    pub(super) fn new(agent: &str, id: &str, now: Timestamp) -> Self {
        Self {
            agent: agent.to_owned(),
            id: id.to_owned(),
            begun_at: now.to_string(),
            ..Self::default()
        }
    }

    /// What it is called wherever agents of all kinds meet.
    #[must_use]
    pub fn name(&self) -> String {
        session_name(&self.agent, &self.id)
    }

    /// Counts something that the user said, and returns how often that was. The same thing counts once.
    pub fn count_prompt(&mut self, prompt: Option<&str>) -> Option<u64> {
        if prompt.is_some() && self.last_prompt.as_deref() == prompt {
            return None;
        }
        self.last_prompt = prompt.map(str::to_owned);
        self.prompts += 1;
        Some(self.prompts)
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

    /// Whether to send a sub-agent back: once.
    pub fn may_send_back(&mut self, subagent: &str) -> bool {
        let may = !self.sent_back.iter().any(|known| known == subagent);
        if may {
            self.sent_back.push(subagent.to_owned());
            forget_first(&mut self.sent_back);
        }
        may
    }

    /// Remembers what a sub-agent is about to be asked.
    pub fn remember_spawn(&mut self, kind: &str, tasks: &[String]) {
        self.spawns.push((kind.to_owned(), tasks.join(" ")));
        forget_first(&mut self.spawns);
    }

    /// The tasks in what the sub-agent of this kind was asked that begins now: the one that was asked first.
    pub fn take_spawn(&mut self, kind: &str) -> Vec<String> {
        let position = self.spawns.iter().position(|(known, _)| known == kind);
        let spawn = position.map(|position| self.spawns.remove(position));
        let tasks = spawn.map(|(_, tasks)| tasks).unwrap_or_default();
        tasks.split_whitespace().map(str::to_owned).collect()
    }

    /// Remembers what a sub-agent reports before it ends.
    pub fn remember_report(&mut self, subagent: &str, report: &str) {
        let kept = &report[..report.floor_char_boundary(LONGEST_REPORT)];
        self.reports.retain(|(known, _)| known != subagent);
        self.reports.push((subagent.to_owned(), kept.to_owned()));
        forget_first(&mut self.reports);
    }

    /// What a sub-agent has reported before it ended.
    pub fn take_report(&mut self, subagent: &str) -> Option<String> {
        let position = self
            .reports
            .iter()
            .position(|(known, _)| known == subagent)?;
        Some(self.reports.remove(position).1)
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
        let pair = |item: Node<'_>| {
            let mut texts = item
                .items()
                .filter_map(|item| Some(item.as_str()?.into_owned()));
            Some((texts.next()?, texts.next()?))
        };
        Some(Self {
            agent: text("agent")?,
            id: text("session_id")?,
            host: text("host").unwrap_or_default(),
            process: root.get("process").and_then(ProcessMark::read),
            begun_at: text("begun_at").unwrap_or_default(),
            transcript: text("transcript"),
            head: text("head"),
            prompts: number("prompts"),
            last_prompt: text("last_prompt"),
            nudges: number("nudges"),
            nudged_for: text("nudged_for"),
            sent_back: items("sent_back")
                .filter_map(|item| Some(item.as_str()?.into_owned()))
                .collect(),
            spawns: items("spawns").filter_map(pair).collect(),
            reports: items("reports").filter_map(pair).collect(),
        })
    }

    pub(super) fn written(&self) -> String {
        let mut record = Object::new();
        record.set("agent", self.agent.as_str());
        record.set("session_id", self.id.as_str());
        record.set("host", self.host.as_str());
        record.set("begun_at", self.begun_at.as_str());
        if let Some(process) = &self.process {
            record.set("process", process.written());
        }
        let mut text = |name: &str, value: &Option<String>| {
            if let Some(value) = value {
                record.set(name, value.as_str());
            }
        };
        text("transcript", &self.transcript);
        text("head", &self.head);
        text("last_prompt", &self.last_prompt);
        text("nudged_for", &self.nudged_for);
        record.set("prompts", self.prompts);
        record.set("nudges", self.nudges);
        record.set("sent_back", self.sent_back.clone());
        let pairs = |list: &[(String, String)]| {
            let pair = |(one, two): &(String, String)| vec![one.clone(), two.clone()];
            list.iter().map(pair).collect::<Vec<_>>()
        };
        record.set("spawns", pairs(&self.spawns));
        record.set("reports", pairs(&self.reports));
        Value::Object(record).to_compact() + "\n"
    }
}

/// What a session is called wherever agents of all kinds meet.
#[must_use]
pub fn session_name(agent: &str, id: &str) -> String {
    format!("{agent}:{id}")
}

/// Lists of things that are remembered once do not grow for ever.
fn forget_first<T>(list: &mut Vec<T>) {
    const MOST: usize = 100;
    if list.len() > MOST {
        list.remove(0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Document;

    fn record() -> SessionRecord {
        SessionRecord {
            agent: "claude".to_owned(),
            id: "s1".to_owned(),
            ..SessionRecord::default()
        }
    }

    #[test]
    fn the_same_prompt_counts_once_and_one_without_an_id_always() {
        let mut record = record();
        let prompts = [Some("a"), Some("a"), Some("b"), None, None];
        let counts = prompts.map(|prompt| record.count_prompt(prompt));
        assert_eq!(counts, [Some(1), None, Some(2), Some(3), Some(4)]);
    }

    #[test]
    fn a_session_is_asked_to_go_on_once_for_a_task_and_not_for_ever() {
        let mut record = record();
        assert!(record.may_nudge("t0"));
        assert!(!record.may_nudge("t0"));
        let asked = (1..20).filter(|number| record.may_nudge(&format!("t{number}")));
        assert_eq!(asked.count() as u64, MOST_NUDGES - 1);
    }

    #[test]
    fn a_sub_agent_is_sent_back_once() {
        let mut record = record();
        assert!(record.may_send_back("d"));
        assert!(!record.may_send_back("d"));
        assert!(record.may_send_back("e"));
    }

    #[test]
    fn what_sub_agents_are_asked_is_handed_out_by_kind_in_order() {
        let mut record = record();
        record.remember_spawn("a", &["t1".to_owned(), "t2".to_owned()]);
        record.remember_spawn("b", &["t3".to_owned()]);
        record.remember_spawn("a", &["t4".to_owned()]);
        assert_eq!(record.take_spawn("a"), ["t1", "t2"]);
        assert_eq!(record.take_spawn("a"), ["t4"]);
        assert_eq!(record.take_spawn("a"), [""; 0]);
        assert_eq!(record.take_spawn("b"), ["t3"]);
    }

    #[test]
    fn a_commit_that_moves_is_noticed_once() {
        let mut record = record();
        let seen = [Some("1"), Some("1"), Some("2"), None, Some("2")];
        let before = seen.map(|head| record.look_at(head));
        assert_eq!(before, [None, None, Some("1".to_owned()), None, None]);
    }

    #[test]
    fn a_record_is_read_as_it_was_written() {
        let mut record = record();
        record.count_prompt(Some("p"));
        record.may_nudge("t");
        record.may_send_back("d");
        record.remember_spawn("a", &["t1".to_owned()]);
        record.remember_report("d", "all is done");
        record.look_at(Some("1"));
        record.transcript = Some("/t.jsonl".to_owned());
        record.process = Some(ProcessMark::current());
        let document = Document::parse(record.written()).unwrap();
        assert_eq!(SessionRecord::read(document.root()), Some(record));
    }
}
