//! Gathers the facts about a work tree: what its checkpoints, sessions and history say, and what git says.

mod acknowledge;
mod around;
mod company;
mod gates;
mod neighbours;
mod trace;

use super::kind::Kind;
use super::neighbours::Neighbour;
use super::survey::Survey;
use super::{Lost, LostPart, Summary, Workspace, WorkspaceError};
use crate::facts::{Fact, FactKind, Facts, Hazard, Source, sentence};
use crate::gate::{ContentState, uncounted};
use crate::key::Key;
use crate::repository::ContentListing;
use crate::standing::{Lifecycle, Progress};
use crate::voice::{first_names, name, quote, suggested};

use company::Company;

pub use acknowledge::Acknowledged;
pub(super) use gates::of_receipts;
pub(super) use trace::{LastWork, Removed, Trace};

/// How many other checkpoints are named.
const MOST_ELSEWHERE: usize = 200;

/// In how many of those hazards are looked for.
const MOST_EXAMINED: usize = 10;

/// Hazards are not looked for in larger ones.
const MOST_ITEMS: usize = 1_000;

/// How far facts are looked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Depth {
    /// Everything, asking git where something depends on it.
    Full,
    /// Without starting git.
    WithoutGit,
}

/// What a kind is given to describe its work.
pub struct Ground<'g> {
    /// The content that gates are judged against.
    pub(super) content: &'g ContentState,
    /// Its files, if they were read.
    pub(super) listing: Option<&'g ContentListing>,
    /// The end of its history.
    pub(super) trace: &'g Trace,
    /// Whether commands mean this plan unless they name another.
    pub(super) is_active: bool,
}

impl Workspace {
    /// The facts about one checkpoint.
    pub fn facts_about(&self, key: &Key, depth: Depth) -> Result<Facts, WorkspaceError> {
        let reading = self.read(key)?;
        self.facts_beside(key, reading.as_ref(), depth, &self.company())
    }

    fn facts_beside(
        &self,
        key: &Key,
        reading: &dyn Kind,
        depth: Depth,
        company: &Company,
    ) -> Result<Facts, WorkspaceError> {
        let trace = self.trace(&self.layout.place(key))?;
        let listing = match depth {
            Depth::Full if reading.depends_on_content() => {
                self.repository.content(&uncounted()).ok()
            }
            _ => None,
        };
        let content = ContentState {
            digest: listing.as_ref().map(|listing| listing.digest.clone()),
            ..self.content_at_a_glance()
        };
        let is_active = match key {
            Key::Plan(id) => company.active_plan(self).as_ref() == Some(id),
            _ => true,
        };
        let mut work = reading.work(&Ground {
            content: &content,
            listing: listing.as_ref(),
            trace: &trace,
            is_active,
        })?;
        for gate in &mut work.gates {
            let failed = gate.entries();
            let failed = failed.map(|entry| trace.failed_before(&entry, &gate.gate));
            gate.failed_before = failed.max().unwrap_or(0);
        }
        for neighbour in &company.neighbours {
            neighbour.mark(&mut work);
        }
        let done = work.items.iter_mut();
        for item in done.filter(|item| item.done_in.is_some()) {
            // Whoever takes a tick back here wants the work done here.
            if trace.is_acknowledged(&item.id) || trace.is_undone(&item.id) {
                item.done_in = None;
            }
        }
        let around = self.around(&work, &trace, reading, depth, company);
        Ok(Facts::about(&work, &around))
    }

    /// The facts about the checkpoint in focus that can be had at once, its summary, and how many others are in
    /// flight.
    pub fn glance(&self) -> Result<Option<(Facts, Summary, usize)>, WorkspaceError> {
        let survey = self.survey()?;
        let keys = survey.in_flight();
        let Some(key) = keys.first() else {
            return Ok(None);
        };
        let reading = survey.reading(key)?;
        let company = self.alone().with_plans_of(&survey);
        let facts = self.facts_beside(key, reading.as_ref(), Depth::WithoutGit, &company)?;
        let summary = survey.summary(key).cloned();
        Ok(summary.map(|summary| (facts, summary, keys.len() - 1)))
    }

    /// The facts about the work tree, with the most relevant checkpoint in focus.
    pub fn facts(&self, depth: Depth) -> Result<Facts, WorkspaceError> {
        self.facts_in(&self.survey()?, depth)
    }

