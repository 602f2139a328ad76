//! Approvals that a person has to give.

use ckpt::gate::Approvals;
use ckpt::voice::first_names;
use ckpt::workspace::Outcome;

use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

/// Asks whoever sits at the terminal to type a word, if the settings require a person.
pub(super) fn ask(ui: &Ui, session: &Session, word: &str, name: &str) -> Result<(), Failure> {
    if session.settings.approvals() == Approvals::Anybody {
        return Ok(());
    }
    let refused = |reason: &str| {
        let message = format!("{reason}, and approvals = person needs one at a terminal");
        Failure::new(Exit::Blocked, message).with_hint("Ask whoever approves to run it themselves")
    };
    if let Some(agent) = ui.variables().agent() {
        return Err(refused(&format!("{agent} is no person")));
    }
    let prompt = format!("Type {word:?} to let {} ship: ", one_line(name));
    let Some(typed) = ui.ask(&prompt) else {
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

/// Warns that an approval has no seal, if nothing can be sealed.
pub(super) fn warn_unsealed(ui: &Ui, session: &Session) {
    if let Err(trouble) = session.workspace.vault().ensure_key() {
        ui.note(&format!(
            "warning: this has no seal, so no gate will believe it: {trouble}"
        ));
    }
}

/// Names approved files that git does not track: a commit without them is different content.
pub(super) fn name_untracked(ui: &Ui, outcome: &Outcome) {
    let gate = outcome.document.root().get("gate");
    let names = gate.map(ckpt::gate::untracked).unwrap_or_default();
    if !names.is_empty() {
        ui.note(&format!(
            "note: git does not track these files yet, and what was approved includes them: {}",
            first_names(&names)
        ));
    }
}
