//! Turns what is known about a checkpoint and its surroundings into facts.

use std::collections::{HashMap, HashSet};

use super::choose::{Choice, choose, gate_in_words, waited_for};
use super::words::{forbids, sentence, shared};
use super::work::{Evidence, GateFact, HeldUp, Item, Remark, State, Unit, Work};
use super::{Fact, FactKind, Hazard, Source};
use crate::gate::Proof;
use crate::time::Timestamp;
use crate::voice::{name, names as listed, quote, suggested};

/// How many decisions are ranked; older ones follow by age.
const MOST_RANKED: usize = 500;

/// In a plan with this many tasks done, complete phases are told by name.
const LONG_PLAN: usize = 8;

/// How many names a hazard lists.
const MOST_LISTED: usize = 6;

/// By this name, the commits of others can be acknowledged.
pub const COMMITS: &str = "commits";

/// By this name, a stash can be acknowledged.
pub const STASH: &str = "stash";

/// What surrounds a checkpoint: its sessions, its history and git.
#[derive(Debug, Default)]
pub struct Around<'a> {
    /// The current time.
    pub now: Option<Timestamp>,
    /// Sessions that died while they worked on it, the latest first.
    pub deaths: Vec<Death>,
    /// The session that worked on it last, if it ended as it should.
    pub last: Option<Death>,
    /// Sub-agents that died while they worked on it.
    pub lost: Vec<LostAgent>,
    /// Files that are not committed; `None` if git was not asked.
    pub uncommitted: Option<Uncommitted>,
    /// Commits by others since it was saved, the newest first.
    pub commits: Vec<Commit>,
    /// Names that its texts use and that are gone.
    pub gone: Vec<Gone>,
    /// What git was in the middle of.
    pub interrupted: Option<Interrupted>,
    /// The branch on which somebody last worked on it, if its commits are not here.
    pub other_branch: Option<String>,
    /// What was stashed since somebody last worked on it.
    pub stashed: Option<Stashed>,
    /// Why git could not be asked.
    pub not_checked: Option<&'a str>,
}

/// An operation of git that stopped before its end.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Interrupted {
    /// Its name.
    pub operation: &'static str,
    /// The branch it is about.
    pub of: Option<String>,
    /// The files with conflicts.
    pub unmerged: Vec<String>,
    /// The command that goes on with it.
    pub go_on: String,
    /// Whether it has to be finished before other work.
    pub comes_first: bool,
}

impl Interrupted {
    fn name(&self) -> String {
        match &self.of {
            Some(of) => format!("{} of {}", self.operation, name(of)),
            None => self.operation.to_owned(),
        }
    }
}

/// Something that was stashed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Stashed {
    /// Its name, such as `stash@{0}`.
    pub name: String,
    /// When, as written.
    pub at: String,
    /// What git says about it.
    pub message: String,
}

impl Around<'_> {
    /// The session that the user last asked something.
    pub(super) fn last_asked(&self) -> Option<&Death> {
        let mut sessions = self.deaths.iter().chain(&self.last);
        sessions.find(|session| session.asked.is_some())
    }

    /// What has to be done in git before anything else.
    pub(super) fn held_up(&self, work: &Work) -> Option<HeldUp> {
        let interrupted = self.interrupted.as_ref();
        if let Some(interrupted) = interrupted.filter(|one| one.comes_first) {
            let conflicts = match interrupted.unmerged.as_slice() {
                [] => String::new(),
                files => format!(
                    ": resolve the conflicts in {}, and add them with git add",
                    some(files)
                ),
            };
            let within = work
                .held_up
                .as_ref()
                .map(|held| format!("{}.", held.action));
            return Some(HeldUp {
                action: format!("Finish the {} first{conflicts}", interrupted.name()),
                details: within.into_iter().collect(),
                record: Some(interrupted.go_on.clone()),
                reason: format!("the {} is not finished", interrupted.name()),
                lets_running_go_on: false,
            });
        }
        let mut troubles = work.troubles.iter();
        if let Some(stashed) = &self.stashed
            && troubles.any(|one| one.hazard == Hazard::Reopened)
        {
            return Some(HeldUp {
                action: "Bring back what was stashed, if it is this work".to_owned(),
                details: Vec::new(),
                record: Some(format!("git stash pop '{}'", stashed.name)),
                reason: "its work may be in the stash".to_owned(),
                lets_running_go_on: false,
            });
        }
        let branch = self.other_branch.as_ref()?;
        Some(HeldUp {
            action: format!(
                "Switch to branch {}: {} was last worked on there, and what is here may be older",
                name(branch),
                name(&work.key.short())
            ),
            details: Vec::new(),
            record: Some(format!("git switch {}", suggested(branch))),
            reason: format!("it was last worked on in branch {}", name(branch)),
            lets_running_go_on: false,
        })
    }
}

