//! Sessions: where they stand when they begin, and what is noted of them.

use std::path::Path;

use ckpt::plan::{Ending, Helper, Loss, NoteChange, Reason};
use ckpt::resume::{COUNTER, most_shown, render};
use ckpt::voice::{name, quote};
use ckpt::workspace::{Beginning, Closing, OtherSessions, SessionRecord, WorkspaceError};

use super::{Actor, Done};
use crate::reports::partial;
use crate::transcript::Transcript;

/// So many other sessions are told of; of more only how many they are.
const MOST_SESSIONS: usize = 3;

/// No more of the last words is noted than this, in bytes.
const LONGEST_WORDS: usize = 400;

impl Actor<'_> {
    /// Notes that the session begins, and tells what became of others.
    pub(super) fn begin(&mut self) -> Done {
        let Some(session) = &self.event.session else {
            return Ok(());
        };
        let process = (self.host.process)(self.host.agent);
        let beginning = Beginning {
            agent: self.host.agent.as_str(),
            id: session,
            process: process.as_ref(),
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
        let unsealed = self.workspace.vault().ensure_key();
        if let Err(trouble) = unsealed.map_err(ToString::to_string) {
            self.say(&format!(
                "No approval given here will be believed, because nothing can be sealed: {}.",
                quote(&trouble)
            ));
        }
        for crashed in crashed.iter().take(MOST_SESSIONS) {
            self.say(&format!(
                "A session of {} that began at {} ended without a word; what it recorded is all here.",
                name(&crashed.agent),
                name(&crashed.begun_at)
            ));
        }
        for live in live.iter().take(MOST_SESSIONS) {
            self.say(&format!(
                "Another session of {} has been live since {}.",
                name(&live.agent),
                name(&live.begun_at)
            ));
        }
        let more =
            live.len().saturating_sub(MOST_SESSIONS) + crashed.len().saturating_sub(MOST_SESSIONS);
        if more > 0 {
            self.say(&format!("And {more} more sessions."));
        }
        match untold.into_iter().next() {
            Some(error) => Err(error),
            None => Ok(()),
        }
    }

    /// Notes in every plan that a session is over: what its sub-agents left, and that its claims have lapsed.
    pub(super) fn over(&self, session: &str, ending: Ending) -> Done {
        let active = self.workspace.active_plan()?.map(|active| active.id);
        let mut plans = self.workspace.sessions().helpers_at_work(session)?;
        if let (Ending::Crash, Some(active)) = (ending, &active)
            && !plans.iter().any(|(id, _)| id == active)
        {
            plans.push((active.clone(), Vec::new()));
        }
        // A crash is told in any case, so that comes last: what fails before it is tried again from the beginning.
        plans.sort_by_key(|(id, _)| Some(id) == active.as_ref());
        let record = self.workspace.sessions().get(session);
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
            // A crash is told in the plan that is worked on; what is lost, wherever it was.
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
                // A plan of another version, say, is none of its business; one that is held or away for now is.
                Err(error) if error.is_busy() || is_away(&error) => return Err(error),
                Ok(()) | Err(_) => {}
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
        }
    }

    /// Says where the work stands: before what was said so far comes what matters most.
    pub(super) fn brief(&mut self) -> Done {
        let survey = match self.survey.take() {
            Some(survey) => survey,
            None => self.workspace.survey()?,
        };
        for problem in survey.problems.iter().take(MOST_SESSIONS) {
            let stem = name(&problem.stem);
            if problem.error.is_partial() {
                self.say(&format!(
                    "Not all of {stem} was looked at. See all with: ckpt list"
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
        // What vanished since it was listed does not hide the rest.
        let keys = survey.in_flight();
        let shown = keys.len().min(most_shown(budget));
        let briefs = keys[..shown].iter().filter_map(|key| survey.brief(key));
        let briefs: Vec<_> = briefs.collect();
        self.say_lines(&render(&briefs, keys.len() - shown, budget).text);
        self.say_lines(&before.unwrap_or_default());
        Ok(())
    }

    /// Counts a prompt, and makes the copy that is due then. Of several that find it due, one makes it.
    pub(super) fn count_prompt(&self) -> Done {
        self.note_if_new()?;
        let id = self.event.id.as_deref();
        let claimed = self.remember(|record| {
            record.count_prompt(id);
            if self.host.told_at.is_some() {
                // Whoever was told first has handed the event on, and is at it no more.
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
        let claims = view.claims(self.workspace.now());
        let standing = self.workspace.plan(&view.id).standing(&view, &claims);
        let next = standing.open_tasks().next().map(|(_, task)| task);
        // Whoever is blocked may stop.
        let (Some(next), true) = (next, view.outline.blockers.is_empty()) else {
            return Ok(());
        };
        if self.remember(|record| record.may_nudge(&next.id))? == Some(true) {
            let progress = standing.progress();
            self.answer.objection = Some(format!(
                "{} of {} tasks of plan {} are done. Next: task {}: {}. This is said once for each task, and what stands in the way can be recorded with: ckpt plan block TEXT",
                progress.done,
                progress.total,
                name(view.id.as_str()),
                name(&next.id),
                quote(&next.text)
            ));
        }
        Ok(())
    }

    /// Writes down where the session stands, with the last that the agent said.
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

    /// Makes a copy of the state of the plan that is worked on.
    pub(super) fn back_up(&self, reason: Reason) -> Done {
        if let Some(view) = self.active_view()? {
            self.workspace.plan(&view.id).back_up(reason)?;
        }
        Ok(())
    }

    /// Notes a compaction, once.
    pub(super) fn compact(&self) -> Done {
        // What nobody remembers cannot be known to be told twice.
        self.note_if_unknown()?;
        let now = self.workspace.now();
        let may = self.remember(|record| match self.host.told_at {
            Some(told_at) => record.may_still_note_compaction(told_at, now),
            None => record.may_note_compaction(now),
        })?;
        if may == Some(false) {
            return Ok(());
        }
        let noted = self
            .note_session("compacted")
            .and_then(|()| self.back_up(Reason::Compaction));
        if noted.is_err() {
            self.remember(SessionRecord::forget_compaction)?;
        }
        noted
    }

    /// Notes that the session has ended, once. One that was never noted leaves nothing to note.
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
                // Only what may work later is worth another try.
                match noted {
                    Err(error) if error.is_busy() => Err(error),
                    Ok(()) | Err(_) => Ok(()),
                }
            });
        closed.map(|_| ())
    }
}

/// Whether a plan cannot be followed for now, as while another branch is checked out.
fn is_away(error: &WorkspaceError) -> bool {
    error.is_unparsable()
}
