//! Recording that somebody has seen a hazard and dealt with it.

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use super::Depth;
use crate::document::Value;
use crate::facts::{COMMITS, Fact, Facts, Hazard};
use crate::history::{Event, EventName};
use crate::key::Key;
use crate::operation::Refusal;
use crate::store::Repeated;

/// A session or sub-agent can be named by the beginning of its id, if it has at least this many characters.
const SHORTEST: usize = 4;

/// What is acknowledged where all commits since were made here, so that they are no hazard.
const MOVED: &str = "HEAD has moved since the checkpoint was saved.";

/// Hazards that somebody has acknowledged.
#[derive(Debug, Clone, serde::Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
pub struct Acknowledged {
    /// The checkpoint.
    pub key: Key,
    /// What they were about.
    pub ids: Vec<String>,
    /// The hazards, in words.
    pub hazards: Vec<String>,
}

impl Workspace {
    /// Ends the hazards about an id: a task, a session, a sub-agent, a name, or [`COMMITS`]. Without a key, all
    /// checkpoints in flight are searched, the one in focus first.
    pub fn acknowledge(
        &self,
        id: &str,
        key: Option<&Key>,
        reason: Option<&str>,
    ) -> Result<Acknowledged, WorkspaceError> {
        let keys = match key {
            Some(key) => vec![key.clone()],
            None => self.in_flight()?.0,
        };
        let mut others = Vec::new();
        for key in keys {
            let facts = self.facts_about(&key, Depth::Full)?;
            let mut about = Matching::new(&facts, id);
            if let [first, ..] = about.lasting.as_slice()
                && about.ending.is_empty()
            {
                return Err(Refusal::NotAcknowledgeable {
                    hazard: first.text.clone(),
                    ends: first.ends().unwrap_or_default(),
                }
                .into());
            }
            if about.ending.is_empty() && id == COMMITS && self.has_moved(&key)? {
                about.ids.push(COMMITS.to_owned());
                about.ending.push(MOVED.to_owned());
            }
            if !about.ending.is_empty() {
                return self.record_acknowledgement(&key, &about, reason);
            }
            others.extend(acknowledgeable(&facts));
        }
        Err(Refusal::NothingToAcknowledge {
            id: id.to_owned(),
            others,
        }
        .into())
    }

    fn record_acknowledgement(
        &self,
        key: &Key,
        about: &Matching<'_>,
        reason: Option<&str>,
    ) -> Result<Acknowledged, WorkspaceError> {
        if let Key::Plan(id) = key {
            // An edit that was not recorded yet would count as newer than the acknowledgement.
            self.plan(id).heal()?;
        }
        let head = self.head();
        let ids: Vec<Value> = about.ids.iter().map(|id| id.as_str().into()).collect();
        let mut event = Event::new(EventName::HazardAcknowledged).with("acknowledged", ids);
        if let Some(commit) = head.commit.as_ref().filter(|_| about.is(COMMITS)) {
            event = event.with("seen", commit.to_string());
        }
        if let Some(reason) = reason {
            event = event.with("reason", reason);
        }
        let author = self.author("ack", &head);
        let place = self.layout.place(key);
        let written = self
            .store
            .remark(&place, &author, &event, Repeated::EachTime);
        match written.map_err(|error| Purpose::Save.failed(error))? {
            true => {
                (self.options.wake)(self);
                Ok(Acknowledged {
                    key: key.clone(),
                    ids: about.ids.clone(),
                    hazards: about.ending.clone(),
                })
            }
            false => Err(Refusal::NoHistory(key.clone()).into()),
        }
    }
}

/// The hazards about an id.
struct Matching<'f> {
    /// The id in full.
    ids: Vec<String>,
    /// Those that an acknowledgement ends, in words.
    ending: Vec<String>,
    /// Those that it does not end.
    lasting: Vec<&'f Fact>,
}

impl<'f> Matching<'f> {
    fn new(facts: &'f Facts, id: &str) -> Self {
        let mut found = Self {
            ids: Vec::new(),
            ending: Vec::new(),
            lasting: Vec::new(),
        };
        for fact in facts.hazards() {
            let Some(meant) = fact.ids.iter().find(|known| is_meant(fact, known, id)) else {
                continue;
            };
            if !found.ids.contains(meant) {
                found.ids.push(meant.clone());
            }
            match fact.hazard().is_some_and(Hazard::can_be_acknowledged) {
                true => found.ending.push(fact.text.clone()),
                false => found.lasting.push(fact),
            }
        }
        found
    }

    fn is(&self, id: &str) -> bool {
        self.ids.iter().any(|known| known == id)
    }
}

/// Whether an id was typed in full or, for a session or sub-agent, by its beginning.
fn is_meant(fact: &Fact, known: &str, typed: &str) -> bool {
    let is_death = matches!(
        fact.hazard(),
        Some(Hazard::SessionDied | Hazard::SubAgentDied)
    );
    known == typed || (is_death && typed.len() >= SHORTEST && known.starts_with(typed))
}

/// What can be acknowledged.
fn acknowledgeable(facts: &Facts) -> Vec<String> {
    let hazards = facts
        .hazards()
        .filter(|fact| fact.hazard().is_some_and(Hazard::can_be_acknowledged));
    hazards.flat_map(|fact| fact.ids.iter().cloned()).collect()
}
