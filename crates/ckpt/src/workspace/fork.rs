//! Forking a checkpoint, and giving it another name.
//!
//! A fork has the content of another checkpoint and a history of its own, whose first line says where it came from. What
//! decides whether something may ship is bound to a name and does not come along, nor does anybody who is at work.
//!
//! Another name is a fork, after which the old checkpoint goes into the archive of those that were deleted. At every
//! instant there is one of them, or both; doing it again finishes it.

mod interrupted;

use super::archive::InFlight;
use super::error::Purpose;
use super::gate::is_over;
use super::{Archived, Loaded, Workspace, WorkspaceError};
use crate::command;
use crate::document::{Document, Node, Object, Value};
use crate::hash::ContentHash;
use crate::history::{Event, EventName, Forward, History, Line, Revision};
use crate::key::Key;
use crate::layout::{KeptAs, PLAN_FILE, Place, Role, phase_number};
use crate::operation::Refusal;
use crate::pipeline;
use crate::plan::{self, Context, Outline, Reconciled, Unparsable};
use crate::seal::{SEAL, has_seal};
use crate::store::{Fate, Proposal, Snapshot, StoreError, Write};
use crate::time::Timestamp;

/// Members that do not come along, sealed or not.
const LEFT_BEHIND: [&str; 4] = ["gate", "receipts", "agents", "adversarial_review"];

/// The member that binds a pipeline to its specification. It comes along without its seal.
const BINDING: &str = "execution_spec";

/// In the line that begins a fork: whether it takes the place of the checkpoint that it came from.
const RENAMES: &str = "renames";

/// In the same line: the hash of the document that it came from.
const CONTENT: &str = "content";

/// How many lines at the beginning of a history may come before the one that names its origin.
const BEFORE_ORIGIN: usize = 10;

/// How often an editor may save a plan while it is renamed.
const MOST_SAVED: usize = 10;

/// A checkpoint that was forked.
#[derive(Debug, Clone)]
pub struct Forked {
    /// Its key.
    pub key: Key,
    /// Where it came from.
    pub from: Key,
    /// The revision that it came from; `None` if that was not recorded.
    pub at: Option<Revision>,
    /// Its own revision.
    pub revision: Option<Revision>,
}

/// A checkpoint that has another name.
#[derive(Debug, Clone)]
pub struct Renamed {
    /// The fork that took its place.
    pub fork: Forked,
    /// The old one, in the archive.
    pub archived: Archived,
}

/// Where a checkpoint came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Origin {
    /// The checkpoint.
    pub key: Key,
    /// Its revision, if known.
    pub revision: Option<String>,
    /// Whether it has been renamed, rather than forked.
    pub is_renamed: bool,
    content: Option<String>,
}

/// Why a fork is made.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Aim {
    /// There are to be two.
    Fork,
    /// It takes the place of the other one.
    Rename,
}

/// What a fork is made from.
struct Model {
    /// The document; `None` for a plan that has no state yet.
    document: Option<Document>,
    /// The Markdown files of a plan, by name.
    texts: Vec<(String, Vec<u8>)>,
    revision: Option<Revision>,
}

impl Model {
    fn content(&self) -> Option<String> {
        let text = self.document.as_ref()?.text();
        Some(ContentHash::of(text.as_bytes()).to_string())
    }
}

impl Workspace {
    /// Makes a checkpoint with the content of another one of the same kind, as it is or as it was at a revision.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint or revision, the new name is taken, or the kinds differ.
    pub fn fork(
        &self,
        key: &Key,
        new: &Key,
        at: Option<&Revision>,
    ) -> Result<Forked, WorkspaceError> {
        self.ensure_not_lost(&self.layout.place(key))?;
        self.fork_from(self, key, new, at)
    }

    /// The same, of a checkpoint as another workspace has it, such as one with what was deleted.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint or revision, the new name is taken, or the kinds differ.
    pub fn fork_from(
        &self,
        source: &Self,
        key: &Key,
        new: &Key,
        at: Option<&Revision>,
    ) -> Result<Forked, WorkspaceError> {
        let model = source.model(key, at)?;
        self.check_free(key, new)?;
        self.forked(key, new, &model, Aim::Fork)
    }

