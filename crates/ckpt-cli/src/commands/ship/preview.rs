//! `ckpt ship preview`

use std::thread::sleep;
use std::time::{Duration, Instant};

use ckpt::Finding;
use ckpt::gate::{Preview, PreviewState, Success};
use ckpt::integrations::{self, Integrations, Provider};
use ckpt::key::{CommandKey, Key};
use ckpt::repository::CommitId;
use ckpt::voice::{name, quote, suggested};
use ckpt_services::Method;
use ckpt_services::preview::{
    Asker, Decision, Ending, Failed, Failure as Broken, GitHub, Question, Vercel, Wait,
};

use super::super::screen::Screen;
use crate::failure::{Exit, Failure};
use crate::render::style::{BAD, GOOD, WARN, one_line, paint};
use crate::services::{Below, Contact, Services};
use crate::session::Session;
use crate::ui::Ui;

/// How often a wait inside another program looks whether it is to stop.
const LOOK: Duration = Duration::from_millis(100);

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Previewed"))]
pub(crate) struct Report<'r> {
    key: &'r Key,
    /// Why no preview was waited for.
    #[serde(skip_serializing_if = "Option::is_none")]
    not_waited: Option<String>,
    /// How it ended.
    #[serde(skip_serializing_if = "Option::is_none")]
    preview: Option<Waited<'r>>,
}

/// A preview that was waited for.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema))]
struct Waited<'r> {
    state: PreviewState,
    /// What happened, in words.
    ending: &'r str,
    commit: &'r CommitId,
    provider: &'r str,
    required: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'r str>,
    duration_ms: u64,
}

/// How a wait ended, for the receipt.
struct Outcome {
    state: PreviewState,
    ending: String,
    url: Option<String>,
    page: Option<String>,
}

pub(super) fn run(
    ui: &mut Ui,
    session: &Session,
    typed: &str,
    timeout: Option<u64>,
    revision: Option<&str>,
) -> Result<Exit, Failure> {
    let command = session.workspace.find_command(typed)?;
    let key = Key::from(&command);
    session.workspace.read(&key)?;
    let services = Services::open(session, ui.variables())?;
    note_findings(ui, &services.findings);
    let whom = match waiting(&services)? {
        Waiting::For(whom) => whom,
        Waiting::No(why) => return tell_not_waited(ui, session, &key, why),
    };
    let commit = commit(session, revision)?;
    let vercel = &services.integrations.vercel;
    let timeout = timeout.map_or_else(
        || Duration::from_millis(vercel.preview_timeout_ms),
        Duration::from_secs,
    );
    let (asker, contact) = asker(&services, whom, &commit, timeout)?;
    let (started, begun) = (session.now(), Instant::now());
    let ending = waited(ui, session, &asker, &contact, timeout)?;
    let outcome = outcome(session, ending, &commit, asker.provider())?;
    let success = match vercel.require_preview_success {
        true => Success::Required,
        false => Success::Welcome,
    };
    let preview = Preview {
        commit: &commit,
        state: outcome.state,
        ending: &outcome.ending,
        provider: asker.provider(),
        url: outcome.url.as_deref(),
        page: outcome.page.as_deref(),
        success,
        started,
        duration_ms: u64::try_from(begun.elapsed().as_millis()).unwrap_or(u64::MAX),
    };
    // A receipt says that what is checked out has its preview.
    if session.workspace.head().commit.as_ref() == Some(&commit) {
        session.workspace.record_preview(&command, &preview)?;
    } else {
        ui.note(&format!(
            "note: {} is not checked out, so the checkpoint does not record this",
            commit.short()
        ));
    }
    report(ui, session, &command, &preview)
}

fn tell_not_waited(
    ui: &mut Ui,
    session: &Session,
    key: &Key,
    why: String,
) -> Result<Exit, Failure> {
    match session.json {
        true => ui.json(&Report {
            key,
            not_waited: Some(why),
            preview: None,
        })?,
        false => ui.text(&format!("no preview is waited for: {why}\n"))?,
    }
    Ok(Exit::Done)
}

/// What is wrong with the settings of integrations, as notes.
pub(super) fn note_findings(ui: &Ui, findings: &[Finding]) {
    for finding in findings {
        ui.note(&format!("{}: {finding}", integrations::FILE));
    }
}

/// Why no preview is to be waited for.
pub(super) fn not_waited(services: &Services<'_>) -> Option<String> {
    let (file, vercel) = (integrations::FILE, &services.integrations.vercel);
    match () {
        () if !services.is_configured => {
            Some(format!("there is no {file}; make it with: ckpt init"))
        }
        () if !vercel.enabled => Some(format!(
            "\"vercel.enabled\" is not true in {file}; set it to wait for previews"
        )),
        () if !vercel.wait_for_preview => Some(format!(
            "\"vercel.wait_for_preview\" is false in {file}; set it to true to wait for previews"
        )),
        () => None,
    }
}

