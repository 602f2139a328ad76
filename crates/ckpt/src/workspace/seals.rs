//! Finding entries that do not carry this repository's seal.

use std::fmt;
use std::path::PathBuf;

use super::error::Purpose;
use super::{Depth, Workspace, WorkspaceError};
use crate::command::Checkpoint;
use crate::document::Node;
use crate::gate::{self, Override};
use crate::history::{Forward, MEMORY_REACH, is_last};
use crate::key::Key;
use crate::seal::Domain;
use crate::store::StoreError;
use crate::voice::path_name;

/// An entry that is not trusted.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub enum UnsealedThing {
    /// The approval of a gate.
    Approval(String),
    /// The override of a gate.
    Override(String),
    /// The receipt of a gate.
    Receipt {
        /// The checkpoint.
        name: String,
        /// The gate.
        gate: String,
    },
    /// Lines of a history that claim to be written by this repository.
    History {
        /// The checkpoint.
        name: String,
        /// The number of lines.
        lines: usize,
    },
    /// A history whose lines are out of order.
    Order(String),
    /// Session records.
    Sessions(usize),
    /// An archive.
    Archive(PathBuf),
}

impl fmt::Display for UnsealedThing {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Approval(name) => write!(formatter, "{name}: an approval claimed elsewhere"),
            Self::Override(name) => write!(formatter, "{name}: an override claimed elsewhere"),
            Self::Receipt { name, gate } => {
                write!(
                    formatter,
                    "{name}: a receipt of gate {gate} claimed elsewhere"
                )
            }
            Self::History { name, lines } => {
                write!(
                    formatter,
                    "{name}: {lines} history lines without this repository's seal"
                )
            }
            Self::Order(name) => {
                write!(
                    formatter,
                    "{name}: the lines of its history are out of order"
                )
            }
            Self::Sessions(count) => {
                write!(
                    formatter,
                    "{count} session records without this repository's seal"
                )
            }
            Self::Archive(path) => {
                let path = path_name(path);
                write!(
                    formatter,
                    "{path} does not carry this repository's seal, so ckpt does not unpack it"
                )
            }
        }
    }
}

impl Workspace {
    /// Entries without this repository's seal: they came with a clone, were written by an older version, or were
    /// sealed with another key. None of them is trusted.
    pub fn unsealed(&self) -> Result<Vec<UnsealedThing>, WorkspaceError> {
        let mut found = Vec::new();
        let (summaries, _) = self.list(Depth::WithoutGit)?;
        for summary in summaries {
            self.unsealed_in(&summary.key, &mut found)?;
        }
        let directory = self.layout.sessions_directory();
        let mut foreign = 0;
        let visited = self.store.visit(&directory, |_, document| {
            let is_ours =
                document.is_ok_and(|document| self.sessions().believed(document).is_some());
            foreign += usize::from(!is_ours);
        });
        visited.map_err(|error| Purpose::Load.failed(error))?;
        if foreign > 0 {
            found.push(UnsealedThing::Sessions(foreign));
        }
        // Without a key, none of them needs a seal.
        let archives = self.store.unsealed_archives().into_iter();
        found.extend(archives.map(UnsealedThing::Archive));
        Ok(found)
    }

    fn unsealed_in(&self, key: &Key, found: &mut Vec<UnsealedThing>) -> Result<(), WorkspaceError> {
        let name = key.short();
        let about = key.sealed_name();
        let trust = self.trust(&about);
        if let Ok(Some(loaded)) = self.load(key) {
            let root = loaded.document.root();
            let approval = Checkpoint::new(root).gate();
            let claims = |gate| gate::stated_blockers(gate).is_empty();
            if approval.is_some_and(|gate| claims(gate) && !gate::is_given_here(gate, trust)) {
                found.push(UnsealedThing::Approval(name.clone()));
            }
            let pass = approval.and_then(|gate| Override::read(gate, None, trust));
            if pass.is_some_and(|pass| !pass.is_made_here()) {
                found.push(UnsealedThing::Override(name.clone()));
            }
            let receipts = root.get("receipts").map(Node::members);
            for (gate, receipt) in receipts.unwrap_or_default() {
                let sealed = gate::receipt_name(&about, &gate);
                if !trust.seals.vouches(Domain::Receipt, &sealed, receipt) {
                    let (name, gate) = (name.clone(), gate.into_owned());
                    found.push(UnsealedThing::Receipt { name, gate });
                }
            }
        }
        let place = self.layout.place(key);
        let Some(history) = self.history(key)? else {
            return Ok(());
        };
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        let sealer = place.sealer(trust.seals);
        let mut lines = 0;
        let all = Forward::within(history.file(), MEMORY_REACH).map_err(failed)?;
        for line in all.with_word(b"event") {
            let line = line.map_err(failed)?;
            lines += usize::from(!line.is_vouched(sealer) && line.claims_to_be_ours());
        }
        if lines > 0 {
            let name = name.clone();
            found.push(UnsealedThing::History { name, lines });
        }
        if self.is_out_of_order(key)? {
            found.push(UnsealedThing::Order(name));
        }
        Ok(())
    }

    /// Whether the last line of a history that carries our seal does not have the highest revision.
    pub(super) fn is_out_of_order(&self, key: &Key) -> Result<bool, WorkspaceError> {
        let place = self.layout.place(key);
        let Some(history) = self.history(key)? else {
            return Ok(false);
        };
        let failed = |source| Purpose::Load.failed(StoreError::history(&place.history, source));
        let sealer = place.sealer(self.vault().seals());
        let mut last = None;
        let all = Forward::within(history.file(), MEMORY_REACH).map_err(failed)?;
        for line in all.with_word(b"event") {
            let line = line.map_err(failed)?;
            if line.is_vouched(sealer) {
                last = line.number().zip(line.epoch()).or(last);
            }
        }
        match last {
            Some((number, epoch)) => {
                let is_last = is_last(history.file(), number, &epoch).map_err(failed)?;
                Ok(!is_last)
            }
            None => Ok(false),
        }
    }
}
