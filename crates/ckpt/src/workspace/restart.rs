//! A command that is run again: heals what it left behind, and finds where it was.

use std::path::PathBuf;

use super::error::Purpose;
use super::{BroughtBack, Depth, Outcome, Problem, Summary, Workspace, WorkspaceError};
use crate::command::known_commands;
use crate::facts::{Fact, Facts, Hazard};
use crate::key::{CommandKey, Key, KeyError, closest};
use crate::layout::Place;
use crate::repository::CommitId;
use crate::standing::Lifecycle;
use crate::store::{Proposal, Snapshot};
use crate::time::Timestamp;
use crate::voice::suggested;

/// The skill whose checkpoints are pipelines.
const BUILD: &str = "build";

/// The word for plans.
const PLAN: &str = "plan";

/// What a command finds when it is run again.
#[derive(Debug)]
pub struct Restart {
    /// What was healed, in the order in which it was done.
    pub healed: Vec<Healed>,
    /// Where the command was.
    pub found: Found,
}

/// Where a command was.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// Nowhere: it has not begun, or was abandoned. This command starts it.
    Fresh {
        /// The command line.
        start: String,
        /// The checkpoint that was named, if it is not here at all.
        named: Option<Key>,
        /// The checkpoints that may be meant and are not here, while their histories are.
        absent: Vec<Key>,
    },
    /// In the middle of this checkpoint.
    InFlight(Key),
    /// At its end.
    Complete {
        /// The checkpoint; of several, the newest.
        key: Key,
        /// The command line that starts another of the same command, if it may have several.
        another: Option<String>,
    },
}

/// A checkpoint that was healed.
#[derive(Debug, Clone)]
pub struct Healed {
    /// Its key.
    pub key: Key,
    /// What was done.
    pub healing: Healing,
}

/// What was done to heal a checkpoint.
#[derive(Debug, Clone)]
#[non_exhaustive]
pub enum Healing {
    /// It was missing, and was brought back from the mirror.
    BroughtBack(BroughtBack),
    /// Its archive was missing, and was brought back from the mirror.
    ArchiveBroughtBack,
    /// It could not be read. Its last recorded state was restored, and the damaged file is kept under this path.
    Restored(PathBuf),
    /// The Markdown of a plan was missing or empty, and was restored from the history.
    Rewritten,
    /// A change that had been interrupted was finished, or taken back.
    Settled,
    /// Edits by other programs were recorded.
    Absorbed,
}

/// Which checkpoints a command may mean.
#[derive(Debug, PartialEq, Eq)]
enum Meant {
    /// This one.
    One(Key),
    /// All of this command; for some words, also those of another kind.
    Of(String),
}

impl Meant {
    fn has(&self, key: &Key) -> bool {
        match (self, key) {
            (Self::One(one), key) => one == key,
            (Self::Of(command), Key::Command(key)) => key.command() == command,
            (Self::Of(command), Key::Pipeline(_)) => command == BUILD,
            (Self::Of(command), Key::Plan(_)) => command == PLAN,
        }
    }

    /// The command line that starts it.
    fn start(&self) -> String {
        match self {
            Self::One(Key::Command(key)) => {
                let words = [Some(key.command()), key.feature()];
                let words: Vec<_> = words.into_iter().flatten().map(suggested).collect();
                format!("ckpt start {}", words.join(" "))
            }
            Self::Of(command) if command == BUILD => "ckpt pipeline init SPEC".to_owned(),
            Self::Of(command) if command == PLAN => "ckpt plan new TITLE --from FILE".to_owned(),
            Self::Of(command) => format!("ckpt start {} FEATURE", suggested(command)),
            Self::One(Key::Pipeline(_)) => Self::Of(BUILD.to_owned()).start(),
            Self::One(Key::Plan(_)) => Self::Of(PLAN.to_owned()).start(),
        }
    }
}

/// The command line that takes up a checkpoint that was abandoned.
fn take_up(key: &Key) -> String {
    let word = suggested(&key.short());
    match key {
        Key::Command(_) => Meant::One(key.clone()).start() + " --again",
        Key::Pipeline(_) => format!("ckpt pipeline fixed {word}"),
        Key::Plan(_) => format!("ckpt plan use {word}"),
    }
}

