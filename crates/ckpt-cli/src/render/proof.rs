//! Symbols and colours for the status of gates.

use anstyle::Style;
use ckpt::gate::{GateProof, Proof};

use super::style::{ACTIVE, BAD, FAINT, GOOD, WARN, one_line, paint};

/// The symbol and colour of a status.
fn look(proof: Proof) -> (&'static str, Style) {
    match proof {
        Proof::Proven => ("✓", GOOD),
        Proof::NotChecked => ("?", WARN),
        Proof::OlderContent => ("≠", BAD),
        Proof::Claimed | Proof::ClaimedElsewhere => ("~", WARN),
        Proof::Tolerated => ("!", WARN),
        Proof::Failed => ("✗", BAD),
        Proof::Running => ("▶", ACTIVE),
        Proof::Interrupted => ("!", BAD),
        Proof::Missing => ("·", FAINT),
    }
}

/// The status as a symbol.
pub(crate) fn sign(proof: Proof) -> String {
    let (sign, style) = look(proof);
    paint(style, sign)
}

/// The status as a word.
pub(crate) fn word(proof: Proof) -> String {
    paint(look(proof).1, proof.as_str())
}

/// A gate and its status.
pub(crate) fn line(known: &GateProof) -> String {
    format!("{}: {}", one_line(&known.gate), word(known.proof))
}

/// The number of gates per status, such as `2 proven, 1 stale`.
pub(crate) fn counts(gates: &[GateProof]) -> String {
    let mut kinds: Vec<Proof> = gates.iter().map(|known| known.proof).collect();
    kinds.sort_unstable();
    let groups = kinds.chunk_by(|one, two| one == two).map(|group| {
        let proof = group[0];
        paint(look(proof).1, format!("{} {}", group.len(), proof.as_str()))
    });
    groups.collect::<Vec<_>>().join(", ")
}
