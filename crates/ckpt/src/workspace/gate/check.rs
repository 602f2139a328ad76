//! Judging gates, against the current content or without reading it.

use std::collections::HashSet;

use super::super::{Depth, PipelineView, SpecState, Workspace, WorkspaceError};
use crate::command::Checkpoint;
use crate::document::{Node, Tree};
use crate::gate::{self, ContentState, GateProof, Override, Proof, Verdict, verdict};
use crate::key::Key;
use crate::pipeline::{self, GateStanding, Refusal, Spec};
use crate::repository::ContentDigest;

/// The state of a checkpoint's gate.
#[derive(Debug, Clone)]
pub struct GateReport {
    /// The verdict.
    pub verdict: Verdict,
    /// The recorded override, whether or not it still applies.
    pub pass: Option<Override>,
    /// The digest of the current content, if there is one.
    pub content: Option<ContentDigest>,
}

impl Workspace {
    /// Judges a checkpoint's gate against the current content.
    pub fn check_gate(&self, key: &Key) -> Result<GateReport, WorkspaceError> {
        let loaded = self.require(key)?;
        let content = match self.content_digest() {
            Ok(content) => Some(content),
            Err(_) if !self.repository.is_git() => None,
            Err(error) => return Err(error.into()),
        };
        let gate = Checkpoint::new(loaded.document.root()).gate();
        let about = key.sealed_name();
        let trust = self.trust(&about);
        Ok(GateReport {
            verdict: verdict(Some(loaded.document.root()), content.as_ref(), trust),
            pass: gate.and_then(|gate| Override::read(gate, content.as_ref(), trust)),
            content,
        })
    }

    /// What the receipts of a checkpoint prove about this content.
    pub fn receipts(
        &self,
        key: &Key,
        content: Option<&ContentDigest>,
    ) -> Result<Vec<GateProof>, WorkspaceError> {
        let loaded = self.require(key)?;
        let present = ContentState {
            digest: content.cloned(),
            ..self.content_at_a_glance()
        };
        let (root, about) = (loaded.document.root(), key.sealed_name());
        Ok(gate::proofs(root, &present, self.trust(&about)))
    }

    /// What the receipts in a document prove. Without a key, nothing is trusted: the file is not a document of this
    /// repository.
    #[must_use]
    pub fn proofs_in<'t>(
        &self,
        document: impl Tree<'t>,
        key: Option<&Key>,
        depth: Depth,
    ) -> Vec<GateProof> {
        if document.get("receipts").is_none() {
            return Vec::new();
        }
        let about = key.map(Key::sealed_name).unwrap_or_default();
        let trust = self.trust(&about);
        gate::proofs(document, &self.content_within(depth), trust)
    }

    /// What is known about the named gates of a document, and whether it may ship. Without a key, nothing is trusted:
    /// the file is not a document of this repository.
    #[must_use]
    pub fn judged(
        &self,
        document: Node<'_>,
        key: Option<&Key>,
        depth: Depth,
    ) -> (Vec<GateProof>, Option<Verdict>) {
        let judged = self.judged_against(document, key, &self.content_at_a_glance());
        let (gates, ship) = &judged;
        match depth == Depth::Full && is_open(gates, ship.as_ref()) {
            true => self.judged_against(document, key, &self.content_within(depth)),
            false => judged,
        }
    }

    /// The same, for content that is known.
    pub(in crate::workspace) fn judged_against(
        &self,
        document: Node<'_>,
        key: Option<&Key>,
        content: &ContentState,
    ) -> (Vec<GateProof>, Option<Verdict>) {
        let receipts = document.get("receipts");
        let gate = document.get("gate").filter(|_| key.is_some());
        // Few checkpoints have gates, and computing the sealed name takes time.
        if receipts.is_none() && gate.is_none() {
            return (Vec::new(), None);
        }
        let about = key.map(Key::sealed_name).unwrap_or_default();
        let trust = self.trust(&about);
        let gates = receipts.map(|_| gate::proofs(document, content, trust));
        let ship = gate.map(|_| verdict(Some(document), content.digest.as_ref(), trust));
        (gates.unwrap_or_default(), ship)
    }

    /// The state of every gate: those the specification requires or, without a specification, those the checkpoint
    /// names.
    #[must_use]
    pub fn known_gates(&self, view: &PipelineView, depth: Depth) -> Vec<GateStanding> {
        let depth = match view.loaded.document.root().get("receipts") {
            Some(_) => depth,
            None => Depth::WithoutGit,
        };
        self.gates_of(view, &self.content_within(depth))
    }

    /// The same, for content that is known.
    pub(in crate::workspace) fn gates_of(
        &self,
        view: &PipelineView,
        present: &ContentState,
    ) -> Vec<GateStanding> {
        let about = view.loaded.key.sealed_name();
        let trust = self.trust(&about);
        let pipeline = view.pipeline();
        if let Some(spec) = view.spec.spec() {
            return pipeline::standings(pipeline, spec, present, trust);
        }
        let mut known = pipeline.proofs(present, trust);
        let mut named: HashSet<String> = known.iter().map(|known| known.gate.clone()).collect();
        for gate in pipeline.gates_pending() {
            if named.insert(gate.clone()) {
                let proof = Proof::Missing;
                known.push(GateProof { gate, proof });
            }
        }
        let standings = known
            .into_iter()
            .map(|GateProof { gate, proof }| GateStanding {
                gate,
                workstreams: Vec::new(),
                proof,
            });
        standings.collect()
    }

    /// The state of each gate the specification requires, judged against the current content.
    pub fn check_gates(&self, view: &PipelineView) -> Result<Vec<GateStanding>, WorkspaceError> {
        let spec = spec_of(view)?;
        let about = view.loaded.key.sealed_name();
        let trust = self.trust(&about);
        let present = self.content_state()?;
        Ok(pipeline::standings(view.pipeline(), spec, &present, trust))
    }
}

/// Whether a gate was not judged, because the content was not compared.
pub(in crate::workspace) fn is_open(gates: &[GateProof], ship: Option<&Verdict>) -> bool {
    let mut gates = gates.iter();
    gates.any(|known| known.proof == Proof::NotChecked)
        || ship.is_some_and(Verdict::depends_on_content)
}

pub(super) fn spec_of(view: &PipelineView) -> Result<&Spec, Refusal> {
    let id = view.id.to_string();
    match &view.spec {
        SpecState::Read { spec, .. } => Ok(spec),
        SpecState::Unusable { reason } => Err(Refusal::SpecUnusable {
            id,
            reason: reason.clone(),
        }),
        SpecState::Unknown { .. } => Err(Refusal::SpecUnknown(id)),
    }
}
