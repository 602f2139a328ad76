//! `ckpt doctor`

mod calls;
mod clients;
mod followers;
mod hooks;
mod mirror;
mod services;
mod store;
mod switches;

use clap::Args;
use serde::Serialize;

use self::hooks::FiredReport;
use super::hook::Log;
use super::init::merge_driver::{DRIVER, is_named_in};
use crate::environment::Variables;
use crate::failure::{Exit, Failure};
use crate::render::style::{BAD, GOOD, WARN, one_line, paint};
use crate::session::Session;
use crate::settings::Reading;
use crate::ui::Ui;

/// Check that hooks and state are healthy.
///
/// Runs every installed hook that calls this program on a test event, in a throwaway directory, and checks its answer;
/// hooks that call other programs are listed but not run. Checks what the agents themselves need: a recent version, your
/// trust, and a shell that finds ckpt. Then reports which hooks have fired and how long they took, and checks the state directory, its permissions, held locks, leftovers of crashes, and every checkpoint. Exits with
/// 1 if anything is broken.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt doctor\n  ckpt doctor --fix")]
pub(crate) struct Doctor {
    /// Fix what can be fixed without losing anything
    #[arg(long)]
    fix: bool,
    /// Create a new sealing key; earlier approvals, receipts and sessions no longer count
    #[arg(long)]
    new_key: bool,
}

/// The result of one check.
#[derive(Debug, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Checked"))]
pub(crate) struct Checked {
    verdict: Verdict,
    topic: &'static str,
    text: String,
    /// What to do about it.
    #[serde(skip_serializing_if = "Option::is_none")]
    advice: Option<String>,
}

/// The outcome of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    /// All is well.
    Ok,
    /// It was broken and has been fixed.
    Fixed,
    /// It works, but needs attention.
    Warning,
    /// It does not work.
    Broken,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Doctor"))]
pub(crate) struct Report {
    healthy: bool,
    version: &'static str,
    checks: Vec<Checked>,
    /// Calls per hook, by agent and event.
    fired: Vec<FiredReport>,
}

/// The checks so far.
pub(super) struct Examination<'s> {
    variables: &'s Variables,
    session: &'s Session,
    /// The settings of ckpt itself.
    own: Reading,
    fixes: Fixes,
    checks: Vec<Checked>,
}

/// Whether to fix anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fixes {
    Wanted,
    NotWanted,
}

impl Examination<'_> {
    fn note(&mut self, verdict: Verdict, topic: &'static str, text: impl Into<String>) {
        self.checks.push(Checked {
            verdict,
            topic,
            text: text.into(),
            advice: None,
        });
    }

    fn advise(&mut self, advice: impl Into<String>) {
        if let Some(check) = self.checks.last_mut() {
            check.advice = Some(advice.into());
        }
    }
}

impl Examination<'_> {
    /// Checks that git knows the merge driver that `.gitattributes` names.
    fn merge_driver(&mut self) {
        let repository = self.session.workspace.repository();
        let attributes =
            hooks::text_of(repository.root(), &repository.root().join(".gitattributes"));
        if !is_named_in(&attributes) || repository.has_merge_driver(DRIVER) {
            return;
        }
        self.note(
            Verdict::Warning,
            "plans",
            "git merges plans line by line: .gitattributes names a merge driver that is not set up here",
        );
        self.advise("Set it up with: ckpt init");
    }
}

impl Doctor {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        if self.new_key {
            return new_key(ui, session);
        }
        let mut examination = Examination {
            variables: ui.variables(),
            session,
            own: Reading::of(ui.variables(), session.workspace.repository()),
            fixes: match self.fix {
                true => Fixes::Wanted,
                false => Fixes::NotWanted,
            },
            checks: Vec::new(),
        };
        let fired = Log::of(&session.workspace).read();
        examination.versions();
        examination.settings();
        let installed = examination.installed();
        examination.switches(&installed);
        examination.calls(&installed);
        examination.clients(&installed);
        examination.firing(&installed, &fired);
        examination.merge_driver();
        examination.services();
        examination.store();
        let checks = examination.checks;
        let report = Report {
            healthy: checks.iter().all(|check| check.verdict != Verdict::Broken),
            version: env!("CARGO_PKG_VERSION"),
            checks,
            fired: hooks::fired(&fired, &installed),
        };
        let exit = match report.healthy {
            true => Exit::Done,
            false => Exit::Failed,
        };
        match session.json {
            true => ui.json(&report)?,
            false => ui.text(&page(&report))?,
        }
        Ok(exit)
    }
}

/// Replaces the sealing key.
fn new_key(ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
    let vault = session.workspace.vault();
    vault
        .replace_key()
        .map_err(|error| Failure::io("cannot create a new key", &error))?;
    match session.json {
        true => ui.json(&serde_json::json!({ "new_key": true }))?,
        false => ui.text(
            "Created a new key. Earlier approvals, receipts and sessions are now unproven claims. Archives and copies can \
             still be read.\n",
        )?,
    }
    Ok(Exit::Done)
}

fn page(report: &Report) -> String {
    let mut page = String::new();
    for check in &report.checks {
        let verdict = match check.verdict {
            Verdict::Ok => paint(GOOD, "ok     "),
            Verdict::Fixed => paint(GOOD, "fixed  "),
            Verdict::Warning => paint(WARN, "warning"),
            Verdict::Broken => paint(BAD, "broken "),
        };
        page += &format!(
            "{verdict}  {:<11}  {}\n",
            check.topic,
            one_line(&check.text)
        );
        if let Some(advice) = &check.advice {
            page += &format!("{:22}{}\n", "", one_line(advice));
        }
    }
    let called = || report.fired.iter().filter(|fired| fired.calls > 0);
    if called().next().is_some() {
        page += "\nhook                        calls  errors  p50 ms  p99 ms  last\n";
    }
    for fired in called() {
        let milliseconds = |microseconds: u64| microseconds as f64 / 1000.0;
        page += &format!(
            "{:<26}  {:>5}  {:>6}  {:>6.1}  {:>6.1}  {}\n",
            one_line(&format!("{} {}", fired.agent, fired.event)),
            fired.calls,
            fired.errors,
            milliseconds(fired.p50_us),
            milliseconds(fired.p99_us),
            fired.last
        );
    }
    page += match report.healthy {
        true => "\nhealthy\n",
        false => "\nnot healthy\n",
    };
    page
}