/// Whether a preview is waited for.
enum Waiting<'i> {
    For(Whom<'i>),
    /// Not, for this reason.
    No(String),
}

/// Whether a preview is waited for. What is missing is an error only if a preview is required.
fn waiting<'i>(services: &'i Services<'_>) -> Result<Waiting<'i>, Failure> {
    if let Some(why) = not_waited(services) {
        return Ok(Waiting::No(why));
    }
    match whom(&services.integrations) {
        Ok(whom) => Ok(Waiting::For(whom)),
        Err(lacking) if services.integrations.vercel.require_preview_success => {
            let message = format!("a preview is required, and {}", lacking.what);
            let hint = format!("Add {}", lacking.addition());
            Err(Failure::new(Exit::Invalid, message).with_hint(hint))
        }
        Err(lacking) => Ok(Waiting::No(format!(
            "{}; add {}",
            lacking.what,
            lacking.addition()
        ))),
    }
}

/// The commit whose preview is meant.
fn commit(session: &Session, revision: Option<&str>) -> Result<CommitId, Failure> {
    let repository = session.workspace.repository();
    let Some(revision) = revision else {
        let head = session.workspace.head().commit;
        return head.ok_or_else(|| {
            Failure::new(
                Exit::Invalid,
                "there is no commit that could have a preview",
            )
            .with_hint("Commit and push first")
        });
    };
    repository.resolve(revision)?.ok_or_else(|| {
        Failure::new(
            Exit::NotFound,
            format!("git knows no commit {}", quote(revision)),
        )
        .with_hint("List the commits with: git log --oneline")
    })
}

/// Who can be asked about previews.
#[derive(Debug, Clone, Copy)]
enum Whom<'i> {
    Vercel,
    GitHub { owner: &'i str, name: &'i str },
}

impl Whom<'_> {
    /// The name of the service.
    fn service(self) -> &'static str {
        match self {
            Self::Vercel => "vercel",
            Self::GitHub { .. } => "github",
        }
    }
}

/// A setting without which nobody can be asked.
struct Lacking {
    what: &'static str,
    example: &'static str,
}

impl Lacking {
    /// What to add, after the verb.
    fn addition(&self) -> String {
        format!("to {}: {}", integrations::FILE, self.example)
    }
}

/// Who is asked, by the settings.
fn whom(integrations: &Integrations) -> Result<Whom<'_>, Lacking> {
    let Integrations { vercel, github, .. } = integrations;
    let is_vercel = match vercel.provider {
        Provider::Auto => vercel.token.is_some() || github.token.is_none(),
        other => other == Provider::Vercel,
    };
    if is_vercel {
        return match &vercel.token {
            Some(_) => Ok(Whom::Vercel),
            None => Err(Lacking {
                what: "there is no token for vercel",
                example: r#""vercel": {"token": "env:VERCEL_TOKEN"}"#,
            }),
        };
    }
    if github.token.is_none() {
        return Err(Lacking {
            what: "there is no token for github",
            example: r#""github": {"token": "env:GITHUB_TOKEN"}"#,
        });
    }
    let repository = github.repository.as_deref();
    match repository.and_then(|name| name.split_once('/')) {
        Some((owner, name)) => Ok(Whom::GitHub { owner, name }),
        None => Err(Lacking {
            what: "the repository on github is not known",
            example: r#""github": {"repository": "OWNER/NAME"}"#,
        }),
    }
}

/// What asks, and the way there.
fn asker(
    services: &Services<'_>,
    whom: Whom<'_>,
    commit: &CommitId,
    timeout: Duration,
) -> Result<(Asker, Contact), Failure> {
    let destination = services.integrations.destination(whom.service());
    let destination = destination.expect("who is asked has a token");
    let contact = services.contact(&destination)?.within(timeout.max(LOOK));
    let token = contact.secret.clone();
    let token = token.expect("the token was looked up");
    let commit = commit.to_string();
    let vercel = &services.integrations.vercel;
    let project = vercel.project.clone();
    let asker = match whom {
        Whom::Vercel => Asker::Vercel(Vercel {
            commit,
            project,
            team: vercel.team.clone(),
            token,
        }),
        Whom::GitHub { owner, name } => Asker::GitHub(GitHub {
            commit,
            owner: owner.to_owned(),
            name: name.to_owned(),
            project,
            token,
        }),
    };
    Ok((asker, contact))
}

/// Asks until the wait is over. On a terminal, a clock shows that it goes on.
fn waited(
    ui: &Ui,
    session: &Session,
    asker: &Asker,
    contact: &Contact,
    timeout: Duration,
) -> Result<Ending, Failure> {
    let is_on_screen = !ui.is_call() && !session.json;
    let screen = is_on_screen.then(|| Screen::open(ui.variables(), "preview"));
    let begun = Instant::now();
    let mut wait = Wait::of(timeout);
    let ending = loop {
        let now = session.now().as_millisecond();
        let sighting = asker.ask(&mut |question| send(contact, question), now);
        let chance = now.rem_euclid(1000) as f64 / 1000.0;
        match wait.next(sighting, begun.elapsed(), chance) {
            Decision::End(ending) => break Some(ending),
            Decision::Ask(pause) if is_stopped_within(ui, pause) => break None,
            Decision::Ask(_) => {}
        }
    };
    if let Some(screen) = screen {
        screen.close();
    }
    ending.ok_or_else(|| Failure::new(Exit::Failed, "the wait for the preview was stopped"))
}

