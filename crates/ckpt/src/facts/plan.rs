//! What a plan says about its work.

use std::collections::{HashMap, HashSet};

use super::Hazard;
use super::agents::{blocker_of, reports_in};
use super::words::{names, words};
use super::work::{
    Blocker, Evidence, GateFact, HeldUp, Item, Owner, Remark, State, Trouble, Unit, Work,
};
use crate::document::{Object, Value};
use crate::key::PlanId;
use crate::plan::{Claim, Clash, Entry, Outline, Phase, Unparsable};
use crate::standing::{Lifecycle, Newer, Progress};
use crate::sub_agents;
use crate::voice::{name, names as listed, quote, suggested};

/// How many blockers are looked at.
const MOST_BLOCKERS: usize = 200;

/// How many blockers are compared with the others.
const MOST_COMPARED: usize = 10;

/// How many pairs of phases are compared to find out which depends on which.
const MOST_PAIRS: usize = 100_000;

/// A plan and what is known about it.
#[derive(Debug, Clone)]
pub struct PlanInput<'p> {
    /// The plan.
    pub id: &'p PlanId,
    /// The outline of its Markdown.
    pub outline: &'p Outline,
    /// Its state.
    pub state: &'p Object,
    /// The names of its Markdown files.
    pub files: &'p [String],
    /// Why the Markdown cannot be parsed.
    pub unparsable: Option<&'p Unparsable>,
    /// The branch that has the plan, if it is not on the one that is checked out.
    pub dormant_on: Option<&'p str>,
    /// Whether it is in flight, complete or abandoned.
    pub lifecycle: Lifecycle,
    /// Why it is abandoned, if it is.
    pub abandoned: Option<String>,
    /// The version of the state, if a newer `ckpt` wrote it.
    pub newer: Option<&'p Newer>,
    /// Whether the state had to be restored.
    pub state_lost: bool,
    /// Who is working on which task.
    pub claims: &'p HashMap<String, Claim>,
    /// The author the facts are for.
    pub by: &'p str,
    /// Their session, if known.
    pub session: Option<&'p str>,
    /// Its gates.
    pub gates: Vec<GateFact>,
    /// Whether commands mean this plan unless they name another.
    pub is_active: bool,
    /// Done tasks that were unticked from outside.
    pub reopened: Vec<String>,
    /// Whether one edit unticked and removed tasks.
    pub is_one_edit: bool,
    /// Tasks that are gone, and whether they were done.
    pub vanished: Vec<(String, bool)>,
    /// Tasks that somebody reports as done, and who.
    pub unticked: Vec<(String, String)>,
    /// The titles that tasks had before, by id.
    pub titles: HashMap<String, String>,
}

/// Describes a plan.
#[must_use]
pub fn work_of_plan(input: &PlanInput<'_>) -> Work {
    let reader = Reader { input };
    let progress = reader.progress();
    let items = reader.items();
    Work {
        key: input.id.into(),
        title: None,
        unit: Unit::Tasks,
        lifecycle: input.lifecycle,
        progress,
        decided: reader.decided(),
        noted: reader.noted(),
        blockers: reader.blockers(&items),
        troubles: reader.troubles(),
        files: Vec::new(),
        abandoned: input.abandoned.clone(),
        closing: None,
        held_up: reader.held_up(),
        reports: reports_in(input.state),
        gates: input.gates.clone(),
        items,
        unlisted: 0,
    }
}

struct Reader<'r> {
    input: &'r PlanInput<'r>,
}

