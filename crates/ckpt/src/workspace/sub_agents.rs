//! Sub-agents working on commands and pipelines. Those of plans are recorded with their claims.

use super::error::Purpose;
use super::facts::{Ground, Trace};
use super::{Workspace, WorkspaceError};
use crate::document::{Object, Value};
use crate::facts::{Item, State, names};
use crate::history::{Event, EventName};
use crate::key::Key;
use crate::operation::{Changed, Refusal};
use crate::sub_agents::{self, Helper, Loss};
use crate::time::Timestamp;

impl Workspace {
    /// Records that a sub-agent works on a command or pipeline: on what its prompt names, else on what is in progress.
    /// A checkpoint that nobody has changed here is left alone: it may have come with a clone.
    pub fn start_helper(&self, key: &Key, helper: &Helper) -> Result<(), WorkspaceError> {
        if !self.is_known(key) {
            return Ok(());
        }
        let mut helper = helper.clone();
        helper.tasks = self.named_or_running(key, helper.asked.as_deref().unwrap_or_default())?;
        let session = self.options.session.as_deref();
        self.change_agents(key, "subagent start", |root, now| {
            sub_agents::started(root, &helper, session, now)
        })
    }

    /// Records that a sub-agent of a command or pipeline ended, and what it handed over.
    pub fn stop_helper(
        &self,
        key: &Key,
        id: &str,
        handoff: Option<&Object>,
        words: Option<&str>,
    ) -> Result<(), WorkspaceError> {
        self.change_agents(key, "subagent stop", |root, now| {
            sub_agents::stopped(root, id, (handoff, words), now)
        })
    }

    /// Records that sub-agents of a session were lost with it.
    pub fn lose_helpers(
        &self,
        key: &Key,
        session: &str,
        losses: &[Loss],
    ) -> Result<(), WorkspaceError> {
        self.change_agents(key, "session end", |root, now| {
            sub_agents::session_over(root, session, losses, now)
        })
    }

    /// Answers a sub-agent that said not to proceed.
    pub fn answer(&self, key: &Key, task: &str, text: &str) -> Result<(), WorkspaceError> {
        if let Key::Plan(id) = key {
            self.plan(id).unblock(task)?;
            return Ok(());
        }
        let is_open = |root: &Object| {
            let stops = sub_agents::stops(root);
            stops.iter().any(|stop| stop.task == task)
        };
        let loaded = self.require(key)?.document.value();
        if !loaded.as_object().is_some_and(is_open) {
            return Err(Refusal::NothingToAnswer {
                key: key.clone(),
                task: task.to_owned(),
            }
            .into());
        }
        self.change_agents(key, "handoff reply", |root, now| {
            let Some(stop) = sub_agents::answer(root, task, Some(text), now) else {
                return Vec::new();
            };
            let own = format!("{} {}: ", stop.task, stop.decision);
            let gate = root.get_mut("gate").and_then(Value::as_object_mut);
            if let Some(Value::Array(blockers)) = gate.and_then(|gate| gate.get_mut("blockers")) {
                let is_own = |blocker: &Value| {
                    let text = blocker.as_str();
                    text.is_some_and(|text| text.starts_with(&own))
                };
                blockers.retain(|blocker| !is_own(blocker));
            }
            let event = Event::new(EventName::HandoffAnswered);
            vec![event.with("task", task).with("answer", text)]
        })
    }

    /// The sub-agents of a session at work on a command or pipeline.
    pub fn helpers_of(&self, key: &Key, session: &str) -> Vec<Helper> {
        let loaded = self.load(key).ok().flatten();
        let root = loaded.filter(|loaded| loaded.document.root().get("agents").is_some());
        let root = root.map(|loaded| loaded.document.value());
        let root = root.as_ref().and_then(Value::as_object);
        root.map(|root| sub_agents::at_work(root, session))
            .unwrap_or_default()
    }

    fn named_or_running(&self, key: &Key, prompt: &str) -> Result<Vec<String>, WorkspaceError> {
        let work = self.read(key)?.work(&Ground {
            content: &self.content_at_a_glance(),
            listing: None,
            trace: &Trace::default(),
            is_active: true,
        })?;
        let named = work.items.iter().filter(|item| names(prompt, &item.id));
        let (open, over): (Vec<&Item>, Vec<&Item>) = named.partition(|item| item.state.is_open());
        let named = if open.is_empty() { over } else { open };
        if !named.is_empty() {
            return Ok(named.into_iter().map(|item| item.id.clone()).collect());
        }
        let running = work.open().filter(|item| item.state == State::InProgress);
        Ok(running.map(|item| item.id.clone()).collect())
    }

    fn change_agents(
        &self,
        key: &Key,
        doing: &str,
        change: impl Fn(&mut Object, Timestamp) -> Vec<Event>,
    ) -> Result<(), WorkspaceError> {
        self.change(key, Purpose::Save, doing, &|present| {
            let Some(Value::Object(mut root)) = present.value else {
                return Err(Refusal::Missing(key.clone()).into());
            };
            let events = change(&mut root, present.stamp.now);
            let value = Value::Object(root);
            Ok((!events.is_empty()).then_some(Changed { value, events }))
        })?;
        Ok(())
    }
}
