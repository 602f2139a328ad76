//! Seals tell what we wrote from what came with a clone.
//!
//! A seal is a key id and 16 bytes of HMAC-SHA-256 over a domain, the document's name and canonical values. It covers
//! values, never bytes, so it survives a formatter or a merge that keeps the values. Each object carries its own seal;
//! there is no chain, because other writers may append to a history.
//!
//! The key is stored where no clone can bring it ([`Vault`]). Without a key nothing is sealed and nothing is trusted.

mod canonical;
mod key;
mod vault;

#[cfg(test)]
mod tests;

pub use key::SealKey;
pub use vault::{Unsealed, Vault};

use self::key::Authenticator;
use crate::document::{Object, Tree, Value};

/// The member that holds the seal of an object.
pub const SEAL: &str = "seal";

/// What kind of object is sealed. A seal of one kind is not valid for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Domain {
    /// A line of a history.
    History,
    /// The gate of a checkpoint.
    Approval,
    /// A decision to override a blocked gate.
    Override,
    /// The result of a gate run.
    Receipt,
    /// A session record.
    Session,
    /// The accepted specification of a pipeline, with its gate commands.
    Specification,
    /// The header of an archive, with the hash of all that follows.
    Archive,
}

impl Domain {
    fn as_str(self) -> &'static str {
        match self {
            Self::History => "history",
            Self::Approval => "approval",
            Self::Override => "override",
            Self::Receipt => "receipt",
            Self::Session => "session",
            Self::Specification => "specification",
            Self::Archive => "archive",
        }
    }

    /// Members that may change without breaking the seal, besides the seal itself.
    fn is_open(self, name: &str) -> bool {
        match self {
            // An override is made later than the gate it passes, and has its own seal.
            Self::Approval => name == "override",
            // Whether the pipeline still has to pause or fail because of it.
            Self::Receipt => matches!(name, "pause_due" | "failure_due"),
            // Which workstreams were running when something went wrong.
            Self::Specification => name == "interrupted",
            Self::History | Self::Override | Self::Session | Self::Archive => false,
        }
    }

    fn is_sealed(self, name: &str) -> bool {
        name != SEAL && !self.is_open(name)
    }
}

/// Whether anything in a value carries a seal, valid or not.
pub(crate) fn has_seal(value: &Value) -> bool {
    match value {
        Value::Object(object) => object
            .iter()
            .any(|(name, value)| name == SEAL || has_seal(value)),
        Value::Array(items) => items.iter().any(has_seal),
        _ => false,
    }
}

/// Makes and checks seals, with the key of one repository or without one.
#[derive(Debug, Clone, Default)]
pub struct Seals {
    key: Option<SealKey>,
    /// Keys that are replaced by now, and whose seals count too.
    former: Vec<SealKey>,
}

impl Seals {
    /// Without a key: nothing is sealed, and no seal is valid.
    #[must_use]
    pub const fn none() -> Self {
        Self {
            key: None,
            former: Vec::new(),
        }
    }

    /// With this key.
    #[must_use]
    pub fn with(key: SealKey) -> Self {
        Self {
            key: Some(key),
            former: Vec::new(),
        }
    }

    /// The same, but the seals of these keys count too.
    fn and(&self, former: Vec<SealKey>) -> Self {
        let key = self.key.clone();
        Self { key, former }
    }

    /// Whether there is a key.
    #[must_use]
    pub fn has_key(&self) -> bool {
        self.key.is_some()
    }

    /// Sets the object's seal, replacing any present one. Without a key the seal is only removed.
    pub fn seal(&self, domain: Domain, about: &str, object: &mut Object) {
        object.remove(SEAL);
        let Some(key) = &self.key else {
            return;
        };
        let mac = mac(key, domain, about, object.view());
        object.set(SEAL, key.written(mac));
    }

    /// Whether an object has a valid seal. Seals of other keys do not count.
    #[must_use]
    pub fn vouches<'t>(&self, domain: Domain, about: &str, object: impl Tree<'t>) -> bool {
        self.verdict(domain, about, object) == Some(true)
    }

    /// Whether the seal of an object is valid; `None` if it has no seal of this key.
    fn verdict<'t>(&self, domain: Domain, about: &str, object: impl Tree<'t>) -> Option<bool> {
        let seal = object.text(SEAL)?;
        let mut keys = self.key.iter().chain(&self.former);
        let (key, seal) = keys.find_map(|key| Some((key, key.read(&seal)?)))?;
        Some(key.verifies(mac(key, domain, about, object), &seal))
    }
}

fn mac<'t>(key: &SealKey, domain: Domain, about: &str, object: impl Tree<'t>) -> Authenticator {
    let mut mac = key.mac(domain.as_str(), about);
    let mut members = object.members();
    members.retain(|(name, _)| domain.is_sealed(name));
    canonical::feed_members(&mut mac, members);
    mac
}

/// Seals objects of one kind that belong to one document.
#[derive(Debug, Clone, Copy)]
pub struct Sealer<'s> {
    seals: &'s Seals,
    domain: Domain,
    about: &'s str,
}

impl<'s> Sealer<'s> {
    /// Seals objects of this kind that belong to `about`.
    #[must_use]
    pub fn new(seals: &'s Seals, domain: Domain, about: &'s str) -> Self {
        Self {
            seals,
            domain,
            about,
        }
    }

    /// Whether there is a key.
    #[must_use]
    pub fn has_key(self) -> bool {
        self.seals.has_key()
    }

    /// Sets the object's seal.
    pub fn seal(self, object: &mut Object) {
        self.seals.seal(self.domain, self.about, object);
    }

    /// Whether an object has a valid seal.
    #[must_use]
    pub fn vouches<'t>(self, object: impl Tree<'t>) -> bool {
        self.seals.vouches(self.domain, self.about, object)
    }

    /// Whether an object was changed after it was sealed with this key.
    pub(crate) fn contradicts<'t>(self, object: impl Tree<'t>) -> bool {
        self.seals.verdict(self.domain, self.about, object) == Some(false)
    }
}
