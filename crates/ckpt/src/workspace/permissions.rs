//! What the user has allowed: the destinations that this repository may contact.
//!
//! They lie beside the key, where no clone can bring one. A permission holds for exactly what was allowed: a destination
//! of the same name with another address, secret or choice of events is another destination.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::error::Purpose;
use super::{Workspace, WorkspaceError};
use crate::disk::Mode;
use crate::follower::FollowerName;
use crate::integrations::Destination;
use crate::layout::ALLOWED;
use crate::operation::Refusal;
use crate::store::{Action, StoreError, make_directories, replace};

/// The ending of the files.
const ENDING: &str = ".json";

/// A destination that the user has allowed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Permission {
    /// The destination.
    pub destination: Destination,
    /// The digest of the values behind its references, where they decide who is reached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub values: Option<String>,
    /// Whether it may be on this machine or in a network around it.
    #[serde(default)]
    pub is_private: bool,
    /// When it was allowed, as written.
    pub allowed_at: String,
}

/// Whether a destination may be contacted.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    /// The user has allowed it.
    Allowed(Permission),
    /// The user has allowed another destination of this name.
    Changed(Permission),
    /// The user has not allowed it.
    Unknown,
}

/// The permissions of a repository.
#[derive(Debug, Clone, Copy)]
pub struct Permissions<'w> {
    workspace: &'w Workspace,
}

impl Workspace {
    /// What the user has allowed this repository to contact.
    #[must_use]
    pub fn permissions(&self) -> Permissions<'_> {
        Permissions { workspace: self }
    }
}

impl Permissions<'_> {
    fn file(&self, name: &FollowerName) -> Option<PathBuf> {
        let directory = self.workspace.store.mirror()?.beside(ALLOWED);
        Some(directory.join(format!("{name}{ENDING}")))
    }

    /// The permission of this name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<Permission> {
        let file = self.file(&FollowerName::new(name).ok()?)?;
        let content = self.workspace.store.disk().read(&file).ok()?;
        let permission: Permission = serde_json::from_slice(&content).ok()?;
        (permission.destination.name == name).then_some(permission)
    }

    /// Whether a destination may be contacted.
    #[must_use]
    pub fn standing(&self, destination: &Destination) -> Standing {
        match self.get(&destination.name) {
            None => Standing::Unknown,
            Some(permission) if permission.destination == *destination => {
                Standing::Allowed(permission)
            }
            Some(permission) => Standing::Changed(permission),
        }
    }

    /// Notes that the user allows a destination.
    ///
    /// # Errors
    ///
    /// If nothing can be kept beside the key.
    pub fn grant(&self, permission: &Permission) -> Result<(), WorkspaceError> {
        let name = FollowerName::new(&permission.destination.name);
        let file = name.ok().and_then(|name| self.file(&name));
        let file = file.ok_or(Refusal::NothingToKeepIn)?;
        let directory = file.parent().unwrap_or(&file);
        let disk = self.workspace.store.disk();
        let failed = |error| Purpose::Save.failed(error);
        make_directories(disk, directory)
            .map_err(|source| failed(StoreError::io(Action::Create, directory, source)))?;
        let content = serde_json::to_vec_pretty(permission).unwrap_or_default();
        replace(disk, &file, &content, Mode::Private).map_err(failed)
    }

    /// Takes a permission back. `false` if there is none.
    ///
    /// # Errors
    ///
    /// If it cannot be removed.
    pub fn revoke(&self, name: &FollowerName) -> Result<bool, WorkspaceError> {
        let Some(file) = self.file(name) else {
            return Ok(false);
        };
        if !self.workspace.store.is_there(&file) {
            return Ok(false);
        }
        let removed = self.workspace.store.disk().remove(&file);
        let failed = |source| Purpose::Save.failed(StoreError::io(Action::Replace, &file, source));
        removed.map_err(failed)?;
        Ok(true)
    }
}
