//! Tells a service what happened: one request for each line of a history.
//!
//! * Whether a service may be told is asked each time ([`Services::contact`]): what the user takes back counts at once.
//! * A message that cannot be delivered is tried again with growing pauses, and given up after days. Then it is kept,
//!   until the user sends it again or removes the service.
//! * Every try is recorded, for `ckpt notify log`. No record has an address or a secret.

use std::cell::Cell;
use std::hash::{BuildHasher, RandomState};
use std::time::{Duration, Instant};

use ckpt::Timestamp;
use ckpt::follower::{FollowerName, NextTry};
use ckpt::history::Line;
use ckpt::integrations::{Destination, MessageFormat};
use ckpt::key::Key;
use ckpt::voice::{name, quote};
use ckpt::workspace::{Batch, PermissionStanding, Undelivered};
use ckpt_services::{
    Answer, Method, Response, SigningKey, Trouble, pause_after, pause_asked_for, pause_until,
    response_to, signature_headers,
};

use crate::deliveries::{Attempt, Deliveries, GivenUp, Outcome};
use crate::environment::Variables;
use crate::message::{Comment, Message, News, Said, comment};
use crate::services::{Contact, Services};
use crate::session::Session;

/// A message that cannot be delivered is given up after this long, unless the settings say otherwise.
const GIVE_UP_AFTER: Duration = Duration::from_secs(72 * 60 * 60);

/// What delivers messages to one service.
pub(crate) struct Messenger<'s> {
    session: &'s Session,
    variables: &'s Variables,
    destination: Destination,
    contact: Contact,
    keys: Vec<SigningKey>,
    give_up_after: Duration,
    deliveries: Deliveries,
    repository: String,
    /// How often delivering failed in a row before this process.
    failures: u32,
    /// Whether a message of this process was not taken: then those that are too old are given up without a try.
    is_down: Cell<bool>,
}

/// How one request ended.
struct Try {
    answer: Result<Answer, Trouble>,
    took: Duration,
}

/// Why a test message was not taken.
pub(crate) struct Untaken {
    pub(crate) reason: String,
    /// Whether the service is where only a permission for private addresses reaches.
    pub(crate) is_private: bool,
}

/// What a request means for its message.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Verdict {
    Taken,
    /// Not from here, for a reason: there is no network.
    Barred(String),
    /// Not now, for a reason, and perhaps not before some time.
    NotNow(String, Option<Duration>),
    /// Not this message, for a reason, however often it is sent.
    Never(String),
    /// No message ever again, for a reason.
    Gone(String),
}

impl<'s> Messenger<'s> {
    /// The messenger of a service that is a follower.
    ///
    /// # Errors
    ///
    /// Why it may not be contacted, or cannot be.
    pub(crate) fn of(
        session: &'s Session,
        variables: &'s Variables,
        follower: &FollowerName,
    ) -> Result<Self, Undelivered> {
        let services = Services::open(session, variables);
        let services = services.map_err(|failure| not_now(failure.message()))?;
        let destination = services.integrations.destination(follower.as_str());
        let destination = destination.ok_or_else(|| {
            not_now(format!(
                "{} names no {follower} any more; take the permission back with: ckpt notify revoke {follower}",
                ckpt::integrations::FILE
            ))
        })?;
        let contact = services
            .contact(&destination)
            .map_err(|why| not_now(why.to_string()))?;
        let keys = signing_keys(&destination, &contact)?;
        let webhooks = services.integrations.webhooks.iter();
        let webhook = webhooks.clone().find(|one| one.name == *follower);
        let hours = webhook.and_then(|one| one.give_up_after_hours);
        let hours = hours.map(|hours| Duration::from_secs(hours.saturating_mul(3_600)));
        let followers = session.workspace.followers();
        Ok(Self {
            session,
            variables,
            destination,
            contact,
            keys,
            give_up_after: hours.unwrap_or(GIVE_UP_AFTER),
            deliveries: Deliveries::of(&followers, follower),
            repository: services.repository_name(),
            failures: followers.report(follower).failures,
            is_down: Cell::new(false),
        })
    }

