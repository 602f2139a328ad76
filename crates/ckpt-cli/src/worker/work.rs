//! What the worker does: it tells followers what is new, until nothing has happened for a while.

use std::collections::HashMap;
use std::thread::sleep;
use std::time::{Duration, Instant};

use ckpt::follower::{Follower, FollowerName};
use ckpt::workspace::{Barred, Batch, Delivered, Followers, Told};

use crate::environment::Variables;
use crate::journal::{Journal, written};
use crate::messenger::Messenger;
use crate::session::Session;

/// The worker stays for this long after the last news.
const LINGERING: Duration = Duration::from_secs(1);

/// The worker looks for news this soon at first, and then less and less often.
const SOON: Duration = Duration::from_millis(25);

/// The worker stays for a service that is to be tried again within this time.
const PATIENCE: Duration = Duration::from_secs(10 * 60);

/// It stays for this long at most if nothing is taken.
const LONGEST_STAY: Duration = Duration::from_secs(30 * 60);

/// While it waits to try again, the worker looks for news this often.
const SELDOM: Duration = Duration::from_secs(1);

/// Tells everybody who is served in the background, until nothing has happened for a while.
pub(crate) fn work(session: &Session, variables: &Variables) {
    let followers = session.workspace.followers();
    let begun = Instant::now();
    loop {
        let guard = match followers.lock_worker() {
            Ok(Some(guard)) => guard,
            Ok(None) => return,
            Err(barred) => {
                for follower in served_here(&followers) {
                    followers.note_failure(&follower.name, &barred);
                }
                return;
            }
        };
        let mut told: HashMap<FollowerName, Told> = HashMap::new();
        let mut quiet_since = Instant::now();
        let mut pause = SOON;
        loop {
            if tell_all(session, variables, &mut told).is_news {
                quiet_since = Instant::now();
                pause = SOON;
            }
            let quiet = quiet_since.elapsed();
            let stays = quiet < LONGEST_STAY && is_soon_tried_again(session);
            if quiet >= LINGERING && !stays {
                break;
            }
            sleep(pause);
            pause = (pause * 2).min(SELDOM);
        }
        drop(guard);
        // A change that came just before that has started no worker.
        let last = tell_all(session, variables, &mut told);
        let is_done = !last.is_news && !last.is_left_to_others;
        if is_done || begun.elapsed() >= LONGEST_STAY && !last.is_news {
            return;
        }
    }
}

/// Whether a service that did not take a message is tried again before long. No change need come before that. Where this
/// process lacks what it needs, such as a secret or the network, it is of no use to wait: the next one may have it.
fn is_soon_tried_again(session: &Session) -> bool {
    let followers = session.workspace.followers();
    let now = session.now().as_millisecond();
    let all = followers.all().unwrap_or_default();
    all.iter().any(|follower| {
        let report = follower
            .is_service
            .then(|| followers.report(&follower.name));
        let next = report.filter(|report| !report.is_stopped && report.next_at.is_some());
        let next = next.and_then(|report| report.next_try());
        let left = next.map(|next| next.as_millisecond().saturating_sub(now));
        left.is_some_and(|left| left <= PATIENCE.as_millis() as i64)
    })
}

/// What came of telling everybody.
#[derive(Default)]
struct Round {
    /// Whether anything was new.
    is_news: bool,
    /// Whether another process was telling somebody. It may have passed by what is new.
    is_left_to_others: bool,
}

/// Tells each follower what is new.
fn tell_all(
    session: &Session,
    variables: &Variables,
    told: &mut HashMap<FollowerName, Told>,
) -> Round {
    let mut round = Round::default();
    for follower in served_here(&session.workspace.followers()) {
        let told = told.entry(follower.name.clone()).or_default();
        // Why it failed is noted, for those who ask.
        match tell(session, variables, &follower, told) {
            Ok(Some(delivered)) => round.is_news |= delivered.lines > 0,
            Ok(None) => round.is_left_to_others = true,
            Err(_) => {}
        }
    }
    round
}

/// Tells a follower that is served in the background what is new.
///
/// # Errors
///
/// Why it could not be told. That is noted.
pub(crate) fn tell(
    session: &Session,
    variables: &Variables,
    follower: &Follower,
    told: &mut Told,
) -> Result<Option<Delivered>, Barred> {
    let followers = session.workspace.followers();
    if let Some(file) = &follower.file {
        let journal = Journal::at(file);
        let mut append = |batch: &Batch<'_>| Ok(journal.append(&written(batch))?);
        return followers.serve(follower, told, &mut append);
    }
    // A client is made once there is something to send.
    let mut messenger = None;
    let mut deliver = |batch: &Batch<'_>| {
        let known = match messenger.take() {
            Some(known) => known,
            None => Messenger::of(session, variables, &follower.name)?,
        };
        messenger.insert(known).deliver_all(batch)
    };
    followers.serve(follower, told, &mut deliver)
}

/// The followers that are served in the background, but for those that wait after a failure. If they cannot be read now, the
/// worker looks again soon.
fn served_here(followers: &Followers<'_>) -> Vec<Follower> {
    let mut all = followers.all().unwrap_or_default();
    all.retain(|one| one.is_served_alone() && !followers.is_waiting(&one.name));
    all
}
