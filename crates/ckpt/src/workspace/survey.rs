//! Surveying the work in flight, reading each plan only once.

use super::facts::LastWork;
use super::kind::Kind;
use super::listing::{Listing, Problem, Summary};
use super::plan::PlanReading;
use super::{PlanView, Workspace, WorkspaceError};
use crate::key::{Key, PlanId};
use crate::standing::Lifecycle;

/// All checkpoints, and those that cannot be read.
#[derive(Debug)]
pub struct Survey<'w> {
    workspace: &'w Workspace,
    branch: String,
    summaries: Vec<Summary>,
    /// Checkpoints that cannot be read.
    pub problems: Vec<Problem>,
    plans: Vec<SurveyedPlan>,
}

/// A plan that was read for a survey.
#[derive(Debug)]
pub(super) struct SurveyedPlan {
    id: PlanId,
    view: PlanView,
    /// Whether the state is out of date with the Markdown.
    is_behind: bool,
    /// Whether it is on the branch that is checked out.
    is_here: bool,
}

impl SurveyedPlan {
    pub(super) fn new(view: PlanView) -> Self {
        Self {
            id: view.id.clone(),
            is_behind: view.moved && !view.is_no_plan_yet(),
            is_here: view.dormant_on.is_none(),
            view,
        }
    }
}

impl Workspace {
    /// Surveys everything in flight.
    pub fn survey(&self) -> Result<Survey<'_>, WorkspaceError> {
        let head = self.head();
        let listing = Listing {
            surveyed: Some(Vec::new()),
            ..Listing::default()
        };
        let listing = self.listed(&head, &self.content_state_at(&head), listing)?;
        Ok(Survey {
            workspace: self,
            branch: head.branch.unwrap_or_default(),
            summaries: listing.summaries,
            problems: listing.problems,
            plans: listing.surveyed.unwrap_or_default(),
        })
    }

    /// The keys of the summaries in flight, ordered as for [`Workspace::in_flight`].
    pub(super) fn in_order(&self, summaries: &[Summary], branch: &str) -> Vec<Key> {
        let summaries = summaries.iter();
        let summaries = summaries.filter(|summary| {
            summary.lifecycle == Lifecycle::InFlight && summary.dormant_on.is_none()
        });
        let mut summaries: Vec<&Summary> = summaries.collect();
        let chosen = self.named_plan().ok().flatten().map(Key::Plan);
        if summaries.len() > 1 {
            let asked = self.last_asked();
            summaries.sort_by_cached_key(|summary| {
                let is_chosen = Some(&summary.key) == chosen.as_ref();
                let last = self.last_work(&summary.key);
                let nearness = Nearness::of(&summary.key, last.as_ref(), branch);
                let is_chosen = is_chosen && nearness != Nearness::Elsewhere;
                // What was only read or kept in order does not count.
                let worked = last
                    .map(|last| last.at)
                    .or_else(|| summary.updated_at.clone());
                let is_asked = asked
                    .as_deref()
                    .is_some_and(|asked| asks_for(asked, &summary.key));
                (!is_chosen, nearness, !is_asked, std::cmp::Reverse(worked))
            });
        }
        let keys = summaries.into_iter().map(|summary| summary.key.clone());
        keys.collect()
    }
}

impl Workspace {
    /// What the user last asked for, in the session that was heard from last.
    fn last_asked(&self) -> Option<String> {
        let sessions = self.sessions().all().unwrap_or_default().into_iter();
        let asked = sessions.map(|(_, record)| record);
        let asked = asked.filter(|record| !record.asked.is_empty());
        let last = asked.max_by(|one, two| one.seen_at.cmp(&two.seen_at))?;
        last.asked.last().cloned()
    }
}