    /// Gives a checkpoint another name. If this is interrupted, doing it again finishes it.
    ///
    /// # Errors
    ///
    /// If there is no such checkpoint, the new name is taken, the kinds differ, or its gate blocks and may not be removed.
    pub fn rename(&self, key: &Key, new: &Key) -> Result<Renamed, WorkspaceError> {
        let place = self.layout.place(key);
        // Otherwise nothing could tell later that the new one was renamed.
        let sealed = self.store.ensure_sealed();
        sealed.map_err(|error| Purpose::Save.failed(error))?;
        // A refusal writes nothing, and what is archived stays so.
        if self.half_removed(key)?.is_none() {
            self.ensure_not_lost(&place)?;
            self.check_blocks(key)?;
            let model = self.model(key, None)?;
            if !self.is_renamed_from(new, key, &model) {
                self.check_free(key, new)?;
                self.check_absent(new)?;
            }
        }
        self.ensure_unarchived(&place)?;
        let author = self.author("rename", &self.head());
        self.holding(&place, &author)?.rename_alone(key, new)
    }

    /// The archive of a renamed checkpoint whose removal was cut off, and its new name.
    fn half_removed(&self, key: &Key) -> Result<Option<(Archived, Key)>, WorkspaceError> {
        let Some(archived) = self.cut_off(key)? else {
            return Ok(None);
        };
        match self.renamed_to(&archived) {
            Some(to) if self.load(&to)?.is_some() => Ok(Some((archived, to))),
            _ => Ok(None),
        }
    }

    /// Refuses to rename a checkpoint in which something blocks that would not come along.
    fn check_blocks(&self, key: &Key) -> Result<(), WorkspaceError> {
        if let Key::Command(command) = key {
            self.check_gate_may_go(command)?;
        }
        match self.load(key)?.is_some_and(|loaded| blocks(&loaded)) {
            true => Err(Refusal::BlockStays(key.clone()).into()),
            false => Ok(()),
        }
    }

    /// Renames a checkpoint whose lock is held.
    fn rename_alone(&self, key: &Key, new: &Key) -> Result<Renamed, WorkspaceError> {
        if let Some((archived, to)) = self.half_removed(key)? {
            self.finish_removal(&archived)?;
            self.store.forget_renaming(&KeptAs::of(key));
            if to != *new {
                return Err(Refusal::Missing(key.clone()).into());
            }
            let fork = Forked {
                key: to,
                from: key.clone(),
                at: archived.revision.clone(),
                revision: None,
            };
            return Ok(Renamed { fork, archived });
        }
        self.check_blocks(key)?;
        let mut model = self.model(key, None)?;
        let fork = match self.unfinished_rename(key, new, &model) {
            Some(fork) => fork,
            None => {
                self.check_free(key, new)?;
                self.check_absent(new)?;
                self.note_renaming(key, new)?;
                self.forked(key, new, &model, Aim::Rename)?
            }
        };
        if let (Key::Plan(old), Key::Plan(new)) = (key, new)
            && self.chosen_plan()?.as_ref() == Some(old)
        {
            self.choose(new)?;
        }
        let fate = Fate::Renamed(self.deleted_archive(key), new.to_string());
        let mut attempts = 0;
        loop {
            match self.put_away(key, InFlight::Accepted, &fate, &model.texts) {
                Err(error) if error.is_contested() && attempts < MOST_SAVED => {
                    attempts += 1;
                    self.follow_editor(key, new, &mut model)?;
                }
                archived => {
                    let archived = archived?;
                    self.store.forget_renaming(&KeptAs::of(key));
                    return Ok(Renamed { fork, archived });
                }
            }
        }
    }

    /// Gives a plan that is being renamed what an editor has saved under its old name meanwhile. If another text was saved
    /// under its new name, there are two.
    fn follow_editor(&self, key: &Key, new: &Key, model: &mut Model) -> Result<(), WorkspaceError> {
        let (Key::Plan(old), Key::Plan(id)) = (key, new) else {
            return Ok(());
        };
        let directory = self.layout.plan_directory(id);
        for (name, text) in self.plan(old).texts()? {
            let known = model.texts.iter_mut().find(|(known, _)| *known == name);
            if let Some((_, known)) = known
                && *known != text
            {
                let saved = self.store.hand_over(&directory.join(&name), &text, known);
                if !saved.map_err(|error| Purpose::Save.failed(error))? {
                    self.store.forget_renaming(&KeptAs::of(key));
                    let (key, new) = (key.clone(), new.clone());
                    return Err(Refusal::SavedTwice { key, new }.into());
                }
                *known = text;
            }
        }
        Ok(())
    }