    /// The same, for a survey that was already made.
    pub fn facts_in(&self, survey: &Survey<'_>, depth: Depth) -> Result<Facts, WorkspaceError> {
        let keys = survey.in_flight();
        let company = self.company().with_plans_of(survey);
        let mut facts = match keys.first() {
            Some(key) => {
                let reading = survey.reading(key)?;
                self.facts_beside(key, reading.as_ref(), depth, &company)?
            }
            None => Facts::default(),
        };
        let around = company.neighbours.iter().filter_map(Neighbour::fact);
        facts.facts.extend(self.missing());
        facts.facts.extend(around);
        facts.facts.extend(self.elsewhere(survey, &keys, &company));
        Ok(facts)
    }

    /// The hazards of another checkpoint, without asking git and without those of the whole work tree.
    fn hazards_of(&self, survey: &Survey<'_>, key: &Key, company: &Company) -> Vec<Fact> {
        let facts = survey.reading(key).and_then(|reading| {
            self.facts_beside(key, reading.as_ref(), Depth::WithoutGit, company)
        });
        let is_own = |fact: &&Fact| match fact.hazard() {
            Some(Hazard::GitUnfinished | Hazard::Stashed) => false,
            // A session that was at work on nothing here is told where it was.
            Some(Hazard::SessionDied) => fact.ids.len() > 1,
            _ => true,
        };
        let hazards = facts.map(|facts| facts.hazards().filter(is_own).cloned().collect());
        hazards.unwrap_or_default()
    }

    /// Checkpoints that were in flight, and are missing while the mirror has them.
    fn missing(&self) -> Vec<Fact> {
        let mut lost = self.lost();
        lost.retain(|lost| lost.lifecycle == Lifecycle::InFlight);
        let fact = |lost: &Lost| {
            let shown = lost.key.short();
            let command = format!("ckpt recover {}", suggested(&shown));
            let Progress { done, total } = lost.progress;
            Fact {
                kind: FactKind::Missing,
                key: Some(lost.key.clone()),
                ids: Vec::new(),
                source: Source::History,
                at: lost.at.clone(),
                text: format!(
                    "{} missing, {done} of {total} done. Nobody deleted it with ckpt. Bring it back with: {command}",
                    match lost.part {
                        LostPart::State => format!("The state of {} is", name(&shown)),
                        LostPart::History => format!("The history of {} is", name(&shown)),
                        LostPart::Lines => format!("Part of the history of {} is", name(&shown)),
                        LostPart::Whole => format!("{} is", name(&shown)),
                    }
                ),
                short: None,
                details: Vec::new(),
                command: Some(command),
            }
        };
        let mut facts: Vec<Fact> = lost.iter().take(MOST_ELSEWHERE).map(fact).collect();
        facts.extend(self.missing_archives_fact());
        facts
    }

    /// The archives that are missing while the mirror has them.
    fn missing_archives_fact(&self) -> Option<Fact> {
        let lost = self.lost_archives();
        let first = lost.first()?;
        let names: Vec<String> = lost.iter().map(|lost| lost.archived.key.short()).collect();
        let command = match names.as_slice() {
            [one] => format!("ckpt recover {}", suggested(one)),
            _ => "ckpt recover".to_owned(),
        };
        let text = match names.as_slice() {
            [one] => format!("The archive of {} is missing. Bring it", name(one)),
            several => format!(
                "The archives of {} are missing. Bring them",
                first_names(several)
            ),
        };
        Some(Fact {
            kind: FactKind::Missing,
            key: Some(first.archived.key.clone()),
            ids: Vec::new(),
            source: Source::History,
            at: Some(first.archived.at.clone()),
            text: format!("{text} back with: {command}"),
            short: None,
            details: Vec::new(),
            command: Some(command),
        })
    }

