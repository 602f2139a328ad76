//! `ckpt notify log`

use ckpt::follower::FollowerName;

use super::follower_name;
use crate::deliveries::{Attempt, Deliveries, Outcome};
use crate::failure::{Exit, Failure};
use crate::render::style::one_line;
use crate::session::Session;
use crate::ui::Ui;

#[derive(serde::Serialize)]
#[cfg_attr(test, derive(schemars::JsonSchema), schemars(rename = "NotifyLog"))]
pub(crate) struct Report {
    /// Newest first.
    attempts: Vec<Entry>,
}

#[derive(serde::Serialize)]
#[cfg_attr(
    test,
    derive(schemars::JsonSchema),
    schemars(rename = "NotifyLogEntry")
)]
struct Entry {
    /// The webhook or service.
    to: String,
    #[serde(flatten)]
    attempt: Attempt,
}

pub(super) fn run(
    ui: &mut Ui,
    session: &Session,
    typed: Option<&str>,
    most: usize,
) -> Result<Exit, Failure> {
    let followers = session.workspace.followers();
    let names: Vec<FollowerName> = match typed {
        Some(typed) => {
            let name = follower_name(typed)?;
            let is_told = followers.get(&name)?.is_some_and(|one| one.is_service);
            if !is_told && followers.records(&name).is_empty() {
                let message = format!("{name} is told nothing");
                return Err(Failure::new(Exit::NotFound, message).with_hint("See: ckpt notify"));
            }
            vec![name]
        }
        None => {
            let services = followers.all()?.into_iter().filter(|one| one.is_service);
            services.map(|one| one.name).collect()
        }
    };
    let mut attempts: Vec<Entry> = Vec::new();
    for name in names {
        let all = Deliveries::all(&followers, &name).into_iter();
        let of_one = all.flat_map(|deliveries| deliveries.attempts());
        attempts.extend(of_one.map(|attempt| Entry {
            to: name.to_string(),
            attempt,
        }));
    }
    attempts.sort_by(|one, two| two.attempt.at.cmp(&one.attempt.at));
    attempts.truncate(most);
    if session.json {
        ui.json(&Report { attempts })?;
        return Ok(Exit::Done);
    }
    if attempts.is_empty() {
        ui.note("nothing was sent");
    }
    for entry in &attempts {
        ui.text(&draw(entry))?;
    }
    Ok(Exit::Done)
}

fn draw(entry: &Entry) -> String {
    let Attempt {
        at,
        checkpoint,
        event,
        outcome,
        reason,
        milliseconds,
        ..
    } = &entry.attempt;
    let end = match outcome {
        Outcome::Delivered => format!("taken after {milliseconds} ms"),
        Outcome::Failed => format!("not taken: {}", reason.as_deref().unwrap_or_default()),
    };
    let line = format!("{at}  {}  {checkpoint} {event}: {end}", entry.to);
    format!("{}\n", one_line(&line))
}
