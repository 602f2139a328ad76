//! `ckpt notify`

mod allow;
pub(crate) mod log;
pub(crate) mod retry;

use ckpt::follower::FollowerName;
use ckpt::integrations::{self, Destination};
use ckpt::voice::{first_names, flat, name, names, suggested};
use ckpt::workspace::PermissionStanding;
use clap::{Args, Subcommand};

use crate::completion::Ids;
use crate::deliveries::Deliveries;
use crate::failure::{Exit, Failure};
use crate::messenger::Messenger;
use crate::render::age::age;
use crate::services::{Services, how_to_allow};
use crate::session::Session;
use crate::ui::Ui;

/// Show who is told of changes, and whether messages arrive.
///
/// Webhooks and services are named in .claude/config/integrations.json. That file may come from a clone, so nothing is
/// sent until you allow each of them once, with its address, its secret and its events. If any of that changes, it has to
/// be allowed again.
#[derive(Debug, Args)]
#[command(after_help = "Example:\n  ckpt notify\n  ckpt notify allow team-chat")]
pub(crate) struct Notify {
    #[command(subcommand)]
    action: Option<Action>,
}

#[derive(Debug, Subcommand)]
enum Action {
    /// Allow a webhook or a service to be contacted from this repository
    ///
    /// Shows where messages go and what they are signed with, and asks. An agent cannot allow anything.
    #[command(
        after_help = "Example:\n  ckpt notify allow team-chat\n  ckpt notify allow ops --private"
    )]
    Allow {
        /// The name of the webhook, or vercel, github or linear
        #[arg(add = Ids::Destinations)]
        name: String,
        /// It may be on this machine or in a network around it
        #[arg(long)]
        private: bool,
        /// Do not ask; for scripts
        #[arg(long)]
        yes: bool,
    },
    /// Take a permission back
    ///
    /// What it has not been told is dropped.
    #[command(after_help = "Example:\n  ckpt notify revoke team-chat")]
    Revoke {
        /// The name of the webhook or service
        #[arg(add = Ids::Destinations)]
        name: String,
    },
    /// Send a message that says nothing, to see whether it arrives
    #[command(after_help = "Example:\n  ckpt notify test team-chat")]
    Test {
        /// The name of the webhook, or linear
        #[arg(add = Ids::Destinations)]
        name: String,
    },
    /// Send now what waits for another try, and what was given up
    #[command(after_help = "Example:\n  ckpt notify retry team-chat")]
    Retry {
        /// The name of the webhook, or linear
        #[arg(add = Ids::Destinations)]
        name: String,
    },
    /// Show what was sent, newest first
    #[command(after_help = "Example:\n  ckpt notify log team-chat -n 5")]
    Log {
        /// The name of the webhook, or linear; omit for all
        #[arg(add = Ids::Destinations)]
        name: Option<String>,
        /// How many
        #[arg(short = 'n', value_name = "N", default_value_t = 20)]
        most: usize,
    },
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Notify"))]
pub(crate) struct Report {
    /// Whether there is a file that names any.
    configured: bool,
    destinations: Vec<Entry>,
    /// What is wrong with the file.
    findings: Vec<ckpt::Finding>,
}

/// A webhook or a service, and how it stands.
#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Destination"))]
struct Entry {
    name: String,
    /// The address, or where it is kept; the name of a service.
    url: String,
    /// Where the secret is kept.
    #[serde(skip_serializing_if = "Option::is_none")]
    secret: Option<String>,
    /// The parts of the names of events that are told.
    events: Vec<String>,
    standing: Standing,
    /// How many messages wait.
    #[serde(skip_serializing_if = "Option::is_none")]
    behind: Option<usize>,
    /// When a message was taken last.
    #[serde(skip_serializing_if = "Option::is_none")]
    told_at: Option<String>,
    /// Why the last message was not taken.
    #[serde(skip_serializing_if = "Option::is_none")]
    error: Option<String>,
    /// When it is tried again.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_try: Option<String>,
    /// Whether nothing is tried until you ask for it.
    stopped: bool,
    /// How many messages were given up, in all worktrees.
    given_up: usize,
}

/// How many messages were given up, in all worktrees.
pub(crate) fn given_up(session: &Session, name: &FollowerName) -> usize {
    let all = Deliveries::all(&session.workspace.followers(), name);
    all.iter().map(|one| one.given_up().len()).sum()
}