impl Reader<'_> {
    fn progress(&self) -> Progress {
        let tasks = self.input.outline.tasks();
        let (mut done, mut total) = (0, 0);
        for (_, task) in tasks {
            total += 1;
            done += usize::from(task.done);
        }
        Progress { done, total }
    }

    /// Criteria that are not met.
    fn unmet(&self) -> impl Iterator<Item = &Entry> {
        let phases = self.input.outline.phases.iter();
        let criteria = phases.flat_map(|phase| &phase.acceptance);
        criteria.filter(|criterion| !criterion.done)
    }

    /// A command about this plan.
    fn command(&self, verb: &str, argument: &str) -> String {
        let argument = match argument {
            "" => String::new(),
            argument => format!(" {}", suggested(argument)),
        };
        match self.input.is_active {
            true => format!("ckpt plan {verb}{argument}"),
            false => {
                let plan = suggested(self.input.id.as_str());
                format!("ckpt plan {verb}{argument} --plan {plan}")
            }
        }
    }

    /// The tasks, then the criteria that are not met.
    fn items(&self) -> Vec<Item> {
        let mut items = Vec::new();
        let mut held = HashMap::new();
        let phases = &self.input.outline.phases;
        let lines: usize = phases.iter().map(|phase| phase.dependencies.len()).sum();
        if lines.saturating_mul(phases.len()) <= MOST_PAIRS {
            for phase in phases {
                held.insert(phase.id.as_str(), self.unfinished_before(phase));
            }
        }
        for (phase, task) in self.input.outline.tasks() {
            let waits_for = held.get(phase.id.as_str()).cloned().unwrap_or_default();
            items.push(self.task(phase, task, waits_for));
        }
        for phase in &self.input.outline.phases {
            let unmet = phase.acceptance.iter().filter(|criterion| !criterion.done);
            items.extend(unmet.map(|criterion| self.criterion(phase, criterion)));
        }
        items
    }

    fn task(&self, phase: &Phase, task: &Entry, waits_for: Vec<String>) -> Item {
        let claim = self.input.claims.get(&task.id).filter(|_| !task.done);
        let owner = claim.map(|claim| Owner {
            by: claim.by.clone(),
            session: claim.session.clone(),
            is_live_other: claim.live && !claim.is_of(self.input.by, self.input.session),
            elsewhere: None,
        });
        Item {
            id: task.id.clone(),
            what: "task",
            title: title_of(task).or_else(|| self.input.titles.get(&task.id).cloned()),
            group: Some(phase.id.clone()),
            state: match (task.done, waits_for.is_empty()) {
                (true, _) => State::Done,
                (false, true) => State::Open,
                (false, false) => State::Waiting(waits_for),
            },
            task: None,
            summary: None,
            error: None,
            reason: None,
            evidence: Evidence::Ticked,
            owner,
            done_in: None,
            needs: Vec::new(),
            start: None,
            record: self.command("done", &task.id),
            files: Vec::new(),
        }
    }

    fn criterion(&self, phase: &Phase, criterion: &Entry) -> Item {
        let is_ready = phase.tasks.iter().all(|task| task.done);
        Item {
            id: criterion.id.clone(),
            what: "criterion",
            title: title_of(criterion),
            group: Some(phase.id.clone()),
            state: match is_ready {
                true => State::Open,
                false => State::Waiting(vec![format!("the tasks of {}", name(&phase.id))]),
            },
            task: None,
            summary: None,
            error: None,
            reason: None,
            evidence: Evidence::Ticked,
            owner: None,
            done_in: None,
            needs: Vec::new(),
            start: None,
            record: self.command("accept", &criterion.id),
            files: Vec::new(),
        }
    }

    /// The unfinished phases that a phase says it depends on.
    fn unfinished_before(&self, phase: &Phase) -> Vec<String> {
        if phase.dependencies.is_empty() {
            return Vec::new();
        }
        let others = self.input.outline.phases.iter().enumerate();
        let is_meant = |number: usize, other: &Phase| {
            let by_number = format!("phase {}", number + 1);
            phase.dependencies.iter().any(|line| {
                let lower = line.to_lowercase();
                let title = other.title.as_deref().map(plain_title);
                names(line, &other.id)
                    || lower.contains(&format!("phase {}", other.id.to_lowercase()))
                    || lower.contains(&by_number)
                    || title.is_some_and(|title| !title.is_empty() && lower.contains(&title))
            })
        };
        let is_open = |other: &Phase| other.tasks.iter().any(|task| !task.done);
        others
            .filter(|(number, other)| {
                other.id != phase.id && is_open(other) && is_meant(*number, other)
            })
            .map(|(_, other)| format!("phase {}", name(&other.id)))
            .collect()
    }

    fn decided(&self) -> Vec<Remark> {
        let recorded = self.input.state.get("decisions").and_then(Value::as_array);
        let recorded = recorded.unwrap_or_default().iter();
        let mut decided: Vec<Remark> = recorded
            .filter_map(|entry| {
                let entry = entry.as_object()?;
                let text = |name: &str| entry.get(name).and_then(Value::as_str).map(str::to_owned);
                Some(Remark {
                    text: text("decision")?,
                    reason: text("reason"),
                    at: text("time"),
                })
            })
            .collect();
        let known: HashSet<String> = decided.iter().map(|one| one.text.clone()).collect();
        let others = self.input.outline.decisions.iter();
        let others = others.filter(|text| !known.contains(*text));
        decided.extend(others.map(|text| Remark {
            text: text.clone(),
            ..Remark::default()
        }));
        decided
    }

    fn noted(&self) -> Vec<Remark> {
        let notes = self.input.state.get("sessionNotes").and_then(Value::as_str);
        let lines = notes.unwrap_or_default().lines();
        lines
            .filter(|line| !line.trim().is_empty())
            .map(|line| Remark {
                text: line.trim().to_owned(),
                ..Remark::default()
            })
            .collect()
    }

    fn blockers(&self, items: &[Item]) -> Vec<Blocker> {
        let mut blockers: Vec<Blocker> = Vec::new();
        let ids: HashSet<&str> = items.iter().map(|item| item.id.as_str()).collect();
        for (text, about) in blocked_in(self.input.outline, &ids) {
            // Only the first ones are suggested, and comparing all of them takes time.
            let part = match blockers.len() < MOST_COMPARED {
                true => self.part_of_blocker(text),
                false => text,
            };
            blockers.push(Blocker {
                hazard: Hazard::Blocked,
                text: text.to_owned(),
                about,
                action: None,
                record: Some(self.command("unblock", part)),
            });
        }
        blockers.extend(self.stops(items));
        blockers
    }

    /// STOP, BLOCKED and CLARIFY replies that nobody has answered.
    fn stops(&self, items: &[Item]) -> Vec<Blocker> {
        sub_agents::stops(self.input.state)
            .into_iter()
            .filter(|stop| !self.is_answered(stop))
            .map(|stop| {
                let about = items
                    .iter()
                    .filter(|item| item.id == stop.task && item.state.is_open());
                let about = about.map(|item| item.id.clone()).collect();
                blocker_of(&stop, about, self.command("unblock", &stop.task))
            })
            .collect()
    }

    /// Whether a decision since then names the task.
    fn is_answered(&self, stop: &sub_agents::Stop) -> bool {
        let decided = self.decided();
        decided.iter().any(|decision| {
            let is_later = match (&decision.at, &stop.at) {
                (Some(decided), Some(stopped)) => decided > stopped,
                _ => false,
            };
            is_later && names(&decision.text, &stop.task)
        })
    }

    fn troubles(&self) -> Vec<Trouble> {
        let newer = self.input.newer.into_iter();
        let mut troubles: Vec<Trouble> = newer.map(Trouble::of_newer).collect();
        let mut add = |hazard, ids: Vec<String>, text: String, command: Option<String>| {
            troubles.push(Trouble {
                hazard,
                ids,
                text,
                command,
            });
        };
        match (self.input.unparsable, self.input.state_lost) {
            (Some(_), _) if self.input.dormant_on.is_some() => {}
            (Some(why), lost) => {
                let lost = if lost {
                    ", and state.json cannot be read either"
                } else {
                    ""
                };
                let text = format!("{why}{lost}; what follows is the last known state.");
                add(
                    Hazard::PlanUnusable,
                    Vec::new(),
                    text,
                    Some(self.command("recover", "")),
                );
            }
            (None, true) => add(
                Hazard::PlanUnusable,
                Vec::new(),
                "state.json cannot be read; the next change restores it.".to_owned(),
                None,
            ),
            (None, false) => {}
        }
        if let Some(text) = self.conflicts() {
            add(Hazard::PlanUnusable, Vec::new(), text, None);
        }
        if !self.input.reopened.is_empty() {
            let tasks: Vec<String> = self
                .input
                .reopened
                .iter()
                .map(|id| self.titled(id))
                .collect();
            let one_edit = match self.input.is_one_edit {
                true => {
                    " The edit that did this also removed tasks (below): an older copy of the plan was probably saved over it. Tick again what is done, and put back what is gone."
                }
                false => " Check whether the work is there before doing it again.",
            };
            let text = format!(
                "Done before, and open again without an undo: {}.{one_edit}",
                tasks.join(", ")
            );
            add(Hazard::Reopened, self.input.reopened.clone(), text, None);
        }
        if !self.input.vanished.is_empty() {
            let ids = self.gone();
            let vanished = self.input.vanished.iter();
            let shown = vanished.map(|(id, was_done)| {
                let was = if *was_done { "done" } else { "open" };
                format!("{} (was {was})", self.titled(id))
            });
            let shown: Vec<String> = shown.collect();
            let cut = match self.is_cut_off() {
                true => " plan.md ends in the middle of a line, so it was probably cut off.",
                false => "",
            };
            let first = ids.first().map_or("", String::as_str);
            let meant = match cut {
                "" => format!(
                    " If one was removed on purpose: ckpt ack {}.",
                    suggested(first)
                ),
                _ => String::new(),
            };
            let text = format!("Gone from the plan: {}.{cut}{meant}", shown.join(", "));
            let more = format!("ckpt log {}", suggested(self.input.id.as_str()));
            add(Hazard::Vanished, ids, text, Some(more));
        }
        let unticked = self.input.unticked.iter();
        let is_open = |task: &str| {
            self.input
                .outline
                .task(task)
                .is_some_and(|entry| !entry.done)
        };
        for (task, by) in unticked.filter(|(task, _)| is_open(task)) {
            let text = format!(
                "{} reports {} as done, but it is not ticked: check it.",
                name(by),
                self.titled(task)
            );
            add(Hazard::Unticked, vec![task.clone()], text, None);
        }
        if let Some((clash, text)) = self.uncounted().next() {
            let more = match self.uncounted().count() {
                1 => String::new(),
                2 => " So is one more checkbox.".to_owned(),
                more => format!(" So are {} more checkboxes.", more - 1),
            };
            let text = format!(
                "The id {} is used twice: the checkbox {} on line {} of {} is open and not counted.{more}",
                name(&clash.id),
                quote(text),
                clash.again.1,
                self.file(clash.again.0),
            );
            add(Hazard::RepeatedId, vec![clash.id.clone()], text, None);
        }
        let untracked: Vec<_> = self
            .input
            .outline
            .untracked
            .iter()
            .filter(|found| !found.done)
            .collect();
        if let Some(first) = untracked.first() {
            let more = match untracked.len() {
                1 => String::new(),
                more => format!(" and {} more", more - 1),
            };
            let text = format!(
                "A checkbox without an id, on line {} of {}: {}{more}.",
                first.line,
                self.file(first.source),
                quote(&first.text)
            );
            add(
                Hazard::NoId,
                Vec::new(),
                text,
                Some(self.command("mark", "")),
            );
        }
        troubles
    }

    /// Checkboxes that are open and not counted, because their id is taken.
    fn uncounted(&self) -> impl Iterator<Item = (&Clash, &str)> {
        let outline = self.input.outline;
        // A merge conflict has both sides.
        let clashes = outline.clashes.iter();
        let clashes = clashes.filter(|_| outline.conflicts.is_empty());
        // An overview and a phase file may list the same task.
        clashes.filter_map(|clash| {
            let text = clash.open.as_deref()?;
            let is_same = outline
                .task(&clash.id)
                .is_some_and(|task| task.text == text);
            (!is_same).then_some((clash, text))
        })
    }

    /// Whether a line stands before every task that is open.
    fn is_before_open(&self, place: (usize, u32)) -> bool {
        let open = self.input.outline.tasks().filter(|(_, task)| !task.done);
        let mut places = open.map(|(_, task)| (task.source, task.line));
        places.all(|other| place < other)
    }

    fn file(&self, source: usize) -> String {
        let file = self.input.files.get(source).map(String::as_str);
        name(file.unwrap_or("plan.md")).into_owned()
    }

    fn titled(&self, id: &str) -> String {
        let task = self.input.outline.task(id);
        let title = task.and_then(title_of);
        match title.or_else(|| self.input.titles.get(id).cloned()) {
            Some(title) => format!("{} {}", name(id), quote(&title)),
            None => name(id).into_owned(),
        }
    }

    /// A part of a blocker that names it and is easy to type; all of it if there is none.
    fn part_of_blocker<'t>(&self, text: &'t str) -> &'t str {
        const MOST: usize = 40;
        let is_plain = |c: char| c.is_ascii_alphanumeric() || matches!(c, ' ' | '-' | '_' | '.');
        let end = text.find(|c: char| !is_plain(c)).unwrap_or(text.len());
        let mut part = &text[..end];
        while part.len() > MOST {
            part = part.rsplit_once(' ').map_or("", |(before, _)| before);
        }
        let part = part.trim();
        let mut all = self.input.outline.blockers.iter();
        let is_unique = all.all(|other| other == text || !other.contains(part));
        match part.len() > 3 && is_unique {
            true => part,
            false => text,
        }
    }

    /// The ids of tasks that are gone.
    fn gone(&self) -> Vec<String> {
        let vanished = self.input.vanished.iter();
        vanished.map(|(id, _)| id.clone()).collect()
    }

    /// Whether the text ends in the middle of a line, after something vanished.
    fn is_cut_off(&self) -> bool {
        self.input.outline.ends_in_line && !self.input.vanished.is_empty()
    }

    fn conflicts(&self) -> Option<String> {
        let conflicts = self.input.outline.conflicts.iter();
        let places: Vec<String> = conflicts
            .map(|conflict| {
                let file = self.file(conflict.source);
                format!("lines {} to {} of {file}", conflict.first, conflict.last)
            })
            .collect();
        (!places.is_empty()).then(|| {
            format!(
                "Merge conflict in {}: nothing can be ticked until it is resolved.",
                places.join(", ")
            )
        })
    }

    /// What must be repaired before anything else.
    fn held_up(&self) -> Option<HeldUp> {
        if let Some(branch) = self.input.dormant_on {
            return Some(HeldUp {
                action: format!(
                    "Nothing here: plan {} is on branch {}",
                    name(self.input.id.as_str()),
                    name(branch)
                ),
                details: Vec::new(),
                record: Some(format!("git switch {}", suggested(branch))),
                reason: format!("the plan is on branch {}", name(branch)),
                lets_running_go_on: false,
            });
        }
        if self.input.newer.is_some() {
            return Some(HeldUp::until_upgrade(&self.input.id.into()));
        }
        if let Some(why) = self.input.unparsable {
            return Some(HeldUp {
                action: format!(
                    "Restore {} of {} from its history",
                    name(why.file()),
                    name(self.input.id.as_str())
                ),
                details: Vec::new(),
                record: Some(self.command("recover", "")),
                reason: "the plan cannot be read".to_owned(),
                lets_running_go_on: false,
            });
        }
        if let Some(conflict) = self.input.outline.conflicts.first() {
            return Some(HeldUp {
                action: format!(
                    "Resolve the merge conflict in {} (lines {} to {}), keeping every task of both sides",
                    self.file(conflict.source),
                    conflict.first,
                    conflict.last
                ),
                details: vec!["Then commit it.".to_owned()],
                record: None,
                reason: "the plan has a merge conflict".to_owned(),
                lets_running_go_on: false,
            });
        }
        if self.is_cut_off() {
            let gone = self.gone();
            return Some(HeldUp {
                action: format!(
                    "Repair plan.md, which was cut off: put back {} from git or from the history (ckpt log {}), and tick what was done",
                    listed(&gone),
                    suggested(self.input.id.as_str())
                ),
                details: Vec::new(),
                record: None,
                reason: "plan.md was cut off".to_owned(),
                lets_running_go_on: false,
            });
        }
        if let Some((clash, text)) = self.uncounted().next()
            && self.is_before_open(clash.again)
        {
            return Some(HeldUp {
                action: format!(
                    "Give the checkbox on line {} of {} an id of its own, because {} is taken; then do it: {}",
                    clash.again.1,
                    self.file(clash.again.0),
                    name(&clash.id),
                    quote(text)
                ),
                details: Vec::new(),
                record: None,
                reason: "a checkbox before it is not counted".to_owned(),
                lets_running_go_on: true,
            });
        }
        let all_done = self.progress().done == self.progress().total;
        let untracked = self
            .input
            .outline
            .untracked
            .iter()
            .find(|found| !found.done)?;
        (all_done && self.unmet().next().is_none()).then(|| HeldUp {
            action: format!(
                "Give the checkbox on line {} an id, then do it: {}",
                untracked.line,
                quote(&untracked.text)
            ),
            details: Vec::new(),
            record: Some(self.command("mark", "")),
            reason: "the checkbox has no id".to_owned(),
            lets_running_go_on: false,
        })
    }
}