/// A session that ended without a goodbye.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Death {
    /// Its id.
    pub session: String,
    /// Its agent.
    pub agent: String,
    /// When it was last heard from, as written.
    pub seen_at: Option<String>,
    /// What it was working on, by its claims and its last changes.
    pub ids: Vec<String>,
    /// The last thing it said.
    pub words: Option<String>,
    /// What the user last asked it.
    pub asked: Option<String>,
}

/// A sub-agent that ended without a report.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct LostAgent {
    /// Its id.
    pub id: String,
    /// Its type.
    pub kind: String,
    /// What it was asked.
    pub asked: Option<String>,
    /// What it was working on.
    pub ids: Vec<String>,
    /// The files it wrote.
    pub files: Vec<String>,
    /// The last thing it said.
    pub words: Option<String>,
    /// When its end was noticed, as written.
    pub ended_at: Option<String>,
    /// Its session.
    pub session: Option<String>,
}

/// Files that are not committed.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Uncommitted {
    /// Their names.
    pub files: Vec<String>,
    /// Live sessions of others that may be writing them, with what they claim.
    pub others: Vec<String>,
}

/// A commit.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Commit {
    /// Its subject.
    pub subject: String,
    /// Its author.
    pub author: String,
    /// The files that it touches and that the checkpoint names.
    pub named: Vec<String>,
}

/// A name that was in a file when the checkpoint was saved, and no longer is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Gone {
    /// The name.
    pub name: String,
    /// The file.
    pub file: String,
    /// The item whose summary uses it; `None` for a note or decision.
    pub used_by: Option<String>,
}

/// The facts about a checkpoint, hazards first.
#[must_use]
pub fn facts_of(work: &Work, around: &Around<'_>) -> Vec<Fact> {
    let choice = choose(work, around);
    let items = work.items.iter();
    let done = items.filter(|item| item.state == State::Done);
    let mut gates: HashMap<&str, Vec<&GateFact>> = HashMap::new();
    for gate in &work.gates {
        for about in &gate.about {
            gates.entry(about).or_default().push(gate);
        }
    }
    let teller = Teller {
        work,
        around,
        choice: &choice,
        done: done.map(|item| item.id.as_str()).collect(),
        gates,
    };
    let mut facts = Vec::new();
    if work.lifecycle == crate::standing::Lifecycle::InFlight {
        facts.extend(teller.hazards());
    }
    facts.extend(teller.next());
    facts.extend(teller.done());
    facts.extend(teller.decided());
    facts.extend(teller.noted());
    facts.extend(teller.open());
    facts
}

struct Teller<'t> {
    work: &'t Work,
    around: &'t Around<'t>,
    choice: &'t Choice,
    /// The ids of items that are done.
    done: HashSet<&'t str>,
    /// The gates of each item.
    gates: HashMap<&'t str, Vec<&'t GateFact>>,
}

