//! `ckpt resume --auto`

use ckpt::facts::Facts;
use ckpt::key::Key;
use ckpt::resume::{DriftNote, drift_line};
use ckpt::voice::{name, path_name, suggested};
use ckpt::workspace::{Depth, Found, Healed, Healing};

use super::{Report, Resume, tell_findings};
use crate::commands::gone;
use crate::commands::plan::report::freed_lines;
use crate::commands::recover::offer_of_copy;
use crate::commands::target::{self, way_back};
use crate::failure::{Exit, Failure};
use crate::session::Session;
use crate::ui::Ui;

/// Where a command was.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(super) enum Outlook {
    /// There is nothing to resume.
    Fresh,
    /// In the middle of a checkpoint.
    Resumed,
    /// In the middle of one, and the ground has moved since.
    Stale,
    /// At its end.
    Complete,
}

/// What `--auto` adds to a report.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
pub(super) struct Again {
    resume: Outlook,
    /// What was healed first.
    healed: Vec<HealedReport>,
    /// The command that starts it, or starts it again. Absent if it was renamed, or is in another worktree.
    #[serde(skip_serializing_if = "Option::is_none")]
    start: Option<String>,
}

/// A checkpoint that was healed.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Healed"))]
struct HealedReport {
    key: Key,
    what: What,
    /// The same in words.
    text: String,
}

/// What was done to heal a checkpoint.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Healing"))]
#[serde(rename_all = "snake_case")]
enum What {
    /// It was missing, and was brought back.
    BroughtBack,
    /// It could not be read, and its last recorded state was restored.
    Restored,
    /// The Markdown of a plan was restored.
    Rewritten,
    /// A change that had been interrupted was finished, or taken back.
    Settled,
    /// Edits by other programs were recorded.
    Absorbed,
}

impl Outlook {
    fn exit(self) -> Exit {
        match self {
            Self::Fresh => Exit::NotFound,
            Self::Resumed => Exit::Done,
            Self::Stale => Exit::Stale,
            Self::Complete => Exit::AlreadyComplete,
        }
    }
}

impl Resume {
    pub(super) fn again(&self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let command = self.key.as_deref().unwrap_or_default();
        let restart = session
            .workspace
            .restart(command, self.feature.as_deref())?;
        let healed = restart.healed.iter();
        let healed: Vec<HealedReport> = healed.map(|one| HealedReport::of(session, one)).collect();
        let mut text: String = healed.iter().map(|one| one.text.clone() + "\n").collect();
        let (resume, key, start) = match restart.found {
            Found::Fresh {
                start,
                named,
                absent,
            } => {
                for key in &absent {
                    let (message, hint) = way_back(key);
                    text += &format!("{message}. {hint}\n");
                }
                let named = named.filter(|key| !absent.contains(key));
                let moved = named.as_ref().and_then(|key| moved(session, key));
                match &moved {
                    Some(moved) => text += &format!("{moved}\n"),
                    None => {
                        let deleted = named.and_then(|key| deleted(session, &key));
                        text.extend(deleted.map(|deleted| deleted + "\n"));
                        text += &format!("Nothing to resume. Start it with: {start}\n");
                    }
                }
                (Outlook::Fresh, None, moved.is_none().then_some(start))
            }
            Found::Complete { key, another } => {
                let again = start_again(&key);
                text += &format!("{} is complete already.", name(&key.short()));
                match (&again, another) {
                    (Some(again), Some(another)) => {
                        text += &format!(
                            " Take it up again with: {again}; start another with: {another}"
                        );
                    }
                    (Some(again), None) => text += &format!(" Take it up again with: {again}"),
                    (None, Some(another)) => text += &format!(" Start another with: {another}"),
                    (None, None) => {}
                }
                text.push('\n');
                (Outlook::Complete, Some(key), again)
            }
            Found::InFlight(key) => (Outlook::Resumed, Some(key), None),
        };
        let mut again = Again {
            resume,
            healed,
            start,
        };
        let facts = match key.filter(|_| resume == Outlook::Resumed) {
            None => Facts::default(),
            Some(key) => {
                tell_findings(ui, session, &key)?;
                let facts = session.workspace.facts_about(&key, Depth::Full)?;
                if session.workspace.is_stale(&key, &facts)? {
                    again.resume = Outlook::Stale;
                }
                facts
            }
        };
        let focus = facts.focus.as_ref().map(|focus| &focus.key);
        let drift = match (self.drift, focus) {
            (true, Some(focus)) => session.workspace.read(focus)?.drift()?.map(DriftNote::from),
            _ => None,
        };
        let exit = again.resume.exit();
        let page = self.page(session, &facts);
        if session.json {
            let text = match focus {
                Some(_) => &page.text,
                None => &text,
            };
            ui.json(&Report {
                facts: &facts,
                in_flight: &[],
                drift,
                text,
                tokens: page.tokens(),
                shortened: page.shortened,
                again: Some(again),
            })?;
            return Ok(exit);
        }
        if let Some(drift) = &drift {
            text += &format!("{}\n", drift_line(drift));
        }
        if again.resume == Outlook::Stale {
            text += "Since this was saved, commits were made or another branch was checked out.";
            text += &acknowledging(session, focus)?;
            text.push('\n');
        }
        if focus.is_some() {
            text += &page.text;
        }
        ui.text(&text)?;
        Ok(exit)
    }
}

