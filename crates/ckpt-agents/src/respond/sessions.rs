//! Sessions: the brief when one begins, the records kept while it runs, and what is noted when it ends.

use std::path::Path;

use ckpt::facts::last_words;
use ckpt::plan::{Ending, Helper, Loss, NoteChange, Reason};
use ckpt::resume::{COUNTER, brief};
use ckpt::voice::{name, quote};
use ckpt::workspace::{Beginning, Closing, Depth, OtherSessions, SessionRecord, WorkspaceError};

use super::{Actor, Done};
use crate::agent::Agent;
use crate::event::Happening;
use crate::reports::partial;
use crate::transcript::Transcript;

/// How many other sessions of each kind, and how many problems, are listed.
const MOST_SESSIONS: usize = 3;

/// How much of the agent's last message is noted, in bytes.
const LONGEST_WORDS: usize = 400;

impl Actor<'_> {
    /// Records that the session begins, and reports other sessions that crashed or are still running.
    pub(super) fn begin(&mut self) -> Done {
        let Some(session) = &self.event.session else {
            return Ok(());
        };
        let process = (self.host.process)(self.host.agent);
        let beginning = Beginning {
            agent: self.host.agent.as_str(),
            id: session,
            process: process.as_ref(),
            transcript: self.event.transcript.as_deref().and_then(Path::to_str),
            told_at: self.host.told_at,
        };
        let others = self.workspace.sessions().begin(&beginning, |over| {
            let ending = match over.goodbye_at {
                Some(_) => Ending::Quiet,
                None => Ending::Crash,
            };
            self.over(&over.id, ending)
        })?;
        let OtherSessions {
            live,
            crashed,
            untold,
        } = others;
        if crashed.iter().any(|record| record.id == *session) {
            self.say("This session died without SessionEnd, and is resumed now.");
        }
        let unsealed = self.workspace.vault().ensure_key();
        if let Err(trouble) = unsealed.map_err(ToString::to_string) {
            self.say(&format!(
                "Approvals given here will not count, because nothing can be sealed: {}.",
                quote(&trouble)
            ));
        }
        for live in live.iter().take(MOST_SESSIONS) {
            self.say(&format!(
                "Another {} session has been running since {}.",
                name(&live.agent),
                name(&live.begun_at)
            ));
        }
        let more = live.len().saturating_sub(MOST_SESSIONS);
        if more > 0 {
            self.say(&format!("And {more} more sessions."));
        }
        match untold.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Records in every plan that a session ended: what its sub-agents left behind, and that its claims lapsed.
    pub(super) fn over(&self, session: &str, ending: Ending) -> Done {
        let active = self.workspace.active_plan()?.map(|active| active.id);
        let mut plans = self.workspace.sessions().helpers_at_work(session)?;
        if let (Ending::Crash, Some(active)) = (ending, &active)
            && !plans.iter().any(|(id, _)| id == active)
        {
            plans.push((active.clone(), Vec::new()));
        }
        // The active plan comes last, because the crash is recorded there each time: if an earlier plan fails, all of
        // this is retried.
        plans.sort_by_key(|(id, _)| Some(id) == active.as_ref());
        let record = self.workspace.sessions().get(session);
        self.lose_elsewhere(session, record.as_ref())?;
        for (id, helpers) in plans {
            let report_of =
                |helper: &Helper| record.as_ref().and_then(|record| record.report(&helper.id));
            let (reported, lost): (Vec<_>, Vec<_>) = helpers
                .iter()
                .partition(|helper| report_of(helper).is_some());
            let losses = lost.into_iter().map(|helper| {
                let transcript = record
                    .as_ref()
                    .and_then(|record| record.transcript(&helper.id));
                self.loss(helper, transcript)
            });
            let losses: Vec<Loss> = losses.collect();
            // A crash is recorded only in the active plan, lost sub-agents in the plan they worked on.
            let ending = match Some(&id) == active.as_ref() {
                true => ending,
                false => Ending::Quiet,
            };
            let stopped = reported.into_iter().try_for_each(|helper| {
                let report = report_of(helper).unwrap_or_default();
                self.stop_reported(&id, helper, report)
            });
            let ended = stopped.and_then(|()| {
                self.workspace
                    .plan(&id)
                    .end_session(session, &losses, ending)
            });
            match ended {
                // A plan that is locked or unparsable may work on a retry. Other errors, such as an unsupported
                // version, do not keep the session from ending.
                Err(error) if error.is_busy() || is_away(&error) => return Err(error),
                Ok(()) | Err(_) => {}
            }
        }
        Ok(())
    }

    /// Records in commands and pipelines that sub-agents were lost with their session.
    fn lose_elsewhere(&self, session: &str, record: Option<&SessionRecord>) -> Done {
        for key in record.map(SessionRecord::places).unwrap_or_default() {
            let helpers = self.workspace.helpers_of(&key, session);
            let losses = helpers.iter().map(|helper| {
                let transcript = record.and_then(|record| record.transcript(&helper.id));
                self.loss(helper, transcript)
            });
            let losses: Vec<Loss> = losses.collect();
            if !losses.is_empty() {
                self.workspace.lose_helpers(&key, session, &losses)?;
            }
        }
        Ok(())
    }

    fn loss(&self, helper: &Helper, transcript: Option<&str>) -> Loss {
        let transcript = transcript.map(|path| Transcript::load(Path::new(path)));
        let transcript = transcript.unwrap_or_default();
        let limit = self.workspace.options().summary_limit;
        Loss {
            id: helper.id.clone(),
            handoff: partial(helper, &transcript, limit),
            files: self.workspace.own_names(transcript.files()),
            words: transcript.last_words.as_deref().map(last_words),
        }
    }

    /// Whether another hook has briefed the agent on this very beginning of its session. A plugin and settings may both
    /// have hooks, and each of them is called.
    pub(super) fn is_copy(&self) -> Result<bool, WorkspaceError> {
        if !matches!(self.event.happening, Happening::SessionStart) {
            return Ok(false);
        }
        let now = self.workspace.now();
        let may = self.remember(|record| record.may_brief(&self.event.source, now))?;
        Ok(may == Some(false))
    }

    /// Puts the resume brief ahead of what the context says so far.
    pub(super) fn brief(&mut self) -> Done {
        let survey = match self.survey.take() {
            Some(survey) => survey,
            None => self.workspace.survey()?,
        };
        for problem in survey.problems.iter().take(MOST_SESSIONS) {
            let stem = name(&problem.stem);
            if problem.error.is_partial() {
                self.say(&format!(
                    "Only part of {stem} was read. List everything with: ckpt list"
                ));
                continue;
            }
            let error = quote(&problem.error.to_string());
            self.say(&format!("{stem} cannot be read: {error}."));
        }
        let before = self.answer.context.take();
        let said = before
            .as_deref()
            .map_or(0, |before| COUNTER.count(before) + 1);
        let budget = self.host.budget.saturating_sub(said);
        let facts = self.workspace.facts_in(&survey, Depth::Full)?;
        if facts.is_worth_telling() {
            self.say_lines(&brief(&facts, budget).text);
        }
        self.say_lines(&before.unwrap_or_default());
        Ok(())
    }

    /// Counts a prompt, and makes a backup if one is due. If several processes find it due, one makes it.
    pub(super) fn count_prompt(&self) -> Done {
        self.note_if_new()?;
        let id = self.event.id.as_deref();
        let text = match &self.event.happening {
            Happening::Prompt { text } => text.as_str(),
            _ => "",
        };
        let claimed = self.remember(|record| {
            record.count_prompt(id, text);
            if self.host.told_at.is_some() {
                // The process that handed the event over no longer works on its backup.
                record.give_back_copy(id);
            }
            record.claim_copy(id)
        })?;
        let Some(number) = claimed.flatten() else {
            return Ok(());
        };
        let made = self.back_up(Reason::Prompts);
        self.remember(|record| match &made {
            Ok(()) => record.remember_copy(number),
            Err(_) => record.give_back_copy(id),
        })?;
        made
    }

    pub(super) fn nudge(&mut self) -> Done {
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        // A blocked agent may stop.
        if !view.outline.blockers.is_empty() || view.is_finished() {
            return Ok(());
        }
        let plan = self.workspace.plan(&view.id);
        let claims = plan.elsewhere().joined(view.claims(self.workspace.now()));
        let standing = plan.standing(&view, &claims);
        let Some((_, next)) = standing.open_tasks().next() else {
            return Ok(());
        };
        if self.remember(|record| record.may_nudge(&next.id))? == Some(true) {
            let progress = standing.progress();
            self.answer.objection = Some(format!(
                "Plan {} is not finished: {} of {} tasks done. Next: task {}: {}. This reminder comes once per task. If something blocks you, record it with: ckpt plan block TEXT",
                name(view.id.as_str()),
                progress.done,
                progress.total,
                name(&next.id),
                quote(&next.text)
            ));
        }
        Ok(())
    }

    /// Notes the end or compaction of the session in the active plan, with the agent's last message.
    pub(super) fn note_session(&self, what: &str) -> Done {
        let Some(view) = self.active_view()? else {
            return Ok(());
        };
        let transcript = self.event.transcript.as_deref();
        let words = transcript.and_then(|path| Transcript::load(path).last_words);
        let mut note = format!("{}, {what} at {}", self.host.agent, self.workspace.now());
        if let Some(words) = words {
            let words: Vec<&str> = words.split_whitespace().collect();
            let words = words.join(" ");
            let end = words.floor_char_boundary(LONGEST_WORDS);
            let cut = if end < words.len() { " …" } else { "" };
            note += &format!(": {}{cut}", &words[..end]);
        }
        self.workspace
            .plan(&view.id)
            .note(&NoteChange::Session(note))?;
        Ok(())
    }

    /// Backs up the state of the active plan.
    pub(super) fn back_up(&self, reason: Reason) -> Done {
        if let Some(view) = self.active_view()? {
            self.workspace.plan(&view.id).back_up(reason)?;
        }
        Ok(())
    }

    /// Records a compaction, once.
    pub(super) fn compact(&self) -> Done {
        // Without a record, a repeated event could not be recognised.
        self.note_if_unknown()?;
        let now = self.workspace.now();
        let may = self.remember(|record| match self.host.told_at {
            Some(told_at) => record.may_still_note_compaction(told_at, now),
            None => record.may_note_compaction(now),
        })?;
        if may == Some(false) {
            return Ok(());
        }
        if self.host.agent == Agent::Copilot {
            self.remember(SessionRecord::lose_brief)?;
        }
        let noted = self
            .note_session("compacted")
            .and_then(|()| self.back_up(Reason::Compaction));
        if noted.is_err() {
            self.remember(SessionRecord::forget_compaction)?;
        }
        noted
    }

    /// Records that the session ended, once. A session without a record is skipped.
    pub(super) fn end(&self) -> Done {
        let Some(session) = &self.event.session else {
            return Ok(());
        };
        let closed = self
            .workspace
            .sessions()
            .close(session, Closing::SaidGoodbye, |record| {
                self.over(&record.id, Ending::Quiet)?;
                let noted = self
                    .note_session("ended")
                    .and_then(|()| self.back_up(Reason::SessionEnd));
                // Retry only what may work later.
                match noted {
                    Err(error) if error.is_busy() => Err(error),
                    Ok(()) | Err(_) => Ok(()),
                }
            });
        // The agent may have worked where the git directory cannot be written; its hooks run outside.
        self.workspace.catch_up_all();
        closed.map(|_| ())
    }
}

/// Whether a plan cannot be synced for now, for example because another branch is checked out.
fn is_away(error: &WorkspaceError) -> bool {
    error.is_unparsable()
}
