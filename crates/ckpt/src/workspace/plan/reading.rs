//! Reading plans, one at a time or as a list.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::error::Purpose;
use super::super::facts::{Ground, Removed, of_receipts};
use super::super::handoff::ReplyPlace;
use super::super::kind::Kind;
use super::super::listing::{Listing, Summary};
use super::super::survey::SurveyedPlan;
use super::super::{Workspace, WorkspaceError};
use super::PlanView;
use crate::document::{Object, Tree};
use crate::facts::{LostAgent, PlanInput, Work, lost_in, names, work_of_plan};
use crate::finding::Finding;
use crate::gate::{self, ContentState, GateName, GateProof, RunningGate};
use crate::handoff::Reply;
use crate::history::Revision;
use crate::key::{Key, PlanId};
use crate::plan::{self, Concern, NoteChange};
use crate::process::Ending;
use crate::standing::Lifecycle;
use crate::store::StoreError;
use crate::sub_agents::Helper;

/// How many decisions are searched for the name of a task that is gone.
const MOST_DECISIONS: usize = 1_000;

/// How many tasks that are gone are named.
const MOST_REMOVED: usize = 20;

/// A plan that was read.
pub(in crate::workspace) struct PlanReading<'w> {
    workspace: &'w Workspace,
    view: PlanView,
}

impl<'w> PlanReading<'w> {
    pub(in crate::workspace) fn new(
        workspace: &'w Workspace,
        id: &PlanId,
    ) -> Result<Self, WorkspaceError> {
        Ok(Self {
            workspace,
            view: workspace.plan(id).view()?,
        })
    }
}

impl<'w> PlanReading<'w> {
    /// A plan that was already read.
    pub(in crate::workspace) fn of(workspace: &'w Workspace, view: PlanView) -> Self {
        Self { workspace, view }
    }
}

impl Kind for PlanReading<'_> {
    fn findings(&self) -> Result<Vec<Finding>, WorkspaceError> {
        self.workspace.plan(&self.view.id).findings(&self.view)
    }

    fn work(&self, ground: &Ground<'_>) -> Result<Work, WorkspaceError> {
        let view = &self.view;
        let key = Key::from(&view.id);
        let about = key.sealed_name();
        let trust = self.workspace.trust(&about);
        let claims = view.claims(self.workspace.now());
        let standing = self.workspace.plan(&view.id).standing(view, &claims);
        let plan = self.workspace.plan(&view.id);
        let trace = match view.unrecorded.is_empty() {
            true => Cow::Borrowed(ground.trace),
            false => Cow::Owned(ground.trace.followed_by(&view.unrecorded)),
        };
        let removed = match &view.unparsable {
            None => trace.removed(&view.outline),
            Some(_) => Vec::new(),
        };
        // A decision that names a task says that it was removed on purpose.
        let decided = &view.outline.decisions;
        let is_meant = |id: &str| {
            let newest = decided.iter().rev().take(MOST_DECISIONS);
            newest.into_iter().any(|text| names(text, id))
        };
        let removed: Vec<Removed> = removed
            .into_iter()
            .filter(|removed| !is_meant(&removed.id))
            .take(MOST_REMOVED)
            .collect();
        // In the middle of a rebase, HEAD is on no branch.
        let rebased = || self.workspace.repository().unfinished()?.of;
        let branch = self.workspace.head().branch.or_else(rebased);
        let reopened = trace.reopened(&view.outline, branch.as_deref());
        let titles = match (
            removed.iter().map(|removed| removed.revision).min(),
            &view.unparsable,
        ) {
            (Some(before), _) => plan.titles_before(Some(before))?,
            (None, Some(_)) => plan.titles_before(None)?,
            (None, None) => HashMap::new(),
        };
        Ok(work_of_plan(&PlanInput {
            id: &view.id,
            outline: &view.outline,
            state: standing.state,
            files: &view.files,
            unparsable: view.unparsable.as_ref(),
            dormant_on: view.dormant_on.as_deref(),
            lifecycle: standing.lifecycle(),
            abandoned: standing.abandoned(),
            newer: view.newer.as_ref(),
            state_lost: view.rebuilt.is_some(),
            claims: &claims,
            by: standing.by,
            session: standing.session,
            gates: of_receipts(&key, view.state.view(), ground.content, trust),
            is_active: ground.is_active,
            is_one_edit: reopened
                .iter()
                .any(|(_, number)| removed.iter().any(|removed| removed.revision == *number)),
            reopened: reopened.into_iter().map(|(id, _)| id).collect(),
            vanished: removed
                .into_iter()
                .map(|removed| (removed.id, removed.was_done))
                .collect(),
            unticked: plan::unproven(standing.state)
                .into_iter()
                .filter(|(task, _)| !trace.is_acknowledged(task))
                .collect(),
            titles,
        }))
    }

    fn depends_on_content(&self) -> bool {
        self.view.state.view().get("receipts").is_some()
    }

    fn lost_agents(&self) -> Vec<LostAgent> {
        let state = self.view.state.as_object();
        state.map(lost_in).unwrap_or_default()
    }

    fn helpers(&self, session: &str) -> Vec<Helper> {
        let state = self.view.state.as_object();
        let helpers = state.map(|state| plan::at_work(state, session));
        helpers.unwrap_or_default()
    }

    fn running_gates(&self) -> Vec<RunningGate> {
        let about = Key::from(&self.view.id).sealed_name();
        gate::running(self.view.state.view(), self.workspace.trust(&about))
    }

    fn record_gate(
        &self,
        gate: &GateName,
        receipt: &Object,
        _: Option<&Ending>,
    ) -> Result<(), WorkspaceError> {
        let plan = self.workspace.plan(&self.view.id);
        plan.record_gate(gate, receipt)?;
        Ok(())
    }

    /// The summary becomes a note, and each issue a blocker. New blockers are written before old ones are removed, so
    /// that the plan is never unblocked in between.
    fn record_reply(
        &self,
        reply: &Reply,
        _: &ReplyPlace,
    ) -> Result<Option<Revision>, WorkspaceError> {
        let plan = self.workspace.plan(&self.view.id);
        let blockers = reply.blockers();
        for blocker in &blockers {
            plan.block(blocker, &Concern::Current)?;
        }
        let known = plan.view()?.outline.blockers;
        let over = known
            .iter()
            .filter(|known| reply.is_own_blocker(known) && !blockers.contains(known));
        for blocker in over {
            match plan.unblock(blocker) {
                // Another process removed it first.
                Err(WorkspaceError::Plan(plan::Refusal::UnknownBlocker { .. })) => {}
                done => {
                    done?;
                }
            }
        }
        let mut note = format!("{} ({}): {}", reply.task, reply.decision, reply.summary);
        let files = [reply.created.as_slice(), &reply.modified].concat();
        if !files.is_empty() {
            note += &format!(" Files: {}.", files.join(", "));
        }
        let outcome = plan.note(&NoteChange::Add(note))?;
        Ok(outcome.revision)
    }
}