    /// Refuses a name under which there is a checkpoint.
    fn check_absent(&self, new: &Key) -> Result<(), WorkspaceError> {
        let is_there = match new {
            Key::Plan(id) => self.plan(id).exists(),
            _ => self.store.is_there(&self.path(new)),
        };
        match is_there {
            true => Err(Refusal::NameTaken(new.clone()).into()),
            false => Ok(()),
        }
    }

    /// Whether a checkpoint is what a renaming has made of this model.
    fn is_renamed_from(&self, new: &Key, key: &Key, model: &Model) -> bool {
        let origin = self.origin(new).ok().flatten();
        origin.is_some_and(|origin| {
            origin.is_renamed && origin.key == *key && origin.content == model.content()
        })
    }

    /// The fork that an interrupted renaming has made already.
    fn unfinished_rename(&self, key: &Key, new: &Key, model: &Model) -> Option<Forked> {
        if !self.is_renamed_from(new, key, model) {
            return None;
        }
        let place = self.place_of_fork(new, model);
        let author = self.author("rename", &self.head());
        // Finishes what was cut off between two files.
        self.transact(&place, Purpose::Save, &author, &|_| Ok((None, ())))
            .ok()?;
        let mut texts = model.texts.iter();
        let is_copied = texts.all(|(name, text)| {
            let file = place.files.iter().find(|file| file.name == *name);
            let content = file.and_then(|file| self.store.read(&file.path).ok().flatten());
            content.as_ref() == Some(text)
        });
        let is_there = self.store.is_there(&place.document().path);
        (is_copied && is_there).then(|| Forked {
            key: new.clone(),
            from: key.clone(),
            at: model.revision.clone(),
            revision: None,
        })
    }

    /// Refuses a new name that is taken, or is that of another kind.
    fn check_free(&self, key: &Key, new: &Key) -> Result<(), WorkspaceError> {
        let taken = |name: &Key| Err(Refusal::NameTaken(name.clone()).into());
        match (key, new) {
            (Key::Command(_), Key::Command(name)) => self.refuse_other_kind(&name.short())?,
            (Key::Pipeline(_), Key::Pipeline(id)) => {
                if let Some(other) = self.declared_elsewhere(id)? {
                    return taken(&Key::Pipeline(other));
                }
            }
            (Key::Plan(_), Key::Plan(_)) => {}
            _ => {
                let (key, new) = (key.clone(), new.clone());
                return Err(Refusal::OtherKind { key, new }.into());
            }
        }
        // What is in its place is found under the lock.
        match self.is_archived(new) {
            true => taken(new),
            false => Ok(()),
        }
    }

    /// The files of a fork. Of a plan, plan.md comes after its phase files: without it there is no plan, so a fork that was
    /// cut off is there with all of them or not at all.
    fn place_of_fork(&self, new: &Key, model: &Model) -> Place {
        let Key::Plan(id) = new else {
            return self.layout.place(new);
        };
        let names = model.texts.iter().map(|(name, _)| name);
        let phases = names.filter(|name| phase_number(name).is_some());
        let phases: Vec<String> = phases.cloned().collect();
        let mut place = self.layout.plan_place(id, &phases);
        place.files[..=phases.len()].rotate_left(1);
        place
    }

    fn model(&self, key: &Key, at: Option<&Revision>) -> Result<Model, WorkspaceError> {
        let load = |error: StoreError| Purpose::Load.failed(error);
        let (document, revision) = match at {
            Some(at) => {
                let exact = self.store.in_its_epoch(&self.layout.place(key), at);
                let exact = exact.map_err(load)?;
                (self.at_revision(key, &exact).map(Some), Some(exact))
            }
            None => {
                let loaded = self.load(key)?;
                let revision = loaded.as_ref().map(|loaded| self.revision(loaded));
                let document = loaded.map(|loaded| loaded.document);
                (Ok(document), revision.transpose()?.flatten())
            }
        };
        let Key::Plan(id) = key else {
            let document = document?.ok_or_else(|| Refusal::Missing(key.clone()))?;
            return Ok(Model {
                document: Some(document),
                texts: Vec::new(),
                revision,
            });
        };
        let texts = match at {
            Some(at) => self.plan(id).texts_at(revision.as_ref().unwrap_or(at))?,
            None => self.plan(id).texts()?,
        };
        if !texts.iter().any(|(name, _)| name == PLAN_FILE) {
            let is_known = self.plan(id).exists() || self.is_archived(key);
            return Err(match (at, is_known) {
                (None, true) => plan::Refusal::Unparsable(Unparsable::Missing).into(),
                (None, false) => Refusal::Missing(key.clone()).into(),
                (Some(_), _) => {
                    plan::Refusal::NoSource("its history does not have plan.md at that revision")
                        .into()
                }
            });
        }
        Ok(Model {
            // Before the first change there was no state.
            document: document.ok().flatten(),
            texts,
            revision,
        })
    }