    /// Other checkpoints here.
    fn elsewhere(&self, survey: &Survey<'_>, keys: &[Key], company: &Company) -> Vec<Fact> {
        let mut facts = Vec::new();
        let branch = self.head().branch;
        let fact = |key: &Key, text: String| Fact {
            kind: FactKind::Elsewhere,
            key: Some(key.clone()),
            ids: Vec::new(),
            source: Source::Checkpoint,
            at: None,
            text,
            short: None,
            details: Vec::new(),
            command: None,
        };
        for (number, key) in keys.iter().skip(1).take(MOST_ELSEWHERE).enumerate() {
            let Some(summary) = survey.summary(key) else {
                continue;
            };
            let progress = summary.progress;
            let mut text = format!(
                "{}: {} of {} done",
                name(&key.short()),
                progress.done,
                progress.total
            );
            if let Some(phase) = &summary.current_phase {
                text += &format!(", in {}", name(phase));
                if let Some(summary) = self.summary_of(key, phase) {
                    text += &format!(" {}", quote(sentence(&summary)));
                }
            }
            let last = self.last_work(key).and_then(|last| last.branch);
            if let Some(branch) = last.filter(|last| Some(last) != branch.as_ref()) {
                text += &format!(", last worked on in branch {}", name(&branch));
            }
            for phase in &summary.failed_phases {
                text += &format!(", {} failed", name(phase));
                if let Some(error) = self.error_of(key, phase) {
                    text += &format!(": {}", quote(&error));
                }
            }
            let hazards = match number < MOST_EXAMINED && progress.total <= MOST_ITEMS {
                true => self.hazards_of(survey, key, company),
                false => Vec::new(),
            };
            // Failures are told already, and a session that died is told where it was at work.
            let others = hazards.iter();
            let others = others.filter(|fact| fact.hazard() != Some(Hazard::Failed));
            let mut new = others.clone();
            let new = new.find(|fact| fact.hazard() != Some(Hazard::SessionDied));
            let new = new.map(|fact| format!(": {}", brief(&fact.text)));
            match others.count() {
                0 => {}
                1 => text += &format!(", 1 hazard{}", new.unwrap_or_default()),
                count => text += &format!(", {count} hazards{}", new.unwrap_or_default()),
            }
            facts.push(fact(key, text));
        }
        let now = self.now().as_millisecond();
        for summary in survey.summaries() {
            let is_recent = summary.updated_at.as_deref().is_some_and(|at| {
                let at = crate::time::Timestamp::parse(at);
                at.is_some_and(|at| now - at.as_millisecond() < 24 * 60 * 60 * 1000)
            });
            let key = &summary.key;
            if let Some(branch) = &summary.dormant_on {
                let text = format!(
                    "{} is on branch {}, not here: {} of {} done",
                    name(&key.short()),
                    name(branch),
                    summary.progress.done,
                    summary.progress.total
                );
                facts.push(Fact {
                    command: Some(format!("git switch {}", suggested(branch))),
                    ..fact(key, text)
                });
                continue;
            }
            match summary.lifecycle {
                Lifecycle::Abandoned => {
                    let reason = self.abandon_reason(key).map(|reason| quote(&reason));
                    let reason = reason.unwrap_or_else(|| "no reason given".to_owned());
                    facts.push(fact(
                        key,
                        format!("{} was abandoned: {reason}", name(&key.short())),
                    ));
                }
                Lifecycle::Complete if is_recent => {
                    facts.push(fact(
                        key,
                        format!("{} was finished in the last day", name(&key.short())),
                    ));
                }
                Lifecycle::Complete | Lifecycle::InFlight => {}
            }
        }
        facts
    }

    fn error_of(&self, key: &Key, phase: &str) -> Option<String> {
        let loaded = self.load(key).ok()??;
        let checkpoint = crate::command::Checkpoint::new(loaded.document.root());
        let error = checkpoint.phase(phase)?.error()?;
        Some(error.into_owned())
    }

    fn summary_of(&self, key: &Key, phase: &str) -> Option<String> {
        let Key::Command(_) = key else {
            return None;
        };
        let loaded = self.load(key).ok()??;
        let checkpoint = crate::command::Checkpoint::new(loaded.document.root());
        let summary = checkpoint.phase(phase)?.summary()?;
        Some(summary.into_owned())
    }

    fn abandon_reason(&self, key: &Key) -> Option<String> {
        if let Key::Plan(id) = key {
            let view = self.plan(id).view().ok()?;
            let claims = view.claims(self.now());
            return self.plan(id).standing(&view, &claims).abandoned();
        }
        let loaded = self.load(key).ok()??;
        let root = loaded.document.root();
        if matches!(key, Key::Pipeline(_)) {
            return crate::pipeline::Pipeline::new(root).aborted();
        }
        let checkpoint = crate::command::Checkpoint::new(root);
        checkpoint
            .abandon_reason()
            .map(std::borrow::Cow::into_owned)
    }
}

/// The beginning of a text.
fn brief(text: &str) -> String {
    const WORDS: usize = 20;
    let mut words = text.split_whitespace();
    let mut first: Vec<&str> = words.by_ref().take(WORDS).collect();
    if words.next().is_none() {
        return first.join(" ").trim_end_matches('.').to_owned();
    }
    first.push("…");
    let mut cut = first.join(" ");
    // A quotation that was cut still ends.
    if cut.matches('"').count() % 2 == 1 {
        cut.push('"');
    }
    cut
}
