//! Sub-agents: what they are asked, and what comes of it.

use std::collections::HashSet;
use std::path::Path;

use ckpt::key::PlanId;
use ckpt::plan::{Entry, Helper, Refusal, Said, claimed_tasks, named_tasks};
use ckpt::voice::quote;
use ckpt::workspace::{PlanView, SendingBack, SessionRecord, WorkspaceError};

use super::{Actor, Done};
use crate::decide::Action;
use crate::event::Subagent;
use crate::reports::{Handed, handed_over};
use crate::transcript;

impl Actor<'_> {
    /// The open tasks that a text names.
    pub(super) fn named_in(&self, text: &str) -> Result<Vec<String>, WorkspaceError> {
        self.named_where(text, |task| !task.done)
    }

    fn named_where(
        &self,
        text: &str,
        is_meant: impl Fn(&Entry) -> bool,
    ) -> Result<Vec<String>, WorkspaceError> {
        let view = self.active_view()?;
        let tasks: HashSet<&str> = view
            .iter()
            .flat_map(|view| view.outline.tasks())
            .filter(|(_, task)| is_meant(task))
            .map(|(_, task)| task.id.as_str())
            .collect();
        Ok(named_tasks(text, &tasks))
    }

    pub(super) fn remember_spawn(&self, kind: &str, prompt: &str) -> Done {
        self.note_if_new()?;
        let tasks = self.named_in(prompt)?;
        let call = self.event.id.as_deref().unwrap_or_default();
        let now = self.workspace.now();
        self.remember(|record| record.remember_spawn(call, kind, &tasks, now))?;
        Ok(())
    }

    pub(super) fn start(&self, subagent: &Subagent, task: &str) -> Done {
        let session = self.event.session.as_deref();
        let record = session.and_then(|session| self.workspace.sessions().get(session));
        if record.is_some_and(|record| record.ended_at.is_some()) {
            // Its session was quicker to end.
            return Ok(());
        }
        self.note_if_new()?;
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        let name = self.name_of(subagent);
        let spawned = self.remember(|record| {
            // One that is resumed reports anew.
            record.forget_report(&name);
            record.take_spawn(&subagent.kind, &name)
        })?;
        let mut tasks = spawned.unwrap_or_default();
        if tasks.is_empty() {
            tasks = self.named_in(task)?;
        }
        let transcript = self.event.transcript.as_deref();
        let transcript = transcript.and_then(|path| transcript::of_subagent(path, &subagent.id));
        if let Some(path) = transcript.as_deref().and_then(Path::to_str) {
            self.remember(|record| record.remember_transcript(&name, path))?;
        }
        let helper = Helper {
            id: name,
            kind: subagent.kind.clone(),
            tasks,
            told_at: self.host.told_at,
        };
        self.workspace.plan(&view.id).start_helper(&helper)?;
        Ok(())
    }

    /// Under which name a sub-agent is known. Not every agent tells an id.
    pub(super) fn name_of(&self, subagent: &Subagent) -> String {
        match subagent.id.is_empty() {
            true => self.workspace.options().by.clone(),
            false => subagent.id.clone(),
        }
    }

    pub(super) fn stop(
        &mut self,
        subagent: &Subagent,
        task: &str,
        report: &str,
        may_send_back: bool,
    ) -> Done {
        let session = self.event.session.clone().unwrap_or_default();
        let mut helper = Helper {
            id: subagent.id.clone(),
            kind: subagent.kind.clone(),
            // By now it may have ticked them.
            tasks: self.named_where(task, |_| true)?,
            ..Helper::default()
        };
        let found = self
            .workspace
            .sessions()
            .plan_of_helper(&session, &helper)?;
        let (plan, name) = match found {
            Some((plan, name)) => (Some(plan), name),
            // Told twice, and done: whatever plan is worked on by now has nothing to do with it.
            None if self.workspace.sessions().is_helper_over(&subagent.id)? => return Ok(()),
            None => (None, self.name_of(subagent)),
        };
        helper.id = name;
        let record = self.workspace.sessions().get(&session);
        let reported = record.as_ref().and_then(|record| record.report(&helper.id));
        let report = reported.unwrap_or(report);
        let options = self.workspace.options();
        let now = self.workspace.now();
        let handed = handed_over(report, options.summary_limit, &options.by, now);
        if let (Handed::Unusable(reason, _), true) = (&handed, may_send_back) {
            let send_back = |record: &mut SessionRecord| record.send_back(&helper.id, report, now);
            let sending = match self.host.told_at {
                None => self.remember(send_back)?,
                // Nobody hears a process that comes late, so it sends back only whom another one has.
                Some(_) => {
                    let sending = record.clone().map(|mut record| send_back(&mut record));
                    sending.filter(|sending| *sending != SendingBack::Now)
                }
            };
            if matches!(sending, Some(SendingBack::Now | SendingBack::Again)) {
                self.answer.objection = Some(format!(
                    "This handoff response cannot be recorded: {}. It can once that is put right. This is said once.",
                    quote(reason)
                ));
                // It is not done yet; what it has ticked so far counts.
                return self.act(Action::FollowPlans);
            }
        }
        let view = match plan {
            Some(plan) => Some(self.workspace.plan(&plan).view()?),
            None => self.active_view()?,
        };
        let Some(view) = view else {
            return Ok(());
        };
        if let Some(why) = view.unparsable {
            // It is told when the session ends, if the plan is back by then.
            self.remember(|record| record.remember_report(&helper.id, report))?;
            return Err(Refusal::Unparsable(why).into());
        }
        let said = said(&view, report, handed);
        self.workspace.plan(&view.id).stop_helper(&helper, &said)?;
        self.remember(|record| record.forget_report(&helper.id))?;
        Ok(())
    }

    /// Notes that a sub-agent has ended whose report is all that is left of it.
    pub(super) fn stop_reported(&self, plan: &PlanId, helper: &Helper, report: &str) -> Done {
        let view = self.workspace.plan(plan).view()?;
        let by = format!("subagent:{}", helper.kind);
        let limit = self.workspace.options().summary_limit;
        let handed = handed_over(report, limit, &by, self.workspace.now());
        let said = said(&view, report, handed);
        self.workspace.plan(plan).stop_helper(helper, &said)
    }
}

/// What a sub-agent said at its end, as far as the plan knows of it.
fn said(view: &PlanView, report: &str, handed: Handed) -> Said {
    let tasks = view.outline.tasks().map(|(_, task)| task.id.as_str());
    Said {
        claimed: claimed_tasks(report, &tasks.collect()),
        handoff: match handed {
            Handed::Response(record) => Some(record),
            Handed::Unusable(_, record) => record,
            Handed::Nothing => None,
        },
    }
}
