//! Sub-agents: their tasks, their starts and ends, and the handoffs they report.

use std::collections::HashSet;
use std::path::Path;

use ckpt::facts::gist;
use ckpt::key::{Key, PlanId};
use ckpt::plan::{Entry, Helper, Refusal, Said, claimed_tasks, named_tasks};
use ckpt::voice::quote;
use ckpt::workspace::{Asked, PlanView, SendingBack, SessionRecord, WorkspaceError};

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
        let asked = Asked {
            tasks,
            prompt: prompt.to_owned(),
        };
        self.remember(|record| record.remember_spawn(call, kind, &asked, now))?;
        Ok(())
    }

    pub(super) fn start(&self, subagent: &Subagent, task: &str) -> Done {
        let session = self.event.session.as_deref();
        let record = session.and_then(|session| self.workspace.sessions().get(session));
        if record.is_some_and(|record| record.ended_at.is_some()) {
            // Its session has already ended.
            return Ok(());
        }
        self.note_if_new()?;
        let view = self.active_view()?;
        let name = self.name_of(subagent);
        let spawned = self.remember(|record| {
            // A resumed sub-agent reports again.
            record.forget_report(&name);
            record.take_spawn(&subagent.kind, &name)
        })?;
        let Asked { mut tasks, prompt } = spawned.flatten().unwrap_or_default();
        if tasks.is_empty() {
            tasks = self.named_in(task)?;
        }
        let asked = if prompt.is_empty() { task } else { &prompt };
        let transcript = self.event.transcript.as_deref();
        let transcript = transcript.and_then(|path| transcript::of_subagent(path, &subagent.id));
        if let Some(path) = transcript.as_deref().and_then(Path::to_str) {
            self.remember(|record| record.remember_transcript(&name, path))?;
        }
        let helper = Helper {
            id: name,
            kind: subagent.kind.clone(),
            asked: (!asked.trim().is_empty()).then(|| asked.to_owned()),
            tasks,
            told_at: self.host.told_at,
        };
        let focus = self.workspace.in_flight()?.0.into_iter().next();
        let is_about_plan = !helper.tasks.is_empty() || matches!(focus, None | Some(Key::Plan(_)));
        match (view, focus) {
            (Some(view), _) if is_about_plan => {
                self.workspace.plan(&view.id).start_helper(&helper)?;
            }
            (_, Some(key @ (Key::Command(_) | Key::Pipeline(_)))) => {
                self.workspace.start_helper(&key, &helper)?;
                self.remember(|record| record.remember_place(&helper.id, &key))?;
            }
            _ => {}
        }
        Ok(())
    }

    /// The name that a sub-agent is recorded under. Not every agent sends an id.
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
            // Done ones included: it may have ticked them by now.
            tasks: self.named_where(task, |_| true)?,
            ..Helper::default()
        };
        let found = self
            .workspace
            .sessions()
            .plan_of_helper(&session, &helper)?;
        let given_up = match found {
            Some(_) => None,
            None => self
                .workspace
                .sessions()
                .plan_of_dead_helper(&subagent.id)?,
        };
        let (plan, name) = match found {
            Some((plan, name)) => (Some(plan), name),
            None if given_up.is_some() => (given_up, subagent.id.clone()),
            // A repeated event of a sub-agent whose end is recorded: the plan that is active by now is not its plan.
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
                // The agent no longer waits for this process, so it sends no one back itself. It only recognises
                // a sub-agent that another process sent back.
                Some(_) => {
                    let sending = record.clone().map(|mut record| send_back(&mut record));
                    sending.filter(|sending| *sending != SendingBack::Now)
                }
            };
            // If another hook reports the same event, one objection is enough.
            if sending == Some(SendingBack::Again) {
                return self.act(Action::FollowPlans);
            }
            if sending == Some(SendingBack::Now) {
                self.answer.objection = Some(format!(
                    "This handoff response cannot be recorded: {}. Correct it and send all of it again. You are asked only once.",
                    quote(reason)
                ));
                // It is not done yet, but the tasks it has ticked so far count.
                return self.act(Action::FollowPlans);
            }
        }
        let place = record.as_ref().and_then(|record| record.place(&helper.id));
        if let (None, Some(key)) = (&plan, place) {
            let handoff = match handed {
                Handed::Response(record) => Some(record),
                Handed::Unusable(_, record) => record,
                Handed::Nothing => None,
            };
            let words = gist(report);
            return self
                .workspace
                .stop_helper(&key, &helper.id, handoff.as_ref(), Some(&words));
        }
        let view = match plan {
            Some(plan) => Some(self.workspace.plan(&plan).view()?),
            None => self.active_view()?,
        };
        let Some(view) = view else {
            return Ok(());
        };
        if let Some(why) = view.unparsable {
            // The report is recorded when the session ends, if the plan can be parsed by then.
            self.remember(|record| record.remember_report(&helper.id, report))?;
            return Err(Refusal::Unparsable(why).into());
        }
        let said = said(&view, report, handed);
        self.workspace.plan(&view.id).stop_helper(&helper, &said)?;
        self.remember(|record| record.forget_report(&helper.id))?;
        Ok(())
    }

    /// Records the end of a sub-agent whose report was remembered earlier.
    pub(super) fn stop_reported(&self, plan: &PlanId, helper: &Helper, report: &str) -> Done {
        let view = self.workspace.plan(plan).view()?;
        let by = format!("subagent:{}", helper.kind);
        let limit = self.workspace.options().summary_limit;
        let handed = handed_over(report, limit, &by, self.workspace.now());
        let said = said(&view, report, handed);
        self.workspace.plan(plan).stop_helper(helper, &said)
    }
}

/// What a sub-agent reported at its end, limited to tasks of the plan.
fn said(view: &PlanView, report: &str, handed: Handed) -> Said {
    let tasks = view.outline.tasks().map(|(_, task)| task.id.as_str());
    Said {
        claimed: claimed_tasks(report, &tasks.collect()),
        handoff: match handed {
            Handed::Response(record) => Some(record),
            Handed::Unusable(_, record) => record,
            Handed::Nothing => None,
        },
        words: Some(gist(report)),
    }
}