impl Teller<'_> {
    fn fact(&self, kind: FactKind, source: Source, text: String) -> Fact {
        Fact {
            kind,
            key: Some(self.work.key.clone()),
            ids: Vec::new(),
            source,
            at: None,
            text,
            short: None,
            details: Vec::new(),
            command: None,
        }
    }

    fn hazard(&self, hazard: Hazard, source: Source, text: String) -> Fact {
        let ends = hazard.ends();
        self.fact(FactKind::Hazard { hazard, ends }, source, text)
    }

    fn hazards(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        facts.extend(self.in_git());
        facts.extend(self.troubles());
        facts.extend(self.deaths());
        facts.extend(self.lost());
        facts.extend(self.user_said());
        facts.extend(self.done_elsewhere());
        facts.extend(self.blockers());
        facts.extend(self.failures());
        facts.extend(self.gates());
        facts.extend(self.uncommitted());
        facts.extend(self.commits());
        facts.extend(self.gone());
        facts.extend(self.deferred());
        facts.sort_by_key(Fact::hazard);
        facts
    }

    fn troubles(&self) -> Vec<Fact> {
        // In the middle of a rebase or merge, the plan is not what it will be.
        let is_passing = |hazard: Hazard| {
            let may_pass = matches!(hazard, Hazard::Reopened | Hazard::Vanished);
            may_pass && self.around.interrupted.is_some()
        };
        let troubles = self.work.troubles.iter();
        let troubles = troubles.filter(|trouble| !is_passing(trouble.hazard));
        troubles
            .map(|trouble| Fact {
                ids: trouble.ids.clone(),
                command: trouble.command.clone(),
                ..self.hazard(trouble.hazard, Source::Checkpoint, trouble.text.clone())
            })
            .collect()
    }

    /// Tasks that were done before git stopped in the middle of something, and are to come back with it.
    fn coming_back(&self) -> Vec<&str> {
        let interrupted = self.around.interrupted.as_ref();
        if !interrupted.is_some_and(|one| one.comes_first) {
            return Vec::new();
        }
        let troubles = self.work.troubles.iter();
        let reopened = troubles.filter(|trouble| trouble.hazard == Hazard::Reopened);
        let ids = reopened.flat_map(|trouble| &trouble.ids);
        ids.map(String::as_str).collect()
    }

    /// What the user last said, if it forbids something that is open.
    fn user_said(&self) -> Option<Fact> {
        let session = self.around.last_asked()?;
        let asked = session.asked.as_deref()?;
        let item = self.work.open().find(|item| forbids(asked, &item.id))?;
        let text = format!(
            "The user said to session {}: {}",
            name(&session.session),
            quote(asked)
        );
        Some(Fact {
            ids: vec![item.id.clone()],
            at: session.seen_at.clone(),
            ..self.hazard(Hazard::UserSaid, Source::Session, text)
        })
    }

    fn done_elsewhere(&self) -> Vec<Fact> {
        let open = self.work.open();
        let done = open.filter_map(|item| Some((item, item.done_in.as_ref()?)));
        done.map(|(item, place)| {
            let text = format!(
                "Done in worktree {}, and not merged here: {}.",
                name(place),
                self.with_title(item)
            );
            Fact {
                ids: vec![item.id.clone()],
                ..self.hazard(Hazard::DoneElsewhere, Source::Checkpoint, text)
            }
        })
        .collect()
    }

    /// What git was in the middle of, where the work went on, and what was stashed.
    fn in_git(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        if let Some(interrupted) = &self.around.interrupted {
            let unmerged = match interrupted.unmerged.as_slice() {
                [] => String::new(),
                files => format!("; unmerged: {}", some(files)),
            };
            let text = match interrupted.comes_first {
                true => format!("A {} is not finished{unmerged}.", interrupted.name()),
                false => format!(
                    "A {} is running: an older commit is checked out, so newer files seem to be gone. Commit nothing here.",
                    interrupted.name()
                ),
            };
            facts.push(Fact {
                command: (!interrupted.comes_first).then(|| interrupted.go_on.clone()),
                ..self.hazard(Hazard::GitUnfinished, Source::Git, text)
            });
        }
        if let Some(branch) = &self.around.other_branch {
            let text = format!(
                "Last worked on in branch {}, whose commits are not here.",
                name(branch)
            );
            facts.push(self.hazard(Hazard::OtherBranch, Source::History, text));
        }
        if let Some(stashed) = &self.around.stashed {
            let text = format!(
                "Work of this branch is stashed since {}, as {} {}. Look at it before redoing anything.",
                self.time(&stashed.at),
                stashed.name,
                quote(&stashed.message)
            );
            facts.push(Fact {
                ids: vec![STASH.to_owned()],
                command: Some(format!("git stash show --patch '{}'", stashed.name)),
                ..self.hazard(Hazard::Stashed, Source::Git, text)
            });
        }
        facts
    }

    fn time(&self, at: &str) -> String {
        let (Some(time), Some(now)) = (Timestamp::parse(at), self.around.now) else {
            return name(at).into_owned();
        };
        let (time, now) = (time.to_string(), now.to_string());
        match (time.get(..10) == now.get(..10), time.get(11..16)) {
            (true, Some(clock)) => format!("{clock}Z"),
            _ => time
                .get(..16)
                .map_or(time.clone(), |time| format!("{time}Z")),
        }
    }

    fn deaths(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for death in &self.around.deaths {
            let short: String = death.session.chars().take(8).collect();
            let mut text = format!(
                "Session {} ({}) died without SessionEnd",
                name(&short),
                name(&death.agent)
            );
            if let Some(seen) = &death.seen_at {
                text += &format!(", last seen {}", self.time(seen));
            }
            match death.ids.as_slice() {
                [] => text += ".",
                ids => {
                    let work: Vec<String> = ids.iter().map(|id| self.titled(id)).collect();
                    text += &format!(", at work on {}.", work.join(", "));
                }
            }
            let short = text.clone();
            if let Some(asked) = &death.asked {
                text += &format!(" The user had asked: {}", quote(asked));
            }
            if let Some(words) = &death.words {
                text += &format!(" Last words: {}", quote(words));
            }
            facts.push(Fact {
                ids: [std::slice::from_ref(&death.session), &death.ids].concat(),
                at: death.seen_at.clone(),
                short: Some(short),
                ..self.hazard(Hazard::SessionDied, Source::Session, text)
            });
        }
        facts
    }

    /// An item in a few words.
    fn titled(&self, id: &str) -> String {
        let item = self.work.item(id);
        let what = item.map_or(self.work.unit.one(), |item| item.what);
        let task = item.and_then(|item| item.task.as_deref());
        let task = task.map(|task| format!(" (task {})", name(task)));
        format!("{what} {}{}", name(id), task.unwrap_or_default())
    }

    fn lost(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for lost in &self.around.lost {
            let short: String = lost.id.chars().take(8).collect();
            let mut text = format!(
                "Sub-agent {} ({}) died without a report",
                name(&short),
                name(&lost.kind)
            );
            if !lost.ids.is_empty() {
                text += &format!(", at work on {}", listed(&lost.ids));
            } else if let Some(asked) = &lost.asked {
                text += &format!(", asked {}", quote(sentence(asked)));
            }
            if !lost.files.is_empty() {
                text += &format!("; it wrote {}", some(&lost.files));
            }
            text += ".";
            let short = text.clone();
            if let Some(words) = &lost.words {
                text += &format!(" Last words: {}", quote(words));
            }
            facts.push(Fact {
                ids: [std::slice::from_ref(&lost.id), &lost.ids].concat(),
                short: Some(short),
                ..self.hazard(Hazard::SubAgentDied, Source::Session, text)
            });
        }
        facts
    }

    fn blockers(&self) -> Vec<Fact> {
        let blockers = self.work.blockers.iter().map(|blocker| Fact {
            ids: blocker.about.clone(),
            command: blocker.record.clone(),
            ..self.hazard(
                blocker.hazard,
                Source::Checkpoint,
                format!("{}: {}", blocker.in_words(), quote(&blocker.text)),
            )
        });
        blockers.collect()
    }

    fn failures(&self) -> Vec<Fact> {
        let failed = self.work.items.iter();
        let failed = failed.filter(|item| item.state == State::Failed);
        failed
            .map(|item| {
                let what = capitalised(item.what);
                let error = item.error.as_deref().map(quote);
                let error = error.unwrap_or_else(|| "no error recorded".to_owned());
                Fact {
                    ids: vec![item.id.clone()],
                    ..self.hazard(
                        Hazard::Failed,
                        Source::Checkpoint,
                        format!("{what} {} failed: {error}", name(&item.id)),
                    )
                }
            })
            .collect()
    }

    fn gates(&self) -> Vec<Fact> {
        let mut facts = Vec::new();
        for gate in &self.work.gates {
            let hazard = match gate.proof {
                Proof::Failed | Proof::Interrupted => Hazard::GateFailed,
                Proof::OlderContent => Hazard::GateOlder,
                Proof::Claimed | Proof::ClaimedElsewhere => Hazard::GateClaimed,
                Proof::Missing if self.is_due(gate) => Hazard::GateMissing,
                Proof::Running => Hazard::GateRunning,
                Proof::Proven | Proof::NotChecked | Proof::Missing => continue,
            };
            let mut text = format!("Gate {} {}", name(&gate.name()), gate_in_words(gate));
            if let (Hazard::GateClaimed, Some(by)) = (hazard, &gate.by) {
                text += &format!(", by {}", name(by));
            }
            if let Some(at) = &gate.at {
                text += &format!(", at {}", self.time(at));
            }
            if let (Hazard::GateFailed, Some(lines)) = (hazard, &gate.last_lines) {
                text += &format!("; its output ended with {}", quote(lines));
            }
            facts.push(Fact {
                ids: [std::slice::from_ref(&gate.gate), &gate.about].concat(),
                at: gate.at.clone(),
                command: gate.run.clone(),
                ..self.hazard(hazard, Source::Checkpoint, format!("{text}."))
            });
        }
        facts
    }

    /// Whether the work that a gate is about is done.
    fn is_due(&self, gate: &GateFact) -> bool {
        let is_done = |id: &String| self.done.contains(id.as_str());
        match gate.about.as_slice() {
            [] => self.work.open().next().is_none(),
            about => about.iter().any(is_done),
        }
    }

    fn uncommitted(&self) -> Vec<Fact> {
        let Some(uncommitted) = &self.around.uncommitted else {
            return Vec::new();
        };
        if uncommitted.files.is_empty() {
            return Vec::new();
        }
        let mut text = format!("Uncommitted: {}.", some(&uncommitted.files));
        if !uncommitted.others.is_empty() {
            text += &format!(" Some may belong to {}.", uncommitted.others.join(", "));
        }
        vec![Fact {
            command: Some("git status".to_owned()),
            ..self.hazard(Hazard::Uncommitted, Source::Git, text)
        }]
    }

    fn commits(&self) -> Vec<Fact> {
        let commits = &self.around.commits;
        if commits.is_empty() {
            return Vec::new();
        }
        let said = |commit: &Commit| {
            let named = match commit.named.as_slice() {
                [] => String::new(),
                named => format!(", touches {}", some(named)),
            };
            format!(
                "{} by {}{named}",
                quote(&commit.subject),
                name(&commit.author)
            )
        };
        // Commits that touch what the checkpoint names come first.
        let mut order: Vec<&Commit> = commits.iter().collect();
        order.sort_by_key(|commit| commit.named.is_empty());
        let shown: Vec<String> = order.iter().take(3).map(|commit| said(commit)).collect();
        let more = match commits.len() - shown.len() {
            0 => String::new(),
            more => format!("; and {more} more"),
        };
        let count = match commits.len() {
            1 => "1 commit".to_owned(),
            count => format!("{count} commits"),
        };
        vec![Fact {
            ids: vec![COMMITS.to_owned()],
            command: Some("ckpt resume --drift".to_owned()),
            ..self.hazard(
                Hazard::ForeignCommits,
                Source::Git,
                format!("{count} by others since: {}{more}.", shown.join("; ")),
            )
        }]
    }

    fn gone(&self) -> Vec<Fact> {
        let gone = &self.around.gone;
        if gone.is_empty() {
            return Vec::new();
        }
        let said = |gone: &Gone| {
            let by = match &gone.used_by {
                Some(item) => format!("the summary of {}", name(item)),
                None => "a note".to_owned(),
            };
            format!(
                "{} (in {by}) is gone from {}",
                quote(&gone.name),
                name(&gone.file)
            )
        };
        let shown: Vec<String> = gone.iter().take(3).map(said).collect();
        let more = match gone.len() - shown.len() {
            0 => String::new(),
            more => format!("; and {more} more names"),
        };
        vec![Fact {
            ids: gone.iter().map(|gone| gone.name.clone()).collect(),
            ..self.hazard(
                Hazard::NameGone,
                Source::Git,
                format!("{}{more}.", shown.join("; ")),
            )
        }]
    }

    fn deferred(&self) -> Vec<Fact> {
        let items = self.work.items.iter();
        let deferred = items.filter(|item| item.state == State::Deferred);
        let needed = waited_for(self.work);
        let holding = deferred.filter(|item| needed.contains(item.id.as_str()));
        holding
            .take(MOST_LISTED)
            .map(|item| {
                let waiting = self.work.open();
                let waiting = waiting.filter(|other| other.needs.contains(&item.id));
                let waiting: Vec<&str> = waiting.map(|other| other.id.as_str()).collect();
                let reason = item.reason.as_deref().map(quote);
                Fact {
                    ids: vec![item.id.clone()],
                    ..self.hazard(
                        Hazard::Deferred,
                        Source::Checkpoint,
                        format!(
                            "{} is deferred: {}; {} waits for it.",
                            self.with_title(item),
                            reason.unwrap_or_else(|| "no reason given".to_owned()),
                            listed(&waiting)
                        ),
                    )
                }
            })
            .collect()
    }

    fn with_title(&self, item: &Item) -> String {
        match &item.title {
            Some(title) => format!("{} {}", name(&item.id), quote(title)),
            None => name(&item.id).into_owned(),
        }
    }

    fn next(&self) -> Vec<Fact> {
        let choice = self.choice;
        let next = Fact {
            ids: choice.ids.clone(),
            details: choice.details.clone(),
            command: choice.record.clone(),
            ..self.fact(FactKind::Next, Source::Checkpoint, choice.action.clone())
        };
        let not_now = choice.not_now.iter().map(|(id, why)| {
            let item = self.work.item(id);
            let title = item.map_or_else(|| name(id).into_owned(), |item| self.with_title(item));
            Fact {
                ids: vec![id.clone()],
                ..self.fact(
                    FactKind::NotNow,
                    Source::Checkpoint,
                    format!("{title}: {why}"),
                )
            }
        });
        std::iter::once(next).chain(not_now).collect()
    }

    fn done(&self) -> Vec<Fact> {
        let mut facts = self.proofs();
        let complete = self.complete_groups();
        for (group, items) in &complete {
            let ids: Vec<&str> = items.iter().map(|item| item.id.as_str()).collect();
            let text = format!(
                "phase {}: all {} tasks (ticked): {}",
                name(group),
                ids.len(),
                listed(&ids)
            );
            facts.push(Fact {
                ids: ids.into_iter().map(str::to_owned).collect(),
                ..self.fact(FactKind::Done, Source::Checkpoint, text)
            });
        }
        for id in self.coming_back() {
            let title = self.work.item(id).map(|item| self.with_title(item));
            let text = format!(
                "{} (done; it comes back once git has finished)",
                title.unwrap_or_else(|| name(id).into_owned())
            );
            facts.push(Fact {
                ids: vec![id.to_owned()],
                ..self.fact(FactKind::Done, Source::History, text)
            });
        }
        let is_told = |item: &Item| {
            let group = item.group.as_deref();
            group.is_some_and(|group| complete.iter().any(|(known, _)| *known == group))
        };
        let items = self.work.items.iter();
        let over = items.filter(|item| matches!(item.state, State::Done | State::Skipped));
        let over = over.filter(|item| !is_told(item));
        facts.extend(over.map(|item| {
            let mut text = self.with_title(item);
            match (&item.state, &item.reason) {
                (State::Skipped, Some(reason)) => text += &format!(" (skipped: {})", quote(reason)),
                (State::Skipped, None) => text += " (skipped)",
                _ => text += &format!(" ({})", self.evidence(item)),
            }
            Fact {
                ids: vec![item.id.clone()],
                details: item.summary.iter().cloned().collect(),
                ..self.fact(FactKind::Done, Source::Checkpoint, text)
            }
        }));
        facts
    }

    /// The complete phases of a long plan, which are told by name.
    fn complete_groups(&self) -> Vec<(&str, Vec<&Item>)> {
        if self.work.unit != Unit::Tasks || self.done.len() < LONG_PLAN {
            return Vec::new();
        }
        let mut groups: Vec<(&str, Vec<&Item>)> = Vec::new();
        for item in &self.work.items {
            let Some(group) = item.group.as_deref() else {
                continue;
            };
            match groups.last_mut() {
                Some((known, items)) if *known == group => items.push(item),
                _ => groups.push((group, vec![item])),
            }
        }
        let is_plain = |item: &&Item| item.state == State::Done && item.summary.is_none();
        groups.retain(|(_, items)| items.len() > 1 && items.iter().all(is_plain));
        groups
    }

    /// The gates of the whole checkpoint that ran on this content.
    fn proofs(&self) -> Vec<Fact> {
        let gates = self.work.gates.iter();
        let proven = gates.filter(|gate| gate.about.is_empty() && gate.proof == Proof::Proven);
        proven
            .map(|gate| {
                let text = format!("Gate {} (proven: it ran on this content)", name(&gate.gate));
                Fact {
                    ids: vec![gate.gate.clone()],
                    at: gate.at.clone(),
                    ..self.fact(FactKind::Done, Source::Checkpoint, text)
                }
            })
            .collect()
    }

    /// What shows that an item is done.
    fn evidence(&self, item: &Item) -> String {
        let own = self.gates.get(item.id.as_str());
        let own = own.map(Vec::as_slice).unwrap_or_default();
        let is_proven = |gate: &&GateFact| gate.proof == Proof::Proven;
        if !own.is_empty() && own.iter().all(is_proven) {
            let names: Vec<&str> = own.iter().map(|gate| gate.gate.as_str()).collect();
            return format!("proven: gate {} ran on this content", listed(&names));
        }
        let evidence = match item.evidence {
            Evidence::Ticked => "ticked",
            Evidence::Reported => "reported",
        };
        let mut gates = self.work.gates.iter();
        match gates.find(|gate| gate.gate == item.id && gate.about.is_empty()) {
            Some(gate) if gate.proof == Proof::Proven => {
                format!("proven: gate {} ran on this content", name(&gate.gate))
            }
            Some(gate) => format!("{evidence}, but its gate {}", gate_in_words(gate)),
            None => evidence.to_owned(),
        }
    }

    fn remark(&self, kind: FactKind, remark: &Remark) -> Fact {
        let text = match &remark.reason {
            Some(reason) => format!("{}, because {}", quote(&remark.text), quote(reason)),
            None => quote(&remark.text),
        };
        Fact {
            at: remark.at.clone(),
            ..self.fact(kind, Source::Checkpoint, text)
        }
    }

    /// Decisions: those that share words with the next thing first, then those with a reason; of both the newest first.
    fn decided(&self) -> Vec<Fact> {
        let next = self.next_text();
        let newest = self.work.decided.iter().enumerate().rev();
        let mut all: Vec<(usize, &Remark)> = newest.clone().take(MOST_RANKED).collect();
        all.sort_by_cached_key(|(number, remark)| {
            let is_near = shared(&remark.text, &next) > 0;
            // A newer one may revoke an older one.
            std::cmp::Reverse((is_near, is_near || remark.reason.is_some(), *number))
        });
        let facts = all.into_iter().chain(newest.skip(MOST_RANKED));
        facts
            .map(|(_, remark)| self.remark(FactKind::Decided, remark))
            .collect()
    }

    /// Notes, the newest first, repeated ones once.
    fn noted(&self) -> Vec<Fact> {
        let mut seen = HashSet::new();
        let notes = self.work.noted.iter().rev();
        let notes = notes.filter(|note| seen.insert(note.text.as_str()));
        let notes = notes.map(|note| self.remark(FactKind::Noted, note));
        self.last_session().into_iter().chain(notes).collect()
    }

    /// What the user asked the session that worked on it last, and what it said at its end.
    fn last_session(&self) -> Option<Fact> {
        let last = self.around.last.as_ref()?;
        let mut notes = self.work.noted.iter();
        // A plan has a note about it.
        let words = last.words.as_ref();
        let words = words.filter(|words| !notes.any(|note| note.text.contains(words.as_str())));
        if last.asked.is_none() && words.is_none() {
            return None;
        }
        let mut text = format!("The last session ({})", name(&last.agent));
        if let Some(asked) = &last.asked {
            text += &format!(" was asked: {}", quote(asked));
        }
        if let Some(words) = words {
            let and = if last.asked.is_some() { ". It" } else { "" };
            text += &format!("{and} ended with: {}", quote(words));
        }
        Some(Fact {
            ids: vec![last.session.clone()],
            at: last.seen_at.clone(),
            ..self.fact(FactKind::Noted, Source::Session, text)
        })
    }

    fn next_text(&self) -> String {
        let items = self.choice.ids.iter().filter_map(|id| self.work.item(id));
        let texts = items.map(|item| {
            let title = item.title.as_deref().unwrap_or_default();
            let summary = item.summary.as_deref().unwrap_or_default();
            format!("{} {title} {summary}", item.id)
        });
        texts.collect::<Vec<_>>().join(" ")
    }

    fn open(&self) -> Vec<Fact> {
        let items = self.work.items.iter();
        let coming_back = self.coming_back();
        let left = items.filter(|item| item.state.is_open() || item.state == State::Deferred);
        let left = left.filter(|item| !coming_back.contains(&item.id.as_str()));
        let later = left.filter(|item| !self.choice.ids.contains(&item.id));
        let unlisted = (self.work.unlisted > 0).then(|| {
            let text = format!("{} more {}s", self.work.unlisted, self.work.unit.one());
            self.fact(FactKind::Open, Source::Checkpoint, text)
        });
        later
            .map(|item| {
                let mut text = self.with_title(item);
                match (&item.state, &item.reason) {
                    (State::Deferred, Some(reason)) => {
                        text += &format!(" (deferred: {})", quote(reason));
                    }
                    (State::Deferred, None) => text += " (deferred)",
                    _ => {}
                }
                Fact {
                    ids: vec![item.id.clone()],
                    ..self.fact(FactKind::Open, Source::Checkpoint, text)
                }
            })
            .chain(unlisted)
            .collect()
    }
}

/// The first of these names, and how many more there are.
pub(super) fn some(all: &[String]) -> String {
    let shown = listed(&all[..all.len().min(MOST_LISTED)]);
    match all.len().saturating_sub(MOST_LISTED) {
        0 => shown,
        more => format!("{shown} and {more} more"),
    }
}

fn capitalised(word: &str) -> String {
    let mut letters = word.chars();
    letters
        .next()
        .map(|first| first.to_uppercase().chain(letters).collect())
        .unwrap_or_default()
}
