//! `ckpt notify allow` and `ckpt notify revoke`

use ckpt::follower::{Filter, Follower};
use ckpt::integrations::{Destination, MessageFormat, SecretReference};
use ckpt::voice::{name, names};
use ckpt::workspace::{Permission, PermissionStanding};

use super::{find, follower_name, is_told, list};
use crate::failure::{Exit, Failure};
use crate::services::Services;
use crate::session::Session;
use crate::ui::Ui;
use crate::worker;

/// What was typed beside the name.
pub(super) struct Asked {
    pub(super) private: bool,
    pub(super) yes: bool,
}

pub(super) fn run(
    ui: &mut Ui,
    session: &Session,
    services: &Services<'_>,
    typed: &str,
    asked: &Asked,
) -> Result<Exit, Failure> {
    let destination = find(services, typed)?;
    let follower = follower_name(&destination.name)?;
    let followers = session.workspace.followers();
    let known = followers.get(&follower)?;
    if known.is_some_and(|one| !one.is_service) {
        return Err(ckpt::Refusal::FollowerTaken(follower).into());
    }
    let values = services.values(&destination);
    let values = values.map_err(|why| {
        Failure::new(
            Exit::Failed,
            format!("{} cannot be allowed yet: {why}", name(&destination.name)),
        )
        .with_hint("Make it available to this command, then run it again")
    })?;
    check_reach(&destination, asked)?;
    confirm(ui, session, services, &destination, asked)?;
    let now = session.now().to_string();
    session.workspace.permissions().grant(&Permission {
        destination: destination.clone(),
        values,
        is_private: asked.private,
        allowed_at: now.clone(),
    })?;
    if is_told(&destination) {
        followers.set_up_service(Follower {
            name: follower.clone(),
            file: None,
            is_service: true,
            filter: Filter {
                events: destination.events.clone(),
                checkpoints: Vec::new(),
                since: Some(now.clone()),
            },
            added_at: now,
        })?;
        if followers.report(&follower).error.is_some() {
            followers.try_again(&follower);
        }
        worker::wake(&session.workspace);
    }
    if session.json {
        return list(ui, session, services);
    }
    if is_told(&destination) {
        ui.note(&format!("Try it with: ckpt notify test {follower}"));
    }
    Ok(Exit::Done)
}

/// Refuses an address that could never be reached.
fn check_reach(destination: &Destination, asked: &Asked) -> Result<(), Failure> {
    if destination.url.starts_with("http://") && !asked.private {
        let message = format!("{} is not encrypted", name(&destination.url));
        let hint = format!(
            "Use https://, or if it is on this machine or in your network: ckpt notify allow {} --private",
            destination.name
        );
        return Err(Failure::new(Exit::Invalid, message).with_hint(hint));
    }
    Ok(())
}

/// Lets the user see what is allowed, and decide. A prompt in a clone can make an agent type anything, so no agent
/// decides.
fn confirm(
    ui: &Ui,
    session: &Session,
    services: &Services<'_>,
    destination: &Destination,
    asked: &Asked,
) -> Result<(), Failure> {
    let typed = match asked.private {
        true => format!("{} --private", destination.name),
        false => destination.name.clone(),
    };
    let by_hand = format!("Run it yourself in a terminal: ckpt notify allow {typed}");
    if let Some(somebody) = ui.variables().somebody_else(&session.workspace) {
        let message = format!("only you can allow it, and this command runs {somebody}");
        return Err(Failure::new(Exit::Blocked, message).with_hint(by_hand));
    }
    if asked.yes {
        return Ok(());
    }
    if !ui.is_attended() {
        let message = "there is no terminal to ask at";
        return Err(Failure::new(Exit::Blocked, message)
            .with_hint(format!("{by_hand}\nA script adds --yes")));
    }
    for line in description(services, destination, asked.private) {
        ui.note(&line);
    }
    match ui.is_agreed(&format!("Allow {}?", destination.name)) {
        true => Ok(()),
        false => Err(Failure::new(Exit::Blocked, "nothing was allowed")),
    }
}

/// What is allowed, in words.
fn description(
    services: &Services<'_>,
    destination: &Destination,
    is_private: bool,
) -> Vec<String> {
    let secret = destination.secret.as_ref().map(SecretReference::to_string);
    let secret = secret.as_deref().map(name);
    let mut lines = Vec::new();
    if destination.url == destination.name {
        let what = match is_told(destination) {
            true => "is told of finished phases of checkpoints with an issue",
            false => "is asked about deployments",
        };
        let subject = destination.subject.as_deref().map(name);
        let subject = subject.map(|subject| format!(" of {subject}"));
        let subject = subject.unwrap_or_default();
        lines.push(format!("{} {what}{subject}.", destination.name));
        if let Some(secret) = secret {
            lines.push(format!("It gets the token in {secret}."));
        }
        return lines;
    }
    let what = match destination.events.as_slice() {
        [] if destination.format == MessageFormat::Generic => "of all events".to_owned(),
        [] => "of what concerns people".to_owned(),
        events => format!("of events {}", names(events)),
    };
    lines.push(format!("{} is told {what}.", name(&destination.url)));
    match (destination.format, secret) {
        (_, None) => {}
        (MessageFormat::Linear, Some(secret)) => {
            lines.push(format!("It gets the key in {secret}."));
        }
        (_, Some(secret)) => lines.push(format!("Messages are signed with what is in {secret}.")),
    }
    if is_private {
        lines.push("It may be on this machine or in a network around it.".to_owned());
    }
    if let PermissionStanding::Changed(known) = services.standing(destination) {
        lines.push(format!(
            "Before, you allowed {}.",
            name(&known.destination.url)
        ));
    }
    lines
}

pub(super) fn revoke(ui: &mut Ui, session: &Session, typed: &str) -> Result<Exit, Failure> {
    let follower = follower_name(typed)?;
    let followers = session.workspace.followers();
    let is_revoked = session.workspace.permissions().revoke(&follower)?;
    let known = followers.get(&follower)?;
    let is_service = known.is_some_and(|one| one.is_service);
    if is_service {
        followers.remove(&follower)?;
    }
    if !is_revoked && !is_service {
        let message = format!("{follower} is not allowed here");
        return Err(Failure::new(Exit::NotFound, message).with_hint("See: ckpt notify"));
    }
    if session.json {
        let variables = ui.variables().clone();
        let services = Services::open(session, &variables)?;
        return list(ui, session, &services);
    }
    Ok(Exit::Done)
}