fn title_of(entry: &Entry) -> Option<String> {
    let text = entry.text.trim();
    (!text.is_empty() && text != entry.id).then(|| text.to_owned())
}

/// A heading without its number, in lower case.
fn plain_title(title: &str) -> String {
    let title = title.to_lowercase();
    match title.split_once(':') {
        Some((number, rest)) if number.starts_with("phase") => rest.trim().to_owned(),
        _ => title,
    }
}

/// The open tasks that a blocker keeps from going on, and its text.
#[must_use]
pub fn blocked_tasks(outline: &Outline) -> HashMap<String, &str> {
    let open = outline.tasks().filter(|(_, task)| !task.done);
    let ids: HashSet<&str> = open.map(|(_, task)| task.id.as_str()).collect();
    let mut blocked = HashMap::new();
    for (text, about) in blocked_in(outline, &ids) {
        for id in about.into_iter().filter(|id| ids.contains(id.as_str())) {
            blocked.entry(id).or_insert(text);
        }
    }
    blocked
}

/// The blockers, and the tasks that each concerns: those it names, else all open ones of its phase.
fn blocked_in<'o>(outline: &'o Outline, ids: &HashSet<&str>) -> Vec<(&'o str, Vec<String>)> {
    let in_phase = |text: &str| {
        outline
            .phases
            .iter()
            .find(|phase| phase.blockers.iter().any(|own| own == text))
    };
    let mut blocked: HashSet<&str> = HashSet::new();
    let blockers = outline.blockers.iter().take(MOST_BLOCKERS).map(|text| {
        let named = words(text).filter(|word| ids.contains(word) && names(text, word));
        let mut about: Vec<String> = named.map(str::to_owned).collect();
        about.dedup();
        if let (true, Some(phase)) = (about.is_empty(), in_phase(text)) {
            let open = phase.tasks.iter().filter(|task| !task.done);
            // The first blocker of a phase blocks all of it already.
            let most = match blocked.insert(&phase.id) {
                true => usize::MAX,
                false => 1,
            };
            about = open.take(most).map(|task| task.id.clone()).collect();
        }
        (text.as_str(), about)
    });
    blockers.collect()
}