/// How to say that the commits since are known.
fn acknowledging(session: &Session, focus: Option<&Key>) -> Result<String, Failure> {
    Ok(match focus {
        Some(key) if session.workspace.has_moved(key)? => format!(
            " If you know of them: ckpt ack commits {}",
            suggested(&key.short())
        ),
        _ => String::new(),
    })
}

/// What became of a checkpoint that was deleted.
fn deleted(session: &Session, key: &Key) -> Option<String> {
    let gone = session.workspace.find_gone(&key.to_string(), None);
    Some(said(&gone::refused(&session.workspace, &gone.ok()??)))
}

/// Where a checkpoint is that was renamed, or is in another worktree, or was in one that is gone.
fn moved(session: &Session, key: &Key) -> Option<String> {
    let (workspace, called) = (&session.workspace, key.short());
    let elsewhere = || {
        let found = workspace.find_elsewhere(&called);
        // One that was deleted there is called otherwise.
        let (root, there) = found.filter(|(_, there)| *there == called)?;
        Some(target::elsewhere(&root, &there, "show"))
    };
    let left = || Some(offer_of_copy(&workspace.find_lost(&called)?));
    let moved = gone::renamed(workspace, key).or_else(elsewhere);
    moved.map(|moved| said(&moved)).or_else(left)
}

/// A failure as a sentence of a longer answer.
fn said(failure: &Failure) -> String {
    format!(
        "{}. {}",
        failure.message(),
        failure.hint().unwrap_or_default()
    )
}

/// The command that takes up what is complete.
fn start_again(key: &Key) -> Option<String> {
    match key {
        Key::Command(key) => {
            let words = [Some(key.command()), key.feature()];
            let words: Vec<_> = words.into_iter().flatten().map(suggested).collect();
            Some(format!("ckpt start {} --again", words.join(" ")))
        }
        Key::Pipeline(id) => Some(format!("ckpt pipeline reopen {}", suggested(id.as_str()))),
        _ => None,
    }
}

impl HealedReport {
    fn of(session: &Session, healed: &Healed) -> Self {
        let shown = healed.key.short();
        let shown = name(&shown);
        let (what, text) = match &healed.healing {
            Healing::BroughtBack(back) => {
                let at = back.at.as_deref().map(|at| format!(", made {}", name(at)));
                let freed = freed_lines(session, &healed.key, &back.freed).into_iter();
                let freed: String = freed.map(|line| format!("; {line}")).collect();
                (
                    What::BroughtBack,
                    format!(
                        "{shown} was missing; it is back, at revision {}{}{freed}",
                        back.revision.number,
                        at.unwrap_or_default()
                    ),
                )
            }
            Healing::ArchiveBroughtBack => (
                What::BroughtBack,
                format!("the archive of {shown} was missing; it is back"),
            ),
            Healing::Restored(aside) => (
                What::Restored,
                format!(
                    "{shown} was damaged; its last recorded state is back, and the damaged file is {}",
                    path_name(aside)
                ),
            ),
            Healing::Rewritten => (
                What::Rewritten,
                format!("the Markdown of {shown} was gone; it is back, from its history"),
            ),
            Healing::Settled => (
                What::Settled,
                format!("the last change of {shown} was interrupted; it is settled"),
            ),
            // The library may learn to heal more.
            _ => (
                What::Absorbed,
                format!("{shown} was edited by another program; its history has the edit"),
            ),
        };
        Self {
            key: healed.key.clone(),
            what,
            text,
        }
    }
}
