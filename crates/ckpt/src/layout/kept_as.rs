//! The name of a document where copies of it are kept: in the mirror and in the archive.

use std::path::{Path, PathBuf};

use super::{CHECKPOINT_ENDING, HISTORY_ENDING, RENAMING, TRASH};
use crate::key::{CommandKey, Key, KeyError, PipelineId, PlanId};
use crate::time::Timestamp;

/// The name of a document among copies: its kind, and the name of its file without the ending.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct KeptAs {
    kind: &'static str,
    stem: String,
}

/// The ending of archives.
const ARCHIVE_ENDING: &str = ".zst";

const COMMAND: &str = "command";
const PIPELINE: &str = "pipeline";
const PLAN: &str = "plan";

impl KeptAs {
    /// The directories of copies, one for each kind.
    pub(crate) const KINDS: [&'static str; 3] = [COMMAND, PIPELINE, PLAN];

    /// The name under which a command is kept.
    pub(crate) fn of_command(key: &CommandKey) -> Self {
        let (kind, stem) = (COMMAND, key.stem());
        Self { kind, stem }
    }

    /// The name under which a pipeline is kept.
    pub(crate) fn of_pipeline(id: &PipelineId) -> Self {
        let (kind, stem) = (PIPELINE, id.stem());
        Self { kind, stem }
    }

    /// The name under which a plan is kept.
    pub(crate) fn of_plan(id: &PlanId) -> Self {
        let (kind, stem) = (PLAN, id.as_str().to_owned());
        Self { kind, stem }
    }

    /// The name under which the document of a key is kept.
    #[must_use]
    pub fn of(key: &Key) -> Self {
        match key {
            Key::Command(key) => Self::of_command(key),
            Key::Pipeline(id) => Self::of_pipeline(id),
            Key::Plan(id) => Self::of_plan(id),
        }
    }

    /// Whether it is the name for the document of a key, as written.
    pub(crate) fn is_of(&self, key: &str) -> bool {
        Key::parse(key).is_ok_and(|key| Self::of(&key) == *self)
    }

    /// Whether a document of this name may be called like this, in any case. Only its key tells for sure.
    pub(crate) fn may_be_called(&self, typed: &str) -> bool {
        let named = typed.split_once(':');
        let named = named.filter(|(kind, _)| kind.eq_ignore_ascii_case(self.kind));
        let typed = named.map_or(typed, |(_, rest)| rest);
        let stem = match self.kind {
            COMMAND => CommandKey::parse(typed).ok().map(|key| key.stem()),
            PIPELINE => PipelineId::new(typed).ok().map(|id| id.stem()),
            // The subject of a plan is the end of its id.
            _ => {
                let before = self.stem.len().checked_sub(typed.len());
                let end = before.and_then(|before| self.stem.get(before..));
                return end.is_some_and(|end| end.eq_ignore_ascii_case(typed));
            }
        };
        stem.is_some_and(|stem| stem.eq_ignore_ascii_case(&self.stem))
    }

    /// The name that a file in the directory of a kind stands for; `None` if it is not a history.
    pub(crate) fn of_history(kind: &'static str, file: &str) -> Option<Self> {
        Self::with_ending(kind, file, HISTORY_ENDING)
    }

    /// The document's name in seals.
    #[must_use]
    pub fn sealed_name(&self) -> String {
        format!("{}:{}", self.kind, self.stem)
    }

    /// The kind, as the name of a directory.
    pub(super) fn kind(&self) -> &'static str {
        self.kind
    }

    /// The stem.
    #[must_use]
    pub fn stem(&self) -> &str {
        &self.stem
    }

    /// The path of its history, relative to where copies are kept.
    pub(crate) fn history(&self) -> PathBuf {
        PathBuf::from(self.kind).join(format!("{}{HISTORY_ENDING}", self.stem))
    }

    /// The name of the file that says that the copy of its history is behind.
    pub(crate) fn owed(&self) -> String {
        format!("{}.{}{HISTORY_ENDING}", self.kind, self.stem)
    }

