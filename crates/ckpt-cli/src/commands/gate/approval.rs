//! Confirms approvals, and warns about what they do not cover.

use ckpt::gate::Approvals;
use ckpt::voice::first_names;
use ckpt::workspace::Outcome;

use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

/// Asks the user to type a word, if the settings require approval by a person.
pub(super) fn ask(ui: &Ui, session: &Session, word: &str, name: &str) -> Result<(), Failure> {
    if session.settings.approvals() == Approvals::Anybody {
        return Ok(());
    }
    let refused = |reason: &str| {
        let message =
            format!("{reason}, but the setting approvals = person requires a person at a terminal");
        Failure::new(Exit::Blocked, message).with_hint("Ask the approver to run this command")
    };
    if let Some(agent) = ui.variables().agent() {
        return Err(refused(&format!(
            "this command runs under the agent {agent}"
        )));
    }
    let prompt = format!("Type {word:?} to let {} ship: ", one_line(name));
    let Some(typed) = ui.ask(&prompt) else {
        return Err(refused("there is no terminal to ask at"));
    };
    match typed == word {
        true => Ok(()),
        false => Err(Failure::new(
            Exit::Blocked,
            format!("{word:?} was not typed; nothing was changed"),
        )),
    }
}

/// Warns if the approval could not be sealed.
pub(super) fn warn_unsealed(ui: &Ui, session: &Session) {
    if let Err(trouble) = session.workspace.vault().ensure_key() {
        ui.note(&format!(
            "warning: the approval could not be sealed and will not count: {trouble}"
        ));
    }
}

/// Lists approved files that git does not track: a commit without them has different content.
pub(super) fn name_untracked(ui: &Ui, outcome: &Outcome) {
    let gate = outcome.document.root().get("gate");
    let names = gate.map(ckpt::gate::untracked).unwrap_or_default();
    if !names.is_empty() {
        ui.note(&format!(
            "note: the approved content includes files that git does not track yet: {}",
            first_names(&names)
        ));
    }
}