/// What the user has said about it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "Permission"))]
#[serde(rename_all = "snake_case")]
enum Standing {
    /// It is allowed.
    Allowed,
    /// Something else of that name was allowed.
    Changed,
    /// Nothing.
    NotAllowed,
}

impl Notify {
    pub(crate) fn run(self, ui: &mut Ui, session: &Session) -> Result<Exit, Failure> {
        let variables = ui.variables().clone();
        let services = Services::open(session, &variables);
        match self.action {
            None => list(ui, session, &services?),
            Some(Action::Allow { name, private, yes }) => {
                let asked = allow::Asked { private, yes };
                allow::run(ui, session, &services?, &name, &asked)
            }
            // Whatever the file says by now.
            Some(Action::Revoke { name }) => allow::revoke(ui, session, &name),
            Some(Action::Test { name }) => test(ui, session, &services?, &name),
            Some(Action::Retry { name }) => retry::run(ui, session, &services?, &name),
            Some(Action::Log { name, most }) => log::run(ui, session, name.as_deref(), most),
        }
    }
}

/// The destination that a name stands for.
fn find(services: &Services<'_>, typed: &str) -> Result<Destination, Failure> {
    if let Some(destination) = services.integrations.destination(typed) {
        return Ok(destination);
    }
    let known = services.integrations.destinations();
    let known: Vec<String> = known.into_iter().map(|one| one.name).collect();
    let message = format!("{} names no {}", integrations::FILE, name(typed));
    let hint = match (known.is_empty(), services.is_configured) {
        (false, _) => format!("There are: {}", first_names(&known)),
        (true, true) => {
            "A service needs \"enabled\" and a \"token\", a webhook an entry in \"webhooks\"; see: ckpt doctor".to_owned()
        }
        (true, false) => "Create the file with: ckpt init".to_owned(),
    };
    Err(Failure::new(Exit::NotFound, message).with_hint(hint))
}

/// The name of a follower, if it can be one.
fn follower_name(typed: &str) -> Result<FollowerName, Failure> {
    FollowerName::new(typed).map_err(|error| {
        Failure::new(
            Exit::NotFound,
            format!("no webhook {}: {error}", name(typed)),
        )
    })
}

/// Whether a destination is told of changes. The others are only asked.
fn is_told(destination: &Destination) -> bool {
    !matches!(destination.name.as_str(), "vercel" | "github")
}

fn list(ui: &mut Ui, session: &Session, services: &Services<'_>) -> Result<Exit, Failure> {
    let mut entries = Vec::new();
    for destination in services.integrations.destinations() {
        entries.push(Entry::of(session, services, &destination)?);
    }
    if session.json {
        ui.json(&Report {
            configured: services.is_configured,
            destinations: entries,
            findings: services.findings.clone(),
        })?;
        return Ok(Exit::Done);
    }
    for finding in &services.findings {
        ui.note(&finding.to_string());
    }
    if entries.is_empty() {
        ui.note(match services.is_configured {
            true => "nobody is told: there are no webhooks, and no service has a token",
            false => "nobody is told: there is no .claude/config/integrations.json",
        });
        return Ok(Exit::Done);
    }
    let width = entries.iter().map(|one| one.name.len()).max().unwrap_or(0);
    for entry in &entries {
        ui.text(&entry.draw(width, session.now()))?;
    }
    Ok(Exit::Done)
}

impl Entry {
    fn of(
        session: &Session,
        services: &Services<'_>,
        destination: &Destination,
    ) -> Result<Self, Failure> {
        let followers = session.workspace.followers();
        let follower_name = follower_name(&destination.name)?;
        let follower = followers.get(&follower_name)?.filter(|one| one.is_service);
        let standing = follower
            .map(|follower| followers.standing(follower))
            .transpose()?;
        let report = standing.as_ref().map(|standing| &standing.report);
        let next_try = report.filter(|report| !report.is_stopped);
        let next_try = next_try.and_then(ckpt::follower::Report::next_try);
        Ok(Self {
            name: destination.name.clone(),
            url: destination.url.clone(),
            secret: destination.secret.as_ref().map(ToString::to_string),
            events: destination.events.clone(),
            standing: match services.standing(destination) {
                PermissionStanding::Allowed(_) => Standing::Allowed,
                PermissionStanding::Changed(_) => Standing::Changed,
                PermissionStanding::Unknown => Standing::NotAllowed,
            },
            behind: standing.as_ref().map(|standing| standing.lag.lines),
            told_at: report.and_then(|report| report.handed_at.clone()),
            error: report.and_then(|report| report.error.clone()),
            next_try: next_try.map(|at| at.to_string()),
            stopped: report.is_some_and(|report| report.is_stopped),
            given_up: given_up(session, &follower_name),
        })
    }

