//! Reading the specification of a pipeline. A specification that came with a clone must not lead outside the
//! repository.

use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::atomic::Ordering;

use super::super::error::Purpose;
use super::super::{Workspace, WorkspaceError};
use super::SpecState;
use crate::disk::lexical;
use crate::document::{Node, Object, Tree, Value};
use crate::hash::ContentHash;
use crate::key::{Key, PipelineId};
use crate::pipeline::{Pipeline, Refusal, Spec};
use crate::seal::Domain;
use crate::store::StoreError;

/// The maximum length of a specification, in bytes.
const LONGEST_SPEC: usize = 2 * 1024 * 1024;

/// A specification that was read.
pub(super) struct Source {
    /// Its path as stored: relative to the root if it is below the root.
    pub(super) stored: String,
    pub(super) spec: Spec,
    pub(super) hash: String,
}

/// The names that a pipeline's specification may have.
pub(super) fn names_of<'t, T: Tree<'t>>(id: &PipelineId, pipeline: Pipeline<T>) -> Vec<String> {
    let mut names = vec![id.to_string()];
    names.extend(pipeline.ids().map(Cow::into_owned));
    names
}

impl Workspace {
    /// The specification that a checkpoint names or, if it names none, the one that is found.
    pub(super) fn spec_of(
        &self,
        id: &PipelineId,
        pipeline: Pipeline<Node<'_>>,
        accepted: bool,
    ) -> SpecState {
        let named = pipeline.spec_path();
        let read = match &named {
            Some(path) => self.read_named_spec(path, accepted),
            None => self.find_spec(id, &names_of(id, pipeline)),
        };
        match read {
            Ok(source) => SpecState::Read {
                accepted,
                moved: pipeline.spec_hash().is_some_and(|hash| hash != source.hash),
                path: source.stored,
                spec: Box::new(source.spec),
            },
            Err(error) if named.is_none() => SpecState::Unknown {
                reason: error.to_string(),
            },
            Err(error) => SpecState::Unusable {
                reason: error.to_string(),
            },
        }
    }

    /// Reads the specification that a checkpoint names. A path that came with a clone must be below the root and must
    /// not pass through links; a path that the user named here may lead anywhere.
    pub(super) fn read_named_spec(
        &self,
        path: &str,
        accepted: bool,
    ) -> Result<Source, WorkspaceError> {
        let file = self.repository.root().join(path);
        let is_plain =
            |part: Component<'_>| matches!(part, Component::Normal(name) if name != ".git");
        if !Path::new(path).components().all(is_plain) {
            return match accepted {
                true => self.read_spec(&file),
                false => Err(Refusal::SpecOutside(path.to_owned()).into()),
            };
        }
        self.read_spec_below(&file)
    }

    pub(super) fn read_spec_below(&self, file: &Path) -> Result<Source, WorkspaceError> {
        match self.store.read(file) {
            Ok(Some(content)) => self.parse_spec(file, &content),
            Ok(None) => Err(Refusal::NoSpec(self.stored(file)).into()),
            Err(error) => Err(Purpose::Load.failed(error)),
        }
    }

    /// Whether the specification that a pipeline names was accepted here.
    pub(super) fn is_accepted(&self, key: &Key, source: &Object) -> bool {
        let seals = self.store.vault().seals();
        seals.vouches(Domain::Specification, &key.sealed_name(), source.view())
    }

    /// The path of a specification as stored.
    pub(super) fn stored(&self, file: &Path) -> String {
        let root = self.repository.root();
        let below = |path: &Path| path.strip_prefix(root).ok().map(PathBuf::from);
        let stored = below(file).or_else(|| below(&self.store.disk().resolve(file).ok()?));
        let stored = stored.unwrap_or_else(|| file.to_owned());
        stored.display().to_string()
    }

    /// Reads a specification that the user names, wherever it is.
    pub(super) fn read_spec(&self, file: &Path) -> Result<Source, WorkspaceError> {
        let spelled = lexical(file);
        if spelled.starts_with(self.repository.root()) {
            return self.read_spec_below(&spelled);
        }
        let real = self.store.disk().resolve(file);
        let real = real.unwrap_or_else(|_| file.to_owned());
        match self.store.disk().read(&real) {
            Ok(content) => self.parse_spec(file, &content),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                Err(Refusal::NoSpec(self.stored(file)).into())
            }
            Err(source) => {
                let error = StoreError::io(crate::store::Action::Read, file, source);
                Err(Purpose::Load.failed(error))
            }
        }
    }

    pub(super) fn parse_spec(&self, file: &Path, content: &[u8]) -> Result<Source, WorkspaceError> {
        let stored = self.stored(file);
        if content.len() > LONGEST_SPEC {
            return Err(Refusal::SpecTooLarge(stored).into());
        }
        let left = self.spec_values.load(Ordering::Relaxed);
        if left == 0 {
            return Err(Refusal::TooManySpecs(stored).into());
        }
        let spec = Spec::from_bytes(content);
        let values = spec.as_ref().map_or(Spec::MOST_VALUES, Spec::values);
        let left = left.saturating_sub(values);
        self.spec_values.store(left, Ordering::Relaxed);
        let spec = spec.map_err(|error| Refusal::Spec {
            path: stored.clone(),
            error,
        })?;
        Ok(Source {
            stored,
            spec,
            hash: ContentHash::of(content).to_string(),
        })
    }

    /// The specification that a tree names or, if it names none, the one that is found.
    pub(super) fn spec_in(&self, id: &PipelineId, value: &Value) -> Option<Source> {
        let names = names_of(id, Pipeline::new(value.view()));
        let find = || self.find_spec(id, &names).ok();
        let Some(source) = value.as_object()?.get("execution_spec") else {
            return find();
        };
        let path = source
            .as_str()
            .or_else(|| source.as_object()?.get("path")?.as_str());
        let Some(path) = path else {
            return find();
        };
        let source = source.as_object();
        let accepted = source.is_some_and(|source| self.is_accepted(&Key::from(id), source));
        self.read_named_spec(path, accepted).ok()
    }

    /// Seals the specification's path and checksum: the user who asked for this has seen the commands of its gates.
    pub(super) fn take_over(&self, id: &PipelineId, pipeline: &mut Value) {
        let Some(root) = pipeline.as_object_mut() else {
            return;
        };
        let about = Key::from(id).sealed_name();
        let seals = self.store.vault().seals_for_writing();
        let source = root.object_mut("execution_spec");
        seals.seal(Domain::Specification, &about, source);
    }
}