impl Workspace {
    fn proofs_of(&self, view: &PlanView, content: &ContentState) -> Vec<GateProof> {
        let about = Key::from(&view.id).sealed_name();
        gate::proofs(view.state.view(), content, self.trust(&about))
    }

    /// The summary of a plan.
    pub(in crate::workspace) fn summarise_plan(
        &self,
        view: &PlanView,
        content: &ContentState,
    ) -> Summary {
        let claims = view.claims(self.now());
        let standing = self.plan(&view.id).standing(view, &claims);
        let lifecycle = standing.lifecycle();
        let is_open = lifecycle != Lifecycle::Complete;
        let current = standing.current().filter(|_| is_open);
        Summary {
            key: (&view.id).into(),
            lifecycle,
            progress: standing.progress(),
            current_phase: current.map(|(phase, _)| phase.id.clone()),
            current_task: current.map(|(_, task)| task.id.clone()),
            failed_phases: Vec::new(),
            updated_at: view.last_checkpoint.clone(),
            stale: None,
            gates: self.proofs_of(view, content),
            ship: None,
            trouble: standing
                .trouble()
                .filter(|_| view.dormant_on.is_none() && !view.is_removed),
            dormant_on: view.dormant_on.clone(),
        }
    }

    /// Lists plans; the newest only, if there is a limit.
    pub(in crate::workspace) fn list_plans(
        &self,
        content: &ContentState,
        listing: &mut Listing,
    ) -> Result<(), WorkspaceError> {
        let plans = self.plans()?;
        let (listed, mut text) = (listing.summaries.len(), 0);
        for (looked_at, id) in plans.iter().rev().enumerate() {
            if self.options.most_plan_text.is_some_and(|most| text > most) {
                let path = self.layout.plans_directory();
                let (count, most) = (plans.len(), looked_at);
                let too_many = StoreError::TooMany { path, count, most };
                listing.problem("plans", Purpose::Load.failed(too_many));
                break;
            }
            let plan = self.plan(id);
            text += plan.markdown_length();
            match plan.view() {
                Ok(view) => {
                    let summary = self.summarise_plan(&view, content);
                    listing.summaries.push(summary);
                    if let Some(surveyed) = &mut listing.surveyed {
                        surveyed.push(SurveyedPlan::new(view));
                    }
                }
                Err(error) => listing.problem(id.as_str(), error),
            }
        }
        listing.summaries[listed..].reverse();
        Ok(())
    }
}