/// Whether a prompt names a checkpoint, and not to put it off: all words of its feature or id in one clause.
fn asks_for(prompt: &str, key: &Key) -> bool {
    const AWAY: [&str; 7] = ["stop", "hold", "leave", "not", "don't", "later", "without"];
    let own = match key {
        Key::Command(key) => key.feature().unwrap_or_default().to_lowercase(),
        Key::Pipeline(id) => id.as_str().to_lowercase(),
        // The date and the time are not part of its name.
        Key::Plan(id) => id
            .as_str()
            .splitn(3, '-')
            .nth(2)
            .unwrap_or_default()
            .to_lowercase(),
    };
    let own: Vec<&str> = own
        .split(|c: char| !c.is_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let prompt = prompt.to_lowercase();
    // A very short name is in many prompts by chance.
    own.iter().map(|word| word.len()).sum::<usize>() > 3
        && prompt.split(['.', '!', '?', ';', ':', ',']).any(|clause| {
            let words = clause.split(|c: char| !(c.is_alphanumeric() || c == '\''));
            let words: Vec<&str> = words.collect();
            own.iter().all(|word| words.contains(word))
                && !AWAY.iter().any(|away| words.contains(away))
        })
}

/// How near a checkpoint is to the branch that is checked out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Nearness {
    /// Somebody last worked on it on this branch.
    Here,
    /// The branch is named like it.
    ByName,
    /// Nothing is known.
    Unknown,
    /// Somebody last worked on it on another branch.
    Elsewhere,
}

impl Nearness {
    fn of(key: &Key, last: Option<&LastWork>, branch: &str) -> Self {
        if branch.is_empty() {
            return Self::Unknown;
        }
        match last.and_then(|last| last.branch.as_deref()) {
            Some(last) if last == branch => Self::Here,
            _ if key.is_about(branch) => Self::ByName,
            Some(_) => Self::Elsewhere,
            None => Self::Unknown,
        }
    }
}

impl Survey<'_> {
    /// The keys in flight: the chosen plan first, then those that match the branch, then the most recently saved.
    #[must_use]
    pub fn in_flight(&self) -> Vec<Key> {
        self.workspace.in_order(&self.summaries, &self.branch)
    }

    /// The summary of a checkpoint.
    pub(super) fn summary(&self, key: &Key) -> Option<&Summary> {
        self.summaries.iter().find(|summary| summary.key == *key)
    }

    /// All summaries.
    pub(super) fn summaries(&self) -> &[Summary] {
        &self.summaries
    }

    /// Syncs the active plan's state with its Markdown, whoever edited it.
    pub fn heal_active_plan(&mut self) -> Result<(), WorkspaceError> {
        let Some(active) = self.active_plan()? else {
            return Ok(());
        };
        let surveyed = self.plans.iter_mut();
        let behind = surveyed.filter(|plan| plan.is_behind);
        let Some(surveyed) = behind.into_iter().find(|plan| plan.id == active) else {
            return Ok(());
        };
        let plan = self.workspace.plan(&surveyed.id);
        match plan.heal() {
            Ok(outcome) => {
                let content = self.workspace.content_at_a_glance();
                let renewed = self.workspace.summarise_plan(&outcome.view, &content);
                surveyed.view = outcome.view;
                surveyed.is_behind = false;
                let mut summaries = self.summaries.iter_mut();
                if let Some(summary) = summaries.find(|summary| summary.key == renewed.key) {
                    *summary = renewed;
                }
                Ok(())
            }
            // The plan's last state is used until the Markdown can be read again; the history records this.
            Err(error) if error.is_unparsable() || error.is_not_found() => Ok(()),
            Err(error) => Err(error),
        }
    }

    /// The active plan, by the same rule as [`Workspace::active_plan`] but from the plans already read.
    pub(super) fn active_plan(&self) -> Result<Option<PlanId>, WorkspaceError> {
        if let Some(named) = self.workspace.named_plan()? {
            return Ok(Some(named));
        }
        let rank = |plan: &&SurveyedPlan| {
            let is_open = !plan.view.is_finished();
            (is_open, plan.view.last_checkpoint.clone(), plan.id.clone())
        };
        let is_open = |plan: &&SurveyedPlan| plan.is_here && plan.view.closing().is_none();
        let here = self.plans.iter().filter(is_open);
        let active = here.max_by_key(rank);
        Ok(active.map(|plan| plan.id.clone()))
    }

    /// A checkpoint in flight. A plan is not read again.
    pub(super) fn reading(&self, key: &Key) -> Result<Box<dyn Kind + '_>, WorkspaceError> {
        let mut plans = self.plans.iter();
        let surveyed = plans.find(|plan| matches!(key, Key::Plan(id) if *id == plan.id));
        match surveyed {
            Some(plan) => Ok(Box::new(PlanReading::of(self.workspace, plan.view.clone()))),
            None => self.workspace.read(key),
        }
    }
}