    fn forked(
        &self,
        key: &Key,
        new: &Key,
        model: &Model,
        aim: Aim,
    ) -> Result<Forked, WorkspaceError> {
        let mut event = Event::new(EventName::Forked).with("from", key.to_string());
        if let Some(revision) = &model.revision {
            event = event.with("from_rev", revision.to_string());
        }
        if let (Aim::Rename, content) = (aim, model.content()) {
            event = event.with(RENAMES, true).with(CONTENT, content);
        }
        let doing = match aim {
            Aim::Fork => "fork",
            Aim::Rename => "rename",
        };
        let place = self.place_of_fork(new, model);
        let author = self.author(doing, &self.head());
        let (committed, document) =
            self.transact(&place, Purpose::Save, &author, &|snapshot: &Snapshot| {
                if snapshot.contents.iter().any(Option::is_some) {
                    return Err(Refusal::NameTaken(new.clone()).into());
                }
                let (document, later) = self.own_document(new, model, aim, snapshot.now)?;
                let mut events = vec![event.clone()];
                events.extend(later);
                let writes = place.files.iter().enumerate().filter_map(|(at, file)| {
                    let text = model.texts.iter().find(|(name, _)| *name == file.name);
                    let content = match (file.role, text) {
                        (Role::Own, _) => document.text().as_bytes().to_vec(),
                        (Role::Shared, Some((_, text))) => text.clone(),
                        (Role::Shared, None) => return None,
                    };
                    Some(Write::created(at, content))
                });
                let proposal = Proposal {
                    events,
                    writes: writes.collect(),
                    beside: Vec::new(),
                };
                Ok((Some(proposal), document))
            })?;
        self.note_gate(new, is_over(document.root()), document.root());
        Ok(Forked {
            key: new.clone(),
            from: key.clone(),
            at: model.revision.clone(),
            revision: committed.map(|committed| committed.revision),
        })
    }

    /// The document of a fork: that of its model under the new name, without what does not come along.
    fn own_document(
        &self,
        new: &Key,
        model: &Model,
        aim: Aim,
        now: Timestamp,
    ) -> Result<(Document, Vec<Event>), WorkspaceError> {
        let root = match &model.document {
            None => None,
            Some(document) => match document.value() {
                Value::Object(root) => Some(without_power(root)),
                _ => return Err(Refusal::NotAnObject.into()),
            },
        };
        let (value, events) = match new {
            Key::Command(key) => {
                let mut root = root.unwrap_or_default();
                // Two pull requests must not claim to close one issue.
                if aim == Aim::Fork {
                    root.remove(command::ISSUE);
                }
                (command::named(root, key), Vec::new())
            }
            Key::Pipeline(id) => (pipeline::named(root.unwrap_or_default(), id), Vec::new()),
            Key::Plan(id) => {
                let sources: Vec<plan::Source<'_>> = model
                    .texts
                    .iter()
                    .map(|(name, text)| plan::Source { name, text })
                    .collect();
                let outline = Outline::read(&sources).map_err(|_| plan::Refusal::TooLong {
                    name: PLAN_FILE.to_owned(),
                })?;
                let checksum =
                    |(name, text): &(String, Vec<u8>)| (name.clone(), plan::checksum(text));
                let sums: Vec<(String, String)> = model.texts.iter().map(checksum).collect();
                let (own, phases): (Vec<_>, Vec<_>) =
                    sums.into_iter().partition(|(name, _)| name == PLAN_FILE);
                let path = self.layout.plan_directory(id).join(PLAN_FILE);
                let context = Context {
                    plan_id: id.as_str(),
                    plan_path: &path.display().to_string(),
                    checksum: own.first().map_or("", |(_, sum)| sum),
                    phase_files: &phases,
                    now,
                    by: None,
                };
                let Reconciled { state, events } =
                    plan::reconcile(root.as_ref(), &outline, &context);
                (state, events)
            }
        };
        let unwritable = Refusal::Unwritable;
        let document = match &model.document {
            // Other members keep their form.
            Some(document) => {
                let edit = document.rewrite(&value);
                let text = edit.apply(document.text().as_bytes());
                let text = text.expect("a rewrite fits its own document");
                Document::from_bytes(text).map_err(unwritable)?
            }
            None => Document::from_value(&value).map_err(unwritable)?,
        };
        Ok((document, events))
    }

