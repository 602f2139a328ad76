//! `ckpt notify retry`

use ckpt::workspace::Told;

use super::{find, follower_name, is_told, refused};
use crate::deliveries::Deliveries;
use crate::failure::{Exit, Failure};
use crate::messenger::Messenger;
use crate::services::Services;
use crate::session::Session;
use crate::ui::Ui;
use crate::worker;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NotifyRetried"))]
pub(crate) struct Report {
    /// How many messages were sent that had been given up.
    given_up: usize,
    /// How many others were sent.
    waiting: usize,
}

pub(super) fn run(
    ui: &mut Ui,
    session: &Session,
    services: &Services<'_>,
    typed: &str,
) -> Result<Exit, Failure> {
    let destination = find(services, typed)?;
    let name = follower_name(typed)?;
    let followers = session.workspace.followers();
    let follower = followers.get(&name)?.filter(|one| one.is_service);
    let Some(follower) = follower.filter(|_| is_told(&destination)) else {
        let message = format!("{name} is told nothing");
        return Err(Failure::new(Exit::Invalid, message)
            .with_hint(format!("Allow it with: ckpt notify allow {name}")));
    };
    followers.try_again(&name);
    let variables = ui.variables().clone();
    let refused = |reason: &str| refused(services, &destination, reason);
    let given_up = send_what_was_given_up(session, &variables, &name, &refused)?;
    let mut told = Told::default();
    let delivered = worker::tell(session, &variables, &follower, &mut told)
        .map_err(|barred| refused(&barred.to_string()))?;
    let Some(delivered) = delivered else {
        let message = format!("another process is telling {name}");
        return Err(Failure::new(Exit::Conflict, message)
            .with_hint("See what it did with: ckpt notify log"));
    };
    let report = Report {
        given_up,
        waiting: delivered.lines,
    };
    match session.json {
        true => ui.json(&report)?,
        false => ui.text(&match report.given_up + report.waiting {
            0 => format!("{name} has been told everything\n"),
            1 => format!("{name} took 1 message\n"),
            many => format!("{name} took {many} messages\n"),
        })?,
    }
    Ok(Exit::Done)
}

/// Sends what was given up, oldest first. What is not taken stays.
fn send_what_was_given_up(
    session: &Session,
    variables: &crate::environment::Variables,
    name: &ckpt::follower::FollowerName,
    refused: &dyn Fn(&str) -> Failure,
) -> Result<usize, Failure> {
    let followers = session.workspace.followers();
    let mut sent = 0;
    for records in followers.records(name) {
        let deliveries = Deliveries::at(Some(&records));
        if deliveries.given_up().is_empty() {
            continue;
        }
        let guard = followers.lock_records(name, &records);
        let Some(_guard) = guard.map_err(|barred| refused(&barred.to_string()))? else {
            continue;
        };
        let messenger = Messenger::of(session, variables, name);
        let messenger = messenger.map_err(|undelivered| refused(&undelivered.reason))?;
        let all = deliveries.given_up();
        for (number, one) in all.iter().enumerate() {
            let Some(line) = one.line() else { continue };
            if let Err(undelivered) = messenger.deliver_again(one, &line) {
                deliveries.keep_only(&all[number..])?;
                return Err(refused(&undelivered.reason));
            }
            sent += 1;
        }
        deliveries.keep_only(&[])?;
    }
    Ok(sent)
}
