//! What is known about the gates of a checkpoint, in one way for every surface.

use std::borrow::Cow;
use std::collections::HashMap;

use super::super::{PipelineView, Workspace};
use crate::document::{Node, Tree};
use crate::facts::GateFact;
use crate::gate::{self, ContentState, Proof, Receipt, Trust};
use crate::key::Key;
use crate::voice::suggested;

/// The gates of a command or plan: those that were run.
pub(in crate::workspace) fn of_receipts<'t, T: Tree<'t>>(
    key: &Key,
    document: T,
    content: &ContentState,
    trust: Trust<'_>,
) -> Vec<GateFact> {
    let receipts = gate::receipts(document, trust).into_iter();
    receipts
        .map(|(name, receipt)| {
            let command = receipt.command().filter(|_| receipt.is_ours());
            let of = suggested(&key.short());
            let run = match receipt.is_preview() {
                true => Some(format!("ckpt ship preview {of}")),
                false => command
                    .map(|command| format!("ckpt gate run {of} {} -- {command}", suggested(&name))),
            };
            fact(name, Vec::new(), receipt.proof(content), Some(receipt), run)
        })
        .collect()
}

fn fact<'t, T: Tree<'t>>(
    gate: String,
    about: Vec<String>,
    proof: Proof,
    receipt: Option<Receipt<T>>,
    run: Option<String>,
) -> GateFact {
    GateFact {
        gate,
        about,
        proof,
        at: receipt.and_then(Receipt::at).map(Cow::into_owned),
        by: receipt.and_then(Receipt::by).map(Cow::into_owned),
        last_lines: receipt.and_then(Receipt::last_lines),
        run,
        failed_before: 0,
    }
}

impl Workspace {
    /// The gates of a pipeline: those that its specification requires or, without one, those that it names.
    pub(in crate::workspace) fn pipeline_gates(
        &self,
        view: &PipelineView,
        content: &ContentState,
    ) -> Vec<GateFact> {
        let about = view.loaded.key.sealed_name();
        let trust = self.trust(&about);
        let standings = self.gates_of(view, content);
        let receipts = gate::receipts(view.loaded.document.root(), trust);
        let receipts: HashMap<String, Receipt<Node<'_>>> = receipts.into_iter().collect();
        let id = suggested(&view.loaded.key.short());
        let has_command = |gate: &str| {
            let spec = view.spec.spec();
            spec.and_then(|spec| spec.gate(gate))
                .is_some_and(|gate| !gate.commands.is_empty())
        };
        let facts = standings.into_iter().map(|standing| {
            let of = |name: &str| receipts.get(name).copied();
            let mut entries = standing.workstreams.iter();
            let own = entries.find_map(|name| of(&format!("{} ({name})", standing.gate)));
            let receipt = own.or_else(|| of(&standing.gate));
            let run = has_command(&standing.gate).then(|| {
                let gate = suggested(&standing.gate);
                match standing.workstreams.as_slice() {
                    [one] => format!(
                        "ckpt pipeline gate run {id} {gate} --for {}",
                        suggested(one)
                    ),
                    _ => format!("ckpt pipeline gate run {id} {gate}"),
                }
            });
            fact(
                standing.gate,
                standing.workstreams,
                standing.proof,
                receipt,
                run,
            )
        });
        facts.collect()
    }
}