fn send(
    contact: &Contact,
    question: &Question,
) -> Result<ckpt_services::Answer, ckpt_services::Trouble> {
    let segments: Vec<&str> = question.path.iter().map(String::as_str).collect();
    let query = question.query.iter();
    let query: Vec<(&str, &str)> = query.map(|(name, value)| (*name, value.as_str())).collect();
    let below = Below {
        segments: &segments,
        query: &query,
    };
    contact.send(Method::Get, Some(below), &question.headers, &[])
}

/// Sleeps, and returns whether a calling program has stopped the wait meanwhile.
fn is_stopped_within(ui: &Ui, pause: Duration) -> bool {
    let Some(attendant) = ui.attendant() else {
        sleep(pause);
        return false;
    };
    let end = Instant::now() + pause;
    while !attendant.stop.load(std::sync::atomic::Ordering::Relaxed) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return false;
        }
        sleep(left.min(LOOK));
    }
    true
}

/// What the end of a wait means for the commit.
fn outcome(
    session: &Session,
    ending: Ending,
    commit: &CommitId,
    provider: &str,
) -> Result<Outcome, Failure> {
    let short = commit.short();
    let (state, ending, url, page) = match ending {
        Ending::Ready(url) => (
            PreviewState::Ready,
            format!("{short} is deployed"),
            url,
            None,
        ),
        Ending::Failed(Failed { how, reason, page }) => {
            let is_head = session.workspace.head().commit.as_ref() == Some(commit);
            let (state, what) = match how {
                Broken::Error => (PreviewState::Failed, "could not be deployed"),
                Broken::Rejected => (PreviewState::Rejected, "was not deployed"),
                Broken::Canceled if is_head => (
                    PreviewState::Canceled,
                    "was being deployed, which was canceled",
                ),
                Broken::Canceled => (PreviewState::Superseded, "is superseded by a newer commit"),
            };
            let reason = reason.map(|reason| format!(": {}", quote(&reason)));
            let ending = format!("{short} {what}{}", reason.unwrap_or_default());
            (state, ending, None, page)
        }
        Ending::NotFound(reason) => {
            let reason = reason.map(|reason| format!("; at the end {reason}"));
            let reason = reason.unwrap_or_else(|| "; has it been pushed?".to_owned());
            let ending = format!("no deployment of {short} has appeared{reason}");
            (PreviewState::NotFound, ending, None, None)
        }
        Ending::TimedOut(last) => {
            let ending = format!("{short} was not deployed in time: {last}");
            (PreviewState::TimedOut, ending, None, None)
        }
        Ending::Refused(reason) => {
            let message = format!("{provider} does not tell about previews: {reason}");
            return Err(Failure::new(Exit::Invalid, message).with_hint(format!(
                "Check what \"{provider}\" says in {}, and its token",
                integrations::FILE
            )));
        }
    };
    Ok(Outcome {
        state,
        ending,
        url,
        page,
    })
}

fn report(
    ui: &mut Ui,
    session: &Session,
    key: &CommandKey,
    preview: &Preview<'_>,
) -> Result<Exit, Failure> {
    let is_required = preview.success == Success::Required;
    let exit = match preview.state {
        PreviewState::Ready => Exit::Done,
        _ if is_required => Exit::Blocked,
        _ => Exit::Done,
    };
    if session.json {
        ui.json(&Report {
            key: &Key::from(key),
            not_waited: None,
            preview: Some(Waited {
                state: preview.state,
                ending: preview.ending,
                commit: preview.commit,
                provider: preview.provider,
                required: is_required,
                url: preview.url,
                page: preview.page,
                duration_ms: preview.duration_ms,
            }),
        })?;
        return Ok(exit);
    }
    let (style, word) = match (preview.state, is_required) {
        (PreviewState::Ready, _) => (GOOD, "ready"),
        (_, true) => (BAD, "failed"),
        (_, false) => (WARN, "failed, not required"),
    };
    let mut line = format!(
        "preview {}: {}",
        paint(style, word),
        one_line(preview.ending)
    );
    if let Some(url) = preview.url.or(preview.page) {
        line += &format!(", {url}");
    }
    ui.text(&(line + "\n"))?;
    if preview.state == PreviewState::Ready {
        return Ok(exit);
    }
    let short = key.short();
    match is_required {
        true => ui.note(&format!(
            "{} is blocked until a preview succeeds: ckpt ship preview {}",
            name(&short),
            suggested(&short)
        )),
        false => ui.note("warning: the preview failed, which does not stop shipping here"),
    }
    Ok(exit)
}