impl Workspace {
    /// Heals what a command may have left behind, and finds where it was. `command` is the name of a command, `build` for
    /// pipelines, `plan` for plans, or what a user types to name a checkpoint. Nothing is started.
    ///
    /// # Errors
    ///
    /// If several checkpoints are in flight that may be meant, or something cannot be healed.
    pub fn restart(&self, command: &str, feature: Option<&str>) -> Result<Restart, WorkspaceError> {
        let meant = self.meant(command, feature)?;
        let mut healed = Vec::new();
        self.bring_back_missing(&meant, &mut healed)?;
        for key in self.present(&meant)? {
            healed.extend(self.healed(&key)?.map(|healing| Healed { key, healing }));
        }
        let found = self.where_it_was(&meant, command)?;
        Ok(Restart { healed, found })
    }

    fn meant(&self, command: &str, feature: Option<&str>) -> Result<Meant, WorkspaceError> {
        if let Some(feature) = feature {
            // A command may be called like the word for a kind.
            let named = self.in_its_case(CommandKey::parse(&format!("{command}/{feature}"))?)?;
            let is_command = || self.is_there(&Key::from(&named));
            return Ok(Meant::One(match command {
                BUILD | PLAN if is_command() => named.into(),
                BUILD => Key::Pipeline(self.find_pipeline(feature)?),
                PLAN => Key::Plan(self.find_plan(feature)?),
                _ => named.into(),
            }));
        }
        let lost = self.lost().into_iter().map(|lost| lost.key);
        let archives = self.lost_archives().into_iter();
        let missing = lost.chain(archives.map(|lost| lost.archived.key));
        if let Some(key) = closest(missing, |key| key.fit(command)) {
            return Ok(Meant::One(key));
        }
        if command.contains('/') && !command.contains(':') {
            let named = self.in_its_case(CommandKey::parse(command)?)?;
            return Ok(Meant::One(named.into()));
        }
        let of = Meant::Of(command.to_owned());
        let is_known = [BUILD, PLAN].contains(&command)
            || known_commands().any(|known| known == command)
            || self
                .command_keys()?
                .iter()
                .any(|key| key.command() == command);
        match is_known {
            true => Ok(of),
            false => Ok(match self.find_key(command)? {
                Key::Command(key) if key.feature().is_none() => of,
                key => Meant::One(key),
            }),
        }
    }

    /// The command that is there if one differs only in case, where this one is not.
    fn in_its_case(&self, named: CommandKey) -> Result<CommandKey, WorkspaceError> {
        if self.is_there(&Key::from(&named)) {
            return Ok(named);
        }
        let called = named.short().to_lowercase();
        let mut keys = self.command_keys()?;
        keys.retain(|key| key.short().to_lowercase() == called);
        match <[CommandKey; 1]>::try_from(keys) {
            Ok([one]) => Ok(one),
            Err(_) => Ok(named),
        }
    }

    /// Brings back what is missing and was in flight, or is named.
    fn bring_back_missing(
        &self,
        meant: &Meant,
        healed: &mut Vec<Healed>,
    ) -> Result<(), WorkspaceError> {
        let is_named = matches!(meant, Meant::One(_));
        for lost in self.lost() {
            if meant.has(&lost.key) && (is_named || lost.lifecycle == Lifecycle::InFlight) {
                let back = self.bring_back_lost(&lost)?;
                healed.extend(back.map(|back| Healed {
                    key: lost.key,
                    healing: Healing::BroughtBack(back),
                }));
            }
        }
        let archives = self.lost_archives().into_iter();
        for lost in archives.filter(|lost| is_named && meant.has(&lost.archived.key)) {
            if self.bring_back_archive(&lost)? {
                healed.push(Healed {
                    key: lost.archived.key,
                    healing: Healing::ArchiveBroughtBack,
                });
            }
        }
        Ok(())
    }

    /// The checkpoints that may be meant and are here, readable or not.
    fn present(&self, meant: &Meant) -> Result<Vec<Key>, WorkspaceError> {
        let commands = self.command_keys()?.into_iter().map(Key::Command);
        let pipelines = self.pipeline_names()?.into_iter();
        let pipelines = pipelines.map(|(_, id)| Key::Pipeline(id));
        let plans = self.plans()?.into_iter().map(Key::Plan);
        let mut keys: Vec<Key> = commands
            .chain(pipelines)
            .chain(plans)
            .filter(|key| meant.has(key))
            .collect();
        keys.sort_unstable();
        keys.dedup();
        Ok(keys)
    }

