//! Finding what a user means by a name: a whole one, its beginning in any case, or one with a typing error.

use super::{Workspace, WorkspaceError};
use crate::key::{CommandKey, Key, KeyError, Meaning, PipelineId, PlanId, closest};
use crate::layout::CHECKPOINT_ENDING;

/// Why a checkpoint is created.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Creation {
    /// The user asks for it.
    Asked,
    /// A change of it creates it. A command without its feature is then probably one of its checkpoints.
    Aside,
}

/// The maximum number of checkpoints that are suggested.
const MOST_NEAR: usize = 5;

impl Workspace {
    /// Finds the key for what a user typed. The kind may be omitted, and a name may be cut, if only one checkpoint is
    /// meant then. If none is, and none has a similar name, the key is that of a command.
    pub fn find_key(&self, text: &str) -> Result<Key, WorkspaceError> {
        match text.split_once(':') {
            Some(("plan", id)) => return self.find_plan(id).map(Key::Plan),
            Some(("pipeline", id)) => return self.find_pipeline(id).map(Key::Pipeline),
            Some(("command", _)) => return self.find_command(text).map(Key::Command),
            _ => {}
        }
        if let Some(key) = self.key_of_file(text)? {
            return Ok(key);
        }
        let command = CommandKey::parse(text);
        let there = command.as_ref().ok().map(Key::from);
        let there = there.filter(|key| self.is_there(key));
        // No pipeline is called like a command that has a feature.
        if let Some(key) = there.as_ref().filter(|_| text.contains('/')) {
            return Ok(key.clone());
        }
        let mut names: Vec<(String, Key)> = Vec::new();
        names.extend(there.map(|key| (text.to_owned(), key)));
        let pipelines = self.pipeline_names()?.into_iter();
        names.extend(pipelines.map(|(name, id)| (name, Key::Pipeline(id))));
        let plans = self.plans()?;
        names.extend(plans.iter().map(|id| (id.to_string(), Key::from(id))));
        let pipeline = PipelineId::new(text).ok().map(Key::Pipeline);
        let plan = PlanId::new(text).ok().map(Key::Plan);
        let archived = pipeline.into_iter().chain(plan);
        let archived = archived.filter(|key| self.is_archived(key));
        names.extend(archived.map(|key| (text.to_owned(), key)));
        let is_exact = names.iter().any(|(name, _)| name == text);
        if !is_exact {
            let commands = self.command_keys()?.into_iter();
            names.extend(commands.map(|key| (key.short(), Key::Command(key))));
            names.extend(self.archived_names());
            names.extend(
                plans
                    .iter()
                    .map(|id| (id.subject().to_owned(), Key::from(id))),
            );
        }
        let meaning = self.unless_deleted(text, Meaning::of(text, &names))?;
        if let Some(lost) = self.lost_key(text, &meaning) {
            return Ok(lost);
        }
        let shown = |key: &Key| match is_exact {
            // The kinds tell them apart.
            true => key.to_string(),
            false => key.short(),
        };
        match settled(meaning, "checkpoint", text, shown)? {
            Some(key) => Ok(key),
            None => Ok(Key::Command(command?)),
        }
    }

    /// Finds a command checkpoint that is to be changed, in the same way.
    pub fn find_command(&self, text: &str) -> Result<CommandKey, WorkspaceError> {
        let key = CommandKey::parse(text)?;
        if self.is_there(&Key::from(&key)) {
            return Ok(key);
        }
        let names = self.command_names()?;
        let mut meaning = Meaning::of(&key.short(), &names);
        // A command alone is a whole name, not the beginning of one with a feature.
        if let Meaning::Short(found) = &meaning
            && key.feature().is_none()
            && found.command() == key.command()
        {
            meaning = Meaning::Near(vec![found.clone()]);
        }
        let meaning = self.unless_deleted(&key.short(), meaning)?;
        let found = settled(meaning, "checkpoint", &key.short(), CommandKey::short)?;
        if found.is_none() {
            self.refuse_other_kind(&key.short())?;
        }
        Ok(found.unwrap_or(key))
    }

    /// What a name means. The whole name of a checkpoint that was deleted is not the beginning of another one's.
    fn unless_deleted<T: Clone>(
        &self,
        name: &str,
        meaning: Meaning<T>,
    ) -> Result<Meaning<T>, WorkspaceError>
    where
        Key: From<T>,
    {
        let Meaning::Short(found) = &meaning else {
            return Ok(meaning);
        };
        let deleted = self.find_gone(name, Some(&Key::from(found.clone())))?;
        Ok(match deleted {
            Some(_) => Meaning::Unknown,
            None => meaning,
        })
    }

    /// The missing checkpoint that has this name, if nothing that is here has it.
    fn lost_key(&self, name: &str, meaning: &Meaning<Key>) -> Option<Key> {
        match meaning {
            Meaning::Exact(_) | Meaning::Several(_) | Meaning::Short(Key::Command(_)) => None,
            Meaning::Short(_) | Meaning::Near(_) | Meaning::Unknown => {
                closest(self.missing_keys(), |key| key.fit(name))
            }
        }
    }