    /// Where a checkpoint came from, if it was forked or renamed here.
    pub fn origin(&self, key: &Key) -> Result<Option<Origin>, WorkspaceError> {
        let Some(history) = self.history(key)? else {
            return Ok(None);
        };
        let place = self.layout.place(key);
        let sealer = place.sealer(self.vault().seals());
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        let lines = Forward::new(history.file()).map_err(failed)?;
        for line in lines.take(BEFORE_ORIGIN) {
            let line = line.map_err(failed)?;
            let is_ours = line.counts(sealer);
            if let Some(origin) = origin_of(&line).filter(|_| is_ours) {
                return Ok(Some(origin));
            }
        }
        Ok(None)
    }

    /// The new name of a checkpoint that went into the archive because it was renamed.
    #[must_use]
    pub fn renamed_to(&self, archived: &Archived) -> Option<Key> {
        let history = self.archived_history(archived).ok()??;
        let last = history.newest_first().ok()?.next()?.ok()?;
        if last.event_name() != Some(EventName::Renamed) {
            return None;
        }
        let facts = last.facts();
        let (_, to) = facts.iter().find(|(name, _)| name == "to")?;
        Key::parse(&to.as_str()?).ok()
    }

    /// The history of a checkpoint in the archive, deleted or not.
    pub fn archived_history(&self, archived: &Archived) -> Result<Option<History>, WorkspaceError> {
        let place = self.layout.place(&archived.key);
        let history = self.store.history_in(&place, &archived.path);
        let history = history.map_err(|error| Purpose::Load.failed(error))?;
        Ok(history.map(History::new))
    }
}

fn origin_of(line: &Line) -> Option<Origin> {
    if line.event_name() != Some(EventName::Forked) {
        return None;
    }
    let facts = line.facts();
    let fact = |name: &str| facts.iter().find(|(known, _)| known == name);
    let text = |name: &str| Some(fact(name)?.1.as_str()?.into_owned());
    Some(Origin {
        key: Key::parse(&text("from")?).ok()?,
        revision: text("from_rev"),
        is_renamed: fact(RENAMES).and_then(|(_, value)| value.as_bool()) == Some(true),
        content: text(CONTENT),
    })
}

/// Whether something blocks in a checkpoint that would not go along: its gate, a gate that failed, or its review.
fn blocks(loaded: &Loaded) -> bool {
    let root = loaded.document.root();
    let gate = root.get("gate").and_then(|gate| gate.get("ship_allowed"));
    let receipts = root.get("receipts").map(Node::members).unwrap_or_default();
    let result = |receipt: Node<'_>| receipt.get("result")?.as_str().map(|word| word == "failed");
    let review = root
        .get("adversarial_review")
        .and_then(|review| review.get("verdict"));
    let verdict = review.and_then(Node::as_str);
    gate.is_some_and(|allowed| allowed.as_bool() != Some(true))
        || receipts
            .iter()
            .any(|(_, receipt)| result(*receipt) == Some(true))
        || verdict.as_deref() == Some("do_not_ship")
}

/// A document without what decides whether something may ship, and without those who are at work.
fn without_power(mut root: Object) -> Object {
    let is_power = |name: &str, value: &Value| {
        LEFT_BEHIND.contains(&name) || (name != BINDING && has_seal(value))
    };
    let gone: Vec<String> = root
        .iter()
        .filter(|(name, value)| is_power(name, value))
        .map(|(name, _)| name.to_owned())
        .collect();
    for name in gone {
        root.remove(&name);
    }
    if let Some(binding) = root.get_mut(BINDING).and_then(Value::as_object_mut) {
        binding.remove(SEAL);
    }
    root
}

#[cfg(test)]
mod tests;