    /// Heals one checkpoint. Nothing is written if nothing is wrong with it.
    fn healed(&self, key: &Key) -> Result<Option<Healing>, WorkspaceError> {
        let place = self.layout.place(key);
        let author = self.author("restart", &self.head());
        let (mut snapshot, mut found) = self.wrong_with(&place)?;
        if found.is_some() {
            // A change that is under way is over once we have its lock.
            (snapshot, found) = self.holding(&place, &author)?.wrong_with(&place)?;
        }
        if let Key::Plan(id) = key {
            let plan = self.plan(id);
            let text = snapshot.contents[0].as_deref().unwrap_or_default();
            if text.trim_ascii().is_empty() && plan.other_branch().is_none() {
                return plan.recover().map(|_| Some(Healing::Rewritten));
            }
            return match plan.heal() {
                Ok(outcome) => Ok(found.filter(|_| outcome.revision.is_some())),
                Err(error) if error.is_unparsable() && plan.is_text_lost() => {
                    plan.recover().map(|_| Some(Healing::Rewritten))
                }
                // The brief says on which branch it is, or where the conflict is.
                Err(error) if error.is_unparsable() || error.is_not_found() => Ok(None),
                Err(error) => Err(error),
            };
        }
        match self.load(key) {
            Err(WorkspaceError::Corrupt(_)) => {
                let Outcome { moved_aside, .. } = self.recover(key)?;
                return Ok(moved_aside.map(Healing::Restored));
            }
            loaded => loaded.map(drop)?,
        }
        if found.is_some() {
            self.transact(&place, Purpose::Save, &author, &|snapshot| {
                let proposal = (!snapshot.foreign.is_empty()).then(Proposal::default);
                Ok((proposal, ()))
            })?;
        }
        Ok(found)
    }

    /// The files of a document, and what is wrong with them.
    fn wrong_with(&self, place: &Place) -> Result<(Snapshot, Option<Healing>), WorkspaceError> {
        let snapshot = self.store.snapshot(place);
        let snapshot = snapshot.map_err(|error| Purpose::Load.failed(error))?;
        let found = match (snapshot.is_interrupted, snapshot.foreign.is_empty()) {
            (true, _) => Some(Healing::Settled),
            (false, false) => Some(Healing::Absorbed),
            (false, true) => None,
        };
        Ok((snapshot, found))
    }

    /// The one checkpoint in flight that is meant, or else the one that is finished: that of the name, or the newest.
    fn where_it_was(&self, meant: &Meant, typed: &str) -> Result<Found, WorkspaceError> {
        let (mut summaries, problems) = self.list(Depth::WithoutGit)?;
        summaries.retain(|summary| meant.has(&summary.key));
        let is_exact = matches!(meant, Meant::One(_));
        let is_in_flight = |summary: &&Summary| {
            summary.lifecycle == Lifecycle::InFlight && (is_exact || summary.dormant_on.is_none())
        };
        let in_flight: Vec<&Key> = summaries
            .iter()
            .filter(is_in_flight)
            .map(|summary| &summary.key)
            .collect();
        match in_flight.as_slice() {
            [] => {}
            [one] => return Ok(Found::InFlight((*one).clone())),
            several => {
                return Err(KeyError::Ambiguous {
                    name: typed.to_owned(),
                    keys: several.iter().map(|key| key.short()).collect(),
                }
                .into());
            }
        }
        let named = match meant {
            Meant::One(key) => Some(key.clone()),
            Meant::Of(command) => CommandKey::parse(command).ok().map(Key::Command),
        };
        if let Some(one) = &named
            && let Some(found) = self.where_one_was(one.clone(), &summaries, problems)?
        {
            return Ok(found);
        }
        let start = meant.start();
        let complete = newest(&summaries, Lifecycle::Complete);
        let complete = complete.or_else(|| self.last_archived(meant));
        if let Some(key) = complete.or_else(|| self.last_lost(meant)) {
            let another = Some(start);
            return Ok(Found::Complete { key, another });
        }
        // A specification whose pipeline was abandoned starts no other one.
        let abandoned = newest(&summaries, Lifecycle::Abandoned);
        let abandoned = abandoned.filter(|key| matches!(key, Key::Pipeline(_)));
        Ok(Found::Fresh {
            start: abandoned.as_ref().map_or(start, take_up),
            named,
            absent: self.absent_of(meant),
        })
    }