    /// Delivers all messages of a batch.
    ///
    /// # Errors
    ///
    /// Why one of them was not taken.
    pub(crate) fn deliver_all(&self, batch: &Batch<'_>) -> Result<(), Undelivered> {
        for line in batch.lines {
            self.deliver(&Message::of(&self.repository, batch, line))?;
        }
        Ok(())
    }

    /// Sends a message that was given up once more.
    ///
    /// # Errors
    ///
    /// Why it was not taken.
    pub(crate) fn deliver_again(&self, given_up: &GivenUp, line: &Line) -> Result<(), Undelivered> {
        self.check_permission()?;
        let key = given_up.key();
        let message = Message {
            repository: &self.repository,
            key: key.as_ref(),
            about: &given_up.about,
            worktree: &given_up.worktree,
            line,
        };
        let Some(sent) = self.try_to_send(&message) else {
            return Ok(());
        };
        match self.verdict(&sent) {
            Verdict::Taken => {
                self.record(&message, &sent, Outcome::Delivered, None);
                Ok(())
            }
            verdict => {
                let undelivered = self.undelivered(&verdict);
                self.record(&message, &sent, Outcome::Failed, Some(&undelivered.reason));
                Err(undelivered)
            }
        }
    }

    /// Whether the user still allows what the settings still say. Both may change while messages are sent.
    fn check_permission(&self) -> Result<(), Undelivered> {
        let services = Services::open(self.session, self.variables);
        let services = services.map_err(|failure| not_now(failure.message()))?;
        let name = &self.destination.name;
        let is_the_same =
            services.integrations.destination(name).as_ref() == Some(&self.destination);
        let standing = services.standing(&self.destination);
        match is_the_same && matches!(standing, PermissionStanding::Allowed(_)) {
            true => Ok(()),
            false => Err(not_now(format!("{name} is no longer what you allowed"))),
        }
    }

    fn deliver(&self, message: &Message<'_>) -> Result<(), Undelivered> {
        self.check_permission()?;
        let is_old = self.is_old(message.line);
        if is_old && self.is_down.get() {
            return self.give_up(message, "it is too old, and the service cannot be reached");
        }
        let Some(sent) = self.try_to_send(message) else {
            return Ok(());
        };
        let verdict = self.verdict(&sent);
        if verdict == Verdict::Taken {
            self.record(message, &sent, Outcome::Delivered, None);
            return Ok(());
        }
        self.is_down.set(!matches!(verdict, Verdict::Never(_)));
        let undelivered = self.undelivered(&verdict);
        self.record(message, &sent, Outcome::Failed, Some(&undelivered.reason));
        let is_given_up = match verdict {
            Verdict::Never(_) => true,
            Verdict::Gone(_) => false,
            _ => is_old,
        };
        match is_given_up {
            true => self.give_up(message, &undelivered.reason),
            false => Err(undelivered),
        }
    }

    fn is_old(&self, line: &Line) -> bool {
        let at = line.time().and_then(|time| Timestamp::parse(&time));
        let now = self.session.now();
        let age = at.map(|at| now.as_millisecond().saturating_sub(at.as_millisecond()));
        let age = age.and_then(|age| u64::try_from(age).ok());
        age.is_some_and(|age| Duration::from_millis(age) >= self.give_up_after)
    }

    /// Keeps a message that is not tried again, so that the next one can be.
    fn give_up(&self, message: &Message<'_>, reason: &str) -> Result<(), Undelivered> {
        let given_up = GivenUp::new(message, reason, self.session.now());
        self.deliveries.keep(&given_up)
    }

    /// `None` if the service does not want to hear of it.
    fn try_to_send(&self, message: &Message<'_>) -> Option<Try> {
        let body = self.body(message)?;
        Some(self.send(&message.id(), &body))
    }

    fn send(&self, id: &str, body: &str) -> Try {
        let begun = Instant::now();
        let headers = self.headers(id, body);
        let answer = self
            .contact
            .send(Method::Post, None, &headers, body.as_bytes());
        Try {
            answer,
            took: begun.elapsed(),
        }
    }