    fn draw(&self, width: usize, now: ckpt::Timestamp) -> String {
        let allow = format!("ckpt notify allow {}", self.name);
        let state = match (self.standing, self.behind) {
            (Standing::NotAllowed, _) => format!("not allowed; allow it with: {allow}"),
            (Standing::Changed, _) => {
                format!("not what you allowed; look at it and allow it with: {allow}")
            }
            (Standing::Allowed, None) => "allowed".to_owned(),
            (Standing::Allowed, Some(0)) => "told everything".to_owned(),
            (Standing::Allowed, Some(1)) => "1 message waits".to_owned(),
            (Standing::Allowed, Some(many)) => format!("{many} messages wait"),
        };
        let mut text = format!("{:<width$}  {}: {state}", self.name, name(&self.url));
        if self.told_at.is_some() {
            text += &format!(", last told {}", age(self.told_at.as_deref(), now));
        }
        text.push('\n');
        if !self.events.is_empty() {
            text += &format!("{:width$}  only events {}\n", "", names(&self.events));
        }
        if let Some(error) = &self.error {
            let retry = format!("ckpt notify retry {}", self.name);
            let next = match (&self.next_try, self.stopped) {
                (_, true) => format!("; nothing is tried until you run: {retry}"),
                (Some(at), false) => format!("; next try at {at}, or with: {retry}"),
                (None, false) => String::new(),
            };
            text += &format!("{:width$}  failed: {}{next}\n", "", flat(error));
        }
        if self.given_up > 0 {
            let retry = format!("ckpt notify retry {}", self.name);
            let many = self.given_up;
            text += &format!("{:width$}  {many} given up; send them with: {retry}\n", "");
        }
        text
    }
}

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NotifyTested"))]
pub(crate) struct Tested {
    name: String,
    milliseconds: u64,
}

fn test(
    ui: &mut Ui,
    session: &Session,
    services: &Services<'_>,
    typed: &str,
) -> Result<Exit, Failure> {
    let destination = find(services, typed)?;
    if !is_told(&destination) {
        let message = format!("{typed} is not told of changes, it is only asked");
        return Err(
            Failure::new(Exit::Usage, message).with_hint("Ask it with: ckpt ship preview ship")
        );
    }
    let variables = ui.variables().clone();
    let messenger = Messenger::of(session, &variables, &follower_name(typed)?);
    let refused = |reason: &str| refused(services, &destination, reason);
    let messenger = messenger.map_err(|undelivered| refused(&undelivered.reason))?;
    let took = messenger.test().map_err(|untaken| {
        let allow = how_to_allow(&destination);
        let private = format!("If it is yours, allow it with: {allow} --private");
        match untaken.is_private {
            true => untold(Exit::Failed, &destination, &untaken.reason).with_hint(private),
            false => refused(&untaken.reason),
        }
    })?;
    let milliseconds = u64::try_from(took.as_millis()).unwrap_or(u64::MAX);
    match session.json {
        true => ui.json(&Tested {
            name: destination.name,
            milliseconds,
        })?,
        false => ui.text(&format!(
            "{} took it after {milliseconds} ms\n",
            destination.name
        ))?,
    }
    Ok(Exit::Done)
}

/// A service did not take a message, for a reason that somebody has to settle.
fn refused(services: &Services<'_>, destination: &Destination, reason: &str) -> Failure {
    let why = services.contact(destination).err();
    let exit = why.map_or(Exit::Failed, |why| why.exit());
    let failure = untold(exit, destination, reason);
    if exit == Exit::Blocked {
        // The reason says how to allow it.
        return failure;
    }
    let test = format!("ckpt notify test {}", suggested(&destination.name));
    failure.with_hint(format!("Settle that, then run: {test}"))
}

/// A service did not take a message.
fn untold(exit: Exit, destination: &Destination, reason: &str) -> Failure {
    let message = format!("{} was not told: {}", name(&destination.name), flat(reason));
    Failure::new(exit, message)
}
