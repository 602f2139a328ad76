//! Approvals that a person has to give.

use ckpt::gate::Approvals;
use ckpt::voice::first_names;
use ckpt::workspace::Outcome;

use crate::environment;
use crate::failure::{Exit, Failure};
use crate::output;
use crate::render::style::one_line;
use crate::session::Session;
use crate::surroundings;

/// Asks whoever sits at the terminal to type a word, where the settings want a person.
pub(super) fn ask(session: &Session, word: &str, name: &str) -> Result<(), Failure> {
    if session.settings.approvals() == Approvals::Anybody {
        return Ok(());
    }
    let refused = |reason: &str| {
        let message = format!("{reason}, and approvals = person needs one at a terminal");
        Failure::new(Exit::Blocked, message).with_hint("Ask whoever approves to run it themselves")
    };
    if let Some(agent) = environment::agent() {
        return Err(refused(&format!("{agent} is no person")));
    }
    let prompt = format!("Type {word:?} to let {} ship: ", one_line(name));
    let Some(typed) = surroundings::ask(&prompt) else {
        return Err(refused("nobody is there to ask"));
    };
    match typed == word {
        true => Ok(()),
        false => Err(Failure::new(
            Exit::Blocked,
            format!("{word:?} was not typed, so nothing was changed"),
        )),
    }
}

/// Says that an approval has no seal, where nothing can be sealed.
pub(super) fn warn_unsealed(session: &Session) {
    if let Err(trouble) = session.workspace.vault().ensure_key() {
        output::note(&format!(
            "warning: this has no seal, so no gate will believe it: {trouble}"
        ));
    }
}

/// Names files that are part of what was approved and that git does not track: a commit that lacks them is other content.
pub(super) fn name_untracked(outcome: &Outcome) {
    let gate = outcome.document.root().get("gate");
    let names = gate.map(ckpt::gate::untracked).unwrap_or_default();
    if !names.is_empty() {
        output::note(&format!(
            "note: git does not track these files yet, and what was approved includes them: {}",
            first_names(&names)
        ));
    }
}