    /// Sends a message that only shows that messages arrive.
    ///
    /// # Errors
    ///
    /// Why it was not taken.
    pub(crate) fn test(&self) -> Result<Duration, Untaken> {
        let now = self.session.now();
        let body = match self.destination.format {
            MessageFormat::Generic => {
                crate::message::test_for_programs(&self.repository, &now.to_string())
            }
            MessageFormat::Slack => crate::message::test_for_slack(&self.repository),
            MessageFormat::Linear => Comment::test().body,
        };
        let id = format!("msg_test_{}", now.as_millisecond());
        let sent = self.send(&id, &body);
        match self.verdict(&sent) {
            Verdict::Taken => Ok(sent.took),
            Verdict::Barred(reason)
            | Verdict::NotNow(reason, _)
            | Verdict::Never(reason)
            | Verdict::Gone(reason) => Err(Untaken {
                reason,
                is_private: matches!(sent.answer, Err(Trouble::Private { .. })),
            }),
        }
    }

    fn body(&self, message: &Message<'_>) -> Option<String> {
        let is_wanted = || {
            let news = News::of(message);
            match self.destination.url == self.destination.name {
                // The user was asked about finished steps alone.
                true => news.is_step(),
                false => !self.destination.events.is_empty() || news.concerns_people(),
            }
        };
        match self.destination.format {
            MessageFormat::Generic => Some(message.for_programs()),
            MessageFormat::Slack => is_wanted().then(|| message.for_slack()),
            MessageFormat::Linear => {
                let (issue, summary) = self.issue(message)?;
                is_wanted().then(|| comment(message, &issue, summary.as_deref()).body)
            }
        }
    }

    /// The issue of the checkpoint, and the summary of the phase that a message is about.
    fn issue(&self, message: &Message<'_>) -> Option<(String, Option<String>)> {
        let key: &Key = message.key?;
        let loaded = self.session.workspace.load(key).ok().flatten()?;
        let root = loaded.document.root();
        let issue = root.get("issue")?.as_str()?.into_owned();
        let facts = message.line.facts();
        let phase = facts.iter().find(|(name, _)| name == "phase");
        let phase = phase.and_then(|(_, phase)| phase.as_str());
        let summary = phase.and_then(|phase| {
            let phase = root.get("phases")?.get(&phase)?;
            Some(phase.get("context_summary")?.as_str()?.into_owned())
        });
        Some((issue, summary))
    }

    fn headers(&self, id: &str, body: &str) -> Vec<(&'static str, String)> {
        let mut headers = vec![("content-type", "application/json".to_owned())];
        if self.destination.format == MessageFormat::Linear {
            let token = self.contact.secret.as_ref();
            headers.extend(token.map(|token| ("authorization", authorization(token.reveal()))));
            return headers;
        }
        if !self.keys.is_empty() {
            let seconds = self.session.now().as_millisecond().div_euclid(1_000);
            headers.extend(signature_headers(id, seconds, body.as_bytes(), &self.keys));
        }
        headers
    }

    fn verdict(&self, sent: &Try) -> Verdict {
        let answer = match &sent.answer {
            Ok(answer) => answer,
            Err(trouble) if is_without_network(trouble) => {
                return Verdict::Barred(told(trouble));
            }
            Err(trouble) => return Verdict::NotNow(told(trouble), None),
        };
        let now = self.session.now().as_millisecond();
        if self.destination.format == MessageFormat::Linear {
            match Comment::said(answer.status, &answer.body) {
                Said::Done => return Verdict::Taken,
                Said::TooMany => {
                    let reset = answer.header("x-ratelimit-requests-reset");
                    let wait = reset.and_then(|reset| pause_until(reset, now));
                    return Verdict::NotNow("it gets too many requests".to_owned(), wait);
                }
                Said::Refused(words) => {
                    return Verdict::Never(format!("it answered {}", quote(&words)));
                }
                Said::NoEntry(words) => {
                    return Verdict::NotNow(format!("it answered {}", quote(&words)), None);
                }
                Said::Unclear if (200..300).contains(&answer.status) => {
                    let reason = "its answer does not say that there is a comment";
                    return Verdict::NotNow(reason.to_owned(), None);
                }
                Said::Unclear => {}
            }
        }
        let reason = format!("it answered with status {}", answer.status);
        match response_to(answer.status, answer.header("retry-after"), now) {
            Response::Taken => Verdict::Taken,
            Response::NotNow(wait) => Verdict::NotNow(reason, wait),
            Response::Gone => Verdict::Gone(format!("{reason}, so it wants no more messages")),
        }
    }