    /// Refuses a name that is that of a pipeline or a plan, where a command is needed.
    pub(super) fn refuse_other_kind(&self, name: &str) -> Result<(), WorkspaceError> {
        let pipelines = self.pipeline_names()?;
        if pipelines.iter().any(|(known, _)| known == name) {
            return Err(KeyError::Kind("pipeline".to_owned(), name.to_owned()).into());
        }
        if PlanId::new(name).is_ok_and(|id| self.plan(&id).exists()) {
            return Err(KeyError::Kind("plan".to_owned(), name.to_owned()).into());
        }
        Ok(())
    }

    /// Refuses the name of a deleted checkpoint that says when it was deleted.
    fn refuse_name_of_deleted(&self, name: &str) -> Result<(), WorkspaceError> {
        let exact = Some(name).filter(|name| name.contains('@'));
        match exact.and_then(|exact| self.find_archived(exact)) {
            Some(archived) if !archived.key.is_called(name) => Err(WorkspaceError::not_found(
                Key::Command(CommandKey::parse(name)?),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses the key of a checkpoint that is to be new, if it is not there and its name is that of a pipeline or a plan,
    /// or much like that of another checkpoint. A change creates none under a name that was given up.
    pub fn check_new(&self, key: &CommandKey, creation: Creation) -> Result<(), WorkspaceError> {
        if self.is_there(&Key::from(key)) {
            return Ok(());
        }
        let name = key.short();
        self.refuse_name_of_deleted(&name)?;
        if creation == Creation::Aside && self.find_renamed(&key.into()).is_some() {
            return Err(WorkspaceError::not_found(key.into()));
        }
        self.refuse_other_kind(&name)?;
        let names = self.command_names()?;
        // Another process may have made it meanwhile.
        if names.iter().any(|(known, _)| *known == name) {
            return Ok(());
        }
        let mut near = Meaning::near_new(&name, &names);
        // `impl/auth` for `implement/auth`.
        let is_shortened = |known: &CommandKey| {
            let begins =
                |whole: &str, cut: &str| whole.to_lowercase().starts_with(&cut.to_lowercase());
            known.feature().is_some()
                && known.feature().map(str::to_lowercase) == key.feature().map(str::to_lowercase)
                && begins(known.command(), key.command())
        };
        let shortened = names.iter().filter(|(_, known)| is_shortened(known));
        near.extend(shortened.map(|(_, known)| known.clone()));
        near.dedup();
        if creation == Creation::Aside && key.feature().is_none() {
            let of_features = names.into_iter().map(|(_, known)| known);
            near.extend(of_features.filter(|known| known.command() == name));
            near.truncate(MOST_NEAR);
        }
        if near.is_empty() {
            return Ok(());
        }
        Err(KeyError::Near {
            noun: "checkpoint",
            name: key.short(),
            near: near.iter().map(CommandKey::short).collect(),
            may_be_new: true,
        }
        .into())
    }

    /// Finds a pipeline by the name of its file, by any id that it declares, or by the beginning of one.
    pub fn find_pipeline(&self, text: &str) -> Result<PipelineId, WorkspaceError> {
        let names = self.pipeline_names()?;
        let archived = PipelineId::new(text).ok();
        if let Some(id) = archived.filter(|id| self.is_archived(&id.into())) {
            return Ok(id);
        }
        if let Some(id) = of_file(text, &names) {
            return Ok(id);
        }
        let is_exact = names.iter().any(|(name, _)| name == text);
        let lost = PipelineId::new(text).ok().filter(|_| !is_exact);
        if let Some(id) = lost.filter(|id| self.is_lost(&id.into())) {
            return Ok(id);
        }
        let shown = |id: &PipelineId| match is_exact {
            // Their files tell them apart.
            true => file_of(id),
            false => id.to_string(),
        };
        let meaning = self.or_put_away(text, &names, |key| match key {
            Key::Pipeline(id) => Some(id),
            Key::Command(_) | Key::Plan(_) => None,
        });
        let found = settled(meaning, "pipeline", text, shown)?;
        Ok(found.map_or_else(|| PipelineId::new(text), Ok)?)
    }

    /// The pipeline that declares this id in a file of another name. Several files that claim it are refused.
    pub(super) fn declared_elsewhere(
        &self,
        id: &PipelineId,
    ) -> Result<Option<PipelineId>, WorkspaceError> {
        let names = self.pipeline_names()?.into_iter();
        let claims = names.filter(|(name, _)| name == id.as_str());
        let mut files: Vec<PipelineId> = claims.map(|(_, other)| other).collect();
        files.sort_unstable();
        files.dedup();
        match files.as_slice() {
            [] => Ok(None),
            [one] => Ok((one.stem() != id.stem()).then(|| one.clone())),
            several => Err(KeyError::Ambiguous {
                name: id.to_string(),
                keys: several.iter().map(file_of).collect(),
            }
            .into()),
        }
    }

    /// Finds a plan by its id, by what follows the date in it, or by the beginning of either.
    pub fn find_plan(&self, text: &str) -> Result<PlanId, WorkspaceError> {
        let exact = PlanId::new(text).ok();
        let is_there = |id: &PlanId| self.plan(id).exists() || self.is_kept(&id.into());
        if let Some(id) = exact.filter(is_there) {
            return Ok(id);
        }
        let names = self.plan_names()?;
        let meaning = self.or_put_away(text, &names, |key| match key {
            Key::Plan(id) => Some(id),
            Key::Command(_) | Key::Pipeline(_) => None,
        });
        let found = settled(meaning, "plan", text, PlanId::to_string)?;
        Ok(found.map_or_else(|| PlanId::new(text), Ok)?)
    }

    /// What a name means among these names. In the archive, whatever has exactly this name comes before what is only like it
    /// here; anything else there is meant only if nothing here is.
    fn or_put_away<T: Clone + PartialEq>(
        &self,
        text: &str,
        here: &[(String, T)],
        of_kind: impl Fn(Key) -> Option<T>,
    ) -> Meaning<T> {
        let is_exact = |(name, _): &&(String, T)| name == text;
        let meaning = Meaning::of(text, here);
        if here.iter().any(|one| is_exact(&one)) {
            return meaning;
        }
        let names = self.archived_names().into_iter();
        let put_away: Vec<(String, T)> = names
            .filter_map(|(name, key)| Some((name, of_kind(key)?)))
            .collect();
        match meaning {
            Meaning::Unknown => Meaning::of(text, &put_away),
            _ if put_away.iter().any(|one| is_exact(&one)) => Meaning::of(text, &put_away),
            here => here,
        }
    }

    fn archived_names(&self) -> Vec<(String, Key)> {
        let archived = self.archived().into_iter().filter(|one| !one.is_deleted);
        let names =
            archived.flat_map(|one| one.key.names().map(move |name| (name, one.key.clone())));
        names.collect()
    }

    /// The checkpoint whose file has this name, such as `PRD-007.json`.
    pub fn key_of_file(&self, text: &str) -> Result<Option<Key>, WorkspaceError> {
        let Some(stem) = text.strip_suffix(CHECKPOINT_ENDING) else {
            return Ok(None);
        };
        if let Some(id) = of_file(text, &self.pipeline_names()?) {
            return Ok(Some(Key::Pipeline(id)));
        }
        let mut commands = self.command_keys()?.into_iter();
        let command = commands.find(|key| key.stem() == stem);
        Ok(command.map(Key::Command))
    }

    fn command_names(&self) -> Result<Vec<(String, CommandKey)>, WorkspaceError> {
        let keys = self.command_keys()?.into_iter();
        Ok(keys.map(|key| (key.short(), key)).collect())
    }

    fn plan_names(&self) -> Result<Vec<(String, PlanId)>, WorkspaceError> {
        let mut names = Vec::new();
        for id in self.plans()? {
            names.push((id.subject().to_owned(), id.clone()));
            names.push((id.to_string(), id));
        }
        Ok(names)
    }

    /// Whether the document of a key exists, readable or not, in its place, in the archive or in the mirror.
    pub(super) fn is_there(&self, key: &Key) -> bool {
        let path = self.path(key);
        let in_place = || {
            let found = self.store.read_beginning(&path, 0);
            Ok(found.map_or(Some(()), |found| found.map(drop)))
        };
        let in_archive = || Ok(self.is_archived(key).then_some(()));
        let found = self
            .store
            .in_place_or_archive(&path, &in_place, &in_archive);
        matches!(found, Ok(Some(()))) || self.is_lost(key)
    }

    /// Whether a document that is not in its place would be brought back by a change.
    pub(super) fn is_kept(&self, key: &Key) -> bool {
        self.is_archived(key) || self.is_lost(key)
    }

    /// Whether something of a checkpoint is missing in this worktree while the mirror has it.
    #[must_use]
    pub fn is_lost(&self, key: &Key) -> bool {
        matches!(self.lost_of(&self.layout.place(key)), Ok(Some(_)))
    }
}

/// The pipeline whose file has this name.
fn of_file(text: &str, names: &[(String, PipelineId)]) -> Option<PipelineId> {
    let stem = text.strip_suffix(CHECKPOINT_ENDING)?;
    let (_, id) = names.iter().find(|(_, id)| id.stem() == stem)?;
    Some(id.clone())
}

/// The name of a pipeline's file.
fn file_of(id: &PipelineId) -> String {
    format!("{}{CHECKPOINT_ENDING}", id.stem())
}

/// The one thing that is meant; nothing if there is none and none has a similar name.
fn settled<T>(
    meaning: Meaning<T>,
    noun: &'static str,
    typed: &str,
    name: impl Fn(&T) -> String,
) -> Result<Option<T>, KeyError> {
    let names = |all: &[T]| all.iter().map(&name).collect();
    match meaning {
        Meaning::Exact(one) | Meaning::Short(one) => Ok(Some(one)),
        Meaning::Several(several) => Err(KeyError::Ambiguous {
            name: typed.to_owned(),
            keys: names(&several),
        }),
        Meaning::Near(near) => Err(KeyError::Near {
            noun,
            name: typed.to_owned(),
            near: names(&near),
            may_be_new: false,
        }),
        Meaning::Unknown => Ok(None),
    }
}