    fn absent_of(&self, meant: &Meant) -> Vec<Key> {
        let absent = self.absent().into_iter().map(|absent| absent.key);
        absent.filter(|key| meant.has(key)).collect()
    }

    /// The checkpoint that is meant and complete, and was archived last, even if its archive is missing.
    fn last_archived(&self, meant: &Meant) -> Option<Key> {
        let missing = self.lost_archives().into_iter();
        let missing = missing.map(|lost| lost.archived);
        let archived = self.archived().into_iter().chain(missing);
        let complete = archived.filter(|one| {
            !one.is_deleted && one.lifecycle == Lifecycle::Complete && meant.has(&one.key)
        });
        let last = complete.max_by_key(|one| Timestamp::parse(&one.at));
        last.map(|last| last.key)
    }

    /// The checkpoint that is meant and complete, is missing, and was changed last.
    fn last_lost(&self, meant: &Meant) -> Option<Key> {
        let lost = self.lost().into_iter();
        let complete =
            lost.filter(|lost| lost.lifecycle == Lifecycle::Complete && meant.has(&lost.key));
        let last = complete.max_by_key(|lost| lost.at.as_deref().and_then(Timestamp::parse));
        last.map(|last| last.key)
    }

    /// Where the checkpoint of a name was, if there is one, in the archive too.
    fn where_one_was(
        &self,
        one: Key,
        summaries: &[Summary],
        problems: Vec<Problem>,
    ) -> Result<Option<Found>, WorkspaceError> {
        // Something that is there and cannot be read is no fresh start.
        let file = self.path(&one);
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        if let Some(problem) = problems.into_iter().find(|problem| problem.stem == stem) {
            return Err(problem.error);
        }
        let lifecycle = match summaries.iter().find(|summary| summary.key == one) {
            Some(summary) => Some(summary.lifecycle),
            None => {
                let archived = self.archived().into_iter();
                let mut archived = archived.filter(|archived| !archived.is_deleted);
                let archived = archived.find(|archived| archived.key == one);
                archived.map(|archived| archived.lifecycle)
            }
        };
        Ok(lifecycle.map(|lifecycle| match lifecycle {
            Lifecycle::Complete => Found::Complete {
                key: one,
                another: None,
            },
            Lifecycle::Abandoned => Found::Fresh {
                start: take_up(&one),
                named: None,
                absent: Vec::new(),
            },
            Lifecycle::InFlight => Found::InFlight(one),
        }))
    }

    /// Whether the ground has moved under a checkpoint since it was last saved: it was saved at another commit, or
    /// the facts say that others have committed since, or that it was worked on in another branch.
    pub fn is_stale(&self, key: &Key, facts: &Facts) -> Result<bool, WorkspaceError> {
        let has_moved = |hazard: Hazard| {
            matches!(
                hazard,
                Hazard::ForeignCommits | Hazard::OtherBranch | Hazard::NameGone
            )
        };
        if facts.hazards().filter_map(Fact::hazard).any(has_moved) {
            return Ok(true);
        }
        self.has_moved(key)
    }

    /// Whether HEAD is another commit than the one at which a checkpoint was last saved, and those in between were not
    /// acknowledged.
    pub fn has_moved(&self, key: &Key) -> Result<bool, WorkspaceError> {
        let head = self.head().commit;
        let head = head.as_ref().map(CommitId::as_str);
        if head.is_some() && self.acknowledged_commit(key).as_deref() == head {
            return Ok(false);
        }
        if let Key::Command(_) = key {
            let (summaries, _) = self.list(Depth::WithoutGit)?;
            let own = summaries.iter().find(|summary| summary.key == *key);
            return Ok(own.is_some_and(|summary| summary.stale.is_some()));
        }
        // The others do not say at which commit they were saved, but their histories do.
        let saved = self.last_work(key).and_then(|last| last.commit);
        Ok(saved.is_some_and(|saved| Some(saved.as_str()) != head))
    }
}

/// The checkpoint that was saved last of those that ended like this.
fn newest(summaries: &[Summary], lifecycle: Lifecycle) -> Option<Key> {
    let saved = |summary: &Summary| summary.updated_at.as_deref().and_then(Timestamp::parse);
    let ended = summaries
        .iter()
        .filter(|one| one.lifecycle == lifecycle && one.dormant_on.is_none());
    let newest = ended.max_by_key(|one| saved(one));
    newest.map(|newest| newest.key.clone())
}

#[cfg(test)]
mod tests;