    fn undelivered(&self, verdict: &Verdict) -> Undelivered {
        let (reason, next) = match verdict {
            Verdict::Taken => (String::new(), NextTry::AfterAPause),
            Verdict::Barred(reason) | Verdict::Never(reason) => {
                (reason.clone(), NextTry::AfterAPause)
            }
            Verdict::Gone(reason) => (reason.clone(), NextTry::WhenAsked),
            Verdict::NotNow(reason, wait) => {
                let chance =
                    f64::from(RandomState::new().hash_one(()) as u32) / f64::from(u32::MAX);
                let pause = pause_after(self.failures + 1, chance);
                let pause = wait.map_or(pause, |wait| pause_asked_for(wait, self.failures + 1));
                let pause = i64::try_from(pause.as_millis()).unwrap_or(i64::MAX);
                let now = self.session.now().as_millisecond();
                let at = Timestamp::from_millisecond(now.saturating_add(pause));
                (reason.clone(), at.map_or(NextTry::AfterAPause, NextTry::At))
            }
        };
        Undelivered { reason, next }
    }

    fn record(&self, message: &Message<'_>, sent: &Try, outcome: Outcome, reason: Option<&str>) {
        let attempt = Attempt {
            at: self.session.now().to_string(),
            id: message.id(),
            checkpoint: message.name(),
            event: message.line.event().unwrap_or_default().into_owned(),
            outcome,
            status: sent.answer.as_ref().ok().map(|answer| answer.status),
            reason: reason.map(str::to_owned),
            milliseconds: u64::try_from(sent.took.as_millis()).unwrap_or(u64::MAX),
        };
        self.deliveries.record(&attempt);
    }
}

/// Trouble with its cause.
fn told(trouble: &Trouble) -> String {
    match std::error::Error::source(trouble) {
        Some(source) => format!("{trouble}: {source}"),
        None => trouble.to_string(),
    }
}

/// Whether nothing can be reached from here, rather than this one service.
fn is_without_network(trouble: &Trouble) -> bool {
    use std::io::ErrorKind as Kind;
    match trouble {
        Trouble::NoAddress(_) => true,
        Trouble::Broken { source, .. } => matches!(
            source.kind(),
            Kind::NetworkUnreachable
                | Kind::HostUnreachable
                | Kind::NetworkDown
                | Kind::AddrNotAvailable
                | Kind::PermissionDenied
        ),
        _ => false,
    }
}

/// A reason that may be gone after a pause.
fn not_now(reason: impl Into<String>) -> Undelivered {
    Undelivered {
        reason: reason.into(),
        next: NextTry::AfterAPause,
    }
}

/// What messages are signed with; nothing for formats without signatures.
fn signing_keys(
    destination: &Destination,
    contact: &Contact,
) -> Result<Vec<SigningKey>, Undelivered> {
    if destination.format == MessageFormat::Linear {
        return Ok(Vec::new());
    }
    let secrets = [&contact.secret, &contact.previous_secret];
    let references = [&destination.secret, &destination.previous_secret];
    let mut keys = Vec::new();
    for (secret, reference) in secrets.into_iter().zip(references) {
        let (Some(secret), Some(reference)) = (secret, reference) else {
            continue;
        };
        let key = SigningKey::read(secret).map_err(|error| {
            let reference = reference.to_string();
            not_now(format!("{} cannot be used: {error}", name(&reference)))
        })?;
        keys.push(key);
    }
    Ok(keys)
}

/// A key of a person is sent as it is, any other token as a bearer's.
fn authorization(token: &str) -> String {
    match token.starts_with("lin_api_") {
        true => token.to_owned(),
        false => format!("Bearer {token}"),
    }
}