    /// The name that such a file stands for.
    pub(crate) fn of_owed(file: &str) -> Option<Self> {
        let (kind, name) = file.split_once('.')?;
        let kind = Self::KINDS.into_iter().find(|known| *known == kind)?;
        Self::of_history(kind, name)
    }

    /// The name of the file that says that it is being renamed.
    pub(crate) fn renaming(&self) -> String {
        format!("{RENAMING}{}.{}", self.kind, self.stem)
    }

    /// The path of a follower's cursor.
    pub(crate) fn cursor(&self) -> PathBuf {
        PathBuf::from(self.kind).join(format!("{}{CHECKPOINT_ENDING}", self.stem))
    }

    /// The path of its archive.
    pub(crate) fn archive(&self) -> PathBuf {
        PathBuf::from(self.kind).join(format!("{}{ARCHIVE_ENDING}", self.stem))
    }

    /// The path of the archive of something that was deleted at some time.
    pub(crate) fn deleted(&self, time: &str) -> PathBuf {
        PathBuf::from(self.kind).join(format!("{}.{time}{ARCHIVE_ENDING}", self.stem))
    }

    /// The name that an archive stands for; `None` if the file is not an archive.
    pub(crate) fn of_archive(kind: &'static str, file: &str) -> Option<Self> {
        Self::with_ending(kind, file, ARCHIVE_ENDING)
    }

    /// The name that the archive of something deleted stands for.
    pub(crate) fn of_deleted(kind: &'static str, file: &str) -> Option<Self> {
        let name = file.strip_suffix(ARCHIVE_ENDING)?;
        // A time has one dot.
        let (seconds, _) = name.rmatch_indices('.').nth(1)?;
        let stem = &name[..seconds];
        let stem = Some(stem).filter(|stem| !stem.is_empty() && !stem.starts_with('.'))?;
        let stem = stem.to_owned();
        Some(Self { kind, stem })
    }

    /// The document that an archive is of, and whether it was deleted, by its path in the directory of archives.
    pub(crate) fn of_archive_below(below: &Path) -> Option<(Self, bool)> {
        let is_deleted = below.starts_with(TRASH);
        let kind = below.parent()?.file_name()?.to_str()?;
        let kind = Self::KINDS.into_iter().find(|known| *known == kind)?;
        let name = below.file_name()?.to_str()?;
        let kept_as = match is_deleted {
            true => Self::of_deleted(kind, name)?,
            false => Self::of_archive(kind, name)?,
        };
        Some((kept_as, is_deleted))
    }

    /// When something was deleted, by the name of its archive.
    pub(crate) fn deleted_at(archive: &Path) -> Option<String> {
        let name = archive
            .file_name()?
            .to_str()?
            .strip_suffix(ARCHIVE_ENDING)?;
        let (seconds, _) = name.rmatch_indices('.').nth(1)?;
        Timestamp::parse(&name[seconds + 1..]).map(|time| time.to_string())
    }

    fn with_ending(kind: &'static str, file: &str, ending: &str) -> Option<Self> {
        let stem = file.strip_suffix(ending)?;
        let stem = Some(stem).filter(|stem| !stem.is_empty() && !stem.starts_with('.'))?;
        let stem = stem.to_owned();
        Some(Self { kind, stem })
    }

    /// The path of a history that ended at some time.
    pub(crate) fn history_until(&self, time: &str) -> PathBuf {
        PathBuf::from(self.kind).join(format!("{}.{time}{HISTORY_ENDING}", self.stem))
    }

    /// The key of a pipeline or a plan; `None` for a command, whose stem does not tell where its name ends and its
    /// feature begins.
    ///
    /// # Errors
    ///
    /// If the stem is not a name.
    pub fn key(&self) -> Result<Option<Key>, KeyError> {
        Ok(match self.kind {
            PIPELINE => Some(Key::Pipeline(PipelineId::new(&self.stem)?)),
            PLAN => Some(Key::Plan(PlanId::new(&self.stem)?)),
            _ => None,
        })
    }

    /// The same; for a command, the key that its file's name alone leads to.
    #[must_use]
    pub fn likely_key(&self) -> Option<Key> {
        let command = || CommandKey::of_file(&self.stem, None, None).map(Key::Command);
        self.key().ok()?.or_else(command)
    }
}
